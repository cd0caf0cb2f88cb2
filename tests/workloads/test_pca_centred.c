/*
 * The covariances by CLBlast and after the paper, against plain loops: every method, type and precision, odd sizes,
 * slabs that are not full, pieces smaller than a slab. Integers to the last bit.
 */
#include "support/test.h"

#include "core/internal.h"
#include "math/blas.h"
#include "pca/pca.h"
#include "support/numbers.h"
#include "support/pca_slab.h"
#include "support/random.h"

static const int methods[] = {PENTA_PCA_COV_SYRK, PENTA_PCA_COV_GEMM, PENTA_PCA_COV_SPLITK, PENTA_PCA_COV_SQUARE,
                              PENTA_PCA_COV_VOLKOV};
static const char *const method_names[] = {"syrk", "gemm", "splitk", "square", "volkov"};

/* A closed slab with what should come of it. */
typedef struct {
    pca_slab slab;
    double *centred;    /* bands x padded pixels: x - shift */
    double *gram;       /* bands x bands, the lower triangle */
    double *magnitudes; /* the same of absolute values: what rounding errors are in proportion to */
    double *sums, *sum_magnitudes;
} scene;

/* ---- slabs ---- */

/* The whole range of a type, the largest numbers included, or numbers about a mean. */
static double number(penta_type type, double shift)
{
    double u;

    if (pca_is_exact(type))
        return random_number(type);
    u = random_uniform();
    return nearest_number(type, shift + (is_integer(type) ? floor(1e6 * (u - 0.4)) : 3 * (u - 0.4)));
}

static double shift_of(penta_type type, size_t band)
{
    return pca_is_exact(type)  ? 0
           : type == PENTA_I32 ? (band % 2 ? -1.5e9 : 2e9)
           : type == PENTA_U32 ? 4e9
                               : 1000 + 16 * (double)band;
}

/* Every seventh pixel is left out: it holds the shift, as the padding does. Beyond the padding are large numbers. */
static void fill(scene *s, void *data, double *shift)
{
    size_t padded = pca_padded(s->slab.pixels);

    for (size_t band = 0; band < s->slab.bands; band++) {
        shift[band] = shift_of(s->slab.type, band);
        for (size_t i = 0; i < s->slab.pitch; i++) {
            bool there = i < s->slab.pixels && i % 7 != 3;
            double v = there ? number(s->slab.type, shift[band]) : i < padded ? shift[band] : 200;

            put_number(s->slab.type, data, band * s->slab.pitch + i, v);
            if (i < padded)
                s->centred[band * padded + i] = v - shift[band];
        }
    }
}

static void sum_up(scene *s)
{
    size_t padded = pca_padded(s->slab.pixels), bands = s->slab.bands;

    for (size_t i = 0; i < bands; i++) {
        const double *x = s->centred + i * padded;

        for (size_t p = 0; p < padded; p++) {
            s->sums[i] += x[p];
            s->sum_magnitudes[i] += fabs(x[p]);
        }
        for (size_t j = 0; j <= i; j++) {
            const double *y = s->centred + j * padded;
            double sum = 0, magnitude = 0;

            for (size_t p = 0; p < padded; p++) {
                sum += x[p] * y[p];
                magnitude += fabs(x[p] * y[p]);
            }
            s->gram[i * bands + j] = sum;
            s->magnitudes[i * bands + j] = magnitude;
        }
    }
}

static void make_scene(penta_context *ctx, size_t bands, size_t pixels, size_t pitch, penta_type type, scene *s)
{
    size_t padded = pca_padded(pixels);
    HELD void *data = must_calloc(bands * pitch, penta_type_size(type));
    HELD double *shift = must_calloc(bands, sizeof *shift);

    *s = (scene){.slab = {.ctx = ctx, .bands = bands, .pitch = pitch, .type = type, .pixels = pixels, .valid = pixels}};
    s->centred = must_calloc(bands * padded, sizeof *s->centred);
    s->gram = must_calloc(bands * bands, sizeof *s->gram);
    s->magnitudes = must_calloc(bands * bands, sizeof *s->magnitudes);
    s->sums = must_calloc(bands, sizeof *s->sums);
    s->sum_magnitudes = must_calloc(bands, sizeof *s->sum_magnitudes);
    random_seed(bands * 7919 + pixels + (size_t)type);
    fill(s, data, shift);
    sum_up(s);
    upload_slab(&s->slab, data, NULL, shift);
}

static void free_scene(scene *s)
{
    pca_slab_release(&s->slab);
    free(s->centred);
    free(s->gram);
    free(s->magnitudes);
    free(s->sums);
    free(s->sum_magnitudes);
}

/* ---- expectations ---- */

