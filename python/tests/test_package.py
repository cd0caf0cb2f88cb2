"""What is installed: signatures and help from the option tables, type stubs, no compiler, files."""

import doctest
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import pentacl

CALLS = {
    "autocorr": [pentacl.autocorr, pentacl.Autocorr],
    "prepare": [pentacl.prepare, pentacl.Prepare],
    "stars": [pentacl.stars.Camera],
    "detector": [pentacl.stars.Detector],
    "nbody": [pentacl.nbody.Simulation],
    "optmap": [pentacl.optmap.Movie.condition],
    "pca": [pentacl.PCA],
}
FOLDER = pathlib.Path(pentacl.__file__).parent


def rows(table):
    """Name, default, help of a table's rows, as the library has them."""
    ffi, lib, i = pentacl._library.ffi, pentacl._library.lib, 0
    first = getattr(lib, f"penta_{table}_option_table")()
    while first[i].name:
        yield ffi.string(first[i].name).decode(), first[i].initial, ffi.string(first[i].help).decode()
        i += 1


@pytest.mark.parametrize("table", CALLS)
def test_options_in_signature_and_help(table):
    other = {"components", "variance"} if table == "pca" else set()
    for call in CALLS[table]:
        parameters = inspect.signature(call).parameters
        for name, initial, what in rows(table):
            if name in other:
                continue
            assert name in parameters, name
            default = parameters[name].default
            assert f"\n{name} : " in inspect.getdoc(call)
            assert what[1:] in inspect.getdoc(call)
            if isinstance(default, (int, float)):
                assert default == initial
        assert "options" not in parameters and "{options}" not in inspect.getdoc(call)


@pytest.mark.parametrize("table", CALLS)
def test_options_in_the_stubs(table):
    if not (FOLDER / "__init__.pyi").exists():
        pytest.skip("this is not an installed package")
    for call in CALLS[table]:
        stub = (FOLDER / f"{call.__module__.split('.')[-1]}.pyi").read_text()
        for name, _, what in rows(table):
            if name not in ("components", "variance"):
                assert f"{name}: " in stub and what[1:] in stub


def test_defaults_of_the_table_are_those_of_the_struct():
    for table in pentacl._tables.tables.values():
        options, _ = table.make({})
        given, _ = table.make({name: row.default for name, row in table.rows.items() if row.default is not None})
        ffi = pentacl._library.ffi
        assert bytes(ffi.buffer(options)) == bytes(ffi.buffer(given)), table.name
        assert ffi.sizeof(table.struct) == table.size


def test_every_workload_is_here():
    ffi, lib, i, names = pentacl._library.ffi, pentacl._library.lib, 0, []
    while workload := lib.penta_workload_at(i):
        names.append(ffi.string(lib.penta_workload_name(workload)).decode())
        i += 1
    assert len(names) >= 6
    for name in names:
        assert hasattr(pentacl, name) or hasattr(pentacl, name.upper()), name


def test_mypy_takes_the_stubs(tmp_path):
    pytest.importorskip("mypy")
    if not (FOLDER / "__init__.pyi").exists():
        pytest.skip("this is not an installed package")
    good = tmp_path / "good.py"
    good.write_text("""
import warnings
from typing import Any

import numpy as np
import pentacl

image = np.zeros((20, 30))
warnings.simplefilter("error", pentacl.ResultWarning)
found: pentacl.Autocorrelation = pentacl.autocorr(image, max_offset=5, method="fft", numerators=True)
length: float = found.peak.r_max
units: int = pentacl.devices()[0].compute_units
with pentacl.Context("cpu") as context:
    steps: int = pentacl.nbody.Simulation(image, device=context, dt=0.1).run(3, lambda s: s.time > 1)
frame = pentacl.stars.Camera(10, 10, fov=3, sigma=1.5).render(pointing=(1, 2)).image
scores = pentacl.PCA(n_components=2, kind="mnf").fit(image).transform(image)
fitted = pentacl.PCA(n_components=2).fit(image)
axes: np.ndarray[Any, Any] = fitted.components_
kept: int = fitted.n_components_ + len(fitted.mean_) + len(fitted.explained_variance_)
maps: dict[str, np.ndarray[Any, Any]] = pentacl.optmap.Movie([image], 5.0).analyse().maps
ok = pentacl.prepare([image], crop=(1, 2, 3, 4), progress=True).ok
simulation = pentacl.nbody.Simulation(pentacl.io.read_snapshot("a").bodies)
simulation.run(9, progress=lambda done, total: done > 3)
figure, fields = found.plot(), found.to_dict()["peak"]
score: float = pentacl.PCA.load("m").partial_fit(pentacl.io.read_cube("c").samples).score(image)
fits, outlier = pentacl.growth([1.0], [found.peak])
speed: float = fits["linear"].value["v"]
stars: pentacl.io.Catalog = pentacl.io.read_catalog()
ra, dec = pentacl.stars.at_epoch(stars.ra, stars.dec, stars.pmra, stars.pmdec, stars.epoch, 2030.0)
""")
    bad = tmp_path / "bad.py"
    bad.write_text("""
import pentacl
pentacl.autocorr([[1.0]], max_ofset=5)
pentacl.autocorr([[1.0]], method="fastest")
pentacl.nbody.Simulation([[1.0]], dt="long")
pentacl.autocorr([[1.0]]).peeks
name: int = pentacl.devices()[0].name
""")
    for file, errors in ((good, 0), (bad, 5)):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(file)], capture_output=True, text=True)
        assert done.stdout.count(" error: ") == errors, done.stdout


