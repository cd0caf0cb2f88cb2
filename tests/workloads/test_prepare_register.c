/* Drifts of series of frames whose drifts are known. */
#include "support/test.h"

#include "prepare/stages.h"
#include "support/prepare_frames.h"
#include "support/random.h"

#define WIDTH  301
#define HEIGHT 222
#define PIXELS ((size_t)WIDTH * HEIGHT)

enum { MOST = 12 };

/* Frames with a pattern each and nothing masked. */
typedef struct {
    size_t count;
    float *grey;
    uint8_t *mask;
    penta_drift drift[MOST];
} movie;

static movie make_movie(size_t count)
{
    movie m = {.count = count};

    m.grey = must_calloc(count * PIXELS, sizeof *m.grey);
    m.mask = must_calloc(count, PIXELS);
    memset(m.mask, 1, count * PIXELS);
    return m;
}

static void free_movie(movie *m)
{
    free(m->grey);
    free(m->mask);
}

static void draw(movie *m, size_t frame, double period, double dx, double dy, unsigned seed)
{
    penta_drift d = {.dx = dx, .dy = dy, .score = 1};

    make_pattern(WIDTH, HEIGHT, period, 0, &d, seed, m->grey + frame * PIXELS);
    m->drift[frame] = d;
}

static void add_noise(movie *m, double sigma)
{
    random_seed(77);
    for (size_t i = 0; i < m->count * PIXELS; i++)
        m->grey[i] += (float)(sigma * random_normal());
}

/* Frames from .. to - 1 through a registration. */
static void run_part(prepare_frames *f, prepare_register *r, const movie *m, size_t from, size_t to, const bool *skip,
                     penta_drift *drift)
{
    put_frames(f, to - from, m->grey + from * PIXELS, m->mask + from * PIXELS);
    EXPECT_OK(f->ctx, prepare_register_run(r, &f->batch, skip + from, drift + from));
}

static void run_movie(penta_context *ctx, const penta_prepare_options *o, const movie *m, size_t batch,
                      penta_drift *drift)
{
    static const bool none[MOST];
    prepare_register *r;
    HELD_BY(close_frames) prepare_frames f;

    open_frames(ctx, o, WIDTH, HEIGHT, batch, &f);
    EXPECT_OK(ctx, prepare_register_create(&f.own, &f.shape, &r));
    for (size_t from = 0; from < m->count; from += batch)
        run_part(&f, r, m, from, from + batch < m->count ? from + batch : m->count, none, drift);
}

static void expect_drifts(const movie *m, const penta_drift *drift, double tolerance)
{
    for (size_t i = 0; i < m->count; i++) {
        expect_near(drift[i].dx, m->drift[i].dx, tolerance);
        expect_near(drift[i].dy, m->drift[i].dy, tolerance);
    }
}

static const double some_drifts[][2] = {{0, 0}, {5, 3}, {-5, -3}, {0.5, 0.25}, {-2.35, 11.15}, {7.95, -0.05}, {0, 0.5}};

TEST(known_drifts)
{
    static const double periods[] = {40, 18, 9};
    HELD_BY(free_movie) movie m = make_movie(COUNT(some_drifts));
    penta_drift drift[MOST];

    for (size_t k = 0; k < COUNT(periods); k++) {
        for (size_t i = 0; i < m.count; i++)
            draw(&m, i, periods[k], some_drifts[i][0], some_drifts[i][1], 5);
        run_movie(device_of(state), NULL, &m, 4, drift);
        expect_drifts(&m, drift, 0.006); /* few waves in a frame: exact for none but endless frames */
        assert_true(drift[0].dx == 0 && drift[0].dy == 0 && drift[0].score == 1);
        for (size_t i = 1; i < m.count; i++)
            expect_near(drift[i].score, 1, 2e-3);
        add_noise(&m, 0.02);
        run_movie(device_of(state), NULL, &m, 4, drift);
        expect_drifts(&m, drift, 0.02);
    }
}

