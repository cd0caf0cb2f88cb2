"""Autocorrelation of images and the growth of their length scale."""

from __future__ import annotations

import numpy as np

from . import _arrays, _opencl, errors
from ._library import ffi, lib, text
from ._result import Curve, Image, Result, result, taken
from ._tables import documented, tables
from ._types import ArrayLike, DTypeLike, Iterable, Progress, Sequence
from .context import Context, Plan, shared

BIN = _arrays.structure("penta_autocorr_bin")
BINS, INTEGERS, BYTES = ffi.typeof("penta_autocorr_bin[]"), ffi.typeof("int64_t[]"), ffi.typeof("uint8_t[]")


@result
class Peak(Result):
    """The characteristic length, px. ``status`` is "ok", "no_trough", "at_edge", "flat" or "weak"; what is not known
    is NaN. ``doubts`` says why a peak is weak."""

    _units = dict.fromkeys(("r_max", "r_max_se", "r_min"), "px")
    status: str
    doubts: tuple[str, ...]
    r_max: float
    r_max_se: float
    c_max: float
    r_min: float
    c_min: float


@result
class Displacement(Result):
    """What the first image shows at (x, y), the second one shows at (x + dx, y + dy), px."""

    _units = dict.fromkeys(("dx", "dy", "dx_se", "dy_se"), "px")
    status: str
    dx: float
    dy: float
    peak: float
    score: float
    sigmas: float
    dx_se: float
    dy_se: float


@result
class Autocorrelation(Result):
    """What ``pentacl.autocorr`` finds.

    ``c2d`` and ``numerators`` are (2R+1) x (2R+1), element [Y + R, X + R]. ``c1d`` has R+1 rows with the fields
    count, mean_r (px), c and sd. ``displacement`` is that of the second image, flat without one. ``method`` and ``fft``
    say what ran.
    """

    max_offset: int
    peak: Peak
    displacement: Displacement
    c2d: np.ndarray | None
    c1d: np.ndarray | None
    numerators: np.ndarray | None
    nan_pixels: int
    method: str
    fft: str | None
    _units = {"max_offset": "px"}

    def _lines(self):
        other = self.displacement.status != "flat"
        return [line for line in super()._lines() if other or line[0] != "displacement"]

    def _panels(self):
        panels, r = [], self.max_offset
        if self.c2d is not None:
            extent = (-r - 0.5, r + 0.5, r + 0.5, -r - 0.5)
            panels.append(Image(self.c2d, "C2D", "", extent, ("X, px", "Y, px")))
        if self.c1d is not None:
            marks = {} if np.isnan(self.peak.r_max) else {self.peak.r_max: f"R_max = {self.peak.r_max:.4g} px"}
            y, sd = self.c1d["c"][1:], self.c1d["sd"][1:]  # C(0) = 1 would flatten the others
            panels.append(Curve(self.c1d["mean_r"][1:], {"": y}, "C1D", ("R, px", "C"), sd, marks))
        return panels


PEAK_STATUS = [text(lib.penta_peak_status_name(status)) for status in range(lib.PENTA_PEAK_WEAK + 1)]


def _doubts(bits):
    doubts, bit = [], 1
    while bits and (phrase := lib.penta_peak_doubt_text(bit)):
        if bits & bit:
            doubts.append(text(phrase))
        bit *= 2
    return tuple(doubts)


