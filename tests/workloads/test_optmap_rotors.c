/* Singularities of the phase and their paths. */
#include "support/test.h"

#include <pentacl/rotors.h>
#include <pentacl/spiral.h>

#include "core/internal.h"
#include "reference/optmap_beats.h"
#include "support/random.h"
#include "workloads/optmap_phases.h"

/* ---- singularities ---- */

typedef struct {
    penta_singularity *list;
    penta_rotor *rotors;
    size_t count, rotor_count;
} found;

/* o: NULL for all there are. */
static found search(penta_context *ctx, const penta_movie_view *m, const penta_rotors_options *o)
{
    penta_rotors_options all = lenient();
    found f;

    EXPECT_OK(ctx, penta_singularities(ctx, m, o ? o : &all, &f.list, &f.count, &f.rotors, &f.rotor_count));
    return f;
}

static void free_found(found *f)
{
    free(f->list);
    free(f->rotors);
}

/* Adds a vortex at (x, y): its phase grows counter-clockwise as seen for charge 1. */
static void add_vortex(const penta_movie_view *m, size_t frame, double x, double y, int charge)
{
    for (size_t v = 0; v < m->height; v++)
        for (size_t u = 0; u < m->width; u++) {
            float *p = at(m, frame, v, u);

            *p = (float)remainder((double)*p + charge * atan2(y - (double)v, (double)u - x), turn);
        }
}

DEVICE_TEST(finds_vortices)
{
    for (int charge = -1; charge <= 1; charge += 2)
        for (double x = 0.5; x < 19; x += 3)
            for (double y = 0.5; y < 12; y += 2) {
                HELD_BY(free_movie) penta_movie_view m = make_movie(1, 13, 20, 1000);
                HELD_BY(free_found) found f;

                add_vortex(&m, 0, x, y, charge);
                f = search(ctx, &m, NULL);
                assert_int_equal(f.count, 1);
                assert_int_equal(f.list[0].charge, charge);
                assert_int_equal(f.list[0].frame, 0);
                expect_near(f.list[0].x, x, 0);
                expect_near(f.list[0].y, y, 0);
            }
}

/* Elsewhere, away from the edges of plaquettes, it is in the plaquette that holds it. */
DEVICE_TEST(finds_pairs)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(50, 31, 44, 1000);
    double places[50][4];
    HELD_BY(free_found) found f;

    random_seed(6);
    for (size_t i = 0; i < 50; i++) {
        double *p = places[i];

        p[0] = 3 + floor(15 * random_uniform());
        p[1] = 3 + floor(24 * random_uniform());
        p[2] = 24 + floor(15 * random_uniform());
        p[3] = 3 + floor(24 * random_uniform());
        for (int k = 0; k < 4; k++)
            p[k] += 0.25 + 0.5 * random_uniform();
        add_vortex(&m, i, p[0], p[1], 1);
        add_vortex(&m, i, p[2], p[3], -1);
    }
    f = search(ctx, &m, NULL);
    assert_int_equal(f.count, 100);
    for (size_t i = 0; i < 100; i++) {
        const penta_singularity *s = &f.list[i];
        const double *p = places[i / 2] + (s->charge > 0 ? 0 : 2);

        assert_int_equal(s->frame, i / 2);
        assert_int_equal(s->charge, i % 2 ? -f.list[i - 1].charge : s->charge);
        assert_true(i % 2 == 0 || s->y >= f.list[i - 1].y);
        expect_near(s->x, floor(p[0]) + 0.5, 1e-9);
        expect_near(s->y, floor(p[1]) + 0.5, 1e-9);
    }
}

DEVICE_TEST(leaves_out_what_is_not_known)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(4, 12, 12, 1000), thin = make_movie(3, 1, 12, 1000);
    found f;

    for (size_t i = 0; i < 4; i++)
        add_vortex(&m, i, 5.3, 6.2, 1);
    *at(&m, 1, 6, 6) = NAN;
    *at(&m, 2, 5, 6) = NAN; /* not a corner of it */
    f = search(ctx, &m, NULL);
    assert_int_equal(f.count, 3);
    assert_int_equal(f.list[1].frame, 2);
    assert_int_equal(f.rotor_count, 1);
    assert_int_equal(f.rotors[0].frames, 3);
    free_found(&f);
    f = search(ctx, &thin, NULL);
    assert_true(f.count == 0 && f.rotor_count == 0 && !f.list && !f.rotors);
}

