/* Affine maps on GPUs (src/pca/project_gpu.c) against sums in long double. */
#include "support/test.h"

#include "pca/project_gpu.h"
#include "support/numbers.h"
#include "support/pca_slab.h"
#include "support/random.h"

/* A closed slab without a shift. Every third pixel is left out where masked. */
typedef struct {
    pca_slab slab;
    double *x; /* bands x pitch */
    uint8_t *flags;
} scene;

static void make_scene(penta_context *ctx, size_t bands, size_t pixels, penta_type type, bool masked, scene *s)
{
    size_t pitch = pca_padded(pixels) + 512;
    HELD void *data = must_calloc(bands * pitch, penta_type_size(type));

    *s =
        (scene){.slab = {.ctx = ctx, .bands = bands, .pitch = pitch, .type = type, .pixels = pixels, .masked = masked}};
    s->x = must_calloc(bands * pitch, sizeof *s->x);
    s->flags = must_calloc(pitch, 1);
    random_seed(bands + pixels);
    for (size_t p = 0; p < pixels; p++)
        s->flags[p] = !masked || p % 3 != 1;
    for (size_t b = 0; b < bands; b++)
        for (size_t p = 0; p < pixels; p++) {
            double v = floor(1000 * random_uniform()) + 100 * (double)(b % 7);

            s->x[b * pitch + p] = v;
            put_number(type, data, b * pitch + p, v);
        }
    upload_slab(&s->slab, data, s->flags, NULL);
}

static void free_scene(scene *s)
{
    pca_slab_release(&s->slab);
    free(s->x);
    free(s->flags);
}

/* results as doubles: outs x pitch. */
static double *compute(penta_context *ctx, scene *s, const penta_affine *affine, penta_type real, size_t first,
                       const pca_project_form *form, double *range)
{
    size_t out_pitch = first + s->slab.pitch, count = affine->outs * out_pitch;
    pca_map_shape shape = {affine->ins, affine->outs, s->slab.pitch, out_pitch, s->slab.type, real};
    double *got = must_calloc(count, sizeof *got);
    HELD_BY(penta_buffer_release) penta_buffer results = {0}, extremes = {0};
    void *state = NULL;

    for (size_t o = 0; o < affine->outs; o++) {
        range[2 * o] = HUGE_VAL;
        range[2 * o + 1] = -HUGE_VAL;
    }
    EXPECT_OK(ctx, penta_buffer_create(ctx, count * penta_type_size(real), &results));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 2 * affine->outs * sizeof *range, &extremes));
    EXPECT_OK(ctx, penta_buffer_write(&extremes, 0, range, 2 * affine->outs * sizeof *range));
    EXPECT_OK(ctx, pca_project_gpu_create(ctx, &shape, affine, form, &state));
    EXPECT_OK(ctx, pca_project_gpu.run(state, &s->slab, &results, first, &extremes));
    EXPECT_OK(ctx, penta_buffer_read(&results, 0, got, count * penta_type_size(real)));
    EXPECT_OK(ctx, penta_buffer_read(&extremes, 0, range, 2 * affine->outs * sizeof *range));
    if (real == PENTA_F32)
        for (size_t i = count; i-- > 0;)
            got[i] = (double)((float *)(void *)got)[i];
    pca_state_free(state);
    return got;
}

typedef struct {
    size_t bands, outs, pixels, first;
    penta_type type, real;
    bool masked, offsets;
} instance;

static void check(penta_context *ctx, const instance *c, const pca_project_form *form)
{
    HELD double *matrix = must_calloc(c->bands * c->outs, sizeof *matrix),
                *before = must_calloc(c->bands, sizeof *before);
    HELD double *after = must_calloc(c->outs, sizeof *after), *range = must_calloc(2 * c->outs, sizeof *range),
                *got = NULL;
    penta_affine affine = {c->bands, c->outs, matrix, c->offsets ? before : NULL, c->offsets ? after : NULL};
    double most = c->real == PENTA_F32 ? 2e-6 : 1e-14;
    HELD_BY(free_scene) scene s;

    make_scene(ctx, c->bands, c->pixels, c->type, c->masked, &s);
    for (size_t i = 0; i < c->bands * c->outs; i++)
        matrix[i] = random_normal();
    for (size_t i = 0; i < c->bands; i++)
        before[i] = 500 + (double)i / 3;
    for (size_t o = 0; o < c->outs; o++)
        after[o] = 10 * (double)o;
    got = compute(ctx, &s, &affine, c->real, c->first, form, range);
    for (size_t o = 0; o < c->outs; o++) {
        double least = HUGE_VAL, largest = -HUGE_VAL;

        for (size_t p = 0; p < c->pixels; p++) {
            long double sum = c->offsets ? (long double)after[o] : 0, size = fabsl(sum);
            double value = got[o * (c->first + s.slab.pitch) + c->first + p];

            for (size_t b = 0; b < c->bands; b++) {
                long double term = (long double)matrix[o * c->bands + b] *
                                   ((long double)s.x[b * s.slab.pitch + p] - (c->offsets ? (long double)before[b] : 0));

                sum += term;
                size += fabsl(term);
            }
            if (s.flags[p]) {
                expect_near(value, (double)sum, most * (double)size);
                least = fmin(least, value);
                largest = fmax(largest, value);
            }
        }
        expect_near(range[2 * o], least, 0);
        expect_near(range[2 * o + 1], largest, 0);
    }
}

static void check_forms(penta_context *ctx, const instance *c)
{
    const pca_project_form own = {0}, plain = {.plain = true, .many = true}, many = {.many = true};

    check(ctx, c, &own);
    check(ctx, c, &plain);
    check(ctx, c, &many);
}

TEST(types)
{
    static const penta_type types[] = {PENTA_U16, PENTA_F32, PENTA_F64};
    penta_context *ctx = gpu_of(state);

    for (size_t t = 0; t < COUNT(types); t++)
        for (int r = 0; r < 2; r++)
            check_forms(ctx, &(instance){19, 5, 700, 0, types[t], r ? PENTA_F64 : PENTA_F32, r == 1, true});
}

TEST(shapes)
{
    static const size_t bands[] = {1, 16, 17, 100}, outs[] = {1, 3, 16, 17, 40, 130, 230};
    penta_context *ctx = gpu_of(state);

    for (size_t b = 0; b < COUNT(bands); b++)
        for (size_t o = 0; o < COUNT(outs); o++)
            check_forms(
                ctx, &(instance){bands[b], outs[o], 513, o, PENTA_F32, o % 2 ? PENTA_F64 : PENTA_F32, true, o % 3 > 0});
}

/* More bands than a CPU device converts at once, in several blocks of pixels. */
TEST(many_bands)
{
    static const size_t outs[] = {5, 13, 21, 24};
    penta_context *ctx = gpu_of(state);

    for (size_t o = 0; o < COUNT(outs); o++)
        for (int r = 0; r < 2; r++)
            check_forms(ctx, &(instance){300, outs[o], 1100, 0, PENTA_F32, r ? PENTA_F64 : PENTA_F32, true, true});
}

RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_device);
RUN(AS_IT_IS, "device", open_device, close_device);
