/*
 * Counter-based random numbers on the host: Philox4x32-10, the twin of cl/common/philox.clh. A draw is a function of
 * seed, stream, index and the number of draws before it, so it does not depend on the order of the elements or the
 * number of threads or devices.
 *
 * The key is the seed (low word first); for numbers that belong to a frame, the upper word is the frame number. The
 * counter is {index low, index high, block, stream}: a stream is a purpose, an index one element of it (a star, a body,
 * a pixel), a block four words. A draw takes two words.
 */
#pragma once

#include <stdint.h>

/* The streams of the library; each has its own numbers for the same seed. Kernels name the same values. */
enum penta_rng_stream {
    PENTA_RNG_GENERAL = 0,
    PENTA_RNG_STAR_LIST = 1,  /* index: star */
    PENTA_RNG_SHOT_NOISE = 2, /* index: pixel */
    PENTA_RNG_READ_NOISE = 3, /* index: pixel */
    PENTA_RNG_HOT_PIXELS = 4, /* index: pixel */
    PENTA_RNG_BODIES = 5,     /* index: body */
    PENTA_RNG_BOOTSTRAP = 6,  /* index: resample */
    PENTA_RNG_SPINODAL = 7    /* index: cell */
};

typedef struct {
    uint32_t key[2], counter[4];
    uint32_t words[4]; /* of the current block */
    unsigned used;     /* of them */
} penta_rng;

/* Four random words from a counter and a key. */
void penta_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/* Starts at the first draw of an element. An element has 2^33 draws before they repeat. */
penta_rng penta_rng_at(uint64_t seed, uint32_t stream, uint64_t index);

uint64_t penta_rng_bits(penta_rng *rng);              /* 64 random bits */
double penta_rng_uniform(penta_rng *rng);             /* [0, 1): multiples of 2^-53 */
double penta_rng_open(penta_rng *rng);                /* (0, 1): odd multiples of 2^-53 */
uint64_t penta_rng_below(penta_rng *rng, uint64_t n); /* 0 .. n - 1, each with the same probability; n > 0 */

/* Standard normal; takes two draws. Uses the host's log and cos: within 1e-15 of penta_normal on a device; bits and
 * uniforms are identical. */
double penta_rng_normal(penta_rng *rng);
