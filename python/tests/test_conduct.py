"""Errors, threads, Ctrl-C, forks, the end of things."""

import ctypes
import gc
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
import warnings

import numpy as np
import pytest
from scipy.ndimage import gaussian_laplace

import pentacl
from pentacl.stars import Camera


def test_errors_have_the_librarys_text():
    image = np.zeros((20, 30), np.uint8)
    with pytest.raises(pentacl.InvalidError) as caught:
        pentacl.autocorr(image, max_offset=20)
    error = caught.value
    assert isinstance(error, (pentacl.Error, ValueError))
    assert str(error) == "`max_offset` is 20 px; it must be below the smaller side of the image, which is 30 x 20"
    assert "src/autocorr/autocorr.c" in error.details
    with pytest.raises(pentacl.NoDeviceError, match="no OpenCL device matches 'tpu'"):
        pentacl.autocorr(image, device="tpu")
    with pytest.raises(TypeError, match="there is no option 'max_ofset'; did you mean 'max_offset'"):
        pentacl.autocorr(image, max_ofset=3)
    with pytest.raises(pentacl.InvalidError, match="`method`.*'slow'"):
        pentacl.autocorr(image, method="slow")
    with pytest.raises(pentacl.InvalidError, match="preset"):
        pentacl.autocorr(image, preset="papers")
    with pytest.raises(pentacl.InvalidError, match="max_offset"):
        pentacl.autocorr(image, max_offset=10**12)


def test_errors_name_the_argument_of_the_wrong_type():
    image = np.zeros((20, 30), np.uint8)
    with pytest.raises(TypeError, match="`max_offset` needs a whole number, not 2.5"):
        pentacl.autocorr(image, max_offset=2.5)
    with pytest.raises(TypeError, match="`estimator` needs one of eq1, "):
        pentacl.autocorr(image, estimator=0.5)
    with pytest.raises(TypeError, match="`dt` needs a number, not None"):
        pentacl.nbody.Simulation(np.ones((2, 7)), dt=None)
    with pytest.raises(TypeError, match="must be an array of int64"):
        pentacl.autocorr(image, numerators="yes")
    with pytest.raises(ValueError, match=r"frames\[0\] has 1 dimensions; it must have 2"):
        pentacl.optmap.Movie(np.zeros((3, 4)), 1000)
    with pytest.raises(ValueError, match="a frame has 1 dimensions; it must have 2, or 3"):
        pentacl.prepare(image)
    assert pentacl.autocorr(image, max_offset=3, numerators=np.bool_(True)).numerators.shape == (7, 7)


def test_dir_lists_what_is_offered():
    assert set(pentacl.__all__) <= set(dir(pentacl))


def test_every_status_has_an_exception():
    lib = pentacl._library.lib
    names = [pentacl._library.text(lib.penta_status_name(status)) for status in range(lib.PENTA_INTERNAL + 1)]
    assert names[0] == "PENTA_OK" and len(names) == 9
    for status in range(1, 9):
        error = pentacl.errors.make(status, "first\nsecond")
        assert (
            type(error).__name__.lower()
            == ({"PENTA_MEMORY": "outofmemory"}.get(names[status]) or names[status][6:].replace("_", "").lower())
            + "error"
        )
        assert isinstance(error, pentacl.Error) and str(error) == "first" and error.details == "second"
    assert issubclass(pentacl.OutOfMemoryError, MemoryError) and issubclass(pentacl.InvalidError, ValueError)


def test_a_plan_outlives_an_error(rng):
    image = rng.random((30, 30))
    with pentacl.Autocorr((30, 30), np.float64, max_offset=5) as plan:
        before = plan.run(image).c2d
        image[0, 0] = np.inf
        with pytest.raises(pentacl.InvalidError, match="infinite"):
            plan.run(image)
        image[0, 0] = 0
        assert np.isfinite(plan.run(image).c2d).all() and np.isfinite(before).all()


