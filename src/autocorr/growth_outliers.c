/*
 * Outliers of a growth series. A curve by least trimmed squares (Rousseeuw, J. Am. Stat. Assoc. 79 (1984) 871): the
 * straight line or power law that fits its best three quarters of the points best, reached by fitting, keeping the best
 * points, and fitting again. A point is set aside when it is far from the curve, from where its neighbours lie relative
 * to the curve, and from where they put it by themselves: the second saves series that follow neither law, the third
 * points before the t0 of a power law that is a constant but for its dive to zero there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/growth_fit.h"
#include "autocorr/growth_outliers.h"
#include "core/core.h"
#include "math/ranks.h"

enum {
    LEAST_POINTS = 5, /* with fewer points nothing is set aside */
    FEW_POINTS = 12,  /* up to this many, each point is left out in turn; with more, medians give the start */
    MOST_REFITS = 20,
    NEIGHBOURS = 6
};
static const double deviations = 4; /* scaled median absolute deviations */
static const double gross = 0.05;   /* share of the curve's value; smaller deviations are not worth setting aside */
static const double least_of_range = 1e-6; /* of the range of r: rounding */

typedef struct {
    size_t n;
    const double *t, *r; /* ascending in t */
    const double *se;    /* standard errors of r; NULL: none */
    double unit;         /* a residual is multiplied by unit / se; unit is the root of the harmonic mean of se^2 */
    double *residual;    /* from the curve at hand */
    double *sorted;      /* scratch */
    bool *keep;
    growth_series points;
    penta_growth_fit curve, best;
    double best_rss;
} trimming;

/* |residual| of a point, in units of its standard error where it has one. */
static double size_of(const trimming *w, size_t i, double residual)
{
    return fabs(residual) * (w->se ? w->unit / w->se[i] : 1);
}

static size_t trimmed(size_t n)
{
    return n / 4;
}

/* The better of the two curves through the kept points; the line where both are exact. */
static penta_status fit_curve(trimming *w)
{
    penta_growth_fit line;
    penta_status status = PENTA_OK;

    growth_series_fill(&w->points, w->n, w->t, w->r, w->se, w->keep);
    TRY(growth_fit_model(&w->points, PENTA_GROWTH_LINEAR, &line));
    TRY(growth_fit_model(&w->points, PENTA_GROWTH_POWER, &w->curve));
    if (!w->curve.ok || growth_weighted_rss(&w->points, &line) <=
                            growth_weighted_rss(&w->points, &w->curve) + growth_exact_rss(&w->points))
        w->curve = line;
cleanup:
    return status;
}

/* A power law is zero before its t0, where a point left out may lie. */
static double curve_at(const penta_growth_fit *curve, double t)
{
    double value = penta_growth_at(curve, t);

    return isfinite(value) ? value : 0;
}

static void take_residuals(const penta_growth_fit *curve, trimming *w)
{
    for (size_t i = 0; i < w->n; i++)
        w->residual[i] = w->r[i] - curve_at(curve, w->t[i]);
}

/* Keeps the points of least |residual| and trims the others; false if the choice does not change. */
static bool keep_best(trimming *w)
{
    size_t kept = w->n - trimmed(w->n), n = 0;
    double limit;
    bool changed = false;

    for (size_t i = 0; i < w->n; i++)
        w->sorted[i] = size_of(w, i, w->residual[i]);
    qsort(w->sorted, w->n, sizeof *w->sorted, penta_compare_doubles);
    limit = w->sorted[kept - 1];
    for (size_t i = 0; i < w->n; i++) {
        bool keep = size_of(w, i, w->residual[i]) <= limit && n < kept;

        n += keep;
        changed = changed || keep != w->keep[i];
        w->keep[i] = keep;
    }
    return changed;
}

/* Refits and rechooses, from the points kept at first, until the set no longer changes. */
static penta_status concentrate(trimming *w)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < MOST_REFITS; i++) {
        TRY(fit_curve(w));
        if (!w->curve.ok)
            return PENTA_OK;
        take_residuals(&w->curve, w);
        if (!keep_best(w))
            break;
    }
    /* In units of the points' own errors, because the variance of the kept points differs between sets. */
    if ((w->se ? w->curve.chi2 : w->curve.rss) < w->best_rss) {
        w->best = w->curve;
        w->best_rss = w->se ? w->curve.chi2 : w->curve.rss;
    }
cleanup:
    return status;
}

/* Residuals from the line or broken line through the medians of the thirds, which a few outliers cannot move. */
static void residuals_of_thirds(trimming *w)
{
    double at[3], height[3];

    for (size_t k = 0; k < 3; k++) {
        size_t from = k * w->n / 3, n = (k + 1) * w->n / 3 - from;

        memcpy(w->sorted, w->t + from, n * sizeof *w->sorted);
        at[k] = penta_median(n, w->sorted);
        memcpy(w->sorted, w->r + from, n * sizeof *w->sorted);
        height[k] = penta_median(n, w->sorted);
    }
    for (size_t i = 0; i < w->n; i++) {
        size_t k = w->t[i] < at[1] ? 0 : 1;
        double width = at[k + 1] - at[k], slope = width > 0 ? (height[k + 1] - height[k]) / width : 0;

        w->residual[i] = w->r[i] - height[k] - slope * (w->t[i] - at[k]);
    }
}

