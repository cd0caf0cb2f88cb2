/*
 * From positions on the sky to pixels and back: attitudes, cameras, FITS world coordinates, proper motion, aberration,
 * and an index that finds the stars of a field of view. Host arithmetic in double; no device is needed.
 *
 * Conventions. Angles are in degrees. Right ascension and declination are ICRS; any finite right ascension is taken and
 * answers lie in [0, 360); a declination beyond 90 is an error. Pixel centres are at integers counted from 0, x along a
 * row, y down, so a frame covers [-1/2, width - 1/2) x [-1/2, height - 1/2); FITS pixel numbers are larger by 1.
 *
 * Unless said otherwise functions return PENTA_OK or PENTA_INVALID (a null pointer, a number that is not finite or out
 * of range; the text says which and, for arrays, where). There is no context: penta_last_error(NULL) has the text.
 * Input and output arrays hold n values each and may be the same array, never partly overlapping ones. After an error
 * the outputs are not meaningful.
 */
#ifndef PENTACL_SKY_H
#define PENTACL_SKY_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

/** Angle between two directions, to 1e-15 rad for small and large angles alike; NaN where a number is not finite. */
PENTA_API double penta_sky_separation(double ra1, double dec1, double ra2, double dec2);

/* ---- attitude ---- */

/**
 * Rotation from ICRS to camera axes as a unit quaternion, scalar w first: with v = (0, components in ICRS), q v q* has
 * the components along the camera's axes. Camera axes: x right, y down, z along the boresight. q and -q are the same
 * attitude; functions here return w >= 0.
 *
 * Roll is the position angle of the image's up direction (towards smaller y), from north through east. At roll 0 north
 * is up and east is left, as the sky is seen. Example: boresight at RA 0, Dec 0, 100 px a degree, a star 1 degree north
 * of the boresight. Roll 0: it is 100 px above the centre. Roll 90: up is east, so north is right and the star is 100
 * px right of the centre: the camera has turned anticlockwise, looking along the boresight, and its picture clockwise.
 */
typedef struct {
    double w, x, y, z;
} penta_attitude;

/** Attitude from pointing and roll; at a pole of the sky, north is the limit along the meridian of the given ra. */
PENTA_API penta_status penta_attitude_from_radec(double ra, double dec, double roll, penta_attitude *out);

/** Any quaternion of finite numbers but zero; it is normalised. */
PENTA_API penta_status penta_attitude_from_quaternion(double w, double x, double y, double z, penta_attitude *out);

/** ra and roll in [0, 360). Within 1e-15 rad of a pole ra is 0 and the roll has all of the turn. */
PENTA_API penta_status penta_attitude_to_radec(const penta_attitude *attitude, double *ra, double *dec, double *roll);

/**
 * The attitude at time t of a turn from a (t = 0) to b (t = 1) at a constant rate about a fixed axis, by the smaller
 * angle. t outside [0, 1] extrapolates at that rate.
 */
PENTA_API penta_status penta_attitude_slerp(const penta_attitude *a, const penta_attitude *b, double t,
                                            penta_attitude *out);

/* ---- camera ---- */

/**
 * Pinhole with Brown-Conrady distortion. A direction (X, Y, Z) in camera axes, Z > 0, has the normalised coordinates
 * x = X / Z, y = Y / Z, r^2 = x^2 + y^2 and
 *     xd = x (1 + k1 r^2 + k2 r^4 + k3 r^6) + 2 p1 x y + p2 (r^2 + 2 x^2),
 *     yd = y (1 + k1 r^2 + k2 r^4 + k3 r^6) + p1 (r^2 + 2 y^2) + 2 p2 x y,
 * and falls on the pixel (cx + focal xd, cy + focal yd). Source: D. C. Brown, "Decentering distortion of lenses",
 * Photogrammetric Engineering 32 (1966) 444-462, with the coefficients named and ordered as is usual today.
 */
typedef struct {
    size_t width, height; /* px */
    double focal;         /* px */
    double cx, cy;        /* principal point, px */
    double k1, k2, k3, p1, p2;
} penta_camera;

