/*
 * A band's traces on the host's cores, for devices without double precision: the formulas of cl/optmap/traces.cl and
 * drift.clh in double. The device gets v as two floats.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/traces.h"

enum { BAD, VALID, NO_F0, TOO_LARGE, FLAT, LOW, DARK, MASKED }; /* places in the report; BAD: a number is not finite */

enum { LANES = 8, MOST_TERMS = 10, MOST_PAIRS = MOST_TERMS * (MOST_TERMS + 1) / 2, MOST_PASSES = 60 };

static const double limit = 1e15;    /* so that products of v fit in floats */
static const double nothing = 1e-13; /* of the largest |F|: residual by rounding of a trace that is a polynomial */
static const double above = 0.01;    /* weight of samples on the side of depolarisation */
static const double still = 1e-14;   /* converged when c changes by less than this times the largest |F| */

enum { RUN = 16 }; /* adjacent pixels that a thread reads together */

static const size_t piece_bytes = (size_t)16 << 20; /* of v that is sent at a time */

typedef struct {
    const optmap_loader *loader;
    optmap_traces *band;
    const void *const *frames, *const *under; /* the band's rows of each frame */
    const uint8_t *mask;                      /* of the band, or NULL */
    const double *basis;
    size_t first, pixels; /* of a piece */
    float *v, *low;       /* of the piece */
    uint8_t *places;      /* of the band */
} job;

/* ---- numbers ---- */

/* F of `count` pixels of the band from `pixel` on; marks those with a number that is not finite. */
static void read_pixels(const job *j, size_t pixel, size_t count)
{
    const optmap_shape *s = &j->loader->shape;
    double *to = j->band->host.v + pixel * s->pitch;

    for (size_t n = 0; n < s->frames; n++)
        for (size_t i = 0; i < count; i++) {
            double value = penta_value_at(j->loader->type, j->frames[n], pixel + i);
            double below = j->under ? penta_value_at(j->loader->type, j->under[n], pixel + i) : 1;

            if (!isfinite(value) || !isfinite(below))
                j->places[pixel + i] = BAD;
            to[i * s->pitch + n] = value / below;
        }
}

/* ---- sums, of numbers LANES apart, then of those ---- */

