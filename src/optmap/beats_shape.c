/*
 * The mean action potential of a beat: the mean of all pixels' traces, each relative to its own activation time, which
 * is almost free of noise. From the durations of its upstroke and repolarisation follow how far one pixel's trace may
 * be smoothed, and how that smoothing changes its measures, which is then corrected.
 */
#include <math.h>
#include <stdlib.h>

#include "optmap/beats_matched.h"

/* Noise that smoothing in time should leave, relative to the amplitude, if the shape allows it. */
static const double noise_left = 0.01;
/* Amplitude over noise that averaging over pixels should reach. */
static const double ratio_wanted = 30;
static const double least_sigma = 1.18, most_sigma = 4; /* px */

static penta_context *const no_context = NULL; /* threads have none */

typedef struct {
    double *v; /* the mean trace, from `start` frames after the activation on */
    long start, length;
    double noise; /* noise of the mean */
} trace;

/* ---- the mean ---- */

enum { RUN = 16 }; /* pixels whose traces are read together */

/* values: the trace from the beat's first frame to the one after its last, or that again. */
static void add_pixel(const penta_beat *beat, const float *values, double at, trace *t, double *counts)
{
    long whole = (long)floor(at), begin = (long)beat->first - whole - t->start,
         end = (long)beat->end - whole - t->start;
    double part = at - (double)whole;

    for (long k = begin < 0 ? 0 : begin; k < t->length && k < end; k++) {
        t->v[k] += (1 - part) * (double)values[k - begin] + part * (double)values[k - begin + 1];
        counts[k]++;
    }
}

/* The traces of `count` pixels in a beat, one after another. */
static void take_traces(const penta_movie_view *m, const penta_beat *beat, size_t first, size_t count, float *values)
{
    size_t pixels = m->height * m->width, frames = beat->end - beat->first;

    for (size_t k = 0; k <= frames; k++) {
        size_t n = beat->first + k < m->frames ? beat->first + k : m->frames - 1;

        for (size_t i = 0; i < count; i++)
            values[i * (frames + 1) + k] = m->data[n * pixels + first + i];
    }
}

static void add_pixels(const penta_movie_view *m, const penta_beat *beat, const float *times, float *values, trace *t,
                       double *counts)
{
    size_t pixels = m->height * m->width;

    for (size_t first = 0; first < pixels; first += RUN) {
        size_t count = pixels - first < RUN ? pixels - first : RUN;

        take_traces(m, beat, first, count, values);
        for (size_t i = 0; i < count; i++)
            if (!isnan(times[first + i]))
                add_pixel(beat, values + i * (beat->end - beat->first + 1),
                          (double)times[first + i] * m->frame_rate_hz / 1000, t, counts);
    }
}

/* Divides by the counts, and keeps the frames that at least half of the pixels have. */
static void finish_mean(trace *t, const double *counts, size_t known)
{
    long from = 0, to = t->length;

    while (from < to && 2 * counts[from] < (double)known)
        from++;
    while (to > from && 2 * counts[to - 1] < (double)known)
        to--;
    for (long k = from; k < to; k++)
        t->v[k - from] = t->v[k] / counts[k];
    t->start += from;
    t->length = to - from;
}

/* Finds the mean trace; length 0: too few pixels. */
static penta_status find_mean(const penta_movie_view *m, const penta_beat *beat, const float *times, double noise,
                              trace *t)
{
    penta_status status = PENTA_OK;
    size_t pixels = m->height * m->width, known = 0;
    double least = INFINITY, most = -INFINITY, *counts = NULL;
    float *values = NULL;

    *t = (trace){0};
    for (size_t i = 0; i < pixels; i++)
        if (!isnan(times[i])) {
            least = fmin(least, (double)times[i] * m->frame_rate_hz / 1000);
            most = fmax(most, (double)times[i] * m->frame_rate_hz / 1000);
            known++;
        }
    if (known < 9)
        return PENTA_OK;
    t->start = (long)beat->first - (long)floor(most);
    t->length = (long)beat->end - (long)floor(least) - t->start;
    t->noise = noise * sqrt(2.0 / 3 / (double)known);
    TRY(penta_calloc(no_context, (size_t)t->length, sizeof *t->v, &t->v));
    TRY(penta_calloc(no_context, (size_t)t->length, sizeof *counts, &counts));
    TRY(penta_calloc(no_context, (beat->end - beat->first + 1) * RUN, sizeof *values, &values));
    add_pixels(m, beat, times, values, t, counts);
    finish_mean(t, counts, known);
cleanup:
    free(counts);
    free(values);
    return status;
}

