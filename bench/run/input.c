/* What inputs of benchmarks are made with. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

void *bench_alloc(bench *b, size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        bench_fail(b, "out of memory");
    return memory;
}

void *bench_pinned(bench *b, size_t bytes)
{
    void *memory = NULL;

    if (penta_host_alloc(bench_context(b), bytes, &memory) != PENTA_OK)
        bench_fail(b, "%zu bytes of pinned memory: %s", bytes, penta_last_error(bench_context(b)));
    return memory;
}

void *bench_pinned_copy(bench *b, const void *data, size_t bytes)
{
    void *memory = bench_pinned(b, bytes);

    memcpy(memory, data, bytes);
    return memory;
}

double bench_noise(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(z ^ (z >> 31)) * 0x1p-63 - 1;
}
