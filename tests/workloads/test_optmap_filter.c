/* Shift, Gaussian and median of random traces and shifts against the formulas in double. */
#include "support/test.h"

#include "optmap/optmap.h"
#include "reference/optmap.h"
#include "support/random.h"

/* Traces of a whole movie and shifts of all pixels. */
typedef struct {
    penta_optmap_options options;
    optmap_filter filter;
    optmap_shape shape;
    double gaussian[31 * 31];
    float *v;
    uint8_t *valid;
    int32_t *shifts;
    size_t pixels, neighbours;
} scene;

/* Field k of a scene's window of pixel p, or -1 beyond the frame. */
static long neighbour(const scene *s, size_t p, size_t k)
{
    int window = s->options.window;
    long x = (long)(p % s->shape.width) + (long)k % window - window / 2;
    long y = (long)(p / s->shape.width) + (long)k / window - window / 2;

    if (x < 0 || y < 0 || x >= (long)s->shape.width || y >= (long)s->shape.height)
        return -1;
    return y * (long)s->shape.width + x;
}

static bool has_result(const scene *s, size_t p)
{
    return s->valid[p] && (s->options.border == PENTA_OPTMAP_SHRINK ||
                           (neighbour(s, p, 0) >= 0 && neighbour(s, p, s->neighbours - 1) >= 0));
}

/* Most shifts are small, some any. Every eleventh pixel is not valid. */
static void fill(scene *s)
{
    int longest = s->options.interp * (int)s->shape.frames - 1;

    random_seed(9);
    for (size_t p = 0; p < s->pixels; p++) {
        s->valid[p] = p % 11 != 5;
        for (size_t n = 0; n < s->shape.frames && s->valid[p]; n++)
            s->v[p * s->shape.pitch + n] = (float)(sin(0.1 * (double)n + (double)p) + 0.5 * random_normal());
        for (size_t k = 0; k < s->neighbours; k++) {
            int most = random_uniform() < 0.2 ? longest : longest < 40 ? longest : 40;
            int t0 = (int)((2 * random_uniform() - 1) * (most + 0.999));

            s->shifts[p * s->neighbours + k] = k == s->neighbours / 2 ? 0 : t0;
        }
    }
    for (size_t p = 0; p < s->pixels; p++)
        for (size_t k = 0; k < s->neighbours; k++) {
            long q = neighbour(s, p, k);

            if (!has_result(s, p) || q < 0 || !s->valid[q])
                s->shifts[p * s->neighbours + k] = INT32_MIN;
        }
}

/* The options are the caller's; frame rows may come in bands of `rows`. */
static void make_scene(scene *s, size_t width, size_t height, size_t frames)
{
    penta_optmap_options *o = &s->options;

    if (!o->taps)
        o->taps = 8 * o->interp + 1;
    s->pixels = width * height;
    s->neighbours = (size_t)(o->window * o->window);
    EXPECT_OK(NULL, optmap_filter_design(NULL, o->interp, o->taps, &s->filter));
    optmap_gaussian(o->window, o->sigma, s->gaussian);
    s->shape = (optmap_shape){width, height, frames, height, optmap_padded(frames), o, &s->filter, s->gaussian};
    s->v = must_calloc(s->pixels * s->shape.pitch, sizeof *s->v);
    s->valid = must_calloc(s->pixels, 1);
    s->shifts = must_calloc(s->pixels * s->neighbours, sizeof *s->shifts);
    fill(s);
}

static void free_scene(scene *s)
{
    optmap_filter_free(&s->filter);
    free(s->v);
    free(s->valid);
    free(s->shifts);
}

/* ---- the reference ---- */

static double y_at(const scene *s, const double *y, long j)
{
    long last = s->options.interp * (long)s->shape.frames - 1, end = j < 0 ? 0 : last;

    if (j >= 0 && j <= last)
        return y[j];
    if (s->options.tails == PENTA_OPTMAP_TAILS_ODD)
        return 2 * y[end] - y[2 * end - j];
    return s->options.tails == PENTA_OPTMAP_TAILS_HOLD ? y[end] : 0;
}