/* Two of one sign in plaquettes that touch are one, in the middle. */
DEVICE_TEST(merges)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(2, 12, 12, 1000);
    HELD_BY(free_found) found f;

    add_vortex(&m, 0, 4.5, 6.5, 1);
    add_vortex(&m, 0, 5.5, 7.5, 1);
    add_vortex(&m, 1, 4.5, 6.5, 1);
    add_vortex(&m, 1, 6.5, 6.5, 1);
    f = search(ctx, &m, NULL);
    assert_int_equal(f.count, 3);
    expect_near(f.list[0].x, 5, 0);
    expect_near(f.list[0].y, 7, 0);
    expect_near(f.list[1].x, 4.5, 0);
    expect_near(f.list[2].x, 6.5, 0);
}

/* Waves like action potentials that turn about a place that moves, with noise. */
static penta_movie_view make_spiral(size_t frames, size_t side, double noise, double (*tips)[2])
{
    penta_movie_view m = make_movie(frames, side, side, 1000);

    random_seed(8);
    for (size_t i = 0; i < frames; i++) {
        tips[i][0] = 20.2 + 3 * sin(0.02 * (double)i);
        tips[i][1] = 19.7 + 2 * cos(0.03 * (double)i);
        for (size_t y = 0; y < side; y++)
            for (size_t x = 0; x < side; x++) {
                double u = (double)x - tips[i][0], v = (double)y - tips[i][1], r = hypot(u, v);
                double angle = atan2(-v, u) - 0.25 * r + turn * (double)i / 40;

                *at(&m, i, y, x) = (float)(r / (r + 2) * (exp(2 * cos(angle)) - 2.28) + noise * random_normal());
            }
    }
    return m;
}

/* With the defaults one rotor from the first frame to the last, wherever in a turn these are, its tip within 2 px,
 * which the smoothing of so small a core costs. */
DEVICE_TEST(finds_one_rotor)
{
    enum { MOST = 330, SIDE = 41 };
    static const double noises[] = {0, 0.1};
    static double tips[MOST][2];

    for (size_t frames = 290; frames < MOST; frames += 20)
        for (size_t k = 0; k < COUNT(noises); k++) {
            HELD_BY(free_movie)
            penta_movie_view m = make_spiral(frames, SIDE, noises[k], tips),
                             phase = make_movie(frames, SIDE, SIDE, 1000);
            penta_rotors_options o;
            HELD_BY(free_found) found f;

            penta_rotors_options_init(&o);
            EXPECT_OK(ctx, penta_phase(ctx, &m, &o, (float *)phase.data));
            f = search(ctx, &phase, &o);
            print_message("%zu frames, noise %g: %zu rotors, %zu frames, %zu clear\n", frames, noises[k], f.rotor_count,
                          f.rotor_count ? f.rotors[0].frames : 0, f.rotor_count ? f.rotors[0].clear : 0);
            assert_int_equal(f.rotor_count, 1);
            assert_int_equal(f.rotors[0].charge, 1);
            assert_true(f.rotors[0].first <= (k == 0 ? 0 : 2) && f.rotors[0].last + (k == 0 ? 1 : 3) >= frames);
            assert_true(f.count >= (size_t)(0.95 * (double)frames));
            for (size_t i = 0; i < f.count; i++)
                assert_true(hypot(f.list[i].x - tips[f.list[i].frame][0], f.list[i].y - tips[f.list[i].frame][1]) <= 2);
        }
}

