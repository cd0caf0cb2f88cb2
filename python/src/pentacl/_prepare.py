"""Raw photographs of one scene to a clean, registered series."""

from __future__ import annotations

import numpy as np

from . import _arrays, _opencl, errors
from ._library import ffi, lib, text
from ._result import Curve, Image, Result, result
from ._tables import documented, tables
from ._types import ArrayLike, DTypeLike, Iterable, Progress
from .context import Context, Plan, shared

DRIFT = _arrays.structure("penta_drift")
MUCH_DUST, MUCH_WHITE = 0.1, 0.05  # of a frame
# The type says how bright white is, so it is that of all frames alike, whatever their numbers.
WIDER = {name: (np.dtype("uint16"),) for name in ("int16", "int32", "uint32", "int64", "uint64")}


@result
class Prepared(Result):
    """What ``pentacl.prepare`` makes of n frames.

    ``images`` is n x height x width; ``masks`` likewise, False where a pixel does not count. ``status`` has "ok",
    "dust", "lost" or "blank" for each; ``notes`` why one is not ok, and its image is undefined. ``drift`` has the
    fields dx, dy (px), angle (degrees) and score; what is at p in the first frame is at p + (dx, dy), turned by angle,
    in this one. ``low`` and ``high`` are the levels that became black and white.
    """

    images: np.ndarray
    masks: np.ndarray
    status: list[str]
    notes: list[str]
    drift: np.ndarray
    dust_pixels: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def ok(self) -> np.ndarray:
        """Which frames can be used: an array of bool."""
        return np.array([status == "ok" for status in self.status], bool)

    def _panels(self):
        good = np.flatnonzero(self.ok)
        panels = [Image(self.images[i], f"frame {i}") for i in dict.fromkeys([*good[:1], *good[-1:]])]
        if len(good) > 1:
            drift = {name: np.where(self.ok, self.drift[name], np.nan) for name in ("dx", "dy")}
            panels.append(Curve(np.arange(len(self.status)), drift, "drift", ("frame", "px")))
        return panels


