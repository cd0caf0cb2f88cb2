/* The background on nodes beside the formulas: by frame, and of a series. */
#include "support/test.h"

#include "reference/prepare.h"
#include "support/random.h"

#include "prepare/stages.h"

typedef struct {
    prepare_settings settings;
    prepare_shape shape;
    penta_resources own;
    prepare_batch batch;
    prepare_background *background;
} fixture;

typedef struct {
    float *grey;
    uint8_t *mask;
} scene;

static void open_fixture(penta_context *ctx, size_t width, size_t height, int flatten, int degree, double sigma,
                         size_t batch, fixture *f)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    o.flatten = flatten;
    o.flatten_degree = degree;
    o.flatten_sigma = sigma;
    *f = (fixture){.own = {.ctx = ctx}};
    EXPECT_OK(ctx, prepare_settings_make(ctx, width, height, 1, PENTA_F32, &o, &f->settings));
    f->shape = (prepare_shape){.in_width = width,
                               .in_height = height,
                               .channels = 1,
                               .type = PENTA_F32,
                               .width = width,
                               .height = height,
                               .nodes_x = (width + PREPARE_NODE - 1) / PREPARE_NODE,
                               .nodes_y = (height + PREPARE_NODE - 1) / PREPARE_NODE,
                               .batch = batch,
                               .settings = &f->settings};
    EXPECT_OK(ctx, prepare_batch_create(&f->own, &f->shape, &f->batch));
    EXPECT_OK(ctx, prepare_background_create(&f->own, &f->shape, &f->background));
}

static void close_fixture(fixture *f)
{
    penta_resources_release(&f->own);
}

/* Light 4:1 across a frame that drifts with `phase`, detail, dust discs left out, and a piece where nothing counts. */
static scene make_scene(size_t width, size_t height, double phase)
{
    scene s = {must_calloc(width * height, sizeof *s.grey), must_calloc(width * height, 1)};

    for (size_t i = 0; i < width * height; i++) {
        double u = (double)(i % width) / (double)width, v = (double)(i / width) / (double)height;
        double light = 1 - 0.6 * (u - 0.5 + phase) + 0.3 * v * v;

        s.grey[i] = (float)(100 * light * (1 + 0.28 * sin(0.9 * (double)(i % width) + 3 * v) + 0.03 * random_normal()));
        s.mask[i] = random_uniform() > 0.02;
        if (u > 0.3 && u < 0.7 && v > 0.2 && v < 0.6)
            s.mask[i] = 0;
    }
    return s;
}

static void free_scene(scene *s)
{
    free(s->grey);
    free(s->mask);
}

static void put_scene(penta_context *ctx, fixture *f, size_t at, const scene *s)
{
    size_t pixels = f->shape.width * f->shape.height;

    EXPECT_OK(ctx,
              penta_buffer_write(&f->batch.grey, at * pixels * sizeof *s->grey, s->grey, pixels * sizeof *s->grey));
    EXPECT_OK(ctx, penta_buffer_write(&f->batch.mask, at * pixels, s->mask, pixels));
}

/* B of a frame of the batch, to free, and its level. */
static float *background_of(penta_context *ctx, fixture *f, size_t at, float *level)
{
    size_t nodes = f->shape.nodes_x * f->shape.nodes_y;
    float *b = must_calloc(nodes, sizeof *b);

    EXPECT_OK(ctx, penta_buffer_read(&f->batch.background, at * nodes * sizeof *b, b, nodes * sizeof *b));
    EXPECT_OK(ctx, penta_buffer_read(&f->batch.level, at * sizeof *level, level, sizeof *level));
    return b;
}

static reference_nodes nodes_of(const fixture *f, const scene *s)
{
    size_t pixels = f->shape.width * f->shape.height;
    HELD double *grey = must_calloc(pixels, sizeof *grey);
    reference_nodes n;

    for (size_t i = 0; i < pixels; i++)
        grey[i] = (double)s->grey[i];
    reference_prepare_nodes(grey, s->mask, f->shape.width, f->shape.height, &n);
    return n;
}

static double sigma_of(const fixture *f)
{
    return f->settings.o.flatten == PENTA_PREPARE_POLY ? 0 : f->settings.sigma;
}

