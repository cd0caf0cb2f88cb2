/*
 * The Nth allocation fails, then the Nth OpenCL call, for N = 1, 2, 3, ... until a whole job succeeds. Each time there
 * is an error with a text and no output object, or the right answer (a smaller batch may do); nothing leaks; no memory
 * is freed that a transfer may use; the plan still works afterwards, and so does a fresh context.
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
#include "support/device.h"

enum { W = 56, H = 44, R = 18, SIDE = 2 * R + 1, FRAMES = 3, FRESH_EVERY = 24 };

/* What is run: a context, pinned memory, a plan, one run, and everything destroyed. */
typedef struct {
    const char *name;
    enum penta_autocorr_method method;
    bool clfft; /* in place of the CPU form */
    int demean;
    bool masked, cross;
    bool as_gpu; /* the forms of kernels, batches and transfers that a GPU has, whatever the device is */
    bool numerators;
    size_t dense, stride; /* every OpenCL call up to dense, then every stride-th or fewer */
} job;

typedef struct {
    double c2d[SIDE * SIDE];
    int64_t numerators[SIDE * SIDE];
    penta_autocorr_bin c1d[R + 1];
    penta_peak peak;
} answer;

static uint8_t images[FRAMES][W * H], mask[W * H];
static answer expected[FRAMES], got[FRAMES];
static bool on_cpu;

/* Plane waves of one wave number in many directions: a trough and a peak near 9 px, so that the bootstrap has work. */
static void make_inputs(void)
{
    enum { WAVES = 31 };
    const double k = 2 * 3.14159265358979 / 8;

    for (int f = 0; f < FRAMES; f++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                double sum = 0;

                for (int w = 0; w < WAVES; w++) {
                    double angle = 2 * 3.14159265358979 * w / WAVES, phase = fmod(7.13 * w * w + 3 * f, 6.28);

                    sum += cos(k * (x * cos(angle) + y * sin(angle)) + phase);
                }
                images[f][y * W + x] = (uint8_t)fmin(255, fmax(0, 25 * sum));
            }
    for (int i = 0; i < W * H; i++)
        mask[i] = i % 13 != 0;
}

/* ---- one attempt ---- */

/* VkFFT, which is a header and so within reach of the faults, is left out: its set-up leaks when a call of it fails. */
static penta_autocorr_options options_of(const job *j)
{
    penta_autocorr_options o;

    penta_options_init(penta_autocorr_option_table, &o);
    o.max_offset = R;
    o.method = (int)j->method;
    o.fft = j->clfft || !on_cpu ? PENTA_FFT_CLFFT : PENTA_FFT_AUTO;
    o.demean = j->demean;
    o.bootstrap = 20;
    return o;
}

/* The first frame lies in pinned memory. */
static penta_status run_frames(const job *j, penta_autocorr *plan, const void *pinned)
{
    penta_autocorr_frame frames[FRAMES];
    penta_autocorr_result results[FRAMES];
    penta_status status;

    memset(got, 0, sizeof got);
    for (int f = 0; f < FRAMES; f++) {
        frames[f] = (penta_autocorr_frame){
            .image = f ? images[f] : pinned, .with = j->cross ? images[f] : NULL, .mask = j->masked ? mask : NULL};
        results[f] = (penta_autocorr_result){
            .c2d = got[f].c2d, .numerators = j->numerators ? got[f].numerators : NULL, .c1d = got[f].c1d};
    }
    status = penta_autocorr_run(plan, FRAMES, frames, results);
    for (int f = 0; f < FRAMES; f++)
        got[f].peak = results[f].peak;
    return status;
}

static bool close_to(double a, double b, double tolerance)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance;
}

