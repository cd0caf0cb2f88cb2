/*
 * Preparing photographs of phases that separate: Cahn-Hilliard frames, whose dust is none and whose drift is 0 or what
 * they are moved by; patterns that grow; lattices, which fit many places.
 */
#include "support/test.h"

#include <pentacl/autocorr.h>
#include <pentacl/prepare.h>
#include <pentacl/spinodal.h>

#include "support/prepare_frames.h"
#include "support/random.h"

enum { FRAMES = 8, COARSE_SIDE = 256, WIDTH = 300, HEIGHT = 240, PIXELS = WIDTH * HEIGHT };
#define PI 3.14159265358979323846

/* ---- frames ---- */

typedef struct {
    size_t width, height, count;
    double *u; /* from -1 to 1, periodic */
} phases;

/* Every frame is `ratio` times as old as the one before. */
static phases make_phases(penta_context *ctx, size_t width, size_t height, int seed, double composition, double first,
                          double ratio, size_t count)
{
    phases p = {width, height, count, must_calloc(count * width * height, sizeof(double))};
    penta_spinodal_options o;
    HELD_BY(penta_spinodal_held) penta_spinodal *s = NULL;
    double time = first;

    penta_spinodal_options_init(&o);
    o.seed = seed;
    o.composition = composition;
    o.step = 0.5;
    EXPECT_OK(ctx, penta_spinodal_create(ctx, width, height, &o, &s));
    for (size_t i = 0; i < count; i++, time *= ratio) {
        EXPECT_OK(ctx, penta_spinodal_advance(s, time));
        EXPECT_OK(ctx, penta_spinodal_read(s, p.u + i * width * height));
    }
    return p;
}

static uint8_t level(double share)
{
    return (uint8_t)lround(fmin(fmax(255 * share, 0), 255));
}

/* Frame i with the content moved by whole pixels; noise of the contrast. */
static void expose(const phases *p, size_t i, size_t dx, size_t dy, double contrast, double noise, uint8_t *out)
{
    for (size_t k = 0; k < p->width * p->height; k++) {
        size_t x = (k % p->width + p->width - dx) % p->width, y = (k / p->width + p->height - dy) % p->height;
        double u = p->u[i * p->width * p->height + y * p->width + x] + noise * random_normal();

        out[k] = level(0.5 * (1 + contrast * u));
    }
}

/* One frame through a plan of its own; returns the share that is marked. dust: what becomes of that. */
static double mark(penta_context *ctx, const phases *p, int dust, const uint8_t *image, uint8_t *out, uint8_t *mask)
{
    penta_prepare_frame frame = {.image = image};
    penta_prepare_result result = {.image = out, .mask = mask};
    penta_prepare_options o;
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    penta_prepare_options_init(&o);
    o.depth = PENTA_PREPARE_U8;
    o.dust = dust;
    EXPECT_OK(ctx, penta_prepare_create(ctx, p->width, p->height, 1, PENTA_U8, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, 1, &frame, &result));
    assert_int_equal(result.status, PENTA_PREPARED_OK);
    return (double)result.dust_pixels / (double)(p->width * p->height);
}

/* ---- dust ---- */

DEVICE_TEST(phases_are_not_dust)
{
    static const struct {
        size_t width, height;
        int seed;
        double composition, time;
    } of[] = {{256, 256, 41, 0, 150}, {320, 200, 42, 0.25, 400}, {192, 256, 43, 0, 40}};
    static const double contrast[] = {0.7, 0.25}, noise[] = {0, 0.03};

    for (size_t k = 0; k < COUNT(of); k++) {
        phases p = make_phases(ctx, of[k].width, of[k].height, of[k].seed, of[k].composition, of[k].time, 1, 1);
        uint8_t *image = must_calloc(3 * p.width * p.height, 1);

        for (size_t c = 0; c < 4; c++) {
            double marked;

            expose(&p, 0, 0, 0, contrast[c / 2], noise[c % 2], image);
            marked = mark(ctx, &p, PENTA_PREPARE_DUST_MASK, image, image + p.width * p.height,
                          image + 2 * p.width * p.height);
            print_message("%zu x %zu at %g, contrast %g, noise %g: %.2f %% marked\n", p.width, p.height, of[k].time,
                          contrast[c / 2], noise[c % 2], 100 * marked);
            assert_true(marked <= 0.003);
        }
        free(image);
        free(p.u);
    }
}

