/* The background on nodes: a polynomial, and passes of local planes under a Gaussian of what it leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/prepare.h"
#include "support/device.h"

enum { NODE = 16, TERMS = 45 }; /* degree 8 at most */

void reference_nodes_free(reference_nodes *n)
{
    free(n->x);
    free(n->y);
    free(n->mean);
    free(n->weight);
    *n = (reference_nodes){0};
}

/* Where block i of n begins. */
static size_t edge(size_t i, size_t n, size_t size)
{
    return i * size / n;
}

static void place_nodes(size_t n, size_t size, double *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = ((double)edge(i, n, size) + (double)edge(i + 1, n, size) - 1) / 2;
}

static void block(const reference_nodes *n, const double *grey, const uint8_t *mask, size_t width, size_t height,
                  size_t i, size_t j, double *mean, double *weight)
{
    double sum = 0, count = 0;

    for (size_t y = edge(j, n->ny, height); y < edge(j + 1, n->ny, height); y++)
        for (size_t x = edge(i, n->nx, width); x < edge(i + 1, n->nx, width); x++)
            if (mask[y * width + x]) {
                sum += grey[y * width + x];
                count++;
            }
    *mean = count > 0 ? sum / count : 0;
    *weight = count;
}

void reference_prepare_nodes(const double *grey, const uint8_t *mask, size_t width, size_t height, reference_nodes *out)
{
    out->nx = (width + NODE - 1) / NODE;
    out->ny = (height + NODE - 1) / NODE;
    out->x = must_calloc(out->nx, sizeof *out->x);
    out->y = must_calloc(out->ny, sizeof *out->y);
    out->mean = must_calloc(out->nx * out->ny, sizeof *out->mean);
    out->weight = must_calloc(out->nx * out->ny, sizeof *out->weight);
    place_nodes(out->nx, width, out->x);
    place_nodes(out->ny, height, out->y);
    for (size_t j = 0; j < out->ny; j++)
        for (size_t i = 0; i < out->nx; i++)
            block(out, grey, mask, width, height, i, j, &out->mean[j * out->nx + i], &out->weight[j * out->nx + i]);
}

/* ---- polynomial ---- */

static double legendre(int n, double u)
{
    double before = 1, p = u;

    if (n == 0)
        return 1;
    for (int k = 1; k < n; k++) {
        double next = ((2 * k + 1) * u * p - k * before) / (k + 1);

        before = p;
        p = next;
    }
    return p;
}

/* P_a(u) P_b(v), a + b <= degree; returns how many. */
static int terms(int degree, double u, double v, double t[TERMS])
{
    int n = 0;

    for (int b = 0; b <= degree; b++)
        for (int a = 0; a + b <= degree; a++)
            t[n++] = legendre(a, u) * legendre(b, v);
    return n;
}

/* Solves m z = r for positive definite m by Cholesky, in place, z in r; false where it is not. */
static bool solve_positive(int n, double m[TERMS][TERMS], double r[TERMS])
{
    for (int j = 0; j < n; j++) {
        double diagonal = m[j][j];

        for (int i = j; i < n; i++) {
            for (int k = 0; k < j; k++)
                m[i][j] -= m[i][k] * m[j][k];
            if (i == j) {
                if (!(m[j][j] > 1e-12 * diagonal))
                    return false;
                m[j][j] = sqrt(m[j][j]);
            } else {
                m[i][j] /= m[j][j];
            }
        }
        for (int k = 0; k < j; k++)
            r[j] -= m[j][k] * r[k];
        r[j] /= m[j][j];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++)
            r[i] -= m[k][i] * r[k];
        r[i] /= m[i][i];
    }
    return true;
}

static void unit(const reference_nodes *n, size_t width, size_t height, size_t k, double *u, double *v)
{
    *u = (n->x[k % n->nx] - (double)(width - 1) / 2) / ((double)width / 2);
    *v = (n->y[k / n->nx] - (double)(height - 1) / 2) / ((double)height / 2);
}

