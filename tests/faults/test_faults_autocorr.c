/*
 * Faults in a plan of the autocorrelation, and in a mixture that separates: each time there is an error and no plan, or
 * the right answer (a smaller batch may do); the plan still works afterwards, and so does a new context.
 */
#include "faults/sweep.h"

#include "support/device.h"

enum { W = 56, H = 44, R = 18, SIDE = 2 * R + 1, FRAMES = 3 };

/* What is run: pinned memory, a plan, one run, and everything destroyed. */
typedef struct {
    enum penta_autocorr_method method;
    bool clfft; /* in place of the CPU form */
    int demean;
    bool masked, cross;
    bool numerators;
} analysis;

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

/* ---- an attempt ---- */

/* VkFFT, which is a header and so within reach of the faults, is left out: its set-up leaks when a call of it fails. */
static penta_autocorr_options options_of(const analysis *how)
{
    penta_autocorr_options o;

    penta_autocorr_options_init(&o);
    o.max_offset = R;
    o.method = (int)how->method;
    o.fft = how->clfft || !on_cpu ? PENTA_FFT_CLFFT : PENTA_FFT_AUTO;
    o.demean = how->demean;
    o.bootstrap = 20;
    return o;
}

/* The first frame lies in pinned memory. */
static penta_status run_frames(const analysis *how, penta_autocorr *plan, const void *pinned)
{
    penta_autocorr_frame frames[FRAMES];
    penta_autocorr_result results[FRAMES];
    penta_status status;

    memset(got, 0, sizeof got);
    for (int f = 0; f < FRAMES; f++) {
        frames[f] = (penta_autocorr_frame){
            .image = f ? images[f] : pinned, .with = how->cross ? images[f] : NULL, .mask = how->masked ? mask : NULL};
        results[f] = (penta_autocorr_result){
            .c2d = got[f].c2d, .numerators = how->numerators ? got[f].numerators : NULL, .c1d = got[f].c1d};
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
    const analysis *how = j->what;

    for (int f = 0; f < FRAMES; f++) {
        const answer *a = &got[f], *b = &expected[f];

        if (how->numerators && memcmp(a->numerators, b->numerators, sizeof a->numerators) != 0)
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

/* After a run that failed: the caller's arrays are his again, and the plan works. */
static void expect_usable(const trial *t, penta_autocorr *plan, const void *pinned)
{
    expect_idle(t, images, sizeof images);
    expect_idle(t, mask, sizeof mask);
    expect_idle(t, got, sizeof got);
    expect_idle(t, pinned, W * H);
    faults_forget_transfers();
    faults_disarm();
    EXPECT_OK(t->ctx, run_frames(t->job->what, plan, pinned));
    expect_right_answer(t->job, "the plan used again");
}

static penta_status attempt_plan(trial *t)
{
    penta_autocorr_options options = options_of(t->job->what);
    penta_autocorr *plan = NULL;
    void *pinned = NULL;
    penta_status status;

    begin_faults(t);
    status = penta_host_alloc(t->ctx, W * H, &pinned);
    assert_true((status == PENTA_OK) == (pinned != NULL));
    if (pinned) {
        memcpy(pinned, images[0], W * H);
        plan = (penta_autocorr *)(uintptr_t)1;
        status = penta_autocorr_create(t->ctx, W, H, PENTA_U8, &options, &plan);
        assert_true((status == PENTA_OK) == (plan != NULL));
    }
    if (plan)
        status = run_frames(t->job->what, plan, pinned);
    end_faults(t, t->ctx, status);
    if (status == PENTA_OK)
        expect_right_answer(t->job, t->when);
    else if (plan)
        expect_usable(t, plan, pinned);
    penta_autocorr_destroy(plan);
    penta_host_free(t->ctx, pinned);
    return status;
}

/* ---- the right answer ---- */

/* The numerators of the healthy run, as the formula is written. */
static void expect_exact(const analysis *how)
{
    for (int f = 0; f < FRAMES; f++)
        for (int Y = -R; Y <= R; Y++)
            for (int X = -R; X <= R; X++) {
                int64_t sum = 0;

                for (int y = Y < 0 ? -Y : 0; y < H && y + Y < H; y++)
                    for (int x = X < 0 ? -X : 0; x < W && x + X < W; x++) {
                        int a = y * W + x, b = (y + Y) * W + x + X;

                        if (!how->masked || (mask[a] && mask[b]))
                            sum += images[f][a] * images[f][b];
                    }
                assert_int_equal(expected[f].numerators[(Y + R) * SIDE + X + R], sum);
            }
}

/* The answer without faults; whether the device is a CPU too. */
static void learn(const analysis *how, bool as_gpu)
{
    penta_context *ctx = NULL;
    penta_autocorr_options options;
    penta_autocorr *plan = NULL;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    on_cpu = penta_is_cpu(ctx);
    if (as_gpu)
        ctx->info.type = PENTA_DEVICE_GPU;
    options = options_of(how);
    EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_U8, &options, &plan));
    EXPECT_OK(ctx, run_frames(how, plan, images[0]));
    penta_autocorr_destroy(plan);
    penta_context_destroy(ctx);
    memcpy(expected, got, sizeof expected);
    if (how->numerators)
        expect_exact(how);
    assert_int_equal(expected[0].peak.status, PENTA_PEAK_OK);
    assert_true(expected[0].peak.r_max_se > 0);
}

static void sweep_analysis(const char *name, const analysis *how, const job *as)
{
    job j = *as;

    j.name = name;
    j.attempt = attempt_plan;
    j.what = how;
    j.least = 10;
    j.renewed_after = 24;
    learn(how, j.as_gpu);
    j.gpu_retries = true; /* with smaller batches */
    sweep(&j);
}

TEST_WITH(no_faults, NULL, tiled_masked)
{
    sweep_analysis(
        "tiled, masked, mean",
        &(analysis){
            .method = PENTA_AUTOCORR_TILED, .masked = true, .demean = PENTA_AUTOCORR_DEMEAN_MEAN, .numerators = true},
        &(job){0});
}

TEST_WITH(no_faults, NULL, fft)
{
    sweep_analysis("fft", &(analysis){.method = PENTA_AUTOCORR_FFT, .numerators = true}, &(job){.fresh = true});
}

TEST_WITH(no_faults, NULL, cross_plane)
{
    sweep_analysis("fft, two images, plane",
                   &(analysis){.method = PENTA_AUTOCORR_FFT, .cross = true, .demean = PENTA_AUTOCORR_DEMEAN_PLANE},
                   &(job){0});
}

TEST_WITH(no_faults, NULL, clfft)
{
    sweep_analysis("clfft", &(analysis){.method = PENTA_AUTOCORR_FFT, .clfft = true, .numerators = true}, &(job){0});
}

TEST_WITH(no_faults, NULL, as_gpu)
{
    sweep_analysis("tiled as on a GPU", &(analysis){.method = PENTA_AUTOCORR_TILED, .numerators = true},
                   &(job){.as_gpu = true});
}

/* ---- a mixture that separates ---- */

enum { CELLS = 16 * 12 };
static double right_field[CELLS];

static penta_status make_mixture(penta_context *ctx, double *u, penta_spinodal_measures *m)
{
    penta_spinodal_options o;
    HELD_BY(penta_spinodal_held) penta_spinodal *field = (penta_spinodal *)(uintptr_t)1;
    penta_status status;

    penta_spinodal_options_init(&o);
    o.fft = PENTA_FFT_CLFFT;
    status = penta_spinodal_create(ctx, 16, 12, &o, &field);
    assert_true((status == PENTA_OK) == (field != NULL));
    if (status == PENTA_OK)
        status = penta_spinodal_advance(field, 4.5);
    if (status == PENTA_OK)
        status = penta_spinodal_read(field, u);
    if (status == PENTA_OK)
        status = penta_spinodal_measure(field, m);
    return status;
}

static penta_status attempt_mixture(trial *t)
{
    double u[CELLS];
    penta_spinodal_measures m;
    penta_status status;

    begin_faults(t);
    status = make_mixture(t->ctx, u, &m);
    end_faults(t, t->ctx, status);
    if (status == PENTA_OK)
        assert_memory_equal(u, right_field, sizeof u);
    return status;
}

TEST_WITH(no_faults, NULL, mixture)
{
    penta_context *ctx = NULL;
    penta_spinodal_measures m;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    EXPECT_OK(ctx, make_mixture(ctx, right_field, &m));
    penta_context_destroy(ctx);
    assert_true(m.energy > 0 && m.time == 4.5);
    sweep(&(job){.name = "mixture", .attempt = attempt_mixture, .least = 4, .renewed_after = 24});
}

static int prepare(void **state)
{
    make_inputs();
    return hold_clfft(state);
}

RUN(EVERYWHERE, NULL, prepare, release_clfft);
