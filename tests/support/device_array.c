/* Arrays in device memory for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "support/device.h"
#include "support/device_array.h"

device_array make_device_array(penta_context *ctx, size_t offset, const void *data, size_t bytes)
{
    device_array a = {.ctx = ctx, .offset = offset, .bytes = bytes};
    size_t all = offset + bytes + BEHIND;
    uint8_t *content = malloc(all);
    cl_int code;

    assert_non_null(content);
    memset(content, GUARD, all);
    if (data)
        memcpy(content + offset, data, bytes);
    a.memory = clCreateBuffer(penta_opencl_context(ctx), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, all, content, &code);
    assert_int_equal(code, CL_SUCCESS);
    free(content);
    EXPECT_OK(ctx, penta_opencl_array(ctx, a.memory, offset, bytes, &a.address));
    assert_non_null(a.address);
    return a;
}

void read_device_array(const device_array *a, void *data)
{
    size_t all = a->offset + a->bytes + BEHIND;
    uint8_t *content = malloc(all);
    cl_event done = NULL;

    assert_non_null(content);
    EXPECT_OK(a->ctx, penta_opencl_done(a->ctx, &done));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    assert_int_equal(
        clEnqueueReadBuffer(penta_opencl_queue(a->ctx), a->memory, CL_TRUE, 0, all, content, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < all; i++)
        if ((i < a->offset || i >= a->offset + a->bytes) && content[i] != GUARD)
            fail_msg("byte %zu of a buffer was written; the array is %zu bytes from %zu on", i, a->bytes, a->offset);
    memcpy(data, content + a->offset, a->bytes);
    free(content);
}

void free_device_array(device_array *a)
{
    penta_opencl_array_release(a->ctx, a->address);
    clReleaseMemObject(a->memory);
    *a = (device_array){0};
}

bool works_in_place(const penta_context *ctx, size_t offset)
{
    return offset == 0 || (ctx->has_parts && offset % ctx->base_align == 0);
}

traffic traffic_of(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);
    traffic sum = {0};

    for (size_t i = 0; i < count; i++)
        if (entries[i].transfer) {
            sum.transfers += entries[i].calls;
            sum.transferred += entries[i].bytes;
        } else if (strcmp(entries[i].name, "copy") == 0) {
            sum.copies += entries[i].calls;
        } else {
            sum.kernels += entries[i].calls;
        }
    return sum;
}
