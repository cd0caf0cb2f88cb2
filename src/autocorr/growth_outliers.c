/*
 * Outliers of a growth series. The law is ln R = a + m l(t), l = ln(1 + c u) / c, u = (t - middle) / span: a power law,
 * whose bend c sets t0, or a line. c runs over a grid, so that the rest is a straight line in l, and what a frame adds
 * to the residual sum of squares is exact for each c, whatever the leverage of the frame.
 *
 * The search begins with the three quarters of the frames that are nearest to what their neighbours predict, then agree
 * best (least trimmed squares: Rousseeuw, J. Am. Stat. Assoc. 79 (1984) 871). Then each frame is judged by the law of
 * the other frames kept and by its neighbours, and those that pass are kept for the next round, until nothing changes.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/growth_outliers.h"
#include "core/core.h"
#include "math/ranks.h"

enum {
    LEAST_POINTS = 5,            /* with fewer points nothing is set aside */
    BEFORE = 128,                /* bends with t0 before the first time */
    BENDS = BEFORE + BEFORE / 4, /* the others have it after the last one */
    COARSE = 4,                  /* every fourth bend is enough for the start */
    MOST_ROUNDS = 20,
    NEIGHBOURS = 6,
    ERRORS = 5, /* standard errors of so many frames in succession have a median */
    PARAMETERS = 3
};
static const double usual_error = 0.015; /* of R, where frames have no standard errors */
static const double least_error = 0.005; /* of R, added to the standard errors, which do not know of everything */
static const double prior_freedom = 4;   /* degrees of freedom that the errors known beforehand count for */
static const double limit = 5.2;         /* of the studentised residual */
static const double far_limit = 3.3;     /* the same for frames that are far off: one chance in n is not taken there */
static const double far = 0.2;           /* of R, from the neighbours */
static const double far_scatter = 16;    /* where the leverage is above 3/4: in units of the scatter */
static const double gross = 0.05;        /* of R, from the neighbours; less is not worth setting aside */
static const double least_residual = 0.03; /* of R, times the root of 1 - leverage */
static const double least_wander = 2.5;    /* deviations below 1 of von Neumann's ratio that show a law to be wrong */

typedef struct {
    size_t n;
    double *s;        /* (t - first) / span - 1/2 */
    double *y, *w;    /* ln R, and the inverse of its variance as known beforehand */
    double *l;        /* of the bend at hand */
    double *residual; /* from the line at hand */
    double *scratch;
    double *with, *without; /* least sums of squares of the frames kept with this one and without it */
    double *bend;           /* of the latter */
    bool *keep, *next;
    double least_lead; /* of t0 on the first time, or of the last time on t0, in spans */
} search;

typedef struct {
    double weight, l, y, slope, square, rss; /* l, y: the centre; square: sum of w (l - centre)^2 */
} line;

static double bend_of(const search *q, size_t k)
{
    double part = k < BEFORE ? (double)k / (BEFORE - 1) : (double)(k - BEFORE) / (BENDS - BEFORE - 1);
    double c = 1 / (0.5 + q->least_lead * pow(100 / q->least_lead, part));

    return k < BEFORE ? c : -c;
}

static void set_bend(const search *q, double c)
{
    for (size_t i = 0; i < q->n; i++)
        q->l[i] = log1p(c * q->s[i]) / c;
}

/* Through the frames kept; the residuals of all. */
static line fit_line(const search *q)
{
    double product = 0;
    line f = {0};

    for (size_t i = 0; i < q->n; i++) {
        double w = q->keep[i] ? q->w[i] : 0;

        f.weight += w;
        f.l += w * q->l[i];
        f.y += w * q->y[i];
    }
    f.l /= f.weight;
    f.y /= f.weight;
    for (size_t i = 0; i < q->n; i++) {
        double w = q->keep[i] ? q->w[i] : 0;

        f.square += w * (q->l[i] - f.l) * (q->l[i] - f.l);
        product += w * (q->l[i] - f.l) * (q->y[i] - f.y);
    }
    f.slope = f.square > 0 ? product / f.square : 0;
    for (size_t i = 0; i < q->n; i++) {
        q->residual[i] = q->y[i] - f.y - f.slope * (q->l[i] - f.l);
        f.rss += q->keep[i] ? q->w[i] * q->residual[i] * q->residual[i] : 0;
    }
    return f;
}

