#include "support/memory.h"

#include <sys/resource.h>

#include "support/sanitizer.h"

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