/* Weighted least squares; false where there are too few nodes for the degree. q: the polynomial on the nodes. */
static bool fit_once(const reference_nodes *n, size_t width, size_t height, int degree, const double *weight, double *q)
{
    double m[TERMS][TERMS] = {{0}}, r[TERMS] = {0}, t[TERMS], u, v;
    int count = 0;

    for (size_t k = 0; k < n->nx * n->ny; k++) {
        unit(n, width, height, k, &u, &v);
        count = terms(degree, u, v, t);
        for (int i = 0; i < count; i++) {
            r[i] += weight[k] * t[i] * n->mean[k];
            for (int j = 0; j < count; j++)
                m[i][j] += weight[k] * t[i] * t[j];
        }
    }
    if (!solve_positive(count, m, r))
        return false;
    for (size_t k = 0; k < n->nx * n->ny; k++) {
        unit(n, width, height, k, &u, &v);
        terms(degree, u, v, t);
        q[k] = 0;
        for (int i = 0; i < count; i++)
            q[k] += r[i] * t[i];
    }
    return true;
}

static double bisquare(double r, double at)
{
    double t = at > 0 ? r / at : 0;

    return fabs(t) < 1 ? (1 - t * t) * (1 - t * t) : 0;
}

static double mean_of(const reference_nodes *n)
{
    double sum = 0, count = 0;

    for (size_t k = 0; k < n->nx * n->ny; k++) {
        sum += n->weight[k] * n->mean[k];
        count += n->weight[k];
    }
    return count > 0 ? sum / count : 0;
}

/* Weights of round `round` from the polynomial so far. */
static void reweight(const reference_nodes *n, const double *q, double least, int round, double *weight)
{
    double sum = 0, count = 0, s;

    for (size_t k = 0; k < n->nx * n->ny; k++)
        if (n->weight[k] > 0) {
            sum += fabs((n->mean[k] - q[k]) / fmax(q[k], least));
            count++;
        }
    s = count > 0 ? 1.2533 * sum / count : 0;
    for (size_t k = 0; k < n->nx * n->ny; k++) {
        double f = fmax(q[k], least);

        weight[k] = n->weight[k] / (f * f);
        if (round > 0)
            weight[k] *= bisquare((n->mean[k] - q[k]) / f, 4.685 * s);
    }
}

static void fit_polynomial(const reference_nodes *n, size_t width, size_t height, int degree, double *q)
{
    size_t count = n->nx * n->ny;
    double *weight = must_calloc(count, sizeof *weight), mean = mean_of(n);

    for (size_t k = 0; k < count; k++)
        q[k] = mean;
    for (int round = 0; round < 4; round++) {
        reweight(n, q, 0.05 * mean, round, weight);
        while (!fit_once(n, width, height, degree, weight, q) && degree > 0)
            degree--;
    }
    for (size_t k = 0; k < count; k++)
        q[k] = fmax(q[k], 0.05 * mean);
    free(weight);
}

/* ---- Gaussian ---- */

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/* The constant of the plane through mean / q under the Gaussian about node k. */
static double plane_at(const reference_nodes *n, const double *q, double sigma, size_t k)
{
    double one[3] = {0}, x[3] = {0}, y[3] = {0}, r[3] = {0}, whole; /* columns of the system, right side */

    for (size_t j = 0; j < n->nx * n->ny; j++) {
        double dx = n->x[j % n->nx] - n->x[k % n->nx], dy = n->y[j / n->nx] - n->y[k / n->nx];
        double w = n->weight[j] * exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
        const double d[3] = {1, dx, dy};

        for (int i = 0; i < 3; i++) {
            one[i] += w * d[i];
            x[i] += w * d[i] * dx;
            y[i] += w * d[i] * dy;
            r[i] += w * d[i] * n->mean[j] / q[j];
        }
    }
    whole = determinant(one, x, y);
    if (one[0] < 1 || whole < 1e-6 * pow(one[0], 3) * pow(sigma, 4))
        return one[0] > 0 ? r[0] / one[0] : 1;
    return determinant(r, x, y) / whole;
}