/* ---- the start ---- */

static size_t trimmed(size_t n)
{
    return n / 4;
}

/* Keeps the frames of least residual and trims the others; false if the choice does not change. */
static bool keep_best(const search *q)
{
    size_t kept = q->n - trimmed(q->n), n = 0;
    bool changed = false;
    double most;

    for (size_t i = 0; i < q->n; i++)
        q->scratch[i] = q->w[i] * q->residual[i] * q->residual[i];
    most = penta_select(q->n, q->scratch, kept - 1);
    for (size_t i = 0; i < q->n; i++) {
        bool keep = q->w[i] * q->residual[i] * q->residual[i] <= most && n < kept;

        n += keep;
        changed = changed || keep != q->keep[i];
        q->keep[i] = keep;
    }
    return changed;
}

/* ln R of frame i by its nearest neighbours in order: the median of what the lines through two of them predict. l is in
 * use: the abscissa in which the law of the other frames is straight. */
static double neighbourhood(const search *q, size_t i)
{
    size_t near = q->n > NEIGHBOURS ? NEIGHBOURS : q->n - 1, first = i > near / 2 ? i - near / 2 : 0, n = 0;
    double values[NEIGHBOURS * (NEIGHBOURS - 1) / 2];

    if (first + near + 1 > q->n)
        first = q->n - near - 1;
    for (size_t j = first; j <= first + near; j++)
        for (size_t k = j + 1; k <= first + near; k++) {
            double width = q->l[k] - q->l[j], part = width > 0 ? (q->l[i] - q->l[j]) / width : 0.5;

            if (j != i && k != i)
                values[n++] = q->y[j] + part * (q->y[k] - q->y[j]);
        }
    return penta_median(n, values);
}

/* keep: the frames nearest to what their neighbours predict, by the bend with which these agree best. */
static void start(const search *q)
{
    double least = INFINITY;

    for (size_t k = 0; k < BENDS; k += COARSE) {
        double rss;

        set_bend(q, bend_of(q, k));
        for (size_t i = 0; i < q->n; i++)
            q->residual[i] = q->y[i] - neighbourhood(q, i);
        keep_best(q);
        rss = fit_line(q).rss;
        for (int i = 0; i < MOST_ROUNDS && keep_best(q); i++)
            rss = fit_line(q).rss;
        if (rss < least) {
            least = rss;
            memcpy(q->next, q->keep, q->n * sizeof *q->next);
        }
    }
    memcpy(q->keep, q->next, q->n * sizeof *q->keep);
}

/* ---- the judgement ---- */

/* Sets with, without and bend of every frame. */
static void compare(const search *q)
{
    for (size_t i = 0; i < q->n; i++)
        q->with[i] = q->without[i] = INFINITY;
    for (size_t k = 0; k < BENDS; k++) {
        double c = bend_of(q, k);
        line f;

        set_bend(q, c);
        f = fit_line(q);
        for (size_t i = 0; i < q->n; i++) {
            double away = q->l[i] - f.l, lever = f.square > 0 ? away * away / f.square : away != 0 ? INFINITY : 0;
            double leverage = q->w[i] * (1 / f.weight + lever), square = q->w[i] * q->residual[i] * q->residual[i];
            double without = fmax(0, f.rss - (q->keep[i] ? square / fmax(1 - leverage, DBL_EPSILON) : 0));

            q->with[i] = fmin(q->with[i], f.rss + (q->keep[i] ? 0 : square / (1 + leverage)));
            if (without < q->without[i]) {
                q->without[i] = without;
                q->bend[i] = c;
            }
        }
    }
}

/* Whether the frames kept but i contradict their own law: their residuals exceed the errors known beforehand and follow
 * one another, so that half the mean square of successive differences is far below the variance (J. von Neumann, Ann.
 * Math. Stat. 12 (1941) 367). noise: the variance without what the law misses. */
static bool is_contradicted(const search *q, size_t i, double *noise)
{
    double before = 0, square = 0, n = 0, difference = 0;
    bool kept = q->keep[i];

    q->keep[i] = false;
    fit_line(q);
    q->keep[i] = kept;
    for (size_t j = 0; j < q->n; j++) {
        double e = q->residual[j] * sqrt(q->w[j]);

        if (!q->keep[j] || j == i)
            continue;
        difference += n > 0 ? (e - before) * (e - before) / 2 : 0;
        square += e * e;
        before = e;
        n++;
    }
    *noise = (prior_freedom + difference) / (prior_freedom + n - 1);
    return square > n && difference < (1 - least_wander / sqrt(n)) * square;
}

