/*
 * Sums over all bodies for penta_nbody_diagnostics, except the potentials, which meter_field.clh computes, and the steps
 * of the leapfrog (step.clh): one program, since a driver takes as long for a small one. With -DNBODY_ACCELERATION
 * meter_field.clh alone.
 *
 * Partial sums are [quantity][group]; the host adds those of the groups.
 *
 * Lagrangian radii are order statistics, found without sorting: the bits of squared distances, which are not negative,
 * order like the distances. A radius is the smallest bit pattern such that the bodies up to there have enough mass.
 * Patterns grow from the top by two bits per round: nbody_meter_shells adds up the mass below three candidates each,
 * nbody_meter_narrow takes the smallest that has enough.
 */
#ifndef NBODY_ACCELERATION
#include "nbody/step.clh"
#endif
#include "nbody/meter.clh"
#ifdef PENTA_CPU
#include "nbody/meter_field_cpu.clh"
#else
#include "nbody/meter_field.clh"
#endif
#ifndef NBODY_ACCELERATION

enum { SUMS = 12, RADII = 7, CANDIDATES = 3 }; /* as in meter.c */

/* A sum and its rounding errors (compensated), so that the last digits do not depend on n. */
typedef struct {
    wide sum, lost;
} exact_t;

INLINED void add(exact_t *to, wide value)
{
    wide sum = to->sum + value, added = sum - to->sum;

    to->lost += (to->sum - (sum - added)) + (value - added);
    to->sum = sum;
}

/* Quantities: m, m x (3), m v (3), m x cross v (3), m v^2, m phi. */
__kernel GROUPED void nbody_meter_sums(__global const double *restrict mass, __global const double *restrict position,
                                       __global const double *restrict velocity,
                                       __global const double *restrict potential, uint pitch,
                                       __global double *restrict partial)
{
    __local double scratch[SUMS * GROUP];
    exact_t        sums[SUMS];
    double         values[SUMS];
    share_t        s = my_share(pitch / LANES);

#pragma unroll
    for (int q = 0; q < SUMS; q++)
        sums[q].sum = sums[q].lost = 0;
    for (uint at = s.first; at < s.end; at += s.step) {
        wide m = LOAD(mass, at), x = LOAD(position, at), y = LOAD(position + pitch, at);
        wide z = LOAD(position + 2 * pitch, at), vx = LOAD(velocity, at), vy = LOAD(velocity + pitch, at);
        wide vz = LOAD(velocity + 2 * pitch, at);

        add(&sums[0], m);
        add(&sums[1], m * x);
        add(&sums[2], m * y);
        add(&sums[3], m * z);
        add(&sums[4], m * vx);
        add(&sums[5], m * vy);
        add(&sums[6], m * vz);
        add(&sums[7], m * (y * vz - z * vy));
        add(&sums[8], m * (z * vx - x * vz));
        add(&sums[9], m * (x * vy - y * vx));
        add(&sums[10], m * (vx * vx + vy * vy + vz * vz));
        add(&sums[11], m * LOAD(potential, at));
    }
#pragma unroll
    for (int q = 0; q < SUMS; q++)
        values[q] = total(sums[q].sum + sums[q].lost);
    add_group(values, SUMS, scratch);
    if (get_local_id(0) == 0)
        for (int q = 0; q < SUMS; q++)
            partial[q * get_num_groups(0) + get_group_id(0)] = values[q];
}

/* out[e] = the sum of partial[0][e], partial[1][e], ..., n numbers a row. */
__kernel void nbody_meter_join(__global const double *restrict partial, uint rows, uint n,
                               __global double *restrict out)
{
    uint   e = get_global_id(0);
    double sum = 0;

    if (e >= n)
        return;
    for (uint row = 0; row < rows; row++)
        sum += partial[(ulong)row * n + e];
    out[e] = sum;
}

/* Sets *bad where one of n numbers is not finite. */
__kernel GROUPED void nbody_meter_finite(__global const double *restrict values, uint n, __global int *bad)
{
    share_t s = my_share(n / LANES);
    bool    good = true;

    for (uint at = s.first; at < s.end; at += s.step)
        good = good && EVERY((AS_LONG(LOAD(values, at)) & 0x7FF0000000000000L) != 0x7FF0000000000000L);
    if (!good)
        atomic_or(bad, 1);
}

/* ---- Lagrangian radii ---- */

