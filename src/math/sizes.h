/* Arithmetic of sizes. */
#pragma once

#include <stddef.h>

/* The number of parts of size `part` that cover n. */
static inline size_t penta_divide_up(size_t n, size_t part)
{
    return (n + part - 1) / part;
}

/* The least multiple of `unit` that is at least n. */
static inline size_t penta_round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static inline size_t penta_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t penta_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}
