/*
 * Devices without double precision: `pixel`, `star` and `tile` within 1e-5 of the brightest pixel beside the host's
 * engine in double, and each star's image within 1e-5 of its own peak; `fixed` and the detector with the same bits.
 */
#include "support/test.h"

#include "support/detector_run.h"
#include "support/random.h"
#include "support/stars_run.h"

#define MOST_ERROR 1e-5

static penta_context *without_double(void **state)
{
    penta_context *ctx = device_of(state);

    penta_context_without_double(ctx);
    return ctx;
}

/* What is drawn. */
typedef struct {
    int psf;
    double sigma, sigma_y, angle;
    int roi, quadrature;
    double speed; /* px, at most; 0: at rest */
} look;

static const look looks[] = {
    {PENTA_STARS_SAMPLED, 1.2, 0, 0, 10, 0, 0},      {PENTA_STARS_SAMPLED, 0.3, 0.5, 0, 7, 0, 0},
    {PENTA_STARS_SAMPLED, 1.5, 0.4, 27, 12, 0, 0},   {PENTA_STARS_SAMPLED, 40, 0, 0, 64, 0, 0},
    {PENTA_STARS_INTEGRATED, 0.05, 0, 0, 3, 0, 0},   {PENTA_STARS_INTEGRATED, 0.34, 0.37, 0, 6, 0, 0},
    {PENTA_STARS_INTEGRATED, 1.2, 0, 0, 10, 0, 0},   {PENTA_STARS_INTEGRATED, 900, 0, 0, 20, 0, 0},
    {PENTA_STARS_INTEGRATED, 0.7, 1.6, 60, 9, 3, 0}, {PENTA_STARS_MOFFAT, 1.2, 0, 0, 16, 0, 0},
    {PENTA_STARS_MOFFAT, 0.2, 0.6, 33, 9, 4, 0},     {PENTA_STARS_IMAGE, 1, 0, 15, 12, 0, 0},
    {PENTA_STARS_SAMPLED, 1.2, 0, 0, 20, 0, 0.01},   {PENTA_STARS_SAMPLED, 0.3, 0, 0, 30, 0, 25},
    {PENTA_STARS_SAMPLED, 1.2, 0, 0, 64, 0, 1000},   {PENTA_STARS_INTEGRATED, 0.8, 0, 0, 12, 2, 6},
};
enum { LOOKS = sizeof looks / sizeof *looks, SAMPLES = 61 };

static penta_stars_options options_of(const look *l, int engine, int precision)
{
    penta_stars_options o = stars_options(engine);

    o.psf = l->psf;
    o.sigma = l->sigma;
    o.sigma_y = l->psf == PENTA_STARS_IMAGE || l->speed > 0 ? 0 : l->sigma_y;
    o.angle = l->angle;
    o.roi = l->roi;
    o.quadrature = l->quadrature;
    o.precision = precision;
    return o;
}

/* Six samples a pixel of a lopsided blot with a ripple. */
static void set_image(penta_context *ctx, penta_stars *plan)
{
    double samples[SAMPLES * SAMPLES];

    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        double x = (i % SAMPLES - 28) / 9.0, y = (i / SAMPLES - 33) / 7.0;

        samples[i] = exp(-x * x - y * y - 0.3 * x * y) * (1.2 + sin(0.9 * i));
    }
    EXPECT_OK(ctx, penta_stars_set_psf(plan, SAMPLES, SAMPLES, 6, samples));
}

typedef struct {
    stars_scene stars;
    double *mx, *my;
    size_t width, height;
} scene;

static void free_scene(scene *s)
{
    stars_scene_free(&s->stars);
    free(s->mx);
    free(s->my);
}

/* To be freed. bytes: of the image as the plan writes it. */
static void *draw(penta_context *ctx, const look *l, int engine, int precision, const scene *s, size_t *bytes)
{
    penta_stars_options o = options_of(l, engine, precision);
    penta_stars_list list = stars_scene_list(&s->stars);
    size_t size = precision == PENTA_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    HELD_BY(penta_stars_held) penta_stars *plan = NULL;
    penta_stars_result result = {0};

    *bytes = s->width * s->height * size;
    result.image = must_calloc(s->width * s->height, size);
    list.motion_x = l->speed > 0 ? s->mx : NULL;
    list.motion_y = l->speed > 0 ? s->my : NULL;
    EXPECT_OK(ctx, penta_stars_create(ctx, s->width, s->height, &o, &plan));
    if (l->psf == PENTA_STARS_IMAGE)
        set_image(ctx, plan);
    EXPECT_OK(ctx, penta_stars_run(plan, &list, &result));
    return result.image;
}

