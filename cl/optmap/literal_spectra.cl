/*
 * Passes before and after the transforms, which are complex, of length z and in place in work (slots x z). Spectra of
 * pixels are pixels x pitch, of which z / 2 + 1 are used.
 */
#include "optmap/literal.clh"

/* y minus the interpolated mean of v; sums: sum of the weights of each phase. */
static inline double centred(__global const double *y, double mean, double scale, __global const double *sums, int j)
{
    return (y[j] - mean * sums[j % INTERP]) * scale;
}

/* Packs pixels 2 x and 2 x + 1 of a row into one slot, zero-padded. Grid (z, slots), slots from `from` on. */
__kernel void literal_pad(__global const double *restrict y, __global const double *restrict mean,
                          __global const double *restrict scale, __global const double *restrict sums, int samples,
                          int width, int z, int from, __global double2 *restrict work)
{
    int j = get_global_id(0), slot = get_global_id(1), across = (width + 1) / 2;
    int x = (from + slot) % across * 2;
    long p = (from + slot) / across * (long)width + x;
    double2 value = 0;

    if (j >= z)
        return;
    if (j < samples) {
        value.x = centred(y + p * samples, mean[p], scale[p], sums, j);
        if (x + 1 < width)
            value.y = centred(y + (p + 1) * samples, mean[p + 1], scale[p + 1], sums, j);
    }
    work[(long)slot * z + j] = value;
}

static inline double2 finish(double2 value, int k, int z)
{
#ifdef PHASE /* Y / |Y| within the camera's band */
    double size = sqrt(dot(value, value));

    return k <= z / (2 * INTERP) && size > 0 ? value / size : 0;
#else
    return value;
#endif
}

/* Separates the two spectra of a slot: Y = (W(k) + conj W(z-k)) / 2 and (W(k) - conj W(z-k)) / 2i. Grid (z / 2 + 1,
 * slots). */
__kernel void literal_split(__global const double2 *restrict work, int width, int z, int pitch, int from,
                            __global double2 *restrict spectra)
{
    int k = get_global_id(0), slot = get_global_id(1), across = (width + 1) / 2;
    int x = (from + slot) % across * 2;
    long p = (from + slot) / across * (long)width + x;
    double2 a, b;

    if (k > z / 2)
        return;
    a = work[(long)slot * z + k];
    b = work[(long)slot * z + (k ? z - k : 0)];
    spectra[p * pitch + k] = finish((double2)(a.x + b.x, a.y - b.y) / 2, k, z);
    if (x + 1 < width)
        spectra[(p + 1) * pitch + k] = finish((double2)(a.y + b.y, b.x - a.x) / 2, k, z);
}

/* Makes slots from `from` on of the listed pixels, those with results, as int4. Grid (slots). */
__kernel void literal_pairs(__global const int *restrict list, __global const uchar *restrict valid, int width,
                            int height, int first, int from, int slots, __global int4 *restrict pairs)
{
    int i = get_global_id(0), p, j;

    if (i >= slots)
        return;
    p = list[(from + i) / SLOTS];
    j = (from + i) % SLOTS;
    pairs[i] = (int4)(p, partner(p, neighbour_of_slot(j, 0), valid, width, height, first),
                      partner(p, neighbour_of_slot(j, 1), valid, width, height, first), j);
}

/* conj(a) b at frequency k; 0 without b. */
static inline double2 conjugate_product(double2 a, __global const double2 *spectra, int b, int pitch, int k)
{
    double2 y;

    if (b < 0)
        return 0;
    y = spectra[(long)b * pitch + k];
    return (double2)(a.x * y.x + a.y * y.y, a.x * y.y - a.y * y.x);
}

/* The transform of c_1 + i c_2 of each slot, with c_1 and c_2 the correlations of its pairs. Grid (z / 2 + 1, slots).
 */
__kernel void literal_multiply(__global const double2 *restrict spectra, __global const int4 *restrict pairs, int z,
                               int pitch, __global double2 *restrict work)
{
    int k = get_global_id(0);
    int4 pair = pairs[get_global_id(1)];
    double2 y, a, b;

    if (k > z / 2)
        return;
    work += get_global_id(1) * (long)z;
    y = spectra[(long)pair.x * pitch + k];
    a = conjugate_product(y, spectra, pair.y, pitch, k);
    b = conjugate_product(y, spectra, pair.z, pitch, k);
    work[k] = (double2)(a.x - b.y, a.y + b.x);
    if (k > 0 && k < z / 2)
        work[z - k] = (double2)(a.x + b.y, b.x - a.y);
}