static bool stands_out(const search *q, size_t i, size_t kept)
{
    double others = (double)(kept - q->keep[i]), added = q->with[i] - q->without[i], away, scatter, noise;
    double variance = (prior_freedom + q->without[i]) / (prior_freedom + fmax(0, others - PARAMETERS));
    bool is_far;

    set_bend(q, q->bend[i]);
    away = fabs(q->y[i] - neighbourhood(q, i));
    if (!(away > gross))
        return false;
    if (is_contradicted(q, i, &noise)) /* then by neighbours on both sides, whose prediction has about this error too */
        return i > 1 && i + 2 < q->n && away > limit * sqrt(2 * noise / q->w[i]);
    scatter = sqrt(variance / q->w[i]);
    is_far = away > far && (added > q->w[i] * away * away / 4 || away > far_scatter * scatter);
    return away > limit / 2 * scatter && sqrt(added) > (is_far ? far_limit : limit) * sqrt(variance) &&
           (is_far || sqrt(added / q->w[i]) > least_residual);
}

/* false if the choice does not change. */
static bool judge(const search *q)
{
    size_t kept = 0;
    bool changed;

    for (size_t i = 0; i < q->n; i++)
        kept += q->keep[i];
    compare(q);
    for (size_t i = 0; i < q->n; i++)
        q->next[i] = !stands_out(q, i, kept);
    changed = memcmp(q->next, q->keep, q->n * sizeof *q->keep) != 0;
    memcpy(q->keep, q->next, q->n * sizeof *q->keep);
    return changed;
}

/* ---- the search ---- */

/* Standard error of R of frame i as a share of R. One that is below those of its neighbours in time is likely to be so
 * by chance, as it comes from few parts of one frame. */
static double relative_error(size_t n, const double *r, const double *se, size_t i)
{
    double values[ERRORS];
    size_t first = i > ERRORS / 2 ? i - ERRORS / 2 : 0;

    if (!se)
        return usual_error;
    if (first + ERRORS > n)
        first = n - ERRORS;
    for (size_t k = 0; k < ERRORS; k++)
        values[k] = se[first + k] / r[first + k];
    return hypot(fmax(se[i] / r[i], penta_median(ERRORS, values)), least_error);
}

static void fill(search *q, const double *t, const double *r, const double *se)
{
    double span = t[q->n - 1] - t[0], gap = span;

    for (size_t i = 0; i < q->n; i++) {
        double error = relative_error(q->n, r, se, i);

        q->s[i] = (t[i] - t[0]) / span - 0.5;
        q->y[i] = log(r[i]);
        q->w[i] = 1 / (error * error);
        if (i > 0 && t[i] > t[i - 1])
            gap = fmin(gap, t[i] - t[i - 1]);
    }
    q->least_lead = 0.01 * gap / span;
}

penta_status growth_find_outliers(size_t n, const double *t, const double *r, const double *se, bool *outlier)
{
    penta_status status = PENTA_OK;
    double *memory = NULL;
    bool *flags = NULL;
    size_t flagged = 0;
    search q = {.n = n};

    memset(outlier, 0, n * sizeof *outlier);
    if (n < LEAST_POINTS || !(t[n - 1] > t[0]))
        return PENTA_OK;
    TRY(penta_calloc(NULL, 9 * n, sizeof *memory, &memory));
    TRY(penta_calloc(NULL, 2 * n, sizeof *flags, &flags));
    q.s = memory;
    q.y = q.s + n;
    q.w = q.y + n;
    q.l = q.w + n;
    q.residual = q.l + n;
    q.scratch = q.residual + n;
    q.with = q.scratch + n;
    q.without = q.with + n;
    q.bend = q.without + n;
    q.keep = flags;
    q.next = flags + n;
    fill(&q, t, r, se);
    start(&q);
    for (int i = 0; i < MOST_ROUNDS && judge(&q); i++)
        continue;
    for (size_t i = 0; i < n; i++)
        flagged += !q.keep[i];
    for (size_t i = 0; i < n && flagged <= trimmed(n); i++) /* more are another law */
        outlier[i] = !q.keep[i];
cleanup:
    free(flags);
    free(memory);
    return status;
}
