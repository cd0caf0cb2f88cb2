/* Conduction velocity from activation maps, and from movies. */
#include "support/test.h"

#include <pentacl/beats.h>
#include <pentacl/optmap.h>

#include "reference/optmap_beats.h"
#include "support/random.h"

enum { WIDTH = 51, HEIGHT = 99, PIXELS = WIDTH * HEIGHT };

static const double pixel_size = 0.01; /* cm */
static float times[PIXELS], velocity[2 * PIXELS];

static penta_beats_options options(int method, int window)
{
    penta_beats_options o;

    penta_beats_options_init(&o);
    o.velocity = method;
    o.velocity_window = window;
    return o;
}

static void find(penta_context *ctx, const penta_beats_options *o)
{
    memset(velocity, 1, sizeof velocity);
    EXPECT_OK(ctx, penta_velocity(ctx, WIDTH, HEIGHT, times, pixel_size, o, velocity));
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static double median_speed(void)
{
    static float speeds[PIXELS];
    size_t count = 0;

    for (size_t i = 0; i < PIXELS; i++)
        if (!isnan(velocity[i]))
            speeds[count++] = hypotf(velocity[i], velocity[PIXELS + i]);
    qsort(speeds, count, sizeof *speeds, compare);
    return (double)speeds[count / 2];
}

/* T = (x cos a + y sin a) / v is fitted exactly, to the map's edges. */
DEVICE_TEST(fits_plane_waves)
{
    for (int method = 0; method < 2; method++)
        for (double angle = 0; angle < 6.3; angle += 0.7) {
            penta_beats_options o = options(method, 5);

            for (size_t i = 0; i < PIXELS; i++)
                times[i] = (float)(((double)(i % WIDTH) * cos(angle) + (double)(i / WIDTH) * sin(angle)) * 0.5 + 100);
            find(ctx, &o);
            for (size_t i = 0; i < PIXELS; i++) {
                size_t x = i % WIDTH, y = i / WIDTH;

                if (method == PENTA_VELOCITY_GRADIENT && (x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1)) {
                    assert_true(isnan(velocity[i]) && isnan(velocity[PIXELS + i]));
                    continue;
                }
                expect_near(velocity[i], 20 * cos(angle), 2e-3); /* times of 120 ms have errors of 4e-6 ms */
                expect_near(velocity[PIXELS + i], 20 * sin(angle), 2e-3);
            }
        }
}

static void fill_radial(double slow, double step)
{
    for (size_t i = 0; i < PIXELS; i++) {
        double t = hypot((double)(i % WIDTH) - 25, (double)(i / WIDTH) - 50) * slow;

        times[i] = (float)(step > 0 ? step * floor(t / step) : t);
    }
}

/* Radial waves, too, when times are whole frames. */
DEVICE_TEST(fits_radial_waves)
{
    static const struct {
        double slow, step, error;
    } cases[] = {{0.5, 0, 0.01}, {0.5, 1, 0.02}, {0.2, 1, 0.05}};
    penta_beats_options o = options(PENTA_VELOCITY_BAYLY, 7);

    for (size_t c = 0; c < COUNT(cases); c++) {
        double speed = 10 / cases[c].slow;

        fill_radial(cases[c].slow, cases[c].step);
        find(ctx, &o);
        expect_near(median_speed(), speed, cases[c].error * speed);
    }
}

DEVICE_TEST(agrees_with_the_formulas)
{
    static const int windows[] = {3, 5, 7, 13, 21};

    random_seed(8);
    for (size_t w = 0; w < COUNT(windows); w++)
        for (int method = 0; method < 2; method++) {
            penta_beats_options o = options(method, windows[w]);
            size_t known = 0;

            fill_radial(0.7, 0);
            for (size_t i = 0; i < PIXELS; i++)
                times[i] = random_uniform() < 0.3 ? NAN : times[i] + 0.05F * (float)random_normal();
            find(ctx, &o);
            for (size_t i = 0; i < PIXELS; i++) {
                double v[2];

                reference_velocity(times, HEIGHT, WIDTH, i % WIDTH, i / WIDTH, pixel_size, &o, v);
                known += !isnan(v[0]);
                for (size_t k = 0; k < 2; k++) {
                    assert_int_equal(isnan(velocity[k * PIXELS + i]), isnan(v[k]));
                    if (!isnan(v[k]))
                        expect_near(velocity[k * PIXELS + i], v[k], 1e-6 * hypot(v[0], v[1]));
                }
            }
            assert_true(known > PIXELS / 8 || windows[w] == 3);
        }
}

/* A line of pixels, a spot of 8, a flat map, an unknown pixel. */
DEVICE_TEST(says_nothing_of_what_it_cannot_know)
{
    penta_beats_options o = options(PENTA_VELOCITY_BAYLY, 9);

    for (size_t i = 0; i < PIXELS; i++)
        times[i] = i / WIDTH == 10 || i / WIDTH == 11 ? (float)(i % WIDTH) : NAN;
    find(ctx, &o);
    for (size_t i = 0; i < 2 * PIXELS; i++)
        assert_true(isnan(velocity[i]));
    for (size_t i = 0; i < PIXELS; i++) {
        size_t x = i % WIDTH, y = i / WIDTH;

        times[i] = x < 3 && y < 3 && x + y > 0 ? (float)(x + y) : NAN;
    }
    find(ctx, &o);
    for (size_t i = 0; i < 2 * PIXELS; i++)
        assert_true(isnan(velocity[i]));
    times[0] = 0;
    find(ctx, &o);
    for (size_t i = 0; i < PIXELS; i++)
        if (isnan(times[i]))
            assert_true(isnan(velocity[i]));
        else
            expect_near(velocity[i], 5, 1e-4);
    for (int method = 0; method < 2; method++) {
        o.velocity = method;
        for (size_t i = 0; i < PIXELS; i++)
            times[i] = 31.7F;
        find(ctx, &o);
        for (size_t i = 0; i < 2 * PIXELS; i++)
            assert_true(isnan(velocity[i]));
    }
}

DEVICE_TEST(refuses)
{
    penta_beats_options o = options(PENTA_VELOCITY_BAYLY, 4);

    EXPECT_REFUSED(ctx, penta_velocity(ctx, WIDTH, HEIGHT, times, pixel_size, &o, velocity), PENTA_INVALID, "odd");
    EXPECT_REFUSED(ctx, penta_velocity(ctx, WIDTH, HEIGHT, times, 0, NULL, velocity), PENTA_INVALID, "pixel size");
    assert_int_equal(penta_velocity(ctx, WIDTH, HEIGHT, times, NAN, NULL, velocity), PENTA_INVALID);
    assert_int_equal(penta_velocity(ctx, WIDTH, 0, times, 1, NULL, velocity), PENTA_INVALID);
}

/* ---- from the camera's movie on ---- */

enum { FRAMES = 160 };

/* A radial wave from the middle as a voltage dye shows it, in whole numbers and whole frames of delay. */
static void fill_movie(double slow, double noise, int16_t *data, const void **frames)
{
    random_seed(12);
    for (size_t f = 0; f < FRAMES; f++) {
        frames[f] = data + f * PIXELS;
        for (size_t i = 0; i < PIXELS; i++) {
            double delay = floor(hypot((double)(i % WIDTH) - 25, (double)(i / WIDTH) - 50) * slow);
            double t = (double)f - 20 - delay, v = 1 / (1 + exp(-t / 0.9)) / (1 + exp((t - 12) / 5));

            data[f * PIXELS + i] = (int16_t)lround(100 - 110 * v + noise * random_normal());
        }
    }
}

static void condition(penta_context *ctx, const void *const *frames, float *filtered)
{
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;
    penta_optmap_result result = {.filtered = filtered};

    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, NULL, &plan));
    EXPECT_OK(ctx, penta_optmap_run(plan, &(penta_movie){.type = PENTA_I16, .frames = frames}, &result));
}

