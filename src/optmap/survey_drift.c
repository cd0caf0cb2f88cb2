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

#include "math/solve.h"
#include "optmap/survey_places.h"

enum {
    MOST_PIXELS = 1000,
    TERMS = PENTA_SURVEY_MOST_DEGREE + 1,
    PASSES = 12,
    ENVELOPE = 3,
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
    double *basis;  /* TERMS x frames: Legendre polynomials over -1 .. 1 */
    double *traces; /* count x frames */
    double sign;    /* sign of depolarisation */
    double amplitude[MOST_PIXELS];
    double left[TERMS][MOST_PIXELS]; /* mean square of diastole minus the polynomial of degree K, relative to the
                                        amplitude's */
    double lost[TERMS][MOST_PIXELS]; /* D(first) - D(last) over D(first) */
    double last[TERMS][MOST_PIXELS]; /* coefficient of the fit of degree K */
    double beats[MOST_PIXELS];       /* number of climbs to half of the amplitude */
    double early[MOST_PIXELS];       /* like `lost`, by the line through diastole before the first beat */
    double rests[MOST_PIXELS];       /* number of rests */
    double before[MOST_PIXELS];      /* fraction of the record before the first */
    double after[MOST_PIXELS];       /* and after the last */
    double final[MOST_PIXELS];       /* fraction that the last rest is */
    uint8_t done[MOST_PIXELS];
} drifts;

/* ---- one place ---- */

static double polynomial(const drifts *d, int terms, const double *c, size_t n)
{
    double sum = 0;

    for (int k = 0; k < terms; k++)
        sum += c[k] * d->basis[(size_t)k * d->s->frames + n];
    return sum;
}

/* One weighted fit to the samples of trace marked by `in` (NULL: all); samples on the side of depolarisation of the
 * previous c have less weight. */
static bool refit(const drifts *d, int terms, const double *trace, const uint8_t *in, double c[TERMS])
{
    double a[TERMS][TERMS] = {{0}}, x[TERMS] = {0};
    size_t frames = d->s->frames;

    for (size_t n = 0; n < frames; n++) {
        double w = in ? in[n] : d->sign * (trace[n] - polynomial(d, terms, c, n)) > 0 ? above : 1;

        for (int i = 0; i < terms && w > 0; i++) {
            x[i] += w * trace[n] * d->basis[(size_t)i * frames + n];
            for (int j = 0; j <= i; j++)
                a[i][j] += w * d->basis[(size_t)i * frames + n] * d->basis[(size_t)j * frames + n];
        }
    }
    for (int i = 0; i < terms; i++)
        for (int j = i + 1; j < terms; j++)
            a[i][j] = a[j][i];
    if (!(a[0][0] > 1) || !penta_solve_positive((size_t)terms, TERMS, a[0], x, 1e-9))
        return false;
    memcpy(c, x, sizeof x);
    return true;
}

/* Marks the samples within `limit` of the polynomial; returns how many. */
static size_t near(const drifts *d, int terms, const double *c, const double *trace, double limit, uint8_t *in)
{
    size_t count = 0;

    for (size_t n = 0; n < d->s->frames; n++) {
        in[n] = fabs(trace[n] - polynomial(d, terms, c, n)) <= limit;
        count += in[n];
    }
    return count;
}

/* The range above the polynomial, without some samples at the ends. */
static double amplitude_of(const drifts *d, const double *c, const double *trace, double *scratch)
{
    size_t frames = d->s->frames, few = frames / 50;
    double top;

    for (size_t n = 0; n < frames; n++)
        scratch[n] = d->sign * (trace[n] - polynomial(d, ENVELOPE, c, n));
    top = optmap_rank(scratch, frames, frames - 1 - few);
    return top - optmap_rank(scratch, frames, frames / 10);
}

static double rest_of(const drifts *d, int terms, const double *c, const double *trace, const uint8_t *in)
{
    double sum = 0;
    size_t count = 0;

    for (size_t n = 0; n < d->s->frames; n++)
        if (in[n]) {
            sum += pow(trace[n] - polynomial(d, terms, c, n), 2);
            count++;
        }
    return count ? sum / (double)count : 0;
}

