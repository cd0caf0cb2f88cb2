/*
 * Beats of a movie, from two sums over the valid pixels: the mean signal m and the mean square of positive slopes, e. A
 * beat is a climb of m. The boundary between beats follows from e, which is large while a wave of depolarisation is
 * anywhere in the field, however long that takes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/beats_blocks.h"
#include "optmap/ranks.h"

const int penta_apd_levels[PENTA_APD_LEVELS] = {30, 50, 80, 90};

static const penta_option option_rows[] = {
    PENTA_REAL_OPTION(penta_beats_options, refractory, 0, 50, 0, 1e6, "ms",
                      "shortest time between the upstrokes of beats"),
    PENTA_REAL_OPTION(penta_beats_options, threshold, 0, 0.3, 0.01, 1, "",
                      "smallest climb of the mean signal that is a beat, as a fraction of its range"),
    PENTA_INT_OPTION(penta_beats_options, velocity_window, 0, 0, 0, 63, "px",
                     "side of the square in which the activation surface is fitted, odd; 0: 7 to 31, by the noise"),
    PENTA_CHOICE_FROM_OPTION(penta_beats_options, velocity, 0, PENTA_VELOCITY_ROBUST, "bayly,gradient,robust",
                             "conduction velocity: bayly: from a fitted polynomial; gradient: by central differences; "
                             "robust: from a polynomial fitted without outliers"),
    PENTA_REAL_OPTION(penta_beats_options, min_upstroke, 0, 0.2, 0, 1, "",
                      "pixels with a smaller share of the beat's median amplitude have no values in that beat"),
    PENTA_CHOICE_OPTION(penta_beats_options, beat_smoothing, 0, "auto,none",
                        "auto: average action potentials along the wave, as much as the noise requires"),
    PENTA_OPTIONS_END};

const penta_option *penta_beats_option_table(void)
{
    return option_rows;
}

/* Resolves the options and checks the rules. */
penta_status beats_options_resolve(penta_context *ctx, const penta_beats_options *given, penta_beats_options *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_beats_option_table(), given, out, sizeof *out));
    if (out->velocity_window % 2 == 0 && out->velocity_window != 0)
        status = penta_fail(ctx, PENTA_INVALID, "`velocity_window` is %d px; it must be odd", out->velocity_window);
cleanup:
    return status;
}

penta_status penta_beats_check(const penta_beats_options *opt, char *message, size_t size)
{
    penta_beats_options resolved;

    return penta_check_result(beats_options_resolve(NULL, opt, &resolved), message, size);
}

/* Criteria of a real mean signal m: its standard deviation is above least_common times the mean pixel's, and its
 * largest slope above least_steep times its median slope. Noise lacks both, or one of them if pixels climb more than
 * twice per climb of m. */
static const double least_common = 0.3, least_steep = 8;
/* Least range of m relative to the mean pixel's. Below it there are no beats, only noise or waves that circulate. */
static const double least_range = 0.1;
/* Fraction of the largest e: if e stays above it between two upstrokes, some wave is always present. */
static const double restless = 0.25;
/* Quiet frames have e below this level, from 0 at the least to 1 at the largest e between two upstrokes. */
static const double quiet_level = 0.1;
/* The next beat begins 1 / quiet_share of the quiet time before its first upstroke. */
static const size_t quiet_share = 8;
/* A climb that could be a beat: this share of `threshold`, of the least steep beat's slope, and over the noise of m,
 * which its filter made smoother than white. */
static const double minor_share = 1 / 3.0, least_minor_slope = 0.1, least_minor_climb = 10;

typedef struct {
    size_t frames, all, pixels; /* pixels: number of valid ones */
    double rate, range;         /* range: mean range of a pixel */
    double variance;            /* mean variance of a pixel */
    double *mean, *climb;       /* per frame: m, e */
    float *counts;              /* climbs per pixel; NaN if not valid */
} signals;

/* Workspace of the sums. */
typedef struct {
    penta_resources resources; /* also of the blocks */
    beats_blocks blocks;
    penta_kernel sum, count;
    penta_buffer sums, rows; /* rows: 2 x pitch floats of the block, climbs and variances */
    float share;             /* least climb as a fraction of the range */
    float *staging;          /* range, climbs, variances: 3 x pitch */
} adder;

/* ---- the sums ---- */

