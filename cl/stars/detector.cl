/*
 * The detector of include/pentacl/detector.h: photons to DN, pixel by pixel. Arithmetic is double; products that
 * meet sums are explicit fma, so that every device gives the same bits.
 *
 * GPU: a work-item a pixel. CPU (PENTA_LANES=8): a work-item a run of RUN pixels, eight side by side, which repeat a
 * step until the last of them is done. The lanes do what a single pixel would do.
 */
#include "common/philox.clh"

#pragma OPENCL FP_CONTRACT OFF

/* Places in the numbers of a detector: the enum of src/stars/detector.c. */
enum {
    DETECTOR_EFFICIENCY = 0, /* e- a photon */
    DETECTOR_SKY,            /* photons/px, of the exposure */
    DETECTOR_DARK,           /* e-/px, of the exposure */
    DETECTOR_SHOT,           /* 1: Poisson */
    DETECTOR_READ_NOISE,     /* e- */
    DETECTOR_GAIN,           /* e-/DN */
    DETECTOR_BIAS,           /* DN */
    DETECTOR_FULL_WELL,      /* e-, infinite: none */
    DETECTOR_HOT_FRACTION,
    DETECTOR_HOT,        /* e-, of the exposure */
    DETECTOR_VIGNETTING, /* light lost a square pixel of r^2 */
    DETECTOR_CENTRE_X,   /* px */
    DETECTOR_CENTRE_Y,
    DETECTOR_TOP /* DN, infinite: no bits */
};

/* Streams: enum penta_rng_stream of src/math/rng.h. */
#define STREAM_SHOT_NOISE 2
#define STREAM_READ_NOISE 3
#define STREAM_HOT_PIXELS 4

#define MOST_MEAN     1e15 /* e-; beyond, counts and their rejection test need more digits than a double has */
#define LEAST_MEAN    10.0 /* of the rejection method */
#define MOST_TERMS    200  /* of the inversion: those of a mean of 10 end at about 100 */
#define MOST_ATTEMPTS 256  /* all fail with a probability below 10^-130 */

/* ---- Poisson ---- */

/* log k! - (k + 1/2) log k + k - log(2 pi) / 2 for k >= 1, in t = (k - 1) / (k + 1): absolute 7.5e-14 / k. */
static inline penta_real stirling_rest(penta_real k)
{
    penta_real t = (k - 1.0) / (k + 1.0), p = PENTA_REAL(0x1.8a8bd3f2b062cp-17);

    PENTA_HORNER(p, t, -0x1.94e2977e03aabp-14);
    PENTA_HORNER(p, t, 0x1.89089a2dfa75fp-12);
    PENTA_HORNER(p, t, -0x1.e8a038c65e571p-11);
    PENTA_HORNER(p, t, 0x1.c1790bfb1bf1ep-10);
    PENTA_HORNER(p, t, -0x1.5407bbdde025dp-9);
    PENTA_HORNER(p, t, 0x1.ce970dc5bdb60p-9);
    PENTA_HORNER(p, t, -0x1.2e9e1c7a69f9ep-8);
    PENTA_HORNER(p, t, 0x1.8ef4cc9c8c73ap-8);
    PENTA_HORNER(p, t, -0x1.0d2fc0d663764p-7);
    PENTA_HORNER(p, t, 0x1.5c020affc7842p-7);
    PENTA_HORNER(p, t, -0x1.725fc44d7cb76p-7);
    PENTA_HORNER(p, t, 0x1.f813b298857ebp-8);
    PENTA_HORNER(p, t, 0x1.4c071bcda1f53p-4);
    return p / k;
}

/*
 * k log(k / mean) - (k - mean), which is small where k is near the mean although its terms are large: with d = k - mean
 * and v = d / (k + mean) it is d v + 2 k v^3 (1/3 + v^2/5 + ...). The series is used for |v| <= 0.1, to v^15.
 */
static inline penta_real deviance(penta_real k, penta_real mean)
{
    penta_real d = k - mean, v = d / (k + mean), w = v * v, p = PENTA_REAL(1.0 / 15.0), near;
    penta_mask far = fabs(v) > 0.1;

    PENTA_HORNER(p, w, 1.0 / 13.0);
    PENTA_HORNER(p, w, 1.0 / 11.0);
    PENTA_HORNER(p, w, 1.0 / 9.0);
    PENTA_HORNER(p, w, 1.0 / 7.0);
    PENTA_HORNER(p, w, 1.0 / 5.0);
    PENTA_HORNER(p, w, 1.0 / 3.0);
    near = v * fma(2.0 * k * w, p, d);
    return PENTA_ANY(far) ? (far ? fma(k, penta_log(k / mean), -d) : near) : near;
}

