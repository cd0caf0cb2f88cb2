/*
 * Beats in noise, on waves of independent physics: the action potential of a cable (R. Aliev and A. Panfilov, Chaos
 * Solitons Fractals 7 (1996) 293), solved here, at activation times that are known. What the measures may get wrong
 * stands in the cases; none of the seeds and sizes was used to choose anything.
 */
#include "support/test.h"

#include <pentacl/beats.h>

#include "support/random.h"

/* ---- the cable ---- */

enum { CELLS = 120, STEPS = 24000, KEPT = STEPS / 5 };
static const double step = 0.02, kept_step = 0.1, unit = 7; /* ms; unit: of the equations' time */

static double wave[KEPT]; /* of the middle cell, 0 .. 1, `kept_step` apart */
static double steepest;   /* ms */
static double truth[PENTA_APD_LEVELS], rise_truth;

static void advance(double *v, double *h, bool stimulated)
{
    double old[CELLS];

    memcpy(old, v, sizeof old);
    for (int i = 0; i < CELLS; i++) {
        double left = old[i > 0 ? i - 1 : 1], right = old[i < CELLS - 1 ? i + 1 : CELLS - 2], u = old[i];
        double rate = 0.01 + 0.2 * h[i] / (u + 0.3);

        v[i] += step * ((-8 * u * (u - 0.1) * (u - 1) - u * h[i] + (stimulated && i < 4 ? 6 : 0)) / unit +
                        0.3 * (left - 2 * u + right));
        h[i] += step / unit * rate * (-h[i] - 8 * u * (u - 1.1));
    }
}

/* From place k on, where the wave is first on the other side of the level, ms. */
static double crossing(int k, int direction, double level)
{
    while ((wave[k] > level) == (wave[k + direction] > level))
        k += direction;
    return (k + direction * (level - wave[k]) / (wave[k + direction] - wave[k])) * kept_step;
}

static int solve_cable(void **state)
{
    double v[CELLS] = {0}, h[CELLS] = {0}, most = 0;
    int top = 0, steep = 1;

    for (int i = 0; i < STEPS; i++) {
        advance(v, h, i * step < 2);
        if (i % 5 == 0)
            wave[i / 5] = v[CELLS / 2];
    }
    for (int k = 1; k + 1 < KEPT; k++) {
        steep = wave[k + 1] - wave[k - 1] > wave[steep + 1] - wave[steep - 1] ? k : steep;
        top = wave[k] > wave[top] ? k : top;
    }
    most = wave[top];
    for (int k = 0; k < KEPT; k++)
        wave[k] /= most;
    steepest = steep * kept_step;
    for (int i = 0; i < PENTA_APD_LEVELS; i++)
        truth[i] = crossing(top, 1, 1 - penta_apd_levels[i] / 100.0) - steepest;
    rise_truth = crossing(steep, 1, 0.9) - crossing(steep, -1, 0.1);
    return open_device(state);
}

/* ---- movies of it ---- */

typedef struct {
    size_t side;
    double rate, speed, pixel; /* Hz, cm/s, cm */
    bool point;                /* from a point, twice as slow down as across; else a plane wave */
    double ratio;              /* amplitude over noise; 0: none */
    bool shot;                 /* noise that grows with the light */
    unsigned seed;
    double outliers; /* share of pixels whose trace is noise of 3 amplitudes */
} camera;

enum { BEATS = 2 };
static const double cycle = 260, first = 60; /* ms */

static double delay(const camera *c, size_t x, size_t y)
{
    double slow = 1000 * c->pixel / c->speed, dx = (double)x - 0.3 * (double)c->side,
           dy = (double)y - 0.4 * (double)c->side;

    return c->point ? slow * hypot(dx, 2 * dy) : slow * (0.8 * (double)x + 0.6 * (double)y);
}

static double potential(double t)
{
    double at = (t + steepest) / kept_step;
    int k = (int)floor(at);

    return k < 0 || k + 1 >= KEPT ? 0 : wave[k] + (at - k) * (wave[k + 1] - wave[k]);
}

