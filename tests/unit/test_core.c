/* The engine core: devices, errors, memory, transfers, kernels, launches, profile, progress, interoperation. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/internal.h"
#include "support/device.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

/* ---- choosing a device ---- */

static void expect_device(const char *selector, const penta_device *expected)
{
    penta_context *ctx = NULL;

    if (penta_context_create(selector, &ctx) != PENTA_OK)
        fail_msg("'%s': %s", selector, penta_last_error(NULL));
    assert_string_equal(penta_context_device(ctx)->name, expected->name);
    assert_int_equal(penta_context_device(ctx)->type, expected->type);
    penta_context_destroy(ctx);
}

static void expect_no_device(const char *selector)
{
    penta_context *ctx = (penta_context *)1;

    assert_int_equal(penta_context_create(selector, &ctx), PENTA_NO_DEVICE);
    assert_null(ctx);
    expect_text(penta_last_error(NULL), selector);
}

/* The part of a name that a user would type, in capitals. */
static void shout(const char *name, char *out, size_t size)
{
    size_t n = 0;

    for (const char *p = name + (strlen(name) > 4 ? 1 : 0); *p && n + 1 < size; p++)
        out[n++] = (char)toupper((unsigned char)*p);
    out[n] = 0;
}

static const penta_device *first_of(const penta_device *devices, size_t count, int type)
{
    for (size_t i = 0; i < count; i++)
        if ((int)devices[i].type == type)
            return &devices[i];
    return NULL;
}

static void test_selectors(void **state)
{
    penta_device *devices;
    size_t count;
    char text[160];

    (void)state;
    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    assert_true(count >= 1);
    snprintf(text, sizeof text, "%zu", count - 1);
    expect_device(text, &devices[count - 1]);
    expect_device("0", &devices[0]);
    shout(devices[0].name, text, sizeof text);
    expect_device(text, &devices[0]);
    shout(devices[0].vendor, text, sizeof text);
    if (*devices[0].vendor)
        expect_device(text, &devices[0]);
    shout(devices[0].platform, text, sizeof text);
    expect_device(text, &devices[0]);
    for (int type = PENTA_DEVICE_GPU; type <= PENTA_DEVICE_CPU; type++) {
        const penta_device *first = first_of(devices, count, type);

        if (first)
            expect_device(type == PENTA_DEVICE_GPU ? "GPU" : "cpu", first);
        else
            expect_no_device(type == PENTA_DEVICE_GPU ? "gpu" : "cpu");
    }
    penta_devices_free(devices);
}

static void test_unknown_devices(void **state)
{
    penta_device *devices;
    size_t count;
    char index[24];

    (void)state;
    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    snprintf(index, sizeof index, "%zu", count);
    expect_no_device(index);
    expect_no_device("no such thing");
    for (size_t i = 0; i < count && i < 3; i++)
        expect_text(penta_last_error(NULL), devices[i].name);
    expect_text(penta_last_error(NULL), "0: ");
    penta_devices_free(devices);
}

/* The environment speaks where the caller does not. */
static void test_environment(void **state)
{
    const char *now = getenv("PENTACL_DEVICE");
    char *kept = now ? strdup(now) : NULL;
    penta_device *devices;
    penta_context *ctx = NULL;
    size_t count;

    (void)state;
    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    setenv("PENTACL_DEVICE", "no such thing", 1);
    expect_device("0", &devices[0]);
    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_NO_DEVICE);
    assert_int_equal(penta_context_create("", &ctx), PENTA_NO_DEVICE);
    expect_text(penta_last_error(NULL), "no such thing");
    setenv("PENTACL_DEVICE", "0", 1);
    expect_device(NULL, &devices[0]);
    unsetenv("PENTACL_DEVICE");
    expect_device(NULL, first_of(devices, count, PENTA_DEVICE_GPU) ? first_of(devices, count, PENTA_DEVICE_GPU)
                                                                   : &devices[0]);
    if (kept)
        setenv("PENTACL_DEVICE", kept, 1);
    free(kept);
    penta_devices_free(devices);
}

