/*
 * N from its remainders modulo `residues` primes (1 to 3), by Garner's mixed radix: N = x0 + p0 (x1 + p1 x2), 0 <= xi < pi.
 * sums[from + frame][count] from rests[frame][prime][count]. Grid (count, frames).
 */
#include "common/ntt.clh"

/* Of the primes: as fields. inverse01: 1 / p0 mod p1, and so on. src/math/ntt.h fills it. */
typedef struct {
    float inverse01, inverse02, inverse12;
} ntt_join;

/* From 0 to p - 1. */
static inline float least(const ntt_field *f, float a)
{
    a = ntt_rest(f, a);
    return a < 0 ? a + f->p : a;
}

__kernel void autocorr_ntt_join(__global const float *restrict rests, __global const ntt_field *restrict fields,
                                __global const ntt_join *restrict join, int residues, long count,
                                long from, __global long *restrict sums)
{
    long  i = get_global_id(0), frame = get_global_id(1);
    float x0, x1 = 0, x2 = 0;
    long  p0, p1 = 0;

    if (i >= count)
        return;
    rests += frame * residues * count + i;
    ntt_field f = fields[0];
    x0 = least(&f, rests[0]);
    p0 = (long)f.p;
    if (residues > 1) {
        f = fields[1];
        x1 = least(&f, ntt_times(&f, rests[count] - x0, join->inverse01));
        p1 = (long)f.p;
    }
    if (residues > 2) {
        f = fields[2];
        x2 = ntt_times(&f, rests[2 * count] - x0, join->inverse02) - x1;
        x2 = least(&f, ntt_times(&f, x2, join->inverse12));
    }
    sums[(from + frame) * count + i] = (long)x0 + p0 * ((long)x1 + p1 * (long)x2);
}