/* ---- measures of the mean; k: index into v ---- */

static double value(const trace *t, long k)
{
    return t->v[k < 0 ? 0 : k >= t->length ? t->length - 1 : k];
}

/* Same as smooth in cl/optmap/beats_matched.clh. */
static double smooth(const trace *t, long k, long m)
{
    double sum = 0, all = (2.0 * (double)m - 1) * (2 * (double)m + 1) * (2 * (double)m + 3) / 3;

    if (m == 0)
        return value(t, k);
    for (long i = -m; i <= m; i++)
        sum += (3.0 * (double)(m * m + m) - 1 - 5.0 * (double)(i * i)) * value(t, k + i);
    return sum / all;
}

static double slope(const trace *t, long k)
{
    return (2 * (value(t, k + 2) - value(t, k - 2)) + (value(t, k + 1) - value(t, k - 1))) / 10;
}

/* The mean filtered by the derivative of a Gaussian. */
static double filtered(const trace *t, long k, double width)
{
    double sum = 0;

    for (long i = 1; i <= (long)ceil(4 * width); i++)
        sum += (double)i * exp(-0.5 * (double)(i * i) / (width * width)) * (value(t, k + i) - value(t, k - i));
    return sum;
}

static double top_of(double a, double b, double c)
{
    double bend = a - 2 * b + c;

    return bend < 0 ? 0.5 * (a - c) / bend : 0;
}

static long find_steepest(const trace *t)
{
    long at = 0;

    for (long k = 0; k < t->length; k++)
        at = slope(t, k) > slope(t, at) ? k : at;
    return at;
}

static long find_highest(const trace *t, long from, long m)
{
    long at = from;
    double most = -INFINITY;

    for (long k = from; k < t->length; k++) {
        double x = smooth(t, k, m);

        at = x > most ? k : at;
        most = fmax(most, x);
    }
    return at;
}

static double mean(const trace *t, long from, long to)
{
    double sum = 0;

    for (long k = from; k <= to; k++)
        sum += value(t, k);
    return sum / (double)(to - from + 1);
}

/* Finds the diastole before the upstroke, like baseline in cl/optmap/beats_measure.clh. False: there is none. */
static bool find_diastole(const trace *t, long steepest, double top, long *from, long *to)
{
    long onset = steepest, begin;
    double enough = 0.1 * slope(t, steepest), level;

    while (onset >= 0 && slope(t, onset) > enough)
        onset--;
    if (onset < 2)
        return false;
    level = mean(t, onset < 4 ? 0 : onset - 4, onset);
    level += 0.25 * (top - level);
    for (begin = onset; begin > 0; begin--)
        if (value(t, begin - 1) > level)
            break;
    *from = onset - (onset - begin) / 2;
    *to = onset - (onset - begin) / 8;
    return true;
}

/* First position from k on, in direction `step`, that has the value; NaN if none. */
static double find_level(const trace *t, long k, long step, long m, double level)
{
    double before = smooth(t, k, m);
    bool above = before > level;

    for (k += step; k >= 0 && k < t->length; k += step) {
        double now = smooth(t, k, m);

        if ((now > level) != above)
            return (double)(k - step) + (double)step * (level - before) / (now - before);
        before = now;
    }
    return NAN;
}

/* The half-width of smoothing that reduces noise to noise_left, up to `limit` frames. */
static double choose_half(double noise, double amplitude, double limit)
{
    double samples = noise > 0 ? 2.25 * pow(noise / (noise_left * amplitude), 2) : 1;
    double half = ceil((samples - 1) / 2);

    return fmax(fmin(half, floor(limit)), 0);
}

/* ---- the shape ---- */

typedef struct {
    long steepest, peak, from, to;
    double at; /* time of the largest slope */
    long half; /* half-width of smoothing the mean */
    double base, amplitude;
} marks;

static bool find_marks(const trace *t, marks *m)
{
    double a, b;
    long rough;

    if (t->length < 8)
        return false;
    m->steepest = find_steepest(t);
    if (m->steepest < 2 || m->steepest > t->length - 4 || !(slope(t, m->steepest) > 0))
        return false;
    m->at = (double)m->steepest + top_of(slope(t, m->steepest - 1), slope(t, m->steepest), slope(t, m->steepest + 1));
    rough = find_highest(t, m->steepest, 1);
    if (!find_diastole(t, m->steepest, smooth(t, rough, 1), &m->from, &m->to))
        return false;
    m->base = mean(t, m->from, m->to);
    a = smooth(t, rough, 1) - m->base;
    b = find_level(t, rough, 1, 1, m->base + 0.5 * a);
    m->half = (long)choose_half(t->noise, a, isnan(b) ? 1 : (b - m->at) / 6);
    m->peak = find_highest(t, m->steepest, m->half);
    m->amplitude = smooth(t, m->peak, m->half) - m->base;
    return m->amplitude > 5 * t->noise;
}

