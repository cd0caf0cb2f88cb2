"""Six scientific workloads on any OpenCL device, from NumPy arrays to NumPy arrays.

    import pentacl
    pentacl.autocorr(image).peak.r_max                       # the length scale of an image
    pentacl.prepare(frames).images                           # raw photographs to a clean, registered series
    pentacl.stars.Camera(1024, 1024, fov=10).render(...)     # frames of a star camera
    pentacl.nbody.Simulation(bodies).run(1000)               # gravity, every body on every other
    pentacl.PCA(n_components=10).fit(X).transform(X)         # principal components, as scikit-learn has them
    pentacl.optmap.Movie(movie, 1000).analyse()              # maps of a beating heart

``help(pentacl.autocorr)`` and so on list all options. Errors are subclasses of ``pentacl.Error``; doubtful
results come with a ``pentacl.ResultWarning``.
"""

from . import io, nbody, optmap, stars
from ._autocorr import Autocorr, Autocorrelation, Displacement, GrowthFit, Peak, autocorr, growth
from ._library import lib as _lib
from ._library import text as _text
from ._prepare import Prepare, Prepared, prepare
from .context import Context, Device, devices
from .errors import (
    BuildError,
    CancelledError,
    DeviceError,
    Error,
    InternalError,
    InvalidError,
    NoDeviceError,
    OutOfMemoryError,
    ResultWarning,
    UnsupportedError,
)

__all__ = [
    "Autocorr",
    "Autocorrelation",
    "BuildError",
    "CancelledError",
    "Context",
    "Device",
    "DeviceError",
    "Displacement",
    "Error",
    "GrowthFit",
    "InternalError",
    "InvalidError",
    "NoDeviceError",
    "OutOfMemoryError",
    "PCA",
    "Peak",
    "Prepare",
    "Prepared",
    "ResultWarning",
    "UnsupportedError",
    "autocorr",
    "devices",
    "growth",
    "io",
    "nbody",
    "optmap",
    "prepare",
    "stars",
]

__version__ = _text(_lib.penta_version())


def __dir__():
    return sorted({*globals(), *__all__})


def __getattr__(name):
    # scikit-learn, where it is installed, takes a second to import: only when PCA is asked for.
    if name == "PCA":
        from ._pca import PCA

        return PCA
    raise AttributeError(f"module 'pentacl' has no attribute '{name}'")
