/* Movies through plans: both engines against the reference, bands, memory, and what goes wrong. */
#include "support/test.h"

#include "reference/optmap.h"
#include "support/random.h"

enum { WIDTH = 11, HEIGHT = 9, FRAMES = 130, PIXELS = WIDTH * HEIGHT, WINDOW = 5, NEIGHBOURS = WINDOW * WINDOW };

static const double unique = 1e-12; /* gap of a shift that is the only one */

/* ---- movies ---- */

typedef struct {
    uint16_t data[FRAMES * PIXELS];
    const void *frames[FRAMES];
    penta_movie movie;
} film;

/* 3000 less a pulse that runs over the frame and some noise; a corner that is dark, and a pixel that is constant. */
static film *make_film(void)
{
    film *f = must_calloc(1, sizeof *f);

    random_seed(3);
    for (size_t n = 0; n < FRAMES; n++) {
        f->frames[n] = f->data + n * PIXELS;
        for (size_t p = 0; p < PIXELS; p++) {
            double x = (double)(p % WIDTH), y = (double)(p / WIDTH), t = (double)n - 30 - 1.3 * x - 0.6 * y;
            double v = t < 0 ? exp(-t * t / 8) : exp(-t * t / 500);

            f->data[n * PIXELS + p] = (uint16_t)(3000 - 200 * v + 4 * random_normal());
            if ((x < 2 && y < 2) || p == PIXELS / 2 + 3)
                f->data[n * PIXELS + p] = x < 2 ? 0 : 3000;
        }
    }
    f->movie = (penta_movie){.type = PENTA_U16, .frames = f->frames};
    return f;
}

static penta_optmap_options with_defaults(int engine)
{
    penta_optmap_options o;

    penta_optmap_options_init(&o);
    o.drift = PENTA_OPTMAP_DRIFT_NONE; /* what the reference is told */
    o.engine = engine;
    return o;
}

/* ---- results ---- */

static penta_optmap_result make_result(size_t frames)
{
    penta_optmap_result r = {must_calloc(frames * PIXELS, 4),
                             must_calloc((size_t)FRAMES * PIXELS, 4),
                             must_calloc((size_t)PIXELS * NEIGHBOURS, 4),
                             must_calloc(PIXELS, 1),
                             0,
                             0};

    return r;
}

static void free_result(penta_optmap_result *r)
{
    free(r->filtered);
    free(r->traces);
    free(r->shifts);
    free(r->valid);
}

static penta_optmap_result run(penta_context *ctx, const penta_optmap_options *o, const film *f)
{
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;
    penta_optmap_result r;

    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, o, &plan));
    r = make_result(penta_optmap_frames(plan));
    EXPECT_OK(ctx, penta_optmap_run(plan, &f->movie, &r));
    return r;
}

static void same_result(const penta_optmap_result *a, const penta_optmap_result *b, size_t frames)
{
    assert_memory_equal(a->filtered, b->filtered, frames * PIXELS * 4);
    assert_memory_equal(a->traces, b->traces, (size_t)FRAMES * PIXELS * 4);
    assert_memory_equal(a->shifts, b->shifts, (size_t)PIXELS * NEIGHBOURS * 4);
    assert_memory_equal(a->valid, b->valid, PIXELS);
    assert_int_equal(a->valid_pixels, b->valid_pixels);
}

/* ---- the reference ---- */

typedef struct {
    uint8_t valid[PIXELS];
    int32_t shifts[PIXELS * NEIGHBOURS];
    double gaps[PIXELS * NEIGHBOURS], *filtered, traces[FRAMES * PIXELS];
} expected;

