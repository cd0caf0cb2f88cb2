/* Time on the device by kernel and transfer, progress of a long run, and its cancelling. */
#include "support/test.h"

#include <pentacl/opencl.h>

#include "core/internal.h"
#include "support/kernels.h"
#include "support/members.h"
#include "support/random.h"

static const penta_profile_entry *entry_of(penta_context *ctx, const char *name)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);

    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

static void expect_entry(penta_context *ctx, const char *name, bool transfer, uint64_t calls, uint64_t bytes)
{
    const penta_profile_entry *e = entry_of(ctx, name);

    assert_non_null(e);
    assert_int_equal(e->transfer, transfer);
    assert_int_equal(e->calls, calls);
    assert_int_equal(e->bytes, bytes);
    assert_true(isfinite(e->seconds) && e->seconds >= 0 && e->seconds < 600);
}

TEST_WITH_KERNELS(profile)
{
    penta_context *ctx = *state;
    enum { N = 1000 };
    static int32_t data[N];
    penta_buffer buffers[2] = {{0}};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};

    write_add_kernel();
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    for (int i = 0; i < 2; i++)
        EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof data, &buffers[i]));
    penta_profile_reset(ctx);
    for (int i = 0; i < 5000; i++) { /* more than are kept unread */
        if (i < 2)
            EXPECT_OK(ctx, penta_buffer_write(&buffers[i], 0, data, sizeof data - (size_t)i));
        EXPECT_OK(ctx,
                  penta_launch(&kernel, penta_grid_1d(N), ARGS(&buffers[0], &buffers[0], &buffers[1], (int)N, 1, 1)));
    }
    EXPECT_OK(ctx, penta_buffer_read(&buffers[1], 0, data, sizeof data));
    expect_entry(ctx, "write", true, 2, 2 * sizeof data - 1);
    expect_entry(ctx, "read", true, 1, sizeof data);
    expect_entry(ctx, "unit_add", false, 5000, 0);
    assert_true(entry_of(ctx, "unit_add")->seconds > 0);
    assert_true(fabs(penta_profile_seconds(ctx, true, true) - penta_profile_seconds(ctx, true, false) -
                     penta_profile_seconds(ctx, false, true)) <= 1e-9);
    assert_true(penta_profile_seconds(ctx, false, false) == 0);
    penta_profile_reset(ctx);
    expect_entry(ctx, "unit_add", false, 0, 0);
    assert_true(penta_profile_seconds(ctx, true, true) == 0);
    for (int i = 0; i < 2; i++)
        penta_buffer_release(&buffers[i]);
}

/* ---- when times are taken ---- */

enum { NUMBERS = 1 << 16 };

typedef struct {
    penta_context **contexts, *ctx; /* one */
    penta_buffer from, to;
    penta_kernel kernel;
} adding;

static adding open_adding(penta_context *like)
{
    adding a = {0};

    write_add_kernel();
    a.contexts = open_members(like, 1);
    a.ctx = a.contexts[0];
    EXPECT_OK(a.ctx, penta_kernel_get(a.ctx, "unit/add.cl", "unit_add", "", &a.kernel));
    EXPECT_OK(a.ctx, penta_buffer_create(a.ctx, NUMBERS * sizeof(int32_t), &a.from));
    EXPECT_OK(a.ctx, penta_buffer_create(a.ctx, NUMBERS * sizeof(int32_t), &a.to));
    EXPECT_OK(a.ctx, penta_buffer_zero(&a.from, 0, a.from.bytes));
    EXPECT_OK(a.ctx, penta_buffer_zero(&a.to, 0, a.to.bytes));
    return a;
}

static void close_adding(adding *a)
{
    penta_buffer_release(&a->from);
    penta_buffer_release(&a->to);
    penta_kernel_release(&a->kernel);
    penta_contexts_destroy(a->contexts, 1);
}

/* to += from, `times` times, across whatever queues the context has: `to` is read and written each time. */
static void add(adding *a, int times)
{
    for (int i = 0; i < times; i++)
        EXPECT_OK(a->ctx,
                  penta_launch(&a->kernel, penta_grid_1d(NUMBERS), ARGS(&a->to, &a->from, &a->to, (int)NUMBERS, 1, 1)));
}

static bool is_timed(penta_context *ctx)
{
    return penta_profile_seconds(ctx, true, false) > 0;
}

