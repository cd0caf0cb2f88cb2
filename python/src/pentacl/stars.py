"""Frames of a star camera."""

from __future__ import annotations

import math

import numpy as np

from . import _arrays, _opencl, _sky, errors
from ._arrays import in_unit
from ._library import ffi, lib, text
from ._result import Image, Result, result
from ._sky import at_epoch
from ._tables import documented, tables
from ._types import Any, ArrayLike, Progress
from .context import Context, Plan, shared

__all__ = ["Camera", "Detector", "Frame", "at_epoch", "random_stars"]

NOTED_ERROR = 0.01  # px, of the coordinates in a header
TRUTH = _arrays.structure("penta_star_truth")


@result
class Frame(Result):
    """A frame of ``Camera``.

    ``image`` has the light of the stars, in photons where the camera has a zero point. With a detector ``dn`` has its
    numbers, and ``saturated`` says where it is full. ``truth`` has a row for each star drawn: star (its place in the
    list), x, y, flux, flux_in_frame, electrons, dn, saturated, trail ...
    """

    image: np.ndarray
    dn: np.ndarray | None
    saturated: np.ndarray | None
    drawn: int
    flux_total: float
    engine: str
    truth: np.ndarray | None

    def _panels(self):
        if self.dn is None:
            return [Image(self.image, "image", "light", stars=True)]
        return [Image(self.dn - np.median(self.dn), "above the median", "DN", stars=True)]


