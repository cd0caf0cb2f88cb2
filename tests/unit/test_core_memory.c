/* Sizes that do not overflow, buffers, and transfers: plain, pinned, staged, in part, out of range. */
#include "support/test.h"

#include "core/internal.h"
#include "support/members.h"
#include "support/random.h"

DEVICE_TEST(sizes)
{
    penta_buffer buffer = {0};
    size_t bytes = 7;
    void *memory = (void *)1;

    EXPECT_OK(ctx, penta_size(ctx, 3, 5, 7, &bytes));
    assert_int_equal(bytes, 105);
    EXPECT_OK(ctx, penta_size(ctx, SIZE_MAX, 1, 1, &bytes));
    EXPECT_OK(ctx, penta_size(ctx, 0, SIZE_MAX, 2, &bytes));
    assert_int_equal(penta_size(ctx, SIZE_MAX, 2, 1, &bytes), PENTA_MEMORY);
    assert_int_equal(penta_size(ctx, (size_t)1 << 32, (size_t)1 << 31, 2, &bytes), PENTA_MEMORY);
#ifndef __SANITIZE_ADDRESS__ /* whose calloc ends the program */
    assert_int_equal(penta_calloc(ctx, SIZE_MAX / 2, 4, &memory), PENTA_MEMORY);
    assert_null(memory);
#endif
    EXPECT_OK(ctx, penta_calloc(ctx, 0, 0, &memory));
    assert_non_null(memory);
    free(memory);
    assert_int_equal(penta_buffer_create(ctx, SIZE_MAX / 2, &buffer), PENTA_MEMORY);
    penta_buffer_release(&buffer);
    penta_buffer_release(&buffer);
    EXPECT_OK(ctx, penta_buffer_create(ctx, 0, &buffer));
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, "", 0));
    penta_buffer_release(&buffer);
    assert_int_equal(penta_type_size(PENTA_U16), 2);
    assert_int_equal(penta_type_size(PENTA_F64), 8);
    assert_int_equal(penta_type_size((penta_type)77), 0);
    assert_string_equal(penta_type_name(PENTA_I64), "i64");
    assert_string_equal(penta_type_name((penta_type)77), "?");
}

/* ---- transfers ---- */

/* Writes and reads back part of a buffer; what lies around it must not change. */
static void check_transfer(penta_context *ctx, size_t offset, size_t bytes, bool pinned_write, bool pinned_read)
{
    size_t size = offset + bytes + 37;
    HELD unsigned char *plain = malloc(size), *expected = malloc(size);
    void *pinned = NULL;
    penta_buffer buffer = {0};

    assert_true(plain && expected);
    EXPECT_OK(ctx, penta_host_alloc(ctx, size, &pinned));
    EXPECT_OK(ctx, penta_buffer_create(ctx, size, &buffer));
    random_bytes(expected, size, 1);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, expected, size));
    random_bytes(expected + offset, bytes, 2);
    memcpy(pinned_write ? pinned : plain, expected + offset, bytes);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, offset, pinned_write ? pinned : plain, bytes));
    memset(plain, 0, size);
    memset(pinned, 0, size);
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, pinned_read ? pinned : plain, size));
    assert_memory_equal(pinned_read ? pinned : plain, expected, size);
    memset(plain, 0, size);
    EXPECT_OK(ctx, penta_buffer_read(&buffer, offset, plain, bytes));
    assert_memory_equal(plain, expected + offset, bytes);
    penta_buffer_release(&buffer);
    penta_host_free(ctx, pinned);
}

TEST(transfers)
{
    static const size_t sizes[] = {1,
                                   3,
                                   4097,
                                   PENTA_STAGING_BYTES - 1,
                                   PENTA_STAGING_BYTES,
                                   PENTA_STAGING_BYTES + 1,
                                   5 * PENTA_STAGING_BYTES + 11};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        check_transfer(*state, 0, sizes[i], false, false);
        check_transfer(*state, 13, sizes[i], i % 2, i % 3 == 0);
    }
    penta_host_free(*state, NULL);
}

/* Transfers through the pinned ring, as on a discrete GPU: a CPU device does it too when it passes for one. */
DEVICE_TEST(staged_transfers)
{
    penta_device_type type = ctx->info.type;

    ctx->info.type = PENTA_DEVICE_GPU;
    test_transfers(state);
    ctx->info.type = type;
}

/* ---- pinned memory ---- */

