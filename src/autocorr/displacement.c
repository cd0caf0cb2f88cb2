/*
 * C2D of band-limited images is band-limited, so it can be interpolated between its offsets (Lanczos, radius 8). A
 * quadratic is fitted to it around the peak, with Gaussian weights whose width follows the peak's, on a grid that is
 * centred on the estimate. This is repeated until the estimate no longer moves, so that no position within a pixel is
 * preferred and noise is averaged over the peak.
 */
#include <math.h>
#include <stdbool.h>

#include <pentacl/autocorr.h>

enum { RADIUS = 8, MOST_ROUNDS = 12, TERMS = 6 };
static const double pi = 3.14159265358979323846;
static const double weight_width = 0.6; /* standard deviation of the weights, as a share of the peak's half width */
static const double apart = 2;         /* distance from the peak, in half widths, beyond which C2D counts as the rest */
static const double least_score = 0.3; /* score that a solitary peak must reach; a ring pattern alone scores 0.7 */
static const double least_sigmas = 5;  /* unrelated images reach 3.5 to 5 */
static const double sure_peak = 0.8;   /* a peak this high is not due to chance, even in an image with few features */
static const double agreeing_peak = 0.5;
static const double least_rest = 0.25; /* share of C2D that must lie apart from a peak for it to stand out */

typedef struct {
    const double *c2d;
    long side;
} plane;

static double at(const plane *p, long x, long y)
{
    return x < 0 || y < 0 || x >= p->side || y >= p->side ? (double)NAN : p->c2d[y * p->side + x];
}

/* ---- between the offsets ---- */

static double kernel(double t)
{
    double u = pi * t;

    if (fabs(t) >= RADIUS)
        return 0;
    return fabs(t) < 1e-9 ? 1 : RADIUS * sin(u) * sin(u / RADIUS) / (u * u);
}

/* Offsets without a value take no part. */
static double interpolate(const plane *p, double x, double y)
{
    long x0 = (long)floor(x), y0 = (long)floor(y);
    double sum = 0, weight = 0;

    for (long j = y0 - RADIUS + 1; j <= y0 + RADIUS; j++) {
        double v = kernel(y - (double)j);

        for (long i = x0 - RADIUS + 1; i <= x0 + RADIUS && v != 0; i++) {
            double c = at(p, i, j), w = v * kernel(x - (double)i);

            if (!isnan(c)) {
                sum += w * c;
                weight += w;
            }
        }
    }
    return sum / weight;
}

/* ---- the quadratic ---- */

/* Solves the symmetric positive definite a x = b in place by elimination; false where it is singular. */
static bool solve(double a[TERMS][TERMS + 1], double *x)
{
    for (int i = 0; i < TERMS; i++) {
        if (!(fabs(a[i][i]) > 0))
            return false;
        for (int j = i + 1; j < TERMS; j++) {
            double f = a[j][i] / a[i][i];

            for (int k = i; k <= TERMS; k++)
                a[j][k] -= f * a[i][k];
        }
    }
    for (int i = TERMS - 1; i >= 0; i--) {
        x[i] = a[i][TERMS];
        for (int k = i + 1; k < TERMS; k++)
            x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    return true;
}

/* The step from (x, y) to the maximum of the quadratic fitted about it; false where it has none. */
static bool newton_step(const plane *p, double x, double y, double width, double *dx, double *dy)
{
    double step = width > 1.5 ? width / 6 : 0.25, a[TERMS][TERMS + 1] = {{0}}, c[TERMS], determinant, length;
    int reach = (int)ceil(2 * width / step);

    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++) {
            double u = i * step, v = j * step, w = exp(-(u * u + v * v) / (2 * width * width));
            double value = interpolate(p, x + u, y + v), row[TERMS + 1] = {1, u, v, u * u, u * v, v * v, value};

            if (isnan(value))
                continue;
            for (int r = 0; r < TERMS; r++)
                for (int s = 0; s <= TERMS; s++)
                    a[r][s] += w * row[r] * row[s];
        }
    if (!solve(a, c))
        return false;
    determinant = 4 * c[3] * c[5] - c[4] * c[4];
    if (!(determinant > 0) || !(c[3] < 0))
        return false;
    *dx = (c[4] * c[2] - 2 * c[5] * c[1]) / determinant;
    *dy = (c[4] * c[1] - 2 * c[3] * c[2]) / determinant;
    length = hypot(*dx, *dy);
    if (length > width) {
        *dx *= width / length;
        *dy *= width / length;
    }
    return true;
}

