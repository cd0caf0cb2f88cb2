/* Where one image lies in another: the peak of their cross-correlation. */
#ifndef PENTA_TOOLS_AUTOCORR_DISPLACEMENT_H
#define PENTA_TOOLS_AUTOCORR_DISPLACEMENT_H

#include <stddef.h>

enum displacement_status {
    DISPLACEMENT_OK = 0,
    DISPLACEMENT_AMBIGUOUS, /* the images agree, but at several offsets nearly as well: a pattern that repeats */
    DISPLACEMENT_NO_MATCH,  /* the highest peak is no higher than unrelated images make one */
    DISPLACEMENT_AT_EDGE,   /* the highest value is at the largest offset; dx and dy are whole pixels */
    DISPLACEMENT_FLAT       /* no finite value, or none above 0: an image is constant */
};

/* What the frame shows at (x, y) the second image shows at (x + dx, y + dy): px, x to the right, y down. */
typedef struct displacement {
    enum displacement_status status;
    double dx, dy; /* NaN where flat, like the rest */
    double peak;   /* C2D at its highest offset */
    double score;  /* 1 - (highest other peak) / peak: 1 stands alone, 0 has an equal; at least 0 */
    double sigmas; /* peak above the mean of C2D away from it, in standard deviations of that */
} displacement;

/* c2d: (2R+1) x (2R+1), [Y+R][X+R]; NaN where no pixel pair is. */
displacement displacement_find(const double *c2d, size_t max_offset);

/* "ok", "ambiguous", "no_match", "at_edge" or "flat". */
const char *displacement_status_name(enum displacement_status status);

#endif
