"""Devices and contexts."""

from __future__ import annotations

import atexit
import collections
import contextlib
import os
import threading
import weakref
from typing import NamedTuple

from . import errors
from ._library import ffi, lib, text
from ._types import Any

__all__ = ["Context", "Device", "Plan", "devices", "shared"]

KEPT_PLANS = 4  # of a context: plans that functions such as pentacl.autocorr made, for the next call alike


_forks = 0  # of this process's ancestors since the package was imported


def _forked():
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_forked)


class Device(NamedTuple):
    """An OpenCL device. Memory in bytes; ``type`` is "gpu", "cpu" or "other"."""

    name: str
    vendor: str
    platform: str
    version: str
    driver: str
    type: str
    compute_units: int
    memory: int
    max_allocation: int
    local_memory: int
    fp64: bool


def _device(d):
    words = (text(getattr(d, name)) for name in ("name", "vendor", "platform", "version", "driver"))
    kind = text(lib.penta_device_type_name(d.type))
    return Device(*words, kind, d.compute_units, d.memory, d.max_allocation, d.local_memory, d.fp64)


def devices() -> list[Device]:
    """All devices of all platforms, in the order of their indices."""
    found, count = ffi.new("penta_device **"), ffi.new("size_t *")
    errors.check(lib.penta_devices(found, count))
    try:
        return [_device(found[0][i]) for i in range(count[0])]
    finally:
        lib.penta_devices_free(found[0])


class _Watch:
    """What the library's progress callback asks. It runs Python code, so Ctrl-C is seen there."""

    def __init__(self):
        self.progress = None  # of the running call
        self.ending = False  # the process is: the running call shall
        self.error = None  # raised in the callback: KeyboardInterrupt, or whatever `progress` raised
        self.callback = ffi.callback("bool(void *, double, double)", self._report, error=True, onerror=self._caught)

    def _report(self, user, done, total):
        return self.ending or (self.progress is not None and bool(self.progress(done, total)))

    def _caught(self, kind, value, traceback):
        self.error = value