static penta_status look_at_pixels(beats_blocks *blocks, adder *a, signals *s)
{
    penta_status status = PENTA_OK;
    size_t pitch = blocks->pitch;
    float *range = a->staging, *climbs = range + pitch, *variance = climbs + pitch;

    TRY(penta_launch(
        &a->count, beats_blocks_grid(blocks, 1),
        ARGS(&blocks->frames, (int)s->frames, (unsigned)blocks->count, pitch, &blocks->range, a->share, &a->rows)));
    TRY(penta_buffer_read(&blocks->range, 0, range, blocks->count * sizeof *range));
    TRY(penta_buffer_read(&a->rows, 0, climbs, 2 * pitch * sizeof *climbs));
    for (size_t i = 0; i < blocks->count; i++) {
        s->counts[blocks->first + i] = isfinite(range[i]) ? climbs[i] : NAN;
        if (isfinite(range[i])) {
            s->pixels++;
            s->range += (double)range[i];
            s->variance += (double)variance[i];
        }
    }
cleanup:
    return status;
}

static penta_status prepare(beats_blocks *blocks, double share, signals *s, adder *a)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = blocks->ctx;
    size_t bytes;

    a->share = (float)share;
    TRY(penta_size(ctx, 2 * s->frames, BEATS_LANES, sizeof(double), &bytes));
    TRY(penta_buffer_create(&a->resources, bytes, &a->sums));
    TRY(penta_buffer_zero(&a->sums, 0, bytes));
    TRY(penta_buffer_create(&a->resources, 2 * blocks->pitch * sizeof(float), &a->rows));
    TRY(penta_calloc(&a->resources, 3 * blocks->pitch, sizeof *a->staging, &a->staging));
    TRY(penta_calloc(ctx, blocks->pixels, sizeof *s->counts, &s->counts));
    TRY(penta_kernel_get(&a->resources, "optmap/beats.cl", "optmap_beats_sums", "", &a->sum));
    TRY(penta_kernel_get(&a->resources, "optmap/beats.cl", "optmap_beats_climbs", "", &a->count));
cleanup:
    return status;
}

static penta_status add_up(beats_blocks *blocks, adder *a, signals *s)
{
    penta_status status = PENTA_OK;
    size_t frames = s->frames, lanes = penta_is_cpu(blocks->ctx) ? BEATS_LANES / BEATS_CPU_RUN : BEATS_LANES;
    penta_grid grid = penta_grid_groups(penta_grid_2d(lanes, frames), lanes == BEATS_LANES ? lanes : 1, 1, 1);
    bool more;

    TRY(beats_blocks_next(blocks, &more));
    while (more) {
        TRY(look_at_pixels(blocks, a, s));
        TRY(penta_launch(
            &a->sum, grid,
            ARGS(&blocks->frames, (int)frames, (unsigned)blocks->count, blocks->pitch, &blocks->range, &a->sums)));
        TRY(beats_blocks_next(blocks, &more));
    }
cleanup:
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
    TRY(penta_read_reals(sums, host, 2 * s->frames * BEATS_LANES));
    s->climb = s->mean + s->frames;
    for (size_t f = 0; f < s->frames; f++) {
        s->mean[f] = add_lanes(host + 2 * f * BEATS_LANES) / (double)s->pixels;
        s->climb[f] = add_lanes(host + (2 * f + 1) * BEATS_LANES) / (double)s->pixels;
    }
    s->range /= (double)s->pixels;
    s->variance /= (double)s->pixels;
cleanup:
    free(host);
    return status;
}

static penta_status get_signals(penta_context *ctx, const penta_movie_view *movie, double share, signals *s)
{
    penta_status status = PENTA_OK;
    adder a = {.resources = {.ctx = ctx}};

    *s = (signals){.frames = movie->frames, .all = movie->width * movie->height, .rate = movie->frame_rate_hz};
    TRY(beats_blocks_create(&a.resources, movie, 2 * sizeof(float), 0, &a.blocks));
    TRY(prepare(&a.blocks, share, s, &a));
    TRY(add_up(&a.blocks, &a, s));
    if (s->pixels == 0)
        TRY(beats_no_pixel(ctx));
    TRY(read_signals(ctx, &a.sums, s));
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may still be in progress */
    penta_resources_release(&a.resources);
    return status;
}

static void free_signals(signals *s)
{
    free(s->mean);
    free(s->counts);
}