static double filter_at(const scene *s, const double *y, size_t p, long n)
{
    double sum = 0, weights = 0;
    size_t samples = s->shape.frames * (size_t)s->options.interp;
    long step = s->options.output == PENTA_OPTMAP_INTERPOLATED ? 1 : s->options.interp;

    for (size_t k = 0; k < s->neighbours; k++) {
        int32_t t0 = s->shifts[p * s->neighbours + k];
        long q = neighbour(s, p, k);

        if (t0 != INT32_MIN)
            sum += s->gaussian[k] * y_at(s, y + (size_t)q * samples, n * step + t0);
        if (t0 != INT32_MIN || (q >= 0 && s->options.invalid == PENTA_OPTMAP_ZERO))
            weights += s->gaussian[k];
    }
    return sum / weights;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_at(const scene *s, const double *x, long n)
{
    double window[64];
    size_t count = 0;
    int median = s->options.median;
    long all = (long)optmap_out_frames(&s->shape);

    if (median < 2)
        return x[n];
    for (long i = n - median / 2; i < n - median / 2 + median; i++)
        if (i >= 0 && i < all)
            window[count++] = x[i];
        else if (s->options.median_edges == PENTA_OPTMAP_PAD)
            window[count++] = 0;
    qsort(window, count, sizeof *window, ascending);
    return (window[(count - 1) / 2] + window[count / 2]) / 2;
}

/* All of y, pixels x L N. */
static double *interpolate(const scene *s)
{
    size_t frames = s->shape.frames, samples = frames * (size_t)s->options.interp;
    double *y = must_calloc(s->pixels * samples, sizeof *y), *v = must_calloc(frames, sizeof *v);

    for (size_t p = 0; p < s->pixels; p++) {
        for (size_t n = 0; n < frames; n++)
            v[n] = s->v[p * s->shape.pitch + n];
        reference_optmap_interpolate(s->options.interp, s->options.taps, frames, v, y + p * samples);
    }
    free(v);
    return y;
}

static void compare(const scene *s, const float *filtered)
{
    size_t all = optmap_out_frames(&s->shape);
    HELD double *y = interpolate(s), *x = must_calloc(all, sizeof *x);

    for (size_t p = 0; p < s->pixels; p++) {
        for (size_t n = 0; n < all && has_result(s, p); n++)
            x[n] = filter_at(s, y, p, (long)n);
        for (size_t n = 0; n < all; n++) {
            float out = filtered[n * s->pixels + p];

            if (!has_result(s, p))
                assert_true(isnan(out));
            else
                expect_near(out, median_at(s, x, (long)n), 5e-6);
        }
    }
}

/* ---- the device ---- */

/* Rows from .. to - 1 by traces of rows first .. end - 1. */
static void run_band(penta_context *ctx, const scene *s, fast_filter *filter, size_t first, size_t end, size_t from,
                     size_t to, float *filtered)
{
    size_t width = s->shape.width, trace = s->shape.pitch * sizeof(float), each = s->neighbours * sizeof(int32_t);
    size_t all = optmap_out_frames(&s->shape), pixels = (to - from) * width;
    HELD_BY(optmap_traces_release) optmap_traces band = {.first = first, .rows = end - first, .from = from, .to = to};
    HELD_BY(penta_buffer_release) penta_buffer shifts, out;
    HELD float *part = must_calloc(all * pixels, sizeof *part);

    EXPECT_OK(ctx, penta_buffer_create(ctx, band.rows * width * trace, &band.v));
    EXPECT_OK(ctx, penta_buffer_write(&band.v, 0, s->v + first * width * s->shape.pitch, band.rows * width * trace));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * each, &shifts));
    EXPECT_OK(ctx, penta_buffer_write(&shifts, 0, s->shifts + from * width * s->neighbours, pixels * each));
    EXPECT_OK(ctx, penta_buffer_create(ctx, all * pixels * sizeof *part, &out));
    EXPECT_OK(ctx, fast_filter_run(filter, &band, &shifts, &out));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, part, all * pixels * sizeof *part));
    for (size_t n = 0; n < all; n++)
        memcpy(filtered + n * s->pixels + from * width, part + n * pixels, pixels * sizeof *part);
}

