/*
 * One exposure of a star camera: how the camera turns, which stars it sees and where, the trails that they draw, and
 * what is true of each star in the frame. Host arithmetic in double around a plan of pentacl/stars.h.
 *
 * A frame of the sky takes four calls:
 *     penta_attitude_path_turn(&attitude, rate, seconds, &path);        where the camera looks during the exposure
 *     penta_stars_scene_on_sky(plan, &sky, &view, &path, &scene);       stars on the sky to stars in the frame
 *     penta_stars_draw(plan, &scene, &result);                          the frame
 *     penta_stars_truth_make(plan, &scene, detector, &truth);           positions, fluxes and trails (optional)
 * A track of frames repeats them with another attitude.
 *
 * Conventions of angles, axes and pixels are those of pentacl/sky.h. Functions that take no plan leave their error text
 * in penta_last_error(NULL), the others in that of the plan's context. On failure *out is zeroed.
 */
#ifndef PENTACL_EXPOSURE_H
#define PENTACL_EXPOSURE_H

#include <pentacl/detector.h>
#include <pentacl/sky.h>
#include <pentacl/stars.h>

PENTA_BEGIN_DECLS

/* ---- attitudes during an exposure ---- */

/** The exposure runs from 0 to 1. Between two attitudes the camera turns at a constant rate, by the smaller angle. */
typedef struct {
    size_t n;                 /* 1: the camera is still */
    double *time;             /* n, ascending from 0 to 1; of a still camera 0 */
    penta_attitude *attitude; /* n */
} penta_attitude_path;

/** Largest angle, deg, that penta_attitude_path_turn takes. */
#define PENTA_ATTITUDE_MOST_TURN 3600.0

/**
 * A camera that turns at a constant rate, deg/s about its own axes (x right, y down, z ahead), for `exposure` seconds;
 * in the middle of them it has the attitude `middle`. A turn by 0 is a still camera. Errors: PENTA_INVALID (a number
 * that is not finite, a negative exposure, a turn of more than PENTA_ATTITUDE_MOST_TURN), PENTA_MEMORY.
 */
PENTA_API penta_status penta_attitude_path_turn(const penta_attitude *middle, const double rate[3], double exposure,
                                                penta_attitude_path *out);

/**
 * A camera whose attitude was measured n times, at least twice, at ascending times (s). The first and last time are the
 * beginning and the end of the exposure. Copies the arrays. Errors: PENTA_INVALID (the text counts rows from 1),
 * PENTA_MEMORY.
 */
PENTA_API penta_status penta_attitude_path_follow(size_t n, const double *time, const penta_attitude *attitude,
                                                  penta_attitude_path *out);

/** The attitude at a time from 0 to 1. Errors: PENTA_INVALID (an empty path). */
PENTA_API penta_status penta_attitude_path_at(const penta_attitude_path *path, double time, penta_attitude *out);

/** The largest angle, deg, that the camera turns away from its attitude in the middle of the exposure. */
PENTA_API double penta_attitude_path_swing(const penta_attitude_path *path);

/** A zeroed one is fine. */
PENTA_API void penta_attitude_path_free(penta_attitude_path *path);

/* ---- brightness ---- */

/**
 * Sets amplitude and mag_base so that a star of the magnitude zero_point gives one photon a second: the flux of an
 * exposure of `seconds` is then in photons, as pentacl/detector.h takes it. Errors: PENTA_INVALID (a zero point outside
 * -100 to 60, an exposure that is negative or not finite), and the options are as before.
 */
PENTA_API penta_status penta_stars_set_zero_point(penta_stars_options *options, double zero_point, double seconds);

/* ---- scenes: what a frame is drawn from ---- */

/** Stars on the sky by struct of arrays, borrowed. */
typedef struct {
    size_t n;
    const double *ra, *dec;       /* deg, as seen at the time of the exposure: see penta_sky_at_epoch */
    const double *magnitude;      /* may not be NULL */
    const penta_sky_index *index; /* of ra and dec; NULL: made and released again by each call that needs it */
} penta_stars_sky;

/** Where a star is during an exposure, px. NaN where it has no image then; the mean: where it has none part of the
 * time. */
typedef struct {
    double mean_x, mean_y; /* over the time */
    double start_x, start_y, end_x, end_y;
} penta_star_trail;

/**
 * Stars in a frame, and the list that shows them. Trails that are long or bent are cut into pieces: stars that move
 * along a straight line with a part of the flux, short enough to change no pixel by more than about 5e-4 of the trail's
 * brightness. Read-only; made by the functions below.
 */