static expected *make_expected(const penta_optmap_options *given, const film *f, size_t frames)
{
    expected *e = must_calloc(1, sizeof *e);
    double *numbers = must_calloc((size_t)FRAMES * PIXELS, sizeof *numbers), trace[FRAMES], v[FRAMES];
    penta_optmap_options o = *given;

    if (!o.taps)
        o.taps = 8 * o.interp + 1;
    e->filtered = must_calloc(frames * PIXELS, sizeof *e->filtered);
    for (size_t i = 0; i < (size_t)FRAMES * PIXELS; i++)
        numbers[i] = f->data[i];
    reference_optmap(&o, WIDTH, HEIGHT, FRAMES, numbers, e->valid, e->shifts, e->gaps, e->filtered);
    for (size_t p = 0; p < PIXELS; p++) {
        bool valid;

        for (size_t n = 0; n < FRAMES; n++)
            trace[n] = numbers[n * PIXELS + p];
        valid = reference_optmap_trace(&o, FRAMES, trace, 0, FRAMES, v);
        for (size_t n = 0; n < FRAMES; n++)
            e->traces[n * PIXELS + p] = valid ? v[n] : NAN;
    }
    free(numbers);
    return e;
}

static double largest_of(const expected *e)
{
    double largest = 0;

    for (size_t i = 0; i < (size_t)FRAMES * PIXELS; i++)
        largest = fmax(largest, fabs(e->traces[i]));
    return largest;
}

static void compare_numbers(const float *x, const double *y, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(y[i]))
            assert_true(isnan(x[i]));
        else
            expect_near(x[i], y[i], tolerance);
}

static void compare(const penta_optmap_result *r, const expected *e, size_t frames)
{
    size_t valid = 0;
    double largest = largest_of(e);

    for (size_t p = 0; p < PIXELS; p++)
        valid += e->valid[p];
    assert_memory_equal(r->valid, e->valid, PIXELS);
    assert_int_equal(r->valid_pixels, valid);
    for (size_t i = 0; i < (size_t)PIXELS * NEIGHBOURS; i++) {
        assert_true(e->gaps[i] > unique); /* the film has no ties */
        assert_int_equal(r->shifts[i], e->shifts[i]);
    }
    compare_numbers(r->traces, e->traces, (size_t)FRAMES * PIXELS, 1e-7 * largest);
    compare_numbers(r->filtered, e->filtered, frames * PIXELS, 1e-5 * largest);
}

static void check(penta_context *ctx, const penta_optmap_options *o)
{
    size_t frames = o->output == PENTA_OPTMAP_INTERPOLATED ? (size_t)FRAMES * (size_t)o->interp : FRAMES;
    HELD film *f = make_film();
    HELD_BY(free_result) penta_optmap_result r = run(ctx, o, f);
    HELD expected *e = make_expected(o, f, frames);

    compare(&r, e, frames);
    free(e->filtered);
}

/* ---- tests ---- */

DEVICE_TEST(agrees_with_the_reference)
{
    for (int engine = 0; engine < 2; engine++) {
        penta_optmap_options o = with_defaults(engine);

        check(ctx, &o);
        o.border = PENTA_OPTMAP_SHRINK;
        o.invalid = PENTA_OPTMAP_ZERO;
        o.demean = true;
        o.min_range = 0.05;
        check(ctx, &o);
        o = with_defaults(engine);
        o.output = PENTA_OPTMAP_INTERPOLATED;
        o.tails = PENTA_OPTMAP_TAILS_HOLD;
        o.median = 8;
        o.median_edges = PENTA_OPTMAP_TRUNCATE;
        o.max_lag = 25;
        o.polarity = PENTA_OPTMAP_UP;
        check(ctx, &o);
        o = with_defaults(engine);
        o.interp = 4;
        o.taps = 37;
        o.tails = PENTA_OPTMAP_TAILS_ZERO;
        o.drift = 2;
        check(ctx, &o);
    }
}

