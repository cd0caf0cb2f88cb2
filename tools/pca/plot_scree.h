/* The scree plot of the pca workload: BASE.png and BASE.svg, both or neither, as in autocorr/plots.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "figures/figure.h"

typedef struct {
    size_t n, kept;                      /* components; the first `kept` are drawn full */
    const double *eigenvalues, *percent; /* n each, the largest first */
    double rounding;                     /* eigenvalues up to this are rounding errors */
    bool noise_fractions;                /* eigenvalues are signal-to-noise ratios + 1 */
} pca_scree_values;

/*
 * On the left the eigenvalues on a logarithmic axis of at most 16 decades (a label says how many lie below), on the
 * right the cumulative share of their sum in per cent.
 */
bool pca_plot_scree(const char *base, const char *title, const pca_scree_values *values, penta_io_error *err);
