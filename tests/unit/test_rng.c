/* Philox against the published vectors, the host's draws against the device's, and the distributions of the draws. */
#include "support/test.h"

#include "math/rng.h"
#include "support/test_kernel.h"

enum { DRAWS = 1 << 20 };

/* ---- known answers: Philox4x32-10 of the Random123 distribution (kat_vectors) ---- */

static const struct {
    uint32_t counter[4], key[2], words[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};
enum { KNOWN = sizeof known / sizeof *known };

TEST(known_answers)
{
    uint32_t words[4];

    for (size_t i = 0; i < KNOWN; i++) {
        penta_philox(known[i].counter, known[i].key, words);
        assert_memory_equal(words, known[i].words, sizeof words);
    }
}

TEST(layout)
{
    const uint64_t seed = 0xa4093822299f31d0, index = 0x85a308d3243f6a88;
    const uint32_t key[2] = {0x299f31d0, 0xa4093822};
    uint32_t counter[4] = {0x243f6a88, 0x85a308d3, 0, 7}, words[4];
    penta_rng rng = penta_rng_at(seed, 7, index), again;

    for (uint32_t block = 0; block < 3; block++) {
        counter[2] = block;
        penta_philox(counter, key, words);
        assert_int_equal(penta_rng_bits(&rng), (uint64_t)words[0] << 32 | words[1]);
        assert_int_equal(penta_rng_bits(&rng), (uint64_t)words[2] << 32 | words[3]);
    }
    rng = penta_rng_at(seed, 7, index);
    again = penta_rng_at(seed, 7, index);
    assert_true(penta_rng_uniform(&rng) == (double)(penta_rng_bits(&again) >> 11) * 0x1p-53);
    assert_true(penta_rng_open(&rng) == (double)(penta_rng_bits(&again) >> 12 << 1 | 1) * 0x1p-53);
}

/* ---- distributions ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Kolmogorov's statistic D sqrt(n) of values with distribution function F; above 1.95 once in 1000 times. */
static double kolmogorov(size_t n, double *values, double (*distribution)(double))
{
    double worst = 0;

    qsort(values, n, sizeof *values, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        double f = distribution(values[i]), below = f - (double)i / (double)n, above = (double)(i + 1) / (double)n - f;

        worst = fmax(worst, fmax(below, above));
    }
    return worst * sqrt((double)n);
}

static double uniform_distribution(double x)
{
    return x;
}
static double normal_distribution(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

static void expect_distribution(double (*draw)(penta_rng *), double (*distribution)(double), double mean)
{
    double *values = malloc(DRAWS * sizeof *values), previous = 0, product, square;

    assert_non_null(values);
    for (int order = 0; order < 2; order++) { /* along one element, then one draw of each element */
        penta_rng rng = penta_rng_at(5, PENTA_RNG_GENERAL, 0);

        product = square = 0;
        for (size_t i = 0; i < DRAWS; i++) {
            if (order == 1)
                rng = penta_rng_at(5, PENTA_RNG_GENERAL, i);
            values[i] = draw(&rng);
            product += (values[i] - mean) * previous;
            previous = values[i] - mean;
            square += previous * previous;
        }
        assert_true(fabs(product / square) < 4 / sqrt(DRAWS)); /* neighbours are not correlated */
        assert_true(kolmogorov(DRAWS, values, distribution) < 1.95);
    }
    free(values);
}

TEST(uniform)
{
    penta_rng rng = penta_rng_at(1, PENTA_RNG_STAR_LIST, 0);

    expect_distribution(penta_rng_uniform, uniform_distribution, 0.5);
    expect_distribution(penta_rng_open, uniform_distribution, 0.5);
    for (int i = 0; i < DRAWS; i++) {
        double u = penta_rng_uniform(&rng), v = penta_rng_open(&rng);

        assert_true(u >= 0 && u < 1 && v > 0 && v < 1);
    }
}

/* The ends of the intervals, from blocks of zeros and ones. */
TEST(ends)
{
    penta_rng zeros = {.used = 0}, ones = {.words = {~0u, ~0u, ~0u, ~0u}, .used = 0};

    assert_true(penta_rng_uniform(&zeros) == 0 && penta_rng_open(&zeros) == 0x1p-53);
    assert_true(penta_rng_uniform(&ones) == 1 - 0x1p-53 && penta_rng_open(&ones) == 1 - 0x1p-53);
}

TEST(normal)
{
    expect_distribution(penta_rng_normal, normal_distribution, 0);
}

TEST(below)
{
    penta_rng rng = penta_rng_at(9, PENTA_RNG_BOOTSTRAP, 3);
    const uint64_t most = (uint64_t)3 << 62; /* a remainder would favour the lower third twofold */
    size_t counts[7] = {0}, low = 0;
    double chi2 = 0;

    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = penta_rng_below(&rng, 7);

        assert_true(value < 7);
        counts[value]++;
    }
    for (int i = 0; i < 7; i++)
        chi2 += pow((double)counts[i] - DRAWS / 7.0, 2) / (DRAWS / 7.0);
    assert_true(chi2 < 22.5); /* 6 degrees of freedom, once in 1000 */
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = penta_rng_below(&rng, most);

        assert_true(value < most);
        low += value < most / 3;
    }
    assert_true(fabs((double)low - DRAWS / 3.0) < 4 * sqrt(DRAWS * 2.0 / 9));
    for (int i = 0; i < 100; i++)
        assert_int_equal(penta_rng_below(&rng, 1), 0);
}

