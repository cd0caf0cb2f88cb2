/* t0 of pairs (src/optmap/fast_shifts*.c) against the correlation sums in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/fft.h"
#include "optmap/fast_shifts.h"
#include "reference/optmap.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/random.h"

#define UNIQUE 1e-12 /* a largest value this far above the others, over sqrt(sum y_p^2 sum y_q^2), is one */

/* ---- the definition ---- */

/* The filter as the engine has it. */
static void design(int interp, int taps, optmap_filter *f)
{
    double *w = must_calloc((size_t)interp * 64, sizeof *w);
    int first, length, h = (taps - 1) / 2;

    *f = (optmap_filter){.interp = interp, .taps = taps, .b = must_calloc((size_t)taps, sizeof(double))};
    reference_optmap_weights(interp, taps, &first, &length, w);
    for (int m = 0; m < interp; m++)
        for (int k = 0; k < length; k++) {
            int at = h + m - interp * (first + k);

            if (at >= 0 && at < taps)
                f->b[at] = w[m * length + k];
        }
    free(w);
}

/* All lags -most .. most; *gap as tests/reference/optmap.h has it. */
static int shift_of(size_t samples, int most, const double *p, const double *q, double *gap)
{
    double best = -INFINITY, second = -INFINITY, pp = 0, qq = 0;
    int at = 0;

    for (int i = 0; i <= 2 * most; i++) {
        int t = i <= most ? i : i - 2 * most - 1;
        size_t from = t < 0 ? (size_t)-t : 0, to = t < 0 ? samples : samples - (size_t)t;
        double c[4] = {0}, sum;
        size_t k = from;

        for (; k + 4 <= to; k += 4)
            for (size_t u = 0; u < 4; u++)
                c[u] += p[k + u] * q[(ptrdiff_t)(k + u) + t];
        for (; k < to; k++)
            c[0] += p[k] * q[(ptrdiff_t)k + t];
        sum = c[0] + c[1] + c[2] + c[3];
        if (sum > best) {
            second = best;
            best = sum;
            at = t;
        } else if (sum > second)
            second = sum;
    }
    for (size_t k = 0; k < samples; k++) {
        pp += p[k] * p[k];
        qq += q[k] * q[k];
    }
    *gap = (best - second) / sqrt(pp * qq);
    return at;
}

/* ---- movies ---- */

typedef struct {
    size_t width, height, frames;
    penta_optmap_options options;
    int interp, taps;
    double *v;      /* pixel after pixel */
    uint8_t *valid; /* of pixels */
} movie;

static movie make_movie(size_t width, size_t height, size_t frames, int interp, int taps, int window)
{
    movie m = {.width = width, .height = height, .frames = frames, .interp = interp, .taps = taps};

    penta_optmap_options_init(&m.options);
    m.options.interp = interp;
    m.options.window = window;
    m.options.border = PENTA_OPTMAP_SHRINK;
    m.v = must_calloc(width * height * frames, sizeof *m.v);
    m.valid = must_calloc(width * height, 1);
    memset(m.valid, 1, width * height);
    return m;
}

static void free_movie(movie *m)
{
    free(m->v);
    free(m->valid);
}

/* The device's numbers: 48 bits. */
static double rounded(double v)
{
    float high = (float)v;

    return (double)high + (double)(float)(v - (double)high);
}

static void fill(movie *m, double (*value)(const movie *m, double x, double y, double t))
{
    for (size_t p = 0; p < m->width * m->height; p++)
        for (size_t t = 0; t < m->frames; t++)
            m->v[p * m->frames + t] = rounded(value(m, (double)(p % m->width), (double)(p / m->width), (double)t));
}

