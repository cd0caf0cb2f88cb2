/* Members of a group that share the forces: for 1, 2, 3 and 4 of them the bits of a plan without a group. */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "core/internal.h"
#include "reference/nbody.h"
#include "support/bodies.h"
#include "support/members.h"

enum { MOST = 4, POINTS = 5, STEPS = 2 };

static const double points[3 * POINTS] = {0, 0, 0, 1, 2, 3, -0.1, 0.2, 0.3, 5, 5, 5, 1e-3, 0, 0};

/* ---- bits ---- */

typedef struct {
    penta_context **contexts;
    penta_nbody_options options;
    size_t n;
    const double *bodies;
    double *results[MOST]; /* of each member */
    double shares[MOST];
    size_t state_size;
} job;

static job begin_job(penta_context *like, bool fp64)
{
    job j = {.contexts = open_members(like, MOST)};

    for (size_t i = 0; i < MOST && !fp64; i++)
        penta_context_without_double(j.contexts[i]);
    penta_nbody_options_init(&j.options);
    return j;
}

static void close_members(job *j)
{
    penta_contexts_destroy(j->contexts, MOST);
}

/* Numbers of `results`: forces, potentials, the field, diagnostics, then the state after some steps. */
static size_t fixed_numbers(size_t n)
{
    return 4 * n + 4 * POINTS + sizeof(penta_nbody_diagnostics) / sizeof(double);
}

static penta_status compute(penta_nbody *plan, const job *j, double *out)
{
    penta_status status;
    size_t n = j->n;
    penta_nbody_diagnostics d;

    memset(&d, 0, sizeof d);
    status = penta_nbody_set(plan, j->bodies);
    if (status == PENTA_OK)
        status = penta_nbody_forces(plan, out, out + 3 * n);
    if (status == PENTA_OK)
        status = penta_nbody_field(plan, POINTS, points, out + 4 * n, out + 4 * n + 3 * POINTS);
    if (status == PENTA_OK)
        status = penta_nbody_diagnose(plan, &d);
    memcpy(out + 4 * n + 4 * POINTS, &d, sizeof d);
    if (status == PENTA_OK)
        status = penta_nbody_advance(plan, STEPS);
    return status == PENTA_OK ? penta_nbody_save(plan, out + fixed_numbers(n)) : status;
}

static penta_status member(penta_group *group, void *data)
{
    job *j = data;
    size_t rank = penta_group_rank(group);
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    penta_status status = penta_nbody_create_shared(j->contexts[rank], group, j->n, &j->options, &plan);

    if (status == PENTA_OK)
        status = compute(plan, j, j->results[rank]);
    if (status == PENTA_OK)
        j->shares[rank] = penta_nbody_share(plan);
    else
        print_error("member %zu: %s\n", rank, penta_last_error(j->contexts[rank]));
    return status;
}

static double *alone(job *j)
{
    penta_context *ctx = j->contexts[0];
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    double *out;

    EXPECT_OK(ctx, penta_nbody_create(ctx, j->n, &j->options, &plan));
    j->state_size = penta_nbody_state_size(plan);
    out = must_calloc(fixed_numbers(j->n) + j->state_size, sizeof *out);
    EXPECT_OK(ctx, compute(plan, j, out));
    assert_true(penta_nbody_share(plan) >= 1 && penta_nbody_share(plan) <= 1);
    return out;
}

static void make_results(job *j, size_t members)
{
    for (size_t i = 0; i < members; i++)
        j->results[i] = must_calloc(fixed_numbers(j->n) + j->state_size, sizeof *j->results[i]);
}

static void free_results(job *j, size_t members)
{
    for (size_t i = 0; i < members; i++)
        free(j->results[i]);
}

static void expect_bits_of(job *j, size_t members, const double *expected)
{
    size_t numbers = fixed_numbers(j->n) + j->state_size;
    double sum = 0;

    make_results(j, members);
    assert_int_equal(penta_group_threads(members, member, j), PENTA_OK);
    for (size_t i = 0; i < members; i++) {
        for (size_t k = 0; k < numbers; k++)
            if (memcmp(&j->results[i][k], &expected[k], sizeof *expected) != 0)
                fail_msg("kernel %d, precision %d, eps %g, n %zu: member %zu of %zu has %.17g, not %.17g, at %zu",
                         j->options.kernel, j->options.precision, j->options.eps, j->n, i, members, j->results[i][k],
                         expected[k], k);
        sum += j->shares[i];
    }
    free_results(j, members);
    assert_true(fabs(sum - 1) < 1e-12);
    if (j->n > 2000 && j->options.step_mode != PENTA_NBODY_BLOCK) /* nobody is idle, unless few bodies move at a time */
        for (size_t i = 0; i < members; i++)
            assert_true(j->shares[i] > 0.5 / (double)members);
}

