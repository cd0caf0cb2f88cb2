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

    while (a > 0 && c->bad[a])
        a--;
    while (b + 1 < c->s.frames && c->bad[b])
        b++;
    at[0] = c->bad[a] ? b : a;
    at[1] = b;
    if (c->bad[a] || c->bad[b] || a == b) {
        w[0] = 1;
        return 1;
    }
    w[0] = (double)(b - n) / (double)(b - a);
    w[1] = 1 - w[0];
    if (b - a > 2 || a == 0 || b + 1 == c->s.frames || c->bad[a - 1] || c->bad[b + 1])
        return 2;
    at[2] = a - 1;
    at[3] = b + 1;
    w[0] = w[1] = 4.0 / 6; /* the cubic through four neighbours */
    w[2] = w[3] = -1.0 / 6;
    return 4;
}

/* ---- black or bright ---- */

/* The spread of numbers less the means of their neighbours. */
static double noise_of(const double *values, size_t frames, double *scratch)
{
    for (size_t n = 1; n + 1 < frames; n++)
        scratch[n - 1] = values[n] - 0.5 * (values[n - 1] + values[n + 1]);
    return amend_spread(scratch, frames - 2, scratch);
}

/* Whether frames n .. end - 1, which are alike, differ from both neighbours: the change goes back at once, and the
 * light does not change as much beside it, as it would where it curves. */
static bool is_off(const amend_camera *c, size_t n, size_t end, double least)
{
    const double *m = c->mean;
    double before, after, s;

    if (n < 1 || end >= c->s.frames)
        return false;
    before = m[n] - m[n - 1];
    after = m[n] - m[end];
    s = before * after > 0 ? fmin(fabs(before), fabs(after)) : 0;
    return s > fmax(least, returns * fabs(m[end] - m[n - 1])) && (n < 2 || s > 2 * fabs(m[n - 1] - m[n - 2])) &&
           (end + 1 == c->s.frames || s > 2 * fabs(m[end + 1] - m[end]));
}

/* Whether but for a few each block of a frame is off by the same share of its light, the same amount, or because the
 * frame is flat; half of them clearly. */
static bool is_of_all_blocks(const amend_camera *c, const double *off, const double *light, const double *noise)
{
    double blocks = (double)c->count, sum = 0, all = 0;

    for (size_t b = 0; b < c->count; b++) {
        sum += off[b];
        all += light[b];
    }
    for (int i = 0; i < 3; i++) {
        double share = i == 0 ? sum / all : i - 2, amount = i == 0 ? 0 : (sum - share * all) / blocks;
        double wrong = 0, shown = 0;

        for (size_t b = 0; b < c->count; b++) {
            double expected = share * light[b] + amount;

            wrong += !(fabs(off[b] - expected) <= agrees * fabs(expected) + 5 * noise[b]);
            shown += fabs(expected) > clear * noise[b];
        }
        if (wrong <= few * blocks && 2 * shown > blocks)
            return true;
    }
    return false;
}

/* Marks frames that are off in the mean; keeps those that are so in all blocks. */
static void find_spikes(amend_camera *c, double *scratch, penta_amends *out)
{
    size_t frames = c->s.frames, last = frames - 1, marked = 0;
    double noise[AMEND_BLOCKS], off[AMEND_BLOCKS], light[AMEND_BLOCKS], range, low = INFINITY, high = -INFINITY;

    memcpy(scratch, c->mean, frames * sizeof *scratch);
    range = optmap_rank(scratch, frames, last - frames / 20);
    range -= optmap_rank(scratch, frames, frames / 20);
    c->noise = noise_of(c->mean, frames, scratch);
    for (size_t n = 1; n < last; n++) {
        c->bad[n] = is_off(c, n, n + 1, fmax(matters * range, clear * c->noise));
        low = c->bad[n] ? low : fmin(low, c->mean[n]);
        high = c->bad[n] ? high : fmax(high, c->mean[n]);
    }
    for (size_t n = 0; n <= last; n += last) /* nothing shows that the change of the first or last one went back */
        c->bad[n] = fmax(low - c->mean[n], c->mean[n] - high) > most * (high - low);
    for (size_t n = 0; n <= last; n++)
        marked += c->bad[n];
    if ((double)marked > fmax(1, most_spoilt * (double)frames))
        memset(c->bad, 0, frames);
    for (size_t b = 0; b < c->count; b++)
        noise[b] = noise_of(c->blocks + b * frames, frames, scratch);
    for (size_t n = 0; n < frames; n++) {
        size_t before = n > 0 ? n - 1 : 1, after = n < last ? n + 1 : n - 1;

        for (size_t b = 0; b < c->count; b++) {
            const double *values = c->blocks + b * frames;

            light[b] = 0.5 * (values[before] + values[after]);
            off[b] = values[n] - light[b];
        }
        c->bad[n] = c->bad[n] && is_of_all_blocks(c, off, light, noise);
        out->black += c->bad[n] && c->mean[n] < c->mean[before];
        out->bright += c->bad[n] && !(c->mean[n] < c->mean[before]);
    }
}

/* ---- repeated frames ---- */

/* Frames that equal their predecessor cannot be chance where others, and those beside them, differ in many blocks, up
 * and down; nor are they a flash, after which the light is as before. scratch: 3 x frames. */
static void find_repeated(amend_camera *c, double *scratch, penta_amends *out)
{
    size_t frames = c->s.frames, steps = frames - 1;
    double *mixed = scratch + frames, *changed = mixed + frames, usual; /* in how many blocks */

    for (size_t n = 1; n < frames; n++) {
        double rise = 0, fall = 0;

        for (const double *v = c->blocks + n; v < c->blocks + c->count * frames; v += frames) {
            rise += v[0] > v[-1];
            fall += v[0] < v[-1];
        }
        scratch[n - 1] = changed[n] = rise + fall;
        mixed[n - 1] = fmin(rise, fall);
    }
    if (optmap_rank(scratch, steps, (size_t)(most_repeated * (double)steps)) < LEAST_CHANGED ||
        optmap_rank(mixed, steps, steps - 1 - steps / 4) < LEAST_MIXED)
        return;
    usual = beside * optmap_median(scratch, steps);
    for (size_t n = 1, end; n < frames; n = end + 1) {
        for (end = n; end < frames && changed[end] < 1; end++)
            ;
        if (end > n && end - n <= MOST_RUN && !c->bad[n - 1] && !is_off(c, n - 1, end, clear * c->noise) &&
            (n == 1 || changed[n - 1] >= usual) && (end == frames || changed[end] >= usual)) {
            memset(c->bad + n, 1, end - n);
            out->repeated += end - n;
        }
    }
}

/* ---- all of it ---- */

penta_status amend_find_frames(amend_camera *c, penta_amends *out)
{
    penta_status status = PENTA_OK;
    double *scratch = NULL;

    if (c->s.frames < LEAST_FRAMES || c->s.pixels < LEAST_PIXELS)
        return PENTA_OK;
    TRY(penta_calloc(c->s.ctx, 3 * c->s.frames, sizeof *scratch, &scratch));
    find_spikes(c, scratch, out);
    find_repeated(c, scratch, out);
    for (size_t n = 0; n < c->s.frames; n++)
        for (size_t b = 0; c->bad[n] && b <= c->count; b++) {
            double *trace = c->mean + b * c->s.frames, w[4], sum = 0;
            size_t at[4];

            for (int k = 0, count = amend_sources(c, n, at, w); k < count; k++)
                sum += w[k] * trace[at[k]];
            trace[n] = sum;
        }
cleanup:
    free(scratch);
    return status;
}
