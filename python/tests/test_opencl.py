"""Contexts and arrays of pyopencl."""

import numpy as np
import pytest

import pentacl

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")


@pytest.fixture(scope="module")
def queue():
    """A queue of theirs on the device that pentacl takes."""
    wanted = pentacl.context.shared().device.name
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            if device.name.strip() == wanted:
                return cl.CommandQueue(cl.Context([device]))
    pytest.skip("pyopencl does not see this device")


def test_a_context_of_theirs(queue, rng):
    image = rng.integers(0, 256, (40, 50), dtype=np.uint8)
    with pentacl.Context.from_opencl(queue.context, queue.device) as context:
        assert context.opencl[:2] == (queue.context.int_ptr, queue.device.int_ptr)
        found = pentacl.autocorr(image, max_offset=6, numerators=True, device=context)
        np.testing.assert_array_equal(
            found.numerators, pentacl.autocorr(image, max_offset=6, numerators=True).numerators
        )
        ours = cl.CommandQueue.from_int_ptr(context.opencl[2])
        assert ours.context == queue.context
    assert cl_array.arange(queue, 5, dtype=np.int32).get().sum() == 10  # their context still works


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint16])
@pytest.mark.parametrize("order", ["C", "F"])
def test_samples_in_device_memory(queue, rng, dtype, order):
    X = np.asarray(rng.normal(size=(700, 6)) @ rng.normal(size=(6, 6)) * 50 + 1000, dtype, order=order)
    device = cl_array.to_device(queue, X)
    ours, theirs = pentacl.PCA(3).fit(device), pentacl.PCA(3).fit(X)
    np.testing.assert_array_equal(ours.covariance_, theirs.covariance_)
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    scores = ours.transform(device)
    assert isinstance(scores, cl_array.Array) and scores.shape == (700, 3)
    np.testing.assert_array_equal(scores.T.get().T, theirs.transform(X))
    back = ours.inverse_transform(scores)
    np.testing.assert_array_equal(back.T.get().T, theirs.inverse_transform(theirs.transform(X)))


def test_a_part_of_an_array(queue, rng):
    X = rng.normal(size=(300, 4))
    device = cl_array.to_device(queue, X)[37:]
    np.testing.assert_array_equal(pentacl.PCA().fit(device).covariance_, pentacl.PCA().fit(X[37:]).covariance_)


