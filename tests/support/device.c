/* The device of a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "support/device.h"

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
