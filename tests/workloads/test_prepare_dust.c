/* Dust found, grown, and copied or drawn over (cl/prepare/dust*.cl), in both forms, against the reference. */
#include "support/test.h"

#include "reference/prepare.h"
#include "support/prepare_stage.h"
#include "support/random.h"

/* Frames with specks with a dust step. */
typedef struct {
    prepare_stage *stage;
    prepare_dust *dust;
    float *grey, *nodes;
    uint8_t *usable, *specks;
    uint8_t *before, *mask; /* of a search */
    uint32_t *counts;       /* 2 a frame */
} dusty;

static dusty make_dusty(penta_context *ctx, size_t width, size_t height, size_t frames, const penta_prepare_options *o)
{
    size_t n = frames * width * height;
    dusty d = {.grey = must_calloc(n, sizeof(float)), .usable = must_calloc(n, 1), .specks = must_calloc(n, 1)};

    d.stage = open_stage(ctx, width, height, frames, PENTA_U8, o);
    d.nodes = fill_background(ctx, d.stage, 100);
    EXPECT_OK(ctx, prepare_dust_create(&d.stage->own, &d.stage->shape, &d.stage->dust));
    d.dust = d.stage->dust;
    return d;
}

static void drop_dusty(dusty *d)
{
    close_stage(d->stage);
    free(d->grey);
    free(d->nodes);
    free(d->usable);
    free(d->specks);
    free(d->before);
    free(d->mask);
    free(d->counts);
}

/* A disc of `share` of the light on a frame, its edge 3 px wide. */
static void add_speck(dusty *d, size_t frame, double x, double y, double radius, double share)
{
    size_t width = d->stage->shape.width, height = d->stage->shape.height;

    for (size_t i = 0; i < d->stage->pixels; i++) {
        double cover = (radius + 1.5 - hypot((double)(i % width) - x, (double)(i / width % height) - y)) / 3;
        size_t at = frame * d->stage->pixels + i;

        if (cover <= 0)
            continue;
        d->grey[at] *= (float)(1 + (share - 1) * fmin(cover, 1));
        d->specks[at] = 1;
    }
}

/* B (1 + a pattern + noise), about 2 % of it specks, dark and bright ones; a few pixels are not usable. */
static void fill_frames(penta_context *ctx, dusty *d, double contrast, double noise)
{
    size_t width = d->stage->shape.width, height = d->stage->shape.height, pixels = d->stage->pixels;

    for (size_t i = 0; i < d->stage->frames * pixels; i++) {
        size_t f = i / pixels;
        double x = (double)(i % width), y = (double)(i / width % height);
        double b = stage_background(&d->stage->shape, d->nodes + f * d->stage->nodes, x, y);
        double pattern = contrast * sin(0.17 * x + (double)f) * cos(0.13 * y);

        d->usable[i] = random_uniform() > 0.0005;
        d->grey[i] = d->usable[i] ? (float)(b * (1 + pattern) + 100 * noise * random_normal()) : 0;
    }
    for (size_t f = 0; f < d->stage->frames; f++)
        for (double area = 0; area < 0.02 * (double)pixels;) {
            double radius = 1 + 6 * random_uniform();

            add_speck(d, f, random_uniform() * (double)width, random_uniform() * (double)height, radius,
                      random_uniform() < 0.7 ? 0.2 : 1.9);
            area += 3.14 * radius * radius;
        }
    fill(ctx, &d->stage->batch.grey, d->grey, d->stage->frames * pixels * sizeof *d->grey);
    fill(ctx, &d->stage->batch.usable, d->usable, d->stage->frames * pixels);
    fill(ctx, &d->stage->batch.mask, d->usable, d->stage->frames * pixels);
}

static void find(penta_context *ctx, dusty *d)
{
    free(d->before);
    free(d->mask);
    free(d->counts);
    d->before = contents(ctx, &d->stage->batch.mask, d->stage->frames * d->stage->pixels);
    EXPECT_OK(ctx, prepare_dust_run(d->dust, &d->stage->batch));
    d->mask = contents(ctx, &d->stage->batch.mask, d->stage->frames * d->stage->pixels);
    d->counts = contents(ctx, &d->stage->batch.counts, d->stage->frames * 2 * sizeof *d->counts);
}