/* Streams, seeds and elements have different numbers. */
TEST(streams_differ)
{
    uint64_t values[5];

    for (int i = 0; i < 5; i++) {
        penta_rng rng = penta_rng_at(i == 1   ? 1
                                     : i == 2 ? (uint64_t)1 << 32
                                              : 0,
                                     i == 3, i == 4 ? (uint64_t)1 << 32 : 0);

        values[i] = penta_rng_bits(&rng);
        for (int j = 0; j < i; j++)
            assert_true(values[i] != values[j]);
    }
}

/* ---- the device ---- */

static const char philox_source[] =
    "__kernel void unit_philox(__global const uint *in, __global uint *out)\n"
    "{ size_t i = get_global_id(0); __global const uint *c = in + 6 * i;\n"
    "  vstore4(penta_philox((uint4)(c[0], c[1], c[2], c[3]), (uint2)(c[4], c[5])), i, out); }\n";

DEVICE_TEST(device_philox)
{
    uint32_t got[KNOWN][4], in[KNOWN][6];
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer from = {0}, to = {0};

    for (size_t i = 0; i < KNOWN; i++) {
        memcpy(in[i], known[i].counter, sizeof known[i].counter);
        memcpy(in[i] + 4, known[i].key, sizeof known[i].key);
    }
    get_test_kernel(ctx, "common/philox.clh", philox_source, "unit_philox", "", &kernel);
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof in, &from));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &to));
    EXPECT_OK(ctx, penta_buffer_write(&from, 0, in, sizeof in));
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(KNOWN), ARGS(&from, &to)));
    EXPECT_OK(ctx, penta_buffer_read(&to, 0, got, sizeof got));
    for (size_t i = 0; i < KNOWN; i++)
        assert_memory_equal(got[i], known[i].words, sizeof got[i]);
}

#define ELEMENTS 4096
#define SEED     0x123456789abcdef0
#define FIRST    0xfffffff0u /* so that the index passes 2^32 */

/* Uniforms and a normal of each element; out holds three doubles an element. */
static const char one_source[] =
    "__kernel void unit_draws(ulong seed, ulong first, __global double *out)\n"
    "{ size_t i = get_global_id(0); penta_block b = penta_rng_block(seed, 6, first + i, 1);\n"
    "  out[3 * i] = penta_first_uniform(b); out[3 * i + 1] = penta_second_uniform(b);\n"
    "  out[3 * i + 2] = penta_normal(b); }\n";
static const char eight_source[] =
    "__kernel void unit_draws8(ulong seed, ulong first, __global double *out)\n"
    "{ size_t i = get_global_id(0);\n"
    "  penta_block b = penta_rng_block(seed, 6, (ulong8)(first + 8 * i) + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7), 1);\n"
    "  double u[8], v[8], n[8];\n"
    "  vstore8(penta_first_uniform(b), 0, u); vstore8(penta_second_uniform(b), 0, v); vstore8(penta_normal(b), 0, n);\n"
    "  for (int k = 0; k < 8; k++) {\n"
    "    out[3 * (8 * i + k)] = u[k]; out[3 * (8 * i + k) + 1] = v[k]; out[3 * (8 * i + k) + 2] = n[k]; } }\n";

static void run_draws(penta_context *ctx, const char *name, const char *source, const char *defines, size_t lanes)
{
    static double got[ELEMENTS][3];
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer out = {0};

    get_test_kernel(ctx, "common/philox.clh", source, name, defines, &kernel);
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &out));
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(ELEMENTS / lanes), ARGS((uint64_t)SEED, (uint64_t)FIRST, &out)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, sizeof got));
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        penta_rng rng = penta_rng_at(SEED, PENTA_RNG_BOOTSTRAP, FIRST + i), second;

        penta_rng_normal(&rng); /* block 0 */
        second = rng;
        assert_true(got[i][0] == penta_rng_open(&rng));
        assert_true(got[i][1] == penta_rng_open(&rng));
        assert_true(fabs(got[i][2] - penta_rng_normal(&second)) <= 4e-15);
    }
}

TEST(device_draws)
{
    if (!penta_context_device(*state)->fp64)
        leave_out_test("this device has no double precision");
    run_draws(*state, "unit_draws", one_source, "", 1);
    run_draws(*state, "unit_draws8", eight_source, "-DPENTA_LANES=8", 8);
}

static const char float_source[] = "__kernel void unit_open_float(__global const uint *in, __global float *out)\n"
                                   "{ out[get_global_id(0)] = penta_open_float(in[get_global_id(0)]); }\n";

DEVICE_TEST(device_open_float)
{
    const uint32_t in[4] = {0, 0xffffffff, 0x80000000, 0x000001ff};
    const float want[4] = {0x1p-24f, 1 - 0x1p-24f, 0.5f + 0x1p-24f, 0x1p-24f};
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer from = {0}, to = {0};
    float got[4];

    get_test_kernel(ctx, "common/philox.clh", float_source, "unit_open_float", "", &kernel);
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof in, &from));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof got, &to));
    EXPECT_OK(ctx, penta_buffer_write(&from, 0, in, sizeof in));
    EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(4), ARGS(&from, &to)));
    EXPECT_OK(ctx, penta_buffer_read(&to, 0, got, sizeof got));
    assert_memory_equal(got, want, sizeof got);
}

ON_DEVICE;
