#include "nbody/check.h"

#include <math.h>
#include <stdlib.h>

static const char *const columns[7] = {"mass", "x", "y", "z", "vx", "vy", "vz"};

static penta_status check_numbers(penta_context *ctx, size_t n, const double *bodies)
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 7; k++)
            if (!isfinite(bodies[7 * i + (size_t)k]))
                return penta_fail(ctx, PENTA_INVALID, "%s of body %zu is not finite", columns[k], i);
        if (bodies[7 * i] < 0)
            return penta_fail(ctx, PENTA_INVALID, "the mass of body %zu is negative (%g)", i, bodies[7 * i]);
    }
    return PENTA_OK;
}

typedef struct {
    const double *place;
    size_t body;
} placed;

/* By x, then y, then z. */
static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;

    for (int k = 0; k < 3; k++)
        if (p->place[k] < q->place[k] || p->place[k] > q->place[k])
            return p->place[k] < q->place[k] ? -1 : 1;
    return (p->body > q->body) - (p->body < q->body);
}

static bool at_one_place(const placed *p, const placed *q)
{
    for (int k = 0; k < 3; k++)
        if (p->place[k] < q->place[k] || p->place[k] > q->place[k])
            return false;
    return true;
}

static penta_status check_places(penta_context *ctx, size_t n, const double *bodies)
{
    penta_status status = PENTA_OK;
    placed *list = NULL;

    TRY(penta_calloc(ctx, n, sizeof *list, &list));
    for (size_t i = 0; i < n; i++)
        list[i] = (placed){bodies + 7 * i + 1, i};
    qsort(list, n, sizeof *list, by_place);
    for (size_t i = 1; i < n && status == PENTA_OK; i++)
        if (at_one_place(&list[i - 1], &list[i]))
            status = penta_fail(ctx, PENTA_INVALID,
                                "bodies %zu and %zu are at one place (%g, %g, %g), where the force without softening "
                                "is infinite; give eps > 0",
                                list[i - 1].body, list[i].body, list[i].place[0], list[i].place[1], list[i].place[2]);
cleanup:
    free(list);
    return status;
}

penta_status nbody_check(penta_context *ctx, size_t n, const double *bodies, double eps)
{
    penta_status status = PENTA_OK;

    TRY(check_numbers(ctx, n, bodies));
    if (!(eps > 0))
        TRY(check_places(ctx, n, bodies));
cleanup:
    return status;
}

penta_status nbody_check_points(penta_context *ctx, size_t m, const double *points)
{
    for (size_t i = 0; i < 3 * m; i++)
        if (!isfinite(points[i]))
            return penta_fail(ctx, PENTA_INVALID, "%s of point %zu is not finite", columns[1 + i % 3], i / 3);
    return PENTA_OK;
}

/* ---- what pairs of floats hold ---- */

static const double most_number = 1e18; /* its square is a float, and the sum of many */
static const double least_step = 1e-25; /* a float holds what a pair has behind the first float */

penta_status nbody_check_floats(penta_context *ctx, size_t n, const double *bodies)
{
    for (size_t i = 0; i < 7 * n; i++)
        if (fabs(bodies[i]) > most_number)
            return penta_fail(ctx, PENTA_INVALID,
                              "%s of body %zu is %g; without double precision the limit is %g, so "
                              "choose other units",
                              columns[i % 7], i / 7, bodies[i], most_number);
    return PENTA_OK;
}

penta_status nbody_check_float_options(penta_context *ctx, double dt, double eps)
{
    if (!(fabs(dt) >= least_step && fabs(dt) <= most_number))
        return penta_fail(ctx, PENTA_INVALID,
                          "`dt` is %g; without double precision it is from %g to %g, so choose "
                          "other units",
                          dt, least_step, most_number);
    if (eps > most_number)
        return penta_fail(ctx, PENTA_INVALID,
                          "`eps` is %g; without double precision the limit is %g, so choose other "
                          "units",
                          eps, most_number);
    return PENTA_OK;
}

penta_status nbody_check_float_points(penta_context *ctx, size_t m, const double *points)
{
    for (size_t i = 0; i < 3 * m; i++)
        if (fabs(points[i]) > most_number)
            return penta_fail(ctx, PENTA_INVALID, "%s of point %zu is %g; without double precision the limit is %g",
                              columns[1 + i % 3], i / 3, points[i], most_number);
    return PENTA_OK;
}
