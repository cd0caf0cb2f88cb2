/*
 * Addresses that stand for device memory of the caller (penta_opencl_array). Each is the beginning of a range of
 * address space without memory, so that sums of address and offset stay inside it and no array of the host is ever
 * there. All contexts share one list: an address of another context, or one that was released, is then an error with a
 * sentence and not a crash.
 */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/internal.h"

enum { KEPT_RELEASED = 64 }; /* ranges stay reserved for a while after their release */

typedef struct device_array {
    const penta_context *ctx; /* NULL: released */
    cl_mem mem;
    size_t offset, bytes;
    char *address;
    size_t reserved;
    struct device_array *next;
} device_array;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static device_array *arrays;  /* under the lock; the newest first */
static atomic_size_t reached; /* how many there are: programs without any need no lock */

/* Under the lock. */
static device_array *find(const void *data)
{
    uintptr_t at = (uintptr_t)data;

    for (device_array *a = arrays; a; a = a->next)
        if (at >= (uintptr_t)a->address && at < (uintptr_t)a->address + a->reserved)
            return a;
    return NULL;
}

bool penta_is_device_array(const void *data)
{
    bool found;

    if (!data || atomic_load(&reached) == 0)
        return false;
    pthread_mutex_lock(&lock);
    found = find(data) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

penta_status penta_array_place(penta_context *ctx, const void *data, size_t bytes, penta_place *out)
{
    device_array found = {.address = NULL}, *a;
    size_t at;

    *out = (penta_place){0};
    if (!data || atomic_load(&reached) == 0)
        return PENTA_OK;
    pthread_mutex_lock(&lock);
    a = find(data);
    if (a)
        found = *a;
    pthread_mutex_unlock(&lock);
    if (!a)
        return PENTA_OK;
    if (!found.ctx)
        return penta_fail(ctx, PENTA_INVALID, "the device array was released (penta_opencl_array_release)");
    if (found.ctx != ctx)
        return penta_fail(ctx, PENTA_INVALID,
                          "the device array belongs to another context; penta_opencl_array makes one for this context");
    at = (size_t)((const char *)data - found.address);
    if (at > found.bytes || bytes > found.bytes - at)
        return penta_fail(ctx, PENTA_INVALID, "%zu bytes are needed of a device array that has %zu", bytes,
                          at > found.bytes ? 0 : found.bytes - at);
    *out = (penta_place){found.mem, found.offset + at};
    return PENTA_OK;
}

penta_status penta_check_array(penta_context *ctx, const void *data, size_t bytes)
{
    penta_place place;

    return penta_array_place(ctx, data, bytes, &place);
}

penta_status penta_check_host(penta_context *ctx, const void *data, const char *what)
{
    if (!penta_is_device_array(data))
        return PENTA_OK;
    return penta_fail(ctx, PENTA_INVALID, "%s must be in host memory; it is a device array", what);
}

/* ---- making ---- */

/* Sub-buffers cannot have sub-buffers, so the place is in the memory that a sub-buffer is a part of. */
static penta_status resolve(penta_context *ctx, device_array *a)
{
    penta_status status = PENTA_OK;
    cl_mem whole = NULL;
    size_t origin = 0;

    CL_TRY(clGetMemObjectInfo(a->mem, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL));
    if (!whole)
        return PENTA_OK;
    CL_TRY(clGetMemObjectInfo(a->mem, CL_MEM_OFFSET, sizeof origin, &origin, NULL));
    a->mem = whole;
    a->offset += origin;
cleanup:
    return status;
}

static penta_status check_memory(penta_context *ctx, const device_array *a)
{
    penta_status status = PENTA_OK;
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    size_t size = 0;
    cl_int code = clGetMemObjectInfo(a->mem, CL_MEM_TYPE, sizeof type, &type, NULL);

    if (code == CL_INVALID_MEM_OBJECT || (code == CL_SUCCESS && type != CL_MEM_OBJECT_BUFFER))
        return penta_fail(ctx, PENTA_INVALID, "a device array must be part of an OpenCL buffer");
    CL_TRY_CODE(clGetMemObjectInfo, code);
    CL_TRY(clGetMemObjectInfo(a->mem, CL_MEM_CONTEXT, sizeof context, &context, NULL));
    if (context != ctx->handle)
        return penta_fail(ctx, PENTA_INVALID,
                          "the buffer belongs to another OpenCL context than this one; penta_context_from_opencl opens "
                          "a context on it");
    CL_TRY(clGetMemObjectInfo(a->mem, CL_MEM_SIZE, sizeof size, &size, NULL));
    if (a->bytes == 0)
        return penta_fail(ctx, PENTA_INVALID, "a device array must not be empty");
    if (a->offset > size || a->bytes > size - a->offset)
        return penta_fail(ctx, PENTA_INVALID, "%zu bytes from byte %zu on are not in a buffer of %zu bytes", a->bytes,
                          a->offset, size);
cleanup:
    return status;
}

/* The end of an array is in the range, too, and is no other array's beginning. */
static penta_status reserve(penta_context *ctx, device_array *a)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *at;

    a->reserved = (a->bytes / page + 2) * page;
    at = mmap(NULL, a->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return penta_fail(ctx, PENTA_MEMORY, "there is no address space for a device array of %zu bytes", a->bytes);
    a->address = at;
    return PENTA_OK;
}

penta_status penta_opencl_array(penta_context *ctx, cl_mem memory, size_t offset, size_t bytes, void **address)
{
    penta_status status = PENTA_OK;
    device_array *a = NULL;

    *address = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *a, &a));
    *a = (device_array){.ctx = ctx, .mem = memory, .offset = offset, .bytes = bytes};
    TRY(check_memory(ctx, a));
    TRY(resolve(ctx, a));
    TRY(reserve(ctx, a));
    status = clRetainMemObject(a->mem) == CL_SUCCESS ? PENTA_OK : PENTA_DEVICE;
    if (status != PENTA_OK) {
        munmap(a->address, a->reserved);
        penta_fail(ctx, status, "clRetainMemObject failed");
        goto cleanup;
    }
    *address = a->address;
    pthread_mutex_lock(&lock);
    a->next = arrays;
    arrays = a;
    atomic_fetch_add(&reached, 1);
    pthread_mutex_unlock(&lock);
    a = NULL;
