/*
 * The survey's statistics of each pixel against their definitions, in long double: the cubic from Legendre polynomials
 * and the normal equations, medians by sorting. Widths around the number of pixels that are measured at a time, all
 * types of numbers, two cameras, pixels that are dark, constant or not finite.
 */
#include "support/test.h"

#include "optmap/survey_lanes.h"
#include "optmap/survey_places.h"

enum { FRAMES = 57, HEIGHT = 5, MOST_WIDTH = 70, MOST = MOST_WIDTH * HEIGHT };

typedef struct {
    double value[FRAMES][MOST], under[FRAMES][MOST]; /* as the type holds them */
    double store[2][FRAMES][MOST];                   /* in the type */
    const void *frames[2][FRAMES];
    float maps[7][MOST];
    double basis[SURVEY_TERMS * FRAMES];
    uint8_t kind[MOST];
    penta_survey out;
    penta_movie movie;
    survey s;
} scene;

/* ---- movies ---- */

static double random_number(uint32_t *x)
{
    *x = *x * 1664525 + 1013904223;
    return (double)*x / 4294967296;
}

static double put(penta_type type, void *frame, size_t i, double v)
{
    switch (type) {
    case PENTA_U8:
        return ((uint8_t *)frame)[i] = (uint8_t)(v / 16);
    case PENTA_U16:
        return ((uint16_t *)frame)[i] = (uint16_t)v;
    case PENTA_I16:
        return ((int16_t *)frame)[i] = (int16_t)(v - 100);
    case PENTA_U32:
        return ((uint32_t *)frame)[i] = (uint32_t)(v * 1e6);
    case PENTA_I32:
        return ((int32_t *)frame)[i] = (int32_t)(v * 1e5) - 7;
    case PENTA_F32:
        return (double)(((float *)frame)[i] = (float)v);
    default:
        return ((double *)frame)[i] = v;
    }
}

/* Light of 500 to 3500 with a wave, a slope and noise; of each 11 pixels one is constant, of each 13 one is 0, and of
 * reals each 17th has a NaN. */
static void film(scene *m, penta_type type, size_t width, bool two)
{
    uint32_t x = 12345 + (uint32_t)width;
    size_t pixels = width * HEIGHT;

    for (size_t n = 0; n < FRAMES; n++)
        for (size_t i = 0; i < pixels; i++) {
            double light = 500 + 3000 * fabs(sin((double)i)), wave = sin(0.3 * (double)n + 0.05 * (double)i);
            double v = light * (1 + 0.05 * wave + 0.001 * (double)n) + 20 * random_number(&x);

            v = i % 13 == 5 ? 0 : i % 11 == 3 ? light : v;
            if (i % 17 == 2 && n == 9 && (type == PENTA_F32 || type == PENTA_F64))
                v = NAN;
            m->value[n][i] = put(type, m->store[0][n], i, v);
            m->under[n][i] = two ? put(type, m->store[1][n], i, 900 + 100 * random_number(&x)) : 1;
        }
    for (size_t n = 0; n < FRAMES; n++)
        for (int c = 0; c < 2; c++)
            m->frames[c][n] = m->store[c][n];
    m->movie = (penta_movie){.type = type, .frames = m->frames[0], .under = two ? m->frames[1] : NULL};
}

static double f_of(const scene *m, size_t n, size_t i)
{
    return m->value[n][i] / m->under[n][i];
}

/* ---- the definitions ---- */

static long double legendre(int k, size_t n)
{
    long double t = 2.0L * (long double)n / (FRAMES - 1) - 1;

    return k == 0 ? 1 : k == 1 ? t : k == 2 ? 1.5L * t * t - 0.5L : 2.5L * t * t * t - 1.5L * t;
}