/* Rows first .. first + rows - 1 on the device. */
static void upload_band(penta_context *ctx, const movie *m, size_t pitch, optmap_traces *band)
{
    size_t pixels = band->rows * m->width, offset = band->first * m->width;
    float *v = must_calloc(pixels * pitch, sizeof *v), *low = must_calloc(pixels * pitch, sizeof *low);
    double *mean = must_calloc(pixels, sizeof *mean);

    for (size_t p = 0; p < pixels; p++) {
        const double *x = m->v + (offset + p) * m->frames;

        for (size_t t = 0; m->valid[offset + p] && t < m->frames; t++) {
            v[p * pitch + t] = (float)x[t];
            low[p * pitch + t] = (float)(x[t] - (double)v[p * pitch + t]);
            mean[p] += m->options.demean ? x[t] / (double)m->frames : 0;
        }
    }
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * pitch * sizeof *v, &band->v));
    EXPECT_OK(ctx, penta_buffer_write(&band->v, 0, v, pixels * pitch * sizeof *v));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * pitch * sizeof *v, &band->low));
    EXPECT_OK(ctx, penta_buffer_write(&band->low, 0, low, pixels * pitch * sizeof *v));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * sizeof *mean, &band->mean));
    EXPECT_OK(ctx, penta_buffer_write(&band->mean, 0, mean, pixels * sizeof *mean));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels, &band->valid));
    EXPECT_OK(ctx, penta_buffer_write(&band->valid, 0, m->valid + offset, pixels));
    free(v);
    free(low);
    free(mean);
}

static void release_band(optmap_traces *band)
{
    penta_buffer_release(&band->v);
    penta_buffer_release(&band->low);
    penta_buffer_release(&band->mean);
    penta_buffer_release(&band->valid);
}

/* The device's shifts, by bands of `step` rows of results. */
static void compute(penta_context *ctx, const movie *m, size_t step, int32_t *shifts)
{
    size_t window = (size_t)m->options.window, radius = window / 2, each = m->width * window * window;
    size_t most = step + 2 * radius < m->height ? step + 2 * radius : m->height;
    optmap_filter filter;
    optmap_shape shape = {.width = m->width,
                          .height = m->height,
                          .frames = m->frames,
                          .rows = most,
                          .pitch = optmap_padded(m->frames),
                          .options = &m->options,
                          .filter = &filter};
    optmap_shifter *s = NULL;
    penta_buffer out = {0};

    design(m->interp, m->taps, &filter);
    EXPECT_OK(ctx, optmap_shifter_create(ctx, &shape, &s));
    EXPECT_OK(ctx, penta_buffer_create(ctx, step * each * sizeof *shifts, &out));
    for (size_t from = 0; from < m->height; from += step) {
        size_t to = from + step < m->height ? from + step : m->height;
        size_t first = from < radius ? 0 : from - radius, end = to + radius < m->height ? to + radius : m->height;
        optmap_traces band = {.first = first, .rows = end - first, .from = from, .to = to};

        upload_band(ctx, m, shape.pitch, &band);
        EXPECT_OK(ctx, optmap_shifter_run(s, &band, &out));
        EXPECT_OK(ctx, penta_buffer_read(&out, 0, shifts + from * each, (to - from) * each * sizeof *shifts));
        release_band(&band);
    }
    optmap_shifter_destroy(s);
    penta_buffer_release(&out);
    free(filter.b);
}

/* ---- comparison ---- */

typedef struct {
    size_t pairs, unique, wrong;
} verdict;

static double *interpolated(const movie *m)
{
    size_t samples = m->frames * (size_t)m->interp, pixels = m->width * m->height;
    double *y = must_calloc(pixels * samples, sizeof *y), *x = must_calloc(m->frames, sizeof *x);

    for (size_t p = 0; p < pixels; p++) {
        double mean = 0;

        for (size_t t = 0; t < m->frames; t++)
            mean += m->options.demean ? m->v[p * m->frames + t] / (double)m->frames : 0;
        for (size_t t = 0; t < m->frames; t++)
            x[t] = m->v[p * m->frames + t] - mean;
        reference_optmap_interpolate(m->interp, m->taps, m->frames, x, y + p * samples);
    }
    free(x);
    return y;
}

