/*
 * From the highest offset of C2D, steps to the maximum of a quadratic fitted about the estimate, until it no longer
 * moves.
 */
#include <math.h>
#include <stdbool.h>

#include "displacement_fit.h"

enum { MOST_ROUNDS = 12, DIRECTIONS = 180 };
static const double widest = 0.6;      /* standard deviation of the weights, as a share of the peak's half width */
static const double apart = 2;         /* distance from the peak, in half widths, beyond which C2D counts as the rest */
static const double least_score = 0.3; /* score that a solitary peak must reach; a ring pattern alone scores 0.7 */
static const double least_sigmas = 5;  /* unrelated images reach 3.5 to 5 */
static const double sure_peak = 0.8;   /* a peak this high is not due to chance, even in an image with few features */
static const double agreeing_peak = 0.5;
static const double least_rest = 0.25; /* share of C2D that must lie apart from a peak for it to stand out */

/* The step from (x, y) to the maximum of the quadratic fitted about it; false where it has none. */
static bool newton_step(const penta_offsets *c, double x, double y, double width, double *dx, double *dy)
{
    double determinant, length;
    penta_quadratic q;

    if (!penta_quadratic_fit(c, x, y, width, &q))
        return false;
    determinant = 4 * q.xx * q.yy - q.xy * q.xy;
    if (!(determinant > 0) || !(q.xx < 0))
        return false;
    *dx = (q.xy * q.y - 2 * q.yy * q.x) / determinant;
    *dy = (q.xy * q.x - 2 * q.xx * q.y) / determinant;
    length = hypot(*dx, *dy);
    if (length > width) {
        *dx *= width / length;
        *dy *= width / length;
    }
    return true;
}

static double edge_distance(const penta_offsets *p, long x, long y)
{
    long across = x < p->side - 1 - x ? x : p->side - 1 - x, down = y < p->side - 1 - y ? y : p->side - 1 - y;

    return (double)(across < down ? across : down);
}

/* Moves from the highest offset to the peak. Near the edge of C2D the weights are narrow: those of half a peak would
 * draw it to the side that is there. The offset stays if no step is possible or the steps lead away. false: what the
 * peak is bent by may be chance. */
static bool refine(const penta_offsets *p, long px, long py, double half_width, penta_displacement *d)
{
    double middle = (double)(p->side / 2);
    double most = fmin(widest * half_width, edge_distance(p, px, py) / 2);
    double x = (double)px, y = (double)py, dx = 0, dy = 0, width;
    bool told = penta_displacement_width(p, px, py, apart * fmax(1, half_width), most, &width);

    for (int i = 0; i < MOST_ROUNDS; i++) {
        if (!newton_step(p, x, y, width, &dx, &dy))
            return told;
        x += dx;
        y += dy;
        if (hypot(x - (double)px, y - (double)py) > fmax(1.5, half_width))
            return told;
        if (hypot(dx, dy) < 1e-4)
            break;
    }
    d->dx = x - middle;
    d->dy = y - middle;
    penta_displacement_error(p, x, y, width, &d->dx_se, &d->dy_se);
    return told;
}

/* ---- the peak and the rest ---- */

/* Distance at which C2D has fallen to half, of four directions the mean of the middle two: where light that stays in
 * place prolongs the peak to one side, it is not as wide as that side. */
