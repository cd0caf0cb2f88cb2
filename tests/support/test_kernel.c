/* The library reads kernels from PENTACL_KERNEL_DIR; a test's kernel is a file in a temporary folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/internal.h"
#include "support/device.h"
#include "support/test_kernel.h"

static void write_file(const char *path, const char *first, const char *second)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_true(fputs(first, file) >= 0 && fputs(second, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void set_kernel_directory(const char *directory)
{
    if (directory)
        setenv("PENTACL_KERNEL_DIR", directory, 1);
    else
        unsetenv("PENTACL_KERNEL_DIR");
}

void get_test_kernel(penta_context *ctx, const char *include, const char *source, const char *name, const char *defines,
                     penta_kernel *out)
{
    const char *base = getenv("TMPDIR"), *before = getenv("PENTACL_KERNEL_DIR");
    char *included = NULL, *kept = before ? strdup(before) : NULL, directory[256], path[400], file[100];
    penta_status status;

    EXPECT_OK(ctx, penta_source_load(ctx, include, &included));
    snprintf(directory, sizeof directory, "%.200s/penta-kernel-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(directory));
    snprintf(file, sizeof file, "%s.cl", name);
    snprintf(path, sizeof path, "%s/%s", directory, file);
    write_file(path, included, source);
    set_kernel_directory(directory);
    status = penta_kernel_get(ctx, file, name, defines, out);
    set_kernel_directory(kept);
    unlink(path);
    rmdir(directory);
    free(included);
    free(kept);
    EXPECT_OK(ctx, status);
}