TEST_WITH_KERNELS(times_where_asked)
{
    HELD_BY(close_adding) adding a = open_adding(*state);
    HELD int32_t *numbers = must_calloc(NUMBERS, sizeof *numbers);

    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = i;
    EXPECT_OK(a.ctx, penta_buffer_write(&a.from, 0, numbers, a.from.bytes));
    add(&a, 3);
    assert_false(is_timed(a.ctx)); /* counted, but nobody had asked */
    expect_entry(a.ctx, "unit_add", false, 3, 0);
    add(&a, 5);
    assert_true(is_timed(a.ctx));
    expect_entry(a.ctx, "unit_add", false, 8, 0);
    penta_profile_reset(a.ctx);
    penta_profile_pause(a.ctx);
    add(&a, 7);
    assert_false(is_timed(a.ctx)); /* and reading does not end a pause */
    add(&a, 1);
    assert_false(is_timed(a.ctx));
    expect_entry(a.ctx, "unit_add", false, 8, 0);
    penta_profile_reset(a.ctx);
    add(&a, 2);
    assert_true(is_timed(a.ctx));
    EXPECT_OK(a.ctx, penta_buffer_read(&a.to, 0, numbers, a.to.bytes));
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(numbers[i], 18 * i);
}

/* A program that has the queue enqueues on it, so it must stay the one that kernels run on. */
TEST_WITH_KERNELS(queue_stays)
{
    HELD_BY(close_adding) adding a = open_adding(*state);
    cl_command_queue queue = penta_opencl_queue(a.ctx);
    cl_command_queue_properties properties = 0;

    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
                     CL_SUCCESS);
    assert_true(properties & CL_QUEUE_PROFILING_ENABLE);
    penta_profile_pause(a.ctx);
    assert_ptr_equal(penta_opencl_queue(a.ctx), queue);
    add(&a, 1);
    penta_profile_reset(a.ctx);
    assert_ptr_equal(penta_opencl_queue(a.ctx), queue);
    add(&a, 1);
    assert_true(is_timed(a.ctx));
}

/* ---- progress ---- */

typedef struct {
    int calls, cancel_at;
    double last, total;
    bool rising;
} progress_log;

static bool note(void *user, double done, double total)
{
    progress_log *log = user;

    log->rising = log->rising && done >= log->last && done <= total;
    log->last = done;
    log->total = total;
    return ++log->calls == log->cancel_at;
}

DEVICE_TEST(progress)
{
    enum { SIDE = 12, R = 3, N = (2 * R + 1) * (2 * R + 1), MOST = 300 };
    static uint8_t image[SIDE * SIDE];
    static int64_t before[N], after[N];
    penta_autocorr_options options;
    penta_autocorr_frame frames[MOST];
    penta_autocorr_result results[MOST] = {{0}};
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    progress_log log = {.rising = true};
    size_t n;

    penta_autocorr_options_init(&options);
    options.max_offset = R;
    options.method = PENTA_AUTOCORR_TILED;
    options.bootstrap = 0;
    random_bytes(image, sizeof image, 9);
    EXPECT_OK(ctx, penta_autocorr_create(ctx, SIDE, SIDE, PENTA_U8, &options, &plan));
    n = 2 * penta_autocorr_batch(plan) + 2;
    assert_in_range(n, 1, MOST);
    for (size_t i = 0; i < n; i++)
        frames[i] = (penta_autocorr_frame){.image = image};
    penta_context_set_progress(ctx, note, &log);
    results[n - 1].numerators = before;
    EXPECT_OK(ctx, penta_autocorr_run(plan, n, frames, results));
    assert_true(log.rising && log.calls >= 2 && log.last == (double)n && log.total == (double)n);

    for (int at = 1; at <= 2; at++) {
        log = (progress_log){.cancel_at = at, .rising = true};
        assert_int_equal(penta_autocorr_run(plan, n, frames, results), PENTA_CANCELLED);
        assert_int_equal(log.calls, at);
        expect_text(penta_last_error(ctx), "cancelled");
    }
    log = (progress_log){.rising = true};
    results[n - 1].numerators = after;
    EXPECT_OK(ctx, penta_autocorr_run(plan, n, frames, results));
    assert_memory_equal(before, after, sizeof before);
    penta_context_set_progress(ctx, NULL, NULL);
    log.calls = 0;
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, frames, results));
    assert_int_equal(log.calls, 0);
}

ON_DEVICE;
