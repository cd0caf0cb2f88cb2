/*
 * Frames in many slabs of rows and lists in many batches: the same image and totals as at one go, by every engine in
 * both its forms; and plans that go on working after a run was cancelled or refused half-way.
 */
#include "support/test.h"

#include "core/internal.h"
#include "stars/device.h"
#include "support/random.h"
#include "support/stars_run.h"

#define SKIP_ON_GPU(ctx)                                                                                               \
    if (!(ctx))                                                                                                        \
    return /* the first group did this already */

enum { WIDTH = 61, HEIGHT = 83, STARS = 230, FEW = 40 }; /* 83: the last slab of 5 rows has 3, of 17 rows 15 */

/* What is drawn. */
typedef struct {
    int psf;
    double angle; /* deg */
    int roi;
    bool moving, dbl;
} look;

static const look looks[] = {
    {PENTA_STARS_SAMPLED, 0, 10, false, false},  {PENTA_STARS_SAMPLED, 0, 64, false, true},
    {PENTA_STARS_INTEGRATED, 0, 7, true, false}, {PENTA_STARS_INTEGRATED, 0, 1, false, false},
    {PENTA_STARS_MOFFAT, 30, 12, false, true},
};

static penta_stars_options options_of(const look *l, int engine)
{
    penta_stars_options o = stars_options(engine);

    o.psf = l->psf;
    o.roi = l->roi;
    o.sigma_y = l->moving ? 0 : 1.4;
    o.angle = l->angle;
    o.precision = l->dbl ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
    return o;
}

/* A device and all that it borrows. */
typedef struct {
    size_t width, height;
    penta_stars_options options;
    stars_psf psf;
    stars_device *device;
    void *image;
} rig;

static void open_rig(penta_context *ctx, const look *l, int engine, size_t width, size_t height, stars_limits limits,
                     rig *r)
{
    *r = (rig){.width = width, .height = height, .options = options_of(l, engine)};
    EXPECT_OK(ctx, stars_psf_init(ctx, &r->options, &r->psf));
    EXPECT_OK(ctx, stars_device_create(ctx, &r->psf, &r->options, width, height, (enum penta_stars_engine)engine,
                                       l->moving, l->dbl, limits, &r->device));
    r->image = must_calloc(width * height, sizeof(double));
}

static void close_rig(rig *r)
{
    stars_device_destroy(r->device);
    stars_psf_free(&r->psf);
    free(r->image);
}

static penta_status run_rig(rig *r, const penta_stars_list *list, penta_stars_result *result)
{
    *result = (penta_stars_result){.image = r->image};
    memset(r->image, 0xFF, r->width * r->height * sizeof(double)); /* NaN */
    return stars_device_run_rows(r->device, list, 0, r->height, result);
}

/* The image as doubles, to free. */
static double *image_of(const rig *r)
{
    size_t pixels = r->width * r->height;
    double *copy = must_calloc(pixels, sizeof *copy);

    for (size_t i = 0; i < pixels; i++)
        copy[i] =
            r->options.precision == PENTA_PRECISION_DOUBLE ? ((double *)r->image)[i] : (double)((float *)r->image)[i];
    return copy;
}

static void expect_same(int engine, const look *l, const double *got, const double *want, size_t width, size_t height,
                        const char *what)
{
    if (engine == PENTA_STARS_FIXED)
        assert_memory_equal(got, want, width * height * sizeof *got);
    stars_expect_near(got, want, width, height, l->dbl ? 1e-12 : 1e-6, l->dbl ? 1e-15 : 1e-9, what);
}

/* ---- scenes ---- */

typedef struct {
    stars_scene at;
    double *motion; /* 2 n */
    penta_stars_list list;
} scene;

