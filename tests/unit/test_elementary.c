/*
 * cl/common/elementary.clh against the host's libm in long double, and bit for bit on the device against the same file
 * compiled as C.
 */
#include "support/test.h"

#include <float.h>
#include "math/opencl_as_c.h"

#include "../../cl/common/elementary.clh"

#include "math/rng.h"
#include "support/test_kernel.h"

enum { POINTS = 1 << 20 };

/* Uniform in [from, to), the same on every run. */
static double between(double from, double to, uint64_t i)
{
    penta_rng rng = penta_rng_at(20260101, PENTA_RNG_GENERAL, i);

    return from + (to - from) * penta_rng_uniform(&rng);
}

/* ---- accuracy ---- */

static void expect_relative(const char *name, double x, double got, long double want, double tolerance)
{
    if (!(fabsl((long double)got - want) <= (long double)tolerance * fabsl(want)))
        fail_msg("%s(%a) is %a: relative error %Lg", name, x, got, (long double)got / want - 1);
}

TEST(exp)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        double x = i % 2 ? between(-708.39, 709.78, i) : between(-1, 1, i);

        expect_relative("exp", x, penta_exp(x), expl((long double)x), 2.3e-16);
    }
    assert_true(penta_exp(0.0) == 1.0 && penta_exp(-0.0) == 1.0 && penta_exp(1e-300) == 1.0);
    assert_true(isinf(penta_exp(INFINITY)) && isinf(penta_exp(709.782712893385)) && isinf(penta_exp(1e300)));
    assert_true(penta_exp(709.782712893384) > 1.797e308 && isfinite(penta_exp(709.782712893384)));
    assert_true(penta_exp(-INFINITY) == 0 && penta_exp(-708.39641853226420) == 0 && penta_exp(-1e300) == 0);
    assert_true(penta_exp(-708.39641853226400) >= DBL_MIN);
    assert_true(isnan(penta_exp(NAN)));
}

TEST(log)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        double wide = exp(between(-744, 709, i)), near = 1 + between(-0.5, 1, i), nearer = 1 + between(-1e-9, 1e-9, i);

        expect_relative("log", wide, penta_log(wide), logl((long double)wide), 2.3e-16);
        expect_relative("log", near, penta_log(near), logl((long double)near), 2.3e-16);
        expect_relative("log", nearer, penta_log(nearer), logl((long double)nearer), 2.3e-16);
    }
    assert_true(penta_log(1.0) == 0.0);
    assert_true(penta_log(0.0) == -INFINITY && penta_log(-0.0) == -INFINITY && penta_log(INFINITY) == INFINITY);
    assert_true(isnan(penta_log(-1.0)) && isnan(penta_log(-INFINITY)) && isnan(penta_log(NAN)));
    expect_relative("log", DBL_TRUE_MIN, penta_log(DBL_TRUE_MIN), logl((long double)DBL_TRUE_MIN), 2.3e-16);
    expect_relative("log", DBL_MAX, penta_log(DBL_MAX), logl((long double)DBL_MAX), 2.3e-16);
}

TEST(erf)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        double tail = between(0, 26.543, i), near = between(-7, 3, i), tiny = exp(between(-700, 0, i));

        expect_relative("erfc", tail, penta_erfc(tail), erfcl((long double)tail), 8e-16);
        expect_relative("erfc", near, penta_erfc(near), erfcl((long double)near), 8e-16);
        expect_relative("erf", near, penta_erf(near), erfl((long double)near), 4e-16);
        expect_relative("erf", tiny, penta_erf(tiny), erfl((long double)tiny), 4e-16);
        assert_true(penta_erf(-near) == -penta_erf(near));
    }
    assert_true(penta_erfc(0.0) == 1.0 && penta_erfc(-0.0) == 1.0 && penta_erf(0.0) == 0.0);
    assert_true(penta_erfc(INFINITY) == 0 && penta_erfc(-INFINITY) == 2 && penta_erfc(26.5433) == 0);
    assert_true(penta_erfc(27.5) == 0 && penta_erfc(1e300) == 0 && penta_erfc(26.543258) >= DBL_MIN);
    assert_true(penta_erf(INFINITY) == 1 && penta_erf(-INFINITY) == -1 && penta_erf(DBL_MIN / 2) == 0);
    assert_true(isnan(penta_erfc(NAN)) && isnan(penta_erf(NAN)));
}

