/* Random numbers of the tests, the same on every machine: one sequence, which each test begins anew. */
#ifndef PENTA_TESTS_RANDOM_H
#define PENTA_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

void random_seed(uint64_t seed);
double random_uniform(void); /* in [0, 1) */
double random_normal(void);

/* Bytes that depend on the seed alone; the sequence above does not move. */
void random_bytes(void *out, size_t bytes, unsigned seed);

#endif