@pytest.mark.parametrize("name", ["_autocorr", "_prepare", "_pca", "nbody", "stars", "optmap", "io"])
def test_examples_of_docstrings(name):
    names = {"np": np, "pentacl": pentacl}
    failed, tried = doctest.testmod(importlib.import_module(f"pentacl.{name}"), extraglobs=names)
    assert tried > 1 and not failed


NOISE = np.random.default_rng(1).integers(0, 200, (40, 50), dtype=np.uint8)
RESULTS = {  # words of their text: what they are, how many pictures and panels they have
    "max_offset  9 px": (lambda: pentacl.autocorr(NOISE, max_offset=9), 1, 2),
    ", a 0.5": (lambda: pentacl.growth(range(1, 21), np.arange(1, 21) ** 0.5)[0]["power"], 0, 0),
    "3 ok": (lambda: pentacl.prepare([NOISE] * 3, register="none"), 2, 3),
    "40 x 50 float32": (lambda: pentacl.stars.Camera(50, 40, fov=20).render(pointing=(83.8, -1.2)), 1, 1),
    "bodies     3000": (lambda: pentacl.nbody.Simulation(pentacl.nbody.initial("plummer", 3000)), 1, 1),
    "mass         1": (lambda: pentacl.nbody.Simulation(pentacl.nbody.initial("ngon", 9)).diagnose(), 0, 0),
    "tissue ": (lambda: pentacl.optmap.Movie([NOISE] * 30, 99).survey(), 1, 1),
    "ra ": (lambda: pentacl.io.read_catalog(), 1, 1),
}


@pytest.mark.parametrize("words", RESULTS)
def test_results_show_themselves(words):
    make, pictures, panels = RESULTS[words]
    shown = make()
    text, page = repr(shown), shown._repr_html_()
    assert text.startswith(type(shown).__name__ + "\n") and words in text and len(text) < 2000
    assert page.count('src="data:image/png;base64,iVBOR') == pictures and len(shown._panels()) == panels
    assert not any(hasattr(value, "to_dict") for value in shown.to_dict().values())
    if not (panels and importlib.util.find_spec("matplotlib")):
        with pytest.raises((ValueError, ImportError), match="nothing to draw|pip install matplotlib"):
            shown.plot()
        return
    figure = shown.plot()
    figure.canvas.draw()
    assert len([axes for axes in figure.axes if axes.get_title()]) == panels
    assert shown.plot(ax=figure.axes[0]) is figure
    figure.clear()


def test_the_readmes_code_runs(capsys):
    try:
        readme = importlib.metadata.metadata("pentacl").get_payload()
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("this was not installed as a wheel")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.S)
    assert blocks
    for block in blocks:
        exec(block, {})
    assert "no_trough" in capsys.readouterr().out


def test_no_compiler_and_no_parser_at_import(in_process):
    code = """
import sys
import pentacl
for name in ("pycparser", "distutils", "setuptools", "sklearn"):
    assert name not in sys.modules, name
assert not [name for name in sys.modules if name.startswith("cffi.")]
print(pentacl.__version__)
"""
    assert in_process(code, PATH="/nowhere").stdout.strip() == pentacl.__version__


def test_images(tmp_path, rng):
    for name, dtype in (("a.npy", np.float32), ("b.npy", np.float64), ("c.npy", np.uint16)):
        image = (rng.random((20, 30)) * 1000).astype(dtype)
        pentacl.io.write_image(tmp_path / name, image)
        np.testing.assert_array_equal(np.load(tmp_path / name), image)
        (back,) = pentacl.io.read_images(tmp_path / name)
        assert back.dtype == dtype
        np.testing.assert_array_equal(back, image)
    (tmp_path / "p.ppm").write_bytes(b"P6 2 1 255\n" + bytes([1, 2, 3, 200, 100, 50]))
    np.testing.assert_array_equal(
        pentacl.io.read_images(tmp_path / "p.ppm", colour=True)[0], [[[1, 2, 3], [200, 100, 50]]]
    )
    np.testing.assert_array_equal(pentacl.io.read_images(tmp_path / "p.ppm")[0], [[2, 124]])
    with pytest.raises(pentacl.InvalidError, match="none.png"):
        pentacl.io.read_images(tmp_path / "none.png")


def test_fits_against_astropy(tmp_path, rng):
    from astropy.io import fits

    image = (rng.random((20, 30)) * 1000).astype(np.float32)
    fits.writeto(tmp_path / "a.fits", image)
    try:
        (read,) = pentacl.io.read_images(tmp_path / "a.fits")
    except pentacl.InvalidError as error:
        pytest.skip(str(error))  # a build without FITS
    np.testing.assert_array_equal(read, image)
    pentacl.io.write_image(tmp_path / "b.fits", image)
    np.testing.assert_array_equal(fits.getdata(tmp_path / "b.fits"), image)
    # Numbers of FITS files are big-endian.
    data = fits.getdata(tmp_path / "a.fits")
    np.testing.assert_array_equal(pentacl.autocorr(data, max_offset=3).c2d, pentacl.autocorr(image, max_offset=3).c2d)