DEVICE_TEST(has_the_same_bits_in_any_band)
{
    static const int batches[] = {1, 2, 5, 8, 9, 1000};
    HELD film *f = make_film();

    for (int variant = 0; variant < 4; variant++) {
        penta_optmap_options o = with_defaults(variant / 2);
        HELD_BY(free_result) penta_optmap_result whole;

        o.border = variant % 2;
        whole = run(ctx, &o, f);
        assert_int_equal(whole.batches, 1);
        for (size_t i = 0; i < COUNT(batches); i++) {
            HELD_BY(free_result) penta_optmap_result parts;

            o.batch = batches[i];
            parts = run(ctx, &o, f);
            assert_int_equal(parts.batches, o.batch > HEIGHT ? 1 : (HEIGHT + o.batch - 1) / o.batch);
            same_result(&parts, &whole, FRAMES);
        }
    }
}

/* A plan takes movies of any type one after another, in memory of any kind. */
DEVICE_TEST(serves_again)
{
    penta_optmap_options o = with_defaults(PENTA_OPTMAP_FAST);
    HELD film *f = make_film();
    HELD_BY(free_result) penta_optmap_result first = run(ctx, &o, f), again = make_result(FRAMES);
    penta_optmap_result none = {0};
    penta_optmap *plan;
    const void *real[FRAMES];
    float *floats = must_calloc((size_t)FRAMES * PIXELS, sizeof *floats), *pinned, *pageable = again.filtered;
    penta_movie movie = {.type = PENTA_F32, .frames = real};

    for (size_t i = 0; i < (size_t)FRAMES * PIXELS; i++)
        floats[i] = f->data[i];
    for (size_t n = 0; n < FRAMES; n++)
        real[n] = floats + n * PIXELS;
    EXPECT_OK(ctx, penta_host_alloc(ctx, sizeof(float) * FRAMES * PIXELS, (void **)&pinned));
    o.batch = 4;
    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, &plan));
    for (int turn = 0; turn < 4; turn++) {
        again.filtered = turn % 2 ? pinned : pageable;
        EXPECT_OK(ctx, penta_optmap_run(plan, turn < 2 ? &f->movie : &movie, &again));
        same_result(&again, &first, FRAMES);
    }
    EXPECT_OK(ctx, penta_optmap_run(plan, &f->movie, &none));
    assert_int_equal(none.valid_pixels, first.valid_pixels);
    penta_optmap_destroy(plan);
    penta_host_free(ctx, pinned);
    again.filtered = pageable;
    free(floats);
}

/* The options' texts may go once the plan is there. */
DEVICE_TEST(keeps_its_texts)
{
    penta_optmap_options o = with_defaults(PENTA_OPTMAP_FAST);
    char baseline[] = "0:20", value[] = "0.01";
    HELD film *f = make_film();
    HELD_BY(free_result) penta_optmap_result a, b = make_result(FRAMES);
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;

    o.baseline = baseline;
    o.min_value = value;
    a = run(ctx, &o, f);
    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, &plan));
    memset(baseline, 'x', sizeof baseline - 1);
    memset(value, 'x', sizeof value - 1);
    EXPECT_OK(ctx, penta_optmap_run(plan, &f->movie, &b));
    same_result(&a, &b, FRAMES);
}

/* ---- what goes wrong ---- */

DEVICE_TEST(says_why_no_pixel_is_valid)
{
    static const struct {
        const char *min_value, *text;
        double min_range;
        uint16_t level; /* of all pixels; 1: as they are */
        bool masked;
        double min_intensity;
    } cases[] = {{NULL, "no valid pixel: of 99, 99 do not change in time", 0, 7, false, 0},
                 {NULL, "99 have a mean of 0 over the baseline", 0, 0, false, 0},
                 {NULL, "95 do not range over more than `min_range` 5, 4 have a mean of 0", 5, 1, false, 0},
                 {"3", "94 stay at or below `min_value` 3, 4 have", 0, 1, false, 0},
                 {NULL, "of 99, 99 are masked", 0, 1, true, 0},
                 {NULL, "of 99, 95 have a mean below `min_intensity` 70000, 4 have", 0, 1, false, 70000}};
    static const uint8_t none[PIXELS];

    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_optmap_options o = with_defaults(PENTA_OPTMAP_FAST);
        HELD film *f = make_film();
        HELD_BY(free_result) penta_optmap_result r = make_result(FRAMES);
        HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;

        o.min_value = cases[i].min_value;
        o.min_range = cases[i].min_range;
        o.min_intensity = cases[i].min_intensity;
        f->movie.mask = cases[i].masked ? none : NULL;
        for (size_t k = 0; k < (size_t)FRAMES * PIXELS && cases[i].level != 1; k++)
            f->data[k] = cases[i].level;
        EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, &plan));
        EXPECT_REFUSED(ctx, penta_optmap_run(plan, &f->movie, &r), PENTA_INVALID, cases[i].text);
        assert_int_equal(r.valid_pixels, 0);
    }
}