static scene make_scene(const look *l, size_t n)
{
    scene s = {.at = stars_scene_random(n, WIDTH, HEIGHT, 21), .motion = must_calloc(2 * n, sizeof(double))};

    for (size_t i = 0; i < 2 * n; i++)
        s.motion[i] = i % 7 == 0 ? 0 : 6 * random_uniform() - 3;
    s.list = stars_scene_list(&s.at);
    s.list.motion_x = l->moving ? s.motion : NULL;
    s.list.motion_y = l->moving ? s.motion + n : NULL;
    return s;
}

static void free_scene(scene *s)
{
    stars_scene_free(&s->at);
    free(s->motion);
}

/* ---- slabs and batches ---- */

static void compare_parts(penta_context *ctx, const look *l, int engine, size_t n, stars_limits limits)
{
    HELD_BY(free_scene) scene s = make_scene(l, n);
    penta_stars_result whole, parts;
    double *want, *got;
    char what[96];
    rig r;

    snprintf(what, sizeof what, "%s, psf %d, ROI %d, slabs of %zu rows, batches of %zu", stars_engine_name(engine),
             l->psf, l->roi, limits.rows, limits.batch);
    open_rig(ctx, l, engine, WIDTH, HEIGHT, (stars_limits){0}, &r);
    EXPECT_OK(ctx, run_rig(&r, &s.list, &whole));
    want = image_of(&r);
    close_rig(&r);
    open_rig(ctx, l, engine, WIDTH, HEIGHT, limits, &r);
    for (int again = 0; again < 2; again++) {
        EXPECT_OK(ctx, run_rig(&r, &s.list, &parts));
        got = image_of(&r);
        expect_same(engine, l, got, want, WIDTH, HEIGHT, what);
        assert_int_equal(parts.drawn, whole.drawn);
        expect_near(parts.flux_total, whole.flux_total, 1e-13 * whole.flux_total);
        free(got);
    }
    close_rig(&r);
    free(want);
}

TEST(in_parts)
{
    static const size_t rows[] = {5, 17, 0}, batches[] = {100, 1, 0};

    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_FIXED; engine++)
        for (size_t k = 0; k < COUNT(looks); k++)
            for (size_t i = 0; i < 8; i++) /* all but 0, 0 */
                if (k == 0 || i == k || i == 0)
                    compare_parts(*state, &looks[k], engine, batches[i % 3] == 1 ? FEW : STARS,
                                  (stars_limits){.rows = rows[i / 3], .batch = batches[i % 3]});
}

static void draw_at_one_go(penta_context *ctx, int engine, const look *l, stars_limits limits)
{
    HELD_BY(free_scene) scene s = make_scene(l, STARS);
    penta_stars_options exact = options_of(l, PENTA_STARS_SERIAL);
    penta_stars_result result, right;
    HELD double *want = NULL, *got = NULL;
    HELD_BY(close_rig) rig r;

    exact.precision = PENTA_PRECISION_DOUBLE;
    want = stars_plan_frame(ctx, WIDTH, HEIGHT, &exact, &s.list, &right);
    open_rig(ctx, l, engine, WIDTH, HEIGHT, limits, &r);
    EXPECT_OK(ctx, run_rig(&r, &s.list, &result));
    got = image_of(&r);
    stars_expect_near(got, want, WIDTH, HEIGHT, l->dbl ? 1e-12 : 1e-6, l->dbl ? 1e-14 : 1e-9,
                      stars_engine_name(engine));
    assert_int_equal(result.drawn, right.drawn);
    expect_near(result.flux_total, right.flux_total, 1e-13 * right.flux_total);
}

/* What is drawn at one go, which the test above compares with, is right. */
TEST(at_one_go)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_FIXED; engine++)
        for (size_t k = 0; k < 2 * COUNT(looks); k++)
            draw_at_one_go(*state, engine, &looks[k / 2], (stars_limits){.no_few = k % 2});
}