def test_contexts_and_plans_close(rng):
    image = rng.random((30, 30))
    with pentacl.Context() as context:
        assert context.device.name == pentacl.devices()[0].name or os.environ.get("PENTACL_DEVICE")
        plan = pentacl.Autocorr((30, 30), np.float64, device=context)
        pentacl.autocorr(image, device=context)
        assert context.profile() and all(seconds >= 0 for seconds in context.profile().values())
        context.profile_reset()
        assert not any(context.profile().values())
        context.profile_pause()
        assert not any(context.profile().values())
        plan.close()
        plan.close()
    with pytest.raises(ValueError, match="this context is closed"):
        pentacl.autocorr(image, device=context)
    assert "closed" in repr(context)


def test_plans_end_before_their_context(in_process):
    code = """
import ctypes
import gc
import numpy as np, pentacl
context = pentacl.Context()
plan = pentacl.Autocorr((20, 20), float, device=context)
camera = pentacl.stars.Camera(10, 10, device=context, detector={})
plan.run(np.eye(20))
context.close()
try:
    plan.run(np.eye(20))
except ValueError as error:
    print(error)
plan.close()
del plan, camera, context
gc.collect()
"""
    done = in_process(code, MALLOC_PERTURB_="85")
    assert done.stdout == "this plan is closed\n" and done.stderr == ""


def test_plans_are_kept_for_the_next_call(rng, context):
    context.release()
    image = rng.random((30, 30))
    pentacl.autocorr(image, max_offset=4)
    (plan,) = context.plans.values()
    pentacl.autocorr(image, max_offset=4)
    assert list(context.plans.values()) == [plan]
    for reach in range(5, 12):
        pentacl.autocorr(image, max_offset=reach)
    assert len(context.plans) == pentacl.context.KEPT_PLANS and plan not in context.plans.values()
    context.release()
    assert not context.plans


def test_plans_end_with_their_last_reference(rng):
    context = pentacl.Context()
    destroyed = []
    plan = pentacl.Autocorr((30, 30), np.float64, device=context)
    plan._end.detach()
    plan._end = pentacl.context.weakref.finalize(
        plan,
        context.bury,
        lambda handle: (destroyed.append(handle), pentacl._library.lib.penta_autocorr_destroy(handle)),
        plan.handle,
    )
    handle = plan.handle
    del plan
    gc.collect()
    assert destroyed == [handle]


def test_threads_share_a_context(rng):
    images = rng.integers(0, 256, (24, 40, 50), dtype=np.uint8)
    wanted = [pentacl.autocorr(image, max_offset=8, numerators=True) for image in images]
    found, errors = [None] * len(images), []

    def work(which):
        try:
            for i in range(which, len(images), 4):
                found[i] = pentacl.autocorr(images[i], max_offset=8, numerators=True)
                if i % 3 == 0:  # errors belong to the thread whose call failed
                    with pytest.raises(pentacl.InvalidError, match=f"is {40 + i} px"):
                        pentacl.autocorr(images[i], max_offset=40 + i)
        except BaseException as error:
            errors.append(error)

    run_together(work, 4)
    assert not errors
    for got, want in zip(found, wanted):
        np.testing.assert_array_equal(got.numerators, want.numerators)
        np.testing.assert_array_equal(got.c2d, want.c2d)


def test_threads_with_contexts_of_their_own(rng):
    X = rng.normal(size=(500, 6))
    wanted = pentacl.PCA(3).fit_transform(X)
    results = {}

    def work(which):
        with pentacl.Context() as own:
            results[which] = [pentacl.PCA(3, device=own).fit_transform(X) for _ in range(5)]

    run_together(work, 4)
    assert len(results) == 4
    for runs in results.values():
        for scores in runs:
            np.testing.assert_array_equal(scores, wanted)


