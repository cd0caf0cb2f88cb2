/* Frame by frame: F over its mean for all tissue, then the sums of each place. */
#include "optmap/survey_places.h"

#include <stdlib.h>

#include "math/wide.h"

enum { AT_ONCE = 8 }; /* frames of a piece: a place's values of them fill a cache line */

typedef struct {
    survey *s;
    size_t count;
    const size_t *pixels;
    double *divisor, *taken; /* of each pixel; taken: 1, or 0 where it is not tissue */
    double *number;          /* of such pixels at each place */
    double *out;
} places;

PENTA_WIDE static void divide(size_t count, const double *divisor, const double *taken, double *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = taken[i] > 0 ? values[i] / divisor[i] : 0;
}

/* The sum over the pixels within 2 px. */
static double sum_around(const survey *s, size_t pixel, const double *values)
{
    size_t x = pixel % s->width, y = pixel / s->width;
    double sum = 0;

    for (size_t v = y > 2 ? y - 2 : 0; v <= y + 2 && v < s->height; v++)
        for (size_t u = x > 2 ? x - 2 : 0; u <= x + 2 && u < s->width; u++)
            sum += values[v * s->width + u];
    return sum;
}

static void do_frames(void *data, size_t piece)
{
    const places *p = data;
    survey *s = p->s;
    size_t end = (piece + 1) * AT_ONCE;
    double *values = malloc(s->pixels * sizeof *values);

    if (!values) {
        s->failed = true;
        return;
    }
    for (size_t n = piece * AT_ONCE; n < end && n < s->frames; n++) {
        survey_values(s, n, 0, s->pixels, values);
        divide(s->pixels, p->divisor, p->taken, values);
        for (size_t k = 0; k < p->count; k++)
            p->out[k * s->frames + n] = sum_around(s, p->pixels[k], values) / p->number[k];
    }
    free(values);
}

penta_status survey_places(survey *s, size_t count, const size_t *pixels, double *out)
{
    penta_status status;
    places p = {.s = s, .count = count, .pixels = pixels, .out = out};

    p.divisor = malloc((2 * s->pixels + count) * sizeof *p.divisor);
    if (!p.divisor) {
        s->failed = true;
        return survey_check(s);
    }
    p.taken = p.divisor + s->pixels;
    p.number = p.taken + s->pixels;
    for (size_t i = 0; i < s->pixels; i++) {
        p.divisor[i] = survey_divisor(s, i);
        p.taken[i] = s->out->kind[i] == PENTA_SURVEY_TISSUE && s->mean[i] != 0;
    }
    for (size_t k = 0; k < count; k++)
        p.number[k] = sum_around(s, pixels[k], p.taken);
    status = penta_parallel_watched(s->ctx, (s->frames + AT_ONCE - 1) / AT_ONCE, do_frames, &p);
    free(p.divisor);
    return status;
}
