/* Every rung of the ladder against the formula in long double. The kernels have one form for all devices. */
#include "support/test.h"

#include "nbody/nbody.h"
#include "reference/nbody.h"
#include "support/random.h"

#define SKIP_ON_GPU(ctx)                                                                                               \
    if (!(ctx))                                                                                                        \
    return /* the first group did this already */

#define FOR_EACH_RUNG(kernel) for (int kernel = PENTA_NBODY_GPU1; kernel <= PENTA_NBODY_UNROLL32; kernel++)

static const char *rung_name(int kernel)
{
    static const char *const names[] = {"gpu1",  "aos",     "soa",     "const",   "rsqrt",    "split",
                                        "local", "unroll2", "unroll4", "unroll8", "unroll16", "unroll32"};

    return names[kernel - PENTA_NBODY_GPU1];
}

/* ---- bodies ---- */

/* A Plummer sphere of scale length 1; masses vary, every seventh is 0. */
static double *plummer(size_t n, unsigned seed)
{
    double *bodies = must_calloc(n, 7 * sizeof *bodies);

    random_seed(seed);
    for (size_t i = 0; i < n; i++) {
        double r = 1 / sqrt(pow(0.001 + 0.998 * random_uniform(), -2.0 / 3) - 1), d[3], length;

        for (int k = 0; k < 3; k++)
            d[k] = random_normal();
        length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        bodies[7 * i] = i % 7 == 3 ? 0 : (0.5 + random_uniform()) / (double)n;
        for (int k = 0; k < 3; k++)
            bodies[7 * i + 1 + (size_t)k] = r * d[k] / length;
    }
    return bodies;
}

/* ---- a rung, beside the plan ---- */

typedef struct {
    penta_context *ctx;
    nbody_bodies bodies;
    penta_buffer acceleration;
    void *state;
} ladder_run;

static void put_bodies(ladder_run *run, const double *rows)
{
    nbody_bodies *b = &run->bodies;
    HELD double *host = must_calloc(7 * b->pitch, sizeof *host);

    for (size_t i = 0; i < b->pitch; i++)
        for (size_t k = 0; k < 7; k++)
            host[k * b->pitch + i] = i < b->n ? rows[7 * i + k] : k >= 1 && k <= 3 ? rows[k] : 0;
    EXPECT_OK(run->ctx, penta_buffer_write(&b->mass, 0, host, b->pitch * sizeof *host));
    EXPECT_OK(run->ctx, penta_buffer_write(&b->position, 0, host + b->pitch, 3 * b->pitch * sizeof *host));
    EXPECT_OK(run->ctx, penta_buffer_write(&b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch * sizeof *host));
}

static ladder_run begin(penta_context *ctx, int kernel, size_t n, const double *rows, double eps)
{
    ladder_run run = {.ctx = ctx, .bodies = {.n = n, .pitch = (n + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH}};
    nbody_shape shape = {n, run.bodies.pitch, eps, NULL};
    size_t bytes = run.bodies.pitch * sizeof(double);

    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &run.bodies.mass));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * bytes, &run.bodies.position));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * bytes, &run.bodies.velocity));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * bytes, &run.acceleration));
    put_bodies(&run, rows);
    EXPECT_OK(ctx, nbody_ladder.create(ctx, &shape, kernel, &run.state));
    return run;
}

/* n x 3, to free; what lies behind body n-1 is finite. */
static double *accelerate(ladder_run *run)
{
    size_t n = run->bodies.n, pitch = run->bodies.pitch;
    double *planes = must_calloc(3 * pitch, sizeof *planes), *rows = must_calloc(3 * n, sizeof *rows);

    memset(planes, 0xFF, 3 * pitch * sizeof *planes); /* NaN: what a kernel does not write shows */
    EXPECT_OK(run->ctx, penta_buffer_write(&run->acceleration, 0, planes, 3 * pitch * sizeof *planes));
    EXPECT_OK(run->ctx, nbody_ladder.accelerate(run->state, &run->bodies, &run->acceleration));
    EXPECT_OK(run->ctx, penta_buffer_read(&run->acceleration, 0, planes, 3 * pitch * sizeof *planes));
    for (size_t i = 0; i < 3 * pitch; i++)
        if (!isfinite(planes[i]))
            fail_msg("component %zu of body %zu of %zu is %g", i / pitch, i % pitch, n, planes[i]);
    for (size_t i = 0; i < 3 * n; i++)
        rows[i] = planes[i % 3 * pitch + i / 3];
    free(planes);
    return rows;
}

static void end(ladder_run *run)
{
    nbody_state_free(run->state);
    penta_buffer_release(&run->bodies.mass);
    penta_buffer_release(&run->bodies.position);
    penta_buffer_release(&run->bodies.velocity);
    penta_buffer_release(&run->acceleration);
}

static double *accelerations(penta_context *ctx, int kernel, size_t n, const double *rows, double eps)
{
    ladder_run run = begin(ctx, kernel, n, rows, eps);
    double *a = accelerate(&run);

    end(&run);
    return a;
}

/* Every rung within the given relative errors of the formula. */
static void expect_rungs(penta_context *ctx, size_t n, const double *rows, double eps, double median, double p99,
                         double largest)
{
    HELD double *want = must_calloc(3 * n, sizeof *want);

    reference_nbody_forces(n, rows, eps, want, NULL);
    FOR_EACH_RUNG(kernel)
    {
        HELD double *got = accelerations(ctx, kernel, n, rows, eps);
        reference_nbody_errors e = reference_nbody_compare(n, got, want);

        if (!(e.median <= median && e.p99 <= p99 && e.largest <= largest))
            fail_msg("%s, %zu bodies, eps %g: errors %.2g (median), %.2g (99 %%), %.2g (largest)", rung_name(kernel), n,
                     eps, e.median, e.p99, e.largest);
    }
}

