/*
 * Bleaching. At about a thousand places in the tissue, each the mean of up to 25 pixels and 5 frames, a parabola is
 * fitted to diastole: least squares in which samples on the side of depolarisation have little weight (as in
 * cl/optmap/drift.clh). Polynomials of degree 0 .. 4 are fitted to the samples near it. The chosen degree is the least
 * one that the next two degrees improve by less than 1 % of an action potential, root mean square, in the median place.
 *
 * Only rests count: runs of diastole without the feet and tails of action potentials at their ends. A polynomial needs
 * one rest more than its degree, a line at most where the rests end well before the record does, and has to fit them.
 *
 * If there is only one beat, diastole after it may be its slow end. Bleaching is fastest at the beginning, so it is
 * only accepted if the line through diastole before the beat, extrapolated to the end, loses at least half as much.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/lsq.h"
#include "optmap/survey_places.h"

enum {
    MOST_PIXELS = 1000,
    TERMS = PENTA_SURVEY_MOST_DEGREE + 1,
    PASSES = 12,
    ENVELOPE = 2, /* degree */
    IN_BEAT = 3,
    LEAST_REST = 8
};

static const double matters = 0.01;         /* least change that matters, relative to an action potential */
static const double least_amplitude = 1e-6; /* of F: with a smaller amplitude there is only drift, and no fit */
static const double least_lost = 0.07; /* relative to an action potential: a smaller loss may be the slow end of one */
static const double unsure = 0.15;     /* relative to an action potential: a loss that would matter */
static const double least_early = 0.5; /* least fraction of the loss seen by the line before a single beat */
static const double above = 0.01;      /* weight of samples on the side of depolarisation */
static const double fits = 0.03; /* most rms of a rest that the polynomial leaves, relative to an action potential */
/* Fraction of the record before its first or after its last rest: with more only a line, with still more none. */
static const double ends_line = 0.16, ends_none = 0.25;
static const double least_final = 0.1; /* of the record: the rest after a single beat */

typedef struct {
    survey *s;
    size_t count, pixels[MOST_PIXELS];
    double *time;   /* of each frame: -1 .. 1 */
    double *traces; /* count x frames */
    double sign;    /* sign of depolarisation */
    double amplitude[MOST_PIXELS];
    double left[TERMS][MOST_PIXELS]; /* mean square of diastole minus the polynomial of degree K, relative to the
                                        amplitude's */
    double lost[TERMS][MOST_PIXELS]; /* D(first) - D(last) over D(first) */
    double last[TERMS][MOST_PIXELS]; /* coefficient of Legendre's polynomial K in the fit of degree K */
    double beats[MOST_PIXELS];       /* number of climbs to half of the amplitude */
    double early[MOST_PIXELS];       /* like `lost`, by the line through diastole before the first beat */
    double rests[MOST_PIXELS];       /* number of rests */
    double before[MOST_PIXELS];      /* fraction of the record before the first */
    double after[MOST_PIXELS];       /* and after the last */
    double final[MOST_PIXELS];       /* fraction that the last rest is */
    double scratch[MOST_PIXELS];
    uint8_t done[MOST_PIXELS];
} drifts;

/* ---- one place ---- */

/* One weighted fit to the first samples of trace. False: there is none, and c, which is 0 above the degree, stays. */
static bool fit(drifts *d, size_t frames, const double *trace, const double *weight, size_t degree, double c[TERMS])
{
    penta_lsq_result result;

    if (penta_lsq_polynomial(frames, d->time, trace, weight, degree, c, NULL, &result) == PENTA_OK)
        return result.ok;
    d->s->failed = true;
    return false;
}

/* How far sample n is from the polynomial, to the side of depolarisation. */
static double height(const drifts *d, const double *c, const double *trace, size_t n)
{
    return d->sign * (trace[n] - penta_polynomial_at(TERMS - 1, c, d->time[n]));
}