static void test_device_info(void **state)
{
    const penta_device *d = penta_context_device(*state);

    assert_true(*d->name && *d->platform && *d->version && *d->driver);
    assert_true(d->compute_units >= 1 && d->memory > 1 << 20 && d->max_allocation > 1 << 20 && d->local_memory >= 1024);
    assert_true(d->max_allocation <= d->memory);
    assert_string_equal(penta_device_type_name(PENTA_DEVICE_GPU), "gpu");
    assert_string_equal(penta_device_type_name(PENTA_DEVICE_CPU), "cpu");
    assert_string_equal(penta_device_type_name((penta_device_type)9), "other");
    assert_true(isdigit((unsigned char)*penta_version()));
}

/* ---- threads ---- */

typedef struct {
    penta_status status;
    char text[400];
} thread_report;

static void *selftest_in_thread(void *argument)
{
    thread_report *report = argument;
    penta_context *ctx = NULL;

    report->status = penta_context_create(NULL, &ctx);
    if (report->status == PENTA_OK)
        report->status = penta_workload_at(0)->selftest(ctx);
    snprintf(report->text, sizeof report->text, "%s", penta_last_error(ctx));
    penta_context_destroy(ctx);
    return NULL;
}

static void test_two_threads(void **state)
{
    thread_report reports[2];
    pthread_t threads[2];

    (void)state;
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

static void test_error_text_of_threads(void **state)
{
    char text[100] = "";
    pthread_t thread;

    (void)state;
    penta_fail(NULL, PENTA_INVALID, "of this thread");
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, text), 0);
    pthread_join(thread, NULL);
    assert_string_equal(text, "of the other thread");
    assert_string_equal(penta_last_error(NULL), "of this thread");
}

/* ---- errors ---- */

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

static void test_traces(void **state)
{
    penta_context *ctx = *state;
    const char *text;

    assert_int_equal(outer(ctx), PENTA_UNSUPPORTED);
    text = penta_last_error(ctx);
    assert_int_equal(strncmp(text, "cannot do 42\n", 13), 0);
    expect_text(text, "in inner(ctx) (");
    expect_text(text, "test_core.c:");
    assert_int_equal(penta_fail(ctx, PENTA_MEMORY, "another"), PENTA_MEMORY);
    assert_string_equal(penta_last_error(ctx), "another");
    assert_int_equal(penta_cl_fail(ctx, CL_INVALID_VALUE, "clDoIt(a, b)", "src/core/x.c", 7), PENTA_DEVICE);
    expect_text(penta_last_error(ctx), "clDoIt failed with CL_INVALID_VALUE (-30)");
    expect_text(penta_last_error(ctx), "(src/core/x.c:7)");
    assert_int_equal(penta_cl_fail(ctx, CL_MEM_OBJECT_ALLOCATION_FAILURE, "clDoIt()", "x.c", 7), PENTA_MEMORY);
    assert_string_equal(penta_cl_name(12345), "unknown OpenCL code");
    assert_string_equal(penta_status_name(PENTA_CANCELLED), "PENTA_CANCELLED");
    assert_string_equal(penta_status_name((penta_status)99), "unknown status");
}

/* A trace that comes after the end of the context that failed goes nowhere. */
static void test_trace_after_the_context(void **state)
{
    penta_context *ctx = NULL;

    (void)state;
    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    penta_fail(ctx, PENTA_INVALID, "gone with its context");
    penta_context_destroy(ctx);
    penta_trace("late()", "src/late.c", 1);
    assert_non_null(penta_last_error(NULL));
    assert_null(strstr(penta_last_error(NULL), "gone with"));
}

/* An error of a public call: what, and how it came there. */
static void test_public_error(void **state)
{
    penta_autocorr *plan = (penta_autocorr *)1;

    assert_int_equal(penta_autocorr_create(*state, 4, 4, PENTA_U8, &(penta_autocorr_options){.max_offset = 9}, &plan),
                     PENTA_INVALID);
    assert_null(plan);
    expect_text(penta_last_error(*state), "\n  in ");
    expect_text(penta_last_error(*state), "(src/autocorr/autocorr.c:");
}

/* ---- sizes ---- */

