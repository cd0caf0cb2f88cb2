/*
 * B = Q G(v / Q), G the local plane under a Gaussian, sigma the unit of length: with dx, dy the distances from node k,
 *   M_pq = sum n K dx^p dy^q, p + q <= 2,   R_pq = sum n (v / Q) K dx^p dy^q, p + q <= 1,   K = exp(-(dx^2 + dy^2) / 2)
 *   [M00 M10 M01; M10 M20 M11; M01 M11 M02] (G, ., .) = (R00, R10, R01).
 * Separably: along x five sums a node, then along y. Grids (pitch / WIDTH, ny, frames), WIDTH nodes an item.
 *   along_x: 3 x nx x pitch, K dx^p of node i from node i' at [p][i'][i]; along_y: 3 x ny x ny, at [q][j][j'].
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifdef PENTA_CPU
#define WIDTH      8
#define LOAD(p)    vload8(0, p)
#define STORE(v, p) vstore8(v, 0, p)
typedef double8 doubles;
#else
#define WIDTH      1
#define LOAD(p)    (*(p))
#define STORE(v, p) (*(p) = (v))
typedef double doubles;
#endif

/* moments: frames x 5 x ny x pitch: sums along x of n K, n K dx, n K dx^2, n (v / Q) K, n (v / Q) K dx. */
__kernel void prepare_planes_x(__global const float *restrict mean, __global const float *restrict weight,
                               __global const float *restrict trend, __global const double *restrict along_x, int nx,
                               int ny, int pitch, __global double *restrict moments)
{
    int     i = get_global_id(0) * WIDTH, j = get_global_id(1), f = get_global_id(2);
    long    row = ((long)f * ny + j) * pitch, table = (long)nx * pitch, plane = (long)ny * pitch;
    doubles m0 = 0, m1 = 0, m2 = 0, r0 = 0, r1 = 0;

    if (i >= pitch)
        return;
    for (int k = 0; k < nx; k++) {
        __global const double *at = along_x + (long)k * pitch + i;
        double                 n = weight[row + k], r = n * mean[row + k] / trend[row + k];
        doubles                k0 = LOAD(at), k1 = LOAD(at + table), k2 = LOAD(at + 2 * table);

        m0 += n * k0;
        m1 += n * k1;
        m2 += n * k2;
        r0 += r * k0;
        r1 += r * k1;
    }
    moments += f * 5 * plane + (long)j * pitch + i;
    STORE(m0, moments);
    STORE(m1, moments + plane);
    STORE(m2, moments + 2 * plane);
    STORE(r0, moments + 3 * plane);
    STORE(r1, moments + 4 * plane);
}

typedef struct {
    doubles m00, m10, m01, m20, m11, m02, r00, r10, r01;
} system;

/* G, or the mean where the plane is not determined, or 1 where there is nothing. */
static inline doubles plane_of(const system s)
{
    doubles a = s.m20 * s.m02 - s.m11 * s.m11, b = s.m10 * s.m02 - s.m11 * s.m01, c = s.m10 * s.m11 - s.m20 * s.m01;
    doubles det = s.m00 * a - s.m10 * b + s.m01 * c, mean = s.m00 > 0 ? s.r00 / s.m00 : (doubles)1;
    doubles top = s.r00 * a - s.m10 * (s.r10 * s.m02 - s.m11 * s.r01) + s.m01 * (s.r10 * s.m11 - s.m20 * s.r01);

    return det >= 1e-6 * s.m00 * s.m00 * s.m00 && s.m00 >= 1 ? top / det : mean;
}

/* background: frames x ny x nx, at least a 50th of the level. */
__kernel void prepare_planes_y(__global const double *restrict moments, __global const float *restrict trend,
                               __global const double *restrict level, __global const double *restrict along_y, int nx,
                               int ny, int pitch, __global float *restrict background)
{
    int    i = get_global_id(0) * WIDTH, j = get_global_id(1), f = get_global_id(2);
    long   plane = (long)ny * pitch, table = (long)ny * ny;
    system s = {0};
    double g[WIDTH];

    if (i >= pitch)
        return;
    moments += f * 5 * plane + i;
    along_y += (long)j * ny;
    for (int k = 0; k < ny; k++) {
        __global const double *at = moments + (long)k * pitch;
        double                 k0 = along_y[k], k1 = along_y[table + k], k2 = along_y[2 * table + k];
        doubles                m0 = LOAD(at), m1 = LOAD(at + plane), r0 = LOAD(at + 3 * plane);

        s.m00 += k0 * m0;
        s.m01 += k1 * m0;
        s.m02 += k2 * m0;
        s.m10 += k0 * m1;
        s.m11 += k1 * m1;
        s.m20 += k0 * LOAD(at + 2 * plane);
        s.r00 += k0 * r0;
        s.r01 += k1 * r0;
        s.r10 += k0 * LOAD(at + 4 * plane);
    }
    STORE(plane_of(s), g);
    for (int k = 0; k < WIDTH && i + k < nx; k++)
        background[((long)f * ny + j) * nx + i + k] =
            fmax(g[k] * trend[((long)f * ny + j) * pitch + i + k], level[f] / 50);
}