/* The reference's mask of a frame, to free. */
static uint8_t *expected_mask(const dusty *d, size_t frame)
{
    const prepare_settings *s = &d->stage->settings;
    size_t width = d->stage->shape.width, height = d->stage->shape.height, n = d->stage->pixels;
    HELD double *grey = must_calloc(n, sizeof *grey), *ratio = must_calloc(n, sizeof *ratio);
    HELD double *light = must_calloc(n, sizeof *light);
    uint8_t *mask = must_calloc(n, 1);

    memcpy(mask, d->before + frame * n, n);
    for (size_t i = 0; i < n; i++) {
        double b = stage_background(&d->stage->shape, d->nodes + frame * d->stage->nodes, (double)(i % width),
                                    (double)(i / width));

        grey[i] = (double)d->grey[frame * n + i];
        ratio[i] = grey[i] / b;
        light[i] = b / 100;
    }
    reference_prepare_dust(grey, ratio, light, d->usable + frame * n, width, height, s->has_key ? s->key : NULL,
                           s->o.dust_limit, s->o.dust_size, s->o.dust_grow, mask);
    return mask;
}

/* Masks as the reference's but for `share` of the pixels, where a number is as good as a limit; counts are the masks'.
 */
static void expect_masks(const dusty *d, double share)
{
    size_t n = d->stage->pixels;

    for (size_t f = 0; f < d->stage->frames; f++) {
        HELD uint8_t *expected = expected_mask(d, f);
        size_t different = 0, dust = 0;

        for (size_t i = 0; i < n; i++) {
            different += d->mask[f * n + i] != expected[i];
            dust += !d->mask[f * n + i];
            assert_true(d->mask[f * n + i] <= 1);
        }
        expect_near((double)different, 0, share * (double)n);
        assert_int_equal(d->counts[2 * f], dust);
        assert_int_equal(d->counts[2 * f + 1], 0);
        assert_true(dust > 0 && dust < n);
    }
}

static void check_outliers(penta_context *ctx, size_t width, size_t height, size_t frames, int size, int grow)
{
    penta_prepare_options o = default_prepare_options();
    dusty d;

    o.dust_size = size;
    o.dust_grow = grow;
    d = make_dusty(ctx, width, height, frames, &o);
    fill_frames(ctx, &d, 0.1, 0.03);
    for (int round = 0; round < 2; round++) { /* the second without the dust of the first */
        find(ctx, &d);
        expect_masks(&d, 0.0005); /* scales are quantiles of a histogram, in the reference of the numbers */
    }
    drop_dusty(&d);
}

DEVICE_TEST(outliers)
{
    random_seed(9);
    check_outliers(ctx, 129, 70, 3, 16, 2);
    check_outliers(ctx, 61, 47, 2, 7, 0);
    check_outliers(ctx, 96, 33, 1, 3, 5);
    check_outliers(ctx, 16, 16, 1, 100, 1);  /* blocks larger than the frame */
    check_outliers(ctx, 403, 150, 2, 16, 2); /* more words in a row than a vector has */
}

/* By the key alone; growth by any disc is exact, to several words along a row and beyond the frame. */
DEVICE_TEST(key_and_discs)
{
    const int grows[] = {0, 1, 2, 3, 31, 40, 64};

    random_seed(10);
    for (size_t k = 0; k < COUNT(grows); k++) {
        const double rare = grows[k] < 10 ? 2e-4 : 2e-5;
        penta_prepare_options o = default_prepare_options();
        dusty d;

        o.dust_limit = 0;
        o.dust_key = "20,230";
        o.dust_grow = grows[k];
        d = make_dusty(ctx, 205, 90, 2, &o);
        for (size_t i = 0; i < 2 * d.stage->pixels; i++) {
            double v = random_uniform();

            d.grey[i] = v < rare ? 19 : v < 2 * rare ? 231 : v < 0.4 ? 20 : 230;
            d.usable[i] = v < 1 - rare;
        }
        d.grey[0] = 0;
        d.grey[2 * d.stage->pixels - 1] = 255; /* in opposite corners of both frames */
        fill(ctx, &d.stage->batch.grey, d.grey, 2 * d.stage->pixels * sizeof *d.grey);
        fill(ctx, &d.stage->batch.usable, d.usable, 2 * d.stage->pixels);
        find(ctx, &d);
        expect_masks(&d, 0);
        drop_dusty(&d);
    }
}