typedef struct {
    size_t n;                          /* stars: a whole list, or the stars on the sky that come near the frame */
    const size_t *which;               /* n: their places in the source, ascending; NULL: all, in order */
    const double *x, *y;               /* n: px, in the middle of the exposure; without an image then: of a piece */
    const double *magnitude;           /* n; NULL: the source has fluxes */
    const double *motion_x, *motion_y; /* n: px during the exposure, of a list that has them; else NULL */
    const penta_star_trail *trails;    /* n, of stars on the sky where the camera turns; else NULL */
    const double *flux;                /* n, where stars are cut into pieces; else NULL */
    const size_t *owner;               /* list.n: the star that each piece belongs to, ascending; else NULL */
    penta_stars_list list;             /* to draw */
    void *memory;                      /* of the arrays above that are the scene's own */
} penta_stars_scene;

/**
 * Stars whose pixels are known. The scene borrows the list, which must outlive it. Errors: PENTA_INVALID (as
 * penta_stars_fluxes), PENTA_MEMORY.
 */
PENTA_API penta_status penta_stars_scene_by_pixel(penta_stars *plan, const penta_stars_list *stars,
                                                  penta_stars_scene *out);

/**
 * Stars on the sky as `view` sees them, whose size must be the plan's. path: the attitudes during the exposure instead
 * of the view's own; NULL: the camera is still. Errors: PENTA_INVALID (another size; a position that is not finite; a
 * path of several attitudes with a WCS, or with a PSF that is not a round Gaussian), PENTA_MEMORY.
 */
PENTA_API penta_status penta_stars_scene_on_sky(penta_stars *plan, const penta_stars_sky *stars,
                                                const penta_sky_view *view, const penta_attitude_path *path,
                                                penta_stars_scene *out);

/** Where star i of the scene, below n, is during the exposure. */
PENTA_API penta_star_trail penta_stars_scene_trail(const penta_stars_scene *scene, size_t star);

/** The star that entry i of the scene's list is, or is a piece of. */
PENTA_API size_t penta_stars_scene_owner(const penta_stars_scene *scene, size_t i);

/** A zeroed one is fine. */
PENTA_API void penta_stars_scene_free(penta_stars_scene *scene);

/** penta_stars_run on the scene's list, with the counts of stars and their whole flux instead of those of pieces. */
PENTA_API penta_status penta_stars_draw(penta_stars *plan, const penta_stars_scene *scene, penta_stars_result *result);
/** The same by penta_stars_run_rows; where stars are drawn in pieces (scene->owner), counts are those of the frame. */
PENTA_API penta_status penta_stars_draw_rows(penta_stars *plan, const penta_stars_scene *scene, size_t first,
                                             size_t rows, penta_stars_result *result);

/** drawn and flux_total of a scene's stars, which are drawn in pieces (scene->owner). */
PENTA_API void penta_stars_scene_count(const penta_stars_scene *scene, penta_stars_result *result);

/** Whether a star at (x, y) px is drawn: whether its ROI touches the frame. */
PENTA_API bool penta_stars_touches(const penta_stars *plan, double x, double y);

/* ---- truth: the known properties of the stars drawn ---- */

typedef struct {
    size_t star;          /* its place in the source */
    double magnitude;     /* NaN: the source has fluxes */
    double x, y;          /* px, as in the scene */
    double flux;          /* whole */
    double flux_in_frame; /* see penta_stars_fluxes */
    double electrons;     /* mean number in the detector, without sky and dark current; NaN without a detector */
    double dn;            /* electrons / gain; NaN without a detector */
    penta_star_trail trail;
    bool saturated; /* penta_stars_truth_saturate */
} penta_star_truth;

/** A row for each star whose ROI, or that of one of its pieces, touches the frame; in the order of the scene. */
typedef struct {
    size_t n;
    penta_star_truth *stars;
} penta_stars_truth;

/** detector: options of the detector that the frame goes through; NULL: none. Errors: as penta_stars_fluxes. */
PENTA_API penta_status penta_stars_truth_make(penta_stars *plan, const penta_stars_scene *scene,
                                              const penta_detector_options *detector, penta_stars_truth *out);

/**
 * Marks a star as saturated if any of the 3 x 3 pixels around its position is: the mask is not 0 there, or the image
 * reaches `limit`. image: height x width of type PENTA_F32 or PENTA_F64. mask: height x width, of
 * penta_detector_run; may be NULL. limit: INFINITY for none.
 */
PENTA_API void penta_stars_truth_saturate(penta_stars_truth *truth, size_t width, size_t height, const void *image,
                                          penta_type type, const uint8_t *mask, double limit);

/** A zeroed one is fine. */
PENTA_API void penta_stars_truth_free(penta_stars_truth *truth);

PENTA_END_DECLS
#endif
