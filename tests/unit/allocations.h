/*
 * For tests that read damaged files: the largest allocation. Under AddressSanitizer its hook sees every one; in a plain
 * build limit_memory bounds the address space instead, and then "out of memory" must not be the answer. Included by one
 * file of a program.
 */
#ifndef PENTA_TESTS_ALLOCATIONS_H
#define PENTA_TESTS_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "support/memory.h"
#include "support/sanitizer.h"

static uint64_t largest_allocation;

#ifdef ADDRESS_SANITIZER

void __sanitizer_malloc_hook(const volatile void *data, size_t size);
void __sanitizer_malloc_hook(const volatile void *data, size_t size)
{
    (void)data;
    if (size > largest_allocation)
        largest_allocation = size;
}

#endif

#endif