/* The answer, to rounding: a fault may have led to another form of a kernel, never to other integers. */
static void expect_right_answer(const job *j, const char *when)
{
    for (int f = 0; f < FRAMES; f++) {
        const answer *a = &got[f], *b = &expected[f];

        if (j->numerators && memcmp(a->numerators, b->numerators, sizeof a->numerators) != 0)
            fail_msg("%s, %s: other numerators of frame %d", j->name, when, f);
        for (int i = 0; i < SIDE * SIDE; i++)
            if (!close_to(a->c2d[i], b->c2d[i], 1e-12))
                fail_msg("%s, %s: C2D of frame %d at %d is %.17g, not %.17g", j->name, when, f, i, a->c2d[i],
                         b->c2d[i]);
        for (int r = 0; r <= R; r++)
            if (a->c1d[r].count != b->c1d[r].count || !close_to(a->c1d[r].c, b->c1d[r].c, 1e-12))
                fail_msg("%s, %s: C1D(%d) of frame %d is %.17g, not %.17g", j->name, when, r, f, a->c1d[r].c,
                         b->c1d[r].c);
        if (a->peak.status != b->peak.status || !close_to(a->peak.r_max, b->peak.r_max, 1e-9) ||
            !close_to(a->peak.r_min, b->peak.r_min, 1e-9) || !close_to(a->peak.r_max_se, b->peak.r_max_se, 1e-4))
            fail_msg("%s, %s: R_max of frame %d is %.9g +- %.9g after a trough at %.9g, not %.9g +- %.9g after %.9g",
                     j->name, when, f, a->peak.r_max, a->peak.r_max_se, a->peak.r_min, b->peak.r_max, b->peak.r_max_se,
                     b->peak.r_min);
    }
}

typedef struct {
    const job *job;
    enum fault_kind kind;
    size_t nth;
    bool lasting;
    char when[96];
} trial;

/*
 * A text that says what failed, not the one that stands in for it when there is no memory for a text either. It names
 * the first OpenCL call that failed, unless that was a query, or a build, which has a text of its own, or a smaller
 * batch was tried and failed too.
 */
static void expect_text(const penta_context *ctx, const trial *t)
{
    const char *text = penta_last_error(ctx), *call = faults_struck();
    bool gpu = ctx && penta_context_device(ctx)->type != PENTA_DEVICE_CPU;
    bool batches = gpu || (t->job && t->job->as_gpu);

    if (strlen(text) == 0 || (strncmp(text, "no error text", 13) == 0 && !(t->kind == FAULT_MEMORY && t->lasting)))
        fail_msg("%s: the error has no text of its own after %s failed", t->when, call);
    if (t->kind == FAULT_OPENCL && !(t->lasting && batches) && strncmp(call, "clGet", 5) != 0 &&
        strcmp(call, "clBuildProgram") != 0 && !strstr(text, call))
        fail_msg("%s: %s failed, but the text is: %s", t->when, call, text);
}

/* After a run that failed: the caller's arrays are his again, and the plan works. */
static void expect_usable(const trial *t, penta_context *ctx, penta_autocorr *plan, const void *pinned)
{
    if (!t->lasting && (faults_busy(images, sizeof images) || faults_busy(mask, sizeof mask) ||
                        faults_busy(got, sizeof got) || faults_busy(pinned, W * H)))
        fail_msg("%s: a transfer may still use the caller's arrays after the run (%s failed)", t->when,
                 faults_struck());
    faults_forget_transfers();
    faults_disarm();
    EXPECT_OK(ctx, run_frames(t->job, plan, pinned));
    expect_right_answer(t->job, "the plan used again");
}

