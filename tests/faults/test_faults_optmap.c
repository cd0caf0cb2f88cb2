/*
 * Faults in plans for optical-mapping movies: each time there is an error and no plan, or the right movie, traces,
 * shifts and valid pixels; the movie and the room for results are the caller's again, and the same plan then gives the
 * right answer.
 */
#include "faults/sweep.h"

#include <pentacl/optmap.h>

#include "reference/optmap.h"
#include "support/device.h"
#include "support/random.h"

enum {
    WIDTH = 9,
    HEIGHT = 8,
    PIXELS = WIDTH * HEIGHT,
    FRAMES = 40,
    INTERP = 3,
    WINDOW = 3,
    NEIGHBOURS = WINDOW * WINDOW,
    BAND = 3, /* rows: three bands, the last of them shorter */
    DARK = 4, /* the first pixels are not valid */
};

typedef struct {
    const char *name;
    int engine, output;
    penta_type type; /* u16 or f32 */
    bool bands;      /* several; else the movie goes to the device from where it lies */
    bool ratio;      /* of two cameras, after a run of one */
    bool pinned;     /* transfers use the movie and the results after they were asked for */
} scene;

/* What the library is given: movies and room for results. */
typedef struct {
    uint16_t counts[FRAMES * PIXELS];
    float numbers[FRAMES * PIXELS], under[FRAMES * PIXELS];
    float filtered[INTERP * FRAMES * PIXELS], traces[FRAMES * PIXELS];
    int32_t shifts[PIXELS * NEIGHBOURS];
    uint8_t valid[PIXELS];
} memory;

/* Bytes, so that NaN equals itself. */
typedef struct {
    bool known;
    float filtered[INTERP * FRAMES * PIXELS], traces[FRAMES * PIXELS];
    int32_t shifts[PIXELS * NEIGHBOURS];
    uint8_t valid[PIXELS];
    size_t valid_pixels;
} answer;

static memory pageable, *pinned; /* pinned: NULL where the scene has none */
static answer got, right;

static memory *host(void)
{
    return pinned ? pinned : &pageable;
}

/* ---- the movie ---- */

/* 3000 less a pulse that runs over the frame, and noise. The second camera sees half as much light, evenly. */
static void fill(memory *m)
{
    random_seed(8);
    for (size_t n = 0; n < FRAMES; n++)
        for (size_t p = 0; p < PIXELS; p++) {
            double t = (double)n - 8 - 1.3 * (double)(p % WIDTH) - 0.6 * (double)(p / WIDTH);
            double v = 3000 - 200 * exp(-t * t / (t < 0 ? 8 : 90)) + 4 * random_normal();
            size_t i = n * PIXELS + p;

            m->counts[i] = p < DARK ? 0 : (uint16_t)v;
            m->numbers[i] = m->counts[i];
            m->under[i] = (float)(1500 + (double)n);
        }
}

static const void *data_of(const scene *s)
{
    return s->type == PENTA_U16 ? (const void *)host()->counts : host()->numbers;
}

static penta_optmap_options options_of(const scene *s)
{
    penta_optmap_options o;

    penta_optmap_options_init(&o);
    o.drift = PENTA_OPTMAP_DRIFT_NONE; /* what the reference is told; test_faults_survey.c has the other */
    o.engine = s->engine;
    o.interp = INTERP;
    o.window = WINDOW;
    o.median = 3;
    o.output = s->output;
    o.batch = s->bands ? BAND : 0;
    o.fft = PENTA_FFT_CLFFT; /* the set-up of VkFFT, a header and so within reach of the faults, leaks */
    return o;
}

static size_t out_frames(const scene *s)
{
    return s->output == PENTA_OPTMAP_INTERPOLATED ? INTERP * FRAMES : FRAMES;
}

/* ---- what is right ---- */

/* Against the reference. */
static void check_answer(const scene *s)
{
    static double numbers[FRAMES * PIXELS], gaps[PIXELS * NEIGHBOURS], filtered[INTERP * FRAMES * PIXELS];
    static uint8_t valid[PIXELS];
    static int32_t shifts[PIXELS * NEIGHBOURS];
    penta_optmap_options o = options_of(s);

    o.taps = 8 * INTERP + 1;
    for (size_t i = 0; i < FRAMES * PIXELS; i++) {
        double above = s->type == PENTA_U16 ? host()->counts[i] : (double)host()->numbers[i];

        numbers[i] = s->ratio ? above / (double)host()->under[i] : above;
    }
    reference_optmap(&o, WIDTH, HEIGHT, FRAMES, numbers, valid, shifts, gaps, filtered);
    assert_int_equal(got.valid_pixels, PIXELS - DARK);
    assert_memory_equal(got.valid, valid, sizeof valid);
    assert_memory_equal(got.shifts, shifts, sizeof shifts);
    for (size_t i = 0; i < out_frames(s) * PIXELS; i++)
        if (isnan(filtered[i]))
            assert_true(isnan(got.filtered[i]));
        else
            expect_near(got.filtered[i], filtered[i], 1e-5 * 0.07);
}