static double edge_distance(const plane *p, long x, long y)
{
    long across = x < p->side - 1 - x ? x : p->side - 1 - x, down = y < p->side - 1 - y ? y : p->side - 1 - y;

    return (double)(across < down ? across : down);
}

/* Moves from the highest offset to the peak. Near the edge of C2D the weights get narrower: those of half a peak would
 * draw it to the side that is there. The offset stays if no step is possible or the steps lead away. */
static void refine(const plane *p, long px, long py, double half_width, penta_displacement *d)
{
    double width = fmax(0.5, fmin(weight_width * half_width, edge_distance(p, px, py) / 2));
    double x = (double)px, y = (double)py, dx = 0, dy = 0;

    for (int i = 0; i < MOST_ROUNDS; i++) {
        if (!newton_step(p, x, y, width, &dx, &dy))
            return;
        x += dx;
        y += dy;
        if (hypot(x - (double)px, y - (double)py) > fmax(1.5, half_width))
            return;
        if (hypot(dx, dy) < 1e-4)
            break;
    }
    d->dx += x - (double)px;
    d->dy += y - (double)py;
}

/* ---- the peak and the rest ---- */

/* Distance at which C2D has fallen to half, of four directions the mean of the middle two: where light that stays in
 * place prolongs the peak to one side, it is not as wide as that side. */
static double half_width(const plane *p, long px, long py)
{
    static const long ways[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    double top = at(p, px, py), sum = 0, least = HUGE_VAL, most = 0;

    for (int k = 0; k < 4; k++) {
        long r = 1;
        double before, here, wide;

        while (at(p, px + r * ways[k][0], py + r * ways[k][1]) > top / 2)
            r++;
        before = at(p, px + (r - 1) * ways[k][0], py + (r - 1) * ways[k][1]);
        here = at(p, px + r * ways[k][0], py + r * ways[k][1]);
        wide = (double)r - (before > here ? 1 - (before - top / 2) / (before - here) : 0); /* NaN: the edge */
        sum += wide;
        least = fmin(least, wide);
        most = fmax(most, wide);
    }
    return (sum - least - most) / 2;
}

static bool is_maximum(const plane *p, long x, long y)
{
    for (long j = -1; j <= 1; j++)
        for (long i = -1; i <= 1; i++)
            if (at(p, x + i, y + j) > at(p, x, y))
                return false;
    return true;
}

/* False where the peak fills C2D, so that there is little to compare it with: R is small, or the images share light
 * that varies slowly. */
static bool compare_with_rest(const plane *p, long px, long py, double far, penta_displacement *d)
{
    double n = 0, mean = 0, square = 0, second = 0;

    for (long y = 0; y < p->side; y++)
        for (long x = 0; x < p->side; x++) {
            double c = at(p, x, y), before = mean;

            if (isnan(c) || hypot((double)(x - px), (double)(y - py)) <= far)
                continue;
            n += 1;
            mean += (c - before) / n;
            square += (c - before) * (c - mean);
            if (c > second && is_maximum(p, x, y))
                second = c;
        }
    d->score = fmax(0, 1 - second / d->peak);
    d->sigmas = n > 1 && square > 0 ? (d->peak - mean) / sqrt(square / n) : (double)NAN;
    return n >= least_rest * (double)(p->side * p->side);
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

penta_displacement penta_displacement_find(const double *c2d, size_t max_offset)
{
    plane p = {c2d, 2 * (long)max_offset + 1};
    penta_displacement d = {PENTA_DISPLACEMENT_FLAT, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    long top = -1, px, py;
    double wide;
    bool stands_out;

    for (long i = 0; i < p.side * p.side; i++)
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
    stands_out = compare_with_rest(&p, px, py, apart * fmax(1, wide), &d);
    if (px == 0 || py == 0 || px == p.side - 1 || py == p.side - 1) {
        d.status = PENTA_DISPLACEMENT_AT_EDGE;
        return d;
    }
    refine(&p, px, py, wide, &d);
    d.status = judge(&d, stands_out);
    return d;
}

const char *penta_displacement_status_name(enum penta_displacement_status status)
{
    static const char *const names[] = {"ok", "ambiguous", "no_match", "at_edge", "flat"};

    return names[status];
}
