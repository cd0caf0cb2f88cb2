/*
 * Device memory and transfers. From pageable memory a discrete GPU moves 7 GB/s, from pinned memory 55, so pageable
 * data go through a ring of pinned slots; memory from penta_host_alloc is transferred directly. A CPU device copies
 * directly too: staging would only add a copy.
 */
#include <string.h>

#include "core/internal.h"

penta_status(penta_buffer_create)(penta_context *ctx, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    cl_mem mem;
    cl_int code;

    *out = (penta_buffer){0};
    if (bytes > ctx->info.max_allocation)
        return penta_fail(ctx, PENTA_MEMORY, "a buffer of %zu bytes is over this device's limit of %llu", bytes,
                          (unsigned long long)ctx->info.max_allocation);
    mem = clCreateBuffer(ctx->handle, CL_MEM_READ_WRITE, bytes ? bytes : 16, NULL, &code);
    CL_TRY_CODE(clCreateBuffer, code);
    *out = (penta_buffer){.ctx = ctx, .mem = mem, .bytes = bytes};
cleanup:
    return status;
}

void penta_buffer_release(penta_buffer *buffer)
{
    if (buffer->host) /* the caller may free the memory next */
        clFinish(buffer->ctx->queue[PENTA_QUEUE_COMPUTE]);
    if (buffer->last)
        clReleaseEvent(buffer->last);
    if (buffer->mem)
        clReleaseMemObject(buffer->mem);
    *buffer = (penta_buffer){0};
}

/* ---- transfers ---- */

static penta_status enqueue_rows(cl_command_queue queue, penta_buffer *b, enum penta_direction way, const penta_span *s,
                                 void *data, cl_uint n, const cl_event *waits, cl_event *event)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = b->ctx;
    const size_t there[3] = {s->offset % s->stride, s->offset / s->stride, 0}, here[3] = {0, 0, 0};
    const size_t region[3] = {s->bytes, s->rows, 1};

    if (way == PENTA_TO_DEVICE)
        CL_TRY(clEnqueueWriteBufferRect(queue, b->mem, CL_FALSE, there, here, region, s->stride, 0, s->host_stride, 0,
                                        data, n, waits, event));
    else
        CL_TRY(clEnqueueReadBufferRect(queue, b->mem, CL_FALSE, there, here, region, s->stride, 0, s->host_stride, 0,
                                       data, n, waits, event));
cleanup:
    return status;
}

void penta_buffer_put_in_line(penta_buffer *buffer)
{
    buffer->in_line = true;
}

/* One transfer, ordered after the buffer's last use. The caller releases *event. */
static penta_status enqueue(penta_buffer *b, enum penta_direction way, penta_span s, void *data, cl_event *event)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = b->ctx;
    int which = b->whole || b->in_line ? PENTA_QUEUE_COMPUTE : PENTA_QUEUE_TRANSFER;
    cl_command_queue queue = ctx->queue[which];
    cl_event waits[1];
    cl_uint n = penta_order_waits(&b, 1, which, waits);

    *event = NULL;
    if (n) /* flush the compute queue before another queue waits for it */
        CL_TRY(clFlush(ctx->queue[PENTA_QUEUE_COMPUTE]));
    if (s.rows > 1)
        TRY(enqueue_rows(queue, b, way, &s, data, n, n ? waits : NULL, event));
    else if (way == PENTA_TO_DEVICE)
        CL_TRY(clEnqueueWriteBuffer(queue, b->mem, CL_FALSE, s.offset, s.bytes, data, n, n ? waits : NULL, event));
    else
        CL_TRY(clEnqueueReadBuffer(queue, b->mem, CL_FALSE, s.offset, s.bytes, data, n, n ? waits : NULL, event));
    CL_TRY(clFlush(queue));
    penta_order_note(&b, 1, which, *event);
    CL_TRY(clRetainEvent(*event));
    TRY(penta_profile_add(ctx, way == PENTA_TO_DEVICE ? "write" : "read", true, s.bytes * s.rows, NULL, *event));
cleanup:
    if (status != PENTA_OK && *event) {
        clFinish(queue); /* the transfer may still run, and the caller may now free the memory */
        clReleaseEvent(*event);
        *event = NULL;
    }
    return status;
}

static penta_status direct(penta_buffer *b, enum penta_direction way, penta_span s, void *data, bool wait)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = b->ctx;
    cl_event event = NULL;

    TRY(enqueue(b, way, s, data, &event));
    if (wait)
        CL_TRY(clWaitForEvents(1, &event));