static void expect_same_bits(job *j, size_t n)
{
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 5, n), *expected = NULL;

    j->n = n;
    j->bodies = bodies;
    expected = alone(j);
    for (size_t members = 1; members <= MOST; members++)
        expect_bits_of(j, members, expected);
}

static const int kernels[] = {PENTA_NBODY_AOS,  PENTA_NBODY_UNROLL8, PENTA_NBODY_BEST,  PENTA_NBODY_JSPLIT,
                              PENTA_NBODY_SIMD, PENTA_NBODY_DS,      PENTA_NBODY_DOUBLE};

static void kernels_and_sizes(void **state, const size_t *sizes, size_t count, double eps)
{
    HELD_BY(close_members) job j = begin_job(device_of(state), true);

    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (size_t i = 0; i < count; i++) {
            j.options.kernel = kernels[k];
            j.options.eps = eps;
            expect_same_bits(&j, sizes[i]);
        }
}

/* Fewer bodies than members, few, and enough that CPUs meet each pair once. */
TEST(softened)
{
    const size_t sizes[] = {1, 3, 101, 3001};

    kernels_and_sizes(state, sizes, sizeof sizes / sizeof *sizes, 0.05);
}

TEST(not_softened)
{
    const size_t sizes[] = {2, 2999};

    kernels_and_sizes(state, sizes, sizeof sizes / sizeof *sizes, 0);
}

/* CPUs of machines with more and less memory: the forms are those for the least, which differ here. On few compute
 * units the forms of GPUs do not depend on the memory. */
TEST(unequal_memory)
{
    enum { UNITS = 16, SCARCE = 1 << 20 };
    HELD_BY(close_members) job j = begin_job(device_of(state), true);
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 5, 3001), *ample = NULL, *scarce = NULL;
    uint64_t memory = j.contexts[0]->info.memory;

    for (size_t i = 0; i < MOST; i++)
        j.contexts[i]->info.compute_units = UNITS;
    j.n = 3001;
    j.bodies = bodies;
    j.options.kernel = penta_is_cpu(j.contexts[0]) ? PENTA_NBODY_SIMD : PENTA_NBODY_JSPLIT;
    ample = alone(&j);
    j.contexts[0]->info.memory = SCARCE;
    scarce = alone(&j);
    assert_memory_not_equal(ample, scarce, 3 * j.n * sizeof *ample);
    expect_bits_of(&j, 3, scarce);
    j.contexts[1]->info.memory = SCARCE;
    j.contexts[0]->info.memory = memory;
    expect_bits_of(&j, 3, scarce);
}

/* One work-item for everything. */
TEST(gpu1)
{
    HELD_BY(close_members) job j = begin_job(device_of(state), true);

    j.options.kernel = PENTA_NBODY_GPU1;
    expect_same_bits(&j, 300);
}

TEST(yoshida)
{
    HELD_BY(close_members) job j = begin_job(device_of(state), true);

    j.options.integrator = PENTA_NBODY_YOSHIDA4;
    expect_same_bits(&j, 1501);
}

static void hermite(void **state, bool fp64, const int *precisions, size_t count)
{
    static const size_t sizes[] = {3, 301, 2101};
    HELD_BY(close_members) job j = begin_job(device_of(state), fp64);
    const double dt = j.options.dt, block_dt = dt / 4; /* which bodies divide by 1, 2 and 4 */

    for (size_t p = 0; p < count; p++)
        for (int mode = PENTA_NBODY_FIXED; mode <= PENTA_NBODY_BLOCK; mode++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                if (sizes[i] > 2000 && mode == PENTA_NBODY_SHARED)
                    continue; /* as fixed */
                j.options.integrator = PENTA_NBODY_HERMITE4;
                j.options.precision = precisions[p];
                j.options.step_mode = mode;
                j.options.dt = mode == PENTA_NBODY_BLOCK ? block_dt : dt;
                expect_same_bits(&j, sizes[i]);
            }
}

TEST(hermite)
{
    static const int precisions[] = {PENTA_PRECISION_DOUBLE, PENTA_PRECISION_SINGLE, PENTA_PRECISION_DS};

    hermite(state, true, precisions, 3);
}

TEST(without_double)
{
    static const int precisions[] = {PENTA_PRECISION_DS};
    job j = begin_job(device_of(state), false);

    j.options.precision = PENTA_PRECISION_SINGLE;
    expect_same_bits(&j, 1101);
    j.options.precision = PENTA_PRECISION_DS;
    expect_same_bits(&j, 1101);
    close_members(&j);
    hermite(state, false, precisions, 1);
}