/** No distortion, principal point at the frame's centre ((width - 1) / 2, (height - 1) / 2). */
PENTA_API penta_status penta_camera_init(size_t width, size_t height, double focal, penta_camera *out);

/** Focal length in px from the full horizontal field of view, 0 < fov < 180: (width / 2) / tan(fov / 2). */
PENTA_API penta_status penta_camera_focal_from_fov(size_t width, double fov, double *focal);

/** Focal length in px from millimetres and the pixel pitch in micrometres. */
PENTA_API penta_status penta_camera_focal_from_lens(double focal_mm, double pitch_um, double *focal);

/**
 * Radius of the largest circle of normalised coordinates in which the distortion is known to be one-to-one, INFINITY
 * where there is no limit. With p1 = p2 = 0 it is where the radial distortion folds back, the first zero of the
 * derivative of r (1 + k1 r^2 + k2 r^4 + k3 r^6). Directions on the circle or beyond it are never in the picture.
 */
PENTA_API penta_status penta_camera_fold(const penta_camera *camera, double *radius);

/** Normalised coordinates to distorted ones; NaN where the point lies on or beyond the fold. */
PENTA_API penta_status penta_camera_distort(const penta_camera *camera, size_t n, const double *x, const double *y,
                                            double *xd, double *yd);

/** The inverse, to rounding; NaN where no point within the fold is distorted to (xd, yd). */
PENTA_API penta_status penta_camera_undistort(const penta_camera *camera, size_t n, const double *xd, const double *yd,
                                              double *x, double *y);

/* ---- FITS world coordinates ---- */

enum { PENTA_SIP_ORDER = 9 };

/**
 * TAN and TAN-SIP. Start from penta_wcs_init: lonpole is not 0. With (x, y) counted from 0 and
 * (u, v) = (x + 1, y + 1) - crpix, intermediate world coordinates are cd (u + A(u, v), v + B(u, v)) in degrees,
 * A = sum over p + q <= a_order of a[p][q] u^p v^q (A_p_q of the header), B alike; order 0 means none. ap, bp, the
 * header's approximate inverse, only start the iteration of penta_wcs_to_pixel.
 * Sources: M. R. Calabretta, E. W. Greisen, A&A 395 (2002) 1077 (TAN); D. L. Shupe et al., ASP Conf. Ser. 347 (2005)
 * 491 (SIP).
 */
typedef struct {
    double crval[2]; /* RA, Dec of the reference point */
    double crpix[2]; /* reference pixel, counted from 1 */
    double cd[2][2]; /* degrees a pixel: CDi_j is cd[i - 1][j - 1] */
    double lonpole;  /* native longitude of the celestial pole; headers without it mean 180, or 0 where Dec is 90 */
    int a_order, b_order, ap_order, bp_order; /* 0 to PENTA_SIP_ORDER */
    double a[PENTA_SIP_ORDER + 1][PENTA_SIP_ORDER + 1], b[PENTA_SIP_ORDER + 1][PENTA_SIP_ORDER + 1];
    double ap[PENTA_SIP_ORDER + 1][PENTA_SIP_ORDER + 1], bp[PENTA_SIP_ORDER + 1][PENTA_SIP_ORDER + 1];
} penta_wcs;

/** All zero but lonpole, which is 180. */
PENTA_API void penta_wcs_init(penta_wcs *wcs);

/** PENTA_INVALID with the reason where the numbers cannot be used: not finite, a singular cd, an order out of range. */
PENTA_API penta_status penta_wcs_check(const penta_wcs *wcs);

/**
 * Sky to pixel. With SIP the polynomials are inverted by Newton's iteration to well below 1e-9 px. NaN for directions
 * 90 degrees or more from the reference point, and where the polynomials, far outside their frame, have no inverse.
 */
PENTA_API penta_status penta_wcs_to_pixel(const penta_wcs *wcs, size_t n, const double *ra, const double *dec,
                                          double *x, double *y);

/** Pixel to sky. */
PENTA_API penta_status penta_wcs_to_sky(const penta_wcs *wcs, size_t n, const double *x, const double *y, double *ra,
                                        double *dec);

