/*
 * Devices without double precision: t0 of every pair with a unique maximum as the correlation's sums in double have it,
 * decided by the host where floats leave it open; the filtered movie within 1e-5 of the signal's range; beats, phases
 * and velocities of simulated tissue beside those of the same device with double precision.
 */
#include "support/test.h"

#include <pentacl/analysis.h>
#include <pentacl/tissue_camera.h>

#include "reference/optmap.h"
#include "support/random.h"
#include "support/shift_movies.h"

#define MOST_ERROR 1e-5 /* of the filtered movie, of the signal's range */
#define UNIQUE     1e-12

static penta_context *without_double(void **state)
{
    penta_context *ctx = device_of(state);

    penta_context_without_double(ctx);
    return ctx;
}

/* ---- shifts ---- */

TEST_IN(AS_GPU | AS_IT_IS, shows)
{
    penta_context *ctx = without_double(state);

    for (size_t i = 0; i < SHIFT_SHOWS; i++) {
        HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(6, 4, 150, 10, 81, 5);

        random_seed(i);
        fill_shift_movie(&m, shift_shows[i]);
        m.valid[9] = i % 2 == 0;
        print_message("show %zu: %.3f unique\n", i, check_shift_bands(ctx, &m, 1 + i % 3));
    }
}

/* Lengths on both sides of those that are summed directly; other filters, lags and borders. */
TEST_IN(AS_GPU | AS_IT_IS, shapes)
{
    static const struct {
        size_t frames;
        int interp, taps, lag;
    } shapes[] = {{2, 10, 81, -1}, {9, 10, 81, -1}, {10, 10, 81, 7}, {101, 3, 25, 100}, {40, 17, 137, 0}};
    penta_context *ctx = without_double(state);

    for (size_t i = 0; i < COUNT(shapes); i += stands_in(ctx) ? 3 : 1)
        for (size_t show = 0; show < 4; show++) {
            HELD_BY(free_shift_movie)
            shift_movie m = make_shift_movie(5, 3 + i % 2, shapes[i].frames, shapes[i].interp, shapes[i].taps, 3);

            random_seed(i);
            fill_shift_movie(&m, shift_shows[show]);
            m.options.max_lag = shapes[i].lag;
            m.options.demean = i % 2;
            m.options.border = i % 2 ? PENTA_OPTMAP_FULL : PENTA_OPTMAP_SHRINK;
            check_shifts(ctx, &m);
        }
}

/* So broad and finely interpolated a wave that floats leave dozens of lags open. */
static double broad(const shift_movie *m, double x, double y, double t)
{
    double at = t - (double)m->frames / 2 - 0.37 * x - 0.21 * y;

    return exp(-at * at / 1800) + 1e-4 * sin(t + x) * exp(-at * at / 1800);
}

TEST_IN(AS_GPU | AS_IT_IS, many_lags)
{
    penta_context *ctx = without_double(state);
    HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(2, 1, 200, 100, 801, 3);

    m.options.demean = 0;
    fill_shift_movie(&m, broad);
    check_shifts(ctx, &m);
}

/* ---- conditioning beside the reference ---- */

enum { WIDTH = 9, HEIGHT = 8, FRAMES = 120, PIXELS = WIDTH * HEIGHT, WINDOW = 5, NEIGHBOURS = WINDOW * WINDOW };

/* A wave over two movies of doubles, of light that falls, with noise; a dark pixel, and one that is constant. */
typedef struct {
    double numbers[2][FRAMES * PIXELS], quotients[FRAMES * PIXELS];
    uint16_t counts[FRAMES * PIXELS];
    const void *frames[2][FRAMES];
} film;

