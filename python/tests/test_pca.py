"""pentacl.PCA against scikit-learn's, NumPy's eigenvalues, and scikit-learn's own checks of estimators."""

import pickle

import numpy as np
import pytest
import sklearn
import sklearn.decomposition
from conftest import layouts
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import pentacl


@pytest.fixture
def X(rng):
    return rng.normal(size=(400, 9)) @ rng.normal(size=(9, 9)) + 10 * rng.normal(size=9)


def reference(X, **options):
    return sklearn.decomposition.PCA(svd_solver="full", **options).fit(np.asarray(X, float))


def agree(ours, theirs, X, rtol=1e-9):
    scale = np.abs(theirs.transform(np.asarray(X, float))).max()
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(ours.mean_, theirs.mean_, rtol=1e-11, atol=1e-11 * np.abs(theirs.mean_).max())
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=rtol)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=rtol)
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=rtol)
    # The sign of a component is a convention.
    sign = np.sign((ours.components_ * theirs.components_).sum(1))
    np.testing.assert_allclose(ours.components_ * sign[:, None], theirs.components_, atol=1e-7)
    single = ours.transform(X).dtype == np.float32
    scores = theirs.transform(np.asarray(X, float))
    np.testing.assert_allclose(ours.transform(X) * sign, scores, atol=(2e-6 if single else 1e-8) * scale)
    np.testing.assert_allclose(
        ours.inverse_transform(ours.transform(X)),
        theirs.inverse_transform(scores),
        atol=(1e-5 if single else 1e-8) * max(scale, np.abs(theirs.mean_).max()),
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [pentacl.PCA(), pentacl.PCA(whiten=True), pentacl.PCA(precision="single")])
def test_scikit_learns_checks(estimator):
    if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 6):
        check_estimator(estimator)
        return
    results = check_estimator(estimator, on_fail=None)
    wrong = {result["check_name"]: result["exception"] for result in results if result["status"] in ("failed", "xfail")}
    assert not wrong
    assert sum(result["status"] == "passed" for result in results) > 30


@pytest.mark.parametrize("n", [None, 1, 4, 9, 0.8, 0.999])
def test_scikit_learns_numbers(X, n):
    agree(pentacl.PCA(n_components=n).fit(X), reference(X, n_components=n), X)


@pytest.mark.parametrize("order", ["rows", "columns", "steps", "backwards", "other bytes", "read only"])
def test_any_strides(X, order):
    agree(pentacl.PCA(3).fit(layouts(X)[order]), reference(X, n_components=3), layouts(X)[order])


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "f2", "i4", "u4", "f4", "f8", "i8", "u8", "?"])
def test_types(rng, dtype):
    X = rng.normal(size=(300, 5)) @ rng.normal(size=(5, 5)) * 20 + 100
    X = X > 100 if dtype == "?" else np.clip(X - (dtype == "i1") * 128, -128 if dtype == "i1" else 0, 255).astype(dtype)
    ours = pentacl.PCA(4).fit(X)
    agree(ours, reference(X, n_components=4), X)
    assert ours.transform(X).dtype == (np.float32 if dtype in ("f2", "f4") else np.float64)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_beyond_doubles(rng, dtype):
    X = rng.integers(0, 1000, (50, 3)).astype(dtype)
    X[7, 1] = 2**53
    pentacl.PCA().fit(X)
    X[7, 1] += dtype(1)
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        pentacl.PCA().fit(X)


def test_covariance_of_integers_is_exact(rng):
    X = rng.integers(0, 65536, (1000, 6)).astype(np.uint16)
    total = X.astype(object)
    n, sums = len(X), total.sum(0)
    exact = (n * (total.T @ total) - np.outer(sums, sums)) / (n * (n - 1))
    np.testing.assert_allclose(pentacl.PCA().fit(X).covariance_, exact.astype(float), rtol=1e-14)


