"""NumPy arrays, and arrays of pyopencl, as the library takes them."""

import numpy as np

from ._cuda import from_cuda
from ._library import ffi, lib

TYPES = {
    np.dtype(name): value
    for name, value in (
        ("uint8", lib.PENTA_U8),
        ("uint16", lib.PENTA_U16),
        ("float32", lib.PENTA_F32),
        ("float64", lib.PENTA_F64),
        ("int64", lib.PENTA_I64),
        ("int32", lib.PENTA_I32),
        ("int16", lib.PENTA_I16),
        ("uint32", lib.PENTA_U32),
    )
}
DTYPES = {value: dtype for dtype, value in TYPES.items()}
IMAGES = tuple(np.dtype(name) for name in ("uint8", "uint16", "float32", "float64"))
NUMBERS = IMAGES + tuple(np.dtype(name) for name in ("int32", "int16", "uint32"))


def in_unit(value, unit):
    """A number or array of astropy as plain numbers in this unit; those without units as they are. Astronomers may leave
    out "a pixel" and say adu for DN."""
    if unit and getattr(value, "unit", None) is not None and hasattr(value, "to"):
        for ours, theirs in (("px", "pix"), ("photons", "photon"), ("e-", "electron")):
            unit = unit.replace(ours, theirs)
        forms = unit, unit.replace("/pix", ""), unit.replace("DN", "adu")
        return value.to(next(filter(value.unit.is_equivalent, forms), unit)).value
    return value


def host(value, name):
    """Arrays of other packages by their protocols: those in host memory where they are, those of CUDA as copies."""
    if isinstance(value, np.ndarray) or hasattr(value, "__array_interface__"):
        return value
    if hasattr(type(value), "__dlpack_device__") and value.__dlpack_device__()[0] in (1, 3):  # kDLCPU, kDLCUDAHost
        return np.from_dlpack(value)
    interface = getattr(value, "__cuda_array_interface__", None)
    if interface is not None:
        return from_cuda(interface, name)
    if hasattr(type(value), "__dlpack_device__"):
        raise TypeError(f"{name} is in the memory of a device that is not known here; copy it to host memory first")
    return value


def exact(array, dtypes):
    """Integers as the first of these types that holds all of them, 32-bit floats aside; None where there is none."""
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for dtype in map(np.dtype, dtypes):
        least, most = (-(2**53), 2**53) if dtype == np.float64 else (0, -1)
        if dtype.kind in "iu":
            least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        if least <= low and high <= most:
            return array.astype(dtype)
    return None


