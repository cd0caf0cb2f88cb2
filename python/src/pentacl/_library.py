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

# Debian's clFFT exports MD5_Init, MD5_Update and MD5_Final: names of OpenSSL's functions with other contents. An
# OpenSSL that is first loaded together with it, as GDAL's is by libpentacl_io, would call those, and hashlib.md5 would
# damage memory. Loaded before, by hashlib, it keeps its own. A package that was built on the system needs this. The
# wheel of PyPI does not: its clFFT has other names, and no library in it brings an OpenSSL.


def _can_link():
    """Whether there is what PoCL 3.0 links each kernel with; without it, PoCL ends the process."""
    import subprocess

    try:
        libc = subprocess.run(["gcc", "-print-file-name=libc.so"], capture_output=True, text=True).stdout.strip()
    except OSError:
        return False
    return os.path.isabs(libc) and shutil.which("ld") is not None


# What the extras cpu and pocl install: the distribution, its driver, whether that works here, and else what it lacks.
_DRIVERS = (
    ("intel-opencl-rt", "libintelocl.so", lambda: True, ""),
    ("pocl-binary-distribution", "libpocl*.so", _can_link, "ld, libgcc and libc (Debian: gcc and libc6-dev)"),
)
_kept = []


def _installed_drivers():
    """The drivers that extras of this package have installed: rows of _DRIVERS, and the path."""
    for row in _DRIVERS:
        try:
            files = importlib.metadata.files(row[0]) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        yield from ((*row, file.locate().resolve()) for file in files if file.match(row[1]))


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

    The loader takes the path of one driver in this variable. Beside Intel's driver lies a libOpenCL.so, another loader,
    which nothing loads then.
    """
    if os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OCL_ICD_FILENAMES"):
        return
    installed = list(_installed_drivers())
    if not installed or _system_has_driver(vendors):
        return
    for distribution, _, works, lack, path in installed:
        if works():
            os.environ["OCL_ICD_VENDORS"] = str(path)
            break
        warnings.warn(f"{distribution} is not used: it needs {lack}, which are not all here", stacklevel=2)


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