def test_cubes_and_snapshots(tmp_path, rng):
    data = rng.integers(0, 99, (3, 20, 30)).astype(">i2")
    (tmp_path / "c.img").write_bytes(np.moveaxis(data, 0, 1).tobytes())
    (tmp_path / "c.hdr").write_text(
        "ENVI\nlines = 20\nsamples = 30\nbands = 3\ndata type = 2\ninterleave = bil\nbyte order = 1\n"
        "wavelength units = nm\nwavelength = {400, 500, 600}\nbbl = {1, 0, 1}\ndata ignore value = 7\n"
    )
    cube = pentacl.io.read_cube(tmp_path / "c.img")
    valid = (data[::2] != 7).all(0)
    assert cube.bands.tolist() == [0, 2] and cube.wavelengths.tolist() == [400, 600] and cube.samples.shape == (600, 2)
    np.testing.assert_array_equal(cube.data.mask, np.broadcast_to(~valid, (2, 20, 30)))
    np.testing.assert_array_equal(cube.data.data, data[::2])
    assert pentacl.PCA().fit(cube.samples).n_samples_ == valid.sum()
    bodies = rng.random((5, 7))
    np.save(tmp_path / "b.npy", bodies)
    shot = pentacl.io.read_snapshot(tmp_path / "b.npy")
    np.testing.assert_array_equal(shot.bodies, bodies)
    assert shot.time == 0 and shot.ids is shot.units is shot.softening is None
    with pytest.raises(pentacl.InvalidError, match="none.csv"):
        pentacl.io.read_snapshot(tmp_path / "none.csv")


def test_movies(tmp_path, rng):
    movie = rng.integers(0, 65536, (5, 8, 9)).astype(np.uint16)
    np.save(tmp_path / "m.npy", movie)
    read, rate = pentacl.io.read_movie(tmp_path / "m.npy")
    np.testing.assert_array_equal(read, movie)
    assert rate == 0
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(tmp_path / "m.mat", {"movie": np.moveaxis(movie, 0, 2)})
    try:
        read, _ = pentacl.io.read_movie(tmp_path / "m.mat")
    except pentacl.InvalidError as error:
        pytest.skip(str(error))  # a build without MATLAB files
    np.testing.assert_array_equal(read, movie)


def test_the_wheel_has_a_licence_for_each_library():
    if not (FOLDER.parent / "pentacl.libs").exists():
        pytest.skip("this was not installed as a wheel")
    held = sorted(re.sub("-[0-9a-f]{8}", "", path.name) for path in (FOLDER.parent / "pentacl.libs").iterdir())
    licences = [file.locate() for file in importlib.metadata.files("pentacl") if "licenses/libraries/lib" in str(file)]
    names = sorted(path.name for path in licences if path.name != "libraries.txt")
    assert len(held) == len(names) and all(file.startswith(name) for file, name in zip(held, names))
    assert all(path.stat().st_size > 400 for path in licences)
    assert not [name for name in held if re.search("jbig|gnutls|gmp|ssl|crypto|curl|gdal|raw|gsl", name)]


def test_a_driver_of_pip_is_named_where_the_system_has_none(tmp_path, monkeypatch):
    library = pentacl._library
    driver = {"intel_opencl_rt": "lib/libintelocl.so", "pocl_binary_distribution": "pyopencl/libpocl-1.so"}
    for name, file in driver.items():
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text("")
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
        (tmp_path / f"{name}-1.dist-info" / "RECORD").write_text(f"{file},,\n")
    monkeypatch.syspath_prepend(tmp_path)
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    monkeypatch.setenv("OCL_ICD_VENDORS", "")  # so that what is there now comes back
    monkeypatch.delenv("OCL_ICD_FILENAMES", raising=False)

    def named():
        monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
        library._name_driver(vendors)
        return os.environ.get("OCL_ICD_VENDORS")

    assert named() == str(tmp_path / "lib/libintelocl.so")
    (vendors / "a.icd").write_text("/nowhere/libdriver.so\n")
    assert named() == str(tmp_path / "lib/libintelocl.so")
    monkeypatch.setattr(library, "_DRIVERS", library._DRIVERS[1:])
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.warns(UserWarning, match="needs ld, libgcc and libc"):
        assert named() is None
    for program in ("ld", "gcc"):
        (tmp_path / program).write_text("#!/bin/sh\necho /usr/lib/libc.so\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert named() == str(tmp_path / "pyopencl/libpocl-1.so")
    (vendors / "b.icd").write_text("libm.so.6\n")
    assert named() is None
    monkeypatch.setenv("OCL_ICD_VENDORS", "/mine")
    library._name_driver(vendors)
    assert os.environ["OCL_ICD_VENDORS"] == "/mine"
