/*
 * Frames that the camera spoilt: black, bright or repeated, one at a time.
 *
 * A black or a bright frame differs from both neighbours, which agree with each other, by more than noise. It does so
 * in all pixels, by a share of their light, by the same amount or because it is flat: in each block, and in all but a
 * few pixels. So neither an upstroke, after which the light stays, nor a flash of several frames, nor one of a part of
 * the field is taken for one. A repeated frame equals the one before in every pixel of a movie with noise.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/amend.h"
#include "optmap/ranks.h"

enum { LEAST_FRAMES = 10, LEAST_PIXELS = 64, MOST_RUN = 3, LEAST_CHANGED = 20, LEAST_MIXED = 5 };

static const double clear = 8;     /* standard deviations of noise */
static const double matters = 0.1; /* of the range of frames' means */
static const double returns = 3;   /* a spoilt frame is off by so much more than its neighbours differ */
static const double agrees = 0.4;  /* largest part of the change by which a block or pixel may be off */
static const double few = 0.02;    /* fraction of pixels that may contradict, being dead or hot */
static const double most_spoilt = 0.02, most_repeated = 0.1; /* fractions of the frames */

/* ---- by the means of frames ---- */

/* By how much frame n is off both others; 0 where it lies between them. */
static double spike(const double *mean, size_t before, size_t n, size_t after)
{
    double a = mean[n] - mean[before], b = mean[n] - mean[after];

    return a * b > 0 ? copysign(fmin(fabs(a), fabs(b)), a) : 0;
}

/* By how much the light changes beside frame n and its neighbours: no less than at n itself where it curves. */
static double step_beside(const amend_camera *c, size_t n)
{
    double before = n >= 2 ? fabs(c->mean[n - 1] - c->mean[n - 2]) : 0;
    double after = n + 2 < c->frames ? fabs(c->mean[n + 2] - c->mean[n + 1]) : 0;

    return fmax(before, after);
}

/* The largest step between successive frames neither of which is marked, or within two frames of one that is. */
static double largest_step(const amend_camera *c)
{
    double most = 0;

    for (size_t n = 0; n + 1 < c->frames; n++) {
        bool near = false;

        for (size_t k = n > 2 ? n - 2 : 0; k <= n + 3 && k < c->frames; k++)
            near = near || c->bad[k];
        most = near ? most : fmax(most, fabs(c->mean[n + 1] - c->mean[n]));
    }
    return most;
}

/* The first or last frame is off all others by a multiple of their range: nothing shows that its change went back. */
static bool end_is_off(const amend_camera *c, size_t n)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t k = 0; k < c->frames; k++)
        if (k != n && !c->bad[k]) {
            least = fmin(least, c->mean[k]);
            most = fmax(most, c->mean[k]);
        }
    return fmax(least - c->mean[n], c->mean[n] - most) > returns * (most - least);
}

/* Marks frames that may be black or bright. scratch: 2 x frames. */
static void mark_spikes(amend_camera *c, double *scratch)
{
    size_t last = c->frames - 1;
    double *bend = scratch + c->frames, least, step;

    for (size_t n = 1; n < last; n++)
        bend[n - 1] = c->mean[n] - 0.5 * (c->mean[n - 1] + c->mean[n + 1]);
    memcpy(scratch, c->mean, c->frames * sizeof *scratch);
    least = matters * (optmap_rank(scratch, c->frames, c->frames - 1 - c->frames / 20) -
                       optmap_rank(scratch, c->frames, c->frames / 20));
    c->noise = amend_spread(bend, last - 1, scratch);
    for (size_t n = 1; n < last; n++) {
        double s = fabs(spike(c->mean, n - 1, n, n + 1));

        c->bad[n] = s > fmax(least, clear * c->noise) && s > 2 * step_beside(c, n) &&
                    s > returns * fabs(c->mean[n + 1] - c->mean[n - 1]);
    }
    step = largest_step(c);
    for (size_t n = 1; n < last; n++)
        if (c->bad[n]) {
            double s = fabs(spike(c->mean, n - 1, n, n + 1)), left = fabs(c->mean[n + 1] - c->mean[n - 1]);

            c->bad[n] = !c->bad[n - 1] && !c->bad[n + 1] && left <= fmax(0.1 * s, step);
        }
    c->bad[0] = end_is_off(c, 0);
    c->bad[last] = end_is_off(c, last);
}

