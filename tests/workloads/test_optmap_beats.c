/* Beats of movies: when they are, and what they look like in each pixel. */
#include "support/test.h"

#include <pentacl/beats.h>

#include "core/internal.h"
#include "reference/optmap_beats.h"
#include "support/random.h"
#include "support/waves.h"

static penta_beats_options defaults(void)
{
    penta_beats_options o;

    penta_beats_options_init(&o);
    return o;
}

/* ---- finding ---- */

static void expect_beats(penta_context *ctx, const waves *w)
{
    HELD_BY(waves_free) penta_movie_view m = waves_movie(w);
    HELD penta_beat *beats = NULL;
    size_t count;

    EXPECT_OK(ctx, penta_beats_find(ctx, &m, NULL, &beats, &count));
    assert_int_equal(count, w->beats);
    assert_int_equal(beats[0].first, 0);
    assert_int_equal(beats[count - 1].end, w->frames);
    for (size_t i = 0; i < count; i++) {
        double least = INFINITY, most = -INFINITY;

        for (size_t y = 0; y < w->height; y++)
            for (size_t x = 0; x < w->width; x++) {
                least = fmin(least, waves_delay(w, x, y));
                most = fmax(most, waves_delay(w, x, y));
            }
        least = (least + w->first + (double)i * w->cycle) * w->rate / 1000;
        most = (most + w->first + (double)i * w->cycle) * w->rate / 1000;
        assert_true(beats[i].upstroke >= least - 1 && beats[i].upstroke <= most + 1);
        assert_true(i == 0 || (double)beats[i].first < least - 4); /* foot of the first upstroke */
        assert_true((double)beats[i].end > most + 2);
        assert_true(i == 0 || beats[i].first == beats[i - 1].end);
    }
}

