"""pentacl.stars against Gaussians by SciPy's error function, and coordinates by astropy."""

import numpy as np
import pytest
import scipy.special
from astropy import units
from astropy.coordinates import SkyCoord
from astropy.table import Table
from astropy.time import Time
from astropy.wcs import WCS

import pentacl
from pentacl.stars import Camera, Detector

ORION = (83.8, -1.2)


def integrated(width, height, x, y, flux, sigma):
    """Gaussians integrated over the pixels."""

    def along(n, centre):
        edge = scipy.special.erf((np.arange(n + 1) - 0.5 - centre) / (sigma * np.sqrt(2)))
        return np.diff(edge) / 2

    return sum(f * np.outer(along(height, b), along(width, a)) for a, b, f in zip(x, y, flux))


@pytest.mark.parametrize("engine", ["auto", "serial", "threads", "pixel", "star", "tile", "fixed"])
def test_light_of_stars(rng, engine):
    x, y, flux = rng.random(30) * 70 - 5, rng.random(30) * 50 - 5, rng.random(30) * 1000
    frame = Camera(60, 40, psf="integrated", sigma=1.3, roi=30, engine=engine).draw(x, y, flux=flux, truth=True)
    wanted = integrated(60, 40, x, y, flux, 1.3)
    np.testing.assert_allclose(frame.image, wanted, atol=2e-5 * wanted.max())
    assert frame.drawn == 30 and frame.flux_total == pytest.approx(flux.sum())
    assert engine in ("auto", frame.engine)
    np.testing.assert_allclose(frame.truth["flux"], flux)
    np.testing.assert_allclose(frame.truth["flux_in_frame"].sum(), wanted.sum(), rtol=1e-6)
    np.testing.assert_array_equal(frame.truth["star"], np.arange(30))


def test_double_precision_and_magnitudes(rng):
    x, y, magnitude = rng.random((3, 20)) * [[50], [50], [8]]
    camera = Camera(50, 50, psf="integrated", roi=30, precision="double", mag_base="pogson", amplitude=1e5)
    out = np.full((50, 50), np.nan)
    frame = camera.draw(x, y, magnitude, out=out)
    assert frame.image is out and camera.roi == 30
    sigma = Camera(50, 50)  # the defaults hold a sigma
    assert sigma.roi > 0
    total = integrated(
        50, 50, x, y, 1e5 * 10 ** (-0.4 * magnitude), pentacl._tables.tables["stars"].rows["sigma"].initial
    )
    np.testing.assert_allclose(frame.image, total, rtol=1e-6, atol=1e-9 * total.max())


def test_zero_point(rng):
    camera = Camera(64, 64, zero_point=16.0, exposure=2.5, roi=32)
    frame = camera.draw([32], [32], [12.0])
    assert frame.flux_total == pytest.approx(2.5 * 10 ** (0.4 * 4), rel=1e-9)


@pytest.mark.parametrize("roll", [0, 33, 250])
def test_positions_against_astropy(rng, roll):
    camera = Camera(640, 480, fov=20)
    pointing = (*ORION, roll)
    x, y = rng.random(50) * 640, rng.random(50) * 480
    ra, dec = camera.unproject(x, y, pointing)
    wcs = WCS(camera.wcs(pointing))
    np.testing.assert_allclose(wcs.all_world2pix(ra, dec, 0), (x, y), atol=1e-8)
    np.testing.assert_allclose(camera.project(ra, dec, pointing), (x, y), atol=1e-8)
    np.testing.assert_allclose(camera.project(ra, dec, wcs), (x, y), atol=1e-8)
    # Roll is the angle of "up", from north through east.
    up = SkyCoord(*camera.unproject([319.5], [100.0], pointing), unit="deg")
    angle = SkyCoord(*ORION, unit="deg").position_angle(up)[0].deg
    assert angle == pytest.approx(roll, abs=1e-6) or angle == pytest.approx(roll + 360, abs=1e-6)


def test_distortion_against_astropys_sip(rng):
    camera = Camera(640, 480, fov=25, distortion=(-0.2, 0.05, 0, 1e-3, -5e-4), principal=(330.0, 236.5))
    ra, dec = camera.unproject(rng.random(60) * 640, rng.random(60) * 480, ORION)
    wcs = WCS(camera.wcs(ORION, error=1e-4))
    assert wcs.sip is not None
    theirs = np.array(wcs.all_world2pix(ra, dec, 0, tolerance=1e-6))
    np.testing.assert_allclose(theirs, camera.project(ra, dec, ORION), atol=2e-4)
    np.testing.assert_allclose(camera.project(ra, dec, wcs), theirs, atol=2e-5)