/* A plan made, run and destroyed. *struck: the call that failed before anything was destroyed, or NULL. */
static penta_status attempt_plan(const trial *t, penta_context *ctx, const char **struck)
{
    const job *j = t->job;
    penta_autocorr_options options = options_of(j);
    penta_autocorr *plan = NULL;
    void *pinned = NULL;
    penta_status status = penta_host_alloc(ctx, W * H, &pinned);

    assert_true((status == PENTA_OK) == (pinned != NULL));
    if (pinned) {
        memcpy(pinned, images[0], W * H);
        plan = (penta_autocorr *)(uintptr_t)1;
        status = penta_autocorr_create(ctx, W, H, PENTA_U8, &options, &plan);
        assert_true((status == PENTA_OK) == (plan != NULL));
    }
    if (plan)
        status = run_frames(j, plan, pinned);
    *struck = faults_struck();
    if (status != PENTA_OK)
        expect_text(ctx, t);
    else
        expect_right_answer(j, t->when);
    if (plan && status != PENTA_OK)
        expect_usable(t, ctx, plan, pinned);
    penta_autocorr_destroy(plan);
    penta_host_free(ctx, pinned);
    return status;
}

/* The same in a context of its own. */
static penta_status attempt(const trial *t, const char **struck)
{
    penta_context *ctx = (penta_context *)(uintptr_t)1;
    penta_status status = penta_context_create(NULL, &ctx);

    assert_true((status == PENTA_OK) == (ctx != NULL));
    if (ctx) {
        if (t->job->as_gpu)
            ctx->info.type = PENTA_DEVICE_GPU;
        status = attempt_plan(t, ctx, struck);
    } else {
        *struck = faults_struck();
        expect_text(NULL, t);
    }
    penta_context_destroy(ctx);
    return status;
}

/* ---- sweeps ---- */

/*
 * What lives longer than a trial is brought to one state, so that counts can be compared: the error texts of the thread
 * and of a shared context, its profile, and the last transfers of its staging slots.
 */
static void settle(penta_context *shared)
{
    penta_autocorr *plan;

    assert_int_equal(penta_growth_fit_all(1, NULL, NULL, NULL, NULL), PENTA_INVALID);
    if (shared) {
        assert_int_equal(penta_autocorr_create(shared, 0, 0, PENTA_U8, NULL, &plan), PENTA_INVALID);
        assert_int_equal(penta_finish(shared), PENTA_OK);
        penta_profile_reset(shared);
        for (int i = 0; i < PENTA_STAGING_SLOTS; i++) {
            if (shared->staging[i].event)
                clReleaseEvent(shared->staging[i].event);
            shared->staging[i].event = NULL;
        }
    }
}

static void expect_clean(size_t before, const char *when)
{
    const char *wrong = faults_misuse();

    if (wrong)
        fail_msg("%s (%s failed): %s", when, faults_struck(), wrong);
    if (faults_live() != before)
        fail_msg("%s (%s failed): something leaks: %zu live things, then %s", when, faults_struck(), before,
                 faults_live_text());
}

static void expect_healthy(const job *j)
{
    trial t = {.job = j, .when = "without a fault"};
    const char *struck;

    faults_disarm();
    assert_int_equal(attempt(&t, &struck), PENTA_OK);
}

/* Every call up to `dense`, then ever wider steps, which have no common divisor with the period of a loop for long. */
static size_t next_nth(size_t nth, size_t dense, size_t stride)
{
    return nth < dense ? nth + 1 : nth + stride + nth / 40;
}

