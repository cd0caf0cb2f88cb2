/*
 * What the prepare workload promises, on photographs whose truth is known (tools/sample_scene.h): drift to 0.02 px rms,
 * the background flat to 2 % (standard deviation over blocks of 64 px), R_max to 0.5 %.
 */
#include "support/test.h"

#include <pentacl/pentacl.h>

#include "shared/sample_scene.h"
#include "support/random.h"

/* ---- a series through the plan ---- */

enum { MOST = 8, PHOTOGRAPHS = 6 };

typedef struct {
    const sample_scene *scene;
    size_t made, n, count; /* frames; those that a test uses; pixels of one */
    uint16_t *raw[MOST], *clean[MOST], *out[MOST];
    uint8_t *mask[MOST];
    penta_prepare_result results[MOST];
} series;

static void quantise(const float *picture, double scale, size_t count, uint16_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint16_t)(fmin(fmax(scale * (double)picture[i], 0), 1) * 65535 + 0.5);
}

static series *make_series(const sample_scene *scene, size_t n)
{
    series *s = must_calloc(1, sizeof *s);
    size_t count = (size_t)scene->width * (size_t)scene->height;
    HELD float *light = must_calloc(count, sizeof *light), *through = must_calloc(count, sizeof *through);
    HELD float *picture = must_calloc(count, sizeof *picture);
    HELD uint8_t *dust = must_calloc(count, 1);

    assert_true(n <= MOST);
    *s = (series){.scene = scene, .made = n, .n = n, .count = count};
    sample_scene_light(scene, light);
    sample_scene_dust(scene, through, dust);
    for (size_t i = 0; i < n; i++) {
        sample_place place = sample_scene_place(scene, (int)i), still = {.r_max = place.r_max};

        s->raw[i] = must_calloc(count, sizeof *s->raw[i]);
        s->clean[i] = must_calloc(count, sizeof *s->clean[i]);
        s->out[i] = must_calloc(count, sizeof *s->out[i]);
        s->mask[i] = must_calloc(count, 1);
        sample_scene_pattern(scene, &place, picture);
        sample_scene_expose(scene, (int)i, light, through, picture);
        quantise(picture, 1, count, s->raw[i]);
        sample_scene_pattern(scene, &still, picture);
        quantise(picture, 0.5, count, s->clean[i]);
    }
    return s;
}

static void free_series(series *s)
{
    for (size_t i = 0; i < s->made; i++) {
        free(s->raw[i]);
        free(s->clean[i]);
        free(s->out[i]);
        free(s->mask[i]);
    }
    free(s);
}

static penta_prepare_options defaults(void)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    return o;
}

static void prepare_series(penta_context *ctx, const penta_prepare_options *o, series *s)
{
    penta_prepare *plan = NULL;
    penta_prepare_frame frames[MOST] = {{0}};

    for (size_t i = 0; i < s->n; i++) {
        frames[i].image = s->raw[i];
        s->results[i] = (penta_prepare_result){.image = s->out[i], .mask = s->mask[i]};
    }
    EXPECT_OK(ctx,
              penta_prepare_create(ctx, (size_t)s->scene->width, (size_t)s->scene->height, 1, PENTA_U16, o, &plan));
    if (o->flatten == PENTA_PREPARE_SERIES)
        EXPECT_OK(ctx, penta_prepare_survey(plan, s->n, (const void *const *)s->raw));
    EXPECT_OK(ctx, penta_prepare_run(plan, s->n, frames, s->results));
    penta_prepare_destroy(plan);
    for (size_t i = 0; i < s->n; i++)
        assert_int_equal(s->results[i].status, PENTA_PREPARED_OK);
}

/* ---- what is measured on it ---- */

typedef struct {
    double drift; /* px, rms of the length of the errors of dx, dy */
    double angle; /* degrees, the largest error */
} drift_error;

static drift_error errors_of(const series *s)
{
    drift_error e = {0, 0};

    for (size_t i = 1; i < s->n; i++) {
        sample_place truth = sample_scene_place(s->scene, (int)i);
        const penta_drift *d = &s->results[i].drift;
        double x = d->dx - truth.dx, y = d->dy - truth.dy;

        e.drift += (x * x + y * y) / (double)(s->n - 1);
        e.angle = fmax(e.angle, fabs(d->angle - truth.angle));
    }
    e.drift = sqrt(e.drift);
    return e;
}

typedef struct {
    double deviation, most; /* standard and 99th percentile, of the mean */
} flatness;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of the mean over 64 x 64 px of what came out, to that of the clean pattern; blocks of which half counts. pattern
 * false: to half of white. */
