/*
 * The caller's arrays as buffers, without a copy: a part of the caller's device memory is a sub-buffer; host memory is
 * used as it lies on a device that works in it (CL_MEM_USE_HOST_PTR on a CPU). A runtime may still copy host memory
 * behind the scenes, so results are mapped once before the caller reads them.
 */
#include <stdlib.h>

#include "core/internal.h"

/* A part at the beginning is the whole memory, which needs no sub-buffer. */
static penta_status make_part(penta_context *ctx, cl_mem whole, size_t origin, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    const cl_buffer_region region = {origin, bytes};
    cl_mem mem;
    cl_int code;

    if (origin == 0) {
        CL_TRY(clRetainMemObject(whole));
        *out = (penta_buffer){.ctx = ctx, .mem = whole, .bytes = bytes, .whole = whole};
        return PENTA_OK;
    }
    if (!ctx->has_parts || origin % ctx->base_align)
        return PENTA_OK;
    mem = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == CL_MISALIGNED_SUB_BUFFER_OFFSET)
        return PENTA_OK;
    CL_TRY_CODE(clCreateSubBuffer, code);
    *out = (penta_buffer){.ctx = ctx, .mem = mem, .bytes = bytes, .whole = whole, .origin = origin};
cleanup:
    return status;
}

static penta_status lend_host(penta_context *ctx, enum penta_access access, void *data, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    cl_mem_flags flags = access == PENTA_READ ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
    cl_mem mem;
    cl_int code;

    mem = clCreateBuffer(ctx->handle, flags | CL_MEM_USE_HOST_PTR, bytes, data, &code);
    CL_TRY_CODE(clCreateBuffer, code);
    *out = (penta_buffer){.ctx = ctx, .mem = mem, .bytes = bytes, .whole = mem, .host = data};
    out->lent_for = access;
cleanup:
    return status;
}

penta_status penta_buffer_lend(penta_context *ctx, enum penta_access access, const void *data, size_t bytes,
                               size_t align, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    penta_place place;

    *out = (penta_buffer){0};
    TRY(penta_array_place(ctx, data, bytes, &place));
    if (!data || bytes == 0 || bytes > ctx->info.max_allocation)
        return PENTA_OK;
    if (place.mem) {
        if (place.offset % align == 0)
            TRY(make_part(ctx, place.mem, place.offset, bytes, out));
    } else if (penta_is_cpu(ctx) && (uintptr_t)data % align == 0) {
        TRY(lend_host(ctx, access, (void *)data, bytes, out));
    }
cleanup:
    return status;
}

penta_status penta_buffer_lend_part(penta_buffer *lent, size_t offset, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = lent->ctx;

    *out = (penta_buffer){0};
    if (offset > lent->bytes || bytes > lent->bytes - offset || bytes == 0)
        return penta_fail(ctx, PENTA_INTERNAL, "%zu bytes at %zu of a buffer of %zu", bytes, offset, lent->bytes);
    TRY(make_part(ctx, lent->whole, lent->origin + offset, bytes, out));
    lent->parted = true;
cleanup:
    return status;
}

/* For the commands on it, not for those behind them. */
static penta_status wait_for_use(penta_buffer *lent)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = lent->ctx;
    cl_command_queue queue = ctx->queue[PENTA_QUEUE_COMPUTE];

    if (lent->parted || !lent->last) { /* parts know their last commands themselves */
        CL_TRY(clFinish(queue));
        return PENTA_OK;
    }
    CL_TRY(clFlush(queue));
    CL_TRY(clWaitForEvents(1, &lent->last));
cleanup:
    return status;
}

/* All commands on what is lent and on its parts are on the compute queue, which is in order. */
static penta_status fetch(penta_buffer *lent)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = lent->ctx;
    cl_command_queue queue = ctx->queue[PENTA_QUEUE_COMPUTE];
    cl_event over = NULL;
    void *at;
    cl_int code;

    at = clEnqueueMapBuffer(queue, lent->mem, CL_TRUE, CL_MAP_READ, 0, lent->bytes, 0, NULL, NULL, &code);
    CL_TRY_CODE(clEnqueueMapBuffer, code);
    CL_TRY(clEnqueueUnmapMemObject(queue, lent->mem, at, 0, NULL, &over));
    CL_TRY(clWaitForEvents(1, &over));
cleanup:
    if (over)
        clReleaseEvent(over);
    return status;
}

penta_status penta_buffer_give_back(penta_buffer *lent)
{
    penta_status status = PENTA_OK;

    if (lent->host && lent->lent_for == PENTA_WRITE)
        TRY(fetch(lent));
    else if (lent->host)
        TRY(wait_for_use(lent));
    lent->host = NULL; /* waited for */
cleanup:
    penta_buffer_release(lent);
    return status;
}

