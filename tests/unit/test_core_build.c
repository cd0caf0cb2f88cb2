/* Kernel files that do not compile or do not exist: the error names file, line and device, and the context works on. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/kernels.h"

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
    setenv("PENTACL_KERNEL_DIR", kernel_directory(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_KERNELS(test_build_failure),
        WITH_KERNELS(test_after_build_failure),
        WITH_KERNELS(test_missing_files),
    };

    return cmocka_run_group_tests_name("core, build", tests, open_device, close_device);
}