/* A frame of over 32768 tiles with a last slab of fewer: kernels must agree on where a tile's count is. */
TEST(a_low_last_slab)
{
    enum { ACROSS = 8200, DOWN = 4100, ROWS = 4096, N = 3000 };
    static const look plain = {PENTA_STARS_SAMPLED, 0, 6, false, false};
    penta_stars_options exact = options_of(&plain, PENTA_STARS_SERIAL);
    penta_stars_result result;
    penta_stars_list list;
    HELD double *want = NULL, *got = NULL;
    HELD_BY(stars_scene_free) stars_scene s;
    HELD_BY(close_rig) rig r;

    SKIP_ON_GPU(*state);
    s = stars_scene_random(N, ACROSS, DOWN, 3);
    list = stars_scene_list(&s);
    exact.precision = PENTA_PRECISION_DOUBLE;
    want = stars_plan_frame(*state, ACROSS, DOWN, &exact, &list, NULL);
    open_rig(*state, &plain, PENTA_STARS_TILE, ACROSS, DOWN, (stars_limits){.rows = ROWS, .batch = 0}, &r);
    EXPECT_OK(*state, run_rig(&r, &list, &result));
    got = image_of(&r);
    stars_expect_near(got, want, ACROSS, DOWN, 1e-6, 1e-9, "a low last slab");
}

/*
 * Batches that the engine `tile` draws in different ways on a GPU: stars all over the frame, which have slots; most of
 * them on one place, where slots run out in a long list, which is then sorted, and in a short one, which is not.
 */
TEST(crowds)
{
    enum { SIDE = 1024, BATCH = 140000, N = 2 * BATCH + 20000 };
    static const look plain = {PENTA_STARS_SAMPLED, 0, 6, false, false};
    static const size_t rows[] = {0, 700};
    penta_stars_options exact = options_of(&plain, PENTA_STARS_SERIAL);
    penta_stars_list list;
    HELD_BY(stars_scene_free) stars_scene s;
    double *want, *got;

    SKIP_ON_GPU(*state);
    s = stars_scene_random(N, SIDE, SIDE, 3);
    list = stars_scene_list(&s);
    for (size_t i = BATCH; i < N; i++)
        if (i % 4 != 0) {
            s.x[i] = 500 + 9 * random_uniform();
            s.y[i] = 698 + 9 * random_uniform();
        }
    exact.precision = PENTA_PRECISION_DOUBLE;
    want = stars_plan_frame(*state, SIDE, SIDE, &exact, &list, NULL);
    for (int engine = PENTA_STARS_STAR; engine <= PENTA_STARS_FIXED; engine++)
        for (size_t k = 0; k < COUNT(rows); k++) {
            penta_stars_result result;
            rig r;

            open_rig(*state, &plain, engine, SIDE, SIDE, (stars_limits){.rows = rows[k], .batch = BATCH}, &r);
            EXPECT_OK(*state, run_rig(&r, &list, &result));
            got = image_of(&r);
            stars_expect_near(got, want, SIDE, SIDE, 1e-5, 1e-9, stars_engine_name(engine));
            close_rig(&r);
            free(got);
        }
    free(want);
}

/* Short lists, of which engine `tile` has a form of its own: evenly spread, or most of them in one place, where a tile
 * of a GPU has more than it lists at once; some beyond each edge. Forms for GPUs add in the same order. */
