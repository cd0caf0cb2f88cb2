/*
 * The detector of include/pentacl/detector.h: photons to DN, pixel by pixel (detector.clh).
 *
 * GPU: a work-item a pixel. CPU (PENTA_LANES=8): a work-item a run of RUN pixels, eight side by side, which repeat a
 * step until the last of them is done. The lanes do what a single pixel would do.
 */
#include "stars/detector.clh"

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
