/* Transfers and launches keep their order, on a context of the library and on one that came from OpenCL objects. */
#include "support/test.h"

#include <time.h>

#include "core/internal.h"
#include "support/kernels.h"

/* Writes of two buffers under way at once, a kernel that needs both, a write that must wait for that kernel; from plain
 * and from pinned memory. */
static void check_order(penta_context *ctx, bool pinned)
{
    enum { N = 1 << 21, ROUNDS = 3 };
    int32_t *data[2 * ROUNDS] = {NULL}, *got = malloc(N * sizeof *got);
    void *memory[2 * ROUNDS] = {NULL};
    penta_buffer in[2] = {{0}}, out[ROUNDS] = {{0}};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};

    assert_non_null(got);
    write_add_kernel();
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    for (int i = 0; i < 2; i++)
        EXPECT_OK(ctx, penta_buffer_create(ctx, N * sizeof(int32_t), &in[i]));
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (pinned)
            EXPECT_OK(ctx, penta_host_alloc(ctx, N * sizeof(int32_t), &memory[i]));
        else
            memory[i] = malloc(N * sizeof(int32_t));
        data[i] = memory[i];
        for (int k = 0; k < N; k++)
            data[i][k] = (i + 1) * k;
    }
    for (int r = 0; r < ROUNDS; r++) {
        EXPECT_OK(ctx, penta_buffer_create(ctx, N * sizeof(int32_t), &out[r]));
        EXPECT_OK(ctx, penta_buffer_write_async(&in[0], 0, data[2 * r], N * sizeof(int32_t)));
        EXPECT_OK(ctx, penta_buffer_write_async(&in[1], 0, data[2 * r + 1], N * sizeof(int32_t)));
        EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(N), ARGS(&in[0], &in[1], &out[r], (int)N, 1, 1)));
    }
    for (int r = ROUNDS - 1; r >= 0; r--) {
        EXPECT_OK(ctx, penta_buffer_read(&out[r], 0, got, N * sizeof(int32_t)));
        for (int k = 0; k < N; k++)
            if (got[k] != (4 * r + 3) * k)
                fail_msg("round %d: sum %d is %d, not %d", r, k, got[k], (4 * r + 3) * k);
        penta_buffer_release(&out[r]);
    }
    EXPECT_OK(ctx, penta_finish(ctx));
    for (int i = 0; i < 2 * ROUNDS; i++)
        pinned ? penta_host_free(ctx, memory[i]) : free(memory[i]);
    penta_buffer_release(&in[0]);
    penta_buffer_release(&in[1]);
    free(got);
}

TEST_WITH_KERNELS(order)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;

    check_order(ctx, false);
    check_order(ctx, true);
    ctx->info.type = PENTA_DEVICE_GPU; /* through the pinned ring */
    check_order(ctx, false);
    ctx->info.type = type;
}

/* ---- in line ---- */

enum { LINE = 1 << 20, LINE_ROUNDS = 6 };

/* Each round's sum goes into the next one, and is read while further rounds are enqueued: rounds write the same buffer
 * again only after that was read. One operand comes in line, the other beside the kernels. */
