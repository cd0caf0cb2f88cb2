/* The separating mixture of penta_spinodal against explicit steps of a naive transform, and what the equation keeps. */
#include "support/test.h"

#include "reference/spinodal.h"

static penta_spinodal_options defaults(void)
{
    penta_spinodal_options o;

    penta_spinodal_options_init(&o);
    return o;
}

/* u at `time`; in `start`, unless NULL, u at 1, when the shortest waves of the noise, which no step follows, are gone.
 */
static void solve(penta_context *ctx, size_t width, size_t height, const penta_spinodal_options *o, double time,
                  double *start, double *u)
{
    HELD_BY(penta_spinodal_held) penta_spinodal *field = NULL;

    EXPECT_OK(ctx, penta_spinodal_create(ctx, width, height, o, &field));
    EXPECT_OK(ctx, penta_spinodal_advance(field, 1));
    if (start)
        EXPECT_OK(ctx, penta_spinodal_read(field, start));
    EXPECT_OK(ctx, penta_spinodal_advance(field, time));
    EXPECT_OK(ctx, penta_spinodal_read(field, u));
}

static double distance(size_t n, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)n);
}

/* A scheme of second order comes four times as near with half the step. */
static void compare(void **state, size_t width, size_t height, double composition, double cell)
{
    enum { MOST = 16 * 12 };
    penta_context *ctx = device_of(state);
    penta_spinodal_options o = defaults();
    double right[MOST], u[MOST], before[MOST], error[2];
    const double time = 5;

    o.composition = composition;
    o.cell = cell;
    o.noise = 0.3;
    for (int i = 0; i < 2; i++) {
        o.step = i == 0 ? 0.05 : 0.025;
        solve(ctx, width, height, &o, time, before, u);
        memcpy(right, before, sizeof right);
        reference_spinodal(width, height, cell, (time - 1) / 800, 800, right);
        error[i] = distance(width * height, u, right);
    }
    if (!(error[1] < 1e-3 && error[0] / error[1] > 3.5 && error[0] / error[1] < 4.5))
        fail_msg("%zu x %zu, c = %g: errors %g and %g", width, height, composition, error[0], error[1]);
}

TEST(fields_are_the_equations)
{
    compare(state, 12, 8, 0, 1);
    compare(state, 9, 10, 0.3, 1.1);
    compare(state, 10, 7, -0.2, 1);
}

/* Measures against those of the reference; the mean stays, the energy falls, whatever the step. */
DEVICE_TEST(laws_are_kept)
{
    enum { W = 24, H = 18 };
    double u[W * H];

    for (int run = 0; run < 4; run++) {
        penta_spinodal_options o = defaults();
        penta_spinodal_measures m = {0}, before;
        HELD_BY(penta_spinodal_held) penta_spinodal *field = NULL;

        o.composition = 0.15 * run;
        o.step = run % 2 ? 0.5 : 0.25;
        o.noise = run == 3 ? 0.5 : 0.05;
        o.seed = run;
        EXPECT_OK(ctx, penta_spinodal_create(ctx, W, H, &o, &field));
        EXPECT_OK(ctx, penta_spinodal_measure(field, &before));
        expect_near(before.sd, o.noise, 0.1 * o.noise);
        for (int i = 1; i <= 120; i++) {
            EXPECT_OK(ctx, penta_spinodal_advance(field, o.step * i));
            EXPECT_OK(ctx, penta_spinodal_measure(field, &m));
            assert_true(m.mean == before.mean && fabs(m.mean - o.composition) < 1e-15);
            if (!(m.energy <= before.energy + 1e-15))
                fail_msg("run %d: energy %.17g after %.17g, time %g", run, m.energy, before.energy, m.time);
            before = m;
        }
        EXPECT_OK(ctx, penta_spinodal_read(field, u));
        expect_near(m.time, 120 * o.step, 0);
        expect_near(m.wave_number, reference_spinodal_wave_number(W, H, u), 1e-12);
        expect_near(m.energy, reference_spinodal_energy(W, H, 1, u), 1e-12);
        assert_true(m.sd > 0.3);
    }
}

