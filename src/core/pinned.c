/* Pinned host memory: what callers allocate, and the ring of slots that other transfers go through. */
#include <stdlib.h>

#include "core/internal.h"

static penta_status pin(penta_context *ctx, size_t bytes, penta_pinned *out)
{
    penta_status status = PENTA_OK;
    penta_pinned made = {.bytes = bytes};
    cl_int code;

    made.mem = clCreateBuffer(ctx->handle, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes ? bytes : 16, NULL, &code);
    CL_TRY_CODE(clCreateBuffer, code);
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

penta_status penta_host_alloc(penta_context *ctx, size_t bytes, void **out)
{
    penta_status status = PENTA_OK;
    penta_pinned *p = NULL;

    *out = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *p, &p));
    TRY(pin(ctx, bytes, p));
    p->next = ctx->pinned;
    ctx->pinned = p;
    *out = p->host;
    p = NULL;
cleanup:
    free(p);
    return status;
}

void penta_host_free(penta_context *ctx, void *memory)
{
    for (penta_pinned **at = &ctx->pinned; memory && *at; at = &(*at)->next)
        if ((*at)->host == memory) {
            penta_pinned *found = *at;

            *at = found->next;
            clEnqueueUnmapMemObject(ctx->queue[PENTA_QUEUE_TRANSFER], found->mem, found->host, 0, NULL, NULL);
            clFinish(ctx->queue[PENTA_QUEUE_TRANSFER]);
            clReleaseMemObject(found->mem);
            free(found);
            return;
        }
}

bool penta_is_pinned(const penta_context *ctx, const void *data, size_t bytes)
{
    uintptr_t from = (uintptr_t)data;

    for (const penta_pinned *p = ctx->pinned; p; p = p->next)
        if (from >= (uintptr_t)p->host && from + bytes <= (uintptr_t)p->host + p->bytes)
            return true;
    return false;
}

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