/* Blocks have float means, of at most 256 pixels: the fits take that to some 1e-5 where they reach beyond nodes. */
static void expect_background(penta_context *ctx, fixture *f, size_t at, const scene *s)
{
    HELD_BY(reference_nodes_free) reference_nodes n = nodes_of(f, s);
    double *want = must_calloc(n.nx * n.ny, sizeof *want), level_wanted;
    float level, *got = background_of(ctx, f, at, &level);

    reference_prepare_fit(&n, f->shape.width, f->shape.height, f->settings.o.flatten_degree, sigma_of(f), want);
    level_wanted = reference_prepare_level(&n, f->shape.width, f->shape.height, want);
    for (size_t k = 0; k < n.nx * n.ny; k++)
        expect_near((double)got[k], want[k], 2e-5 * want[k]);
    expect_near((double)level, level_wanted, 1e-5 * level_wanted);
    free(want);
    free(got);
}

static void check(penta_context *ctx, size_t width, size_t height, int flatten, int degree, double sigma)
{
    fixture f;
    scene s[2] = {make_scene(width, height, 0), make_scene(width, height, 0.1)};

    open_fixture(ctx, width, height, flatten, degree, sigma, 2, &f);
    put_scene(ctx, &f, 0, &s[0]);
    put_scene(ctx, &f, 1, &s[1]);
    f.batch.count = 2;
    EXPECT_OK(ctx, prepare_background_run(f.background, &f.batch));
    expect_background(ctx, &f, 0, &s[0]);
    expect_background(ctx, &f, 1, &s[1]);
    close_fixture(&f);
    free_scene(&s[0]);
    free_scene(&s[1]);
}

DEVICE_TEST(gaussian)
{
    random_seed(1);
    check(ctx, 61, 47, PENTA_PREPARE_GAUSSIAN, 4, 0);
    check(ctx, 129, 70, PENTA_PREPARE_GAUSSIAN, 4, 0);
    check(ctx, 129, 70, PENTA_PREPARE_GAUSSIAN, 0, 40);
    check(ctx, 300, 257, PENTA_PREPARE_OVERLAY, 2, 0);
    check(ctx, 300, 257, PENTA_PREPARE_FLATTEN_NONE, 4, 0);
    check(ctx, 300, 257, PENTA_PREPARE_GAUSSIAN, -1, 0);
}

DEVICE_TEST(large_frames)
{
    random_seed(2);
    check(ctx, 750, 1500, PENTA_PREPARE_GAUSSIAN, 4, 0);
}

DEVICE_TEST(polynomials)
{
    random_seed(3);
    for (int degree = 0; degree <= 8; degree += 2)
        check(ctx, 300, 257, PENTA_PREPARE_POLY, degree, 0);
    check(ctx, 129, 70, PENTA_PREPARE_POLY, 3, 0);
}

/* A polynomial is found again although pieces are far off it. */
DEVICE_TEST(outliers_do_not_pull)
{
    enum { W = 320, H = 240 };
    HELD_BY(close_fixture) fixture f;
    HELD_BY(free_scene) scene s = make_scene(W, H, 0);
    float level, *got;

    for (size_t i = 0; i < W * H; i++) {
        double u = (double)(i % W) / W, v = (double)(i / W) / H;

        s.mask[i] = 1;
        s.grey[i] = (float)(100 + 40 * u - 30 * u * v);
        if ((i % W / 16) % 7 == 3 && (i / W / 16) % 5 == 1)
            s.grey[i] *= 0.2F;
    }
    open_fixture(ctx, W, H, PENTA_PREPARE_POLY, 2, 0, 1, &f);
    put_scene(ctx, &f, 0, &s);
    f.batch.count = 1;
    EXPECT_OK(ctx, prepare_background_run(f.background, &f.batch));
    got = background_of(ctx, &f, 0, &level);
    for (size_t k = 0; k < W / 16 * H / 16; k++) {
        double u = (16 * (double)(k % (W / 16)) + 7.5) / W, v = (16 * (double)(k / (W / 16)) + 7.5) / H;

        expect_near((double)got[k], 100 + 40 * u - 30 * u * v, 0.05);
    }
    free(got);
}