static film *make_film(double noise)
{
    film *f = must_calloc(1, sizeof *f);

    random_seed(11);
    for (size_t n = 0; n < FRAMES; n++)
        for (size_t p = 0; p < PIXELS; p++) {
            double x = (double)(p % WIDTH), y = (double)(p / WIDTH), t = (double)n - 30 - 1.3 * x - 0.6 * y;
            double v = (t < 0 ? exp(-t * t / 8) : exp(-t * t / 500)) + noise * random_normal();
            size_t i = n * PIXELS + p;

            f->numbers[0][i] = p == 20 ? 0 : p == 40 ? 3000 : (3000 - 200 * v) * (1 - 1e-3 * (double)n);
            f->numbers[1][i] = 1000 + 100 * sin(0.1 * (double)n + x);
            f->quotients[i] = f->numbers[0][i] / f->numbers[1][i];
            f->counts[i] = (uint16_t)f->numbers[0][i];
            f->frames[0][n] = f->numbers[0] + n * PIXELS;
            f->frames[1][n] = f->numbers[1] + n * PIXELS;
        }
    return f;
}

typedef struct {
    uint8_t valid[PIXELS], got_valid[PIXELS];
    int32_t shifts[PIXELS * NEIGHBOURS], got_shifts[PIXELS * NEIGHBOURS];
    double gaps[PIXELS * NEIGHBOURS], *filtered;
    float *got_filtered;
} results;

static void run_plan(penta_context *ctx, const penta_optmap_options *o, const penta_movie *movie, results *r)
{
    penta_optmap_result got = {.valid = r->got_valid, .shifts = r->got_shifts};
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;

    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, o, &plan));
    got.filtered = r->got_filtered = must_calloc(penta_optmap_frames(plan) * PIXELS, sizeof *got.filtered);
    r->filtered = must_calloc(penta_optmap_frames(plan) * PIXELS, sizeof *r->filtered);
    EXPECT_OK(ctx, penta_optmap_run(plan, movie, &got));
}

/* Largest difference of the filtered movie, over the range of the signal; wrong shifts fail. */
static double compare_with_reference(const penta_optmap_options *given, const double *numbers, size_t frames,
                                     results *r)
{
    penta_optmap_options o = *given;
    double least = INFINITY, most = -INFINITY, worst = 0, enough = o.correlation == PENTA_OPTMAP_PHASE ? 1e-9 : UNIQUE;

    o.taps = o.taps ? o.taps : 8 * o.interp + 1;
    reference_optmap(&o, WIDTH, HEIGHT, FRAMES, numbers, r->valid, r->shifts, r->gaps, r->filtered);
    assert_memory_equal(r->valid, r->got_valid, PIXELS);
    for (size_t i = 0; i < (size_t)PIXELS * NEIGHBOURS; i++)
        if (r->gaps[i] > enough && r->shifts[i] != r->got_shifts[i])
            fail_msg("pixel %zu, neighbour %zu: %d instead of %d, gap %g", i / NEIGHBOURS, i % NEIGHBOURS,
                     r->got_shifts[i], r->shifts[i], r->gaps[i]);
    for (size_t i = 0; i < frames * PIXELS; i++) {
        assert_int_equal(isnan(r->filtered[i]), isnan(r->got_filtered[i]));
        if (!isnan(r->filtered[i])) {
            worst = fmax(worst, fabs(r->filtered[i] - (double)r->got_filtered[i]));
            least = fmin(least, r->filtered[i]);
            most = fmax(most, r->filtered[i]);
        }
    }
    free(r->filtered);
    free(r->got_filtered);
    return worst / (most - least);
}