cleanup:
    free(a);
    return status;
}

/* ---- releasing ---- */

/* Under the lock: of the ranges that were released all but the newest few are given back. */
static void trim(void)
{
    size_t released = 0;

    for (device_array **at = &arrays; *at;) {
        device_array *a = *at;

        if (a->ctx || ++released <= KEPT_RELEASED) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        munmap(a->address, a->reserved);
        free(a);
        atomic_fetch_sub(&reached, 1);
    }
}

/* Under the lock: unlinked and put in front, as the one that was released last. */
static void retire(device_array **at)
{
    device_array *a = *at;

    clReleaseMemObject(a->mem);
    a->ctx = NULL;
    a->mem = NULL;
    *at = a->next;
    a->next = arrays;
    arrays = a;
}

void penta_opencl_array_release(penta_context *ctx, void *address)
{
    pthread_mutex_lock(&lock);
    for (device_array **at = &arrays; address && *at; at = &(*at)->next)
        if ((*at)->ctx == ctx && (*at)->address == address) {
            retire(at);
            trim();
            break;
        }
    pthread_mutex_unlock(&lock);
}

void penta_arrays_forget(const penta_context *ctx)
{
    bool more = true;

    pthread_mutex_lock(&lock);
    while (more) {
        device_array **at = &arrays;

        while (*at && (*at)->ctx != ctx)
            at = &(*at)->next;
        more = *at != NULL;
        if (more)
            retire(at);
    }
    trim();
    pthread_mutex_unlock(&lock);
}

/* For leak checkers: what stays reserved is no leak, and ends with the library. */
__attribute__((destructor)) static void forget_all(void)
{
    while (arrays) {
        device_array *a = arrays;

        arrays = a->next;
        munmap(a->address, a->reserved);
        free(a);
    }
    atomic_store(&reached, 0);
}
