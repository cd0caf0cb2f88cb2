/*
 * Stars, detector and sky: the Nth allocation fails, then the Nth OpenCL call, for N = 1, 2, 3, ... until the whole job
 * succeeds. Each time there is an error with a text and no output object, or the right answer (smaller batches and
 * slabs may do); nothing leaks; no memory is freed that a transfer may use; the plan still works afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "faults/faults.h"
#include "stars/device.h"
#include "support/device.h"
#include "support/random.h"

/* ---- trials ---- */

typedef struct trial trial;

/* A job is made, done, checked and unmade by `attempt`, which notes what had failed before it unmade anything. */
typedef struct {
    const char *name;
    penta_status (*attempt)(trial *t);
    const void *what;
    size_t dense, stride; /* every OpenCL call up to dense, then every stride-th or fewer */
    bool as_gpu;          /* the forms of kernels and transfers that a GPU has, whatever the device is */
    bool fresh;           /* every trial has a context of its own, with its programs built anew, which takes long */
    bool on_host;         /* no OpenCL */
    bool on_device;       /* no allocation */
} job;

struct trial {
    const job *job;
    penta_context *ctx;
    enum fault_kind kind;
    size_t nth;
    bool lasting;
    const char *struck; /* the call that failed, or NULL */
    char when[120];
};

static void arm(const trial *t)
{
    faults_arm(t->kind, t->nth, t->lasting);
}

/*
 * A text that says what failed, not the one that stands in for it when there is no memory for a text either. It names
 * the OpenCL call that failed, unless that was a query, or a build, which has a text of its own; where calls go on
 * failing the last attempt with less memory has the word.
 */
static void expect_error_text(const penta_context *ctx, const trial *t)
{
    const char *text = penta_last_error(ctx), *call = t->struck;

    if (strlen(text) == 0 || (strncmp(text, "no error text", 13) == 0 && !(t->kind == FAULT_MEMORY && t->lasting)))
        fail_msg("%s: the error has no text of its own after %s failed", t->when, call);
    if (t->kind == FAULT_OPENCL && !t->lasting && strncmp(call, "clGet", 5) != 0 &&
        strcmp(call, "clBuildProgram") != 0 && !strstr(text, call))
        fail_msg("%s: %s failed, but the text is: %s", t->when, call, text);
}

/* The end of what may fail: notes what did. */
static void end_of_faults(trial *t, const penta_context *ctx, penta_status status)
{
    t->struck = faults_struck();
    if (status != PENTA_OK && !t->struck)
        fail_msg("%s: %s without a fault: %s", t->when, penta_status_name(status), penta_last_error(ctx));
    if (status == PENTA_OK && t->struck && t->lasting)
        fail_msg("%s: success, although %s failed", t->when, t->struck);
    if (status != PENTA_OK)
        expect_error_text(ctx, t);
}

/* After a run that failed: the caller's memory is his again. */
static void expect_idle(const trial *t, const void *memory, size_t bytes)
{
    if (!t->lasting && faults_busy(memory, bytes))
        fail_msg("%s: a transfer may still use the caller's memory after the run (%s failed)", t->when, t->struck);
}

/* In a context of its own. */
static penta_status attempt_afresh(trial *t)
{
    penta_status status;

    arm(t);
    t->ctx = (penta_context *)(uintptr_t)1;
    status = penta_context_create(NULL, &t->ctx);
    assert_true((status == PENTA_OK) == (t->ctx != NULL));
    if (t->ctx)
        status = t->job->attempt(t);
    else
        end_of_faults(t, NULL, status);
    penta_context_destroy(t->ctx);
    t->ctx = NULL;
    return status;
}

static penta_status attempt(trial *t)
{
    t->struck = NULL;
    if (t->job->fresh)
        return attempt_afresh(t);
    return t->job->attempt(t);
}

/* ---- sweeps ---- */

/* What lives longer than a trial is brought to one state, so that counts can be compared: see test_faults.c. */
static void settle(penta_context *shared)
{
    penta_stars *plan;

    assert_int_equal(penta_sky_index_create(0, NULL, NULL, NULL), PENTA_INVALID);
    if (!shared)
        return;
    assert_int_equal(penta_stars_create(shared, 0, 0, NULL, &plan), PENTA_INVALID);
    assert_int_equal(penta_finish(shared), PENTA_OK);
    penta_profile_reset(shared);
    for (size_t i = 0; i < shared->entry_count; i++) /* smaller slabs may need other kernels */
        free((char *)shared->entries[i].name);
    shared->entry_count = 0;
    for (int i = 0; i < PENTA_STAGING_SLOTS; i++) {
        if (shared->staging[i].event)
            clReleaseEvent(shared->staging[i].event);
        shared->staging[i].event = NULL;
    }
}