@documented("autocorr")
class Autocorr(Plan):
    """A plan for images of one shape and type.

    Parameters
    ----------
    shape : (height, width)
    dtype : uint8, uint16, float32 or float64
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}
    """

    def __init__(
        self, shape: tuple[int, int], dtype: DTypeLike, *, device: Context | str | int | None = None, **options
    ):
        dtype = np.dtype(dtype)
        if dtype not in _arrays.IMAGES:
            raise TypeError(f"images of the type {dtype} cannot be correlated")
        made, self._keep = tables["autocorr"].make(options)
        self.shape, self.dtype = tuple(shape), dtype
        height, width = self.shape
        form = width, height, _arrays.TYPES[dtype], made
        super().__init__(shared(device), lib.penta_autocorr_destroy, lib.penta_autocorr_create, *form)
        self.max_offset = lib.penta_autocorr_max_offset(self.handle)
        # Only the curve of equation 1 with the mean left in is looked at for it.
        self._mean_counts = made.estimator == lib.PENTA_AUTOCORR_EQ1 and made.demean == lib.PENTA_AUTOCORR_DEMEAN_NONE
        self._plane = made.demean == lib.PENTA_AUTOCORR_DEMEAN_PLANE
        side = 2 * self.max_offset + 1
        self._forms = ((side, side), np.dtype(float)), ((self.max_offset + 1,), BIN), ((side, side), np.dtype(np.int64))

    def run(
        self,
        image: ArrayLike,
        other: ArrayLike | None = None,
        *,
        mask: ArrayLike | None = None,
        c2d: bool | np.ndarray = True,
        c1d: bool | np.ndarray = True,
        numerators: bool | np.ndarray = False,
    ) -> Autocorrelation:
        """Correlates one image: an ``Autocorrelation``.

        Parameters
        ----------
        image : height x width
            NaN and the mask of a masked array leave a pixel out.
        other : height x width, optional
            A second image: the cross-correlation.
        mask : height x width, optional
            0 or False where pixels are left out.
        c2d, c1d, numerators : bool or array
            What is wanted. An array is written to, one of pyopencl too (c2d, numerators); True makes a new one.
        """
        frame = ffi.new("penta_autocorr_frame *")
        kept = self._fill(frame[0], image, other, mask)
        found = ffi.new("penta_autocorr_result *")
        arrays = self._outputs(found[0], c2d, c1d, numerators)
        self.call(lib.penta_autocorr_run, 1, frame, found)
        self._warn(1, frame, found)
        del kept
        return self._result(found[0], arrays)

    def run_series(
        self,
        images: Iterable[ArrayLike],
        *,
        masks: Iterable[ArrayLike | None] | None = None,
        c2d: bool = True,
        c1d: bool = True,
        numerators: bool = False,
        progress: Progress = None,
    ) -> list[Autocorrelation]:
        """Correlates many images, several at a time: a list of ``Autocorrelation``. ``progress(done, total)`` is called
        meanwhile and cancels by returning True."""
        images = list(images)
        masks = [None] * len(images) if masks is None else list(masks)
        if len(masks) != len(images):
            raise ValueError(f"there are {len(masks)} masks for {len(images)} images")
        if not images:
            return []
        frames = ffi.new("penta_autocorr_frame[]", len(images))
        found = ffi.new("penta_autocorr_result[]", len(images))
        kept = [self._fill(frames[i], images[i], None, masks[i]) for i in range(len(images))]
        arrays = [self._outputs(found[i], c2d, c1d, numerators) for i in range(len(images))]
        self.call(lib.penta_autocorr_run, len(images), frames, found, progress=progress)
        self._warn(len(images), frames, found)
        del kept
        return [self._result(found[i], arrays[i]) for i in range(len(images))]

    def _fill(self, frame, image, other, mask):
        image, hidden = _arrays.masked(image)
        mask = _arrays.mask_and(mask, hidden)
        kept = [
            self._image(image, "image"),
            None if other is None else self._image(other, "other"),
            _arrays.mask(mask, self.shape),
        ]
        frame.image = _arrays.pointer(kept[0])
        if other is not None:
            setattr(frame, "with", _arrays.pointer(kept[1]))
        if mask is not None:
            frame.mask = _arrays.of_type(kept[2], BYTES)
        return kept

    def _image(self, image, name):
        if _opencl.is_array(image):
            return _opencl.lend(self.context, image, name, self.shape, self.dtype)
        array = _arrays.frame(image, name, (self.dtype,))
        if array.shape != self.shape:
            raise ValueError(f"{name} is {array.shape}; this plan is for {self.shape}")
        return array

    def _outputs(self, found, c2d, c1d, numerators):
        arrays = [self._output(want, *form) for want, form in zip((c2d, c1d, numerators), self._forms)]
        found.c2d = _arrays.doubles(arrays[0])
        found.c1d = _arrays.of_type(arrays[1], BINS)
        found.numerators = _arrays.of_type(arrays[2], INTEGERS)
        return arrays

    def _output(self, want, shape, dtype):
        if want is None or isinstance(want, (bool, np.bool_)):
            return np.empty(shape, dtype) if want else None
        if _opencl.is_array(want):
            return _opencl.lend(self.context, want, "the output", shape, dtype)
        return _arrays.output(want, shape, dtype)

    def _warn(self, n, frames, found):
        if self._mean_counts:
            ratios = ffi.new("double[]", [lib.penta_autocorr_mean_ratio(self.handle, frames + i) for i in range(n)])
            errors.warn_line(lib.penta_autocorr_mean_warning, n, ratios)
        if getattr(frames[0], "with"):
            unsure = [status for i in range(n) if (status := _shift_status(found[i])) != "ok"]
            if unsure:
                hint = "; `demean` plane takes off light that stays where it is and falls to a side"
                errors.warn(
                    f"{len(unsure)} of {n} displacements are not to be relied on; their status says why: "
                    + ", ".join(dict.fromkeys(unsure))
                    + (hint if "ambiguous" in unsure and not self._plane else "")
                )
        else:
            weak = [found[i].peak for i in range(n) if found[i].peak.status == lib.PENTA_PEAK_WEAK]
            if weak:
                doubts = ", or ".join(dict.fromkeys(doubt for peak in weak for doubt in _doubts(peak.doubts)))
                errors.warn(f"{len(weak)} of {n} frames are weak ({doubts}) and are left out of the growth fits")

    def _result(self, found, arrays):
        return Autocorrelation(
            self.max_offset,
            taken(Peak, found.peak, status=PEAK_STATUS[found.peak.status], doubts=_doubts(found.peak.doubts)),
            taken(Displacement, found.displacement, status=_shift_status(found)),
            *map(_opencl.returned, arrays),
            found.nan_pixels,
            text(found.method),
            text(found.fft),
        )


