/* Arrays of the caller: device memory in and out, host memory in place, the caller's queue and events. */
#include "support/test.h"

#include <unistd.h>

#include "core/internal.h"
#include "support/device_array.h"
#include "support/kernels.h"

enum { N = 3000, BYTES = N * sizeof(int32_t) };

static void fill(int32_t *numbers, int factor)
{
    for (int i = 0; i < N; i++)
        numbers[i] = factor * i + 1;
}

/* ---- transfers ---- */

static void check_transfers(penta_context *ctx, size_t offset)
{
    int32_t from[N], got[N];
    HELD_BY(penta_buffer_release) penta_buffer buffer = {0};
    HELD_BY(free_device_array) device_array in, out;
    traffic all;

    fill(from, 3);
    in = make_device_array(ctx, offset, from, BYTES);
    out = make_device_array(ctx, offset, NULL, BYTES);
    EXPECT_OK(ctx, penta_buffer_create(ctx, BYTES, &buffer));
    penta_profile_reset(ctx);
    /* The halves change places; addresses inside an array work. */
    EXPECT_OK(ctx, penta_buffer_write(&buffer, BYTES / 2, in.address, BYTES / 2));
    EXPECT_OK(ctx, penta_buffer_write_async(&buffer, 0, (char *)in.address + BYTES / 2, BYTES / 2));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, out.address, BYTES));
    all = traffic_of(ctx);
    assert_int_equal(all.copies, 3);
    assert_int_equal(all.transfers, 0);
    read_device_array(&out, got);
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], from[(i + N / 2) % N]);
}

TEST(transfers)
{
    check_transfers(*state, AT_START);
    check_transfers(*state, AT_ALIGNED);
    check_transfers(*state, AT_ODD);
    check_transfers(*state, 4 * 1000 * 1000 + 3); /* no multiple of anything */
}

/* Runs of 100 bytes, 250 apart in the array, to every 128th byte of a buffer, and others back. The runs lie as the
 * offset makes them. */
static void check_rows(penta_context *ctx, size_t offset)
{
    enum { RUN = 100, THERE = 128, HERE = 250, ROWS = 40 };
    uint8_t from[HERE * ROWS], got[THERE * ROWS], back[HERE * ROWS];
    HELD_BY(penta_buffer_release) penta_buffer buffer = {0};
    HELD_BY(free_device_array) device_array in;

    for (int i = 0; i < HERE * ROWS; i++)
        from[i] = (uint8_t)(i * 7 + i / 251);
    in = make_device_array(ctx, offset, from, sizeof from);
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &buffer));
    EXPECT_OK(ctx, penta_buffer_write_rows(&buffer, 8, THERE, (char *)in.address + 30, HERE, RUN, ROWS));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, got, sizeof got));
    for (int r = 0; r < ROWS; r++)
        assert_memory_equal(got + 8 + r * THERE, from + 30 + r * HERE, RUN);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, from, sizeof got));
    EXPECT_OK(ctx, penta_buffer_read_rows(&buffer, 8, THERE, (char *)in.address + 30, HERE, RUN, ROWS)); /* and back */
    read_device_array(&in, back);
    for (int r = 0; r < ROWS; r++) {
        assert_memory_equal(back + 30 + r * HERE, from + 8 + r * THERE, RUN);
        assert_memory_equal(back + 30 + r * HERE + RUN, from + 30 + r * HERE + RUN, r + 1 < ROWS ? HERE - RUN : 0);
    }
}

/* Takes the place of OpenCL's (--wrap, tests/CMakeLists.txt). refuses: as NVIDIA's driver does with some rectangles. */
static bool refuses;
cl_int __real_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *here,
                                      const size_t *there, const size_t *region, size_t row, size_t slice,
                                      size_t to_row, size_t to_slice, cl_uint n, const cl_event *waits,
                                      cl_event *event);
cl_int __wrap_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *here,
                                      const size_t *there, const size_t *region, size_t row, size_t slice,
                                      size_t to_row, size_t to_slice, cl_uint n, const cl_event *waits,
                                      cl_event *event);

