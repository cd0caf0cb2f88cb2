/* Sums over tiles of the products of two frames, and the peak of their correlation coefficient. */
#include "prepare/prepare.h"

penta_status prepare_sums_create(penta_context *ctx, const prepare_shape *shape, prepare_sums **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_sums_create: to be written");
}

penta_status prepare_sums_run(prepare_sums *s, penta_buffer *f, penta_buffer *f_mask, penta_buffer *g,
                              penta_buffer *g_mask, size_t trials, const prepare_trial *trial, float *sums)
{
    (void)s;
    (void)f;
    (void)f_mask;
    (void)g;
    (void)g_mask;
    (void)trials;
    (void)trial;
    (void)sums;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_sums_run: to be written");
}

void prepare_sums_destroy(prepare_sums *s)
{
    (void)s;
}

void prepare_coefficients(const double *sums, double least, double *r)
{
    (void)sums;
    (void)least;
    (void)r;
}

bool prepare_peak(const double *r, double *sx, double *sy, double *top)
{
    (void)r;
    (void)sx;
    (void)sy;
    (void)top;
    return false;
}
