/* The interpolation filter and the Gaussian. */
#include "optmap/optmap.h"

penta_status optmap_filter_design(penta_context *ctx, int interp, int taps, optmap_filter *out)
{
    (void)interp, (void)taps;
    *out = (optmap_filter){0};
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

void optmap_filter_free(optmap_filter *filter)
{
    *filter = (optmap_filter){0};
}

void optmap_gaussian(int window, double sigma, double *out)
{
    (void)window, (void)sigma, (void)out;
}
