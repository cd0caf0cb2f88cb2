/* Faults in plans of bodies: each time there is an error and no plan, or the right bodies, forces and sums. */
#include "faults/sweep.h"

#include "support/device.h"

enum { N = 600, STEPS = 2, MOST_STATE = 64 * N, POINTS = 5 };

/* What a plan says of the bodies, before and after some steps. */
typedef struct {
    double acceleration[3 * N], potential[N], field[3 * POINTS], end[7 * N], state[MOST_STATE];
    penta_nbody_diagnostics sums;
} answer;

typedef struct {
    const char *name;
    int integrator, precision, step_mode;
} kind;

static const kind kinds[] = {
    {"leapfrog", PENTA_NBODY_LEAPFROG, PENTA_PRECISION_SINGLE, PENTA_NBODY_FIXED},
    {"yoshida4", PENTA_NBODY_YOSHIDA4, PENTA_PRECISION_DS, PENTA_NBODY_FIXED},
    {"hermite4 in blocks", PENTA_NBODY_HERMITE4, PENTA_PRECISION_DOUBLE, PENTA_NBODY_BLOCK},
};

static double bodies[7 * N], points[3 * POINTS] = {0, 0, 0, 1, 2, 3, -1, 0, 1, 2, 2, 2, 0.5, 0, 0};
static answer got, right;
static bool learns;

static penta_status ask(penta_nbody *plan)
{
    penta_status status;

    memset(&got, 0, sizeof got);
    status = penta_nbody_set(plan, bodies);
    if (status == PENTA_OK)
        status = penta_nbody_forces(plan, got.acceleration, got.potential);
    if (status == PENTA_OK)
        status = penta_nbody_field(plan, POINTS, points, got.field, NULL);
    if (status == PENTA_OK)
        status = penta_nbody_advance(plan, STEPS);
    if (status == PENTA_OK)
        status = penta_nbody_diagnose(plan, &got.sums);
    if (status == PENTA_OK)
        status = penta_nbody_get(plan, got.end);
    if (status == PENTA_OK && penta_nbody_state_size(plan) <= MOST_STATE)
        status = penta_nbody_save(plan, got.state);
    if (status == PENTA_OK && penta_nbody_state_size(plan) <= MOST_STATE)
        status = penta_nbody_save_part(plan, 1, penta_nbody_state_size(plan) - 1, got.state + 1);
    return status;
}

static penta_status attempt_nbody(trial *t)
{
    const kind *k = t->job->what;
    penta_nbody_options o;
    HELD_BY(penta_nbody_held) penta_nbody *plan = (penta_nbody *)(uintptr_t)1;
    penta_status status;

    penta_nbody_options_init(&o);
    o.integrator = k->integrator;
    o.precision = k->precision;
    o.step_mode = k->step_mode;
    begin_faults(t);
    status = penta_nbody_create(t->ctx, N, &o, &plan);
    assert_true((status == PENTA_OK) == (plan != NULL));
    if (plan)
        status = ask(plan);
    end_faults(t, t->ctx, status);
    if (learns && status == PENTA_OK)
        right = got;
    if (status == PENTA_OK)
        assert_memory_equal(&got, &right, sizeof got);
    if (plan && status != PENTA_OK) {
        expect_idle(t, bodies, sizeof bodies);
        expect_idle(t, &got, sizeof got);
        faults_forget_transfers();
        faults_disarm();
        EXPECT_OK(t->ctx, ask(plan)); /* the plan is still good */
        assert_memory_equal(&got, &right, sizeof got);
    }
    return status;
}

TEST_WITH(no_faults, NULL, plans)
{
    assert_int_equal(penta_nbody_initial(PENTA_NBODY_PLUMMER, 1, N, bodies), PENTA_OK);
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int as_gpu = 0; as_gpu < 2; as_gpu++) {
            job j = {.name = kinds[i].name, .attempt = attempt_nbody, .what = &kinds[i], .as_gpu = as_gpu};
            trial first = {.job = &j, .when = "the first answer"};

            EXPECT_OK(NULL, penta_context_create(NULL, &first.ctx));
            if (as_gpu)
                first.ctx->info.type = PENTA_DEVICE_GPU;
            learns = true;
            assert_int_equal(attempt(&first), PENTA_OK);
            learns = false;
            penta_context_destroy(first.ctx);
            sweep(&j);
        }
}