static void test_sizes(void **state)
{
    penta_context *ctx = *state;
    penta_buffer buffer = {0};
    size_t bytes = 7;
    void *memory = (void *)1;

    EXPECT_OK(ctx, penta_size(ctx, 3, 5, 7, &bytes));
    assert_int_equal(bytes, 105);
    EXPECT_OK(ctx, penta_size(ctx, SIZE_MAX, 1, 1, &bytes));
    EXPECT_OK(ctx, penta_size(ctx, 0, SIZE_MAX, 2, &bytes));
    assert_int_equal(penta_size(ctx, SIZE_MAX, 2, 1, &bytes), PENTA_MEMORY);
    assert_int_equal(penta_size(ctx, (size_t)1 << 32, (size_t)1 << 31, 2, &bytes), PENTA_MEMORY);
#ifndef __SANITIZE_ADDRESS__ /* whose calloc ends the program */
    assert_int_equal(penta_calloc(ctx, SIZE_MAX / 2, 4, &memory), PENTA_MEMORY);
    assert_null(memory);
#endif
    EXPECT_OK(ctx, penta_calloc(ctx, 0, 0, &memory));
    assert_non_null(memory);
    free(memory);
    assert_int_equal(penta_buffer_create(ctx, SIZE_MAX / 2, &buffer), PENTA_MEMORY);
    penta_buffer_release(&buffer);
    penta_buffer_release(&buffer);
    EXPECT_OK(ctx, penta_buffer_create(ctx, 0, &buffer));
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, "", 0));
    penta_buffer_release(&buffer);
    assert_int_equal(penta_type_size(PENTA_U16), 2);
    assert_int_equal(penta_type_size(PENTA_F64), 8);
    assert_int_equal(penta_type_size((penta_type)77), 0);
    assert_string_equal(penta_type_name(PENTA_I64), "i64");
    assert_string_equal(penta_type_name((penta_type)77), "?");
}

/* ---- transfers ---- */

static void fill(unsigned char *out, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}

/* Writes and reads back part of a buffer; what lies around it must not change. */
static void check_transfer(penta_context *ctx, size_t offset, size_t bytes, bool pinned_write, bool pinned_read)
{
    size_t size = offset + bytes + 37;
    unsigned char *plain = malloc(size), *expected = malloc(size);
    void *pinned = NULL;
    penta_buffer buffer = {0};

    assert_true(plain && expected);
    EXPECT_OK(ctx, penta_host_alloc(ctx, size, &pinned));
    EXPECT_OK(ctx, penta_buffer_create(ctx, size, &buffer));
    fill(expected, size, 1);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, expected, size));
    fill(expected + offset, bytes, 2);
    memcpy(pinned_write ? pinned : plain, expected + offset, bytes);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, offset, pinned_write ? pinned : plain, bytes));
    memset(plain, 0, size);
    memset(pinned, 0, size);
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, pinned_read ? pinned : plain, size));
    assert_memory_equal(pinned_read ? pinned : plain, expected, size);
    memset(plain, 0, size);
    EXPECT_OK(ctx, penta_buffer_read(&buffer, offset, plain, bytes));
    assert_memory_equal(plain, expected + offset, bytes);
    penta_buffer_release(&buffer);
    penta_host_free(ctx, pinned);
    free(plain);
    free(expected);
}

static void test_transfers(void **state)
{
    static const size_t sizes[] = {1,
                                   3,
                                   4097,
                                   PENTA_STAGING_BYTES - 1,
                                   PENTA_STAGING_BYTES,
                                   PENTA_STAGING_BYTES + 1,
                                   5 * PENTA_STAGING_BYTES + 11};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        check_transfer(*state, 0, sizes[i], false, false);
        check_transfer(*state, 13, sizes[i], i % 2, i % 3 == 0);
    }
    penta_host_free(*state, NULL);
}

/* Transfers through the pinned ring, as on a discrete GPU: a CPU device does it too when it passes for one. */
static void test_staged_transfers(void **state)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;

    ctx->info.type = PENTA_DEVICE_GPU;
    test_transfers(state);
    ctx->info.type = type;
}