static double loss(const double *c)
{
    double first = penta_polynomial_at(TERMS - 1, c, -1);

    return first != 0 ? (first - penta_polynomial_at(TERMS - 1, c, 1)) / first : 0;
}

/* Fits a parabola to diastole and finds the range above it, without some samples at the ends; then fits it to the
 * samples near it, which `in` marks by 1. */
static bool find_diastole(drifts *d, size_t which, const double *trace, double *in, double c[TERMS])
{
    size_t frames = d->s->frames;

    fit(d, frames, trace, NULL, 0, c); /* the mean */
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t n = 0; n < frames; n++)
            in[n] = height(d, c, trace, n) > 0 ? above : 1;
        if (!fit(d, frames, trace, in, ENVELOPE, c))
            return false;
    }
    for (size_t n = 0; n < frames; n++)
        in[n] = height(d, c, trace, n);
    d->amplitude[which] = optmap_rank(in, frames, frames - 1 - frames / 50);
    d->amplitude[which] -= optmap_rank(in, frames, frames / 10);
    for (int pass = 0; pass < 3; pass++) {
        size_t count = 0;

        for (size_t n = 0; n < frames; n++) {
            in[n] = fabs(height(d, c, trace, n)) <= 0.15 * d->amplitude[which];
            count += in[n] > 0;
        }
        if (count < frames / 10 || !fit(d, frames, trace, in, ENVELOPE, c))
            return false;
    }
    return true;
}

/* Counts beats, and finds the loss before the first, without the last quarter before it, which may be its foot; 0 if
 * there is too little diastole. */
static void look_at_beats(drifts *d, size_t which, const double *c, const double *trace, const double *in)
{
    size_t frames = d->s->frames, first = frames, end = 0;
    double line[TERMS] = {0}, count = 0;
    bool up = false;

    d->beats[which] = 0;
    for (size_t n = 0; n < frames; n++) {
        bool now = height(d, c, trace, n) > d->amplitude[which] / 2;

        d->beats[which] += now && !up;
        first = now && n < first ? n : first;
        up = now;
    }
    for (; end < first / 4 * 3; end++)
        count += in[end];
    d->early[which] = count >= fmax(10, (double)(frames / 50)) && fit(d, end, trace, in, 1, line) ? loss(line) : 0;
}

/* Leaves the rests in `in`. A run of diastole ends where IN_BEAT successive samples are beyond the limit; fewer are
 * noise. It is shortened by what may be tail or foot of beats: a third after one, an eighth before one. */
static void keep_rests(drifts *d, size_t which, double *in)
{
    size_t frames = d->s->frames;

    d->rests[which] = 0;
    d->before[which] = d->after[which] = 1;
    for (size_t from = 0, next; from < frames; from = next) {
        size_t beyond = 0, run, begin, end;

        next = from + 1;
        if (!(in[from] > 0))
            continue;
        from = from < IN_BEAT ? 0 : from;
        for (; next < frames && beyond < IN_BEAT; next++)
            beyond = in[next] > 0 ? 0 : beyond + 1;
        run = beyond < IN_BEAT ? next - from : next - from - IN_BEAT;
        begin = from > 0 ? from + run / 3 : 0;
        end = beyond < IN_BEAT ? frames : from + run - run / 8;
        for (size_t n = from; n < next; n++)
            in[n] *= n >= begin && n < end && end >= begin + LEAST_REST;
        if (end < begin + LEAST_REST)
            continue;
        if (d->rests[which]++ < 1)
            d->before[which] = (double)begin / (double)frames;
        d->after[which] = (double)(frames - end) / (double)frames;
        d->final[which] = (double)(end - begin) / (double)frames;
    }
}

