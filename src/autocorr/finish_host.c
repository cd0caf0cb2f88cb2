/* The host form of cl/autocorr/finish.cl. It sums in the same order, so its results have the same bits. */
#include "autocorr/finish_host.h"

#include <math.h>
#include <stdlib.h>

#define PENTA_TABLE
#include "../../cl/autocorr/estimate.clh"

static double pixel(penta_type type, const void *image, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)image)[i];
    case PENTA_U16:
        return ((const uint16_t *)image)[i];
    case PENTA_F64:
        return ((const double *)image)[i];
    default:
        return (double)((const float *)image)[i];
    }
}

/* A sum: exact for integers, else in single precision. */
static double sum_at(penta_type type, const void *sums, size_t i)
{
    return type == PENTA_U8 || type == PENTA_U16 ? (double)((const int64_t *)sums)[i]
                                                 : (double)((const float *)sums)[i];
}

/* ---- overlap sums ---- */

/* Summed-area tables of the image and of its squares, (height + 1) x (width + 1) each: along lines, then down columns.
 */
static void fill_tables(const autocorr_shape *s, const void *image, double *table)
{
    size_t pitch = s->width + 1, plane = pitch * (s->height + 1);

    for (size_t y = 0; y < s->height; y++) {
        double *sums = table + (y + 1) * pitch, *squares = sums + plane, sum = 0, square = 0;

        for (size_t x = 0; x < s->width; x++) {
            double v = pixel(s->type, image, y * s->width + x);

            sum += v;
            square += v * v;
            sums[x + 1] = sum;
            squares[x + 1] = square;
        }
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t y = 1; y < s->height; y++)
            for (size_t x = 0; x <= s->width; x++)
                table[i * plane + (y + 1) * pitch + x] += table[i * plane + y * pitch + x];
}

penta_status autocorr_host_overlaps(penta_context *ctx, const autocorr_shape *s, const void *image, bool second,
                                    double *bundle)
{
    penta_status status = PENTA_OK;
    long R = (long)s->max_offset, y0 = autocorr_y0(s), width = (long)s->width, height = (long)s->height;
    size_t pitch = s->width + 1, plane = pitch * (s->height + 1), count = autocorr_rows(s) * autocorr_columns(s);
    size_t row = second ? 2 : 1, i = 0;
    double *table = NULL;

    TRY(penta_calloc(ctx, 2 * plane, sizeof *table, &table));
    fill_tables(s, image, table);
    for (long Y = y0; Y <= R; Y++)
        for (long X = -R; X <= R; X++, i++) {
            long x0 = autocorr_overlap_from(X), x1 = autocorr_overlap_to(X, width);
            long v0 = autocorr_overlap_from(Y), v1 = autocorr_overlap_to(Y, height), dx = second ? X : 0;
            long dy = second ? Y : 0;

            bundle[i] = (double)((x1 - x0) * (v1 - v0));
            bundle[row * count + i] = autocorr_box(table, (long)pitch, x0 + dx, x1 + dx, v0 + dy, v1 + dy);
            bundle[(row + 2) * count + i] =
                autocorr_box(table + plane, (long)pitch, x0 + dx, x1 + dx, v0 + dy, v1 + dy);
        }
cleanup:
    free(table);
    return status;
}

void autocorr_host_take(const autocorr_shape *s, penta_type type, const void *from, int from_y0, bool flip, int part,
                        double *row)
{
    long R = (long)s->max_offset, y0 = autocorr_y0(s), columns = 2 * R + 1;

    for (long Y = y0; Y <= R; Y++)
        for (long X = -R; X <= R; X++, row++) {
            long fx = flip ? -X : X, fy = flip ? -Y : Y;

            if (fy < from_y0) { /* N(-R) = N(R) for the half plane of a symmetric sum */
                fx = -fx;
                fy = -fy;
            }
            *row = autocorr_part(part, sum_at(type, from, (size_t)((fy - from_y0) * columns + fx + R)), *row);
        }
}

/* ---- C2D, C1D ---- */

void autocorr_host_finish(const autocorr_shape *s, int estimator, int rows_made, const void *sums, const double *bundle,
                          const double *scalars, double *c2d)
{
    long R = (long)s->max_offset, y0 = autocorr_y0(s);
    size_t count = autocorr_rows(s) * autocorr_columns(s), i = 0;
    double norm = isnan(scalars[0]) ? sum_at(s->type, sums, (size_t)(-y0 * (2 * R + 1) + R)) : scalars[0];

    for (long Y = y0; Y <= R; Y++)
        for (long X = -R; X <= R; X++, i++) {
            double n = (double)(((long)s->width - labs(X)) * ((long)s->height - labs(Y)));
            double value[5] = {n, 0, 0, 0, 0}; /* n, S1, S2, Q1, Q2 */

            for (int k = 0; k < rows_made; k++)
                value[k] = bundle[(size_t)k * count + i];
            c2d[i] = autocorr_estimate(estimator, sum_at(s->type, sums, i), value[0], value[1], value[2], value[3],
                                       value[4], norm, scalars[1], scalars[2], scalars[3], scalars[4], scalars[5]);
        }
}

void autocorr_host_rings(const autocorr_ring_list *list, const double *c2d, double *rings)
{
    for (size_t r = 0; r < list->bins; r++)
        autocorr_ring(c2d, list->at, list->radius, list->start[r], list->start[r + 1], rings + 4 * r);
}
