/*
 * Frames that the camera spoilt: black, bright or repeated, one at a time, by the means of blocks.
 *
 * A black or a bright frame differs from both neighbours, which agree with each other, by more than noise; in each
 * block by a share of its light, by the same amount or because the frame is flat. So neither an upstroke, after which
 * the light stays, nor a flash of several frames, nor one of a part of the field is taken for one. A repeated frame
 * equals the one before in every block of a movie with noise.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/amend.h"
#include "optmap/ranks.h"

enum { LEAST_FRAMES = 10, LEAST_PIXELS = 64, MOST_RUN = 3, LEAST_CHANGED = 20, LEAST_MIXED = 5 };

static const double clear = 8;     /* standard deviations of noise */
static const double matters = 0.1; /* of the range of frames' means */
static const double returns = 5;   /* a spoilt frame is off by so much more than its neighbours differ */
static const double most = 3;      /* the first or last one by so much more than the range of the others */
static const double agrees = 0.25; /* largest part of the change by which a block may be off */
static const double few = 0.02;    /* fraction of blocks that may contradict, by dead or hot pixels */
static const double beside = 0.8;  /* part of the median number of changed blocks that frames beside must change */
static const double most_spoilt = 0.02, most_repeated = 0.1; /* fractions of the frames */

double amend_spread(const double *x, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(x[i]);
    return optmap_median(scratch, count) / 0.6745;
}

int amend_sources(const amend_camera *c, size_t n, size_t at[4], double w[4])
{
    size_t a = n, b = n;
    bool before, after;

    while (a > 0 && c->bad[a])
        a--;
    while (b + 1 < c->frames && c->bad[b])
        b++;
    before = !c->bad[a];
    after = !c->bad[b];
    at[0] = before ? a : b;
    at[1] = b;
    w[0] = before && after && a < b ? (double)(b - n) / (double)(b - a) : 1;
    w[1] = 1 - w[0];
    if (!(w[1] > 0) || b - a > 2 || a == 0 || b + 1 == c->frames || c->bad[a - 1] || c->bad[b + 1])
        return w[1] > 0 ? 2 : 1;
    at[2] = a - 1;
    at[3] = b + 1;
    w[0] = w[1] = 4.0 / 6; /* the cubic through four neighbours */
    w[2] = w[3] = -1.0 / 6;
    return 4;
}

/* ---- black or bright ---- */

/* By how much a number is off both its neighbours; 0 where it lies between them. */
static double spike(double before, double x, double after)
{
    return (x - before) * (x - after) > 0 ? fmin(fabs(x - before), fabs(x - after)) : 0;
}

/* The spread of numbers less the means of their neighbours. scratch: 2 x frames. */
static double noise_of(const double *values, size_t frames, double *scratch)
{
    for (size_t n = 1; n + 1 < frames; n++)
        scratch[frames + n] = values[n] - 0.5 * (values[n - 1] + values[n + 1]);
    return amend_spread(scratch + frames + 1, frames - 2, scratch);
}

/* The change went back at once, and the light does not change as much beside it: it would where it curves. */
static bool is_off(const amend_camera *c, size_t n, double least)
{
    const double *m = c->mean + n;
    double s = spike(m[-1], m[0], m[1]);

    return s > least && s > returns * fabs(m[1] - m[-1]) && (n < 2 || s > 2 * fabs(m[-1] - m[-2])) &&
           (n + 2 == c->frames || s > 2 * fabs(m[2] - m[1]));
}

/* The same of the first or last frame: nothing shows that its change went back. */
static bool end_is_off(const amend_camera *c, size_t n)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t k = 0; k < c->frames; k++)
        if (k != n && !c->bad[k]) {
            low = fmin(low, c->mean[k]);
            high = fmax(high, c->mean[k]);
        }
    return fmax(low - c->mean[n], c->mean[n] - high) > most * (high - low);
}

/* Marks frames that may be black or bright, and returns how many. scratch: 2 x frames. */
static size_t mark_spikes(amend_camera *c, double *scratch)
{
    size_t last = c->frames - 1, marked = 0;
    double range;

    memcpy(scratch, c->mean, c->frames * sizeof *scratch);
    range = optmap_rank(scratch, c->frames, last - c->frames / 20) - optmap_rank(scratch, c->frames, c->frames / 20);
    c->noise = noise_of(c->mean, c->frames, scratch);
    for (size_t n = 1; n < last; n++)
        c->bad[n] = is_off(c, n, fmax(matters * range, clear * c->noise));
    c->bad[0] = end_is_off(c, 0);
    c->bad[last] = end_is_off(c, last);
    for (size_t n = 0; n <= last; n++)
        marked += c->bad[n];
    return marked;
}

/* Whether but for a few each block of frame n is off by share * light + amount, half of them clearly. */
static bool explains(const amend_camera *c, const double *off, const double *light, const double *noise, double share,
                     double amount)
{
    size_t wrong = 0, shown = 0, blocks = 0;

    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        if (c->pixels[b]) {
            double expected = share * light[b] + amount;

            wrong += !(fabs(off[b] - expected) <= agrees * fabs(expected) + 5 * noise[b]);
            shown += fabs(expected) > clear * noise[b];
            blocks++;
        }
    return (double)wrong <= few * (double)blocks && 2 * shown > blocks;
}

