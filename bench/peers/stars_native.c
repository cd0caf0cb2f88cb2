/* Star frames in plain C. */
#include "peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROI = 64, BAND = 16 };

static float peak(const peer_scene *s, size_t i)
{
    return s->amplitude * powf(2.512f, -s->magnitude[i]) / (2 * 3.14159265f * s->sigma * s->sigma);
}

static long first_pixel(const peer_scene *s, float at)
{
    return (long)ceilf(at - 0.5f * (float)s->roi);
}

static long at_least(long a, long least)
{
    return a > least ? a : least;
}

static long at_most(long a, long most)
{
    return a < most ? a : most;
}

void peer_stars_naive(const peer_scene *s, float *image)
{
    float c = -1 / (2 * s->sigma * s->sigma);

    memset(image, 0, s->width * s->height * sizeof *image);
    for (size_t i = 0; i < s->n; i++) {
        float brightness = peak(s, i);
        long left = first_pixel(s, s->x[i]), top = first_pixel(s, s->y[i]);

        for (long y = at_least(top, 0); y < at_most(top + s->roi, (long)s->height); y++)
            for (long x = at_least(left, 0); x < at_most(left + s->roi, (long)s->width); x++) {
                float dx = (float)x - s->x[i], dy = (float)y - s->y[i];

                image[(size_t)y * s->width + (size_t)x] += brightness * expf(c * (dx * dx + dy * dy));
            }
    }
}

/* The rows [row0, row1) of star i. */
static void add_rows(const peer_scene *s, size_t i, long row0, long row1, float *image)
{
    float c = -1 / (2 * s->sigma * s->sigma), along[MOST_ROI], brightness = peak(s, i);
    long left = first_pixel(s, s->x[i]), top = first_pixel(s, s->y[i]);
    long x0 = at_least(left, 0), x1 = at_most(left + s->roi, (long)s->width);

    for (long x = x0; x < x1; x++)
        along[x - x0] = expf(c * ((float)x - s->x[i]) * ((float)x - s->x[i]));
    for (long y = at_least(top, row0); y < at_most(top + s->roi, row1); y++) {
        float factor = brightness * expf(c * ((float)y - s->y[i]) * ((float)y - s->y[i]));
        float *row = image + (size_t)y * s->width;

        for (long x = x0; x < x1; x++)
            row[x] += factor * along[x - x0];
    }
}

void peer_stars_separable(const peer_scene *s, float *image)
{
    memset(image, 0, s->width * s->height * sizeof *image);
    for (size_t i = 0; i < s->n; i++)
        add_rows(s, i, 0, (long)s->height, image);
}

/* The bands [*first, *end) that star i touches. */
static void bands_of(const peer_scene *s, size_t i, long *first, long *end)
{
    long top = first_pixel(s, s->y[i]), row0 = at_least(top, 0), row1 = at_most(top + s->roi, (long)s->height);

    *first = row0 / BAND;
    *end = row1 > row0 ? (row1 - 1) / BAND + 1 : *first;
}

bool peer_stars_openmp(const peer_scene *s, float *image)
{
    long bands = ((long)s->height + BAND - 1) / BAND, first, end;
    size_t *start = calloc((size_t)bands + 2, sizeof *start), *order = NULL;

    for (size_t i = 0; start && i < s->n; i++)
        for (bands_of(s, i, &first, &end); first < end; first++)
            start[first + 2]++;
    for (long b = 2; start && b < bands + 2; b++)
        start[b] += start[b - 1];
    if (start)
        order = malloc((start[bands + 1] + 1) * sizeof *order);
    if (!order) {
        free(start);
        return false;
    }
    for (size_t i = 0; i < s->n; i++)
        for (bands_of(s, i, &first, &end); first < end; first++)
            order[start[first + 1]++] = i;
#pragma omp parallel for schedule(dynamic)
    for (long b = 0; b < bands; b++) {
        long row0 = b * BAND, row1 = at_most(row0 + BAND, (long)s->height);

        memset(image + (size_t)row0 * s->width, 0, (size_t)(row1 - row0) * s->width * sizeof *image);
        for (size_t k = start[b]; k < start[b + 1]; k++)
            add_rows(s, order[k], row0, row1, image);
    }
    free(start);
    free(order);
    return true;
}
