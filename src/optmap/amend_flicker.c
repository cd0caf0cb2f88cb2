/*
 * Flicker of lamps and mains in all pixels at once, at the frequencies that the frame rate makes of it. The mean of
 * each frame, less a parabola through its surroundings, is fitted by a sine, with weights that leave out the edges of
 * beats (Tukey's biweight). It is flicker if it stands out of the noise, is the same in each block of the frame (in
 * proportion to the light, or everywhere alike), and if no frequency near it, as harmonics of a rhythm would be, has
 * half as much.
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "optmap/amend.h"

enum { LEAST_FRAMES = 64, LEAST_PERIODS = 8, PASSES = 11, LINE_FRAMES = 8192 };

static const double pi = 3.14159265358979323846;
static const double sources[] = {100, 120, 50, 60}; /* Hz */
static const double lowest = 20;                    /* Hz: what looks slower cannot be told from beats */
static const double tolerance = 0.005;              /* of the frequencies of the mains and the camera */
static const double least_part = 0.03;              /* amplitude relative to the range of the mean */
static const double fastest_heart = 50;             /* Hz */
static const double most_part = 0.7;   /* of the range that what beats as a heart may is from top to bottom */
static const double clear = 6;         /* standard errors */
static const double alike = 0.4;       /* most difference of blocks, relative to the amplitude */
static const double unlike = 0.1;      /* by so much the light must differ for a flicker to be added to it */
static const double most_beside = 0.5; /* amplitude of frequencies near it, relative to its own */
static const double most_below = 2;    /* amplitude of a half, a third or a quarter of it, which beats may have */

/* re cos(omega n) + im sin(omega n) */
typedef double complex wave;

typedef struct {
    amend_camera *camera;
    size_t frames, half, from, end; /* parabolas run through 2 half + 1 frames; frames from .. end - 1 have one */
    double omega;
    double total, error; /* of the last fit: sum of weights, standard error */
    wave *turn;          /* exp(i omega n); of all frames, as these */
    double *trace, *rest, *weight;
} search;

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t n = 0; n < count; n++)
        sum += values[n] / (double)count;
    return sum;
}

/* ---- fits ---- */

/* Above half the frame rate it is folded; there, there is a cosine only. */
static void set_omega(search *f, double omega)
{
    f->omega = fabs(pi - omega) < pi / (2 * (double)f->frames) ? pi : fmin(omega, 2 * pi - omega);
    for (size_t n = 0; n < f->frames; n++)
        f->turn[n] = f->omega < pi ? cexp(I * f->omega * (double)n) : 1 - 2 * (double)(n % 2);
}

static wave fit(const search *f, const double *values)
{
    double cc = 1e-9, cs = 0, ss = 1e-9; /* more than 0 where there is no sine, or no weight */
    wave sum = 0;

    for (size_t n = f->from; n < f->end; n++) {
        double c = creal(f->turn[n]), s = cimag(f->turn[n]);

        cc += f->weight[n] * c * c;
        cs += f->weight[n] * c * s;
        ss += f->weight[n] * s * s;
        sum += f->weight[n] * values[n] * f->turn[n];
    }
    return (ss * creal(sum) - cs * cimag(sum) + I * (cc * cimag(sum) - cs * creal(sum))) / (cc * ss - cs * cs);
}

/* The largest of the waves at frequencies first, first + step .. last; omega is left there. */
static double largest(search *f, const double *values, double first, double step, double last)
{
    double most = 0, omega = first;

    for (double other = first; other <= last; other += step) {
        double size;

        set_omega(f, other);
        size = cabs(fit(f, values));
        omega = size > most ? f->omega : omega;
        most = fmax(size, most);
    }
    set_omega(f, omega);
    return most;
}

static double at(const search *f, wave w, size_t n)
{
    return creal(w * conj(f->turn[n]));
}

/* Fits the trace by a wave `passes` times, from none on. Sets rest = trace - wave, the weights by it, and what is said
 * of the fit. */