TEST(cosine)
{
    const long double two_pi = 6.283185307179586476925286766559L;

    for (uint64_t i = 0; i < POINTS; i++) {
        double v = between(0, 1, i), error = (double)((long double)penta_cos2pi(v) - cosl(two_pi * (long double)v));

        if (!(fabs(error) <= 2.3e-16))
            fail_msg("cos2pi(%a) is %a, off by %g", v, penta_cos2pi(v), error);
    }
    assert_true(penta_cos2pi(0.0) == 1 && penta_cos2pi(0.25) == 0 && penta_cos2pi(0.5) == -1 &&
                penta_cos2pi(0.75) == 0 && penta_cos2pi(1.0) == 1);
}

/* A float argument and what a double has beyond it. */
TEST(float_exp)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        double x = i % 4 == 0 ? between(-87.2, 88, i) : between(-2, 2, i);
        float hi = (float)x, lo = (float)(x - (double)hi);

        expect_relative("expf", x, (double)penta_expf(hi, lo), expl((long double)hi + (long double)lo), 1e-7);
    }
    expect_relative("expf", 1, (double)penta_expf(1.0f, 0x1p-10f), expl(1.0009765625L), 1e-7);
    assert_true(penta_expf(0.0f, 0.0f) == 1.0f);
    assert_true(penta_expf(-87.4f, 0.0f) == 0 && penta_expf(-1e30f, 0.0f) == 0 && penta_expf(-INFINITY, 0.0f) == 0);
    assert_true(isnan(penta_expf(NAN, 0.0f)));
}

/* ---- the device's bits ---- */

enum { EXP, LOG, ERFC, ERF, COS2PI, FUNCTIONS };

#define CHOOSE                                                                                                         \
    "penta_real chosen(penta_real x, int f)\n"                                                                         \
    "{ return f == 0 ? penta_exp(x) : f == 1 ? penta_log(x) : f == 2 ? penta_erfc(x) : f == 3 ? penta_erf(x)\n"        \
    "         : penta_cos2pi(x); }\n"

static const char one_source[] =
    CHOOSE "__kernel void unit_one(__global const double *x, int f, __global double *out)\n"
           "{ size_t i = get_global_id(0); out[i] = chosen(x[i], f); }\n";
static const char eight_source[] =
    CHOOSE "__kernel void unit_eight(__global const double *x, int f, __global double *out)\n"
           "{ size_t i = get_global_id(0); vstore8(chosen(vload8(i, x), f), i, out); }\n";

#define FLOATS(n)                                                                                                      \
    "__kernel void unit_floats" #n "(__global const float *hi, __global const float *lo, __global float *out)\n"       \
    "{ size_t i = get_global_id(0);\n"                                                                                 \
    "  vstore" #n "(penta_expf" #n "(vload" #n "(i, hi), vload" #n "(i, lo)), i, out); }\n"

static const char float_source[] =
    "__kernel void unit_float(__global const float *hi, __global const float *lo, __global float *out)\n"
    "{ size_t i = get_global_id(0); out[i] = penta_expf(hi[i], lo[i]); }\n" FLOATS(4) FLOATS(8) FLOATS(16);

static double host_value(int function, double x)
{
    switch (function) {
    case EXP:
        return penta_exp(x);
    case LOG:
        return penta_log(x);
    case ERFC:
        return penta_erfc(x);
    case ERF:
        return penta_erf(x);
    default:
        return penta_cos2pi(x);
    }
}

static double device_point(int function, uint64_t i)
{
    static const double special[] = {0.0,     -0.0,    1.0, -1.0,      INFINITY, -INFINITY, NAN,
                                     DBL_MIN, DBL_MAX, 710, -708.3964, -745,     26.5432,   26.55,
                                     28,      40,      -40, 0.75,      -0.75,    0x1p-1074, 0x1p-1030};

    if (function == COS2PI)
        return between(0, 1, i);
    if (i < sizeof special / sizeof *special)
        return special[i];
    if (function == LOG)
        return i % 2 ? exp(between(-744, 709, i)) : between(0.5, 2, i);
    return function == EXP ? between(-760, 720, i) : i % 2 ? between(-28, 28, i) : between(-2, 2, i);
}

