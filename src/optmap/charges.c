/* Charges of plaquettes on the host's cores: the formulas of cl/optmap/singularities.clh, compiled as C. */
#include <pentacl/parallel.h>

#include "math/opencl_as_c.h"
#include "math/wide.h"
#include "optmap/tracks.h"

typedef double real;

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

#include "optmap/singularities.clh"

enum { RUN = 64 }; /* plaquettes of a row */

typedef struct {
    const float *phase;
    int width, height;
    int8_t *charges;
} job;

/* charge_of for a run of plaquettes, whose neighbours share a side. */
PENTA_WIDE static void sum_sides(const float *p, int width, int count, int8_t *charges)
{
    double top[RUN], bottom[RUN], side[RUN + 1];

    for (int i = 0; i < count; i++)
        top[i] = wrapped((double)p[i + 1] - (double)p[i]);
    for (int i = 0; i < count; i++)
        bottom[i] = wrapped((double)p[width + i + 1] - (double)p[width + i]);
    for (int i = 0; i <= count; i++)
        side[i] = wrapped((double)p[width + i] - (double)p[i]);
    for (int i = 0; i < count; i++) {
        double sum = top[i] + side[i + 1] - bottom[i] - side[i];

        charges[i] = (int8_t)(fabs(sum) < INFINITY ? -(int)rint(sum / TURN) : 0);
    }
}

static void do_frame(void *data, size_t n)
{
    const job *j = data;
    int width = j->width, height = j->height;

    for (int y = 0; y < height - 1; y++) {
        const float *row = j->phase + (n * (size_t)height + (size_t)y) * (size_t)width;
        int8_t *charges = j->charges + (n * (size_t)(height - 1) + (size_t)y) * (size_t)(width - 1);

        for (int x = 0; x < width - 1; x += RUN)
            sum_sides(row + x, width, min(RUN, width - 1 - x), charges + x);
        for (int x = 0; x < width - 1; x++)
            if (charges[x])
                charges[x] = (int8_t)judged(row + x, width, height, x, y, charges[x]);
    }
}

void optmap_charges_on_host(const float *phase, size_t width, size_t height, size_t frames, int8_t *charges)
{
    job j = {phase, (int)width, (int)height, charges};

    penta_parallel(frames, do_frame, &j);
}