static void expect_clean(const trial *t, size_t before)
{
    const char *wrong = faults_misuse();

    if (wrong)
        fail_msg("%s (%s failed): %s", t->when, faults_struck(), wrong);
    if (faults_live() != before)
        fail_msg("%s (%s failed): something leaks: %zu live things, then %s", t->when, faults_struck(), before,
                 faults_live_text());
}

static void expect_healthy(const job *j, penta_context *shared)
{
    trial t = {.job = j, .ctx = shared, .when = "without a fault"};

    faults_disarm();
    assert_int_equal(attempt(&t), PENTA_OK);
}

/* Every call up to `dense`, then ever wider steps, which have no common divisor with the period of a loop for long. */
static size_t next_nth(size_t nth, size_t dense, size_t stride)
{
    return nth < dense ? nth + 1 : nth + stride + nth / 40;
}

static void sweep(const job *j, penta_context *shared, enum fault_kind kind, bool lasting)
{
    size_t dense = lasting ? 4 : kind == FAULT_MEMORY ? SIZE_MAX : j->dense, trials = 0, survived = 0;
    trial t = {.job = j, .ctx = shared, .kind = kind, .nth = 1, .lasting = lasting};

    for (;; t.nth = next_nth(t.nth, dense, j->stride)) {
        penta_status status;
        size_t before;

        settle(shared);
        before = faults_live();
        snprintf(t.when, sizeof t.when, "%s, %s %zu%s", j->name, kind == FAULT_MEMORY ? "allocation" : "OpenCL call",
                 t.nth, lasting ? " and all later" : "");
        status = attempt(&t);
        faults_disarm();
        if (lasting) { /* nothing could be waited for */
            faults_forget_transfers();
            faults_misuse();
        }
        settle(shared);
        expect_clean(&t, before);
        if (!faults_struck())
            break;
        survived += status == PENTA_OK && t.struck;
        trials++;
    }
    print_message("%s: %zu faults up to %s %zu%s, %zu of them got over\n", j->name, trials,
                  kind == FAULT_MEMORY ? "allocation" : "OpenCL call", t.nth, lasting ? " (lasting)" : "", survived);
    assert_true(trials > 0 && (!lasting || survived == 0));
    expect_healthy(j, shared);
}

static void sweep_all(const job *j)
{
    penta_context *ctx = NULL, *shared;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    if (j->as_gpu)
        ctx->info.type = PENTA_DEVICE_GPU;
    shared = j->fresh ? NULL : ctx;
    for (int i = 0; i < 3; i++) /* everything that is made once is there then */
        expect_healthy(j, shared);
    if (!j->on_device) {
        sweep(j, shared, FAULT_MEMORY, false);
        sweep(j, shared, FAULT_MEMORY, true);
    }
    if (!j->on_host) {
        sweep(j, shared, FAULT_OPENCL, false);
        sweep(j, shared, FAULT_OPENCL, true);
    }
    penta_context_destroy(ctx);
}

/* ---- frames of stars ---- */

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

    penta_options_init(penta_stars_option_table, &o);
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
        return stars_device_run(with->device, &list, &got.result);
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

    if (t->job->fresh && t->job->as_gpu)
        t->ctx->info.type = PENTA_DEVICE_GPU;
    if (!d->made && !t->job->fresh)
        arm(t);
    status = create_drawer(d, t->ctx, &with);
    if (d->made) {
        EXPECT_OK(t->ctx, status);
        EXPECT_OK(t->ctx, use_drawer(d, &with));
        arm(t);
    }
    if (status == PENTA_OK)
        status = use_drawer(d, &with);
    end_of_faults(t, t->ctx, status);
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
    penta_context *ctx = NULL;
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
    penta_context_destroy(ctx);
}

static void sweep_drawing(const char *name, const drawing *d, const job *how)
{
    job j = *how;

    j.name = name;
    j.attempt = attempt_drawing;
    j.what = d;
    place_stars(d);
    learn(d, j.as_gpu);
    sweep_all(&j);
}

static const job on_cpu = {.dense = 20, .stride = 3}, as_gpu = {.dense = 20, .stride = 3, .as_gpu = true};

static void test_first_use(void **state)
{
    (void)state;
    sweep_drawing("tile in a new context",
                  &(drawing){.engine = PENTA_STARS_TILE, .roi = 9, .width = 70, .height = 40, .n = 150},
                  &(job){.fresh = true, .dense = 30, .stride = 17});
    sweep_drawing("star in a new context as on a GPU",
                  &(drawing){.engine = PENTA_STARS_STAR, .roi = 9, .width = 70, .height = 40, .n = 150},
                  &(job){.fresh = true, .as_gpu = true, .dense = 30, .stride = 17});
}

