/*
 * The survey of movies of the tissue, whose outline, bad pixels, bleaching and motion are known, on sizes, seeds and
 * noise that it was not made on (it was made on 100 x 100 px, seeds 1 to 5).
 */
#include "support/test.h"

enum { WIDTH = 72, HEIGHT = 60, PIXELS = WIDTH * HEIGHT, FRAMES = 260, RATE = 600 };

typedef struct {
    penta_tissue_movie paced, rotor;
    uint8_t outline[PIXELS];
    float cover[PIXELS];
    uint16_t counts[FRAMES * PIXELS];
    const void *frames[FRAMES];
    penta_movie movie;
    penta_camera_truth truth;
} scene;

static scene *made; /* once for all tests */

static void film(penta_context *ctx, bool rotor, penta_tissue_movie *out)
{
    const penta_tissue_stimulus stimuli[] = {{30, 30, 20, 0}, {230, 30, 20, 0}};
    const penta_tissue_rotor spiral = {34, 30, 1};
    penta_tissue_options o;
    HELD_BY(penta_tissue_held) penta_tissue *t = NULL;

    penta_tissue_options_init(&o);
    o.cells = 1;
    o.speed = 28;
    o.pixel_size = 0.035;
    EXPECT_OK(ctx, penta_tissue_create(ctx, WIDTH, HEIGHT, made->outline, &o, &t));
    if (rotor) {
        EXPECT_OK(ctx, penta_tissue_begin_rotors(t, &spiral, 1));
        EXPECT_OK(ctx, penta_tissue_advance(t, 400));
    }
    EXPECT_OK(ctx, penta_tissue_film(t, RATE, FRAMES, stimuli, rotor ? 0 : 2, out));
    penta_tissue_cover(t, made->cover);
}

static int make_scene(void **state)
{
    int failed = open_device(state);

    if (failed)
        return failed;
    made = must_calloc(1, sizeof *made);
    penta_tissue_heart(WIDTH, HEIGHT, made->outline);
    film(*state, false, &made->paced);
    film(*state, true, &made->rotor);
    for (size_t n = 0; n < FRAMES; n++)
        made->frames[n] = made->counts + n * PIXELS;
    made->movie = (penta_movie){.type = PENTA_U16, .frames = made->frames};
    return 0;
}

static int free_scene(void **state)
{
    penta_tissue_movie_free(&made->paced);
    penta_tissue_movie_free(&made->rotor);
    penta_camera_truth_free(&made->truth);
    free(made);
    return close_device(state);
}

static penta_camera_options camera(double snr, int seed)
{
    penta_camera_options o;

    penta_camera_options_init(&o);
    o.snr = snr;
    o.seed = seed;
    return o;
}

static penta_survey survey(void **state, bool rotor, const penta_camera_options *o)
{
    penta_context *ctx = device_of(state);
    penta_survey found;

    penta_camera_truth_free(&made->truth);
    EXPECT_OK(ctx, penta_camera_expose(ctx, rotor ? &made->rotor : &made->paced, made->cover, RATE, o, made->counts,
                                       &made->truth));
    EXPECT_OK(ctx, penta_survey_run(ctx, WIDTH, HEIGHT, FRAMES, &made->movie, o->polarity, &found));
    return found;
}

/* Pixels of the outline that are called background, the others that are not, and good ones of it that are called bad.
 */
typedef struct {
    size_t outline, missed, extra, wronged, bad, caught;
} score;

static score score_of(const penta_survey *found)
{
    score s = {0};

    for (size_t i = 0; i < PIXELS; i++) {
        bool in = made->cover[i] >= 0.5F, bad = made->truth.bad[i] != PENTA_CAMERA_GOOD;
        bool called = found->kind[i] == PENTA_SURVEY_STUCK || found->kind[i] == PENTA_SURVEY_JUMPING;

        s.outline += in;
        s.missed += in && found->kind[i] == PENTA_SURVEY_BACKGROUND;
        s.extra += !in && found->kind[i] != PENTA_SURVEY_BACKGROUND;
        s.wronged += in && !bad && called;
        s.bad += in && bad;
        s.caught += in && bad && called;
    }
    return s;
}