static void sweep(const job *j, penta_context *shared, enum fault_kind kind, bool lasting)
{
    size_t dense = lasting ? 10 : kind == FAULT_MEMORY ? SIZE_MAX : j->dense;
    trial t = {.job = j, .kind = kind, .nth = 1, .lasting = lasting};
    size_t trials = 0, survived = 0;

    for (;; t.nth = next_nth(t.nth, dense, j->stride)) {
        const char *struck;
        penta_status status;
        size_t before;

        settle(shared);
        before = faults_live();
        snprintf(t.when, sizeof t.when, "%s, %s %zu%s", j->name, kind == FAULT_MEMORY ? "allocation" : "OpenCL call",
                 t.nth, lasting ? " and all later" : "");
        faults_arm(kind, t.nth, lasting);
        status = shared ? attempt_plan(&t, shared, &struck) : attempt(&t, &struck);
        faults_disarm();
        if (lasting) { /* nothing could be waited for */
            faults_forget_transfers();
            faults_misuse();
        }
        if (status != PENTA_OK && !struck)
            fail_msg("%s: %s without a fault", t.when, penta_status_name(status));
        if (status == PENTA_OK && struck && lasting)
            fail_msg("%s: success, although %s failed", t.when, struck);
        settle(shared);
        expect_clean(before, t.when);
        if (!faults_struck())
            break;
        survived += status == PENTA_OK && struck;
        if (++trials % FRESH_EVERY == 0)
            expect_healthy(j);
    }
    print_message("%s: %zu faults up to %s %zu%s, %zu of them got over\n", j->name, trials,
                  kind == FAULT_MEMORY ? "allocation" : "OpenCL call", t.nth, lasting ? " (lasting)" : "", survived);
    assert_true(trials > 10 && survived < trials);
    expect_healthy(j);
}

/* The numerators of the healthy run, as the formula is written. */
static void expect_exact(const job *j)
{
    for (int f = 0; f < FRAMES; f++)
        for (int Y = -R; Y <= R; Y++)
            for (int X = -R; X <= R; X++) {
                int64_t sum = 0;

                for (int y = Y < 0 ? -Y : 0; y < H && y + Y < H; y++)
                    for (int x = X < 0 ? -X : 0; x < W && x + X < W; x++) {
                        int a = y * W + x, b = (y + Y) * W + x + X;

                        if (!j->masked || (mask[a] && mask[b]))
                            sum += images[f][a] * images[f][b];
                    }
                assert_int_equal(expected[f].numerators[(Y + R) * SIDE + X + R], sum);
            }
}

/* The healthy answer. */
static void learn(const job *j, penta_context *ctx)
{
    penta_autocorr_options options = options_of(j);
    penta_autocorr *plan = NULL;

    EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_U8, &options, &plan));
    EXPECT_OK(ctx, run_frames(j, plan, images[0]));
    penta_autocorr_destroy(plan);
    memcpy(expected, got, sizeof expected);
    if (j->numerators)
        expect_exact(j);
    assert_int_equal(expected[0].peak.status, PENTA_PEAK_OK);
    assert_true(expected[0].peak.r_max_se > 0);
}

/*
 * fresh: every trial has a context of its own, with its programs built anew, which takes long; else they share one.
 */
static void sweep_all(const job *j, bool fresh)
{
    penta_context *ctx = NULL, *shared;
    const char *struck;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    on_cpu = penta_is_cpu(ctx);
    if (j->as_gpu)
        ctx->info.type = PENTA_DEVICE_GPU;
    learn(j, ctx);
    assert_int_equal(attempt_plan(&(trial){.job = j, .when = "the first trial"}, ctx, &struck), PENTA_OK);
    shared = fresh ? NULL : ctx;
    sweep(j, shared, FAULT_MEMORY, false);
    sweep(j, shared, FAULT_OPENCL, false);
    sweep(j, shared, FAULT_MEMORY, true);
    sweep(j, shared, FAULT_OPENCL, true);
    penta_context_destroy(ctx);
}

static void test_tiled_masked(void **state)
{
    (void)state;
    sweep_all(&(job){.name = "tiled, masked, mean",
                     .method = PENTA_AUTOCORR_TILED,
                     .masked = true,
                     .demean = PENTA_AUTOCORR_DEMEAN_MEAN,
                     .numerators = true,
                     .dense = 300,
                     .stride = 2},
              false);
}

static void test_fft(void **state)
{
    (void)state;
    sweep_all(&(job){.name = "fft", .method = PENTA_AUTOCORR_FFT, .numerators = true, .dense = 60, .stride = 4}, true);
}