/* Whether log(density) <= log(probability of k counts), k an integer >= 0: both sides twice, with one logarithm. */
static inline penta_mask below_probability(penta_real density, penta_real k, penta_real mean)
{
    penta_real scale = k > 0.0 ? 6.283185307179586477 * k : PENTA_REAL(1.0);
    penta_real rest = k > 0.0 ? stirling_rest(k) + deviance(k, mean) : mean;

    return penta_log(density * density * scale) <= -2.0 * rest;
}

/* The least k whose cumulated probability reaches u. Lanes that are not wanted end at once. */
static inline penta_real poisson_by_inversion(penta_mask wanted, penta_real mean, penta_real u)
{
    penta_real p = penta_exp(-mean), count = PENTA_REAL(0.0);
    penta_mask more = wanted & (u > p);

    for (int k = 1; k < MOST_TERMS && PENTA_ANY(more); k++) {
        u -= p;
        p = p * mean / (double)k;
        count = more ? PENTA_REAL(k) : count;
        more = more & (u > p);
    }
    return count;
}

/* One attempt of PTRS with u in (-1/2, 1/2) and v in (0, 1): the count, or -1 where it is refused. */
static inline penta_real poisson_attempt(penta_mask wanted, penta_real mean, penta_real u, penta_real v)
{
    penta_real b = fma(PENTA_REAL(2.53), sqrt(mean), PENTA_REAL(0.931));
    penta_real a = fma(PENTA_REAL(0.02483), b, PENTA_REAL(-0.059)), us = 0.5 - fabs(u);
    penta_real k = floor(fma(2.0 * a / us + b, u, mean + 0.43));
    penta_mask accept = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0));
    penta_mask open = wanted & !accept & (k >= 0.0) & ((us >= 0.013) | (v <= us));

    if (PENTA_ANY(open)) {
        penta_real density = v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (us * us) + b);

        accept = accept | (open & below_probability(density, k, mean));
    }
    return accept ? k : PENTA_REAL(-1.0);
}

/* Electrons of the given mean. */
static inline penta_real poisson(penta_real mean, penta_pair pixel, ulong seed)
{
    penta_real count = mean < 0.0 ? PENTA_REAL(0.0) : mean; /* for means above the limit, and NaN */
    penta_mask small = (mean > 0.0) & (mean < LEAST_MEAN), large = (mean >= LEAST_MEAN) & (mean <= MOST_MEAN);

    if (PENTA_ANY(small)) {
        penta_real u = penta_first_uniform(penta_rng_block(seed, STREAM_SHOT_NOISE, pixel, 0));

        count = small ? poisson_by_inversion(small, mean, u) : count;
    }
    for (uint attempt = 0; attempt < MOST_ATTEMPTS && PENTA_ANY(large); attempt++) {
        penta_block block = penta_rng_block(seed, STREAM_SHOT_NOISE, pixel, attempt);
        penta_real k = poisson_attempt(large, mean, penta_first_uniform(block) - 0.5, penta_second_uniform(block));

        count = (large & (k >= 0.0)) ? k : count;
        large = large & (k < 0.0);
    }
    return count;
}

/* ---- one pixel, or a pixel in each lane ---- */

/* Rate of the pixel in units of the mean rate of hot pixels: 0 where it is not hot. */
static inline penta_real hot_rate(double fraction, penta_pair pixel, ulong seed)
{
    penta_block block = penta_rng_block(seed, STREAM_HOT_PIXELS, pixel, 0);
    penta_mask hot = penta_first_uniform(block) < fraction;

    if (!PENTA_ANY(hot))
        return PENTA_REAL(0.0);
    return hot ? -penta_log(penta_second_uniform(block)) : PENTA_REAL(0.0);
}

/* Mean number of electrons. */
static inline penta_real mean_electrons(__constant double *d, penta_real photons, penta_real x, double y,
                                        penta_pair pixel, uint detector_seed)
{
    penta_real dx = x - d[DETECTOR_CENTRE_X], dark = PENTA_REAL(d[DETECTOR_DARK]);
    double dy = y - d[DETECTOR_CENTRE_Y];
    penta_real v = fma(PENTA_REAL(-d[DETECTOR_VIGNETTING]), fma(dx, dx, PENTA_REAL(dy * dy)), PENTA_REAL(1.0));

    if (d[DETECTOR_HOT_FRACTION] > 0.0)
        dark = fma(PENTA_REAL(d[DETECTOR_HOT]), hot_rate(d[DETECTOR_HOT_FRACTION], pixel, detector_seed), dark);
    return fma(v * d[DETECTOR_EFFICIENCY], photons + d[DETECTOR_SKY], dark);
}

/* Number of electrons in the well, with shot noise; *full: there is no room for more. seed: that of the frame. */
static inline penta_real collected(__constant double *d, penta_real mean, penta_pair pixel, ulong seed,
                                   penta_mask *full)
{
    double well = d[DETECTOR_FULL_WELL];
    penta_real e = d[DETECTOR_SHOT] != 0.0 ? poisson(mean, pixel, seed) : mean;

    *full = e >= well;
    return *full ? PENTA_REAL(well) : e;
}

