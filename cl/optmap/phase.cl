/*
 * Traces as batches for the FFT: pixels 2 i and 2 i + 1, minus their means, are the real and imaginary parts of the
 * complex row i. A linear operation that maps real traces to real ones acts on both parts separately. One program with
 * all else that phases need, because each program takes a compiler a tenth of a second before its first line.
 */
#include "optmap/beats.clh"
#include "optmap/frequency.clh"
#include "optmap/phase_smooth.clh"
#include "optmap/singularities.clh"

#ifdef PENTA_CPU
#define CHUNK 64 /* frames per work-item */
#else
#define CHUNK 1
#endif

/* means: over the frames; NaN if the pixel is not valid or constant. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_phase_means(__global const float *restrict movie, int frames, uint count, ulong pitch,
                   __global const float *restrict range, __global real *restrict means)
{
    uint p = get_global_id(0) * RUN;
    __global const float *trace = TRACE(movie, p, frames);
    const ulong step = STEP(pitch);
    reals sum = 0;

    if (p >= count)
        return;
    for (int n = 0; n < frames; n++)
        sum += AT(n);
    sum = TO_REALS(LOAD(range + p)) > 0 ? sum / frames : (reals)NAN;
    STORE(sum, means + p);
}

/* Sample n of pixel p minus the pixel's mean. */
static inline real part(__global const float *restrict movie, __global const real *restrict means, uint count,
                        int frames, ulong step, int n, uint p)
{
    return p < count && !isnan(means[p]) ? TRACE(movie, p, frames)[n * step] - means[p] : 0;
}

/*
 * Position of sample n in a row. With the window of Hann it is n. Otherwise the even samples come first, then the odd
 * ones backwards: the transform of this order gives that of the trace followed by its mirror image (J. Makhoul, IEEE
 * Trans. ASSP 28 (1980) 27).
 */
static inline int place_of(int n, int frames)
{
    return n % 2 ? frames - 1 - n / 2 : n / 2;
}

/* Packs samples; rows beyond the block's pixels are 0. hann: times the window (1 - cos(2 pi n / frames)) / 2. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_phase_pack(__global const float *restrict movie, int frames, uint count, ulong pitch,
                  __global const real *restrict means, uint rows, int hann, __global real2 *restrict data)
{
    uint first = get_global_id(0) * RUN;
    int from = get_global_id(1) * CHUNK;
    const ulong step = STEP(pitch);

    for (int n = from; n < min(from + CHUNK, frames); n++) {
        real window = hann ? (1 - cospi((real)2 * n / frames)) / 2 : 1;
        int place = hann ? n : place_of(n, frames);

        for (uint i = first; i < min(first + RUN, rows); i++)
            data[(ulong)i * frames + place] = window * (real2)(part(movie, means, count, frames, step, n, 2 * i),
                                                               part(movie, means, count, frames, step, n, 2 * i + 1));
    }
}

/*
 * The Hilbert transform of the trace followed by its mirror image. Its cosines of frequency k / 2 frames become sines:
 * -i exp(i pi k / frames) V[frames - k], with V the transform of the reordered samples, and 0 for k = 0. After the
 * inverse transform the samples are in the same order, the odd ones with the opposite sign. The numbers are conjugated,
 * so that a forward transform gives the conjugates of the inverse one. turns: exp(i pi k / frames)
 * / frames, k = 0 .. frames / 2. A work-item does lines k and frames - k, or a whole row.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_phase_turn(int frames, __global const real2 *restrict turns, __global real2 *restrict data)
{
    __global real2 *row = data + get_global_id(1) * (ulong)frames;
#ifdef PENTA_CPU
    int from = 0, to = frames / 2 + 1;
#else
    int from = get_global_id(0), to = min(from + 1, frames / 2 + 1);
#endif

    for (int k = from; k < to; k++) {
        real2 low = row[k], high = row[k == 0 ? 0 : frames - k], turn = turns[k];

        if (k == 0) {
            row[0] = 0;
            continue;
        }
        row[frames - k] = (real2)(low.x * turn.y - low.y * turn.x, -(low.y * turn.y + low.x * turn.x));
        row[k] = (real2)(high.x * turn.y + high.y * turn.x, -(high.y * turn.y - high.x * turn.x));
    }
}

#define WEAK 16.0f /* same as OPTMAP_WEAK */

/* Replaces samples by phases, plus WEAK if the amplitude is less than `least` times the pixel's noise; float angles
 * with an error of 3e-6. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_phase_angle(int frames, uint count, ulong pitch, __global const real *restrict means,
                   __global const real2 *restrict data, __global const float *restrict noise, float least,
                   __global float *restrict movie)
{
    uint first = get_global_id(0) * RUN;
    int from = get_global_id(1) * CHUNK;

    if (first >= count)
        return;
    for (int n = from; n < min(from + CHUNK, frames); n++) {
        __global float *at = TRACE(movie, first, frames) + n * STEP(pitch);
        numbers x, y, bound;

        for (uint i = 0; i < RUN; i++) {
            uint p = min(first + i, count - 1);
            real2 both = data[(ulong)(p / 2) * frames + place_of(n, frames)];
            float other = p % 2 ? -both.y : both.x;

            ((float *)&x)[i] = at[p - first] - means[p];
            ((float *)&y)[i] = isnan(means[p]) ? NAN : n % 2 ? -other : other;
            ((float *)&bound)[i] = least * noise[p];
        }
        y = x * x + y * y >= bound * bound ? atan2(y, x) : atan2(y, x) + WEAK;
        STORE(y, at);
    }
}

#ifndef PENTA_CPU
/* Charges (singularities.clh). One work-item per plaquette; for CPU devices the host does this (src/optmap/charges.c),
 * which needs no compiler and no copies. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_charges(__global const float *restrict phase, int width, int height, __global char *restrict charge)
{
    int x = get_global_id(0), y = get_global_id(1);
    ulong frame = get_global_id(2);

    phase += (frame * height + y) * width + x;
    if (x < width - 1)
        charge[(frame * (height - 1) + y) * (width - 1) + x] =
            judged(phase, width, height, x, y, charge_of(phase, width));
}
#endif
