#include "support/shift_movies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/optmap.h"
#include "support/device.h"
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

shift_movie make_shift_movie(size_t width, size_t height, size_t frames, int interp, int taps, int window)
{
    shift_movie m = {.width = width, .height = height, .frames = frames, .interp = interp, .taps = taps};

    penta_optmap_options_init(&m.options);
    m.options.interp = interp;
    m.options.window = window;
    m.options.border = PENTA_OPTMAP_SHRINK;
    m.v = must_calloc(width * height * frames, sizeof *m.v);
    m.valid = must_calloc(width * height, 1);
    memset(m.valid, 1, width * height);
    return m;
}

void free_shift_movie(shift_movie *m)
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

void fill_shift_movie(shift_movie *m, shift_show *show)
{
    for (size_t p = 0; p < m->width * m->height; p++)
        for (size_t t = 0; t < m->frames; t++)
            m->v[p * m->frames + t] = rounded(show(m, (double)(p % m->width), (double)(p / m->width), (double)t));
}

/* The same in host memory, as devices without double precision need it. */
static void give_host(const shift_movie *m, size_t pitch, const float *v, const float *low, const double *mean,
                      optmap_traces *band)
{
    size_t pixels = band->rows * m->width;

    band->host.v = must_calloc(pixels * pitch, sizeof *band->host.v);
    band->host.mean = must_calloc(pixels, sizeof *mean);
    band->host.valid = must_calloc(pixels, 1);
    for (size_t i = 0; i < pixels * pitch; i++)
        band->host.v[i] = (double)v[i] + (double)low[i];
    memcpy(band->host.mean, mean, pixels * sizeof *mean);
    memcpy(band->host.valid, m->valid + band->first * m->width, pixels);
}

/* Rows first .. first + rows - 1 on the device. */
static void upload_band(penta_context *ctx, const shift_movie *m, size_t pitch, optmap_traces *band)
{
    size_t pixels = band->rows * m->width, offset = band->first * m->width;
    float *v = must_calloc(pixels * pitch, sizeof *v), *low = must_calloc(pixels * pitch, sizeof *low);
    double *mean = must_calloc(pixels, sizeof *mean);
    float *pairs = must_calloc(pixels, 2 * sizeof *pairs); /* the means on devices without double precision */
    bool fp64 = penta_context_device(ctx)->fp64;

    for (size_t p = 0; p < pixels; p++) {
        const double *x = m->v + (offset + p) * m->frames;

        for (size_t t = 0; m->valid[offset + p] && t < m->frames; t++) {
            v[p * pitch + t] = (float)x[t];
            low[p * pitch + t] = (float)(x[t] - (double)v[p * pitch + t]);
            mean[p] += m->options.demean ? x[t] / (double)m->frames : 0;
        }
    }
    for (size_t p = 0; p < pixels; p++) {
        pairs[2 * p] = (float)mean[p];
        pairs[2 * p + 1] = (float)(mean[p] - (double)pairs[2 * p]);
    }
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * pitch * sizeof *v, &band->v));
    EXPECT_OK(ctx, penta_buffer_write(&band->v, 0, v, pixels * pitch * sizeof *v));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * pitch * sizeof *v, &band->low));
    EXPECT_OK(ctx, penta_buffer_write(&band->low, 0, low, pixels * pitch * sizeof *v));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * sizeof *mean, &band->mean));
    EXPECT_OK(ctx, penta_buffer_write(&band->mean, 0, fp64 ? (void *)mean : pairs, pixels * sizeof *mean));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels, &band->valid));
    EXPECT_OK(ctx, penta_buffer_write(&band->valid, 0, m->valid + offset, pixels));
    if (!fp64)
        give_host(m, pitch, v, low, mean, band);
    free(v);
    free(low);
    free(mean);
    free(pairs);
}

void compute_shifts(penta_context *ctx, const shift_movie *m, size_t step, int32_t *shifts)
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
        optmap_traces_release(&band);
    }
    optmap_shifter_destroy(s);
    penta_buffer_release(&out);
    free(filter.b);
}