def test_their_queue_and_ours_are_in_order(queue, rng):
    X = rng.normal(size=(200000, 4))
    wanted = pentacl.PCA(2).fit(X * 3 + 1)
    device = cl_array.to_device(queue, X, async_=True)
    for _ in range(3):
        changed = device * 3 + 1  # enqueued, perhaps not done yet
        model = pentacl.PCA(2).fit(changed)
        np.testing.assert_allclose(model.covariance_, wanted.covariance_, rtol=1e-12)
        twice = (model.transform(changed) * 2).get()
        np.testing.assert_allclose(twice, 2 * wanted.transform(X * 3 + 1), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_images_in_device_memory(queue, rng, dtype):
    image = (rng.random((60, 70)) * 200).astype(dtype)
    other = (rng.random((60, 70)) * 200).astype(dtype)
    device = cl_array.to_device(queue, image)
    exact = dtype is np.uint8
    found = pentacl.autocorr(device, cl_array.to_device(queue, other), max_offset=9, numerators=exact)
    wanted = pentacl.autocorr(image, other, max_offset=9, numerators=exact)
    np.testing.assert_array_equal(found.c2d, wanted.c2d)
    np.testing.assert_array_equal(found.c1d, wanted.c1d)
    if exact:
        np.testing.assert_array_equal(found.numerators, wanted.numerators)
    c2d = cl_array.zeros(queue, (19, 19), np.float64)
    with pentacl.Autocorr((60, 70), dtype, max_offset=9, device=pentacl._opencl.context_of(None, device)) as plan:
        assert plan.run(device, c2d=c2d).c2d is c2d
        np.testing.assert_array_equal((c2d * 1).get(), plan.run(image).c2d)
        with pytest.raises(ValueError, match="image must be a contiguous array"):
            plan.run(device[:30])


def test_a_frame_in_device_memory(queue):
    context = pentacl.context.shared_opencl(queue.context, queue.device)
    camera = pentacl.stars.Camera(64, 48, device=context)
    out = cl_array.zeros(queue, (48, 64), np.float32) + 5
    frame = camera.draw([10.0, 40.0], [20.0, 30.0], flux=[100.0, 50.0], out=out)
    assert frame.image is out
    np.testing.assert_array_equal((out * 1).get(), camera.draw([10.0, 40.0], [20.0, 30.0], flux=[100.0, 50.0]).image)
    with pytest.raises(pentacl.InvalidError, match="context"):
        pentacl.stars.Camera(64, 48).draw([10.0], [20.0], flux=[1.0], out=out)


def test_bodies_in_device_memory(queue):
    bodies = pentacl.nbody.initial("plummer", 200)
    wanted = pentacl.nbody.Simulation(bodies, eps=0.05, dt=1e-3)
    wanted.run(3)
    simulation = pentacl.nbody.Simulation(cl_array.to_device(queue, bodies), eps=0.05, dt=1e-3)
    simulation.run(3)
    out = cl_array.zeros(queue, (200, 7), np.float64)
    assert simulation.get(out) is out
    np.testing.assert_array_equal((out * 1).get(), wanted.get())
    simulation.set(out)
    np.testing.assert_array_equal(simulation.get(), wanted.get())
    assert simulation.time == 0
    with pytest.raises(ValueError, match="bodies must be a contiguous array"):
        simulation.set(out[:100])
    with pytest.raises(TypeError, match="float32"):
        pentacl.nbody.Simulation(cl_array.zeros(queue, (10, 7), np.float32))


@pytest.mark.parametrize("options", [{}, {"register": "rigid", "smooth_drift": 2}, {"flatten": "series"}])
def test_photographs_in_device_memory(queue, rng, options):
    scene = rng.random((70, 90))
    for _ in range(3):
        scene = (scene + np.roll(scene, 1, 0) + np.roll(scene, 1, 1)) / 3
    scene = 100 + 400 * (scene - scene.mean())
    frames = [np.clip(scene[i : i + 60, i : i + 80] + rng.normal(size=(60, 80)), 0, 255) for i in range(5)]
    frames = np.asarray(frames).astype(np.uint8)
    device = cl_array.to_device(queue, frames)
    wanted, found = pentacl.prepare(frames, **options), pentacl.prepare(list(device), **options)
    for name in ("images", "masks", "status", "drift", "low", "high"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    context = pentacl.context.shared_opencl(queue.context, queue.device)
    with pentacl.Prepare((60, 80), np.uint8, device=context, **options) as plan:
        if options:
            plan.look(device)
        images = cl_array.zeros(queue, (5, *plan.output_shape), plan.output_dtype)
        masks = cl_array.zeros(queue, (5, *plan.output_shape), np.uint8)
        made = plan.run(device, images=images, masks=masks)
        assert made.images is images and made.masks is masks
        np.testing.assert_array_equal((images + 0).get(), wanted.images)
        np.testing.assert_array_equal((masks + 0).get(), wanted.masks)


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
def test_a_movie_in_device_memory(queue, rng, dtype):
    time, x = np.arange(120)[:, None, None], np.arange(20)
    frames = (2000 - 300 / (1 + np.exp(-(time - 40 - x) / 2)) + rng.normal(size=(120, 16, 20)) * 5).astype(dtype)
    device = cl_array.to_device(queue, frames)
    wanted = pentacl.optmap.Movie(frames, 500.0)
    movie = pentacl.optmap.Movie(device, 500.0)
    first, host = movie.condition(shifts=True), wanted.condition(shifts=True)
    for name in ("filtered", "traces", "valid", "shifts"):
        np.testing.assert_array_equal(getattr(first, name), getattr(host, name))
    traces = cl_array.zeros(queue, frames.shape, np.float32)
    assert movie.condition(traces=traces).traces is traces
    np.testing.assert_array_equal((traces * 1).get(), host.traces)
    np.testing.assert_array_equal(movie.survey().kind, wanted.survey().kind)
    np.testing.assert_array_equal(movie.analyse().maps["activation"], wanted.analyse().maps["activation"])


def test_wrong_arrays(queue):
    with pytest.raises(TypeError, match="int64"):
        pentacl.PCA().fit(cl_array.zeros(queue, (10, 3), np.int64))
    with pytest.raises(ValueError, match="dimensions"):
        pentacl.PCA().fit(cl_array.zeros(queue, (10,), np.float64))
    model = pentacl.PCA(2).fit(np.random.default_rng(0).random((10, 3)))
    with pytest.raises(ValueError, match="features"):
        model.transform(cl_array.zeros(queue, (10, 4), np.float64))
