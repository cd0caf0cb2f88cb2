"""What the scripts share: the clock of their stages, and their answer, one JSON line on stdout."""
import importlib
import json
import sys
import time

LIBRARIES = "numpy scipy PIL skimage sklearn astropy rebound optimap matplotlib"
seconds = dict.fromkeys("start read compute pictures write".split(), 0)
since = time.perf_counter()


def stage(name):
    """The time since the last call went to this stage."""
    global since
    now = time.perf_counter()
    seconds[name] += now - since
    since = now


def optional(name):
    """The module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def pyplot():
    """matplotlib.pyplot for files, or None."""
    matplotlib = optional("matplotlib")
    if matplotlib:
        matplotlib.use("Agg")
    return optional("matplotlib.pyplot")


def answer(**values):
    """values: what is compared with the command's answer, numbers or lists of them."""
    used = [sys.modules[name] for name in LIBRARIES.split() if name in sys.modules]
    modules = [f"{m.__name__} {m.__version__}" for m in used]
    print(json.dumps({"seconds": seconds, "modules": modules, "values": values}))


def tell_missing(kind, error, trace):
    """A script that ends for want of a module says of which."""
    if issubclass(kind, ImportError):
        print(json.dumps({"missing": error.name}))
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = tell_missing
