/* Sizes that cannot overflow, and host memory. */
#define _DEFAULT_SOURCE /* madvise */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/core.h"

size_t penta_type_size(penta_type type)
{
    switch (type) {
    case PENTA_U8:
        return 1;
    case PENTA_U16:
    case PENTA_I16:
        return 2;
    case PENTA_F32:
    case PENTA_I32:
    case PENTA_U32:
        return 4;
    case PENTA_F64:
    case PENTA_I64:
        return 8;
    }
    return 0;
}

const char *penta_type_name(penta_type type)
{
    static const char *const names[] = {"u8", "u16", "f32", "f64", "i64", "i32", "i16", "u32"};

    return penta_type_size(type) ? names[type] : "?";
}

penta_status penta_size(penta_context *ctx, size_t a, size_t b, size_t c, size_t *bytes)
{
    size_t ab;

    if (__builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(ab, c, bytes))
        return penta_fail(ctx, PENTA_MEMORY, "%zu x %zu x %zu bytes do not fit in memory", a, b, c);
    return PENTA_OK;
}

enum { HUGE_PAGE = 1 << 21 }; /* bytes; where pages of the machine are larger still it is only advice */

/* Asks Linux for large pages, which it may give only on request (transparent_hugepage/enabled: madvise). In pages of
 * 4 KB, to touch a movie for the first time takes longer than much of the work on it. */
static void advise_large(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t at = (uintptr_t)memory, begin = (at + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = (at + bytes) / HUGE_PAGE * HUGE_PAGE;

    if (bytes >= 2 * HUGE_PAGE && begin < end)
        (void)madvise((char *)memory + (begin - at), end - begin, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

penta_status(penta_calloc)(penta_context *ctx, size_t count, size_t size, void *out)
{
    size_t bytes;
    void *memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : calloc(count ? count : 1, size ? size : 1);

    *(void **)out = memory;
    if (!memory)
        return penta_fail(ctx, PENTA_MEMORY, "out of host memory for %zu x %zu bytes", count, size);
    advise_large(memory, bytes);
    return PENTA_OK;
}