def _shift_status(found):
    return text(lib.penta_displacement_status_name(found.displacement.status))


def _alike(image, other):
    """Two images in the one type that holds the numbers of both."""
    pair = _arrays.numbers(image, "image"), _arrays.numbers(other, "other")
    return [array.astype(np.result_type(*pair), copy=False) for array in pair]


@documented("autocorr")
def autocorr(
    image: ArrayLike,
    other: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    numerators: bool | np.ndarray = False,
    device: Context | str | int | None = None,
    **options,
) -> Autocorrelation:
    """The spatial autocorrelation of an image: an ``Autocorrelation``.

    Parameters
    ----------
    image : height x width of uint8, uint16, float32 or float64
        NaN leaves a pixel out. Other integers become the first of these types that holds them exactly. An array of
        pyopencl is read in device memory; those of torch, cupy and others come by DLPack and CUDA's array interface.
    other : height x width, optional
        A second image: the cross-correlation, and ``displacement`` of the result.
    mask : height x width, optional
        0 or False where pixels are left out.
    numerators : bool or array of int64
        Whether the exact sums N(X,Y) = sum I(x,y) I(x+X,y+Y) are wanted; of integer images.
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}

    The plan is kept for the next call alike. ``pentacl.Autocorr`` is the plan itself.

    >>> image = np.array([[1, 2], [3, 4]], np.uint8)
    >>> pentacl.autocorr(image, max_offset=1, numerators=True).numerators.tolist()
    [[4, 11, 6], [14, 30, 14], [6, 11, 4]]
    """
    image, hidden = _arrays.masked(image)
    mask = _arrays.mask_and(mask, hidden)
    if other is not None and not _opencl.is_array(image) and not _opencl.is_array(other):
        image, other = _alike(image, other)
    array = image if _opencl.is_array(image) else _arrays.frame(image, "image")
    context = _opencl.context_of(device, array)
    key = "autocorr", array.shape, array.dtype.num, repr(options)
    with context.lock:
        plan = context.plan(key, lambda: Autocorr(array.shape, array.dtype, device=context, **options))
        return plan.run(array, other, mask=mask, numerators=numerators)