cl_int __wrap_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *here,
                                      const size_t *there, const size_t *region, size_t row, size_t slice,
                                      size_t to_row, size_t to_slice, cl_uint n, const cl_event *waits, cl_event *event)
{
    return refuses ? CL_INVALID_VALUE
                   : __real_clEnqueueCopyBufferRect(queue, from, to, here, there, region, row, slice, to_row, to_slice,
                                                    n, waits, event);
}

TEST(refused_rows)
{
    refuses = true;
    check_rows(*state, AT_START);
    check_rows(*state, AT_ALIGNED);
    refuses = false;
}

TEST(rows)
{
    check_rows(*state, AT_START);
    check_rows(*state, AT_ALIGNED);
    check_rows(*state, 170); /* each run crosses a multiple of the stride */
    check_rows(*state, 250 - 30 - 101);
}

/* ---- lending ---- */

static bool lends(penta_context *ctx, enum penta_access access, const void *data, size_t bytes, size_t align)
{
    penta_buffer lent;
    bool is_lent;

    EXPECT_OK(ctx, penta_buffer_lend(ctx, access, data, bytes, align, &lent));
    is_lent = lent.mem != NULL;
    EXPECT_OK(ctx, penta_buffer_give_back(&lent));
    assert_null(lent.mem);
    return is_lent;
}

DEVICE_TEST(lending)
{
    HELD_BY(free_device_array)
    device_array start = make_device_array(ctx, AT_START, NULL, BYTES),
                 odd = make_device_array(ctx, AT_ODD, NULL, BYTES);
    penta_device_type type = ctx->info.type;
    bool has_parts = ctx->has_parts;
    int32_t host[N];

    fill(host, 1);
    assert_true(lends(ctx, PENTA_READ, start.address, BYTES, 4));
    ctx->has_parts = false; /* as with NVIDIA's driver */
    assert_true(lends(ctx, PENTA_READ, start.address, BYTES, 4));
    assert_false(lends(ctx, PENTA_WRITE, (char *)start.address + ctx->base_align, 4, 4));
    ctx->has_parts = has_parts;
    assert_int_equal(lends(ctx, PENTA_WRITE, (char *)start.address + ctx->base_align, 4, 4), has_parts);
    assert_false(lends(ctx, PENTA_WRITE, (char *)start.address + 4, 4, 4));
    assert_false(lends(ctx, PENTA_READ, odd.address, BYTES, 4));
    assert_false(lends(ctx, PENTA_READ, NULL, BYTES, 4));
    assert_false(lends(ctx, PENTA_READ, host, 0, 4));
    ctx->info.type = PENTA_DEVICE_CPU;
    assert_true(lends(ctx, PENTA_READ, host, BYTES, 4));
    assert_false(lends(ctx, PENTA_READ, (char *)host + 2, 4, 4));
    ctx->info.type = PENTA_DEVICE_GPU;
    assert_false(lends(ctx, PENTA_READ, host, BYTES, 4));
    ctx->info.type = type;
}

/* Host memory is given back when the commands on it have ended, whatever is behind them: here what waits for the test
 * itself, so that waiting for all would never end. */
DEVICE_TEST(given_back_early)
{
    penta_device_type type = ctx->info.type;
    cl_event never = clCreateUserEvent(ctx->handle, NULL);
    penta_buffer lent, own = {0};
    int32_t host[N], got[N];

    fill(host, 3);
    assert_non_null(never);
    ctx->info.type = PENTA_DEVICE_CPU;
    EXPECT_OK(ctx, penta_buffer_lend(ctx, PENTA_READ, host, BYTES, 4, &lent));
    EXPECT_OK(ctx, penta_buffer_create(ctx, BYTES, &own));
    EXPECT_OK(ctx, penta_buffer_copy(&lent, &own, BYTES));
    assert_int_equal(clEnqueueBarrierWithWaitList(ctx->queue[PENTA_QUEUE_COMPUTE], 1, &never, NULL), CL_SUCCESS);
    alarm(60);
    EXPECT_OK(ctx, penta_buffer_give_back(&lent));
    alarm(0);
    memset(host, 0, sizeof host);
    assert_int_equal(clSetUserEventStatus(never, CL_COMPLETE), CL_SUCCESS);
    EXPECT_OK(ctx, penta_buffer_read(&own, 0, got, BYTES));
    fill(host, 3);
    assert_memory_equal(got, host, BYTES);
    ctx->info.type = type;
    penta_buffer_release(&own);
    clReleaseEvent(never);
}

