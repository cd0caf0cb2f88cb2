/*
 * Faults while stars are drawn: each time there is an error and no plan, or the right frame (smaller batches and slabs
 * may do); the plan still works afterwards.
 */
#include "faults/sweep.h"

#include <pentacl/exposure.h>

#include "stars/device.h"
#include "support/device.h"
#include "support/random.h"

enum { MOST_STARS = 132000, MOST_SIDE = 1024, FLUXES = 20 };

typedef struct {
    int engine, psf, roi;
    bool dbl, moving;
    size_t width, height, n;
    size_t far;          /* how many of them, from the first on, lie far outside the frame */
    bool crowded;        /* the others lie on one place */
    bool made;           /* the plan is made, and has been used, before anything fails */
    bool pinned;         /* x and y lie in memory that transfers use after they were asked for */
    stars_limits limits; /* not 0: the device's work without a plan */
} drawing;

static double xs[MOST_STARS], ys[MOST_STARS], magnitudes[MOST_STARS], motions[2][MOST_STARS];
static double *pinned; /* x, then y; NULL: xs and ys */

typedef struct {
    double image[MOST_SIDE * MOST_SIDE]; /* of this type or float */
    penta_stars_result result;
    double flux[FLUXES], in_frame[FLUXES];
} answer;

static answer expected, got;

static void place_stars(const drawing *d)
{
    random_seed(12);
    for (size_t i = 0; i < d->n; i++) {
        xs[i] = random_uniform() * ((double)d->width + 8) - 4;
        ys[i] = random_uniform() * ((double)d->height + 8) - 4;
        magnitudes[i] = 6 * random_uniform();
        motions[0][i] = 4 * random_uniform() - 2;
        motions[1][i] = 4 * random_uniform() - 2;
        if (i < d->far)
            ys[i] = -1e6;
        else if (d->crowded) {
            xs[i] = 20 + xs[i] / 1e3;
            ys[i] = 18 + ys[i] / 1e3;
        }
    }
}

static penta_stars_options options_of(const drawing *d)
{
    penta_stars_options o;

    penta_stars_options_init(&o);
    o.engine = d->engine;
    o.psf = d->psf;
    o.roi = d->roi;
    o.precision = d->dbl ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
    return o;
}

static penta_stars_list list_of(const drawing *d)
{
    return (penta_stars_list){.n = d->n,
                              .x = pinned ? pinned : xs,
                              .y = pinned ? pinned + d->n : ys,
                              .magnitude = magnitudes,
                              .motion_x = d->moving ? motions[0] : NULL,
                              .motion_y = d->moving ? motions[1] : NULL};
}

static double pixel(const drawing *d, const answer *a, size_t i)
{
    return d->dbl ? a->image[i] : (double)((const float *)a->image)[i];
}

/* To rounding, since a fault may have led to other batches; `fixed` to the bit. */
static void expect_right_answer(const drawing *d, const char *name, const char *when)
{
    size_t pixels = d->width * d->height;
    double most = 0, tolerance = d->engine == PENTA_STARS_FIXED ? 0 : d->dbl ? 1e-13 : 1e-6;

    for (size_t i = 0; i < pixels; i++)
        most = fmax(most, pixel(d, &expected, i));
    for (size_t i = 0; i < pixels; i++)
        if (!(fabs(pixel(d, &got, i) - pixel(d, &expected, i)) <= tolerance * most))
            fail_msg("%s, %s: pixel (%zu,%zu) is %.9g, not %.9g", name, when, i % d->width, i / d->width,
                     pixel(d, &got, i), pixel(d, &expected, i));
    assert_int_equal(got.result.drawn, expected.result.drawn);
    assert_true(fabs(got.result.flux_total / expected.result.flux_total - 1) < 1e-12);
    assert_memory_equal(got.flux, expected.flux, sizeof got.flux);
    assert_memory_equal(got.in_frame, expected.in_frame, sizeof got.in_frame);
}

/* What draws: a plan, or its work on the device alone. */
typedef struct {
    penta_stars *plan;
    stars_device *device;
} drawer;

static stars_psf device_psf; /* of drawer.device */

