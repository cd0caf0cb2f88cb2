/*
 * For tests that read damaged files: the largest allocation. Under AddressSanitizer its hook sees every one; in a plain
 * build limit_memory bounds the address space instead, and then "out of memory" must not be the answer. Included by one
 * file of a program.
 */
#ifndef PENTA_TESTS_ALLOCATIONS_H
#define PENTA_TESTS_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

static uint64_t largest_allocation;

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ADDRESS_SANITIZER

void __sanitizer_malloc_hook(const volatile void *data, size_t size);
void __sanitizer_malloc_hook(const volatile void *data, size_t size)
{
    (void)data;
    if (size > largest_allocation)
        largest_allocation = size;
}

#endif

static void limit_memory(void)
{
#if !defined(ADDRESS_SANITIZER) && !defined(__SANITIZE_THREAD__)
    struct rlimit limit;

    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = (rlim_t)1 << 30;
    setrlimit(RLIMIT_AS, &limit);
#endif
}

#endif
