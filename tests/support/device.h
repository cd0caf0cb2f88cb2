/* The device that a test runs on: what PENTACL_DEVICE names, else a GPU, else the CPU. */
#ifndef PENTA_TESTS_DEVICE_H
#define PENTA_TESTS_DEVICE_H

#include <pentacl/pentacl.h>

/* cmocka group set-up and tear-down: *state is a penta_context. A machine without OpenCL fails the group: it tests
 * nothing. */
int open_device(void **state);
int close_device(void **state);

/*
 * As open_device, but a CPU device passes for a GPU, so that the forms of kernels, transfers and batches for GPUs are
 * tested there too. On a GPU *state is NULL: the group of open_device tests those forms there.
 */
int open_gpu_form(void **state);

/*
 * PoCL 5 miscompiles stars_slots_draw (cl/stars/tile_slots.cl), so that crowded tiles lose their light: what it draws
 * is, to the digit, the frame without draw_all. PoCL 3.1 and 6 and NVIDIA's driver draw it right, and no CPU device is
 * given that kernel but by tests of the form for GPUs, which are left out there. Prints the reason where true.
 */
bool miscompiles_tiles(void);

/*
 * The same for optmap_shift_near (cl/optmap/shift_near.cl): PoCL 5 finds other delays by it than its own form for CPUs
 * does, which agrees with the reference. PoCL 3.1 and 6 and NVIDIA's driver agree too.
 */
bool miscompiles_near_lags(void);

/* The context of a test in such groups; where it is NULL the test is skipped. */
penta_context *device_of(void **state);
/* The same for tests of nothing but forms for GPUs: skipped where a CPU device is tested as the CPU that it is. */
penta_context *gpu_of(void **state);

/* Whether a CPU stands in for a GPU (open_gpu_form): there every further set of defines takes seconds to compile. */
bool stands_in(penta_context *ctx);

/* Fails the running test with the library's error text unless the status is PENTA_OK. */
void expect_ok(penta_context *ctx, penta_status status, const char *call, const char *file, int line);
#define EXPECT_OK(ctx, call) expect_ok(ctx, call, #call, __FILE__, __LINE__)

/* Memory, zeroed, or a failed test. */
void *must_calloc(size_t count, size_t size);

#endif