cleanup:
    if (status != PENTA_OK && event)
        penta_settle(ctx);
    if (event)
        clReleaseEvent(event);
    return status;
}

/* ---- through pinned slots ---- */

/* Where a span is, part by part. */
typedef struct {
    penta_span whole;
    size_t row, at; /* the next byte is at `at` of that row */
    char *data;     /* of the host */
} walk;

static bool has_part(const walk *w)
{
    return w->row < w->whole.rows;
}

/* The next part that fits in a slot, where it is packed without gaps: rows, or a piece of one. *host: its place. */
static penta_span next_part(walk *w, char **host)
{
    const penta_span *s = &w->whole;
    penta_span part = {s->offset + w->row * s->stride + w->at, s->bytes - w->at, 1, s->stride, 0};

    *host = w->data + w->row * s->host_stride + w->at;
    if (s->bytes <= PENTA_STAGING_BYTES) {
        part.rows = PENTA_STAGING_BYTES / s->bytes;
        part.rows = part.rows < s->rows - w->row ? part.rows : s->rows - w->row;
        w->row += part.rows;
    } else if (part.bytes > PENTA_STAGING_BYTES) {
        part.bytes = PENTA_STAGING_BYTES;
        w->at += part.bytes;
    } else {
        w->row++;
        w->at = 0;
    }
    part.host_stride = part.bytes;
    if (part.rows > 1 && part.stride == part.bytes)
        part = penta_line(part.offset, part.rows * part.bytes);
    return part;
}

static size_t bytes_of(const penta_span *part)
{
    return part->bytes * part->rows;
}

/* ---- copies of host memory by several threads: one alone is slower than a transfer to a device ---- */

static const size_t piece_bytes = (size_t)1 << 18, worth_it = (size_t)1 << 20;

typedef struct {
    char *to;
    const char *from;
    size_t to_stride, from_stride, bytes, rows;
    size_t rows_each;  /* of a piece; 0: a row is cut */
    size_t pieces_row; /* then: how many pieces it is */
} rows_copy;

static void copy_part(const rows_copy *c, size_t row, size_t first, size_t bytes)
{
    memcpy(c->to + row * c->to_stride + first, c->from + row * c->from_stride + first, bytes);
}

static void copy_piece(void *data, size_t piece)
{
    const rows_copy *c = data;
    size_t row = c->rows_each ? piece * c->rows_each : piece / c->pieces_row, first, left;

    for (size_t r = row; c->rows_each && r < row + c->rows_each && r < c->rows; r++)
        copy_part(c, r, 0, c->bytes);
    if (c->rows_each)
        return;
    first = piece % c->pieces_row * piece_bytes;
    left = c->bytes - first;
    copy_part(c, row, first, left < piece_bytes ? left : piece_bytes);
}

/* Copies `rows` runs of `bytes` bytes of host memory, by several threads where there are many. */
static void penta_copy_rows(void *to, size_t to_stride, const void *from, size_t from_stride, size_t bytes, size_t rows)
{
    rows_copy c = {to, from, to_stride, from_stride, bytes, rows, 0, 0};

    if (bytes == 0 || rows == 0)
        return;
    c.rows_each = bytes > piece_bytes ? 0 : piece_bytes / bytes;
    c.pieces_row = (bytes + piece_bytes - 1) / piece_bytes;
    if (bytes * rows < worth_it) {
        for (size_t r = 0; r < rows; r++)
            copy_part(&c, r, 0, bytes);
        return;
    }
    penta_parallel(c.rows_each ? (rows + c.rows_each - 1) / c.rows_each : rows * c.pieces_row, copy_piece, &c);
}

/* Rows of the span in `bytes` bytes from `host` on, to or from a slot. */
static void copy_slot(const penta_span *s, enum penta_direction way, void *slot, char *host, size_t bytes)
{
    size_t run = bytes < s->bytes ? bytes : s->bytes;

    if (way == PENTA_TO_DEVICE)
        penta_copy_rows(slot, run, host, s->host_stride, run, bytes / run);
    else
        penta_copy_rows(host, s->host_stride, slot, run, run, bytes / run);
}

static penta_status staged_write(penta_buffer *b, penta_span s, const void *data)
{
    penta_status status = PENTA_OK;
    walk w = {s, 0, 0, (char *)data};
    penta_pinned *slot = NULL;

    while (has_part(&w)) {
        char *host;
        penta_span part = next_part(&w, &host);

        TRY(penta_staging_slot(b->ctx, &slot));
        copy_slot(&s, PENTA_TO_DEVICE, slot->host, host, bytes_of(&part));
        TRY(enqueue(b, PENTA_TO_DEVICE, part, slot->host, &slot->event));
    }
cleanup:
    return status;
}