/* Where the inputs and the output of an addition lie. */
typedef struct {
    const char *name;
    bool in_device[3];
    size_t offset[3];
    bool lent_on_cpu, lent_on_gpu;
} places;

static void add_in_place(penta_context *ctx, const places *p, penta_kernel *kernel)
{
    struct {
        penta_resources resources;
        penta_port port[3];
    } plan = {.resources.ctx = ctx};
    int32_t numbers[3][N + 1];
    device_array arrays[3] = {{0}};
    void *data[3];
    bool lent = penta_is_cpu(ctx) ? p->lent_on_cpu : p->lent_on_gpu;

    for (int i = 0; i < 3; i++)
        lent = lent && (!p->in_device[i] || works_in_place(ctx, p->offset[i]));

    for (int i = 0; i < 3; i++) {
        EXPECT_OK(ctx, penta_port_open(&plan.resources, &plan.port[i]));
        fill(numbers[i], i + 2);
        arrays[i] = p->in_device[i] ? make_device_array(ctx, p->offset[i], i < 2 ? numbers[i] : NULL, BYTES)
                                    : (device_array){.address = numbers[i]};
        data[i] = arrays[i].address;
    }
    for (int round = 0; round < 2; round++) {
        penta_profile_reset(ctx);
        for (int i = 0; i < 2; i++)
            EXPECT_OK(ctx, penta_port_input(&plan.port[i], data[i], BYTES, sizeof(int32_t)));
        EXPECT_OK(ctx, penta_port_output(&plan.port[2], data[2], BYTES, sizeof(int32_t)));
        EXPECT_OK(ctx, penta_launch(kernel, penta_grid_1d(N),
                                    ARGS(plan.port[0].now, plan.port[1].now, plan.port[2].now, N, 1, 1)));
        for (int i = 0; i < 3; i++)
            EXPECT_OK(ctx, penta_port_close(&plan.port[i]));
        if (lent && (traffic_of(ctx).copies || traffic_of(ctx).transfers))
            fail_msg("%s: there are copies", p->name);
        if (!lent && !traffic_of(ctx).copies && !traffic_of(ctx).transfers)
            fail_msg("%s: there is no copy", p->name);
        if (p->in_device[2])
            read_device_array(&arrays[2], numbers[2]);
        for (int i = 0; i < N; i++)
            if (numbers[2][i] != 5 * i + 2)
                fail_msg("%s: number %d is %d, not %d", p->name, i, numbers[2][i], 5 * i + 2);
        memset(numbers[2], 0, BYTES);
    }
    penta_resources_release(&plan.resources);
    for (int i = 0; i < 3; i++)
        if (p->in_device[i])
            free_device_array(&arrays[i]);
}

TEST_WITH_KERNELS(ports)
{
    static const places all[] = {
        {"host", {false, false, false}, {0}, true, false},
        {"device", {true, true, true}, {AT_START, AT_ALIGNED, AT_ALIGNED}, true, true},
        {"an odd input", {true, true, true}, {AT_ODD, AT_START, AT_START}, false, false},
        {"an odd output", {true, true, true}, {AT_START, AT_ALIGNED, AT_ODD}, false, false},
        {"host to device", {false, false, true}, {AT_START, AT_ALIGNED, AT_START}, true, false},
        {"device to host", {true, true, false}, {AT_START, AT_ALIGNED, 0}, true, false},
    };
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;
    bool has_parts = ctx->has_parts;
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};

    write_add_kernel();
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        add_in_place(ctx, &all[i], &kernel);
        ctx->has_parts = false; /* as with NVIDIA's driver */
        add_in_place(ctx, &all[i], &kernel);
        ctx->has_parts = has_parts;
        ctx->info.type = PENTA_DEVICE_GPU; /* staged, where it is a CPU */
        add_in_place(ctx, &all[i], &kernel);
        ctx->info.type = type;
    }
}

/* ---- host copies ---- */

