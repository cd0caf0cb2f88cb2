"""Files, by the formats of ``penta``: arrays from images, movies, cubes, snapshots and catalogues of stars."""

from __future__ import annotations

import math
import os

import numpy as np

from . import _arrays, errors
from ._library import ffi, io_lib, lib, text
from ._result import Image, Result, density, result
from ._types import ArrayLike

__all__ = ["Catalog", "Cube", "Snapshot", "read_catalog", "read_cube", "read_images", "read_movie", "read_snapshot"]
__all__ += ["write_image"]
ORDER = {lib.PENTA_BSQ: "brc", lib.PENTA_BIL: "rbc", lib.PENTA_BIP: "rcb"}  # of axes in memory


def _check(done, error):
    if not done:
        raise errors.InvalidError(text(error.text))


def _path(path):
    return os.fsencode(path)


def read_images(path: str | os.PathLike[str], *, colour: bool = False) -> list[np.ndarray]:
    """All pages of an image file, as a list of height x width arrays (height x width x 3 in colour): PNG, TIFF, FITS,
    JPEG, PGM/PPM, NPY, GIF and camera raw, as this build has them."""
    io, error, reader = io_lib(), ffi.new("penta_io_error *"), ffi.new("penta_io_reader **")
    _check(io.penta_io_reader_open(_path(path), reader, error), error)
    try:
        if colour:
            io.penta_io_reader_keep_colour(reader[0])
        return [_page(io, reader[0], page) for page in range(io.penta_io_reader_pages(reader[0]))]
    finally:
        io.penta_io_reader_close(reader[0])


def _page(io, reader, page):
    error, image = ffi.new("penta_io_error *"), ffi.new("penta_io_image *")
    _check(io.penta_io_reader_read(reader, page, image, error), error)
    try:
        shape = (image.height, image.width) + ((3,) if image.channels == 3 else ())
        return _arrays.copy(image.data, shape, _arrays.DTYPES[image.type])
    finally:
        io.penta_io_image_free(image)


def write_image(path: str | os.PathLike[str], image: ArrayLike) -> None:
    """Writes a grey image; the name's end says how: .png (uint8, uint16), .fits, .tif, .npy (and float32, float64)."""
    array = _arrays.frame(image, "image")
    error, out = ffi.new("penta_io_error *"), ffi.new("penta_io_image *")
    out.height, out.width = array.shape
    out.type, out.data, out.channels = _arrays.TYPES[array.dtype], _arrays.pointer(array), 1
    _check(io_lib().penta_io_image_write(_path(path), out, ffi.NULL, error), error)


def read_movie(path: str | os.PathLike[str]) -> tuple[np.ndarray, float]:
    """(frames x height x width, frames a second or 0 where the file does not say) of a TIFF, NPY or MATLAB file."""
    io, error, movie = io_lib(), ffi.new("penta_io_error *"), ffi.new("penta_io_movie *")
    _check(io.penta_io_movie_open(_path(path), ffi.NULL, movie, error), error)
    try:
        shape, dtype = (movie.height, movie.width), _arrays.DTYPES[movie.type]
        return np.stack([_arrays.copy(movie.data[i], shape, dtype) for i in range(movie.frames)]), movie.rate
    finally:
        io.penta_io_movie_close(movie)