/* Frames from 10 % to 90 %, smoothed with half-width m. */
static double rise_of(const trace *t, const marks *at, long m)
{
    return find_level(t, at->steepest, 1, m, at->base + 0.9 * at->amplitude) -
           find_level(t, at->steepest, -1, m, at->base + 0.1 * at->amplitude);
}

static double matched_top(const trace *t, const marks *m, double width)
{
    long reach = (long)ceil(2 * width) + 2, best = m->steepest;

    for (long k = m->steepest - reach; k <= m->steepest + reach; k++)
        best = filtered(t, k, width) > filtered(t, best, width) ? k : best;
    return (double)best + top_of(filtered(t, best - 1, width), filtered(t, best, width), filtered(t, best + 1, width));
}

/* Error in frames of one pixel's activation (Cramer-Rao bound): noise divided by the norm of the upstroke's derivative.
 */
static double timing_of(const trace *t, const marks *m, double noise)
{
    double squares = 0;

    for (long k = m->to; k < m->peak; k++)
        squares += slope(t, k) > 0 ? slope(t, k) * slope(t, k) : 0;
    return noise / sqrt(squares);
}

penta_status beats_shape_find(const penta_movie_view *movie, const penta_beat *beat, const float *times, double noise,
                              beats_shape *shape)
{
    penta_status status = PENTA_OK;
    trace t;
    marks m;
    double pixels;

    *shape = (beats_shape){0};
    TRY(find_mean(movie, beat, times, noise, &t));
    if (!find_marks(&t, &m))
        goto cleanup;
    shape->rise = rise_of(&t, &m, 0);
    if (!isfinite(shape->rise))
        goto cleanup;
    shape->known = true;
    shape->width = fmax(shape->rise / 2.563, 0.8);
    shape->amplitude = m.amplitude;
    shape->timing = timing_of(&t, &m, noise);
    pixels = pow(ratio_wanted * noise / m.amplitude, 2);
    shape->sigma = fmin(fmax(sqrt(pixels / 12.566), least_sigma), most_sigma);
cleanup:
    free(t.v);
    return status;
}

static void fit_levels(const trace *t, const marks *m, double noise, beats_shape *s)
{
    for (int k = 0; k < PENTA_APD_LEVELS; k++) {
        double level = m->base + (1 - penta_apd_levels[k] / 100.0) * m->amplitude;
        double plain = find_level(t, m->peak, 1, m->half, level), moved;

        s->half[k] = choose_half(noise, m->amplitude, isnan(plain) ? 0 : (plain - (double)m->peak) / 4);
        moved = find_level(t, m->peak, 1, (long)s->half[k], level);
        s->shift[k] = isfinite(plain - moved) ? plain - moved : 0;
    }
}

penta_status beats_shape_fit(const penta_movie_view *movie, const penta_beat *beat, const float *times, double noise,
                             const beats_shape *all, beats_shape *shape)
{
    penta_status status = PENTA_OK;
    double left = noise * 0.9 / sqrt(12.566 * all->sigma * all->sigma), middle, plain, moved;
    trace t;
    marks m;
    long peak;

    shape->known = false;
    TRY(find_mean(movie, beat, times, noise, &t));
    if (!find_marks(&t, &m))
        goto cleanup;
    shape->known = true;
    shape->offset = matched_top(&t, &m, all->width) - m.at;
    shape->base_from = (double)m.from - m.at;
    shape->base_to = (double)m.to - m.at;
    middle = find_level(&t, m.peak, 1, m.half, m.base + 0.5 * m.amplitude);
    shape->half_peak = choose_half(left, m.amplitude, isnan(middle) ? 0 : (middle - m.at) / 6);
    peak = find_highest(&t, m.steepest, (long)shape->half_peak);
    shape->peak = (double)peak - m.at;
    shape->factor = m.amplitude / (smooth(&t, peak, (long)shape->half_peak) - m.base);
    shape->half_rise = choose_half(left, m.amplitude, shape->rise / 4);
    plain = rise_of(&t, &m, 0);
    moved = rise_of(&t, &m, (long)shape->half_rise);
    shape->longer = isfinite(moved - plain) ? moved - plain : 0;
    fit_levels(&t, &m, left, shape);
cleanup:
    free(t.v);
    return status;
}
