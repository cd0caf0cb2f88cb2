/*
 * Topological charge of plaquettes: the sum of the wrapped differences of the phase around four pixels over 2 pi (A. N.
 * Iyer and R. A. Gray, Ann. Biomed. Eng. 29 (2001) 47). charge: frames x (height - 1) x (width - 1), above 0 where the
 * phase grows counter-clockwise as seen, below clockwise, else 0, and where a corner is not finite; 2 or -2 where it
 * does so around the 12 pixels about them too, by less than a third of a turn from one to the next. A work-item has a
 * plaquette, on CPU devices a row of them.
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

static inline int charge_of(__global const float *restrict p, int width)
{
    double a = p[0], b = p[1], c = p[width + 1], d = p[width],
           sum = wrapped(b - a) + wrapped(c - b) + wrapped(d - c) + wrapped(a - d);

    return isfinite(sum) ? -(int)rint(sum / TURN) : 0; /* a, b, c, d is clockwise: y runs down */
}

/* Of the 12 pixels about that of p; 0 where one is not finite or a step is a third of a turn or more. */
static inline int charge_about(__global const float *restrict p, int width)
{
    int dx = 1, dy = 0;
    double sum = 0, most = 0;

    p -= width + 1;
    for (int side = 0; side < 4; side++) { /* clockwise: right, down, left, up */
        for (int i = 0; i < 3; i++) {
            double here = *p, step;

            p += dx + dy * width;
            step = wrapped(*p - here);
            sum += step;
            most = fmax(most, fabs(step));
        }
        int turned = dx;

        dx = -dy;
        dy = turned;
    }
    return most < TURN / 3 && isfinite(sum) ? -(int)rint(sum / TURN) : 0;
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
    for (int x = from; x < to; x++) {
        int q = charge_of(phase + x, width);
        bool inside = x > 0 && x < width - 2 && y > 0 && y < height - 2;

        charge[x] = q != 0 && inside && charge_about(phase + x, width) == q ? 2 * q : q;
    }
}
