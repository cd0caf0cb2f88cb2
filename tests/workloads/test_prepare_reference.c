/* The reference of the prepare workload on scenes whose truth is known: what the stages are compared with. */
#include "support/test.h"

#include "reference/prepare.h"
#include "shared/sample_scene.h"
#include "support/random.h"

enum { WIDTH = 200, HEIGHT = 150, COUNT = WIDTH * HEIGHT };

static const sample_scene scene = {.width = WIDTH,
                                   .height = HEIGHT,
                                   .seed = 3,
                                   .r0 = 16,
                                   .drift = 6,
                                   .illumination = 4,
                                   .shape = SAMPLE_LINEAR,
                                   .dust = 0.02,
                                   .snr = 10};

/* ---- a frame through the reference ---- */

typedef struct {
    double grey[COUNT], ratio[COUNT], light[COUNT], seen[COUNT];
    uint8_t usable[COUNT], mask[COUNT], seen_mask[COUNT];
    double b[10 * 13], level;
    reference_nodes nodes;
} frame;

static void background(frame *f, const uint8_t *mask)
{
    reference_nodes_free(&f->nodes);
    reference_prepare_nodes(f->grey, mask, WIDTH, HEIGHT, &f->nodes);
    reference_prepare_fit(&f->nodes, WIDTH, HEIGHT, 4, 19, f->b);
    f->level = reference_prepare_level(&f->nodes, WIDTH, HEIGHT, f->b);
    for (size_t i = 0; i < COUNT; i++) {
        double at = reference_prepare_background_at(&f->nodes, f->b, (double)(i % WIDTH), (double)(i / WIDTH));

        f->ratio[i] = f->grey[i] / at;
        f->light[i] = at / f->level;
    }
}

static void make(const sample_scene *s, int index, frame *f)
{
    HELD float *light = must_calloc(COUNT, sizeof *light), *through = must_calloc(COUNT, sizeof *through);
    HELD float *picture = must_calloc(COUNT, sizeof *picture);
    HELD uint8_t *clean = must_calloc(COUNT, 1);
    sample_place place = sample_scene_place(s, index);

    sample_scene_light(s, light);
    sample_scene_dust(s, through, clean);
    sample_scene_pattern(s, &place, picture);
    sample_scene_expose(s, index, light, through, picture);
    for (size_t i = 0; i < COUNT; i++)
        f->grey[i] = (double)picture[i];
    memset(f->usable, 1, COUNT);
    memset(f->mask, 1, COUNT);
    background(f, f->usable);
    for (int round = 0; round < 2; round++) {
        reference_prepare_dust(f->grey, f->ratio, f->light, f->usable, WIDTH, HEIGHT, NULL, 5, 16, 2, f->mask);
        background(f, f->mask);
    }
    reference_prepare_see(f->grey, f->mask, WIDTH, HEIGHT, f->seen, f->seen_mask);
}

static void unmake(frame *f)
{
    reference_nodes_free(&f->nodes);
    free(f);
}

TEST(drift_is_found)
{
    frame *first = must_calloc(1, sizeof *first), *other = must_calloc(1, sizeof *other);

    make(&scene, 0, first);
    for (int i = 1; i < 3; i++) {
        sample_place truth = sample_scene_place(&scene, i);
        penta_drift d;

        make(&scene, i, other);
        d = reference_prepare_shift(first->seen, first->seen_mask, other->seen, other->seen_mask, WIDTH, HEIGHT, 7, 7);
        print_message("truth %.2f %.2f, off by %.4f %.4f, score %.3f\n", truth.dx, truth.dy, d.dx - truth.dx,
                      d.dy - truth.dy, d.score);
        expect_near(d.dx, truth.dx, 0.03); /* of 200 x 150: a frame of 750 x 1500 is 6 times better */
        expect_near(d.dy, truth.dy, 0.03);
        assert_true(d.score > 0.9);
    }
    unmake(first);
    unmake(other);
}

/* B against the light that fell on it, in units of their means. */
TEST(background_is_the_light)
{
    frame *f = must_calloc(1, sizeof *f);
    float *light = must_calloc(COUNT, sizeof *light);
    double mean = 0, sum = 0, square = 0;

    make(&scene, 0, f);
    sample_scene_light(&scene, light);
    for (size_t i = 0; i < COUNT; i++)
        mean += (double)light[i] / COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        double r = f->light[i] / ((double)light[i] / mean);

        sum += r / COUNT;
        square += r * r / COUNT;
    }
    print_message("B / L: mean %.4f, standard deviation %.4f\n", sum, sqrt(square - sum * sum));
    expect_near(sum, 1, 0.02);
    assert_true(sqrt(square - sum * sum) < 0.05);
    free(light);
    unmake(f);
}

TEST(dust_is_found)
{
    frame *f = must_calloc(1, sizeof *f);
    float *through = must_calloc(COUNT, sizeof *through);
    uint8_t *clean = must_calloc(COUNT, 1);
    size_t dust = 0, missed = 0, found = 0;
    sample_scene wide = scene;

    wide.r0 = 30; /* rings much wider than dust: in narrow ones it is as dark as the pattern's own troughs */
    make(&wide, 0, f);
    sample_scene_dust(&wide, through, clean);
    for (size_t i = 0; i < COUNT; i++) {
        dust += !clean[i];
        missed += !clean[i] && f->mask[i];
        found += !f->mask[i];
    }
    print_message("%zu px of dust, %zu found, %zu missed\n", dust, found, missed);
    assert_true(missed < dust / 2);
    assert_true(found < 3 * dust);
    free(through);
    free(clean);
    unmake(f);
}

