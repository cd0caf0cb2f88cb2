/*
 * How wide the fit to a peak is. What moved makes its top; light that varies slowly, and large things that moved
 * otherwise or are cut off by the frame, make the peak broad and draw it aside. So the fit should be narrow; but noise
 * bends C2D over few offsets more than over many. Of several widths the best is the one with the least slope of C2D
 * elsewhere over the curvature of the peak, which is what that slope moves it by. Of the curvature, only that counts
 * which exceeds by far what C2D has elsewhere: the highest offset of a noisy C2D is one that noise has bent.
 */
#include <math.h>

#include "displacement_fit.h"

enum { ACROSS = 20, LEAST_PLACES = 16, MOST_REACH = 18 }; /* the reach is largest just below 9 pixels of width */
static const double least_width = 0.5;                    /* pixels */
static const double chance = 4;       /* curvature of the peak beyond this many times that elsewhere counts */
static const double worthwhile = 0.8; /* a narrower fit must move by less than this part of what a wider one does */

/* Gaussian weights on whole offsets, and their moments. */
typedef struct {
    long step;
    int reach;
    double weights[2 * MOST_REACH + 1][2 * MOST_REACH + 1];
    double square, mean_radius, spread_radius; /* sums of w u^2 and w (r^2 - mean)^2, r^2 in the mean */
} window;

static void make_window(window *out, double width)
{
    double all = 0, second = 0, fourth = 0;

    out->step = width > 6 ? lround(width / 6) : 1;
    out->reach = (int)ceil(2 * width / (double)out->step);
    for (int j = -out->reach; j <= out->reach; j++)
        for (int i = -out->reach; i <= out->reach; i++) {
            double r2 = (double)(i * i + j * j) * (double)(out->step * out->step), w = exp(-r2 / (2 * width * width));

            out->weights[j + MOST_REACH][i + MOST_REACH] = w;
            all += w;
            second += w * r2;
            fourth += w * r2 * r2;
        }
    out->square = second / 2;
    out->mean_radius = second / all;
    out->spread_radius = fourth - second * second / all;
}

/* Squares of slope (along an axis, in the mean of both) and mean curvature of C2D. */
typedef struct {
    double slope, curvature;
} roughness;

/* By fits about a place; NaN near the edge. */
static roughness roughness_at(const penta_offsets *c, const window *w, long x, long y)
{
    double along_x = 0, along_y = 0, radial = 0;

    for (int j = -w->reach; j <= w->reach; j++)
        for (int i = -w->reach; i <= w->reach; i++) {
            double u = (double)(i * w->step), v = (double)(j * w->step);
            double value =
                w->weights[j + MOST_REACH][i + MOST_REACH] * penta_offsets_at(c, x + i * w->step, y + j * w->step);

            along_x += u * value;
            along_y += v * value;
            radial += (u * u + v * v - w->mean_radius) * value;
        }
    along_x /= w->square;
    along_y /= w->square;
    radial *= 2 / w->spread_radius;
    return (roughness){(along_x * along_x + along_y * along_y) / 2, radial * radial};
}

/* Root mean squares over places farther than that from the peak; NaN: too few are. */
static roughness roughness_beyond(const penta_offsets *c, const window *w, long px, long py, double distance)
{
    long step = c->side > ACROSS ? c->side / ACROSS : 1;
    roughness sum = {0, 0};
    double n = 0;

    for (long y = step / 2; y < c->side; y += step)
        for (long x = step / 2; x < c->side; x += step) {
            roughness here;

            if (hypot((double)(x - px), (double)(y - py)) <= distance)
                continue;
            here = roughness_at(c, w, x, y);
            if (isnan(here.slope))
                continue;
            sum.slope += here.slope;
            sum.curvature += here.curvature;
            n++;
        }
    if (n < LEAST_PLACES)
        return (roughness){(double)NAN, (double)NAN};
    return (roughness){sqrt(sum.slope / n), sqrt(sum.curvature / n)};
}

/* Beyond far if there is enough of C2D, else from nearer on. */
static roughness roughness_elsewhere(const penta_offsets *c, long px, long py, double far, double width)
{
    roughness found;
    window w;

    make_window(&w, width);
    do {
        found = roughness_beyond(c, &w, px, py, far + 2 * width);
        far /= 2;
    } while (isnan(found.slope) && far > 0.5);
    return found;
}

/* What the slopes elsewhere move the peak by, in the direction in which it is least curved; NaN: more than one knows.
 */
static double moved_by(const penta_offsets *c, long px, long py, double far, double width)
{
    roughness elsewhere = roughness_elsewhere(c, px, py, far, width);
    double mean, curvature;
    penta_quadratic q;

    if (!penta_quadratic_fit(c, (double)px, (double)py, width, &q))
        return (double)NAN;
    mean = -(q.xx + q.yy);
    curvature = mean - hypot(q.xx - q.yy, q.xy) - chance * elsewhere.curvature;
    return curvature > 0 ? elsewhere.slope / curvature : (double)NAN;
}

bool penta_displacement_width(const penta_offsets *c, long px, long py, double far, double widest, double *best)
{
    double least = HUGE_VAL;

    *best = fmax(least_width, widest);
    for (double width = *best;; width = fmax(least_width, width / 2)) {
        double moved = moved_by(c, px, py, far, width);

        if (moved < (isinf(least) ? least : worthwhile * least)) {
            least = moved;
            *best = width;
        }
        if (width <= least_width)
            return isfinite(least);
    }
}
