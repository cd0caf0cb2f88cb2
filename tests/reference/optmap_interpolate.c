/* The interpolation filter and y. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/optmap.h"

enum { MOST_SAMPLES = 64 /* of a filter */ };

static long double sinc(long double x)
{
    const long double pi = acosl(-1);

    return x == 0 ? 1 : sinl(pi * x) / (pi * x);
}

/* a x = g, a n x n, by elimination with pivots; x in the place of g. */
static void solve(int n, long double a[][MOST_SAMPLES], long double *g)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        long double swap;

        for (int r = c + 1; r < n; r++)
            if (fabsl(a[r][c]) > fabsl(a[pivot][c]))
                pivot = r;
        for (int k = 0; k < n; k++)
            swap = a[c][k], a[c][k] = a[pivot][k], a[pivot][k] = swap;
        swap = g[c], g[c] = g[pivot], g[pivot] = swap;
        for (int r = c + 1; r < n; r++) {
            long double factor = a[r][c] / a[c][c];

            for (int k = c; k < n; k++)
                a[r][k] -= factor * a[c][k];
            g[r] -= factor * g[c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++)
            g[r] -= a[r][k] * g[k];
        g[r] /= a[r][r];
    }
}

/* Weights of samples from .. from + n - 1 for phase m. */
static void design_phase(int interp, int m, int from, int n, double *w)
{
    const long double alpha = 0.5L;
    long double phi[MOST_SAMPLES][MOST_SAMPLES], g[MOST_SAMPLES];

    for (int i = 0; i < n; i++) {
        g[i] = sinc(alpha * (from + i - (long double)m / interp));
        for (int j = 0; j < n; j++)
            phi[i][j] = sinc(alpha * (i - j));
    }
    solve(n, phi, g);
    for (int i = 0; i < n; i++)
        w[i] = (double)g[i];
}

void reference_optmap_weights(int interp, int taps, int *first, int *length, double *w)
{
    int half = ((taps ? taps : 8 * interp + 1) - 1) / 2, last = 0;
    int from[101], to[101]; /* of each phase: samples i with |interp i - m| <= half */

    *first = 0;
    for (int m = 1; m < interp; m++) {
        from[m] = (int)ceil((m - half) / (double)interp);
        to[m] = (int)floor((m + half) / (double)interp);
        if (from[m] <= to[m]) {
            *first = from[m] < *first ? from[m] : *first;
            last = to[m] > last ? to[m] : last;
        }
    }
    *length = last - *first + 1;
    if (*length > MOST_SAMPLES)
        abort();
    memset(w, 0, (size_t)interp * (size_t)*length * sizeof *w);
    w[-*first] = 1;
    for (int m = 1; m < interp; m++)
        design_phase(interp, m, from[m], to[m] - from[m] + 1, w + m * *length + from[m] - *first);
}

/* Sample i of x, which goes on by odd reflection, again and again, about its first and last sample. */
static double reflected(long n, const double *x, long i)
{
    double sum = 0, sign = 1;

    while (i < 0 || i >= n) {
        long about = i < 0 ? 0 : n - 1;

        sum += sign * 2 * x[about];
        sign = -sign;
        i = 2 * about - i;
    }
    return sum + sign * x[i];
}

void reference_optmap_interpolate(int interp, int taps, size_t frames, const double *v, double *y)
{
    double w[100 * MOST_SAMPLES];
    int first, length;

    reference_optmap_weights(interp, taps, &first, &length, w);
    for (long n = 0; n < (long)frames; n++)
        for (int m = 0; m < interp; m++) {
            double sum = 0;

            for (int k = 0; k < length; k++)
                sum += w[m * length + k] * reflected((long)frames, v, n + first + k);
            y[n * interp + m] = sum;
        }
}