static wave robust_fit(search *f, int passes)
{
    wave w = 0;

    for (;; passes--) {
        double noise;

        for (size_t n = f->from; n < f->end; n++)
            f->rest[n] = f->trace[n] - at(f, w, n);
        noise = amend_spread(f->rest + f->from, f->end - f->from, f->weight);
        f->total = 0;
        for (size_t n = f->from; n < f->end; n++) {
            double u = f->rest[n] / (4.685 * noise), inside = fabs(u) < 1 ? 1 - u * u : 0;

            f->weight[n] = inside * inside;
            f->total += f->weight[n];
        }
        f->error = noise * sqrt(2 / fmax(1, f->total));
        if (passes == 0)
            return w;
        w = fit(f, f->trace);
    }
}

/* The middle one of 2 half + 1 values, less the parabola through them. */
static double less_parabola(size_t half, const double *values)
{
    double h = (double)half, rest = values[half];

    for (size_t i = 0; i <= 2 * half; i++) {
        double k = (double)i - h;

        rest -= 3 * (3 * h * h + 3 * h - 1 - 5 * k * k) / ((2 * h - 1) * (2 * h + 1) * (2 * h + 3)) * values[i];
    }
    return rest;
}

static void subtract_parabolas(search *f, const double *values)
{
    for (size_t n = f->from; n < f->end; n++)
        f->trace[n] = less_parabola(f->half, values + n - f->half);
}

/* What they leave of a wave. Changes rest. */
static double gain_of(search *f)
{
    for (size_t k = 0; k <= 2 * f->half; k++)
        f->rest[k] = cos(f->omega * ((double)k - (double)f->half));
    return less_parabola(f->half, f->rest);
}

/* ---- tests ---- */

/* Sets trace = mean less a line through its first and last quarters, with equal weights. */
static void subtract_line(search *f)
{
    const double *mean = f->camera->mean;
    size_t part = f->frames / 4;
    double first = mean_of(mean, part), last = mean_of(mean + f->frames - part, part);
    double slope = (last - first) / (double)(f->frames - part);

    for (size_t n = 0; n < f->frames; n++) {
        f->trace[n] = mean[n] - first - slope * ((double)n - 0.5 * (double)part);
        f->weight[n] = 1;
    }
}

/* The range of the mean about that line, without few frames at the ends. Changes trace. */
static double amplitude_of(search *f)
{
    double high;

    subtract_line(f);
    high = optmap_rank(f->trace, f->frames, f->frames - 1 - f->frames / 50);
    return high - optmap_rank(f->trace, f->frames, f->frames / 20);
}

/* Whether the rest has waves of most_beside of `size` or more from 0.6 to 1.4 times this frequency, as harmonics of
 * beats; or the mean has ones of most_below at a half, a third or a quarter of it, and it is in the beats' band.
 * `gain`: what the parabolas leave of a wave. Changes trace and weights. */
static bool is_of_beats(search *f, double size, double gain)
{
    double omega = f->omega, line, most;
    search part = *f;

    part.end = f->end - f->from < LINE_FRAMES ? f->end : f->from + LINE_FRAMES;
    line = 2 * pi / (double)(part.end - f->from);
    most = largest(&part, f->rest, 0.6 * omega, line / 2, omega - 2 * line);
    most = fmax(most, largest(&part, f->rest, omega + 2 * line, line / 2, fmin(1.4 * omega, pi))) / most_beside;
    subtract_line(f);
    part.from = 0;
    part.end = f->frames;
    for (int k = 2; k <= 4; k++)
        most = fmax(most, largest(&part, f->trace, omega / k, 1, omega / k) * gain / most_below);
    set_omega(f, omega);
    return most > size;
}

/* ---- blocks ---- */

/* How blocks flicker: by the same wave [0], or in proportion to their light [1], by least squares. apart: their largest
 * difference from that, beyond 4 standard errors. */