static flatness flatness_of(const series *s, size_t frame, bool pattern)
{
    enum { BLOCK = 64 };
    size_t width = (size_t)s->scene->width, height = (size_t)s->scene->height, n = 0;
    double *ratio = must_calloc((width / BLOCK + 1) * (height / BLOCK + 1), sizeof *ratio), mean = 0, square = 0;
    flatness f;

    for (size_t y0 = 0; y0 < height; y0 += BLOCK)
        for (size_t x0 = 0; x0 < width; x0 += BLOCK) {
            double got = 0, true_mean = 0, counts = 0;

            for (size_t y = y0; y < y0 + BLOCK && y < height; y++)
                for (size_t x = x0; x < x0 + BLOCK && x < width; x++)
                    if (s->mask[frame][y * width + x]) {
                        got += s->out[frame][y * width + x];
                        true_mean += pattern ? s->clean[frame][y * width + x] : 65535 / 2.0;
                        counts++;
                    }
            if (counts >= BLOCK * BLOCK / 2)
                ratio[n++] = got / true_mean;
        }
    for (size_t i = 0; i < n; i++)
        mean += ratio[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        ratio[i] = fabs(ratio[i] / mean - 1);
        square += ratio[i] * ratio[i] / (double)n;
    }
    qsort(ratio, n, sizeof *ratio, ascending);
    f = (flatness){sqrt(square), ratio[(size_t)(0.99 * (double)(n - 1) + 0.5)]};
    free(ratio);
    return f;
}

/* Correlation coefficient of what came out and the clean pattern, over what counts. */
static double likeness(const series *s, size_t frame)
{
    double n = 0, f = 0, g = 0, ff = 0, gg = 0, fg = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->mask[frame][i]) {
            double a = s->out[frame][i] / 65535.0 - 0.5, b = s->clean[frame][i] / 65535.0 - 0.5;

            n++;
            f += a;
            g += b;
            ff += a * a;
            gg += b * b;
            fg += a * b;
        }
    return (n * fg - f * g) / sqrt((n * ff - f * f) * (n * gg - g * g));
}

static double r_max_of(penta_context *ctx, const sample_scene *scene, const uint16_t *image, const uint8_t *mask)
{
    penta_autocorr_options o;
    penta_autocorr *plan = NULL;
    const penta_autocorr_frame frame = {.image = image, .mask = mask};
    penta_autocorr_result result = {0};

    penta_autocorr_options_init(&o);
    o.estimator = PENTA_AUTOCORR_UNBIASED;
    o.demean = PENTA_AUTOCORR_DEMEAN_MEAN;
    o.max_offset = (int)(2.2 * scene->r0);
    o.bootstrap = 0;
    EXPECT_OK(ctx, penta_autocorr_create(ctx, (size_t)scene->width, (size_t)scene->height, PENTA_U16, &o, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &result));
    penta_autocorr_destroy(plan);
    assert_int_equal(result.peak.status, PENTA_PEAK_OK);
    return result.peak.r_max;
}

/* Of the last frame: (from what came out) / (from the clean pattern) - 1. */
static double r_max_error(penta_context *ctx, const series *s, bool masked)
{
    size_t last = s->n - 1;

    return r_max_of(ctx, s->scene, s->out[last], masked ? s->mask[last] : NULL) /
               r_max_of(ctx, s->scene, s->clean[last], NULL) -
           1;
}

/* ---- what is promised ---- */

static const sample_scene photographs = {.width = 750,
                                         .height = 1500,
                                         .seed = 1,
                                         .r0 = 20,
                                         .drift = 12,
                                         .illumination = 4,
                                         .shape = SAMPLE_LINEAR,
                                         .dust = 0.02,
                                         .snr = 10};

/* Of the series' frames the first n, in one run. */
static void check_promise(penta_context *ctx, const penta_prepare_options *o, series *s, size_t n, bool masked)
{
    drift_error e;
    flatness f;
    double r, like;

    s->n = n;
    prepare_series(ctx, o, s);
    e = errors_of(s);
    f = flatness_of(s, n - 1, true);
    r = r_max_error(ctx, s, masked);
    like = likeness(s, n - 1);
    print_message("R_max %g: drift %.4f px rms, flat to %.2f %% (99th percentile %.2f %%), R_max off by %.3f %%, dust "
                  "%.2f %%, like the clean one by %.4f\n",
                  s->scene->r0, e.drift, 100 * f.deviation, 100 * f.most, 100 * r,
                  100 * (double)s->results[n - 1].dust_pixels / (double)s->count, like);
    expect_near(e.drift, 0, 0.02);
    expect_near(f.deviation, 0, 0.02);
    expect_near(f.most, 0, 0.06);
    expect_near(r, 0, 0.005);
    /* Noise, up to a quarter of the contrast where it is dark, takes the rest, and copies of other places. */
    assert_true(like > (masked ? 0.96 : 0.9));
}