static void compare_short(penta_context *ctx, const look *l, size_t n, bool crowded, size_t rows)
{
    enum { ACROSS = 200, DOWN = 310 };
    bool same = !penta_is_cpu(ctx);
    HELD_BY(stars_scene_free) stars_scene s = stars_scene_random(n, ACROSS, DOWN, 5);
    penta_stars_list list = stars_scene_list(&s);
    penta_stars_result few, many;
    HELD double *want = NULL, *got = NULL;
    rig r;

    for (size_t i = 0; i < n; i++) {
        if (crowded && i % 8 != 0) {
            s.x[i] = 100 + 9 * random_uniform();
            s.y[i] = 150 + 9 * random_uniform();
        }
        s.y[i] = i % 97 == 3 ? -3.5 * random_uniform() : i % 97 == 5 ? -1e300 : s.y[i];
        s.x[i] = i % 97 == 7 ? ACROSS + 2 * random_uniform() : s.x[i];
    }
    open_rig(ctx, l, PENTA_STARS_TILE, ACROSS, DOWN, (stars_limits){.rows = rows, .no_few = true}, &r);
    EXPECT_OK(ctx, run_rig(&r, &list, &many));
    want = image_of(&r);
    close_rig(&r);
    open_rig(ctx, l, PENTA_STARS_TILE, ACROSS, DOWN, (stars_limits){.rows = rows}, &r);
    EXPECT_OK(ctx, run_rig(&r, &list, &few));
    got = image_of(&r);
    if (same && l->roi < 16 && n < 1000) /* others have no slots */
        assert_memory_equal(got, want, sizeof *got * ACROSS * DOWN);
    stars_expect_near(got, want, ACROSS, DOWN, l->dbl ? 1e-12 : 1e-6, l->dbl ? 1e-14 : 1e-9, "a short list");
    assert_int_equal(few.drawn, many.drawn);
    expect_near(few.flux_total, many.flux_total, same ? 0 : 1e-13 * many.flux_total);
    s.y[n / 2] = NAN;
    assert_int_equal(run_rig(&r, &list, &few), PENTA_INVALID);
    close_rig(&r);
}

TEST(short_lists)
{
    static const size_t lengths[] = {1, 127, 700, 8192};

    SKIP_ON_GPU(*state);
    for (size_t k = 0; k < COUNT(looks); k++)
        for (size_t i = 0; i < COUNT(lengths); i++)
            if (!looks[k].moving && (k < 2 || i < 2))
                for (int crowded = 0; crowded < 2; crowded++)
                    compare_short(*state, &looks[k], lengths[i], crowded, i % 2 ? 0 : 129);
}

/* A device without the room for the list at one go gets batches; one without the room for anything is refused, and may
 * be asked again. */
static void compare_short_of_memory(penta_context *ctx, int engine)
{
    enum { N = 20000, ENOUGH = 400000, NOTHING = 1000 }; /* bytes a buffer */
    HELD_BY(free_scene) scene s = make_scene(&looks[0], N);
    uint64_t most = ctx->info.max_allocation;
    penta_stars_result whole, parts;
    HELD double *want = NULL, *got = NULL;
    rig r;

    open_rig(ctx, &looks[0], engine, WIDTH, HEIGHT, (stars_limits){0}, &r);
    EXPECT_OK(ctx, run_rig(&r, &s.list, &whole));
    want = image_of(&r);
    close_rig(&r);
    open_rig(ctx, &looks[0], engine, WIDTH, HEIGHT, (stars_limits){0}, &r);
    ctx->info.max_allocation = NOTHING;
    EXPECT_REFUSED(ctx, run_rig(&r, &s.list, &parts), PENTA_MEMORY, "over this device's limit");
    ctx->info.max_allocation = ENOUGH;
    EXPECT_OK(ctx, run_rig(&r, &s.list, &parts));
    ctx->info.max_allocation = most;
    got = image_of(&r);
    stars_expect_near(got, want, WIDTH, HEIGHT, 1e-6, 1e-9, stars_engine_name(engine));
    if (engine == PENTA_STARS_FIXED)
        assert_memory_equal(got, want, WIDTH * HEIGHT * sizeof *got);
    assert_int_equal(parts.drawn, whole.drawn);
    close_rig(&r);
}

TEST(memory_is_short)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_FIXED; engine++)
        compare_short_of_memory(*state, engine);
}

/* ---- runs that end half-way ---- */

typedef struct {
    int calls, last; /* the call that cancels; -1: none */
    double before;
} reports;

static bool report(void *user, double done, double total)
{
    reports *r = user;

    assert_true(done >= r->before && done <= total);
    r->before = done;
    return r->calls++ == r->last;
}

