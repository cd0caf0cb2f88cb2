/* The camera of a run: its optics, and where it looks at any moment of an exposure. */
#ifndef PENTA_TOOLS_STARS_POINTING_H
#define PENTA_TOOLS_STARS_POINTING_H

#include "stars/flags.h"
#include "stars/track.h"

typedef struct star_optics {
    bool on_sky;          /* false: stars come by pixel, and there is nothing but a size */
    size_t width, height; /* px */
    bool fixed;           /* the WCS below says where it looks, too */
    penta_wcs wcs;
    bool fk5;            /* its frame is FK5, else ICRS */
    penta_camera camera; /* unless fixed */
} star_optics;

/* Reads the header of --wcs. */
bool star_optics_open(const star_request *r, star_optics *out, penta_io_error *err);

/* The share of the frame's pixels that show no direction, or not one alone, because the distortion folds back. */
double star_optics_folded(const star_optics *optics);

/* Attitudes during an exposure, which runs from 0 to 1; between two of them the camera turns at a constant rate. */
typedef struct star_path {
    size_t n;     /* 1: the camera is still */
    double *time; /* from 0 to 1 */
    penta_attitude *attitude;
} star_path;

/* The path around `middle`, turning as the request says; still where it says nothing. */
bool star_path_turn(const star_request *r, const penta_attitude *middle, star_path *out, penta_io_error *err);
/* The path of an exposure's track, which may be closed afterwards. */
bool star_path_follow(const star_track *track, star_path *out, penta_io_error *err);
void star_path_close(star_path *path); /* a zeroed one is fine */

/* The attitude at a time from 0 to 1. */
penta_attitude star_path_at(const star_path *path, double time);
/* The angle, rad, of each of the turns, n - 1 of them, to be freed; NULL when out of memory. */
double *star_path_angles(const star_path *path);
/* The largest angle, deg, that the camera turns away from its attitude in the middle. */
double star_path_swing(const star_path *path);

/* What the camera sees with this attitude, which counts for nothing with a WCS. */
bool star_view(const star_optics *optics, const penta_attitude *attitude, penta_sky_view *out, penta_io_error *err);

#endif