/* ---- the right forces ---- */

TEST(right_forces)
{
    enum { N = 1001 };
    HELD_BY(close_members) job j = begin_job(device_of(state), true);
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 5, N), *expected = must_calloc(4 * N, sizeof *expected);

    j.n = N;
    j.bodies = bodies;
    j.options.precision = PENTA_PRECISION_DOUBLE;
    for (int softened = 0; softened < 2; softened++) {
        double *got;

        j.options.eps = softened ? 0.05 : 0;
        free(alone(&j)); /* for the size of a state */
        reference_nbody_forces(N, bodies, j.options.eps, expected, expected + 3 * N);
        make_results(&j, 3);
        assert_int_equal(penta_group_threads(3, member, &j), PENTA_OK);
        got = j.results[1];
        assert_true(reference_nbody_compare(N, got, expected).largest < 1e-12);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(got[3 * N + i] / expected[3 * N + i] - 1) < 1e-13);
        free_results(&j, 3);
    }
}

/* ---- stopping, going on ---- */

/* What member 1 does in its progress callback, and what all have seen. */
typedef struct {
    job j;
    int asked, limit;
    penta_status statuses[MOST];
    double *saved; /* the state that all go on from; NULL: from the bodies */
} broken_job;

static bool ask(void *user, double done, double total)
{
    broken_job *b = user;

    (void)done;
    (void)total;
    return ++b->asked == b->limit;
}

/* A step, then one that a member breaks off, then the rest. */
static penta_status break_off(penta_group *group, void *data)
{
    broken_job *b = data;
    job *j = &b->j;
    size_t rank = penta_group_rank(group), n = j->n;
    penta_context *ctx = j->contexts[rank];
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    HELD double *before = must_calloc(7 * n, sizeof *before), *after = must_calloc(7 * n, sizeof *after);
    penta_status status = penta_nbody_create_shared(ctx, group, n, &j->options, &plan);

    if (status == PENTA_OK)
        status = penta_nbody_set(plan, j->bodies);
    if (status == PENTA_OK)
        status = penta_nbody_advance(plan, 1);
    if (status == PENTA_OK)
        status = penta_nbody_get(plan, before);
    ctx->piece_seconds = 1e-7;
    if (rank == 1)
        penta_context_set_progress(ctx, ask, b);
    if (status == PENTA_OK)
        b->statuses[rank] = penta_nbody_advance(plan, 1);
    penta_context_set_progress(ctx, NULL, NULL);
    ctx->piece_seconds = 0;
    if (status == PENTA_OK)
        status = penta_nbody_get(plan, after);
    if (status == PENTA_OK && memcmp(before, after, 7 * n * sizeof *before) != 0)
        status = PENTA_INTERNAL;
    if (status == PENTA_OK)
        status = penta_nbody_advance(plan, 2);
    if (status == PENTA_OK)
        status = penta_nbody_get(plan, j->results[rank]);
    return status;
}

static void expect_broken_off(void **state, int integrator, int step_mode, int limit)
{
    enum { N = 4100 };
    broken_job b = {.j = begin_job(device_of(state), true), .limit = limit};
    double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 8, N), *expected = must_calloc(7 * N, sizeof *expected);
    penta_nbody *plan = NULL;

    b.j.n = N;
    b.j.bodies = bodies;
    b.j.options.integrator = integrator;
    b.j.options.step_mode = step_mode;
    EXPECT_OK(b.j.contexts[0], penta_nbody_create(b.j.contexts[0], N, &b.j.options, &plan));
    EXPECT_OK(b.j.contexts[0], penta_nbody_set(plan, bodies));
    EXPECT_OK(b.j.contexts[0], penta_nbody_advance(plan, 3));
    EXPECT_OK(b.j.contexts[0], penta_nbody_get(plan, expected));
    b.j.state_size = 7 * N;
    make_results(&b.j, 3);
    assert_int_equal(penta_group_threads(3, break_off, &b), PENTA_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(b.statuses[i], PENTA_CANCELLED);
        assert_memory_equal(b.j.results[i], expected, 7 * N * sizeof *expected);
    }
    free_results(&b.j, 3);
    penta_nbody_destroy(plan);
    free(bodies);
    free(expected);
    close_members(&b.j);
}

TEST(broken_off)
{
    expect_broken_off(state, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 1);
    expect_broken_off(state, PENTA_NBODY_LEAPFROG, PENTA_NBODY_FIXED, 2);
    expect_broken_off(state, PENTA_NBODY_HERMITE4, PENTA_NBODY_BLOCK, penta_is_cpu(device_of(state)) ? 3 : 1);
}