static penta_status trimmed_curve(trimming *w)
{
    penta_status status = PENTA_OK;

    w->best_rss = INFINITY;
    w->best.ok = false;
    residuals_of_thirds(w);
    keep_best(w);
    TRY(concentrate(w));
    for (size_t out = 0; out < w->n && w->n <= FEW_POINTS; out++) {
        for (size_t i = 0; i < w->n; i++)
            w->keep[i] = i != out;
        TRY(concentrate(w));
    }
cleanup:
    return status;
}

/*
 * What the values of the points nearest in order predict for that of point i: the median of the predictions of the
 * lines through two of them, which follow a trend even at the ends of the series.
 */
static double neighbourhood(const trimming *w, const double *value, size_t i)
{
    size_t near = w->n > NEIGHBOURS ? NEIGHBOURS : w->n - 1, first = i > near / 2 ? i - near / 2 : 0, n = 0;
    double values[NEIGHBOURS * (NEIGHBOURS - 1) / 2];

    if (first + near + 1 > w->n)
        first = w->n - near - 1;
    for (size_t j = first; j <= first + near; j++)
        for (size_t k = j + 1; k <= first + near; k++) {
            double width = w->t[k] - w->t[j], part = width > 0 ? (w->t[i] - w->t[j]) / width : 0.5;

            if (j != i && k != i)
                values[n++] = value[j] + part * (value[k] - value[j]);
        }
    return penta_median(n, values);
}

/* The least distance from the curve for a flag at time t: enough to be worth it, and more than rounding can cause. */
static double least_distance(const trimming *w, double t, double range)
{
    double blur = least_of_range * least_of_range * (w->t[w->n - 1] - w->t[0]);
    double steep = fabs(curve_at(&w->best, t + blur) - curve_at(&w->best, t - blur));

    return fmax(fmax(gross * fabs(curve_at(&w->best, t)), least_of_range * range), steep);
}

/* Whether a distance of point i is beyond what the scatter allows, and worth a flag. */
static bool is_far(const trimming *w, size_t i, double distance, double limit, double least)
{
    return size_of(w, i, distance) > limit && fabs(distance) > least;
}

static bool is_off_neighbours(const trimming *w, size_t i)
{
    double there = neighbourhood(w, w->r, i);

    return fabs(w->r[i] - there) > gross * fabs(there);
}

/* Sets flags[i] for the i-th point in time. If more points stand out than can be trimmed, the series follows another
 * law, and none is flagged. */
static void flag_far_points(trimming *w, bool *flags)
{
    double low = INFINITY, high = -INFINITY, limit;
    size_t flagged = 0;

    for (size_t i = 0; i < w->n; i++) {
        w->sorted[i] = size_of(w, i, w->residual[i]);
        low = fmin(low, w->r[i]);
        high = fmax(high, w->r[i]);
    }
    /* 1.4826: MAD to standard deviation. The bracket: few points hug a curve fitted to them (Rousseeuw & Leroy 1987).
     */
    limit = deviations * 1.4826 * (1 + 5 / (double)(w->n - 3)) * penta_median(w->n, w->sorted);
    for (size_t i = 0; i < w->n; i++) {
        double least = least_distance(w, w->t[i], high - low);

        flags[i] = is_far(w, i, w->residual[i], limit, least) &&
                   is_far(w, i, w->residual[i] - neighbourhood(w, w->residual, i), limit, least) &&
                   is_off_neighbours(w, i);
        flagged += flags[i];
    }
    if (flagged > trimmed(w->n))
        memset(flags, 0, w->n * sizeof *flags);
}

penta_status growth_find_outliers(size_t n, const double *t, const double *r, const double *se, bool *outlier)
{
    penta_status status = PENTA_OK;
    double *memory = NULL, inverse = 0;
    trimming w = {.n = n, .t = t, .r = r, .se = se};

    memset(outlier, 0, n * sizeof *outlier);
    if (n < LEAST_POINTS)
        return PENTA_OK;
    TRY(penta_calloc(NULL, 2 * n, sizeof *memory, &memory));
    TRY(penta_calloc(NULL, n, sizeof *w.keep, &w.keep));
    TRY(growth_series_alloc(n, &w.points));
    w.residual = memory;
    w.sorted = memory + n;
    for (size_t i = 0; se && i < n; i++)
        inverse += 1 / (se[i] * se[i]);
    w.unit = se ? sqrt((double)n / inverse) : 1;
    TRY(trimmed_curve(&w));
    if (w.best.ok) {
        take_residuals(&w.best, &w);
        flag_far_points(&w, outlier);
    }
cleanup:
    growth_series_free(&w.points);
    free(w.keep);
    free(memory);
    return status;
}
