/* Kernel files of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/files.h"
#include "support/kernels.h"

static char directory[256], unit[300];

static const char *path_of(const char *name)
{
    static char path[400];

    snprintf(path, sizeof path, "%s/%s", unit, name);
    return path;
}

int use_kernel_directory(void **state)
{
    (void)state;
    if (!make_scratch_directory("kernels", directory, sizeof directory))
        return -1;
    snprintf(unit, sizeof unit, "%s/unit", directory);
    if (mkdir(unit, 0700) != 0)
        return -1;
    return setenv("PENTACL_KERNEL_DIR", directory, 1);
}

int leave_kernel_directory(void **state)
{
    (void)state;
    unsetenv("PENTACL_KERNEL_DIR");
    empty_directory(unit);
    rmdir(unit);
    return rmdir(directory);
}

const char *kernel_directory(void)
{
    return directory;
}

void write_kernel(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void remove_kernel(const char *name)
{
    unlink(path_of(name));
}

void write_add_kernel(void)
{
    write_kernel("add.cl", "__kernel void unit_add(__global const int *a, __global const int *b, __global int *out,\n"
                           "                       int width, int height, int depth)\n"
                           "{\n"
                           "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
                           "    if (x < width && y < height && z < depth) {\n"
                           "        int i = (z * height + y) * width + x;\n"
                           "        out[i] = a[i] + b[i];\n"
                           "    }\n"
                           "}\n");
}
