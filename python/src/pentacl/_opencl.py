"""Arrays of pyopencl: the library reads and writes them in device memory."""

import weakref

import numpy as np

from . import errors
from ._library import ffi, lib
from .context import Context, shared, shared_opencl

__all__ = ["Lent", "check", "context_of", "is_array", "lend", "returned"]


def is_array(value):
    """Whether this is a pyopencl.array.Array, without importing pyopencl."""
    return hasattr(value, "base_data") and hasattr(value, "queue") and hasattr(value, "strides")


def context_of(device, value):
    """The context of a call: that of the value's OpenCL context and device where it is an array of pyopencl."""
    if not is_array(value):
        return shared(device)
    if value.queue is None:
        raise ValueError("the array has no queue: see pyopencl.array.Array.with_queue")
    if isinstance(device, Context):
        return device
    return shared_opencl(value.queue.context, value.queue.device)


class Lent:
    """An array of pyopencl as a call takes it: shape, type, strides, and an address that stands for its memory."""

    def __init__(self, context, array, address=None):
        self.context, self.array = context, array
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.itemsize, self.ndim = array.dtype.itemsize, len(array.shape)
        if address is None:
            out = ffi.new("void **")
            context.call(
                lib.penta_opencl_array,
                context.handle,
                ffi.cast("cl_mem", array.base_data.int_ptr),
                array.offset,
                self._bytes(),
                out,
            )
            address = int(ffi.cast("uintptr_t", out[0]))
            self._end = weakref.finalize(self, context.bury, _release(context), out[0])
            self._end.atexit = False
            context.living.add(self)
        self.address = address

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, rows):
        """Rows from one on, of the same memory."""
        first, last, _ = rows.indices(len(self))
        part = Lent(self.context, self.array, self.address + first * self.strides[0])
        part.whole, part.shape = self, (last - first, *self.shape[1:])
        return part

    def wait_for_queue(self):
        """What is enqueued from now on waits for what was on the array's queue."""
        import pyopencl

        event = pyopencl.enqueue_marker(self.array.queue)
        events = ffi.new("cl_event[]", [ffi.cast("cl_event", event.int_ptr)])
        self.context.call(lib.penta_opencl_wait, self.context.handle, 1, events)

    def hold_queue(self):
        """What is put on the array's queue from now on waits for what was enqueued here."""
        import pyopencl

        out = ffi.new("cl_event *")
        self.context.call(lib.penta_opencl_done, self.context.handle, out)
        event = pyopencl.Event.from_int_ptr(int(ffi.cast("uintptr_t", out[0])), retain=False)
        pyopencl.enqueue_barrier(self.array.queue, wait_for=[event])

    def _bytes(self):
        if any(stride < 0 for stride in self.strides):
            raise ValueError("arrays in device memory must not run backwards")
        return sum((n - 1) * stride for n, stride in zip(self.shape, self.strides)) + self.itemsize


def _release(context):
    handle = context.handle
    return lambda address: lib.penta_opencl_array_release(handle, address)


def lend(context, array, name, shape, dtype):
    """A contiguous array of this shape and type, which waits for its queue."""
    if tuple(array.shape) != tuple(shape) or array.dtype != dtype or not array.flags.c_contiguous:
        raise ValueError(f"{name} must be a contiguous array of {np.dtype(dtype)} with the shape {tuple(shape)}")
    lent = Lent(context, array)
    lent.wait_for_queue()
    return lent


def returned(array):
    """An output as its owner knows it: what is put on its queue from now on runs after the call that wrote it."""
    if not isinstance(array, Lent):
        return array
    array.hold_queue()
    return array.array


def check(array, name, dtypes, ndim):
    """Raises where an array cannot be taken."""
    if np.dtype(array.dtype) not in [np.dtype(dtype) for dtype in dtypes]:
        raise TypeError(
            f"{name} has the type {array.dtype}; it must be one of {', '.join(str(np.dtype(d)) for d in dtypes)}"
        )
    if len(array.shape) != ndim:
        raise errors.InvalidError(f"{name} has {len(array.shape)} dimensions; it must have {ndim}")
