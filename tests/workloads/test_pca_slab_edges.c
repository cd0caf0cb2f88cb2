/* Slabs: numbers that are not finite, what no-data means in each type, shifts of hard cases, memory, refusals. */
#include "support/test.h"

#include <float.h>
#include "pca/slab.h"
#include "support/random.h"

/* A slab of its own for rows of one call; closed with the status that is expected. */
typedef struct {
    penta_context *ctx;
    pca_loader *loader;
    pca_slab slab;
    size_t bad_band, bad_pixel;
} job;

static job load(penta_context *ctx, size_t bands, const char *no_data, const penta_cube_rows *rows, penta_status want)
{
    job j = {.ctx = ctx, .bad_band = SIZE_MAX, .bad_pixel = SIZE_MAX};
    size_t pixels = rows->rows * rows->cols;

    EXPECT_OK(ctx, pca_loader_create(ctx, bands, no_data, &j.loader));
    EXPECT_OK(ctx, pca_slab_create(ctx, bands, pca_padded(pixels), rows->type, &j.slab));
    EXPECT_OK(ctx, pca_slab_append(j.loader, &j.slab, rows, 0, pixels, false));
    assert_int_equal(pca_slab_close(j.loader, &j.slab, true, &j.bad_band, &j.bad_pixel), want);
    return j;
}

static void end(job *j)
{
    pca_slab_release(&j->slab);
    pca_loader_destroy(j->loader);
}

static double shift_of(job *j, size_t band)
{
    double shift;

    EXPECT_OK(j->ctx, penta_buffer_read(&j->slab.shift, band * sizeof shift, &shift, sizeof shift));
    return shift;
}

/* ---- numbers that are not finite ---- */

enum { BANDS = 5, PIXELS = 1200 };

/* Band `band` of pixels `at` become x, in BSQ of type f32 or f64; expects the first of them, or none. */
static void check_bad(penta_context *ctx, penta_type type, double x, const uint8_t *mask, const char *no_data,
                      size_t band, size_t pixel)
{
    const size_t at[][2] = {{3, 700}, {1, 700}, {0, 1199}, {4, 20}};
    static double doubles[BANDS * PIXELS];
    static float floats[BANDS * PIXELS];
    penta_cube_rows rows = {.rows = 3, .cols = 400, .type = type, .mask = mask};
    job j;

    for (size_t i = 0; i < BANDS * PIXELS; i++)
        doubles[i] = (double)(i % 97) - 5;
    doubles[900] = type == PENTA_F64 ? DBL_MAX : (double)FLT_MAX;
    for (size_t i = 0; i < COUNT(at); i++)
        doubles[at[i][0] * PIXELS + at[i][1]] = x;
    for (size_t i = 0; i < BANDS * PIXELS; i++)
        floats[i] = (float)doubles[i];
    rows.data = type == PENTA_F64 ? (const void *)doubles : floats;
    j = load(ctx, BANDS, no_data, &rows, band == SIZE_MAX ? PENTA_OK : PENTA_INVALID);
    assert_int_equal(j.bad_band, band);
    assert_int_equal(j.bad_pixel, pixel);
    if (band != SIZE_MAX)
        expect_text(penta_last_error(ctx), "not a finite number");
    end(&j);
}

DEVICE_TEST(not_finite)
{
    const penta_type types[] = {PENTA_F32, PENTA_F64};
    const double numbers[] = {NAN, INFINITY, -INFINITY};
    uint8_t mask[PIXELS];

    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t i = 0; i < COUNT(numbers); i++) {
            memset(mask, 1, sizeof mask);
            check_bad(ctx, types[t], numbers[i], NULL, NULL, 4, 20);
            mask[20] = 0;
            check_bad(ctx, types[t], numbers[i], mask, NULL, 1, 700);
            mask[700] = 0;
            check_bad(ctx, types[t], numbers[i], mask, NULL, 0, 1199);
            mask[1199] = 0;
            check_bad(ctx, types[t], numbers[i], mask, NULL, SIZE_MAX, SIZE_MAX);
        }
    for (size_t t = 0; t < COUNT(types); t++) {
        check_bad(ctx, types[t], NAN, NULL, "nan", SIZE_MAX, SIZE_MAX);
        check_bad(ctx, types[t], INFINITY, NULL, "nan", 4, 20);
        check_bad(ctx, types[t], INFINITY, NULL, "inf", SIZE_MAX, SIZE_MAX);
        check_bad(ctx, types[t], -INFINITY, NULL, "inf", 4, 20);
        check_bad(ctx, types[t], NAN, NULL, "7", 4, 20);
        check_bad(ctx, types[t], 3, NULL, NULL, SIZE_MAX, SIZE_MAX);
    }
}

