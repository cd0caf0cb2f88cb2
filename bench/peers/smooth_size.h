/* Lengths that every FFT here likes. */
#pragma once

#include <stddef.h>

/* The least 2^a 3^b 5^c 7^d >= n, n >= 1. */
static inline size_t smooth_size(size_t n)
{
    static const size_t factors[] = {2, 3, 5, 7};

    for (;; n++) {
        size_t rest = n;

        for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
            while (rest % factors[i] == 0)
                rest /= factors[i];
        if (rest == 1)
            return n;
    }
}
