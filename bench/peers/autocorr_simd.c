/*
 * The same sums with the two lines of a row offset held in the first-level cache: 8-bit pixels widened once to 16 bits,
 * so that the inner loop is the compiler's multiply-add of adjacent 16-bit pairs, and four offsets share each load of
 * the first line and hide one another's latency. Threads share out the row offsets.
 */
#include "peers.h"

#include <stdlib.h>

/* Pixels whose products, 255^2 at most, sum within 32 bits. */
#define SEGMENT 32768

/* sums[k] += sum over i < n of a[i] b[i + k] */
static void dot4(const int16_t *restrict a, const int16_t *restrict b, size_t n, int64_t sums[4])
{
    for (size_t first = 0; first < n; first += SEGMENT) {
        size_t end = n - first < SEGMENT ? n : first + SEGMENT;
        int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (size_t i = first; i < end; i++) {
            s0 += (int32_t)a[i] * b[i];
            s1 += (int32_t)a[i] * b[i + 1];
            s2 += (int32_t)a[i] * b[i + 2];
            s3 += (int32_t)a[i] * b[i + 3];
        }
        sums[0] += s0;
        sums[1] += s1;
        sums[2] += s2;
        sums[3] += s3;
    }
}

/* sums[dx] for dx = 0..r; line b is followed by at least 3 zeros, which the last offsets of a group run into. */
static void offset_line(const int16_t *a, const int16_t *b, size_t width, size_t r, int64_t *sums)
{
    for (size_t dx = 0; dx <= r; dx += 4)
        dot4(a, b + dx, width - dx, sums + dx);
}

static void offset_row(const int16_t *wide, size_t stride, size_t width, size_t height, size_t r, size_t dy,
                       int64_t *half_plane)
{
    int64_t *right = calloc(2 * (r + 4), sizeof *right);
    int64_t *left = right + r + 4;

    if (!right)
        abort();
    for (size_t y = 0; y + dy < height; y++) {
        offset_line(wide + y * stride, wide + (y + dy) * stride, width, r, right);
        offset_line(wide + (y + dy) * stride, wide + y * stride, width, r, left);
    }
    for (size_t dx = 0; dx <= r; dx++) {
        half_plane[r - dx] = left[dx];
        half_plane[r + dx] = right[dx];
    }
    free(right);
}

void peer_autocorr_simd(const uint8_t *image, size_t width, size_t height, size_t max_offset, int64_t *half_plane)
{
    size_t stride = width + 4;
    int16_t *wide = calloc(stride * height, sizeof *wide);

    if (!wide)
        abort();
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            wide[y * stride + x] = image[y * width + x];
#pragma omp parallel for schedule(dynamic)
    for (size_t dy = 0; dy <= max_offset; dy++)
        offset_row(wide, stride, width, height, max_offset, dy, half_plane + dy * (2 * max_offset + 1));
    free(wide);
}
