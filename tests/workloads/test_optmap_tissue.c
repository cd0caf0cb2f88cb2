/* The tissue: its steps against a naive reference, the speed of its front against the exact one, fibres, beats,
 * spirals; and what the camera does to it. */
#include "support/test.h"

#include "reference/tissue.h"

static penta_tissue_options defaults(void)
{
    penta_tissue_options o;

    penta_tissue_options_init(&o);
    return o;
}

/* ---- steps ---- */

/* Some steps from a wave in a sheet that is not a rectangle. */
static void compare(void **state, size_t width, size_t height, double fibre, double anisotropy)
{
    penta_context *ctx = device_of(state);
    penta_tissue_options o = defaults();
    HELD_BY(penta_tissue_held) penta_tissue *t = NULL;
    size_t n = width * height;
    HELD uint8_t *outline = must_calloc(n, 1);
    HELD double *u = must_calloc(n, sizeof *u), *v = must_calloc(n, sizeof *v);
    HELD float *a = must_calloc(n, sizeof *a), *b = must_calloc(n, sizeof *b);

    o.cells = 1;
    o.fibre = fibre;
    o.anisotropy = anisotropy;
    o.step = 0.03;
    for (size_t i = 0; i < n; i++)
        outline[i] = (i % width + 2 * (i / width)) % 17 > 1 && (i % width < width - 3 || i / width > 4);
    EXPECT_OK(ctx, penta_tissue_create(ctx, width, height, outline, &o, &t));
    EXPECT_OK(ctx, penta_tissue_stimulate_half(t, 0.4 * (double)width, 0.4 * (double)height, 20));
    EXPECT_OK(ctx, penta_tissue_read(t, a, b));
    for (size_t i = 0; i < n; i++) {
        u[i] = (double)a[i];
        v[i] = (double)b[i];
    }
    reference_tissue(&o, width, height, outline, 300, 0.03, u, v);
    EXPECT_OK(ctx, penta_tissue_advance(t, 300 * 0.03));
    EXPECT_OK(ctx, penta_tissue_read(t, a, b));
    for (size_t i = 0; i < n; i++)
        if (fabs((double)a[i] - u[i]) > 2e-4 || fabs((double)b[i] - v[i]) > 2e-4)
            fail_msg("%zu x %zu, fibres %g, cell %zu: u %g v %g instead of %g %g", width, height, fibre, i,
                     (double)a[i], (double)b[i], u[i], v[i]);
}

TEST(steps_are_the_elements)
{
    compare(state, 33, 21, 0, 1);
    compare(state, 40, 30, 30, 2);
    compare(state, 17, 29, -50, 1.5);
}

/* ---- speed ---- */

/* cm/s of a plane wave to the right, without recovery, when the front is exactly that of the bistable equation. */
static double speed_of(penta_context *ctx, double fibre, double anisotropy, int cells)
{
    penta_tissue_options o = defaults();
    HELD_BY(penta_tissue_held) penta_tissue *t = NULL;
    HELD_BY(penta_tissue_movie_free) penta_tissue_movie m;
    double speed;

    o.epsilon0 = o.mu1 = 0;
    o.pixel_size = 0.04;
    o.fibre = fibre;
    o.anisotropy = anisotropy;
    o.cells = cells;
    o.step = 0.01; /* of 2.8 ms: Euler's steps hardly count */
    EXPECT_OK(ctx, penta_tissue_create(ctx, 60, 4, NULL, &o, &t));
    EXPECT_OK(ctx, penta_tissue_stimulate_half(t, 8, 0, 0));
    EXPECT_OK(ctx, penta_tissue_film(t, 1000, (size_t)(65 * anisotropy), NULL, 0, &m));
    assert_int_equal(m.beats, 1);
    speed = 1e3 * 0.04 * 25 / (m.activation[60 + 55] - m.activation[60 + 30]);
    return speed;
}

DEVICE_TEST_IN(AS_IT_IS, the_front_runs_at_its_speed)
{
    double coarse = speed_of(ctx, 0, 1, 1), fine = speed_of(ctx, 0, 1, 2);

    expect_near(fine, 40, 0.4);
    assert_true(fabs(coarse - 40) > 2.5 * fabs(fine - 40)); /* of second order */
}