/* Fewer nodes than the polynomial has terms: a lower degree, at last a constant. */
DEVICE_TEST(few_nodes)
{
    static const size_t sizes[][2] = {{16, 16}, {17, 16}, {16, 100}, {33, 33}};

    random_seed(4);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        check(ctx, sizes[i][0], sizes[i][1], PENTA_PREPARE_GAUSSIAN, 0, 0);
        check(ctx, sizes[i][0], sizes[i][1], PENTA_PREPARE_POLY, 4, 0);
    }
}

/* Nothing counts, or nothing but black: B is positive and finite. */
DEVICE_TEST(frames_without_light)
{
    HELD_BY(close_fixture) fixture f;
    scene s[2] = {make_scene(129, 70, 0), make_scene(129, 70, 0)};
    size_t pixels = 129 * 70;

    memset(s[0].mask, 0, pixels);
    memset(s[1].grey, 0, pixels * sizeof *s[1].grey);
    open_fixture(ctx, 129, 70, PENTA_PREPARE_GAUSSIAN, 4, 0, 2, &f);
    put_scene(ctx, &f, 0, &s[0]);
    put_scene(ctx, &f, 1, &s[1]);
    f.batch.count = 2;
    EXPECT_OK(ctx, prepare_background_run(f.background, &f.batch));
    for (size_t i = 0; i < 2; i++) {
        float level, *b = background_of(ctx, &f, i, &level);

        for (size_t k = 0; k < f.shape.nodes_x * f.shape.nodes_y; k++)
            assert_true(b[k] > 0 && isfinite(b[k]));
        assert_true(level > 0 && isfinite(level));
        free(b);
        free_scene(&s[i]);
    }
}

/* A frame's background is the same bits wherever it is in a batch. */
DEVICE_TEST(batches_change_nothing)
{
    HELD_BY(close_fixture) fixture f;
    scene s[3];
    float *alone, *among, level[2];

    random_seed(5);
    open_fixture(ctx, 129, 70, PENTA_PREPARE_GAUSSIAN, 4, 0, 3, &f);
    for (int i = 0; i < 3; i++) {
        s[i] = make_scene(129, 70, 0.1 * i);
        put_scene(ctx, &f, (size_t)i, &s[i]);
    }
    f.batch.count = 3;
    EXPECT_OK(ctx, prepare_background_run(f.background, &f.batch));
    among = background_of(ctx, &f, 2, &level[0]);
    put_scene(ctx, &f, 0, &s[2]);
    f.batch.count = 1;
    EXPECT_OK(ctx, prepare_background_run(f.background, &f.batch));
    alone = background_of(ctx, &f, 0, &level[1]);
    assert_memory_equal(alone, among, f.shape.nodes_x * f.shape.nodes_y * sizeof *alone);
    assert_memory_equal(&level[0], &level[1], sizeof level[0]);
    free(alone);
    free(among);
    for (int i = 0; i < 3; i++)
        free_scene(&s[i]);
}

/* ---- series ---- */

enum { W = 129, H = 100, FRAMES = 5 };

/* Means of blocks over the frame's, NaN where a quarter of the block or less counts. */
static void survey_of(const fixture *f, const scene *s, double *out)
{
    HELD_BY(reference_nodes_free) reference_nodes n = nodes_of(f, s);
    double sum = 0, count = 0;

    for (size_t k = 0; k < n.nx * n.ny; k++) {
        sum += n.mean[k] * n.weight[k];
        count += n.weight[k];
    }
    for (size_t k = 0; k < n.nx * n.ny; k++) {
        size_t i = k % n.nx, j = k / n.nx;
        size_t area = ((i + 1) * W / n.nx - i * W / n.nx) * ((j + 1) * H / n.ny - j * H / n.ny);

        out[k] = 4 * n.weight[k] > (double)area ? n.mean[k] * count / sum : NAN;
    }
}

