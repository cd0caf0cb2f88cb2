"""Maps of a beating heart from optical-mapping movies."""

from __future__ import annotations

import numpy as np

from . import _arrays, _opencl, errors
from ._library import ffi, lib, text
from ._result import Curve, Image, Result, host, result, taken
from ._tables import documented, tables
from ._types import Any, ArrayLike, Iterable, Progress
from .context import Context, Plan

__all__ = ["Conditioned", "Findings", "Movie", "Survey"]

BEAT = _arrays.structure("penta_beat")
SINGULARITY = _arrays.structure("penta_singularity")
ROTOR = _arrays.structure("penta_rotor")
SURVEY_KINDS = ("tissue", "background", "stuck", "jumping", "masked")


@result
class Conditioned(Result):
    """A movie after conditioning: ``filtered`` and ``traces`` are frames x height x width float32 that rise on
    depolarisation, NaN where there is no result. ``shifts`` is height x width x window^2, in interpolated samples."""

    filtered: np.ndarray
    traces: np.ndarray
    valid: np.ndarray
    shifts: np.ndarray | None
    engine: str

    def _panels(self):
        return [_mean_trace(self.traces, self.valid)]


@result
class Survey(Result):
    """What a movie's pixels are: ``kind`` is 0 tissue, 1 background, 2 stuck, 3 jumping, 4 masked; ``counts`` by name.
    ``drift`` is the degree of the polynomial of bleaching, -1: none that matters."""

    kind: np.ndarray
    counts: dict[str, int]
    found: bool
    amplitude: float
    drift: int
    lost: float
    lost_error: float
    shift: float
    growth: float
    motion_noise: float
    moves: bool
    bleaches: bool

    def _panels(self):
        names = ", ".join(f"{i} {name}" for i, name in enumerate(SURVEY_KINDS))
        return [Image(self.kind, "kinds of pixels", names, limits=(0, 4))]


@result
class Findings(Result):
    """All that ``Movie.analyse`` finds.

    ``maps`` has arrays by name: activation, repolarisation, apd30 .. apd90, rise, amplitude, snr, cv (beats x 2 x
    height x width) and so on, beats first where there is one for each beat; ``units`` has their units. Times are ms
    from the first frame. ``doubts`` says what should be looked at before the numbers are believed.
    """

    beats: np.ndarray
    maps: dict[str, np.ndarray]
    units: dict[str, str]
    valid: np.ndarray
    mask: np.ndarray | None
    filtered: np.ndarray
    traces: np.ndarray
    shifts: np.ndarray | None
    phase: np.ndarray | None
    singularities: np.ndarray
    rotors: np.ndarray
    average: np.ndarray | None
    climbs: np.ndarray | None
    drift: int
    doubts: list[str]

    def _lines(self):
        return [line for line in super()._lines() if line[0] not in ("units", "filtered")]

    def _panels(self):
        shown = [name for name in ("activation", "apd80", "rise") if name in self.maps][:2]
        panels = [Image(_first(self.maps[name]), f"{name}, first beat", self.units[name]) for name in shown]
        return [*panels, _mean_trace(self.traces, self.valid)]


