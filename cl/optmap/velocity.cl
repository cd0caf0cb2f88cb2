/*
 * Conduction velocity v = grad T / |grad T|^2 from activation times T (ms, NaN unknown). out: x, then y, in px/ms times
 * `scale`. A work-item has a pixel, on CPU devices a row.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TERMS 6 /* x^2, y^2, x y, x, y, 1 */

#ifdef PENTA_CPU
#define GROUP 1
#else
#define GROUP 64
#endif

static inline double2 velocity_of(double2 slope)
{
    double square = dot(slope, slope);

    return square > 0 ? slope / square : (double2)NAN;
}

#ifdef BAYLY

#define LEAST     9    /* pixels of a fit */
#define DEPENDENT 1e-9 /* of a diagonal element, what is left when it depends on those before */

/* Cholesky's decomposition of the lower half of a, in place, then a x = b in place of b. False: terms depend on each
 * other. */
static inline bool solve(double a[TERMS][TERMS], double *b)
{
    for (int i = 0; i < TERMS; i++) {
        double whole = a[i][i];

        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];

            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            if (j < i)
                a[i][j] = sum / a[j][j];
            else if (sum > DEPENDENT * whole)
                a[i][i] = sqrt(sum);
            else
                return false;
        }
    }
    for (int i = 0; i < TERMS; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = TERMS - 1; i >= 0; i--) {
        for (int k = i + 1; k < TERMS; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return true;
}

/* The surface of degree 2 through the known pixels of the window, by least squares in coordinates of -1 .. 1. */
static inline double2 velocity_at(__global const float *restrict t, int width, int height, int x, int y, int radius)
{
    double a[TERMS][TERMS], b[TERMS], middle = t[y * width + x];
    int count = 0;

    for (int i = 0; i < TERMS; i++) {
        b[i] = 0;
        for (int j = 0; j < TERMS; j++)
            a[i][j] = 0;
    }
    for (int v = max(y - radius, 0); v <= min(y + radius, height - 1); v++)
        for (int u = max(x - radius, 0); u <= min(x + radius, width - 1); u++) {
            double p = (double)(u - x) / radius, q = (double)(v - y) / radius, time = t[v * width + u] - middle;
            double terms[TERMS] = {p * p, q * q, p * q, p, q, 1};

            if (!isfinite(time))
                continue;
            count++;
            for (int i = 0; i < TERMS; i++) {
                b[i] += terms[i] * time;
                for (int j = 0; j <= i; j++)
                    a[i][j] += terms[i] * terms[j];
            }
        }
    if (count < LEAST || !isfinite(middle) || !solve(a, b))
        return (double2)NAN;
    return velocity_of((double2)(b[3], b[4]) / radius);
}

#else

static inline double difference(__global const float *restrict t, int at, int step, bool inside)
{
    return inside ? ((double)t[at + step] - t[at - step]) / 2 : NAN;
}

static inline double2 velocity_at(__global const float *restrict t, int width, int height, int x, int y, int radius)
{
    int at = y * width + x;

    if (!isfinite(t[at]))
        return (double2)NAN;
    return velocity_of(
        (double2)(difference(t, at, 1, x > 0 && x < width - 1), difference(t, at, width, y > 0 && y < height - 1)));
}

#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void optmap_velocity(__global const float *restrict t,
                                                                                 int width, int height, int radius,
                                                                                 double scale,
                                                                                 __global float *restrict out)
{
    int row = get_global_id(1);
#ifdef PENTA_CPU
    int from = 0, to = width;
#else
    int from = get_global_id(0), to = min(from + 1, width);
#endif

    for (int x = from; x < to; x++) {
        double2 v = velocity_at(t, width, height, x, row, radius) * scale;

        out[row * width + x] = v.x;
        out[(height + row) * width + x] = v.y;
    }
}