static bool has_result(const movie *m, long x, long y)
{
    long r = m->options.window / 2;

    return m->options.border == PENTA_OPTMAP_SHRINK ||
           (x >= r && y >= r && x < (long)m->width - r && y < (long)m->height - r);
}

/* Every entry. Both (p, q) and (q, p) against one sum. */
static verdict compare(const movie *m, const int32_t *shifts)
{
    long window = m->options.window, r = window / 2, width = (long)m->width, height = (long)m->height;
    size_t samples = m->frames * (size_t)m->interp;
    int most = (int)samples - 1;
    double *y = interpolated(m);
    verdict v = {0};

    most = m->options.max_lag >= 0 && m->options.max_lag < most ? m->options.max_lag : most;
    for (long p = 0; p < width * height; p++)
        for (long n = 0; n < window * window; n++) {
            long px = p % width, py = p / width, qx = px + n % window - r, qy = py + n / window - r;
            long q = qy * width + qx;
            bool there = qx >= 0 && qy >= 0 && qx < width && qy < height && m->valid[p] && m->valid[q];
            int got = shifts[p * window * window + n];
            double gap;

            if (!there || !has_result(m, px, py)) {
                assert_int_equal(got, INT32_MIN);
                continue;
            }
            if (p == q) {
                assert_int_equal(got, 0);
                continue;
            }
            if (q > p || !has_result(m, qx, qy)) {
                int want = shift_of(samples, most, y + (size_t)p * samples, y + (size_t)q * samples, &gap);

                v.pairs++;
                v.unique += gap > UNIQUE;
                if (gap > UNIQUE && got != want && v.wrong++ < 5)
                    print_message("pixel %ld,%ld neighbour %ld: %d instead of %d, gap %g\n", px, py, n, got, want, gap);
            } else if (got != -shifts[q * window * window + window * window - 1 - n]) { /* only where it is a tie */
                shift_of(samples, most, y + (size_t)p * samples, y + (size_t)q * samples, &gap);
                assert_true(gap <= UNIQUE);
            }
        }
    free(y);
    return v;
}

static int32_t *make_shifts(const movie *m)
{
    return must_calloc(m->width * m->height * (size_t)(m->options.window * m->options.window), sizeof(int32_t));
}

/* Against the definition, and in bands of `step` rows of results the same, unless step is 0; returns the share of pairs
 * with a unique largest value. */
static double check_bands(penta_context *ctx, const movie *m, size_t step)
{
    int32_t *whole = make_shifts(m), *bands = make_shifts(m);
    verdict v;

    compute(ctx, m, m->height, whole);
    v = compare(m, whole);
    if (v.wrong > 0)
        fail_msg("%zu of %zu shifts are wrong (%zu frames, interp %d, taps %d)", v.wrong, v.unique, m->frames,
                 m->interp, m->taps);
    if (step > 0) {
        compute(ctx, m, step, bands);
        assert_memory_equal(whole, bands,
                            m->width * m->height * (size_t)(m->options.window * m->options.window) * sizeof *whole);
    }
    free(whole);
    free(bands);
    return v.pairs ? (double)v.unique / (double)v.pairs : 1;
}

static double check(penta_context *ctx, const movie *m)
{
    return check_bands(ctx, m, 0);
}

/* ---- what movies show ---- */

static double pulse(double t)
{
    return t < 0 ? 0 : (1 - exp(-t / 2)) * (t < 60 ? 1 - t / 120 : 0.5 * exp(-(t - 60) / 15));
}

static double wave(const movie *m, double x, double y, double t)
{
    double beat = fmod(t + 150 - 1.7 * x - 0.6 * y - 40, 150);

    (void)m;
    return pulse(beat) - 0.3;
}

static double noisy_wave(const movie *m, double x, double y, double t)
{
    return wave(m, x, y, t) + 0.1 * random_normal();
}

static double noise(const movie *m, double x, double y, double t)
{
    (void)m, (void)x, (void)y, (void)t;
    return random_normal();
}

