/* How much memory a test may take. */
#ifndef PENTA_TESTS_MEMORY_H
#define PENTA_TESTS_MEMORY_H

/* Bounds the process's addresses; beyond them allocations fail. No effect under a sanitizer, which needs terabytes. */
void limit_memory(unsigned gib);

#endif