class Movie:
    """A recording of a heart.

    Parameters
    ----------
    frames : frames x height x width, or a list of frames
        Of any integer type (64 bits where 32 hold the numbers) or floats. Frames are read where they are, if each is
        contiguous. Those of pyopencl are conditioned in device memory; the other methods look at a copy in host memory.
    frame_rate : float
        Hz.
    under : like frames, optional
        The movie of a second camera, by which the first is divided.
    mask : height x width, optional
        0 or False where there is no tissue. By default that is found out.
    device : Context, str or int, optional
        As for ``pentacl.Context``.

    >>> light = 2000 - 2 * np.maximum(60 - np.arange(600) % 200, 0)  # of three beats, which go from left to right
    >>> frames = np.tile(np.stack([np.roll(light, 2 * x + 50) for x in range(20)], axis=1)[:, None], (1, 20, 1))
    >>> frames.shape
    (600, 20, 20)
    >>> found = pentacl.optmap.Movie(frames, frame_rate=1000).analyse()
    >>> float(np.nanmedian(np.diff(found.maps["activation"][1], axis=1)))
    2.0
    """

    def __init__(
        self,
        frames: Iterable[ArrayLike],
        frame_rate: float,
        *,
        under: Iterable[ArrayLike] | None = None,
        mask: ArrayLike | None = None,
        device: Context | str | int | None = None,
    ):
        frames = list(_arrays.host(frames, "frames"))
        if not frames:
            raise errors.InvalidError("frames is empty")
        self.context = _opencl.context_of(device, frames[0])
        self.frame_rate = float(frame_rate)
        frames, hidden = _split(frames)
        under, hidden_under = (None, []) if under is None else _split(under)
        self._frames = _alike(self.context, frames, "frames")
        first = self._frames[0]
        self.shape = (len(self._frames), *first.shape)
        self._under = None
        if under is not None:
            self._under = _alike(self.context, under, "under")
            if len(self._under) != len(self._frames) or self._under[0].shape != first.shape:
                raise ValueError("both cameras must have as many frames of one shape")
            if self._under[0].dtype != first.dtype:
                raise TypeError("both cameras must have frames of one type")
        for pixels in hidden + hidden_under:
            mask = _arrays.mask_and(mask, pixels)
        self._mask = _arrays.mask(mask, first.shape)

    def _movie(self, in_host_memory=True):
        """(the struct of the library, what must be kept with it)."""
        cameras = [self._frames, self._under]
        if in_host_memory:
            cameras = [frames and [_fetched(frame) for frame in frames] for frames in cameras]
        else:
            for frame in self._frames + (self._under or []):
                if isinstance(frame, _opencl.Lent):
                    frame.wait_for_queue()
        pointers = [
            ffi.NULL if frames is None else ffi.new("void const *[]", [_arrays.pointer(frame) for frame in frames])
            for frames in cameras
        ]
        movie = ffi.new("penta_movie *")
        movie.type = _arrays.TYPES[self._frames[0].dtype]
        movie.frames, movie.under = pointers
        movie.mask = _arrays.pointer(self._mask, "uint8_t *")
        return movie, (cameras, pointers)

    @property
    def _size(self):
        frames, height, width = self.shape
        return width, height, frames

    @documented("optmap")
    def condition(
        self,
        *,
        shifts: bool = False,
        filtered: np.ndarray | None = None,
        traces: np.ndarray | None = None,
        progress: Progress = None,
        **options,
    ) -> Conditioned:
        """Normalises and filters the movie: a ``Conditioned``.

        Parameters
        ----------
        shifts : bool
            Whether the shifts between neighbours are wanted.
        filtered, traces : float32, frames x height x width each, optional
            Where these results go, arrays of NumPy or pyopencl. By default new ones of NumPy.
        progress : callable, optional
            ``progress(done, total)``; cancels by returning True. Or True, or a bar of tqdm.
        {options}
        """
        made, keep = tables["optmap"].make(options)
        frames, height, width = self.shape
        with Plan(self.context, lib.penta_optmap_destroy, lib.penta_optmap_create, *self._size, made) as plan:
            rows = lib.penta_optmap_frames(plan.handle)
            out = Conditioned(
                _output(self.context, filtered, "filtered", (rows, height, width)),
                _output(self.context, traces, "traces", self.shape),
                np.empty((height, width), bool),
                np.empty((height, width, made.window**2), np.int32) if shifts else None,
                text(lib.penta_optmap_engine_name(plan.handle)),
            )
            found = ffi.new("penta_optmap_result *")
            found.filtered = _arrays.pointer(out.filtered, "float *")
            found.traces = _arrays.pointer(out.traces, "float *")
            found.valid = _arrays.pointer(out.valid, "uint8_t *")
            found.shifts = _arrays.pointer(out.shifts, "int32_t *")
            movie, kept = self._movie(in_host_memory=False)
            plan.call(lib.penta_optmap_run, movie, found, progress=progress)
        del keep, kept
        out.filtered, out.traces = _opencl.returned(out.filtered), _opencl.returned(out.traces)
        return out

    def survey(self, *, polarity: str = "down") -> Survey:
        """Looks at the movie before it is conditioned: a ``Survey``. ``polarity`` as for ``condition``."""
        out = ffi.new("penta_survey *")
        made, _ = tables["optmap"].make({"polarity": polarity})
        movie, kept = self._movie()
        self.context.call(_with_context(self.context, lib.penta_survey_run), *self._size, movie, made.polarity, out)
        del kept
        try:
            return taken(
                Survey,
                out,
                kind=_arrays.copy(out.kind, self.shape[1:], np.uint8),
                counts=dict(zip(SURVEY_KINDS, list(out.counts))),
                moves=lib.penta_survey_moves(out),
                bleaches=lib.penta_survey_bleaches(out),
            )
        finally:
            lib.penta_survey_free(out)

    def analyse(
        self,
        *,
        pixel_size: float = 0.0,
        low: float = 0.0,
        high: float = 0.0,
        keep_background: bool = False,
        keep_bad: bool = False,
        accept_saturated: bool = False,
        shifts: bool = False,
        average: bool = False,
        conditioning: dict[str, Any] | None = None,
        beats: dict[str, Any] | None = None,
        rotors: dict[str, Any] | None = None,
        progress: Progress = None,
    ) -> Findings:
        """From the recording to maps of its beats: ``Findings``.

        Parameters
        ----------
        pixel_size : float
            Side of a pixel, cm; 0: not known, and there are no velocities.
        low, high : float
            Hz: where dominant frequencies are looked for; high 0: up to half the rate.
        keep_background, keep_bad : bool
            Whether all pixels are taken as tissue, and dead, hot and jumping ones too.
        accept_saturated : bool
            Whether a movie with more than half of its pixels saturated is no error.
        shifts, average : bool
            Whether these findings are wanted.
        conditioning, beats, rotors : dict, optional
            Options of these steps; ``pentacl.optmap.options("beats")`` tells them.
        progress : callable, optional
            ``progress(done, total)`` of each step; cancels by returning True.
        """
        options = ffi.new("penta_analysis_options *")
        options.size = ffi.sizeof("penta_analysis_options")
        options.pixel_size, options.low, options.high = pixel_size, low, high
        for name, value in (
            ("keep_background", keep_background),
            ("keep_bad", keep_bad),
            ("shifts", shifts),
            ("accept_saturated", accept_saturated),
            ("average", average),
        ):
            setattr(options, name, bool(value))
        kept = [
            tables[table].make(given or {})
            for table, given in (("optmap", conditioning), ("beats", beats), ("rotors", rotors))
        ]
        options.conditioning, options.beats, options.rotors = (made for made, _ in kept)
        recording = ffi.new("penta_recording *")
        recording.width, recording.height, recording.frames = self._size
        movie, kept_movie = self._movie()
        recording.frame_rate_hz, recording.movie = self.frame_rate, movie[0]
        found = ffi.new("penta_findings *")
        try:
            with Plan(self.context, lib.penta_analysis_destroy, lib.penta_analysis_create, options) as plan:
                plan.call(lib.penta_analysis_run, recording, found, progress=progress)
            del kept_movie
            findings = _findings(found, window=kept[0][0].window)
            for doubt in findings.doubts:
                errors.warn(doubt)
            return findings
        finally:
            lib.penta_findings_free(found)