TEST(cancelled)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_FIXED; engine++) {
        HELD_BY(free_scene) scene s = make_scene(&looks[0], STARS);
        penta_stars_result result;
        reports all = {.last = -1};
        double *want, *got;
        HELD_BY(close_rig) rig r;

        open_rig(*state, &looks[0], engine, WIDTH, HEIGHT, (stars_limits){.rows = 17, .batch = 100}, &r);
        penta_context_set_progress(*state, report, &all);
        EXPECT_OK(*state, run_rig(&r, &s.list, &result));
        want = image_of(&r);
        assert_int_equal(all.calls, 15); /* slabs times batches */
        for (int last = 0; last < all.calls; last += 2) {
            reports some = {.last = last}, none = {.last = -1};

            penta_context_set_progress(*state, report, &some);
            assert_int_equal(run_rig(&r, &s.list, &result), PENTA_CANCELLED);
            expect_text(penta_last_error(*state), "cancelled");
            assert_int_equal(some.calls, last + 1);
            penta_context_set_progress(*state, report, &none);
            EXPECT_OK(*state, run_rig(&r, &s.list, &result));
            got = image_of(&r);
            expect_same(engine, &looks[0], got, want, WIDTH, HEIGHT, "after a cancelled run");
            free(got);
        }
        penta_context_set_progress(*state, NULL, NULL);
        free(want);
    }
}

/* The host's engines, through a plan: bands of rows, and 2^16 stars, between two reports. */
TEST(cancelled_on_host)
{
    enum { SIDE = 4200, N = 200000 };
    static float image[20 * SIDE], again[20 * SIDE];
    penta_stars_list list;
    HELD_BY(stars_scene_free) stars_scene s;

    SKIP_ON_GPU(*state);
    s = stars_scene_random(N, 20, SIDE, 4);
    list = stars_scene_list(&s);
    for (int engine = PENTA_STARS_SERIAL; engine <= PENTA_STARS_THREADS; engine++) {
        penta_stars_options o = stars_options(engine);
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        penta_stars_result result = {.image = image};
        reports all = {.last = -1}, some = {.last = 1};

        EXPECT_OK(*state, penta_stars_create(*state, 20, SIDE, &o, &plan));
        penta_context_set_progress(*state, report, &all);
        EXPECT_OK(*state, penta_stars_run(plan, &list, &result));
        assert_true(all.calls > 2);
        penta_context_set_progress(*state, report, &some);
        assert_int_equal(penta_stars_run(plan, &list, &result), PENTA_CANCELLED);
        penta_context_set_progress(*state, NULL, NULL);
        result.image = again;
        EXPECT_OK(*state, penta_stars_run(plan, &list, &result));
        assert_memory_equal(image, again, sizeof image);
    }
}

/* A bad star in the last batch. */
TEST(refused)
{
    SKIP_ON_GPU(*state);
    for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_FIXED; engine++) {
        HELD_BY(free_scene) scene s = make_scene(&looks[0], STARS);
        penta_stars_result result;
        HELD double *want = NULL, *got = NULL;
        double place = s.at.y[STARS - 3];
        HELD_BY(close_rig) rig r;

        open_rig(*state, &looks[0], engine, WIDTH, HEIGHT, (stars_limits){.rows = 17, .batch = 100}, &r);
        EXPECT_OK(*state, run_rig(&r, &s.list, &result));
        want = image_of(&r);
        s.at.y[STARS - 3] = NAN;
        assert_int_equal(run_rig(&r, &s.list, &result), PENTA_INVALID);
        expect_text(penta_last_error(*state), "star 227");
        s.at.y[STARS - 3] = place;
        EXPECT_OK(*state, run_rig(&r, &s.list, &result));
        got = image_of(&r);
        expect_same(engine, &looks[0], got, want, WIDTH, HEIGHT, "after a refused run");
    }
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
