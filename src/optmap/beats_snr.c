/*
 * Signal to noise of the filtered movie. Its noise is not white, so differences of successive frames do not measure it.
 * The noise is the residual of diastole from a straight line. If the noise is correlated over k frames (the sum of its
 * autocorrelation), the line's two parameters take k degrees of freedom each.
 */
#include <math.h>
#include <stdlib.h>

#include <pentacl/beats.h>
#include <pentacl/parallel.h>

#include "core/core.h"

enum { LAGS = 12, LEAST = 4 };       /* LEAST: least degrees of freedom of a pixel with a value */
static const double rounding = 1e-6; /* of an amplitude: smaller differences are rounding of floats, not noise */

typedef struct {
    double squares; /* sum of squared residuals */
    size_t frames, lines;
} noise_sum;

typedef struct {
    const penta_movie_view *movie;
    size_t step; /* frames of the movie per camera frame */
    const penta_beat_maps *maps;
    noise_sum *sums;              /* one a pixel */
    double (*products)[LAGS + 1]; /* one a row of pixels, so that sums have one order for any threads */
} job;

/* Frames from .. to - 1 of the diastole before a beat's upstroke in a pixel: the later half of the interval. */
static void find_diastole(const job *s, size_t beat, size_t pixel, size_t *from, size_t *to)
{
    size_t pixels = s->movie->height * s->movie->width, at = beat * pixels + pixel;
    double frame = s->movie->frame_rate_hz / 1000, end = (double)s->maps->activation[at] * frame, start = 0, rise;

    *from = *to = 0;
    rise = (double)s->maps->rise[at] * frame;
    if (beat > 0)
        start = (double)(s->maps->activation[at - pixels] + 1.2F * s->maps->apd[3][at - pixels]) * frame;
    end -= 2 * (isfinite(rise) ? rise : 5 * frame) + 3 * (double)s->step;
    end = fmin(end, (double)s->movie->frames);
    if (!(end > start) || !(start >= 0))
        return;
    *from = (size_t)ceil(start + 0.3 * (end - start));
    *to = (size_t)floor(end);
    *to = *to < *from ? *from : *to;
}

/* Writes the residuals of a piece of a trace from its line to r. */
static void take_line(const penta_movie_view *f, size_t pixel, size_t from, size_t n, double *r)
{
    double middle = 0.5 * (double)(n - 1), mean = 0, slope = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        double x = (double)i - middle;

        r[i] = (double)f->data[(from + i) * f->height * f->width + pixel];
        mean += r[i] / (double)n;
        slope += x * r[i];
        squares += x * x;
    }
    for (size_t i = 0; i < n; i++)
        r[i] -= mean + slope / squares * ((double)i - middle);
}

static void add_piece(const double *r, size_t n, size_t step, noise_sum *sum, double *products)
{
    for (size_t i = 0; i < n; i++)
        sum->squares += r[i] * r[i];
    for (size_t k = 0; k <= LAGS; k++)
        for (size_t i = 0; i + k * step < n; i++)
            products[k] += r[i] * r[i + k * step];
    sum->frames += n;
    sum->lines++;
}

static bool add_row(void *data, size_t y)
{
    const job *s = data;
    const penta_movie_view *m = s->movie;
    double *r = malloc(m->frames * sizeof *r);
    bool ok = r != NULL;

    for (size_t p = y * m->width; ok && p < (y + 1) * m->width; p++)
        for (size_t b = 0; b < s->maps->beats; b++) {
            size_t from, to;

            find_diastole(s, b, p, &from, &to);
            if (to - from < 8 * s->step || !isfinite(m->data[p]))
                continue;
            take_line(m, p, from, to - from, r);
            add_piece(r, to - from, s->step, &s->sums[p], s->products[y]);
        }
    free(r);
    return ok;
}

/* Frames per independent value of the noise: adds up lags until the first uncorrelated one. */
static double correlated_frames(const double products[LAGS + 1], size_t step)
{
    double sum = 1;

    for (size_t k = 1; k <= LAGS && products[k] > 0 && products[0] > 0; k++)
        sum += 2 * products[k] / products[0];
    return fmax(sum, 1) * (double)step;
}

static void take_ratios(const job *s, double frames, float *snr)
{
    size_t pixels = s->movie->height * s->movie->width;

    for (size_t i = 0; i < s->maps->beats * pixels; i++) {
        const noise_sum *sum = &s->sums[i % pixels];
        double freedom = (double)sum->frames - 2 * (double)sum->lines * frames;

        snr[i] = NAN;
        if (freedom > LEAST * frames && !(sum->squares <= freedom * pow(rounding * (double)s->maps->amplitude[i], 2)))
            snr[i] = (float)(20 * log10((double)s->maps->amplitude[i] / sqrt(sum->squares / freedom)));
    }
}

penta_status penta_beats_snr_filtered(penta_context *ctx, const penta_movie_view *movie, size_t recorded_frames,
                                      const penta_beat_maps *maps, float *snr)
{
    penta_status status = PENTA_OK;
    job s = {.movie = movie, .step = recorded_frames ? movie->frames / recorded_frames : 0, .maps = maps};
    double products[LAGS + 1] = {0};

    if (s.step == 0)
        return penta_fail(ctx, PENTA_INVALID, "a filtered movie of %zu frames is not of %zu recorded ones",
                          movie->frames, recorded_frames);
    TRY(penta_calloc(ctx, movie->height * movie->width, sizeof *s.sums, &s.sums));
    TRY(penta_calloc(ctx, movie->height, sizeof *s.products, &s.products));
    if (penta_parallel_until(movie->height, add_row, &s) < movie->height)
        TRY(penta_fail(ctx, PENTA_MEMORY, "out of host memory for traces of %zu frames", movie->frames));
    for (size_t y = 0; y < movie->height; y++)
        for (size_t k = 0; k <= LAGS; k++)
            products[k] += s.products[y][k];
    take_ratios(&s, correlated_frames(products, s.step), snr);
cleanup:
    free(s.sums);
    free(s.products);
    return status;
}