def _first(stack):
    return stack[0] if stack.ndim == 3 else stack


def _mean_trace(traces, valid):
    traces = host(traces)
    mean = np.nanmean(traces[:, valid], axis=1) if valid.any() else np.full(len(traces), np.nan)
    return Curve(np.arange(len(traces)), {"": mean}, "mean trace of the tissue", ("frame", "rises on depolarisation"))


def options(table: str) -> str:
    """What the options of "optmap" (conditioning), "beats" and "rotors" are: a text."""
    return "".join(row.doc for row in tables[table].rows.values())


def _split(frames):
    """(the frames without masks, the masks of masked arrays among them)"""
    pairs = [_arrays.masked(frame) for frame in frames]
    return [frame for frame, _ in pairs], [hidden for _, hidden in pairs if hidden is not None]


def _alike(context, frames, name):
    """A list of contiguous frames of one shape and type; those of pyopencl are lent to the library."""
    kept, wider = [], {np.dtype(a): b for a, b in (("int8", "int16"), ("int64", "int32"), ("uint64", "uint32"))}
    for frame in frames:
        if _opencl.is_array(frame):
            _opencl.check(frame, f"{name}[{len(kept)}]", _arrays.NUMBERS, 2)
            kept.append(_opencl.lend(context, frame, name, frame.shape, frame.dtype))
        else:
            types = _arrays.NUMBERS
            if getattr(frame, "dtype", None) in wider:  # all frames become of one type
                types = (np.dtype(wider[frame.dtype]),)
            kept.append(np.ascontiguousarray(_arrays.numbers(frame, f"{name}[{len(kept)}]", types, 2)))
        if kept[-1].shape != kept[0].shape or kept[-1].dtype != kept[0].dtype:
            raise ValueError(f"all of {name} must be of one shape and type")
    if not kept:
        raise errors.InvalidError(f"{name} is empty")
    return kept