/* Median number of climbs of a pixel; alike: the middle half of the pixels differ by at most 1. Reorders counts. */
static size_t middle_count(const signals *s, bool *alike)
{
    size_t last = s->pixels - 1, n = 0;

    for (size_t i = 0; i < s->all; i++)
        if (!isnan(s->counts[i]))
            s->counts[n++] = s->counts[i];
    optmap_sort(s->counts, n);
    *alike = s->counts[last - last / 4] - s->counts[last / 4] <= 1;
    return (size_t)s->counts[last / 2];
}

/* ---- upstrokes ---- */

/* Same as slope in cl/optmap/beats.clh. frames > 1. */
static double slope(const double *x, size_t n, size_t frames)
{
    if (n >= 2 && n + 2 < frames)
        return (2 * (x[n + 2] - x[n - 2]) + (x[n + 1] - x[n - 1])) / 10;
    if (n >= 1 && n + 1 < frames)
        return (x[n + 1] - x[n - 1]) / 2;
    return n == 0 ? x[1] - x[0] : x[n] - x[n - 1];
}

/* Time of the steepest slope between frames `from` and `to`, with subframe precision as per pixel. */
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

/* Finds the climbs of the mean signal: from a low (first) to a high (end) at least `least` above it, ended by an equal
 * fall or by the end. beats: room for one per two frames. */
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
                beats[count++] = (penta_beat){low, high, at};
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

/* ---- signals without beats ---- */

/* Standard deviation of m divided by that of pixels. */
static double common_share(const signals *s)
{
    double mean = 0, variance = 0;

    for (size_t f = 0; f < s->frames; f++)
        mean += s->mean[f] / (double)s->frames;
    for (size_t f = 0; f < s->frames; f++)
        variance += (s->mean[f] - mean) * (s->mean[f] - mean) / (double)s->frames;
    return sqrt(variance / s->variance);
}

/* Largest slope of m divided by the median absolute slope; ignores the ends, where noise has larger slopes. scratch:
 * frames numbers. */
static double steepness(const signals *s, float *scratch)
{
    double most = 0;
    size_t count = 0;

    for (size_t f = 2; f + 2 < s->frames; f++) {
        double d = slope(s->mean, f, s->frames);

        most = fmax(most, d);
        scratch[count++] = (float)fabs(d);
    }
    optmap_sort(scratch, count);
    return count ? most / (double)scratch[count / 2] : INFINITY;
}

/* Whether every frame between two successive climbs of m has rising pixels. */
static bool is_restless(const signals *s, const penta_beat *climbs, size_t count)
{
    double most = 0, largest = 0; /* largest of the least values; largest of all */

    for (size_t f = 0; f < s->frames; f++)
        largest = fmax(largest, s->climb[f]);
    for (size_t i = 1; i < count; i++) {
        double least = INFINITY;

        for (size_t f = (size_t)climbs[i - 1].upstroke; f <= (size_t)climbs[i].upstroke; f++)
            least = fmin(least, s->climb[f]);
        most = fmax(most, least);
    }
    return most > restless * largest;
}

/* Decides whether the climbs of m are not beats of the whole field: noise, or overlapping waves, of which all pixels
 * see equally many but m does not. */
static penta_status judge(penta_context *ctx, const signals *s, const penta_beat *climbs, size_t count, bool *none)
{
    penta_status status = PENTA_OK;
    float *scratch = NULL;
    bool alike;
    size_t each = middle_count(s, &alike);
    int lacks;

    TRY(penta_calloc(ctx, s->frames, sizeof *scratch, &scratch));
    lacks = (common_share(s) < least_common) + (steepness(s, scratch) < least_steep);
    *none = lacks > (each > 2 * count ? 0 : 1);
    if (alike)
        *none = *none || each > count + 1 || is_restless(s, climbs, count);
cleanup:
    free(scratch);
    return status;
}

/* ---- between beats ---- */

/* Finds the end of one beat and begin of the next: within the longest run of quiet frames between their upstrokes. */
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

/* Of m. */
static double range_of(const signals *s)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t f = 0; f < s->frames; f++) {
        least = fmin(least, s->mean[f]);
        most = fmax(most, s->mean[f]);
    }
    return most - least;
}

static penta_status find_beats(penta_context *ctx, const penta_beats_options *o, const signals *s, penta_beat **beats,
                               size_t *count)
{
    penta_status status = PENTA_OK;
    double range = range_of(s);
    penta_beat *list = NULL;
    bool none;

    if (s->frames < 2 || !(range > 0) || range < least_range * s->range)
        return PENTA_OK;
    TRY(penta_calloc(ctx, s->frames, sizeof *list, &list));
    *count = find_climbs(s, o->threshold * range, 0, list);
    TRY(judge(ctx, s, list, *count, &none));
    *count = none ? 0 : find_climbs(s, o->threshold * range, o->refractory, list);
    find_bounds(s, list, *count);
    if (*count) {
        *beats = list;
        list = NULL;
    }
cleanup:
    free(list);
    return status;
}

