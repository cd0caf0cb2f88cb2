/* The unit of the fixed point of both forms of the engine `fixed`, which must agree in it to agree in every bit. */
#include <math.h>

#include "stars/engine.h"

/* A pixel's part of a Gaussian along one axis is at most 1, and at most its density at the centre. */
static double most_of_axis(double sigma)
{
    return fmin(1, 0.39894228041 / sigma);
}

/* An upper bound of the PSF over its norm, by operations that every machine does alike. The cubic between the samples
 * of an image overshoots by at most 25% an axis. */
static double peak_of(const stars_psf *psf)
{
    double peak = 0;

    if (psf->kind == PENTA_STARS_INTEGRATED && psf->separable)
        return most_of_axis(psf->sigma[0]) * most_of_axis(psf->sigma[1]);
    if (psf->kind != PENTA_STARS_IMAGE)
        return 1;
    for (size_t i = 0; i < psf->samples_x * psf->samples_y; i++)
        peak = fmax(peak, fabs(psf->samples[i]));
    return 1.5625 * peak;
}

/* The largest power of two whose product with the bound stays below 2^62, and that is finite with its inverse. */
double stars_fixed_scale(const stars_psf *psf, double weights)
{
    double bound = weights * peak_of(psf);
    int exponent = 0;

    if (bound > 0)
        frexp(bound, &exponent);
    return ldexp(1, exponent < -900 ? 962 : 62 - exponent);
}