/* The illumination as the formulas have it, to free. */
static double *illumination_wanted(const fixture *f, const scene *scenes)
{
    size_t nodes = f->shape.nodes_x * f->shape.nodes_y;
    double *surveys = must_calloc(FRAMES * nodes, sizeof *surveys), *want = must_calloc(nodes, sizeof *want);
    HELD_BY(reference_nodes_free) reference_nodes n = nodes_of(f, &scenes[0]);

    for (int t = 0; t < FRAMES; t++)
        survey_of(f, &scenes[t], surveys + (size_t)t * nodes);
    reference_prepare_series(&n, W, H, FRAMES, surveys, f->settings.o.flatten_degree, sigma_of(f), want);
    free(surveys);
    return want;
}

static void survey(penta_context *ctx, fixture *f, const scene *scenes)
{
    for (int t = 0; t < FRAMES; t += 2) {
        f->batch.count = t + 1 < FRAMES ? 2 : 1;
        for (size_t i = 0; i < f->batch.count; i++)
            put_scene(ctx, f, i, &scenes[(size_t)t + i]);
        EXPECT_OK(ctx, prepare_background_survey(f->background, &f->batch));
    }
}

/* B = illumination (sum s) / (sum n illumination). */
static void expect_lit(penta_context *ctx, fixture *f, const scene *s, const float *illumination)
{
    HELD_BY(reference_nodes_free) reference_nodes n = nodes_of(f, s);
    float level, *got;
    double sum = 0, by = 0;

    put_scene(ctx, f, 0, s);
    f->batch.count = 1;
    EXPECT_OK(ctx, prepare_background_run(f->background, &f->batch));
    got = background_of(ctx, f, 0, &level);
    for (size_t k = 0; k < n.nx * n.ny; k++) {
        sum += n.mean[k] * n.weight[k];
        by += n.weight[k] * (double)illumination[k];
    }
    for (size_t k = 0; k < n.nx * n.ny; k++)
        expect_near((double)got[k], (double)illumination[k] * sum / by, 2e-6 * sum / by);
    free(got);
}

DEVICE_TEST(series)
{
    fixture f, other;
    scene scenes[FRAMES];
    const float *illumination = NULL, *again = NULL;
    double *want;

    random_seed(6);
    open_fixture(ctx, W, H, PENTA_PREPARE_SERIES, 4, 0, 2, &f);
    assert_int_equal(prepare_background_surveyed(f.background), 0);
    EXPECT_OK(ctx, prepare_background_illumination(f.background, &illumination));
    assert_null(illumination);
    for (int t = 0; t < FRAMES; t++) {
        scenes[t] = make_scene(W, H, 0.02 * t);
        for (size_t i = 0; t > 0 && i < W * H; i++) /* what counts in no frame is the first row of blocks */
            scenes[t].mask[i] = i >= 16 * W && random_uniform() > 0.1;
        memset(scenes[t].mask, 0, W * (size_t)16);
        if (t % 2)
            memset(scenes[t].mask + (size_t)40 * W, 0, W * (size_t)30);
    }
    survey(ctx, &f, scenes);
    assert_int_equal(prepare_background_surveyed(f.background), FRAMES);
    EXPECT_OK(ctx, prepare_background_illumination(f.background, &illumination));
    want = illumination_wanted(&f, scenes);
    for (size_t k = 0; k < f.shape.nodes_x * f.shape.nodes_y; k++)
        expect_near((double)illumination[k], want[k], 3e-5 * want[k]);
    expect_lit(ctx, &f, &scenes[1], illumination);

    open_fixture(ctx, W, H, PENTA_PREPARE_SERIES, 4, 0, 2, &other);
    EXPECT_OK(ctx, prepare_background_load(other.background, illumination));
    EXPECT_OK(ctx, prepare_background_illumination(other.background, &again));
    assert_memory_equal(again, illumination, f.shape.nodes_x * f.shape.nodes_y * sizeof *again);
    assert_int_equal(prepare_background_surveyed(other.background), 1);
    expect_lit(ctx, &other, &scenes[1], illumination);
    close_fixture(&other);

    free(want);
    for (int t = 0; t < FRAMES; t++)
        free_scene(&scenes[t]);
    close_fixture(&f);
}

