/*
 * Rough angle and shift of a frame: small pictures of it, turned back in steps of a quarter of a degree, are correlated
 * with the key's picture; the largest correlation wins. rigid.c refines the result.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum { REDUCE = 4, LEAST_SIDE = 64, MOST_AT_ONCE = 32 };
#define STEP 0.25 /* degrees */
#define PI   3.14159265358979323846

struct prepare_turner {
    penta_resources *own; /* of the plan */
    size_t width, height, small_width, small_height, angles;
    int by;
    double *angle; /* radians */
    prepare_finder *finder;
    penta_kernel reduce, turn;
    penta_buffer small, turned, turns, spectrum;
    prepare_candidates *found;
    float *largest;
};

static penta_status create_angles(prepare_turner *t, double most)
{
    penta_status status = PENTA_OK;
    float *turns = NULL;
    size_t half = (size_t)ceil(most / STEP);

    t->angles = 2 * half + 1;
    TRY(penta_calloc(t->own, t->angles, sizeof *t->angle, &t->angle));
    TRY(penta_calloc(t->own->ctx, t->angles, 2 * sizeof *turns, &turns));
    for (size_t i = 0; i < t->angles && half > 0; i++)
        t->angle[i] = ((double)i - (double)half) / (double)half * most * PI / 180;
    for (size_t i = 0; i < t->angles; i++) {
        turns[2 * i] = (float)cos(t->angle[i]);
        turns[2 * i + 1] = (float)sin(t->angle[i]);
    }
    TRY(penta_buffer_upload(t->own, turns, t->angles * 2 * sizeof *turns, &t->turns));
cleanup:
    free(turns);
    return status;
}

static int reduction(const prepare_shape *shape)
{
    size_t side = prepare_shorter_side(shape);

    if (side / LEAST_SIDE >= REDUCE)
        return REDUCE;
    return side / LEAST_SIDE > 1 ? (int)(side / LEAST_SIDE) : 1;
}

penta_status prepare_turner_create(penta_resources *own, const prepare_shape *shape, int most_x, int most_y,
                                   prepare_turner **out)
{
    penta_status status = PENTA_OK;
    prepare_turner *t = NULL;
    size_t pixels;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    t = *out;
    *t = (prepare_turner){.own = own, .width = shape->width, .height = shape->height, .by = reduction(shape)};
    t->small_width = shape->width / (size_t)t->by;
    t->small_height = shape->height / (size_t)t->by;
    pixels = t->small_width * t->small_height;
    TRY(create_angles(t, shape->settings->o.max_angle));
    TRY(prepare_finder_create(own, shape->settings, t->small_width, t->small_height, 1, (most_x + t->by - 1) / t->by,
                              (most_y + t->by - 1) / t->by, t->angles < MOST_AT_ONCE ? t->angles : MOST_AT_ONCE,
                              &t->finder));
    TRY(penta_kernel_get(own, "prepare/register.cl", "register_reduce", "", &t->reduce));
    TRY(penta_kernel_get(own, "prepare/register.cl", "register_turn", "", &t->turn));
    TRY(penta_buffer_create(own, pixels * sizeof(float), &t->small));
    TRY(penta_buffer_create(own, t->angles * pixels * sizeof(float), &t->turned));
    TRY(penta_buffer_create(own, prepare_finder_bytes(t->finder), &t->spectrum));
    TRY(penta_calloc(own, t->angles, sizeof *t->found, &t->found));
    TRY(penta_calloc(own, t->angles, sizeof *t->largest, &t->largest));
cleanup:
    return status;
}

static penta_status reduce(prepare_turner *t, penta_buffer *images, size_t index)
{
    return penta_launch(&t->reduce, prepare_grid(t->own->ctx, t->small_width, t->small_height, 1),
                        ARGS(images, &t->small, (int)t->width, (int)t->height, (int)t->small_width,
                             (int)t->small_height, t->by, (int64_t)index));
}

penta_status prepare_turner_key(prepare_turner *t, penta_buffer *key)
{
    penta_status status = PENTA_OK;

    TRY(reduce(t, key, 0));
    TRY(prepare_finder_spectrum(t->finder, &t->small, 0, &t->spectrum));
cleanup:
    return status;
}

/* Turns the shifts of the small turned picture back and scales them to the frame. */
static void to_frame(const prepare_turner *t, size_t best, prepare_match *match)
{
    double c = cos(t->angle[best]), s = sin(t->angle[best]);

    match->at.count = t->found[best].count;
    match->drift.angle = t->angle[best] * 180 / PI;
    for (int k = 0; k < match->at.count; k++) {
        double x = t->by * t->found[best].x[k], y = t->by * t->found[best].y[k];

        match->at.likely[k] = t->found[best].likely[k];
        match->at.x[k] = (int)lround(c * x - s * y);
        match->at.y[k] = (int)lround(s * x + c * y);
    }
}

penta_status prepare_turner_run(prepare_turner *t, penta_buffer *images, prepare_match *match)
{
    penta_status status = PENTA_OK;
    float cx = (float)(0.5 * (double)(t->width - (size_t)t->by) / t->by);
    float cy = (float)(0.5 * (double)(t->height - (size_t)t->by) / t->by);
    size_t best = t->angles / 2; /* of equal heights take angle 0 */

    TRY(reduce(t, images, (size_t)match->frame));
    TRY(penta_launch(&t->turn, prepare_grid(t->own->ctx, t->small_width, t->small_height, t->angles),
                     ARGS(&t->small, &t->turns, &t->turned, (int)t->small_width, (int)t->small_height, cx, cy)));
    TRY(prepare_finder_run(t->finder, &t->spectrum, &t->turned, 0, t->angles, t->found, t->largest));
    for (size_t i = 0; i < t->angles; i++)
        if (t->largest[i] > t->largest[best])
            best = i;
    to_frame(t, best, match);
cleanup:
    return status;
}