/* Two parts in flight: one is transferred while the previous one is copied out. */
static penta_status staged_read(penta_buffer *b, penta_span s, void *data)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = b->ctx;
    walk w = {s, 0, 0, data};
    penta_pinned *slot = NULL, *ready = NULL;
    char *ready_host = NULL;
    size_t ready_bytes = 0;

    while (has_part(&w) || ready) {
        penta_pinned *next = NULL;
        char *host = NULL;
        size_t bytes = 0;

        if (has_part(&w)) {
            penta_span part = next_part(&w, &host);

            TRY(penta_staging_slot(ctx, &slot));
            TRY(enqueue(b, PENTA_TO_HOST, part, slot->host, &slot->event));
            next = slot;
            bytes = bytes_of(&part);
        }
        if (ready) {
            CL_TRY(clWaitForEvents(1, &ready->event));
            copy_slot(&s, PENTA_TO_HOST, ready->host, ready_host, ready_bytes);
        }
        ready = next;
        ready_host = host;
        ready_bytes = bytes;
    }
cleanup:
    return status;
}

static penta_status check_range(const penta_buffer *b, size_t offset, size_t bytes)
{
    if (offset > b->bytes || bytes > b->bytes - offset)
        return penta_fail(b->ctx, PENTA_INTERNAL, "transfer of %zu bytes at %zu of a buffer of %zu", bytes, offset,
                          b->bytes);
    return PENTA_OK;
}

/* ---- what workloads call ---- */

static penta_status write_any(penta_buffer *b, penta_span s, const void *data, bool wait)
{
    penta_status status = PENTA_OK;
    size_t host_bytes = s.rows > 1 ? (s.rows - 1) * s.host_stride + s.bytes : s.bytes;
    penta_place place;

    TRY(penta_array_place(b->ctx, data, host_bytes, &place));
    if (place.mem)
        return penta_copy_span(b, PENTA_TO_DEVICE, &s, &place);
    if (penta_is_pinned(b->ctx, data, host_bytes))
        return direct(b, PENTA_TO_DEVICE, s, (void *)data, wait);
    if (penta_is_cpu(b->ctx))
        return direct(b, PENTA_TO_DEVICE, s, (void *)data, true);
    return staged_write(b, s, data);
cleanup:
    return status;
}

penta_status penta_buffer_write(penta_buffer *buffer, size_t offset, const void *data, size_t bytes)
{
    penta_status status = check_range(buffer, offset, bytes);

    return status != PENTA_OK || bytes == 0 ? status : write_any(buffer, penta_line(offset, bytes), data, true);
}

penta_status(penta_buffer_upload)(penta_context *ctx, const void *data, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_create(ctx, bytes, out));
    TRY(penta_buffer_write(out, 0, data, bytes));
cleanup:
    return status;
}

penta_status penta_buffer_write_async(penta_buffer *buffer, size_t offset, const void *data, size_t bytes)
{
    penta_status status = check_range(buffer, offset, bytes);

    return status != PENTA_OK || bytes == 0 ? status : write_any(buffer, penta_line(offset, bytes), data, false);
}

/* Whether rows can be moved as they are told of. */
static penta_status check_rows(const penta_buffer *b, const penta_span *s)
{
    if (s->offset > b->bytes || s->bytes > s->stride || s->bytes > s->host_stride ||
        s->offset % s->stride > s->stride - s->bytes || s->rows - 1 > (b->bytes - s->offset) / s->stride ||
        s->bytes > b->bytes - s->offset - (s->rows - 1) * s->stride)
        return penta_fail(b->ctx, PENTA_INTERNAL,
                          "transfer of %zu rows of %zu bytes, %zu apart, at %zu of a buffer of %zu", s->rows, s->bytes,
                          s->stride, s->offset, b->bytes);
    return PENTA_OK;
}

penta_status penta_buffer_write_rows(penta_buffer *buffer, size_t offset, size_t stride, const void *data,
                                     size_t host_stride, size_t bytes, size_t rows)
{
    penta_status status = PENTA_OK;
    penta_span s = {offset, bytes, rows, stride, host_stride};

    if (bytes == 0 || rows == 0)
        return PENTA_OK;
    if (rows == 1 || (stride == bytes && host_stride == bytes))
        return penta_buffer_write_async(buffer, offset, data, bytes * rows);
    TRY(check_rows(buffer, &s));
    TRY(write_any(buffer, s, data, false));
cleanup:
    return status;
}