static penta_movie_view expose(const camera *c)
{
    size_t pixels = c->side * c->side,
           frames = (size_t)((first + BEATS * cycle + delay(c, c->side, c->side)) * c->rate / 1000);
    float *data = must_calloc(frames * pixels, sizeof *data);

    random_seed(c->seed);
    for (size_t p = 0; p < pixels; p++) {
        bool bad = random_uniform() < c->outliers;

        for (size_t f = 0; f < frames; f++) {
            double t = (double)f * 1000 / c->rate - first - delay(c, p % c->side, p / c->side), v = 0, noise;

            for (int b = 0; b < BEATS; b++)
                v += potential(t - b * cycle);
            noise = c->ratio > 0 ? random_normal() / c->ratio : 0;
            noise *= c->shot ? sqrt(1 - 0.2 * v) : 1;
            data[f * pixels + p] = (float)(bad ? 3 * random_normal() : v + noise);
        }
    }
    return (penta_movie_view){frames, c->side, c->side, c->rate, data};
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Of what is known, with its share of n in *known. */
static double median(const float *values, size_t n, double *known)
{
    HELD float *sorted = must_calloc(n, sizeof *sorted);
    size_t count = 0;
    double middle;

    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            sorted[count++] = values[i];
    qsort(sorted, count, sizeof *sorted, compare);
    middle = count ? (double)sorted[count / 2] : NAN;
    *known = (double)count / (double)n;
    return middle;
}

/* ---- what is measured ---- */

static void expect_activations(const camera *c, const penta_beat_maps *m)
{
    size_t pixels = c->side * c->side, near = 0, known = 0;

    for (size_t i = 0; i < BEATS * pixels; i++)
        if (!isnan(m->activation[i])) {
            double at = first + (double)(i / pixels) * cycle + delay(c, i % pixels % c->side, i % pixels / c->side);

            known++;
            near += fabs((double)m->activation[i] - at) < 5;
        }
    assert_true((double)known > 0.97 * BEATS * (double)pixels * (1 - c->outliers));
    assert_true((double)near > 0.95 * BEATS * (double)pixels);
}

static void expect_levels(const camera *c, const penta_beat_maps *m)
{
    size_t n = BEATS * c->side * c->side;
    double known;

    for (int k = 0; k < PENTA_APD_LEVELS; k++) {
        expect_near(median(m->apd[k], n, &known), truth[k], fmax(1, 0.02 * truth[k]));
        assert_true(known > 0.9);
    }
    expect_near(median(m->rise, n, &known), rise_truth, fmax(1, 500 / c->rate));
    expect_near(median(m->amplitude, n, &known), 1, 0.02);
    if (c->ratio > 0)
        expect_near(median(m->snr, n, &known), 20 * log10(c->ratio), c->shot ? 1.2 : 1);
}

static void expect_speed(penta_context *ctx, const camera *c, const penta_beat_maps *m)
{
    size_t pixels = c->side * c->side, count = 0;
    HELD float *velocity = must_calloc(2 * pixels, sizeof *velocity),
               *speeds = must_calloc(BEATS * pixels, sizeof *speeds);
    HELD float *right = must_calloc(pixels, sizeof *right);
    double known, expected;

    for (int b = 0; b < BEATS; b++) {
        EXPECT_OK(ctx, penta_velocity_matched(ctx, c->side, c->side, m->activation + (size_t)b * pixels, m->timing[b],
                                              c->pixel, NULL, velocity, NULL));
        for (size_t i = 0; i < pixels; i++)
            speeds[count++] = hypotf(velocity[i], velocity[pixels + i]);
    }
    for (size_t i = 0; i < pixels; i++) {
        double x = (double)(i % c->side) - 0.3 * (double)c->side, y = (double)(i / c->side) - 0.4 * (double)c->side;
        double length = hypot(x, 2 * y);

        right[i] = (float)(c->point ? c->speed * length / hypot(x, 4 * y) : c->speed);
    }
    expected = median(right, pixels, &known);
    expect_near(median(speeds, count, &known), expected, 0.05 * expected);
}

static void expect_truth(penta_context *ctx, const camera *c)
{
    penta_movie_view m = expose(c);
    penta_beat_maps maps;
    penta_beat beats[BEATS];

    for (int b = 0; b < BEATS; b++) {
        double from = b == 0 ? 0 : first + b * cycle - 20,
               to = b + 1 == BEATS ? INFINITY : first + (b + 1) * cycle - 20;

        beats[b].first = (size_t)(from * c->rate / 1000);
        beats[b].end = isinf(to) ? m.frames : (size_t)(to * c->rate / 1000);
        beats[b].upstroke = (first + b * cycle) * c->rate / 1000;
    }
    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, beats, BEATS, &maps));
    expect_activations(c, &maps);
    expect_levels(c, &maps);
    expect_speed(ctx, c, &maps);
    penta_beat_maps_free(&maps);
    free((void *)m.data);
}

