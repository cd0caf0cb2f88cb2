"""The two libraries and the declarations that were generated from their headers."""

import functools
import hashlib  # noqa: F401  loads OpenSSL: see below
import os
import pathlib

from ._abi import ffi

__all__ = ["ffi", "io_lib", "lib", "text"]

# clFFT, which libpentacl needs, exports MD5_Init, MD5_Update and MD5_Final: names of OpenSSL's functions with other
# contents. An OpenSSL that is first loaded together with clFFT, as GDAL's is by libpentacl_io, would call those, and
# hashlib.md5 would damage memory. Loaded before, by hashlib, it keeps its own.


def _open(name):
    folder = pathlib.Path(os.environ.get("PENTACL_LIBRARY_DIR") or pathlib.Path(__file__).parent / "lib")
    for file in sorted(folder.glob(f"lib{name}.so*"), key=lambda path: len(path.name)):
        return ffi.dlopen(str(file))
    raise ImportError(f"{folder} holds no lib{name}.so")


lib = _open("pentacl")


@functools.cache
def io_lib():
    """libpentacl_io, which brings the libraries of many formats: opened when a file is first read."""
    return _open("pentacl_io")


def text(pointer):
    """A string of the library; None where it is NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else None
