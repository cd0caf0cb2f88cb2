/* Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11. */
#include <math.h>
#include <string.h>

#include "math/rng.h"

static const double two_pi = 6.283185307179586477;

void penta_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t c[4], k0 = key[0], k1 = key[1];

    memcpy(c, counter, sizeof c);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)c[0] * 0xD2511F53u, b = (uint64_t)c[2] * 0xCD9E8D57u;

        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    memcpy(words, c, sizeof c);
}

penta_rng penta_rng_at(uint64_t seed, uint32_t stream, uint64_t index)
{
    return (penta_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                       .counter = {(uint32_t)index, (uint32_t)(index >> 32), 0, stream},
                       .used = 4};
}

uint64_t penta_rng_bits(penta_rng *rng)
{
    uint32_t high, low;

    if (rng->used == 4) {
        penta_philox(rng->counter, rng->key, rng->words);
        rng->counter[2]++;
        rng->used = 0;
    }
    high = rng->words[rng->used++];
    low = rng->words[rng->used++];
    return (uint64_t)high << 32 | low;
}

double penta_rng_uniform(penta_rng *rng)
{
    return (double)(penta_rng_bits(rng) >> 11) * 0x1p-53;
}

double penta_rng_open(penta_rng *rng)
{
    return (double)(penta_rng_bits(rng) >> 11 | 1) * 0x1p-53;
}

uint64_t penta_rng_below(penta_rng *rng, uint64_t n)
{
    uint64_t excess = (UINT64_MAX % n + 1) % n; /* 2^64 mod n: that many values at the top would favour small results */
    uint64_t bits;

    do
        bits = penta_rng_bits(rng);
    while (bits > UINT64_MAX - excess);
    return bits % n;
}

double penta_rng_normal(penta_rng *rng)
{
    double u = penta_rng_open(rng), v = penta_rng_open(rng);

    return sqrt(-2 * log(u)) * cos(two_pi * v);
}
