/* A linear congruential generator modulo 2^64, and normal numbers from pairs of its numbers (Box and Muller). */
#include <math.h>

#include "support/random.h"

static uint64_t random_state;

void random_seed(uint64_t seed)
{
    random_state = seed;
}

double random_uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 11) * 0x1p-53;
}

double random_normal(void)
{
    double radius = sqrt(-2 * log(1 - random_uniform()));

    return radius * cos(6.283185307179586 * random_uniform());
}

void random_bytes(void *out, size_t bytes, unsigned seed)
{
    unsigned char *at = out;

    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}