/* The content moved by more than half of the frame, one way or the other. */
TEST(wrap_around)
{
    static const double far[][2] = {{0, 0}, {170, 0}, {-170.5, 2}, {30, -120}, {-120, 80.25}};
    HELD_BY(free_movie) movie m = make_movie(COUNT(far));
    penta_drift drift[MOST];

    for (size_t i = 0; i < m.count; i++)
        draw(&m, i, 30, far[i][0], far[i][1], 6);
    run_movie(device_of(state), NULL, &m, 8, drift);
    expect_drifts(&m, drift, 0.02);
}

/* A third of the frame in common is enough; with less it is found, or it is lost. */
TEST(small_overlap)
{
    static const double far[][2] = {{0, 0},        {150.5, 60.25}, {3, -140},   {-200.5, 3},
                                    {-151, 110.5}, {190, 150},     {-200, 140}, {-225, 166}};
    HELD_BY(free_movie) movie m = make_movie(COUNT(far));
    penta_drift drift[MOST];

    for (size_t i = 0; i < m.count; i++)
        draw(&m, i, 18, far[i][0], far[i][1], 6);
    add_noise(&m, 0.02);
    run_movie(device_of(state), NULL, &m, 8, drift);
    for (size_t i = 0; i < m.count; i++) {
        print_message("(%g, %g): (%.3f, %.3f), score %.3f\n", far[i][0], far[i][1], drift[i].dx, drift[i].dy,
                      drift[i].score);
        if (i < 3 || drift[i].score >= 0.2) {
            expect_near(drift[i].dx, far[i][0], 0.05);
            expect_near(drift[i].dy, far[i][1], 0.05);
        }
    }
}

/* Dust that does not move and is not masked. */
TEST(dust_that_stays)
{
    HELD_BY(free_movie) movie m = make_movie(4);
    penta_drift drift[MOST];

    for (size_t i = 0; i < m.count; i++)
        draw(&m, i, 18, some_drifts[i + 2][0], some_drifts[i + 2][1], 5);
    for (size_t i = 0; i < m.count; i++) {
        random_seed(4);
        for (int k = 0; k < 110; k++) {
            size_t x = 2 + (size_t)((WIDTH - 5) * random_uniform()), y = 2 + (size_t)((HEIGHT - 5) * random_uniform());

            for (size_t j = 0; j < 9; j++)
                m.grey[i * PIXELS + (y + j / 3 - 1) * WIDTH + x + j % 3 - 1] *= 0.4F;
        }
    }
    run_movie(device_of(state), NULL, &m, 4, drift);
    for (size_t i = 1; i < m.count; i++) {
        m.drift[i].dx -= m.drift[0].dx;
        m.drift[i].dy -= m.drift[0].dy;
    }
    m.drift[0] = (penta_drift){.score = 1};
    expect_drifts(&m, drift, 0.02);
}

/* Half of the frame masked, which holds anything. */
TEST(masks)
{
    HELD_BY(free_movie) movie m = make_movie(3);
    penta_drift drift[MOST];

    for (size_t i = 0; i < m.count; i++) {
        draw(&m, i, 24, some_drifts[i][0], some_drifts[i][1], 5);
        for (size_t p = 0; p < PIXELS; p++)
            if (p % WIDTH > 150 && p / WIDTH > 60) {
                m.grey[i * PIXELS + p] = (float)(p % 7);
                m.mask[i * PIXELS + p] = 0;
            }
    }
    run_movie(device_of(state), NULL, &m, 3, drift);
    expect_drifts(&m, drift, 0.004);
}