/* Of these bytes of a context those that it takes for pinned: 0 none, 1 some, 2 all. */
static int pinned_part(penta_context *ctx, const char *memory, size_t bytes)
{
    return (penta_is_pinned(ctx, memory, 1) || penta_is_pinned(ctx, memory + bytes - 1, 1)) +
           penta_is_pinned(ctx, memory, bytes);
}

/* Memory that a context has allocated or pinned is pinned for others, too, until that context ends it. */
TEST(pinned_for_all)
{
    enum { SIZE = 5 * 1000 * 1000 };
    penta_context *ctx = *state, **others = open_members(ctx, 1), *other = others[0];
    penta_device_type type = ctx->info.type;
    HELD char *own = must_calloc(SIZE, 1), *got = must_calloc(SIZE, 1);
    void *allocated = NULL;
    penta_buffer buffer = {0};

    ctx->info.type = other->info.type = PENTA_DEVICE_GPU;
    EXPECT_OK(other, penta_host_alloc(other, SIZE, &allocated));
    EXPECT_OK(other, penta_host_pin(other, own, SIZE));
    assert_int_equal(pinned_part(ctx, allocated, SIZE), 2);
    assert_int_equal(pinned_part(ctx, own, SIZE), 2);
    assert_false(penta_is_pinned(ctx, own, SIZE + 1));
    random_bytes((unsigned char *)own, SIZE, 4);
    EXPECT_OK(ctx, penta_buffer_create(ctx, SIZE, &buffer));
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, own, SIZE));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, allocated, SIZE));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, got, SIZE));
    assert_memory_equal(allocated, own, SIZE);
    assert_memory_equal(got, own, SIZE);
    penta_buffer_release(&buffer);
    penta_host_unpin(ctx, own);  /* has not pinned it */
    penta_host_free(other, own); /* has not allocated it */
    assert_int_equal(pinned_part(ctx, own, SIZE), 2);
    penta_host_unpin(other, own);
    assert_int_equal(pinned_part(ctx, own, SIZE), 0);
    assert_int_equal(pinned_part(ctx, allocated, SIZE), 2);
    EXPECT_OK(other, penta_host_pin(other, own, 100));
    penta_contexts_destroy(others, 1);
    assert_int_equal(pinned_part(ctx, own, 100), 0);
    assert_int_equal(pinned_part(ctx, allocated, SIZE), 0);
    ctx->info.type = type;
}

/* Nothing is pinned where nothing is to be: no memory, and on a device that works in any. */
DEVICE_TEST(not_pinned)
{
    penta_device_type type = ctx->info.type;
    char memory[100];

    ctx->info.type = PENTA_DEVICE_CPU;
    EXPECT_OK(ctx, penta_host_pin(ctx, memory, sizeof memory));
    ctx->info.type = PENTA_DEVICE_GPU;
    EXPECT_OK(ctx, penta_host_pin(ctx, memory, 0));
    EXPECT_OK(ctx, penta_host_pin(ctx, NULL, 100));
    assert_int_equal(pinned_part(ctx, memory, sizeof memory), 0);
    penta_host_unpin(ctx, memory);
    penta_host_unpin(ctx, NULL);
    ctx->info.type = type;
}

/* Rows of a table into a wider one, and back; between them nothing changes. */
static void check_rows(penta_context *ctx, size_t bytes, size_t rows, size_t host_stride, size_t at, size_t stride,
                       bool pinned)
{
    size_t size = rows * stride, host_size = rows * host_stride;
    HELD unsigned char *plain = malloc(host_size), *expected = malloc(size), *got = malloc(size);
    void *memory = NULL;
    penta_buffer buffer = {0};

    assert_true(plain && expected && got);
    EXPECT_OK(ctx, penta_host_alloc(ctx, host_size, &memory));
    EXPECT_OK(ctx, penta_buffer_create(ctx, size, &buffer));
    random_bytes(expected, size, 1);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, expected, size));
    random_bytes(plain, host_size, 2);
    memcpy(memory, plain, host_size);
    for (size_t r = 0; r < rows; r++)
        memcpy(expected + r * stride + at, plain + r * host_stride, bytes);
    EXPECT_OK(ctx, penta_buffer_write_rows(&buffer, at, stride, pinned ? memory : plain, host_stride, bytes, rows));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, got, size));
    assert_memory_equal(got, expected, size);
    random_bytes(plain, host_size, 3);
    memcpy(memory, plain, host_size);
    for (size_t r = 0; r < rows; r++)
        memcpy(plain + r * host_stride, expected + r * stride + at, bytes);
    if (pinned) {
        EXPECT_OK(ctx, penta_buffer_read_rows(&buffer, at, stride, memory, host_stride, bytes, rows));
        assert_memory_equal(memory, plain, host_size);
    } else {
        HELD unsigned char *other = malloc(host_size);

        assert_non_null(other);
        memcpy(other, memory, host_size);
        EXPECT_OK(ctx, penta_buffer_read_rows(&buffer, at, stride, other, host_stride, bytes, rows));
        assert_memory_equal(other, plain, host_size);
    }
    penta_buffer_release(&buffer);
    penta_host_free(ctx, memory);
}

