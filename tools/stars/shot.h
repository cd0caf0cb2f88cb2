/* One drawn frame, on its way from the device to its files. */
#ifndef PENTA_TOOLS_STARS_SHOT_H
#define PENTA_TOOLS_STARS_SHOT_H

#include <pentacl/io/image.h>
#include "shared/job.h"
#include "shared/json.h"
#include "stars/optics.h"
#include "stars/source.h"
#include "stars/track.h"
#include "stars/truth.h"

/* How the distortion of a run stands in the headers of its frames. */
typedef struct star_coordinates {
    bool there;    /* false: it has no place in one */
    penta_wcs wcs; /* its polynomials */
    double error;  /* px that they are off at most */
} star_coordinates;

/* What all frames of a run share. */
typedef struct star_run {
    job job;
    star_request request;
    star_optics optics;
    star_coordinates coordinates; /* of FITS files */
    star_source source;
    star_track track; /* of frames, or of the one exposure */
    penta_stars *plan;
    penta_detector *detector; /* NULL: no noise */
    json_t *notes;            /* those of stderr, for --json; NULL: none yet */
} star_run;

typedef struct star_shot {
    size_t number;
    penta_io_image image; /* float32 or float64: flux, or DN of the detector */
    penta_stars_truth truth;
    bool on_sky;
    penta_sky_view view; /* in the middle of the exposure, where on_sky */
    size_t drawn;
    double flux_total;    /* of the stars drawn */
    double flux_in_frame; /* sum of the frame before noise */
    const char *engine;
    uint64_t variables; /* a bit for each star of variables.h that was drawn */
} star_shot;

enum { STAR_INTERRUPTED = -1 }; /* instead of an exit code, without a line on stderr */

/*
 * Draws a frame; path NULL for stars by pixel. number: of the frame, which its noise depends on. An exit code, after a
 * line on stderr, or STAR_INTERRUPTED; then *out is empty.
 */
int star_shot_take(star_run *run, size_t number, const penta_attitude_path *path, star_shot *out);

/* Writes it as path, in the format of the name's end, and its truth (NULL: not wanted). Any thread. */
bool star_shot_write(const star_run *run, const star_shot *shot, const char *path, const char *truth,
                     penta_io_error *err);

void star_shot_free(star_shot *shot); /* a zeroed one is fine */

#endif