@documented("detector")
class Detector(Plan):
    """A camera's detector: photons to the numbers of its converter.

    Parameters
    ----------
    width, height : int
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}
    """

    def __init__(self, width: int, height: int, *, device: Context | str | int | None = None, **options):
        self.options, self._keep = tables["detector"].make(options)
        super().__init__(
            shared(device), lib.penta_detector_destroy, lib.penta_detector_create, width, height, self.options
        )
        self.shape = (height, width)

    def run(self, image: ArrayLike, frame: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """(DN as float32, where it is saturated) of an image in photons. ``frame``: its number, which the noise depends
        on."""
        image = _arrays.frame(image, "image", (np.dtype("float32"), np.dtype("float64")))
        if image.shape != self.shape:
            raise ValueError(f"the image is {image.shape}; the detector is {self.shape}")
        dn, saturated = np.empty(self.shape, np.float32), np.empty(self.shape, bool)
        self.call(
            lib.penta_detector_run,
            frame,
            _arrays.pointer(image),
            _arrays.TYPES[image.dtype],
            _arrays.pointer(dn, "float *"),
            _arrays.pointer(saturated, "uint8_t *"),
        )
        return dn, saturated


@documented("stars")
class Camera(Plan):
    """A camera, its optics and its detector.

    Parameters
    ----------
    width, height : int
        Of a frame, px.
    focal : float, optional
        Focal length, px.
    fov : float, optional
        Field of view across the width, degrees; instead of ``focal``. One of them is needed for stars on the sky.
    principal : (x, y), optional
        Principal point, px; by default the frame's centre.
    distortion : (k1, k2, k3, p1, p2), optional
        After Brown and Conrady.
    zero_point : float, optional
        Magnitude of a star that gives one photon a second: frames are in photons. Not with ``amplitude``.
    exposure : float
        Seconds, of the zero point, turning cameras and the detector. Quantities of astropy are converted, here as in
        ``fov``, ``focal`` and all options that have a unit.
    detector : dict, optional
        Options of ``Detector``: frames go through it.
    psf_image : (samples, oversampling), optional
        With ``psf="image"``: height x width numbers, so many a pixel.
    device : Context, str or int, optional
        As for ``pentacl.Context``.
    {options}

    >>> camera = pentacl.stars.Camera(64, 48, fov=10, zero_point=16, roi=20)
    >>> frame = camera.render({"ra": [83.8], "dec": [-1.2], "mag": [3.5]}, pointing=(83.8, -1.2), truth=True)
    >>> frame.image.shape, frame.truth["x"].round(6).tolist(), frame.truth["flux"].round(6).tolist()
    ((48, 64), [31.5], [100000.0])
    """

    def __init__(
        self,
        width: int,
        height: int,
        *,
        focal: float | None = None,
        fov: float | None = None,
        principal: tuple[float, float] | None = None,
        distortion: tuple[float, float, float, float, float] = (0, 0, 0, 0, 0),
        zero_point: float | None = None,
        exposure: float = 1.0,
        detector: dict[str, Any] | None = None,
        psf_image: tuple[ArrayLike, float] | None = None,
        device: Context | str | int | None = None,
        **options,
    ):
        if zero_point is not None and "amplitude" in options:
            raise errors.InvalidError("both zero_point and amplitude say how bright a star is; give one of them")
        made, self._keep = tables["stars"].make(options)
        focal, fov = in_unit(focal, "px"), in_unit(fov, "deg")
        exposure = in_unit(exposure, "s")
        if zero_point is not None:
            errors.check(lib.penta_stars_set_zero_point(made, zero_point, exposure))
        if detector is not None and "engine" not in options:
            made.engine = lib.PENTA_STARS_FIXED  # the same seeds give the same frame everywhere
        super().__init__(shared(device), lib.penta_stars_destroy, lib.penta_stars_create, width, height, made)
        self.width, self.height, self.exposure = width, height, exposure
        self.dtype = np.dtype(np.float64 if made.precision == lib.PENTA_PRECISION_DOUBLE else np.float32)
        self._camera = _optics(width, height, focal, fov, principal, distortion)
        self.detector = None
        if detector is not None:
            self.detector = Detector(width, height, device=self.context, **{"exposure": exposure, **detector})
        if psf_image is not None:
            samples, oversampling = psf_image
            samples = _arrays.reals(samples, "psf_image", (None, None))
            self.call(
                lib.penta_stars_set_psf, samples.shape[1], samples.shape[0], oversampling, _arrays.doubles(samples)
            )
        which = 0
        while errors.warn_line(lib.penta_stars_doubt, self.handle, which):
            which += 1
        self._looks_folded = self._camera is not None and any(distortion)

    @property
    def roi(self) -> int:
        """Side of the square of pixels that a star is drawn in."""
        self.check()
        return lib.penta_stars_roi(self.handle)

    def render(
        self,
        stars: Any = None,
        pointing: Any = None,
        *,
        rate: tuple[float, float, float] | None = None,
        frame: int = 0,
        truth: bool = False,
        out: np.ndarray | None = None,
        progress: Progress = None,
    ) -> Frame:
        """A frame of stars on the sky: a ``Frame``.

        Parameters
        ----------
        stars : mapping, optional
            With ra and dec in degrees and mag, as seen at the time (see ``at_epoch``): a dictionary, an array with
            these fields, a table of astropy or pandas, ``pentacl.io.read_catalog()``. By default the Bright Star
            Catalogue.
        pointing : (ra, dec), (ra, dec, roll), (w, x, y, z), SkyCoord, (SkyCoord, roll) or WCS of astropy
            Where the camera looks in the middle of the exposure: degrees, or a quaternion from ICRS to the camera's
            axes. A WCS stands for the optics, too.
        rate : (x, y, z), optional
            Degrees a second that the camera turns about its axes right, down, ahead.
        frame : int
            Its number, which the detector's noise depends on.
        truth : bool
            Whether the positions and fluxes of the stars are wanted.
        out : height x width, optional
            Where the image goes, an array of pyopencl too.
        """
        if stars is None:
            from .io import read_catalog

            stars = read_catalog()
        sky = ffi.new("penta_stars_sky *")
        arrays = _columns(stars, {"ra": "deg", "dec": "deg", "mag": ""})
        sky.n = len(arrays[0])
        sky.ra, sky.dec, sky.magnitude = map(_arrays.doubles, arrays)
        view, path = self.view(pointing), ffi.new("penta_attitude_path *")
        self._warn_folded(view)
        try:
            if rate is not None:
                middle = ffi.addressof(view[0], "attitude")
                errors.check(
                    lib.penta_attitude_path_turn(
                        middle, [float(in_unit(part, "deg/s")) for part in rate], self.exposure, path
                    )
                )
            return self._shoot(
                lib.penta_stars_scene_on_sky,
                (sky, view, ffi.NULL if rate is None else path),
                frame,
                truth,
                out,
                progress,
            )
        finally:
            lib.penta_attitude_path_free(path)

    def draw(
        self,
        x: ArrayLike,
        y: ArrayLike,
        magnitude: ArrayLike | None = None,
        *,
        flux: ArrayLike | None = None,
        motion_x: ArrayLike | None = None,
        motion_y: ArrayLike | None = None,
        frame: int = 0,
        truth: bool = False,
        out: np.ndarray | None = None,
        progress: Progress = None,
    ) -> Frame:
        """A frame of stars whose pixels are known: a ``Frame``. Positions, and motions during the exposure, in px,
        pixel centres at integers; brightness as magnitudes or fluxes."""
        given = {"x": x, "y": y, "magnitude": magnitude, "flux": flux, "motion_x": motion_x, "motion_y": motion_y}
        n = len(np.atleast_1d(x))
        arrays = {
            name: _arrays.reals(np.atleast_1d(value), name, (n,)) for name, value in given.items() if value is not None
        }
        if (magnitude is None) == (flux is None):
            raise TypeError("stars need either magnitude or flux")
        listed = ffi.new("penta_stars_list *")
        listed.n = n
        for name, array in arrays.items():
            setattr(listed, name, _arrays.doubles(array))
        return self._shoot(lib.penta_stars_scene_by_pixel, (listed,), frame, truth, out, progress)

    def project(self, ra: ArrayLike, dec: ArrayLike, pointing: Any) -> tuple[np.ndarray, np.ndarray]:
        """(x, y) in px of directions in degrees; NaN where there is no image."""
        return self._convert(lib.penta_sky_project, ra, dec, pointing, (0.0,), (ffi.NULL,))

    def unproject(self, x: ArrayLike, y: ArrayLike, pointing: Any) -> tuple[np.ndarray, np.ndarray]:
        """(ra, dec) in degrees of places in the frame."""
        return self._convert(lib.penta_sky_unproject, x, y, pointing, (), ())

    def wcs(self, pointing: Any, error: float = 1e-3) -> dict[str, Any]:
        """The coordinates of a frame as cards of a FITS header, which astropy.wcs.WCS takes: TAN, or TAN-SIP within
        ``error`` px where the camera has a distortion."""
        out, off = ffi.new("penta_wcs *"), ffi.new("penta_sip_residual *")
        errors.check(lib.penta_sky_fit_sip_within(self.view(pointing), error, out, off))
        most = max(off.forward, off.inverse)
        if most > NOTED_ERROR:
            errors.warn(
                f"the coordinates of the FITS header are off by up to {most:.2g} px: its polynomials, of order "
                f"{out.a_order}, are too stiff for this `distortion`; `truth` has the exact ones"
            )
        return _sky.header(out)

    def view(self, pointing: Any) -> Any:
        """The library's view of the sky."""
        out = ffi.new("penta_sky_view *")
        if pointing is None:
            raise TypeError("pointing is needed: (ra, dec), (ra, dec, roll), a quaternion, a SkyCoord or a WCS")
        if hasattr(pointing, "wcs"):
            errors.check(lib.penta_sky_view_from_wcs(_sky.wcs_from_astropy(pointing), self.width, self.height, out))
        elif self._camera is None:
            raise errors.InvalidError("stars on the sky need the camera's `focal` or `fov`")
        else:
            errors.check(lib.penta_sky_view_from_camera(_sky.attitude(pointing), self._camera, out))
        return out

    def _convert(self, function, first, second, pointing, before, after):
        unit = "deg" if function == lib.penta_sky_project else "px"
        given = [np.atleast_1d(in_unit(value, unit)) for value in (first, second)]
        given = [_arrays.reals(given[0], "the first", (None,)), _arrays.reals(given[1], "the second")]
        if given[0].shape != given[1].shape:
            raise ValueError("both coordinates must be of one length")
        out = np.empty(len(given[0])), np.empty(len(given[0]))
        columns = list(map(_arrays.doubles, given)), map(_arrays.doubles, out)
        errors.check(function(self.view(pointing), len(given[0]), *columns[0], *before, *columns[1], *after))
        return out

    def _shoot(self, make, source, frame, truth, out, progress):
        scene, found = ffi.new("penta_stars_scene *"), ffi.new("penta_stars_result *")
        shape = self.height, self.width
        if _opencl.is_array(out):
            if truth or self.detector is not None:
                raise ValueError("truth and detectors take images in host memory")
            image = _opencl.lend(self.context, out, "out", shape, self.dtype)
        else:
            image = _arrays.output(out, shape, self.dtype)
        found.image = _arrays.pointer(image)
        with self.context.lock:  # the scene is the plan's
            self.call(make, *source, scene)
            try:
                self.call(lib.penta_stars_draw, scene, found, progress=progress)
                if not found.drawn:
                    n = source[0].n
                    errors.warn(f"no star was drawn: {f'none of {n} comes into the frame' if n else 'there is none'}")
                dn = saturated = None
                if self.detector is not None:
                    dn, saturated = self.detector.run(image, frame)
                rows = self._truth(scene, image, saturated) if truth else None
            finally:
                lib.penta_stars_scene_free(scene)
        if isinstance(image, _opencl.Lent):
            image.hold_queue()
            image = image.array
        return Frame(image, dn, saturated, found.drawn, found.flux_total, text(found.engine), rows)

    def _warn_folded(self, view):
        sip = view.kind == lib.PENTA_SKY_WCS
        if not (view.wcs.a_order or view.wcs.b_order if sip else self._looks_folded):
            return
        folded, radius, c = ffi.new("double *"), ffi.new("double *"), self._camera
        if lib.penta_sky_folded(view, folded) != errors.OK or not folded[0] > 0:
            return
        if sip:
            errors.warn(
                "the SIP polynomials of the WCS fold back within the frame: two directions or none meet in "
                f"{100 * folded[0]:.2g} % of the pixels; stars are drawn at the one that the inverse finds"
            )
            return
        self._looks_folded = False
        lib.penta_camera_fold(c, radius)
        r2 = radius[0] ** 2
        distance = c.focal * radius[0] * (1 + r2 * (c.k1 + r2 * (c.k2 + r2 * c.k3)))
        errors.warn(
            f"{100 * folded[0]:.2g} % of the pixels show no star: `distortion` folds back within the frame, about "
            f"{distance:.4g} px from the principal point, and stars beyond that would be drawn over stars within"
        )

    def _truth(self, scene, image, saturated):
        found = ffi.new("penta_stars_truth *")
        detector = ffi.NULL if self.detector is None else self.detector.options
        self.call(lib.penta_stars_truth_make, scene, detector, found)
        try:
            lib.penta_stars_truth_saturate(
                found,
                self.width,
                self.height,
                _arrays.pointer(image),
                _arrays.TYPES[image.dtype],
                _arrays.pointer(saturated, "uint8_t *"),
                math.inf,
            )
            return _arrays.copy(found.stars, (found.n,), TRUTH)
        finally:
            lib.penta_stars_truth_free(found)


def _optics(width, height, focal, fov, principal, distortion):
    """penta_camera *; None where neither focal nor fov is known."""
    if focal is not None and fov is not None:
        raise TypeError("a camera has a focal length or a field of view, not both")
    if focal is None:
        if fov is None:
            return None
        length = ffi.new("double *")
        errors.check(lib.penta_camera_focal_from_fov(width, fov, length))
        focal = length[0]
    camera = ffi.new("penta_camera *")
    errors.check(lib.penta_camera_init(width, height, focal, camera))
    if principal is not None:
        camera.cx, camera.cy = principal
    camera.k1, camera.k2, camera.k3, camera.p1, camera.p2 = distortion
    return camera


def _columns(stars, names):
    """Columns by name, of a mapping or an object, as doubles of one length in the units of ``names``."""
    arrays = []
    for name, unit in names.items():
        try:
            column = stars[name]
        except (TypeError, KeyError, IndexError, ValueError):
            column = getattr(stars, name, None)
        if column is None:
            raise TypeError(f"stars must have {', '.join(names)}; {name} is missing")
        arrays.append(_arrays.reals(column, name, (None,), unit))
    if len({len(array) for array in arrays}) > 1:
        raise ValueError(f"{', '.join(names)} must be of one length")
    return arrays


def random_stars(
    n: int, width: int, height: int, *, faintest: float = 6.0, seed: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x, y, magnitude) of stars anywhere in a frame: the same for the same seed everywhere."""
    out = [np.empty(n) for _ in range(3)]
    lib.penta_stars_random(seed, n, width, height, faintest, *map(_arrays.doubles, out))
    return tuple(out)