static bool stop_at(void *user, double done, double total)
{
    (void)total;
    return done >= *(double *)user;
}

typedef struct {
    double last, stop; /* rows */
    size_t within;     /* calls in the midst of a band of all rows */
} listener;

static bool listen(void *user, double done, double total)
{
    listener *l = user;

    assert_true(done >= l->last && done <= total);
    l->last = done;
    l->within += done > 0 && done < total;
    return done > 0 && done >= l->stop;
}

/* Engine literal, which may take minutes for a band, hears in its midst that it is to stop. */
DEVICE_TEST(stops_within_a_band)
{
    penta_optmap_options o = with_defaults(PENTA_OPTMAP_LITERAL);
    HELD film *f = make_film();
    HELD_BY(free_result) penta_optmap_result r = make_result(FRAMES);
    listener all = {0, HEIGHT, 0}, early = {0, 1e-3, 0};
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;

    o.batch = HEIGHT;
    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, &plan));
    penta_context_set_progress(ctx, listen, &early);
    assert_int_equal(penta_optmap_run(plan, &f->movie, &r), PENTA_CANCELLED);
    assert_int_equal(early.within, 1);
    assert_int_equal(r.batches, 0);
    penta_context_set_progress(ctx, listen, &all);
    assert_int_equal(penta_optmap_run(plan, &f->movie, &r), PENTA_CANCELLED); /* at the end */
    assert_true(all.within > 0);
    assert_int_equal(r.batches, 1);
    penta_context_set_progress(ctx, NULL, NULL);
}

/* After a failure the same plan gives what it would have given. */
DEVICE_TEST(goes_on_after_failures)
{
    penta_optmap_options o = with_defaults(PENTA_OPTMAP_FAST);
    HELD film *f = make_film();
    HELD_BY(free_result) penta_optmap_result first = run(ctx, &o, f), r = make_result(FRAMES);
    double most = 4;
    float bad[PIXELS] = {0};
    const void *frames[FRAMES];
    penta_movie movie = {.type = PENTA_F32, .frames = frames};
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;

    bad[5 * WIDTH + 3] = INFINITY;
    for (size_t n = 0; n < FRAMES; n++)
        frames[n] = bad;
    o.batch = 2;
    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, &plan));
    EXPECT_REFUSED(ctx, penta_optmap_run(plan, &movie, &r), PENTA_INVALID,
                   "frame 0, pixel x 3, y 5: a number that is not finite");
    frames[7] = NULL;
    EXPECT_REFUSED(ctx, penta_optmap_run(plan, &movie, &r), PENTA_INVALID, "frame 7");
    movie = (penta_movie){.type = PENTA_I64, .frames = f->frames};
    EXPECT_REFUSED(ctx, penta_optmap_run(plan, &movie, &r), PENTA_INVALID, "i64");
    penta_context_set_progress(ctx, stop_at, &most);
    assert_int_equal(penta_optmap_run(plan, &f->movie, &r), PENTA_CANCELLED);
    assert_int_equal(r.batches, 2);
    penta_context_set_progress(ctx, NULL, NULL);
    EXPECT_OK(ctx, penta_optmap_run(plan, &f->movie, &r));
    same_result(&r, &first, FRAMES);
}

ON_DEVICE;
AS_ON_A_GPU;
