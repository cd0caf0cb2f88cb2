/* Long work in pieces: all of it, and never so little of it at a time that a GPU has nothing to do. */
#include "support/test.h"

#include "core/internal.h"
#include "support/kernels.h"

enum { ITEMS = 16 }; /* of a work-group */

/* Each work-group notes how many there are in its launch, along the first dimension. */
static const char text[] = "__kernel void unit_span(__global int *out, int columns)\n"
                           "{\n"
                           "    int column = get_global_id(0) / get_local_size(0), row = get_global_id(1);\n"
                           "    if (get_local_id(0) == 0)\n"
                           "        out[row * columns + column] += get_num_groups(0);\n"
                           "}\n";

/* Runs columns x rows work-groups, of so much work and at such a speed that a piece would be far less than one of them.
 * Expects pieces of `piece` columns, the last one of what is left. */
static void check_pieces(penta_context *ctx, size_t columns, size_t rows, size_t piece)
{
    size_t bytes = columns * rows * sizeof(int32_t);
    const penta_grid grid = {.dims = rows > 1 ? 2 : 1, .global = {columns * ITEMS, rows, 1}, .local = {ITEMS, 1, 1}};
    penta_pace pace = {.rate = 1};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer out = {0};
    HELD int32_t *got = must_calloc(columns * rows, sizeof *got);

    write_kernel("span.cl", text);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/span.cl", "unit_span", "", &kernel));
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &out));
    EXPECT_OK(ctx, penta_buffer_write(&out, 0, got, bytes));
    EXPECT_OK(ctx, penta_launch_paced(&kernel, grid, 1e300, &pace, ARGS(&out, (int)columns)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, bytes));
    for (size_t i = 0; i < columns * rows; i++) {
        size_t column = i % columns, begin = column - column % piece,
               wanted = columns - begin < piece ? columns - begin : piece;

        if ((size_t)got[i] != wanted)
            fail_msg("group %zu of row %zu is one of %d in its piece, not of %zu", column, i / columns, (int)got[i],
                     wanted);
    }
}

TEST_WITH_KERNELS(gpu_is_kept_busy)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;
    size_t units = ctx->info.compute_units;

    ctx->info.type = PENTA_DEVICE_GPU;
    check_pieces(ctx, 16 * units + 5, 1, 4 * units);
    check_pieces(ctx, 4 * units + 3, 2, 2 * units);
    check_pieces(ctx, 5, 4 * units, 1);
    ctx->info.type = type;
}

/* A CPU's cores take groups one after another, so that one is a piece; a test may ask for that on any device. */
TEST_WITH_KERNELS(one_at_a_time)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;

    ctx->info.type = PENTA_DEVICE_CPU;
    check_pieces(ctx, 37, 1, 1);
    ctx->info.type = PENTA_DEVICE_GPU;
    ctx->piece_seconds = 0.01;
    check_pieces(ctx, 37, 1, 1);
    ctx->piece_seconds = 0;
    ctx->info.type = type;
}

/* What takes less than a piece is one launch. */
TEST_WITH_KERNELS(short_work)
{
    penta_context *ctx = *state;
    const penta_grid grid = {.dims = 1, .global = {7 * ITEMS, 1, 1}, .local = {ITEMS, 1, 1}};
    penta_pace pace = {0};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer out = {0};
    int32_t got[7] = {0};

    write_kernel("span.cl", text);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/span.cl", "unit_span", "", &kernel));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &out));
    EXPECT_OK(ctx, penta_buffer_write(&out, 0, got, sizeof got));
    EXPECT_OK(ctx, penta_launch_paced(&kernel, grid, 1e3, &pace, ARGS(&out, 7)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, sizeof got));
    for (int i = 0; i < 7; i++)
        assert_int_equal(got[i], 7);
}

ON_DEVICE;
