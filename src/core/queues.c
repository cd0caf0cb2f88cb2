/*
 * The queues of a context: its own, in two forms, since those with time stamps take longer, and the caller's. And the
 * caller's events: what is enqueued on a context, in order with what the caller's program enqueues.
 */
#include "core/internal.h"

/* ---- the context's own ---- */

static penta_status make_queues(penta_context *ctx, bool timed)
{
    penta_status status = PENTA_OK;
    cl_command_queue_properties properties = timed ? CL_QUEUE_PROFILING_ENABLE : 0;
    double began = penta_clock();
    cl_int code;

    for (int i = 0; i < PENTA_QUEUES; i++)
        if (!ctx->own[timed][i]) {
            ctx->own[timed][i] = clCreateCommandQueue(ctx->handle, ctx->device, properties, &code);
            CL_TRY_CODE(clCreateCommandQueue, code);
        }
cleanup:
    ctx->queued += penta_clock() - began;
    return status;
}

penta_status penta_queues_use(penta_context *ctx, bool timed)
{
    penta_status status = PENTA_OK;

    if (ctx->queue[PENTA_QUEUE_TRANSFER] && ctx->timed == timed)
        return PENTA_OK;
    TRY(make_queues(ctx, timed));
    for (int i = 0; i < PENTA_QUEUES; i++)
        if (ctx->queue[i])
            CL_TRY(clFinish(ctx->queue[i]));
    for (int i = 0; i < PENTA_QUEUES; i++)
        if (ctx->queue[i] == ctx->own[!timed][i]) { /* both NULL at first */
            CL_TRY(clRetainCommandQueue(ctx->own[timed][i]));
            if (ctx->queue[i])
                clReleaseCommandQueue(ctx->queue[i]);
            ctx->queue[i] = ctx->own[timed][i];
        }
    ctx->timed = timed;
cleanup:
    return status;
}

void penta_queues_release(penta_context *ctx)
{
    for (int i = 0; i < PENTA_QUEUES; i++) {
        cl_command_queue *all[] = {&ctx->queue[i], &ctx->own[0][i], &ctx->own[1][i]};

        if (ctx->queue[i])
            clFinish(ctx->queue[i]);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            if (*all[k])
                clReleaseCommandQueue(*all[k]);
            *all[k] = NULL;
        }
    }
}

/* ---- the caller's ---- */

penta_status penta_opencl_done(penta_context *ctx, cl_event *event)
{
    penta_status status = PENTA_OK;
    cl_event transfers = NULL;

    *event = NULL;
    CL_TRY(clEnqueueMarkerWithWaitList(ctx->queue[PENTA_QUEUE_TRANSFER], 0, NULL, &transfers));
    CL_TRY(clFlush(ctx->queue[PENTA_QUEUE_TRANSFER])); /* before another queue waits for it */
    CL_TRY(clEnqueueMarkerWithWaitList(ctx->queue[PENTA_QUEUE_COMPUTE], 1, &transfers, event));
    CL_TRY(clFlush(ctx->queue[PENTA_QUEUE_COMPUTE]));
cleanup:
    if (transfers)
        clReleaseEvent(transfers);
    if (status != PENTA_OK && *event) {
        clReleaseEvent(*event);
        *event = NULL;
    }
    return status;
}

static penta_status check_events(penta_context *ctx, cl_uint count, const cl_event *events)
{
    penta_status status = PENTA_OK;

    for (cl_uint i = 0; i < count; i++) {
        cl_context context = NULL;
        cl_int code =
            events[i] ? clGetEventInfo(events[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL) : CL_INVALID_EVENT;

        if (code == CL_INVALID_EVENT)
            return penta_fail(ctx, PENTA_INVALID, "event %u is no event", i);
        CL_TRY_CODE(clGetEventInfo, code);
        if (context != ctx->handle)
            return penta_fail(ctx, PENTA_INVALID, "event %u belongs to another OpenCL context", i);
    }
cleanup:
    return status;
}

penta_status penta_opencl_wait(penta_context *ctx, cl_uint count, const cl_event *events)
{
    penta_status status = PENTA_OK;

    if (count == 0)
        return PENTA_OK;
    TRY(check_events(ctx, count, events));
    for (int i = 0; i < PENTA_QUEUES; i++)
        CL_TRY(clEnqueueBarrierWithWaitList(ctx->queue[i], count, events, NULL));
cleanup:
    return status;
}

static penta_status check_queue(penta_context *ctx, cl_command_queue queue)
{
    penta_status status = PENTA_OK;
    cl_command_queue_properties properties = 0;
    cl_device_id device = NULL;
    cl_context context = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);

    if (code == CL_INVALID_COMMAND_QUEUE)
        return penta_fail(ctx, PENTA_INVALID, "this is no command queue");
    CL_TRY_CODE(clGetCommandQueueInfo, code);
    CL_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    if (context != ctx->handle || device != ctx->device)
        return penta_fail(ctx, PENTA_INVALID, "the command queue belongs to another OpenCL context or device");
    CL_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return penta_fail(ctx, PENTA_INVALID, "the command queue must be in order");
cleanup:
    return status;
}

penta_status penta_opencl_use_queue(penta_context *ctx, cl_command_queue queue)
{
    penta_status status = PENTA_OK;
    cl_command_queue now = ctx->queue[PENTA_QUEUE_COMPUTE],
                     next = queue ? queue : ctx->own[ctx->timed][PENTA_QUEUE_COMPUTE];
    cl_event before = NULL;

    if (next == now)
        return PENTA_OK;
    if (queue)
        TRY(check_queue(ctx, queue));
    CL_TRY(clEnqueueMarkerWithWaitList(now, 0, NULL, &before));
    CL_TRY(clFlush(now)); /* before another queue waits for it */
    CL_TRY(clEnqueueBarrierWithWaitList(next, 1, &before, NULL));
    CL_TRY(clRetainCommandQueue(next));
    ctx->queue[PENTA_QUEUE_COMPUTE] = next;
    clReleaseCommandQueue(now);
cleanup:
    if (before)
        clReleaseEvent(before);
    return status;
}
