/*
 * Flicker of lamps and mains in all pixels at once, at the frequencies that the frame rate makes of it. The mean of
 * each frame, less a parabola through its surroundings, is fitted by a sine, with weights that leave out the edges of
 * beats (Tukey's biweight). It is flicker if it stands out of the noise, is the same in each quarter of the record and
 * in each block of the frame (in proportion to the light, or everywhere alike), and if no frequency near it, as
 * harmonics of a rhythm would be, has half as much.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/amend.h"
#include "optmap/ranks.h"

enum { LEAST_FRAMES = 64, LEAST_PERIODS = 8, PASSES = 10, QUARTERS = 4, LINE_FRAMES = 8192, ARRAYS = 6 };

static const double pi = 3.14159265358979323846;
static const double sources[] = {100, 120, 50, 60}; /* Hz */
static const double lowest = 20;                    /* Hz: what looks slower cannot be told from beats */
static const double tolerance = 0.005;              /* of the frequencies of the mains and the camera */
static const double least_part = 0.03;              /* amplitude relative to an action potential's */
static const double clear = 6;                      /* standard errors */
static const double alike = 0.4;           /* most difference of quarters and blocks, relative to the amplitude */
static const double least_explained = 0.4; /* of the variance of frames with weight */
static const double least_weight = 0.35;   /* mean weight of frames */
static const double most_beside = 0.5;     /* amplitude of other frequencies, relative to this one's */

/* c cos(omega n) + s sin(omega n) */
typedef struct {
    double c, s;
} wave;

typedef struct {
    const amend_camera *camera;
    size_t half, from, end; /* parabolas run through 2 half + 1 frames; frames from .. end - 1 have one */
    double omega;
    double noise;          /* spread about the last fit */
    double *cosine, *sine; /* at omega; frames each, as all of these */
    double *trace, *rest, *weight, *scratch;
} search;

static double mean_of(const double *values, size_t count)
{
    double sum = 0;

    for (size_t n = 0; n < count; n++)
        sum += values[n] / (double)count;
    return sum;
}

static double size_of(wave w)
{
    return hypot(w.c, w.s);
}

static wave minus(wave a, wave b)
{
    return (wave){a.c - b.c, a.s - b.s};
}

/* ---- fits ---- */

/* At half the frame rate there is a cosine only. */
static void set_omega(search *f, double omega)
{
    double frames = (double)f->camera->frames;

    f->omega = pi - omega < pi / (2 * frames) ? pi : omega;
    for (size_t n = 0; n < f->camera->frames; n++) {
        f->cosine[n] = cos(f->omega * (double)n);
        f->sine[n] = f->omega < pi ? sin(f->omega * (double)n) : 0;
    }
}

static wave fit(const search *f, const double *values, size_t from, size_t end)
{
    double cc = 0, cs = 0, ss = 0, c = 0, s = 0, det;

    for (size_t n = from; n < end; n++) {
        double wc = f->weight[n] * f->cosine[n], ws = f->weight[n] * f->sine[n];

        cc += wc * f->cosine[n];
        cs += wc * f->sine[n];
        ss += ws * f->sine[n];
        c += wc * values[n];
        s += ws * values[n];
    }
    if (!(f->omega < pi))
        return (wave){cc > 0 ? c / cc : 0, 0};
    det = cc * ss - cs * cs;
    return det > 1e-9 * cc * ss ? (wave){(ss * c - cs * s) / det, (cc * s - cs * c) / det} : (wave){0, 0};
}

static double at(const search *f, wave w, size_t n)
{
    return w.c * f->cosine[n] + w.s * f->sine[n];
}

/* rest = trace - wave; sets the weights by it, and `noise`. */
static void weigh(search *f, wave w)
{
    double far;

    for (size_t n = f->from; n < f->end; n++)
        f->rest[n] = f->trace[n] - at(f, w, n);
    f->noise = amend_spread(f->rest + f->from, f->end - f->from, f->scratch);
    far = 4.685 * f->noise;
    for (size_t n = f->from; n < f->end; n++) {
        double u = fabs(f->rest[n]) < far ? f->rest[n] / far : 1;

        f->weight[n] = (1 - u * u) * (1 - u * u);
    }
}

static double total_weight(const search *f, size_t from, size_t end)
{
    double sum = 0;

    for (size_t n = from; n < end; n++)
        sum += f->weight[n];
    return sum;
}

static double error_of(const search *f, size_t from, size_t end)
{
    return f->noise * sqrt(2 / fmax(1, total_weight(f, from, end)));
}