/* Largest error in the columns and rows [x0, x1) x [y0, y1), over the largest value wanted there. */
static double worst(const float *got, const double *want, size_t width, size_t x0, size_t x1, size_t y0, size_t y1)
{
    double most = 0, error = 0;

    for (size_t y = y0; y < y1; y++)
        for (size_t x = x0; x < x1; x++) {
            size_t i = y * width + x;

            most = fmax(most, fabs(want[i]));
            error = fmax(error, isfinite(got[i]) ? fabs((double)got[i] - want[i]) : INFINITY);
        }
    return most > 1e-30 ? error / most : error > 1e-30 ? INFINITY : 0; /* less than a float's range is nothing */
}

/* ---- frames ---- */

static scene scene_of(size_t n, size_t width, size_t height, double speed, unsigned seed)
{
    scene s = {stars_scene_random(n, width, height, seed), must_calloc(n, sizeof(double)),
               must_calloc(n, sizeof(double)), width, height};

    for (size_t i = 0; i < n; i++) {
        s.mx[i] = (2 * random_uniform() - 1) * speed;
        s.my[i] = i % 5 == 0 ? 0 : (2 * random_uniform() - 1) * speed;
        if (i % 17 == 0)
            s.mx[i] = s.my[i] = 0;
        if (i % 40 == 3 && speed > 100)
            s.mx[i] = 1e30;
    }
    return s;
}

TEST(frames)
{
    penta_context *ctx = without_double(state);

    for (size_t k = 0; k < LOOKS; k++) {
        HELD_BY(free_scene) scene s = scene_of(300, 150, 131, looks[k].speed, (unsigned)k + 1);
        double most = 0, *want;
        size_t bytes;

        want = draw(ctx, &looks[k], PENTA_STARS_SERIAL, PENTA_PRECISION_DOUBLE, &s, &bytes);
        for (int engine = PENTA_STARS_PIXEL; engine <= PENTA_STARS_TILE; engine++) {
            HELD float *got = draw(ctx, &looks[k], engine, PENTA_PRECISION_SINGLE, &s, &bytes);
            double error = worst(got, want, s.width, 0, s.width, 0, s.height);

            if (!(error <= MOST_ERROR))
                fail_msg("look %zu, engine %s: off by %g of the brightest pixel", k, stars_engine_name(engine), error);
            most = fmax(most, error);
        }
        print_message("look %zu: off by %.2g of the brightest pixel\n", k, most);
        free(want);
    }
}

/* ---- stars alone ---- */

enum { SPACING = 100, ALONE = 300, WIDE = SPACING * ALONE + 10, HIGH = 70 };

/* One star each SPACING columns, of magnitudes 0 to 30, as far as x = 30000; the first and the last beside corners. */
static scene stars_alone(double speed)
{
    scene s = scene_of(ALONE, WIDE, HIGH, speed, 77);

    for (size_t i = 0; i < ALONE; i++) {
        s.stars.x[i] = (double)(SPACING * (i + 1)) + (double)i / 299 - 0.5;
        s.stars.y[i] = 35 + 0.37 * (double)(i % 3) - 0.5;
        s.stars.m[i] = (double)(i * 7 % 31);
    }
    s.stars.x[0] = 0.25;
    s.stars.y[0] = -0.75;
    s.stars.x[ALONE - 1] = 30000.123456;
    s.stars.y[ALONE - 2] = HIGH - 0.123456;
    return s;
}

TEST(each_star)
{
    penta_context *ctx = without_double(state);

    for (size_t k = 0; k < LOOKS; k++) {
        HELD_BY(free_scene) scene s = stars_alone(looks[k].speed);
        double most = 0, *want;
        size_t bytes;
        HELD float *got = NULL;

        want = draw(ctx, &looks[k], PENTA_STARS_SERIAL, PENTA_PRECISION_DOUBLE, &s, &bytes);
        got = draw(ctx, &looks[k], k % 2 ? PENTA_STARS_STAR : PENTA_STARS_TILE, PENTA_PRECISION_SINGLE, &s, &bytes);
        for (size_t i = 0; i < ALONE; i++) {
            size_t x = (size_t)s.stars.x[i];
            double error = worst(got, want, WIDE, x > 40 ? x - 40 : 0, x + 40 < WIDE ? x + 40 : WIDE, 0, HIGH);

            if (!(error <= MOST_ERROR))
                fail_msg("look %zu, star %zu at (%.17g, %.17g): off by %g of its peak", k, i, s.stars.x[i],
                         s.stars.y[i], error);
            most = fmax(most, error);
        }
        print_message("look %zu: stars off by %.2g of their peaks\n", k, most);
        free(want);
    }
}

