/* Faults in the tissue, its film, its camera, and the survey of what comes of them. */
#include "faults/sweep.h"

#include "support/device.h"

enum { WIDTH = 14, HEIGHT = 12, PIXELS = WIDTH * HEIGHT, FRAMES = 24 };

static uint16_t counts[FRAMES * PIXELS], right_counts[FRAMES * PIXELS];
static uint8_t right_kinds[PIXELS];
static bool learns;

/* ---- tissue and camera ---- */

static penta_status take_film(penta_context *ctx, penta_tissue *t, penta_camera_truth *truth)
{
    const penta_tissue_stimulus stimulus = {4, 5, 5, 3};
    float cover[PIXELS];
    HELD_BY(penta_tissue_movie_free) penta_tissue_movie m = {0};
    penta_camera_options o;
    penta_status status = penta_tissue_film(t, 500, FRAMES, &stimulus, 1, &m);

    assert_true((status == PENTA_OK) == (m.signal != NULL));
    penta_camera_options_init(&o);
    o.snr = 10;
    o.telegraph = 5;
    penta_tissue_cover(t, cover);
    if (status == PENTA_OK)
        status = penta_camera_expose(ctx, &m, cover, 500, &o, counts, truth);
    return status;
}

static penta_status attempt_tissue(trial *t)
{
    HELD_BY(penta_tissue_held) penta_tissue *sheet = (penta_tissue *)(uintptr_t)1;
    HELD_BY(penta_camera_truth_free) penta_camera_truth truth = {0};
    penta_tissue_options o;
    penta_status status;

    penta_tissue_options_init(&o);
    o.cells = 1;
    o.step = 0.05;
    begin_faults(t);
    status = penta_tissue_create(t->ctx, WIDTH, HEIGHT, NULL, &o, &sheet);
    assert_true((status == PENTA_OK) == (sheet != NULL));
    if (sheet)
        status = take_film(t->ctx, sheet, &truth);
    end_faults(t, t->ctx, status);
    assert_true((status == PENTA_OK) == (truth.light != NULL));
    if (learns && status == PENTA_OK)
        memcpy(right_counts, counts, sizeof counts);
    if (status == PENTA_OK)
        assert_memory_equal(counts, right_counts, sizeof counts);
    else
        faults_forget_transfers();
    return status;
}

/* ---- the survey ---- */

static penta_status attempt_survey(trial *t)
{
    const void *frames[FRAMES];
    const penta_movie movie = {.type = PENTA_U16, .frames = frames};
    HELD_BY(penta_survey_free) penta_survey found;
    penta_status status;

    for (size_t n = 0; n < FRAMES; n++)
        frames[n] = right_counts + n * PIXELS;
    begin_faults(t);
    status = penta_survey_run(t->ctx, WIDTH, HEIGHT, FRAMES, &movie, PENTA_OPTMAP_DOWN, &found);
    end_faults(t, t->ctx, status);
    assert_true((status == PENTA_OK) == (found.kind != NULL));
    if (t->kind == FAULT_MEMORY && t->struck)
        assert_int_equal(status, PENTA_MEMORY);
    if (learns && status == PENTA_OK)
        memcpy(right_kinds, found.kind, PIXELS);
    if (status == PENTA_OK)
        assert_memory_equal(found.kind, right_kinds, PIXELS);
    return status;
}

/* The first time without faults. */
static void learn(job *j)
{
    trial first = {.job = j, .when = "the first time"};

    EXPECT_OK(NULL, penta_context_create(NULL, &first.ctx));
    learns = true;
    assert_int_equal(attempt(&first), PENTA_OK);
    learns = false;
    penta_context_destroy(first.ctx);
}

TEST_WITH(no_faults, NULL, tissue)
{
    job j = {.name = "tissue", .attempt = attempt_tissue};

    learn(&j);
    sweep(&j);
}

TEST_WITH(no_faults, NULL, survey)
{
    job j = {.name = "survey", .attempt = attempt_survey, .on_host = true};

    learn(&j);
    sweep(&j);
}