def run_together(work, count):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_the_lock_of_python_is_released():
    simulation = pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 4096), eps=0.05, dt=1 / 64)
    simulation.run(1)
    done, ticks = threading.Event(), []

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    while time.monotonic() - begin < 0.5:
        simulation.run(20)
    end = time.monotonic()
    done.set()
    thread.join()
    # A call that held the lock would let the other thread run only between calls.
    assert sum(begin < t < end for t in ticks) > 25


def test_progress_cancels():
    simulation = pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 256), eps=0.05, dt=1 / 64)
    seen = []
    assert simulation.run(200, progress=lambda done, total: seen.append((done, total))) == 200
    assert [done for done, _ in seen] == sorted(done for done, _ in seen) and 0 < seen[-1][0] <= seen[-1][1] == 200
    before = simulation.step
    with pytest.raises(pentacl.CancelledError, match="cancelled after"):
        simulation.run(100000, progress=lambda done, total: True)
    assert before < simulation.step < before + 100000
    with pytest.raises(ZeroDivisionError):
        simulation.run(100, progress=lambda done, total: 1 / 0)
    simulation.run(1)  # the plan is usable, and no callback is left over


def test_a_progress_callback_must_not_use_the_context():
    simulation = pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 64), eps=0.05, dt=1 / 64)
    with pytest.raises(RuntimeError, match="progress callback cannot use"):
        simulation.run(100, progress=lambda done, total: simulation.bodies)


def test_garbage_in_a_progress_callback_waits():
    simulation = pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 64), eps=0.05, dt=1 / 64)
    others = [pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 64), eps=0.05) for _ in range(3)]

    def drop(done, total):
        others.clear()
        gc.collect()
        return False

    assert simulation.run(100, progress=drop) == 100 and not others
    assert not simulation.context._dead


CTRL_C = """
import os, signal, sys, threading, time
import numpy as np, pentacl
{setup}
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.monotonic()
try:
    while True:
        {call}
except KeyboardInterrupt:
    pass
took = time.monotonic() - begin
{after}
assert took < 20, took
print("interrupted")
"""


@pytest.mark.parametrize(
    "setup, call, after",
    [
        (
            "s = pentacl.nbody.Simulation(pentacl.nbody.initial('plummer', 2048), eps=0.05, dt=1/64); s.run(1)",
            "s.run(10**9)",
            "before = s.step; s.run(2); assert s.step == before + 2",
        ),
        (
            "i = np.random.default_rng(0).random((64, 200, 200)); p = pentacl.Autocorr((200, 200), float); p.run(i[0])",
            "p.run_series(i)",
            "p.run(i[0])",
        ),
        (
            "i = np.random.default_rng(0).integers(0, 255, (8, 200, 200), dtype=np.uint8); pentacl.prepare(i[:2])",
            "pentacl.prepare(i)",
            "pentacl.prepare(i[:2])",
        ),
        (
            "X = np.random.default_rng(0).random((200000, 40)); pentacl.PCA().fit(X[:100])",
            "pentacl.PCA().fit(X)",
            "pentacl.PCA().fit(X[:100])",
        ),
    ],
)
def test_ctrl_c(in_process, setup, call, after):
    assert "interrupted" in in_process(CTRL_C.format(setup=setup, call=call, after=after)).stdout


def test_ctrl_c_without_a_handler_of_ours():
    """A terminal's Ctrl-C ends a script with Python's usual traceback and status."""
    code = textwrap.dedent("""
        import pentacl
        s = pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 512), eps=0.05, dt=1/64)
        s.run(1)
        print("runs", flush=True)
        s.run(10**9)
    """)
    script = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert script.stdout.readline() == "runs\n"
    time.sleep(0.5)
    script.send_signal(signal.SIGINT)
    _, errors = script.communicate(timeout=60)
    assert script.returncode == -signal.SIGINT and "KeyboardInterrupt" in errors