/* ---- no-data ---- */

/* Of four pixels of one band, how many are valid. */
static void check_no_data(penta_context *ctx, const char *text, penta_type type, const void *four, size_t valid)
{
    const penta_cube_rows rows = {.rows = 2, .cols = 2, .type = type, .data = four};
    job j = load(ctx, 1, text, &rows, PENTA_OK);

    if (j.slab.valid != valid)
        fail_msg("no-data %s in %s: %zu valid pixels, not %zu", text, penta_type_name(type), j.slab.valid, valid);
    end(&j);
}

DEVICE_TEST(no_data_of_types)
{
    const uint8_t u8[] = {0, 255, 3, 255};
    const uint16_t u16[] = {0, 65535, 3, 9};
    const int16_t i16[] = {-9999, 0, -32768, 32767};
    const int32_t i32[] = {INT32_MIN, INT32_MAX, -1, 16777217};
    const uint32_t u32[] = {0, UINT32_MAX, 1, UINT32_MAX - 1};
    const float f32[] = {-3.4e38F, 0.1F, -0.0F, FLT_MAX};
    const double f64[] = {-3.4e38, 0.1, 0, 1e39};

    check_no_data(ctx, "255", PENTA_U8, u8, 2);
    check_no_data(ctx, "-0", PENTA_U8, u8, 3);
    check_no_data(ctx, "-1", PENTA_U8, u8, 4);
    check_no_data(ctx, "256", PENTA_U8, u8, 4);
    check_no_data(ctx, "3.5", PENTA_U8, u8, 4);
    check_no_data(ctx, "nan", PENTA_U8, u8, 4);
    check_no_data(ctx, "inf", PENTA_U8, u8, 4);
    check_no_data(ctx, "65535", PENTA_U16, u16, 3);
    check_no_data(ctx, "-1", PENTA_U16, u16, 4);
    check_no_data(ctx, "-9999", PENTA_I16, i16, 3);
    check_no_data(ctx, "-32768", PENTA_I16, i16, 3);
    check_no_data(ctx, "32768", PENTA_I16, i16, 4);
    check_no_data(ctx, "-2147483648", PENTA_I32, i32, 3);
    check_no_data(ctx, "16777217", PENTA_I32, i32, 3);
    check_no_data(ctx, "16777216", PENTA_I32, i32, 4);
    check_no_data(ctx, "4294967295", PENTA_U32, u32, 3);
    check_no_data(ctx, "4294967295", PENTA_I32, i32, 4);
    check_no_data(ctx, "-3.4e38", PENTA_F32, f32, 3);
    check_no_data(ctx, "-3.4e38", PENTA_F64, f64, 3);
    check_no_data(ctx, "0.1", PENTA_F32, f32, 3);
    check_no_data(ctx, "0.1", PENTA_F64, f64, 3);
    check_no_data(ctx, "0.100000001490116", PENTA_F64, f64, 4);
    check_no_data(ctx, "0", PENTA_F32, f32, 3);
    check_no_data(ctx, "1e39", PENTA_F32, f32, 4);
    check_no_data(ctx, "1e39", PENTA_F64, f64, 3);
    check_no_data(ctx, "3.4028235e38", PENTA_F32, f32, 3);
    check_no_data(ctx, " +NaN", PENTA_F32, f32, 4);
    check_no_data(ctx, "0x1p-1", PENTA_F32, f32, 4);
}

DEVICE_TEST(no_data_texts)
{
    const char *const refused[] = {"", " ", "none", "1,5", "12a", "--3", "nanny", "1e999", "-1e999", "1 2"};

    for (size_t i = 0; i < COUNT(refused); i++) {
        pca_loader *loader = (pca_loader *)&ctx;

        assert_int_equal(pca_loader_create(ctx, 1, refused[i], &loader), PENTA_INVALID);
        assert_null(loader);
        expect_text(penta_last_error(ctx), "`no_data`");
        expect_text(penta_last_error(ctx), refused[i]);
    }
}