/* The pattern coarsens: from the fastest growing wave, k = sqrt 1/2, to longer ones. */
DEVICE_TEST(patterns_coarsen)
{
    HELD_BY(penta_spinodal_held) penta_spinodal *field = NULL;
    penta_spinodal_measures early, late;

    EXPECT_OK(ctx, penta_spinodal_create(ctx, 96, 64, NULL, &field));
    EXPECT_OK(ctx, penta_spinodal_advance(field, 15));
    EXPECT_OK(ctx, penta_spinodal_measure(field, &early));
    EXPECT_OK(ctx, penta_spinodal_advance(field, 120));
    EXPECT_OK(ctx, penta_spinodal_measure(field, &late));
    expect_near(early.wave_number, sqrt(0.5), 0.05);
    assert_true(late.wave_number < 0.75 * early.wave_number);
}

DEVICE_TEST(seeds_decide)
{
    enum { W = 20, H = 15 };
    penta_spinodal_options o = defaults();
    double a[W * H], b[W * H];

    solve(ctx, W, H, &o, 10, NULL, a);
    solve(ctx, W, H, &o, 10, NULL, b);
    assert_memory_equal(a, b, sizeof a);
    o.fft = PENTA_FFT_CLFFT;
    solve(ctx, W, H, &o, 10, NULL, b);
    assert_true(distance(W * H, a, b) < 1e-12);
    o.seed = 2;
    solve(ctx, W, H, &o, 10, NULL, b);
    assert_true(distance(W * H, a, b) > 1e-3);
}

static bool cancel_late(void *user, double done, double total)
{
    (void)total;
    *(double *)user = done;
    return done >= 32;
}

DEVICE_TEST(runs_can_be_cancelled)
{
    penta_spinodal *field = NULL;
    penta_spinodal_measures m;
    double done = -1, a[64], b[64];

    EXPECT_OK(ctx, penta_spinodal_create(ctx, 8, 8, NULL, &field));
    penta_context_set_progress(ctx, cancel_late, &done);
    assert_int_equal(penta_spinodal_advance(field, 25), PENTA_CANCELLED);
    penta_context_set_progress(ctx, NULL, NULL);
    EXPECT_OK(ctx, penta_spinodal_measure(field, &m));
    expect_near(m.time, 8, 1e-12);
    EXPECT_OK(ctx, penta_spinodal_advance(field, 25));
    EXPECT_OK(ctx, penta_spinodal_read(field, a));
    penta_spinodal_destroy(field);
    solve(ctx, 8, 8, NULL, 25, NULL, b);
    assert_true(distance(64, a, b) < 1e-10);
}

DEVICE_TEST(bad_options_are_refused)
{
    HELD_BY(penta_spinodal_held) penta_spinodal *field = NULL;
    penta_spinodal_options o = defaults();

    assert_int_equal(penta_spinodal_create(ctx, 3, 10, &o, &field), PENTA_INVALID);
    assert_null(field);
    o.step = 0.6;
    assert_int_equal(penta_spinodal_create(ctx, 10, 10, &o, &field), PENTA_INVALID);
    o = defaults();
    o.composition = NAN;
    assert_int_equal(penta_spinodal_create(ctx, 10, 10, &o, &field), PENTA_INVALID);
    o = defaults();
    EXPECT_OK(ctx, penta_spinodal_create(ctx, 10, 10, &o, &field));
    EXPECT_OK(ctx, penta_spinodal_advance(field, 1));
    EXPECT_OK(ctx, penta_spinodal_advance(field, 1));
    EXPECT_REFUSED(ctx, penta_spinodal_advance(field, 0.5), PENTA_INVALID, "before");
    assert_int_equal(penta_spinodal_advance(field, NAN), PENTA_INVALID);
    assert_int_equal(penta_spinodal_advance(field, INFINITY), PENTA_INVALID);
    penta_spinodal_destroy(NULL);
}

ON_DEVICE;