/* ---- ports ---- */

static void release_port(penta_port *port)
{
    penta_buffer_release(&port->lent);
    port->now = NULL;
}

penta_status penta_port_open(penta_resources *owner, penta_port *port)
{
    penta_status status = PENTA_OK;

    *port = (penta_port){.owner = owner};
    TRY(penta_own_struct(owner, port, release_port));
cleanup:
    return status;
}

static penta_status have_own(penta_port *port, size_t bytes)
{
    penta_status status = PENTA_OK;

    if (!port->own.mem || port->own.bytes < bytes)
        TRY(penta_buffer_create(port->owner, bytes, &port->own));
    port->now = &port->own;
cleanup:
    return status;
}

penta_status penta_port_input(penta_port *port, const void *data, size_t bytes, size_t align)
{
    penta_status status = PENTA_OK;

    penta_port_abandon(port);
    TRY(penta_buffer_lend(port->owner->ctx, PENTA_READ, data, bytes, align, &port->lent));
    port->now = &port->lent;
    if (!port->lent.mem) {
        TRY(have_own(port, bytes));
        TRY(penta_buffer_write(&port->own, 0, data, bytes));
    }
cleanup:
    if (status != PENTA_OK)
        penta_port_abandon(port);
    return status;
}

penta_status penta_port_output(penta_port *port, void *data, size_t bytes, size_t align)
{
    penta_status status = PENTA_OK;

    penta_port_abandon(port);
    TRY(penta_buffer_lend(port->owner->ctx, PENTA_WRITE, data, bytes, align, &port->lent));
    port->now = &port->lent;
    if (!port->lent.mem)
        TRY(have_own(port, bytes));
    port->to = data;
    port->bytes = bytes;
cleanup:
    if (status != PENTA_OK)
        penta_port_abandon(port);
    return status;
}

penta_status penta_port_close(penta_port *port)
{
    penta_status status = PENTA_OK;

    if (port->now == &port->own && port->to)
        TRY(penta_buffer_read(&port->own, 0, port->to, port->bytes));
    if (port->now == &port->lent)
        TRY(penta_buffer_give_back(&port->lent));
    port->now = NULL;
    port->to = NULL;
cleanup:
    if (status != PENTA_OK)
        penta_port_abandon(port);
    return status;
}

void penta_port_abandon(penta_port *port)
{
    if (port->lent.host)
        penta_settle(port->owner->ctx);
    release_port(port);
    port->to = NULL;
}

/* ---- arrays that the host works on ---- */

/* An array as a buffer, for transfers between it and host memory. */
static penta_status array_buffer(penta_context *ctx, const void *data, size_t bytes, penta_buffer *out, size_t *offset)
{
    penta_status status = PENTA_OK;
    penta_place place;

    TRY(penta_array_place(ctx, data, bytes, &place));
    CL_TRY(clRetainMemObject(place.mem));
    *out = (penta_buffer){.ctx = ctx, .mem = place.mem, .bytes = place.offset + bytes, .whole = place.mem};
    *offset = place.offset;
cleanup:
    return status;
}

/* Between a device array and host memory: `to`, or `from` where that is NULL. */
static penta_status array_copy(penta_context *ctx, const void *array, size_t bytes, const void *from, void *to)
{
    penta_status status = PENTA_OK;
    penta_buffer buffer = {0};
    size_t offset = 0;

    TRY(array_buffer(ctx, array, bytes, &buffer, &offset));
    TRY(to ? penta_buffer_read(&buffer, offset, to, bytes) : penta_buffer_write(&buffer, offset, from, bytes));
cleanup:
    penta_buffer_release(&buffer);
    return status;
}

penta_status penta_host_room(penta_context *ctx, void *data, size_t bytes, void **view, void **copy)
{
    penta_status status = PENTA_OK;

    *copy = NULL;
    *view = data;
    TRY(penta_check_array(ctx, data, bytes));
    if (!penta_is_device_array(data))
        return PENTA_OK;
    TRY(penta_calloc(ctx, bytes, 1, copy));
    *view = *copy;
cleanup:
    return status;
}

penta_status penta_host_view(penta_context *ctx, const void *data, size_t bytes, const void **view, void **copy)
{
    penta_status status = PENTA_OK;
    void *room = NULL;

    TRY(penta_host_room(ctx, (void *)data, bytes, &room, copy));
    *view = room;
    if (*copy)
        TRY(array_copy(ctx, data, bytes, NULL, *copy));
cleanup:
    if (status != PENTA_OK) {
        free(*copy);
        *copy = NULL;
    }
    return status;
}

penta_status penta_host_deliver(penta_context *ctx, const void *view, void *data, size_t bytes)
{
    return view == data ? PENTA_OK : array_copy(ctx, data, bytes, view, NULL);
}
