/* Errors: their texts and how they came about; threads, which have texts and contexts of their own. */
#include "support/test.h"

#include <pthread.h>
#include "core/internal.h"

static penta_status inner(penta_context *ctx)
{
    return penta_fail(ctx, PENTA_UNSUPPORTED, "cannot do %d", 42);
}

static penta_status outer(penta_context *ctx)
{
    penta_status status = PENTA_OK;

    TRY(inner(ctx));
cleanup:
    return status;
}

DEVICE_TEST(traces)
{
    const char *text;

    assert_int_equal(outer(ctx), PENTA_UNSUPPORTED);
    text = penta_last_error(ctx);
    assert_int_equal(strncmp(text, "cannot do 42\n", 13), 0);
    expect_text(text, "in inner(ctx) (");
    expect_text(text, "test_core_errors.c:");
    assert_int_equal(penta_fail(ctx, PENTA_MEMORY, "another"), PENTA_MEMORY);
    assert_string_equal(penta_last_error(ctx), "another");
    EXPECT_REFUSED(ctx, penta_cl_fail(ctx, CL_INVALID_VALUE, "clDoIt(a, b)", "src/core/x.c", 7), PENTA_DEVICE,
                   "clDoIt failed with CL_INVALID_VALUE (-30)");
    expect_text(penta_last_error(ctx), "(src/core/x.c:7)");
    assert_int_equal(penta_cl_fail(ctx, CL_MEM_OBJECT_ALLOCATION_FAILURE, "clDoIt()", "x.c", 7), PENTA_MEMORY);
    assert_string_equal(penta_cl_name(12345), "unknown OpenCL code");
    assert_string_equal(penta_status_name(PENTA_CANCELLED), "PENTA_CANCELLED");
    assert_string_equal(penta_status_name((penta_status)99), "unknown status");
}

/* A trace that comes after the end of the context that failed goes nowhere. */
TEST(trace_after_the_context)
{
    penta_context *ctx = NULL;

    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    penta_fail(ctx, PENTA_INVALID, "gone with its context");
    penta_context_destroy(ctx);
    penta_trace("late()", "src/late.c", 1);
    assert_non_null(penta_last_error(NULL));
    assert_null(strstr(penta_last_error(NULL), "gone with"));
}

static void *destroy_context(void *ctx)
{
    penta_context_destroy(ctx);
    return NULL;
}

/* The context of this thread's last failure may be destroyed by another one. */
TEST(trace_after_another_thread)
{
    penta_context *ctx = NULL;
    pthread_t thread;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    penta_fail(ctx, PENTA_INVALID, "gone with its context");
    assert_int_equal(pthread_create(&thread, NULL, destroy_context, ctx), 0);
    pthread_join(thread, NULL);
    penta_trace("late()", "src/late.c", 1); /* read freed memory once */
    penta_fail(NULL, PENTA_INVALID, "of the thread");
    penta_trace("later()", "src/later.c", 2);
    expect_text(penta_last_error(NULL), "in later() (src/later.c:2)");
}

/* An error of a public call: what, and how it came there. */
TEST(public_error)
{
    penta_autocorr *plan = (penta_autocorr *)1;

    assert_int_equal(penta_autocorr_create(
                         *state, 4, 4, PENTA_U8,
                         &(penta_autocorr_options){.size = sizeof(penta_autocorr_options), .max_offset = 9}, &plan),
                     PENTA_INVALID);
    assert_null(plan);
    expect_text(penta_last_error(*state), "\n  in ");
    expect_text(penta_last_error(*state), "(src/autocorr/autocorr.c:");
}

/* ---- threads ---- */

typedef struct {
    penta_status status;
    char text[400];
} thread_report;

static void *selftest_in_thread(void *argument)
{
    thread_report *report = argument;
    HELD_BY(penta_context_held) penta_context *ctx = NULL;

    report->status = penta_context_create(NULL, &ctx);
    if (report->status == PENTA_OK)
        report->status = penta_workload_selftest(penta_workload_at(0), ctx);
    snprintf(report->text, sizeof report->text, "%s", penta_last_error(ctx));
    return NULL;
}

TEST(two_threads)
{
    thread_report reports[2];
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, selftest_in_thread, &reports[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        if (reports[i].status != PENTA_OK)
            fail_msg("thread %d: %s", i, reports[i].text);
}

/* The text of failures without a context is each thread's own. */
static void *fail_in_thread(void *argument)
{
    char *text = argument;

    penta_fail(NULL, PENTA_INVALID, "of the other thread");
    snprintf(text, 100, "%s", penta_last_error(NULL));
    return NULL;
}

TEST(error_text_of_threads)
{
    char text[100] = "";
    pthread_t thread;

    penta_fail(NULL, PENTA_INVALID, "of this thread");
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, text), 0);
    pthread_join(thread, NULL);
    assert_string_equal(text, "of the other thread");
    assert_string_equal(penta_last_error(NULL), "of this thread");
}

/* The library's version is that of the headers, in both their forms. */
TEST(version)
{
    int major = -1, minor = -1, patch = -1;

    assert_int_equal(sscanf(penta_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(major, PENTACL_VERSION_MAJOR);
    assert_int_equal(minor, PENTACL_VERSION_MINOR);
    assert_int_equal(patch, PENTACL_VERSION_PATCH);
    assert_int_equal(10000 * major + 100 * minor + patch, PENTACL_VERSION);
}

ON_DEVICE;