static penta_status create_drawer(const drawing *d, penta_context *ctx, drawer *out)
{
    static const double samples[12] = {0, 1, 1, 0, 1, 5, 4, 1, 0, 1, 1, 0};
    penta_stars_options o = options_of(d);
    penta_status status;

    *out = (drawer){0};
    if (d->limits.batch > 0) {
        out->device = (stars_device *)(uintptr_t)1;
        EXPECT_OK(ctx, stars_psf_init(ctx, &o, &device_psf));
        status = stars_device_create(ctx, &device_psf, &o, d->width, d->height, (enum penta_stars_engine)d->engine,
                                     d->moving, d->dbl, d->limits, &out->device);
        assert_true((status == PENTA_OK) == (out->device != NULL));
        return status;
    }
    out->plan = (penta_stars *)(uintptr_t)1;
    status = penta_stars_create(ctx, d->width, d->height, &o, &out->plan);
    assert_true((status == PENTA_OK) == (out->plan != NULL));
    if (out->plan && d->psf == PENTA_STARS_IMAGE)
        status = penta_stars_set_psf(out->plan, 4, 3, 1.5, samples);
    if (out->plan && status != PENTA_OK) { /* to be given again */
        penta_stars_destroy(out->plan);
        out->plan = NULL;
    }
    return status;
}

static penta_status use_drawer(const drawing *d, const drawer *with)
{
    penta_stars_list list = list_of(d), few = list;
    penta_status status;

    memset(&got, 0xFF, sizeof got);
    got.result = (penta_stars_result){.image = got.image};
    memset(got.flux, 0, sizeof got.flux);
    memset(got.in_frame, 0, sizeof got.in_frame);
    if (with->device)
        return stars_device_run_rows(with->device, &list, 0, d->height, &got.result);
    few.n = FLUXES;
    status = penta_stars_fluxes(with->plan, &few, got.flux, got.in_frame);
    return status == PENTA_OK ? penta_stars_run(with->plan, &list, &got.result) : status;
}

static void destroy_drawer(drawer *with)
{
    penta_stars_destroy(with->plan);
    stars_device_destroy(with->device);
}

/* Any memory of the caller's. */
static void expect_all_idle(const trial *t)
{
    expect_idle(t, &got, sizeof got);
    expect_idle(t, xs, sizeof xs);
    expect_idle(t, ys, sizeof ys);
    expect_idle(t, magnitudes, sizeof magnitudes);
    expect_idle(t, motions, sizeof motions);
    expect_idle(t, pinned, pinned ? 2 * ((const drawing *)t->job->what)->n * sizeof *pinned : 0);
}

static void pin_places(const drawing *d, penta_context *ctx)
{
    void *memory;

    EXPECT_OK(ctx, penta_host_alloc(ctx, 2 * d->n * sizeof *pinned, &memory));
    pinned = memory;
    memcpy(pinned, xs, d->n * sizeof *xs);
    memcpy(pinned + d->n, ys, d->n * sizeof *ys);
}

static penta_status attempt_drawing(trial *t)
{
    const drawing *d = t->job->what;
    drawer with;
    penta_status status;

    if (d->pinned)
        pin_places(d, t->ctx);
    if (!d->made)
        begin_faults(t);
    status = create_drawer(d, t->ctx, &with);
    if (d->made) {
        EXPECT_OK(t->ctx, status);
        EXPECT_OK(t->ctx, use_drawer(d, &with));
        begin_faults(t);
    }
    if (status == PENTA_OK)
        status = use_drawer(d, &with);
    end_faults(t, t->ctx, status);
    expect_all_idle(t);
    if (status == PENTA_OK)
        expect_right_answer(d, t->job->name, t->when);
    if ((with.plan || with.device) && status != PENTA_OK) {
        faults_forget_transfers();
        faults_disarm();
        EXPECT_OK(t->ctx, use_drawer(d, &with));
        expect_right_answer(d, t->job->name, "used again");
    }
    destroy_drawer(&with);
    if (pinned)
        penta_host_free(t->ctx, pinned);
    pinned = NULL;
    return status;
}

/* The answer without faults, and that it is about right. */
static void learn(const drawing *d, bool as_gpu)
{
    penta_stars_list list = list_of(d);
    penta_stars_options o = options_of(d);
    HELD_BY(penta_context_held) penta_context *ctx = NULL;
    penta_stars_result result = {0};
    drawer with;
    double *exact;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    if (as_gpu)
        ctx->info.type = PENTA_DEVICE_GPU;
    EXPECT_OK(ctx, create_drawer(d, ctx, &with));
    EXPECT_OK(ctx, use_drawer(d, &with));
    destroy_drawer(&with);
    memcpy(&expected, &got, sizeof expected);
    if (d->psf != PENTA_STARS_IMAGE) {
        penta_stars *plan = NULL;

        exact = must_calloc(d->width * d->height, sizeof *exact);
        o.engine = PENTA_STARS_SERIAL;
        o.precision = PENTA_PRECISION_DOUBLE;
        result.image = exact;
        EXPECT_OK(ctx, penta_stars_create(ctx, d->width, d->height, &o, &plan));
        EXPECT_OK(ctx, penta_stars_run(plan, &list, &result));
        for (size_t i = 0; i < d->width * d->height; i++)
            assert_true(fabs(pixel(d, &expected, i) - exact[i]) <= 1e-5 * fabs(exact[i]) + 1e-3);
        assert_int_equal(expected.result.drawn, result.drawn);
        penta_stars_destroy(plan);
        free(exact);
    }
}