/* The frames of `photographs`, made when first asked for. */
static series *photographed;

static series *photographs_taken(void)
{
    if (!photographed)
        photographed = make_series(&photographs, PHOTOGRAPHS);
    return photographed;
}

TEST_IN(AS_IT_IS, photographs)
{
    penta_prepare_options o = defaults();

    check_promise(device_of(state), &o, photographs_taken(), PHOTOGRAPHS, true);
}

TEST_IN(AS_IT_IS, other_light_and_lengths)
{
    static const struct {
        int shape;
        double r0;
    } others[] = {{SAMPLE_VIGNETTE, 14}, {SAMPLE_GAUSSIAN, 40}};
    penta_prepare_options o = defaults();
    sample_scene scene = photographs;

    for (size_t i = 0; i < COUNT(others); i++) {
        series *s;

        scene.seed++;
        scene.shape = others[i].shape;
        scene.r0 = others[i].r0;
        s = make_series(&scene, 3);
        check_promise(device_of(state), &o, s, 3, true);
        free_series(s);
    }
}

TEST_IN(AS_IT_IS, other_ways_to_flatten)
{
    static const int ways[] = {PENTA_PREPARE_POLY, PENTA_PREPARE_SERIES};
    penta_prepare_options o = defaults();

    for (size_t i = 0; i < COUNT(ways); i++) {
        o.flatten = ways[i];
        check_promise(device_of(state), &o, photographs_taken(), 3, true);
    }
}

/* The overlay leaves the contrast to the light, but its means are flat. */
TEST_IN(AS_IT_IS, overlay)
{
    penta_prepare_options o = defaults();
    series *s = photographs_taken();
    flatness f;

    s->n = 2;
    o.flatten = PENTA_PREPARE_OVERLAY;
    prepare_series(device_of(state), &o, s);
    f = flatness_of(s, 1, false);
    print_message("overlay: %.2f %%, 99th percentile %.2f %%\n", 100 * f.deviation, 100 * f.most);
    expect_near(f.deviation, 0, 0.02);
}

/* Copies are pattern too, though of another place, and what is drawn on is nearly the pattern: R_max needs no mask. */
TEST_IN(AS_IT_IS, dust_replaced)
{
    penta_prepare_options o = defaults();

    o.dust = PENTA_PREPARE_DUST_COPY;
    check_promise(device_of(state), &o, photographs_taken(), 3, false);
    o.dust = PENTA_PREPARE_DUST_FILL;
    check_promise(device_of(state), &o, photographs_taken(), 3, false);
}

/* The forms of kernels for GPUs, tried on a CPU device. */
TEST_IN(AS_GPU, gpu_forms)
{
    penta_context *ctx = gpu_of(state);
    penta_prepare_options o = defaults();

    check_promise(ctx, &o, photographs_taken(), 3, true);
}

TEST_IN(AS_IT_IS, rotation)
{
    penta_prepare_options o = defaults();
    sample_scene scene = photographs;
    series *s;
    drift_error e;

    scene.angle = 1;
    o.registration = PENTA_PREPARE_RIGID;
    s = make_series(&scene, 4);
    prepare_series(device_of(state), &o, s);
    e = errors_of(s);
    print_message("rigid: drift %.4f px rms, angle %.4f degrees\n", e.drift, e.angle);
    expect_near(e.drift, 0, 0.02);
    expect_near(e.angle, 0, 0.005);
    free_series(s);
}

/* A pattern that coarsens about its centre drifts by what its centre does. */
TEST_IN(AS_IT_IS, growth)
{
    penta_prepare_options o = defaults();
    sample_scene scene = photographs;
    series *s;
    drift_error e;

    scene.speed = 0.04; /* 0.2 % a frame */
    s = make_series(&scene, 5);
    prepare_series(device_of(state), &o, s);
    e = errors_of(s);
    print_message("growth of 0.2 %% a frame: drift %.4f px rms\n", e.drift);
    expect_near(e.drift, 0, 0.02);
    free_series(s);
}

/* Few domains in a frame: the light that is taken off must not take the pattern along. */
TEST_IN(AS_IT_IS, few_domains)
{
    static const int lights[] = {SAMPLE_VIGNETTE, SAMPLE_LINEAR};
    penta_prepare_options o = defaults();

    for (size_t i = 0; i < COUNT(lights); i++) {
        const sample_scene scene = {.width = 512,
                                    .height = 400,
                                    .seed = 5 + i,
                                    .r0 = 78, /* waves of 70 px */
                                    .drift = 9,
                                    .illumination = 4,
                                    .shape = lights[i],
                                    .dust = 0.02,
                                    .snr = 10};
        series *s = make_series(&scene, 5);
        drift_error e;

        prepare_series(device_of(state), &o, s);
        e = errors_of(s);
        print_message("waves of 70 px in 512 x 400 px: drift %.4f px rms\n", e.drift);
        expect_near(e.drift, 0, 0.02);
        free_series(s);
    }
}