static void test_cross_plane(void **state)
{
    (void)state;
    sweep_all(&(job){.name = "fft, two images, plane",
                     .method = PENTA_AUTOCORR_FFT,
                     .cross = true,
                     .demean = PENTA_AUTOCORR_DEMEAN_PLANE,
                     .dense = 200,
                     .stride = 2},
              false);
}

static void test_clfft(void **state)
{
    (void)state;
    sweep_all(&(job){.name = "clfft",
                     .method = PENTA_AUTOCORR_FFT,
                     .clfft = true,
                     .numerators = true,
                     .dense = 10,
                     .stride = 12},
              false);
}

static void test_as_gpu(void **state)
{
    (void)state;
    sweep_all(&(job){.name = "tiled as on a GPU",
                     .method = PENTA_AUTOCORR_TILED,
                     .as_gpu = true,
                     .numerators = true,
                     .dense = 200,
                     .stride = 2},
              false);
}

/* ---- what needs no plan ---- */

static void test_devices(void **state)
{
    const enum fault_kind kinds[] = {FAULT_MEMORY, FAULT_OPENCL};

    (void)state;
    settle(NULL);
    for (int k = 0; k < 2; k++)
        for (size_t nth = 1;; nth++) {
            size_t before = faults_live(), count = 99;
            penta_device *devices = (penta_device *)(uintptr_t)1;
            penta_status status;

            faults_arm(kinds[k], nth, false);
            status = penta_devices(&devices, &count);
            faults_disarm();
            if (status == PENTA_OK) {
                assert_non_null(devices);
            } else {
                assert_non_null(faults_struck());
                assert_null(devices);
                assert_int_equal(count, 0);
                expect_text(NULL, &(trial){.when = "penta_devices"});
            }
            if (kinds[k] == FAULT_MEMORY && faults_struck())
                assert_int_equal(status, PENTA_MEMORY);
            penta_devices_free(devices);
            expect_clean(before, "penta_devices");
            if (!faults_struck())
                break;
        }
}

static void test_growth(void **state)
{
    enum { N = 12 };
    double t[N], r[N];
    penta_growth_fit right[PENTA_GROWTH_MODELS], fits[PENTA_GROWTH_MODELS];
    bool outlier[N];
    size_t nth;

    (void)state;
    for (int i = 0; i < N; i++) {
        t[i] = i;
        r[i] = 10 + 0.5 * i + 0.05 * (i * 7 % 5) + (i == 6 ? 9 : 0);
    }
    assert_int_equal(penta_growth_fit_all(N, t, r, outlier, right), PENTA_OK);
    assert_true(outlier[6]);
    settle(NULL);
    for (nth = 1;; nth++) {
        size_t before = faults_live();
        penta_status status;

        faults_arm(FAULT_MEMORY, nth, false);
        status = penta_growth_fit_all(N, t, r, outlier, fits);
        faults_disarm();
        assert_int_equal(status, faults_struck() ? PENTA_MEMORY : PENTA_OK);
        if (faults_struck())
            expect_text(NULL, &(trial){.when = "penta_growth_fit_all"});
        expect_clean(before, "penta_growth_fit_all");
        if (!faults_struck())
            break;
    }
    assert_true(nth > 5);
    assert_true(outlier[6]);
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        for (size_t k = 0; k < right[m].parameters; k++)
            assert_true(close_to(fits[m].value[k], right[m].value[k], 0));
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
        cmocka_unit_test_setup(test_devices, no_faults),      cmocka_unit_test_setup(test_growth, no_faults),
        cmocka_unit_test_setup(test_tiled_masked, no_faults), cmocka_unit_test_setup(test_fft, no_faults),
        cmocka_unit_test_setup(test_cross_plane, no_faults),  cmocka_unit_test_setup(test_clfft, no_faults),
        cmocka_unit_test_setup(test_as_gpu, no_faults),
    };

    make_inputs();
    return cmocka_run_group_tests_name("faults", tests, NULL, NULL);
}