static bool fit_all(drifts *d, size_t which, const double *trace, double *in)
{
    static const double leading[TERMS] = {1, 1, 3. / 2, 5. / 2, 35. / 8}; /* coefficients of Legendre's polynomials */
    size_t frames = d->s->frames;
    double c[TERMS] = {0}, amplitude;

    if (!find_diastole(d, which, trace, in, c))
        return false;
    look_at_beats(d, which, c, trace, in);
    keep_rests(d, which, in);
    memset(c, 0, sizeof c);
    amplitude = d->amplitude[which];
    for (size_t k = 0; k < TERMS; k++) { /* a degree that the rests do not determine is as the one below */
        double sum = 0, count = 0;

        if (!fit(d, frames, trace, in, k, c) && k == 0)
            return false;
        for (size_t n = 0; n < frames; n++) {
            sum += in[n] * pow(height(d, c, trace, n), 2);
            count += in[n];
        }
        d->lost[k][which] = loss(c);
        d->last[k][which] = c[k] / leading[k];
        d->left[k][which] = amplitude > 0 ? sum / count / (amplitude * amplitude) : 0;
    }
    return amplitude > least_amplitude;
}

static void do_place(void *data, size_t which)
{
    drifts *d = data;
    size_t frames = d->s->frames;
    const double *values = d->traces + which * frames;
    double *trace = calloc(2 * frames, sizeof *trace);

    for (size_t n = 0; trace && n < frames; n++) { /* means over up to 5 frames, symmetric, so that slopes are kept */
        size_t end = frames - 1 - n, most = n < end ? n : end, half = most < 2 ? most : 2;

        for (size_t k = n - half; k <= n + half; k++)
            trace[n] += values[k] / (double)(2 * half + 1);
    }
    if (trace)
        d->done[which] = fit_all(d, which, trace, trace + frames);
    else
        d->s->failed = true;
    free(trace);
}

/* ---- all places ---- */

/* Median of places. *error: its standard error, counting every place because neighbours share little; or NULL. */
static double middle(drifts *d, const double *values, double *error)
{
    size_t n = 0;
    double median;

    for (size_t i = 0; i < d->count; i++)
        if (d->done[i])
            d->scratch[n++] = values[i];
    median = optmap_median(d->scratch, n);
    for (size_t i = 0; error && i < n; i++)
        d->scratch[i] = fabs(d->scratch[i] - median);
    if (error)
        *error = n > 1 ? 1.2533 * 1.4826 * optmap_median(d->scratch, n) / sqrt((double)n) : INFINITY;
    return median;
}

static void choose_pixels(drifts *d)
{
    const survey *s = d->s;
    size_t tissue = s->out->counts[PENTA_SURVEY_TISSUE], seen = 0;

    for (size_t i = 0; i < s->pixels && d->count < MOST_PIXELS; i++)
        if (s->out->kind[i] == PENTA_SURVEY_TISSUE && s->mean[i] != 0 &&
            seen++ * MOST_PIXELS / (tissue > MOST_PIXELS ? tissue : MOST_PIXELS) >= d->count)
            d->pixels[d->count++] = i;
}

/* The largest degree that the rests determine; with a single beat, whose tail lasts, a line at most. */
static int most_degree(drifts *d, bool several)
{
    double rests = middle(d, d->rests, NULL);
    double outside = fmax(middle(d, d->before, NULL), middle(d, d->after, NULL));
    int most = (int)fmin(fmax(rests - 1, 0), TERMS - 1);

    if (outside > ends_none || (!several && !(middle(d, d->final, NULL) > least_final)))
        return 0;
    return most > 1 && (outside > ends_line || !several) ? 1 : most;
}

/* Up to `most`. *rest: mean square of diastole that it leaves, relative to an action potential's. */
static int choose_degree(drifts *d, int most, double *rest)
{
    double left[TERMS + 1];
    int degree = 0;

    for (int k = 0; k <= TERMS; k++)
        left[k] = middle(d, d->left[k <= most ? k : most], NULL);
    while (degree + 1 < TERMS && left[degree] - fmin(left[degree + 1], left[degree + 2]) > matters * matters)
        degree++;
    /* Effects of motion differ in sign between places; bleaching has the same sign in all. */
    while (degree > 0 && !(fabs(middle(d, d->last[degree], NULL)) > matters * d->s->out->amplitude))
        degree--;
    *rest = left[degree];
    return degree;
}

