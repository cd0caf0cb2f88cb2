#include "reference/spinodal.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { LONGEST = 64 }; /* cells of a side */
static const double two_pi = 6.283185307179586;

/* Of wave i of n, radians a cell. */
static double number(size_t i, size_t n)
{
    return two_pi * (2 * i <= n ? (double)i : (double)i - (double)n) / (double)n;
}

/* The sum over a row or column: out[k] = sum in[x] exp(sign i k x). */
static void sum_line(size_t n, size_t stride, double sign, const double complex *in, double complex *out)
{
    double complex root[LONGEST];

    for (size_t i = 0; i < n; i++)
        root[i] = cexp(sign * I * two_pi * (double)i / (double)n);
    for (size_t k = 0; k < n; k++) {
        double complex sum = 0;

        for (size_t x = 0; x < n; x++)
            sum += in[x * stride] * root[k * x % n];
        out[k * stride] = sum;
    }
}

static void transform(size_t width, size_t height, double sign, double complex *f)
{
    double complex *lines = malloc(width * height * sizeof *lines);

    for (size_t y = 0; y < height; y++)
        sum_line(width, 1, sign, f + y * width, lines + y * width);
    for (size_t x = 0; x < width; x++)
        sum_line(height, width, sign, lines + x, f + x);
    free(lines);
}

/* The transform of u over the number of cells. */
static double complex *waves_of(size_t width, size_t height, const double *u)
{
    size_t n = width * height;
    double complex *f = malloc(n * sizeof *f);

    for (size_t i = 0; i < n; i++)
        f[i] = u[i] / (double)n;
    transform(width, height, -1, f);
    return f;
}

static double square(size_t width, size_t height, size_t i)
{
    double kx = number(i % width, width), ky = number(i / width, height);

    return kx * kx + ky * ky;
}

/* In place. */
static void laplacian(size_t width, size_t height, double cell, double *u)
{
    double complex *f = waves_of(width, height, u);

    for (size_t i = 0; i < width * height; i++)
        f[i] *= -square(width, height, i) / (cell * cell);
    transform(width, height, 1, f);
    for (size_t i = 0; i < width * height; i++)
        u[i] = creal(f[i]);
    free(f);
}

/* laplacian (u^3 - u - laplacian u) */
static void rate(size_t width, size_t height, double cell, const double *u, double *out)
{
    for (size_t i = 0; i < width * height; i++)
        out[i] = u[i];
    laplacian(width, height, cell, out);
    for (size_t i = 0; i < width * height; i++)
        out[i] = u[i] * u[i] * u[i] - u[i] - out[i];
    laplacian(width, height, cell, out);
}

void reference_spinodal(size_t width, size_t height, double cell, double h, size_t steps, double *u)
{
    size_t n = width * height;
    double *at = malloc(n * sizeof *at), *slope = malloc(n * sizeof *slope), *sum = malloc(n * sizeof *sum);

    for (size_t s = 0; s < steps; s++) {
        static const double before[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};

        for (size_t i = 0; i < n; i++)
            slope[i] = sum[i] = 0;
        for (int stage = 0; stage < 4; stage++) {
            for (size_t i = 0; i < n; i++)
                at[i] = u[i] + h * before[stage] * slope[i];
            rate(width, height, cell, at, slope);
            for (size_t i = 0; i < n; i++)
                sum[i] += weight[stage] / 6 * slope[i];
        }
        for (size_t i = 0; i < n; i++)
            u[i] += h * sum[i];
    }
    free(at);
    free(slope);
    free(sum);
}

double reference_spinodal_wave_number(size_t width, size_t height, const double *u)
{
    double complex *f = waves_of(width, height, u);
    double sum = 0, times_k = 0;

    for (size_t i = 1; i < width * height; i++) {
        double power = creal(f[i] * conj(f[i]));

        sum += power;
        times_k += power * sqrt(square(width, height, i));
    }
    free(f);
    return times_k / sum;
}

/* |gradient u|^2 sums to -u laplacian u. */
double reference_spinodal_energy(size_t width, size_t height, double cell, const double *u)
{
    size_t n = width * height;
    double *bent = malloc(n * sizeof *bent), sum = 0;

    for (size_t i = 0; i < n; i++)
        bent[i] = u[i];
    laplacian(width, height, cell, bent);
    for (size_t i = 0; i < n; i++)
        sum += (u[i] * u[i] - 1) * (u[i] * u[i] - 1) / 4 - u[i] * bent[i] / 2;
    free(bent);
    return sum / (double)n;
}
