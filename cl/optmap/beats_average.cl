/* Mean of windows of a movie. Work-item (pixels, frame of the window). starts: first frames of `count` windows. */
#include "optmap/beats.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_beats_average(__global const float *restrict movie, int frames, uint pixels, ulong pitch,
                     __global const float *restrict range, __global const int *restrict starts, int count,
                     __global float *restrict out)
{
    uint p = get_global_id(0) * RUN;
    ulong frame = get_global_id(1);
    __global const float *trace = TRACE(movie, p, frames);
    const ulong step = STEP(pitch);
    reals sum = 0;

    if (p >= pixels)
        return;
    for (int i = 0; i < count; i++)
        sum += AT(starts[i] + frame);
    sum = TO_REALS(LOAD(range + p)) >= 0 ? sum / count : (reals)NAN;
    STORE(TO(float)(sum), out + frame * pitch + p);
}
