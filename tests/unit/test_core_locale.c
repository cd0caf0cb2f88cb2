/*
 * A program that has set a locale with a decimal comma: numbers, options, messages, the defines of kernels and every
 * self-test are as in the locale "C", and the program's locale stays its own.
 */
#include "support/test.h"

#include <errno.h>
#include <locale.h>
#include "core/program.h"
#include "math/fft.h"
#include "support/locale.h"

static int enter_comma(void **state)
{
    (void)state;
    set_comma_locale();
    return 0;
}

static int leave_comma(void **state)
{
    (void)state;
    return setlocale(LC_ALL, "C") ? 0 : -1;
}

/* The thread is where the program put it. */
static void expect_comma(void)
{
    char text[16];

    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

TEST_WITH(enter_comma, leave_comma, numbers)
{
    char text[32], *end;

    expect_near(penta_strtod("0.05x", &end), 0.05, 0);
    assert_string_equal(end, "x");
    expect_near(penta_strtod("1,5", &end), 1, 0);
    assert_string_equal(end, ",5");
    errno = 0;
    assert_true(isinf(penta_strtod("1e999", NULL)));
    assert_int_equal(errno, ERANGE);
    assert_int_equal(penta_snprintf(text, sizeof text, "%g|%.2e|%d", 0.05, 1234.5, 7), 15);
    assert_string_equal(text, "0.05|1.23e+03|7");
    expect_comma();
}

TEST_WITH(enter_comma, leave_comma, pairs_in_pairs)
{
    void *outer = penta_c_locale_enter(), *inner = penta_c_locale_enter();
    char text[16];

    penta_c_locale_leave(inner);
    snprintf(text, sizeof text, "%.1f", 0.5);
    penta_c_locale_leave(outer);
    assert_string_equal(text, "0.5");
    expect_comma();
}

TEST_WITH(enter_comma, leave_comma, options)
{
    const penta_option *row = penta_nbody_option_table();
    penta_nbody_options o;
    char message[256] = "";

    penta_nbody_options_init(&o);
    while (strcmp(row->name, "eps") != 0)
        row++;
    assert_int_equal(penta_option_parse(row, &o, "0.05", message, sizeof message), PENTA_OK);
    expect_near(o.eps, 0.05, 0);
    assert_int_equal(penta_option_parse(row, &o, "0,05", message, sizeof message), PENTA_INVALID);
    assert_int_equal(penta_option_parse(row, &o, "-0.5", message, sizeof message), PENTA_INVALID);
    expect_text(message, "is -0.5");
    expect_comma();
}

TEST_WITH(enter_comma, leave_comma, messages)
{
    penta_context *ctx = *state;

    penta_fail(ctx, PENTA_INVALID, "between %g and %.3f", 0.5, 1.25);
    assert_string_equal(penta_last_error(ctx), "between 0.5 and 1.250");
}

/* All defines of the context's programs, one a line. */
static char *defines_of(const penta_context *ctx)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    for (const penta_program *p = ctx->programs; p; p = p->next)
        fprintf(f, "%s %s\n", p->file, p->defines);
    assert_int_equal(fclose(f), 0);
    return text;
}

static char *self_tests(void)
{
    HELD_BY(penta_context_held) penta_context *ctx = NULL;
    const penta_workload *w;
    char *defines;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    for (size_t i = 0; (w = penta_workload_at(i)); i++)
        if (penta_workload_selftest(w, ctx) != PENTA_OK)
            fail_msg("%s: %s", penta_workload_name(w), penta_last_error(ctx));
    defines = defines_of(ctx);
    return defines;
}

/* The kernels of both locales are the same programs, so the second half compiles nothing that the first has not. */
TEST_WITH(enter_comma, leave_comma, every_self_test)
{
    HELD char *as_c = NULL, *as_comma = NULL, *locale = NULL;

    setlocale(LC_ALL, "C");
    as_c = self_tests();
    set_comma_locale();
    locale = strdup(setlocale(LC_ALL, NULL));
    as_comma = self_tests();
    assert_non_null(locale);
    assert_string_equal(setlocale(LC_ALL, NULL), locale);
    expect_comma();
    assert_true(strlen(as_c) > 100);
    assert_string_equal(as_comma, as_c);
}

/* The libraries write their own kernels, with numbers in them: a transform forth and back is the input. */
static void check_transform(penta_context *ctx, enum penta_fft_backend backend)
{
    enum { N = 60 };
    penta_fft_shape shape = {.rank = 1, .nx = N, .ny = 1, .batch = 1};
    penta_fft *fft = NULL;
    HELD_BY(penta_buffer_release) penta_buffer data = {0};
    float in[2 * N], out[2 * N];

    for (size_t i = 0; i < COUNT(in); i++)
        in[i] = (float)(i * i % 17) - 8;
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof in, &data));
    EXPECT_OK(ctx, penta_buffer_write(&data, 0, in, sizeof in));
    EXPECT_OK(ctx, penta_fft_create(ctx, backend, &shape, &fft));
    expect_comma();
    EXPECT_OK(ctx, penta_fft_forward(fft, &data));
    EXPECT_OK(ctx, penta_fft_inverse(fft, &data));
    EXPECT_OK(ctx, penta_buffer_read(&data, 0, out, sizeof out));
    for (size_t i = 0; i < COUNT(in); i++)
        expect_near(out[i] / N, in[i], 1e-5);
    penta_fft_destroy(fft);
}

TEST_WITH(enter_comma, leave_comma, transforms)
{
    check_transform(*state, PENTA_FFT_VKFFT);
    check_transform(*state, PENTA_FFT_CLFFT);
}

ON_DEVICE;