/* ---- comparison ---- */

typedef struct {
    size_t pairs, unique, wrong;
} verdict;

static double *interpolated(const shift_movie *m)
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

static bool has_result(const shift_movie *m, long x, long y)
{
    long r = m->options.window / 2;

    return m->options.border == PENTA_OPTMAP_SHRINK ||
           (x >= r && y >= r && x < (long)m->width - r && y < (long)m->height - r);
}

/* Every entry. Both (p, q) and (q, p) against one sum. */
static verdict compare(const shift_movie *m, const int32_t *shifts)
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

static int32_t *make_shifts(const shift_movie *m)
{
    return must_calloc(m->width * m->height * (size_t)(m->options.window * m->options.window), sizeof(int32_t));
}

double check_shift_bands(penta_context *ctx, const shift_movie *m, size_t step)
{
    int32_t *whole = make_shifts(m), *bands = make_shifts(m);
    verdict v;

    compute_shifts(ctx, m, m->height, whole);
    v = compare(m, whole);
    if (v.wrong > 0)
        fail_msg("%zu of %zu shifts are wrong (%zu frames, interp %d, taps %d)", v.wrong, v.unique, m->frames,
                 m->interp, m->taps);
    if (step > 0) {
        compute_shifts(ctx, m, step, bands);
        assert_memory_equal(whole, bands,
                            m->width * m->height * (size_t)(m->options.window * m->options.window) * sizeof *whole);
    }
    free(whole);
    free(bands);
    return v.pairs ? (double)v.unique / (double)v.pairs : 1;
}

double check_shifts(penta_context *ctx, const shift_movie *m)
{
    return check_shift_bands(ctx, m, 0);
}

/* ---- what movies show ---- */

static double pulse(double t)
{
    return t < 0 ? 0 : (1 - exp(-t / 2)) * (t < 60 ? 1 - t / 120 : 0.5 * exp(-(t - 60) / 15));
}

double wave_show(const shift_movie *m, double x, double y, double t)
{
    double beat = fmod(t + 150 - 1.7 * x - 0.6 * y - 40, 150);

    (void)m;
    return pulse(beat) - 0.3;
}

double noisy_wave_show(const shift_movie *m, double x, double y, double t)
{
    return wave_show(m, x, y, t) + 0.1 * random_normal();
}

double noise_show(const shift_movie *m, double x, double y, double t)
{
    (void)m, (void)x, (void)y, (void)t;
    return random_normal();
}

double slope_show(const shift_movie *m, double x, double y, double t)
{
    return (1 + 0.1 * x) * t / (double)m->frames + 0.01 * y;
}

static double falling(const shift_movie *m, double x, double y, double t)
{
    return -slope_show(m, x, y, t) * (x < 2 ? -1 : 1);
}

static double sine(const shift_movie *m, double x, double y, double t)
{
    (void)m;
    return sin(2 * acos(-1) * (t - 0.37 * x + 0.21 * y) / 16);
}

static double steps(const shift_movie *m, double x, double y, double t)
{
    (void)m;
    return floor(4 * (2 + sin(t / 9 - x / 3 - y / 5))) > 9 ? 255 : floor(4 * (2 + sin(t / 9 - x / 3 - y / 5)));
}

static double high(const shift_movie *m, double x, double y, double t)
{
    return 1000 + wave_show(m, x, y, t);
}

static double alternating(const shift_movie *m, double x, double y, double t)
{
    (void)m;
    return (fmod(t, 2) < 1 ? 1 : -1) * (1 + 0.2 * sin(t / 7 + x)) + 0.05 * y * cos(t / 3);
}

/* A pulse at the very end, or the beginning. */
static double at_end(const shift_movie *m, double x, double y, double t)
{
    double middle = x < 2 ? 0.5 * y : (double)m->frames - 1 - 0.7 * y;

    return exp(-(t - middle) * (t - middle) / 8);
}

shift_show *const shift_shows[SHIFT_SHOWS] = {wave_show, noisy_wave_show, noise_show, slope_show,  falling,
                                              sine,      steps,           high,       alternating, at_end};
