/*
 * Beats of a movie. Two sums over the valid pixels say when they are: the mean signal m and the mean square of the
 * positive slopes, e. A beat is a climb of m; where one ends and the next begins is read off e, which is large while a
 * wave of depolarisation is anywhere in the field, however long that takes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/beats_blocks.h"

const int penta_apd_levels[PENTA_APD_LEVELS] = {30, 50, 80, 90};

const penta_option penta_beats_option_table[] = {
    PENTA_REAL_OPTION(penta_beats_options, refractory, 0, 50, 0, 1e6, "ms",
                      "least time between the upstrokes of beats"),
    PENTA_REAL_OPTION(penta_beats_options, threshold, 0, 0.3, 0.01, 1, "",
                      "an upstroke of the mean signal that climbs less of its range is no beat"),
    PENTA_INT_OPTION(penta_beats_options, velocity_window, 0, 7, 3, 63, "px",
                     "side of the square in which the activation surface is fitted, odd"),
    PENTA_CHOICE_OPTION(penta_beats_options, velocity, 0, "bayly,gradient",
                        "conduction velocity: of a fitted polynomial, or by central differences"),
    PENTA_REAL_OPTION(penta_beats_options, min_upstroke, 0, 0.2, 0, 1, "",
                      "pixels whose amplitude is less than that share of the beat's median one have no values in it"),
    PENTA_OPTIONS_END};

/* Of the mean pixel's range: a mean signal of less has no beats, but noise or waves that go round all the time. */
static const double least_range = 0.1;
/* Of the way from the least to the largest e between two upstrokes: what is below is quiet. */
static const double quiet_level = 0.1;
/* The next beat begins that share of the quiet time before its first upstroke. */
static const size_t quiet_share = 8;

typedef struct {
    size_t frames, pixels; /* valid pixels */
    double rate, range;    /* the mean range of a pixel */
    double *mean, *climb;  /* frames each: m, e */
} signals;

/* ---- the sums ---- */

static penta_status count_pixels(beats_blocks *blocks, float *range, signals *s)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_read(&blocks->range, 0, range, blocks->count * sizeof *range));
    for (size_t i = 0; i < blocks->count; i++)
        if (isfinite(range[i])) {
            s->pixels++;
            s->range += (double)range[i];
        }
cleanup:
    return status;
}

static penta_status add_up(beats_blocks *blocks, penta_buffer *sums, signals *s)
{
    penta_status status = PENTA_OK;
    size_t frames = s->frames, lanes = penta_is_cpu(blocks->ctx) ? BEATS_LANES / BEATS_CPU_RUN : BEATS_LANES;
    penta_grid grid = penta_grid_groups(penta_grid_2d(lanes, frames), lanes == BEATS_LANES ? lanes : 1, 1, 1);
    penta_kernel kernel = {0};
    float *range = NULL;
    bool more;

    TRY(penta_kernel_get(blocks->ctx, "optmap/beats.cl", "optmap_beats_sums", "", &kernel));
    TRY(penta_calloc(blocks->ctx, blocks->most, sizeof *range, &range));
    TRY(penta_buffer_zero(sums, 0, sums->bytes));
    TRY(beats_blocks_next(blocks, &more));
    while (more) {
        TRY(count_pixels(blocks, range, s));
        TRY(penta_launch(
            &kernel, grid,
            ARGS(&blocks->frames, (int)frames, (unsigned)blocks->count, blocks->pitch, &blocks->range, sums)));
        TRY(beats_blocks_next(blocks, &more));
    }
cleanup:
    penta_kernel_release(&kernel);
    free(range);
    return status;
}

static double add_lanes(const double *lanes)
{
    double sum = 0;

    for (int i = 0; i < BEATS_LANES; i++)
        sum += lanes[i];
    return sum;
}

static penta_status read_signals(penta_context *ctx, penta_buffer *sums, signals *s)
{
    penta_status status = PENTA_OK;
    double *host = NULL;

    TRY(penta_calloc(ctx, 2 * s->frames, BEATS_LANES * sizeof *host, &host));
    TRY(penta_calloc(ctx, 2 * s->frames, sizeof *s->mean, &s->mean));
    TRY(penta_buffer_read(sums, 0, host, sums->bytes));
    s->climb = s->mean + s->frames;
    for (size_t f = 0; f < s->frames; f++) {
        s->mean[f] = add_lanes(host + 2 * f * BEATS_LANES) / (double)s->pixels;
        s->climb[f] = add_lanes(host + (2 * f + 1) * BEATS_LANES) / (double)s->pixels;
    }
    s->range /= (double)s->pixels;
cleanup:
    free(host);
    return status;
}

static penta_status get_signals(penta_context *ctx, const penta_movie_view *movie, signals *s)
{
    penta_status status = PENTA_OK;
    beats_blocks blocks = {0};
    penta_buffer sums = {0};
    size_t bytes;

    *s = (signals){.frames = movie->frames, .rate = movie->rate};
    TRY(beats_blocks_create(ctx, movie, 0, 0, &blocks));
    TRY(penta_size(ctx, 2 * movie->frames, BEATS_LANES, sizeof(double), &bytes));
    TRY(penta_buffer_create(ctx, bytes, &sums));
    TRY(add_up(&blocks, &sums, s));
    if (s->pixels == 0)
        TRY(beats_no_pixel(ctx));
    TRY(read_signals(ctx, &sums, s));
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may be under way still */
    penta_buffer_release(&sums);
    beats_blocks_release(&blocks);
    return status;
}

