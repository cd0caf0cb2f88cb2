"""The two libraries and the declarations that were generated from their headers."""

import functools
import hashlib  # noqa: F401  loads OpenSSL: see below
import importlib.metadata
import os
import pathlib
import shutil
import warnings

from ._abi import ffi

__all__ = ["ffi", "io_lib", "lib", "text"]

# Debian's clFFT exports MD5_Init, MD5_Update and MD5_Final: names of OpenSSL's functions with other contents. An OpenSSL that
# is first loaded together with it, as GDAL's is by libpentacl_io, would call those, and hashlib.md5 would damage memory.
# Loaded before, by hashlib, it keeps its own. The wheel of PyPI does not need this: its clFFT has other names, and no
# library in it brings an OpenSSL. A package that was built on the system does.

# What the extras cpu and pocl install: the distribution, its driver, the program that the driver cannot do without.
_DRIVERS = (("intel-opencl-rt", "libintelocl.so", None), ("pocl-binary-distribution", "libpocl*.so", "ld"))
_kept = []


def _installed_drivers():
    """The drivers that extras of this package have installed: distribution, path, the program that it needs."""
    for distribution, library, program in _DRIVERS:
        try:
            files = importlib.metadata.files(distribution) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        yield from ((distribution, file.locate().resolve(), program) for file in files if file.match(library))


def _system_has_driver(vendors):
    """Whether a driver that the system's files name can be loaded; it stays loaded, as the loader will want it too."""
    for file in sorted(vendors.glob("*.icd")):
        try:
            _kept.append(ffi.dlopen(file.read_text().strip()))
            return True
        except OSError:
            pass
    return False


def _name_driver(vendors):
    """Names an installed driver to the loader, unless the system has one or the user has named others.

    The loader takes the path of one driver in this variable. The driver alone is named: the folder of the wheels also has a
    libOpenCL.so, another loader, which is not wanted.
    """
    if os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OCL_ICD_FILENAMES"):
        return
    installed = list(_installed_drivers())
    if not installed or _system_has_driver(vendors):
        return
    for distribution, path, program in installed:
        if not program or shutil.which(program):
            os.environ["OCL_ICD_VENDORS"] = str(path)
            break
        # PoCL would end the process at the first kernel that it compiles.
        warnings.warn(f"{distribution} is not used: it needs the program {program}, which is not here", stacklevel=2)


def _open(name):
    folder = pathlib.Path(os.environ.get("PENTACL_LIBRARY_DIR") or pathlib.Path(__file__).parent / "lib")
    for file in sorted(folder.glob(f"lib{name}.so*"), key=lambda path: len(path.name)):
        return ffi.dlopen(str(file))
    raise ImportError(f"{folder} holds no lib{name}.so")


_name_driver(pathlib.Path("/etc/OpenCL/vendors"))
lib = _open("pentacl")


@functools.cache
def io_lib():
    """libpentacl_io, which brings the libraries of many formats: opened when a file is first read."""
    return _open("pentacl_io")


def text(pointer):
    """A string of the library; None where it is NULL."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else None
