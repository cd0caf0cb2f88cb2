"""Exceptions: one for each status of the library, with the library's text. Warnings of doubtful results."""

import builtins
import sys
import warnings

from ._library import ffi, lib, text


class Error(RuntimeError):
    """A call of the library failed.

    ``str(error)`` is the library's sentence: what failed, why and what to try. ``error.details`` has the lines after
    it: the calls that led there and the log of a build.
    """

    def __init__(self, message, details=""):
        super().__init__(message)
        self.details = details


class InvalidError(Error, ValueError):
    """An argument or option is out of range, or they contradict one another."""


class OutOfMemoryError(Error, builtins.MemoryError):
    """Host or device memory ran out."""


class NoDeviceError(Error):
    """No OpenCL platform, or no device that matches the selector."""


class DeviceError(Error):
    """A call of OpenCL failed."""


class BuildError(Error):
    """A kernel did not compile; ``details`` has the log."""


class UnsupportedError(Error):
    """This device cannot do what was asked."""


class CancelledError(Error):
    """The progress callback asked to stop."""


class InternalError(Error):
    """A bug in pentacl."""


class ResultWarning(UserWarning):
    """A result is to be doubted, for the reason that the text gives: that of a warning of the command ``penta``.

    ``warnings.simplefilter("ignore", pentacl.ResultWarning)`` silences all, ``"error"`` makes exceptions of them.
    """


def warn(message):
    """Warns, in the name of the line that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pentacl":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ResultWarning, stacklevel=level)


def line(says, *arguments):
    """The line of a function of the library that says whether there is one; "" where there is none."""
    message = ffi.new("char[]", 512)
    return text(message) if says(*arguments, message, 512) else ""


def warn_line(says, *arguments):
    """Warns of this line; whether there is one."""
    message = line(says, *arguments)
    if message:
        warn(message)
    return bool(message)


OK, CANCELLED = lib.PENTA_OK, lib.PENTA_CANCELLED
_OF_STATUS = {
    lib.PENTA_INVALID: InvalidError,
    lib.PENTA_MEMORY: OutOfMemoryError,
    lib.PENTA_NO_DEVICE: NoDeviceError,
    lib.PENTA_DEVICE: DeviceError,
    lib.PENTA_BUILD: BuildError,
    lib.PENTA_UNSUPPORTED: UnsupportedError,
    lib.PENTA_CANCELLED: CancelledError,
    lib.PENTA_INTERNAL: InternalError,
}


def make(status, message):
    """The exception for a status; ``message`` as of penta_last_error."""
    first, _, rest = message.partition("\n")
    # The library names options between backquotes, as they are named here.
    error = _OF_STATUS.get(status, InternalError)(first, rest)
    if rest and not isinstance(error, InvalidError) and hasattr(error, "add_note"):
        error.add_note(rest)
    return error


def check(status):
    """Raises what failed in a call without a context on this thread."""
    if status != OK:
        raise make(status, text(lib.penta_last_error(ffi.NULL)))


def check_options(status, message):
    """Raises what a check of options wrote into its message."""
    if status != OK:
        raise make(status, text(message))