/* ---- in all pixels ---- */

typedef struct {
    size_t pixels;
    double *off, *light; /* of each pixel: its number less its neighbours' mean, and that mean */
    double *scratch;
    double noise; /* standard deviation of `off` */
} change;

/* Frame n less the mean of frames a and b; light: that mean. */
static void compare(const amend_camera *c, size_t a, size_t n, size_t b, double *off, double *light)
{
    for (size_t y = 0; y < c->height; y++) {
        double *at = off + y * c->width, *mean = light + y * c->width, *more = light + c->width * c->height;

        amend_row(c, a, y, mean);
        amend_row(c, b, y, more);
        amend_row(c, n, y, at);
        for (size_t x = 0; x < c->width; x++) {
            mean[x] = 0.5 * (mean[x] + more[x]);
            at[x] -= mean[x];
        }
    }
}

/* The lesser of the spreads of frames on either side, as one of them may be an upstroke. */
static double noise_near(const amend_camera *c, size_t n, change *d)
{
    double noise = INFINITY;

    if (n + 4 < c->frames) {
        compare(c, n + 2, n + 3, n + 4, d->off, d->light);
        noise = amend_spread(d->off, d->pixels, d->scratch);
    }
    if (n >= 4) {
        compare(c, n - 4, n - 3, n - 2, d->off, d->light);
        noise = fmin(noise, amend_spread(d->off, d->pixels, d->scratch));
    }
    return noise;
}

static bool is_off(const change *d, double off, double expected, double count)
{
    return !(fabs(off - expected) <= agrees * fabs(expected) + 5 * d->noise / sqrt(count));
}

/* Whether each pixel changes by share * light + amount, but for a few, and so does each block. */
static bool explains(const amend_camera *c, const change *d, double share, double amount)
{
    double off[AMEND_BLOCKS] = {0}, expected[AMEND_BLOCKS] = {0};
    size_t wrong = 0, shown = 0, blocks = 0;

    for (size_t i = 0; i < d->pixels; i++) {
        size_t x = i % c->width, y = i / c->width;
        size_t b = y * AMEND_SIDE / c->height * AMEND_SIDE + x * AMEND_SIDE / c->width;
        double e = share * d->light[i] + amount;

        wrong += is_off(d, d->off[i], e, 1);
        off[b] += d->off[i];
        expected[b] += e;
    }
    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        if (c->pixels[b]) {
            double count = (double)c->pixels[b];

            if (is_off(d, off[b] / count, expected[b] / count, count))
                return false;
            shown += fabs(expected[b] / count) > clear * d->noise / sqrt(count);
            blocks++;
        }
    return (double)wrong <= few * (double)d->pixels && 2 * shown > blocks;
}

static bool is_of_all_pixels(const amend_camera *c, size_t n, change *d)
{
    size_t before = n > 0 ? n - 1 : 1, after = n + 1 < c->frames ? n + 1 : n - 1;
    double off = 0, light = 0, count = (double)d->pixels;

    d->noise = noise_near(c, n, d);
    compare(c, before, n, after, d->off, d->light);
    for (size_t i = 0; i < d->pixels; i++) {
        off += d->off[i];
        light += d->light[i];
    }
    return explains(c, d, off / light, 0) || explains(c, d, 0, off / count) ||
           explains(c, d, -1, (off + light) / count);
}