DEVICE_TEST_IN(AS_IT_IS, fibres_lead)
{
    double along = speed_of(ctx, 0, 2, 2), across = speed_of(ctx, 90, 2, 3);

    expect_near(along / across, 2, 0.04);
}

/* ---- beats and spirals ---- */

DEVICE_TEST(beats_come_as_they_are_paced)
{
    const penta_tissue_stimulus stimuli[] = {{20, 6, 6, 0}, {220, 6, 6, 0}, {420, 6, 6, 0}};
    enum { SIDE = 24, PIXELS = SIDE * SIDE };
    penta_tissue_options o = defaults();
    HELD_BY(penta_tissue_held) penta_tissue *t = NULL;
    penta_tissue_movie m;

    o.cells = 1;
    o.pixel_size = 0.05;
    EXPECT_OK(ctx, penta_tissue_create(ctx, SIDE, SIDE, NULL, &o, &t));
    EXPECT_OK(ctx, penta_tissue_film(t, 500, 300, stimuli, 3, &m));
    assert_int_equal(m.beats, 3);
    for (size_t p = 0; p < PIXELS; p++) {
        double first = m.activation[p], second = m.activation[PIXELS + p], third = m.activation[2 * PIXELS + p];

        assert_true(first >= 19 && first < 70);
        expect_near(second - first, 200, 8); /* a wave is slower the sooner it follows another */
        expect_near(third - second, 200, 8);
        for (int level = 1; level < PENTA_TISSUE_LEVELS; level++)
            assert_true(m.apd[level][p] > m.apd[level - 1][p]);
        assert_true(m.apd[2][p] > 60 && m.apd[2][p] < 140);
    }
    expect_near(m.activation[PIXELS + 6 * SIDE + 12] - m.activation[6 * SIDE + 12], 200, 1.5); /* near the site */
    for (size_t n = 0; n < m.frames; n++)
        assert_int_equal(m.tips_at[n].count, 0);
    penta_tissue_movie_free(&m);
    assert_null(m.signal);
}

DEVICE_TEST_IN(AS_IT_IS, spirals_turn_as_they_are_told)
{
    penta_tissue_options o = defaults();

    o.cells = 1;
    o.speed = 25;
    for (int charge = -1; charge <= 1; charge += 2) {
        const penta_tissue_rotor rotor = {38, 40, charge};
        HELD_BY(penta_tissue_held) penta_tissue *t = NULL;
        HELD_BY(penta_tissue_movie_free) penta_tissue_movie m;
        size_t right = 0;

        EXPECT_OK(ctx, penta_tissue_create(ctx, 80, 80, NULL, &o, &t));
        EXPECT_OK(ctx, penta_tissue_begin_rotors(t, &rotor, 1));
        EXPECT_OK(ctx, penta_tissue_advance(t, 500));
        EXPECT_OK(ctx, penta_tissue_film(t, 500, 60, NULL, 0, &m));
        for (size_t n = 0; n < m.frames; n++)
            right += m.tips_at[n].count == 1 && m.tips[m.tips_at[n].first].charge == charge;
        if (right < 54) /* a wave that breaks at the border has a tip for a moment; rounding decides when */
            fail_msg("charge %d: alone in %zu of %zu frames", charge, right, m.frames);
    }
}

/* ---- the camera ---- */

enum { WIDTH = 40, HEIGHT = 30, FRAMES = 400 };

/* A movie of nothing but rest and one rise of all tissue, which is all of it but ten columns. */
typedef struct {
    penta_tissue_movie movie;
    float *cover;
    uint16_t *counts;
    penta_camera_truth truth;
} picture;

static picture make_picture(void)
{
    picture p = {.movie = {.frames = FRAMES, .height = HEIGHT, .width = WIDTH},
                 .cover = must_calloc(WIDTH * HEIGHT, sizeof(float)),
                 .counts = must_calloc((size_t)FRAMES * WIDTH * HEIGHT, sizeof(uint16_t))};

    p.movie.signal = must_calloc((size_t)FRAMES * WIDTH * HEIGHT, sizeof(float));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        p.cover[i] = i % WIDTH < WIDTH - 10;
    for (size_t i = 0; i < (size_t)FRAMES * WIDTH * HEIGHT; i++)
        p.movie.signal[i] = i / (WIDTH * HEIGHT) >= FRAMES / 2 ? p.cover[i % (WIDTH * HEIGHT)] : 0;
    return p;
}

