/* Long launches in pieces: the same bits, and a step that is broken off leaves the bodies as they were. */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "core/internal.h"
#include "support/bodies.h"

static const double short_time = 1e-7; /* s, of a piece: as few work-groups as there may be */

/* A callback that counts how often it is asked, and wants to stop the `limit`th time; 0: never. */
typedef struct {
    int asked, limit;
} patience;

static bool ask(void *user, double done, double total)
{
    patience *p = user;

    (void)done;
    (void)total;
    return ++p->asked == p->limit;
}

static penta_nbody *new_plan(penta_context *ctx, size_t n, const penta_nbody_options *o, const double *bodies)
{
    penta_nbody *plan = NULL;

    EXPECT_OK(ctx, penta_nbody_create(ctx, n, o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    return plan;
}

/* ---- bits ---- */

static void all_results(penta_context *ctx, size_t n, const penta_nbody_options *o, const double *bodies, double *out)
{
    HELD_BY(penta_nbody_held) penta_nbody *plan = new_plan(ctx, n, o, bodies);
    double points[15] = {0, 0, 0, 1, 2, 3, -0.1, 0.2, 0.3, 5, 5, 5, 1e-3, 0, 0};

    EXPECT_OK(ctx, penta_nbody_forces(plan, out, out + 3 * n));
    EXPECT_OK(ctx, penta_nbody_field(plan, 5, points, out + 4 * n, out + 4 * n + 15));
    EXPECT_OK(ctx, penta_nbody_advance(plan, 2));
    EXPECT_OK(ctx, penta_nbody_get(plan, out + 4 * n + 20));
}

static void expect_same_bits(penta_context *ctx, size_t n, const penta_nbody_options *o)
{
    size_t numbers = 11 * n + 20;
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 3, n);
    HELD double *whole = must_calloc(numbers, sizeof *whole), *pieces = must_calloc(numbers, sizeof *pieces);
    patience p = {0, 0};

    all_results(ctx, n, o, bodies, whole);
    ctx->piece_seconds = short_time;
    penta_context_set_progress(ctx, ask, &p);
    all_results(ctx, n, o, bodies, pieces);
    penta_context_set_progress(ctx, NULL, NULL);
    ctx->piece_seconds = 0;
    if (memcmp(whole, pieces, numbers * sizeof *whole) != 0)
        fail_msg("kernel %d, precision %d, n %zu: other bits in pieces", o->kernel, o->precision, n);
    if (p.asked < 4)
        fail_msg("kernel %d, precision %d, n %zu: asked %d times only", o->kernel, o->precision, n, p.asked);
}

DEVICE_TEST(same_bits_of_kernels)
{
    static const int kernels[] = {PENTA_NBODY_GPU1,    PENTA_NBODY_AOS,   PENTA_NBODY_SOA,    PENTA_NBODY_SPLIT,
                                  PENTA_NBODY_UNROLL8, PENTA_NBODY_BEST,  PENTA_NBODY_JSPLIT, PENTA_NBODY_SIMD,
                                  PENTA_NBODY_DS,      PENTA_NBODY_DOUBLE};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        penta_nbody_options o;

        penta_nbody_options_init(&o);
        o.kernel = kernels[i];
        expect_same_bits(ctx, kernels[i] == PENTA_NBODY_GPU1 ? 100 : 3001, &o);
    }
}

DEVICE_TEST(same_bits_of_hermite)
{
    for (int mode = PENTA_NBODY_FIXED; mode <= PENTA_NBODY_BLOCK; mode++)
        for (int precision = PENTA_PRECISION_DOUBLE; precision <= PENTA_PRECISION_DS; precision++) {
            penta_nbody_options o;

            penta_nbody_options_init(&o);
            o.integrator = PENTA_NBODY_HERMITE4;
            o.step_mode = mode;
            o.precision = precision;
            expect_same_bits(ctx, 300, &o);
        }
}

/* Blocks in plenty: the form of GPUs that meets each pair once, of CPUs too. */
TEST(same_bits_of_many)
{
    penta_nbody_options o;

    penta_nbody_options_init(&o);
    expect_same_bits(device_of(state), 9000, &o);
}

/* ---- steps that are broken off ---- */

/* Stops in the middle of the second step, again later, and goes on: as if nothing had been. */
static void expect_whole_steps(penta_context *ctx, const penta_nbody_options *o, int limit)
{
    enum { N = 4100, STEPS = 3 };
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 8, N), *before = must_calloc(7 * N, sizeof *before);
    HELD double *whole = must_calloc(7 * N, sizeof *whole), *broken = must_calloc(7 * N, sizeof *broken);
    HELD_BY(penta_nbody_held) penta_nbody *plan = new_plan(ctx, N, o, bodies);
    patience p = {0, limit};
    uint64_t step;

    EXPECT_OK(ctx, penta_nbody_advance(plan, STEPS));
    EXPECT_OK(ctx, penta_nbody_get(plan, whole));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    EXPECT_OK(ctx, penta_nbody_advance(plan, 1));
    EXPECT_OK(ctx, penta_nbody_get(plan, before));
    ctx->piece_seconds = short_time;
    penta_context_set_progress(ctx, ask, &p);
    assert_int_equal(penta_nbody_advance(plan, 1), PENTA_CANCELLED);
    step = penta_nbody_step(plan);
    assert_int_equal(step, 1);
    EXPECT_OK(ctx, penta_nbody_get(plan, broken));
    assert_memory_equal(broken, before, 7 * N * sizeof *before);
    p.limit = 0;
    EXPECT_OK(ctx, penta_nbody_advance(plan, STEPS - 1));
    penta_context_set_progress(ctx, NULL, NULL);
    ctx->piece_seconds = 0;
    EXPECT_OK(ctx, penta_nbody_get(plan, broken));
    assert_memory_equal(broken, whole, 7 * N * sizeof *whole);
}

DEVICE_TEST(broken_off)
{
    penta_nbody_options o;

    penta_nbody_options_init(&o);
    expect_whole_steps(ctx, &o, 1);
    expect_whole_steps(ctx, &o, 3);
    o.integrator = PENTA_NBODY_YOSHIDA4;
    expect_whole_steps(ctx, &o, 5);
    o.integrator = PENTA_NBODY_HERMITE4;
    expect_whole_steps(ctx, &o, 2);
    o.step_mode = PENTA_NBODY_BLOCK;
    expect_whole_steps(ctx, &o, 4);
}

/* Energies too can be broken off; the bodies are none the worse. */
DEVICE_TEST(diagnostics_broken_off)
{
    enum { N = 3000 };
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 8, N);
    HELD_BY(penta_nbody_held) penta_nbody *plan = new_plan(ctx, N, NULL, bodies);
    penta_nbody_diagnostics d, again;
    patience p = {0, 2};

    EXPECT_OK(ctx, penta_nbody_diagnose(plan, &d));
    ctx->piece_seconds = short_time;
    penta_context_set_progress(ctx, ask, &p);
    assert_int_equal(penta_nbody_diagnose(plan, &again), PENTA_CANCELLED);
    penta_context_set_progress(ctx, NULL, NULL);
    ctx->piece_seconds = 0;
    EXPECT_OK(ctx, penta_nbody_diagnose(plan, &again));
    assert_memory_equal(&d, &again, sizeof d);
}

ON_DEVICE;
AS_ON_A_GPU;
