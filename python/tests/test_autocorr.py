"""pentacl.autocorr against sums in integers, SciPy's correlations and patterns whose length is known."""

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal
from conftest import layouts

import pentacl

SHAPES = [(5, 7), (16, 16), (33, 20), (64, 129)]


def numerators(image, other, reach):
    """N(X,Y) = sum I(x,y) J(x+X,y+Y), as it is written, in integers."""
    a, b = image.astype(object if image.dtype.kind == "O" else np.int64), other.astype(np.int64)
    height, width = a.shape
    out = np.zeros((2 * reach + 1, 2 * reach + 1), np.int64)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            here = a[max(0, -dy) : height - max(0, dy), max(0, -dx) : width - max(0, dx)]
            there = b[max(0, dy) : height - max(0, -dy), max(0, dx) : width - max(0, -dx)]
            out[dy + reach, dx + reach] = (here * there).sum()
    return out


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, bool, np.int8, np.int32, np.uint64])
@pytest.mark.parametrize("method", ["auto", "naive", "lines", "tiled", "fft"])
def test_numerators_are_exact(rng, shape, dtype, method):
    most = 2 if dtype is bool else min(np.iinfo(dtype).max, 65535) + 1
    image = rng.integers(0, most, shape).astype(dtype)
    reach = min(shape) - 1
    found = pentacl.autocorr(image, max_offset=reach, numerators=True, method=method)
    assert found.numerators.dtype == np.int64 and found.numerators.shape == (2 * reach + 1, 2 * reach + 1)
    np.testing.assert_array_equal(found.numerators, numerators(image, image, reach))
    assert method in ("auto", found.method)


def test_the_issues_call(rng):
    image = rng.integers(0, 65536, (700, 900), dtype=np.uint16)
    found = pentacl.autocorr(image, max_offset=250, numerators=True).numerators
    assert found.shape == (501, 501) and found.dtype == np.int64
    for dy, dx in ((0, 0), (250, 250), (-250, 17), (1, -250)):
        here = image[max(0, -dy) : 700 - max(0, dy), max(0, -dx) : 900 - max(0, dx)].astype(np.int64)
        there = image[max(0, dy) : 700 - max(0, -dy), max(0, dx) : 900 - max(0, -dx)].astype(np.int64)
        assert found[dy + 250, dx + 250] == (here * there).sum()


@pytest.mark.parametrize("order", ["rows", "columns", "steps", "backwards", "other bytes", "read only", "list of rows"])
def test_any_strides(rng, order):
    image = rng.integers(0, 65536, (24, 31), dtype=np.uint16)
    found = pentacl.autocorr(layouts(image)[order], max_offset=6, numerators=True)
    np.testing.assert_array_equal(found.numerators, numerators(image, image, 6))


def test_a_contiguous_image_is_not_copied(rng):
    image = rng.random((20, 30))
    assert pentacl._arrays.frame(image, "image") is image
    assert np.shares_memory(pentacl._arrays.frame(image[5:], "image"), image)


def test_cross_correlation_against_scipy(rng):
    a, b = rng.integers(0, 256, (2, 30, 41)).astype(np.uint8)
    b = b * np.int16(3)  # one type holds both
    found = pentacl.autocorr(a, b, max_offset=9, numerators=True).numerators
    full = scipy.signal.correlate(b.astype(np.int64), a.astype(np.int64), method="direct")
    np.testing.assert_array_equal(found, full[29 - 9 : 29 + 10, 40 - 9 : 40 + 10])


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("masked", [False, True])
def test_estimators(rng, dtype, masked):
    image = (rng.random((40, 50)) * 200).astype(dtype)
    mask = rng.random((40, 50)) > 0.2 if masked else np.ones((40, 50), bool)
    reach = 7
    i = np.where(mask, image.astype(float), 0)
    weight = mask.astype(float)
    mean = i.sum() / weight.sum()
    centred = np.where(mask, i - mean, 0)

    def sums(a, b):
        return scipy.signal.correlate(b, a, method="direct")[39 - reach : 39 + reach + 1, 49 - reach : 49 + reach + 1]

    pairs = sums(weight, weight)
    products = sums(centred, centred)
    wanted = products / pairs / (products[reach, reach] / pairs[reach, reach])
    options = {"mask": mask if masked else None, "max_offset": reach}
    np.testing.assert_allclose(pentacl.autocorr(image, **options).c2d, wanted, atol=1e-11)
    raw = sums(i, i)
    got = pentacl.autocorr(image, estimator="eq1", demean="none", **options).c2d
    np.testing.assert_allclose(got, raw / raw[reach, reach], atol=1e-12)
    np.testing.assert_array_equal(pentacl.autocorr(image, preset="paper", **options).c2d, got)


