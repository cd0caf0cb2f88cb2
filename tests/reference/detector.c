#include "reference/detector.h"

#include <math.h>

#include "math/rng.h"

/* The least k with P(K <= k) >= u. */
static double inversion(double mean, double u)
{
    long double term = expl(-(long double)mean), sum = term;
    int k = 0;

    while ((long double)u > sum && k < 199) {
        k++;
        term *= (long double)mean / k;
        sum += term;
    }
    return k;
}

/* Hoermann's algorithm PTRS, as numbered in his paper: the transformed rejection with squeeze. */
static double rejection(double mean, uint64_t seed, uint64_t pixel)
{
    penta_rng rng = penta_rng_at(seed, PENTA_RNG_SHOT_NOISE, pixel);
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, quick = 0.9277 - 3.6224 / (b - 2);
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);

    for (;;) {
        double u = penta_rng_open(&rng) - 0.5, v = penta_rng_open(&rng), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + mean + 0.43);
        long double log_p = -(long double)mean + (long double)k * logl((long double)mean) - lgammal((long double)k + 1);

        if (us >= 0.07 && v <= quick)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (logl((long double)(v * inverse_alpha / (a / (us * us) + b))) <= log_p)
            return k;
    }
}

double reference_poisson(double mean, uint64_t seed, uint64_t pixel)
{
    penta_rng rng = penta_rng_at(seed, PENTA_RNG_SHOT_NOISE, pixel);

    if (mean <= 0)
        return 0;
    if (mean > 1e15)
        return mean;
    return mean < 10 ? inversion(mean, penta_rng_open(&rng)) : rejection(mean, seed, pixel);
}

static double hot_electrons(const penta_detector_options *o, uint64_t pixel)
{
    penta_rng rng = penta_rng_at((uint64_t)o->detector_seed, PENTA_RNG_HOT_PIXELS, pixel);

    return penta_rng_open(&rng) < o->hot_fraction ? -log(penta_rng_open(&rng)) * o->hot_rate * o->exposure : 0;
}

double reference_mean(const penta_detector_options *o, size_t width, size_t height, size_t x, size_t y, double photons)
{
    double cx = ((double)width - 1) / 2, cy = ((double)height - 1) / 2, corner = cx * cx + cy * cy;
    double square = ((double)x - cx) * ((double)x - cx) + ((double)y - cy) * ((double)y - cy);
    double v = corner > 0 ? 1 - o->vignetting * square / corner : 1;

    return v * o->quantum_efficiency * (photons + o->sky * o->exposure) + o->dark * o->exposure +
           hot_electrons(o, y * width + x);
}

/* Of the electrons that leave the amplifier; *full: the well was, or the converter is at its end. */
static float digitise(const penta_detector_options *o, double e, uint8_t *full)
{
    double top = o->bits ? pow(2, o->bits) - 1 : INFINITY, dn = e / o->gain + o->bias;

    if (o->bits)
        dn = fmin(fmax(nearbyint(dn), 0), top);
    *full |= dn >= top;
    return (float)dn;
}

void reference_detector(const penta_detector_options *o, size_t width, size_t height, uint32_t frame,
                        const double *photons, float *dn, uint8_t *saturated)
{
    uint64_t seed = (uint64_t)frame << 32 | (uint32_t)o->seed;

    for (size_t i = 0; i < width * height; i++) {
        penta_rng rng = penta_rng_at(seed, PENTA_RNG_READ_NOISE, i);
        double e = reference_mean(o, width, height, i % width, i / width, photons[i]);
        uint8_t full;

        if (o->shot_noise == PENTA_SHOT_POISSON)
            e = reference_poisson(e, seed, i);
        full = o->full_well > 0 && e >= o->full_well;
        if (full)
            e = o->full_well;
        if (o->read_noise > 0)
            e += o->read_noise * penta_rng_normal(&rng);
        dn[i] = digitise(o, e, &full);
        if (saturated)
            saturated[i] = full;
    }
}