static void sweep_drawing(const char *name, const drawing *d, const job *how)
{
    job j = *how;

    if (j.as_gpu && d->engine == PENTA_STARS_TILE && miscompiles_tiles())
        return;
    j.name = name;
    j.attempt = attempt_drawing;
    j.what = d;
    j.retries = true;
    place_stars(d);
    learn(d, j.as_gpu);
    sweep(&j);
}

static const job on_cpu = {0}, as_gpu = {.as_gpu = true};

TEST_WITH(no_faults, NULL, first_use)
{
    sweep_drawing("tile in a new context",
                  &(drawing){.engine = PENTA_STARS_TILE, .roi = 9, .width = 70, .height = 40, .n = 150},
                  &(job){.fresh = true});
    sweep_drawing("star in a new context as on a GPU",
                  &(drawing){.engine = PENTA_STARS_STAR, .roi = 9, .width = 70, .height = 40, .n = 150},
                  &(job){.fresh = true, .as_gpu = true});
}

TEST_WITH(no_faults, NULL, engines)
{
    static const char *const names[2][4] = {
        {"pixel", "star", "tile", "fixed"},
        {"pixel as on a GPU", "star as on a GPU", "tile as on a GPU, slots", "fixed as on a GPU"}};

    for (int gpu = 0; gpu < 2; gpu++)
        for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_FIXED; engine++)
            sweep_drawing(names[gpu][engine - PENTA_STARS_PIXEL],
                          &(drawing){.engine = engine,
                                     .roi = 8,
                                     .dbl = (engine + gpu) % 2,
                                     .psf = gpu ? PENTA_STARS_INTEGRATED : PENTA_STARS_SAMPLED,
                                     .width = 66,
                                     .height = gpu ? 130 : 50, /* with slabs to make smaller, and without */
                                     .n = 120},
                          gpu ? &as_gpu : &on_cpu);
}

TEST_WITH(no_faults, NULL, other_stars)
{
    sweep_drawing("tile, stars that move",
                  &(drawing){.engine = PENTA_STARS_TILE, .roi = 8, .moving = true, .width = 66, .height = 50, .n = 120},
                  &on_cpu);
    sweep_drawing(
        "fixed as on a GPU, stars that move",
        &(drawing){
            .engine = PENTA_STARS_FIXED, .roi = 8, .moving = true, .width = 66, .height = 50, .n = 120, .pinned = true},
        &as_gpu);
    sweep_drawing(
        "star, a PSF image",
        &(drawing){.engine = PENTA_STARS_STAR, .psf = PENTA_STARS_IMAGE, .roi = 8, .width = 66, .height = 50, .n = 120},
        &on_cpu);
}

/* Where float sums would not do, and where slots do not. */
TEST_WITH(no_faults, NULL, crowds)
{
    sweep_drawing(
        "star as on a GPU, crowded",
        &(drawing){.engine = PENTA_STARS_STAR, .roi = 4, .width = 40, .height = 30, .n = 300, .crowded = true},
        &as_gpu);
    sweep_drawing("tile as on a GPU, sorted",
                  &(drawing){.engine = PENTA_STARS_TILE, .roi = 3, .width = 66, .height = 50, .n = 17000, .far = 15000},
                  &(job){.as_gpu = true});
}

/* More stars than a short list has: the packing is read back before it is drawn. */
TEST_WITH(no_faults, NULL, long_lists)
{
    drawing d = {.engine = PENTA_STARS_TILE,
                 .roi = 3,
                 .width = MOST_SIDE,
                 .height = MOST_SIDE,
                 .n = MOST_STARS,
                 .far = MOST_STARS - 900,
                 .made = true};

    sweep_drawing("tile as on a GPU, a long list", &d, &(job){.as_gpu = true, .on_device = true});
    d.crowded = true;
    sweep_drawing("tile as on a GPU, a long list, crowded", &d, &(job){.as_gpu = true, .on_device = true});
}

TEST_WITH(no_faults, NULL, parts)
{
    drawing d = {.roi = 8, .width = 66, .height = 50, .n = 120, .limits = {17, 50}};

    d.engine = PENTA_STARS_TILE;
    sweep_drawing("tile in parts", &d, &(job){0});
    sweep_drawing("tile as on a GPU, in parts", &d, &(job){.as_gpu = true});
    d.engine = PENTA_STARS_FIXED;
    sweep_drawing("fixed in parts", &d, &(job){0});
}

