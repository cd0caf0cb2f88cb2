/*
 * The steps of include/pentacl/prepare.h in double precision, as the formulas of docs/mathematics/prepare.md stand
 * there. Images are height x width, row-major; masks 1 where a pixel counts.
 */
#pragma once

#include <pentacl/prepare.h>

typedef struct reference_nodes {
    size_t nx, ny;
    double *x, *y;  /* places of the nodes, px */
    double *mean;   /* ny x nx: of the counting pixels of the block; 0 where there is none */
    double *weight; /* ny x nx: how many */
} reference_nodes;

/* ---- load ---- */
/* I of a crop; dark, flat as penta_prepare_calibrate or NULL. */
void reference_prepare_grey(const double *image, size_t in_width, size_t in_height, size_t channels, int grey,
                            const size_t crop[4], const double *dark, const double *flat, double *out, uint8_t *mask);

/* ---- background ---- */
void reference_prepare_nodes(const double *grey, const uint8_t *mask, size_t width, size_t height,
                             reference_nodes *out);
void reference_nodes_free(reference_nodes *n);
/* The polynomial, and with sigma > 0 times the Gaussian's planes of what it leaves: B on the nodes (ny x nx). */
void reference_prepare_fit(const reference_nodes *n, size_t width, size_t height, int degree, double sigma, double *b);
/* surveys: frames x ny x nx means divided by their frames' means, NaN where a block counts too little. */
void reference_prepare_series(const reference_nodes *n, size_t width, size_t height, size_t frames,
                              const double *surveys, int degree, double sigma, double *illumination);
double reference_prepare_level(const reference_nodes *n, size_t width, size_t height, const double *b);
/* B at a pixel. */
double reference_prepare_background_at(const reference_nodes *n, const double *b, double x, double y);
void reference_prepare_flatten(const reference_nodes *n, const double *b, int flatten, double white, const double *grey,
                               size_t width, size_t height, double *out);

/* ---- dust ---- */
/* I / B in `ratio`, B / B0 in `light`; noise is estimated over what mask leaves, and then mask is found. key NULL:
 * none. Returns the dust pixels. */
size_t reference_prepare_dust(const double *grey, const double *ratio, const double *light, const uint8_t *usable,
                              size_t width, size_t height, const double *key, double limit, int size, int grow,
                              uint8_t *mask);
/* Returns the pixels filled. */
size_t reference_prepare_copy(double *image, uint8_t *mask, size_t width, size_t height, int size);
/* The same, drawn on from the lines' ends up to `most` pixels off. */
size_t reference_prepare_fill(double *image, uint8_t *mask, size_t width, size_t height, int most);

/* ---- registration ---- */
/* What registration sees, and where it counts. */
void reference_prepare_see(const double *grey, const uint8_t *mask, size_t width, size_t height, double *out,
                           uint8_t *out_mask);
/* The correlation coefficient of f(p) and g(p + s) over the overlap; NaN where under `least` pixels count. */
double reference_prepare_coefficient(const double *f, const uint8_t *f_mask, const double *g, const uint8_t *g_mask,
                                     size_t width, size_t height, int sx, int sy, double least);
/* The shift with the largest coefficient, searched over |sx| <= most_x, |sy| <= most_y, then to parts of a pixel. */
penta_drift reference_prepare_shift(const double *f, const uint8_t *f_mask, const double *g, const uint8_t *g_mask,
                                    size_t width, size_t height, int most_x, int most_y);
void reference_prepare_smooth(size_t n, penta_drift *drift, size_t frames);

/* ---- output ---- */
void reference_prepare_resample(const double *image, const uint8_t *mask, size_t width, size_t height,
                                penta_drift drift, int interpolation, double *out, uint8_t *out_mask);
double reference_prepare_percentile(const double *image, const uint8_t *mask, size_t count, double percent);