/* ---- scikit-image's case ---- */

enum { MARGIN = 24 };

/* width x width of noise under a Gaussian of sigma, standard deviation 0.1 about 0.5: too smooth for phase correlation.
 */
static double *smooth_picture(int width, int sigma)
{
    int far = 4 * sigma, wide = width + 2 * far;
    double *noise = must_calloc((size_t)wide * (size_t)wide, sizeof *noise), scale = 0.1 * sqrt(12.0) * 3.5449 * sigma;
    double *lines = must_calloc((size_t)wide * (size_t)width, sizeof *lines), sum = 0;
    double *out = must_calloc((size_t)width * (size_t)width, sizeof *out),
           *w = must_calloc((size_t)(2 * far + 1), sizeof *w);

    random_seed(11);
    for (int k = -far; k <= far; k++)
        sum += w[k + far] = exp(-0.5 * k * k / (sigma * sigma));
    for (int i = 0; i < wide * wide; i++)
        noise[i] = scale * (random_uniform() - 0.5);
    for (int y = 0; y < wide; y++)
        for (int x = 0; x < width; x++)
            for (int k = 0; k <= 2 * far; k++)
                lines[y * width + x] += w[k] / sum * noise[y * wide + x + k];
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++) {
            out[y * width + x] = 0.5;
            for (int k = 0; k <= 2 * far; k++)
                out[y * width + x] += w[k] / sum * lines[(y + k) * width + x];
        }
    free(noise);
    free(lines);
    free(w);
    return out;
}

/* The part of the picture in which its content lies (dx, dy) further on. */
static void cut(const double *picture, int side, int dx, int dy, float *out)
{
    int wide = side + 2 * MARGIN;

    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            out[y * side + x] = (float)picture[(y + MARGIN - dy) * wide + x + MARGIN - dx];
}

static penta_prepare_result register_smooth(penta_context *ctx, const double *picture, int side, int correlation,
                                            int dx, int dy)
{
    size_t count = (size_t)side * (size_t)side;
    float *first = must_calloc(count, sizeof *first), *second = must_calloc(count, sizeof *second);
    penta_prepare_options o = defaults();
    const penta_prepare_frame frames[] = {{.image = first}, {.image = second}};
    penta_prepare_result results[2] = {{0}};
    penta_prepare *plan = NULL;

    cut(picture, side, 0, 0, first);
    cut(picture, side, dx, dy, second);
    o.correlation = correlation;
    o.dust_limit = 0; /* without dust nothing is marked as such */
    EXPECT_OK(ctx, penta_prepare_create(ctx, (size_t)side, (size_t)side, 1, PENTA_F32, &o, &plan));
    EXPECT_OK(ctx, penta_prepare_run(plan, 2, frames, results));
    penta_prepare_destroy(plan);
    free(first);
    free(second);
    assert_int_equal(results[0].status, PENTA_PREPARED_OK);
    return results[1];
}

/* skimage's shift moves the second image back onto the first: it is minus where its content lies. By phase the same,
 * as the places that plain correlation finds compete. */
TEST_IN(AS_IT_IS, smooth_pictures)
{
    static const int shifts[][2] = {{5, 3}, {-5, -3}, {5, -3}, {0, 0}, {-17, 11}};
    static const int pictures[][2] = {{128, 5}, {128, 10}, {128, 15}, {256, 5}, {256, 10}, {256, 15}};
    static const int correlations[] = {PENTA_PREPARE_PLAIN, PENTA_PREPARE_PHASE};

    for (size_t p = 0; p < COUNT(pictures); p++) {
        int side = pictures[p][0];
        HELD double *picture = smooth_picture(side + 2 * MARGIN, pictures[p][1]);

        for (size_t c = 0; c < COUNT(correlations); c++) {
            double most = 0;

            for (size_t i = 0; i < COUNT(shifts); i++) {
                int dx = shifts[i][0], dy = shifts[i][1];
                penta_prepare_result r = register_smooth(device_of(state), picture, side, correlations[c], dx, dy);

                assert_int_equal(r.status, PENTA_PREPARED_OK);
                most = fmax(most, fmax(fabs(r.drift.dx - dx), fabs(r.drift.dy - dy)));
            }
            print_message("%d x %d px, smooth to %d px, %s: off by %.4f px at most\n", side, side, pictures[p][1],
                          c ? "phase" : "plain", most);
            expect_near(most, 0, 0.02);
        }
    }
}

ON_DEVICE;
AS_ON_A_GPU;