static wave robust_fit(search *f)
{
    wave w = fit(f, f->trace, f->from, f->end);

    for (int pass = 0; pass < PASSES; pass++) {
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
        double sum = 0;

        for (size_t k = 0; k <= 2 * f->half; k++)
            sum += parabola(half, (double)k - half) * values[n - f->half + k];
        f->trace[n] = values[n] - sum;
    }
}

/* What they leave of a wave. */
static double gain_of(const search *f)
{
    double half = (double)f->half, sum = 0;

    for (size_t k = 0; k <= 2 * f->half; k++)
        sum += parabola(half, (double)k - half) * cos(f->omega * ((double)k - half));
    return 1 - sum;
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

    weigh(f, (wave){0, 0});
    for (int k = -steps; k <= steps; k++) {
        double size;

        set_omega(f, 2 * pi * seen_at(source + k * step, rate) / rate);
        size = size_of(fit(f, f->trace, f->from, f->end));
        if (size > best) {
            best = size;
            omega = f->omega;
        }
    }
    set_omega(f, omega);
}

static bool stands_out(const search *f, wave w)
{
    double square = size_of(w) * size_of(w) / 2, rest = 0, sum = total_weight(f, f->from, f->end);

    for (size_t n = f->from; n < f->end; n++)
        rest += f->weight[n] * f->rest[n] * f->rest[n];
    return size_of(w) > clear * error_of(f, f->from, f->end) && sum > least_weight * (double)(f->end - f->from) &&
           square > least_explained * (square + rest / sum);
}

static bool persists(const search *f, wave w)
{
    size_t count = f->end - f->from;

    for (size_t q = 0; q < QUARTERS; q++) {
        size_t from = f->from + q * count / QUARTERS, end = f->from + (q + 1) * count / QUARTERS;
        wave part = fit(f, f->trace, from, end);

        if (size_of(minus(part, w)) > alike * size_of(w) + 3 * error_of(f, from, end))
            return false;
    }
    return true;
}

/* The largest wave of the rest at other frequencies, from 0.6 to 1.4 times this one. Changes omega. */
static double beside(search *f)
{
    size_t end = f->end - f->from < LINE_FRAMES ? f->end : f->from + LINE_FRAMES;
    double omega = f->omega, line = 2 * pi / (double)(end - f->from), most = 0;

    for (double other = 0.6 * omega; other < fmin(1.4 * omega, pi); other += line / 2)
        if (fabs(other - omega) >= 2 * line) {
            set_omega(f, other);
            most = fmax(most, size_of(fit(f, f->rest, f->from, end)));
        }
    set_omega(f, omega);
    return most;
}

/* Whether beats have more than twice as much at a half, a third or a quarter of the frequency: it is in their band.
 * Changes omega, trace and weights. */
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
        most = fmax(most, size_of(fit(f, f->trace, 0, c->frames)));
    }
    set_omega(f, omega);
    return most > 2 * size;
}

/* The range of the median block about its line, without few frames at the ends. */
static double amplitude_of(search *f)
{
    size_t frames = f->camera->frames, count = 0;
    double ranges[AMEND_BLOCKS];

    for (size_t b = 0; b < AMEND_BLOCKS; b++) {
        const double *values = f->camera->blocks + b * frames;
        double nn = 0, nf = 0, middle = 0.5 * (double)(frames - 1);

        if (!f->camera->pixels[b])
            continue;
        for (size_t n = 0; n < frames; n++) {
            nn += ((double)n - middle) * ((double)n - middle);
            nf += ((double)n - middle) * values[n];
        }
        for (size_t n = 0; n < frames; n++)
            f->scratch[n] = values[n] - nf / nn * (double)n;
        ranges[count] = optmap_rank(f->scratch, frames, frames - 1 - frames / 50);
        ranges[count++] -= optmap_rank(f->scratch, frames, frames / 20);
    }
    return optmap_median(ranges, count);
}

/* ---- blocks ---- */

/* How the blocks of a frame flicker. */
typedef struct {
    double light[AMEND_BLOCKS], error[AMEND_BLOCKS];
    wave wave[AMEND_BLOCKS];
} field;

static field fit_blocks(search *f)
{
    const amend_camera *c = f->camera;
    field all = {0};
    double total;

    for (size_t b = 0; b < AMEND_BLOCKS; b++) {
        const double *values = c->blocks + b * c->frames;

        if (!c->pixels[b])
            continue;
        subtract_parabolas(f, values);
        weigh(f, (wave){0, 0});
        all.wave[b] = robust_fit(f);
        all.error[b] = error_of(f, f->from, f->end);
        total = total_weight(f, f->from, f->end);
        for (size_t n = f->from; n < f->end; n++) /* of the frames that the wave is of */
            all.light[b] += f->weight[n] * values[n] / fmax(1, total);
    }
    return all;
}