static bool is_up(const drifts *d, const double *c, const double *trace, double amplitude, size_t n)
{
    return d->sign * (trace[n] - polynomial(d, ENVELOPE, c, n)) > amplitude / 2;
}

static size_t first_climb(const drifts *d, const double *c, const double *trace, double amplitude)
{
    size_t n = 0;

    while (n < d->s->frames && !is_up(d, c, trace, amplitude, n))
        n++;
    return n;
}

/* Like `lost`, by the line through diastole before frame `end`; 0 if there is too little of it. */
static double lost_before(const drifts *d, size_t end, const double *trace, const uint8_t *in)
{
    size_t frames = d->s->frames, least = frames / 50 > 10 ? frames / 50 : 10;
    double count = 0, n1 = 0, f1 = 0, nn = 0, nf = 0;

    for (size_t n = 0; n < end; n++)
        if (in[n]) {
            count++;
            n1 += (double)n;
            f1 += trace[n];
            nn += (double)n * (double)n;
            nf += (double)n * trace[n];
        }
    if (count < (double)least || !(f1 > 0 || f1 < 0))
        return 0;
    return -(nf - n1 * f1 / count) / (nn - n1 * n1 / count) * (double)(frames - 1) / (f1 / count);
}

/* Counts beats, and finds the loss before the first, without the last quarter before it, which may be its foot. */
static void look_at_beats(drifts *d, size_t which, const double *c, const double *trace, const uint8_t *in)
{
    double amplitude = d->amplitude[which];
    bool up = false;

    d->beats[which] = 0;
    for (size_t n = 0; n < d->s->frames; n++) {
        bool now = is_up(d, c, trace, amplitude, n);

        d->beats[which] += now && !up;
        up = now;
    }
    d->early[which] = lost_before(d, first_climb(d, c, trace, amplitude) / 4 * 3, trace, in);
}

/* Shortens the run of diastole from `from` to `to` by what may be tail or foot of beats: a third after one, an eighth
 * before one. in: 1 within the rests that are long enough. */
static void keep_rest(drifts *d, size_t which, size_t from, size_t to, uint8_t *in)
{
    size_t frames = d->s->frames;
    size_t begin = from > 0 ? from + (to - from) / 3 : 0, end = to < frames ? to - (to - from) / 8 : frames;
    bool kept = end >= begin + LEAST_REST;

    for (size_t n = from; n < to; n++)
        in[n] = in[n] && kept && n >= begin && n < end;
    if (!kept)
        return;
    if (d->rests[which] == 0)
        d->before[which] = (double)begin / (double)frames;
    d->rests[which]++;
    d->after[which] = (double)(frames - end) / (double)frames;
    d->final[which] = (double)(end - begin) / (double)frames;
}

/* Leaves the rests in `in`. A run of diastole ends where IN_BEAT successive samples are beyond the limit; fewer are
 * noise. */
static void keep_rests(drifts *d, size_t which, uint8_t *in)
{
    size_t frames = d->s->frames, from = 0, to = 0; /* of the run: to is behind its last sample */

    d->rests[which] = 0;
    d->before[which] = d->after[which] = 1;
    for (size_t n = 0; n < frames; n++) {
        if (!in[n])
            continue;
        if (n >= to + IN_BEAT) {
            keep_rest(d, which, from, to, in);
            from = n;
        }
        to = n + 1;
    }
    keep_rest(d, which, from, to + IN_BEAT > frames ? frames : to, in);
}

/* The fits of degree k and above, which the rests do not determine, are as that of degree k - 1. */
static bool copy_rest(drifts *d, size_t which, int k)
{
    for (; k < TERMS; k++) {
        d->lost[k][which] = d->lost[k - 1][which];
        d->left[k][which] = d->left[k - 1][which];
        d->last[k][which] = 0;
    }
    return d->amplitude[which] > least_amplitude;
}