@contextlib.contextmanager
def reporting(progress):
    """``progress`` as a function of what is done and the total: itself, a bar of tqdm, or for True a new one."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError(
                "progress=True needs tqdm: pip install tqdm; or give a function of (done, total)"
            ) from None
        with tqdm(bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar, reporting(bar) as report:
            yield report
    elif hasattr(progress, "update") and hasattr(progress, "n"):
        yield lambda done, total: _advance(progress, done, total)
        _advance(progress, progress.total or 0, progress.total)  # the library need not report the end
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress is {progress!r}; it must be a function of (done, total), True, or a bar of tqdm")


def _advance(bar, done, total):
    bar.total = total
    bar.update(done - bar.n)
    return False


_contexts = weakref.WeakSet()
_ENDING = 5  # s that the end of the process waits for a call


def _end_calls():
    """Calls of daemon threads end before the process does, and no more begin: drivers crash where one of their threads
    meets the end of the process."""
    running = [context for context in list(_contexts) if context.forks == _forks]
    for context in running:
        context._watch.ending = True
    for context in running:
        context.lock.acquire(timeout=_ENDING)  # and kept
        context._watch.ending = False  # for what this thread still calls


atexit.register(_end_calls)


class Context:
    """A device with its queues and compiled kernels.

    Parameters
    ----------
    device : str or int, optional
        "gpu", "cpu", part of the name of a device, vendor or platform, or an index into ``pentacl.devices()``. By
        default the environment's PENTACL_DEVICE, or the first GPU, or the first device.

    One call at a time uses a context: calls of several threads wait for one another, and other Python code runs
    meanwhile. Contexts of their own run in parallel.
    """

    def __init__(self, device: str | int | None = None):
        handle = ffi.new("penta_context **")
        selector = ffi.NULL if device is None else str(device).encode()
        errors.check(lib.penta_context_create(selector, handle))
        self._adopt(handle[0])

    @classmethod
    def from_opencl(cls, context: Any, device: Any) -> Context:
        """A context on an OpenCL context and one of its devices: objects of pyopencl, or their addresses."""
        handle = ffi.new("penta_context **")
        errors.check(
            lib.penta_context_from_opencl(
                ffi.cast("cl_context", _address(context)), ffi.cast("cl_device_id", _address(device)), handle
            )
        )
        self = cls.__new__(cls)
        self._adopt(handle[0])
        self._owner = context  # a sub-device must outlive the context
        return self

    def _adopt(self, handle):
        self.handle = handle
        self.lock = threading.RLock()
        self.plans = collections.OrderedDict()
        self.forks = _forks
        self._watch = _Watch()
        self._busy = False
        _contexts.add(self)
        self.living = weakref.WeakSet()  # plans and addresses of device memory, which end before the context
        self._dead = collections.deque()  # plans nobody uses any more: (destroy, handle)
        lib.penta_context_set_progress(handle, self._watch.callback, ffi.NULL)
        self._end = weakref.finalize(self, _close, handle, self._dead, self._watch)
        self._end.atexit = False  # the driver may be gone by then, and threads may still be at work

    @property
    def device(self) -> Device:
        """The device."""
        self.check()
        return _device(lib.penta_context_device(self.handle)[0])

    @property
    def opencl(self) -> tuple[int, int, int]:
        """Addresses of the OpenCL context, device and queue: ``pyopencl.Context.from_int_ptr(context.opencl[0])``."""
        self.check()
        handles = lib.penta_opencl_context, lib.penta_opencl_device, lib.penta_opencl_queue
        return tuple(int(ffi.cast("uintptr_t", function(self.handle))) for function in handles)

    def profile(self) -> dict[str, float]:
        """Seconds on the device under each name since the last ``profile_reset``: a dictionary. Times are taken from
        the first call of ``profile``, ``profile_reset`` or ``opencl`` on; before that they are 0."""
        with self.lock:
            self.check()
            entries = ffi.new("penta_profile_entry **")
            count = lib.penta_profile(self.handle, ffi.cast("penta_profile_entry const **", entries))
            return {text(entries[0][i].name): entries[0][i].seconds for i in range(count)}

    def profile_reset(self) -> None:
        """Begins a new profile. Time stamps slow short kernels; ``profile_pause`` ends them."""
        with self.lock:
            self.check()
            lib.penta_profile_reset(self.handle)

    def profile_pause(self) -> None:
        """Takes no times until the next ``profile_reset``."""
        with self.lock:
            self.check()
            lib.penta_profile_pause(self.handle)

    def call(self, function, *arguments, progress=None):
        """Calls a function of the library and raises what failed."""
        if progress is not None and not callable(progress):
            with reporting(progress) as progress:
                self.call(function, *arguments, progress=progress)
            return
        watch = self._watch
        with self.lock:
            self.check()
            watch.progress, watch.error, self._busy = progress, None, True
            try:
                status = function(*arguments)
            finally:
                watch.progress, self._busy = None, False
            if watch.ending:
                raise SystemExit  # ends a daemon thread without a word
            if watch.error is not None:
                error, watch.error = watch.error, None
                raise error
            if status != errors.OK:
                raise errors.make(status, text(lib.penta_last_error(self.handle)))
            if self._dead:
                _bury(self._dead)

    def plan(self, key, make):
        """The plan kept under this key; ``make()`` where there is none."""
        with self.lock:
            plan = self.plans.get(key)
            if plan is None:
                while len(self.plans) >= KEPT_PLANS:
                    self.plans.popitem(last=False)[1].close()
                plan = self.plans[key] = make()
            else:
                self.plans.move_to_end(key)
            return plan

    def release(self) -> None:
        """Releases the plans, and their memory on the device, that are kept for the next call alike."""
        with self.lock:
            while self.plans:
                self.plans.popitem()[1].close()

    def check(self):
        """Raises where the context cannot be used now."""
        if not self._end.alive:
            raise ValueError("this context is closed")
        if self.forks != _forks:
            raise RuntimeError(
                "this process was forked from one that uses OpenCL, whose drivers do not survive that: "
                "start processes with the method 'spawn' or 'forkserver', or first use pentacl in the child"
            )
        if self._busy:
            raise RuntimeError("a progress callback cannot use the context of the call that it reports")

    def bury(self, destroy, handle):
        """Destroys a plan: now, or after the call that uses the context. Safe in a finalizer on any thread."""
        self._dead.append((destroy, handle))
        if self.lock.acquire(blocking=False):
            try:
                if not self._busy and self.forks == _forks:
                    _bury(self._dead)
            finally:
                self.lock.release()

    def close(self) -> None:
        """Releases the device. The context's plans can no longer be used."""
        with self.lock:
            if self._end.alive:
                self.check()
                self.release()
                for thing in list(self.living):
                    thing._end()
                self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<pentacl.Context on {self.device.name}>" if self._end.alive else "<pentacl.Context, closed>"


def _bury(dead):
    while dead:
        destroy, handle = dead.popleft()
        destroy(handle)


def _close(handle, dead, watch):
    _bury(dead)
    lib.penta_context_destroy(handle)


def _address(opencl):
    return getattr(opencl, "int_ptr", opencl)


class Plan:
    """A plan of the library on a context. ``close`` releases its memory; so does the end of the last reference."""

    def __init__(self, context, destroy, create, *arguments):
        handle = ffi.new(ffi.typeof(create).args[-1])
        context.call(create, context.handle, *arguments, handle)
        self.context = context
        self._destroy = destroy
        self.handle = handle[0]
        self._end = weakref.finalize(self, context.bury, destroy, handle[0])
        self._end.atexit = False
        context.living.add(self)

    def check(self):
        """Raises where the plan is closed, or its context cannot be used now."""
        if not self._end.alive:
            raise ValueError("this plan is closed")
        self.context.check()

    def call(self, function, *arguments, progress=None):
        """Calls a function of the library with the plan first."""
        if not self._end.alive:
            raise ValueError("this plan is closed")
        self.context.call(function, self.handle, *arguments, progress=progress)

    def close(self) -> None:
        """Releases the plan's memory."""
        self._end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


_shared, _shared_lock = {}, threading.Lock()


def _kept(key, make):
    with _shared_lock:
        context = _shared.get(key)
        if context is None or not context._end.alive:
            context = _shared[key] = make()
        return context


def shared_opencl(context, device):
    """The context that all calls share on an OpenCL context and one of its devices: objects of pyopencl."""
    key = _address(context), _address(device)
    return _kept(key, lambda: Context.from_opencl(context, device))


def shared(device=None):
    """The context of a device that all calls share which name it alike. ``device``: a Context, or as for one."""
    if isinstance(device, Context):
        return device
    return _kept(None if device is None else str(device), lambda: Context(device))