@documented("prepare")
class Prepare(Plan):
    """A plan for a series of photographs of one shape and type, which come one after another.

    Parameters
    ----------
    shape : (height, width) or (height, width, 3)
        Of grey or colour frames.
    dtype : uint8, uint16, float32 or float64
    dark, flat : height x width or height x width x 3, optional
        Calibration frames, of any of these types.
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: DTypeLike,
        *,
        dark: ArrayLike | None = None,
        flat: ArrayLike | None = None,
        device: Context | str | int | None = None,
        **options,
    ):
        dtype = np.dtype(dtype)
        if dtype not in _arrays.IMAGES:
            raise TypeError(f"frames of the type {dtype} cannot be prepared")
        if len(shape) not in (2, 3):
            raise ValueError(f"a frame has {len(shape)} dimensions; it must have 2, or 3 with colour")
        self.dtype, self.shape, self.channels = dtype, tuple(shape[:2]), shape[2] if len(shape) == 3 else 1
        made, self._keep = tables["prepare"].make(options)
        self._looks = made.flatten == lib.PENTA_PREPARE_SERIES or made.smooth_drift > 0
        self._contrast = bool(made.contrast)
        height, width = self.shape
        form = width, height, self.channels, _arrays.TYPES[dtype], made
        super().__init__(shared(device), lib.penta_prepare_destroy, lib.penta_prepare_create, *form)
        if dark is not None or flat is not None:
            levels = [self._levels(dark, "dark", made.grey), self._levels(flat, "flat", made.grey)]
            self.call(lib.penta_prepare_calibrate, *(_arrays.pointer(array, "float *") for array in levels))
        size = ffi.new("size_t[2]")
        lib.penta_prepare_size(self.handle, size, size + 1)
        self.output_shape = (size[1], size[0])
        self.output_dtype = _arrays.DTYPES[lib.penta_prepare_type(self.handle)]

    def look(self, frames: Iterable[ArrayLike], *, progress: Progress = None) -> int:
        """What must be known of all frames before the first is run: with ``flatten="series"`` the illumination, with
        ``smooth_drift`` the drifts. Returns how many drifts were found."""
        frames = [self._frame(frame) for frame in frames]
        handle = ffi.new_handle(frames)
        source = ffi.new("penta_prepare_source *")
        source.count, source.data = len(frames), handle
        source.read = _read
        measured = ffi.new("size_t *")
        self.call(lib.penta_prepare_look, source, measured, progress=progress)
        return measured[0]

    def run(
        self,
        frames: Iterable[ArrayLike],
        *,
        images: np.ndarray | None = None,
        masks: np.ndarray | None = None,
        progress: Progress = None,
    ) -> Prepared:
        """The next frames of the series: a ``Prepared``. Frames may come in any number of calls.

        Parameters
        ----------
        frames : n frames
            Arrays of NumPy, or of pyopencl, which are read in device memory.
        images, masks : n x output_shape of output_dtype, and of bool or uint8, optional
            Where the results go, arrays of NumPy or pyopencl. By default new ones of NumPy.
        progress : callable, optional
            ``progress(done, total)``; cancels by returning True. Or True, or a bar of tqdm.
        """
        frames = [self._frame(frame) for frame in frames]
        n, number = len(frames), getattr(self, "_number", 0)
        images = self._output(images, "images", n, self.output_dtype)
        masks = self._output(masks, "masks", n, np.dtype(bool))
        given = ffi.new("penta_prepare_frame[]", max(n, 1))
        found = ffi.new("penta_prepare_result[]", max(n, 1))
        for i, frame in enumerate(frames):
            given[i].image, given[i].number = _arrays.pointer(frame), number + i
            found[i].image, found[i].mask = _arrays.pointer(images[i:]), _arrays.pointer(masks[i:], "uint8_t *")
        if n:
            self.call(lib.penta_prepare_run, n, given, found, progress=progress)
        self._number = number + n
        self._warn([(number + i, found[i]) for i in range(n)], images)
        drift = np.array([_drift(found[i].drift) for i in range(n)], DRIFT)
        rows = range(n)
        return Prepared(
            _opencl.returned(images),
            _opencl.returned(masks),
            [text(lib.penta_prepared_name(found[i].status)) for i in rows],
            [self._explain(found[i]) for i in rows],
            drift,
            *(np.array([getattr(found[i], name) for i in rows]) for name in ("dust_pixels", "low", "high")),
        )

    def _warn(self, frames, images):
        """What the command warns of after a series, of these frames; ``_explain`` says why one is not used."""
        pixels, n = self.output_shape[0] * self.output_shape[1], len(frames)
        out = [(i, found) for i, found in frames if found.status != lib.PENTA_PREPARED_OK]
        if out:
            errors.warn(f"{len(out)} of {n} frames are left out, the first is {out[0][0]}: {self._explain(out[0][1])}")
        good = [(i, found) for i, found in frames if found.status == lib.PENTA_PREPARED_OK]
        dusty = [(found.dust_pixels, i) for i, found in good if found.dust_pixels > MUCH_DUST * pixels]
        if dusty:
            most, i = max(dusty)
            errors.warn(
                f"{100 * most / pixels:.1f} % of frame {i} is marked as dust, and over {100 * MUCH_DUST:.0f} % of "
                f"{len(dusty)} of {n} frames; where that is the picture itself, raise `dust_limit`"
            )
        unsure = [(i, found.drift) for i, found in good if found.drift.others > 0]
        if unsure:
            i, d = unsure[0]
            errors.warn(
                f"the drift of {len(unsure)} of {n} frames is ambiguous: the pattern is periodic, or the same along a "
                "line, and fits other places as well, or parts of the picture have moved apart; "
                f"frame {i} lies at ({d.dx:.2f}, {d.dy:.2f}) px, or at ({d.other_dx[0]:.2f}, {d.other_dy[0]:.2f})"
                f"{' or elsewhere' if d.others > 1 else ''}. Where the drift is less than half a period, `max_drift` "
                "decides; where something moves in the picture, `crop` to a part without it, or `dust` none where what "
                "stands still was taken for dust"
            )
        if self._contrast or not isinstance(images, np.ndarray) or images.dtype.kind != "u":
            return
        most = np.iinfo(images.dtype).max
        white = [(np.count_nonzero(images[i - frames[0][0]] == most), i) for i, _ in good]
        white = [(count, i) for count, i in white if count > MUCH_WHITE * pixels]
        if white:
            count, i = max(white)
            errors.warn(
                f"{100 * count / pixels:.1f} % of frame {i} is white in what is written ({len(white)} of {n} frames "
                f"have over {100 * MUCH_WHITE:.0f} %): flattened, it is brighter than white. `contrast` makes room, "
                "`depth` f32 keeps the levels"
            )

    def rewind(self) -> None:
        """Forgets the frames: the next one is the first of a series again."""
        with self.context.lock:
            self.check()
            lib.penta_prepare_rewind(self.handle)
            self._number = 0

    def _frame(self, frame):
        shape = self.shape if self.channels == 1 else (*self.shape, self.channels)
        if _opencl.is_array(frame):
            return _opencl.lend(self.context, frame, "a frame", shape, self.dtype)
        array = np.ascontiguousarray(_numbers(frame))
        if array.shape != shape or array.dtype != self.dtype:
            raise ValueError(f"a frame is {array.shape} of {array.dtype}; the series is {shape} of {self.dtype}")
        return array

    def _output(self, out, name, n, dtype):
        shape = (n, *self.output_shape)
        if out is None:
            return np.zeros(shape, dtype)
        if dtype.kind == "b" and out.dtype == np.uint8:
            dtype = out.dtype
        if _opencl.is_array(out):
            return _opencl.lend(self.context, out, name, shape, dtype)
        return _arrays.output(out, shape, dtype, name)

    def _levels(self, image, name, grey):
        if image is None:
            return None
        array = np.ascontiguousarray(_arrays.numbers(image, name))
        if array.shape[:2] != self.shape or array.ndim not in (2, 3):
            raise ValueError(f"{name} is {array.shape}; the frames are {self.shape}")
        levels = np.empty(self.shape, np.float32)
        form = array.shape[1], array.shape[0], array.shape[2] if array.ndim == 3 else 1, _arrays.TYPES[array.dtype]
        lib.penta_prepare_levels(*form, _arrays.pointer(array), grey, _arrays.pointer(levels, "float *"))
        return levels

    def _explain(self, found):
        line = ffi.new("char[]", 512)
        lib.penta_prepare_explain(self.handle, ffi.addressof(found), line, 512)
        return text(line)


@ffi.callback("penta_status(void *, size_t, void const **)", error=lib.PENTA_INTERNAL)
def _read(data, index, image):
    image[0] = _arrays.pointer(ffi.from_handle(data)[index])
    return errors.OK


def _drift(d):
    return np.frombuffer(ffi.buffer(ffi.addressof(d)), DRIFT)[0]


def _numbers(frame):
    """A frame's array; masked pixels become NaN."""
    frame, hidden = _arrays.masked(frame)
    kind = getattr(frame, "dtype", None)
    dtypes = WIDER.get(kind.name, _arrays.IMAGES) if isinstance(kind, np.dtype) else _arrays.IMAGES
    array = _arrays.numbers(frame, "a frame", dtypes)
    if hidden is None:
        return array
    if array.dtype.kind != "f":
        raise TypeError("a frame of integers has masked pixels; frames of np.float32 can leave them out (astype)")
    return np.where(hidden, array.dtype.type(np.nan), array)


