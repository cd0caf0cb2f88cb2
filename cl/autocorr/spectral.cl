/*
 * Correlation through the FFT, the passes around it. real_t is float or double (-DPENTA_REAL_DOUBLE).
 *
 * A frame has `slots` planes of ny rows of 2*half real numbers, half = nx/2+1 (layout of math/fft.h). Images fill the
 * first slots; after autocorr_multiply the first slots hold the products, whose inverse transforms are the correlations.
 * Exact integers: a 16-bit image is two slots, its high and its low bytes (-DPENTA_SPLIT), and
 *   N = 65536 hh + 256 (hl + lh) + ll, each of the three rounded by itself.
 */
#include "common/types.clh"

#ifdef PENTA_REAL_DOUBLE
typedef double real_t;
typedef double2 complex_t;
#else
typedef float real_t;
typedef float2 complex_t;
#endif

#ifdef PENTA_SPLIT
#define PARTS 2
#define PART(pixel, k) ((real_t)((k) == 0 ? (pixel) >> 8 : (pixel)&255))
#else
#define PARTS 1
#define PART(pixel, k) ((real_t)(pixel))
#endif

/* The batch begins at frame `from` of the image and result buffers. image -> slots first .. first+PARTS-1, zeros beyond the image. Grid (2*half, rows, frames); rows may stop at the image's
 * last line where the backend takes the others as zero. */
__kernel void autocorr_load(__global const pixel_t *restrict image, int width, int height, int pitch, int ny, int slots,
                            int first, long from, __global real_t *restrict data)
{
    int  x = get_global_id(0), y = get_global_id(1);
    long frame = get_global_id(2);

    if (x >= pitch)
        return;
    for (int k = 0; k < PARTS; k++) {
        real_t value = 0;

        if (x < width && y < height)
            value = PART(image[((from + frame) * height + y) * width + x], k);
        data[((frame * slots + first + k) * ny + y) * (long)pitch + x] = value;
    }
}

/* conj(a) b */
static inline complex_t conjugate_product(complex_t a, complex_t b)
{
    return (complex_t)(a.x * b.x + a.y * b.y, a.x * b.y - a.y * b.x);
}

/*
 * Products of the spectra, in place: a is slots 0..PARTS-1, b the same slots (autocorrelation) or the next PARTS
 * (-DPENTA_CROSS). One part: conj(a) b. Two: hh, hl + lh, ll. Grid (plane = ny*half, frames).
 */
__kernel void autocorr_multiply(long plane, int slots, __global complex_t *restrict data)
{
    long i = get_global_id(0);
    __global complex_t *at = data + get_global_id(1) * slots * plane + i;

    if (i >= plane)
        return;
#ifdef PENTA_CROSS
#define OTHER(k) at[(PARTS + (k)) * plane]
#else
#define OTHER(k) at[(k)*plane]
#endif
#if PARTS == 1
    at[0] = conjugate_product(at[0], OTHER(0));
#else
    complex_t ah = at[0], al = at[plane], bh = OTHER(0), bl = OTHER(1);

    at[0] = conjugate_product(ah, bh);
    at[plane] = conjugate_product(ah, bl) + conjugate_product(al, bh);
    at[2 * plane] = conjugate_product(al, bl);
#endif
}

/* What one correlation value becomes: integers are rounded, and -DPENTA_EXACT keeps the largest distance from an integer
 * over 1/8 (float bits order as integers do). */
static inline sum_t result(real_t v, __global int *worst)
{
#ifdef PENTA_INTEGER
    real_t whole = rint(v);
#ifdef PENTA_EXACT
    float distance = (float)fabs(v - whole);

    if (!(distance <= 0.125f))
        atomic_max(worst, as_int(isnan(distance) ? 1.0f : distance));
#endif
    return (sum_t)whole;
#else
    return (sum_t)v;
#endif
}

#define VALUE(slot) result(data[base + (slot)*plane] * scale, worst)

/* out[frame][Y - y0][X + R] from the circular correlation; scale = 1/(nx ny). Grid (2R+1, rows, frames). */
__kernel void autocorr_extract(__global const real_t *restrict data, int nx, int ny, int slots, int max_offset, int y0,
                               real_t scale, long from, __global sum_t *restrict out, __global int *restrict worst)
{
    int  X = (int)get_global_id(0) - max_offset, Y = (int)get_global_id(1) + y0;
    long frame = get_global_id(2), pitch = 2 * (nx / 2 + 1), plane = pitch * ny;
    int  columns = 2 * max_offset + 1, rows = max_offset - y0 + 1;
    long base = frame * slots * plane + (Y < 0 ? Y + ny : Y) * pitch + (X < 0 ? X + nx : X);
    sum_t value;

    if (X > max_offset || Y > max_offset)
        return;
#if PARTS == 1
    value = VALUE(0);
#else
    value = 65536 * VALUE(0) + 256 * VALUE(1) + VALUE(2);
#endif
    out[((from + frame) * rows + (Y - y0)) * columns + X + max_offset] = value;
}
