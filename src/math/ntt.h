/*
 * The host side of cl/common/ntt.clh, number-theoretic transforms in single precision: lengths and their stages, primes
 * p < 2^20 with roots of unity of the wanted orders, constants, powers, and what joins remainders to integers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PENTA_NTT_STAGES = 4, PENTA_NTT_MOST_PRIMES = 3 };

/* ---- lengths ---- */

/* n = the product of the radices (2, 3, 4, 5, 7, 8 or 16; 1 behind the last). */
typedef struct penta_ntt_length {
    size_t n, items; /* work-items that share a transform, a multiple of the step that was asked for */
    int stages, radix[PENTA_NTT_STAGES];
    size_t held; /* values that an item holds at most */
    double cost; /* of one transform; only ratios matter */
} penta_ntt_length;

/* The cheapest stages for n; false when it has other factors than 2, 3, 5 and 7, is below 2, or takes more stages or
 * work-items than there are. */
bool penta_ntt_plan(size_t n, size_t step, size_t most_items, penta_ntt_length *out);

/* ---- primes ---- */

/* Primes p = 1 (mod order), the largest first, until their product exceeds `bound`; returns their number, or 0 when
 * PENTA_NTT_MOST_PRIMES are too few. */
size_t penta_ntt_primes(uint64_t order, uint64_t bound, uint32_t primes[PENTA_NTT_MOST_PRIMES]);

/* An element of exactly this order modulo p; order divides p - 1. */
uint32_t penta_ntt_root(uint32_t p, uint64_t order);

/* a^e modulo p. */
uint32_t penta_ntt_power(uint32_t a, uint64_t e, uint32_t p);

/* ---- what the kernels read: the structs of ntt.clh and ntt_join.cl, floats that hold integers from -p/2 to p/2 ----
 */

typedef struct penta_ntt_field {
    float p, inverse;
    float w4, w8, w8_3, w16, w16_3;
    float c3, s3;
    float half5, c5, s5_2, s5_low, s5_high;
    float mean7, c7_2, c7_12, c7_32;
    float sine7, s7_2, s7_12, s7_32;
    float scale;
} penta_ntt_field;

/* root: of the given order, of which all lengths are divisors. scale: what results are divided by. */
void penta_ntt_fill_field(uint32_t p, uint32_t root, uint64_t order, uint64_t scale, penta_ntt_field *out);

/* The n factors of a transform's stages as ntt_stage reads them; backwards: with the radices in the reverse order. */
void penta_ntt_fill_factors(uint32_t p, uint32_t root, uint64_t order, const penta_ntt_length *length, bool backwards,
                            float *out);

typedef struct penta_ntt_join {
    float inverse01, inverse02, inverse12;
} penta_ntt_join;

void penta_ntt_fill_join(const uint32_t *primes, size_t count, penta_ntt_join *out);