TEST(rows)
{
    for (int pinned = 0; pinned < 2; pinned++) {
        check_rows(*state, 5, 7, 9, 2, 8, pinned);
        check_rows(*state, 8, 1, 9, 3, 20, pinned);
        check_rows(*state, 8, 40, 8, 0, 8, pinned);
        check_rows(*state, 8, 40, 8, 4, 12, pinned);
        check_rows(*state, 1000003, 11, 1000003, 0, 1000004, pinned); /* several slots */
        check_rows(*state, 3000, 4001, 3010, 0, 3000, pinned);        /* without gaps on the device */
        check_rows(*state, 300000, 41, 300100, 0, 300000, pinned);
        check_rows(*state, PENTA_STAGING_BYTES + 7, 3, PENTA_STAGING_BYTES + 9, 1, PENTA_STAGING_BYTES + 8, pinned);
    }
}

DEVICE_TEST(staged_rows)
{
    penta_device_type type = ctx->info.type;

    ctx->info.type = PENTA_DEVICE_GPU;
    test_rows(state);
    ctx->info.type = type;
}

DEVICE_TEST(row_ranges)
{
    unsigned char data[64] = {0};
    HELD_BY(penta_buffer_release) penta_buffer buffer = {0};

    EXPECT_OK(ctx, penta_buffer_create(ctx, 32, &buffer));
    EXPECT_OK(ctx, penta_buffer_write_rows(&buffer, 4, 8, data, 4, 4, 4));
    EXPECT_OK(ctx, penta_buffer_write_rows(&buffer, 99, 8, data, 8, 0, 4));
    EXPECT_OK(ctx, penta_buffer_write_rows(&buffer, 99, 8, data, 8, 4, 0));
    assert_int_equal(penta_buffer_write_rows(&buffer, 4, 8, data, 4, 4, 5), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write_rows(&buffer, 5, 8, data, 4, 4, 2), PENTA_INTERNAL); /* over the end of a row */
    assert_int_equal(penta_buffer_write_rows(&buffer, 0, 3, data, 4, 4, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write_rows(&buffer, 0, 8, data, 3, 4, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write_rows(&buffer, 33, 8, data, 4, 4, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write_rows(&buffer, 0, SIZE_MAX / 2, data, 4, 4, 3), PENTA_INTERNAL);
    EXPECT_OK(ctx, penta_buffer_read_rows(&buffer, 99, 8, data, 8, 0, 4));
    assert_int_equal(penta_buffer_read_rows(&buffer, 4, 8, data, 4, 4, 5), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_read_rows(&buffer, 0, 8, data, 3, 4, 2), PENTA_INTERNAL);
}

DEVICE_TEST(transfer_ranges)
{
    unsigned char data[64] = {0};
    HELD_BY(penta_buffer_release) penta_buffer buffer = {0};

    EXPECT_OK(ctx, penta_buffer_create(ctx, 32, &buffer));
    assert_int_equal(penta_buffer_write(&buffer, 0, data, 33), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write(&buffer, 33, data, 0), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_read(&buffer, 31, data, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_read(&buffer, SIZE_MAX, data, 2), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_write_async(&buffer, 8, data, SIZE_MAX - 4), PENTA_INTERNAL);
    assert_int_equal(penta_buffer_zero(&buffer, 16, 20), PENTA_INTERNAL);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 32, data, 0));
    random_bytes(data, sizeof data, 3);
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, data, 32));
    EXPECT_OK(ctx, penta_buffer_zero(&buffer, 8, 12));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, data + 32, 32));
    assert_memory_equal(data, data + 32, 8);
    assert_memory_equal(data + 20, data + 52, 12);
    for (int i = 40; i < 52; i++)
        assert_int_equal(data[i], 0);
}

ON_DEVICE;