/* Takes the first one for right once the reference agrees. */
static void expect_right(const scene *s, const penta_optmap_result *r)
{
    memset(&got, 0, sizeof got);
    got.known = true;
    memcpy(got.filtered, r->filtered, out_frames(s) * PIXELS * sizeof *r->filtered);
    memcpy(got.traces, r->traces, sizeof got.traces);
    memcpy(got.shifts, r->shifts, sizeof got.shifts);
    memcpy(got.valid, r->valid, sizeof got.valid);
    got.valid_pixels = r->valid_pixels;
    if (!right.known) {
        check_answer(s);
        right = got;
    }
    assert_memory_equal(&got, &right, sizeof got);
}

/* ---- trials ---- */

static penta_status condition(const scene *s, bool ratio, penta_optmap *plan, penta_optmap_result *r)
{
    const void *frames[FRAMES], *under[FRAMES];
    size_t size = penta_type_size(s->type);

    for (size_t n = 0; n < FRAMES; n++) {
        frames[n] = (const char *)data_of(s) + n * PIXELS * size;
        under[n] = host()->under + n * PIXELS;
    }
    memset(host()->filtered, 0, sizeof host()->filtered);
    memset(host()->valid, 0, sizeof host()->valid);
    *r = (penta_optmap_result){.filtered = host()->filtered,
                               .traces = host()->traces,
                               .shifts = host()->shifts,
                               .valid = host()->valid,
                               .valid_pixels = SIZE_MAX};
    return penta_optmap_run(plan, &(penta_movie){.type = s->type, .frames = frames, .under = ratio ? under : NULL}, r);
}

/* A movie of another kind needs other buffers. */
static penta_status condition_all(const scene *s, penta_optmap *plan, penta_optmap_result *r)
{
    penta_status status = s->ratio ? condition(s, false, plan, r) : PENTA_OK;

    return status == PENTA_OK ? condition(s, s->ratio, plan, r) : status;
}

static penta_status create(const scene *s, penta_context *ctx, penta_optmap **plan)
{
    penta_optmap_options o = options_of(s);
    penta_status status;

    *plan = (penta_optmap *)(uintptr_t)1;
    status = penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, plan);
    assert_int_equal(status == PENTA_OK, *plan != NULL);
    return status;
}

static void have_memory(const scene *s, penta_context *ctx)
{
    void *made = NULL;

    if (s->pinned)
        EXPECT_OK(ctx, penta_host_alloc(ctx, sizeof *pinned, &made));
    pinned = made;
    fill(host());
}

static void return_memory(penta_context *ctx)
{
    if (pinned)
        penta_host_free(ctx, pinned);
    pinned = NULL;
}

static penta_status attempt_movie(trial *t)
{
    const scene *s = t->job->what;
    penta_optmap *plan;
    penta_optmap_result r;
    penta_status status;

    have_memory(s, t->ctx);
    begin_faults(t);
    status = create(s, t->ctx, &plan);
    if (plan)
        status = condition_all(s, plan, &r);
    end_faults(t, t->ctx, status);
    expect_idle(t, host(), sizeof *host());
    faults_forget_transfers();
    faults_disarm();
    if (plan && status != PENTA_OK) {
        assert_int_equal(r.valid_pixels, 0);
        EXPECT_OK(t->ctx, condition(s, s->ratio, plan, &r)); /* the plan is still good */
    }
    if (plan)
        expect_right(s, &r);
    penta_optmap_destroy(plan);
    return_memory(t->ctx);
    return status;
}

/* ---- sweeps ---- */

static void sweep_scene(const scene *s, const job *how)
{
    job j = *how;

    j.name = s->name;
    j.attempt = attempt_movie;
    j.what = s;
    right.known = false;
    sweep(&j);
    assert_true(right.known);
}

static const job on_cpu = {.least = 10};
static const job as_gpu = {.least = 10, .as_gpu = true};

/* Each trial builds its programs, which takes long, so few calls fail, and no allocations. */
TEST_WITH(no_faults, NULL, first_use)
{
    static const job fresh = {.least = 10, .fresh = true, .on_device = true};

    sweep_scene(&(scene){.name = "fast in a new context", .type = PENTA_F32, .bands = true}, &fresh);
}

TEST_WITH(no_faults, NULL, fast)
{
    sweep_scene(&(scene){.name = "fast, 16 bits", .type = PENTA_U16, .pinned = true}, &on_cpu);
    sweep_scene(&(scene){.name = "fast, bands of the ratio of two cameras, interpolated",
                         .output = PENTA_OPTMAP_INTERPOLATED,
                         .type = PENTA_F32,
                         .bands = true,
                         .ratio = true},
                &on_cpu);
}

TEST_WITH(no_faults, NULL, fast_as_gpu)
{
    sweep_scene(&(scene){.name = "fast as on a GPU, bands of floats", .type = PENTA_F32, .bands = true, .pinned = true},
                &as_gpu);
    sweep_scene(&(scene){.name = "fast as on a GPU, 16 bits, interpolated",
                         .output = PENTA_OPTMAP_INTERPOLATED,
                         .type = PENTA_U16},
                &as_gpu);
}

TEST_WITH(no_faults, NULL, literal)
{
    sweep_scene(
        &(scene){.name = "literal, bands of floats", .engine = PENTA_OPTMAP_LITERAL, .type = PENTA_F32, .bands = true},
        &on_cpu);
    sweep_scene(
        &(scene){
            .name = "literal as on a GPU, 16 bits", .engine = PENTA_OPTMAP_LITERAL, .type = PENTA_U16, .pinned = true},
        &as_gpu);
}

RUN(EVERYWHERE, NULL, hold_clfft, release_clfft);