/* ---- climbs that are too small for beats ---- */

static double steepest_of(const signals *s, const penta_beat *climb)
{
    return slope(s->mean, (size_t)(climb->upstroke + 0.5), s->frames);
}

/* Standard deviation of white noise that would bend m as much as it bends in the median frame. */
static double bend_of(const signals *s, float *scratch)
{
    size_t count = 0;

    for (size_t f = 1; f + 1 < s->frames; f++)
        scratch[count++] = (float)fabs(s->mean[f - 1] - 2 * s->mean[f] + s->mean[f + 1]);
    return optmap_lower_median(scratch, count, scratch) / 1.65;
}

/* Whether a climb of m could be a beat that is too small for `threshold`: none of the beats', steep, no noise, and with
 * a fall after it, unlike what noise does at the end of a filtered movie. */
static bool could_be_beat(const signals *s, const penta_beat *climb, const penta_beat *beats, size_t count,
                          double noise)
{
    double usual = INFINITY, height = s->mean[climb->end] - s->mean[climb->first], least = s->mean[climb->end];

    for (size_t i = 0; i < count; i++) {
        if (beats[i].upstroke >= (double)climb->first && beats[i].upstroke <= (double)climb->end)
            return false;
        usual = fmin(usual, steepest_of(s, &beats[i]));
    }
    for (size_t f = climb->end; f < s->frames; f++)
        least = fmin(least, s->mean[f]);
    return steepest_of(s, climb) >= least_minor_slope * usual && height >= least_minor_climb * noise &&
           s->mean[climb->end] - least >= 0.5 * height;
}

static penta_status find_minor(penta_context *ctx, const penta_beats_options *o, const signals *s, beats_found *found)
{
    penta_status status = PENTA_OK;
    double range = range_of(s), noise;
    float *scratch = NULL;
    size_t climbs;

    if (found->count == 0)
        return PENTA_OK;
    TRY(penta_calloc(ctx, s->frames, sizeof *scratch, &scratch));
    TRY(penta_calloc(ctx, s->frames, sizeof *found->minor, &found->minor));
    noise = bend_of(s, scratch);
    climbs = find_climbs(s, minor_share * o->threshold * range, 0, found->minor);
    for (size_t i = 0; i < climbs; i++) {
        const penta_beat climb = found->minor[i];

        if (!could_be_beat(s, &climb, found->beats, found->count, noise))
            continue;
        found->height = fmax(found->height, (s->mean[climb.end] - s->mean[climb.first]) / range);
        found->minor[found->minor_count++] = climb;
    }
    if (found->minor_count > found->count) /* m swings, as with flicker or noise */
        found->minor_count = 0;
cleanup:
    free(scratch);
    return status;
}

penta_status beats_find_all(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                            float *climbs, beats_found *found)
{
    penta_status status = PENTA_OK;
    penta_beats_options o;
    signals s = {0};

    *found = (beats_found){0};
    TRY(beats_options_resolve(ctx, opt, &o));
    TRY(get_signals(ctx, movie, o.threshold, &s));
    if (climbs) /* before the counts are sorted */
        memcpy(climbs, s.counts, s.all * sizeof *climbs);
    TRY(find_beats(ctx, &o, &s, &found->beats, &found->count));
    if (climbs)
        TRY(find_minor(ctx, &o, &s, found));
cleanup:
    free_signals(&s);
    if (status != PENTA_OK) {
        free(found->beats);
        free(found->minor);
        *found = (beats_found){0};
    }
    return status;
}

penta_status penta_beats_find(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                              penta_beat **beats, size_t *count)
{
    beats_found found;
    penta_status status = beats_find_all(ctx, movie, opt, NULL, &found);

    *beats = found.beats;
    *count = found.count;
    return status;
}

penta_status penta_beats_climbs(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                                float *climbs)
{
    penta_status status = PENTA_OK;
    penta_beats_options o;
    signals s = {0};

    TRY(beats_options_resolve(ctx, opt, &o));
    TRY(get_signals(ctx, movie, o.threshold, &s));
    memcpy(climbs, s.counts, s.all * sizeof *climbs);
cleanup:
    free_signals(&s);
    return status;
}
