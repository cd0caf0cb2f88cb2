/* Faults in the detector: each time there is an error and no plan, or the right exposure. */
#include "faults/sweep.h"

#include "support/device.h"

enum { WIDTH = 300, HEIGHT = 37, PIXELS = WIDTH * HEIGHT };

typedef struct {
    float dn[PIXELS];
    uint8_t saturated[PIXELS];
} exposure;

static double photons[PIXELS];
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
    HELD_BY(penta_detector_held) penta_detector *d = (penta_detector *)(uintptr_t)1;
    penta_status status;

    penta_detector_options_init(&o);
    o.read_noise = 3;
    o.bias = 100;
    o.bits = 8;
    begin_faults(t);
    status = penta_detector_create(t->ctx, WIDTH, HEIGHT, &o, &d);
    assert_true((status == PENTA_OK) == (d != NULL));
    if (d)
        status = expose(d);
    end_faults(t, t->ctx, status);
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
    return status;
}

TEST_WITH(no_faults, NULL, detector)
{
    static bool learns;
    job j = {.name = "detector", .attempt = attempt_detector, .what = &learns};
    trial first = {.job = &j, .when = "the first exposure"};

    for (int i = 0; i < PIXELS; i++)
        photons[i] = i % 211;
    EXPECT_OK(NULL, penta_context_create(NULL, &first.ctx));
    learns = true;
    assert_int_equal(attempt(&first), PENTA_OK);
    learns = false;
    penta_context_destroy(first.ctx);
    assert_true(right_exposure.dn[7] >= 90 && right_exposure.dn[7] <= 130);
    assert_int_equal(right_exposure.dn[200], 255);
    assert_int_equal(right_exposure.saturated[200], 1);
    sweep(&j);
    j.name = "detector as on a GPU";
    j.as_gpu = true;
    sweep(&j);
}