TEST_IN(AS_GPU | AS_IT_IS, conditioning)
{
    static const struct {
        const char *name;
        int engine, correlation, drift, output, tails;
        bool counts, ratio;
        double noise;
    } cases[] = {{"counts", PENTA_OPTMAP_FAST, 0, PENTA_OPTMAP_DRIFT_NONE, 0, 0, true, false, 0.05},
                 {"noise as large as the signal", PENTA_OPTMAP_FAST, 0, 2, 0, 0, false, false, 1},
                 {"two cameras", PENTA_OPTMAP_FAST, 0, PENTA_OPTMAP_DRIFT_NONE, 1, 1, false, true, 0.2},
                 {"literal", PENTA_OPTMAP_LITERAL, 0, 1, 0, 0, false, false, 0.2},
                 {"literal, phase correlation", PENTA_OPTMAP_LITERAL, PENTA_OPTMAP_PHASE, 0, 1, 2, false, false, 0.05}};
    penta_context *ctx = without_double(state);

    for (size_t i = 0; i < COUNT(cases); i++) {
        HELD film *f = make_film(cases[i].noise);
        HELD results *r = must_calloc(1, sizeof *r);
        const void *counts[FRAMES];
        penta_movie movie = {.type = PENTA_F64, .frames = f->frames[0]};
        const double *numbers = cases[i].ratio ? f->quotients : f->numbers[0];
        penta_optmap_options o;
        double worst;

        penta_optmap_options_init(&o);
        o.engine = cases[i].engine;
        o.correlation = cases[i].correlation;
        o.drift = cases[i].drift;
        o.output = cases[i].output;
        o.tails = cases[i].tails;
        movie.under = cases[i].ratio ? f->frames[1] : NULL;
        for (size_t n = 0; n < FRAMES; n++)
            counts[n] = f->counts + n * PIXELS;
        if (cases[i].counts) {
            movie = (penta_movie){.type = PENTA_U16, .frames = counts};
            for (size_t k = 0; k < (size_t)FRAMES * PIXELS; k++)
                f->numbers[0][k] = f->counts[k];
        }
        run_plan(ctx, &o, &movie, r);
        worst = compare_with_reference(&o, numbers, (size_t)FRAMES * (size_t)(o.output ? o.interp : 1), r);
        print_message("%s: filtered movie within %.2g of the range\n", cases[i].name, worst);
        assert_true(worst < MOST_ERROR);
    }
}

/* ---- tissue beside the same device with double precision ---- */

enum { SIDE = 40, SHOTS = 240 };

/* Two beats from a site, or a rotor, in a sheet before a camera with noise of this SNR. */
static void expose(penta_context *ctx, bool rotor, double snr, int seed, uint16_t *counts)
{
    const penta_tissue_stimulus stimuli[] = {{20, 8, 10, 0}, {240, 8, 10, 0}};
    const penta_tissue_rotor spiral = {18, 21, 1};
    HELD float *cover = must_calloc((size_t)SIDE * SIDE, sizeof *cover);
    penta_tissue_options o;
    penta_camera_options camera;
    HELD_BY(penta_tissue_movie_free) penta_tissue_movie movie;
    HELD_BY(penta_tissue_held) penta_tissue *t = NULL;

    penta_tissue_options_init(&o);
    o.cells = 1;
    o.speed = 28;
    o.pixel_size = 0.05;
    EXPECT_OK(ctx, penta_tissue_create(ctx, SIDE, SIDE, NULL, &o, &t));
    if (rotor) {
        EXPECT_OK(ctx, penta_tissue_begin_rotors(t, &spiral, 1));
        EXPECT_OK(ctx, penta_tissue_advance(t, 300));
    }
    EXPECT_OK(ctx, penta_tissue_film(t, 500, SHOTS, stimuli, rotor ? 0 : 2, &movie));
    penta_tissue_cover(t, cover);
    penta_camera_options_init(&camera);
    camera.snr = snr;
    camera.bleach = 5;
    camera.seed = seed;
    EXPECT_OK(ctx, penta_camera_expose(ctx, &movie, cover, 500, &camera, counts, NULL));
}

static void analyse(penta_context *ctx, const uint16_t *counts, penta_findings *found)
{
    const void *frames[SHOTS];
    penta_recording recording = {SIDE, SIDE, SHOTS, 500, {.type = PENTA_U16, .frames = frames}};
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;

    for (size_t n = 0; n < SHOTS; n++)
        frames[n] = counts + n * SIDE * SIDE;
    penta_analysis_options_init(&o);
    o.pixel_size = 0.05;
    o.average = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    EXPECT_OK(ctx, penta_analysis_run(plan, &recording, found));
}

/* Share of numbers that differ by more than `most`, or of which one alone is not a number. */
static double share_off(const char *name, const float *got, const float *want, size_t count, double most)
{
    size_t off = 0;
    double worst = 0;

    for (size_t i = 0; i < count; i++) {
        double gap = fabs((double)got[i] - (double)want[i]);

        if (isnan(got[i]) && isnan(want[i]))
            continue;
        worst = fmax(worst, isnan(gap) ? 0 : gap);
        off += !(gap <= most);
    }
    print_message("  %-14s %.2g at most, %zu of %zu by over %g\n", name, worst, off, count, most);
    return (double)off / (double)count;
}

