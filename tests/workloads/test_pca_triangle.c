/* The covariance on GPUs (src/pca/triangle.c) against sums in long double. */
#include "support/test.h"

#include "pca/triangle.h"
#include "support/numbers.h"
#include "support/pca_slab.h"
#include "support/random.h"

/* A closed slab, and its numbers minus the shift. */
typedef struct {
    pca_slab slab;
    double *x; /* bands x padded pixels */
} scene;

/* Whole numbers that every type holds; offsets that would drown the rest if they stayed. */
static double number(penta_type type, size_t band)
{
    double u;

    if (pca_is_exact(type))
        return random_number(type);
    u = random_uniform();
    return type == PENTA_F64 ? 1e6 * (double)band + u : floor(1000 * u) + 1000 * (double)band;
}

static void make_scene(penta_context *ctx, size_t bands, size_t pixels, size_t pitch, penta_type type, scene *s)
{
    size_t padded = pca_padded(pixels);
    HELD void *data = must_calloc(bands * pitch, penta_type_size(type));
    HELD double *shift = must_calloc(bands, sizeof *shift);

    *s = (scene){.slab = {.ctx = ctx, .bands = bands, .pitch = pitch, .type = type, .pixels = pixels, .valid = pixels}};
    s->x = must_calloc(bands * padded, sizeof *s->x);
    random_seed(bands + pixels);
    for (size_t b = 0; b < bands; b++) {
        shift[b] = pca_is_exact(type) ? 0 : type == PENTA_F64 ? 1e6 * (double)b + 0.25 : 1000 * (double)b + 300;
        for (size_t p = 0; p < pitch; p++) {
            double v = p < pixels ? number(type, b) : p < padded ? shift[b] : 77;

            put_number(type, data, b * pitch + p, v);
            if (p < padded)
                s->x[b * padded + p] = v - shift[b];
        }
    }
    upload_slab(&s->slab, data, NULL, shift);
}

static void free_scene(scene *s)
{
    pca_slab_release(&s->slab);
    free(s->x);
}

static void compute(penta_context *ctx, scene *s, penta_type real, const pca_triangle_form *form, double *gram,
                    double *sums)
{
    size_t n = s->slab.bands;
    pca_shape shape = {n, s->slab.pitch, s->slab.type, real};
    HELD_BY(penta_buffer_release) penta_buffer g = {0}, t = {0};
    void *state = NULL;

    EXPECT_OK(ctx, penta_buffer_create(ctx, n * n * sizeof *gram, &g));
    EXPECT_OK(ctx, penta_buffer_create(ctx, n * sizeof *sums, &t));
    EXPECT_OK(ctx, pca_triangle_create(ctx, &shape, form, &state));
    for (int again = 0; again < 2; again++) {
        HELD double *first = must_calloc(n * n, sizeof *first);

        memcpy(first, gram, n * n * sizeof *first);
        EXPECT_OK(ctx, pca_triangle.run(state, &s->slab, &g, &t));
        EXPECT_OK(ctx, penta_buffer_read(&g, 0, gram, n * n * sizeof *gram));
        EXPECT_OK(ctx, penta_buffer_read(&t, 0, sums, n * sizeof *sums));
        if (again)
            assert_memory_equal(gram, first, n * n * sizeof *first);
    }
    pca_state_free(state);
}