/* White noise in space, smoothed over `smooth` frames in time: of such it takes more turns to be told from a rotor. */
DEVICE_TEST(finds_no_rotor_in_noise)
{
    static const size_t smooths[] = {1, 4, 12};
    penta_rotors_options o;

    penta_rotors_options_init(&o);
    random_seed(9);
    for (size_t k = 0; k < COUNT(smooths); k++) {
        HELD_BY(free_movie) penta_movie_view m = make_movie(300, 50, 50, 1000), phase = make_movie(300, 50, 50, 1000);
        found f;

        for (size_t i = 0; i < 300; i++)
            for (size_t p = 0; p < 2500; p++) {
                float value = (float)random_normal();

                for (size_t n = i; n < 300 && n < i + smooths[k]; n++)
                    *at(&m, n, 0, p) += value;
            }
        o.min_turns = k == 0 ? 1 : 2;
        EXPECT_OK(ctx, penta_phase(ctx, &m, &o, (float *)phase.data));
        f = search(ctx, &phase, &o);
        assert_int_equal(f.rotor_count, 0);
        free_found(&f);
        o.min_amplitude = 0;
        EXPECT_OK(ctx, penta_phase(ctx, &m, &o, (float *)phase.data));
        o.min_amplitude = 4;
        f = search(ctx, &phase, NULL);
        print_message("noise over %zu frames: %zu singularities, %zu paths\n", smooths[k], f.count, f.rotor_count);
        assert_true(f.count > 300);
        free_found(&f);
    }
}

/* Clear: 12 pixels about it turn, too, and steadily. */
DEVICE_TEST(tells_what_is_clear)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(5, 12, 12, 1000);
    penta_rotors_options o = lenient();
    found f;

    add_vortex(&m, 0, 5.5, 6.5, 1);
    add_vortex(&m, 1, 5.5, 6.5, -1);
    *at(&m, 1, 8, 7) = NAN; /* a corner of the 12 */
    add_vortex(&m, 2, 5.5, 6.5, 1);
    *at(&m, 2, 9, 7) = NAN;         /* beside them */
    add_vortex(&m, 3, 5.5, 0.5, 1); /* too near to the edge */
    add_vortex(&m, 4, 5.5, 6.5, 1);
    *at(&m, 4, 5, 4) += 1.8F; /* one of the 12: a step of over 2 */
    f = search(ctx, &m, &o);
    assert_int_equal(f.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(f.list[i].clear, i == 0 || i == 2);
    assert_int_equal(f.rotors[0].clear, 2);
    assert_int_equal(f.rotors[0].frames, 3);
    free_found(&f);
    o.min_clear = 0.66;
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 1);
    assert_int_equal(f.count, 3);
    free_found(&f);
    o.min_clear = 0.67;
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 0);
    free_found(&f);
}

/* ---- paths ---- */

/* One goes 1 px a frame to the right, another, of the other sign, down; the first is missing in frames 5 and 6. */
DEVICE_TEST(follows)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(12, 40, 40, 500);
    penta_rotors_options o = lenient();
    found f;

    for (size_t i = 0; i < 12; i++) {
        if (i != 5 && i != 6)
            add_vortex(&m, i, 5.5 + (double)i, 20.5, 1);
        if (i >= 3)
            add_vortex(&m, i, 30.5, 2.5 + 3 * (double)i, -1);
    }
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 2);
    assert_true(f.rotors[0].id == 0 && f.rotors[0].charge == 1 && f.rotors[0].first == 0 && f.rotors[0].last == 11);
    assert_int_equal(f.rotors[0].frames, 10);
    expect_near(f.rotors[0].length, 11, 1e-9);
    assert_true(f.rotors[1].id == 1 && f.rotors[1].charge == -1 && f.rotors[1].first == 3 && f.rotors[1].frames == 9);
    expect_near(f.rotors[1].length, 24, 1e-9);
    for (size_t i = 0; i < f.count; i++)
        assert_int_equal(f.list[i].id, f.list[i].charge < 0);
    free_found(&f);
    o.gap = 1; /* the first begins anew */
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 3);
    assert_true(f.rotors[0].last == 4 && f.rotors[2].first == 7 && f.rotors[2].charge == 1);
    free_found(&f);
    o.reach = 2.9; /* each of the second is new, and so is the first after its gap */
    o.gap = 2;
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 11);
    free_found(&f);
    o.min_life = 10; /* 5 frames */
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 2);
    assert_int_equal(f.count, 10);
    assert_true(f.rotors[1].id == 1 && f.list[9].id == 1);
    o.min_life = 10.1;
    free_found(&f);
    f = search(ctx, &m, &o);
    assert_true(f.rotor_count == 0 && f.count == 0 && !f.list && !f.rotors);
    free_found(&f);
}

