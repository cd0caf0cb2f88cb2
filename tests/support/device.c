/* The device of a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "core/internal.h"
#include "support/expect.h"
#include "support/device.h"

#ifdef __SANITIZE_ADDRESS__
/* clFFT deletes the actions of its plans through a base class without a virtual destructor. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "new_delete_type_mismatch=0";
}
#endif

int open_device(void **state)
{
    penta_context *ctx = NULL;

    if (penta_context_create(NULL, &ctx) != PENTA_OK) {
        fprintf(stderr, "no device to test on: %s\n", penta_last_error(NULL));
        return -1;
    }
    fprintf(stderr, "device: %s\n", penta_context_device(ctx)->name);
    *state = ctx;
    return 0;
}

int open_gpu_form(void **state)
{
    penta_context *ctx;

    if (open_device(state) != 0)
        return -1;
    ctx = *state;
    if (ctx->info.type != PENTA_DEVICE_CPU) {
        penta_context_destroy(ctx);
        *state = NULL;
        return 0;
    }
    ctx->info.type = PENTA_DEVICE_GPU;
    return 0;
}

/* Whether the device belongs to PoCL 5, which miscompiles `what`; prints that. PENTACL_TEST_LEFT_OUT=run: tests it. */
static bool is_left_out(const char *what)
{
    const char *wish = getenv("PENTACL_TEST_LEFT_OUT");
    penta_context *ctx = NULL;
    bool found = false;

    if (wish && strcmp(wish, "run") == 0)
        return false;

    if (penta_context_create(NULL, &ctx) == PENTA_OK) {
        const penta_device *d = penta_context_device(ctx);

        found = strstr(d->platform, "Portable Computing Language") && strncmp(d->driver, "5.", 2) == 0;
    }
    penta_context_destroy(ctx);
    if (found)
        leave_out("PoCL 5 miscompiles the kernel that %s for GPUs", what);
    return found;
}

bool miscompiles_tiles(void)
{
    return is_left_out("draws tiles without enough slots");
}

int open_gpu_tiles(void **state)
{
    *state = NULL;
    return miscompiles_tiles() ? 0 : open_gpu_form(state);
}

bool lacks_double(penta_context *ctx, const char *what)
{
    bool lacks = !penta_context_device(ctx)->fp64;

    if (lacks)
        leave_out("%s, which needs double precision", what);
    return lacks;
}

penta_context *device_of(void **state)
{
    if (!*state) {
        leave_out_test("this device is a GPU, on which the other group tests these forms");
    }
    return *state;
}

penta_context *gpu_of(void **state)
{
    penta_context *ctx = device_of(state);

    if (penta_is_cpu(ctx)) {
        leave_out_test("this device is a CPU, on which the other group tests the forms for GPUs");
    }
    return ctx;
}

bool stands_in(penta_context *ctx)
{
    cl_device_type type = 0;

    assert_int_equal(clGetDeviceInfo(ctx->device, CL_DEVICE_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    return !penta_is_cpu(ctx) && (type & CL_DEVICE_TYPE_CPU);
}

bool is_masked(void)
{
    return getenv("PENTA_MASK") != NULL;
}

int close_device(void **state)
{
    penta_context_destroy(*state);
    return 0;
}

void expect_ok(penta_context *ctx, penta_status status, const char *call, const char *file, int line)
{
    if (status == PENTA_OK)
        return;
    print_error("%s:%d: %s is %s: %s\n", file, line, call, penta_status_name(status), penta_last_error(ctx));
    fail();
}

void *must_calloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    assert_non_null(memory);
    return memory;
}