static void test_transfer_ranges(void **state)
{
    penta_context *ctx = *state;
    unsigned char data[64] = {0};
    penta_buffer buffer = {0};

    EXPECT_OK(ctx, penta_buffer_create(ctx, 32, &buffer));
    assert_int_equal(penta_buffer_write(&buffer, 0, data, 33), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write(&buffer, 33, data, 0), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_read(&buffer, 31, data, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_read(&buffer, SIZE_MAX, data, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write_async(&buffer, 8, data, SIZE_MAX - 4), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_zero(&buffer, 16, 20), PENTA_INTERNAL);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 32, data, 0));
    fill(data, sizeof data, 3);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, data, 32));
    EXPECT_OK(ctx, penta_buffer_zero(&buffer, 8, 12));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, data + 32, 32));
    assert_memory_equal(data, data + 32, 8);
    assert_memory_equal(data + 20, data + 52, 12);
    for (int i = 40; i < 52; i++)
        assert_int_equal(data[i], 0);
    penta_buffer_release(&buffer);
}

/* ---- kernels of the test's own ---- */

static char kernel_directory[256];

static void write_kernel(const char *name, const char *text)
{
    char path[400];
    FILE *file;

    snprintf(path, sizeof path, "%s/unit/%s", kernel_directory, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static void remove_kernel(const char *name)
{
    char path[400];

    snprintf(path, sizeof path, "%s/unit/%s", kernel_directory, name);
    unlink(path);
}

static const char *const kernel_files[] = {"arguments.cl", "add.cl",     "helper.clh",
                                           "broken.cl",    "broken.clh", "includes.cl"};

static int use_kernel_directory(void **state)
{
    const char *base = getenv("TMPDIR");
    char path[400];

    (void)state;
    snprintf(kernel_directory, sizeof kernel_directory, "%.200s/penta-core-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(kernel_directory))
        return -1;
    snprintf(path, sizeof path, "%s/unit", kernel_directory);
    if (mkdir(path, 0700) != 0)
        return -1;
    return setenv("PENTACL_KERNEL_DIR", kernel_directory, 1);
}

static int leave_kernel_directory(void **state)
{
    char path[400];

    (void)state;
    unsetenv("PENTACL_KERNEL_DIR");
    for (size_t i = 0; i < COUNT(kernel_files); i++)
        remove_kernel(kernel_files[i]);
    snprintf(path, sizeof path, "%s/unit", kernel_directory);
    rmdir(path);
    return rmdir(kernel_directory);
}

/* Every type of argument, and local memory, come as they were given. */
static void test_arguments(void **state)
{
    static const char source[] =
        "#ifdef PENTA_FP64\n"
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "#endif\n"
        "__kernel void unit_arguments(__global long *out, int i, uint u, long l, ulong ul, float f, __local int "
        "*cell,\n"
        "                             int factor)\n"
        "{\n"
        "    int k = get_local_id(0);\n"
        "    cell[k] = k * factor;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    if (k == 0) {\n"
        "        out[0] = i; out[1] = u; out[2] = l; out[3] = (long)ul; out[4] = as_int(f); out[5] = VALUE;\n"
        "        out[6] = 0;\n"
        "        for (int j = 0; j < (int)get_local_size(0); j++) out[6] += cell[j];\n"
        "#if defined(PENTA_CPU) == defined(PENTA_GPU)\n"
        "#error one of PENTA_CPU and PENTA_GPU\n"
        "#endif\n"
        "    }\n"
        "}\n"
        "#ifdef PENTA_FP64\n"
        "__kernel void unit_double(__global long *out, double d) { out[7] = as_long(d); }\n"
        "#endif\n";
    penta_context *ctx = *state;
    penta_kernel kernel = {0}, other = {0};
    penta_buffer out = {0};
    int64_t got[8], bits;
    const float f = -1.5e-3f;
    const double d = 3.25e-300;
    int32_t float_bits;

    write_kernel("arguments.cl", source);
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &out));
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/arguments.cl", "unit_arguments", "-DVALUE=77", &kernel));
    assert_true(penta_kernel_max_group(&kernel) >= 16);
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_groups(penta_grid_1d(16), 16, 1, 1),
                                ARGS(&out, -5, 4000000000u, (int64_t)-7000000000, (uint64_t)0xFEDCBA9876543210, f,
                                     penta_local(16 * sizeof(int)), 3)));
    if (penta_context_device(ctx)->fp64) {
        EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/arguments.cl", "unit_double", "-DVALUE=77", &other));
        EXPECT_OK(ctx, penta_launch(&other, penta_grid_1d(1), ARGS(&out, d)));
        penta_kernel_release(&other);
    }
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, sizeof got));
    memcpy(&float_bits, &f, sizeof f);
    memcpy(&bits, &d, sizeof d);
    assert_int_equal(got[0], -5);
    assert_int_equal(got[1], 4000000000);
    assert_int_equal(got[2], -7000000000);
    assert_int_equal((uint64_t)got[3], 0xFEDCBA9876543210);
    assert_int_equal(got[4], float_bits);
    assert_int_equal(got[5], 77);
    assert_int_equal(got[6], 3 * 120);
    if (penta_context_device(ctx)->fp64)
        assert_int_equal(got[7], bits);
    penta_kernel_release(&kernel);

    /* the same file with other defines is another program; the same ones come from the cache, the file unread */
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/arguments.cl", "unit_arguments", "-DVALUE=78", &other));
    remove_kernel("arguments.cl");
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/arguments.cl", "unit_arguments", "-DVALUE=77", &kernel));
    EXPECT_OK(ctx, penta_launch(&other, penta_grid_groups(penta_grid_1d(1), 1, 1, 1),
                                ARGS(&out, 0, 0u, (int64_t)0, (uint64_t)0, f, penta_local(4), 3)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, sizeof got));
    assert_int_equal(got[5], 78);
    penta_kernel_release(&other);
    penta_kernel_release(&kernel);
    penta_kernel_release(&kernel);
    penta_buffer_release(&out);
}

