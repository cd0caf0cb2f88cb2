/* t0 of pairs (src/optmap/fast_shifts*.c) against the correlation sums in double. */
#include "support/test.h"

#include "math/fft.h"
#include "optmap/fast_shifts.h"
#include "support/random.h"
#include "support/shift_movies.h"

DEVICE_TEST(shows)
{
    for (size_t i = 0; i < SHIFT_SHOWS; i++) {
        HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(6, 4, 150, 10, 81, 5);

        random_seed(i);
        fill_shift_movie(&m, shift_shows[i]);
        m.valid[9] = i % 2 == 0;
        print_message("show %zu: %.3f unique\n", i, check_shift_bands(ctx, &m, 1 + i % 3));
    }
}

/* Every length is programs of its own: some of the lengths where these take long. */
DEVICE_TEST(frames)
{
    static const size_t frames[] = {2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 20, 31, 101, 127};
    size_t step = stands_in(ctx) ? 3 : 1;

    for (size_t i = 0; i < COUNT(frames); i += step)
        for (size_t show = 1; show < (frames[i] < 12 ? 4 : 3); show++) {
            HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(5, 3, frames[i], 10, 81, 3);

            random_seed(frames[i]);
            fill_shift_movie(&m, shift_shows[show]);
            check_shifts(ctx, &m);
        }
}

/* So is every filter. */
DEVICE_TEST(filters)
{
    static const int filters[][2] = {{1, 9}, {2, 81}, {3, 25}, {10, 41}, {10, 89}, {17, 137}, {10, 9}, {100, 801}};
    size_t step = stands_in(ctx) ? 2 : 1;

    for (size_t i = step - 1; i < COUNT(filters); i += step)
        for (size_t show = 1; show < 3; show++) {
            HELD_BY(free_shift_movie)
            shift_movie m = make_shift_movie(filters[i][0] > 50 ? 2 : 4, 2, filters[i][0] > 50 ? 30 : 110,
                                             filters[i][0], filters[i][1], 3);

            random_seed(i);
            fill_shift_movie(&m, shift_shows[show]);
            check_shifts(ctx, &m);
        }
}

DEVICE_TEST(options)
{
    for (int i = 0; i < 12; i++) {
        static const int lags[] = {-1, 0, 7, 100, 1099, 100000};
        HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(21, i < 6 ? 3 : 4, 110, 10, 81, i < 6 ? 3 : 1);

        random_seed((uint64_t)i);
        fill_shift_movie(&m, i % 2 ? noise_show : slope_show);
        m.options.max_lag = lags[i % 6];
        m.options.demean = i % 3 != 0;
        m.options.border = i % 2 ? PENTA_OPTMAP_FULL : PENTA_OPTMAP_SHRINK;
        check_shifts(ctx, &m);
    }
}

DEVICE_TEST(window)
{
    HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(19, 9, 40, 3, 25, 31);

    random_seed(5);
    fill_shift_movie(&m, noisy_wave_show);
    check_shifts(ctx, &m);
    m.options.window = 7;
    m.options.border = PENTA_OPTMAP_FULL;
    check_shifts(ctx, &m);
}

/* Delays of a plane wave, known without any correlation. */
DEVICE_TEST(delays)
{
    HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(20, 20, 500, 10, 81, 5);
    HELD int32_t *shifts = must_calloc(20 * 20 * 25, sizeof *shifts);
    double worst = 0;

    random_seed(3);
    for (size_t p = 0; p < 400; p++)
        for (size_t t = 0; t < 500; t++) {
            double at = (double)t - 250 - 1.7 * (double)(p % 20) - 0.6 * (double)(p / 20);

            m.v[p * 500 + t] = exp(-at * at / 800) + 0.005 * random_normal();
        }
    compute_shifts(ctx, &m, 20, shifts);
    for (size_t p = 0; p < 400; p++)
        for (size_t n = 0; n < 25; n++)
            if (shifts[p * 25 + n] != INT32_MIN)
                worst = fmax(worst, fabs((double)shifts[p * 25 + n] -
                                         10 * (1.7 * ((double)(n % 5) - 2) + 0.6 * ((double)(n / 5) - 2))));
    print_message("worst delay: %.2f interpolated samples off\n", worst);
    assert_true(worst < 5);
}

/* Of R of two traces through the transforms of the form for GPUs, over sqrt(R_pp[0] R_qq[0]). */
static double error_of_r(penta_context *ctx, penta_fft *fft, const shift_movie *m, size_t p, size_t q)
{
    size_t n = shift_gpu.length(m->frames), row = 2 * (n / 2 + 1);
    HELD float *x = must_calloc(2 * row, sizeof *x);
    const double *xp = m->v + p * m->frames, *xq = m->v + q * m->frames;
    double pp = 0, qq = 0, worst = 0;
    HELD_BY(penta_buffer_release) penta_buffer buffer = {0};

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
    return worst / sqrt(pp * qq);
}

/* What the search allows for is at least five times what the transforms do. */
TEST(error)
{
    static const size_t frames[] = {150, 1000, 1024};
    penta_context *ctx = gpu_of(state);

    for (size_t f = 0; f < COUNT(frames); f++) {
        size_t n = shift_gpu.length(frames[f]);
        penta_fft_shape shape = {.rank = 1, .nx = n, .ny = 1, .batch = 2, .real = true};
        double worst = 0, allowed = shift_gpu.error * log2((double)n + 2);
        penta_fft *fft = NULL;

        EXPECT_OK(ctx, penta_fft_create(ctx, PENTA_FFT_AUTO, &shape, &fft));
        for (size_t i = 0; i < SHIFT_SHOWS; i++) {
            HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(2, 1, frames[f], 10, 81, 1);

            random_seed(i);
            fill_shift_movie(&m, shift_shows[i]);
            worst = fmax(worst, error_of_r(ctx, fft, &m, 0, 1));
        }
        penta_fft_destroy(fft);
        print_message("%zu frames: error of R %.2g, allowed %.2g\n", frames[f], worst, allowed);
        assert_true(worst * 5 <= allowed);
    }
}

/* Of R in float as shift_near.cl sums it: 32 items with 8 samples of every 256, which are added by fours. */
static double error_of_near(const shift_movie *m, size_t p, size_t q)
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
TEST(error_near)
{
    static const size_t frames[] = {150, 1000, 1024, 8000};

    for (size_t f = 0; f < COUNT(frames); f++) {
        double worst = 0;

        for (size_t i = 0; i < SHIFT_SHOWS; i++) {
            HELD_BY(free_shift_movie) shift_movie m = make_shift_movie(2, 1, frames[f], 10, 81, 1);

            random_seed(i);
            fill_shift_movie(&m, shift_shows[i]);
            worst = fmax(worst, error_of_near(&m, 0, 1));
        }
        print_message("%zu frames: error of R at near lags %.2g, allowed %.2g\n", frames[f], worst,
                      shift_near_error(frames[f]));
        assert_true(worst * 5 <= shift_near_error(frames[f]));
    }
}

ON_DEVICE;
AS_ON_A_GPU;
