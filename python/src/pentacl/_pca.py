"""Principal components and maximum noise fractions, as an estimator of scikit-learn."""

from __future__ import annotations

import numbers

import numpy as np

from . import _arrays, _opencl
from ._estimator import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_is_fitted,
    validate_data,
)
from ._library import ffi, lib
from ._tables import documented, tables
from ._types import Any, ArrayLike
from .context import Context, Plan, shared

DTYPES = [np.float64, np.float32, np.uint8, np.uint16, np.int16, np.int32, np.uint32]
PIECE = 64 << 20  # bytes handed over in one call: Ctrl-C is seen between two


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
    singular_values_, mean_, covariance_, n_components_, n_samples_, n_features_in_

    Samples in rows (C order) and features in columns of their own (Fortran order: ``cube.reshape(bands, -1).T``) are
    both read where they are. Arrays of pyopencl are read in device memory, and their scores are such arrays. Float32
    gives float32 scores, all other types float64.
    """

    components_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    singular_values_: np.ndarray
    mean_: np.ndarray
    covariance_: np.ndarray
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
        X, hidden = _arrays.masked(X)
        if hidden is not None and self.kind == "mnf":
            raise ValueError("kind='mnf' takes differences of neighbours, so X may have no masked elements")
        X = self._validate(X if hidden is None else X[~hidden.any(axis=1)], reset=True)
        options, keep = self._options(X.shape)
        with Plan(
            self._context(X), lib.penta_pca_destroy, lib.penta_pca_create, X.shape[1], X.shape[0], options
        ) as plan:
            for rows in _pieces(X, self._row_length(len(X))):
                plan.call(lib.penta_pca_add, rows)
            model = ffi.new("penta_pca_model *")
            plan.call(lib.penta_pca_solve, model)
        try:
            self._take(model[0])
        finally:
            lib.penta_pca_model_free(model)
        del keep
        return self

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

    def _validate(self, X, reset):
        if _opencl.is_array(X):
            lent = self._lend(X, None if reset else self.n_features_in_)
            self.n_features_in_ = X.shape[1]
            return lent
        X = _arrays.widened(X, "X")
        finite = True if self.no_data is None else "allow-nan"
        return validate_data(
            self, X, dtype=DTYPES, ensure_min_samples=2 if reset else 1, ensure_all_finite=finite, reset=reset
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
        self.covariance_ = _arrays.copy(model.covariance, (bands, bands), np.float64)
        self.components_ = _arrays.copy(model.loadings, (kept, bands), np.float64)
        self.explained_variance_ = _arrays.copy(model.eigenvalues, (bands,), np.float64)[:kept]
        self.explained_variance_ratio_ = _arrays.copy(model.percent, (bands,), np.float64)[:kept] / 100
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
