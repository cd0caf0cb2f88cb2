/* Registration by correlation coefficients, every shift tried; smoothing of drifts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/prepare.h"
#include "support/device.h"

/* ---- see ---- */

enum { REACH = 5, FILL_REACH = 4 };
#define DARK 0.05

/* Blocks of pixels: their sums and counts, then logarithms and weights, then the wide average. */
typedef struct wide {
    long nx, ny, block;
    double *value, *count;
} wide;

static wide make_wide(const double *grey, const uint8_t *mask, long width, long height, long block)
{
    wide w = {(width + block - 1) / block, (height + block - 1) / block, block, NULL, NULL};

    w.value = must_calloc((size_t)(w.nx * w.ny), sizeof *w.value);
    w.count = must_calloc((size_t)(w.nx * w.ny), sizeof *w.count);
    for (long y = 0; y < height; y++)
        for (long x = 0; x < width; x++)
            if (mask[y * width + x]) {
                w.value[y / block * w.nx + x / block] += grey[y * width + x];
                w.count[y / block * w.nx + x / block]++;
            }
    return w;
}

static double level_of(const wide *w)
{
    double sum = 0, count = 0;

    for (long k = 0; k < w->nx * w->ny; k++) {
        sum += w->value[k];
        count += w->count[k];
    }
    return count > 0 ? sum / count : 0;
}

/* Means' logarithms; what is too dark does not count. */
static void take_logarithms(wide *w, double least)
{
    for (long k = 0; k < w->nx * w->ny; k++) {
        if (!(w->value[k] >= least * w->count[k]))
            w->count[k] = 0;
        w->value[k] = w->count[k] > 0 ? log(w->value[k] / w->count[k]) : 0;
    }
}

/* The plane through the blocks about (i, j), of weights n / (r^2 + 1/2)^3; NaN where under a tenth of their pixels
 * count. */
static double plane_at(const wide *w, long i, long j)
{
    double n = 0, d = 0, x = 0, y = 0, v = 0, xx = 0.05, xy = 0, yy = 0.05, xv = 0, yv = 0, det;

    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            x /= d;
            y /= d;
            v /= d;
        }
        for (long q = -FILL_REACH; q <= FILL_REACH; q++)
            for (long p = -FILL_REACH; p <= FILL_REACH; p++) {
                long at = (j + q) * w->nx + i + p;
                double weight, dx = (double)p - x, dy = (double)q - y;

                if (i + p < 0 || j + q < 0 || i + p >= w->nx || j + q >= w->ny)
                    continue;
                weight = w->count[at] / pow((double)(p * p + q * q) + 0.5, 3);
                if (pass == 0) {
                    n += w->count[at];
                    d += weight;
                    x += weight * (double)p;
                    y += weight * (double)q;
                    v += weight * w->value[at];
                } else {
                    xx += weight / d * dx * dx;
                    xy += weight / d * dx * dy;
                    yy += weight / d * dy * dy;
                    xv += weight / d * dx * (w->value[at] - v);
                    yv += weight / d * dy * (w->value[at] - v);
                }
            }
        if (n < 0.1 * 81 * (double)(w->block * w->block))
            return NAN;
    }
    det = xx * yy - xy * xy;
    return v - (x * (yy * xv - xy * yv) + y * (xx * yv - xy * xv)) / det;
}

static void fill_up(wide *w)
{
    double *value = must_calloc((size_t)(w->nx * w->ny), sizeof *value), area = (double)(w->block * w->block);
    double *count = must_calloc((size_t)(w->nx * w->ny), sizeof *count);

    for (long k = 0; k < w->nx * w->ny; k++) {
        double fill = w->count[k] < area ? plane_at(w, k % w->nx, k / w->nx) : NAN;

        value[k] = isnan(fill) ? w->value[k] : (w->count[k] * w->value[k] + (area - w->count[k]) * fill) / area;
        count[k] = isnan(fill) ? w->count[k] : area;
    }
    free(w->value);
    free(w->count);
    w->value = value;
    w->count = count;
}

