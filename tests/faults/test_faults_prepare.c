/* Faults in prepare: each time there is an error, after which the plan goes on where it was, or the right frames. */
#include "faults/sweep.h"

#include <pentacl/prepare.h>

#include "support/device.h"

enum { WIDTH = 61, HEIGHT = 48, PIXELS = WIDTH * HEIGHT, FRAMES = 3, FIRST = 2 };

typedef struct {
    uint16_t image[FRAMES][PIXELS];
    uint8_t mask[FRAMES][PIXELS];
    penta_drift drift[FRAMES];
} outputs;

static uint8_t photographs[FRAMES][PIXELS];
static outputs made, right;
static bool learns;

static void draw(void)
{
    for (int t = 0; t < FRAMES; t++)
        for (int i = 0; i < PIXELS; i++) {
            double x = i % WIDTH - 2 * t, y = i / WIDTH + t;

            photographs[t][i] = (uint8_t)(100 + i % WIDTH + 20 * sin(0.5 * x + 0.1 * y) + 20 * sin(0.3 * x - 0.6 * y));
            if (hypot(i % WIDTH - 20, i / WIDTH - 30) < 3)
                photographs[t][i] = 3;
        }
}

/* Frames from .. to - 1. */
static penta_status run_frames(penta_prepare *plan, size_t from, size_t to)
{
    penta_prepare_frame frames[FRAMES] = {{0}};
    penta_prepare_result results[FRAMES] = {{0}};
    penta_status status;

    for (size_t t = from; t < to; t++) {
        frames[t].image = photographs[t];
        results[t].image = made.image[t];
        results[t].mask = made.mask[t];
    }
    status = penta_prepare_run(plan, to - from, frames + from, results + from);
    for (size_t t = from; status == PENTA_OK && t < to; t++) {
        assert_int_equal(results[t].status, PENTA_PREPARED_OK);
        made.drift[t] = results[t].drift;
    }
    return status;
}

static penta_status survey(penta_prepare *plan)
{
    const void *images[] = {photographs[0], photographs[1], photographs[2]};

    return penta_prepare_survey(plan, FRAMES, images);
}

/* From where `done` is: 0 the survey, if there is one, 1 and 2 the two runs. */
static penta_status go_on(const trial *t, penta_prepare *plan, int *done)
{
    const penta_prepare_options *o = t->job->what;
    penta_status status = PENTA_OK;

    for (; status == PENTA_OK && *done < 3; *done += status == PENTA_OK) {
        if (*done == 0)
            status = o->flatten == PENTA_PREPARE_SERIES ? survey(plan) : PENTA_OK;
        else
            status = *done == 1 ? run_frames(plan, 0, FIRST) : run_frames(plan, FIRST, FRAMES);
    }
    return status;
}

static penta_status attempt_prepare(trial *t)
{
    HELD_BY(penta_prepare_held) penta_prepare *plan = (penta_prepare *)(uintptr_t)1;
    penta_status status;
    int done = 0;

    memset(&made, 0xFF, sizeof made);
    begin_faults(t);
    status = penta_prepare_create(t->ctx, WIDTH, HEIGHT, 1, PENTA_U8, t->job->what, &plan);
    assert_true((status == PENTA_OK) == (plan != NULL));
    if (plan)
        status = go_on(t, plan, &done);
    end_faults(t, t->ctx, status);
    if (plan && status != PENTA_OK) {
        expect_idle(t, photographs, sizeof photographs);
        expect_idle(t, &made, sizeof made);
        faults_forget_transfers();
        faults_disarm();
        EXPECT_OK(t->ctx, go_on(t, plan, &done));
    }
    if (learns)
        right = made;
    if (plan)
        assert_memory_equal(&made, &right, sizeof made);
    return status;
}

/* as_gpu: OpenCL's faults alone; allocations are the same. */
static void check(const char *name, const penta_prepare_options *o, bool as_gpu)
{
    job j = {
        .name = name, .attempt = attempt_prepare, .what = o, .as_gpu = as_gpu, .on_device = as_gpu, .retries = true};
    trial first = {.job = &j, .when = "the first time"};

    draw();
    EXPECT_OK(NULL, penta_context_create(NULL, &first.ctx));
    if (as_gpu)
        first.ctx->info.type = PENTA_DEVICE_GPU;
    learns = true;
    assert_int_equal(attempt(&first), PENTA_OK);
    learns = false;
    penta_context_destroy(first.ctx);
    sweep(&j);
}

static void check_both(const char *name, const penta_prepare_options *o)
{
    check(name, o, false);
    check(name, o, true);
}

static penta_prepare_options small_batches(void)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    o.batch = 1;
    return o;
}

TEST_WITH(no_faults, NULL, without_registration)
{
    penta_prepare_options o = small_batches();

    o.registration = PENTA_PREPARE_REGISTER_NONE;
    o.dust = PENTA_PREPARE_DUST_COPY;
    o.contrast = "1,99";
    o.contrast_of = PENTA_PREPARE_CONTRAST_FIRST;
    o.batch = 2; /* one at a time where two do not fit */
    check_both("prepare without registration", &o);
    o.batch = 1;
    o.flatten = PENTA_PREPARE_SERIES;
    o.dust = PENTA_PREPARE_DUST_NONE;
    o.contrast = NULL;
    check_both("prepare by a survey", &o);
}

TEST_WITH(no_faults, NULL, registration)
{
    penta_prepare_options o = small_batches();

    o.dust = PENTA_PREPARE_DUST_NONE;
    o.flatten = PENTA_PREPARE_POLY;
    o.fft = PENTA_FFT_CLFFT; /* VkFFT itself leaks when memory runs out */
    check_both("prepare with registration", &o);
}

RUN(EVERYWHERE, NULL, hold_clfft, release_clfft);