def test_quaternions_and_poles():
    camera = Camera(100, 100, fov=10)
    x, y = camera.project([10.0, 20.0], [89.0, 88.0], (0, 90, 0))
    assert np.isfinite(x).all() and np.isfinite(y).all()
    np.testing.assert_allclose(camera.project([0.0], [-1.0], (1, 0, 0, 0))[0], np.nan)  # looks at the pole
    with pytest.raises(TypeError, match="pointing"):
        camera.project([0.0], [0.0], (1,))
    with pytest.raises(pentacl.InvalidError, match="`focal` or `fov`"):
        Camera(100, 100).render(pointing=ORION)


def test_units_and_coordinates_of_astropy():
    deg, ra, dec, mag, turn = units.deg, [83.0, 84.0], [-1.0, -2.0], [3.0, 2.0], np.radians(30) * units.rad
    options = {"zero_point": 16, "psf": "integrated", "roi": 16}
    plain = Camera(200, 200, fov=10, exposure=0.5, sigma=1.5, **options)
    camera = Camera(200, 200, fov=600 * units.arcmin, exposure=500 * units.ms, sigma=1.5 * units.pix, **options)
    sky, wanted = SkyCoord(*ORION, unit="deg"), plain.render({"ra": ra, "dec": dec, "mag": mag}, (*ORION, 30)).image
    table = Table({"ra": np.array(ra) / 15, "dec": dec * deg, "mag": mag * units.mag})
    table["ra"].unit = units.hourangle
    for source in ({"ra": ra * deg, "dec": dec * deg, "mag": mag}, table):
        for pointing in ((sky.galactic, 30), (sky, turn), (ORION[0] * deg, ORION[1] * deg, turn)):
            np.testing.assert_allclose(camera.render(source, pointing).image, wanted, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(camera.project(ra * deg, dec * deg, sky), plain.project(ra, dec, ORION))
    motion, end = [1, 2] * units.arcsec / units.yr, Time("J2020", scale="tdb")
    moved = pentacl.stars.at_epoch(ra * deg, dec, motion, [0, 0], 2000, end)
    np.testing.assert_allclose(moved, pentacl.stars.at_epoch(ra, dec, [1000, 2000], [0, 0], 2000, 2020), rtol=1e-14)
    with pytest.raises(units.UnitConversionError):
        Camera(200, 200, fov=3 * units.m)
    with pytest.raises(pentacl.InvalidError, match="give one of them"):
        Camera(200, 200, zero_point=15, amplitude=5)

    electron, pixel = units.electron, units.pix
    plain = {"dark": 3, "sky": 2, "read_noise": 4, "gain": 2, "bias": 100}
    with_units = {"dark": 180 * electron / units.min, "sky": 2 * units.photon / pixel / units.s}
    with_units |= {"read_noise": 4 * electron, "gain": 2 * electron / units.adu, "bias": 100 * units.DN}
    wanted, found = (Camera(64, 48, zero_point=15, detector=d).draw([30], [20], [5]).dn for d in (plain, with_units))
    np.testing.assert_array_equal(found, wanted)


def test_sources_of_stars():
    stars = {"ra": np.array([83.0, 84.0, 84.5]), "dec": np.array([-1.0, -2.0, -0.5]), "mag": np.array([3.0, 2.0, 5.0])}
    camera = Camera(200, 200, fov=10)
    wanted = camera.render(stars, ORION, truth=True)
    assert wanted.drawn == 3
    record = np.rec.fromarrays(list(stars.values()), names="ra,dec,mag")
    for source in (record, Table(stars)):
        np.testing.assert_array_equal(camera.render(source, ORION).image, wanted.image)
    np.testing.assert_allclose(
        (wanted.truth["x"], wanted.truth["y"]), camera.project(stars["ra"], stars["dec"], ORION), atol=1e-9
    )
    with pytest.raises(TypeError, match="mag is missing"):
        camera.render({"ra": [1.0], "dec": [1.0]}, ORION)
    with pytest.raises(ValueError, match="one length"):
        camera.render({"ra": [1.0], "dec": [1.0, 2.0], "mag": [1.0]}, ORION)


def test_bright_stars():
    catalog = pentacl.io.read_catalog(mag_limit=2.0)
    names = dict(zip(catalog.names, catalog.mag))
    assert len(catalog.ra) > 40 and names["HR 2491"] == pytest.approx(-1.46)  # Sirius
    sirius = SkyCoord("06h45m08.9s -16d42m58s")
    at = catalog.names.index("HR 2491")
    assert SkyCoord(catalog.ra[at], catalog.dec[at], unit="deg").separation(sirius).arcsec < 2
    frame = Camera(640, 480, fov=30).render(pointing=ORION, truth=True)
    assert frame.drawn > 100


def test_proper_motion_against_astropy(rng):
    n = 20
    ra, dec = rng.random(n) * 360, np.degrees(np.arcsin(rng.random(n) * 2 - 1))
    pmra, pmdec = rng.normal(size=(2, n)) * 500
    got = SkyCoord(*pentacl.stars.at_epoch(ra, dec, pmra, pmdec, 2000.0, 2050.0, aberration=False), unit="deg")
    start = SkyCoord(
        ra * units.deg,
        dec * units.deg,
        pm_ra_cosdec=pmra * units.mas / units.yr,
        pm_dec=pmdec * units.mas / units.yr,
        distance=10 * units.pc,
        radial_velocity=0 * units.km / units.s,
        obstime=Time(2000.0, format="jyear"),
    )
    theirs = start.apply_space_motion(new_obstime=Time(2050.0, format="jyear"))
    assert got.separation(SkyCoord(theirs.ra, theirs.dec)).mas.max() < 1


def test_a_turning_camera_leaves_trails():
    camera = Camera(200, 200, fov=10, exposure=1.0, zero_point=16)
    stars = {"ra": [ORION[0]], "dec": [ORION[1]], "mag": [5.0]}
    still = camera.render(stars, ORION)
    trail = camera.render(stars, ORION, rate=(0, 1.0, 0), truth=True)
    assert trail.image.sum() == pytest.approx(still.image.sum(), rel=1e-3)
    assert trail.image.max() < still.image.max() / 4
    row = trail.truth["trail"][0]
    length = np.hypot(row["end_x"] - row["start_x"], row["end_y"] - row["start_y"])
    assert length == pytest.approx(200 / 10, rel=0.02)  # 1 degree of 10 over 200 px


def test_detector_statistics():
    detector = Detector(300, 300, quantum_efficiency=0.5, read_noise=4.0, gain=2.0, bias=100.0, dark=3.0, exposure=2.0)
    dn, saturated = detector.run(np.full((300, 300), 1000, np.float32))
    mean = (0.5 * 1000 + 3 * 2) / 2 + 100
    assert abs(dn.mean() - mean) < 5 * np.sqrt((506 + 16) / 4 / dn.size)
    assert dn.var() == pytest.approx((506 + 16) / 4, rel=0.03) and not saturated.any()
    again, _ = detector.run(np.full((300, 300), 1000, np.float32))
    other, _ = detector.run(np.full((300, 300), 1000, np.float32), frame=1)
    np.testing.assert_array_equal(dn, again)
    assert (dn != other).mean() > 0.9


def test_a_camera_with_a_detector():
    camera = Camera(100, 100, detector={"bits": 8, "gain": 1.0, "bias": 5.0})
    frame = camera.draw([50.0, 20.0], [50.0, 20.0], flux=[1e5, 100.0], truth=True)
    assert frame.dn.max() == 255 and frame.saturated[50, 50] and not frame.saturated[0, 0]
    assert frame.truth["saturated"].tolist() == [True, False] and frame.engine == "fixed"
    assert frame.dn[0, 0] == 5


def test_a_psf_of_samples():
    samples = np.zeros((9, 9))
    samples[4, 4] = samples[4, 5] = samples[5, 4] = samples[3, 4] = samples[4, 3] = 1
    camera = Camera(40, 40, psf="image", psf_image=(samples, 1.0), roi=12)
    assert camera.draw([20.0], [20.0], flux=[50.0]).image.sum() == pytest.approx(50, rel=1e-3)


def test_wrong_cameras():
    with pytest.raises(pentacl.InvalidError):
        Camera(0, 10)
    with pytest.raises(TypeError, match="not both"):
        Camera(10, 10, fov=5, focal=10)
    with pytest.raises(TypeError, match="did you mean 'sigma'"):
        Camera(10, 10, sigm=2)
    with pytest.raises(TypeError, match="magnitude or flux"):
        Camera(10, 10).draw([1.0], [2.0])
    with pytest.raises(pentacl.InvalidError):
        Camera(10, 10).draw([np.nan], [2.0], flux=[1.0])


def test_random_stars():
    x, y, magnitude = pentacl.stars.random_stars(1000, 640, 480, seed=3)
    assert x.min() >= -0.5 and x.max() < 639.5 and y.max() < 479.5 and magnitude.min() >= 0 and magnitude.max() < 6
    np.testing.assert_array_equal(pentacl.stars.random_stars(10, 640, 480, seed=3)[0], x[:10])
