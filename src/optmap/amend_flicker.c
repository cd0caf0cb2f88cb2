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
#include <string.h>

#include "optmap/amend.h"
#include "optmap/ranks.h"

enum { LEAST_FRAMES = 64, LEAST_PERIODS = 8, PASSES = 10, LINE_FRAMES = 8192 };

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
static const double most_beside = 0.5; /* amplitude of other frequencies, relative to this one's */

/* re cos(omega n) + im sin(omega n) */
typedef double complex wave;

typedef struct {
    const amend_camera *camera;
    size_t half, from, end; /* parabolas run through 2 half + 1 frames; frames from .. end - 1 have one */
    double omega;
    double total, error; /* of the last fit: sum of weights, standard error */
    wave *turn;          /* exp(i omega n); of all frames, as these */
    double *trace, *rest, *weight, *scratch;
} search;

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t n = 0; n < count; n++)
        sum += values[n] / (double)count;
    return sum;
}

/* ---- fits ---- */

/* At half the frame rate there is a cosine only. */
static void set_omega(search *f, double omega)
{
    double frames = (double)f->camera->frames;

    f->omega = pi - omega < pi / (2 * frames) ? pi : omega;
    for (size_t n = 0; n < f->camera->frames; n++)
        f->turn[n] = f->omega < pi ? cexp(I * f->omega * (double)n) : 1 - 2 * (double)(n % 2);
}

static wave fit(const search *f, const double *values, size_t from, size_t end)
{
    double cc = 0, cs = 0, ss = 0, det;
    wave sum = 0;

    for (size_t n = from; n < end; n++) {
        double c = creal(f->turn[n]), s = cimag(f->turn[n]);

        cc += f->weight[n] * c * c;
        cs += f->weight[n] * c * s;
        ss += f->weight[n] * s * s;
        sum += f->weight[n] * values[n] * f->turn[n];
    }
    det = cc * ss - cs * cs;
    if (!(det > 1e-9 * cc * ss))
        return cc > 0 ? creal(sum) / cc : 0;
    return (ss * creal(sum) - cs * cimag(sum) + I * (cc * cimag(sum) - cs * creal(sum))) / det;
}

static double at(const search *f, wave w, size_t n)
{
    return creal(w * conj(f->turn[n]));
}

/* Sets rest = trace - wave, the weights by it, and what is said of the fit. */
static void weigh(search *f, wave w)
{
    double noise;

    for (size_t n = f->from; n < f->end; n++)
        f->rest[n] = f->trace[n] - at(f, w, n);
    noise = amend_spread(f->rest + f->from, f->end - f->from, f->scratch);
    f->total = 0;
    for (size_t n = f->from; n < f->end; n++) {
        double u = f->rest[n] / (4.685 * noise), inside = fabs(u) < 1 ? 1 - u * u : 0;

        f->weight[n] = inside * inside;
        f->total += f->weight[n];
    }
    f->error = noise * sqrt(2 / fmax(1, f->total));
}

static wave robust_fit(search *f)
{
    wave w = 0;

    for (int pass = 0; pass <= PASSES; pass++) {
        weigh(f, w);
        w = fit(f, f->trace, f->from, f->end);
    }
    weigh(f, w);
    return w;
}

/* ---- parabolas ---- */

/* Weight of the sample k frames away in the parabola's value at the middle of its window. */
static double parabola(double half, double k)
{
    return 3 * (3 * half * half + 3 * half - 1 - 5 * k * k) / ((2 * half - 1) * (2 * half + 1) * (2 * half + 3));
}

/* trace = values less the parabolas. */
static void subtract_parabolas(search *f, const double *values)
{
    double half = (double)f->half;

    for (size_t n = f->from; n < f->end; n++) {
        f->trace[n] = values[n];
        for (size_t k = 0; k <= 2 * f->half; k++)
            f->trace[n] -= parabola(half, (double)k - half) * values[n - f->half + k];
    }
}

/* What they leave of a wave. */
static double gain_of(const search *f)
{
    double half = (double)f->half, gain = 1;

    for (size_t k = 0; k <= 2 * f->half; k++)
        gain -= parabola(half, (double)k - half) * cos(f->omega * ((double)k - half));
    return gain;
}

/* ---- tests ---- */

static double seen_at(double source, double rate)
{
    return fabs(source - rate * round(source / rate));
}

/* Sets omega near that of the source, where the wave is largest. */
static void tune(search *f, double source, double rate)
{
    double step = rate / (8 * (double)f->camera->frames), best = -1, omega = 0;
    int steps = (int)fmin(ceil(tolerance * source / step), 200);

    weigh(f, 0);
    for (int k = -steps; k <= steps; k++) {
        double size;

        set_omega(f, 2 * pi * seen_at(source + k * step, rate) / rate);
        size = cabs(fit(f, f->trace, f->from, f->end));
        if (size > best) {
            best = size;
            omega = f->omega;
        }
    }
    set_omega(f, omega);
}

/* The largest wave of the rest at other frequencies, from 0.6 to 1.4 times this one. */
static double beside(search *f)
{
    size_t end = f->end - f->from < LINE_FRAMES ? f->end : f->from + LINE_FRAMES;
    double omega = f->omega, line = 2 * pi / (double)(end - f->from), most = 0;

    for (double other = 0.6 * omega; other < fmin(1.4 * omega, pi); other += line / 2)
        if (fabs(other - omega) >= 2 * line) {
            set_omega(f, other);
            most = fmax(most, cabs(fit(f, f->rest, f->from, end)));
        }
    set_omega(f, omega);
    return most;
}

/* Whether beats have more than twice as much at a half, a third or a quarter of the frequency: it is in their band.
 * Changes trace and weights. */