/* Frames that are taken back leave the survey as it was. */
DEVICE_TEST(survey_taken_back)
{
    HELD_BY(close_fixture) fixture f;
    scene scenes[FRAMES];
    const float *illumination = NULL;
    float *before;

    random_seed(7);
    open_fixture(ctx, W, H, PENTA_PREPARE_SERIES, 2, 0, 2, &f);
    for (int t = 0; t < FRAMES; t++)
        scenes[t] = make_scene(W, H, 0.02 * t);
    survey(ctx, &f, scenes);
    EXPECT_OK(ctx, prepare_background_illumination(f.background, &illumination));
    before = must_calloc(f.shape.nodes_x * f.shape.nodes_y, sizeof *before);
    memcpy(before, illumination, f.shape.nodes_x * f.shape.nodes_y * sizeof *before);
    put_scene(ctx, &f, 0, &scenes[4]);
    f.batch.count = 1;
    EXPECT_OK(ctx, prepare_background_survey(f.background, &f.batch));
    prepare_background_unsurvey(f.background, FRAMES);
    assert_int_equal(prepare_background_surveyed(f.background), FRAMES);
    EXPECT_OK(ctx, prepare_background_illumination(f.background, &illumination));
    assert_memory_equal(before, illumination, f.shape.nodes_x * f.shape.nodes_y * sizeof *before);
    free(before);
    for (int t = 0; t < FRAMES; t++)
        free_scene(&scenes[t]);
}

/* ---- flatness ---- */

enum { WAVES = 40 };

typedef enum { LEVEL, LINEAR, VIGNETTE, SPOT, NARROW_SPOT, COSINES } light;

/* At (u, v) of the unit square, 4:1 but for LEVEL; spots are a quarter and a sixth of the frame wide (sigma). */
static double light_at(light kind, double u, double v)
{
    double s = kind == SPOT ? 1.0 / 4 : 1.0 / 6;

    switch (kind) {
    case LINEAR:
        return 1 - 0.75 * u;
    case VIGNETTE:
        return 1 - 1.5 * ((u - 0.5) * (u - 0.5) + (v - 0.5) * (v - 0.5));
    case SPOT:
    case NARROW_SPOT:
        return 0.25 + 0.75 * exp(-((u - 0.3) * (u - 0.3) + (v - 0.6) * (v - 0.6)) / (2 * s * s));
    case COSINES:
        return 0.625 + 0.375 * cos(2 * 3.14159265 * u) * cos(3.14159265 * v);
    default:
        return 1;
    }
}

/* Adds a cosine over the frame, its rows by the addition theorem. */
static void add_wave(double kx, double ky, double phase, size_t width, size_t height, double *to)
{
    for (size_t y = 0; y < height; y++) {
        double at = ky * (double)y + phase, c = cos(at), s = sin(at);

        for (size_t x = 0; x < width; x++) {
            double next = c * cos(kx) - s * sin(kx);

            to[y * width + x] += c;
            s = s * cos(kx) + c * sin(kx);
            c = next;
        }
    }
}

/* A pattern of domains: waves of all directions whose wavelengths scatter by 12 %, standard deviation 1; to free. */
static double *domains(size_t width, size_t height, double wavelength)
{
    double *d = must_calloc(width * height, sizeof *d), tau = 2 * 3.14159265358979;

    for (int w = 0; w < WAVES; w++) {
        double k = tau / wavelength * (1 + 0.12 * random_normal()), t = tau * random_uniform();

        add_wave(k * cos(t), k * sin(t), tau * random_uniform(), width, height, d);
    }
    for (size_t i = 0; i < width * height; i++)
        d[i] *= sqrt(2.0 / WAVES);
    return d;
}

/* The pattern, a quarter of the light, in light, with single pixels masked. */
static scene lit_scene(size_t width, size_t height, light kind, double wavelength)
{
    scene s = {must_calloc(width * height, sizeof *s.grey), must_calloc(width * height, 1)};
    HELD double *d = domains(width, height, wavelength);

    for (size_t i = 0; i < width * height; i++) {
        double u = (double)(i % width) / (double)(width - 1), v = (double)(i / width) / (double)(height - 1);

        s.grey[i] = (float)(100 * light_at(kind, u, v) * (1 + 0.25 * d[i]));
        s.mask[i] = random_uniform() > 0.02;
    }
    return s;
}