/* Electrons as the amplifier has them: the read noise comes after the well. seed: that of the frame. */
static inline penta_real amplified(__constant double *d, penta_real e, penta_pair pixel, ulong seed)
{
    if (d[DETECTOR_READ_NOISE] > 0.0)
        e = fma(PENTA_REAL(d[DETECTOR_READ_NOISE]), penta_normal(penta_rng_block(seed, STREAM_READ_NOISE, pixel, 0)),
                e);
    return e;
}

/* DN of the electrons; *full is set too where they reach the highest number. */
static inline penta_real digitise(__constant double *d, penta_real e, penta_mask *full)
{
    double top = d[DETECTOR_TOP];
    penta_real dn = e / d[DETECTOR_GAIN] + d[DETECTOR_BIAS];

    if (top < (double)INFINITY) {
        dn = rint(dn);
        dn = dn > top ? PENTA_REAL(top) : dn > 0.0 ? dn : PENTA_REAL(0.0);
    }
    *full = *full | (dn >= top);
    return dn;
}

/* photons, column, row and number of a pixel to its DN. */
static inline penta_real expose(__constant double *d, penta_real photons, penta_real x, long y, penta_pair pixel,
                                uint seed, uint detector_seed, uint frame, penta_mask *full)
{
    penta_real mean = mean_electrons(d, photons, x, (double)y, pixel, detector_seed);
    ulong frame_seed = (ulong)frame << 32 | seed;
    penta_real e = collected(d, mean, pixel, frame_seed, full);

    return digitise(d, amplified(d, e, pixel, frame_seed), full);
}

/* ---- kernels: rows first_row .. first_row + rows - 1 of a frame; image, dn and saturated hold these rows. The number
 * of a pixel is that in the frame, so that slabs of rows make the same frame as the whole. ---- */

#define ARGUMENTS(pixel_t)                                                                                             \
    __global const pixel_t *image, __constant double *detector, int width, long first_row, long rows, uint seed,       \
        uint detector_seed, uint frame, int want_saturated, __global float *dn, __global uchar *saturated

#if PENTA_LANES == 8

#define RUN 256 /* pixels: RUN of src/stars/detector.c */

/* Grid (runs in a row, rows). */
#define DEFINE_DETECTOR(name, pixel_t)                                                                                 \
    __kernel void name(ARGUMENTS(pixel_t))                                                                             \
    {                                                                                                                  \
        long row = get_global_id(1), y = first_row + row, end = min((long)(get_global_id(0) + 1) * RUN, (long)width);  \
                                                                                                                       \
        for (long x = get_global_id(0) * RUN; x < end; x += 8) {                                                       \
            int n = min(end - x, 8L);                                                                                  \
            double photons[8] = {0}, values[8];                                                                        \
            long full[8];                                                                                              \
            double8 columns = (double8)(x) + (double8)(0, 1, 2, 3, 4, 5, 6, 7), result;                                \
            ulong8 pixels = (ulong8)(y * width + x) + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);                                \
            long8 mask;                                                                                                \
                                                                                                                       \
            for (int i = 0; i < n; i++)                                                                                \
                photons[i] = (double)image[row * width + x + i];                                                       \
            result = expose(detector, vload8(0, photons), columns, y, pixels, seed, detector_seed, frame, &mask);      \
            vstore8(result, 0, values);                                                                                \
            vstore8(mask, 0, full);                                                                                    \
            for (int i = 0; i < n; i++)                                                                                \
                dn[row * width + x + i] = (float)values[i];                                                            \
            for (int i = 0; i < n && want_saturated; i++)                                                              \
                saturated[row * width + x + i] = full[i] ? 1 : 0;                                                      \
        }                                                                                                              \
    }

#else

/* Grid (width, rows), rounded up. */
#define DEFINE_DETECTOR(name, pixel_t)                                                                                 \
    __kernel void name(ARGUMENTS(pixel_t))                                                                             \
    {                                                                                                                  \
        long x = get_global_id(0), row = get_global_id(1), y = first_row + row, i = row * width + x;                   \
        penta_mask full;                                                                                               \
                                                                                                                       \
        if (x >= width || row >= rows)                                                                                 \
            return;                                                                                                    \
        dn[i] = (float)expose(detector, (double)image[i], (double)x, y, (ulong)(y * width + x), seed, detector_seed,   \
                              frame, &full);                                                                           \
        if (want_saturated)                                                                                            \
            saturated[i] = full ? 1 : 0;                                                                               \
    }

#endif

DEFINE_DETECTOR(detector_expose_f32, float)
DEFINE_DETECTOR(detector_expose_f64, double)