/* Of specks on a pattern most are found and little else is: what the defaults promise. */
DEVICE_TEST(specks_are_found)
{
    dusty d = make_dusty(ctx, 300, 280, 1, NULL);
    size_t missed = 0, lost = 0, specks = 0;

    random_seed(11);
    fill_frames(ctx, &d, 0.28, 0.03);
    find(ctx, &d);
    for (size_t i = 0; i < d.stage->pixels; i++) {
        specks += d.specks[i];
        missed += d.specks[i] && d.mask[i];
        lost += !d.mask[i];
    }
    expect_near((double)missed, 0, 0.1 * (double)specks);
    expect_near((double)lost, 0, 3.5 * (double)specks); /* rims of 2 px about specks of 1 to 7 px */
    drop_dusty(&d);
}

/* ---- dust in a pattern, by the noise's law ---- */

enum { WAVES = 40 };

/* A field of waves about 22 px long, of standard deviation 1. */
static double waves_at(const double *kx, const double *ky, const double *phase, double x, double y)
{
    double sum = 0;

    for (int k = 0; k < WAVES; k++)
        sum += cos(kx[k] * x + ky[k] * y + phase[k]);
    return sum / sqrt(WAVES / 2.0);
}

typedef struct {
    bool proportional; /* noise, to the light; or everywhere as at its mean */
    bool phases;       /* two levels with edges of some 3 px between them, instead of waves */
    double noise;      /* of the contrast, which is 0.25 */
} pattern;

/* In light that falls 4 : 1 along x. */
static void fill_pattern(penta_context *ctx, dusty *d, pattern is)
{
    size_t width = d->stage->shape.width, nx = d->stage->shape.nodes_x;
    double kx[WAVES], ky[WAVES], phase[WAVES];

    for (int k = 0; k < WAVES; k++) {
        double wave = 6.2832 / 22 * (1 + 0.12 * random_normal()), angle = 6.2832 * random_uniform();

        kx[k] = wave * cos(angle);
        ky[k] = wave * sin(angle);
        phase[k] = 6.2832 * random_uniform();
    }
    for (size_t i = 0; i < d->stage->nodes; i++)
        d->nodes[i] = (float)(160 - 120 * ((double)(i % nx) + 0.5) / (double)nx);
    for (size_t i = 0; i < d->stage->pixels; i++) {
        double x = (double)(i % width), y = (double)(i / width);
        double b = stage_background(&d->stage->shape, d->nodes, x, y), wave = waves_at(kx, ky, phase, x, y);

        d->usable[i] = 1;
        d->grey[i] = (float)(b * (1 + 0.25 * (is.phases ? tanh(3 * wave) : wave)) +
                             0.25 * is.noise * (is.proportional ? b : 100) * random_normal());
    }
    fill(ctx, &d->stage->batch.background, d->nodes, d->stage->nodes * sizeof *d->nodes);
    fill(ctx, &d->stage->batch.usable, d->usable, d->stage->pixels);
    fill(ctx, &d->stage->batch.mask, d->usable, d->stage->pixels);
}

/* Discs of radius 1.5 to 5 px, of a fifth of the light where that is least, on 2 % of the frame. */
static void add_discs(dusty *d)
{
    size_t width = d->stage->shape.width, height = d->stage->shape.height, covered = 0;

    while ((double)covered < 0.02 * (double)d->stage->pixels) {
        double x = random_uniform() * (double)width, y = random_uniform() * (double)height;
        double radius = 1.5 + 3.5 * random_uniform();

        for (size_t i = 0; i < d->stage->pixels; i++)
            if (hypot((double)(i % width) - x, (double)(i / width) - y) < radius) {
                covered += !d->specks[i];
                d->specks[i] = 1;
                d->grey[i] = 8;
            }
    }
}

static void add_hot_pixels(dusty *d, double share, float grey)
{
    for (size_t i = 0; i < d->stage->pixels; i++)
        if (random_uniform() < share) {
            d->specks[i] = 1;
            d->grey[i] = grey;
        }
}

/* Shares: of the frame what is marked, and what is so more than 2 px off any dust; of dust what is missed, in the
 * frame and in its dark half. */
typedef struct {
    double marked, astray, missed, missed_dark;
} findings;

static bool is_near_speck(const dusty *d, size_t at)
{
    long width = (long)d->stage->shape.width, height = (long)d->stage->shape.height;

    for (long v = -2; v <= 2; v++)
        for (long u = -2; u <= 2; u++) {
            long x = (long)at % width + u, y = (long)at / width + v;

            if (u * u + v * v <= 5 && x >= 0 && y >= 0 && x < width && y < height && d->specks[y * width + x])
                return true;
        }
    return false;
}

