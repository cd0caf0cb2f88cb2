/* Growth of dust, of both signs, bit for bit (cl/prepare/dust_grow.cl), in both forms. */
#include "support/test.h"

#include "prepare/dust.h"
#include "support/prepare_stage.h"
#include "support/random.h"

enum { FRAMES = 2, PLANES = 6, SIGNS = 2, MAY = 2 }; /* MAY: the first plane of pixels that may be dust */

/* A plane with `share` of its bits set; none beyond the row. */
static void fill_plane(size_t width, size_t height, double share, uint32_t *plane)
{
    size_t words = (width + 31) / 32;

    for (size_t i = 0; i < width * height; i++)
        if (random_uniform() < share)
            plane[i / width * words + i % width / 32] |= 1U << (i % width % 32);
}

static bool is_set(const uint32_t *plane, long width, long height, long x, long y)
{
    return x >= 0 && y >= 0 && x < width && y < height &&
           (plane[(size_t)(y * ((width + 31) / 32) + x / 32)] >> (x % 32) & 1);
}

/* One step: a pixel that may be dust is if one of its neighbours is. */
static void grow(long width, long height, const uint32_t *may, const uint32_t *from, uint32_t *to)
{
    for (long i = 0; i < width * height; i++) {
        long x = i % width, y = i / width;
        bool near = is_set(from, width, height, x, y);

        for (int k = 0; k < 9 && !near && is_set(may, width, height, x, y); k++)
            near = is_set(from, width, height, x + k % 3 - 1, y + k / 3 - 1);
        if (near)
            to[(size_t)(y * ((width + 31) / 32) + x / 32)] |= 1U << (x % 32);
    }
}

/* Compares a plane that was grown with its seeds grown here; returns how many pixels were added. */
static size_t check_plane(size_t width, size_t height, int steps, const uint32_t *seeds, const uint32_t *may,
                          const uint32_t *grown)
{
    size_t words = (width + 31) / 32 * height, added = 0;
    HELD uint32_t *now = must_calloc(words, sizeof *now), *next = must_calloc(words, sizeof *next);

    memcpy(now, seeds, words * sizeof *now);
    for (int i = 0; i < steps; i++) {
        memset(next, 0, words * sizeof *next);
        grow((long)width, (long)height, may, now, next);
        memcpy(now, next, words * sizeof *now);
    }
    assert_memory_equal(grown, now, words * sizeof *now);
    for (size_t i = 0; i < words; i++)
        added += (size_t)__builtin_popcount(now[i] & ~seeds[i]);
    return added;
}

static void check_growth(penta_context *ctx, size_t width, size_t height, int size)
{
    size_t plane = (width + 31) / 32 * height, added = 0;
    HELD uint32_t *bits = must_calloc(FRAMES * PLANES * plane, sizeof *bits), *grown = NULL;
    penta_prepare_options o = default_prepare_options();
    penta_buffer *seeds = NULL;
    prepare_stage *stage;
    int planes = 0;

    o.dust_size = size;
    stage = open_stage(ctx, width, height, FRAMES, PENTA_U8, &o);
    EXPECT_OK(ctx, prepare_dust_create(&stage->own, &stage->shape, &stage->dust));
    for (size_t i = 0; i < FRAMES * PLANES; i++)
        fill_plane(width, height, i % PLANES < MAY ? 0.002 : 0.5, bits + i * plane);
    fill(ctx, &stage->dust->bits, bits, FRAMES * PLANES * plane * sizeof *bits);
    EXPECT_OK(ctx, prepare_dust_grow(stage->dust, FRAMES, &seeds, &planes));
    assert_int_equal(planes, SIGNS);
    grown = contents(ctx, seeds, FRAMES * SIGNS * plane * sizeof *grown);
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t sign = 0; sign < SIGNS; sign++) {
            const uint32_t *of = bits + (f * PLANES + sign) * plane;

            added += check_plane(width, height, size / 2, of, of + MAY * plane, grown + (f * SIGNS + sign) * plane);
        }
    assert_true(added > width * height / 100);
    close_stage(stage);
}

DEVICE_TEST(growth)
{
    random_seed(15);
    check_growth(ctx, 403, 37, 16); /* more words in a row than a vector has */
    check_growth(ctx, 320, 33, 3);
    check_growth(ctx, 544, 16, 7);
    check_growth(ctx, 205, 64, 40);
    check_growth(ctx, 31, 47, 16);
}

ON_DEVICE;
AS_ON_A_GPU;