/* ---- crowds ---- */

/* Most stars in a corner of the frame, so that tiles are drawn in pieces and `star` hands over to `tile`. */
TEST(crowds)
{
    penta_context *ctx = without_double(state);
    HELD_BY(free_scene) scene s = scene_of(150000, 300, 201, 0, 5);
    HELD double *want = NULL;
    size_t bytes;

    for (size_t i = 0; i < s.stars.n; i++)
        if (i % 10) {
            s.stars.x[i] = fmod(s.stars.x[i], 20) + 250;
            s.stars.y[i] = fmod(s.stars.y[i], 20) + 90;
        }
    want = draw(ctx, &looks[0], PENTA_STARS_SERIAL, PENTA_PRECISION_DOUBLE, &s, &bytes);
    for (int engine = PENTA_STARS_STAR; engine <= PENTA_STARS_TILE; engine++) {
        HELD float *got = draw(ctx, &looks[0], engine, PENTA_PRECISION_SINGLE, &s, &bytes);
        double all = worst(got, want, s.width, 0, s.width, 0, s.height);
        double rest = worst(got, want, s.width, 0, 200, 0, s.height);

        print_message("%s: off by %.2g of the brightest pixel, %.2g beside the crowd\n", stars_engine_name(engine), all,
                      rest);
        assert_true(all <= MOST_ERROR && rest <= MOST_ERROR);
    }
}

/* ---- the same bits ---- */

DEVICE_TEST_IN(AS_IT_IS, fixed_has_the_same_bits)
{
    void *with[2 * LOOKS] = {NULL};
    bool had = penta_context_device(ctx)->fp64;
    size_t bytes;

    for (size_t k = 0; k < 4 * LOOKS; k++) {
        const look *l = &looks[k / 2 % LOOKS];
        scene s = scene_of(200, 90, 71, l->speed, (unsigned)(k % (2 * LOOKS)));
        int precision = k % 2 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
        void *image;

        if (k == 2 * LOOKS)
            penta_context_without_double(ctx);
        image = draw(ctx, l, PENTA_STARS_FIXED, precision, &s, &bytes);
        free_scene(&s);
        if (k < 2 * LOOKS) {
            with[k] = image;
            continue;
        }
        if (memcmp(image, with[k - 2 * LOOKS], bytes) != 0)
            fail_msg("look %zu, precision %d: other bits than with double precision", k / 2 % LOOKS, precision);
        free(image);
        free(with[k - 2 * LOOKS]);
    }
    if (!had)
        leave_out("this device has no double precision to compare with");
}

DEVICE_TEST_IN(AS_IT_IS, detector_has_the_same_bits)
{
    enum { WIDTH = 301, HEIGHT = 97, COUNT = WIDTH * HEIGHT };
    penta_detector_options o = detector_defaults();
    HELD double *photons = must_calloc(COUNT, sizeof *photons);
    float *dn[2] = {must_calloc(COUNT, sizeof(float)), must_calloc(COUNT, sizeof(float))};
    uint8_t *full[2] = {must_calloc(COUNT, 1), must_calloc(COUNT, 1)};

    random_seed(12);
    for (size_t i = 0; i < COUNT; i++)
        photons[i] = exp(14 * random_uniform() - 2);
    o.read_noise = 4;
    o.sky = 0.5;
    o.hot_fraction = 0.05;
    o.hot_rate = 300;
    o.vignetting = 0.3;
    o.full_well = 60000;
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            penta_context_without_double(ctx);
        expose(ctx, &o, WIDTH, HEIGHT, 6, photons, dn[k], full[k]);
    }
    assert_memory_equal(dn[0], dn[1], COUNT * sizeof(float));
    assert_memory_equal(full[0], full[1], COUNT);
    for (int k = 0; k < 2; k++) {
        free(dn[k]);
        free(full[k]);
    }
}

/* ---- what is refused ---- */

TEST(double_is_refused)
{
    penta_context *ctx = without_double(state);

    for (int engine = PENTA_STARS_AUTO; engine <= PENTA_STARS_FIXED; engine++) {
        penta_stars_options o = options_of(&looks[0], engine, PENTA_PRECISION_DOUBLE);
        bool drawn_on_host =
            engine == PENTA_STARS_SERIAL || engine == PENTA_STARS_THREADS || engine == PENTA_STARS_FIXED;
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        penta_status status = penta_stars_create(ctx, 20, 20, &o, &plan);

        assert_int_equal(status, drawn_on_host ? PENTA_OK : PENTA_UNSUPPORTED);
        if (!drawn_on_host)
            assert_non_null(strstr(penta_last_error(ctx), "use `precision` single"));
    }
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