TEST(finds_beats)
{
    static const waves cases[] = {
        {150, 40, 21, 1000, 12, 0, 45, 1, {0.5}, true, 0},             /* one radial wave */
        {150, 40, 21, 1000, 12, 0, 45, 1, {0.5}, true, 0.1},           /* noise */
        {151, 40, 21, 1000, 2, 0, 45, 1, {0.5}, true, 0},              /* begins as the movie does */
        {900, 10, 50, 1000, 40, 170, 60, 5, {2, 0}, false, 0.05},      /* a wave of 100 ms */
        {900, 10, 50, 1000, 40, 170, 60, 5, {2, 0}, false, 0},         /* */
        {1500, 7, 9, 500, 20, 100, 50, 29, {0.4, 0.7}, false, 0.02},   /* many */
        {2001, 5, 5, 1000, 300, 800, 180, 2, {0.3, 0.1}, false, 0.02}, /* long pauses */
        {700, 1, 1, 250, 50, 300, 90, 9, {0, 0}, false, 0},            /* one pixel */
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        expect_beats(device_of(state), &cases[i]);
}

static void expect_none(penta_context *ctx, const penta_movie_view *m)
{
    size_t count = 7;
    penta_beat *beats = (penta_beat *)&count;

    EXPECT_OK(ctx, penta_beats_find(ctx, m, NULL, &beats, &count));
    assert_int_equal(count, 0);
    assert_null(beats);
}

DEVICE_TEST(finds_none)
{
    waves w = {200, 30, 30, 1000, 0, 0, 1, 0, {0}, false, 0};
    penta_movie_view m = waves_movie(&w);

    expect_none(ctx, &m); /* flat */
    m.frames = 1;
    expect_none(ctx, &m);
    m.frames = w.frames;
    for (size_t f = 0; f < w.frames; f++) /* waves that go round */
        for (size_t y = 0; y < w.height; y++)
            for (size_t x = 0; x < w.width; x++) {
                double angle = atan2((double)y - 14.5, (double)x - 14.5);

                *waves_at(&m, f, y * w.width + x) = (float)cos(angle - 0.05 * (double)f);
            }
    expect_none(ctx, &m);
    waves_free(&m);
    w.noise = 1;
    m = waves_movie(&w);
    expect_none(ctx, &m);
    waves_free(&m);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The median of the climbs of single pixels, all valid. */
static size_t middle_climbs(penta_context *ctx, const penta_movie_view *m)
{
    size_t pixels = m->height * m->width, middle;
    HELD float *climbs = must_calloc(pixels, sizeof *climbs);

    EXPECT_OK(ctx, penta_beats_climbs(ctx, m, NULL, climbs));
    qsort(climbs, pixels, sizeof *climbs, compare_floats);
    middle = (size_t)climbs[pixels / 2];
    return middle;
}

static void expect_none_of(penta_context *ctx, const waves *w, size_t expected)
{
    HELD_BY(waves_free) penta_movie_view m = waves_movie(w);
    size_t count;

    expect_none(ctx, &m);
    count = middle_climbs(ctx, &m);
    assert_true(expected ? count == expected : count > 20);
}

/* Waves that follow one another before the last one has left have no frame between them; noise climbs all the time. */
TEST(takes_no_noise_and_no_overlapping_waves_for_beats)
{
    static const double crossings[] = {115, 170, 250};

    for (size_t i = 0; i < COUNT(crossings); i++)
        for (int noisy = 0; noisy < 2; noisy++) {
            waves w = {900, 3, 80, 1000, 40, 100, 45, 6, {crossings[i] / 79, 0}, false, noisy * 0.02};

            expect_none_of(device_of(state), &w, 6);
        }
    for (size_t side = 4; side < 12; side++) {
        waves w = {300, side, side, 1000, 0, 0, 1, 0, {0}, false, 1};

        expect_none_of(device_of(state), &w, 0);
    }
}

/* Pixels that climb as often as their mean, and much noise that the mean has not. */
DEVICE_TEST(expects_what_it_finds)
{
    static const waves cases[] = {{900, 10, 50, 1000, 40, 170, 60, 5, {2, 0}, false, 0.01},
                                  {940, 25, 25, 1000, 40, 150, 60, 6, {0.3, 0.2}, false, 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        HELD_BY(waves_free) penta_movie_view m = waves_movie(&cases[i]);
        HELD penta_beat *beats = NULL;
        size_t count, expected;

        EXPECT_OK(ctx, penta_beats_find(ctx, &m, NULL, &beats, &count));
        expected = middle_climbs(ctx, &m);
        assert_int_equal(count, cases[i].beats);
        assert_true(i == 0 ? expected == count : expected > 2 * count);
    }
}

/* Each pixel by itself: here pixel p climbs p times, but for two that are not valid, and pixel 0, which is constant. */
DEVICE_TEST(counts_climbs)
{
    waves w = {1400, 5, 14, 1000, 0, 0, 1, 0, {0}, false, 0};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    float climbs[70];

    for (size_t f = 0; f < m.frames; f++)
        for (size_t p = 1; p < 70; p++)
            *waves_at(&m, f, p) = f / 10 < 2 * p ? (f / 10 % 2 ? 5.F : 3.6F) + (float)(f % 2) * 0.3F : 3.6F;
    *waves_at(&m, 7, 23) = NAN;
    *waves_at(&m, 0, 44) = INFINITY;
    EXPECT_OK(ctx, penta_beats_climbs(ctx, &m, NULL, climbs));
    for (size_t p = 0; p < 70; p++) {
        assert_int_equal(isnan(climbs[p]), p == 23 || p == 44);
        if (!isnan(climbs[p]))
            assert_int_equal(climbs[p], p);
    }
}

DEVICE_TEST(keeps_to_its_options)
{
    waves w = {1000, 4, 4, 1000, 50, 200, 60, 5, {0, 0}, false, 0};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beats_options o = defaults();
    penta_beat *beats;
    size_t count;

    for (size_t f = 0; f < m.frames; f++) /* every second beat is a quarter as high */
        for (size_t p = 0; p < 16; p++)
            if (f / 200 % 2 == 1)
                *waves_at(&m, f, p) = (*waves_at(&m, f, p) + 0.2F) / 4 - 0.2F;
    EXPECT_OK(ctx, penta_beats_find(ctx, &m, &o, &beats, &count));
    assert_int_equal(count, 3);
    free(beats);
    o.threshold = 0.2;
    EXPECT_OK(ctx, penta_beats_find(ctx, &m, &o, &beats, &count));
    assert_int_equal(count, 5);
    free(beats);
    o.refractory = 201;
    EXPECT_OK(ctx, penta_beats_find(ctx, &m, &o, &beats, &count));
    assert_int_equal(count, 3);
    expect_near(beats[1].upstroke, 450, 0.1);
    free(beats);
}

/* ---- measuring ---- */

enum { MAPS = 9 };

static void list_maps(const penta_beat_maps *m, const float *list[MAPS])
{
    const float *maps[MAPS] = {m->activation, m->repolarisation, m->apd[0],    m->apd[1], m->apd[2],
                               m->apd[3],     m->rise,           m->amplitude, m->snr};

    memcpy(list, maps, sizeof maps);
}

static void expect_reference(const penta_context *ctx, const penta_movie_view *m, const penta_beat *beats, size_t count,
                             const penta_beat_maps *out)
{
    bool dbl = penta_context_device(ctx)->fp64;
    double tolerance = dbl ? 1e-7 : 1e-5, least = dbl ? 1e-9 : 1e-4; /* docs/mathematics/optmap.md */
    size_t pixels = m->height * m->width;
    HELD float *trace = must_calloc(m->frames, sizeof *trace);
    const float *list[MAPS];

    list_maps(out, list);
    for (size_t p = 0; p < pixels; p++) {
        for (size_t f = 0; f < m->frames; f++)
            trace[f] = m->data[f * pixels + p];
        for (size_t b = 0; b < count; b++) {
            double expected[MAPS];

            reference_beat(trace, m->frames, m->frame_rate_hz, beats[b].first, beats[b].end, expected);
            for (int k = 0; k < MAPS; k++) {
                double value = (double)list[k][b * pixels + p];

                assert_int_equal(isnan(value), isnan(expected[k]));
                if (!isnan(value))
                    expect_near(value, expected[k], tolerance * fabs(expected[k]) + least);
            }
        }
    }
}

DEVICE_TEST(agrees_with_the_formulas)
{
    static const waves cases[] = {{733, 13, 11, 1000, 30, 170, 60, 4, {1.3, 0.4}, false, 0.03},
                                  {150, 33, 21, 1000, 2, 0, 45, 1, {0.5}, true, 0.1},
                                  {121, 8, 8, 500, 100, 300, 200, 1, {3, 1}, false, 0},
                                  {40, 4, 5, 500, 20, 30, 10, 2, {0.2, 0.1}, false, 0.3}};
    penta_beats_options o = defaults();

    o.min_upstroke = 0;
    o.beat_smoothing = PENTA_BEAT_SMOOTHING_NONE;
    for (size_t i = 0; i < COUNT(cases); i++) {
        HELD_BY(waves_free) penta_movie_view m = waves_movie(&cases[i]);
        HELD penta_beat *beats = NULL;
        penta_beat_maps maps;
        size_t count;

        *waves_at(&m, 17, 5) = NAN;
        *waves_at(&m, 0, 6) = -INFINITY;
        *waves_at(&m, m.frames - 1, 19) = NAN;
        for (size_t f = 0; f < m.frames; f++)
            *waves_at(&m, f, 18) = 3;
        EXPECT_OK(ctx, penta_beats_find(ctx, &m, &o, &beats, &count));
        assert_true(count > 0);
        EXPECT_OK(ctx, penta_beats_measure(ctx, &m, &o, beats, count, &maps));
        assert_int_equal(maps.beats, count);
        assert_true(isnan(maps.activation[5]) && isnan(maps.amplitude[6]) && isnan(maps.snr[19]));
        assert_true(isnan(maps.activation[18]) && !isnan(maps.activation[0]));
        expect_reference(ctx, &m, beats, count, &maps);
        penta_beat_maps_free(&maps);
        assert_null(maps.activation);
        penta_beat_maps_free(&maps);
    }
}

/* What is measured is what the wave was made of. */
DEVICE_TEST(measures_the_wave)
{
    waves w = {400, 30, 41, 1000, 60.3, 0, 90, 1, {0.37, 0.21}, false, 0};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beat beat = {0, w.frames, 0};
    HELD_BY(penta_beat_maps_free) penta_beat_maps maps;

    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, &beat, 1, &maps));
    for (size_t y = 0; y < w.height; y++)
        for (size_t x = 0; x < w.width; x++) {
            size_t p = y * w.width + x;
            double back = 90 + 5 * log(0.8 / 0.2), low = 1.2 * log(0.1 / 0.9); /* where the factors are .2 and .1 */

            expect_near(maps.activation[p], w.first + waves_delay(&w, x, y), 0.05);
            expect_near(maps.apd[1][p], 90, 0.1);
            expect_near(maps.apd[2][p], back, 0.1);
            expect_near(maps.repolarisation[p], maps.activation[p] + maps.apd[2][p], 1e-4);
            expect_near(maps.rise[p], -2 * low, 0.2);
            expect_near(maps.amplitude[p], 1, 1e-3);
        }
}

/* A recording that begins in an action potential: the level before the first upstroke is that of diastole, not of what
 * comes before. One that begins in an upstroke has no diastole before it. */
DEVICE_TEST(measures_beats_that_begin_before_the_recording)
{
    static const double firsts[] = {-75, -60, -40, -20, -8};

    for (size_t i = 0; i < COUNT(firsts); i++) {
        waves w = {600, 4, 6, 1000, firsts[i], 150, 60, 4, {0.3, 0.2}, false, 0};
        HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
        HELD penta_beat *beats = NULL;
        HELD_BY(penta_beat_maps_free) penta_beat_maps maps;
        size_t count, pixels = 24;

        EXPECT_OK(ctx, penta_beats_find(ctx, &m, NULL, &beats, &count));
        assert_int_equal(count, 3);
        EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, beats, count, &maps));
        for (size_t k = 0; k < count * pixels; k++) {
            size_t beat = k / pixels, x = k % 6, y = k % pixels / 6;

            expect_near(maps.activation[k], w.first + 150 * (double)(beat + 1) + waves_delay(&w, x, y), 0.05);
            expect_near(maps.apd[0][k], 60 + 5 * log(0.3 / 0.7), 0.15);
            expect_near(maps.apd[2][k], 60 + 5 * log(0.8 / 0.2), 0.15);
            expect_near(maps.apd[3][k], 60 + 5 * log(0.9 / 0.1), 0.25);
            expect_near(maps.amplitude[k], 1, 2e-3);
            expect_near(maps.rise[k], 2.4 * log(9), 0.2);
        }
    }
}