static const char add_source[] =
    "__kernel void unit_add(__global const int *a, __global const int *b, __global int *out,\n"
    "                       int width, int height, int depth)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    if (x < width && y < height && z < depth) {\n"
    "        int i = (z * height + y) * width + x;\n"
    "        out[i] = a[i] + b[i];\n"
    "    }\n"
    "}\n";

static void test_grids(void **state)
{
    penta_context *ctx = *state;
    enum { W = 19, H = 5, D = 3, N = W * H * D };
    penta_grid grid = penta_grid_groups(penta_grid_3d(W, H, D), 8, 2, 2), flat = penta_grid_1d(W);
    int32_t a[N], b[N], got[N + 1];
    penta_buffer buffers[3] = {{0}};
    penta_kernel kernel = {0};

    assert_int_equal(grid.dims, 3);
    assert_true(grid.global[0] == 24 && grid.global[1] == 6 && grid.global[2] == 4 && grid.local[2] == 2);
    assert_true(flat.dims == 1 && flat.global[0] == W && flat.local[0] == 0);
    assert_int_equal(penta_grid_groups(flat, W, 9, 9).global[0], W);
    for (int i = 0; i < N; i++) {
        a[i] = 3 * i;
        b[i] = 1000 - i;
    }
    write_kernel("add.cl", add_source);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    for (int i = 0; i < 3; i++)
        EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &buffers[i]));
    memset(got, 0xFF, sizeof got);
    EXPECT_OK(ctx, penta_buffer_write(&buffers[0], 0, a, sizeof a));
    EXPECT_OK(ctx, penta_buffer_write(&buffers[1], 0, b, sizeof b));
    EXPECT_OK(ctx, penta_buffer_write(&buffers[2], 0, got, sizeof got));
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_3d(W, 0, D), ARGS(&buffers[0], &buffers[0], &buffers[2], W, H, D)));
    EXPECT_OK(ctx, penta_launch(&kernel, grid, ARGS(&buffers[0], &buffers[1], &buffers[2], W, H, D)));
    EXPECT_OK(ctx, penta_buffer_read(&buffers[2], 0, got, sizeof got));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 1000 + 2 * i);
    assert_int_equal(got[N], -1);
    for (int i = 0; i < 3; i++)
        penta_buffer_release(&buffers[i]);
    penta_kernel_release(&kernel);
}

/* Writes of two buffers under way at once, a kernel that needs both, a write that must wait for that kernel; from plain
 * and from pinned memory. */