def test_azimuthal_average(rng):
    found = pentacl.autocorr(rng.random((60, 60)), max_offset=12)
    y, x = np.mgrid[-12:13, -12:13]
    r = np.hypot(x, y)
    for i in range(13):
        ring = (r >= i - 0.5) & (r < i + 0.5)
        assert found.c1d["count"][i] == ring.sum()
        assert found.c1d["mean_r"][i] == pytest.approx(r[ring].mean(), abs=1e-12)
        assert found.c1d["c"][i] == pytest.approx(found.c2d[ring].mean(), abs=1e-12)
        assert found.c1d["sd"][i] == pytest.approx(found.c2d[ring].std(), abs=1e-12)


@pytest.mark.parametrize("length", [12, 20.5])
def test_length_of_a_pattern(rng, length):
    # Waves of one wave number in all directions: C is J0(k r), whose first maximum lies at 7.0156 / k.
    k = 7.0156 / length
    y, x = np.mgrid[0:400, 0:400]
    image = sum(
        np.cos(k * (x * np.cos(a) + y * np.sin(a)) + p)
        for a, p in zip(np.arange(64) * np.pi / 64, rng.random(64) * 2 * np.pi)
    )
    peak = pentacl.autocorr(image.astype(np.float32), max_offset=80).peak
    assert peak.status == "ok" and peak.doubts == ()
    assert abs(peak.r_max - length) < 0.02 * length
    assert peak.r_min < peak.r_max and 0 < peak.r_max_se < 0.1 * length


def test_displacement(rng):
    scene = scipy.ndimage.gaussian_filter(rng.normal(size=(200, 220)), 3)
    moved = scipy.ndimage.shift(scene, (4.3, -2.6), order=5)
    found = pentacl.autocorr(scene[30:170, 30:190], moved[30:170, 30:190], max_offset=15).displacement
    assert found.status == "ok"
    assert abs(found.dx + 2.6) < 0.1 and abs(found.dy - 4.3) < 0.1


def test_not_a_number_leaves_pixels_out(rng):
    image = rng.random((30, 30))
    image[3:6, 10:20] = np.nan
    found = pentacl.autocorr(image, max_offset=5)
    mask = ~np.isnan(image)
    np.testing.assert_allclose(
        found.c2d, pentacl.autocorr(np.nan_to_num(image), mask=mask, max_offset=5).c2d, atol=1e-12
    )
    assert found.nan_pixels == 30


def test_arrays_of_the_caller(rng):
    image = rng.integers(0, 256, (40, 40), dtype=np.uint8)
    with pentacl.Autocorr(image.shape, image.dtype, max_offset=5) as plan:
        c2d, n = np.zeros((11, 11)), np.zeros((11, 11), np.int64)
        found = plan.run(image, c2d=c2d, numerators=n, c1d=False)
        assert found.c2d is c2d and found.numerators is n and found.c1d is None
        np.testing.assert_array_equal(n, numerators(image, image, 5))
        with pytest.raises(ValueError, match="contiguous, writeable array of float64"):
            plan.run(image, c2d=np.zeros((11, 11), np.float32))
        with pytest.raises(ValueError, match="this plan is for"):
            plan.run(image[:20])
    with pytest.raises(ValueError, match="closed"):
        plan.run(image)


def test_series_has_the_bits_of_single_images(rng):
    images = rng.integers(0, 256, (7, 50, 60), dtype=np.uint8)
    seen = []
    with pentacl.Autocorr((50, 60), np.uint8, max_offset=10) as plan:
        series = plan.run_series(images, numerators=True, progress=lambda done, total: seen.append((done, total)))
        for image, found in zip(images, series):
            alone = plan.run(image, numerators=True)
            np.testing.assert_array_equal(found.c2d, alone.c2d)
            np.testing.assert_array_equal(found.numerators, alone.numerators)
        assert plan.run_series([]) == []
    assert seen and seen[-1][1] == 7


def test_growth():
    t = np.arange(1.0, 21)
    fits, outlier = pentacl.growth(t, 3 * t**0.5)
    assert fits["power"].ok and fits["power"].value["a"] == pytest.approx(0.5, abs=1e-4)
    assert not outlier.any()
    slope, start = np.polyfit(t, 2 + 0.7 * t + np.sin(t), 1)
    line = pentacl.growth(t, 2 + 0.7 * t + np.sin(t))[0]["linear"]
    assert line.value["v"] == pytest.approx(slope) and line.value["R0"] == pytest.approx(start)