/* Standard deviation of B / light over blocks of 64 px, over their mean. */
static double unevenness(const fixture *f, const scene *s, const float *b, light kind)
{
    enum { BLOCK = 64 };
    size_t width = f->shape.width, height = f->shape.height, n = 0;
    HELD_BY(reference_nodes_free) reference_nodes nodes = nodes_of(f, s);
    double sum = 0, square = 0, *wide = must_calloc(nodes.nx * nodes.ny, sizeof *wide);

    for (size_t k = 0; k < nodes.nx * nodes.ny; k++)
        wide[k] = (double)b[k];
    for (size_t y = 0; y + BLOCK <= height; y += BLOCK)
        for (size_t x = 0; x + BLOCK <= width; x += BLOCK, n++) {
            double ratio = 0;

            for (size_t i = 0; i < BLOCK * BLOCK; i += 5) {
                double px = (double)(x + i % BLOCK), py = (double)(y + i / BLOCK);

                ratio += reference_prepare_background_at(&nodes, wide, px, py) /
                         light_at(kind, px / (double)(width - 1), py / (double)(height - 1));
            }
            sum += ratio;
            square += ratio * ratio;
        }
    free(wide);
    return sqrt(fmax(square * (double)n / (sum * sum) - 1, 0));
}

static double unevenness_of(penta_context *ctx, size_t width, size_t height, light kind, double wavelength)
{
    HELD_BY(close_fixture) fixture f;
    HELD_BY(free_scene) scene s = lit_scene(width, height, kind, wavelength);
    float level, *b;
    double found;

    open_fixture(ctx, width, height, PENTA_PREPARE_GAUSSIAN, -1, 0, 1, &f);
    put_scene(ctx, &f, 0, &s);
    f.batch.count = 1;
    EXPECT_OK(ctx, prepare_background_run(f.background, &f.batch));
    b = background_of(ctx, &f, 0, &level);
    found = unevenness(&f, &s, b, kind);
    free(b);
    return found;
}

/* By default, light 4:1 of any of these shapes is found to 2 %. */
TEST(light_is_found)
{
    static const char *const names[] = {"level", "linear", "vignette", "spot", "narrow spot", "cosines"};
    static const struct {
        size_t width, height;
        double wavelength;
        double most[COSINES + 1];
    } cases[] = {{512, 400, 22, {0.005, 0.005, 0.005, 0.01, 0.018, 0.012}},
                 {512, 400, 40, {0.008, 0.008, 0.008, 0.018, 0.02, 0.018}},
                 {512, 400, 70, {0.015, 0.015, 0.018, 0.025, 0.03, 0.025}}, /* 7 x 6 periods: the pattern itself */
                 {750, 1500, 70, {0.005, 0.005, 0.005, 0.014, 0.018, 0.018}}};

    random_seed(8);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (light kind = LEVEL; kind <= COSINES; kind++) {
            double found = unevenness_of(device_of(state), cases[i].width, cases[i].height, kind, cases[i].wavelength);

            print_message("%zu x %zu, wavelength %g, %s: %.2f %%\n", cases[i].width, cases[i].height,
                          cases[i].wavelength, names[kind], 100 * found);
            expect_near(found, 0, cases[i].most[kind]);
        }
}

/* The degree that -1 stands for. */
DEVICE_TEST(default_degree)
{
    penta_prepare_options o;
    prepare_settings s;

    penta_prepare_options_init(&o);
    assert_int_equal(o.flatten_degree, -1);
    EXPECT_OK(ctx, prepare_settings_make(ctx, 100, 100, 1, PENTA_U8, &o, &s));
    assert_int_equal(s.o.flatten_degree, 2);
    o.flatten = PENTA_PREPARE_POLY;
    EXPECT_OK(ctx, prepare_settings_make(ctx, 100, 100, 1, PENTA_U8, &o, &s));
    assert_int_equal(s.o.flatten_degree, 4);
    o.flatten_degree = 0;
    EXPECT_OK(ctx, prepare_settings_make(ctx, 100, 100, 1, PENTA_U8, &o, &s));
    assert_int_equal(s.o.flatten_degree, 0);
}

ON_DEVICE;
AS_ON_A_GPU;