/* NaN where under a twentieth of the Gaussian's weight is on pixels that count. */
static void average(wide *w, double sigma)
{
    long reach = (long)ceil(3 * sigma / (double)w->block);
    double *out = must_calloc((size_t)(w->nx * w->ny), sizeof *out);

    for (long k = 0; k < w->nx * w->ny; k++) {
        double sum = 0, count = 0, all = 0;

        for (long q = -reach; q <= reach; q++)
            for (long p = -reach; p <= reach; p++) {
                long i = k % w->nx + p, j = k / w->nx + q;
                double g = exp(-(double)((p * p + q * q) * w->block * w->block) / (2 * sigma * sigma));

                all += g * (double)(w->block * w->block);
                if (i < 0 || j < 0 || i >= w->nx || j >= w->ny)
                    continue;
                sum += g * w->count[j * w->nx + i] * w->value[j * w->nx + i];
                count += g * w->count[j * w->nx + i];
            }
        out[k] = count > 0.05 * all ? exp(sum / count) : NAN;
    }
    free(w->value);
    w->value = out;
}

static double spline(double t)
{
    double a = fabs(t);

    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

/* Splines of degree 2 about the nodes, those at the sides going on beyond. */
static double wide_at(const wide *w, long x, long y)
{
    double u = ((double)x + 0.5) / (double)w->block - 0.5, v = ((double)y + 0.5) / (double)w->block - 0.5, sum = 0;

    for (long j = y / w->block - 1; j <= y / w->block + 1; j++)
        for (long i = x / w->block - 1; i <= x / w->block + 1; i++) {
            long at_x = i < 0 ? 0 : i >= w->nx ? w->nx - 1 : i, at_y = j < 0 ? 0 : j >= w->ny ? w->ny - 1 : j;

            sum += spline(u - (double)i) * spline(v - (double)j) * w->value[at_y * w->nx + at_x];
        }
    return sum;
}

static double narrow_at(const double *grey, const uint8_t *mask, long width, long height, long x, long y)
{
    double sum = 0, count = 0;

    for (long v = y - REACH; v <= y + REACH; v++)
        for (long u = x - REACH; u <= x + REACH; u++) {
            double w = exp(-(double)((u - x) * (u - x) + (v - y) * (v - y)) / (2 * 1.5 * 1.5));

            if (u < 0 || v < 0 || u >= width || v >= height || !mask[v * width + u])
                continue;
            sum += w * grey[v * width + u];
            count += w;
        }
    return sum / count;
}

void reference_prepare_see(const double *grey, const uint8_t *mask, size_t width, size_t height, double *out,
                           uint8_t *out_mask)
{
    double side = (double)(width < height ? width : height), sigma = fmax(side / 32, 4);
    long border = (long)fmin(floor(2.5 * sigma + 0.5), floor(side / 8)), right = (long)width, bottom = (long)height;
    wide w = make_wide(grey, mask, right, bottom, (long)fmin(floor(sigma / 3 + 0.5), 16));
    double least = fmax(DARK * level_of(&w), 1e-20);

    take_logarithms(&w, least);
    fill_up(&w);
    average(&w, sigma);
    for (long y = 0; y < bottom; y++)
        for (long x = 0; x < right; x++) {
            long at = y * right + x;
            bool inside = x >= border && y >= border && x < right - border && y < bottom - border;
            double about = inside ? wide_at(&w, x, y) : NAN;

            out_mask[at] = mask[at] && about >= least;
            out[at] = out_mask[at] ? narrow_at(grey, mask, right, bottom, x, y) / about - 1 : 0;
        }
    free(w.value);
    free(w.count);
}

/* ---- correlation ---- */

/* Two frames; g at p + (sx, sy) is compared with f at p. */
typedef struct pair {
    const double *f, *g;
    const uint8_t *f_mask, *g_mask;
    size_t width, height;
} pair;

typedef struct sums {
    double n, f, g, ff, gg, fg;
} sums;

static void add(sums *s, double f, double g)
{
    s->n++;
    s->f += f;
    s->g += g;
    s->ff += f * f;
    s->gg += g * g;
    s->fg += f * g;
}

static double coefficient(const sums *s, double least)
{
    double f = s->n * s->ff - s->f * s->f, g = s->n * s->gg - s->g * s->g;

    return s->n < least || f <= 0 || g <= 0 ? NAN : (s->n * s->fg - s->f * s->g) / sqrt(f * g);
}

double reference_prepare_coefficient(const double *f, const uint8_t *f_mask, const double *g, const uint8_t *g_mask,
                                     size_t width, size_t height, int sx, int sy, double least)
{
    sums s = {0};

    for (long y = sy < 0 ? -sy : 0; y < (long)height && y + sy < (long)height; y++)
        for (long x = sx < 0 ? -sx : 0; x < (long)width && x + sx < (long)width; x++) {
            size_t at = (size_t)y * width + (size_t)x, there = (size_t)(y + sy) * width + (size_t)(x + sx);

            if (f_mask[at] && g_mask[there])
                add(&s, f[at], g[there]);
        }
    return coefficient(&s, least);
}

/* ---- parts of a pixel ---- */

/* Which pixels count: |g - a - b f| <= limit, g at `part` of a pixel from its whole place, linearly interpolated. */
typedef struct clip {
    double part[2], a, b, limit;
} clip;

static double between(const pair *p, size_t at, const double part[2])
{
    long right = part[0] < 0 ? -1 : 1, down = (part[1] < 0 ? -1 : 1) * (long)p->width;
    double t = fabs(part[0]), s = fabs(part[1]);
    const double *g = p->g + at;

    return (1 - s) * ((1 - t) * g[0] + t * g[right]) + s * ((1 - t) * g[down] + t * g[down + right]);
}

/* 3 x 3 about `at` of g's mask, (x, y) not being on the edge. */
static bool whole(const pair *p, size_t at)
{
    for (long v = -1; v <= 1; v++)
        for (long u = -1; u <= 1; u++)
            if (!p->g_mask[(size_t)((long)at + v * (long)p->width + u)])
                return false;
    return true;
}

/* The sums of the 9 shifts about (sx, sy), the same pixels in each. */
static void nine_sums(const pair *p, int sx, int sy, const clip *c, sums s[9])
{
    memset(s, 0, 9 * sizeof *s);
    for (long y = 0; y < (long)p->height; y++)
        for (long x = 0; x < (long)p->width; x++) {
            size_t at = (size_t)y * p->width + (size_t)x, there = (size_t)(y + sy) * p->width + (size_t)(x + sx);

            if (x + sx < 1 || y + sy < 1 || x + sx >= (long)p->width - 1 || y + sy >= (long)p->height - 1 ||
                !p->f_mask[at] || !whole(p, there) ||
                fabs(between(p, there, c->part) - c->a - c->b * p->f[at]) > c->limit)
                continue;
            for (int i = 0; i < 9; i++)
                add(&s[i], p->f[at], p->g[(size_t)((long)there + (i / 3 - 1) * (long)p->width + i % 3 - 1)]);
        }
}

/* The maximum of the least-squares quadratic through 3 x 3 values v; top: there. */
static bool top_of(const double v[9], double part[2], double *top)
{
    double mean = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0, c, d;

    for (int i = 0; i < 9; i++) {
        int u = i % 3 - 1, w = i / 3 - 1;

        mean += v[i] / 9;
        x += u * v[i] / 6;
        y += w * v[i] / 6;
        xx += (u * u - 2 / 3.0) * v[i] / 2;
        yy += (w * w - 2 / 3.0) * v[i] / 2;
        xy += u * w * v[i] / 4;
    }
    c = mean - 2 / 3.0 * (xx + yy);
    d = 4 * xx * yy - xy * xy;
    if (!(d > 0) || xx >= 0)
        return false;
    part[0] = (xy * y - 2 * yy * x) / d;
    part[1] = (xy * x - 2 * xx * y) / d;
    *top = c + (x * part[0] + y * part[1]) / 2;
    return fabs(part[0]) <= 1 && fabs(part[1]) <= 1;
}

static bool peak_of(const sums s[9], double part[2], double *top)
{
    double r[9];
    bool positive = true;

    for (int i = 0; i < 9; i++) {
        r[i] = coefficient(&s[i], 1);
        positive = positive && r[i] > 0;
    }
    for (int i = 0; positive && i < 9; i++)
        r[i] = log(r[i]);
    if (!top_of(r, part, top))
        return false;
    if (positive)
        *top = exp(*top);
    return true;
}

/* From the sums of the middle: the regression of g on f, and 3 standard deviations of what it leaves. */
static void clip_from(const sums *m, clip *c)
{
    double ff = m->ff - m->f * m->f / m->n, gg = m->gg - m->g * m->g / m->n, fg = m->fg - m->f * m->g / m->n;

    c->b = fg / ff;
    c->a = (m->g - c->b * m->f) / m->n;
    c->limit = 3 * sqrt(fmax(gg - c->b * fg, 0) / m->n);
}

static penta_drift refine(const pair *p, int sx, int sy, double score)
{
    clip c = {.limit = INFINITY};
    sums s[9];
    double top;

    for (int round = 0; round < 4; round++) {
        nine_sums(p, sx, sy, &c, s);
        if (!peak_of(s, c.part, &top))
            break;
        if (round == 0)
            score = top;
        clip_from(&s[4], &c);
    }
    return (penta_drift){.dx = sx + c.part[0], .dy = sy + c.part[1], .score = score};
}

penta_drift reference_prepare_shift(const double *f, const uint8_t *f_mask, const double *g, const uint8_t *g_mask,
                                    size_t width, size_t height, int most_x, int most_y)
{
    const pair p = {f, g, f_mask, g_mask, width, height};
    double best = -INFINITY, least = (double)(width * height) / 16;
    int x = 0, y = 0;

    for (int sy = -most_y; sy <= most_y; sy++)
        for (int sx = -most_x; sx <= most_x; sx++) {
            double r = reference_prepare_coefficient(f, f_mask, g, g_mask, width, height, sx, sy, least);

            if (r > best) {
                best = r;
                x = sx;
                y = sy;
            }
        }
    return refine(&p, x, y, best);
}

/* ---- smoothing ---- */

static double tricube(double t)
{
    double c = 1 - t * t * t;

    return t < 1 ? c * c * c : 0;
}

/* The line through (k, v[k]) at i, weighted by distance and by trust; NaN where there is nothing. */
static double line_at(size_t n, const double *v, const double *trust, size_t frames, size_t i)
{
    double w0 = 0, w1 = 0, w2 = 0, r0 = 0, r1 = 0, d;

    for (size_t k = 0; k < n; k++) {
        double x = (double)k - (double)i, w = trust[k] * tricube(fabs(x) / (double)(frames + 1));

        if (!(w > 0))
            continue;
        w0 += w;
        w1 += w * x;
        w2 += w * x * x;
        r0 += w * v[k];
        r1 += w * x * v[k];
    }
    d = w0 * w2 - w1 * w1;
    return d > 1e-9 * w0 * w0 ? (r0 * w2 - r1 * w1) / d : r0 / w0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Bisquare weights of the residuals v - fit of what is measured, over 6 of their median. */
static void distrust(size_t n, const double *v, const double *fit, const bool *measured, double *trust)
{
    double *r = must_calloc(n, sizeof *r), at;
    size_t m = 0;

    for (size_t k = 0; k < n; k++)
        if (measured[k])
            r[m++] = fabs(v[k] - fit[k]);
    qsort(r, m, sizeof *r, ascending);
    at = m > 0 ? 6 * (r[m / 2] + r[(m - 1) / 2]) / 2 : 0;
    for (size_t k = 0; k < n && at > 0; k++) {
        double t = fabs(v[k] - fit[k]) / at;

        trust[k] = measured[k] && t < 1 ? (1 - t * t) * (1 - t * t) : 0;
    }
    free(r);
}

static void smooth_one(size_t n, const bool *measured, size_t frames, double *v)
{
    double *trust = must_calloc(n, sizeof *trust), *fit = must_calloc(n, sizeof *fit);

    for (size_t k = 0; k < n; k++)
        trust[k] = measured[k];
    for (int round = 0; round < 3; round++) {
        if (round > 0)
            distrust(n, v, fit, measured, trust);
        for (size_t i = 0; i < n; i++)
            fit[i] = line_at(n, v, trust, frames, i);
    }
    for (size_t i = 0; i < n; i++)
        v[i] = fit[i] - fit[0];
    free(trust);
    free(fit);
}

void reference_prepare_smooth(size_t n, penta_drift *drift, size_t frames)
{
    double *v = must_calloc(3 * n + 1, sizeof *v);
    bool *measured = must_calloc(n + 1, sizeof *measured);

    for (size_t i = 0; i < n; i++) {
        v[i] = drift[i].dx;
        v[n + i] = drift[i].dy;
        v[2 * n + i] = drift[i].angle;
        measured[i] = !isnan(drift[i].score);
    }
    for (size_t i = 0; i < 3 && frames > 0 && n > 0; i++)
        smooth_one(n, measured, frames, v + i * n);
    for (size_t i = 0; i < n; i++) {
        drift[i].dx = v[i];
        drift[i].dy = v[n + i];
        drift[i].angle = v[2 * n + i];
    }
    free(v);
    free(measured);
}
