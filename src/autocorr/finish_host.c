/* The host form of cl/autocorr/finish.cl and overlaps.cl. Results of integers have the same bits. */
#include "autocorr/finish_host.h"

#include <math.h>
#include <stdlib.h>

#define PENTA_TABLE
#include "../../cl/autocorr/estimate.clh"

enum { MOST_CIRCLE = 2600 }; /* px: larger circles have points farther apart */
static const double pi = 3.14159265358979323846;

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

/* A sum of pixels or of their squares: exact in 64 bits for integers. */
typedef union {
    uint64_t whole;
    double real;
} total;

/* A summed-area table, (height + 1) x (width + 1). */
typedef struct {
    const autocorr_shape *shape;
    total *at;
    size_t pitch;
} area_table;

static total add(const area_table *t, total a, total b)
{
    if (autocorr_is_integer(t->shape))
        a.whole += b.whole;
    else
        a.real += b.real;
    return a;
}

static total power_of(const area_table *t, const void *image, size_t i, int power)
{
    double v = pixel(t->shape->type, image, i);
    total out;

    if (autocorr_is_integer(t->shape))
        out.whole = power == 2 ? (uint64_t)v * (uint64_t)v : (uint64_t)v;
    else
        out.real = power == 2 ? v * v : v;
    return out;
}

/* The sums of a power of the pixels: along lines, then down columns. The first line and column are 0. */
static void fill_table(const area_table *t, const void *image, int power)
{
    const autocorr_shape *s = t->shape;

    for (size_t y = 0; y < s->height; y++) {
        total *line = t->at + (y + 1) * t->pitch, sum = {0};

        for (size_t x = 0; x < s->width; x++)
            line[x + 1] = sum = add(t, sum, power_of(t, image, y * s->width + x, power));
        for (size_t x = 1; x <= s->width; x++)
            line[x] = add(t, line[x], line[x - t->pitch]);
    }
}

/* The sum over the rectangle [x0, x1) x [y0, y1). */
static double box(const area_table *t, long x0, long x1, long y0, long y1)
{
    long pitch = (long)t->pitch;
    total a = t->at[y1 * pitch + x1], b = t->at[y0 * pitch + x1], c = t->at[y1 * pitch + x0],
          d = t->at[y0 * pitch + x0];

    return autocorr_is_integer(t->shape) ? (double)(a.whole - b.whole - c.whole + d.whole)
                                         : a.real - b.real - c.real + d.real;
}

/* The sums over each overlap, of the pixels that stay (second: that come) there. */
static void take_boxes(const area_table *t, bool second, double *row)
{
    const autocorr_shape *s = t->shape;
    long R = (long)s->max_offset, y0 = autocorr_y0(s), width = (long)s->width, height = (long)s->height;

    for (long Y = y0; Y <= R; Y++)
        for (long X = -R; X <= R; X++) {
            long x0 = X < 0 ? -X : 0, x1 = X < 0 ? width : width - X, dx = second ? X : 0;
            long v0 = Y < 0 ? -Y : 0, v1 = Y < 0 ? height : height - Y, dy = second ? Y : 0;

            *row++ = box(t, x0 + dx, x1 + dx, v0 + dy, v1 + dy);
        }
}

penta_status autocorr_host_overlaps(penta_context *ctx, const autocorr_shape *s, const void *image, bool second,
                                    double *bundle)
{
    penta_status status = PENTA_OK;
    size_t count = autocorr_rows(s) * autocorr_columns(s), row = second ? 2 : 1;
    long R = (long)s->max_offset, y0 = autocorr_y0(s);
    area_table table = {.shape = s, .pitch = s->width + 1};
    double *n = bundle;

    TRY(penta_calloc(ctx, table.pitch * (s->height + 1), sizeof *table.at, &table.at));
    for (long Y = y0; Y <= R; Y++)
        for (long X = -R; X <= R; X++)
            *n++ = (double)(((long)s->width - labs(X)) * ((long)s->height - labs(Y)));
    for (int power = 1; power <= 2; power++) {
        fill_table(&table, image, power);
        take_boxes(&table, second, bundle + (row + (power == 2 ? 2 : 0)) * count);
    }
cleanup:
    free(table.at);
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

void autocorr_host_scalars(const autocorr_moments m[2], bool normed, bool demeaned, bool averaged, double rounding,
                           double *out)
{
    autocorr_scalars_of(normed, demeaned, averaged, rounding, m[0].pixels, m[0].sum, m[0].square, m[1].pixels, m[1].sum,
                        m[1].square, out);
}

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

/* ---- circles ---- */

size_t autocorr_directions_count(size_t max_offset)
{
    return (size_t)autocorr_circle_points((int)(max_offset < MOST_CIRCLE ? max_offset : MOST_CIRCLE), INT32_MAX);
}

void autocorr_directions(size_t count, double *directions)
{
    for (size_t i = 0; i < count; i++) {
        double angle = pi * (double)i / (double)count;

        directions[2 * i] = cos(angle);
        directions[2 * i + 1] = sin(angle);
    }
}

void autocorr_host_circles(size_t max_offset, const double *c2d, const double *directions, size_t first, size_t n,
                           double *means)
{
    size_t count = autocorr_directions_count(max_offset);

    for (size_t i = 0; i < n; i++)
        means[i] = autocorr_circle(c2d, (int)max_offset, (int)(first + i), directions, (int)count);
}