def test_memory_is_read_where_it_is(rng):
    X = rng.random((50, 4))
    for array, layout in (
        (X, "PENTA_BIP"),
        (np.asfortranarray(X), "PENTA_BSQ"),
        (np.asfortranarray(X)[10:40, 1:], "PENTA_BSQ"),
        (X[5:], "PENTA_BIP"),
    ):
        (rows,) = pentacl._pca._pieces(array, len(array))
        assert int(pentacl._library.ffi.cast("uintptr_t", rows.data)) == array.__array_interface__["data"][0]
        assert rows.layout == getattr(pentacl._library.lib, layout)
        agree(pentacl.PCA(2).fit(array), reference(array, n_components=2), array)


def test_pieces_change_no_bit(rng, monkeypatch):
    X = rng.random((1000, 5))
    whole = pentacl.PCA().fit(X)
    monkeypatch.setattr(pentacl._pca, "PIECE", 5 * 8 * 37)
    for array in (X, np.asfortranarray(X)):
        parts = pentacl.PCA().fit(array)
        np.testing.assert_array_equal(parts.covariance_, whole.covariance_)
        np.testing.assert_array_equal(parts.transform(array), whole.transform(X))


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f4", "f8"])
@pytest.mark.parametrize("kind", ["pca", "mnf"])
def test_partial_fits_are_one_fit(rng, dtype, kind):
    X = (rng.normal(size=(70000, 4)) @ rng.normal(size=(4, 4)) * 20 + 100).clip(0, 255).astype(dtype)
    options = {"n_components": 3, "kind": kind, "row_length": 10 if kind == "mnf" else None}
    parts, last = pentacl.PCA(**options), 0
    for count in (10, 30, 33000, 10, 36950):
        parts.partial_fit(X[last : last + count])
        last += count
        if last > 10:
            whole = pentacl.PCA(**options).fit(X[:last])
            for name in ("components_", "explained_variance_", "covariance_", "mean_", "noise_variance_", "n_samples_"):
                np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name), name)
    np.testing.assert_array_equal(parts.transform(X), whole.transform(X))
    with pytest.raises(ValueError, match="features"):
        parts.partial_fit(X[:, :3])
    with pytest.raises(TypeError, match="samples before are of"):
        parts.partial_fit(X.astype("u4"))
    with pytest.warns(pentacl.ResultWarning, match="those of fit are not kept"):
        whole.partial_fit(X[:50])
    assert whole.n_samples_ == 50 and parts.fit(X[:60]).n_samples_ == 60


@pytest.mark.parametrize("options", [{}, {"whiten": True}, {"standardize": True}])
def test_likelihood_and_models_in_files(X, options, tmp_path):
    ours = pentacl.PCA(4, **options).fit(X)
    if "standardize" not in options:
        theirs = reference(X, n_components=4)
        assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_)
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-9)
        assert ours.score(X) == pytest.approx(theirs.score(X))
    ours.save(tmp_path / "model.json")
    again = pentacl.PCA.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.transform(X), ours.transform(X))
    np.testing.assert_array_equal(again.inverse_transform(X[:, :4]), ours.inverse_transform(X[:, :4]))
    assert again.score(X) == pytest.approx(ours.score(X))
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_cube_as_samples(rng):
    cube = rng.integers(0, 4096, (6, 20, 30)).astype(np.uint16)
    X = cube.reshape(6, -1).T
    assert np.shares_memory(X, cube)
    agree(pentacl.PCA(3).fit(X), reference(X, n_components=3), X)


def test_fewer_samples_than_features(rng):
    X = rng.normal(size=(6, 40))
    ours = pentacl.PCA().fit(X)
    theirs = reference(X)
    assert ours.components_.shape == (6, 40)
    np.testing.assert_allclose(ours.explained_variance_[:5], theirs.explained_variance_[:5], rtol=1e-9)
    np.testing.assert_allclose(np.abs(ours.transform(X)[:, :5]), np.abs(theirs.transform(X)[:, :5]), atol=1e-9)