/* Opaque discs of 1 to 3 px on 2 % of the area, with hard edges. */
static void lay_specks(const phases *p, uint8_t *image, uint8_t *specks)
{
    size_t pixels = p->width * p->height, covered = 0;

    memset(specks, 0, pixels);
    while ((double)covered < 0.02 * (double)pixels) {
        double x = random_uniform() * (double)p->width, y = random_uniform() * (double)p->height;
        double radius = 1 + 2 * random_uniform();

        for (size_t i = 0; i < pixels; i++)
            if (!specks[i] && hypot((double)(i % p->width) - x, (double)(i / p->width) - y) <= radius) {
                specks[i] = 1;
                image[i] = 8;
                covered++;
            }
    }
}

static double r_max_of(penta_context *ctx, const phases *p, const uint8_t *image, const uint8_t *mask, size_t most)
{
    penta_autocorr_frame frame = {.image = image, .mask = mask};
    penta_autocorr_result result = {0};
    penta_autocorr_options o;
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;

    penta_autocorr_options_init(&o);
    o.estimator = PENTA_AUTOCORR_UNBIASED;
    o.demean = PENTA_AUTOCORR_DEMEAN_MEAN;
    o.max_offset = (int)most;
    EXPECT_OK(ctx, penta_autocorr_create(ctx, p->width, p->height, PENTA_U8, &o, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &result));
    return result.peak.r_max;
}

DEVICE_TEST(hard_dust)
{
    enum { MOST = 28 }; /* 1.6 R_max */

    phases p = make_phases(ctx, 384, 384, 51, 0, 120, 1, 1);
    size_t pixels = p.width * p.height;
    uint8_t *image = must_calloc(4 * pixels, 1), *out = image + pixels, *mask = image + 2 * pixels;
    uint8_t *specks = image + 3 * pixels;
    double clean;

    random_seed(52);
    expose(&p, 0, 0, 0, 0.3, 0, image);
    clean = r_max_of(ctx, &p, image, NULL, MOST);
    for (int k = 0; k < 3; k++) {
        size_t missed = 0, found = 0;
        double r_max;

        expose(&p, 0, 0, 0, 0.3, 0, image);
        lay_specks(&p, image, specks);
        mark(ctx, &p, PENTA_PREPARE_DUST_MASK, image, out, mask);
        for (size_t i = 0; i < pixels; i++) {
            missed += specks[i] && mask[i];
            found += specks[i];
        }
        r_max = r_max_of(ctx, &p, out, mask, MOST);
        print_message("R_max %.3f, with dust %.3f; %zu of %zu px missed\n", clean, r_max, missed, found);
        expect_near(r_max, clean, 0.005 * clean);
        assert_true((double)missed < 0.005 * (double)found);
    }
    free(image);
    free(p.u);
}