/* Subtracts the cubic of least squares, by elimination. */
static void take_cubic(long double *trace)
{
    long double a[4][5] = {{0}};

    for (size_t n = 0; n < FRAMES; n++)
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++)
                a[i][j] += legendre(i, n) * legendre(j, n);
            a[i][4] += legendre(i, n) * trace[n];
        }
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 4; r++)
            if (r != i) {
                long double f = a[r][i] / a[i][i];

                for (int j = 0; j < 5; j++)
                    a[r][j] -= f * a[i][j];
            }
    for (size_t n = 0; n < FRAMES; n++)
        for (int i = 0; i < 4; i++)
            trace[n] -= a[i][4] / a[i][i] * legendre(i, n);
}

static void spread_of(const long double *trace, double *spread, double *memory)
{
    long double square = 0, product = 0;

    for (size_t n = 0; n < FRAMES; n++) {
        square += trace[n] * trace[n];
        product += n >= SURVEY_LAG ? trace[n] * trace[n - SURVEY_LAG] : 0;
    }
    *spread = (double)sqrtl(square / FRAMES);
    *memory = square > 0 ? (double)(product / square) : 0;
}

static int ascending(const void *a, const void *b)
{
    const long double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double noise_of(const scene *m, size_t i)
{
    long double second[FRAMES - 2];

    for (size_t n = 1; n + 1 < FRAMES; n++)
        second[n - 1] = fabsl((long double)f_of(m, n - 1, i) - 2.0L * f_of(m, n, i) + f_of(m, n + 1, i));
    qsort(second, FRAMES - 2, sizeof *second, ascending);
    return (double)(second[(FRAMES - 2) / 2] / 1.652L);
}

/* ---- what is expected ---- */

static void expect_about(double found, double expected, double scale)
{
    if (!(fabs(found - expected) <= 2e-6 * fabs(expected) + 1e-12 * scale))
        fail_msg("%.9g instead of %.9g", found, expected);
}

static void expect_single(const scene *m, size_t i)
{
    long double trace[FRAMES], sum = 0, light = 0;
    double spread, memory, scale;

    for (size_t n = 0; n < FRAMES; n++) {
        trace[n] = f_of(m, n, i);
        sum += trace[n];
        light += m->value[n][i];
    }
    if (isnan(sum)) {
        assert_true(m->s.mean[i] == 0 && m->s.spread[i] == 0 && m->s.noise[i] == 0 && m->s.memory[i] == 0);
        return;
    }
    expect_about((double)m->s.light[i], (double)(light / FRAMES), 0);
    expect_about((double)m->s.mean[i], (double)(sum / FRAMES), 0);
    scale = sum != 0 ? fabs((double)sum / FRAMES) : 1;
    take_cubic(trace);
    spread_of(trace, &spread, &memory);
    expect_about((double)m->s.noise[i], noise_of(m, i) / scale, 1);
    if (spread < 1e-10 * scale) { /* rounding */
        assert_true(m->s.spread[i] == 0);
        return;
    }
    expect_about((double)m->s.spread[i], spread / scale, 1);
    expect_about((double)m->s.memory[i], memory, 1);
}

static bool counts(const scene *m, size_t i)
{
    return m->s.mean[i] != 0 && m->s.spread[i] > 0;
}

static void expect_odd(const scene *m, size_t x, size_t y)
{
    size_t width = m->s.width, i = y * width + x, known = 0;
    long double trace[FRAMES], near[8];
    double odd = 0, memory = 0;

    for (size_t n = 0; n < FRAMES; n++) {
        known = 0;
        for (size_t v = 0; v < HEIGHT; v++)
            for (size_t u = 0; u < width; u++)
                if (u + 1 >= x && u <= x + 1 && v + 1 >= y && v <= y + 1 && (u != x || v != y) &&
                    counts(m, v * width + u))
                    near[known++] = (long double)f_of(m, n, v * width + u) / (long double)m->s.mean[v * width + u];
        qsort(near, known, sizeof *near, ascending);
        trace[n] = known < 3 ? 0
                             : (long double)f_of(m, n, i) / (long double)m->s.mean[i] -
                                   (near[(known - 1) / 2] + near[known / 2]) / 2;
    }
    if (known >= 3 && m->s.mean[i] != 0) {
        take_cubic(trace);
        spread_of(trace, &odd, &memory);
    }
    expect_about((double)m->s.odd[i], odd, 1);
    expect_about((double)m->s.odd_memory[i], memory, 1);
}

/* Orthonormal, as survey_run makes them. */
static void fill_basis(scene *m)
{
    for (int k = 0; k < SURVEY_TERMS; k++) {
        long double p[FRAMES], length = 0;

        for (size_t n = 0; n < FRAMES; n++)
            p[n] = legendre(k, n);
        for (int j = 0; j < k; j++) {
            long double dot = 0;

            for (size_t n = 0; n < FRAMES; n++)
                dot += p[n] * (long double)m->basis[j * FRAMES + (int)n];
            for (size_t n = 0; n < FRAMES; n++)
                p[n] -= dot * (long double)m->basis[j * FRAMES + (int)n];
        }
        for (size_t n = 0; n < FRAMES; n++)
            length += p[n] * p[n];
        for (size_t n = 0; n < FRAMES; n++)
            m->basis[k * FRAMES + (int)n] = (double)(p[n] / sqrtl(length));
    }
}

static void measure(scene *m, penta_context *ctx, size_t width)
{
    float **const maps[] = {&m->s.light, &m->s.mean, &m->s.spread,    &m->s.memory,
                            &m->s.noise, &m->s.odd,  &m->s.odd_memory};

    memset(m->maps, 0, sizeof m->maps);
    m->out.kind = m->kind;
    m->s = (survey){.ctx = ctx,
                    .width = width,
                    .height = HEIGHT,
                    .frames = FRAMES,
                    .pixels = width * HEIGHT,
                    .movie = &m->movie,
                    .out = &m->out,
                    .basis = m->basis};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        *maps[i] = m->maps[i];
    EXPECT_OK(ctx, survey_measure(&m->s));
}

TEST(pixels)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_U32, PENTA_I32, PENTA_F32, PENTA_F64};
    static const size_t widths[] = {1, 2, 31, 32, 33, MOST_WIDTH};
    HELD scene *m = must_calloc(1, sizeof *m);

    fill_basis(m);
    for (size_t t = 0; t < 2 * sizeof types / sizeof *types; t++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            film(m, types[t / 2], widths[w], t % 2);
            measure(m, device_of(state), widths[w]);
            for (size_t i = 0; i < m->s.pixels; i++) {
                expect_single(m, i);
                expect_odd(m, i % widths[w], i / widths[w]);
            }
        }
}

