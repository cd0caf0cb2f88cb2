/*
 * Spinodal decomposition: pictures of a mixture that separates and coarsens, whose length scale comes out of the
 * equation of the field and not out of a formula. The equation of J. W. Cahn and J. E. Hilliard (J. Chem. Phys. 28
 * (1958) 258) in its dimensionless form,
 *
 *   du/dt = laplacian (u^3 - u - laplacian u),
 *
 * on a periodic grid of square cells; the phases are u = -1 and u = 1, the fastest growing wave of a mixture of mean c
 * has the number k = sqrt((1 - 3 c^2) / 2). In double: the derivatives in the Fourier transform, the linear part
 * implicit and u^3 explicit, in time by the two-stage scheme of second order of U. M. Ascher, S. J. Ruuth and R. J.
 * Spiteri (Appl. Numer. Math. 25 (1997) 151), with a term that stabilises it. The mean of u stays to the bit.
 */
#ifndef PENTACL_SPINODAL_H
#define PENTACL_SPINODAL_H

#include <pentacl/context.h>
#include <pentacl/fft.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

/* Length and time in the equation's units, in which a wall between the phases is tanh(x / sqrt 2). */
typedef struct {
    size_t size;        /* of this struct, by penta_spinodal_options_init */
    double composition; /* mean of u */
    double noise;       /* standard deviation of u at t = 0: uniform, independent from cell to cell */
    double cell;        /* side of a cell */
    double step;        /* of time, at most */
    int seed;           /* of the noise */
    int fft;            /* enum penta_fft_backend */
} penta_spinodal_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_spinodal_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_spinodal_options_init(penta_spinodal_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_spinodal_option_table(), options);
}

/* What is known of a field, from its values and its Fourier transform f(k) alone. */
typedef struct {
    double time;
    double mean, sd;    /* of u */
    double wave_number; /* first moment of the structure factor, sum |k| |f(k)|^2 / sum |f(k)|^2, radians a cell */
    double energy;      /* mean of (u^2 - 1)^2 / 4 + |gradient u|^2 / 2; never rises */
} penta_spinodal_measures;

typedef struct penta_spinodal penta_spinodal;

/**
 * Grid of width x height cells at t = 0. opt may be NULL. Errors: PENTA_INVALID (an option out of range, fewer than 4
 * cells on a side), PENTA_UNSUPPORTED (a device without double precision, a side that the backend cannot transform),
 * PENTA_MEMORY, PENTA_DEVICE. On failure *out is NULL.
 */
PENTA_API penta_status penta_spinodal_create(penta_context *ctx, size_t width, size_t height,
                                             const penta_spinodal_options *opt, penta_spinodal **out);
/**
 * Goes on until `time`, in equal steps of at most the option's. A field depends on the times that were stopped at, by
 * the error of the steps. After PENTA_DEVICE a field is good for nothing but its end. Errors: PENTA_INVALID (a time
 * before the present, or not finite), PENTA_DEVICE, PENTA_CANCELLED (by the progress callback; the field is that of a
 * time before).
 */
PENTA_API penta_status penta_spinodal_advance(penta_spinodal *spinodal, double time);
/** u: height x width. */
PENTA_API penta_status penta_spinodal_read(penta_spinodal *spinodal, double *u);
PENTA_API penta_status penta_spinodal_measure(penta_spinodal *spinodal, penta_spinodal_measures *measures);
PENTA_API void penta_spinodal_destroy(penta_spinodal *spinodal); /* NULL is fine */

PENTA_END_DECLS
#endif