static penta_status find_spikes(amend_camera *c, penta_amends *out)
{
    penta_status status = PENTA_OK;
    size_t marked = 0, pixels = c->width * c->height;
    double *scratch = NULL;
    change d = {.pixels = pixels};

    TRY(penta_calloc(c->ctx, 2 * c->frames, sizeof *scratch, &scratch));
    mark_spikes(c, scratch);
    for (size_t n = 0; n < c->frames; n++)
        marked += c->bad[n];
    if ((double)marked > fmax(1, most_spoilt * (double)c->frames))
        memset(c->bad, 0, c->frames);
    else if (marked > 0) {
        TRY(penta_calloc(c->ctx, 3 * pixels + c->width, sizeof *d.off, &d.off));
        d.scratch = d.off + pixels;
        d.light = d.off + 2 * pixels; /* behind it a row */
    }
    for (size_t n = 0; d.off && n < c->frames; n++)
        if (c->bad[n]) {
            bool dark = c->mean[n] < c->mean[n > 0 ? n - 1 : 1];

            c->bad[n] = is_of_all_pixels(c, n, &d);
            out->black += c->bad[n] && dark;
            out->bright += c->bad[n] && !dark;
        }
cleanup:
    free(scratch);
    free(d.off);
    return status;
}

/* ---- repeated frames ---- */

/* Whether frames that equal their predecessor cannot be chance: others differ in many pixels, up and down. */
static bool has_noise(const amend_camera *c, double *scratch)
{
    size_t count = 0, tenth;

    for (size_t n = 1; n < c->frames; n++)
        if (c->changed[n] > 0)
            scratch[count++] = (double)c->changed[n];
    if ((double)(c->frames - 1 - count) > most_repeated * (double)c->frames || count < LEAST_FRAMES)
        return false;
    tenth = count / 10;
    if (optmap_rank(scratch, count, tenth) < LEAST_CHANGED)
        return false;
    count = 0;
    for (size_t n = 1; n < c->frames; n++)
        if (c->changed[n] > 0)
            scratch[count++] = (double)c->mixed[n];
    return optmap_median(scratch, count) >= LEAST_MIXED;
}

/* Whether the equal frames first - 1 .. end - 1 are a flash, after which the light is as before. */
static bool is_flash(const amend_camera *c, size_t first, size_t end)
{
    double s;

    if (first < 2 || end >= c->frames)
        return false;
    s = fabs(spike(c->mean, first - 2, first, end));
    return s > clear * c->noise && s > returns * fabs(c->mean[end] - c->mean[first - 2]);
}

static penta_status find_repeated(amend_camera *c, penta_amends *out)
{
    penta_status status = PENTA_OK;
    double *scratch = NULL;

    TRY(penta_calloc(c->ctx, c->frames, sizeof *scratch, &scratch));
    if (!has_noise(c, scratch))
        goto cleanup;
    for (size_t n = 1, end; n < c->frames; n = end) {
        for (end = n; end < c->frames && c->changed[end] == 0; end++)
            ;
        if (end == n)
            end++;
        else if (end - n <= MOST_RUN && !c->bad[n - 1] && !is_flash(c, n, end)) {
            memset(c->bad + n, 1, end - n);
            out->repeated += end - n;
        }
    }
cleanup:
    free(scratch);
    return status;
}

/* ---- all of it ---- */

static void bridge(const amend_camera *c, double *trace)
{
    for (size_t n = 0; n < c->frames; n++)
        if (c->bad[n]) {
            size_t a = n, b = n;

            while (a > 0 && c->bad[a])
                a--;
            while (b + 1 < c->frames && c->bad[b])
                b++;
            trace[n] = c->bad[a] ? trace[b] : c->bad[b] ? trace[a] : 0.5 * (trace[a] + trace[b]);
        }
}

penta_status amend_find_frames(amend_camera *c, penta_amends *out)
{
    penta_status status = PENTA_OK;

    if (c->frames < LEAST_FRAMES || c->width * c->height < LEAST_PIXELS)
        return PENTA_OK;
    TRY(find_spikes(c, out));
    TRY(find_repeated(c, out));
    bridge(c, c->mean);
    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        bridge(c, c->blocks + b * c->frames);
cleanup:
    return status;
}