/* ---- shifts ---- */

static double shift_of_doubles(penta_context *ctx, const double *data, size_t cols, const uint8_t *mask)
{
    const penta_cube_rows rows = {.rows = 1, .cols = cols, .type = PENTA_F64, .data = data, .mask = mask};
    job j = load(ctx, 1, NULL, &rows, PENTA_OK);
    double shift = shift_of(&j, 0);

    end(&j);
    return shift;
}

DEVICE_TEST(shifts)
{
    const double wide[] = {-DBL_MAX, DBL_MAX, DBL_MAX}, tiny[] = {DBL_TRUE_MIN, 3 * DBL_TRUE_MIN};
    const double far_off[] = {1e15 + 1, 1e15 + 2, 1e15 + 3};
    const uint8_t none[] = {0, 0, 0}, last[] = {0, 0, 5};
    double constant[3000];

    expect_near(shift_of_doubles(ctx, wide, 3, NULL), -DBL_MAX, 0); /* finite, if not the mean */
    expect_near(shift_of_doubles(ctx, tiny, 2, NULL), 2 * DBL_TRUE_MIN, 0);
    expect_near(shift_of_doubles(ctx, far_off, 3, NULL), 1e15 + 2, 0);
    expect_near(shift_of_doubles(ctx, far_off, 3, last), 1e15 + 3, 0);
    expect_near(shift_of_doubles(ctx, far_off, 3, none), 0, 0);
    for (size_t i = 0; i < COUNT(constant); i++)
        constant[i] = 0.1;
    expect_near(shift_of_doubles(ctx, constant, COUNT(constant), NULL), 0.1, 0);
}

/* The same bits in one piece and in many, in any layout, on every device: those of the formula in slab_close.cl. */
DEVICE_TEST(shift_is_of_the_content)
{
    enum { COLS = 5000, SOME = 3 };
    HELD double *data = must_calloc(SOME * COLS, sizeof *data), *bip = must_calloc(SOME * COLS, sizeof *bip);
    penta_cube_rows rows = {.rows = 1, .cols = COLS, .type = PENTA_F64, .data = data};
    double one[SOME], other[SOME];
    size_t bad[2];
    job j;

    random_seed(3);
    for (size_t i = 0; i < SOME * COLS; i++)
        bip[i % COLS * SOME + i / COLS] = data[i] = random_normal() + 10;
    j = load(ctx, SOME, NULL, &rows, PENTA_OK);
    EXPECT_OK(ctx, penta_buffer_read(&j.slab.shift, 0, one, sizeof one));
    rows.data = bip;
    rows.layout = PENTA_BIP;
    j.slab.pixels = 0;
    for (size_t done = 0, n; done < COLS; done += n) {
        n = COLS - done < 999 ? COLS - done : 999;
        EXPECT_OK(ctx, pca_slab_append(j.loader, &j.slab, &rows, done, n, false));
    }
    EXPECT_OK(ctx, pca_slab_close(j.loader, &j.slab, true, &bad[0], &bad[1]));
    EXPECT_OK(ctx, penta_buffer_read(&j.slab.shift, 0, other, sizeof other));
    assert_memory_equal(one, other, sizeof one);
    for (size_t b = 0; b < SOME; b++) {
        double sum = 0, lanes[SLAB_LANES] = {0}, *x = data + b * COLS;

        for (size_t c = 0; c < SLAB_CELLS; c++)
            lanes[c % SLAB_LANES] += x[c * COLS / SLAB_CELLS] - x[0];
        for (size_t step = SLAB_LANES / 2; step; step /= 2)
            for (size_t i = 0; i < step; i++)
                lanes[i] += lanes[i + step];
        sum = x[0] + lanes[0] / SLAB_CELLS;
        expect_near(one[b], sum, 0);
    }
    end(&j);
}

/* ---- slabs that are used again ---- */