static void test_engines(void **state)
{
    static const char *const names[2][4] = {
        {"pixel", "star", "tile", "fixed"},
        {"pixel as on a GPU", "star as on a GPU", "tile as on a GPU, slots", "fixed as on a GPU"}};

    (void)state;
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

static void test_other_stars(void **state)
{
    (void)state;
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
static void test_crowds(void **state)
{
    (void)state;
    sweep_drawing(
        "star as on a GPU, crowded",
        &(drawing){.engine = PENTA_STARS_STAR, .roi = 4, .width = 40, .height = 30, .n = 300, .crowded = true},
        &as_gpu);
    sweep_drawing("tile as on a GPU, sorted",
                  &(drawing){.engine = PENTA_STARS_TILE, .roi = 3, .width = 66, .height = 50, .n = 17000, .far = 15000},
                  &(job){.as_gpu = true, .dense = 5, .stride = 5});
}

/* More stars than a short list has: the packing is read back before it is drawn. */
static void test_long_lists(void **state)
{
    drawing d = {.engine = PENTA_STARS_TILE,
                 .roi = 3,
                 .width = MOST_SIDE,
                 .height = MOST_SIDE,
                 .n = MOST_STARS,
                 .far = MOST_STARS - 900,
                 .made = true};
    void *ctx = NULL;
    bool missorts;

    (void)state;
    sweep_drawing("tile as on a GPU, a long list", &d,
                  &(job){.as_gpu = true, .on_device = true, .dense = 200, .stride = 2});
    assert_int_equal(open_device(&ctx), 0);
    missorts = missorts_for_gpus(ctx);
    close_device(&ctx);
    if (missorts)
        return;
    d.crowded = true;
    sweep_drawing("tile as on a GPU, a long list, crowded", &d,
                  &(job){.as_gpu = true, .on_device = true, .dense = 5, .stride = 5});
}

static void test_parts(void **state)
{
    drawing d = {.roi = 8, .width = 66, .height = 50, .n = 120, .limits = {17, 50}};

    (void)state;
    d.engine = PENTA_STARS_TILE;
    sweep_drawing("tile in parts", &d, &(job){.dense = 20, .stride = 7});
    sweep_drawing("tile as on a GPU, in parts", &d, &(job){.dense = 20, .stride = 7, .as_gpu = true});
    d.engine = PENTA_STARS_FIXED;
    sweep_drawing("fixed in parts", &d, &(job){.dense = 20, .stride = 7});
}

static void test_on_host(void **state)
{
    drawing d = {.roi = 8, .width = 66, .height = 50, .n = 120};
    job how = {.on_host = true, .stride = 1};

    (void)state;
    d.engine = PENTA_STARS_SERIAL;
    sweep_drawing("serial", &d, &how);
    d.engine = PENTA_STARS_THREADS;
    sweep_drawing("threads", &d, &how);
}

/* ---- detector ---- */

enum { DETECTOR_WIDTH = 300, DETECTOR_HEIGHT = 37, DETECTOR_PIXELS = DETECTOR_WIDTH * DETECTOR_HEIGHT };

typedef struct {
    float dn[DETECTOR_PIXELS];
    uint8_t saturated[DETECTOR_PIXELS];
} exposure;

static double photons[DETECTOR_PIXELS];
static exposure exposed, right_exposure;

static penta_status expose(penta_detector *d)
{
    memset(&exposed, 0xFF, sizeof exposed);
    return penta_detector_run(d, 5, photons, PENTA_F64, exposed.dn, exposed.saturated);
}

/* The first exposure is the right one. */
static penta_status attempt_detector(trial *t)
{
    bool learns = *(const bool *)t->job->what;
    penta_detector_options o;
    penta_detector *d = (penta_detector *)(uintptr_t)1;
    penta_status status;

    penta_options_init(penta_detector_option_table, &o);
    o.read_noise = 3;
    o.bias = 100;
    o.bits = 8;
    arm(t);
    status = penta_detector_create(t->ctx, DETECTOR_WIDTH, DETECTOR_HEIGHT, &o, &d);
    assert_true((status == PENTA_OK) == (d != NULL));
    if (d)
        status = expose(d);
    end_of_faults(t, t->ctx, status);
    if (learns && status == PENTA_OK)
        right_exposure = exposed;
    if (status == PENTA_OK)
        assert_memory_equal(&exposed, &right_exposure, sizeof exposed);
    if (d && status != PENTA_OK) {
        expect_idle(t, photons, sizeof photons);
        expect_idle(t, &exposed, sizeof exposed);
        faults_forget_transfers();
        faults_disarm();
        EXPECT_OK(t->ctx, expose(d));
        assert_memory_equal(&exposed, &right_exposure, sizeof exposed);
    }
    penta_detector_destroy(d);
    return status;
}

static void test_detector(void **state)
{
    static bool learns;
    job j = {.name = "detector", .attempt = attempt_detector, .what = &learns, .dense = 60, .stride = 3};
    trial first = {.job = &j, .when = "the first exposure"};

    (void)state;
    for (int i = 0; i < DETECTOR_PIXELS; i++)
        photons[i] = i % 211;
    EXPECT_OK(NULL, penta_context_create(NULL, &first.ctx));
    learns = true;
    assert_int_equal(attempt(&first), PENTA_OK);
    learns = false;
    penta_context_destroy(first.ctx);
    assert_true(right_exposure.dn[7] >= 90 && right_exposure.dn[7] <= 130);
    assert_int_equal(right_exposure.dn[200], 255);
    assert_int_equal(right_exposure.saturated[200], 1);
    sweep_all(&j);
    j.name = "detector as on a GPU";
    j.as_gpu = true;
    sweep_all(&j);
}

/* ---- sky ---- */

enum { SKY_STARS = 3000, FOUND = 600 };

static double ras[SKY_STARS], decs[SKY_STARS];

static penta_status query(const penta_sky_index *index)
{
    static size_t ids[SKY_STARS];
    size_t count = 0;
    penta_status status = penta_sky_index_query(index, 123, 4, 60, SKY_STARS, ids, &count);

    if (status != PENTA_OK)
        return status;
    assert_true(count > FOUND);
    for (size_t i = 0, at = 0; i < SKY_STARS; i++)
        if (penta_sky_separation(123, 4, ras[i], decs[i]) <= 60)
            assert_int_equal(ids[at++], i);
    return PENTA_OK;
}

static penta_status attempt_index(trial *t)
{
    penta_sky_index *index = (penta_sky_index *)(uintptr_t)1;
    penta_status status;

    arm(t);
    status = penta_sky_index_create(SKY_STARS, ras, decs, &index);
    assert_true((status == PENTA_OK) == (index != NULL));
    if (index)
        status = query(index);
    end_of_faults(t, NULL, status);
    faults_disarm();
    if (index)
        EXPECT_OK(NULL, query(index));
    penta_sky_index_destroy(index);
    return status;
}

static penta_status attempt_fit(trial *t)
{
    penta_camera camera;
    penta_attitude attitude;
    penta_sky_view view;
    penta_sip_residual residual;
    penta_wcs wcs;
    penta_status status;

    EXPECT_OK(NULL, penta_camera_init(800, 600, 900, &camera));
    camera.k1 = -0.1;
    EXPECT_OK(NULL, penta_attitude_from_radec(80, -3, 20, &attitude));
    EXPECT_OK(NULL, penta_sky_view_from_camera(&attitude, &camera, &view));
    arm(t);
    status = penta_sky_fit_sip(&view, 4, &wcs, &residual);
    end_of_faults(t, NULL, status);
    if (status == PENTA_OK)
        assert_true(wcs.a_order == 4 && residual.forward > 0 && residual.forward < 1);
    return status;
}

static void test_sky(void **state)
{
    (void)state;
    random_seed(3);
    for (size_t i = 0; i < SKY_STARS; i++) {
        ras[i] = 360 * random_uniform();
        decs[i] = asin(2 * random_uniform() - 1) * 57.29577951308232;
    }
    sweep_all(&(job){.name = "index of the sky", .attempt = attempt_index, .on_host = true, .stride = 1});
    sweep_all(&(job){.name = "TAN-SIP fit", .attempt = attempt_fit, .on_host = true, .stride = 1});
}

/* A test that failed may have left faults behind. */
static int no_faults(void **state)
{
    (void)state;
    faults_disarm();
    faults_forget_transfers();
    faults_misuse();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_use, no_faults),   cmocka_unit_test_setup(test_engines, no_faults),
        cmocka_unit_test_setup(test_other_stars, no_faults), cmocka_unit_test_setup(test_crowds, no_faults),
        cmocka_unit_test_setup(test_long_lists, no_faults),  cmocka_unit_test_setup(test_parts, no_faults),
        cmocka_unit_test_setup(test_on_host, no_faults),     cmocka_unit_test_setup(test_detector, no_faults),
        cmocka_unit_test_setup(test_sky, no_faults),
    };

    return cmocka_run_group_tests_name("faults: stars", tests, NULL, NULL);
}
