/*
 * Passes of Q <- Q (1 + s (G(v / Q) - 1)), s = max(0, 1 - chance <(v / Q - G)^2> / <(G - 1)^2>), means weighted by n.
 * After s = 0 a frame no longer changes, so later passes skip it. B is the last Q.
 * G: the local plane under a Gaussian; lengths in units of its sigma. With distances dx, dy from node k,
 *   M_pq = sum n K dx^p dy^q, p + q <= 2,   R_pq = sum n (v / Q) K dx^p dy^q, p + q <= 1,   K = exp(-(dx^2 + dy^2) / 2)
 *   [M00 M10 M01; M10 M20 M11; M01 M11 M02] (G, ., .) = (R00, R10, R01).
 * Separable: five sums per node along x, then along y. Grids (pitch / WIDTH, ny, frames), WIDTH nodes per item.
 *   share: s of the previous pass per frame; not read in pass 0.
 *   along_x: 3 x nx x pitch, K dx^p of node i from node i' at [p][i'][i]; along_y: 3 x ny x ny, at [q][j][j'].
 */
#include "common/real.clh"

#ifdef PENTA_CPU
#define WIDTH       8
#define LOAD(p)     vload8(0, p)
#define STORE(v, p) vstore8(v, 0, p)
typedef real8 reals;
#else
#define WIDTH       1
#define LOAD(p)     (*(p))
#define STORE(v, p) (*(p) = (v))
typedef real reals;
#endif

/* moments: frames x 5 x ny x pitch, sums along x of n K, n K dx, n K dx^2, n (v / Q) K, n (v / Q) K dx. */
__kernel void prepare_planes_x(__global const float *restrict mean, __global const float *restrict weight,
                               __global const float *restrict trend, __global const real *restrict along_x,
                               __global const float *restrict share, int pass, int nx, int ny, int pitch,
                               __global real *restrict moments)
{
    int i = get_global_id(0) * WIDTH, j = get_global_id(1), f = get_global_id(2);
    long row = ((long)f * ny + j) * pitch, table = (long)nx * pitch, plane = (long)ny * pitch;
    reals m0 = 0, m1 = 0, m2 = 0, r0 = 0, r1 = 0;

    if (i >= pitch || (pass && share[f] == 0))
        return;
    for (int k = 0; k < nx; k++) {
        __global const real *at = along_x + (long)k * pitch + i;
        real n = weight[row + k], r = n * mean[row + k] / trend[row + k];
        reals k0 = LOAD(at), k1 = LOAD(at + table), k2 = LOAD(at + 2 * table);

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
    reals m00, m10, m01, m20, m11, m02, r00, r10, r01;
} system;

/* G; the mean if the plane is not determined; 1 if there is no weight. */
static inline reals plane_of(const system s)
{
    reals a = s.m20 * s.m02 - s.m11 * s.m11, b = s.m10 * s.m02 - s.m11 * s.m01, c = s.m10 * s.m11 - s.m20 * s.m01;
    reals det = s.m00 * a - s.m10 * b + s.m01 * c, mean = s.m00 > 0 ? s.r00 / s.m00 : (reals)1;
    reals top = s.r00 * a - s.m10 * (s.r10 * s.m02 - s.m11 * s.r01) + s.m01 * (s.r10 * s.m11 - s.m20 * s.r01);

    return det >= 1e-6 * s.m00 * s.m00 * s.m00 && s.m00 >= 1 ? top / det : mean;
}

/* gain: frames x ny x pitch: G. */
__kernel void prepare_planes_y(__global const real *restrict moments, __global const real *restrict along_y,
                               __global const float *restrict share, int pass, int ny, int pitch,
                               __global float *restrict gain)
{
    int i = get_global_id(0) * WIDTH, j = get_global_id(1), f = get_global_id(2);
    long plane = (long)ny * pitch, table = (long)ny * ny;
    system s = {0};
    real g[WIDTH];

    if (i >= pitch || (pass && share[f] == 0))
        return;
    moments += f * 5 * plane + i;
    along_y += (long)j * ny;
    for (int k = 0; k < ny; k++) {
        __global const real *at = moments + (long)k * pitch;
        real k0 = along_y[k], k1 = along_y[table + k], k2 = along_y[2 * table + k];
        reals m0 = LOAD(at), m1 = LOAD(at + plane), r0 = LOAD(at + 3 * plane);

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
    for (int k = 0; k < WIDTH; k++)
        gain[f * plane + (long)j * pitch + i + k] = g[k];
}

/* Work-item (j, f): the sums of n (G - 1)^2 and of n (v / Q - G)^2 over row j. */
__kernel void prepare_planes_measure(__global const float *restrict mean, __global const float *restrict weight,
                                     __global const float *restrict trend, __global const float *restrict gain,
                                     __global const float *restrict share, int pass, int nx, int ny, int pitch,
                                     __global real2 *restrict sums)
{
    int j = get_global_id(0), f = get_global_id(1);
    long row = ((long)f * ny + j) * pitch;
    real2 sum = 0;

    if (j >= ny || (pass && share[f] == 0))
        return;
    for (int i = 0; i < nx; i++) {
        real g = gain[row + i], slow = g - 1, rest = mean[row + i] / (real)trend[row + i] - g;

        sum += weight[row + i] * (real2)(slow * slow, rest * rest);
    }
    sums[(long)f * ny + j] = sum;
}

/* Work-item f: s. */
__kernel void prepare_planes_share(__global const real2 *restrict sums, int n, int ny, real chance,
                                   __global float *restrict share)
{
    int f = get_global_id(0);
    real2 all = 0;

    if (f >= n)
        return;
    for (int j = 0; j < ny; j++)
        all += sums[(long)f * ny + j];
    share[f] = all.x > chance * all.y ? 1 - chance * all.y / all.x : 0;
}

/* Work-item (x, f), x over all nodes: Q, at least 1/50 of the level. `last`: writes background too, frames x ny x nx.
 */
__kernel void prepare_planes_take(__global const float *restrict gain, __global const float *restrict share,
                                  __global const real *restrict level, int last, int nx, int ny, int pitch,
                                  __global float *restrict trend, __global float *restrict background)
{
    int x = get_global_id(0), f = get_global_id(1);
    long at = ((long)f * ny + x / nx) * pitch + x % nx;
    float q;

    if (x >= nx * ny)
        return;
    q = fmax(trend[at] * (1 + share[f] * ((real)gain[at] - 1)), level[f] / 50);
    trend[at] = q;
    if (last)
        background[(long)f * nx * ny + x] = q;
}
