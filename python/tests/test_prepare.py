"""pentacl.prepare on photographs whose drift, dust and illumination are known."""

import numpy as np
import pytest
import scipy.ndimage

import pentacl

STEPS = np.array([(0, 0), (2.25, -1.5), (5, -3.75), (6.5, 1.25), (9.75, 3.0)])  # dy, dx of the camera, px


@pytest.fixture(scope="module")
def scene():
    rng = np.random.default_rng(7)
    scene = scipy.ndimage.gaussian_filter(rng.normal(size=(300, 380)), 2.5)
    return 120 + 40 * scene / scene.std()


@pytest.fixture(scope="module")
def frames(scene):
    rng = np.random.default_rng(8)
    made = []
    for dy, dx in STEPS:
        frame = scipy.ndimage.shift(scene, (-dy, -dx), order=5)[40:240, 40:320]
        made.append(np.clip(np.round(frame + rng.normal(size=frame.shape)), 0, 255).astype(np.uint8))
    return np.stack(made)


def test_drift(frames):
    found = pentacl.prepare(frames)
    assert found.status == ["ok"] * 5 and found.ok.all() and found.notes == [""] * 5
    assert found.images.shape == frames.shape and found.images.dtype == np.uint16
    np.testing.assert_allclose(found.drift["dy"], -STEPS[:, 0], atol=0.06)
    np.testing.assert_allclose(found.drift["dx"], -STEPS[:, 1], atol=0.06)
    assert (found.drift["score"] > 0.9).all()


def test_frames_show_the_same_afterwards(frames):
    images = pentacl.prepare(frames, depth="f32").images
    middle = np.s_[30:-30, 30:-30]
    for image in images[1:]:
        assert np.corrcoef(image[middle].ravel(), images[0][middle].ravel())[0, 1] > 0.98
    assert np.corrcoef(frames[1][middle].ravel(), frames[0][middle].ravel())[0, 1] < 0.9


def test_moved_in_from_outside_is_masked(frames):
    found = pentacl.prepare(frames, dust="none")
    dy, dx = np.ceil(np.abs(STEPS[-1])).astype(int)
    assert found.masks.dtype == bool and found.masks[0].all()
    lost = ~found.masks[-1]
    assert lost[: dy - 1].all() and lost[:, : dx - 1].all() and not lost[dy + 2 :, dx + 2 :].any()


def test_dust_is_found(frames):
    dirty = frames.copy()
    dirty[:, 60:66, 100:107] = 0
    found = pentacl.prepare(dirty, register="none")
    assert not found.masks[:, 60:66, 100:107].any()
    assert (found.dust_pixels >= 42).all() and (found.dust_pixels < 1000).all()
    assert (pentacl.prepare(frames, register="none").dust_pixels < found.dust_pixels).all()


def test_dark_and_flat_frames(frames):
    rng = np.random.default_rng(9)
    dark = rng.random(frames.shape[1:]) * 10
    flat = 1 + 0.5 * np.cos(np.arange(frames.shape[2]) / 40)[None] * np.ones(frames.shape[1:])
    raw = (frames[0] * flat + dark).astype(np.float32)
    plain = {"register": "none", "flatten": "none", "dust": "none", "depth": "f32", "white": 255}
    image = pentacl.prepare([raw], dark=dark, flat=flat * 1000 + dark, **plain).images[0]
    clean = pentacl.prepare(frames[:1].astype(np.float32), **plain).images[0]
    # The flat frame's mean light is kept: the frames are the same but for that factor.
    factor = (image * clean).sum() / (clean**2).sum()
    assert 0.5 < factor < 2
    np.testing.assert_allclose(image, factor * clean, atol=1e-4)


