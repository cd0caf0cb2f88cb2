/* Polarity of depolarisation from the skewness of the signals' steps. */
#include <math.h>
#include <stdlib.h>

#include <pentacl/beats.h>

#include "core/core.h"
#include "optmap/ranks.h"

enum { MOST_PIXELS = 4096 };

typedef struct {
    double first, second, third; /* sums of the steps' powers */
} moments;

/* Skewness of the steps; NaN if nothing changes, or the pixel is not valid. */
static double skewness_of(const moments *m, double n)
{
    double mean = m->first / n, square = m->second / n, variance = square - mean * mean;

    return variance > 1e-9 * square ? (m->third / n - 3 * mean * square + 2 * mean * mean * mean) / pow(variance, 1.5)
                                    : NAN;
}

penta_status penta_beats_skewness(penta_context *ctx, const penta_movie_view *movie, double *skewness)
{
    penta_status status = PENTA_OK;
    size_t pixels = movie->height * movie->width, stride = (pixels + MOST_PIXELS - 1) / MOST_PIXELS, known = 0;
    moments *sums = NULL;
    double *all = NULL;

    *skewness = 0;
    TRY(penta_calloc(ctx, MOST_PIXELS, sizeof *sums, &sums));
    TRY(penta_calloc(ctx, MOST_PIXELS, sizeof *all, &all));
    for (size_t f = 1; f < movie->frames; f++)
        for (size_t p = 0; p < pixels; p += stride) {
            const float *now = movie->data + f * pixels + p;
            double step = (double)now[0] - (double)*(now - pixels);
            moments *m = &sums[p / stride];

            m->first += step;
            m->second += step * step;
            m->third += step * step * step;
        }
    for (size_t p = 0; p < pixels; p += stride) {
        double s = skewness_of(&sums[p / stride], (double)movie->frames - 1);

        if (isfinite(s))
            all[known++] = s;
    }
    *skewness = known > 0 ? optmap_median(all, known) : 0;
cleanup:
    free(sums);
    free(all);
    return status;
}