static void free_picture(picture *p)
{
    free(p->movie.signal);
    free(p->cover);
    free(p->counts);
    penta_camera_truth_free(&p->truth);
}

/* Mean and standard deviation of a pixel over frames from .. to - 1. */
static void moments(const picture *p, size_t pixel, size_t from, size_t to, double *mean, double *sd)
{
    double sum = 0, squares = 0, n = (double)(to - from);

    for (size_t f = from; f < to; f++) {
        double x = p->counts[f * WIDTH * HEIGHT + pixel];

        sum += x;
        squares += x * x;
    }
    *mean = sum / n;
    *sd = sqrt(squares / n - *mean * *mean);
}

DEVICE_TEST_IN(AS_IT_IS, amplitude_over_noise_is_the_snr)
{
    penta_camera_options o;
    double log_sum = 0;
    size_t count = 0;

    penta_camera_options_init(&o);
    o.snr = 4;
    for (o.noise_as = PENTA_CAMERA_SHOT; o.noise_as <= PENTA_CAMERA_EVEN; o.noise_as++) {
        HELD_BY(free_picture) picture p = make_picture();

        EXPECT_OK(ctx, penta_camera_expose(ctx, &p.movie, p.cover, 1000, &o, p.counts, &p.truth));
        log_sum = 0;
        count = 0;
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            double rest, excited, before, after;

            moments(&p, i, 0, FRAMES / 2, &rest, &before);
            moments(&p, i, FRAMES / 2, FRAMES, &excited, &after);
            if (p.cover[i] == 0)
                continue;
            expect_near((rest - excited) / rest, 0.05, 0.01);
            expect_near(rest, (double)p.truth.light[i], 0.01 * rest);
            log_sum += log((rest - excited) / before / (double)p.truth.snr[i]);
            count++;
            if (o.noise_as == PENTA_CAMERA_EVEN)
                expect_near((double)p.truth.snr[i], 4, 1e-4);
        }
        expect_near(log_sum / (double)count, 0, 0.01);
    }
}

DEVICE_TEST_IN(AS_IT_IS, light_bleaches_and_pixels_fail)
{
    penta_camera_options o;
    HELD_BY(free_picture) picture p = make_picture(), again = make_picture();
    size_t counts[4] = {0};

    penta_camera_options_init(&o);
    o.bleach = 20;
    o.dead = 1;
    o.hot = 0.5;
    o.telegraph = 2.5;
    o.snr = 10;
    memset(p.movie.signal, 0, (size_t)FRAMES * WIDTH * HEIGHT * sizeof(float));
    memset(again.movie.signal, 0, (size_t)FRAMES * WIDTH * HEIGHT * sizeof(float));
    EXPECT_OK(ctx, penta_camera_expose(ctx, &p.movie, p.cover, 1000, &o, p.counts, &p.truth));
    EXPECT_OK(ctx, penta_camera_expose(ctx, &again.movie, again.cover, 1000, &o, again.counts, NULL));
    assert_memory_equal(p.counts, again.counts, (size_t)FRAMES * WIDTH * HEIGHT * sizeof *p.counts);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        double first, last, sd;

        counts[p.truth.bad[i]]++;
        moments(&p, i, 0, 20, &first, &sd);
        moments(&p, i, FRAMES - 20, FRAMES, &last, &sd);
        if (p.truth.bad[i] == PENTA_CAMERA_GOOD && p.cover[i] > 0)
            expect_near(last / first, pow(0.8, 380.0 / 399), 0.01);
        if (p.truth.bad[i] == PENTA_CAMERA_HOT)
            expect_near(first, 65535, 0);
        if (p.truth.bad[i] == PENTA_CAMERA_DEAD)
            expect_near(sd, 0, 0);
    }
    assert_int_equal(counts[PENTA_CAMERA_DEAD], 12);
    assert_int_equal(counts[PENTA_CAMERA_HOT], 6);
    assert_int_equal(counts[PENTA_CAMERA_TELEGRAPH], 30);
}