/* As in a run: twice, the second time with noise estimated without what the first one found. */
static findings find_in_pattern(penta_context *ctx, dusty *d, const char *what)
{
    findings f = {0};
    size_t width = d->stage->shape.width;
    double pixels = (double)d->stage->pixels, specks = 0, dark = 0;

    fill(ctx, &d->stage->batch.grey, d->grey, d->stage->pixels * sizeof *d->grey);
    find(ctx, d);
    find(ctx, d);
    for (size_t i = 0; i < d->stage->pixels; i++) {
        bool in_dark = d->specks[i] && i % width >= width / 2, missed = d->specks[i] && d->mask[i];

        specks += d->specks[i];
        dark += in_dark;
        f.missed += missed;
        f.missed_dark += missed && in_dark;
        f.marked += !d->mask[i] / pixels;
        f.astray += (!d->mask[i] && !is_near_speck(d, i)) / pixels;
    }
    f.missed /= fmax(specks, 1);
    f.missed_dark /= fmax(dark, 1);
    print_message("%s: %.2f %% marked, %.2f %% off any dust; of dust %.1f %% missed, %.1f %% in the dark half\n", what,
                  100 * f.marked, 100 * f.astray, 100 * f.missed, 100 * f.missed_dark);
    return f;
}

/* One scale for the whole frame times the root of the light marks 2 % of it for nothing and misses 9 % in the dark. */
DEVICE_TEST(noise_of_any_law)
{
    const char *laws[] = {"constant noise", "noise in proportion"};

    random_seed(13);
    for (int proportional = 0; proportional < 2; proportional++) {
        dusty d = make_dusty(ctx, 512, 400, 1, NULL);
        findings f;

        fill_pattern(ctx, &d, (pattern){.proportional = proportional, .noise = 0.1});
        f = find_in_pattern(ctx, &d, laws[proportional]);
        assert_true(f.marked < 0.001);
        fill(ctx, &d.stage->batch.mask, d.usable, d.stage->pixels);
        add_discs(&d);
        f = find_in_pattern(ctx, &d, laws[proportional]);
        assert_true(f.astray < 0.004);
        assert_true(f.missed < 0.02);
        assert_true(f.missed_dark < 0.03);
        drop_dusty(&d);
    }
}

/* Their edges are no dust, however little noise there is. */
DEVICE_TEST(two_phases)
{
    const double noise[] = {0.1, 0.02};

    random_seed(15);
    for (size_t k = 0; k < COUNT(noise); k++) {
        dusty d = make_dusty(ctx, 512, 400, 1, NULL);
        findings f;

        fill_pattern(ctx, &d, (pattern){.phases = true, .noise = noise[k]});
        f = find_in_pattern(ctx, &d, "two phases");
        assert_true(f.marked < 0.05);
        drop_dusty(&d);
    }
}

/* They are found, and nothing about them is; discs among them keep their rims. */
DEVICE_TEST(hot_pixels_stay_alone)
{
    const float greys[] = {255, 5};

    random_seed(14);
    for (size_t k = 0; k < COUNT(greys); k++) {
        dusty d = make_dusty(ctx, 512, 400, 1, NULL);
        findings f;

        fill_pattern(ctx, &d, (pattern){.proportional = true, .noise = 0.1});
        add_hot_pixels(&d, 0.02, greys[k]);
        f = find_in_pattern(ctx, &d, "hot pixels");
        assert_true(f.marked < 0.04);
        assert_true(f.missed < 0.01);
        drop_dusty(&d);
    }
}

/* A single pixel and a pair are marked as they are, three in a corner and a disc with the rim they had. */
DEVICE_TEST(pieces)
{
    dusty d = make_dusty(ctx, 128, 96, 1, NULL);
    const int at[][2] = {{20, 20}, {50, 20}, {51, 21}, {80, 20}, {81, 20}, {80, 21}};
    size_t rims[3] = {0};

    random_seed(15);
    for (size_t i = 0; i < d.stage->pixels; i++) {
        d.usable[i] = 1;
        d.grey[i] = (float)(100 + 2 * random_normal());
    }
    for (size_t i = 0; i < d.stage->nodes; i++)
        d.nodes[i] = 100;
    for (size_t k = 0; k < COUNT(at); k++)
        d.grey[at[k][1] * 128 + at[k][0]] = 160;
    fill(ctx, &d.stage->batch.background, d.nodes, d.stage->nodes * sizeof *d.nodes);
    fill(ctx, &d.stage->batch.usable, d.usable, d.stage->pixels);
    fill(ctx, &d.stage->batch.mask, d.usable, d.stage->pixels);
    fill(ctx, &d.stage->batch.grey, d.grey, d.stage->pixels * sizeof *d.grey);
    find(ctx, &d);
    for (size_t i = 0; i < d.stage->pixels; i++)
        for (int k = 0; k < 3; k++)
            rims[k] += !d.mask[i] && labs((long)(i % 128) - (20 + 30 * k)) < 10 && labs((long)(i / 128) - 20) < 10;
    assert_int_equal(rims[0], 1);
    assert_int_equal(rims[1], 2);
    assert_int_equal(rims[2], 30); /* discs of 21 px about three neighbours */
    expect_masks(&d, 0);
    drop_dusty(&d);
}