/* ---- tests ---- */

/* Around the sizes of a pitch, a work-group and a segment. */
TEST(any_number)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 255, 256, 257, 600, 1023, 1024, 1025, 1300};

    SKIP_ON_GPU(*state);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        HELD double *rows = plummer(sizes[k], 10 + (unsigned)k);

        expect_rungs(*state, sizes[k], rows, 0.05, 1e-6, 1e-5, 1e-5);
        expect_rungs(*state, sizes[k], rows, 0, 1e-6, 1e-5, 1e-4);
    }
}

TEST_IN(AS_IT_IS, accurate)
{
    HELD double *rows = plummer(4096, 1);

    SKIP_ON_GPU(*state);
    expect_rungs(*state, 4096, rows, 0.05, 5e-7, 2e-6, 1e-5);
}

/* A regular n-gon of radius 1 and mass 1. */
static double *polygon(size_t n)
{
    double *rows = must_calloc(n, 7 * sizeof *rows);

    for (size_t i = 0; i < n; i++) {
        double angle = 2 * 3.14159265358979323846 * (double)i / (double)n;

        rows[7 * i] = 1 / (double)n;
        rows[7 * i + 1] = cos(angle);
        rows[7 * i + 2] = sin(angle);
    }
    return rows;
}

/* |a| = (1 / 4n) sum over k of csc(pi k / n) at every corner, towards the centre. In more corners than these the pulls
 * of neighbours, which cancel, amplify how floats round their places. */
TEST_IN(AS_IT_IS, polygons)
{
    static const struct {
        size_t n;
        double size, tolerance;
    } cases[] = {{3, 0.192450089729875, 3e-7}, {32, 0.571562804024985, 3e-6}};

    SKIP_ON_GPU(*state);
    for (size_t c = 0; c < 2; c++) {
        size_t n = cases[c].n;
        HELD double *rows = polygon(n);

        FOR_EACH_RUNG(kernel)
        {
            HELD double *a = accelerations(*state, kernel, n, rows, 0);

            for (size_t i = 0; i < n; i++) {
                double x = a[3 * i] + cases[c].size * rows[7 * i + 1];
                double y = a[3 * i + 1] + cases[c].size * rows[7 * i + 2];

                if (!(sqrt(x * x + y * y) <= cases[c].tolerance && fabs(a[3 * i + 2]) <= 0))
                    fail_msg("%s: corner %zu of %zu is off by %g, %g, %g", rung_name(kernel), i, n, x, y, a[3 * i + 2]);
            }
        }
    }
}

/* Bodies at one place: with softening no force between them, and without when they differ by less than floats show. */
TEST(one_place)
{
    double rows[21] = {1, 1, 1, 1, 0, 0, 0, 2, 1, 1, 1, 0, 0, 0, 3, 3, 1, 1, 0, 0, 0};

    SKIP_ON_GPU(*state);
    expect_rungs(*state, 3, rows, 0.01, 1e-6, 1e-6, 1e-6);
    rows[8] = 1 + 1e-12;
    FOR_EACH_RUNG(kernel)
    {
        HELD double *a = accelerations(*state, kernel, 3, rows, 0);
        const double want[9] = {0.75, 0, 0, 0.75, 0, 0, -0.75, 0, 0};

        for (int k = 0; k < 9; k++)
            if (!(fabs(a[k] - want[k]) <= 1e-6))
                fail_msg("%s: number %d is %g, not %g", rung_name(kernel), k, a[k], want[k]);
    }
}

/* Distances whose third power is outside the range of floats, and softening that is too small or too large to count on.
 */
TEST_IN(AS_IT_IS, extremes)
{
    static const double scales[] = {1e-14, 1e-6, 1e6, 1e14}, softenings[] = {0, 1e-18, 1e-12};
    double rows[28] = {0};

    SKIP_ON_GPU(*state);
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++) {
            rows[7 * i] = scales[s] * scales[s] * (i + 1);
            rows[7 * i + 1] = scales[s] * (i == 1);
            rows[7 * i + 2] = scales[s] * (i == 2) * 2;
            rows[7 * i + 3] = scales[s] * (i == 3) * 3;
        }
        for (int k = 0; k < 3; k++)
            expect_rungs(*state, 4, rows, softenings[k], 1e-6, 1e-6, 1e-6);
    }
    expect_rungs(*state, 4, rows, 1e12, 1e-6, 1e-6, 1e-6);
}

/* A state computes from where the bodies are now, to the same bits each time. */
TEST(again)
{
    enum { N = 300 };
    HELD double *rows = plummer(N, 3), *moved = plummer(N, 4);
    double *want;

    SKIP_ON_GPU(*state);
    FOR_EACH_RUNG(kernel)
    {
        ladder_run run = begin(*state, kernel, N, rows, 0.1);
        HELD double *first = accelerate(&run), *second = NULL, *third = NULL;

        put_bodies(&run, moved);
        second = accelerate(&run);
        want = accelerations(*state, kernel, N, moved, 0.1);
        put_bodies(&run, rows);
        third = accelerate(&run);
        assert_memory_equal(second, want, 3 * N * sizeof *want);
        assert_memory_equal(first, third, 3 * N * sizeof *want);
        assert_memory_not_equal(first, second, 3 * N * sizeof *want);
        end(&run);
        free(want);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
