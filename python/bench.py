"""What a call from Python costs more than the same call in a loop of C, on the same plan and arrays.

bench.py INCLUDE: the folder of the headers; needs a C compiler, for the loop. Prints microseconds that the calling
thread computes (its waits, and the driver's threads, are the same for both), the least of some rounds in which both
take turns.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import pentacl
from pentacl import _arrays
from pentacl._library import ffi

ROUNDS, CALLS = 20, 100
LOOPS = """
double loop_autocorr(void *, void *, void *, int);
double loop_nbody(void *, int);
double loop_stars(void *, void *, void *, int);
"""


def loops(include, folder):
    """The functions of bench.c."""
    here = pathlib.Path(__file__).parent
    (library,) = (pathlib.Path(pentacl.__file__).parent / "lib").glob("libpentacl.so.*")
    out = pathlib.Path(folder) / "bench.so"
    subprocess.run(
        [
            "cc",
            "-O2",
            "-shared",
            "-fPIC",
            f"-I{include}",
            str(here / "bench.c"),
            str(library),
            f"-Wl,-rpath,{library.parent}",
            "-o",
            str(out),
        ],
        check=True,
    )
    import cffi

    declarations = cffi.FFI()
    declarations.cdef(LOOPS)
    return declarations.dlopen(str(out))


def turns(in_c, in_python):
    """Least seconds a call of both."""
    least = [float("inf")] * 2
    in_python()
    for _ in range(ROUNDS):
        seconds = in_c()
        assert seconds >= 0
        least[0] = min(least[0], seconds)
        begin = time.thread_time()
        for _ in range(CALLS):
            in_python()
        least[1] = min(least[1], (time.thread_time() - begin) / CALLS)
    return least


def report(name, least):
    c, python = (1e6 * seconds for seconds in least)
    print(f"{name:42} C {c:8.1f} us   Python {python:8.1f} us   more {python - c:6.1f} us")


def main(include):
    print(pentacl.context.shared().device.name)
    with tempfile.TemporaryDirectory() as folder:
        c = loops(include, folder)
        image = np.random.default_rng(1).integers(0, 256, (32, 32), dtype=np.uint8)
        plan = pentacl.Autocorr(image.shape, image.dtype, max_offset=4)
        frame, result = ffi.new("penta_autocorr_frame *"), ffi.new("penta_autocorr_result *")
        kept = plan._fill(frame[0], image, None, None), plan._outputs(result[0], True, True, True)
        one = turns(
            lambda: c.loop_autocorr(plan.handle, frame, result, CALLS), lambda: plan.run(image, numerators=True)
        )
        report("Autocorr.run, 32 x 32, R = 4", one)
        one = turns(
            lambda: c.loop_autocorr(plan.handle, frame, result, CALLS),
            lambda: pentacl.autocorr(image, max_offset=4, numerators=True),
        )
        report("autocorr, the same", one)
        del kept

        simulation = pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 64), eps=0.05, dt=1e-4)
        report(
            "Simulation.run(1), 64 bodies",
            turns(lambda: c.loop_nbody(simulation.handle, CALLS), lambda: simulation.run(1)),
        )

        camera = pentacl.stars.Camera(32, 32)
        x, y, flux = np.array([5.0, 20.0]), np.array([7.0, 9.0]), np.array([1.0, 2.0])
        stars, found = ffi.new("penta_stars_list *"), ffi.new("penta_stars_result *")
        stars.n, stars.x, stars.y, stars.flux = 2, *map(_arrays.doubles, (x, y, flux))
        picture = np.empty((32, 32), np.float32)
        found.image = _arrays.pointer(picture)
        report(
            "Camera.draw, 32 x 32, 2 stars",
            turns(lambda: c.loop_stars(camera.handle, stars, found, CALLS), lambda: camera.draw(x, y, flux=flux)),
        )


if __name__ == "__main__":
    main(sys.argv[1])
