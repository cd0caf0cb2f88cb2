/* Output types and percentiles (cl/prepare/contrast.cl), in both forms. */
#include "support/test.h"

#include "support/numbers.h"
#include "support/prepare_stage.h"
#include "support/random.h"

typedef struct {
    prepare_stage *stage;
    prepare_contrast *contrast;
    float *image;
    uint8_t *mask;
} picture;

/* Frames of grey levels -20 .. 300 out of 255, some of them just in between two; a tenth is masked and far off. */
static picture make_picture(penta_context *ctx, size_t width, size_t height, size_t frames,
                            const penta_prepare_options *o)
{
    picture p = {.stage = open_stage(ctx, width, height, frames, PENTA_U8, o)};
    size_t n = frames * width * height;

    p.image = must_calloc(n, sizeof *p.image);
    p.mask = must_calloc(n, 1);
    for (size_t i = 0; i < n; i++) {
        p.mask[i] = random_uniform() < 0.9;
        p.image[i] = (float)(p.mask[i] ? rint((320 * random_uniform() - 20) * 8) / 8 : 5000);
    }
    fill(ctx, &p.stage->batch.flat, p.image, n * sizeof *p.image);
    fill(ctx, &p.stage->batch.mask, p.mask, n);
    EXPECT_OK(ctx, prepare_contrast_create(&p.stage->own, &p.stage->shape, prepare_output_type(&p.stage->shape),
                                           &p.stage->contrast));
    p.contrast = p.stage->contrast;
    return p;
}

static void drop_picture(picture *p)
{
    close_stage(p->stage);
    free(p->image);
    free(p->mask);
}

static void run(penta_context *ctx, picture *p, bool known, double *limits)
{
    prepare_batch *b = &p->stage->batch;

    EXPECT_OK(ctx, prepare_contrast_run(p->contrast, b, &b->flat, &b->mask, known, limits));
}

/* (v - low) / (high - low) of each unmasked pixel in the output's numbers; tolerance: steps of the output. */
static void expect_out(penta_context *ctx, picture *p, const double *limits, double most, bool unit, double tolerance)
{
    penta_type type = prepare_output_type(&p->stage->shape);
    size_t n = p->stage->frames * p->stage->pixels;
    HELD void *out = contents(ctx, &p->stage->batch.out, n * penta_type_size(type));

    for (size_t i = 0; i < n; i++) {
        size_t f = i / p->stage->pixels;
        double v = ((double)p->image[i] - limits[2 * f]) / (limits[2 * f + 1] - limits[2 * f]) * most;

        if (type != PENTA_F32)
            v = fmin(fmax(floor(v + 0.5), 0), most);
        else if (unit)
            v = fmin(fmax(v, 0), 1);
        expect_near(get_number(type, out, i), v, tolerance);
    }
}

/* Without contrast: black is 0 and white is white; halves of a level go up. */
static void check_levels(penta_context *ctx, int depth, double most, double tolerance)
{
    penta_prepare_options o = default_prepare_options();
    const double whole[] = {0, 255, 0, 255, 0, 255};
    double limits[6];
    picture p;

    o.depth = depth;
    p = make_picture(ctx, 61, 47, 3, &o);
    run(ctx, &p, false, limits);
    for (int i = 0; i < 6; i++)
        assert_true(isnan(limits[i]));
    expect_out(ctx, &p, whole, most, false, tolerance);
    drop_picture(&p);
}

DEVICE_TEST(levels_stay)
{
    random_seed(2);
    check_levels(ctx, PENTA_PREPARE_U8, 255, 0);
    check_levels(ctx, PENTA_PREPARE_AS_INPUT, 255, 0);
    check_levels(ctx, PENTA_PREPARE_U16, 65535, 0);
    check_levels(ctx, PENTA_PREPARE_F32, 255, 0);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The percentile of unmasked pixels of a frame. */
static double percentile(const picture *p, size_t frame, double percent)
{
    HELD float *sorted = must_calloc(p->stage->pixels, sizeof *sorted);
    size_t n = 0;
    double value;

    for (size_t i = frame * p->stage->pixels; i < (frame + 1) * p->stage->pixels; i++)
        if (p->mask[i])
            sorted[n++] = p->image[i];
    qsort(sorted, n, sizeof *sorted, by_size);
    value = (double)sorted[(size_t)(percent / 100 * (double)(n - 1) + 0.5)];
    return value;
}

static void check_stretch(penta_context *ctx, int depth, double most, double tolerance)
{
    const double step = 1.5 * 255 / PREPARE_BINS;
    penta_prepare_options o = default_prepare_options();
    double limits[4], known[4] = {10, 20, 30, 200};
    picture p;

    o.depth = depth;
    o.contrast = "12,88.5";
    p = make_picture(ctx, 129, 70, 2, &o);
    run(ctx, &p, false, limits);
    for (size_t f = 0; f < 2; f++) {
        expect_near(limits[2 * f], percentile(&p, f, 12), 0.125 + step);
        expect_near(limits[2 * f + 1], percentile(&p, f, 88.5), 0.125 + step);
    }
    expect_out(ctx, &p, limits, most, true, tolerance);
    run(ctx, &p, true, known);
    assert_true(known[0] == 10 && known[3] == 200);
    expect_out(ctx, &p, known, most, true, tolerance);
    drop_picture(&p);
}

DEVICE_TEST(percentiles_stretch)
{
    random_seed(3);
    check_stretch(ctx, PENTA_PREPARE_U8, 255, 1); /* a level: halves may fall to either side */
    check_stretch(ctx, PENTA_PREPARE_U16, 65535, 1);
    check_stretch(ctx, PENTA_PREPARE_F32, 1, 1e-5);
}

/* A constant frame becomes black or white, not a division by 0; so does one that is masked as a whole. */
DEVICE_TEST(constant_frames)
{
    penta_prepare_options o = default_prepare_options();
    double limits[4];
    picture p;

    o.contrast = "0.5,99.5";
    p = make_picture(ctx, 32, 32, 2, &o);
    for (size_t i = 0; i < p.stage->pixels; i++)
        p.image[i] = 100;
    for (size_t i = 0; i < p.stage->pixels; i++)
        p.mask[i] = 1;
    for (size_t i = 0; i < p.stage->pixels; i++)
        p.mask[p.stage->pixels + i] = 0;
    fill(ctx, &p.stage->batch.flat, p.image, 2 * p.stage->pixels * sizeof *p.image);
    fill(ctx, &p.stage->batch.mask, p.mask, 2 * p.stage->pixels);
    run(ctx, &p, false, limits);
    for (size_t f = 0; f < 2; f++)
        assert_true(isfinite(limits[2 * f]) && limits[2 * f + 1] > limits[2 * f]);
    expect_near(limits[0], 100, 0.1);
    expect_out(ctx, &p, limits, 65535, true, 1);
    drop_picture(&p);
}

ON_DEVICE;
AS_ON_A_GPU;
