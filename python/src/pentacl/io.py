"""Files, by the formats of ``penta``: arrays from images, movies and catalogues of stars."""

from __future__ import annotations

import math
import os

import numpy as np

from . import _arrays, errors
from ._library import ffi, io_lib, text
from ._result import Points, Result, result
from ._types import ArrayLike

__all__ = ["Catalog", "read_catalog", "read_images", "read_movie", "write_image"]


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
        size = 20 * 10 ** (-0.2 * (self.mag - np.min(self.mag, initial=99)))
        return [Points(self.ra, self.dec, f"{len(self.ra)} stars", ("RA, deg", "Dec, deg"), size, backwards=True)]


def read_catalog(path: str | os.PathLike[str] | None = None, *, mag_limit: float = math.inf) -> Catalog:
    """A catalogue: BSC5, HYG, Hipparcos, Tycho-2, Gaia or CSV with columns like theirs. By default the built-in Bright
    Star Catalogue."""
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
