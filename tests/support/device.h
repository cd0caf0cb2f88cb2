/* The device that a test runs on: the one in PENTACL_DEVICE, otherwise a GPU, otherwise the CPU. */
#pragma once

#include <pentacl/pentacl.h>

/* cmocka group set-up and tear-down: *state is a penta_context. Without OpenCL the group fails, because nothing would
 * be tested. */
int open_device(void **state);
int close_device(void **state);

/*
 * Like open_device, but treats a CPU device as a GPU, so that the GPU versions of kernels, transfers and batches are
 * tested there too. On a GPU *state is NULL: the group of open_device tests those versions there.
 */
int open_gpu_form(void **state);

/*
 * PoCL 5 miscompiles stars_slots_draw (cl/stars/tile_slots.cl), so that crowded tiles lose their light: the result
 * equals the frame without draw_all exactly. Of stars_few_draw (few.cl), which shares that, it makes a program that
 * ends by a segmentation fault. PoCL 3.1 and 6 and NVIDIA's driver are right. CPU devices run that kernel only in tests
 * of the GPU version, which are skipped there. Prints the reason if true.
 */
bool miscompiles_tiles(void);

/* Whether the device has no double precision: then prints that `what`, which needs it, is left out. */
bool lacks_double(penta_context *ctx, const char *what);

/* Like open_gpu_form, but *state is NULL, too, where miscompiles_tiles. */
int open_gpu_tiles(void **state);

/* All tests of the file on the device as it is; and those in AS_GPU (support/test.h) in the forms for GPUs. */
#define ON_DEVICE   RUN(AS_IT_IS, "this device", open_device, close_device)
#define AS_ON_A_GPU RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_device)

/* The context of a test in such groups; skips the test if it is NULL. */
penta_context *device_of(void **state);
/* TEST and TEST_IN with that context as ctx. */
#define DEVICE_TEST(name) DEVICE_TEST_IN(EVERYWHERE, name)
#define DEVICE_TEST_IN(runs, name)                                                                                     \
    static void on_device_##name(void **state, penta_context *ctx);                                                    \
    TEST_IN(runs, name)                                                                                                \
    {                                                                                                                  \
        on_device_##name(state, device_of(state));                                                                     \
    }                                                                                                                  \
    static void on_device_##name(void **state __attribute__((unused)), penta_context *ctx __attribute__((unused)))
/* The same for tests that need a GPU version: skipped if a CPU device is tested as a CPU. */
penta_context *gpu_of(void **state);

/* Whether a CPU stands in for a GPU (open_gpu_form), where each set of defines takes seconds to compile. */
bool stands_in(penta_context *ctx);

/* Whether tests/devices/run masks the device, so that a CPU runs kernels for GPUs. */
bool is_masked(void);

/* Fails the running test with the library's error text unless the status is PENTA_OK. */
void expect_ok(penta_context *ctx, penta_status status, const char *call, const char *file, int line);
#define EXPECT_OK(ctx, call) expect_ok(ctx, call, #call, __FILE__, __LINE__)

/* That a call gives this status, and an error of the context with this text. */
#define EXPECT_REFUSED(ctx, call, status, text)                                                                        \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        expect_text(penta_last_error(ctx), text);                                                                      \
    } while (0)

/* Zeroed memory; the test fails if there is none. */
void *must_calloc(size_t count, size_t size);
