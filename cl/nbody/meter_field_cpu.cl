/*
 * CPU form of meter_field.cl, with the same arguments: a work-item takes POINTS points and walks through the bodies
 * eight at a time. `stride` is a multiple of POINTS.
 */
#include "nbody/meter.clh"
#include "common/root_guess.clh"

#define POINTS 4
#define BLOCK  512 /* bodies in one sum, so that sums over many stay accurate */

#ifdef NBODY_ACCELERATION
#define COMPONENTS 4
#else
#define COMPONENTS 1
#endif

/* 1 / sqrt(x) for x from 1e-300 to 1e300; something finite for 0 and above. */
INLINED double8 inverse_root(double8 x)
{
    x = select(x, (double8)(1e300), x > 1e300);
    double8 h = 0.5 * x, y = PENTA_GUESS_D8(x + 0x1p-1021); /* of 0 it might be infinite */

#ifndef PENTA_GOOD_GUESS
    y = y * fma(-h * y, y, 1.5);
    y = y * fma(-h * y, y, 1.5);
#endif
    y = y * fma(-h * y, y, 1.5);
    return fma(y, fma(-h * y, y, 0.5), y);
}

typedef struct {
    double8 sums[POINTS][COMPONENTS];
} field_t;

INLINED void add_bodies(const double points[POINTS][3], const long *self, double eps2, double8 x, double8 y, double8 z,
                        double8 m, long8 index, field_t *f)
{
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
        double8 dx = x - points[p][0], dy = y - points[p][1], dz = z - points[p][2];
        double8 r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, (double8)(eps2)))), inverse = inverse_root(r2);
        double8 w = PICK((r2 > 0) & (index != self[p]), m * inverse);

        f->sums[p][0] -= w;
#ifdef NBODY_ACCELERATION
        w = w * inverse * inverse;
        f->sums[p][1] = fma(w, dx, f->sums[p][1]);
        f->sums[p][2] = fma(w, dy, f->sums[p][2]);
        f->sums[p][3] = fma(w, dz, f->sums[p][3]);
#endif
    }
}

__kernel GROUPED void nbody_meter_field(__global const double *restrict at, uint stride, int first,
                                        __global const double *restrict mass, __global const double *restrict position,
                                        uint pitch, uint piece, double eps2, __global double *restrict out)
{
    uint    begin = get_global_id(1) * piece, end = min(begin + piece, pitch), me = get_global_id(0) * POINTS;
    double  points[POINTS][3];
    long    self[POINTS];
    field_t all = {0};

    for (int p = 0; p < POINTS; p++) {
        self[p] = first < 0 ? -1 : (long)first + me + p;
        for (int k = 0; k < 3; k++)
            points[p][k] = at[(ulong)k * stride + me + p];
    }
    for (uint from = begin; from < end; from += BLOCK) {
        uint    to = min(from + BLOCK, end);
        field_t part = {0};
        long8   index = (long8)(0, 1, 2, 3, 4, 5, 6, 7) + (long)from;

        for (uint j = from; j < to; j += LANES, index += LANES)
            add_bodies(points, self, eps2, vload8(0, position + j), vload8(0, position + pitch + j),
                       vload8(0, position + 2 * pitch + j), vload8(0, mass + j), index, &part);
        for (int p = 0; p < POINTS; p++)
            for (int c = 0; c < COMPONENTS; c++)
                all.sums[p][c] += part.sums[p][c];
    }
    out += (ulong)get_global_id(1) * COMPONENTS * stride;
    for (int p = 0; p < POINTS; p++)
        for (int c = 0; c < COMPONENTS; c++)
            out[(ulong)c * stride + me + p] = total(all.sums[p][c]);
}