DEVICE_TEST(host_views)
{
    int32_t from[N], got[N];
    HELD_BY(free_device_array) device_array a;
    const void *view;
    void *room, *copy;

    fill(from, 9);
    EXPECT_OK(ctx, penta_host_view(ctx, from, BYTES, &view, &copy));
    assert_ptr_equal(view, from);
    assert_null(copy);
    a = make_device_array(ctx, AT_ODD, from, BYTES);
    EXPECT_OK(ctx, penta_host_view(ctx, a.address, BYTES, &view, &copy));
    assert_memory_equal(view, from, BYTES);
    free(copy);
    fill(from, 10);
    EXPECT_OK(ctx, penta_host_room(ctx, a.address, BYTES, &room, &copy));
    memcpy(room, from, BYTES);
    EXPECT_OK(ctx, penta_host_deliver(ctx, room, a.address, BYTES));
    free(copy);
    read_device_array(&a, got);
    assert_memory_equal(got, from, BYTES);
}

/* ---- refusals ---- */

static void expect_refused(penta_context *ctx, penta_status status, const char *text)
{
    EXPECT_REFUSED(ctx, status, PENTA_INVALID, text);
}

TEST(refused_arrays)
{
    penta_context *ctx = *state, *other = NULL, *beside = NULL;
    device_array a = make_device_array(ctx, AT_START, NULL, BYTES), foreign;
    HELD_BY(penta_buffer_release) penta_buffer buffer = {0};
    void *address = &a;
    char *released;

    EXPECT_OK(ctx, penta_buffer_create(ctx, 2 * BYTES, &buffer));
    assert_int_equal(penta_context_create(NULL, &other), PENTA_OK);
    foreign = make_device_array(other, AT_START, NULL, BYTES);
    expect_refused(ctx, penta_opencl_array(ctx, foreign.memory, 0, BYTES, &address), "another OpenCL context");
    assert_null(address);
    expect_refused(ctx, penta_opencl_array(ctx, NULL, 0, BYTES, &address), "part of an OpenCL buffer");
    expect_refused(ctx, penta_host_pin(ctx, a.address, BYTES), "memory that is pinned must be in host memory");
    expect_refused(ctx, penta_opencl_array(ctx, a.memory, 0, 0, &address), "must not be empty");
    expect_refused(ctx, penta_opencl_array(ctx, a.memory, BEHIND, BYTES + 1, &address), "12001 bytes from byte 64 on");
    expect_refused(ctx, penta_opencl_array(ctx, a.memory, SIZE_MAX, 2, &address), "are not in a buffer of");
    expect_refused(ctx, penta_buffer_write(&buffer, 0, foreign.address, BYTES), "belongs to another context");
    expect_refused(ctx, penta_buffer_write(&buffer, 0, a.address, BYTES + 1), "12001 bytes are needed");
    expect_refused(ctx, penta_buffer_write(&buffer, 0, (char *)a.address + 8, BYTES),
                   "of a device array that has 11992");
    expect_refused(ctx, penta_buffer_read(&buffer, 0, a.address, BYTES + 1), "are needed of a device array");
    expect_refused(ctx, penta_check_array(ctx, (char *)a.address + BYTES, 1), "of a device array that has 0");

    /* The same memory in a context beside this one needs an address of its own. */
    assert_int_equal(penta_context_from_opencl(ctx->handle, ctx->device, &beside), PENTA_OK);
    expect_refused(beside, penta_check_array(beside, a.address, BYTES), "belongs to another context");
    EXPECT_OK(beside, penta_opencl_array(beside, a.memory, 0, BYTES, &address));
    EXPECT_OK(beside, penta_check_array(beside, address, BYTES));
    penta_opencl_array_release(ctx, address); /* not of this context: stays */
    EXPECT_OK(beside, penta_check_array(beside, address, BYTES));
    penta_context_destroy(beside);
    expect_refused(ctx, penta_check_array(ctx, address, BYTES), "was released");

    released = a.address;
    free_device_array(&a);
    expect_refused(ctx, penta_buffer_write(&buffer, 0, released + 100, 4), "was released");
    penta_opencl_array_release(ctx, NULL);
    penta_opencl_array_release(ctx, released);
    free_device_array(&foreign);
    penta_context_destroy(other);
}