/* ---- places ---- */

static double mean_around(const scene *m, size_t pixel, size_t n)
{
    size_t width = m->s.width;
    double sum = 0, count = 0;

    for (size_t i = 0; i < m->s.pixels; i++) {
        long across = labs((long)(i % width) - (long)(pixel % width));
        long down = labs((long)(i / width) - (long)(pixel / width));

        if (across <= 2 && down <= 2 && m->kind[i] == PENTA_SURVEY_TISSUE && m->s.mean[i] != 0) {
            sum += f_of(m, n, i) / (double)m->s.mean[i];
            count++;
        }
    }
    return sum / count;
}

TEST(places)
{
    enum { WIDTH = 23 };
    static const size_t pixels[] = {0, 22, 40, 60, 5 * 23 - 1};
    HELD scene *m = must_calloc(1, sizeof *m);
    HELD double *out = must_calloc(sizeof pixels / sizeof *pixels, FRAMES * sizeof *out);

    fill_basis(m);
    for (int two = 0; two < 2; two++) {
        film(m, PENTA_F32, WIDTH, two);
        measure(m, device_of(state), WIDTH);
        for (size_t i = 0; i < m->s.pixels; i++)
            m->kind[i] = i % 7 == 1 ? PENTA_SURVEY_BACKGROUND : PENTA_SURVEY_TISSUE;
        survey_places(&m->s, sizeof pixels / sizeof *pixels, pixels, out);
        assert_false(m->s.failed);
        for (size_t k = 0; k < sizeof pixels / sizeof *pixels; k++)
            for (size_t n = 0; n < FRAMES; n++)
                expect_about(out[k * FRAMES + n], mean_around(m, pixels[k], n), 1);
    }
}

ON_DEVICE;