/* Eight-bit levels that hardly change: half the differences are 0, and one step of a level is no dust. */
DEVICE_TEST(smooth_levels_are_not_dust)
{
    dusty d = make_dusty(ctx, 128, 96, 1, NULL);

    for (size_t i = 0; i < d.stage->pixels; i++) {
        d.grey[i] = i % 128 < 64 ? 100 : 101;
        d.usable[i] = 1;
    }
    for (size_t i = 0; i < d.stage->nodes; i++)
        d.nodes[i] = 100;
    fill(ctx, &d.stage->batch.background, d.nodes, d.stage->nodes * sizeof *d.nodes);
    fill(ctx, &d.stage->batch.grey, d.grey, d.stage->pixels * sizeof *d.grey);
    fill(ctx, &d.stage->batch.usable, d.usable, d.stage->pixels);
    fill(ctx, &d.stage->batch.mask, d.usable, d.stage->pixels);
    find(ctx, &d);
    assert_int_equal(d.counts[0], 0);
    drop_dusty(&d);
}

/* ---- copies ---- */

/* fill_in: drawn over, not copied. */
static void check_copies(penta_context *ctx, size_t width, size_t height, int size, bool fill_in)
{
    penta_prepare_options o = default_prepare_options();
    size_t n = width * height;
    double *image = must_calloc(n, sizeof *image);
    float *flat;
    dusty d;

    o.dust = fill_in ? PENTA_PREPARE_DUST_FILL : PENTA_PREPARE_DUST_COPY;
    o.dust_size = size;
    o.dust_grow = 1;
    d = make_dusty(ctx, width, height, 2, &o);
    for (size_t i = 0; i < 2 * n; i++) {
        size_t x = i % width, y = i / width % height;

        d.grey[i] = (float)random_uniform();
        d.usable[i] = random_uniform() > 0.05 && !(i < n && x > 12 && y > 12); /* in the first frame too much of it */
    }
    fill(ctx, &d.stage->batch.flat, d.grey, 2 * n * sizeof *d.grey);
    fill(ctx, &d.stage->batch.mask, d.usable, 2 * n);
    fill(ctx, &d.stage->batch.counts, (uint32_t[]){7, 0, 8, 0}, 16);
    EXPECT_OK(ctx, prepare_dust_copy(d.dust, &d.stage->batch));
    d.mask = contents(ctx, &d.stage->batch.mask, 2 * n);
    d.counts = contents(ctx, &d.stage->batch.counts, 16);
    flat = contents(ctx, &d.stage->batch.flat, 2 * n * sizeof *flat);
    for (size_t f = 0; f < 2; f++) {
        uint8_t *mask = d.usable + f * n;
        size_t filled;

        for (size_t i = 0; i < n; i++)
            image[i] = (double)d.grey[f * n + i];
        filled = fill_in ? reference_prepare_fill(image, mask, width, height, size + 3)
                         : reference_prepare_copy(image, mask, width, height, size);
        assert_int_equal(d.counts[2 * f], 7 + f);
        assert_int_equal(d.counts[2 * f + 1], filled);
        assert_memory_equal(d.mask + f * n, mask, n);
        for (size_t i = 0; i < n; i++)
            expect_near((double)flat[f * n + i], image[i], fill_in ? 1e-5 : 0);
    }
    free(image);
    free(flat);
    drop_dusty(&d);
}

DEVICE_TEST(copies)
{
    random_seed(12);
    for (int fill_in = 0; fill_in < 2; fill_in++) {
        check_copies(ctx, 61, 47, 16, fill_in);
        check_copies(ctx, 129, 70, 3, fill_in);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