DEVICE_TEST(knows_no_amplitude_without_diastole)
{
    waves w = {150, 4, 6, 1000, 1.5, 0, 60, 1, {0, 0}, false, 0};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beat beat = {0, w.frames, 0};
    HELD_BY(penta_beat_maps_free) penta_beat_maps maps;

    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, &beat, 1, &maps));
    for (size_t p = 0; p < 24; p++) {
        expect_near(maps.activation[p], 1.5, 0.6); /* slopes at the ends are of two samples */
        assert_true(isnan(maps.amplitude[p]) && isnan(maps.apd[2][p]) && isnan(maps.rise[p]));
    }
}

DEVICE_TEST(leaves_out_what_is_not_there)
{
    waves w = {200, 6, 6, 1000, 60, 0, 100, 1, {0, 0}, false, 0};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beats_options o = defaults();
    penta_beat beat = {0, 163, 0}; /* half of it is back at 160, 80 % at 167 */
    penta_beat_maps maps;

    for (size_t f = 0; f < m.frames; f++)
        *waves_at(&m, f, 8) *= 0.15F;
    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, &o, &beat, 1, &maps));
    expect_near(maps.apd[1][0], 100, 0.1);
    assert_true(isnan(maps.apd[2][0]) && isnan(maps.repolarisation[0]) && isnan(maps.apd[3][0]));
    assert_true(isnan(maps.activation[8]) && isnan(maps.amplitude[8]) && isnan(maps.apd[0][8]));
    penta_beat_maps_free(&maps);
    o.min_upstroke = 0.1;
    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, &o, &beat, 1, &maps));
    expect_near(maps.amplitude[8], 0.15, 1e-4);
    penta_beat_maps_free(&maps);
    EXPECT_OK(ctx, penta_beats_measure(ctx, &m, &o, NULL, 0, &maps));
    assert_true(maps.beats == 0 && !maps.activation);
}

