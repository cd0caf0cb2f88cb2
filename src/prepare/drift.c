/*
 * Smooths drifts over a series by robust local straight lines (W. S. Cleveland, J. Am. Stat. Assoc. 74 (1979) 829) over
 * the frame number, separately for dx, dy and angle.
 */
#include <math.h>
#include <stdlib.h>

#include "math/ranks.h"
#include "prepare/stages.h"

enum { ROUNDS = 2 };
#define LIMIT 6.0 /* a drift this many median residuals off gets weight 0 */

typedef struct {
    size_t n, reach;     /* number of frames; window half-width in frames */
    const double *value; /* NaN: not measured */
    double *robust;      /* bisquare weights */
    double *fit, *residuals;
} smoothing;

static double tricube(size_t i, size_t j, size_t reach)
{
    double d = (double)(i > j ? i - j : j - i) / ((double)reach + 1);

    return pow(1 - d * d * d, 3);
}

/* Value at i of the line fitted to the values around i. NaN if no value has weight, if i was not measured and has
 * values on one side only, or if the robust weights leave a single frame other than i. */
static double line_at(const smoothing *s, size_t i, bool robust)
{
    size_t from = i > s->reach ? i - s->reach : 0, to = s->n - 1 - i > s->reach ? i + s->reach : s->n - 1;
    double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0, det;
    bool before = false, after = false;

    for (size_t j = from; j <= to; j++) {
        double x = (double)j - (double)i, weight = tricube(i, j, s->reach) * (robust ? s->robust[j] : 1);

        if (isnan(s->value[j]))
            continue;
        before = before || j <= i;
        after = after || j >= i;
        w += weight;
        wx += weight * x;
        wxx += weight * x * x;
        wy += weight * s->value[j];
        wxy += weight * x * s->value[j];
    }
    if (!before || !after)
        return NAN;
    det = w * wxx - wx * wx;
    if (det > 1e-9 * w * w)
        return (wxx * wy - wx * wxy) / det;
    /* A single frame has weight: its drift is that of frame i only if it is frame i. */
    return w > 1e-9 && (!robust || fabs(wx) < 0.5 * w) ? wy / w : NAN;
}

/* Sets weights from the residuals of the last fit; all 1 if more than half of them fit exactly. */
static void weigh(smoothing *s)
{
    size_t count = 0;
    double limit;

    for (size_t i = 0; i < s->n; i++)
        if (!isnan(s->value[i]))
            s->residuals[count++] = fabs(s->value[i] - s->fit[i]);
    qsort(s->residuals, count, sizeof *s->residuals, penta_compare_doubles);
    limit = count > 0 ? LIMIT * 0.5 * (s->residuals[(count - 1) / 2] + s->residuals[count / 2]) : 0;
    for (size_t i = 0; i < s->n; i++) {
        double u = isnan(s->value[i]) ? 0 : fabs(s->value[i] - s->fit[i]);

        if (limit > 0)
            u /= limit;
        else
            u = u > 1e-9 ? 1 : 0;
        s->robust[i] = u < 1 ? (1 - u * u) * (1 - u * u) : 0;
    }
}

/* Interpolates frames too far from any measured frame linearly between the nearest known ones; 0 if there are none. */
static void fill_gaps(smoothing *s)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t next = i;

        if (!isnan(s->fit[i]))
            continue;
        while (next < s->n && isnan(s->fit[next]))
            next++;
        if (i > 0 && next < s->n)
            s->fit[i] = s->fit[i - 1] + (s->fit[next] - s->fit[i - 1]) / (double)(next - i + 1);
        else if (i > 0)
            s->fit[i] = s->fit[i - 1];
        else
            s->fit[i] = next < s->n ? s->fit[next] : 0;
    }
}

static void smooth(smoothing *s)
{
    for (int round = 0; round <= ROUNDS; round++) {
        for (size_t i = 0; i < s->n; i++) {
            s->fit[i] = line_at(s, i, round > 0);
            if (isnan(s->fit[i]))
                s->fit[i] = line_at(s, i, false);
        }
        if (round < ROUNDS)
            weigh(s);
    }
    fill_gaps(s);
}

static double *component(penta_drift *d, int k)
{
    return k == 0 ? &d->dx : k == 1 ? &d->dy : &d->angle;
}

penta_status penta_drift_smooth(size_t n, penta_drift *drift, size_t frames)
{
    penta_status status = PENTA_OK;
    smoothing s = {.n = n, .reach = frames};
    double *room = NULL;

    if (frames == 0 || n == 0)
        return PENTA_OK;
    TRY(penta_calloc(NULL, n, 4 * sizeof *room, &room));
    s.value = room;
    s.robust = room + n;
    s.fit = room + 2 * n;
    s.residuals = room + 3 * n;
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++)
            room[i] = isnan(drift[i].score) ? NAN : *component(&drift[i], k);
        smooth(&s);
        for (size_t i = 0; i < n; i++)
            *component(&drift[i], k) = s.fit[i] - s.fit[0];
    }
cleanup:
    free(room);
    return status;
}