static void expect_bits(const char *what, int function, double x, double got, double want)
{
    if (as_ulong(got) != as_ulong(want) && !(isnan(got) && isnan(want)))
        fail_msg("%s, function %d of %a: %a on the device, %a on the host", what, function, x, got, want);
}

static void run_double(penta_context *ctx, const char *name, const char *source, const char *defines, size_t lanes)
{
    HELD double *x = malloc(POINTS * sizeof *x), *got = malloc(POINTS * sizeof *got);
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0};
    HELD_BY(penta_buffer_release) penta_buffer in = {0}, out = {0};

    assert_true(x && got);
    get_test_kernel(ctx, "common/elementary.clh", source, name, defines, &kernel);
    EXPECT_OK(ctx, penta_buffer_create(ctx, POINTS * sizeof *x, &in));
    EXPECT_OK(ctx, penta_buffer_create(ctx, POINTS * sizeof *got, &out));
    for (int f = 0; f < FUNCTIONS; f++) {
        for (uint64_t i = 0; i < POINTS; i++)
            x[i] = device_point(f, i);
        EXPECT_OK(ctx, penta_buffer_write(&in, 0, x, POINTS * sizeof *x));
        EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(POINTS / lanes), ARGS(&in, f, &out)));
        EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, POINTS * sizeof *got));
        for (size_t i = 0; i < POINTS; i++)
            expect_bits(name, f, x[i], got[i], host_value(f, x[i]));
    }
}

TEST(device_double)
{
    if (!penta_context_device(*state)->fp64)
        leave_out_test("this device has no double precision");
    run_double(*state, "unit_one", one_source, "", 1);
}

TEST(device_eight_lanes)
{
    if (!penta_context_device(*state)->fp64)
        leave_out_test("this device has no double precision");
    run_double(*state, "unit_eight", eight_source, "-DPENTA_LANES=8", 8);
}

DEVICE_TEST(device_float)
{
    static const char *const names[] = {"unit_float", "unit_floats4", "unit_floats8", "unit_floats16"};
    static const size_t lanes[] = {1, 4, 8, 16};
    HELD float *hi = malloc(POINTS * sizeof *hi), *lo = malloc(POINTS * sizeof *lo),
               *got = malloc(POINTS * sizeof *got);
    HELD_BY(penta_buffer_release) penta_buffer a = {0}, b = {0}, out = {0};

    assert_true(hi && lo && got);
    for (uint64_t i = 0; i < POINTS; i++) {
        double x = i % 2 ? between(-100, 88, i) : between(-2, 2, i);

        hi[i] = (float)x;
        lo[i] = (float)(x - (double)hi[i]);
    }
    EXPECT_OK(ctx, penta_buffer_create(ctx, POINTS * sizeof *hi, &a));
    EXPECT_OK(ctx, penta_buffer_create(ctx, POINTS * sizeof *lo, &b));
    EXPECT_OK(ctx, penta_buffer_create(ctx, POINTS * sizeof *got, &out));
    EXPECT_OK(ctx, penta_buffer_write(&a, 0, hi, POINTS * sizeof *hi));
    EXPECT_OK(ctx, penta_buffer_write(&b, 0, lo, POINTS * sizeof *lo));
    for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
        HELD_BY(penta_kernel_release) penta_kernel kernel = {0};

        get_test_kernel(ctx, "common/elementary.clh", float_source, names[k], "", &kernel);
        EXPECT_OK(ctx, penta_launch(&kernel, penta_grid_1d(POINTS / lanes[k]), ARGS(&a, &b, &out)));
        EXPECT_OK(ctx, penta_buffer_read(&out, 0, got, POINTS * sizeof *got));
        for (size_t i = 0; i < POINTS; i++)
            if (as_uint(got[i]) != as_uint(penta_expf(hi[i], lo[i])))
                fail_msg("%s(%a, %a) is %a on the device, %a on the host", names[k], (double)hi[i], (double)lo[i],
                         (double)got[i], (double)penta_expf(hi[i], lo[i]));
    }
}

ON_DEVICE;