static void compare_blocks(search *f, wave by[2], double apart[2])
{
    const amend_camera *c = f->camera;
    double to[AMEND_BLOCKS][2], error[AMEND_BLOCKS];
    wave waves[AMEND_BLOCKS];

    for (size_t b = 0; b < c->count; b++) {
        const double *values = c->blocks + b * f->frames;

        subtract_parabolas(f, values);
        waves[b] = robust_fit(f, PASSES);
        error[b] = f->error;
        to[b][0] = 1;
        to[b][1] = 0;
        for (size_t n = f->from; n < f->end; n++) /* of the frames that the wave is of */
            to[b][1] += f->weight[n] * values[n] / f->total;
    }
    for (int i = 0; i < 2; i++) {
        double square = 0;

        by[i] = apart[i] = 0;
        for (size_t b = 0; b < c->count; b++) {
            double weight = to[b][i] / (error[b] * error[b] + 1e-300);

            by[i] += weight * waves[b];
            square += weight * to[b][i];
        }
        by[i] /= square;
        for (size_t b = 0; b < c->count; b++)
            apart[i] = fmax(apart[i], cabs(waves[b] - to[b][i] * by[i]) - 4 * error[b]);
    }
}

/* ---- a flicker ---- */

/* Takes it off the sums, and notes it for the frames. `by_light`: w is relative to the light. */
static void take_off(const search *f, bool by_light, wave w)
{
    const amend_camera *c = f->camera;

    for (size_t n = 0; n < f->frames; n++) {
        double value = at(f, w, n), share = by_light ? value : 0, amount = by_light ? 0 : value;

        for (size_t b = 0; b <= c->count; b++)
            c->mean[b * f->frames + n] = (c->mean[b * f->frames + n] - amount) / (1 + share);
        c->added[n] += amount * (1 + c->gained[n]);
        c->gained[n] = (1 + c->gained[n]) * (1 + share) - 1;
    }
}

static void try_source(search *f, double source, double seen, double rate, penta_amends *out)
{
    const amend_camera *c = f->camera;
    double size, gain, range = amplitude_of(f), apart[2], omega = 2 * pi * seen / rate;
    double step = pi / (4 * (double)f->frames), reach = ceil(2 * pi * tolerance * source / rate / step);
    wave by[2];
    bool by_light;

    f->half = (size_t)fmax(3, round(0.625 * rate / seen));
    f->from = f->half;
    f->end = f->frames - f->half;
    subtract_parabolas(f, c->mean);
    robust_fit(f, 0);
    reach = step * fmin(reach, 200);
    largest(f, f->trace, omega - reach, step, omega + reach + step / 2);
    gain = gain_of(f);
    size = cabs(robust_fit(f, PASSES));
    if (!(size > fmax(least_part * gain * range, clear * f->error)) ||
        (seen < fastest_heart && 2 * size > most_part * gain * range) || is_of_beats(f, size, gain))
        return;
    compare_blocks(f, by, apart);
    by_light = apart[1] <= apart[0] + unlike * size;
    if (!(apart[by_light] < alike * size))
        return;
    out->flickers[out->flicker_count++] = (penta_flicker){
        .source_hz = source,
        .seen_hz = f->omega * rate / (2 * pi),
        .share = (by_light ? cabs(by[1]) : size / fabs(mean_of(c->mean, f->frames))) / gain,
        .added = !by_light,
    };
    take_off(f, by_light, by[by_light] / gain);
}

penta_status amend_find_flicker(amend_camera *c, double rate, penta_amends *out)
{
    penta_status status = PENTA_OK;
    double frames = (double)c->s.frames;
    search f = {.camera = c, .frames = c->s.frames};

    if (f.frames < LEAST_FRAMES)
        return PENTA_OK;
    TRY(penta_calloc(c->s.ctx, 3 * f.frames, sizeof *f.trace, &f.trace));
    TRY(penta_calloc(c->s.ctx, f.frames, sizeof *f.turn, &f.turn));
    f.rest = f.trace + f.frames;
    f.weight = f.rest + f.frames;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        double seen = fabs(sources[i] - rate * round(sources[i] / rate));

        if (seen >= lowest && seen * frames >= LEAST_PERIODS * rate && 2.5 * rate < seen * frames)
            try_source(&f, sources[i], seen, rate, out);
    }
cleanup:
    free(f.trace);
    free(f.turn);
    return status;
}