/* The nearer of two goes on; the farther takes what is left. */
DEVICE_TEST(takes_the_nearest_first)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(2, 20, 40, 1000);
    penta_rotors_options o = lenient();
    HELD_BY(free_found) found f;

    o.reach = 6;
    add_vortex(&m, 0, 10.5, 9.5, 1);
    add_vortex(&m, 0, 15.5, 9.5, 1);
    add_vortex(&m, 1, 14.5, 9.5, 1); /* 4 from the first, 1 from the second */
    add_vortex(&m, 1, 20.5, 9.5, 1); /* 5 from the second */
    f = search(ctx, &m, &o);
    assert_int_equal(f.count, 4);
    assert_int_equal(f.rotor_count, 3);
    assert_int_equal(f.list[2].id, 1);
    assert_int_equal(f.list[3].id, 2);
}

/* ---- spirals of Barkley's medium before a camera of few counts ---- */

typedef struct {
    size_t side, turn, frames; /* turn: frames */
    double snr;                /* the signal's range over the noise's standard deviation */
    unsigned seed;
} scene;

/* clean: u; noisy: counts, 12 of which are the signal. */
static void film_spiral(penta_context *ctx, const scene *s, const penta_movie_view *clean,
                        const penta_movie_view *noisy)
{
    size_t pixels = s->side * s->side;
    HELD_BY(penta_spiral_held) penta_spiral *spiral = NULL;

    random_seed(s->seed);
    EXPECT_OK(ctx, penta_spiral_create(ctx, s->side, s->side, NULL, &spiral));
    EXPECT_OK(ctx, penta_spiral_advance(spiral, 800));
    for (size_t n = 0; n < s->frames; n++) {
        float *u = (float *)clean->data + n * pixels, *counts = (float *)noisy->data + n * pixels;

        EXPECT_OK(ctx, penta_spiral_advance(spiral, 200 / s->turn));
        EXPECT_OK(ctx, penta_spiral_read(spiral, u, NULL));
        for (size_t p = 0; p < pixels; p++)
            counts[p] = rintf((float)(400 + 12 * ((double)u[p] + random_normal() / s->snr)));
    }
}

/* Share of the clean movie's singularities that there are within 4 px; *others: singularities beside them, a frame;
 * *most: how far they are. */
static double share_found(const found *truth, const found *f, size_t frames, double *others, double *most)
{
    size_t hits = 0;

    *most = 0;
    for (size_t i = 0; i < truth->count; i++)
        for (size_t k = 0; k < f->count; k++) {
            const penta_singularity *a = &truth->list[i], *b = &f->list[k];
            double distance = hypot(a->x - b->x, a->y - b->y);

            if (a->frame != b->frame || a->charge != b->charge || distance > 4)
                continue;
            hits++;
            *most = fmax(*most, distance);
            break;
        }
    *others = (double)(f->count - hits) / (double)frames;
    return (double)hits / (double)truth->count;
}

