/* Kernels get their arguments as they were given, and run over just their grid. */
#include "support/test.h"

#include "core/internal.h"
#include "support/kernels.h"

/* Every type of argument, and local memory, come as they were given. */
TEST_WITH_KERNELS(arguments)
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

TEST_WITH_KERNELS(grids)
{
    penta_context *ctx = *state;
    enum { W = 19, H = 5, D = 3, N = W * H * D };
    penta_grid grid = penta_grid_groups(penta_grid_3d(W, H, D), 8, 2, 2), flat = penta_grid_1d(W);
    int32_t a[N], b[N], got[N + 1];
    penta_buffer buffers[3] = {{0}};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};

    assert_int_equal(grid.dims, 3);
    assert_true(grid.global[0] == 24 && grid.global[1] == 6 && grid.global[2] == 4 && grid.local[2] == 2);
    assert_true(flat.dims == 1 && flat.global[0] == W && flat.local[0] == 0);
    assert_int_equal(penta_grid_groups(flat, W, 9, 9).global[0], W);
    for (int i = 0; i < N; i++) {
        a[i] = 3 * i;
        b[i] = 1000 - i;
    }
    write_add_kernel();
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "", &kernel));
    for (int i = 0; i < 3; i++)
        EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &buffers[i]));
    memset(got, 0xFF, sizeof got);
    EXPECT_OK(ctx, penta_buffer_write(&buffers[0], 0, a, sizeof a));
    EXPECT_OK(ctx, penta_buffer_write(&buffers[1], 0, b, sizeof b));
    EXPECT_OK(ctx, penta_buffer_write(&buffers[2], 0, got, sizeof got));
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_3d(W, 0, D), ARGS(&buffers[0], &buffers[0], &buffers[2], W, H, D)));
    EXPECT_OK(ctx, penta_launch(&kernel, grid, ARGS(&buffers[0], &buffers[1], &buffers[2], W, H, D)));
    assert_int_equal(kernel.arguments, 6);
    assert_int_equal(penta_launch(&kernel, grid, ARGS(&buffers[0], &buffers[1], &buffers[2], W, H)), PENTA_INTERNAL);
    assert_non_null(strstr(penta_last_error(ctx), "the kernel unit_add takes 6 arguments, not 5"));
    assert_int_equal(penta_launch(&kernel, grid, ARGS(&buffers[0], &buffers[1], &buffers[2], W, H, D, 7)),
                     PENTA_INTERNAL);
    EXPECT_OK(ctx, penta_buffer_read(&buffers[2], 0, got, sizeof got));
    for (int i = 0; i < N; i++)
        assert_int_equal(got[i], 1000 + 2 * i);
    assert_int_equal(got[N], -1);
    for (int i = 0; i < 3; i++)
        penta_buffer_release(&buffers[i]);
}

ON_DEVICE;