/* A sum of `terms` numbers that were rounded to `unit` as they were added. */
static double rounding(size_t terms, double unit)
{
    return (2 + 3 * sqrt((double)terms)) * unit;
}

/* Of the sum of products in a precision: split ones add up to 1024 terms in it, the others all. */
static double tolerance(const scene *s, penta_type real, bool split)
{
    size_t terms = pca_padded(s->slab.pixels);

    if (pca_is_exact(s->slab.type))
        return 0;
    if (real == PENTA_F64)
        return rounding(terms, 0x1p-53);
    return rounding(split && terms > 1024 ? 1024 : terms, 0x1p-24);
}

static void check(const scene *s, penta_type real, size_t method, const double *gram, const double *sums)
{
    size_t bands = s->slab.bands, padded = pca_padded(s->slab.pixels);
    double relative = tolerance(s, real, methods[method] >= PENTA_PCA_COV_SPLITK);
    double of_sums = pca_is_exact(s->slab.type) ? 0 : rounding(padded, 0x1p-53);

    for (size_t i = 0; i < bands; i++) {
        if (!(fabs(sums[i] - s->sums[i]) <= of_sums * s->sum_magnitudes[i]))
            fail_msg("%s, %zu bands of %zu %s: sum %zu is %.17g, not %.17g", method_names[method], bands,
                     s->slab.pixels, penta_type_name(s->slab.type), i, sums[i], s->sums[i]);
        for (size_t j = 0; j <= i; j++) {
            double got = gram[i * bands + j], want = s->gram[i * bands + j];

            if (!(fabs(got - want) <= relative * s->magnitudes[i * bands + j]))
                fail_msg("%s in %s, %zu bands of %zu %s: element (%zu, %zu) is %.17g, not %.17g", method_names[method],
                         penta_type_name(real), bands, s->slab.pixels, penta_type_name(s->slab.type), i, j, got, want);
            assert_memory_equal(&gram[j * bands + i], &gram[i * bands + j], sizeof got);
        }
    }
}

/* Twice over buffers of NaN: what is there does not count, and the bits are the same. */
static void run(penta_context *ctx, void *state, scene *s, double *gram, double *sums)
{
    size_t bands = s->slab.bands, count = bands * bands;
    HELD double *junk = must_calloc(count, sizeof *junk), *again = must_calloc(count, sizeof *again);
    HELD_BY(penta_buffer_release) penta_buffer gram_buffer = {0}, sums_buffer = {0};

    memset(junk, 0xff, count * sizeof *junk);
    EXPECT_OK(ctx, penta_buffer_create(ctx, count * sizeof *gram, &gram_buffer));
    EXPECT_OK(ctx, penta_buffer_create(ctx, bands * sizeof *sums, &sums_buffer));
    for (int round = 0; round < 2; round++) {
        EXPECT_OK(ctx, penta_buffer_write(&gram_buffer, 0, junk, count * sizeof *junk));
        EXPECT_OK(ctx, penta_buffer_write(&sums_buffer, 0, junk, bands * sizeof *junk));
        EXPECT_OK(ctx, pca_centred.run(state, &s->slab, &gram_buffer, &sums_buffer));
        EXPECT_OK(ctx, penta_buffer_read(&gram_buffer, 0, round ? again : gram, count * sizeof *gram));
    }
    assert_memory_equal(gram, again, count * sizeof *gram);
    EXPECT_OK(ctx, penta_buffer_read(&sums_buffer, 0, sums, bands * sizeof *sums));
}

/* memory: what a buffer may have while the matrix of the method is laid out; 0: as the device has it. */
static void check_method(penta_context *ctx, scene *s, penta_type real, size_t method, size_t memory)
{
    const pca_shape shape = {s->slab.bands, s->slab.pitch, s->slab.type, real};
    uint64_t before = ctx->info.max_allocation;
    HELD double *gram = must_calloc(shape.bands * shape.bands, sizeof *gram);
    HELD double *sums = must_calloc(shape.bands, sizeof *sums);
    void *state = NULL;

    ctx->info.max_allocation = memory ? memory : before;
    EXPECT_OK(ctx, pca_centred.create(ctx, &shape, methods[method], &state));
    ctx->info.max_allocation = before;
    run(ctx, state, s, gram, sums);
    check(s, real, method, gram, sums);
    pca_state_free(state);
}

static void check_scene(penta_context *ctx, scene *s, size_t memory)
{
    for (size_t method = 0; method < COUNT(methods); method++) {
        check_method(ctx, s, PENTA_F64, method, memory);
        if (!pca_is_exact(s->slab.type))
            check_method(ctx, s, PENTA_F32, method, memory);
    }
}

/* ---- tests; the context of the CPU form, or NULL where the GPU form is no other ---- */