@result
class GrowthFit(Result):
    """A model of the growth of a length: R = v t, R = R0 + v t or R = A (t - t0)^a. ``value`` and ``standard_error``
    by the names of the parameters; ``aicc``: the least is best; ``contradicted``: the data speak against it."""

    model: str
    ok: bool
    value: dict[str, float]
    standard_error: dict[str, float]
    aicc: float
    rss: float
    weighted: bool
    chi2: float
    dof: int
    p_value: float
    contradicted: bool


def growth(
    times: ArrayLike, lengths: Sequence[Peak] | ArrayLike, errors_of_lengths: ArrayLike | None = None
) -> tuple[dict[str, GrowthFit], np.ndarray]:
    """Fits the growth of a length over a series: (dict of ``GrowthFit`` by model, array that marks the outliers).

    ``lengths`` in px, or a list of ``Peak``; ``errors_of_lengths``: standard errors, which weigh the points.

    >>> fits, outlier = pentacl.growth([1, 2, 3, 4, 5], [3, 5, 7, 9, 11])
    >>> {name: round(float(value), 9) for name, value in fits["linear"].value.items()}
    {'R0': 1.0, 'v': 2.0}
    """
    if len(lengths) and isinstance(lengths[0], Peak):
        good = [peak.status == "ok" for peak in lengths]
        known = [peak.r_max_se for peak, use in zip(lengths, good) if use]
        if errors_of_lengths is None and known and np.isfinite(known).all():
            errors_of_lengths = [peak.r_max_se for peak in lengths]
        lengths = [peak.r_max if use else np.nan for peak, use in zip(lengths, good)]
    t = _arrays.reals(times, "times", (None,))
    r = _arrays.reals(lengths, "lengths", t.shape)
    se = None if errors_of_lengths is None else _arrays.reals(errors_of_lengths, "errors_of_lengths", t.shape)
    outlier = np.zeros(t.shape, bool)
    fits = ffi.new("penta_growth_fit[]", lib.PENTA_GROWTH_MODELS)
    columns = map(_arrays.doubles, (t, r, se))
    errors.check(lib.penta_growth_fit_all(len(t), *columns, _arrays.pointer(outlier, "bool *"), fits))
    points = int((np.isfinite(t) & np.isfinite(r) & ~outlier).sum())
    shown = [fit for fit in fits if lib.penta_growth_shows(ffi.addressof(fit), points)]
    if shown and all(fit.contradicted for fit in shown):
        best = min(shown, key=lambda fit: fit.chi2 / fit.dof)
        errors.warn(
            "growth: every law that was fitted contradicts the data by the frames' own errors, or these are too small; "
            f"the nearest is {text(lib.penta_growth_model_name(best.model))} "
            f"(chi2/dof = {best.chi2 / best.dof:.3g}, p = {best.p_value:.1g})"
        )
    return {fit.model: fit for fit in map(_fit, fits)}, outlier


def _fit(f):
    names = [text(lib.penta_growth_parameter_name(f.model, i)) for i in range(f.parameters)]
    values = ({name: array[i] for i, name in enumerate(names)} for array in (f.value, f.standard_error))
    return taken(
        GrowthFit, f, model=text(lib.penta_growth_model_name(f.model)), value=next(values), standard_error=next(values)
    )
