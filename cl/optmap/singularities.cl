/*
 * Topological charge of plaquettes: the sum of the wrapped differences of the phase around four pixels over 2 pi (A. N.
 * Iyer and R. A. Gray, Ann. Biomed. Eng. 29 (2001) 47). charge: frames x (height - 1) x (width - 1), 1 where the phase
 * grows counter-clockwise as seen, -1 clockwise, else 0, and where a corner is not finite. A work-item has a plaquette,
 * on CPU devices a row of them.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifdef PENTA_CPU
#define GROUP 1
#else
#define GROUP 64
#endif

#define TURN (2 * M_PI)

static inline double wrapped(double d)
{
    return d - TURN * rint(d / TURN);
}

static inline char charge_of(__global const float *restrict p, int width)
{
    double a = p[0], b = p[1], c = p[width + 1], d = p[width],
           sum = wrapped(b - a) + wrapped(c - b) + wrapped(d - c) + wrapped(a - d);

    return isfinite(sum) ? -(char)rint(sum / TURN) : 0; /* a, b, c, d is clockwise: y runs down */
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_charges(__global const float *restrict phase, int width, int height, __global char *restrict charge)
{
    int y = get_global_id(1), frame = get_global_id(2);
#ifdef PENTA_CPU
    int from = 0, to = width - 1;
#else
    int from = get_global_id(0), to = min(from + 1, width - 1);
#endif

    phase += ((ulong)frame * height + y) * width;
    charge += ((ulong)frame * (height - 1) + y) * (width - 1);
    for (int x = from; x < to; x++)
        charge[x] = charge_of(phase + x, width);
}