static void decide(drifts *d)
{
    penta_survey *out = d->s->out;
    bool several = middle(d, d->beats, NULL) > 1.5;
    int degree, most = most_degree(d, several);
    double rest;

    out->amplitude = middle(d, d->amplitude, NULL);
    degree = choose_degree(d, most, &rest);
    out->lost = middle(d, d->lost[degree > 0 ? degree : 1], &out->lost_error);
    d->s->doubt = !(out->amplitude > 0)                                                ? SURVEY_NO_SIGNAL
                  : most == 0 || !(rest <= fits * fits)                                ? SURVEY_UNPROVEN
                  : degree == 0                                                        ? SURVEY_NO_TREND
                  : !(fabs(out->lost) > least_lost * out->amplitude)                   ? SURVEY_SMALL_LOSS
                  : !several && !(middle(d, d->early, NULL) / out->lost > least_early) ? SURVEY_SINGLE_BEAT
                                                                                       : SURVEY_DRIFTS;
    out->drift = d->s->doubt != SURVEY_DRIFTS ? -1 : degree;
    out->drift_unsure = (d->s->doubt == SURVEY_UNPROVEN || d->s->doubt == SURVEY_SINGLE_BEAT) &&
                        fabs(out->lost) > fmax(unsure, 6 * sqrt(middle(d, d->left[1], NULL))) * out->amplitude;
}

penta_status survey_drift(survey *s)
{
    penta_status status = PENTA_OK;
    drifts *d = NULL;

    TRY(penta_calloc(s->ctx, 1, sizeof *d, &d));
    d->s = s;
    d->sign = s->polarity == PENTA_OPTMAP_UP ? 1 : -1;
    s->doubt = SURVEY_TOO_SHORT;
    choose_pixels(d);
    if (d->count < 10 || s->frames < 20)
        goto cleanup;
    TRY(penta_calloc(s->ctx, (1 + d->count) * s->frames, sizeof *d->time, &d->time));
    d->traces = d->time + s->frames;
    for (size_t n = 0; n < s->frames; n++)
        d->time[n] = 2 * (double)n / (double)(s->frames - 1) - 1;
    TRY(survey_places(s, d->count, d->pixels, d->traces));
    TRY(survey_check(s));
    TRY(penta_parallel_watched(s->ctx, d->count, do_place, d));
    TRY(survey_check(s));
    decide(d);
cleanup:
    if (d)
        free(d->time);
    free(d);
    return status;
}

void survey_tell_drift(penta_context *ctx, const penta_survey *found, enum survey_doubt doubt)
{
    /* each with the loss and the amplitude in per cent; limits as above */
    static const char *const reasons[] = {
        [SURVEY_DRIFTS] = "the survey found that %.3g %% of the light goes; a beat has %.3g %%",
        [SURVEY_TOO_SHORT] = "the survey had too few frames or too little tissue to find one",
        [SURVEY_NO_SIGNAL] = "the survey found no beats to compare it with",
        [SURVEY_UNPROVEN] = "the survey found too little rest between beats to tell bleaching from them",
        [SURVEY_NO_TREND] = "the survey found no polynomial that comes nearer to diastole by 1 %% of a beat",
        [SURVEY_SMALL_LOSS] = "the survey found that %.3g %% of the light goes, below 7 %% of a beat of %.3g %%",
        [SURVEY_SINGLE_BEAT] =
            "the survey found that %.3g %% of the light goes, which may be the slow end of the only beat",
    };
    char text[32] = "none";

    if (doubt == SURVEY_DRIFTS)
        snprintf(text, sizeof text, "of degree %d", found->drift);
    penta_chose(ctx, "drift", text, reasons[doubt], 100 * found->lost, 100 * found->amplitude);
}