/* Many come and go; what is alive keeps its place. */
DEVICE_TEST(many_arrays)
{
    int32_t from[N], got[N];
    device_array first, more;

    fill(from, 5);
    first = make_device_array(ctx, AT_START, from, BYTES);
    for (int i = 0; i < 500; i++) {
        void *address;

        more = make_device_array(ctx, AT_ODD, NULL, 1 + (size_t)i * 97);
        address = more.address;
        assert_true(penta_is_device_array(address));
        free_device_array(&more);
        assert_true(penta_is_device_array(address));
    }
    read_device_array(&first, got);
    assert_memory_equal(from, got, BYTES);
    free_device_array(&first);
}

/* A sub-buffer of the caller's stands for the part of the buffer that it is. */
DEVICE_TEST(sub_buffer)
{
    int32_t from[N], got[16];
    HELD_BY(free_device_array) device_array whole;
    const cl_buffer_region region = {ctx->base_align, 2 * ctx->base_align};
    penta_buffer buffer = {0};
    void *address;
    cl_mem part;

    fill(from, 11);
    whole = make_device_array(ctx, AT_START, from, BYTES);
    part = clCreateSubBuffer(whole.memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    assert_non_null(part);
    expect_refused(ctx, penta_opencl_array(ctx, part, 0, 2 * ctx->base_align + 1, &address), "are not in a buffer of");
    EXPECT_OK(ctx, penta_opencl_array(ctx, part, ctx->base_align, ctx->base_align, &address));
    clReleaseMemObject(part);
    assert_int_equal(lends(ctx, PENTA_READ, address, ctx->base_align, 4), ctx->has_parts);
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &buffer));
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, address, sizeof got));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, got, sizeof got));
    assert_memory_equal(got, (char *)from + 2 * ctx->base_align, sizeof got);
    penta_buffer_release(&buffer);
    penta_opencl_array_release(ctx, address);
}

/* ---- queues and events ---- */

TEST(refused_queues)
{
    penta_context *ctx = *state, *other = NULL;
    cl_command_queue queue = penta_opencl_queue(ctx), unordered;
    cl_event event, none = NULL;
    cl_int code;

    assert_int_equal(penta_context_create(NULL, &other), PENTA_OK);
    expect_refused(ctx, penta_opencl_use_queue(ctx, penta_opencl_queue(other)), "another OpenCL context or device");
    unordered = clCreateCommandQueue(ctx->handle, ctx->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) { /* not every device has such */
        expect_refused(ctx, penta_opencl_use_queue(ctx, unordered), "must be in order");
        clReleaseCommandQueue(unordered);
    }
    assert_ptr_equal(penta_opencl_queue(ctx), queue);
    event = clCreateUserEvent(other->handle, &code);
    expect_refused(ctx, penta_opencl_wait(ctx, 1, &event), "event 0 belongs to another OpenCL context");
    expect_refused(ctx, penta_opencl_wait(ctx, 1, &none), "event 0 is no event");
    EXPECT_OK(ctx, penta_opencl_wait(ctx, 0, NULL));
    clSetUserEventStatus(event, CL_COMPLETE);
    clReleaseEvent(event);
    penta_context_destroy(other);
}

static cl_int state_of(cl_event event)
{
    cl_int execution = -1;

    assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL),
                     CL_SUCCESS);
    return execution;
}

/* A context with the add kernel and addresses of the shared memory. */
typedef struct {
    penta_context *ctx;
    penta_kernel kernel;
    void *sum, *one; /* in turn: sum += one */
} partner;

static partner make_partner(penta_context *ctx, cl_mem sum, cl_mem one)
{
    partner p = {.ctx = ctx};

    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &p.kernel));
    EXPECT_OK(ctx, penta_opencl_array(ctx, sum, 0, BYTES, &p.sum));
    EXPECT_OK(ctx, penta_opencl_array(ctx, one, 0, BYTES, &p.one));
    penta_profile_reset(ctx);
    return p;
}

/* Waits for `after`; enqueues a few additions; says when they are over. */
static cl_event take_turn(partner *p, cl_event after)
{
    penta_buffer sum, one;
    cl_event done;

    EXPECT_OK(p->ctx, penta_opencl_wait(p->ctx, 1, &after));
    clReleaseEvent(after);
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(p->ctx, penta_buffer_lend(p->ctx, PENTA_WRITE, p->sum, BYTES, 4, &sum));
        EXPECT_OK(p->ctx, penta_buffer_lend(p->ctx, PENTA_READ, p->one, BYTES, 4, &one));
        EXPECT_OK(p->ctx, penta_launch(&p->kernel, penta_grid_1d(N), ARGS(&sum, &one, &sum, N, 1, 1)));
        EXPECT_OK(p->ctx, penta_buffer_give_back(&sum));
        EXPECT_OK(p->ctx, penta_buffer_give_back(&one));
    }
    EXPECT_OK(p->ctx, penta_opencl_done(p->ctx, &done));
    return done;
}

