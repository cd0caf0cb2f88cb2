/* The public side of the growth fits: names, the three models of a series, and what a fit through few points shows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/growth_fit.h"
#include "autocorr/growth_outliers.h"
#include "core/core.h"

enum { LEAST_FREEDOM = 2 }; /* a fit says something only with this many more points than parameters */

static const char *const parameter_names[PENTA_GROWTH_MODELS][3] = {
    [PENTA_GROWTH_PROPORTIONAL] = {"v"},
    [PENTA_GROWTH_LINEAR] = {"R0", "v"},
    [PENTA_GROWTH_POWER] = {"A", "t0", "a"},
};

const char *penta_growth_model_name(enum penta_growth_model model)
{
    static const char *const names[PENTA_GROWTH_MODELS] = {"proportional", "linear", "power"};

    return (unsigned)model < PENTA_GROWTH_MODELS ? names[model] : "unknown";
}

const char *penta_growth_parameter_name(enum penta_growth_model model, size_t index)
{
    return (unsigned)model < PENTA_GROWTH_MODELS && index < 3 ? parameter_names[model][index] : NULL;
}

bool penta_growth_shows(const penta_growth_fit *fit, size_t points)
{
    return fit->ok && points >= fit->parameters + LEAST_FREEDOM;
}

const char *penta_growth_lacking(const penta_growth_fit fits[PENTA_GROWTH_MODELS], size_t points)
{
    bool any = false, lacking = false;

    for (int m = 0; m < PENTA_GROWTH_MODELS; m++) {
        any = any || penta_growth_shows(&fits[m], points);
        lacking = lacking || points < fits[m].parameters + LEAST_FREEDOM;
    }
    if (!lacking)
        return NULL;
    return any ? "too few frames for the other fits" : "too few frames for a fit";
}

/* ---- the three models ---- */

typedef struct {
    double t, r, se;
    size_t index;
} sample;

static int earlier(const void *a, const void *b)
{
    const sample *x = a, *y = b;

    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sets the outlier flags in the caller's order of the points; se may be NULL. Only lengths above 0 are judged. */
static penta_status flag_outliers(size_t n, const double *t, const double *r, const double *se, const bool *usable,
                                  bool *flags)
{
    penta_status status = PENTA_OK;
    sample *samples = NULL;
    double *ordered = NULL;
    bool *outlier = NULL;
    size_t count = 0;

    TRY(penta_calloc(NULL, n, sizeof *samples, &samples));
    TRY(penta_calloc(NULL, 3 * n, sizeof *ordered, &ordered));
    TRY(penta_calloc(NULL, n, sizeof *outlier, &outlier));
    for (size_t i = 0; i < n; i++)
        if (usable[i] && r[i] > 0)
            samples[count++] = (sample){t[i], r[i], se ? se[i] : 0, i};
    qsort(samples, count, sizeof *samples, earlier);
    for (size_t i = 0; i < count; i++) {
        ordered[i] = samples[i].t;
        ordered[n + i] = samples[i].r;
        ordered[2 * n + i] = samples[i].se;
    }
    TRY(growth_find_outliers(count, ordered, ordered + n, se ? ordered + 2 * n : NULL, outlier));
    for (size_t i = 0; i < count; i++)
        flags[samples[i].index] = outlier[i];
cleanup:
    free(outlier);
    free(ordered);
    free(samples);
    return status;
}

/* Whether all points in use have standard errors, from which weights can be made. */
static bool have_errors(size_t n, const double *se, const bool *take)
{
    for (size_t i = 0; se && i < n; i++)
        if (take[i] && !(isnormal(se[i] * se[i]) && se[i] > 0))
            return false;
    return se != NULL;
}

penta_status penta_growth_fit_all(size_t n, const double *t, const double *r, const double *r_se, bool *outlier,
                                  penta_growth_fit fits[PENTA_GROWTH_MODELS])
{
    penta_status status = PENTA_OK;
    growth_series points = {0};
    bool *aside = NULL, *take;

    if (!fits || (n > 0 && (!t || !r)))
        return penta_fail(NULL, PENTA_INVALID, "a growth fit needs times, lengths and a place for the fits");
    for (int model = 0; model < PENTA_GROWTH_MODELS; model++)
        fits[model] = growth_failed_fit((enum penta_growth_model)model);
    TRY(penta_calloc(NULL, 2 * n, sizeof *aside, &aside));
    TRY(growth_series_alloc(n, &points));
    take = aside + n;
    for (size_t i = 0; i < n; i++)
        take[i] = isfinite(t[i]) && isfinite(r[i]);
    r_se = have_errors(n, r_se, take) ? r_se : NULL;
    TRY(flag_outliers(n, t, r, r_se, take, aside));
    for (size_t i = 0; i < n; i++)
        take[i] = take[i] && !aside[i];
    growth_series_fill(&points, n, t, r, r_se, take);
    for (int model = 0; model < PENTA_GROWTH_MODELS; model++)
        TRY(growth_fit_model(&points, (enum penta_growth_model)model, fits + model));
    if (outlier && n > 0)
        memcpy(outlier, aside, n * sizeof *outlier);
cleanup:
    growth_series_free(&points);
    free(aside);
    return status;
}

penta_status penta_growth_fit_peaks(size_t n, const double *t, const penta_peak *peaks, bool *outlier,
                                    penta_growth_fit fits[PENTA_GROWTH_MODELS])
{
    penta_status status = PENTA_OK;
    double *r = NULL;

    if (n > 0 && !peaks)
        return penta_fail(NULL, PENTA_INVALID, "a growth fit needs the peaks of the frames");
    TRY(penta_calloc(NULL, 2 * n, sizeof *r, &r));
    for (size_t i = 0; i < n; i++) {
        r[i] = peaks[i].status == PENTA_PEAK_OK ? peaks[i].r_max : NAN;
        r[n + i] = peaks[i].r_max_se;
    }
    TRY(penta_growth_fit_all(n, t, r, r + n, outlier, fits));
cleanup:
    free(r);
    return status;
}