/* Few periods across: without the pixels under dust the peak would move, drawn on from around them it stays. */
DEVICE_TEST(hard_dust_drawn_over)
{
    static const struct {
        size_t width, height, most; /* 1.6 R_max */
        int seed;
        double time;
    } of[] = {{256, 256, 56, 54, 1100}, {192, 192, 42, 55, 400}, {256, 320, 42, 56, 500}};

    random_seed(57);
    for (size_t k = 0; k < COUNT(of); k++) {
        phases p = make_phases(ctx, of[k].width, of[k].height, of[k].seed, 0, of[k].time, 1, 1);
        size_t pixels = p.width * p.height;
        uint8_t *image = must_calloc(4 * pixels, 1), *out = image + pixels, *mask = image + 2 * pixels;
        double clean;

        expose(&p, 0, 0, 0, 0.3, 0, image);
        clean = r_max_of(ctx, &p, image, NULL, of[k].most);
        for (int specks = 0; specks < 3; specks++) {
            double r_max, left_out;

            expose(&p, 0, 0, 0, 0.3, 0.05, image);
            lay_specks(&p, image, image + 3 * pixels);
            mark(ctx, &p, PENTA_PREPARE_DUST_MASK, image, out, mask);
            left_out = r_max_of(ctx, &p, out, mask, of[k].most);
            mark(ctx, &p, PENTA_PREPARE_DUST_FILL, image, out, mask);
            r_max = r_max_of(ctx, &p, out, mask, of[k].most);
            print_message("R_max %.3f, left out: %+.2f %%, drawn over: %+.2f %%\n", clean, 100 * (left_out / clean - 1),
                          100 * (r_max / clean - 1));
            expect_near(r_max, clean, 0.005 * clean);
            assert_true(!memchr(mask, 0, pixels));
        }
        free(image);
        free(p.u);
    }
}

/* ---- drift ---- */

/* Frames through a plan, `step` a run. */
static void find_drifts(penta_context *ctx, size_t width, size_t height, size_t count, const uint8_t *images,
                        size_t step, penta_drift *drift)
{
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;

    EXPECT_OK(ctx, penta_prepare_create(ctx, width, height, 1, PENTA_U8, NULL, &plan));
    for (size_t i = 0; i < count; i += step) {
        penta_prepare_frame frames[FRAMES] = {{0}};
        penta_prepare_result results[FRAMES] = {{0}};
        size_t n = count - i < step ? count - i : step;

        for (size_t k = 0; k < n; k++)
            frames[k].image = images + (i + k) * width * height;
        EXPECT_OK(ctx, penta_prepare_run(plan, n, frames, results));
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(results[k].status, PENTA_PREPARED_OK);
            drift[i + k] = results[k].drift;
        }
    }
}

/* R_max grows by 2.5 % a frame, as the cube root of time; at rest, and moved. */
DEVICE_TEST(coarsening)
{
    enum { MOVED_X = 5, MOVED_Y = 3 };
    phases p = make_phases(ctx, COARSE_SIDE, COARSE_SIDE, 61, 0, 80, pow(1.025, 3), FRAMES);
    size_t pixels = p.width * p.height;
    uint8_t *images = must_calloc(FRAMES * pixels, 1);

    random_seed(62);
    for (size_t moved = 0; moved < 2; moved++) {
        penta_drift drift[FRAMES];

        for (size_t i = 0; i < FRAMES; i++)
            expose(&p, i, moved * MOVED_X * i, moved * MOVED_Y * i, 0.4, 0.05, images + i * pixels);
        find_drifts(ctx, p.width, p.height, FRAMES, images, FRAMES, drift);
        for (size_t i = 0; i < FRAMES; i++) {
            print_message("frame %zu: off by %.3f, %.3f px, score %.3f\n", i,
                          drift[i].dx - (double)(moved * MOVED_X * i), drift[i].dy - (double)(moved * MOVED_Y * i),
                          drift[i].score);
            expect_near(drift[i].dx, (double)(moved * MOVED_X * i), 0.1);
            expect_near(drift[i].dy, (double)(moved * MOVED_Y * i), 0.1);
            assert_int_equal(drift[i].others, 0);
        }
    }
    free(images);
    free(p.u);
}

