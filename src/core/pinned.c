/* Pinned host memory: what callers allocate or have, and the ring of slots that other transfers go through. */
#include <pthread.h>
#include <stdlib.h>

#include "core/internal.h"

static penta_status create(penta_context *ctx, cl_mem_flags flags, size_t bytes, void *host, cl_mem *out)
{
    penta_status status = PENTA_OK;
    cl_int code;

    *out = clCreateBuffer(ctx->handle, CL_MEM_READ_WRITE | flags, bytes, host, &code);
    if (code == CL_INVALID_BUFFER_SIZE)
        return penta_fail(ctx, PENTA_MEMORY, "%zu bytes of host memory are more than the device pins at a time (%llu)",
                          bytes, (unsigned long long)ctx->info.max_allocation);
    CL_TRY_CODE(clCreateBuffer, code);
cleanup:
    return status;
}

static penta_status pin(penta_context *ctx, size_t bytes, penta_pinned *out)
{
    penta_status status = PENTA_OK;
    penta_pinned made = {.bytes = bytes};
    cl_int code;

    TRY(create(ctx, CL_MEM_ALLOC_HOST_PTR, bytes ? bytes : 16, NULL, &made.mem));
    made.host = clEnqueueMapBuffer(ctx->queue[PENTA_QUEUE_TRANSFER], made.mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                   bytes ? bytes : 16, 0, NULL, NULL, &code);
    CL_TRY_CODE(clEnqueueMapBuffer, code);
    *out = made;
    made.mem = NULL;
cleanup:
    if (made.mem)
        clReleaseMemObject(made.mem);
    return status;
}

/* ---- what is pinned: of all contexts, since a device reads memory that another context has pinned as fast ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static penta_pinned *all;

static void note(penta_context *ctx, penta_pinned *p)
{
    p->ctx = ctx;
    p->platform = ctx->platform;
    pthread_mutex_lock(&lock);
    p->next = all;
    all = p;
    pthread_mutex_unlock(&lock);
}

/* Of this context: what begins at `host`, the caller's memory or not; where host is NULL, anything. */
static penta_pinned *take(const penta_context *ctx, const void *host, bool callers)
{
    penta_pinned *found = NULL;

    pthread_mutex_lock(&lock);
    for (penta_pinned **at = &all; *at && !found; at = &(*at)->next)
        if ((*at)->ctx == ctx && (!host || ((*at)->host == host && (*at)->callers == callers))) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

bool penta_is_pinned(const penta_context *ctx, const void *data, size_t bytes)
{
    uintptr_t from = (uintptr_t)data;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (const penta_pinned *p = all; p && !found; p = p->next)
        found =
            p->platform == ctx->platform && from >= (uintptr_t)p->host && from + bytes <= (uintptr_t)p->host + p->bytes;
    pthread_mutex_unlock(&lock);
    return found;
}

static void end(penta_pinned *p)
{
    if (!p->callers)
        clEnqueueUnmapMemObject(p->ctx->queue[PENTA_QUEUE_TRANSFER], p->mem, p->host, 0, NULL, NULL);
    for (int i = 0; i < PENTA_QUEUES; i++) /* there are transfers on either */
        clFinish(p->ctx->queue[i]);
    clReleaseMemObject(p->mem);
    free(p);
}

penta_status penta_host_alloc(penta_context *ctx, size_t bytes, void **out)
{
    penta_status status = PENTA_OK;
    penta_pinned *p = NULL;

    *out = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *p, &p));
    TRY(pin(ctx, bytes, p));
    *out = p->host;
    note(ctx, p);
    p = NULL;
cleanup:
    free(p);
    return status;
}

penta_status penta_host_pin(penta_context *ctx, void *memory, size_t bytes)
{
    penta_status status = PENTA_OK;
    penta_pinned *p = NULL;

    TRY(penta_check_host(ctx, memory, "memory that is pinned"));
    if (!memory || bytes == 0 || ctx->info.type == PENTA_DEVICE_CPU)
        return PENTA_OK;
    TRY(penta_calloc(ctx, 1, sizeof *p, &p));
    *p = (penta_pinned){.host = memory, .bytes = bytes, .callers = true};
    TRY(create(ctx, CL_MEM_USE_HOST_PTR, bytes, memory, &p->mem));
    note(ctx, p);
    p = NULL;
cleanup:
    free(p);
    return status;
}

void penta_host_free(penta_context *ctx, void *memory)
{
    penta_pinned *p = memory ? take(ctx, memory, false) : NULL;

    if (p)
        end(p);
}

void penta_host_unpin(penta_context *ctx, void *memory)
{
    penta_pinned *p = memory ? take(ctx, memory, true) : NULL;

    if (p)
        end(p);
}

void penta_pinned_forget(penta_context *ctx)
{
    for (penta_pinned *p; (p = take(ctx, NULL, false));)
        end(p);
}

/* ---- the ring ---- */

penta_status penta_staging_slot(penta_context *ctx, penta_pinned **out)
{
    penta_status status = PENTA_OK;
    penta_pinned *slot = &ctx->staging[ctx->next_slot];

    ctx->next_slot = (ctx->next_slot + 1) % PENTA_STAGING_SLOTS;
    if (!slot->mem)
        TRY(pin(ctx, PENTA_STAGING_BYTES, slot));
    if (slot->event) {
        CL_TRY(clWaitForEvents(1, &slot->event));
        clReleaseEvent(slot->event);
        slot->event = NULL;
    }
    *out = slot;
cleanup:
    return status;
}