/* One pass over q: q (1 + s (G - 1)), s = max(0, 1 - by chance / measured) of the variances of G - 1. */
static void pass_planes(const reference_nodes *n, double area, double sigma, double least, double *q)
{
    size_t count = n->nx * n->ny;
    double *g = must_calloc(count, sizeof *g), slow = 0, rest = 0, chance, s;

    for (size_t k = 0; k < count; k++) {
        g[k] = plane_at(n, q, sigma, k);
        slow += n->weight[k] * pow(g[k] - 1, 2);
        rest += n->weight[k] * pow(n->mean[k] / q[k] - g[k], 2);
    }
    chance = 0.2 * rest * area / (double)count / (4 * 3.14159265358979323846 * sigma * sigma);
    s = slow > chance ? 1 - chance / slow : 0;
    for (size_t k = 0; k < count; k++)
        q[k] = fmax(q[k] * (1 + s * (g[k] - 1)), least);
    free(g);
}

void reference_prepare_fit(const reference_nodes *n, size_t width, size_t height, int degree, double sigma, double *b)
{
    fit_polynomial(n, width, height, degree, b);
    for (int pass = 0; sigma > 0 && pass < 4; pass++)
        pass_planes(n, (double)(width * height), sigma, 0.02 * mean_of(n), b);
}

/* ---- series ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double block_area(const reference_nodes *n, size_t width, size_t height, size_t k)
{
    size_t i = k % n->nx, j = k / n->nx;

    return (double)((edge(i + 1, n->nx, width) - edge(i, n->nx, width)) *
                    (edge(j + 1, n->ny, height) - edge(j, n->ny, height)));
}

void reference_prepare_series(const reference_nodes *n, size_t width, size_t height, size_t frames,
                              const double *surveys, int degree, double sigma, double *illumination)
{
    size_t count = n->nx * n->ny;
    reference_nodes median = *n;
    double *v = must_calloc(frames, sizeof *v), level;

    median.mean = must_calloc(count, sizeof *median.mean);
    median.weight = must_calloc(count, sizeof *median.weight);
    for (size_t k = 0; k < count; k++) {
        size_t m = 0;

        for (size_t t = 0; t < frames; t++)
            if (!isnan(surveys[t * count + k]))
                v[m++] = surveys[t * count + k];
        qsort(v, m, sizeof *v, ascending);
        median.mean[k] = m > 0 ? (v[m / 2] + v[(m - 1) / 2]) / 2 : 0;
        median.weight[k] = m > 0 ? block_area(n, width, height, k) : 0;
    }
    reference_prepare_fit(&median, width, height, degree, sigma, illumination);
    level = reference_prepare_level(n, width, height, illumination);
    for (size_t k = 0; k < count; k++)
        illumination[k] /= level;
    free(median.mean);
    free(median.weight);
    free(v);
}

/* ---- use ---- */

double reference_prepare_level(const reference_nodes *n, size_t width, size_t height, const double *b)
{
    double sum = 0;

    for (size_t k = 0; k < n->nx * n->ny; k++)
        sum += b[k] * block_area(n, width, height, k);
    return sum / ((double)width * (double)height);
}

/* The node before x, at most the last but one, and how far x lies from it to the next. */
static size_t node_before(const double *places, size_t n, double x, double *t)
{
    size_t i = 0;

    *t = 0;
    if (n < 2)
        return 0;
    while (i + 2 < n && places[i + 1] <= x)
        i++;
    *t = (x - places[i]) / (places[i + 1] - places[i]);
    return i;
}

double reference_prepare_background_at(const reference_nodes *n, const double *b, double x, double y)
{
    double t, s;
    size_t i = node_before(n->x, n->nx, x, &t), j = node_before(n->y, n->ny, y, &s);
    size_t right = n->nx > 1, down = n->ny > 1 ? n->nx : 0;
    const double *at = b + j * n->nx + i;

    return (1 - s) * ((1 - t) * at[0] + t * at[right]) + s * ((1 - t) * at[down] + t * at[down + right]);
}
