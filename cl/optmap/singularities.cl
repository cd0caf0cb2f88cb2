/*
 * Topological charge of plaquettes: the sum of the wrapped phase differences around four pixels, divided by 2 pi (A. N.
 * Iyer and R. A. Gray, Ann. Biomed. Eng. 29 (2001) 47). charge: frames x (height - 1) x (width - 1), positive if the
 * phase grows counter-clockwise as seen, negative if clockwise, otherwise 0, also if a corner is not finite. It is 2 or
 * -2 if the phase also does so around the surrounding 12 pixels, by less than a third of a turn per step, and around
 * the 20 pixels around those, unless one of them is not finite. One work-item per plaquette, on CPU devices per row.
 */

#include "common/real.clh"

#ifdef PENTA_CPU
#define GROUP 1
#else
#define GROUP 64
#endif

#define TURN 6.283185307179586 /* 2 pi */

static inline real wrapped(real d)
{
    return d - TURN * rint(d / TURN);
}

static inline int charge_of(__global const float *restrict p, int width)
{
    real a = p[0], b = p[1], c = p[width + 1], d = p[width],
           sum = wrapped(b - a) + wrapped(c - b) + wrapped(d - c) + wrapped(a - d);

    return isfinite(sum) ? -(int)rint(sum / TURN) : 0; /* a, b, c, d is clockwise: y runs down */
}

#define UNKNOWN 100

/* Charge around the pixels `ring` off the plaquette of p; 0 if a step is a third of a turn or more, UNKNOWN if one is
 * not finite. */
static inline int charge_about(__global const float *restrict p, int width, int ring)
{
    int dx = 1, dy = 0;
    real sum = 0, most = 0;

    p -= (width + 1) * ring;
    for (int side = 0; side < 4; side++) { /* clockwise: right, down, left, up */
        for (int i = 0; i < 2 * ring + 1; i++) {
            real here = *p, step;

            p += dx + dy * width;
            step = wrapped(*p - here);
            sum += step;
            most = fmax(most, fabs(step));
        }
        int turned = dx;

        dx = -dy;
        dy = turned;
    }
    return !isfinite(sum) ? UNKNOWN : most < TURN / 3 ? -(int)rint(sum / TURN) : 0;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_charges(__global const float *restrict phase, int width, int height, __global char *restrict charge)
{
    int y = get_global_id(1), frame = get_global_id(2);
#include "common/real.clh"

#ifdef PENTA_CPU
    int from = 0, to = width - 1;
#else
    int from = get_global_id(0), to = min(from + 1, width - 1);
#endif

    phase += ((ulong)frame * height + y) * width;
    charge += ((ulong)frame * (height - 1) + y) * (width - 1);
    for (int x = from; x < to; x++) {
        int q = charge_of(phase + x, width);
        int room = min(min(x, width - 2 - x), min(y, height - 2 - y)); /* pixels to the edges of the frame */
        int far = q == 0 || room < 2 ? UNKNOWN : charge_about(phase + x, width, 2);
        bool clear = q != 0 && room > 0 && charge_about(phase + x, width, 1) == q && (far == q || far == UNKNOWN);

        charge[x] = clear ? 2 * q : q;
    }
}
