/*
 * Potentials -sum m / r, and with -DNBODY_ACCELERATION also accelerations, at many points, in double; r^2 includes
 * eps^2. GPU form: one work-item per point, tiles of bodies in local memory.
 *
 * Bodies are cut into pieces of `piece` (a multiple of GROUP), so that few points keep the device busy too; out is
 * [piece][component][point], `stride` points per row, where component 0 is the potential. Work-items beyond
 * those compute with the last point and write nothing: all must reach the barriers. first: point 0 is this body, point
 * 1 the next ..., and does not act on itself; -1 if points are not bodies. A body at distance 0 does not count when
 * eps is 0. Grid (points, pieces).
 */
#include "common/inverse_root.clh"
#include "nbody/meter.clh"

#ifdef NBODY_ACCELERATION
#define COMPONENTS 4
#else
#define COMPONENTS 1
#endif

#define LEAST_NORMAL 0x00100000U /* upper halves of doubles */
#define INFINITE     0x7ff00000U

/* 0 for a distance of 0. */
INLINED double inverse_distance(double r2)
{
#ifdef PENTA_NVIDIA
    if (as_uint2(r2).y - LEAST_NORMAL < INFINITE - LEAST_NORMAL)
        return penta_inverse_root(r2);
#endif
    return r2 > 0 ? rsqrt(r2) : 0;
}

/* sums: of a tile; x, y, z, m in it. self: -1: none of it. */
INLINED void add_tile(const double4 *point, int self, double eps2, __local const double4 *tile, double *sums)
{
#pragma unroll 8
    for (int j = 0; j < GROUP; j++) {
        double4 b = tile[j];
        double  dx = b.x - point->x, dy = b.y - point->y, dz = b.z - point->z;
        double  inverse = inverse_distance(fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2))));
        double  w = j != self ? b.w * inverse : 0;

        sums[0] -= w;
#ifdef NBODY_ACCELERATION
        w = w * inverse * inverse;
        sums[1] = fma(w, dx, sums[1]);
        sums[2] = fma(w, dy, sums[2]);
        sums[3] = fma(w, dz, sums[3]);
#endif
    }
}

__kernel GROUPED void nbody_meter_field(__global const double *restrict at, uint stride, int first,
                                        __global const double *restrict mass, __global const double *restrict position,
                                        uint pitch, uint piece, double eps2, __global double *restrict out)
{
    __local double4 tile[GROUP];
    uint            item = get_local_id(0), me = min((uint)get_global_id(0), stride - 1);
    uint            begin = get_global_id(1) * piece, end = min(begin + piece, pitch);
    double4         point = (double4)(at[me], at[stride + me], at[2 * stride + me], 0);
    long            self = first < 0 ? -1 : (long)first + me;
    double          sums[COMPONENTS] = {0};

    for (uint from = begin; from < end; from += GROUP) {
        uint   j = from + item, k = min(j, pitch - 1);
        long   here = self - from;
        double part[COMPONENTS] = {0};

        tile[item] = (double4)(position[k], position[pitch + k], position[2 * pitch + k], j < pitch ? mass[k] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        add_tile(&point, here >= 0 && here < GROUP ? (int)here : -1, eps2, tile, part);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int c = 0; c < COMPONENTS; c++)
            sums[c] += part[c];
    }
    out += (ulong)get_global_id(1) * COMPONENTS * stride;
    if (get_global_id(0) < stride)
        for (int c = 0; c < COMPONENTS; c++)
            out[(ulong)c * stride + me] = sums[c];
}