TEST(phase_correlation)
{
    enum { ROOM = 320 };
    static float detail[ROOM * ROOM];
    penta_prepare_options o;
    HELD_BY(free_movie) movie m = make_movie(4);
    penta_drift drift[MOST];

    penta_prepare_options_init(&o);
    o.correlation = PENTA_PREPARE_PHASE;
    random_seed(12);
    for (size_t p = 0; p < ROOM * ROOM; p++) /* white detail: phase correlation is made for it */
        detail[p] = (float)(0.5 + random_uniform());
    for (size_t i = 0; i < m.count; i++) {
        for (size_t p = 0; p < PIXELS; p++)
            m.grey[i * PIXELS + p] = detail[(p / WIDTH + 5 * i) * ROOM + p % WIDTH + 9 - 3 * i];
        m.drift[i] = (penta_drift){.dx = 3 * (double)i, .dy = -5 * (double)i, .score = 1};
    }
    run_movie(device_of(state), &o, &m, 4, drift);
    expect_drifts(&m, drift, 0.01);
}

TEST(largest_drift_allowed)
{
    penta_prepare_options o;
    HELD_BY(free_movie) movie m = make_movie(2);
    penta_drift drift[MOST];

    penta_prepare_options_init(&o);
    o.max_drift = 6;
    draw(&m, 0, 60, 0, 0, 5);
    draw(&m, 1, 60, 30, 0, 5);
    run_movie(device_of(state), &o, &m, 2, drift);
    assert_true(fabs(drift[1].dx) < 11 && drift[1].score < 0.9);
}

/* On the way to a place that is too far the nearest one that is allowed fits quite well. */
TEST(drift_beyond)
{
    penta_prepare_options o;
    HELD_BY(free_movie) movie m = make_movie(4);
    penta_drift drift[MOST];

    penta_prepare_options_init(&o);
    o.max_drift = 5;
    draw(&m, 0, 14, 0, 0, 5);
    draw(&m, 1, 14, 8, -2, 5);
    draw(&m, 2, 14, 3, 11, 5);
    draw(&m, 3, 14, -4.5, 4.75, 5);
    run_movie(device_of(state), &o, &m, 4, drift);
    assert_true(drift[1].score < o.min_score);
    assert_true(drift[2].score < o.min_score);
    expect_near(drift[3].dx, -4.5, 0.05);
    expect_near(drift[3].dy, 4.75, 0.05);
}

/* ---- the series ---- */

/* A pattern that turns into another from frame 2 to frame 5. */
static movie changing_movie(void)
{
    movie m = make_movie(8), other = make_movie(8);

    for (size_t i = 0; i < m.count; i++) {
        double share = fmin(fmax((double)i - 1, 0) / 4, 1);

        draw(&other, i, 9, 2.25 * (double)i, -1.5 * (double)i, 900);
        draw(&m, i, 9, 2.25 * (double)i, -1.5 * (double)i, 5);
        for (size_t p = i * PIXELS; p < (i + 1) * PIXELS; p++)
            m.grey[p] = (float)((1 - share) * (double)m.grey[p] + share * (double)other.grey[p]);
    }
    free_movie(&other);
    return m;
}

TEST(keys)
{
    penta_prepare_options o;
    HELD_BY(free_movie) movie m = changing_movie();
    penta_drift drift[MOST];

    run_movie(device_of(state), NULL, &m, 8, drift);
    expect_drifts(&m, drift, 0.1); /* what turns into something else is only so like itself */
    for (size_t i = 0; i < m.count; i++)
        assert_true(drift[i].score >= 0.7);
    penta_prepare_options_init(&o);
    o.key_score = 0; /* always the first */
    run_movie(device_of(state), &o, &m, 8, drift);
    assert_true(drift[3].score < 0.95 && drift[7].score < 0.2);
}

