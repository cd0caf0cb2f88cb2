/* Copies on the device between a buffer and a device array of the caller. */
#include "core/internal.h"

static cl_int copy_rows(penta_buffer *b, enum penta_direction way, const penta_span *s, const penta_place *other,
                        cl_uint n, const cl_event *waits, cl_event *event)
{
    cl_command_queue queue = b->ctx->queue[PENTA_QUEUE_COMPUTE];
    const size_t there[3] = {s->offset % s->stride, s->offset / s->stride, 0};
    const size_t here[3] = {other->offset % s->host_stride, other->offset / s->host_stride, 0};
    const size_t region[3] = {s->bytes, s->rows, 1};

    if (way == PENTA_TO_HOST)
        return clEnqueueCopyBufferRect(queue, b->mem, other->mem, there, here, region, s->stride, 0, s->host_stride, 0,
                                       n, waits, event);
    return clEnqueueCopyBufferRect(queue, other->mem, b->mem, here, there, region, s->host_stride, 0, s->stride, 0, n,
                                   waits, event);
}

/* One copy on the compute queue, where all commands on the caller's memory are. *refused: the driver takes no such
 * rectangle, and nothing was enqueued. */
static penta_status copy_part(penta_buffer *b, enum penta_direction way, const penta_span *s, const penta_place *other,
                              bool *refused)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = b->ctx;
    cl_command_queue queue = ctx->queue[PENTA_QUEUE_COMPUTE];
    cl_event waits[1], event = NULL;
    cl_uint n = penta_order_waits(&b, 1, PENTA_QUEUE_COMPUTE, waits);
    const cl_event *list = n ? waits : NULL;

    *refused = false;
    if (s->rows > 1) {
        cl_int code = copy_rows(b, way, s, other, n, list, &event);

        *refused = code == CL_INVALID_VALUE;
        if (*refused)
            return PENTA_OK;
        CL_TRY_CODE(clEnqueueCopyBufferRect, code);
    } else if (way == PENTA_TO_DEVICE)
        CL_TRY(clEnqueueCopyBuffer(queue, other->mem, b->mem, other->offset, s->offset, s->bytes, n, list, &event));
    else
        CL_TRY(clEnqueueCopyBuffer(queue, b->mem, other->mem, s->offset, other->offset, s->bytes, n, list, &event));
    penta_order_note(&b, 1, PENTA_QUEUE_COMPUTE, event);
    return penta_profile_add(ctx, "copy", false, 0, NULL, event);
cleanup:
    return status;
}

/* No run of a rectangle may cross a multiple of its stride, so where one would, rows go one by one; and where the
 * driver refuses a rectangle, as NVIDIA's 580 does with some that lie within both buffers. */
penta_status penta_copy_span(penta_buffer *b, enum penta_direction way, const penta_span *s, const penta_place *other)
{
    penta_status status = PENTA_OK;
    bool refused = true;

    if (s->rows == 1 || other->offset % s->host_stride <= s->host_stride - s->bytes)
        TRY(copy_part(b, way, s, other, &refused));
    for (size_t r = 0; refused && r < s->rows; r++) {
        const penta_place row = {other->mem, other->offset + r * s->host_stride};
        const penta_span part = penta_line(s->offset + r * s->stride, s->bytes);
        bool never;

        TRY(copy_part(b, way, &part, &row, &never));
    }
cleanup:
    return status;
}