static penta_status read_any(penta_buffer *b, penta_span s, void *data)
{
    penta_status status = PENTA_OK;
    size_t host_bytes = s.rows > 1 ? (s.rows - 1) * s.host_stride + s.bytes : s.bytes;
    penta_place place;

    TRY(penta_array_place(b->ctx, data, host_bytes, &place));
    if (place.mem)
        return penta_copy_span(b, PENTA_TO_HOST, &s, &place);
    if (penta_is_cpu(b->ctx) || penta_is_pinned(b->ctx, data, host_bytes))
        return direct(b, PENTA_TO_HOST, s, data, true);
    return staged_read(b, s, data);
cleanup:
    return status;
}

penta_status penta_buffer_read(penta_buffer *buffer, size_t offset, void *data, size_t bytes)
{
    penta_status status = check_range(buffer, offset, bytes);

    return status != PENTA_OK || bytes == 0 ? status : read_any(buffer, penta_line(offset, bytes), data);
}

penta_status penta_buffer_read_async(penta_buffer *buffer, size_t offset, void *data, size_t bytes)
{
    penta_status status = check_range(buffer, offset, bytes);

    return status != PENTA_OK || bytes == 0 ? status
                                            : direct(buffer, PENTA_TO_HOST, penta_line(offset, bytes), data, false);
}

penta_status penta_buffer_wait(penta_buffer *buffer)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = buffer->ctx;

    if (buffer->last)
        CL_TRY(clWaitForEvents(1, &buffer->last));
cleanup:
    return status;
}

penta_status penta_buffer_read_rows(penta_buffer *buffer, size_t offset, size_t stride, void *data, size_t host_stride,
                                    size_t bytes, size_t rows)
{
    penta_status status = PENTA_OK;
    penta_span s = {offset, bytes, rows, stride, host_stride};

    if (bytes == 0 || rows == 0)
        return PENTA_OK;
    if (rows == 1 || (stride == bytes && host_stride == bytes))
        return penta_buffer_read(buffer, offset, data, bytes * rows);
    TRY(check_rows(buffer, &s));
    TRY(read_any(buffer, s, data));
cleanup:
    return status;
}

static penta_status fill_zero(penta_buffer *buffer, size_t offset, size_t bytes)
{
    static const cl_uint zero;
    penta_status status = PENTA_OK;
    penta_context *ctx = buffer->ctx;
    cl_event waits[1], event = NULL;
    cl_uint n = penta_order_waits(&buffer, 1, PENTA_QUEUE_COMPUTE, waits);

    CL_TRY(clEnqueueFillBuffer(ctx->queue[PENTA_QUEUE_COMPUTE], buffer->mem, &zero, sizeof zero, offset, bytes, n,
                               n ? waits : NULL, &event));
    penta_order_note(&buffer, 1, PENTA_QUEUE_COMPUTE, event);
    return penta_profile_add(ctx, "fill", false, 0, NULL, event);
cleanup:
    return status;
}

penta_status penta_buffer_copy(penta_buffer *from, penta_buffer *to, size_t bytes)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = from->ctx;
    penta_buffer *buffers[] = {from, to};
    cl_event waits[2], event = NULL;
    cl_uint n;

    TRY(check_range(from, 0, bytes));
    TRY(check_range(to, 0, bytes));
    if (bytes == 0)
        return PENTA_OK;
    n = penta_order_waits(buffers, 2, PENTA_QUEUE_COMPUTE, waits);
    CL_TRY(clEnqueueCopyBuffer(ctx->queue[PENTA_QUEUE_COMPUTE], from->mem, to->mem, 0, 0, bytes, n, n ? waits : NULL,
                               &event));
    penta_order_note(buffers, 2, PENTA_QUEUE_COMPUTE, event);
    return penta_profile_add(ctx, "copy", false, 0, NULL, event);
cleanup:
    return status;
}

/* In pieces: NVIDIA's driver 580 hangs on a fill of 2^31 numbers. */
penta_status penta_buffer_zero(penta_buffer *buffer, size_t offset, size_t bytes)
{
    static const size_t most = (size_t)1 << 30;
    penta_status status = check_range(buffer, offset, bytes);

    for (size_t at = 0; status == PENTA_OK && at < bytes; at += most)
        status = fill_zero(buffer, offset + at, bytes - at < most ? bytes - at : most);
    return status;
}