/* ---- view: what a frame sees ---- */

enum penta_sky_kind { PENTA_SKY_CAMERA = 0, PENTA_SKY_WCS };

/** Made by penta_sky_view_from_camera or penta_sky_view_from_wcs. */
typedef struct {
    enum penta_sky_kind kind;
    size_t width, height;    /* px */
    penta_attitude attitude; /* of a camera */
    penta_camera camera;
    penta_wcs wcs; /* of a WCS */
} penta_sky_view;

PENTA_API penta_status penta_sky_view_from_camera(const penta_attitude *attitude, const penta_camera *camera,
                                                  penta_sky_view *out);
PENTA_API penta_status penta_sky_view_from_wcs(const penta_wcs *wcs, size_t width, size_t height, penta_sky_view *out);

/**
 * Projects n directions. visible (may be NULL): the star lies in the frame or within margin px of it, margin >= 0,
 * INFINITY allowed. x, y are NaN for stars without an image: behind the camera, beyond the fold of the distortion, and
 * as in penta_wcs_to_pixel; such stars are not visible whatever the margin.
 */
PENTA_API penta_status penta_sky_project(const penta_sky_view *view, size_t n, const double *ra, const double *dec,
                                         double margin, double *x, double *y, bool *visible);

/**
 * Where one star is at n moments t of a turn: x[i], y[i] is its pixel at the attitude that penta_attitude_slerp finds
 * at t[i] between `from` and `to`. NaN where it has no image, as in penta_sky_project.
 */
PENTA_API penta_status penta_sky_project_turn(const penta_camera *camera, const penta_attitude *from,
                                              const penta_attitude *to, double ra, double dec, size_t n,
                                              const double *t, double *x, double *y);

/** The directions of n pixel positions, in the frame or not; NaN where distortion leaves a pixel without one. */
PENTA_API penta_status penta_sky_unproject(const penta_sky_view *view, size_t n, const double *x, const double *y,
                                           double *ra, double *dec);

/**
 * A cap that holds every star that penta_sky_project calls visible with this margin (px, >= 0, INFINITY allowed):
 * centre and radius. It is wider than it must be by about 0.5 % of the frame's longer side. A TAN-SIP polynomial must
 * be one-to-one on the frame and its margin.
 */
PENTA_API penta_status penta_sky_bounds(const penta_sky_view *view, double margin, double *ra, double *dec,
                                        double *radius);

/** The view without its distortion as a TAN header. Of a camera: reference point on the boresight. */
PENTA_API penta_status penta_sky_linear_wcs(const penta_sky_view *view, penta_wcs *out);

/** Largest differences between a view and a TAN-SIP header fitted to it, over the frame, px. */
typedef struct {
    double forward; /* pixel to sky: A, B */
    double inverse; /* sky to pixel by AP, BP alone; programs that invert A, B have no such error */
} penta_sip_residual;

/**
 * The view as a TAN-SIP header: penta_sky_linear_wcs with A, B (terms from degree 2 on) and AP, BP (from degree 1 on)
 * of the given order, 3 to 9, fitted by least squares over the frame. A camera without distortion and a WCS need no
 * fit: they come back exactly, with residual 0, which for a WCS says nothing of the AP, BP it came with. residual may
 * be NULL. Errors: PENTA_INVALID (also: part of the frame lies beyond the distortion's fold), PENTA_MEMORY.
 */
PENTA_API penta_status penta_sky_fit_sip(const penta_sky_view *view, int order, penta_wcs *out,
                                         penta_sip_residual *residual);

/**
 * The same with the least order whose residual, the larger of the two, is at most `error` px; where none is, the order
 * with the smallest. Errors: PENTA_INVALID where no order can be fitted.
 */
PENTA_API penta_status penta_sky_fit_sip_within(const penta_sky_view *view, double error, penta_wcs *out,
                                                penta_sip_residual *residual);

/**
 * The fraction of the frame's pixels that show no direction, or one that is drawn elsewhere in the picture, because the
 * distortion folds back; measured at 101 x 101 points.
 */
PENTA_API penta_status penta_sky_folded(const penta_sky_view *view, double *fraction);

