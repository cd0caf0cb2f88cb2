/* How much memory a test may take. */
#pragma once

#include <stdint.h>

/* Bounds the process's addresses; beyond them allocations fail. No effect under a sanitizer, which needs terabytes. */
void limit_memory(unsigned gib);

/*
 * The largest allocation since this was set to 0: under AddressSanitizer, whose hook sees every one. In a plain build
 * limit_memory bounds the address space instead, and then "out of memory" must not be the answer.
 */
extern uint64_t largest_allocation;