@result
class Cube(Result):
    """A cube of spectra: ``data`` is bands x rows x cols, a masked array where the file says that pixels are not valid.
    ``bands`` are those of the file, from 0, ``wavelengths`` theirs in nm, or None. ``note``: how the file was read
    where it does not say it."""

    data: np.ndarray
    bands: np.ndarray
    wavelengths: np.ndarray | None
    format: str
    note: str | None

    @property
    def samples(self) -> np.ndarray:
        """Pixels x bands, as ``pentacl.PCA`` takes them, in the same memory."""
        return self.data.reshape(len(self.data), -1).T

    def _panels(self):
        return [Image(self.data[len(self.data) // 2], f"band {self.bands[len(self.data) // 2]}")]


def read_cube(
    path: str | os.PathLike[str],
    *,
    variable: str | None = None,
    axes: str | None = None,
    shape: tuple[int, int] | None = None,
    raw_values: bool = False,
) -> Cube:
    """A cube from NPY, MATLAB, HDF5, netCDF, ENVI or GeoTIFF: the bands that hold data.

    Numbers are scaled (then float64) where the file says how, unless ``raw_values``. ``variable``: which array of
    MATLAB, HDF5 and netCDF; ``axes``: what its indices are, "brc", "rcb" ...; ``shape``: rows and cols of a MATLAB
    array of bands x pixels.
    """
    error, cube, model = (ffi.new(f"penta_io_{name} *") for name in ("error", "cube *", "model"))
    words = [ffi.NULL if word is None else ffi.new("char[]", word.encode()) for word in (variable, axes)]
    rows, cols = shape or (0, 0)
    hints = {"variable": words[0], "axes": words[1], "rows": rows, "cols": cols, "raw_values": raw_values}
    io = io_lib()
    _check(io.penta_io_cube_open(_path(path), ffi.new("penta_io_cube_hints *", hints), cube, error), error)
    try:
        about = io.penta_io_cube_about(cube[0])
        doubt = "" if axes else errors.line(io.penta_io_cube_doubt_axes, about, shape is not None)
        if doubt:
            errors.warn(f"{os.fspath(path)}: {doubt}")
        _check(io.penta_io_model_select(model, cube[0], error), error)
        about = io.penta_io_cube_about(cube[0])  # of the selection
        columns = [
            _arrays.copy(getattr(model, name), (about.bands,), float) for name in ("gain", "offset", "wavelengths")
        ]
        bands = _arrays.copy(model.selection, (about.bands,), np.uintp)
        data = _elements(io, cube[0], about, error)
        if columns[0] is not None:
            gain, offset = (column[:, None, None] for column in columns[:2])
            data = (gain * data + offset) / (model.factor or 1)
        return Cube(data, bands, columns[2], text(about.format), text(about.note))
    finally:
        io.penta_io_model_free(model)
        io.penta_io_cube_close(cube[0])


def _elements(io, cube, about, error):
    """Bands x rows x cols, masked where pixels are not valid."""
    order, sizes = ORDER[about.layout], {"b": about.bands, "r": about.rows, "c": about.cols}
    data = np.empty([sizes[axis] for axis in order], _arrays.DTYPES[about.type])
    valid = np.ones((about.rows, about.cols), np.uint8)
    at = _arrays.pointer(valid, "uint8_t *")
    _check(io.penta_io_cube_read(cube, 0, about.rows, _arrays.pointer(data), error), error)
    if about.has_mask:
        _check(io.penta_io_cube_valid(cube, 0, about.rows, True, at, error), error)
    if about.has_no_data:
        _check(io.penta_io_cube_leave_out(cube, 0, about.rows, at, error), error)
    data = data.transpose([order.index(axis) for axis in "brc"])
    return data if valid.all() else np.ma.masked_array(data, np.broadcast_to(valid == 0, data.shape))


@result
class Snapshot(Result):
    """Bodies of a file: ``bodies`` is n x 7 (mass, x, y, z, vx, vy, vz), as ``pentacl.nbody.Simulation`` takes them.
    ``units`` has one unit of length, mass and velocity in cm, g and cm/s; it, ``ids``, ``family`` (GADGET's types) and
    ``softening`` are None where the file does not say them. ``note``: what of the file was not believed."""

    bodies: np.ndarray
    time: float
    ids: np.ndarray | None
    family: np.ndarray | None
    softening: np.ndarray | None
    units: tuple[float, float, float] | None
    note: str

    def _panels(self):
        return [density(self.bodies[:, 1], self.bodies[:, 2], f"t = {self.time:.6g}", ("x", "y"))]


def read_snapshot(path: str | os.PathLike[str]) -> Snapshot:
    """Bodies from CSV, NBabel, .mpv, NEMO's atos, NPY, tipsy, or GADGET's formats, HDF5 too."""
    io, error, found = io_lib(), ffi.new("penta_io_error *"), ffi.new("penta_io_bodies *")
    _check(io.penta_io_bodies_read(_path(path), found, error), error)
    try:
        n, u = found.n, found.units
        units = (u.length, u.mass, u.velocity) if u.length > 0 else None
        g = lib.penta_nbody_gravity(*units) if units else 1
        if abs(g - 1) > 0.01:
            errors.warn(
                f"in the units of the bodies ({u.length:g} cm, {u.mass:g} g, {u.velocity:g} cm/s) G is {g:g}, but "
                "forces are those of G = 1; scale the masses by it"
            )
        columns = zip((found.id, found.family, found.softening), ("uint64", "uint8", "float64"))
        others = (_arrays.copy(column, (n,), np.dtype(name)) for column, name in columns)
        return Snapshot(_arrays.copy(found.rows, (n, 7), np.float64), found.time, *others, units, text(found.note))
    finally:
        io.penta_io_bodies_free(found)


@result
class Catalog(Result):
    """Stars on the sky: ra, dec in degrees, mag, pmra and pmdec in mas a year; ``epoch`` as a Julian year."""

    ra: np.ndarray
    dec: np.ndarray
    mag: np.ndarray
    pmra: np.ndarray
    pmdec: np.ndarray
    names: list[str]
    epoch: float
    format: str

    def _panels(self):
        return [density(self.ra, self.dec, f"{len(self.ra)} stars", ("RA, deg", "Dec, deg"), backwards=True)]


def read_catalog(path: str | os.PathLike[str] | None = None, *, mag_limit: float = math.inf) -> Catalog:
    """A catalogue: BSC5, HYG, Hipparcos, Tycho-2, Gaia or CSV with columns like theirs. By default the built-in Bright
    Star Catalogue.

    >>> bright = pentacl.io.read_catalog(mag_limit=-1)
    >>> bright.names, bright.mag.tolist()
    (['HR 2491'], [-1.46])
    """
    io, error, found = io_lib(), ffi.new("penta_io_error *"), ffi.new("penta_io_catalog *")
    options = ffi.new("penta_io_catalog_options *")
    options.mag_limit = mag_limit
    _check(io.penta_io_catalog_read(ffi.NULL if path is None else _path(path), options, found, error), error)
    try:
        columns = (
            _arrays.copy(getattr(found, name), (found.n,), np.float64) for name in ("ra", "dec", "mag", "pmra", "pmdec")
        )
        word = ffi.new("char[]", io.PENTA_IO_STAR_NAME_BYTES)
        ids = ffi.addressof(found[0], "ids")
        names = [text(io.penta_io_star_name(ids, i, word)) for i in range(found.n)]
        return Catalog(*columns, names, found.origin.epoch, text(found.origin.format))
    finally:
        io.penta_io_catalog_free(found)
