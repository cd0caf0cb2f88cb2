/* Conditioning against exact answers: plane waves, the interpolation filter, the Gaussian, medfilt1. */
#include "support/test.h"

#include <pentacl/optmap.h>

static const int engines[] = {PENTA_OPTMAP_LITERAL};

/* v of a movie (frames x height x width), 0 in the first frame, as 1000 - 1000 v. */
typedef struct {
    size_t width, height, frames;
    double *f;
} film;

static film make_film(size_t width, size_t height, size_t frames)
{
    return (film){width, height, frames, must_calloc(width * height * frames, sizeof(double))};
}

static void put(film *m, size_t n, size_t pixel, double v)
{
    m->f[n * m->width * m->height + pixel] = 1000 - 1000 * v;
}

static penta_optmap_options options(int engine)
{
    penta_optmap_options o;

    penta_optmap_options_init(&o);
    o.drift = PENTA_OPTMAP_DRIFT_NONE;
    o.engine = engine;
    o.baseline = "0:1";
    o.median = 0;
    return o;
}

static void run(void **state, const film *m, const penta_optmap_options *o, float *filtered, int32_t *shifts)
{
    penta_context *ctx = device_of(state);
    const void **frames = must_calloc(m->frames, sizeof *frames);
    penta_movie movie = {.type = PENTA_F64, .frames = frames};
    penta_optmap_result result = {.filtered = filtered, .shifts = shifts};
    penta_optmap *plan;

    for (size_t n = 0; n < m->frames; n++)
        frames[n] = m->f + n * m->width * m->height;
    EXPECT_OK(ctx, penta_optmap_create(ctx, m->width, m->height, m->frames, o, &plan));
    EXPECT_OK(ctx, penta_optmap_run(plan, &movie, &result));
    penta_optmap_destroy(plan);
    free(frames);
}

/* ---- plane waves ---- */

enum { WIDE = 11, HIGH = 9, LONG = 70, WINDOW = 5 };

/* A pulse that reaches pixel (x, y) at frame 28 + (ax x + ay y) / 10, in v. */
static double pulse(int ax, int ay, size_t n, size_t pixel)
{
    double t = (double)n - 28 - (ax * (int)(pixel % WIDE) + ay * (int)(pixel / WIDE)) / 10.0;

    return 0.1 * exp(-t * t / 32) + 0.02 * exp(-(t - 8) * (t - 8) / 50);
}

static film make_wave(int ax, int ay)
{
    film m = make_film(WIDE, HIGH, LONG);

    for (size_t n = 0; n < LONG; n++)
        for (size_t p = 0; p < WIDE * HIGH; p++)
            put(&m, n, p, pulse(ax, ay, n, p) - pulse(ax, ay, 0, p));
    return m;
}

static bool inside(size_t pixel)
{
    size_t x = pixel % WIDE, y = pixel / WIDE, r = WINDOW / 2;

    return x >= r && x + r < WIDE && y >= r && y + r < HIGH;
}

static void expect_delays(int ax, int ay, const int32_t *shifts)
{
    for (size_t i = 0; i < WIDE * HIGH * WINDOW * WINDOW; i++) {
        size_t p = i / (WINDOW * WINDOW), k = i % (WINDOW * WINDOW);
        int dx = (int)(k % WINDOW) - WINDOW / 2, dy = (int)(k / WINDOW) - WINDOW / 2;

        assert_int_equal(shifts[i], inside(p) ? ax * dx + ay * dy : INT32_MIN);
    }
}

/* T = (x cos a + y sin a) / v: delays of neighbours are ax dx + ay dy interpolated samples, and every aligned neighbour
 * is the pixel itself, as well as interpolation by 81 taps goes. */
TEST(plane_waves)
{
    static const int slopes[][2] = {{7, 0}, {0, -5}, {3, 4}, {-6, 2}, {0, 0}};
    float *filtered = must_calloc(WIDE * HIGH * LONG, sizeof *filtered);
    int32_t *shifts = must_calloc(WIDE * HIGH * WINDOW * WINDOW, sizeof *shifts);

    for (size_t e = 0; e < COUNT(engines); e++)
        for (size_t w = 0; w < COUNT(slopes); w++) {
            int ax = slopes[w][0], ay = slopes[w][1];
            film m = make_wave(ax, ay);
            penta_optmap_options o = options(engines[e]);

            run(state, &m, &o, filtered, shifts);
            expect_delays(ax, ay, shifts);
            for (size_t i = 0; i < WIDE * HIGH * LONG; i++) {
                size_t p = i % (WIDE * HIGH), n = i / (WIDE * HIGH);

                assert_true(isnan(filtered[i]) == !inside(p));
                if (inside(p) && n > 8 && n + 8 < LONG)
                    expect_near((double)filtered[i], pulse(ax, ay, n, p), 2e-4 * 0.1);
            }
            free(m.f);
        }
    free(filtered), free(shifts);
}

/* ---- nearly equal maxima ---- */

enum { PULSES = 64 };

/* By how much the second pulse of an odd column is higher: 1e-5 to 1e-11, up or down. */
static double more(size_t x, size_t y)
{
    return (y % 2 ? 1 : -1) * pow(10, -5 - (double)((x / 2 + 3 * y) % 7));
}