/* Difference of two angles in turns of 2 pi. */
static double share_off_phase(const float *got, const float *want, size_t count, double most)
{
    size_t off = 0;

    for (size_t i = 0; i < count; i++) {
        double gap = (double)got[i] - (double)want[i], turn = 2 * acos(-1);

        if (!(isnan(got[i]) && isnan(want[i])))
            off += !(fabs(gap - turn * rint(gap / turn)) <= most);
    }
    print_message("  %-14s %zu of %zu by over %g\n", "phase", off, count, most);
    return (double)off / (double)count;
}

/* One in a thousand may be decided otherwise where two numbers are equal but for rounding. */
#define EXPECT_NEAR(name, count, most) assert_true(share_off(#name, got.name, want.name, (count), (most)) <= 1e-3)

static void compare_findings(penta_context *ctx, bool rotor, double snr, int seed)
{
    size_t pixels = (size_t)SIDE * SIDE, maps;
    HELD uint16_t *counts = must_calloc(SHOTS * pixels, sizeof *counts);
    HELD_BY(penta_findings_free) penta_findings want = {0}, got = {0};

    expose(ctx, rotor, snr, seed, counts);
    analyse(ctx, counts, &want);
    penta_context_without_double(ctx);
    analyse(ctx, counts, &got);
    print_message("%s, SNR %g: %zu beats, %zu rotors, %zu singularities\n", rotor ? "a rotor" : "beats", snr,
                  want.beat_count, want.rotor_count, want.singularity_count);
    assert_int_equal(got.drift, want.drift);
    assert_int_equal(got.beat_count, want.beat_count);
    assert_int_equal(got.rotor_count, want.rotor_count);
    assert_int_equal(got.singularity_count, want.singularity_count);
    assert_true(rotor || got.beat_count == 2);
    assert_int_equal(got.rotor_count, rotor ? 1 : 0);
    maps = want.beat_count * pixels;
    assert_memory_equal(got.result.valid, want.result.valid, pixels);
    EXPECT_NEAR(result.filtered, SHOTS * pixels, 1e-6);
    EXPECT_NEAR(frequency, pixels, 1e-5);
    EXPECT_NEAR(regularity, pixels, 1e-5);
    assert_true(share_off_phase(got.phase, want.phase, SHOTS * pixels, 1e-4) <= 1e-3);
    if (!rotor) {
        EXPECT_NEAR(maps.activation, maps, 1e-3);
        EXPECT_NEAR(maps.apd[2], maps, 1e-3);
        EXPECT_NEAR(maps.rise, maps, 1e-3);
        EXPECT_NEAR(maps.amplitude, maps, 1e-6);
        EXPECT_NEAR(maps.snr, maps, 1e-4);
        EXPECT_NEAR(snr_filtered, maps, 1e-4);
        EXPECT_NEAR(velocity, 2 * maps, 1e-3);
        EXPECT_NEAR(average, got.average_frames * pixels, 1e-6);
    }
}

/* Each in a context of its own, which is with double precision first. */
static void compare_in(int (*open)(void **), bool rotor, double snr, int seed)
{
    void *context = NULL;

    assert_int_equal(open(&context), 0);
    if (context && !penta_context_device(context)->fp64)
        leave_out("this device has no double precision to compare with");
    else if (context)
        compare_findings(context, rotor, snr, seed);
    close_device(&context);
}

TEST_IN(ON_HOST, beats)
{
    compare_in(open_device, false, 2, 1);
    compare_in(open_device, false, 20, 2);
    compare_in(open_gpu_form, false, 5, 3);
}

TEST_IN(ON_HOST, rotor)
{
    compare_in(open_device, true, 2, 4);
    compare_in(open_gpu_form, true, 8, 5);
}

RUN(AS_IT_IS, "optmap without double precision", open_device, close_device);
RUN(ON_HOST, "optmap without double precision, tissue", NULL, NULL);
RUN(AS_GPU, "optmap without double precision, forms for GPUs", open_gpu_form, close_device);
