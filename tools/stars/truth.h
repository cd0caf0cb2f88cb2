/* What is true of the stars drawn in a frame, and its file. */
#ifndef PENTA_TOOLS_STARS_TRUTH_H
#define PENTA_TOOLS_STARS_TRUTH_H

#include <pentacl/io/image.h>
#include "stars/scene.h"

typedef struct star_truth_row {
    size_t star; /* in the source */
    double mag, x, y;
    double flux, in_frame;
    double electrons; /* of the detector: mean number, without sky and dark current */
    star_way way;
    bool saturated;
} star_truth_row;

typedef struct star_truth {
    size_t n; /* stars whose ROI, or that of a piece of whose way, touches the frame */
    star_truth_row *rows;
    const penta_detector_options *detector; /* borrowed; NULL: there is none */
} star_truth;

/* detector: NULL where there is none; the truth borrows it. On failure *out is zeroed. */
bool star_truth_make(const star_scene *scene, const star_frame_size *frame, penta_context *ctx, penta_stars *plan,
                     const penta_detector_options *detector, star_truth *out, penta_io_error *err);

/* Marks the stars whose brightest pixel of the 3 x 3 around their position is saturated: mask (may be NULL) is not 0
 * there, or the image reaches `limit`. */
void star_truth_saturate(star_truth *truth, const penta_io_image *image, const uint8_t *mask, double limit);

/* A row for each star; docs/man/penta-stars.man has the columns. Empty: what has no meaning for the star or the run. */
bool star_truth_write(const star_truth *truth, const star_source *source, const char *path, penta_io_error *err);

void star_truth_free(star_truth *truth); /* a zeroed one is fine */

#endif
