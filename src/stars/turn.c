/*
 * On an interval of the time, u from -1 to 1, both coordinates are interpolated in the points u_j = cos(pi j / N) by
 * sum'' c_k T_k(u), the first and last terms halved (Clenshaw and Curtis); an interval is halved until the last
 * coefficients have died away. |T_k'| <= k^2 and |T_k''| <= k^2 (k^2 - 1) / 3 bound speed and curvature, and so the
 * number of pieces. Each piece has the mean position and the mean velocity (by least squares) of its time.
 */
#include "stars/turn.h"

#include <math.h>

#include "core/core.h"

enum {
    ORDER = 12,
    NODES = ORDER + 1,
    MOST_DEPTH = 20,
    MOST_PIECES = 64 /* of an interval: with more, its halves that leave the frame need not be cut */
};

#define MOST_ANGLE 0.25 /* rad, of an interval whose coefficients are trusted */
#define RESOLVED   1e-6 /* px, of the last coefficients */
#define PI         3.14159265358979323846

typedef struct {
    double x[NODES], y[NODES];   /* at u_j: the end of the interval comes first */
    double cx[NODES], cy[NODES]; /* coefficients, the first and last halved */
} arc;

typedef struct {
    const stars_turn *turn;
    stars_pieces *pieces;
    double *sum;
    double cosine[2 * ORDER]; /* of pi k / ORDER */
} cutter;

/* ---- polynomials ---- */

static void transform(const double *cosine, const double f[NODES], double c[NODES])
{
    for (int k = 0; k < NODES; k++) {
        double sum = 0;

        for (int j = 0; j < NODES; j++)
            sum += f[j] * cosine[j * k % (2 * ORDER)] * (j == 0 || j == ORDER ? 0.5 : 1);
        c[k] = 2 * sum / ORDER * (k == 0 || k == ORDER ? 0.5 : 1);
    }
}

/* sum c_k T_k(u), by Clenshaw's recurrence. */
static double value_at(const double c[NODES], double u)
{
    double b1 = 0, b2 = 0;

    for (int k = ORDER; k > 0; k--) {
        double b = c[k] + 2 * u * b1 - b2;

        b2 = b1;
        b1 = b;
    }
    return c[0] + u * b1 - b2;
}

/* Mean over the interval: that of T_k is 1 / (1 - k^2) for even k, else 0. */
static double mean_of(const double c[NODES])
{
    double sum = 0;

    for (int k = 0; k <= ORDER; k += 2)
        sum += c[k] / (1 - (double)k * k);
    return sum;
}

/* ---- an interval ---- */

/* Positions at the nodes of [low, high], shares of the turn; how many of them are in the picture. */
static int find_nodes(const cutter *c, double low, double high, arc *out)
{
    const stars_turn *t = c->turn;
    double moment[NODES];
    int there = 0;

    for (int j = 0; j < NODES; j++)
        moment[j] = low + (high - low) * (0.5 + 0.5 * c->cosine[j]);
    if (penta_sky_project_turn(t->camera, t->from, t->to, t->ra, t->dec, NODES, moment, out->x, out->y) != PENTA_OK)
        return 0;
    for (int j = 0; j < NODES; j++)
        there += isfinite(out->x[j]) && isfinite(out->y[j]);
    return there;
}

static bool is_resolved(const arc *a, bool far)
{
    double tail = 0, size = 0;

    for (int k = ORDER - 1; k <= ORDER; k++)
        tail = fmax(tail, hypot(a->cx[k], a->cy[k]));
    for (int j = 0; j < NODES; j++)
        size = fmax(size, fabs(a->x[j]) + fabs(a->y[j]));
    return tail <= RESOLVED + (far ? 1e-8 : 1e-13) * size;
}

/* Between two nodes a smooth curve stays within their distance of them. */
static bool is_far(const stars_frame *frame, const arc *a)
{
    double gap = 0, left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY, reach;

    for (int j = 0; j < NODES; j++) {
        left = fmin(left, a->x[j]);
        right = fmax(right, a->x[j]);
        top = fmin(top, a->y[j]);
        bottom = fmax(bottom, a->y[j]);
        if (j > 0)
            gap = fmax(gap, hypot(a->x[j] - a->x[j - 1], a->y[j] - a->y[j - 1]));
    }
    reach = gap + frame->roi;
    return right < -reach || left > (double)frame->width + reach || bottom < -reach ||
           top > (double)frame->height + reach;
}