DEVICE_TEST(measures_conditioned_movies)
{
    static const struct {
        double slow, noise, error;
    } cases[] = {{0.5, 0, 0.02}, {0.2, 5, 0.05}};
    HELD int16_t *data = must_calloc(FRAMES * PIXELS, sizeof *data);
    HELD float *filtered = must_calloc(FRAMES * PIXELS, sizeof *filtered);
    const void *frames[FRAMES];
    penta_beats_options o = options(PENTA_VELOCITY_BAYLY, 7);

    for (size_t c = 0; c < COUNT(cases); c++) {
        penta_movie_view m = {FRAMES, HEIGHT, WIDTH, 1000, filtered};
        HELD penta_beat *beats = NULL;
        HELD_BY(penta_beat_maps_free) penta_beat_maps maps;
        size_t count;

        fill_movie(cases[c].slow, cases[c].noise, data, frames);
        condition(ctx, frames, filtered);
        EXPECT_OK(ctx, penta_beats_find(ctx, &m, &o, &beats, &count));
        assert_int_equal(count, 1);
        EXPECT_OK(ctx, penta_beats_measure(ctx, &m, &o, beats, count, &maps));
        memcpy(times, maps.activation, sizeof times);
        find(ctx, &o);
        expect_near(median_speed(), 10 / cases[c].slow, cases[c].error * 10 / cases[c].slow);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