static double slope(const movie *m, double x, double y, double t)
{
    return (1 + 0.1 * x) * t / (double)m->frames + 0.01 * y;
}

static double falling(const movie *m, double x, double y, double t)
{
    return -slope(m, x, y, t) * (x < 2 ? -1 : 1);
}

static double sine(const movie *m, double x, double y, double t)
{
    (void)m;
    return sin(2 * acos(-1) * (t - 0.37 * x + 0.21 * y) / 16);
}

static double steps(const movie *m, double x, double y, double t)
{
    (void)m;
    return floor(4 * (2 + sin(t / 9 - x / 3 - y / 5))) > 9 ? 255 : floor(4 * (2 + sin(t / 9 - x / 3 - y / 5)));
}

static double high(const movie *m, double x, double y, double t)
{
    return 1000 + wave(m, x, y, t);
}

static double alternating(const movie *m, double x, double y, double t)
{
    (void)m;
    return (fmod(t, 2) < 1 ? 1 : -1) * (1 + 0.2 * sin(t / 7 + x)) + 0.05 * y * cos(t / 3);
}

/* A pulse at the very end, or the beginning. */
static double at_end(const movie *m, double x, double y, double t)
{
    double middle = x < 2 ? 0.5 * y : (double)m->frames - 1 - 0.7 * y;

    return exp(-(t - middle) * (t - middle) / 8);
}

static double (*const shows[])(const movie *, double, double, double) = {wave, noisy_wave, noise, slope,       falling,
                                                                         sine, steps,      high,  alternating, at_end};

static void test_shows(void **state)
{
    penta_context *ctx = device_of(state);

    for (size_t i = 0; i < COUNT(shows); i++) {
        movie m = make_movie(6, 4, 150, 10, 81, 5);

        random_seed(i);
        fill(&m, shows[i]);
        m.valid[9] = i % 2 == 0;
        print_message("show %zu: %.3f unique\n", i, check_bands(ctx, &m, 1 + i % 3));
        free_movie(&m);
    }
}

/* Every length is programs of its own: some of the lengths where these take long. */
static void test_frames(void **state)
{
    static const size_t frames[] = {2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 20, 31, 101, 127};
    penta_context *ctx = device_of(state);
    size_t step = stands_in(ctx) ? 3 : 1;

    for (size_t i = 0; i < COUNT(frames); i += step)
        for (size_t show = 1; show < (frames[i] < 12 ? 4 : 3); show++) {
            movie m = make_movie(5, 3, frames[i], 10, 81, 3);

            random_seed(frames[i]);
            fill(&m, shows[show]);
            check(ctx, &m);
            free_movie(&m);
        }
}

/* So is every filter. */
static void test_filters(void **state)
{
    static const int filters[][2] = {{1, 9}, {2, 81}, {3, 25}, {10, 41}, {10, 89}, {17, 137}, {10, 9}, {100, 801}};
    penta_context *ctx = device_of(state);
    size_t step = stands_in(ctx) ? 2 : 1;

    for (size_t i = step - 1; i < COUNT(filters); i += step)
        for (size_t show = 1; show < 3; show++) {
            movie m = make_movie(filters[i][0] > 50 ? 2 : 4, 2, filters[i][0] > 50 ? 30 : 110, filters[i][0],
                                 filters[i][1], 3);

            random_seed(i);
            fill(&m, shows[show]);
            check(ctx, &m);
            free_movie(&m);
        }
}

static void test_options(void **state)
{
    penta_context *ctx = device_of(state);

    for (int i = 0; i < 12; i++) {
        static const int lags[] = {-1, 0, 7, 100, 1099, 100000};
        movie m = make_movie(21, i < 6 ? 3 : 4, 110, 10, 81, i < 6 ? 3 : 1);

        random_seed((uint64_t)i);
        fill(&m, i % 2 ? noise : slope);
        m.options.max_lag = lags[i % 6];
        m.options.demean = i % 3 != 0;
        m.options.border = i % 2 ? PENTA_OPTMAP_FULL : PENTA_OPTMAP_SHRINK;
        check(ctx, &m);
        free_movie(&m);
    }
}