static bool fit_all(drifts *d, size_t which, const double *trace, double *scratch, uint8_t *in)
{
    double c[TERMS] = {0}, limit, amplitude;
    size_t frames = d->s->frames;

    for (size_t n = 0; n < frames; n++)
        c[0] += trace[n] / (double)frames;
    for (int pass = 0; pass < PASSES; pass++)
        if (!refit(d, ENVELOPE, trace, NULL, c))
            return false;
    amplitude = d->amplitude[which] = amplitude_of(d, c, trace, scratch);
    limit = 0.15 * amplitude;
    for (int pass = 0; pass < 3; pass++)
        if (near(d, ENVELOPE, c, trace, limit, in) < frames / 10 || !refit(d, ENVELOPE, trace, in, c))
            return false;
    look_at_beats(d, which, c, trace, in);
    keep_rests(d, which, in);
    for (int k = 0; k < TERMS; k++) {
        double first, last;

        if (!refit(d, k + 1, trace, in, c))
            return k > 0 && copy_rest(d, which, k);
        first = polynomial(d, k + 1, c, 0);
        last = polynomial(d, k + 1, c, frames - 1);
        d->lost[k][which] = first != 0 ? (first - last) / first : 0;
        d->last[k][which] = c[k];
        d->left[k][which] = amplitude > 0 ? rest_of(d, k + 1, c, trace, in) / (amplitude * amplitude) : 0;
    }
    return amplitude > least_amplitude;
}

/* The means over 5 frames. */
static void smooth(const double *values, size_t frames, double *out)
{
    for (size_t n = 0; n < frames; n++) {
        size_t end = frames - 1 - n, half = n < 2 ? n : 2;

        half = end < half ? end : half; /* symmetric about n, so that a slope is kept at the ends */
        out[n] = 0;
        for (size_t k = n - half; k <= n + half; k++)
            out[n] += values[k] / (double)(2 * half + 1);
    }
}

static void do_place(void *data, size_t which)
{
    drifts *d = data;
    survey *s = d->s;
    double *trace = malloc(s->frames * (2 * sizeof *trace + 1));

    if (!trace) {
        s->failed = true;
        return;
    }
    smooth(d->traces + which * s->frames, s->frames, trace);
    d->done[which] = fit_all(d, which, trace, trace + s->frames, (uint8_t *)(trace + 2 * s->frames));
    free(trace);
}

/* ---- all places ---- */

static size_t keep_done(const drifts *d, const double *values, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < d->count; i++)
        if (d->done[i])
            out[n++] = values[i];
    return n;
}