def test_colour(frames):
    colour = np.stack([frames[0], frames[0] // 2, frames[0] // 4], -1)
    plain = {"register": "none", "flatten": "none", "dust": "none", "depth": "f32", "white": 255}
    red = pentacl.prepare([colour], grey="red", **plain).images[0]
    grey = pentacl.prepare([colour], **plain).images[0]
    luminance = colour @ np.array([0.299, 0.587, 0.114])
    np.testing.assert_array_equal(red, frames[0])
    np.testing.assert_allclose(grey, luminance, atol=1e-4)


def test_pieces_of_a_series_have_the_same_bits(frames):
    whole = pentacl.prepare(frames)
    with pentacl.Prepare(frames.shape[1:], frames.dtype) as plan:
        first, rest = plan.run(frames[:2]), plan.run(list(frames[2:]))
        np.testing.assert_array_equal(np.concatenate([first.images, rest.images]), whole.images)
        np.testing.assert_array_equal(np.concatenate([first.drift, rest.drift]), whole.drift)
        plan.rewind()
        np.testing.assert_array_equal(plan.run(frames[:1]).images, whole.images[:1])


def test_a_series_is_looked_at_first(frames):
    found = pentacl.prepare(frames, flatten="series")
    assert found.ok.all()
    with pentacl.Prepare(frames.shape[1:], frames.dtype, flatten="series") as plan:
        with pytest.raises(pentacl.InvalidError, match="series"):
            plan.run(frames)
        assert plan.look(frames) == 0
        np.testing.assert_array_equal(plan.run(frames).images, found.images)


def test_drifts_are_smoothed(frames):
    # Frames along a straight line: smoothing changes nothing but noise.
    scene = np.tile(frames[0], (2, 2))
    line = [scene[2 * i : 2 * i + 150, 3 * i : 3 * i + 200] for i in range(9)]
    found = pentacl.prepare(line, smooth_drift=4)
    np.testing.assert_allclose(found.drift["dx"], -3.0 * np.arange(9), atol=0.1)
    np.testing.assert_allclose(found.drift["dy"], -2.0 * np.arange(9), atol=0.1)


def test_frames_that_cannot_be_used(frames):
    spoilt = frames.copy()
    spoilt[2] = 77
    spoilt[3] = np.random.default_rng(3).integers(0, 256, spoilt[3].shape)
    found = pentacl.prepare(spoilt)
    assert found.status[2] == "blank" and found.status[3] == "lost" and found.ok.sum() == 3
    assert found.notes[2] and found.notes[3] and not found.notes[4]


def test_options_as_tuples(frames):
    found = pentacl.prepare(frames[:2], crop=(10, 20, 150, 100), contrast=(1, 99), depth="u8")
    assert found.images.shape == (2, 100, 150) and found.images.dtype == np.uint8
    assert np.isfinite(found.low).all() and (found.high > found.low).all()
    same = pentacl.prepare(frames[:2], crop="10,20,150,100", contrast="1,99", depth="u8")
    np.testing.assert_array_equal(found.images, same.images)


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_integers_are_taken_as_uint16(frames, dtype):
    wanted = pentacl.prepare(frames[:2].astype(np.uint16), register="none").images
    np.testing.assert_array_equal(pentacl.prepare(frames[:2].astype(dtype), register="none").images, wanted)


def test_frames_of_an_array_with_steps(frames):
    twice = np.repeat(frames, 2, axis=0)
    np.testing.assert_array_equal(pentacl.prepare(twice[::2]).images, pentacl.prepare(frames).images)


def test_wrong_frames(frames):
    with pytest.raises(pentacl.InvalidError, match="no frames"):
        pentacl.prepare([])
    with pytest.raises(ValueError, match="the series is"):
        pentacl.prepare([frames[0], frames[1][:50]])
    with pytest.raises(TypeError, match="int64 and numbers from"):
        pentacl.prepare(frames.astype(np.int64) - 256)
    with pytest.raises(pentacl.InvalidError, match="`crop`"):
        pentacl.prepare(frames, crop=(0, 0, 1000, 1000))