TEST_WITH(no_faults, NULL, on_host)
{
    drawing d = {.roi = 8, .width = 66, .height = 50, .n = 120};
    job how = {.on_host = true};

    d.engine = PENTA_STARS_SERIAL;
    sweep_drawing("serial", &d, &how);
    d.engine = PENTA_STARS_THREADS;
    sweep_drawing("threads", &d, &how);
}

/* ---- scenes ---- */

enum { SKY_STARS = 80, SCENE_SIDE = 64 };

typedef struct {
    size_t drawn, rows;
    double flux_total, in_frame;
} summary;

/* A camera that turns over stars near its boresight. index may be NULL. *ctx becomes NULL if the function that failed
 * has no context. */
static penta_status make_scene(penta_stars *plan, const penta_sky_index *index, summary *out, penta_context **ctx)
{
    static const double rate[3] = {1, 2, 20};
    penta_stars_sky sky = {.n = SKY_STARS, .ra = xs, .dec = ys, .magnitude = magnitudes, .index = index};
    penta_stars_result result = {0};
    HELD_BY(penta_attitude_path_free) penta_attitude_path path = {0};
    HELD_BY(penta_stars_scene_free) penta_stars_scene scene = {0};
    HELD_BY(penta_stars_truth_free) penta_stars_truth truth = {0};
    penta_attitude attitude;
    penta_camera camera;
    penta_sky_view view;
    penta_status status;

    EXPECT_OK(NULL, penta_attitude_from_radec(0, 0, 0, &attitude));
    EXPECT_OK(NULL, penta_camera_init(SCENE_SIDE, SCENE_SIDE, 300, &camera));
    EXPECT_OK(NULL, penta_sky_view_from_camera(&attitude, &camera, &view));
    status = penta_attitude_path_turn(&attitude, rate, 0.5, &path);
    *ctx = status == PENTA_OK ? *ctx : NULL;
    status = status == PENTA_OK ? penta_stars_scene_on_sky(plan, &sky, &view, &path, &scene) : status;
    status = status == PENTA_OK ? penta_stars_draw(plan, &scene, &result) : status;
    status = status == PENTA_OK ? penta_stars_truth_make(plan, &scene, NULL, &truth) : status;
    *out = (summary){result.drawn, truth.n, result.flux_total, 0};
    for (size_t i = 0; i < truth.n; i++)
        out->in_frame += truth.stars[i].flux_in_frame;
    if (status != PENTA_OK)
        assert_true(!truth.stars && (scene.memory != NULL) == (scene.n > 0));
    return status;
}

static penta_status attempt_scene(trial *t)
{
    const summary *want = t->job->what;
    penta_stars_options o;
    penta_context *ctx = t->ctx;
    HELD_BY(penta_stars_held) penta_stars *plan = NULL;
    penta_status status;
    summary has;

    penta_stars_options_init(&o);
    o.engine = PENTA_STARS_SERIAL;
    EXPECT_OK(t->ctx, penta_stars_create(t->ctx, SCENE_SIDE, SCENE_SIDE, &o, &plan));
    begin_faults(t);
    status = make_scene(plan, NULL, &has, &ctx);
    end_faults(t, ctx, status);
    if (status == PENTA_OK)
        assert_memory_equal(&has, want, sizeof has);
    faults_disarm();
    EXPECT_OK(t->ctx, make_scene(plan, NULL, &has, &ctx));
    assert_memory_equal(&has, want, sizeof has);
    return status;
}

TEST_WITH(no_faults, NULL, scenes)
{
    penta_context *ctx = NULL;
    penta_stars_options o;
    penta_stars *plan = NULL;
    summary want = {0}, with_index = {0};
    penta_sky_index *index = NULL;

    random_seed(5);
    for (int i = 0; i < SKY_STARS; i++) {
        xs[i] = 16 * random_uniform();
        ys[i] = 16 * random_uniform() - 8;
        magnitudes[i] = 5 * random_uniform();
    }
    penta_stars_options_init(&o);
    o.engine = PENTA_STARS_SERIAL;
    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    EXPECT_OK(ctx, penta_stars_create(ctx, SCENE_SIDE, SCENE_SIDE, &o, &plan));
    EXPECT_OK(NULL, penta_sky_index_create(SKY_STARS, xs, ys, &index));
    EXPECT_OK(ctx, make_scene(plan, NULL, &want, &ctx));
    EXPECT_OK(ctx, make_scene(plan, index, &with_index, &ctx));
    assert_memory_equal(&want, &with_index, sizeof want);
    assert_true(want.drawn > 5 && want.rows == want.drawn);
    penta_sky_index_destroy(index);
    penta_stars_destroy(plan);
    penta_context_destroy(ctx);
    sweep(&(job){.name = "a scene", .attempt = attempt_scene, .what = &want, .on_host = true});
}
