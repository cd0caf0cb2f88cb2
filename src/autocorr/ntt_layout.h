/* How the correlation of an image is cut for number-theoretic transforms: lengths, primes, work-groups. */
#ifndef PENTA_AUTOCORR_NTT_LAYOUT_H
#define PENTA_AUTOCORR_NTT_LAYOUT_H

#include "autocorr/shape.h"
#include "math/ntt.h"

typedef struct autocorr_ntt_layout {
    penta_ntt_length x, y; /* padded lengths: at least image plus R */
    uint64_t order;        /* their least common multiple */
    size_t primes;
    uint32_t prime[PENTA_NTT_MOST_PRIMES];
    size_t lanes;         /* columns of a work-group */
    size_t fold, columns; /* of a line's spectrum, cl/autocorr/ntt_lines.cl */
    double cost;          /* multiples of butterflies' cost, for one frame */
} autocorr_ntt_layout;

/* The cheapest layout on a device with this much local memory (bytes) and work-groups of at most most_items; false if
 * there is none: lines or columns too long, or pixels too many for the primes. */
bool autocorr_ntt_choose(const autocorr_shape *shape, size_t local_memory, size_t most_items, autocorr_ntt_layout *out);

#endif
