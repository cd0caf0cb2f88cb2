/* Random numbers for tests, the same on every machine: one sequence, which each test restarts. */
#pragma once

#include <stddef.h>
#include <stdint.h>

void random_seed(uint64_t seed);
double random_uniform(void); /* in [0, 1) */
double random_normal(void);

/* Bytes that depend only on the seed; the sequence above is not advanced. */
void random_bytes(void *out, size_t bytes, unsigned seed);
