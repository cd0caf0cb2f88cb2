"""One call of each workload, as a user of the wheel makes it, and the same by the command penta. Usage:

wheel.py call INPUTS OUTPUT     by the package, of what `penta sample` wrote to INPUTS
wheel.py penta PENTA INPUTS OUTPUT   by the command
wheel.py same A B               fails unless the two outputs have the same numbers, to the bit

Takes NumPy and, for call, pentacl.
"""

import pathlib
import subprocess
import sys

import numpy as np


def call(inputs, output):
    import hashlib

    import pentacl

    assert hashlib.md5(b"penta").hexdigest() == "fb8c2d9c288aa6722905f15fbd65eb74"
    print(f"{pentacl.__version__} on {pentacl.devices()[0].name}")
    made = {}

    image = pentacl.io.read_images(inputs / "autocorr/frame-0003.png")[0]
    found = pentacl.autocorr(image, max_offset=40, numerators=True)
    made["autocorr"], made["numerators"] = found.c2d, found.numerators

    frames = [pentacl.io.read_images(inputs / f"prepare/frame-000{i}.png")[0] for i in range(2)]
    series = pentacl.prepare(frames)
    for i in range(2):
        pentacl.io.write_image(output / f"prepare-{i}.png", series.images[i])

    camera = pentacl.stars.Camera(256, 256, fov=10)
    made["stars"] = camera.render(pointing=(83.8, -1.2)).image

    bodies = np.load(inputs / "nbody/plummer.npy")
    simulation = pentacl.nbody.Simulation(bodies, dt=1 / 256, eps=0.05)
    simulation.run(10)
    made["nbody"] = simulation.bodies

    cube = np.load(inputs / "pca/scene.npy")
    scores = pentacl.PCA(n_components=3).fit_transform(cube.reshape(len(cube), -1).T)
    made["pca"] = np.ascontiguousarray(scores.T).reshape(3, *cube.shape[1:])

    movie, _ = pentacl.io.read_movie(inputs / "optmap/movie.tif")
    maps = pentacl.optmap.Movie(movie, 1000).analyse(pixel_size=0.01).maps
    for name in ("activation", "apd80", "cv"):
        made[name] = maps[name]

    image = np.asarray(made["stars"], np.float32)
    for ending in ("fits", "tif", "npy"):
        pentacl.io.write_image(output / f"image.{ending}", image)
        np.testing.assert_array_equal(pentacl.io.read_images(output / f"image.{ending}")[0], image)
    loaders = {line.split()[-1] for line in open("/proc/self/maps") if "libOpenCL" in line}
    assert len(loaders) == 1 and f"{sys.prefix}/lib/libOpenCL" not in str(loaders), loaders
    assert hashlib.md5(b"penta").hexdigest() == "fb8c2d9c288aa6722905f15fbd65eb74"
    for name, array in made.items():
        np.save(output / f"{name}.npy", array)


def penta(command, inputs, output):
    def run(workload, *words):
        subprocess.run([command, workload, *words, "-q"], check=True, stdout=subprocess.DEVNULL)

    def keep(name, *files):
        arrays = [np.load(output / file) for file in files]
        np.save(output / f"{name}.npy", arrays[0] if len(arrays) == 1 else np.stack(arrays))

    run("autocorr", "-R", "40", "--numerators", "-o", f"{output}/a", f"{inputs}/autocorr/frame-0003.png")
    keep("autocorr", "a/frame-0003.c2d.npy")
    keep("numerators", "a/frame-0003.n2d.npy")
    run("prepare", "-o", f"{output}/p", *(f"{inputs}/prepare/frame-000{i}.png" for i in range(2)))
    for i in range(2):
        (output / f"p/frame-000{i}.png").rename(output / f"prepare-{i}.png")
    run("stars", "--size", "256x256", "--fov", "10", "-a", "83.8,-1.2,0", "-o", f"{output}/stars.npy")
    steps = f"--dt {1 / 256} --eps 0.05 --steps 10".split()
    run("nbody", "-i", f"{inputs}/nbody/plummer.npy", *steps, "-o", f"{output}/n")
    keep("nbody", "n/final.npy")
    run("pca", "-k", "3", "-o", f"{output}/c", f"{inputs}/pca/scene.npy")
    keep("pca", "c/components.npy")
    run("optmap", "-r", "1000", "--pixel-size", "0.01", "-o", f"{output}/m", f"{inputs}/optmap/movie.tif")
    for name in ("activation", "apd80", "cv"):
        keep(name, f"m/{name}.npy")


def same(first, second):
    names = sorted(path.name for path in second.iterdir() if path.is_file())
    assert len(names) == 10, names
    for name in names:
        if name.endswith(".npy"):
            a, b = np.load(first / name), np.load(second / name)
            assert (a.shape, a.dtype, a.tobytes()) == (b.shape, b.dtype, b.tobytes()), f"{name} differs"
        else:
            assert (first / name).read_bytes() == (second / name).read_bytes(), f"{name} differs"


if __name__ == "__main__":
    word, *rest = sys.argv[1:]
    if word == "penta":
        penta(rest[0], *map(pathlib.Path, rest[1:]))
    else:
        {"call": call, "same": same}[word](*map(pathlib.Path, rest))
