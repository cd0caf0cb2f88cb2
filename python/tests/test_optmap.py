"""pentacl.optmap on movies of waves whose activation, duration and speed are known."""

import numpy as np
import pytest

import pentacl
from pentacl.optmap import Movie

RATE, PIXEL = 1000.0, 0.05  # Hz, cm


def action_potential(t):
    """0 before 0 ms, an upstroke of 4 ms, a plateau, and back between 60 and 120 ms."""
    return np.interp(t, [0, 4, 60, 120], [0, 1, 0.9, 0], left=0, right=0)


def record(activation, beats=4, period=180.0, noise=0.5, depth=100.0, dtype=np.uint16):
    """A voltage dye's movie, frames x height x width: light drops by `depth` of 2000."""
    rng = np.random.default_rng(11)
    t = np.arange(int(beats * period)) * 1000 / RATE
    signal = sum(action_potential(t[:, None, None] - activation - 20 - beat * period) for beat in range(beats))
    light = 2000 - depth * signal + noise * rng.normal(size=signal.shape)
    return np.round(light).astype(dtype) if np.dtype(dtype).kind != "f" else light.astype(dtype)


@pytest.fixture(scope="module")
def plane():
    """A plane wave along x, 0.8 ms a pixel: 62.5 cm/s."""
    return np.tile(0.8 * np.arange(36.0), (24, 1))


@pytest.fixture(scope="module")
def findings(plane):
    return Movie(record(plane), RATE).analyse(pixel_size=PIXEL, average=True, shifts=True)


def test_beats(findings):
    assert len(findings.beats) == 4
    np.testing.assert_allclose(np.diff(findings.beats["upstroke"]), 180, atol=0.5)
    assert (findings.beats["first"] <= findings.beats["upstroke"]).all()
    assert findings.valid.all() and findings.doubts == []


def test_activation(findings, plane):
    activation = findings.maps["activation"]
    assert activation.shape == (4, 24, 36) and findings.units["activation"] == "ms"
    for beat in range(1, 4):
        error = activation[beat] - (plane + 20 + 2 + 180 * beat)  # the steepest place is in the middle of 4 ms
        assert np.isfinite(error[4:-4, 4:-4]).all()
        assert np.abs(error[4:-4, 4:-4]).max() < 1


def test_velocity(findings):
    velocity = findings.maps["cv"]
    assert velocity.shape == (4, 2, 24, 36)
    np.testing.assert_allclose(np.nanmedian(velocity[:, 0]), PIXEL / 0.8e-3, rtol=0.02)
    assert abs(np.nanmedian(velocity[:, 1])) < 2


def test_durations(findings):
    apd80 = np.nanmedian(findings.maps["apd80"])
    t = np.linspace(0, 150, 150001)
    v = action_potential(t)
    wanted = t[(t > 60) & (v <= 0.2)][0] - 2
    assert abs(apd80 - wanted) < 3


def test_frequency_and_average(findings):
    # Four beats are few lines of a spectrum: a line is 1000 / 720 Hz wide.
    assert abs(np.nanmedian(findings.maps["frequency"]) - 1000 / 180) < 1000 / 720
    assert findings.average.shape[1:] == (24, 36) and findings.phase.shape == (720, 24, 36)
    phase = findings.phase[np.isfinite(findings.phase)]
    assert phase.min() >= -np.pi - 1e-5 and phase.max() <= np.pi + 1e-5


def test_shifts_are_lags_between_neighbours(plane):
    # Beats whose lags are whole samples: 2 ms a pixel.
    movie = Movie(record(2.5 * plane, beats=1, period=300, noise=0.2), RATE)
    found = movie.condition(shifts=True, interp=1, window=3, drift="none")
    assert found.shifts.shape == (24, 36, 9)
    right = found.shifts[5:-5, 5:-5, 5]  # dy 0, dx 1
    assert abs(np.median(right) - 2) < 0.6 and (found.shifts[5:-5, 5:-5, 4] == 0).all()


def test_conditioning_is_the_fractional_change(plane):
    movie = record(plane, noise=0, dtype=np.float64)
    found = Movie(movie, RATE).condition(drift="none", min_range=0)
    f0 = movie.mean(0)
    np.testing.assert_allclose(found.traces, -(movie - f0) / f0, atol=1e-6)
    assert found.filtered.shape == movie.shape and found.engine == "fast"
    literal = Movie(movie, RATE).condition(drift="none", min_range=0, engine="literal")
    np.testing.assert_allclose(found.filtered, literal.filtered, atol=2e-5 * np.abs(found.traces).max())


@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "i4", "i8", "u4", "u8", "f2", "f4", ">u2"])
def test_types(plane, dtype):
    frames = np.round(record(plane, beats=1, noise=0, dtype=np.float64) / (20 if dtype == "i1" else 10))
    wanted = Movie(frames, RATE).condition(drift="none").filtered
    np.testing.assert_allclose(Movie(frames.astype(dtype), RATE).condition(drift="none").filtered, wanted, atol=1e-6)