/* The border of the tissue lies where its light is half way to the background's. */
DEVICE_TEST_IN(AS_IT_IS, tissue_moves)
{
    penta_camera_options o;
    HELD_BY(free_picture) picture p = make_picture();
    double place[2], last;

    penta_camera_options_init(&o);
    o.motion = 2;
    o.light = o.texture = 0;
    o.background = 0;
    EXPECT_OK(ctx, penta_camera_expose(ctx, &p.movie, p.cover, 1000, &o, p.counts, &p.truth));
    for (int i = 0; i < 2; i++) {
        const uint16_t *row = p.counts + (size_t)(i == 0 ? 0 : FRAMES - 1) * WIDTH * HEIGHT + (size_t)15 * WIDTH;

        place[i] = 0;
        for (size_t x = 10; x < WIDTH; x++)
            place[i] += (double)row[x] / row[10];
    }
    last = (double)p.truth.shift[FRAMES - 1];
    expect_near(last, 2, 0.05); /* two stages of 20 ms after 200 ms */
    expect_near(place[1] - place[0], last * cos(35 * acos(-1) / 180), 0.02);
}

/* ---- refusals ---- */

DEVICE_TEST_IN(AS_IT_IS, bad_input_is_refused)
{
    const penta_tissue_stimulus late[] = {{20, 1, 1, 0}, {10, 1, 1, 0}};
    penta_tissue_options o = defaults();
    HELD_BY(penta_tissue_held) penta_tissue *t = NULL;
    penta_tissue_movie m;
    penta_camera_options camera;
    picture p = make_picture();
    uint8_t none[16] = {0};
    char message[256] = "";

    assert_int_equal(penta_tissue_create(ctx, 1, 8, NULL, NULL, &t), PENTA_INVALID);
    EXPECT_REFUSED(ctx, penta_tissue_create(ctx, 4, 4, none, NULL, &t), PENTA_INVALID, "no tissue");
    o.step = 1;
    EXPECT_REFUSED(ctx, penta_tissue_create(ctx, 8, 8, NULL, &o, &t), PENTA_INVALID, "diverge");
    assert_null(t);
    assert_int_equal(penta_tissue_check(0, 0, &o, message, sizeof message), PENTA_INVALID);
    assert_int_equal(strncmp(message, penta_last_error(ctx), strlen(message)), 0); /* one rule, one sentence */
    assert_int_equal(penta_tissue_check(1, 8, NULL, message, sizeof message), PENTA_INVALID);
    expect_text(message, "too small");
    assert_int_equal(penta_tissue_check(8, 8, NULL, NULL, 0), PENTA_OK);
    EXPECT_OK(ctx, penta_tissue_create(ctx, 8, 8, NULL, NULL, &t));
    assert_int_equal(penta_tissue_film(t, 0, 10, NULL, 0, &m), PENTA_INVALID);
    EXPECT_REFUSED(ctx, penta_tissue_film(t, 500, 10, late, 2, &m), PENTA_INVALID, "stimulus 1");
    assert_null(m.signal);
    penta_camera_options_init(&camera);
    assert_int_equal(penta_camera_check(0, 0, 0, 0, &camera, NULL, 0), PENTA_OK);
    camera.dead = camera.hot = 60;
    assert_int_equal(penta_camera_expose(ctx, &p.movie, p.cover, 500, &camera, p.counts, &p.truth), PENTA_INVALID);
    assert_int_equal(penta_camera_check(0, 0, 0, 0, &camera, message, sizeof message), PENTA_INVALID);
    assert_int_equal(strncmp(message, penta_last_error(ctx), strlen(message)), 0);
    assert_int_equal(penta_camera_check(8, 8, 10, -1, NULL, message, sizeof message), PENTA_INVALID);
    expect_text(message, "rate of -1 Hz");
    assert_null(p.truth.light);
    memset(p.cover, 0, WIDTH * HEIGHT * sizeof *p.cover);
    assert_int_equal(penta_camera_expose(ctx, &p.movie, p.cover, 500, NULL, p.counts, NULL), PENTA_INVALID);
    free_picture(&p);
    penta_tissue_destroy(NULL);
}

ON_DEVICE;
AS_ON_A_GPU;
