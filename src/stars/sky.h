/* What the files of the sky geometry share: directions as unit vectors along ICRS axes, and views made ready. */
#pragma once

#include <pentacl/sky.h>

#define SKY_RADIAN 57.295779513082320876798154814105 /* degrees */

/* ---- directions (attitude.c) ---- */

/* Of an angle in degrees; exact at multiples of 90. */
void sky_sincos(double degrees, double *sine, double *cosine);
/* The unit vector, and the unit vectors east and north of it on the meridian ra; either may be NULL. */
void sky_direction(double ra, double dec, double v[3], double east[3], double north[3]);
/* v need not be a unit vector. At a pole ra is 0. */
void sky_angles(const double v[3], double *ra, double *dec);
double sky_dot(const double a[3], const double b[3]);
/* Degrees; good to 1e-16 rad for small and large angles alike. Not unit vectors, but of usual size. */
double sky_angle(const double a[3], const double b[3]);
/* degrees to [0, 360) */
double sky_wrap(double degrees);
penta_status sky_check_position(size_t i, double ra, double dec);
penta_status sky_check_positions(size_t n, const double *ra, const double *dec);
penta_status sky_check_points(size_t n, const double *x, const double *y);

/* Rows: the camera's right, down and boresight in ICRS. attitude must be a unit quaternion. */
void sky_matrix(const penta_attitude *attitude, double rows[3][3]);

/* Angle of the turn from one attitude to another, degrees (attitude_path.c). */
double sky_attitude_angle(const penta_attitude *a, const penta_attitude *b);

/* ---- camera (camera.c) ---- */

penta_status sky_check_camera(const penta_camera *camera);
double sky_fold(const penta_camera *camera);
/* Both false, and the outputs NaN, where there is no answer. fold = sky_fold(camera). */
bool sky_distort(const penta_camera *camera, double fold, double x, double y, double *xd, double *yd);
bool sky_undistort(const penta_camera *camera, double fold, double xd, double yd, double *x, double *y);

/* ---- WCS (wcs.c) ---- */

/* A WCS made ready. */
typedef struct {
    const penta_wcs *wcs;
    double x_axis[3], y_axis[3], z_axis[3]; /* of the intermediate world coordinates, and the reference point; ICRS */
    double cd[2][2], inverse[2][2];         /* radians a pixel, pixels a radian */
} sky_plane;

/* The WCS must be valid, and outlive the plane. */
void sky_plane_init(const penta_wcs *wcs, sky_plane *plane);
/* False, and NaN, where the direction has no image. Pixels count from 0. */
bool sky_plane_pixel(const sky_plane *plane, const double v[3], double *x, double *y);
/* v is not a unit vector. */
void sky_plane_direction(const sky_plane *plane, double x, double y, double v[3]);
/* sum over p + q <= order of c[p][q] u^p v^q */
double sky_sip(int order, const double c[][PENTA_SIP_ORDER + 1], double u, double v);

/* ---- views (sky_view.c) ---- */

/* A view made ready: of a camera its axes in ICRS and its fold, of a WCS its plane. */
typedef struct {
    const penta_sky_view *view;
    double rows[3][3], fold;
    sky_plane plane;
} sky_sight;

/* Checks the view, which must outlive the sight. */
penta_status sky_sight_init(const penta_sky_view *view, sky_sight *sight);