/* ---- upstrokes ---- */

/* As slope in cl/optmap/beats.clh. frames > 1. */
static double slope(const double *x, size_t n, size_t frames)
{
    if (n >= 2 && n + 2 < frames)
        return (2 * (x[n + 2] - x[n - 2]) + (x[n + 1] - x[n - 1])) / 10;
    if (n >= 1 && n + 1 < frames)
        return (x[n + 1] - x[n - 1]) / 2;
    return n == 0 ? x[1] - x[0] : x[n] - x[n - 1];
}

/* The steepest place from frame `from` to frame `to`, sub-frame as in each pixel. */
static double find_upstroke(const signals *s, size_t from, size_t to)
{
    size_t at = from;
    double most = -INFINITY, before, after, bend, shift;

    for (size_t n = from; n <= to; n++) {
        double d = slope(s->mean, n, s->frames);

        at = d > most ? n : at;
        most = fmax(most, d);
    }
    if (at == 0 || at + 1 == s->frames)
        return (double)at;
    before = slope(s->mean, at - 1, s->frames);
    after = slope(s->mean, at + 1, s->frames);
    bend = before - 2 * most + after;
    shift = bend < 0 ? 0.5 * (before - after) / bend : 0;
    return (double)at + fmax(-0.5, fmin(shift, 0.5));
}

/* The climbs of the mean signal: from a low to a high that is `least` above it, ended by a fall of as much or by the
 * end. beats: room for one in two frames. */
static size_t find_climbs(const signals *s, double least, double refractory, penta_beat *beats)
{
    size_t count = 0, low = 0, high = 0;
    bool rising = false;

    for (size_t f = 0; f <= s->frames; f++) {
        bool last = f == s->frames;
        double x = last ? -INFINITY : s->mean[f];

        if (rising && x <= s->mean[high] - least) {
            double at = find_upstroke(s, low, high);

            if (count == 0 || (at - beats[count - 1].upstroke) * 1000 / s->rate >= refractory)
                beats[count++].upstroke = at;
            rising = false;
            low = f;
        }
        if (last)
            break;
        if (rising)
            high = x > s->mean[high] ? f : high;
        else
            low = x < s->mean[low] ? f : low;
        if (!rising && x >= s->mean[low] + least && x > s->mean[low]) {
            rising = true;
            high = f;
        }
    }
    return count;
}

/* ---- what lies between ---- */

/* Where one beat ends and the next begins: in the longest run of quiet frames between their upstrokes. */
static size_t find_cut(const signals *s, size_t from, size_t to)
{
    double least = INFINITY, most = -INFINITY, level;
    size_t best = 0, end = to, run = 0;

    for (size_t f = from; f <= to; f++) {
        least = fmin(least, s->climb[f]);
        most = fmax(most, s->climb[f]);
    }
    level = least + quiet_level * (most - least);
    for (size_t f = from + 1; f <= to; f++) {
        run = s->climb[f] <= level ? run + 1 : 0;
        end = run > best ? f + 1 : end;
        best = run > best ? run : best;
    }
    return end - best / quiet_share > to ? to : end - best / quiet_share;
}

static void find_bounds(const signals *s, penta_beat *beats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        beats[i].first = i == 0 ? 0 : beats[i - 1].end;
        beats[i].end =
            i + 1 == count ? s->frames : find_cut(s, (size_t)beats[i].upstroke, (size_t)ceil(beats[i + 1].upstroke));
    }
}

static penta_status find_beats(penta_context *ctx, const penta_beats_options *o, const signals *s, penta_beat **beats,
                               size_t *count)
{
    penta_status status = PENTA_OK;
    double least = INFINITY, most = -INFINITY;
    penta_beat *list = NULL;

    for (size_t f = 0; f < s->frames; f++) {
        least = fmin(least, s->mean[f]);
        most = fmax(most, s->mean[f]);
    }
    if (s->frames < 2 || !(most > least) || most - least < least_range * s->range)
        return PENTA_OK;
    TRY(penta_calloc(ctx, s->frames, sizeof *list, &list));
    *count = find_climbs(s, o->threshold * (most - least), o->refractory, list);
    find_bounds(s, list, *count);
    if (*count) {
        *beats = list;
        list = NULL;
    }
cleanup:
    free(list);
    return status;
}

penta_status penta_beats_find(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                              penta_beat **beats, size_t *count)
{
    penta_status status = PENTA_OK;
    penta_beats_options o;
    signals s = {0};

    *beats = NULL;
    *count = 0;
    TRY(penta_options_resolve(ctx, penta_beats_option_table, opt, &o, sizeof o));
    TRY(get_signals(ctx, movie, &s));
    TRY(find_beats(ctx, &o, &s, beats, count));
cleanup:
    free(s.mean);
    return status;
}
