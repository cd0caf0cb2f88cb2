/*
 * One thread at a time asks OpenCL for platforms and devices, and makes or releases contexts: PoCL 3.1 crashes when two
 * threads ask first. Before the first time its kernel cache is looked after.
 */
#include <pthread.h>

#include "core/internal.h"
#include "core/kernel_cache.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool prepared; /* under the lock, like what follows; they stay as they are once it is set */
static bool cache_usable;
static char cache_note[768];

void penta_discovery_lock(void)
{
    pthread_mutex_lock(&lock);
    if (!prepared)
        cache_usable = penta_kernel_cache_prepare(cache_note, sizeof cache_note);
    prepared = true;
}

void penta_discovery_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

const char *penta_kernel_cache_note(void)
{
    penta_discovery_lock();
    penta_discovery_unlock();
    return cache_note;
}

const char *penta_kernel_cache_fault(void)
{
    const char *note = penta_kernel_cache_note();

    return cache_usable ? "" : note;
}