/* Median of places, and its standard error, counting every place because neighbours share little. */
static double middle(const drifts *d, const double *values, double *scratch, double *error)
{
    size_t n = keep_done(d, values, scratch);
    double median = optmap_median(scratch, n);

    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(scratch[i] - median);
    *error = n > 1 ? 1.2533 * 1.4826 * optmap_median(scratch, n) / sqrt((double)n) : INFINITY;
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

static void fill_basis(const drifts *d)
{
    size_t frames = d->s->frames;

    for (size_t n = 0; n < frames; n++) {
        double t = 2 * (double)n / (double)(frames - 1) - 1, p[TERMS] = {1, t};

        for (int k = 1; k + 1 < TERMS; k++)
            p[k + 1] = ((2 * k + 1) * t * p[k] - k * p[k - 1]) / (k + 1);
        for (int k = 0; k < TERMS; k++)
            d->basis[(size_t)k * frames + n] = p[k];
    }
}

/* Whether the loss shows before the beat. */
static bool is_seen_early(drifts *d, double *scratch)
{
    double error, lost = d->s->out->lost;

    return middle(d, d->early, scratch, &error) * lost > least_early * lost * lost;
}

/* The largest degree that the rests determine. */
static int most_degree(const drifts *d, double *scratch)
{
    double error, rests = middle(d, d->rests, scratch, &error);
    double outside = fmax(middle(d, d->before, scratch, &error), middle(d, d->after, scratch, &error));
    int most = outside > ends_none ? 0 : (int)rests - 1;

    most = outside > ends_line && most > 1 ? 1 : most;
    return most < 0 ? 0 : most < TERMS - 1 ? most : TERMS - 1;
}

/* Up to `most`. *rest: mean square of diastole that it leaves, relative to an action potential's. */
static int choose_degree(drifts *d, int most, double *scratch, double *rest)
{
    double error, left[TERMS + 1];
    int degree = 0;

    for (int k = 0; k < TERMS; k++)
        left[k] = middle(d, d->left[k <= most ? k : most], scratch, &error);
    left[TERMS] = left[TERMS - 1];
    while (degree + 1 < TERMS && left[degree] - fmin(left[degree + 1], left[degree + 2]) > matters * matters)
        degree++;
    /* Effects of motion differ in sign between places; bleaching has the same sign in all. */
    while (degree > 0 && !(fabs(middle(d, d->last[degree], scratch, &error)) > matters * d->s->out->amplitude))
        degree--;
    *rest = left[degree];
    return degree;
}

static void decide(drifts *d, double *scratch)
{
    penta_survey *out = d->s->out;
    double error, rest;
    bool several;
    int degree, most = most_degree(d, scratch);

    out->amplitude = middle(d, d->amplitude, scratch, &error);
    several = middle(d, d->beats, scratch, &error) > 1.5;
    if (!several) /* the tail of the beat lasts */
        most = most > 0 && middle(d, d->final, scratch, &error) > least_final;
    degree = choose_degree(d, most, scratch, &rest);
    out->lost = middle(d, d->lost[degree > 0 ? degree : 1], scratch, &out->lost_error);
    d->s->doubt = !(out->amplitude > 0)                              ? SURVEY_NO_SIGNAL
                  : most == 0 || !(rest <= fits * fits)              ? SURVEY_UNPROVEN
                  : degree == 0                                      ? SURVEY_NO_TREND
                  : !(fabs(out->lost) > least_lost * out->amplitude) ? SURVEY_SMALL_LOSS
                  : !(several || is_seen_early(d, scratch))          ? SURVEY_SINGLE_BEAT
                                                                     : SURVEY_DRIFTS;
    out->drift = d->s->doubt != SURVEY_DRIFTS ? -1 : degree;
    out->drift_unsure =
        (d->s->doubt == SURVEY_UNPROVEN || d->s->doubt == SURVEY_SINGLE_BEAT) &&
        fabs(out->lost) > fmax(unsure, 6 * sqrt(middle(d, d->left[1], scratch, &error))) * out->amplitude;
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
    TRY(penta_calloc(s->ctx, TERMS * s->frames + MOST_PIXELS, sizeof *d->basis, &d->basis));
    fill_basis(d);
    TRY(penta_calloc(s->ctx, d->count * s->frames, sizeof *d->traces, &d->traces));
    TRY(survey_places(s, d->count, d->pixels, d->traces));
    TRY(survey_check(s));
    TRY(penta_parallel_watched(s->ctx, d->count, do_place, d));
    TRY(survey_check(s));
    decide(d, d->basis + TERMS * s->frames);
cleanup:
    if (d) {
        free(d->basis);
        free(d->traces);
    }
    free(d);
    return status;
}

void survey_tell_drift(penta_context *ctx, const penta_survey *found, enum survey_doubt doubt)
{
    double lost = 100 * found->lost, signal = 100 * found->amplitude;
    char text[32];

    snprintf(text, sizeof text, "of degree %d", found->drift);
    switch (doubt) {
    case SURVEY_DRIFTS:
        penta_chose(ctx, "drift", text, "the survey found that %.3g %% of the light goes; a beat has %.3g %%", lost,
                    signal);
        break;
    case SURVEY_TOO_SHORT:
        penta_chose(ctx, "drift", "none", "the survey had too few frames or too little tissue to find one");
        break;
    case SURVEY_NO_SIGNAL:
        penta_chose(ctx, "drift", "none", "the survey found no beats to compare it with");
        break;
    case SURVEY_NO_TREND:
        penta_chose(ctx, "drift", "none",
                    "the survey found no polynomial that comes nearer to diastole by %g %% of a beat", 100 * matters);
        break;
    case SURVEY_UNPROVEN:
        penta_chose(ctx, "drift", "none", "the survey found too little rest between beats to tell bleaching from them");
        break;
    case SURVEY_SMALL_LOSS:
        penta_chose(ctx, "drift", "none",
                    "the survey found that %.3g %% of the light goes, below %g %% of a beat of %.3g %%", lost,
                    100 * least_lost, signal);
        break;
    default:
        penta_chose(ctx, "drift", "none",
                    "the survey found that %.3g %% of the light goes, which may be the slow end of the only beat",
                    lost);
    }
}