/* All of the pattern grows by 2.5 % a frame about its own centre, which moves; whatever the runs, to the bit. */
DEVICE_TEST(growing)
{
    static const double at[FRAMES][2] = {{0, 0},      {-3.7, 10.6},  {9.2, 0.9},   {-7.75, 3.8},
                                         {6.75, 8.4}, {-8.95, -4.9}, {0.15, -2.1}, {3.85, 0.2}};
    HELD uint8_t *images = must_calloc(FRAMES * PIXELS, 1);
    HELD float *grey = must_calloc(PIXELS, sizeof *grey);

    for (unsigned seed = 71; seed < 73; seed++) {
        penta_drift drift[FRAMES], parts[FRAMES];

        for (size_t i = 0; i < FRAMES; i++) {
            penta_drift d = {.dx = at[i][0], .dy = at[i][1], .score = 1};

            make_pattern(WIDTH, HEIGHT, seed == 71 ? 11 : 15, 0.025 * (double)i, &d, seed, grey);
            random_seed(seed + (unsigned)i);
            for (size_t k = 0; k < PIXELS; k++)
                images[i * PIXELS + k] = level(0.5 * ((double)grey[k] + 0.02 * random_normal()));
        }
        find_drifts(ctx, WIDTH, HEIGHT, FRAMES, images, FRAMES, drift);
        find_drifts(ctx, WIDTH, HEIGHT, FRAMES, images, 3, parts);
        assert_memory_equal(drift, parts, sizeof drift);
        for (size_t i = 0; i < FRAMES; i++) {
            print_message("frame %zu: off by %.3f, %.3f px, score %.3f\n", i, drift[i].dx - at[i][0],
                          drift[i].dy - at[i][1], drift[i].score);
            expect_near(drift[i].dx, at[i][0], 0.1);
            expect_near(drift[i].dy, at[i][1], 0.1);
        }
    }
}

/* ---- lattices ---- */

/* Of 24 px, square or with six neighbours, moved. */
static void draw_lattice(bool six, double dx, double dy, uint8_t *out)
{
    const int waves = six ? 3 : 2;

    for (size_t i = 0; i < PIXELS; i++) {
        double x = (double)(i % WIDTH) - dx, y = (double)(i / WIDTH) - dy, sum = 0;

        for (int k = 0; k < waves; k++) {
            double turn = 0.2 + PI * k / waves, length = six ? 24 * sqrt(0.75) : 24;

            sum += cos(2 * PI / length * (cos(turn) * x + sin(turn) * y));
        }
        out[i] = level(0.5 * (1 + 0.2 * sum + 0.02 * random_normal()));
    }
}

static double distance(double x, double y, const double *to)
{
    return hypot(x - to[0], y - to[1]);
}

/* The drift is one of many: that is said, and the true one is among those told. */
DEVICE_TEST(lattices)
{
    static const double at[][2] = {{0, 0}, {-17.3, 5.1}, {12.4, 16.8}, {3.2, -2.7}};
    HELD uint8_t *images = must_calloc(COUNT(at) * PIXELS, 1);

    for (int six = 0; six < 2; six++) {
        penta_drift drift[COUNT(at)];

        random_seed(81);
        for (size_t i = 0; i < COUNT(at); i++)
            draw_lattice(six, at[i][0], at[i][1], images + i * PIXELS);
        find_drifts(ctx, WIDTH, HEIGHT, COUNT(at), images, COUNT(at), drift);
        for (size_t i = 1; i < COUNT(at); i++) {
            double best = distance(drift[i].dx, drift[i].dy, at[i]);

            print_message("(%g, %g): (%.2f, %.2f), score %.3f, %zu others\n", at[i][0], at[i][1], drift[i].dx,
                          drift[i].dy, drift[i].score, drift[i].others);
            for (size_t k = 0; k < drift[i].others; k++)
                best = fmin(best, distance(drift[i].other_dx[k], drift[i].other_dy[k], at[i]));
            assert_true(drift[i].others > 0 && drift[i].score <= 0.5);
            assert_true(best < 0.1);
        }
    }
}

ON_DEVICE;