@documented("prepare")
def prepare(
    frames: Iterable[ArrayLike],
    *,
    dark: ArrayLike | None = None,
    flat: ArrayLike | None = None,
    progress: Progress = None,
    device: Context | str | int | None = None,
    **options,
) -> Prepared:
    """Raw photographs of one scene to a clean, registered series: a ``Prepared``.

    Parameters
    ----------
    frames : n x height x width, n x height x width x 3, or a list of such frames
        Of uint8, uint16, float32 or float64, in the order of the series; other integers are taken as uint16, which must
        hold them. Not finite and masked pixels count as dust. Arrays of pyopencl are read in device memory.
    dark, flat : height x width or height x width x 3, optional
        Calibration frames.
    progress : callable, optional
        ``progress(done, total)``; cancels by returning True. Or True, or a bar of tqdm.
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}

    >>> scene = np.kron(np.random.default_rng(1).integers(50, 200, (20, 25), np.uint8), np.ones((4, 4), np.uint8))
    >>> found = pentacl.prepare([scene[:64, :64], scene[4:68, 7:71]], dust="none")
    >>> found.status, found.images.shape, found.drift["dx"].round(1).tolist()
    (['ok', 'ok'], (2, 64, 64), [0.0, -7.0])
    """
    frames = [frame if _opencl.is_array(frame) else _numbers(frame) for frame in _arrays.host(frames, "frames")]
    if not frames:
        raise errors.InvalidError("there are no frames")
    context = _opencl.context_of(device, frames[0])
    with Prepare(frames[0].shape, frames[0].dtype, dark=dark, flat=flat, device=context, **options) as plan:
        if plan._looks:
            plan.look(frames, progress=progress)
        return plan.run(frames, progress=progress)