def test_whitened_scores(X):
    scores = pentacl.PCA(4, whiten=True).fit_transform(X)
    np.testing.assert_allclose(np.cov(scores.T), np.eye(4), atol=1e-9)


def test_standardized(X):
    ours = pentacl.PCA(standardize=True).fit(X * np.arange(1, 10))
    np.testing.assert_allclose(ours.explained_variance_, np.linalg.eigvalsh(np.corrcoef(X.T))[::-1], rtol=1e-9)


@pytest.mark.parametrize("ddof", [0, 1])
def test_ddof(X, ddof):
    np.testing.assert_allclose(pentacl.PCA(ddof=ddof).fit(X).covariance_, np.cov(X.T, ddof=ddof), rtol=1e-9)


def test_noise_fractions(rng):
    # Smooth pictures with noise of known strengths: differences of neighbours measure it.
    y, x = np.mgrid[0:120, 0:100]
    signal = np.stack([np.sin(x / 15), np.cos(y / 20), np.sin((x + y) / 25)], -1)
    mixed = signal @ rng.normal(size=(3, 8))
    noise = rng.normal(size=(120, 100, 8)) * np.linspace(0.05, 0.4, 8)
    X = (mixed + noise).reshape(-1, 8)
    ours = pentacl.PCA(kind="mnf", row_length=100).fit(X)
    steps = np.diff((mixed + noise), axis=1).reshape(-1, 8)
    values = np.sort(np.linalg.eigvals(np.linalg.solve(np.cov(steps.T) / 2, np.cov(X.T))).real)[::-1]
    np.testing.assert_allclose(ours.explained_variance_, values, rtol=0.01)


def test_samples_left_out(X):
    holes = X.copy()
    holes[::7, 3] = np.nan
    kept = np.delete(X, np.s_[::7], 0)
    ours = pentacl.PCA(3, no_data="nan").fit(holes)
    agree(ours, reference(kept, n_components=3), kept)
    assert ours.n_samples_ == len(kept)
    assert np.isnan(ours.transform(holes)[::7]).all() and np.isfinite(ours.transform(holes)[1]).all()
    with pytest.raises(ValueError, match="NaN"):
        pentacl.PCA().fit(holes)


def test_pipelines_searches_and_pickles(X, rng):
    from sklearn.linear_model import LinearRegression

    y = X @ rng.normal(size=9)
    pipe = make_pipeline(StandardScaler(), pentacl.PCA(3), LinearRegression())
    search = GridSearchCV(pipe, {"pca__n_components": [1, 9]}, cv=3).fit(X, y)
    assert search.best_params_ == {"pca__n_components": 9} and search.best_score_ > 0.999
    fitted = pentacl.PCA(4).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert clone(fitted).get_params() == fitted.get_params()
    assert list(fitted.get_feature_names_out()) == ["pca0", "pca1", "pca2", "pca3"]


@pytest.mark.parametrize("n", [0, 10, -1, 1.5, "mle"])
def test_wrong_numbers_of_components(X, n):
    with pytest.raises(ValueError, match="n_components"):
        pentacl.PCA(n).fit(X)


def test_without_scikit_learn(in_process):
    code = """
import sys
sys.modules["sklearn"] = None   # cannot be imported
import numpy as np, pentacl
X = np.random.default_rng(0).normal(size=(50, 4))
p = pentacl.PCA(2)
T = p.fit_transform(X)
w = np.linalg.eigvalsh(np.cov(X.T))[::-1][:2]
assert np.allclose(p.explained_variance_, w), (p.explained_variance_, w)
assert np.allclose(np.var(T, axis=0, ddof=1), w)
assert p.set_params(n_components=3).get_params()["n_components"] == 3 and "PCA" in repr(p)
for wrong in (lambda: pentacl.PCA().transform(X), lambda: p.fit(X[0]), lambda: p.fit(X * np.nan),
              lambda: p.transform(X[:, :2])):
    try:
        wrong()
    except ValueError:
        continue
    raise SystemExit("no error")
"""
    in_process(code)