static void check_line(penta_context *ctx)
{
    int32_t *in = NULL, *beside = NULL, *got[LINE_ROUNDS] = {NULL};
    void *memory = NULL;
    penta_buffer a = {0}, b = {0}, sum = {0};
    penta_kernel kernel = {0};
    const size_t bytes = LINE * sizeof(int32_t);

    write_add_kernel();
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    EXPECT_OK(ctx, penta_host_alloc(ctx, (2 + LINE_ROUNDS) * bytes, &memory));
    in = memory;
    beside = in + LINE;
    for (int r = 0; r < LINE_ROUNDS; r++)
        got[r] = in + (size_t)(2 + r) * LINE;
    for (int k = 0; k < LINE; k++) {
        in[k] = k;
        beside[k] = 3;
    }
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &a));
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &b));
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &sum));
    penta_buffer_put_in_line(&a);
    penta_buffer_put_in_line(&sum);
    EXPECT_OK(ctx, penta_buffer_write_async(&a, 0, in, bytes));
    EXPECT_OK(ctx, penta_buffer_write_async(&b, 0, beside, bytes));
    for (int r = 0; r < LINE_ROUNDS; r++) {
        EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(LINE),
                                    ARGS(r % 2 ? &sum : &a, &b, r % 2 ? &a : &sum, LINE, 1, 1)));
        EXPECT_OK(ctx, penta_buffer_read_async(r % 2 ? &a : &sum, 0, got[r], bytes));
    }
    EXPECT_OK(ctx, penta_buffer_wait(&a));
    EXPECT_OK(ctx, penta_buffer_wait(&sum));
    for (int r = 0; r < LINE_ROUNDS; r++)
        for (int k = 0; k < LINE; k++)
            if (got[r][k] != k + 3 * (r + 1))
                fail_msg("round %d: number %d is %d, not %d", r, k, got[r][k], k + 3 * (r + 1));
    penta_buffer_release(&a);
    penta_buffer_release(&b);
    penta_buffer_release(&sum);
    penta_kernel_release(&kernel);
    penta_host_free(ctx, memory);
}

TEST_WITH_KERNELS(in_line)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;
    penta_buffer unused = {.ctx = ctx};
    int32_t number;

    check_line(ctx);
    ctx->info.type = PENTA_DEVICE_GPU;
    check_line(ctx);
    ctx->info.type = type;
    EXPECT_OK(ctx, penta_buffer_wait(&unused)); /* nothing was done with it */
    assert_int_equal(penta_buffer_read_async(&unused, 0, &number, sizeof number), PENTA_INTERNAL);
}

/* ---- interoperation ---- */

static cl_uint context_count(cl_context context)
{
    cl_uint count = 0;

    assert_int_equal(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

/* The context is released as often as it was retained: a driver's threads may hold finished commands, and the context
 * by them, a little longer. */
static void expect_context_count(cl_context context, cl_uint expected)
{
    const struct timespec millisecond = {0, 1000000};

    for (int i = 0; i < 10000 && context_count(context) != expected; i++)
        nanosleep(&millisecond, NULL);
    assert_int_equal(context_count(context), expected);
}

TEST_WITH_KERNELS(interoperation)
{
    penta_context *host = *state, *ctx = NULL;
    cl_context context = penta_opencl_context(host);
    cl_device_id device = penta_opencl_device(host), of_queue = NULL;
    cl_command_queue of_host = penta_opencl_queue(host), queue;
    cl_uint before = context_count(context);

    assert_non_null(context);
    assert_int_equal(clGetCommandQueueInfo(of_host, CL_QUEUE_DEVICE, sizeof of_queue, &of_queue, NULL), CL_SUCCESS);
    assert_ptr_equal(of_queue, device);
    if (penta_context_from_opencl(context, device, &ctx) != PENTA_OK)
        fail_msg("%s", penta_last_error(NULL));
    assert_ptr_equal(penta_opencl_context(ctx), context);
    assert_ptr_equal(penta_opencl_device(ctx), device);
    queue = penta_opencl_queue(ctx);
    assert_true(queue && queue != of_host);
    assert_string_equal(penta_context_device(ctx)->name, penta_context_device(host)->name);
    assert_true(context_count(context) > before);
    check_order(ctx, false);
    penta_context_destroy(ctx);
    expect_context_count(context, before);
    penta_context_destroy(NULL);
}

TEST(interoperation_errors)
{
    penta_context *ctx = (penta_context *)1;

    assert_int_equal(penta_context_from_opencl(NULL, penta_opencl_device(*state), &ctx), PENTA_DEVICE);
    assert_null(ctx);
    expect_text(penta_last_error(NULL), "CL_INVALID_CONTEXT");
    ctx = (penta_context *)1;
    assert_int_equal(penta_context_from_opencl(penta_opencl_context(*state), NULL, &ctx), PENTA_DEVICE);
    assert_null(ctx);
    expect_text(penta_last_error(NULL), "CL_INVALID_DEVICE");
}

ON_DEVICE;