/* A mask in the middle: what came before and comes after is valid; an emptied slab knows nothing of it. */
DEVICE_TEST(masks_come_and_go)
{
    enum { COLS = 300 };
    uint8_t mask[COLS];
    int16_t data[COLS] = {0};
    penta_cube_rows rows = {.rows = 1, .cols = COLS, .type = PENTA_I16, .data = data};
    pca_loader *loader;
    pca_slab slab;
    size_t bad[2];

    memset(mask, 9, sizeof mask);
    mask[COLS - 1] = 0;
    EXPECT_OK(ctx, pca_loader_create(ctx, 1, NULL, &loader));
    EXPECT_OK(ctx, pca_slab_create(ctx, 1, 1024, PENTA_I16, &slab));
    for (int i = 0; i < 3; i++) {
        rows.mask = i == 1 ? mask : NULL;
        EXPECT_OK(ctx, pca_slab_append(loader, &slab, &rows, 0, COLS, false));
    }
    EXPECT_OK(ctx, pca_slab_close(loader, &slab, true, &bad[0], &bad[1]));
    assert_int_equal(slab.valid, 3 * COLS - 1);
    assert_true(slab.masked);
    slab.pixels = 0;
    EXPECT_OK(ctx, pca_slab_append(loader, &slab, &rows, 0, 7, false));
    EXPECT_OK(ctx, pca_slab_append(loader, &slab, &rows, 7, 0, false));
    EXPECT_OK(ctx, pca_slab_close(loader, &slab, true, &bad[0], &bad[1]));
    assert_int_equal(slab.valid, 7);
    assert_false(slab.masked);
    slab.pixels = 0;
    EXPECT_OK(ctx, pca_slab_close(loader, &slab, true, &bad[0], &bad[1]));
    assert_int_equal(slab.valid, 0);
    pca_slab_release(&slab);
    pca_loader_destroy(loader);
}

/* Pinned rows may still be read after append, but not after the wait. */
DEVICE_TEST(rows_may_go_after_the_wait)
{
    enum { COLS = 200000, SOME = 4 };
    pca_loader *loader;
    pca_slab slab;
    size_t bad[2];
    uint16_t *pinned, *got = must_calloc((size_t)SOME * pca_padded(COLS), sizeof *got);

    EXPECT_OK(ctx, penta_host_alloc(ctx, sizeof *pinned * SOME * COLS, (void **)&pinned));
    EXPECT_OK(ctx, pca_loader_create(ctx, SOME, NULL, &loader));
    loader->piece = 100000;
    EXPECT_OK(ctx, pca_slab_create(ctx, SOME, pca_padded(COLS), PENTA_U16, &slab));
    for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++) {
        const penta_cube_rows rows = {.rows = 2, .cols = COLS / 2, .layout = layout, .type = PENTA_U16, .data = pinned};

        for (size_t i = 0; i < SOME * COLS; i++)
            pinned[i] = (uint16_t)(i % 65521);
        slab.pixels = 0;
        EXPECT_OK(ctx, pca_slab_append(loader, &slab, &rows, 0, COLS, false));
        EXPECT_OK(ctx, pca_loader_wait(loader));
        memset(pinned, 0, sizeof *pinned * SOME * COLS);
        EXPECT_OK(ctx, pca_slab_close(loader, &slab, true, &bad[0], &bad[1]));
        EXPECT_OK(ctx, penta_buffer_read(&slab.data, 0, got, slab.data.bytes));
        for (size_t p = 0; p < COLS; p++)
            for (size_t b = 0; b < SOME; b++) {
                size_t row = p / (COLS / 2), column = p % (COLS / 2);
                size_t at = layout == PENTA_BSQ   ? b * COLS + p
                            : layout == PENTA_BIL ? (row * SOME + b) * (COLS / 2) + column
                                                  : p * SOME + b;

                assert_int_equal(got[b * slab.pitch + p], at % 65521);
            }
    }
    pca_slab_release(&slab);
    pca_loader_destroy(loader);
    penta_host_free(ctx, pinned);
    free(got);
}

/* ---- sizes ---- */

