/*
 * Order between the two queues. Each queue is in order; a command that touches a buffer last used on the other queue
 * waits for that use. So a transfer for the next frames runs beside the kernels of the present ones, and callers that
 * launch kernels need not care.
 */
#include "core/internal.h"

cl_uint penta_order_waits(penta_buffer *const *buffers, size_t count, int queue, cl_event *waits)
{
    cl_uint n = 0;

    for (size_t i = 0; i < count; i++)
        if (buffers[i]->last && buffers[i]->last_queue != queue)
            waits[n++] = buffers[i]->last;
    return n;
}

void penta_order_note(penta_buffer *const *buffers, size_t count, int queue, cl_event event)
{
    for (size_t i = 0; i < count; i++) {
        if (buffers[i]->last)
            clReleaseEvent(buffers[i]->last);
        clRetainEvent(event);
        buffers[i]->last = event;
        buffers[i]->last_queue = queue;
    }
}

penta_status penta_foreign_begin(penta_context *ctx, penta_buffer *const *buffers, size_t count, cl_event *begin)
{
    penta_status status = PENTA_OK;
    cl_event waits[8];
    cl_uint n;

    *begin = NULL;
    if (count > 8)
        return penta_fail(ctx, PENTA_INTERNAL, "%zu buffers in one foreign call", count);
    n = penta_order_waits(buffers, count, PENTA_QUEUE_COMPUTE, waits);
    if (ctx->timed)
        CL_TRY(clEnqueueMarkerWithWaitList(ctx->queue[PENTA_QUEUE_COMPUTE], n, n ? waits : NULL, begin));
    if (n)
        CL_TRY(clEnqueueBarrierWithWaitList(ctx->queue[PENTA_QUEUE_COMPUTE], n, waits, NULL));
cleanup:
    if (status != PENTA_OK && *begin) {
        clReleaseEvent(*begin);
        *begin = NULL;
    }
    return status;
}

penta_status penta_foreign_end(penta_context *ctx, penta_buffer *const *buffers, size_t count, const char *name,
                               cl_event begin)
{
    penta_status status = PENTA_OK;
    cl_event end = NULL;

    CL_TRY(clEnqueueMarkerWithWaitList(ctx->queue[PENTA_QUEUE_COMPUTE], 0, NULL, &end));
    penta_order_note(buffers, count, PENTA_QUEUE_COMPUTE, end);
    return penta_profile_add(ctx, name, false, 0, begin, end);
cleanup:
    if (begin)
        clReleaseEvent(begin);
    return status;
}