static void check_order(penta_context *ctx, bool pinned)
{
    enum { N = 1 << 21, ROUNDS = 3 };
    int32_t *data[2 * ROUNDS] = {NULL}, *got = malloc(N * sizeof *got);
    void *memory[2 * ROUNDS] = {NULL};
    penta_buffer in[2] = {{0}}, out[ROUNDS] = {{0}};
    penta_kernel kernel = {0};

    assert_non_null(got);
    write_kernel("add.cl", add_source);
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
    penta_kernel_release(&kernel);
    free(got);
}

static void test_order(void **state)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;

    check_order(ctx, false);
    check_order(ctx, true);
    ctx->info.type = PENTA_DEVICE_GPU; /* through the pinned ring */
    check_order(ctx, false);
    ctx->info.type = type;
}

/* ---- kernels that do not compile ---- */

/* Line 5 of a file with an include above it, line 405 of a long one, and a line of an included file. */
static void test_build_failure(void **state)
{
    penta_context *ctx = *state;
    penta_kernel kernel = {0};
    char *text = calloc(20000, 1);

    assert_non_null(text);
    write_kernel("helper.clh", "inline int one(void)\n{\n    return 1;\n}\n");
    for (int lines = 0; lines <= 400; lines += 400) {
        char place[60];

        strcpy(text, "#include \"unit/helper.clh\"\n  #include \"unit/helper.clh\"\n");
        for (int i = 0; i < lines; i++)
            strcat(text, "/* filling, filling, filling */\n");
        strcat(text, "__kernel void unit_broken(__global int *out)\n{\n    out[0] = no_such_name + one();\n}");
        write_kernel("broken.cl", text);
        assert_int_equal(penta_kernel_get(ctx, "unit/broken.cl", "unit_broken", "-DTILE=8", &kernel), PENTA_BUILD);
        snprintf(place, sizeof place, "unit/broken.cl:%d", lines + 5);
        expect_text(penta_last_error(ctx), place);
        expect_text(penta_last_error(ctx), "no_such_name");
        expect_text(penta_last_error(ctx), "cl/unit/broken.cl does not compile");
        expect_text(penta_last_error(ctx), penta_context_device(ctx)->name);
        expect_text(penta_last_error(ctx), "-DTILE=8");
        penta_kernel_release(&kernel);
    }
    write_kernel("broken.clh", "\ninline int two(void)\n{\n    return no_such_two;\n}\n");
    write_kernel("includes.cl", "#include \"unit/helper.clh\"\n#include \"unit/broken.clh\"\n"
                                "__kernel void unit_includes(__global int *out) { out[0] = one() + two(); }\n");
    assert_int_equal(penta_kernel_get(ctx, "unit/includes.cl", "unit_includes", "", &kernel), PENTA_BUILD);
    expect_text(penta_last_error(ctx), "unit/broken.clh:4");
    penta_kernel_release(&kernel);
    free(text);
}

/* The context works on: the same file, mended, compiles. */
static void test_after_build_failure(void **state)
{
    penta_context *ctx = *state;
    penta_kernel kernel = {0};
    penta_buffer out = {0};
    int32_t got = 0;

    write_kernel("helper.clh", "inline int one(void)\n{\n    return 1;\n}\n");
    write_kernel("broken.clh", "inline int two(void) { return 2 * one(); }");
    write_kernel("includes.cl", "#include \"unit/helper.clh\"\n#include \"unit/broken.clh\"\n"
                                "__kernel void unit_includes(__global int *out) { out[0] = one() + two(); }\n");
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/includes.cl", "unit_includes", "", &kernel));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &out));
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(1), ARGS(&out)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, &got, sizeof got));
    assert_int_equal(got, 3);
    penta_buffer_release(&out);
    penta_kernel_release(&kernel);
    assert_int_equal(penta_kernel_get(ctx, "unit/includes.cl", "no_such_kernel", "", &kernel), PENTA_DEVICE);
    expect_text(penta_last_error(ctx), "CL_INVALID_KERNEL_NAME");
    penta_kernel_release(&kernel);
}

