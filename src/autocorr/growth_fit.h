/* Fits of one growth model, for growth.c and growth_outliers.c. */
#pragma once

#include <pentacl/autocorr.h>

/* The points of a fit. */
typedef struct {
    size_t n;
    double *t, *r;      /* in the caller's units, any order */
    double *s, *y;      /* (t - first) / span and r / height */
    double *w;          /* weights, 1 on average; all 1 without standard errors */
    double variance;    /* harmonic mean of the standard errors squared: w = variance / se^2; NaN without */
    double first, span; /* least t, and greatest minus least */
    double height;      /* greatest |r| */
} growth_series;

/* Makes room for n points. growth_series_free frees it and may be called twice. */
penta_status growth_series_alloc(size_t n, growth_series *points);
void growth_series_free(growth_series *points);
/* Replaces the points by those of the n given ones whose take[i] is set. se: their standard errors, finite and above 0,
 * or NULL. */
void growth_series_fill(growth_series *points, size_t n, const double *t, const double *r, const double *se,
                        const bool *take);

/* The result for a model that cannot be fitted. */
penta_growth_fit growth_failed_fit(enum penta_growth_model model);
/* Fits one model; fit->ok is false if it cannot be fitted. */
penta_status growth_fit_model(const growth_series *points, enum penta_growth_model model, penta_growth_fit *fit);