/* ---- proper motion and aberration ---- */

/** Proper motion in RA as catalogues without the factor give it (angle of RA) to the true angle: pm_ra cos(dec). */
PENTA_API double penta_pm_ra_cosdec(double pm_ra, double dec);

/**
 * Moves stars along by `years` (Julian years of 365.25 days; negative goes back). pm_ra_cosdec, pm_dec: mas a year on
 * the sky; the motion in RA INCLUDES cos(dec), as in Hipparcos, Tycho-2, Gaia and HYG; see penta_pm_ra_cosdec for
 * others. Uniform motion in space without radial velocity, the catalogues' own model: the direction moves along a great
 * circle by atan(motion x years), at the poles as anywhere. Source: ESA SP-1200 (1997), vol. 1, section 1.5.5.
 */
PENTA_API penta_status penta_sky_proper_motion(size_t n, const double *ra, const double *dec,
                                               const double *pm_ra_cosdec, const double *pm_dec, double years,
                                               double *ra_out, double *dec_out);

/** Julian date (TDB) of a Julian epoch in years: 2000.0 is 2451545.0. */
PENTA_API double penta_julian_date(double epoch);

/**
 * Earth's velocity relative to the solar system's barycentre at a Julian date (TDB; UTC will do), in units of the speed
 * of light along ICRS axes, for the years 1000 to 3000. From Keplerian orbits of the Earth-Moon barycentre and the
 * giant planets (E. M. Standish, "Keplerian elements for approximate positions of the major planets", JPL, table 1) and
 * the main terms of the Moon's (J. Meeus, Astronomical Algorithms, ch. 47). Error, as aberration: at most 0.0016 arcsec
 * in 1900 to 2100, against the IAU SOFA routine epv00; 0.008 arcsec in 1000 to 3000, against SOFA's plan94 and moon98.
 */
PENTA_API penta_status penta_earth_velocity(double jd, double velocity[3]);

/**
 * True directions to those seen by an observer who moves at `velocity` (units of the speed of light, ICRS axes, below
 * 1; add a spacecraft's own velocity to the Earth's where that matters: 7.5 km/s is 5 arcsec). Exact Lorentz formula.
 */
PENTA_API penta_status penta_sky_aberration(size_t n, const double *ra, const double *dec, const double velocity[3],
                                            double *ra_out, double *dec_out);

/**
 * A catalogue's stars as an observer on Earth sees them at a Julian epoch (year, 1000 to 3000): proper motion from
 * catalog_epoch on, then, with `aberration`, annual aberration. Arrays and errors as penta_sky_proper_motion.
 */
PENTA_API penta_status penta_sky_at_epoch(size_t n, const double *ra, const double *dec, const double *pm_ra_cosdec,
                                          const double *pm_dec, double catalog_epoch, double epoch, bool aberration,
                                          double *ra_out, double *dec_out);

/* ---- index ---- */

/** Directions sorted into zones of declination and cells of right ascension; about 34 bytes a star, 42 while it is
 * built. Read-only once built, so threads may share one. */
typedef struct penta_sky_index penta_sky_index;

/** Copies the positions. Errors: PENTA_INVALID, PENTA_MEMORY. On failure *out is NULL. n may be 0. */
PENTA_API penta_status penta_sky_index_create(size_t n, const double *ra, const double *dec, penta_sky_index **out);

/**
 * Finds the stars within `radius` (0 to 180) of a centre; the rim, and 1e-15 rad beyond it, belong to the cap. *count
 * becomes their number. If room >= *count, ids holds their places in the arrays of penta_sky_index_create, ascending;
 * otherwise its contents are undefined. ids may be NULL with room 0, to count. Only cells that meet the cap are
 * searched. Errors: PENTA_INVALID, PENTA_MEMORY.
 */
PENTA_API penta_status penta_sky_index_query(const penta_sky_index *index, double ra, double dec, double radius,
                                             size_t room, size_t *ids, size_t *count);

/** NULL is fine. */
PENTA_API void penta_sky_index_destroy(penta_sky_index *index);

PENTA_END_DECLS
#endif