TEST(lost_and_skipped)
{
    static const bool skip[MOST] = {true, false, false, true};
    HELD_BY(free_movie) movie m = make_movie(6);
    penta_drift drift[MOST] = {{.dx = 99}};
    prepare_register *r;
    HELD_BY(close_frames) prepare_frames f;

    for (size_t i = 0; i < m.count; i++)
        draw(&m, i, 9, 1.5 * (double)i - 1.5, 2 - 2 * (double)i, i == 2 ? 900 : 5);
    open_frames(device_of(state), NULL, WIDTH, HEIGHT, 6, &f);
    EXPECT_OK(f.ctx, prepare_register_create(&f.own, &f.shape, &r));
    run_part(&f, r, &m, 0, 6, skip, drift);
    assert_true(drift[0].dx == 99); /* skipped: as it was */
    assert_true(drift[1].dx == 0 && drift[1].score == 1);
    assert_true(drift[2].score < 0.2);
    for (size_t i = 4; i < 6; i++) {
        expect_near(drift[i].dx, 1.5 * (double)i - 1.5, 0.005);
        expect_near(drift[i].dy, 2 - 2 * (double)i, 0.005);
    }
}

TEST(batches_change_nothing)
{
    HELD_BY(free_movie) movie m = changing_movie();
    penta_drift one[MOST], many[MOST];

    run_movie(device_of(state), NULL, &m, 8, many);
    for (size_t batch = 1; batch < 6; batch += 2) {
        run_movie(device_of(state), NULL, &m, batch, one);
        assert_memory_equal(one, many, m.count * sizeof *one);
    }
}

/* After any frame a series goes on in another registration with the same bits, or in the same from a mark. */
TEST(going_on)
{
    static const bool none[MOST];
    HELD_BY(free_movie) movie m = changing_movie();
    penta_drift whole[MOST], parts[MOST];

    run_movie(device_of(state), NULL, &m, 8, whole);
    for (size_t at = 0; at <= m.count; at++) {
        penta_prepare_state saved = {0};
        prepare_register *first, *second;
        HELD_BY(close_frames) prepare_frames f;

        open_frames(device_of(state), NULL, WIDTH, HEIGHT, 8, &f);
        EXPECT_OK(f.ctx, prepare_register_create(&f.own, &f.shape, &first));
        EXPECT_OK(f.ctx, prepare_register_create(&f.own, &f.shape, &second));
        if (at > 0)
            run_part(&f, first, &m, 0, at, none, parts);
        EXPECT_OK(f.ctx, prepare_register_save(first, &saved));
        assert_int_equal(saved.frames, at);
        EXPECT_OK(f.ctx, prepare_register_load(second, &saved));
        prepare_register_mark(second);
        for (int again = 0; again < 2 && at < m.count; again++) {
            run_part(&f, second, &m, at, m.count, none, parts);
            assert_memory_equal(parts, whole, m.count * sizeof *parts);
            memset(parts + at, 0, (m.count - at) * sizeof *parts);
            prepare_register_return(second);
        }
        free(saved.key_image);
        free(saved.last_image);
    }
}

TEST(rewind)
{
    static const bool none[MOST];
    HELD_BY(free_movie) movie m = make_movie(4);
    penta_drift drift[MOST];
    prepare_register *r;
    HELD_BY(close_frames) prepare_frames f;

    for (size_t i = 0; i < m.count; i++)
        draw(&m, i, 26, 3 * (double)i, 0, 5);
    open_frames(device_of(state), NULL, WIDTH, HEIGHT, 2, &f);
    EXPECT_OK(f.ctx, prepare_register_create(&f.own, &f.shape, &r));
    run_part(&f, r, &m, 0, 2, none, drift);
    prepare_register_rewind(r);
    run_part(&f, r, &m, 2, 4, none, drift);
    assert_true(drift[2].dx == 0 && drift[2].score == 1);
    expect_near(drift[3].dx, 3, 0.004);
}

/* A frame without contrast is like none. */
TEST(empty_frames)
{
    HELD_BY(free_movie) movie m = make_movie(2);
    penta_drift drift[MOST];

    draw(&m, 0, 26, 0, 0, 5);
    for (size_t p = 0; p < PIXELS; p++)
        m.grey[PIXELS + p] = 1;
    run_movie(device_of(state), NULL, &m, 2, drift);
    assert_true(drift[1].score < 0);
}

ON_DEVICE;
AS_ON_A_GPU;