/* Two contexts on one OpenCL context, one of them on the caller's queue, add to the same memory in turn. All of it is
 * enqueued while an event of the caller holds the first one back, so no call can have waited for the device. */
TEST_WITH_KERNELS(two_contexts)
{
    penta_context *host = *state, *a = NULL, *b = NULL;
    int32_t zero[N] = {0}, ones[N], got[N];
    HELD_BY(free_device_array) device_array sum, one;
    cl_command_queue queue;
    cl_event gate, last;
    partner one_side, other_side;
    cl_int code;

    write_add_kernel();
    for (int i = 0; i < N; i++)
        ones[i] = 1 + i % 3;
    sum = make_device_array(host, AT_START, zero, BYTES);
    one = make_device_array(host, AT_START, ones, BYTES);
    assert_int_equal(penta_context_from_opencl(host->handle, host->device, &a), PENTA_OK);
    assert_int_equal(penta_context_from_opencl(host->handle, host->device, &b), PENTA_OK);
    queue = clCreateCommandQueue(host->handle, host->device, CL_QUEUE_PROFILING_ENABLE, &code);
    assert_int_equal(code, CL_SUCCESS);
    EXPECT_OK(a, penta_opencl_use_queue(a, queue));
    assert_ptr_equal(penta_opencl_queue(a), queue);
    one_side = make_partner(a, sum.memory, one.memory);
    other_side = make_partner(b, sum.memory, one.memory);
    gate = last = clCreateUserEvent(host->handle, &code);
    clRetainEvent(gate);
    alarm(60); /* a call that waits would wait for ever */
    for (int round = 0; round < 20; round++)
        last = take_turn(round % 2 ? &other_side : &one_side, last);
    assert_int_not_equal(state_of(last), CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &last), CL_SUCCESS);
    alarm(0);
    clReleaseEvent(last);
    clReleaseEvent(gate);
    assert_int_equal(traffic_of(a).kernels, 30);
    assert_int_equal(traffic_of(b).kernels, 30);
    assert_int_equal(traffic_of(a).transfers + traffic_of(b).transfers, 0);
    assert_int_equal(traffic_of(a).copies + traffic_of(b).copies, 0);
    read_device_array(&sum, got);
    for (int i = 0; i < N; i++)
        if (got[i] != 60 * ones[i])
            fail_msg("number %d is %d, not %d", i, got[i], 60 * ones[i]);
    penta_kernel_release(&one_side.kernel);
    penta_kernel_release(&other_side.kernel);
    penta_context_destroy(a);
    penta_context_destroy(b);
    clReleaseCommandQueue(queue);
}

/* The same memory through queues that change: each addition sees the one before. A queue without profiling will do. */
TEST_WITH_KERNELS(changing_queues)
{
    penta_context *ctx = *state;
    cl_command_queue own = penta_opencl_queue(ctx), queue;
    HELD_BY(penta_buffer_release) penta_buffer sum = {0}, one = {0};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    int32_t numbers[N], got[N];
    cl_int code;

    write_add_kernel();
    fill(numbers, 1);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    EXPECT_OK(ctx, penta_buffer_upload(ctx, numbers, BYTES, &sum));
    EXPECT_OK(ctx, penta_buffer_upload(ctx, numbers, BYTES, &one));
    queue = clCreateCommandQueue(ctx->handle, ctx->device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (int round = 0; round < 10; round++) {
        EXPECT_OK(ctx, penta_opencl_use_queue(ctx, round % 2 ? NULL : queue));
        assert_ptr_equal(penta_opencl_queue(ctx), round % 2 ? own : queue);
        EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(N), ARGS(&sum, &one, &sum, N, 1, 1)));
    }
    EXPECT_OK(ctx, penta_buffer_read(&sum, 0, got, BYTES));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 11 * numbers[i]);
    clReleaseCommandQueue(queue);
}

ON_DEVICE;