/* ---- properties ---- */

TEST(polynomial_is_reproduced)
{
    double *grey = must_calloc(COUNT, sizeof *grey), b[10 * 13];
    HELD uint8_t *mask = must_calloc(COUNT, 1);
    HELD_BY(reference_nodes_free) reference_nodes n;

    memset(mask, 1, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double u = (double)(i % WIDTH) / WIDTH, v = (double)(i / WIDTH) / HEIGHT;

        grey[i] = 100 * (1 + u + 0.5 * v - 0.7 * u * v);
    }
    reference_prepare_nodes(grey, mask, WIDTH, HEIGHT, &n);
    for (int k = 0; k < 2; k++) { /* without and with the Gaussian */
        reference_prepare_fit(&n, WIDTH, HEIGHT, 2, k ? 20 : 0, b);
        for (size_t y = 0; y < HEIGHT; y += 7)
            for (size_t x = 0; x < WIDTH; x += 7)
                expect_near(reference_prepare_background_at(&n, b, (double)x, (double)y), grey[y * WIDTH + x], 0.05);
    }
    free(grey);
}

/* Moved there and back by the drift is as it was; whole pixels and no drift change nothing at all. */
TEST(resample)
{
    enum { N = 24 };
    double image[N * N], out[N * N];
    uint8_t mask[N * N], moved[N * N];
    penta_drift d = {.dx = 3, .dy = -2};

    random_seed(5);
    for (size_t i = 0; i < N * N; i++)
        image[i] = random_uniform();
    memset(mask, 1, sizeof mask);
    for (int interpolation = 0; interpolation < 3; interpolation++) {
        reference_prepare_resample(image, mask, N, N, d, interpolation, out, moved);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                bool inside = x + 3 < N && y >= 2;

                assert_int_equal(moved[y * N + x], inside);
                if (inside)
                    expect_near(out[y * N + x], image[(y - 2) * N + x + 3], 1e-15);
            }
        reference_prepare_resample(image, mask, N, N, (penta_drift){0}, interpolation, out, moved);
        assert_memory_equal(moved, mask, sizeof mask);
        assert_memory_equal(out, image, sizeof out);
    }
    for (size_t i = 0; i < N * N; i++) /* a quarter turn about the centre */
        image[i] = (double)(i % N);
    reference_prepare_resample(image, mask, N, N, (penta_drift){.angle = 90}, PENTA_PREPARE_LINEAR, out, moved);
    for (size_t i = 0; i < N * N; i++)
        if (moved[i])
            expect_near(out[i], (double)(N - 1 - i / N), 1e-9);
}

TEST(percentile)
{
    const double v[] = {4, 1, 3, 2, 100};
    const uint8_t mask[] = {1, 1, 1, 1, 0};

    expect_near(reference_prepare_percentile(v, mask, 5, 50), 2.5, 1e-15);
    expect_near(reference_prepare_percentile(v, mask, 5, 0), 1, 1e-15);
    expect_near(reference_prepare_percentile(v, mask, 5, 100), 4, 1e-15);
    expect_near(reference_prepare_percentile(v, NULL, 5, 50), 3, 1e-15);
}

/* A line with one jump in it stays a line; what was not measured lies on it too. */
TEST(smooth)
{
    penta_drift d[20];

    for (int i = 0; i < 20; i++)
        d[i] = (penta_drift){.dx = 0.5 * i, .dy = 2 - 0.1 * i, .score = 1};
    d[7].dx += 10;
    d[12] = (penta_drift){.dx = -99, .dy = 99, .score = NAN};
    reference_prepare_smooth(20, d, 5);
    for (int i = 0; i < 20; i++) {
        expect_near(d[i].dx, 0.5 * i, 0.02);
        expect_near(d[i].dy, -0.1 * i, 0.02);
        assert_true(d[i].angle == 0);
    }
}

/* A light disc of 3 px on grey is filled with grey from beside it. */
TEST(copy)
{
    enum { N = 40 };
    double image[N * N];
    uint8_t mask[N * N];
    size_t dust = 0;

    for (int i = 0; i < N * N; i++) {
        int x = i % N - 20, y = i / N - 20;

        mask[i] = x * x + y * y > 9;
        image[i] = mask[i] ? 7 : 200;
        dust += !mask[i];
    }
    assert_int_equal(reference_prepare_copy(image, mask, N, N, 16), dust);
    for (int i = 0; i < N * N; i++) {
        assert_true(image[i] == 7);
        assert_int_equal(mask[i], 1);
    }
    memset(mask, 0, sizeof mask);
    assert_int_equal(reference_prepare_copy(image, mask, N, N, 16), 0);
}

/* A hole in a plane is drawn as the plane, but in a corner of the frame, where no line has two ends. */
TEST(fill)
{
    enum { N = 40 };
    double image[N * N], plane[N * N];
    uint8_t mask[N * N];
    size_t filled;

    for (int i = 0; i < N * N; i++) {
        int x = i % N - 20, y = i / N - 20;

        mask[i] = x * x + y * y > 30 && i > 0;
        plane[i] = 3 * x - 2 * y + 7;
        image[i] = mask[i] ? plane[i] : 200;
    }
    filled = reference_prepare_fill(image, mask, N, N, 20);
    assert_int_equal(mask[0], 0);
    for (int i = 1; i < N * N; i++) {
        assert_int_equal(mask[i], 1);
        expect_near(image[i], plane[i], 1e-12);
    }
    assert_int_equal(filled, 97); /* points of the lattice in that disc */
}