/* Errors of gram relative to the root of the product of the diagonal; 0 for exact types. */
static void check(penta_context *ctx, size_t bands, size_t pixels, penta_type type, penta_type real,
                  const pca_triangle_form *form)
{
    size_t padded = pca_padded(pixels);
    HELD double *gram = must_calloc(bands * bands, sizeof *gram), *sums = must_calloc(bands, sizeof *sums);
    double *want = must_calloc(bands * bands, sizeof *want), most = pca_is_exact(type)  ? 0
                                                                    : real == PENTA_F32 ? 5e-6
                                                                                        : 1e-14;
    HELD_BY(free_scene) scene s;

    make_scene(ctx, bands, pixels, padded + 1024, type, &s);
    compute(ctx, &s, real, form, gram, sums);
    for (size_t i = 0; i < bands; i++)
        for (size_t j = 0; j <= i; j++) {
            long double sum = 0;

            for (size_t p = 0; p < padded; p++)
                sum += (long double)s.x[i * padded + p] * (long double)s.x[j * padded + p];
            want[i * bands + j] = want[j * bands + i] = (double)sum;
        }
    for (size_t i = 0; i < bands; i++) {
        long double sum = 0, size = 0;

        for (size_t p = 0; p < padded; p++) {
            sum += (long double)s.x[i * padded + p];
            size += fabsl((long double)s.x[i * padded + p]);
        }
        expect_near(sums[i], (double)sum, most * (double)size);
        for (size_t j = 0; j < bands; j++)
            expect_near(gram[i * bands + j], want[i * bands + j],
                        most * sqrt(want[i * bands + i] * want[j * bands + j]));
    }
    free(want);
}

TEST(types)
{
    const pca_triangle_form own = {0}, plain = {.plain = true}, no_bytes = {.no_bytes = true};
    const pca_triangle_form single = {.each = 1, .pairs = 3};
    const pca_triangle_form no_few = {.no_few = true}, three_teams = {.teams = 3, .slices = 7};
    penta_context *ctx = gpu_of(state);

    for (size_t t = 0; t < COUNT(pixel_types); t++) {
        check(ctx, 37, 3000, pixel_types[t], PENTA_F64, &own);
        check(ctx, 37, 3000, pixel_types[t], PENTA_F64, &plain);
        check(ctx, 37, 3000, pixel_types[t], PENTA_F64, &no_bytes);
        check(ctx, 100, 700, pixel_types[t], PENTA_F64, &single);
        check(ctx, 37, 3000, pixel_types[t], PENTA_F64, &no_few);
        check(ctx, 20, 3000, pixel_types[t], PENTA_F64, &own);
        check(ctx, 64, 700, pixel_types[t], PENTA_F64, &three_teams);
        check(ctx, 5, 3000, pixel_types[t], PENTA_F64, &three_teams);
        if (!pca_is_exact(pixel_types[t]))
            check(ctx, 37, 3000, pixel_types[t], PENTA_F32, &own);
    }
}

TEST(bands)
{
    static const size_t bands[] = {1, 2, 31, 32, 33, 64, 100, 129, 198, 224, 290};
    const pca_triangle_form own = {0}, slices = {.slices = 7};
    penta_context *ctx = gpu_of(state);

    for (size_t b = 0; b < COUNT(bands); b++) {
        check(ctx, bands[b], 700, PENTA_F32, PENTA_F32, &own);
        check(ctx, bands[b], 700, PENTA_F64, PENTA_F64, &own);
        check(ctx, bands[b], 700, PENTA_U16, PENTA_F64, &slices);
    }
}

/* Sums of bytes are 32 bits wide, those of floats lose bits: the largest numbers, and slices as long as they get. */
TEST(long_slices)
{
    const pca_triangle_form one = {.slices = 1};
    penta_context *ctx = gpu_of(state);

    check(ctx, 33, 40000, PENTA_U16, PENTA_F64, &one);
    check(ctx, 33, 40000, PENTA_I16, PENTA_F64, &one);
    check(ctx, 33, 70000, PENTA_U8, PENTA_F64, &one);
    check(ctx, 33, 100000, PENTA_F32, PENTA_F32, &one);
    check(ctx, 3, 1000000, PENTA_F64, PENTA_F32, &one);
}

TEST(pixels)
{
    static const size_t pixels[] = {1, 511, 512, 513, 20000};
    const pca_triangle_form own = {0}, slices = {.slices = 5};
    penta_context *ctx = gpu_of(state);

    for (size_t p = 0; p < COUNT(pixels); p++) {
        check(ctx, 5, pixels[p], PENTA_F64, PENTA_F64, &own);
        check(ctx, 40, pixels[p], PENTA_F64, PENTA_F32, &slices);
    }
}

RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_device);
RUN(AS_IT_IS, "device", open_device, close_device);