/* The whole movie, `rows` rows of results at a time. */
static float *run(penta_context *ctx, const scene *s, size_t rows)
{
    size_t height = s->shape.height, halo = (size_t)s->options.window / 2;
    float *filtered = must_calloc(optmap_out_frames(&s->shape) * s->pixels, sizeof *filtered);
    fast_filter *filter;

    EXPECT_OK(ctx, fast_filter_create(ctx, &s->shape, &filter));
    for (size_t from = 0; from < height; from += rows) {
        size_t to = from + rows < height ? from + rows : height, end = to + halo < height ? to + halo : height;

        run_band(ctx, s, filter, from > halo ? from - halo : 0, end, from, to, filtered);
    }
    fast_filter_destroy(filter);
    return filtered;
}

static void check(penta_context *ctx, const penta_optmap_options *o, size_t width, size_t height, size_t frames)
{
    HELD_BY(free_scene) scene s = {.options = *o};
    HELD float *filtered = NULL;

    make_scene(&s, width, height, frames);
    filtered = run(ctx, &s, height);
    compare(&s, filtered);
}

static penta_optmap_options defaults(void)
{
    penta_optmap_options o;

    penta_optmap_options_init(&o);
    return o;
}

/* ---- tests ---- */

DEVICE_TEST(has_every_median)
{
    static const int medians[] = {2, 3, 7, 9, 63};

    for (size_t i = 0; i < COUNT(medians); i++) {
        penta_optmap_options o = defaults();

        o.median = medians[i];
        o.median_edges = i % 2 ? PENTA_OPTMAP_PAD : PENTA_OPTMAP_TRUNCATE;
        check(ctx, &o, 8, 6, 300);
    }
}

/* medfilt1([4 3 5 2 8 9 1], 4), of one pixel. */
DEVICE_TEST(pads_as_medfilt1_does)
{
    static const float x[] = {4, 3, 5, 2, 8, 9, 1}, expected[] = {1.5, 3.5, 3.5, 4, 6.5, 5, 4.5};
    HELD_BY(free_scene) scene s = {.options = defaults()};
    HELD float *filtered = NULL;

    s.options.window = 1;
    s.options.median = 4;
    make_scene(&s, 1, 1, 7);
    memcpy(s.v, x, sizeof x);
    filtered = run(ctx, &s, 1);
    for (int i = 0; i < 7; i++)
        expect_near(filtered[i], expected[i], 0);
}

DEVICE_TEST(goes_on_past_the_ends)
{
    for (int tails = 0; tails < 3; tails++)
        for (int output = 0; output < 2; output++)
            for (int border = 0; border < 2; border++) {
                penta_optmap_options o = defaults();

                o.tails = tails;
                o.output = output;
                o.border = border;
                o.median = output ? 4 : 5;
                o.median_edges = tails == PENTA_OPTMAP_TAILS_HOLD;
                o.invalid = (tails + output + 1) % 2;
                check(ctx, &o, 9, 7, 140);
            }
}

DEVICE_TEST(takes_every_size)
{
    static const struct {
        size_t width, height, frames;
        int interp, taps, window;
        int output;
    } cases[] = {{33, 5, 64, 10, 89, 5, 0}, {17, 3, 600, 10, 41, 3, 1}, {16, 7, 129, 2, 0, 7, 0},
                 {5, 5, 2, 10, 0, 5, 0},    {7, 6, 3, 10, 161, 5, 1},   {6, 5, 255, 1, 0, 5, 0},
                 {40, 4, 257, 7, 0, 1, 0},  {31, 31, 20, 10, 0, 31, 0}, {5, 5, 40, 100, 0, 3, 1}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        penta_optmap_options o = defaults();

        o.interp = cases[i].interp;
        o.taps = cases[i].taps;
        o.window = cases[i].window;
        o.output = cases[i].output;
        o.median = cases[i].window == 1 ? 0 : 5;
        o.border = cases[i].window == 31;
        check(ctx, &o, cases[i].width, cases[i].height, cases[i].frames);
    }
}

DEVICE_TEST(has_the_same_bits_in_any_band)
{
    HELD_BY(free_scene) scene s = {.options = defaults()};
    HELD float *whole = NULL;

    s.options.border = PENTA_OPTMAP_SHRINK;
    s.options.invalid = PENTA_OPTMAP_ZERO;
    make_scene(&s, 21, 13, 150);
    whole = run(ctx, &s, 13);
    for (size_t rows = 1; rows < 13; rows += 3) {
        HELD float *parts = run(ctx, &s, rows);

        assert_memory_equal(parts, whole, s.pixels * s.shape.frames * sizeof *whole);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
