#include "support/memory.h"

#include <stddef.h>
#include <sys/resource.h>

#include "support/sanitizer.h"

uint64_t largest_allocation;

#ifdef ADDRESS_SANITIZER

void __sanitizer_malloc_hook(const volatile void *data, size_t size);
void __sanitizer_malloc_hook(const volatile void *data, size_t size)
{
    (void)data;
    if (size > largest_allocation)
        largest_allocation = size;
}

#endif

void limit_memory(unsigned gib)
{
#if !defined(ADDRESS_SANITIZER) && !defined(THREAD_SANITIZER)
    struct rlimit limit;

    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = (rlim_t)gib << 30;
    setrlimit(RLIMIT_AS, &limit);
#else
    (void)gib;
#endif
}
