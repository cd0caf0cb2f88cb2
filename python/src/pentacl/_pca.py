"""Principal components and maximum noise fractions, as an estimator of scikit-learn."""

from __future__ import annotations

import numbers
import os
import pathlib

import numpy as np

from . import _arrays, _opencl, errors
from ._estimator import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
    validate_data,
)
from ._library import ffi, io_lib, lib, text
from ._result import Curve, Pictured
from ._tables import documented, tables
from ._types import Any, ArrayLike
from .context import Context, Plan, shared

DTYPES = [np.float64, np.float32, np.uint8, np.uint16, np.int16, np.int32, np.uint32]
PIECE = 64 << 20  # bytes handed over in one call: Ctrl-C is seen between two
# Samples, and numbers, from which on a plan sums as it does for any more: 16 times MOST_PIXELS and CPU_SLAB in
# src/pca/slab.c (choose_capacity in src/pca/plan.c); on GPUs less would do.
FULL_SAMPLES, FULL_NUMBERS = 1 << 24, 1 << 28
EXACT = ("uint8", "uint16", "int16")  # whose sums are the same however they are cut
FITTED = {"components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "covariance_"}
FITTED |= {"n_components_", "n_samples_", "noise_variance_", "_forward", "_inverse", "_deviation", "_cov"}
FITTED |= {"_eigenvalues", "_percent", "_rounding"}


@documented("pca", without=("components", "variance"))
class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Principal components, or maximum noise fractions, on an OpenCL device.

    Parameters
    ----------
    n_components : int or float, optional
        How many are kept; below 1: as few as explain this share of the variance. By default all.
    row_length : int, optional
        Of ``kind="mnf"``: the samples are the pixels of an image, so many in a row; noise is estimated from differences
        of neighbours in a row. By default all are one row.
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}

    Attributes
    ----------
    components_ : n_components_ x n_features_in_
        Unit vectors; the largest entry of each in absolute value is positive. (MNF: of noise variance 1.)
    explained_variance_, explained_variance_ratio_ : n_components_
        Eigenvalues of the covariance, and their shares. (MNF: signal-to-noise ratios + 1.)
    noise_variance_ : float
        Mean of the eigenvalues that are not kept, after Tipping and Bishop. (MNF: NaN.)
    singular_values_, mean_, covariance_, n_components_, n_samples_, n_features_in_

    Samples in rows (C order) and features in columns of their own (Fortran order: ``cube.reshape(bands, -1).T``) are
    both read where they are. Arrays of pyopencl are read in device memory, and their scores are such arrays. Float32
    gives float32 scores, all other types float64.

    >>> X = np.array([[0, 0], [3, 4], [6, 8]])
    >>> fitted = pentacl.PCA(1).fit(X)
    >>> fitted.components_.round(9).tolist(), fitted.transform(X).round(9).tolist()
    ([[0.6, 0.8]], [[-5.0], [0.0], [5.0]])
    """

    components_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    singular_values_: np.ndarray
    mean_: np.ndarray
    covariance_: np.ndarray
    noise_variance_: float
    n_components_: int
    n_samples_: int
    n_features_in_: int

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        whiten=False,
        standardize=False,
        kind="pca",
        cov="auto",
        precision="auto",
        ddof=1,
        no_data=None,
        row_length: int | None = None,
        device: Context | str | int | None = None,
    ):
        self.n_components = n_components
        self.whiten = whiten
        self.standardize = standardize
        self.kind = kind
        self.cov = cov
        self.precision = precision
        self.ddof = ddof
        self.no_data = no_data
        self.row_length = row_length
        self.device = device

    def fit(self, X: ArrayLike, y: Any = None) -> PCA:
        """Finds the components of X (samples x features). Samples with masked features are left out."""
        self._forget()
        X = self._validate(self._unmasked(X), reset=True)
        self._warn_no_data(X.dtype)
        with self._plan(X) as plan:
            for rows in _pieces(X, self._row_length(len(X))):
                plan.call(lib.penta_pca_add, rows)
            self._solve(plan)
        return self

    def partial_fit(self, X: ArrayLike, y: Any = None) -> PCA:
        """Adds samples to those of the calls before: the components are those that one ``fit`` of all of them would
        find, to the bit. Components are found when they are asked for, and a later ``fit`` forgets all samples.

        Sums of 8 and 16 bits are exact in any order, and nothing is kept. How others are rounded depends on the number
        of all samples while they are few, so these are kept in host memory: up to 2**28 numbers, or 2**24 samples."""
        stream = self.__dict__.get("_stream")
        if stream is None and "_forward" in self.__dict__:
            errors.warn("partial_fit begins with these samples: those of fit are not kept")
            self._forget()
        X = self._validate(self._unmasked(X), reset=stream is None, least=1)
        if stream is None:
            self._warn_no_data(X.dtype)
            stream = _Stream()
        stream.add(self, X)
        for name in FITTED & self.__dict__.keys():
            del self.__dict__[name]
        self._stream = stream
        return self

    def __getattr__(self, name):
        # What partial_fit has put off.
        if name in FITTED and "_stream" in self.__dict__:
            self._stream.solve(self)
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self):
        if "_stream" in self.__dict__:
            self._stream.solve(self)
        parent = getattr(super(), "__getstate__", None)
        state = dict((parent and parent()) or self.__dict__)
        state.pop("_stream", None)  # pickles keep the components, not the samples
        return state

    def _forget(self):
        for name in (FITTED | {"_stream", "_file"}) & self.__dict__.keys():
            del self.__dict__[name]

    def _unmasked(self, X):
        X, hidden = _arrays.masked(X)
        if hidden is not None and self.kind == "mnf":
            raise ValueError("kind='mnf' takes differences of neighbours, so X may have no masked elements")
        return X if hidden is None else X[~hidden.any(axis=1)]

    def _warn_no_data(self, dtype):
        try:
            holds = self.no_data is None or lib.penta_cube_type_holds(_arrays.TYPES[dtype], float(self.no_data))
        except ValueError:  # the library says what is wrong with it
            return
        if not holds:
            errors.warn(f"`no_data` {self.no_data} leaves no pixel out: no number of type {dtype} is that")

    def _plan(self, X, samples=None, expected=None):
        """A plan for so many samples like X; ``expected``: how many the library knows of, 0: no number."""
        samples = len(X) if samples is None else samples
        expected = samples if expected is None else expected
        options, keep = self._options((samples, X.shape[1]))
        create = lib.penta_pca_create
        plan = Plan(self._context(X), lib.penta_pca_destroy, create, X.shape[1], expected, options)
        plan.keep = keep
        return plan

    def _solve(self, plan):
        model = ffi.new("penta_pca_model *")
        plan.call(lib.penta_pca_solve, model)
        try:
            self._take(model[0])
        finally:
            lib.penta_pca_model_free(model)
        self._cov = text(lib.penta_pca_cov_name(plan.handle))

    def fit_transform(self, X: ArrayLike, y: Any = None) -> np.ndarray:
        """``fit(X).transform(X)``."""
        return self.fit(X).transform(X)

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Scores: samples x components; NaN of samples with masked features."""
        check_is_fitted(self)
        X, hidden = _arrays.masked(X)
        if hidden is not None:
            scores = self.transform(np.where(hidden, X.dtype.type(0), X))
            scores[hidden.any(axis=1)] = np.nan
            return scores
        return self._map(self._validate(X, reset=False), self._forward, self.mean_, None)

    def inverse_transform(self, X: ArrayLike) -> np.ndarray:
        """Samples from scores: what the kept components say of them."""
        check_is_fitted(self)
        if _opencl.is_array(X):
            return self._map(self._lend(X, self.n_components_), self._inverse, None, self.mean_)
        scores = _arrays.unmasked(X, "X")
        scores = scores if scores.dtype in (np.float32, np.float64) else scores.astype(np.float64)
        if scores.ndim != 2 or scores.shape[1] != self.n_components_:
            raise ValueError(f"X must be samples x {self.n_components_}, the scores of this model")
        return self._map(scores, self._inverse, None, self.mean_)

    def get_covariance(self) -> np.ndarray:
        """The covariance of the kept components and of noise of variance ``noise_variance_`` in all directions."""
        check_is_fitted(self)
        if self.kind == "mnf":
            raise ValueError("noise fractions are no model of the covariance; covariance_ has that of the data")
        noise = self.noise_variance_
        above = np.maximum(self.explained_variance_ - noise, 0)
        covariance = (self.components_.T * above) @ self.components_ + noise * np.eye(self.n_features_in_)
        return covariance * np.outer(self._deviation, self._deviation) if self.standardize else covariance

    def get_precision(self) -> np.ndarray:
        """The inverse of ``get_covariance()``."""
        return np.linalg.inv(self.get_covariance())

    def score_samples(self, X: ArrayLike) -> np.ndarray:
        """The logarithm of the likelihood of each sample, as one of a Gaussian with ``get_covariance()``."""
        check_is_fitted(self)
        X, hidden = _arrays.masked(X)
        if _opencl.is_array(X):
            X = X.get()
        away = np.asarray(self._validate(X, reset=False), np.float64) - self.mean_
        _, logarithm = np.linalg.slogdet(2 * np.pi * self.get_covariance())
        likelihood = -0.5 * (np.einsum("ij,ij->i", away @ self.get_precision(), away) + logarithm)
        return likelihood if hidden is None else np.where(hidden.any(axis=1), np.nan, likelihood)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """The mean of ``score_samples(X)``, without samples that are left out."""
        return float(np.nanmean(self.score_samples(X)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes model.json as ``penta pca`` does, which ``penta pca --transform`` and ``PCA.load`` read."""
        check_is_fitted(self)
        if "_file" in self.__dict__:  # it may say more than is known here
            pathlib.Path(path).write_bytes(self._file)
            return
        io, model, error = io_lib(), ffi.new("penta_io_model *"), ffi.new("penta_io_error *")
        precision = b"single" if self.precision == "single" else b"double"
        try:
            model.file_bands = self.n_features_in_
            done = io.penta_io_model_take(model, self._model(), self._cov.encode(), precision, error)
            if not (done and io.penta_io_model_write(os.fsencode(path), model, error)):
                raise errors.InvalidError(text(error.text))
        finally:
            model.m = ffi.new("penta_pca_model *")[0]  # whose arrays are NumPy's
            io.penta_io_model_free(model)

    def _model(self):
        """penta_pca_model * of the arrays here."""
        own = ffi.new("penta_pca_model *")
        own.bands, own.components, own.pixels = self.n_features_in_, self.n_components_, self.n_samples_
        own.kind, own.ddof = tables["pca"].rows["kind"].choices.index(self.kind), self.ddof
        own.standardize, own.whiten, own.rounding = self.standardize, self.whiten, self._rounding
        own.mean, own.deviation = _arrays.doubles(self.mean_), _arrays.doubles(self._deviation)
        own.covariance, own.loadings = _arrays.doubles(self.covariance_), _arrays.doubles(self.components_)
        own.eigenvalues, own.percent = _arrays.doubles(self._eigenvalues), _arrays.doubles(self._percent)
        own.forward, own.inverse = _arrays.doubles(self._forward), _arrays.doubles(self._inverse)
        return own

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, device: Context | str | int | None = None) -> PCA:
        """The model that ``save`` or ``penta pca`` wrote: of X with the bands that it was made of, in their units.
        ``covariance_`` is not in the file. ``bands_`` are those of a file, from 0, and ``wavelengths_`` theirs in nm,
        or None."""
        io, model, error = io_lib(), ffi.new("penta_io_model *"), ffi.new("penta_io_error *")
        if not io.penta_io_model_read(os.fsencode(path), model, error):
            raise errors.InvalidError(text(error.text))
        try:
            m = model.m
            rows = tables["pca"].rows
            self = cls(m.components, whiten=m.whiten, standardize=m.standardize, ddof=m.ddof, device=device)
            self.kind = rows["kind"].choices[m.kind]
            self.n_features_in_ = m.bands
            self._take(m)
            self.bands_ = _arrays.copy(model.selection, (m.bands,), np.uintp)
            self.wavelengths_ = _arrays.copy(model.wavelengths, (m.bands,), np.float64)
            self._file = pathlib.Path(path).read_bytes()
        finally:
            io.penta_io_model_free(model)
        return self

    def plot(self, ax: Any = None) -> Any:
        """Draws the shares of the variance with matplotlib and returns the figure; in ``ax`` where it is given."""
        check_is_fitted(self)
        return Pictured.plot(self, ax)

    def to_dict(self) -> dict[str, Any]:
        """What was found, by the names of the attributes."""
        check_is_fitted(self)
        names = sorted(name for name in FITTED | {"n_features_in_"} if not name.startswith("_"))
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def _panels(self):
        n = np.arange(1, self.n_components_ + 1)
        shares = self.explained_variance_ratio_
        lines = {"each": 100 * shares, "together": 100 * np.cumsum(shares)}
        return [Curve(n, lines, "explained variance", ("component", "%"), log=True)]

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = self.no_data is not None
        return tags

    def _more_tags(self):  # the same for scikit-learn before 1.6
        return {"preserves_dtype": [np.float64, np.float32], "allow_nan": self.no_data is not None}

    def _context(self, X):
        return X.context if isinstance(X, _opencl.Lent) else shared(self.device)

    def _lend(self, X, features):
        """An array of pyopencl, as a call takes it."""
        _opencl.check(X, "X", DTYPES, 2)
        if features is not None and X.shape[1] != features:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {features} features")
        lent = _opencl.Lent(_opencl.context_of(self.device, X), X)
        lent.wait_for_queue()
        return lent

    def _validate(self, X, reset, least=2):
        if _opencl.is_array(X):
            lent = self._lend(X, None if reset else self.n_features_in_)
            self.n_features_in_ = X.shape[1]
            return lent
        X = _arrays.widened(_arrays.host(X, "X"), "X")
        finite = True if self.no_data is None else "allow-nan"
        return validate_data(
            self, X, dtype=DTYPES, ensure_min_samples=least if reset else 1, ensure_all_finite=finite, reset=reset
        )

    def _options(self, shape):
        given = {name: getattr(self, name) for name in tables["pca"].rows if hasattr(self, name)}
        n, most = self.n_components, min(shape)
        if n is None:
            given["components"] = most
        elif isinstance(n, numbers.Integral):
            if not 1 <= n <= most:
                raise ValueError(f"n_components={n} must be between 1 and min(n_samples, n_features)={most}")
            given["components"] = n
        elif isinstance(n, numbers.Real) and 0 < n < 1:
            given["variance"] = 100 * n
        else:
            raise ValueError(f"n_components={n!r} must be a number of components, or a share between 0 and 1")
        return tables["pca"].make(given)

    def _row_length(self, samples):
        if self.row_length is None:
            return samples
        if self.row_length < 1 or samples % self.row_length:
            raise ValueError(f"row_length={self.row_length} does not divide the {samples} samples")
        return self.row_length

    def _take(self, model):
        bands, kept = model.bands, model.components
        self.n_components_ = kept
        self.n_samples_ = model.pixels
        self.mean_ = _arrays.copy(model.mean, (bands,), np.float64)
        if model.covariance:
            self.covariance_ = _arrays.copy(model.covariance, (bands, bands), np.float64)
        self._deviation = _arrays.copy(model.deviation, (bands,), np.float64)
        self.components_ = _arrays.copy(model.loadings, (kept, bands), np.float64)
        self._eigenvalues = _arrays.copy(model.eigenvalues, (bands,), np.float64)
        self._percent = _arrays.copy(model.percent, (bands,), np.float64)
        self._rounding = model.rounding
        self.explained_variance_ = self._eigenvalues[:kept]
        left = self._eigenvalues[kept : min(bands, model.pixels)] if model.kind == lib.PENTA_PCA_PCA else [np.nan]
        self.noise_variance_ = float(np.mean(left)) if len(left) else 0.0
        self.explained_variance_ratio_ = self._percent[:kept] / 100
        self.singular_values_ = np.sqrt(np.maximum(self.explained_variance_, 0) * (model.pixels - model.ddof))
        self._forward = _arrays.copy(model.forward, (kept, bands), np.float64)
        self._inverse = _arrays.copy(model.inverse, (bands, kept), np.float64)

    def _map(self, X, matrix, before, after):
        """matrix (x - before) + after of each row of X."""
        affine = ffi.new("penta_affine *")
        affine.outs, affine.ins = matrix.shape
        affine.matrix = _arrays.doubles(matrix)
        affine.before, affine.after = _arrays.doubles(before), _arrays.doubles(after)
        precision = tables["pca"].rows["precision"].choices.index(self.precision)
        no_data = ffi.NULL if self.no_data is None else str(self.no_data).encode()
        dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
        out = _outputs(X, len(matrix), dtype)
        form = ffi.new("penta_map_format *")
        form.type, form.fill = _arrays.TYPES[dtype], np.nan
        with Plan(self._context(X), lib.penta_map_destroy, lib.penta_map_create, affine, precision, no_data) as plan:
            first = 0
            while first < len(X):
                count = min(lib.penta_map_room(plan.handle), len(X) - first)
                piece = X[first : first + count]
                for rows in _pieces(piece, len(piece)):
                    plan.call(lib.penta_map_add, rows)
                start = _arrays.pointer(out, "char *") + first * dtype.itemsize
                plan.call(lib.penta_map_take, form, start, len(X))
                first += count
        if isinstance(out, _opencl.Lent):
            out.hold_queue()
            return out.array.T
        return out.T


class _Stream:
    """The samples of ``partial_fit``: kept until a plan can take them as they come, with the sums of one fit."""

    def __init__(self):
        self.kept, self.count, self.plan, self.dtype, self.solved, self.broken = [], 0, None, None, False, False

    def add(self, pca, X):
        if self.broken:
            raise ValueError("a partial_fit before was interrupted, and its samples are lost: fit a new PCA")
        if self.dtype is not None and self.dtype != X.dtype:
            raise TypeError(f"X has the type {X.dtype}; the samples before are of {self.dtype}")
        pca._row_length(len(X))  # whole rows
        if pca.kind == "mnf" and pca.row_length is None:
            raise ValueError("partial_fit of kind='mnf' needs row_length")
        self.dtype, self.count, self.solved = X.dtype, self.count + len(X), False
        if self.plan is None:
            self.kept.append(X.array.get() if isinstance(X, _opencl.Lent) else X.copy(order="K"))
            exact = self.dtype in EXACT and pca.kind == "pca"
            full = self.count >= FULL_SAMPLES or self.count * X.shape[1] >= FULL_NUMBERS
            if not (full or (exact and self.count >= max(X.shape[1], 2))):
                return
            expected = 0 if exact else self.count
            self.plan, kept, self.kept = pca._plan(self.kept[0], self.count, expected), self.kept, []
        else:
            kept = [X]
        self._feed(pca, self.plan, kept)

    def _feed(self, pca, plan, arrays):
        self.broken = plan is self.plan
        for X in arrays:
            for rows in _pieces(X, pca._row_length(len(X))):
                plan.call(lib.penta_pca_add, rows)
        self.broken = False

    def solve(self, pca):
        """Finds the components of all samples so far, unless that was done."""
        if self.solved:
            return
        if self.plan is not None:
            pca._solve(self.plan)
        else:
            with pca._plan(self.kept[0], self.count) as plan:
                self._feed(pca, plan, self.kept)
                pca._solve(plan)
        self.solved = True


def _outputs(X, outputs, dtype):
    """outputs x samples, where X is."""
    if not isinstance(X, _opencl.Lent):
        return np.empty((outputs, len(X)), dtype)
    from pyopencl.array import empty

    return _opencl.Lent(X.context, empty(X.array.queue, (outputs, len(X)), dtype))


def _pieces(X, row_length):
    """X as rows of a cube, in pieces: where it is, if its rows or its columns are contiguous."""
    itemsize, (samples, features) = X.itemsize, X.shape
    by_feature = samples > 1 and X.strides[0] == itemsize and X.strides[1] >= samples * itemsize
    by_feature = by_feature and X.strides[1] % itemsize == 0
    if not by_feature and isinstance(X, _opencl.Lent):
        if X.strides != (features * itemsize, itemsize):
            raise ValueError("an array in device memory must have its rows or its columns one after another")
    elif not by_feature:
        X = np.ascontiguousarray(X)
    step = max(PIECE // max(itemsize * features, 1), 1)
    # Whole rows of an image; a single row can be cut anywhere, unless neighbours matter.
    step = max(step // row_length, 1) * row_length if row_length < samples else step
    for first in range(0, samples, step):
        rows = ffi.new("penta_cube_rows *")
        count = min(step, samples - first)
        rows.cols = min(row_length, count)
        rows.rows = count // rows.cols
        rows.type = _arrays.TYPES[X.dtype]
        rows.layout = lib.PENTA_BSQ if by_feature else lib.PENTA_BIP
        rows.band_stride = X.strides[1] // itemsize if by_feature else 0
        rows.data = _arrays.pointer(X[first:])
        yield rows