/* ---- means ---- */

DEVICE_TEST(averages)
{
    enum { WINDOW = 90, BEFORE = 25, COUNT_OF = 4 };
    waves w = {601, 7, 13, 1000, 20, 140, 50, COUNT_OF, {0.5, 0.2}, false, 0.1};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    size_t pixels = m.height * m.width, used, starts[3];
    HELD float *out = must_calloc(WINDOW * pixels, sizeof *out);
    HELD penta_beat *beats = NULL;

    *waves_at(&m, 600, 4) = NAN;
    EXPECT_OK(ctx, penta_beats_find(ctx, &m, NULL, &beats, &used));
    assert_int_equal(used, COUNT_OF);
    assert_true(beats[0].upstroke < BEFORE); /* is left out */
    EXPECT_OK(ctx, penta_beats_average(ctx, &m, beats, COUNT_OF, BEFORE, WINDOW, out, &used));
    assert_int_equal(used, 3);
    for (size_t i = 0; i < 3; i++)
        starts[i] = (size_t)beats[i + 1].upstroke - BEFORE;
    for (size_t f = 0; f < WINDOW; f++)
        for (size_t p = 0; p < pixels; p++) {
            double sum = 0;

            for (size_t i = 0; i < 3; i++)
                sum += (double)m.data[(starts[i] + f) * pixels + p];
            assert_int_equal(isnan(out[f * pixels + p]), p == 4);
            if (p != 4)
                expect_near(out[f * pixels + p], sum / 3, 1e-7);
        }
    EXPECT_OK(ctx, penta_beats_average(ctx, &m, beats, 1, BEFORE, WINDOW, out, &used));
    assert_int_equal(used, 0);
    assert_true(isnan(out[0]) && isnan(out[WINDOW * pixels - 1]));
    assert_int_equal(penta_beats_average(ctx, &m, beats, 1, BEFORE, 0, out, &used), PENTA_INVALID);
}