static void test_window(void **state)
{
    penta_context *ctx = device_of(state);
    movie m = make_movie(19, 9, 40, 3, 25, 31);

    random_seed(5);
    fill(&m, noisy_wave);
    check(ctx, &m);
    m.options.window = 7;
    m.options.border = PENTA_OPTMAP_FULL;
    check(ctx, &m);
    free_movie(&m);
}

/* Delays of a plane wave, known without any correlation. */
static void test_delays(void **state)
{
    penta_context *ctx = device_of(state);
    movie m = make_movie(20, 20, 500, 10, 81, 5);
    int32_t *shifts = must_calloc(20 * 20 * 25, sizeof *shifts);
    double worst = 0;

    random_seed(3);
    for (size_t p = 0; p < 400; p++)
        for (size_t t = 0; t < 500; t++) {
            double at = (double)t - 250 - 1.7 * (double)(p % 20) - 0.6 * (double)(p / 20);

            m.v[p * 500 + t] = exp(-at * at / 800) + 0.005 * random_normal();
        }
    compute(ctx, &m, 20, shifts);
    for (size_t p = 0; p < 400; p++)
        for (size_t n = 0; n < 25; n++)
            if (shifts[p * 25 + n] != INT32_MIN)
                worst = fmax(worst, fabs((double)shifts[p * 25 + n] -
                                         10 * (1.7 * ((double)(n % 5) - 2) + 0.6 * ((double)(n / 5) - 2))));
    print_message("worst delay: %.2f interpolated samples off\n", worst);
    assert_true(worst < 5);
    free(shifts);
    free_movie(&m);
}

/* Of R of two traces through the transforms of the form for GPUs, over sqrt(R_pp[0] R_qq[0]). */
static double error_of_r(penta_context *ctx, penta_fft *fft, const movie *m, size_t p, size_t q)
{
    size_t n = shift_gpu.length(m->frames), row = 2 * (n / 2 + 1);
    float *x = must_calloc(2 * row, sizeof *x);
    const double *xp = m->v + p * m->frames, *xq = m->v + q * m->frames;
    double pp = 0, qq = 0, worst = 0;
    penta_buffer buffer = {0};

    for (size_t t = 0; t < m->frames; t++) {
        x[t] = (float)xp[t];
        x[row + t] = (float)xq[t];
        pp += (double)x[t] * (double)x[t];
        qq += (double)x[row + t] * (double)x[row + t];
    }
    EXPECT_OK(ctx, penta_buffer_create(ctx, 2 * row * sizeof *x, &buffer));
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, x, 2 * row * sizeof *x));
    EXPECT_OK(ctx, penta_fft_forward(fft, &buffer));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, x, 2 * row * sizeof *x));
    for (size_t k = 0; k < row; k += 2) {
        float re = x[k] * x[row + k] + x[k + 1] * x[row + k + 1], im = x[k] * x[row + k + 1] - x[k + 1] * x[row + k];

        /* both rows: VkFFT takes them together, and the larger one's errors would be the other's */
        x[k] = x[row + k] = re / (float)n;
        x[k + 1] = x[row + k + 1] = im / (float)n;
    }
    EXPECT_OK(ctx, penta_buffer_write(&buffer, 0, x, 2 * row * sizeof *x));
    EXPECT_OK(ctx, penta_fft_inverse(fft, &buffer));
    EXPECT_OK(ctx, penta_buffer_read(&buffer, 0, x, 2 * row * sizeof *x));
    for (long d = 1 - (long)m->frames; d < (long)m->frames; d++) {
        double r = 0;

        for (long t = d < 0 ? -d : 0; t < (long)m->frames && t + d < (long)m->frames; t++)
            r += (double)(float)xp[t] * (double)(float)xq[t + d];
        worst = fmax(worst, fabs((double)x[d < 0 ? d + (long)n : d] - r));
    }
    penta_buffer_release(&buffer);
    free(x);
    return worst / sqrt(pp * qq);
}