static double half_width(const penta_offsets *p, long px, long py)
{
    static const long ways[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double top = penta_offsets_at(p, px, py), sum = 0, least = HUGE_VAL, most = 0;

    for (int k = 0; k < 4; k++) {
        long r = 1;
        double before, here, wide;

        while (penta_offsets_at(p, px + r * ways[k][0], py + r * ways[k][1]) > top / 2)
            r++;
        before = penta_offsets_at(p, px + (r - 1) * ways[k][0], py + (r - 1) * ways[k][1]);
        here = penta_offsets_at(p, px + r * ways[k][0], py + r * ways[k][1]);
        wide = (double)r - (before > here ? 1 - (before - top / 2) / (before - here) : 0); /* NaN: the edge */
        sum += wide;
        least = fmin(least, wide);
        most = fmax(most, wide);
    }
    return (sum - least - most) / 2;
}

static bool is_maximum(const penta_offsets *p, long x, long y)
{
    for (long j = -1; j <= 1; j++)
        for (long i = -1; i <= 1; i++)
            if (penta_offsets_at(p, x + i, y + j) > penta_offsets_at(p, x, y))
                return false;
    return true;
}

/* False where the peak fills C2D, so that there is little to compare it with: R is small, or the images share light
 * that varies slowly. */
static bool compare_with_rest(const penta_offsets *p, long px, long py, double far, penta_displacement *d, double *rest)
{
    double n = 0, mean = 0, square = 0, second = 0;

    for (long y = 0; y < p->side; y++)
        for (long x = 0; x < p->side; x++) {
            double c = penta_offsets_at(p, x, y), before = mean;

            if (isnan(c) || hypot((double)(x - px), (double)(y - py)) <= far)
                continue;
            n += 1;
            mean += (c - before) / n;
            square += (c - before) * (c - mean);
            if (c > second && is_maximum(p, x, y))
                second = c;
        }
    *rest = mean;
    d->score = fmax(0, 1 - second / d->peak);
    d->sigmas = n > 1 && square > 0 ? (d->peak - mean) / sqrt(square / n) : (double)NAN;
    return n >= least_rest * (double)(p->side * p->side);
}

/* Whether C2D stays near its peak all along a direction, to both edges of C2D: above half the way from the mean of the
 * rest. */
static bool is_ridge(const penta_offsets *p, long px, long py, double rest)
{
    double level = (penta_offsets_at(p, px, py) + rest) / 2;

    for (int k = 0; k < DIRECTIONS; k++) {
        double angle = 3.14159265358979323846 * k / DIRECTIONS, least = HUGE_VAL;

        for (int side = -1; side <= 1; side += 2)
            for (long r = 1;; r++) {
                double c = penta_offsets_at(p, px + lround(side * (double)r * cos(angle)),
                                            py + lround(side * (double)r * sin(angle)));

                if (isnan(c))
                    break;
                least = fmin(least, c);
            }
        if (least > level)
            return true;
    }
    return false;
}

static enum penta_displacement_status judge(const penta_displacement *d, bool stands_out)
{
    if (!stands_out)
        return d->peak >= agreeing_peak ? PENTA_DISPLACEMENT_AMBIGUOUS : PENTA_DISPLACEMENT_NO_MATCH;
    if (d->score >= least_score && (d->sigmas >= least_sigmas || d->peak >= sure_peak))
        return PENTA_DISPLACEMENT_OK;
    return d->score < least_score && d->peak >= agreeing_peak ? PENTA_DISPLACEMENT_AMBIGUOUS
                                                              : PENTA_DISPLACEMENT_NO_MATCH;
}

penta_displacement autocorr_displacement_find(const double *c2d, size_t max_offset)
{
    penta_offsets p = {c2d, 2 * (long)max_offset + 1};
    penta_displacement d = {PENTA_DISPLACEMENT_FLAT,
                            (double)NAN,
                            (double)NAN,
                            (double)NAN,
                            (double)NAN,
                            (double)NAN,
                            (double)NAN,
                            (double)NAN};
    long top = -1, px, py;
    double wide, rest;
    bool stands_out;

    for (long i = 0; c2d && i < p.side * p.side; i++)
        if (isfinite(c2d[i]) && (top < 0 || c2d[i] > c2d[top]))
            top = i;
    if (top < 0 || !(c2d[top] > 0))
        return d;
    px = top % p.side;
    py = top / p.side;
    d.dx = (double)(px - (long)max_offset);
    d.dy = (double)(py - (long)max_offset);
    d.peak = c2d[top];
    wide = half_width(&p, px, py);
    stands_out = compare_with_rest(&p, px, py, apart * fmax(1, wide), &d, &rest) && !is_ridge(&p, px, py, rest);
    if (px == 0 || py == 0 || px == p.side - 1 || py == p.side - 1) {
        d.status = PENTA_DISPLACEMENT_AT_EDGE;
        return d;
    }
    if (!refine(&p, px, py, wide, &d) && d.peak < sure_peak)
        stands_out = false;
    d.status = judge(&d, stands_out);
    return d;
}

const char *penta_displacement_status_name(enum penta_displacement_status status)
{
    static const char *const names[] = {"ok", "ambiguous", "no_match", "at_edge", "flat"};

    return names[status];
}
