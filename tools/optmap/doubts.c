#include "optmap/doubts.h"

#include <math.h>
#include <stdlib.h>

#include <pentacl/io/parallel.h>

/* ---- numbers that wrapped round ---- */

enum { PIXELS = 4096 }; /* of a piece */

typedef struct {
    const penta_io_movie *movie;
    size_t pixels;  /* of a frame */
    size_t *counts; /* of each piece */
} survey;

static void mark_jumps(const uint16_t *before, const uint16_t *now, size_t count, uint8_t *jumps)
{
    const uint16_t quarter = UINT16_MAX / 4;

    for (size_t i = 0; i < count; i++) {
        uint16_t a = before[i], b = now[i];

        jumps[i] |= (uint8_t)((a < quarter && b > UINT16_MAX - quarter) | (b < quarter && a > UINT16_MAX - quarter));
    }
}

static bool count_piece(void *user, size_t i, penta_io_error *err)
{
    const survey *s = user;
    size_t from = i * PIXELS, count = s->pixels - from < PIXELS ? s->pixels - from : PIXELS;
    uint8_t jumps[PIXELS] = {0};

    (void)err;
    for (size_t f = 1; f < s->movie->frames; f++)
        mark_jumps((const uint16_t *)s->movie->data[f - 1] + from, (const uint16_t *)s->movie->data[f] + from, count,
                   jumps);
    for (size_t k = 0; k < count; k++)
        s->counts[i] += jumps[k];
    return true;
}

bool optmap_count_wrapped(const penta_io_movie *movie, size_t *pixels, penta_io_error *err)
{
    survey s = {.movie = movie, .pixels = movie->height * movie->width};
    size_t pieces = (s.pixels + PIXELS - 1) / PIXELS;
    bool ok;

    *pixels = 0;
    if (movie->type != PENTA_U16)
        return true;
    s.counts = calloc(pieces, sizeof *s.counts);
    ok = s.counts ? penta_io_parallel(pieces, count_piece, &s, err) : penta_io_fail(err, "out of memory");
    for (size_t i = 0; ok && i < pieces; i++)
        *pixels += s.counts[i];
    free(s.counts);
    return ok;
}

/* ---- the wrong polarity ---- */

enum { MOST_PIXELS = 4096 };

typedef struct {
    double first, second, third; /* sums of the steps' powers */
} moments;

/* NaN where nothing moves, or the pixel is not valid. */
static double skewness_of(const moments *m, double n)
{
    double mean = m->first / n, square = m->second / n, variance = square - mean * mean;

    return variance > 1e-9 * square ? (m->third / n - 3 * mean * square + 2 * mean * mean * mean) / pow(variance, 1.5)
                                    : NAN;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double optmap_step_skewness(const penta_movie_view *movie)
{
    size_t pixels = movie->height * movie->width, stride = (pixels + MOST_PIXELS - 1) / MOST_PIXELS, known = 0;
    moments *sums = calloc(MOST_PIXELS, sizeof *sums);
    double *skewness = calloc(MOST_PIXELS, sizeof *skewness);
    double middle = 0;

    for (size_t f = 1; sums && f < movie->frames; f++)
        for (size_t p = 0; p < pixels; p += stride) {
            const float *now = movie->data + f * pixels + p;
            double step = (double)now[0] - (double)*(now - pixels);
            moments *m = &sums[p / stride];

            m->first += step;
            m->second += step * step;
            m->third += step * step * step;
        }
    for (size_t p = 0; sums && skewness && p < pixels; p += stride) {
        double s = skewness_of(&sums[p / stride], (double)movie->frames - 1);

        if (isfinite(s))
            skewness[known++] = s;
    }
    if (known > 0) {
        qsort(skewness, known, sizeof *skewness, by_size);
        middle = skewness[known / 2];
    }
    free(sums);
    free(skewness);
    return middle;
}