static bool is_in_band(search *f, double size)
{
    const amend_camera *c = f->camera;
    double omega = f->omega, mean = mean_of(c->mean, c->frames), most = 0;

    for (size_t n = 0; n < c->frames; n++) {
        f->trace[n] = c->mean[n] - mean;
        f->weight[n] = 1;
    }
    for (int k = 2; k <= 4; k++) {
        set_omega(f, omega / k);
        most = fmax(most, cabs(fit(f, f->trace, 0, c->frames)));
    }
    set_omega(f, omega);
    return most > 2 * size;
}

/* The range of the mean about a line through its first and last quarters, without few frames at the ends. */
static double amplitude_of(search *f)
{
    const double *mean = f->camera->mean;
    size_t frames = f->camera->frames, part = frames / 4;
    double slope = (mean_of(mean + frames - part, part) - mean_of(mean, part)) / (double)(frames - part), high;

    for (size_t n = 0; n < frames; n++)
        f->scratch[n] = mean[n] - slope * (double)n;
    high = optmap_rank(f->scratch, frames, frames - 1 - frames / 50);
    return high - optmap_rank(f->scratch, frames, frames / 20);
}

/* ---- blocks ---- */

/* How the blocks of a frame flicker, and what it is in proportion to: 1 or their light; 0 where there is no block. */
typedef struct {
    wave wave[AMEND_BLOCKS];
    double error[AMEND_BLOCKS], to[2][AMEND_BLOCKS];
} field;

static void fit_blocks(search *f, field *all)
{
    const amend_camera *c = f->camera;

    *all = (field){0};
    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        if (c->pixels[b]) {
            const double *values = c->blocks + b * c->frames;

            subtract_parabolas(f, values);
            all->wave[b] = robust_fit(f);
            all->error[b] = f->error;
            all->to[0][b] = 1;
            for (size_t n = f->from; n < f->end; n++) /* of the frames that the wave is of */
                all->to[1][b] += f->weight[n] * values[n] / f->total;
        }
}

/* *w: the wave that blocks have in proportion, by least squares. Returns their largest difference from it, beyond 4
 * standard errors. */
static double difference(const field *all, bool by_light, wave *w)
{
    const double *to = all->to[by_light];
    double square = 0, most = 0;

    *w = 0;
    for (size_t b = 0; b < AMEND_BLOCKS; b++) {
        double weight = to[b] / (all->error[b] * all->error[b] + 1e-300);

        *w += weight * all->wave[b];
        square += weight * to[b];
    }
    *w /= square;
    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        most = fmax(most, cabs(all->wave[b] - to[b] * *w) - 4 * all->error[b]);
    return most;
}

/* ---- a flicker ---- */

/* Takes it off the sums, and notes it for the frames. `by_light`: w is relative to the light. */
static void take_off(search *f, amend_camera *c, bool by_light, wave w)
{
    for (size_t n = 0; n < c->frames; n++) {
        double value = at(f, w, n), share = by_light ? value : 0, amount = by_light ? 0 : value;

        for (size_t b = 0; b <= AMEND_BLOCKS; b++) {
            double *sum = c->mean + b * c->frames + n;

            *sum = (*sum - amount) / (1 + share);
        }
        c->added[n] += amount * (1 + c->gained[n]);
        c->gained[n] = (1 + c->gained[n]) * (1 + share) - 1;
    }
}

static void try_source(search *f, amend_camera *c, double source, double rate, penta_amends *out)
{
    double size, gain, seen = seen_at(source, rate), range = amplitude_of(f), apart[2];
    field all;
    wave w, by[2];
    bool by_light;

    f->half = (size_t)fmax(3, round(0.625 * rate / seen));
    f->from = f->half;
    f->end = c->frames - f->half;
    subtract_parabolas(f, c->mean);
    tune(f, source, rate);
    w = robust_fit(f);
    size = cabs(w);
    gain = gain_of(f);
    if (!(size > fmax(least_part * gain * range, clear * f->error)) ||
        (seen < fastest_heart && 2 * size > most_part * gain * range) || beside(f) > most_beside * size ||
        is_in_band(f, size / gain))
        return;
    fit_blocks(f, &all);
    for (int i = 0; i < 2; i++)
        apart[i] = difference(&all, i, &by[i]);
    by_light = apart[1] <= apart[0] + unlike * size;
    if (!(apart[by_light] < alike * size))
        return;
    out->flickers[out->flicker_count++] = (penta_flicker){
        .source_hz = source,
        .seen_hz = f->omega * rate / (2 * pi),
        .share = (by_light ? cabs(by[1]) : size / fabs(mean_of(c->mean, c->frames))) / gain,
        .added = !by_light,
    };
    take_off(f, c, by_light, by[by_light] / gain);
}

penta_status amend_find_flicker(amend_camera *c, double rate, penta_amends *out)
{
    penta_status status = PENTA_OK;
    double *arrays = NULL, seconds = (double)c->frames / rate;
    search f = {.camera = c};

    if (c->frames < LEAST_FRAMES)
        return PENTA_OK;
    TRY(penta_calloc(c->ctx, 4 * c->frames, sizeof *arrays, &arrays));
    TRY(penta_calloc(c->ctx, c->frames, sizeof *f.turn, &f.turn));
    f.trace = arrays;
    f.rest = arrays + c->frames;
    f.weight = arrays + 2 * c->frames;
    f.scratch = arrays + 3 * c->frames;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        double seen = seen_at(sources[i], rate);

        if (seen >= lowest && seen * seconds >= LEAST_PERIODS && 2.5 * rate / seen < (double)c->frames &&
            out->flicker_count < PENTA_MOST_FLICKERS)
            try_source(&f, c, sources[i], rate, out);
    }
cleanup:
    free(arrays);
    free(f.turn);
    return status;
}
