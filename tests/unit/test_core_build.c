/* Kernel files that do not compile or do not exist: the error names file, line and device, and the context works on. */
#include "support/test.h"

#include "core/internal.h"
#include "support/kernels.h"

static penta_status compile(penta_context *ctx, const char *file, const char *name, const char *defines,
                            penta_kernel *kernel)
{
    penta_status status = penta_kernel_get(ctx, file, name, defines, kernel);

    return status == PENTA_OK ? penta_kernel_ready(kernel) : status;
}

/* Line 5 of a file with an include above it, line 405 of a long one, and a line of an included file. */
TEST_WITH_KERNELS(build_failure)
{
    penta_context *ctx = *state;
    penta_kernel kernel = {0};
    HELD char *text = calloc(20000, 1);

    assert_non_null(text);
    write_kernel("helper.clh", "inline int one(void)\n{\n    return 1;\n}\n");
    for (int lines = 0; lines <= 400; lines += 400) {
        char place[60];

        strcpy(text, "#include \"unit/helper.clh\"\n  #include \"unit/helper.clh\"\n");
        for (int i = 0; i < lines; i++)
            strcat(text, "/* filling, filling, filling */\n");
        strcat(text, "__kernel void unit_broken(__global int *out)\n{\n    out[0] = no_such_name + one();\n}");
        write_kernel("broken.cl", text);
        assert_int_equal(compile(ctx, "unit/broken.cl", "unit_broken", "-DTILE=8", &kernel), PENTA_BUILD);
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
    EXPECT_REFUSED(ctx, compile(ctx, "unit/includes.cl", "unit_includes", "", &kernel), PENTA_BUILD,
                   "unit/broken.clh:4");
    penta_kernel_release(&kernel);
}

/* The context works on: the same file, mended, compiles. */
TEST_WITH_KERNELS(after_build_failure)
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
    EXPECT_REFUSED(ctx, compile(ctx, "unit/includes.cl", "no_such_kernel", "", &kernel), PENTA_DEVICE,
                   "CL_INVALID_KERNEL_NAME");
    penta_kernel_release(&kernel);
}

/* No define is cut off, however long all of them are. */
TEST_WITH_KERNELS(long_options)
{
    penta_context *ctx = *state;
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    char defines[3000] = "";

    for (int i = 0; i < 200; i++)
        snprintf(defines + strlen(defines), sizeof defines - strlen(defines), "-DNAME%d=%d ", i, i);
    write_kernel("long.cl", "__kernel void unit_long(__global int *out) { out[0] = NAME0 + NAME199; }\n");
    EXPECT_OK(ctx, compile(ctx, "unit/long.cl", "unit_long", defines, &kernel));
}

TEST_WITH_KERNELS(missing_files)
{
    penta_context *ctx = *state;
    penta_kernel kernel = {0};

    EXPECT_REFUSED(ctx, compile(ctx, "unit/none.cl", "none", "", &kernel), PENTA_BUILD, "unit/none.cl");
    expect_text(penta_last_error(ctx), "PENTACL_KERNEL_DIR");
    write_kernel("includes.cl", "#include \"unit/none.clh\"\n");
    EXPECT_REFUSED(ctx, compile(ctx, "unit/includes.cl", "none", "-DAGAIN", &kernel), PENTA_BUILD, "unit/none.clh");
    unsetenv("PENTACL_KERNEL_DIR");
    EXPECT_REFUSED(ctx, compile(ctx, "unit/none.cl", "none", "", &kernel), PENTA_INTERNAL, "not embedded");
    setenv("PENTACL_KERNEL_DIR", kernel_directory(), 1);
}

/* Where the device counts as one without double precision, the word does not compile, and line numbers stay right. */
TEST_WITH_KERNELS(without_double)
{
    static const char *const words[] = {"double", "double4"};
    penta_context *ctx = NULL;
    penta_kernel kernel = {0};

    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    penta_context_without_double(ctx);
    assert_false(penta_context_device(ctx)->fp64);
    write_kernel("plain.cl", "#ifdef PENTA_FP64\n#error defined\n#endif\n"
                             "__kernel void unit_plain(__global float *out) { out[0] = 1; }\n");
    EXPECT_OK(ctx, compile(ctx, "unit/plain.cl", "unit_plain", "", &kernel));
    penta_kernel_release(&kernel);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[200], name[20];

        snprintf(text, sizeof text, "__kernel void unit_word(__global float *out)\n{\n    %s a = 1;\n}\n", words[i]);
        snprintf(name, sizeof name, "word%zu.cl", i);
        write_kernel(name, text);
        snprintf(text, sizeof text, "unit/%s", name);
        EXPECT_REFUSED(ctx, compile(ctx, text, "unit_word", "", &kernel), PENTA_BUILD, "double_precision_is_not_there");
        snprintf(text, sizeof text, "unit/%s:3", name);
        expect_text(penta_last_error(ctx), text);
        penta_kernel_release(&kernel);
    }
    penta_context_destroy(ctx);
}

/* PENTACL_FP64 does the same for every context; other values leave the device as it is. */
TEST(environment)
{
    bool has = penta_context_device(*state)->fp64;
    penta_context *ctx = NULL;

    setenv("PENTACL_FP64", "never", 1);
    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    assert_false(penta_context_device(ctx)->fp64);
    penta_context_destroy(ctx);
    setenv("PENTACL_FP64", "auto", 1);
    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    assert_int_equal(penta_context_device(ctx)->fp64, has);
    penta_context_destroy(ctx);
    unsetenv("PENTACL_FP64");
}

ON_DEVICE;