static double total(const double *lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/* The mean of frames begin .. end - 1. */
static double mean_of(const double *f, int begin, int end)
{
    double lanes[LANES] = {0};

    for (int n = begin; n < end; n++)
        lanes[n % LANES] += f[n];
    return total(lanes) / (end - begin);
}

static double product(const double *a, const double *b, size_t count)
{
    double lanes[LANES] = {0};
    size_t n = 0;

    for (; n + LANES <= count; n += LANES)
        for (size_t k = 0; k < LANES; k++)
            lanes[k] += a[n + k] * b[n + k];
    for (; n < count; n++)
        lanes[n % LANES] += a[n] * b[n];
    return total(lanes);
}

/* ---- drift ---- */

/* Solves a x' = x in place by Cholesky. a: rows of the lower half in sequence. */
static void solve(double *a, double *x, int terms)
{
    for (int r = 0; r < terms; r++) {
        double *row = a + r * (r + 1) / 2;

        for (int k = 0; k <= r; k++) {
            double *other = a + k * (k + 1) / 2, sum = row[k];

            for (int i = 0; i < k; i++)
                sum -= row[i] * other[i];
            row[k] = k < r ? sum / other[k] : sqrt(sum);
        }
        for (int k = 0; k < r; k++)
            x[r] -= row[k] * x[k];
        x[r] /= row[r];
    }
    for (int r = terms - 1; r >= 0; r--) {
        for (int k = r + 1; k < terms; k++)
            x[r] -= a[k * (k + 1) / 2 + r] * x[k];
        x[r] /= a[r * (r + 1) / 2 + r];
    }
}

static double residual(const job *j, const double *f, size_t n, const double *c, int terms)
{
    double rest = f[n];

    for (int k = 0; k < terms; k++)
        rest -= c[k] * j->basis[(size_t)k * j->loader->shape.pitch + n];
    return rest;
}

/* Makes one Newton step of c; returns its largest change. */
static double improve(const job *j, const double *f, double up, double *c, int terms)
{
    size_t pitch = j->loader->shape.pitch, frames = j->loader->shape.frames;
    double products[MOST_PAIRS][LANES] = {{0}}, sums[MOST_TERMS][LANES] = {{0}};
    double a[MOST_PAIRS], x[MOST_TERMS], most = 0;

    for (size_t n = 0; n < frames; n++) {
        double rest = residual(j, f, n, c, terms), w = up * rest > 0 ? above : 1;

        for (int k = 0; k < terms; k++) {
            double weighed = w * j->basis[(size_t)k * pitch + n];

            sums[k][n % LANES] += weighed * rest;
            for (int i = 0; i <= k; i++)
                products[k * (k + 1) / 2 + i][n % LANES] += weighed * j->basis[(size_t)i * pitch + n];
        }
    }
    for (int i = 0; i < terms * (terms + 1) / 2; i++)
        a[i] = total(products[i]);
    for (int k = 0; k < terms; k++)
        x[k] = total(sums[k]);
    solve(a, x, terms);
    for (int k = 0; k < terms; k++) {
        c[k] += x[k];
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

/* Takes the drift off f; returns the largest |F|. */
static double take_drift(const job *j, double f0, double *f)
{
    const optmap_shape *s = &j->loader->shape;
    int terms = s->options->drift + 1;
    double up = (s->options->polarity == PENTA_OPTMAP_UP ? 1 : -1) * (f0 < 0 ? -1.0 : 1.0), size = 0, change = INFINITY;
    double c[MOST_TERMS];

    for (int k = 0; k < terms; k++)
        c[k] = product(f, j->basis + (size_t)k * s->pitch, s->frames);
    for (size_t n = 0; n < s->frames; n++)
        size = fmax(size, fabs(f[n]));
    for (int pass = 0; pass < MOST_PASSES && change > still * size; pass++)
        change = improve(j, f, up, c, terms);
    for (size_t n = 0; n < s->frames; n++)
        f[n] = residual(j, f, n, c, terms);
    return size;
}

/* ---- pixels ---- */

/* F becomes v; returns the pixel's place in the report. */
static int normalise(const job *j, double f0, double level, double noise, bool masked, double *f)
{
    const optmap_loader *l = j->loader;
    const penta_optmap_options *o = l->shape.options;
    double sign = o->polarity == PENTA_OPTMAP_UP ? 1 : -1, least = INFINITY, most = -INFINITY;
    bool wrong = false;

    for (size_t n = 0; n < l->shape.frames; n++) {
        f[n] = sign * (f[n] - level) / f0;
        wrong = wrong || !(fabs(f[n]) <= limit);
        least = fmin(least, f[n]);
        most = fmax(most, f[n]);
    }
    if (masked)
        return MASKED;
    if (f0 == 0)
        return NO_F0;
    if (o->min_intensity > 0 && f0 < o->min_intensity)
        return DARK;
    if (wrong)
        return TOO_LARGE;
    if (!(most - least > fmax(o->min_range, noise)))
        return FLAT;
    return most > l->min_value ? VALID : LOW;
}

/* v to the numbers that the device has, two floats. */
static void split(const job *j, size_t pixel)
{
    size_t pitch = j->loader->shape.pitch, at = (pixel - j->first) * pitch;
    double *v = j->band->host.v + pixel * pitch;

    for (size_t n = 0; n < pitch; n++) {
        j->v[at + n] = (float)v[n];
        j->low[at + n] = (float)(v[n] - (double)j->v[at + n]);
        v[n] = (double)j->v[at + n] + (double)j->low[at + n];
    }
}

static void load_pixel(const job *j, size_t pixel)
{
    const optmap_loader *l = j->loader;
    const optmap_shape *s = &l->shape;
    double *f = j->band->host.v + pixel * s->pitch, f0 = mean_of(f, l->begin, l->end), level = f0, noise = 0;

    if (j->places[pixel] != BAD) {
        if (s->options->drift >= 0) {
            noise = nothing * take_drift(j, f0, f) / fabs(f0);
            level = mean_of(f, l->begin, l->end);
        }
        j->places[pixel] = (uint8_t)normalise(j, f0, level, noise, j->mask && !j->mask[pixel], f);
    }
    memset(f + s->frames, 0, (s->pitch - s->frames) * sizeof *f);
    if (j->places[pixel] != VALID)
        memset(f, 0, s->frames * sizeof *f);
    j->band->host.valid[pixel] = j->places[pixel] == VALID;
    j->band->host.mean[pixel] = s->options->demean ? mean_of(f, 0, (int)s->frames) : 0;
    split(j, pixel);
}

static void load_run(void *data, size_t run)
{
    const job *j = data;
    size_t first = j->first + run * RUN, left = j->first + j->pixels - first, count = left < RUN ? left : RUN;

    memset(j->places + first, VALID, count);
    read_pixels(j, first, count);
    for (size_t i = 0; i < count; i++)
        load_pixel(j, first + i);
}

/* ---- the band ---- */

static penta_status make_traces(const optmap_loader *l, optmap_traces *band)
{
    penta_status status = PENTA_OK;
    size_t pixels = l->shape.rows * l->shape.width;

    if (band->host.v)
        return PENTA_OK;
    TRY(penta_calloc(l->resources.ctx, pixels, l->shape.pitch * sizeof *band->host.v, &band->host.v));
    TRY(penta_calloc(l->resources.ctx, pixels, sizeof *band->host.mean, &band->host.mean));
    TRY(penta_calloc(l->resources.ctx, pixels, sizeof *band->host.valid, &band->host.valid));
cleanup:
    return status;
}

/* The band's rows of frames in host memory: the caller's, or copies in `copies`. */
static penta_status view(const optmap_loader *l, const optmap_traces *band, const void *const *frames,
                         const void **views, void **copies)
{
    penta_status status = PENTA_OK;
    size_t row = l->shape.width * penta_type_size(l->type);

    for (size_t n = 0; n < l->shape.frames; n++)
        TRY(penta_host_view(l->resources.ctx, (const char *)frames[n] + band->first * row, band->rows * row, &views[n],
                            &copies[n]));
cleanup:
    return status;
}

static penta_status load_piece(job *j, optmap_traces *band)
{
    penta_status status = PENTA_OK;
    size_t each = j->loader->shape.pitch * sizeof *j->v;

    penta_parallel((j->pixels + RUN - 1) / RUN, load_run, j);
    TRY(penta_buffer_write(&band->v, j->first * each, j->v, j->pixels * each));
    TRY(penta_buffer_write(&band->low, j->first * each, j->low, j->pixels * each));
cleanup:
    return status;
}

/* Sends the means, as two floats each, and which pixels are valid. */
static penta_status send_maps(job *j, optmap_traces *band, size_t pixels)
{
    penta_status status = PENTA_OK;
    float *means = j->v;

    for (size_t first = 0; first < pixels; first += j->pixels) {
        size_t left = pixels - first, count = left < j->pixels ? left : j->pixels;

        for (size_t i = 0; i < count; i++) {
            means[2 * i] = (float)band->host.mean[first + i];
            means[2 * i + 1] = (float)(band->host.mean[first + i] - (double)means[2 * i]);
        }
        TRY(penta_buffer_write(&band->mean, first * 2 * sizeof *means, means, count * 2 * sizeof *means));
    }
    TRY(penta_buffer_write(&band->valid, 0, band->host.valid, pixels));
cleanup:
    return status;
}

static void count_places(const job *j, const optmap_traces *band, size_t pixels, uint32_t *report)
{
    size_t width = j->loader->shape.width, from = (band->from - band->first) * width,
           to = (band->to - band->first) * width;

    for (size_t i = 0; i < pixels; i++) {
        report[0] |= j->places[i] == BAD;
        if (i >= from && i < to && j->places[i] != BAD)
            report[j->places[i]]++;
    }
}

static penta_status load_pieces(job *j, optmap_traces *band, uint32_t *report)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = j->loader->resources.ctx;
    size_t pixels = band->rows * j->loader->shape.width, pitch = j->loader->shape.pitch;
    size_t most = piece_bytes / (pitch * sizeof *j->v) / RUN * RUN;

    most = most < RUN ? RUN : most < pixels ? most : pixels;
    TRY(penta_calloc(ctx, most, pitch * sizeof *j->v, &j->v));
    TRY(penta_calloc(ctx, most, pitch * sizeof *j->low, &j->low));
    TRY(penta_calloc(ctx, pixels, 1, &j->places));
    for (; j->first < pixels; j->first += j->pixels) {
        j->pixels = pixels - j->first < most ? pixels - j->first : most;
        TRY(load_piece(j, band));
    }
    j->pixels = most;
    TRY(send_maps(j, band, pixels));
    count_places(j, band, pixels, report);
cleanup:
    free(j->v);
    free(j->low);
    free(j->places);
    return status;
}

penta_status traces_on_host(const optmap_loader *l, const penta_movie *movie, optmap_traces *band, uint32_t *report)
{
    penta_status status = PENTA_OK;
    size_t n = l->shape.frames;
    const void **views = NULL, *mask = NULL;
    void **copies = NULL;
    job j = {.loader = l, .band = band, .basis = l->host_basis};

    TRY(make_traces(l, band));
    TRY(penta_calloc(l->resources.ctx, 2 * n, sizeof *views, &views));
    TRY(penta_calloc(l->resources.ctx, 2 * n + 1, sizeof *copies, &copies));
    TRY(view(l, band, movie->frames, views, copies));
    if (movie->under)
        TRY(view(l, band, movie->under, views + n, copies + n));
    if (movie->mask)
        TRY(penta_host_view(l->resources.ctx, movie->mask + band->first * l->shape.width, band->rows * l->shape.width,
                            &mask, &copies[2 * n]));
    j.frames = views;
    j.under = movie->under ? views + n : NULL;
    j.mask = mask;
    TRY(load_pieces(&j, band, report));
cleanup:
    for (size_t i = 0; copies && i < 2 * n + 1; i++)
        free(copies[i]);
    free(copies);
    free(views);
    return status;
}