static bool is_of_all_blocks(const amend_camera *c, size_t n, const double *noise)
{
    size_t before = n > 0 ? n - 1 : 1, after = n + 1 < c->frames ? n + 1 : n - 1, blocks = 0;
    double off[AMEND_BLOCKS] = {0}, light[AMEND_BLOCKS] = {0}, sum = 0, all = 0, count;

    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        if (c->pixels[b]) {
            const double *values = c->blocks + b * c->frames;

            light[b] = 0.5 * (values[before] + values[after]);
            off[b] = values[n] - light[b];
            sum += off[b];
            all += light[b];
            blocks++;
        }
    count = (double)blocks;
    return explains(c, off, light, noise, sum / all, 0) || explains(c, off, light, noise, 0, sum / count) ||
           explains(c, off, light, noise, -1, (sum + all) / count);
}

/* scratch: 2 x frames. */
static void find_spikes(amend_camera *c, double *scratch, penta_amends *out)
{
    size_t marked = mark_spikes(c, scratch);
    double noise[AMEND_BLOCKS];

    if ((double)marked > fmax(1, most_spoilt * (double)c->frames)) {
        memset(c->bad, 0, c->frames);
        return;
    }
    for (size_t b = 0; marked > 0 && b < AMEND_BLOCKS; b++)
        noise[b] = noise_of(c->blocks + b * c->frames, c->frames, scratch);
    for (size_t n = 0; n < c->frames; n++)
        if (c->bad[n]) {
            bool dark = c->mean[n] < c->mean[n > 0 ? n - 1 : 1];

            c->bad[n] = is_of_all_blocks(c, n, noise);
            out->black += c->bad[n] && dark;
            out->bright += c->bad[n] && !dark;
        }
}

/* ---- repeated frames ---- */

/* How many blocks of frame n differ from the frame before; *mixed: the lesser of those that rise and fall. */
static double changed_in(const amend_camera *c, size_t n, double *mixed)
{
    double rise = 0, fall = 0;

    for (size_t b = 0; b < AMEND_BLOCKS; b++) {
        const double *values = c->blocks + b * c->frames + n;

        rise += values[0] > values[-1];
        fall += values[0] < values[-1];
    }
    *mixed = fmin(rise, fall);
    return rise + fall;
}

/* Whether the equal frames first - 1 .. end - 1 are a flash, after which the light is as before. */
static bool is_flash(const amend_camera *c, size_t first, size_t end)
{
    const double *m = c->mean;
    double s = first < 2 || end >= c->frames ? 0 : spike(m[first - 2], m[first], m[end]);

    return s > clear * c->noise && s > returns * fabs(m[end] - m[first - 2]);
}

/* Frames that equal their predecessor cannot be chance where others, and those beside them, differ in many blocks, up
 * and down. scratch: 2 x frames. */
static void find_repeated(amend_camera *c, double *scratch, penta_amends *out)
{
    size_t steps = c->frames - 1;
    double *mixed = scratch + c->frames, ignored, usual;

    for (size_t n = 1; n < c->frames; n++)
        scratch[n - 1] = changed_in(c, n, &mixed[n - 1]);
    if (optmap_rank(scratch, steps, (size_t)(most_repeated * (double)steps)) < LEAST_CHANGED ||
        optmap_rank(mixed, steps, steps - 1 - steps / 4) < LEAST_MIXED)
        return;
    usual = beside * optmap_median(scratch, steps);
    for (size_t n = 1, end; n < c->frames; n = end) {
        for (end = n; end < c->frames && changed_in(c, end, &ignored) < 1; end++)
            ;
        if (end == n) {
            end++;
            continue;
        }
        if (end - n <= MOST_RUN && !c->bad[n - 1] && !is_flash(c, n, end) &&
            (n == 1 || changed_in(c, n - 1, &ignored) >= usual) &&
            (end == c->frames || changed_in(c, end, &ignored) >= usual)) {
            memset(c->bad + n, 1, end - n);
            out->repeated += end - n;
        }
    }
}

/* ---- all of it ---- */

static void bridge(const amend_camera *c, double *trace)
{
    for (size_t n = 0; n < c->frames; n++)
        if (c->bad[n]) {
            size_t at[4];
            double w[4], sum = 0;

            for (int k = 0, count = amend_sources(c, n, at, w); k < count; k++)
                sum += w[k] * trace[at[k]];
            trace[n] = sum;
        }
}

penta_status amend_find_frames(amend_camera *c, penta_amends *out)
{
    penta_status status = PENTA_OK;
    double *scratch = NULL;

    if (c->frames < LEAST_FRAMES || c->width * c->height < LEAST_PIXELS)
        return PENTA_OK;
    TRY(penta_calloc(c->ctx, 2 * c->frames, sizeof *scratch, &scratch));
    find_spikes(c, scratch, out);
    find_repeated(c, scratch, out);
    for (size_t b = 0; b <= AMEND_BLOCKS; b++)
        bridge(c, c->mean + b * c->frames);
cleanup:
    free(scratch);
    return status;
}
