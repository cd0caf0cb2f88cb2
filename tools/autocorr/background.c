/*
 * C1D of equation 1 is about f (mean^2 + variance rho) / (mean^2 + variance), f the falling share of the overlap: above
 * mean^2 = variance what f does to the mean outweighs what rho does.
 */
#include "autocorr/background.h"

#include <math.h>

bool background_matters(const penta_autocorr_options *o)
{
    return o->estimator == PENTA_AUTOCORR_EQ1 && o->demean == PENTA_AUTOCORR_DEMEAN_NONE;
}

double background_ratio(const penta_io_image *image, const uint8_t *mask)
{
    size_t count = image->width * image->height, n = 0;
    double mean = 0, square = 0;

    for (size_t i = 0; i < count; i++) { /* Welford's sums */
        double v = penta_io_image_value(image, i), d = v - mean;

        if ((mask && !mask[i]) || isnan(v))
            continue;
        n++;
        mean += d / (double)n;
        square += d * (v - mean);
    }
    return square > 0 ? mean * mean / (square / (double)n) : 0;
}

void background_add(background *b, double ratio)
{
    b->frames++;
    b->carried += ratio > 1;
    b->worst = fmax(b->worst, ratio);
}

void background_note(const background *b, job *j)
{
    if (b->carried > 0)
        job_note(
            j,
            "equation 1 with the mean left in: mean^2 is above the variance in %zu of %zu frames (up to %.3g times), "
            "so the mean carries the curve, which falls with the overlap, and R_max is drawn inwards or lost; "
            "--demean mean --estimator unbiased, the default, measures the structure",
            b->carried, b->frames, b->worst);
}