DEVICE_TEST(types_and_sizes)
{
    /* The first two are tried for all types, the others for an exact one and one that is not. */
    static const size_t sizes[][3] = {{5, 4999, 6144}, {70, 5120, 5120}, {1, 500, 512},
                                      {2, 1024, 1024}, {33, 1, 1024},    {224, 1000, 1536}};
    scene s;

    for (size_t i = 0; i < COUNT(pixel_types); i++)
        for (size_t j = 0; j < (pixel_types[i] == PENTA_U16 || pixel_types[i] == PENTA_F64 ? COUNT(sizes) : 2); j++) {
            make_scene(ctx, sizes[j][0], sizes[j][1], sizes[j][2], pixel_types[i], &s);
            check_scene(ctx, &s, 0);
            free_scene(&s);
        }
}

/* The largest numbers of their type in all pixels. */
DEVICE_TEST(extremes)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16};
    static const double largest[] = {255, 65535, -32768};
    scene s;

    for (size_t i = 0; i < COUNT(types); i++) {
        HELD uint16_t *data = must_calloc(3 * 1024, sizeof *data);

        make_scene(ctx, 3, 1024, 1024, types[i], &s);
        for (size_t at = 0; at < 3 * 1024; at++) {
            put_number(types[i], data, at, largest[i]);
            s.centred[at] = largest[i];
        }
        memset(s.sums, 0, 3 * sizeof *s.sums);
        EXPECT_OK(ctx, penta_buffer_write(&s.slab.data, 0, data, 3 * 1024 * penta_type_size(types[i])));
        sum_up(&s);
        check_scene(ctx, &s, 0);
        free_scene(&s);
    }
}

/* Where memory is little, several matrices one after another; of 70 bands 1024 pixels of double fill 1 MiB. */
DEVICE_TEST(pieces)
{
    scene s;

    make_scene(ctx, 70, 4700, 5120, PENTA_U16, &s);
    check_scene(ctx, &s, (size_t)3 << 20);
    check_scene(ctx, &s, (size_t)1 << 20);
    free_scene(&s);
    make_scene(ctx, 70, 4700, 5120, PENTA_F32, &s);
    check_scene(ctx, &s, (size_t)2 << 20);
    free_scene(&s);
}

/* A slab may have fewer pixels than the one before, or none. */
DEVICE_TEST(slabs_of_a_plan)
{
    const pca_shape shape = {5, 4096, PENTA_U16, PENTA_F64};
    static const size_t pixels[] = {4096, 700, 0, 2000};
    double gram[25], sums[5];
    scene s;

    for (size_t method = 0; method < COUNT(methods); method++) {
        void *plan = NULL;

        EXPECT_OK(ctx, pca_centred.create(ctx, &shape, methods[method], &plan));
        for (size_t i = 0; i < COUNT(pixels); i++) {
            make_scene(ctx, 5, pixels[i], 4096, PENTA_U16, &s);
            run(ctx, plan, &s, gram, sums);
            check(&s, PENTA_F64, method, gram, sums);
            free_scene(&s);
        }
        pca_state_free(plan);
    }
}

/* 2^18 pixels in float: the split methods stay near, whatever the length. */
DEVICE_TEST(long_sums)
{
    HELD_BY(free_scene) scene s;

    make_scene(ctx, 2, (size_t)1 << 18, (size_t)1 << 18, PENTA_F32, &s);
    for (size_t method = 0; method < COUNT(methods); method++)
        check_method(ctx, &s, PENTA_F32, method, 0);
}

DEVICE_TEST(refusals)
{
    const pca_shape shape = {224, 512, PENTA_F64, PENTA_F64};
    uint64_t before;
    void *plan = &before;

    before = ctx->info.max_allocation;
    ctx->info.max_allocation = 4096;
    assert_int_equal(pca_centred.create(ctx, &shape, PENTA_PCA_COV_SQUARE, &plan), PENTA_MEMORY);
    ctx->info.max_allocation = before;
    assert_null(plan);
    plan = &before;
    ctx->info.fp64 = false;
    assert_int_equal(pca_centred.create(ctx, &shape, PENTA_PCA_COV_SYRK, &plan), PENTA_UNSUPPORTED);
    ctx->info.fp64 = true;
    assert_null(plan);
    pca_state_free(NULL);
}

/* ---- CLBlast keeps what it compiled over all tests ---- */

static int open_own_form(void **state)
{
    penta_blas_hold();
    return open_device(state);
}

static int open_other_form(void **state)
{
    penta_blas_hold();
    return open_gpu_form(state);
}

static int close_form(void **state)
{
    penta_blas_release();
    return close_device(state);
}

RUN(AS_IT_IS, "as the device is", open_own_form, close_form);
RUN(AS_IT_IS, "as on a GPU", open_other_form, close_form);