def test_a_forked_process_says_so(in_process):
    code = """
import os, warnings
warnings.simplefilter("ignore")
import numpy as np, pentacl
pentacl.autocorr(np.eye(9), max_offset=2)
child = os.fork()
if child == 0:
    try:
        pentacl.autocorr(np.eye(9), max_offset=2)
    except RuntimeError as error:
        os._exit(3 if "forked" in str(error) else 4)
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert in_process(code).stdout.strip() == "3"


def test_the_end_of_a_process_with_everything_open(in_process):
    # What is registered before the import runs after what the package registers: the call of the thread has ended then.
    code = """
import atexit, threading, time
atexit.register(lambda: (thread.join(60), print(thread.is_alive())))
import numpy as np, pentacl
plans = [pentacl.Autocorr((20, 20), float), pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 99), eps=0.05)]
pentacl.autocorr(np.eye(9), max_offset=2)
thread = threading.Thread(target=lambda: plans[1].run(10**9), daemon=True)
thread.start()
time.sleep(0.2)
"""
    done = in_process(code)
    assert done.stderr == "" and done.stdout == "False\n"


def test_openssl_keeps_its_functions(in_process):
    # clFFT exports functions with OpenSSL's names.
    code = """
import pentacl
pentacl.io.read_catalog()
import hashlib, ssl
ssl.create_default_context()
assert hashlib.md5(b"abc" * 5000, usedforsecurity=False).hexdigest() == EXPECTED, "md5"
"""
    import hashlib

    in_process(code.replace("EXPECTED", repr(hashlib.md5(b"abc" * 5000).hexdigest())))


# ---- masked arrays ----


def test_masked_pixels_are_left_out(rng):
    image = rng.normal(100, 20, (60, 70))
    image[10:30, 10:40] = 5000
    hidden = np.ma.masked_greater(image, 1000)
    right = pentacl.autocorr(image, max_offset=10, mask=image < 1000).c2d
    np.testing.assert_array_equal(pentacl.autocorr(hidden, max_offset=10).c2d, right)
    for mask in (np.where(image > 1000, np.nan, 1.0), np.ma.masked_array(np.ones(image.shape), image > 1000)):
        np.testing.assert_array_equal(pentacl.autocorr(image, max_offset=10, mask=mask).c2d, right)
    frames = [hidden.astype(np.float32)] * 2
    found = pentacl.prepare(frames, register="none")
    assert not found.masks[:, 10:30, 10:40].any() and found.masks[:, 35:, :].all()
    with pytest.raises(TypeError, match="masked pixels"):
        pentacl.prepare([np.ma.masked_greater(image.astype(np.uint16), 1000)])


def test_masked_samples_are_left_out(rng):
    X = rng.normal(size=(80, 5))
    hidden = np.ma.masked_array(X, np.zeros(X.shape, bool))
    hidden[3, 2] = np.ma.masked
    X[3] = 1e6
    keep = np.arange(80) != 3
    fitted = pentacl.PCA(2).fit(hidden)
    np.testing.assert_array_equal(fitted.components_, pentacl.PCA(2).fit(X[keep]).components_)
    scores = fitted.transform(hidden)
    assert np.isnan(scores[3]).all()
    np.testing.assert_array_equal(scores[keep], fitted.transform(X[keep]))
    with pytest.raises(ValueError, match="mnf"):
        pentacl.PCA(2, kind="mnf").fit(hidden)
    with pytest.raises(TypeError, match="masked"):
        pentacl.nbody.Simulation(np.ma.masked_greater(rng.random((5, 7)), 0.5), dt=0.1)


def test_masked_pixels_of_movies_are_left_out(rng):
    frames = rng.integers(100, 200, (40, 12, 14)).astype(np.uint16)
    hidden = np.ma.masked_array(frames, np.zeros(frames.shape, bool))
    hidden[7, 3, 4] = np.ma.masked
    mask = np.ones((12, 14), bool)
    mask[3, 4] = False
    movies = pentacl.optmap.Movie(hidden, 100), pentacl.optmap.Movie(frames, 100, mask=mask)
    kinds = [movie.survey().kind for movie in movies]
    np.testing.assert_array_equal(*kinds)
    assert kinds[0][3, 4] == 4


# ---- warnings ----

FRAMES = np.random.default_rng(1).integers(0, 200, (3, 40, 50), dtype=np.uint8)
STARS = {"ra": [10.0], "dec": [20.0], "mag": [1.0]}
BODIES = pentacl.nbody.initial("plummer", 32)


def simulate(bodies=BODIES, steps=0, **options):
    simulation = pentacl.nbody.Simulation(bodies, **options)
    simulation.diagnose()
    simulation.run(steps)
    return simulation.diagnose()


WARNINGS = {  # what is said, and of what; `to` is a folder
    "equation 1 with the mean left in: mean.2 is": lambda to: pentacl.autocorr(FRAMES[0], preset="paper"),
    "1 of 1 displacements are not to be relied on; ": lambda to: pentacl.autocorr(*FRAMES[:2], max_offset=9),
    "1 of 1 frames are weak .standard error over": lambda to: pentacl.autocorr(gaussian_laplace(FRAMES[0] / 1.0, 2)),
    "growth: every law that was": lambda to: pentacl.growth(range(1, 10), np.arange(9) % 3 + 5.0, np.full(9, 0.01)),
    "1 of 2 frames are left out, the first is 1": lambda to: pentacl.prepare([FRAMES[0], FRAMES[0] * 0]),
    "[0-9.]+ % of frame . is marked as dust": lambda to: prepare(
        np.where(np.arange(50) < 8, np.nan, FRAMES), white=200
    ),
    "[0-9.]+ % of frame . is white in what is": lambda to: prepare(FRAMES, white=99, dust="none", flatten="none"),
    "the drift of 1 of 2 frames": lambda to: pentacl.prepare(
        np.tile(np.eye(8, dtype="u1") * 99, (2, 9, 9)), dust="none"
    ),
    "a ROI of 5 px holds [0-9.]+ % of a star's light": lambda to: Camera(90, 90, sigma=5, roi=5),
    "the PSF is too narrow to be taken at pixel": lambda to: Camera(90, 90, sigma=0.2, psf="sampled"),
    "no star was drawn: none of 1 comes into": lambda to: Camera(90, 90, fov=5).render(STARS, (0, 0)),
    "[0-9.]+ % of the pixels": lambda to: Camera(90, 90, fov=60, distortion=(-3, 0, 0, 0, 0)).render(STARS, (10, 20)),
    "the coordinates of the FITS": lambda to: Camera(90, 90, fov=60, distortion=(0.9, 9, 0, 0, 0)).wcs((1, 2)),
    "`eps` 0.3 is above a tenth of the smallest distance": lambda to: simulate(BODIES[:9], eps=0.3),
    "`eps` 1 is above a tenth of the half-mass radius": lambda to: simulate(eps=1),
    "kinetic energy is .* in kpc, 10.10 solar": lambda to: simulate(BODIES * [1, 1, 1, 1, 207.4, 207.4, 207.4]),
    "the largest relative energy error was .* orbits are doubtful: steps": lambda to: simulate(dt=0.5, steps=4),
    ".*which precision single does not resolve": lambda to: simulate(eps=1e-9, precision="single"),
    "`no_data` -1 leaves no pixel out: no number of": lambda to: pentacl.PCA(no_data=-1).fit(FRAMES[0]),
    "no beat was found": lambda to: pentacl.optmap.Movie(np.repeat(FRAMES, 40, 0), 100).analyse(),
    ".*40 x 50 x 3 is read as bands x rows x cols, 40 bands": lambda to: pentacl.io.read_cube(cube_in(to)),
    "in the units of the bodies .3.08568e.21 cm": lambda to: pentacl.io.read_snapshot(snapshot_in(to)),
}


def prepare(frames, **options):
    return pentacl.prepare(frames, register="none", **options)


def snapshot_in(folder):
    units = "# unit_length_cm = 3.08568e21\n# unit_mass_g = 1.9885e43\n# unit_velocity_cm_per_s = 1e5\n"
    (folder / "b.csv").write_text(units + "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,1,0\n2,1,0,0,0,0,0\n")
    return folder / "b.csv"


def cube_in(folder):
    np.save(folder / "c.npy", np.moveaxis(FRAMES, 0, 2))
    return folder / "c.npy"


@pytest.mark.parametrize("said", WARNINGS)
def test_doubts_are_warnings_of_the_callers_line(said, tmp_path):
    with pytest.warns(pentacl.ResultWarning) as caught:
        WARNINGS[said](tmp_path)
    (found,) = [warning for warning in caught if re.match(said, str(warning.message))]
    assert found.filename == __file__ and "--" not in str(found.message)


def test_no_doubts_no_warnings(rng):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(pentacl.nbody.initial("plummer", 2000), eps=0.05, dt=1 / 256, steps=3)
        pentacl.stars.Camera(90, 90, fov=5).render(STARS, (10, 20))
        pentacl.PCA(2).fit(rng.normal(size=(50, 4)))
        pentacl.autocorr(FRAMES[0], FRAMES[0], max_offset=9)


# ---- arrays of other packages ----


class Foreign:
    """An array that NumPy sees only through a protocol."""

    def __init__(self, array, device=1):
        if device == "cuda":
            where = {"data": array.__array_interface__["data"], "strides": array.strides, "version": 3}
            self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, **where}
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device if self.device != "cuda" else 2, 0)


def test_arrays_by_dlpack_and_from_cuda(rng, monkeypatch):
    X = rng.normal(size=(50, 20))
    for call in (
        lambda X: pentacl.autocorr(X, max_offset=2).c2d,
        lambda X: pentacl.PCA(2).fit(X).components_,
        lambda X: pentacl.prepare([X, X], register="none").images,
        lambda X: pentacl.stars.Detector(20, 50).run(X)[0],
    ):
        np.testing.assert_array_equal(call(Foreign(X)), call(X))
        with pytest.raises(TypeError, match="memory of a device that is not known here; copy it"):
            call(Foreign(X, device=99))
    with pytest.raises(TypeError, match="CUDA memory and not contiguous"):
        pentacl.autocorr(Foreign(X.T, "cuda"))

    class Driver:  # of CUDA, for memory of the host
        copied = []

        def __getattr__(self, name):
            return lambda *arguments: 0

        def cuMemcpyDtoH_v2(self, to, address, size):
            self.copied.append(size.value)
            ctypes.memmove(to, address.value, size.value)
            return 0

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Driver())
    device = Foreign(X, "cuda")
    np.testing.assert_array_equal(pentacl.PCA(2).fit(device).components_, pentacl.PCA(2).fit(X).components_)
    assert Driver.copied == [X.nbytes]


# ---- progress ----


class Bar:
    """As tqdm's."""

    made = []

    def __init__(self, **_):
        self.n, self.total, self.closed = 0, None, False
        self.made.append(self)

    def update(self, n=1):
        self.n += n

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True


def test_bars_of_tqdm(monkeypatch, rng):
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(tqdm=Bar))
    simulation = pentacl.nbody.Simulation(BODIES, eps=0.01, dt=1 / 64)
    for own in (Bar(), True):
        simulation.run(200, progress=own)
        bar = Bar.made[-1]
        assert bar.n == bar.total == 200 and bar.closed == (own is True)
        simulation.run(200, lambda simulation: True, every=20, progress=own)
        assert Bar.made[-1].n == Bar.made[-1].total == 20
    assert len(Bar.made) == 3
    pentacl.prepare(FRAMES, progress=True, flatten="series", register="none")
    assert Bar.made[-1].n == Bar.made[-1].total == 3
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="needs tqdm"):
        simulation.run(2, progress=True)