DEVICE_TEST(capacity)
{
    const penta_device *d = penta_context_device(ctx);
    size_t most = (penta_is_cpu(ctx) ? 128 : 512) << 20, bands[] = {1, 2, 7, 224, 1000, 4096};

    most = most < d->memory / 8 ? most : (size_t)(d->memory / 8);
    most = most < d->max_allocation ? most : (size_t)d->max_allocation;
    for (size_t i = 0; i < COUNT(bands); i++) {
        size_t capacity = pca_slab_capacity(ctx, bands[i], 0, NULL);

        assert_int_equal(capacity & (capacity - 1), 0);
        assert_in_range(capacity, PCA_UNIT, 1 << 20);
        assert_true(capacity == PCA_UNIT || capacity * bands[i] * 8 <= most);
        assert_true(capacity == 1 << 20 || 2 * capacity * bands[i] * 8 > most);
        assert_int_equal(pca_slab_capacity(ctx, bands[i], SIZE_MAX, NULL), capacity);
        assert_int_equal(pca_slab_capacity(ctx, bands[i], capacity, NULL), capacity);
        assert_int_equal(pca_slab_capacity(ctx, bands[i], 1, NULL), PCA_UNIT);
        assert_int_equal(pca_slab_capacity(ctx, bands[i], 513, NULL), capacity < 1024 ? capacity : 1024);
    }
}

DEVICE_TEST(refusals)
{
    const uint8_t data[64] = {0};
    const penta_cube_rows good = {.rows = 2, .cols = 4, .type = PENTA_U8, .data = data};
    penta_cube_rows rows;
    pca_loader *loader;
    pca_slab slab;

    EXPECT_OK(ctx, pca_loader_create(ctx, 2, NULL, &loader));
    assert_int_equal(pca_slab_create(ctx, 2, 512, PENTA_I64, &slab), PENTA_INVALID);
    assert_null(slab.data.mem);
    assert_int_equal(pca_slab_create(ctx, 2, 512, (penta_type)99, &slab), PENTA_INVALID);
    assert_int_equal(pca_slab_create(ctx, 2, 500, PENTA_U8, &slab), PENTA_INTERNAL);
    assert_int_equal(pca_slab_create(ctx, 4096, 1 << 20, PENTA_U8, &slab), PENTA_INTERNAL);
    EXPECT_OK(ctx, pca_slab_create(ctx, 2, 512, PENTA_U8, &slab));
#define REFUSED(status, change, first, count, differences)                                                             \
    do {                                                                                                               \
        rows = good;                                                                                                   \
        change;                                                                                                        \
        assert_int_equal(pca_slab_append(loader, &slab, &rows, first, count, differences), status);                    \
        assert_int_equal(slab.pixels, 0);                                                                              \
    } while (0)
    REFUSED(PENTA_INVALID, rows.data = NULL, 0, 8, false);
    REFUSED(PENTA_INVALID, rows.layout = 3, 0, 8, false);
    REFUSED(PENTA_INVALID, rows.layout = -1, 0, 8, false);
    REFUSED(PENTA_INVALID, rows.type = PENTA_I64, 0, 8, false);
    REFUSED(PENTA_INVALID, rows.type = (penta_type)99, 0, 8, false);
    REFUSED(PENTA_INVALID, rows.band_stride = 7, 0, 8, false);
    REFUSED(PENTA_INVALID, rows.cols = (size_t)1 << 31, 0, 8, false);
    REFUSED(PENTA_MEMORY, rows.cols = SIZE_MAX / 2 + 1, 0, 8, false);
    REFUSED(PENTA_INTERNAL, rows.type = PENTA_I16, 0, 8, false);
    REFUSED(PENTA_INTERNAL, (void)0, 0, 9, false);
    REFUSED(PENTA_INTERNAL, (void)0, 9, 0, false);
    REFUSED(PENTA_INTERNAL, rows.rows = 129, 0, 513, false);
    REFUSED(PENTA_INTERNAL, (void)0, 0, 8, true);
    EXPECT_OK(ctx, pca_slab_append(loader, &slab, &good, 0, 8, false));
    assert_int_equal(slab.pixels, 8);
    pca_slab_release(&slab);
    pca_slab_release(&slab);
    pca_loader_destroy(loader);
    pca_loader_destroy(NULL);
}

RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_device);
RUN(AS_IT_IS, "device", open_device, close_device);
