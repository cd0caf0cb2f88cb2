/* What inputs of benchmarks are made with. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* pinned: of this context, or NULL. */
static void *keep(bench *b, void *memory, penta_context *pinned)
{
    if (b->block_count == b->block_capacity) {
        size_t capacity = 2 * b->block_capacity + 64;
        bench_block *blocks = realloc(b->blocks, capacity * sizeof *blocks);

        if (!blocks)
            bench_fail(b, "out of memory");
        b->blocks = blocks;
        b->block_capacity = capacity;
    }
    b->blocks[b->block_count++] = (bench_block){memory, pinned};
    return memory;
}

void *bench_alloc(bench *b, size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        bench_fail(b, "out of memory");
    return keep(b, memory, NULL);
}

void *bench_pinned(bench *b, size_t bytes)
{
    void *memory = NULL;

    if (penta_host_alloc(bench_context(b), bytes, &memory) != PENTA_OK)
        bench_fail(b, "%zu bytes of pinned memory: %s", bytes, penta_last_error(bench_context(b)));
    return keep(b, memory, bench_context(b));
}

char *bench_text(bench *b, const char *format, ...)
{
    enum { LONGEST = 128 };
    char *text = bench_alloc(b, LONGEST, 1);
    va_list args;

    va_start(args, format);
    vsnprintf(text, LONGEST, format, args);
    va_end(args);
    return text;
}

size_t bench_mark(const bench *b)
{
    return b->block_count;
}

void bench_release(bench *b, size_t mark)
{
    while (b->block_count > mark) {
        const bench_block *block = &b->blocks[--b->block_count];

        if (block->pinned)
            penta_host_free(block->pinned, block->memory);
        else
            free(block->memory);
    }
    if (mark > 0)
        return;
    free(b->blocks);
    b->blocks = NULL;
    b->block_capacity = 0;
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