def _fetched(frame):
    return frame.array.get() if isinstance(frame, _opencl.Lent) else frame


def _output(context, out, name, shape):
    if _opencl.is_array(out):
        return _opencl.lend(context, out, name, shape, np.dtype(np.float32))
    return _arrays.output(out, shape, np.dtype(np.float32), name)


def _with_context(context, function):
    return lambda *arguments: function(context.handle, *arguments)


def _findings(f, window):
    shape = (f.height, f.width)
    frames = f.traces.frames
    maps, units = _maps(f)
    doubts = ffi.new("penta_doubt[]", lib.PENTA_DOUBT_KINDS)
    count = lib.penta_findings_doubts(f, doubts, lib.PENTA_DOUBT_KINDS)
    r = f.result

    def floats(pointer, *shape):
        return _arrays.copy(pointer, shape, np.float32)

    def rows(pointer, count, dtype):
        return _arrays.copy(pointer, (count,), dtype) if count else np.empty(0, dtype)

    return Findings(
        beats=rows(f.beats, f.beat_count, BEAT),
        maps=maps,
        units=units,
        valid=_arrays.copy(r.valid, shape, bool),
        mask=_arrays.copy(f.mask, shape, bool),
        filtered=floats(r.filtered, f.filtered.frames, *shape),
        traces=floats(r.traces, frames, *shape),
        shifts=_arrays.copy(r.shifts, (*shape, window**2), np.int32),
        phase=floats(f.phase, frames, *shape),
        singularities=rows(f.singularities, f.singularity_count, SINGULARITY),
        rotors=rows(f.rotors, f.rotor_count, ROTOR),
        average=floats(f.average, f.average_frames, *shape),
        climbs=floats(f.climbs, *shape),
        drift=f.drift,
        doubts=[text(doubts[i].text) for i in range(count)],
    )


def _maps(f):
    maps, units, kind = {}, {}, 0
    m = ffi.new("penta_findings_map *")
    while lib.penta_findings_map_at(f, kind, m):
        kind += 1
        if m.data:
            shape = ((m.count,) if m.per_beat else ()) + ((2,) if m.velocities else ()) + (m.height, m.width)
            maps[text(m.name)] = _arrays.copy(m.data, shape, np.float32)
            units[text(m.name)] = text(m.unit)
    return maps, units
