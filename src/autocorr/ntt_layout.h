/* How the correlation of an image is cut for number-theoretic transforms: lengths, primes, work-groups. */
#pragma once

#include "autocorr/shape.h"
#include "math/ntt.h"

typedef struct autocorr_ntt_layout {
    penta_ntt_length x, y; /* padded lengths: at least image plus R */
    uint64_t order;        /* their least common multiple */
    size_t primes;
    uint32_t prime[PENTA_NTT_MOST_PRIMES];
    size_t lanes;         /* columns per work-group */
    size_t fold, columns; /* of the spectrum of a line: see cl/autocorr/ntt_lines.cl */
    double cost;          /* of one frame, in units of the cost of a butterfly */
} autocorr_ntt_layout;

/* The cheapest layout on a device with this much local memory (bytes) and work-groups of at most most_items; false if
 * there is none, because lines or columns are too long or there are too many pixels for the primes. */
bool autocorr_ntt_choose(const autocorr_shape *shape, size_t local_memory, size_t most_items, autocorr_ntt_layout *out);