/* Of successive beats, with steps up and down: one long beat, a trend or noise is no alternans. */
DEVICE_TEST(alternates)
{
    static const float map[5][8] = {{10, 10, NAN, 0, 85, 10, 85, 10},
                                    {12, 10, 4, 0, 70, 11, 70, 11},
                                    {10, 10, NAN, 0, 70.2f, 12, 86, 10},
                                    {14, NAN, 4, 0, 69.9f, 13, 71, 9},
                                    {10, 4, NAN, 0, 70, 14, 85, 10}};
    float out[8];

    EXPECT_OK(ctx, penta_alternans(ctx, 5, 4, 2, map[0], out));
    expect_near(out[0], 3 / 23.0 * 200, 1e-5);
    assert_true(isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
    expect_near(out[4], 0, 0.5); /* the first beat alone is long: the means of even and odd beats differ by 7 % */
    expect_near(out[5], 0, 0);
    expect_near(out[6], -15 / 77.9 * 100, 0.1);
    expect_near(out[7], 0, 0);
    EXPECT_OK(ctx, penta_alternans(ctx, 3, 4, 2, map[0], out));
    assert_true(isnan(out[0]) && isnan(out[6]));
}

/* The longest stretch of even cycles. */
TEST(finds_a_regular_rhythm)
{
    const penta_beat paced[] = {{.upstroke = 23},  {.upstroke = 172}, {.upstroke = 323}, {.upstroke = 383},
                                {.upstroke = 540}, {.upstroke = 690}, {.upstroke = 845}, {.upstroke = 1000}};
    size_t first;

    assert_int_equal(penta_beats_regular(paced, 4, &first), 3);
    assert_int_equal(first, 0);
    assert_int_equal(penta_beats_regular(paced, 8, &first), 5);
    assert_int_equal(first, 3);
    assert_int_equal(penta_beats_regular(paced, 0, &first), 0);
}

/* ---- blocks and errors ---- */

DEVICE_TEST(has_the_same_bits_in_any_blocks)
{
    waves w = {400, 17, 23, 1000, 30, 120, 50, 3, {0.8, 0.5}, false, 0.05};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    uint64_t whole = ctx->info.max_allocation;
    size_t pixels = m.height * m.width, count[2], used;
    float *mean[2] = {must_calloc(50 * pixels, 4), must_calloc(50 * pixels, 4)};
    penta_beat *beats[2];
    penta_beat_maps maps[2];

    *waves_at(&m, 9, 100) = NAN;
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(ctx, penta_beats_find(ctx, &m, NULL, &beats[i], &count[i]));
        EXPECT_OK(ctx, penta_beats_measure(ctx, &m, NULL, beats[i], count[i], &maps[i]));
        EXPECT_OK(ctx, penta_beats_average(ctx, &m, beats[i], count[i], 10, 50, mean[i], &used));
        ctx->info.max_allocation = m.frames * 4 * 272; /* 3 x 64 or 4 x 64 pixels at a time */
    }
    ctx->info.max_allocation = whole;
    assert_int_equal(count[0], 3);
    assert_int_equal(count[1], 3);
    assert_memory_equal(beats[0], beats[1], 3 * sizeof *beats[0]);
    assert_memory_equal(mean[0], mean[1], 50 * pixels * 4);
    for (int k = 0; k < MAPS; k++) {
        const float *lists[2][MAPS];

        list_maps(&maps[0], lists[0]);
        list_maps(&maps[1], lists[1]);
        assert_memory_equal(lists[0][k], lists[1][k], 3 * pixels * 4);
    }
    for (int i = 0; i < 2; i++) {
        penta_beat_maps_free(&maps[i]);
        free(beats[i]);
        free(mean[i]);
    }
}

