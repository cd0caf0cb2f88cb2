/*
 * The autocorrelation workload as its formulas are written: one loop for every sum, no table, no transform, no
 * symmetry. Sums of integers are int64 and exact; those of floating images are long double, so that in a comparison the
 * rounding of the reference does not count.
 */
#pragma once

#include <pentacl/autocorr.h>

/* The input of one frame, and what is asked of it. */
typedef struct {
    size_t width, height, max_offset;
    penta_type type;     /* U8, U16, F32 or F64 */
    const void *image;   /* I */
    const void *with;    /* J, NULL for I */
    const uint8_t *mask; /* of I and J, NULL for all pixels */
    int estimator, demean;
} reference_autocorr;

/* One pixel of an array of any of the four types. */
double reference_pixel(penta_type type, const void *image, size_t i);

/* N(X,Y) = sum I(x,y) J(x+X,y+Y) over the pairs with both pixels inside image and mask; integer images. */
int64_t reference_numerator(const reference_autocorr *c, long X, long Y);

/* All of them, (2R+1) x (2R+1), [Y+R][X+R]. */
void reference_numerators(const reference_autocorr *c, int64_t *out);

/*
 * C2D, (2R+1) x (2R+1), of I and J less their own mean or least-squares plane over the mask. Over the n pairs of (X,Y):
 *   eq1      N / norm                    norm = sqrt(sum I^2 sum J^2) over the mask
 *   unbiased (N / n) / (norm / n(0,0))
 *   pearson  the correlation coefficient of the n pairs
 * NaN where n = 0, or where the coefficient does not exist because one side of the pairs is constant.
 * condition (may be NULL): by how much an error in the sums, relative to sqrt(sum I^2 sum J^2) of the images with their
 * means, is larger in C2D.
 */
void reference_c2d(const reference_autocorr *c, double *c2d, double *condition);

/* The bins r - 1/2 <= |(X,Y)| < r + 1/2 over both half-planes, r = 0..R, of the offsets where C2D is not NaN. */
void reference_c1d(const double *c2d, size_t max_offset, penta_autocorr_bin *bins);

/* The hash of a pixel's place that the published answers rest on. */
uint32_t reference_hash(uint32_t x, uint32_t y);

/* The hash image of the published answers: the low 8 (U8), 16 (U16) or 24 bits (floating: in [0, 1)) of its hash. seed
 * moves it, 0 is the published one. */
void reference_hash_image(penta_type type, size_t width, size_t height, uint32_t seed, void *out);