DEVICE_TEST(finds_spirals_in_noise)
{
    static const scene scenes[] = {
        {64, 20, 120, 2, 11}, {80, 40, 130, 2, 12}, {64, 40, 120, 4, 13}, {56, 20, 90, 16, 14}};

    for (size_t i = 0; i < COUNT(scenes); i++) {
        const scene *s = &scenes[i];
        double rate = 12 * (double)s->turn, others, most, share;
        HELD_BY(free_movie)
        penta_movie_view clean = make_movie(s->frames, s->side, s->side, rate),
                         noisy = make_movie(s->frames, s->side, s->side, rate),
                         phase = make_movie(s->frames, s->side, s->side, rate);
        penta_rotors_options all = lenient(), o;
        HELD_BY(free_found) found truth, f;

        penta_rotors_options_init(&o);
        film_spiral(ctx, s, &clean, &noisy);
        EXPECT_OK(ctx, penta_phase(ctx, &clean, &all, (float *)phase.data));
        truth = search(ctx, &phase, &all);
        EXPECT_OK(ctx, penta_phase(ctx, &noisy, &o, (float *)phase.data));
        f = search(ctx, &phase, &o);
        share = share_found(&truth, &f, s->frames, &others, &most);
        print_message("%zu px, %zu frames a turn, SNR %g: %.4f of %zu, %.3f false a frame, %.2f px at most\n", s->side,
                      s->turn, s->snr, share, truth.count, others, most);
        assert_true(truth.count >= s->frames);
        assert_true(share >= (s->snr >= 4 ? 0.98 : 0.95));
        assert_true(others <= 0.1);
        assert_true(most <= 3);
    }
}

/* What is left out as noise turns to and fro; what turns on and on stays. */
DEVICE_TEST(counts_turns)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(40, 16, 34, 1000);
    penta_rotors_options o = lenient();
    found f;

    for (size_t n = 0; n < 40; n++) {
        add_vortex(&m, n, 8.5, 7.5, 1);
        add_vortex(&m, n, 25.5, 7.5, -1);
        for (size_t y = 0; y < 16; y++)
            for (size_t x = 0; x < 34; x++)
                *at(&m, n, y, x) = (float)remainder(
                    (double)*at(&m, n, y, x) + (x < 17 ? 0.05 * turn * (double)n : sin(0.5 * (double)n)), turn);
    }
    f = search(ctx, &m, &o);
    for (size_t i = 0; i < f.rotor_count; i++)
        if (f.rotors[i].frames == 40)
            expect_near(f.rotors[i].turns, f.rotors[i].charge > 0 ? 0.05 * 39 : sin(19.5) / turn, 1e-3);
    free_found(&f);
    o.min_clear = 0.5; /* not what lies where the two halves meet */
    o.min_turns = 1.9;
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 1);
    assert_int_equal(f.rotors[0].charge, 1);
    assert_int_equal(f.count, 40);
    free_found(&f);
    o.min_turns = 2;
    f = search(ctx, &m, &o);
    assert_int_equal(f.rotor_count, 0);
    free_found(&f);
}

/* ---- blocks and errors ---- */

DEVICE_TEST(has_the_same_bits_in_any_blocks)
{
    HELD_BY(free_movie) penta_movie_view m = make_movie(150, 13, 17, 1000);
    size_t pixels = 13 * 17;
    uint64_t whole = ctx->info.max_allocation;
    float *phase[2], *maps[2];
    penta_rotors_options o = lenient();
    found f[2];

    fill_random(&m);
    for (int i = 0; i < 2; i++) {
        phase[i] = must_calloc(m.frames * pixels, 4);
        maps[i] = must_calloc(2 * pixels, 4);
        EXPECT_OK(ctx, penta_phase(ctx, &m, &o, phase[i]));
        EXPECT_OK(ctx, penta_dominant_frequency(ctx, &m, 0, 0, maps[i], maps[i] + pixels));
        f[i] = search(ctx, &(penta_movie_view){m.frames, m.height, m.width, m.frame_rate_hz, phase[i]}, NULL);
        ctx->info.max_allocation = 150 * 28 * 144;
    }
    ctx->info.max_allocation = whole;
    assert_memory_equal(phase[0], phase[1], m.frames * pixels * 4);
    assert_memory_equal(maps[0], maps[1], 2 * pixels * 4);
    assert_true(f[0].count > 1000);
    assert_int_equal(f[0].count, f[1].count);
    for (size_t i = 0; i < f[0].count; i++) {
        const penta_singularity *a = &f[0].list[i], *b = &f[1].list[i];

        assert_true(a->frame == b->frame && a->charge == b->charge && a->id == b->id && a->clear == b->clear);
        assert_true(memcmp(&a->x, &b->x, sizeof a->x) == 0 && memcmp(&a->y, &b->y, sizeof a->y) == 0);
    }
    for (int i = 0; i < 2; i++) {
        free_found(&f[i]);
        free(phase[i]);
        free(maps[i]);
    }
}