DEVICE_TEST(refuses)
{
    waves w = {50, 4, 4, 1000, 10, 0, 20, 1, {0, 0}, false, 0};
    penta_movie_view m = waves_movie(&w), bad = m;
    penta_beat *beats, wrong[] = {{0, 51, 5}, {7, 7, 7}}, right = {0, 50, 10};
    penta_beats_options o = defaults();
    penta_beat_maps maps;
    size_t count;

    bad.frame_rate_hz = 0;
    EXPECT_REFUSED(ctx, penta_beats_find(ctx, &bad, NULL, &beats, &count), PENTA_INVALID, "rate");
    assert_int_equal(penta_beats_measure(ctx, &bad, NULL, &right, 1, &maps), PENTA_INVALID);
    bad = m;
    bad.width = 0;
    EXPECT_REFUSED(ctx, penta_beats_find(ctx, &bad, NULL, &beats, &count), PENTA_INVALID, "empty");
    o.threshold = 0;
    EXPECT_REFUSED(ctx, penta_beats_find(ctx, &m, &o, &beats, &count), PENTA_INVALID, "`threshold`");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(penta_beats_measure(ctx, &m, NULL, &wrong[i], 1, &maps), PENTA_INVALID);
        assert_null(maps.activation);
    }
    for (size_t p = 0; p < 16; p++)
        *waves_at(&m, 3 * p, p) = p % 2 ? NAN : INFINITY;
    EXPECT_REFUSED(ctx, penta_beats_find(ctx, &m, NULL, &beats, &count), PENTA_INVALID, "no valid pixel");
    assert_null(beats);
    EXPECT_REFUSED(ctx, penta_beats_measure(ctx, &m, NULL, &right, 1, &maps), PENTA_INVALID, "no valid pixel");
    assert_null(maps.activation);
    waves_free(&m);
}

static bool stop(void *user, double done, double total)
{
    (void)user;
    return done < total;
}

DEVICE_TEST(stops_when_asked)
{
    waves w = {50, 4, 4, 1000, 10, 0, 20, 1, {0, 0}, false, 0};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    penta_beat *beats, right = {0, 50, 10};
    penta_beat_maps maps;
    size_t count;

    penta_context_set_progress(ctx, stop, NULL);
    assert_int_equal(penta_beats_find(ctx, &m, NULL, &beats, &count), PENTA_CANCELLED);
    assert_int_equal(penta_beats_measure(ctx, &m, NULL, &right, 1, &maps), PENTA_CANCELLED);
    assert_null(maps.activation);
    penta_context_set_progress(ctx, NULL, NULL);
}

ON_DEVICE;
AS_ON_A_GPU;
