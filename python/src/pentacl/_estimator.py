"""What pentacl.PCA takes from scikit-learn, and the little of it that stands in where that is not installed."""

import inspect

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted

    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6

        def validate_data(estimator, X, *, ensure_all_finite=True, **rules):
            return estimator._validate_data(X, force_all_finite=ensure_all_finite, **rules)

except ImportError:

    class BaseEstimator:
        """Parameters by name, as in scikit-learn."""

        def get_params(self, deep=True):
            """The parameters of the constructor."""
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **parameters):
            """Sets parameters by name."""
            for name, value in parameters.items():
                if name not in self.get_params():
                    raise ValueError(f"{type(self).__name__} has no parameter {name}")
                setattr(self, name, value)
            return self

        def __repr__(self):
            given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items() if value is not None)
            return f"{type(self).__name__}({given})"

    class TransformerMixin:
        """fit and transform in one."""

        def fit_transform(self, X, y=None):
            """``fit(X).transform(X)``."""
            return self.fit(X, y).transform(X)

    class ClassNamePrefixFeaturesOutMixin:
        """Names of the outputs: pca0, pca1, ..."""

        def get_feature_names_out(self, input_features=None):
            """The class's name and a number, for each output."""
            return np.array([f"{type(self).__name__.lower()}{i}" for i in range(self._n_features_out)], dtype=object)

    def check_is_fitted(estimator):
        if not hasattr(estimator, "components_"):
            raise ValueError(f"this {type(estimator).__name__} is not fitted: call fit first")

    def validate_data(estimator, X, *, dtype, ensure_min_samples=1, ensure_all_finite=True, reset=True, **_):
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"expected a 2D array, got {X.ndim}D: reshape your data")
        if X.dtype not in dtype:
            X = X.astype(dtype[0])
        if len(X) < ensure_min_samples:
            raise ValueError(f"found array with {len(X)} sample(s), a minimum of {ensure_min_samples} is required")
        if ensure_all_finite is True and X.dtype.kind == "f" and not np.isfinite(X).all():
            raise ValueError("the input contains NaN or infinity")
        if reset:
            estimator.n_features_in_ = X.shape[1]
        elif X.shape[1] != estimator.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but this was fitted with {estimator.n_features_in_}")
        return X


__all__ = ["BaseEstimator", "ClassNamePrefixFeaturesOutMixin", "TransformerMixin", "check_is_fitted", "validate_data"]
