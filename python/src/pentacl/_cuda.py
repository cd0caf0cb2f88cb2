"""Arrays in the memory of CUDA devices (cupy, torch, numba, jax ...), by __cuda_array_interface__ and CUDA's driver."""

import ctypes

import numpy as np

CONTEXT = 1  # CU_POINTER_ATTRIBUTE_CONTEXT


def _check(status, name):
    if status != 0:
        raise RuntimeError(f"CUDA cannot copy {name} to host memory (its error {status})")


def from_cuda(interface, name):
    """A copy in host memory, after all that is enqueued in the array's context."""
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    expected = [dtype.itemsize * int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    if strides is not None and any(n > 1 and a != b for n, a, b in zip(shape, strides, expected)):
        raise TypeError(f"{name} is in CUDA memory and not contiguous; make it contiguous, or copy it to host memory")
    if interface.get("mask") is not None:
        raise TypeError(f"{name} is in CUDA memory and has a mask; copy it to host memory first")
    out = np.empty(shape, dtype)
    if not out.size:
        return out
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise TypeError(f"{name} is in CUDA memory, and CUDA's driver is missing; copy it to host memory") from None
    address, context = ctypes.c_uint64(interface["data"][0]), ctypes.c_void_p()
    _check(cuda.cuPointerGetAttribute(ctypes.byref(context), CONTEXT, address), name)
    _check(cuda.cuCtxPushCurrent_v2(context), name)
    try:
        _check(cuda.cuCtxSynchronize(), name)
        _check(cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(out.ctypes.data), address, ctypes.c_size_t(out.nbytes)), name)
    finally:
        cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
    return out