__kernel GROUPED void nbody_meter_distances(__global const double *restrict position, uint pitch, double cx, double cy,
                                            double cz, __global double *restrict squared)
{
    share_t s = my_share(pitch / LANES);

    for (uint at = s.first; at < s.end; at += s.step) {
        wide x = LOAD(position, at) - cx, y = LOAD(position + pitch, at) - cy, z = LOAD(position + 2 * pitch, at) - cz;

        STORE(x * x + y * y + z * z, squared, at);
    }
}

/* Largest pattern whose upper bits are those of prefix and whose two bits from `shift` on are `digit`. */
INLINED long candidate(long prefix, int digit, int shift)
{
    return prefix | (long)digit << shift | ((1L << shift) - 1);
}

/* values: this work-item's part of the mass of the bodies up to each candidate, [radius][candidate]. */
INLINED void sum_shells(__global const double *restrict mass, __global const double *restrict squared, uint pitch,
                        const long *prefixes, int shift, double *values)
{
    wide    sums[RADII * CANDIDATES];
    long    limits[RADII * CANDIDATES];
    share_t s = my_share(pitch / LANES);

#pragma unroll
    for (int q = 0; q < RADII * CANDIDATES; q++) {
        limits[q] = candidate(prefixes[q / CANDIDATES], q % CANDIDATES, shift);
        sums[q] = 0;
    }
    for (uint at = s.first; at < s.end; at += s.step) {
        wide      m = LOAD(mass, at);
        wide_long key = AS_LONG(LOAD(squared, at));

#pragma unroll
        for (int q = 0; q < RADII * CANDIDATES; q++)
            sums[q] += PICK(key <= limits[q], m);
    }
#pragma unroll
    for (int q = 0; q < RADII * CANDIDATES; q++)
        values[q] = total(sums[q]);
}

/* partial: [radius][candidate][group]. */
__kernel GROUPED void nbody_meter_shells(__global const double *restrict mass, __global const double *restrict squared,
                                         uint pitch, __global const long *restrict prefixes, int shift,
                                         __global double *restrict partial)
{
    __local double scratch[RADII * CANDIDATES * GROUP];
    double         values[RADII * CANDIDATES];
    long           known[RADII];

    for (int k = 0; k < RADII; k++)
        known[k] = prefixes[k];
    sum_shells(mass, squared, pitch, known, shift, values);
    add_group(values, RADII * CANDIDATES, scratch);
    if (get_local_id(0) == 0)
        for (int q = 0; q < RADII * CANDIDATES; q++)
            partial[q * get_num_groups(0) + get_group_id(0)] = values[q];
}

/* The first candidate that holds enough. */
INLINED int digit_of(const double *values, double enough)
{
    int digit = 0;

    while (digit < CANDIDATES && values[digit] < enough)
        digit++;
    return digit;
}

/* Appends two bits to the prefix of radius k, which holds a mass of at least enough[k]. One group per radius. */
__kernel GROUPED void nbody_meter_narrow(__global const double *restrict partial, uint groups,
                                         __global const double *restrict enough, int shift,
                                         __global long *restrict prefixes)
{
    __local double scratch[CANDIDATES * GROUP];
    double         values[CANDIDATES] = {0};
    int            radius = get_group_id(0);

    for (int c = 0; c < CANDIDATES; c++)
        for (uint at = get_local_id(0); at < groups; at += GROUP)
            values[c] += partial[(radius * CANDIDATES + c) * groups + at];
    add_group(values, CANDIDATES, scratch);
    if (get_local_id(0) == 0)
        prefixes[radius] |= (long)digit_of(values, enough[radius]) << shift;
}

/*
 * All rounds in one launch, for one group, with the bits of the two kernels above: of few bodies these took nearly all of
 * the launches of a run.
 */
__kernel GROUPED void nbody_meter_radii(__global const double *restrict mass, __global const double *restrict squared,
                                        uint pitch, __global const double *restrict enough,
                                        __global long *restrict prefixes)
{
    __local double scratch[RADII * CANDIDATES * GROUP];
    double         values[RADII * CANDIDATES];
    long           found[RADII] = {0};

    for (int shift = 62; shift >= 0; shift -= 2) {
        sum_shells(mass, squared, pitch, found, shift, values);
        add_group(values, RADII * CANDIDATES, scratch);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < RADII; k++)
            found[k] |= (long)digit_of(values + k * CANDIDATES, enough[k]) << shift;
    }
    if (get_local_id(0) == 0)
        for (int k = 0; k < RADII; k++)
            prefixes[k] = found[k];
}

#endif