/*
 * Pieces of equal time that are short and straight enough. A piece of length L with the sagitta s is 2 s / 3 off at its
 * ends, and s / 3 to the other side in its middle. Where it is long that counts by the slope of the PSF, 0.6 / sigma;
 * where it is short the two cancel but for 0.064 s L / sigma^2 (error_of in trail.c).
 */
static double count_pieces(const stars_frame *frame, const arc *a)
{
    double speed = 0, bend = 0; /* px in u, px in u^2 */
    double straight, cancelling;

    for (int k = 1; k <= ORDER; k++) {
        double size = hypot(a->cx[k], a->cy[k]), k2 = (double)k * k;

        speed += size * k2;
        bend += size * k2 * (k2 - 1) / 3;
    }
    straight = sqrt(bend / (2 * stars_straight(frame)));
    cancelling = 2 * cbrt(0.016 * bend * speed / (STARS_OFF * frame->light * frame->light));
    return ceil(fmax(1, fmax(2 * speed / frame->longest, fmin(straight, cancelling))));
}

/* Gauss's rule with three points: exact for the mean and the first moment of polynomials to degree 4. */
static penta_status add_pieces(const cutter *c, const arc *a, double count, double share)
{
    static const double root = 0.77459666924148337704; /* sqrt(3/5) */
    penta_status status = PENTA_OK;
    double half = 1 / count;

    for (double i = 0; i < count; i++) {
        double u = -1 + (2 * i + 1) * half, early = u - root * half, late = u + root * half;
        double x0 = value_at(a->cx, early), x1 = value_at(a->cx, u), x2 = value_at(a->cx, late);
        double y0 = value_at(a->cy, early), y1 = value_at(a->cy, u), y2 = value_at(a->cy, late);

        TRY(stars_pieces_add(c->pieces, c->turn->frame, c->turn->owner, (5 * x0 + 8 * x1 + 5 * x2) / 18,
                             (5 * y0 + 8 * y1 + 5 * y2) / 18, 5 * root / 3 * (x2 - x0), 5 * root / 3 * (y2 - y0),
                             share / count));
    }
cleanup:
    return status;
}

static penta_status cut(const cutter *c, double low, double high, int depth)
{
    const stars_turn *t = c->turn;
    double middle = low + (high - low) / 2, share = (high - low) * (t->end - t->begin), count = 1;
    bool last = depth == MOST_DEPTH, slow = (high - low) * t->angle <= MOST_ANGLE, far = false;
    arc a;
    int there = find_nodes(c, low, high, &a);

    if (there == NODES) {
        transform(c->cosine, a.x, a.cx);
        transform(c->cosine, a.y, a.cy);
        far = is_far(t->frame, &a);
        count = far ? 1 : count_pieces(t->frame, &a);
    }
    if (there < NODES && (last || (there == 0 && slow))) {
        c->sum[0] = c->sum[1] = NAN;
        return PENTA_OK;
    }
    if (far && slow && isnan(c->sum[0])) /* neither a piece nor a part of a mean */
        return PENTA_OK;
    if (!last && (there < NODES || !slow || !is_resolved(&a, far) || count > MOST_PIECES)) {
        penta_status status = cut(c, low, middle, depth + 1);

        return status == PENTA_OK ? cut(c, middle, high, depth + 1) : status;
    }
    c->sum[0] += share * mean_of(a.cx);
    c->sum[1] += share * mean_of(a.cy);
    return far ? PENTA_OK : add_pieces(c, &a, fmin(count, MOST_PIECES), share);
}

penta_status stars_turn_cut(const stars_turn *turn, stars_pieces *pieces, double sum[2])
{
    cutter c = {.turn = turn, .pieces = pieces, .sum = sum};

    for (int k = 0; k < 2 * ORDER; k++)
        c.cosine[k] = cos(PI * k / ORDER);
    return cut(&c, 0, 1, 0);
}