def test_slices_of_a_movie_are_not_copied(plane):
    frames = record(plane)
    movie = Movie(frames[10:300:2], RATE / 2)
    assert movie.shape == (145, 24, 36) and all(np.shares_memory(frame, frames) for frame in movie._frames)
    np.testing.assert_array_equal(
        movie.condition().filtered, Movie(frames[10:300:2].copy(), RATE / 2).condition().filtered
    )
    turned = np.moveaxis(np.ascontiguousarray(np.moveaxis(frames, 0, 2)), 2, 0)  # height x width x frames in memory
    np.testing.assert_array_equal(Movie(turned, RATE).condition().filtered, Movie(frames, RATE).condition().filtered)


def test_a_mask(plane):
    mask = np.ones((24, 36), bool)
    mask[:, :10] = False
    found = Movie(record(plane), RATE, mask=mask).condition()
    np.testing.assert_array_equal(found.valid, mask)
    assert np.isnan(found.traces[:, :, :10]).all() and np.isfinite(found.traces[:, :, 10:]).all()


def test_two_cameras(plane):
    signal, steady = record(plane, noise=0, dtype=np.float64), np.full((720, 24, 36), 500.0)
    flicker = 1 + 0.2 * np.sin(np.arange(720) / 9)[:, None, None]
    both = Movie(signal * flicker, RATE, under=steady * flicker).condition(drift="none")
    np.testing.assert_allclose(both.traces, Movie(signal, RATE).condition(drift="none").traces, atol=1e-6)
    with pytest.raises(ValueError, match="as many frames"):
        Movie(signal, RATE, under=steady[:10])


def test_survey(plane):
    frames = record(np.tile(0.4 * np.arange(60.0), (50, 1)), noise=2)
    y, x = np.mgrid[0:50, 0:60]
    tissue = np.hypot(y - 25, x - 30) < 18
    frames = np.where(tissue, frames, (150 + np.random.default_rng(2).normal(size=frames.shape) * 2).astype(np.uint16))
    frames[:, 25, 30] = 65000
    survey = Movie(frames, RATE).survey()
    assert survey.found and survey.kind[25, 30] == 2 and survey.counts["stuck"] >= 1
    assert ((survey.kind == 1) == ~tissue).mean() > 0.97
    assert survey.amplitude == pytest.approx(0.05, rel=0.3) and not survey.moves


def test_bleaching_is_taken_off(plane):
    frames = record(plane, dtype=np.float64) * np.exp(-np.arange(720) / 2500)[:, None, None]
    survey = Movie(frames, RATE).survey()
    assert survey.bleaches and survey.drift >= 1
    assert survey.lost == pytest.approx(1 - np.exp(-720 / 2500), abs=0.03)
    assert np.abs(np.nanmedian(np.diff(Movie(frames, RATE).condition(drift="auto").traces[::180], axis=0))) < 0.01


def test_a_rotor_is_found():
    # A spiral: phase turns about (31.5, 31.5) at 8 Hz.
    y, x = np.mgrid[0:64, 0:64] - 31.5
    t = np.arange(800) / RATE
    angle = 2 * np.pi * 8 * t[:, None, None] - np.arctan2(y, x) - 0.15 * np.hypot(x, y)
    frames = (2000 - 100 * np.cos(angle) * np.minimum(np.hypot(x, y) / 3, 1)).astype(np.float32)
    found = Movie(frames, RATE).analyse(conditioning={"drift": "none"}, rotors={"min_turns": 1.0})
    long = found.rotors[found.rotors["frames"] > 400]
    assert len(long) == 1 and abs(long["charge"][0]) == 1
    places = found.singularities[found.singularities["id"] == long["id"][0]]
    assert np.hypot(np.median(places["x"]) - 31.5, np.median(places["y"]) - 31.5) < 2
    assert np.nanmedian(found.maps["frequency"]) == pytest.approx(8, abs=0.5)


def test_wrong_movies(plane):
    frames = record(plane)
    with pytest.raises(pentacl.InvalidError, match="empty"):
        Movie([], RATE)
    with pytest.raises(ValueError, match="one shape"):
        Movie([frames[0], frames[1][:3]], RATE)
    with pytest.raises(TypeError, match="int64 and numbers from 0 to 4294967296"):
        Movie(np.array([[[0, 2**32]]]), RATE)
    with pytest.raises(pentacl.InvalidError):
        Movie(frames, 0).analyse()
    with pytest.raises(pentacl.InvalidError, match="`window`"):
        Movie(frames, RATE).condition(window=4)
    with pytest.raises(TypeError, match="did you mean 'threshold'"):
        Movie(frames, RATE).analyse(beats={"treshold": 0.5})
    assert "threshold : float" in pentacl.optmap.options("beats")
    broken = frames.astype(np.float32)
    broken[3, 4, 5] = np.nan
    with pytest.raises(pentacl.InvalidError, match="finite"):
        Movie(broken, RATE).condition()
