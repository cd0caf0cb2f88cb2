/*
 * Robust fit of a polynomial to nodes, in rounds of rows, gather, solve, evaluate; src/prepare/background_poly.c has
 * the formulas and the layouts. All in reals. Every sum has a fixed order, so that a frame's fit does not depend on
 * the other frames of the batch. DEGREE: degree of the polynomial.
 */
#include "common/real.clh"

#define TERMS ((DEGREE + 1) * (DEGREE + 2) / 2) /* also the number of pairs a <= a' */
#define SUMS  (TERMS + DEGREE + 1)

/* A pivot that has lost all but this share of itself to rounding counts as none. */
#ifdef PENTA_FP64
#define SINGULAR 1e-12
#else
#define SINGULAR 1e-5f
#endif

/* Robust standard deviation of the relative residuals, from the mean of their absolute values. */
static inline real scale_of(__global const real2 *residuals, int ny)
{
    real2 all = 0;

    for (int j = 0; j < ny; j++)
        all += residuals[j];
    return all.y > 0 ? 1.2533 * all.x / all.y : 0;
}

/* Work-item (j, f): the sums over row j. In `round` 0 trend is the level, and nodes are weighted by pixels only. */
__kernel void prepare_poly_rows(__global const float *restrict mean, __global const float *restrict weight,
                                __global const float *restrict trend, __global const real *restrict level,
                                __global const real2 *restrict residuals, __global const real *restrict along_x,
                                int nx, int ny, int pitch, int round, __global real *restrict row_sums)
{
    int j = get_global_id(0), f = get_global_id(1);
    real sums[SUMS], s, least = level[f] / 20;
    long row = ((long)f * ny + j) * pitch;

    if (j >= ny)
        return;
    s = round ? 4.685 * scale_of(residuals + (long)f * ny, ny) : 0;
    for (int k = 0; k < SUMS; k++)
        sums[k] = 0;
    for (int i = 0; i < nx; i++) {
        __global const real *p = along_x + (long)i * SUMS;
        real v = mean[row + i], q = round ? (real)trend[row + i] : level[f], at = fmax(q, least);
        real w = weight[row + i] / (at * at), u = s > 0 ? (v - q) / (at * s) : 0;

        w = fabs(u) < 1 ? w * (1 - u * u) * (1 - u * u) : 0;
        for (int k = 0; k < TERMS; k++)
            sums[k] += w * p[k];
        for (int k = TERMS; k < SUMS; k++)
            sums[k] += w * v * p[k];
    }
    for (int k = 0; k < SUMS; k++)
        row_sums[((long)f * ny + j) * SUMS + k] = sums[k];
}

/* Work-item (e, f): entry e of the equations. */
__kernel void prepare_poly_gather(__global const real *restrict row_sums, __global const real *restrict along_y,
                                  __global const int *restrict table, int ny, int entries,
                                  __global real *restrict equations)
{
    int e = get_global_id(0), f = get_global_id(1), k, a, b;
    real sum = 0;

    if (e >= entries)
        return;
    k = table[3 * e];
    a = table[3 * e + 1];
    b = table[3 * e + 2];
    for (int j = 0; j < ny; j++) {
        __global const real *p = along_y + (long)j * (DEGREE + 1);

        sum += row_sums[((long)f * ny + j) * SUMS + k] * (p[a] * p[b]);
    }
    equations[(long)f * entries + e] = sum;
}

/* Cholesky factorisation in place; returns the number of terms of the complete degrees before the first pivot that is
 * not positive. */
static inline int factor(__global real *m)
{
    int usable = 0; /* terms of complete degrees */

    for (int k = 0, degree = 0; k < TERMS; k++) {
        __global real *row = m + k * (k + 1) / 2;
        real pivot = row[k], rest;

        for (int l = 0; l <= k; l++) {
            __global const real *other = m + l * (l + 1) / 2;

            rest = row[l];
            for (int i = 0; i < l; i++)
                rest -= row[i] * other[i];
            row[l] = l < k ? rest / other[l] : rest;
        }
        if (!(row[k] > SINGULAR * pivot))
            return usable;
        row[k] = sqrt(row[k]);
        if (k + 1 == (degree + 1) * (degree + 2) / 2) {
            usable = k + 1;
            degree++;
        }
    }
    return usable;
}

/* Work-item f: the coefficients of a frame. With too few nodes for the degree, uses a lower one; without nodes, the
 * level. */
__kernel void prepare_poly_solve(__global const real *restrict level, int n, __global real *restrict equations,
                                 __global real *restrict coefficients)
{
    int f = get_global_id(0), terms;

    if (f >= n)
        return;
    equations += (long)f * (TERMS * (TERMS + 1) / 2 + TERMS);
    coefficients += (long)f * TERMS;
    terms = factor(equations);
    for (int k = 0; k < TERMS; k++)
        coefficients[k] = equations[TERMS * (TERMS + 1) / 2 + k];
    for (int k = 0; k < terms; k++) {
        __global const real *row = equations + k * (k + 1) / 2;

        for (int l = 0; l < k; l++)
            coefficients[k] -= row[l] * coefficients[l];
        coefficients[k] /= row[k];
    }
    for (int k = terms - 1; k >= 0; k--) {
        for (int l = k + 1; l < terms; l++)
            coefficients[k] -= equations[l * (l + 1) / 2 + k] * coefficients[l];
        coefficients[k] /= equations[k * (k + 1) / 2 + k];
    }
    for (int k = terms; k < TERMS; k++)
        coefficients[k] = 0;
    if (terms == 0)
        coefficients[0] = level[f];
}

/* Work-item (j, f): Q on row j, at least 1/20 of the level if `last`; residuals: sum of |v - Q| / Q, count. */
__kernel void prepare_poly_evaluate(__global const float *restrict mean, __global const float *restrict weight,
                                    __global const real *restrict level, __global const real *restrict coefficients,
                                    __global const real *restrict along_x, __global const real *restrict along_y,
                                    int nx, int ny, int pitch, int last, __global float *restrict trend,
                                    __global real2 *restrict residuals)
{
    int j = get_global_id(0), f = get_global_id(1);
    long row = ((long)f * ny + j) * pitch;
    real c[DEGREE + 1], least = level[f] / 20;
    real2 all = 0;

    if (j >= ny)
        return;
    for (int a = 0; a <= DEGREE; a++) {
        c[a] = 0;
        for (int b = 0; a + b <= DEGREE; b++)
            c[a] += coefficients[(long)f * TERMS + (a + b) * (a + b + 1) / 2 + b] * along_y[(long)j * (DEGREE + 1) + b];
    }
    for (int i = 0; i < nx; i++) {
        real q = 0, at;

        for (int a = 0; a <= DEGREE; a++)
            q += c[a] * along_x[(long)i * SUMS + TERMS + a];
        at = fmax(q, least);
        trend[row + i] = last ? at : q;
        if (weight[row + i] > 0)
            all += (real2)(fabs(mean[row + i] - q) / at, 1);
    }
    for (int i = nx; i < pitch; i++)
        trend[row + i] = 1;
    residuals[(long)f * ny + j] = all;
}