def masked(value):
    """(the array without its mask, where that is True); (value, None) where nothing is masked."""
    if isinstance(value, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(value)
        return value.data, hidden if hidden.any() else None
    return value, None


def unmasked(value, name, unit=""):
    """The array; TypeError where elements are masked, which this argument cannot leave out."""
    hidden = masked(value)[1]
    if hidden is not None:
        raise TypeError(f"{name} has {hidden.sum()} masked elements; fill or leave them out (see numpy.ma)")
    return np.asarray(host(in_unit(value, unit), name))


def numbers(value, name, dtypes=IMAGES, ndim=None):
    """An array of one of these types, in this machine's byte order: itself, or exactly the same numbers in another
    type. TypeError where there is none that holds them."""
    array = unmasked(value, name)
    if array.dtype in dtypes and array.dtype.isnative and (ndim is None or array.ndim == ndim):
        return array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype == bool:
        array = array.view(np.uint8)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    said = f"the type {array.dtype}"
    if array.dtype.kind in "iu" and array.dtype not in dtypes:
        fitting = exact(array, dtypes)
        if fitting is None:
            said += f" and numbers from {array.min()} to {array.max()}"
        else:
            array = fitting
    if array.dtype not in dtypes:
        known = ", ".join(str(dtype) for dtype in dtypes)
        raise TypeError(f"{name} has {said}; it must be one of {known} (see numpy.ndarray.astype)")
    if ndim is not None and array.ndim != ndim:
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have {ndim}")
    return array


def widened(value, name):
    """int8 and float16 as wider types that hold the same numbers; 64-bit integers must be within 2**53."""
    dtype = getattr(value, "dtype", None) or np.asarray(value).dtype
    if dtype in (np.int8, np.float16):
        return value.astype(np.int16 if dtype == np.int8 else np.float32)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu" and dtype.itemsize == 8:
        array = np.asarray(value)
        if array.dtype == dtype and array.size and (int(array.max()) > 2**53 or int(array.min()) < -(2**53)):
            raise ValueError(
                f"{name} holds integers beyond 2**53, which doubles do not: subtract an offset, or take "
                f"{name}.astype(float) if rounded numbers will do"
            )
    return value


def frame(value, name, dtypes=IMAGES):
    """A contiguous image: the array itself where it is one."""
    array = numbers(value, name, dtypes, 2)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def mask(value, shape):
    """A contiguous array of bytes, 0 where pixels are left out; None for None."""
    if value is None:
        return None
    value, hidden = masked(value)
    array = np.asarray(value)
    if array.shape != tuple(shape):
        raise ValueError(f"mask has the shape {array.shape}; it must be that of the image, {tuple(shape)}")
    if hidden is not None:
        array = np.where(hidden, False, array)
    if array.dtype not in (bool, np.uint8):
        array = (array != 0) & (array == array)  # NaN is not valid
    return np.ascontiguousarray(array).view(np.uint8)


def mask_and(mask, hidden):
    """The mask of a call, less what a masked array hides."""
    if hidden is None:
        return mask
    return ~hidden if mask is None else np.where(hidden, False, np.ma.filled(mask, False))


def reals(value, name, shape=None, unit=""):
    """A contiguous array of doubles, of this shape (None in it: any length); of astropy in this unit."""
    array = np.ascontiguousarray(unmasked(value, name, unit), dtype=np.float64)
    if (
        shape is not None
        and array.shape != shape
        and not (array.ndim == len(shape) and all(want is None or want == got for want, got in zip(shape, array.shape)))
    ):
        wanted = " x ".join("n" if length is None else str(length) for length in shape)
        raise ValueError(f"{name} has the shape {array.shape}; it must be {wanted}")
    return array


def output(out, shape, dtype, name="out"):
    """``out`` where it fits, a new array for None."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name} must be an array of {np.dtype(dtype)} with the shape {tuple(shape)}, not {out!r}")
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(
            f"{name} must be a contiguous, writeable array of {np.dtype(dtype)} with the shape {tuple(shape)}"
        )
    return out


def pointer(array, kind="void *"):
    """Where an array's elements are; NULL of None. The array must be kept while the address is used."""
    if array is None:
        return ffi.NULL
    if not isinstance(array, np.ndarray):  # a _opencl.Lent
        return ffi.cast(kind, array.address)
    if kind == "void *" and array.flags.c_contiguous:  # by far the quicker way
        return ffi.from_buffer(array)
    return ffi.cast(kind, array.__array_interface__["data"][0])


def of_type(array, kind):
    """The same of a contiguous array, quickly: kind is a ctype of an array, such as ffi.typeof("double[]")."""
    if array is None:
        return ffi.NULL
    if not isinstance(array, np.ndarray):  # a _opencl.Lent
        return ffi.cast(ffi.getctype(kind.item, "*"), array.address)
    return ffi.from_buffer(kind, array)


DOUBLES = ffi.typeof("double[]")


def doubles(array):
    """The same, of doubles."""
    return of_type(array, DOUBLES)


def copy(address, shape, dtype):
    """A copy of an array of the library; None where it is NULL."""
    if not address:
        return None
    count = int(np.prod(shape, dtype=np.int64))
    if not count:
        return np.empty(shape, dtype)
    view = ffi.buffer(ffi.cast("char *", address), count * np.dtype(dtype).itemsize)
    return np.frombuffer(bytearray(view), dtype).reshape(shape)


def structure(name):
    """The dtype of a struct of the library without pointers."""
    fields = ffi.typeof(name).fields
    names, formats, offsets = [], [], []
    for field, what in fields:
        names.append(field)
        formats.append(_format(what.type))
        offsets.append(what.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(name)})


def _format(kind):
    if kind.kind == "array":
        return (_format(kind.item), (kind.length,))
    if kind.kind == "struct":
        return structure(kind.cname)
    if kind.cname in ("float", "double"):
        return f"f{ffi.sizeof(kind)}"
    if kind.cname in ("bool", "_Bool"):
        return "?"
    if kind.kind == "enum":
        return f"i{ffi.sizeof(kind)}"
    unsigned = int(ffi.cast(kind, -1)) > 0
    return f"{'u' if unsigned else 'i'}{ffi.sizeof(kind)}"