static void test_missing_files(void **state)
{
    penta_context *ctx = *state;
    penta_kernel kernel = {0};

    assert_int_equal(penta_kernel_get(ctx, "unit/none.cl", "none", "", &kernel), PENTA_BUILD);
    expect_text(penta_last_error(ctx), "unit/none.cl");
    expect_text(penta_last_error(ctx), "PENTACL_KERNEL_DIR");
    write_kernel("includes.cl", "#include \"unit/none.clh\"\n");
    assert_int_equal(penta_kernel_get(ctx, "unit/includes.cl", "none", "-DAGAIN", &kernel), PENTA_BUILD);
    expect_text(penta_last_error(ctx), "unit/none.clh");
    unsetenv("PENTACL_KERNEL_DIR");
    assert_int_equal(penta_kernel_get(ctx, "unit/none.cl", "none", "", &kernel), PENTA_INTERNAL);
    expect_text(penta_last_error(ctx), "not embedded");
    setenv("PENTACL_KERNEL_DIR", kernel_directory, 1);
}

/* ---- profile ---- */

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

static void test_profile(void **state)
{
    penta_context *ctx = *state;
    enum { N = 1000 };
    static int32_t data[N];
    penta_buffer buffers[2] = {{0}};
    penta_kernel kernel = {0};

    write_kernel("add.cl", add_source);
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
    penta_kernel_release(&kernel);
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

static void test_progress(void **state)
{
    penta_context *ctx = *state;
    enum { SIDE = 12, R = 3, N = (2 * R + 1) * (2 * R + 1), MOST = 300 };
    static uint8_t image[SIDE * SIDE];
    static int64_t before[N], after[N];
    penta_autocorr_options options;
    penta_autocorr_frame frames[MOST];
    penta_autocorr_result results[MOST] = {{0}};
    penta_autocorr *plan = NULL;
    progress_log log = {.rising = true};
    size_t n;

    penta_options_init(penta_autocorr_option_table, &options);
    options.max_offset = R;
    options.method = PENTA_AUTOCORR_TILED;
    options.bootstrap = 0;
    fill(image, sizeof image, 9);
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
    penta_autocorr_destroy(plan);
}

/* ---- interoperation ---- */

static cl_uint context_count(cl_context context)
{
    cl_uint count = 0;

    assert_int_equal(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

static void test_interoperation(void **state)
{
    penta_context *host = *state, *ctx = NULL;
    cl_context context = penta_opencl_context(host);
    cl_device_id device = penta_opencl_device(host), of_queue = NULL;
    cl_uint before = context_count(context);
    cl_command_queue queue;

    assert_non_null(context);
    assert_int_equal(clGetCommandQueueInfo(penta_opencl_queue(host), CL_QUEUE_DEVICE, sizeof of_queue, &of_queue, NULL),
                     CL_SUCCESS);
    assert_ptr_equal(of_queue, device);
    if (penta_context_from_opencl(context, device, &ctx) != PENTA_OK)
        fail_msg("%s", penta_last_error(NULL));
    assert_ptr_equal(penta_opencl_context(ctx), context);
    assert_ptr_equal(penta_opencl_device(ctx), device);
    queue = penta_opencl_queue(ctx);
    assert_true(queue && queue != penta_opencl_queue(host));
    assert_string_equal(penta_context_device(ctx)->name, penta_context_device(host)->name);
    assert_true(context_count(context) > before);
    write_kernel("add.cl", add_source);
    check_order(ctx, false);
    penta_context_destroy(ctx);
    assert_int_equal(context_count(context), before);
    penta_context_destroy(NULL);
}

static void test_interoperation_errors(void **state)
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

#define WITH_KERNELS(test) cmocka_unit_test_setup_teardown(test, use_kernel_directory, leave_kernel_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_unknown_devices),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_device_info),
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_error_text_of_threads),
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_trace_after_the_context),
        cmocka_unit_test(test_public_error),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_staged_transfers),
        cmocka_unit_test(test_transfer_ranges),
        WITH_KERNELS(test_arguments),
        WITH_KERNELS(test_grids),
        WITH_KERNELS(test_order),
        WITH_KERNELS(test_build_failure),
        WITH_KERNELS(test_after_build_failure),
        WITH_KERNELS(test_missing_files),
        WITH_KERNELS(test_profile),
        cmocka_unit_test(test_progress),
        WITH_KERNELS(test_interoperation),
        cmocka_unit_test(test_interoperation_errors),
    };

    return cmocka_run_group_tests_name("core", tests, open_device, close_device);
}