/* A plan gives for movies of any shapes in turn, and after failures, what a run of its own does. */
DEVICE_TEST(serves_again)
{
    static const size_t shapes[][3] = {{60, 7, 11}, {60, 7, 11}, {60, 11, 7}, {61, 7, 11}, {60, 12, 11}, {60, 7, 11}};
    penta_rotors_options o = lenient();
    HELD_BY(penta_phases_held) penta_phases *plan = NULL;

    EXPECT_OK(ctx, penta_phases_create(ctx, &plan));
    for (size_t i = 0; i < COUNT(shapes); i++) {
        HELD_BY(free_movie)
        penta_movie_view m = make_movie(shapes[i][0], shapes[i][1], shapes[i][2], 500 + 10 * (double)i);
        size_t pixels = m.height * m.width, count = m.frames * pixels;
        float *phase[2] = {must_calloc(count, 4), must_calloc(count, 4)};
        float *maps[2] = {must_calloc(2 * pixels, 4), must_calloc(2 * pixels, 4)};

        fill_random(&m);
        *at(&m, 3, 2, i) = 100;
        o.min_amplitude = 0.1 * (double)i;
        EXPECT_OK(ctx, penta_phase(ctx, &m, &o, phase[0]));
        EXPECT_OK(ctx, penta_dominant_frequency(ctx, &m, 5, 200, maps[0], maps[0] + pixels));
        EXPECT_OK(ctx, penta_phases_frequency(plan, &m, 5, 200, maps[1], maps[1] + pixels));
        EXPECT_OK(ctx, penta_phases_run(plan, &m, &o, phase[1]));
        assert_memory_equal(phase[0], phase[1], count * 4);
        assert_memory_equal(maps[0], maps[1], 2 * pixels * 4);
        if (i % 2) {
            m.frame_rate_hz = 0;
            assert_int_equal(penta_phases_run(plan, &m, &o, phase[1]), PENTA_INVALID);
        }
        for (int k = 0; k < 2; k++) {
            free(phase[k]);
            free(maps[k]);
        }
    }
}

DEVICE_TEST(refuses)
{
    penta_movie_view m = make_movie(1, 3, 4, 1000);
    penta_rotors_options o = lenient();
    float out[12];
    found f;

    EXPECT_REFUSED(ctx, penta_phase(ctx, &m, NULL, out), PENTA_INVALID, "one frame");
    assert_int_equal(penta_dominant_frequency(ctx, &m, 0, 0, out, NULL), PENTA_INVALID);
    m.frames = 0;
    assert_int_equal(penta_phase(ctx, &m, NULL, out), PENTA_INVALID);
    assert_int_equal(penta_singularities(ctx, &m, NULL, &f.list, &f.count, &f.rotors, &f.rotor_count), PENTA_INVALID);
    m.frames = 1;
    m.frame_rate_hz = NAN;
    assert_int_equal(penta_singularities(ctx, &m, NULL, &f.list, &f.count, &f.rotors, &f.rotor_count), PENTA_INVALID);
    m.frame_rate_hz = 1;
    o.gap = -1;
    EXPECT_REFUSED(ctx, penta_singularities(ctx, &m, &o, &f.list, &f.count, &f.rotors, &f.rotor_count), PENTA_INVALID,
                   "`gap`");
    free_movie(&m);
    m = make_movie(5, 1, 2, 1000);
    *at(&m, 1, 0, 0) = *at(&m, 4, 0, 1) = NAN;
    EXPECT_REFUSED(ctx, penta_phase(ctx, &m, NULL, out), PENTA_INVALID, "no valid pixel");
    assert_int_equal(penta_dominant_frequency(ctx, &m, 0, 0, out, NULL), PENTA_INVALID);
    free_movie(&m);
}

ON_DEVICE;
AS_ON_A_GPU;