/* Even columns have one pulse, at frame 30, odd ones two, at 16 and 44, of which the higher one decides. */
static film make_pulses(void)
{
    film m = make_film(WIDE, HIGH, PULSES);

    for (size_t i = 0; i < PULSES * WIDE * HIGH; i++) {
        size_t p = i % (WIDE * HIGH);
        double n = (double)(i / (WIDE * HIGH)), a = exp(-(n - 16) * (n - 16) / 8), b = exp(-(n - 44) * (n - 44) / 8);

        put(&m, i / (WIDE * HIGH), p,
            0.1 * (p % WIDE % 2 ? a + (1 + more(p % WIDE, p / WIDE)) * b : exp(-(n - 30) * (n - 30) / 8)));
    }
    return m;
}

/* 140 samples before or after. */
static int delay_of_pulses(size_t p, size_t q)
{
    size_t odd = p % WIDE % 2 ? p : q;
    int second = more(odd % WIDE, odd / WIDE) > 0 ? 140 : -140;

    return p % WIDE % 2 == q % WIDE % 2 ? 0 : odd == q ? second : -second;
}

TEST(close_maxima)
{
    int32_t *shifts = must_calloc(WIDE * HIGH * WINDOW * WINDOW, sizeof *shifts);
    film m = make_pulses();

    for (size_t e = 0; e < COUNT(engines); e++) {
        penta_optmap_options o = options(engines[e]);

        run(state, &m, &o, NULL, shifts);
        for (size_t i = 0; i < WIDE * HIGH * WINDOW * WINDOW; i++) {
            size_t p = i / (WINDOW * WINDOW), k = i % (WINDOW * WINDOW), r = WINDOW / 2;

            if (inside(p))
                assert_int_equal(shifts[i], delay_of_pulses(p, p + (k / WINDOW - r) * WIDE + k % WINDOW - r));
        }
    }
    free(m.f), free(shifts);
}

/* ---- the filters ---- */

/* What becomes of an impulse in time: the 81 taps. */
TEST(taps)
{
    enum { FRAMES = 20, AT = 9 };
    static const float printed[] = {1, 0.609836360662F}; /* b[40], b[35] = b[45] */
    float y[FRAMES * 10];

    for (size_t e = 0; e < COUNT(engines); e++) {
        film m = make_film(1, 1, FRAMES);
        penta_optmap_options o = options(engines[e]);

        o.window = 1;
        o.output = PENTA_OPTMAP_INTERPOLATED;
        for (size_t n = 0; n < FRAMES; n++)
            put(&m, n, 0, n == AT);
        run(state, &m, &o, y, NULL);
        expect_near(y[10 * AT], printed[0], 1e-7);
        expect_near(y[10 * AT - 5], printed[1], 1e-7);
        for (int k = 1; k < 10 * AT; k++) {
            expect_near(y[10 * AT + k], y[10 * AT - k], 1e-7);
            assert_true(k < 40 && k % 10 ? y[10 * AT + k] != 0 : y[10 * AT + k] == 0);
        }
        free(m.f);
    }
}

/* Pixels of one shape, one of them twice as large as the others: the Gaussian around it. */
TEST(gaussian)
{
    enum { SIDE = 9, FRAMES = 30, PEAK = 15 };
    static const double printed[3][3] = {{0.1214, 0.0847, 0.0288}, {0.0847, 0.0591, 0.0201}, {0.0288, 0.0201, 0.0068}};
    float filtered[FRAMES * SIDE * SIDE];

    for (size_t e = 0; e < COUNT(engines); e++) {
        film m = make_film(SIDE, SIDE, FRAMES);
        penta_optmap_options o = options(engines[e]);

        for (size_t i = 0; i < FRAMES * SIDE * SIDE; i++) {
            double t = (double)(i / (SIDE * SIDE)) - PEAK, size = i % (SIDE * SIDE) == SIDE * SIDE / 2 ? 2 : 1;

            put(&m, i / (SIDE * SIDE), i % (SIDE * SIDE), 0.1 * size * exp(-t * t / 6));
        }
        run(state, &m, &o, filtered, NULL);
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++) {
                const float *frame = filtered + (size_t)PEAK * SIDE * SIDE;

                expect_near((double)frame[(4 + dy) * SIDE + 4 + dx] / 0.1 - 1, printed[abs(dy)][abs(dx)], 0.5e-4);
            }
        free(m.f);
    }
}

/* medfilt1([4 3 5 2 8 9 1],4) = [1.5 3.5 3.5 4 6.5 5 4.5]: a 0 before, which is the baseline, and one after pad it as
 * medfilt1 does. */
TEST(medfilt)
{
    static const double x[9] = {0, 4, 3, 5, 2, 8, 9, 1, 0}, expected[7] = {1.5, 3.5, 3.5, 4, 6.5, 5, 4.5};
    float out[9];

    for (size_t e = 0; e < COUNT(engines); e++) {
        film m = make_film(1, 1, 9);
        penta_optmap_options o = options(engines[e]);

        o.window = o.interp = 1;
        o.median = 4;
        for (size_t n = 0; n < 9; n++)
            put(&m, n, 0, x[n]);
        run(state, &m, &o, out, NULL);
        for (size_t n = 0; n < 7; n++)
            expect_near((double)out[n + 1], expected[n], 1e-6);
        free(m.f);
    }
}

ON_DEVICE;