/* Two steps from a state, by any number of members. */
static penta_status go_on(penta_group *group, void *data)
{
    broken_job *b = data;
    job *j = &b->j;
    size_t rank = penta_group_rank(group);
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    penta_status status = penta_nbody_create_shared(j->contexts[rank], group, j->n, &j->options, &plan);

    if (status == PENTA_OK)
        status = penta_nbody_load(plan, b->saved, j->state_size);
    if (status == PENTA_OK)
        status = penta_nbody_advance(plan, 2);
    if (status == PENTA_OK)
        status = penta_nbody_save(plan, j->results[rank]);
    return status;
}

/* The state that three members leave is that of one, and any number goes on from it. */
TEST(saved_state)
{
    enum { N = 701 };
    broken_job b = {.j = begin_job(device_of(state), true)};
    job *j = &b.j;
    penta_context *ctx = j->contexts[0];
    double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 8, N), *expected;
    penta_nbody *plan = NULL;

    j->n = N;
    j->bodies = bodies;
    j->options.integrator = PENTA_NBODY_HERMITE4;
    j->options.step_mode = PENTA_NBODY_BLOCK;
    EXPECT_OK(ctx, penta_nbody_create(ctx, N, &j->options, &plan));
    j->state_size = penta_nbody_state_size(plan);
    expected = must_calloc(j->state_size, sizeof *expected);
    b.saved = must_calloc(j->state_size, sizeof *b.saved);
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    EXPECT_OK(ctx, penta_nbody_advance(plan, 2));
    EXPECT_OK(ctx, penta_nbody_save(plan, b.saved));
    EXPECT_OK(ctx, penta_nbody_advance(plan, 2));
    EXPECT_OK(ctx, penta_nbody_save(plan, expected));
    for (size_t members = 1; members <= MOST; members++) {
        make_results(j, members);
        assert_int_equal(penta_group_threads(members, go_on, &b), PENTA_OK);
        for (size_t i = 0; i < members; i++)
            assert_memory_equal(j->results[i], expected, j->state_size * sizeof *expected);
        free_results(j, members);
    }
    penta_nbody_destroy(plan);
    free(bodies);
    free(b.saved);
    free(expected);
    close_members(j);
}

/* ---- what is refused ---- */

/* Member 1 wants something else. */
typedef struct {
    job j;
    size_t bodies;
    double eps;
    bool fails; /* it ends */
    penta_status statuses[MOST];
    char texts[MOST][256];
} odd_job;

static penta_status odd_member(penta_group *group, void *data)
{
    odd_job *o = data;
    size_t rank = penta_group_rank(group);
    penta_nbody_options options = o->j.options;
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    penta_status status;

    if (rank == 1 && o->fails)
        return penta_fail(NULL, PENTA_DEVICE, "the device is lost");
    if (rank == 1)
        options.eps = o->eps;
    status = penta_nbody_create_shared(o->j.contexts[rank], group, rank == 1 ? o->bodies : o->j.n, &options, &plan);
    o->statuses[rank] = status;
    snprintf(o->texts[rank], sizeof o->texts[rank], "%s", penta_last_error(o->j.contexts[rank]));
    return PENTA_OK;
}

static void expect_refused(odd_job *o, const char *text)
{
    assert_int_equal(penta_group_threads(3, odd_member, o), PENTA_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(o->statuses[i], PENTA_INVALID);
        expect_text(o->texts[i], text);
    }
}

TEST(refused)
{
    odd_job o = {.j = begin_job(device_of(state), true), .bodies = 100, .eps = 0.05};

    o.j.n = 100;
    o.bodies = 101;
    expect_refused(&o, "members 0 and 1 of the group have not the same number of bodies and options");
    o.bodies = 100;
    o.eps = 0.1;
    expect_refused(&o, "members 0 and 1 of the group have not the same number of bodies and options");
    o.eps = -1; /* it alone is wrong */
    expect_refused(&o, "`eps`");
    o.eps = 0.05;
    penta_context_without_double(o.j.contexts[1]);
    expect_refused(&o, "kind of device");
    o.j.options.precision = PENTA_PRECISION_DOUBLE; /* what it alone has not is told with its rank */
    assert_int_equal(penta_group_threads(3, odd_member, &o), PENTA_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(o.statuses[i], PENTA_UNSUPPORTED);
        assert_int_equal(strncmp(o.texts[i], "member 1 of the group: ", 23) == 0, i != 1);
        expect_text(o.texts[i], "double");
    }
    o.fails = true;
    EXPECT_REFUSED(NULL, penta_group_threads(3, odd_member, &o), PENTA_DEVICE, "the device is lost");
    assert_int_equal(o.statuses[0], PENTA_CANCELLED);
    close_members(&o.j);
}

ON_DEVICE;
AS_ON_A_GPU;