/* What the search allows for is at least five times what the transforms do. */
static void test_error(void **state)
{
    static const size_t frames[] = {150, 1000, 1024};
    penta_context *ctx = gpu_of(state);

    for (size_t f = 0; f < COUNT(frames); f++) {
        size_t n = shift_gpu.length(frames[f]);
        penta_fft_shape shape = {.rank = 1, .nx = n, .ny = 1, .batch = 2, .real = true};
        double worst = 0, allowed = shift_gpu.error * log2((double)n + 2);
        penta_fft *fft = NULL;

        EXPECT_OK(ctx, penta_fft_create(ctx, PENTA_FFT_AUTO, &shape, &fft));
        for (size_t i = 0; i < COUNT(shows); i++) {
            movie m = make_movie(2, 1, frames[f], 10, 81, 1);

            random_seed(i);
            fill(&m, shows[i]);
            worst = fmax(worst, error_of_r(ctx, fft, &m, 0, 1));
            free_movie(&m);
        }
        penta_fft_destroy(fft);
        print_message("%zu frames: error of R %.2g, allowed %.2g\n", frames[f], worst, allowed);
        assert_true(worst * 5 <= allowed);
    }
}

/* Of R in float as shift_near.cl sums it: 32 items with 8 samples of every 256, which are added by fours. */
static double error_of_near(const movie *m, size_t p, size_t q)
{
    enum { ITEMS = 32, SHARE = 8 };
    const double *xp = m->v + p * m->frames, *xq = m->v + q * m->frames;
    double pp = 0, qq = 0, worst = 0;

    for (size_t t = 0; t < m->frames; t++) {
        pp += xp[t] * xp[t];
        qq += xq[t] * xq[t];
    }
    for (long d = -20; d < 20; d++) {
        float items[ITEMS] = {0};
        double sum = 0, exact = 0;

        for (long t = d < 0 ? -d : 0; t < (long)m->frames && t + d < (long)m->frames; t++) {
            float *item = &items[t / SHARE % ITEMS], a = (float)(xp[t] / sqrt(pp)), b = (float)(xq[t + d] / sqrt(qq));

            *item = fmaf(a, b, *item);
            exact += xp[t] * xq[t + d];
        }
        for (size_t i = 0; i < ITEMS; i += 4)
            sum += (double)((items[i] + items[i + 1]) + (items[i + 2] + items[i + 3]));
        worst = fmax(worst, fabs(sum - exact / sqrt(pp * qq)));
    }
    return worst;
}

/* The same for sums at near lags. */
static void test_error_near(void **state)
{
    static const size_t frames[] = {150, 1000, 1024, 8000};

    (void)state;
    for (size_t f = 0; f < COUNT(frames); f++) {
        double worst = 0;

        for (size_t i = 0; i < COUNT(shows); i++) {
            movie m = make_movie(2, 1, frames[f], 10, 81, 1);

            random_seed(i);
            fill(&m, shows[i]);
            worst = fmax(worst, error_of_near(&m, 0, 1));
            free_movie(&m);
        }
        print_message("%zu frames: error of R at near lags %.2g, allowed %.2g\n", frames[f], worst,
                      shift_near_error(frames[f]));
        assert_true(worst * 5 <= shift_near_error(frames[f]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shows),   cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_filters), cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_window),  cmocka_unit_test(test_delays),
                                       cmocka_unit_test(test_error),   cmocka_unit_test(test_error_near)};
    int failed;

    failed = cmocka_run_group_tests_name("optmap: shifts", tests, open_device, close_device);
    if (miscompiles_near_lags())
        return failed;
    return failed + cmocka_run_group_tests_name("optmap: shifts, forms for GPUs", tests, open_gpu_form, close_device);
}