/* The wave that is the blocks' in proportion to their light, or else the same in all; by least squares. */
static wave common(const search *f, const field *all, bool by_light)
{
    double square = 0;
    wave sum = {0, 0};

    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        if (f->camera->pixels[b]) {
            double size = by_light ? all->light[b] : 1, w = size / (all->error[b] * all->error[b] + 1e-300);

            sum.c += w * all->wave[b].c;
            sum.s += w * all->wave[b].s;
            square += w * size;
        }
    return (wave){sum.c / square, sum.s / square};
}

/* The largest difference of a block from it, beyond 4 standard errors. */
static double difference(const search *f, const field *all, bool by_light, wave w)
{
    double most = 0;

    for (size_t b = 0; b < AMEND_BLOCKS; b++)
        if (f->camera->pixels[b]) {
            double size = by_light ? all->light[b] : 1;

            most = fmax(most, size_of(minus(all->wave[b], (wave){size * w.c, size * w.s})) - 4 * all->error[b]);
        }
    return most;
}

/* ---- a flicker ---- */

/* Takes it off the sums, and notes it for the frames. `by_light`: w is relative to the light. */
static void take_off(search *f, amend_camera *c, bool by_light, wave w)
{
    double gain = gain_of(f);

    for (size_t n = 0; n < c->frames; n++) {
        double value = at(f, w, n) / gain;

        c->mean[n] = by_light ? c->mean[n] / (1 + value) : c->mean[n] - value;
        for (size_t b = 0; b < AMEND_BLOCKS; b++) {
            double *block = c->blocks + b * c->frames + n;

            *block = by_light ? *block / (1 + value) : *block - value;
        }
        if (by_light)
            c->gained[n] = (1 + c->gained[n]) * (1 + value) - 1;
        else
            c->added[n] += value * (1 + c->gained[n]);
    }
}

static void try_source(search *f, amend_camera *c, double source, double rate, penta_amends *out)
{
    double seen = seen_at(source, rate), size, amplitude = amplitude_of(f), share, same;
    field all;
    wave w, light, alone;
    bool by_light;

    f->half = (size_t)fmax(3, round(0.625 * rate / seen));
    f->from = f->half;
    f->end = c->frames - f->half;
    subtract_parabolas(f, c->mean);
    tune(f, source, rate);
    w = robust_fit(f);
    size = size_of(w);
    if (!(size > least_part * amplitude * gain_of(f)) || !stands_out(f, w) || !persists(f, w) ||
        beside(f) > most_beside * size || is_in_band(f, size / gain_of(f)))
        return;
    all = fit_blocks(f);
    light = common(f, &all, true);
    alone = common(f, &all, false);
    share = difference(f, &all, true, light);
    same = difference(f, &all, false, alone);
    by_light = share <= same;
    if (!(fmin(share, same) < alike * size))
        return;
    out->flickers[out->flicker_count++] = (penta_flicker){
        .source_hz = source,
        .seen_hz = f->omega * rate / (2 * pi),
        .share = (by_light ? size_of(light) : size / fabs(mean_of(c->mean, c->frames))) / gain_of(f),
        .added = !by_light,
    };
    take_off(f, c, by_light, by_light ? light : alone);
}

penta_status amend_find_flicker(amend_camera *c, double rate, penta_amends *out)
{
    penta_status status = PENTA_OK;
    double *arrays = NULL, seconds = (double)c->frames / rate;
    search f = {.camera = c};

    if (c->frames < LEAST_FRAMES)
        return PENTA_OK;
    TRY(penta_calloc(c->ctx, ARRAYS * c->frames, sizeof *arrays, &arrays));
    f.cosine = arrays;
    f.sine = arrays + c->frames;
    f.trace = arrays + 2 * c->frames;
    f.rest = arrays + 3 * c->frames;
    f.weight = arrays + 4 * c->frames;
    f.scratch = arrays + 5 * c->frames;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        double seen = seen_at(sources[i], rate);

        if (seen >= lowest && seen * seconds >= LEAST_PERIODS && 2.5 * rate / seen < (double)c->frames &&
            out->flicker_count < PENTA_MOST_FLICKERS)
            try_source(&f, c, sources[i], rate, out);
    }
cleanup:
    free(arrays);
    return status;
}