TEST_IN(AS_IT_IS, measures_in_noise)
{
    static const camera cases[] = {
        {56, 1000, 50, 0.02, false, 2, false, 101, 0},  {64, 500, 100, 0.03, false, 2, false, 102, 0},
        {64, 500, 100, 0.03, false, 2, true, 103, 0},   {48, 500, 20, 0.02, false, 2, false, 104, 0},
        {72, 500, 40, 0.03, true, 4, false, 105, 0},    {48, 800, 60, 0.03, false, 8, false, 106, 0},
        {40, 1000, 30, 0.02, false, 20, false, 107, 0}, {64, 250, 40, 0.03, false, 2, false, 108, 0},
        {32, 1000, 30, 0.02, false, 0, false, 109, 0},  {80, 500, 40, 0.01, true, 2, false, 112, 0}};

    for (size_t i = 0; i < COUNT(cases); i++)
        expect_truth(device_of(state), &cases[i]);
}

/* Pixels of noise alone: what they say contradicts their neighbours, and changes nothing else. */
DEVICE_TEST(leaves_out_what_contradicts)
{
    camera c = {48, 1000, 40, 0.02, false, 4, false, 110, 0.02};

    expect_truth(ctx, &c);
}

/* A pixel that is activated when no neighbour is does not bend the surface. */
DEVICE_TEST(fits_what_is_consistent)
{
    enum { SIDE = 40, PIXELS = SIDE * SIDE };
    static float times[PIXELS], velocity[2 * PIXELS];
    size_t wrong = 0;

    random_seed(111);
    for (size_t i = 0; i < PIXELS; i++) {
        times[i] = (float)(0.3 * (double)(i % SIDE) + 0.4 * (double)(i / SIDE));
        if (random_uniform() < 0.05)
            times[i] += (float)(random_uniform() < 0.5 ? -60 : 90);
    }
    EXPECT_OK(ctx, penta_velocity(ctx, SIDE, SIDE, times, 0.01, NULL, velocity));
    for (size_t i = 0; i < PIXELS; i++)
        if (i % SIDE > 2 && i % SIDE < SIDE - 3 && i / SIDE > 2 && i / SIDE < SIDE - 3 &&
            !(fabs((double)velocity[i] - 12) < 0.3 && fabs((double)velocity[PIXELS + i] - 16) < 0.3)) {
            print_error("pixel %zu, %zu: %g, %g\n", i % SIDE, i / SIDE, (double)velocity[i],
                        (double)velocity[PIXELS + i]);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

/* A cone: degree 2 makes it flatter near its point, 4 % at 10 px in a window of 11. Where no window is full all count.
 */
DEVICE_TEST(fits_curved_fronts)
{
    enum { SIDE = 44, PIXELS = SIDE * SIDE, STRIP = 6, FROM = 10 };
    static float times[PIXELS], velocity[2 * PIXELS];
    penta_beats_options options;
    size_t wrong = 0, known = 0;
    int window;

    penta_beats_options_init(&options);
    options.velocity_window = 11;
    for (size_t i = 0; i < PIXELS; i++)
        times[i] = (float)(0.25 * hypot((double)(i % SIDE) - 19, (double)(i / SIDE) - 23));
    EXPECT_OK(ctx, penta_velocity_matched(ctx, SIDE, SIDE, times, 0, 0.01, &options, velocity, &window));
    assert_int_equal(window, 11);
    for (size_t i = 0; i < PIXELS; i++) {
        double speed = hypot((double)velocity[i], (double)velocity[PIXELS + i]);

        if (isnan(speed) || times[i] < 0.25F * FROM)
            continue;
        known++;
        wrong += !(fabs(speed - 40) < 0.6);
    }
    assert_true(known > PIXELS / 2);
    assert_int_equal(wrong, 0);
    assert_true(isnan(velocity[0]));
    EXPECT_OK(ctx, penta_velocity_matched(ctx, STRIP, SIDE, times, 0, 0.01, &options, velocity, NULL));
    for (size_t i = 0; i < 2 * (size_t)STRIP * SIDE; i++)
        assert_false(isnan(velocity[i]));
}

RUN(AS_IT_IS, "optmap: beats in noise", solve_cable, close_device);
RUN(AS_GPU, "optmap: beats in noise, forms for GPUs", open_gpu_form, close_device);