static void expect_outline(const penta_survey *found, const char *what)
{
    score s = score_of(found);

    if (s.missed * 100 > s.outline || s.extra * 50 > s.outline || s.wronged * 300 > s.outline)
        fail_msg("%s: of %zu pixels %zu missed, %zu too many, %zu good ones called bad", what, s.outline, s.missed,
                 s.extra, s.wronged);
}

/* ---- tissue ---- */

TEST(tissue_is_found)
{
    static const struct {
        double snr, light, background;
        bool rotor;
    } cases[] = {{2, 30, 8, false},   {2, 30, 8, true},   {10, 60, 0, false}, {5, 0, 15, true},
                 {20, 40, 60, false}, {6, 20, 90, false}, {4, 30, 60, true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_camera_options o = camera(cases[i].snr, 100 + (int)i);
        HELD_BY(penta_survey_free) penta_survey found;
        char what[32];

        o.light = cases[i].light;
        o.background = cases[i].background;
        found = survey(state, cases[i].rotor, &o);
        snprintf(what, sizeof what, "case %zu", i);
        assert_true(found.found);
        expect_outline(&found, what);
    }
}

DEVICE_TEST(tissue_without_background_is_all)
{
    penta_camera_options o = camera(5, 77);
    HELD_BY(penta_survey_free) penta_survey found;
    float whole[PIXELS];
    uint8_t mask[PIXELS] = {0};

    for (size_t i = 0; i < PIXELS; i++)
        whole[i] = 1;
    o.light = 70;
    /* a film of a full sheet would be another one: the mask says that the outline is all there is to see */
    penta_camera_truth_free(&made->truth);
    EXPECT_OK(ctx, penta_camera_expose(ctx, &made->paced, whole, RATE, &o, made->counts, &made->truth));
    memcpy(mask, made->outline, sizeof mask);
    made->movie.mask = mask;
    EXPECT_OK(ctx, penta_survey_run(ctx, WIDTH, HEIGHT, FRAMES, &made->movie, 0, &found));
    made->movie.mask = NULL;
    for (size_t i = 0; i < PIXELS; i++)
        assert_int_equal(found.kind[i], mask[i] ? PENTA_SURVEY_TISSUE : PENTA_SURVEY_MASKED);
}

/* ---- bad pixels ---- */

TEST(bad_pixels_are_found)
{
    static const double snrs[] = {3, 8, 30};

    for (int rotor = 0; rotor < 2; rotor++)
        for (size_t i = 0; i < COUNT(snrs); i++) {
            penta_camera_options o = camera(snrs[i], 200 + (int)i);
            HELD_BY(penta_survey_free) penta_survey found;
            score s;

            o.telegraph = 2.4;
            o.dead = 0.6;
            o.hot = 0.4;
            found = survey(state, rotor, &o);
            s = score_of(&found);
            expect_outline(&found, "with bad pixels");
            if (s.caught * 100 < 90 * s.bad)
                fail_msg("SNR %g: %zu of %zu bad pixels", snrs[i], s.caught, s.bad);
        }
}

/* ---- bleaching ---- */

/*
 * A calcium transient, which has not come back at the end of the movie: a rise within 5 frames, then an exponential
 * decay to 4 % of it. With and without bleaching of the same light.
 */
static penta_survey survey_of_transient(penta_context *ctx, double bleach)
{
    enum { LENGTH = 160, RISE = 70, SIDE = 40 };
    HELD uint16_t *counts = must_calloc((size_t)LENGTH * SIDE * SIDE, sizeof *counts);
    const void *frames[LENGTH];
    const penta_movie movie = {.type = PENTA_U16, .frames = frames};
    penta_survey found;

    for (size_t n = 0; n < LENGTH; n++)
        frames[n] = counts + n * SIDE * SIDE;
    for (size_t n = 0; n < LENGTH; n++)
        for (size_t p = 0; p < (size_t)SIDE * SIDE; p++) {
            double t = (double)n - RISE - (double)(p % SIDE) / 8;
            double signal = t < 0 ? 0 : t < 5 ? t / 5 : exp(-(t - 5) / 25);
            double dim = exp(-bleach * (double)n / LENGTH);

            counts[n * SIDE * SIDE + p] =
                (uint16_t)(10000 * dim * (1 + 0.1 * signal) + (double)((n * 7 + p * 13) / 3 % 5));
        }
    EXPECT_OK(ctx, penta_survey_run(ctx, SIDE, SIDE, LENGTH, &movie, PENTA_OPTMAP_UP, &found));
    return found;
}

TEST(slow_end_of_one_beat_is_no_bleaching)
{
    penta_survey found = survey_of_transient(device_of(state), 0);

    assert_int_equal(found.drift, -1);
    penta_survey_free(&found);
    found = survey_of_transient(device_of(state), 0.2);
    assert_int_equal(found.drift, 1);
    penta_survey_free(&found);
}

TEST(bleaching_is_measured)
{
    static const double lost[] = {0, 5, 20};
    static const int degrees[] = {-1, 1, 2};

    for (int rotor = 0; rotor < 2; rotor++)
        for (size_t i = 0; i < COUNT(lost); i++) {
            penta_camera_options o = camera(4, 300 + (int)i);
            HELD_BY(penta_survey_free) penta_survey found;

            o.bleach = lost[i];
            found = survey(state, rotor, &o);
            expect_near(100 * found.lost, lost[i], 0.4);
            if (found.drift != degrees[i])
                fail_msg("%g %%, %s: degree %d", lost[i], rotor ? "rotor" : "paced", found.drift);
        }
}

/* ---- motion ---- */

TEST(motion_is_measured)
{
    penta_camera_options o = camera(10, 400);
    penta_survey found = survey(state, false, &o);

    assert_true(found.shift < 0.1 && found.growth < 0.1);
    penta_survey_free(&found);
    o.motion = 1;
    found = survey(state, false, &o);
    expect_near(found.shift, 1, 0.45);
    assert_true(found.growth < 0.5 * found.shift && found.motion_noise < 0.05);
    penta_survey_free(&found);
    o.motion = 0;
    o.contraction = 1;
    found = survey(state, false, &o);
    expect_near(found.growth, 1, 0.7);
    assert_true(found.shift < 0.5 * found.growth);
    penta_survey_free(&found);
}

/* ---- refusals ---- */

DEVICE_TEST(bad_movies_are_refused)
{
    HELD_BY(penta_survey_free) penta_survey found;
    penta_movie wrong = made->movie;

    assert_int_equal(penta_survey_run(ctx, WIDTH, HEIGHT, 1, &made->movie, 0, &found), PENTA_INVALID);
    assert_null(found.kind);
    wrong.type = PENTA_I64;
    assert_int_equal(penta_survey_run(ctx, WIDTH, HEIGHT, FRAMES, &wrong, 0, &found), PENTA_INVALID);
}

/* ---- cancelling ---- */

static bool stop(void *user, double done, double total)
{
    int *left = user;

    (void)done, (void)total;
    return (*left)-- == 0;
}

/* Each time that the callback is asked can be the last. */
DEVICE_TEST(survey_is_cancelled)
{
    penta_status status = PENTA_CANCELLED;
    penta_saturation saturated;
    penta_survey found;
    int asks, none = 0;

    for (asks = 0; asks < 100 && status == PENTA_CANCELLED; asks++) {
        int left = asks;

        penta_context_set_progress(ctx, stop, &left);
        status = penta_survey_run(ctx, WIDTH, HEIGHT, FRAMES, &made->movie, PENTA_OPTMAP_DOWN, &found);
        if (status == PENTA_CANCELLED)
            assert_null(found.kind);
    }
    assert_true(asks >= 4); /* pixels, neighbours, places, fits */
    if (status == PENTA_OK)
        penta_survey_free(&found);
    penta_context_set_progress(ctx, stop, &none);
    assert_int_equal(penta_survey_saturation(ctx, WIDTH, HEIGHT, FRAMES, PENTA_U16, made->movie.frames, &saturated),
                     PENTA_CANCELLED);
    penta_context_set_progress(ctx, NULL, NULL);
}

RUN(EVERYWHERE, NULL, make_scene, free_scene);
