/* The FFT seam against the definition of the transform: both backends, every layout, row hints, refusals, two threads.
 */
#include "support/test.h"

#include <complex.h>
#include <locale.h>
#include <pthread.h>
#include "core/internal.h"
#include "math/fft.h"

enum { GUARD = 64 };

/* ---- numbers ---- */

/* In [-1, 1), the same on every machine. */
static double noise(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed << 32) + i * UINT64_C(0x9E3779B97F4A7C15) + 1;

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)(int64_t)(z ^ (z >> 31)) * 0x1p-63;
}

/* What a transform of one case is judged by. */
typedef struct {
    const penta_fft_shape *shape;
    size_t row;           /* real numbers in a row of the buffer */
    size_t bytes;         /* of the buffer */
    double complex *data; /* the input, batch x ny x nx, as the device sees it (rounded to float where it works so) */
    long double complex *result; /* its transform by definition */
    double norm;                 /* largest Euclidean norm of one transform's input */
    unsigned char *buffer;       /* on the host, with a guard behind it */
    bool on_cpu;
} fft_case;

static bool has_factors_to(size_t most, size_t n)
{
    for (size_t p = 2; p <= most; p++)
        while (n > 1 && n % p == 0)
            n /= p;
    return n <= 1;
}

static double rounded(const penta_fft_shape *s, double v)
{
    return s->dbl ? v : (double)(float)v;
}

/* The definition, axis after axis; in long double, so that its own rounding does not count. */
static void transform_line(size_t n, size_t stride, long double complex *line)
{
    const long double circle = 2 * acosl(-1);
    long double complex *out = calloc(n, sizeof *out);

    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            out[k] += line[i * stride] * cexpl(-I * circle * (long double)(i * k % n) / (long double)n);
    for (size_t k = 0; k < n; k++)
        line[k * stride] = out[k];
    free(out);
}

static bool hinted_zero(const penta_fft_shape *s, size_t y)
{
    return y >= s->zero_from && y < s->zero_to;
}

static bool dropped(const penta_fft_shape *s, size_t y)
{
    return y >= s->drop_from && y < s->drop_to;
}

static void set_data(fft_case *c, uint64_t seed)
{
    const penta_fft_shape *s = c->shape;
    size_t plane = s->nx * s->ny;

    c->norm = 0;
    for (size_t b = 0; b < s->batch; b++) {
        double square = 0;

        for (size_t i = 0; i < plane; i++) {
            double re = rounded(s, noise(seed, 2 * (b * plane + i)));
            double im = s->real ? 0 : rounded(s, noise(seed, 2 * (b * plane + i) + 1));
            double complex v = hinted_zero(s, i / s->nx) ? 0 : re + im * I;

            c->data[b * plane + i] = v;
            c->result[b * plane + i] = v;
            square += creal(v * conj(v));
        }
        c->norm = fmax(c->norm, sqrt(square));
        for (size_t y = 0; y < s->ny; y++)
            transform_line(s->nx, 1, c->result + b * plane + y * s->nx);
        for (size_t x = 0; x < s->nx; x++)
            transform_line(s->ny, s->nx, c->result + b * plane + x);
    }
}

/* ---- the buffer's layout ---- */

static void store(const fft_case *c, size_t i, double v)
{
    if (c->shape->dbl)
        ((double *)(void *)c->buffer)[i] = v;
    else
        ((float *)(void *)c->buffer)[i] = (float)v;
}

static double fetch(const fft_case *c, size_t i)
{
    return c->shape->dbl ? ((double *)(void *)c->buffer)[i] : (double)((float *)(void *)c->buffer)[i];
}

static double complex fetch_complex(const fft_case *c, size_t row, size_t x)
{
    return fetch(c, row * c->row + 2 * x) + fetch(c, row * c->row + 2 * x + 1) * I;
}

/* Rows that fft.h says VkFFT does not read: a range is shortened to even bounds. */
static bool skipped(const penta_fft_shape *s, size_t y)
{
    return y >= s->zero_from + s->zero_from % 2 && y < s->zero_to - s->zero_to % 2;
}

/* The input as a caller gives it: what the layout does not count, and what the backend says it does not read, is NaN.
 */
static void fill_buffer(fft_case *c, bool reads_zeros)
{
    const penta_fft_shape *s = c->shape;

    memset(c->buffer, 0xA5, c->bytes + GUARD);
    for (size_t row = 0; row < s->batch * s->ny; row++)
        for (size_t i = 0; i < c->row; i++) {
            size_t y = row % s->ny, x = s->real ? i : i / 2;
            double complex v = x < s->nx ? c->data[row * s->nx + x] : 0;
            bool unread = x >= s->nx || (skipped(s, y) && !reads_zeros);

            store(c, row * c->row + i, unread ? (double)NAN : s->real || i % 2 == 0 ? creal(v) : cimag(v));
        }
}

/* ---- comparison; messages instead of assertions, because threads use this too ---- */

typedef char fft_message[480];

static void describe(const fft_case *c, enum penta_fft_backend backend, const char *what, fft_message message)
{
    const penta_fft_shape *s = c->shape;
    char part[200];

    snprintf(part, sizeof part, "%s", what);
    snprintf(message, sizeof(fft_message), "%s %zu x %zu x %zu %s %s, zero %zu..%zu, drop %zu..%zu: %s",
             penta_fft_backend_name(backend), s->batch, s->ny, s->nx, s->real ? "real" : "complex",
             s->dbl ? "double" : "float", s->zero_from, s->zero_to, s->drop_from, s->drop_to, part);
}

/*
 * Of one number of a transform, relative to the norm of the input: a multiple of log2(2 n) units of rounding. Measured
 * on PoCL: 1.3 for factors up to 13, 2.4 for larger primes, which go through Bluestein's or Rader's method. VkFFT takes
 * its single-precision twiddles from a GPU's native sine, 6 units off on NVIDIA's.
 */
static double tolerance(const fft_case *c)
{
    const penta_fft_shape *s = c->shape;
    double n = (double)(s->nx * s->ny), units = has_factors_to(13, s->nx) && has_factors_to(13, s->ny) ? 2 : 4;

    if (!s->dbl && !c->on_cpu)
        units = 16;
    return units * log2(2 * n) * (s->dbl ? 0x1p-53 : 0x1p-24);
}

static bool spectrum_is_right(const fft_case *c, char *what, size_t size)
{
    const penta_fft_shape *s = c->shape;
    size_t columns = s->real ? s->nx / 2 + 1 : s->nx;

    for (size_t row = 0; row < s->batch * s->ny; row++)
        for (size_t x = 0; x < columns; x++) {
            double complex got = fetch_complex(c, row, x), expected = (double complex)c->result[row * s->nx + x];
            double error = cabs(got - expected) / c->norm;

            if (!(error <= tolerance(c))) {
                snprintf(what, size, "F(%zu,%zu) of %zu is %.9g%+.9gi, not %.9g%+.9gi (%.2g over %.2g)", x, row % s->ny,
                         row / s->ny, creal(got), cimag(got), creal(expected), cimag(expected), error, tolerance(c));
                return false;
            }
        }
    return true;
}

/* Forward and inverse, unnormalised: n times the input. */
static bool round_trip_is_right(const fft_case *c, char *what, size_t size)
{
    const penta_fft_shape *s = c->shape;
    double n = (double)(s->nx * s->ny), bound = 2 * tolerance(c) * c->norm;

    for (size_t row = 0; row < s->batch * s->ny; row++)
        for (size_t x = 0; x < s->nx && !dropped(s, row % s->ny); x++) {
            double complex got = s->real ? fetch(c, row * c->row + x) : fetch_complex(c, row, x);
            double error = cabs(got / n - c->data[row * s->nx + x]);

            if (!(error <= bound)) {
                snprintf(what, size, "(%zu,%zu) of %zu comes back %.2g off, over %.2g", x, row % s->ny, row / s->ny,
                         error, bound);
                return false;
            }
        }
    return true;
}

static bool guard_is_whole(const fft_case *c)
{
    for (size_t i = 0; i < GUARD; i++)
        if (c->buffer[c->bytes + i] != 0xA5)
            return false;
    return true;
}

/* One round with new data. The spectrum is looked at in a first pass, the round trip in a second from the same buffer.
 */
static bool run_round(penta_context *ctx, penta_fft *fft, fft_case *c, penta_buffer *buffer, uint64_t seed,
                      fft_message message)
{
    char what[200] = "a call failed";
    bool ok;

    set_data(c, seed);
    fill_buffer(c, penta_fft_reads_zeros(fft));
    ok = penta_buffer_write(buffer, 0, c->buffer, c->bytes + GUARD) == PENTA_OK &&
         penta_fft_forward(fft, buffer) == PENTA_OK &&
         penta_buffer_read(buffer, 0, c->buffer, c->bytes + GUARD) == PENTA_OK;
    if (ok && !guard_is_whole(c)) {
        snprintf(what, sizeof what, "forward wrote behind its buffer");
        ok = false;
    }
    ok = ok && spectrum_is_right(c, what, sizeof what) && penta_fft_inverse(fft, buffer) == PENTA_OK &&
         penta_buffer_read(buffer, 0, c->buffer, c->bytes + GUARD) == PENTA_OK;
    if (ok && !guard_is_whole(c)) {
        snprintf(what, sizeof what, "inverse wrote behind its buffer");
        ok = false;
    }
    ok = ok && round_trip_is_right(c, what, sizeof what);
    if (!ok && strcmp(what, "a call failed") == 0)
        snprintf(what, sizeof what, "%.199s", penta_last_error(ctx));
    if (!ok)
        describe(c, penta_fft_backend_of(fft), what, message);
    return ok;
}

/* Two rounds on one plan and one buffer. A length of 1 may be refused as one that the backend cannot do. */
static bool check_shape(penta_context *ctx, enum penta_fft_backend backend, const penta_fft_shape *shape,
                        fft_message message)
{
    fft_case c = {
        .shape = shape, .row = shape->real ? 2 * (shape->nx / 2 + 1) : 2 * shape->nx, .on_cpu = penta_is_cpu(ctx)};
    size_t count = shape->nx * shape->ny * shape->batch;
    penta_buffer buffer = {0};
    penta_fft *fft = NULL;
    penta_status status = penta_fft_create(ctx, backend, shape, &fft);
    bool ok;

    if (status == PENTA_UNSUPPORTED && (shape->nx == 1 || (shape->rank == 2 && shape->ny == 1)))
        return true;
    if (status != PENTA_OK) {
        describe(&c, backend, penta_last_error(ctx), message);
        return false;
    }
    c.bytes = c.row * shape->ny * shape->batch * (shape->dbl ? sizeof(double) : sizeof(float));
    c.data = calloc(count, sizeof *c.data);
    c.result = calloc(count, sizeof *c.result);
    c.buffer = calloc(c.bytes + GUARD, 1);
    ok = penta_buffer_create(ctx, c.bytes + GUARD, &buffer) == PENTA_OK &&
         run_round(ctx, fft, &c, &buffer, 1, message) && run_round(ctx, fft, &c, &buffer, 2, message);
    penta_fft_destroy(fft);
    penta_buffer_release(&buffer);
    free(c.data);
    free(c.result);
    free(c.buffer);
    return ok;
}

static void check_shapes(penta_context *ctx, enum penta_fft_backend backend, const penta_fft_shape *shapes,
                         size_t count)
{
    fft_message message = "";
    size_t failures = 0;

    for (size_t i = 0; i < count; i++)
        if ((!shapes[i].dbl || penta_context_device(ctx)->fp64) && !check_shape(ctx, backend, &shapes[i], message)) {
            print_error("%s\n", message);
            failures++;
        }
    assert_int_equal(failures, 0);
}

/* ---- transforms ---- */

#define LINE(n, batch, real, dbl)                                                                                      \
    {                                                                                                                  \
        1, n, 1, batch, real, dbl, 0, 0, 0, 0, false                                                                   \
    }
#define PLANE(nx, ny, batch, real, dbl)                                                                                \
    {                                                                                                                  \
        2, nx, ny, batch, real, dbl, 0, 0, 0, 0, false                                                                 \
    }

TEST(vkfft)
{
    static const penta_fft_shape shapes[] = {
        LINE(1, 2, false, true),      LINE(2, 1, false, true),      LINE(7, 3, false, false),
        LINE(16, 3, false, true),     LINE(17, 2, false, false),    LINE(101, 1, false, true),
        LINE(105, 1, false, false),   LINE(1, 2, true, false),      LINE(2, 3, true, false),
        LINE(3, 1, true, true),       LINE(9, 2, true, false),      LINE(16, 1, true, true),
        LINE(17, 3, true, true),      PLANE(1, 1, 1, true, true),   PLANE(2, 2, 2, true, true),
        PLANE(6, 5, 2, false, false), PLANE(2, 17, 1, false, true), PLANE(15, 9, 1, true, false),
        PLANE(9, 16, 3, true, true),
    };

    check_shapes(*state, PENTA_FFT_VKFFT, shapes, COUNT(shapes));
}

/* Fewer: a plan of clFFT compiles for seconds on a CPU device. */
TEST(clfft)
{
    static const penta_fft_shape shapes[] = {
        LINE(1, 2, false, true),  LINE(2, 2, false, false),     LINE(77, 2, false, true),   LINE(3, 1, true, true),
        LINE(13, 3, true, false), PLANE(6, 5, 2, false, false), PLANE(2, 2, 1, true, true), PLANE(7, 4, 2, true, true),
    };

    check_shapes(*state, PENTA_FFT_CLFFT, shapes, COUNT(shapes));
}

/* All radices, rows and columns of whole vectors and of parts of them; what it cannot do, VkFFT does. */
TEST(simd)
{
    static const penta_fft_shape shapes[] = {
        PLANE(2, 2, 2, true, false),    PLANE(15, 9, 3, true, false), PLANE(64, 33, 1, true, false),
        PLANE(30, 100, 2, true, false), PLANE(7, 49, 1, true, false), PLANE(105, 20, 1, true, false),
        PLANE(6, 5, 2, false, false),   PLANE(9, 11, 1, true, false), PLANE(6, 4, 1, true, true),
    };

    check_shapes(*state, PENTA_FFT_SIMD, shapes, COUNT(shapes));
}

/* ---- row hints: zero rows of the input are not cleared between rounds, dropped rows are not looked at ---- */

#define HINTS(nx, ny, batch, dbl, z0, z1, d0, d1)                                                                      \
    {                                                                                                                  \
        2, nx, ny, batch, true, dbl, z0, z1, d0, d1, false                                                             \
    }

TEST(hints_vkfft)
{
    static const penta_fft_shape shapes[] = {
        HINTS(8, 10, 2, true, 4, 10, 3, 10), HINTS(8, 10, 1, false, 5, 10, 4, 7), HINTS(5, 10, 1, true, 3, 7, 3, 8),
        HINTS(6, 9, 2, true, 5, 9, 4, 9),    HINTS(7, 9, 2, false, 4, 9, 3, 6),   HINTS(9, 15, 1, true, 8, 15, 5, 12),
        HINTS(4, 5, 1, true, 4, 5, 3, 4),    HINTS(4, 6, 3, true, 0, 0, 1, 6),    HINTS(4, 6, 3, true, 1, 6, 0, 0),
    };

    check_shapes(*state, PENTA_FFT_VKFFT, shapes, COUNT(shapes));
}

TEST(hints_clfft)
{
    static const penta_fft_shape shapes[] = {HINTS(7, 4, 2, true, 3, 4, 2, 3), HINTS(2, 2, 1, true, 1, 2, 1, 2)};

    check_shapes(*state, PENTA_FFT_CLFFT, shapes, COUNT(shapes));
}

/* ---- refusals ---- */

static void expect_refused(penta_context *ctx, enum penta_fft_backend backend, penta_fft_shape shape,
                           penta_status expected)
{
    penta_fft *fft = (penta_fft *)1;
    penta_status status = penta_fft_create(ctx, backend, &shape, &fft);

    if (status != expected)
        fail_msg("%zu x %zu, rank %u: %s, not %s", shape.nx, shape.ny, shape.rank, penta_status_name(status),
                 penta_status_name(expected));
    assert_null(fft);
}

TEST(unsupported_lengths)
{
    expect_refused(*state, PENTA_FFT_CLFFT, (penta_fft_shape)LINE(17, 1, false, false), PENTA_UNSUPPORTED);
    assert_non_null(strstr(penta_last_error(*state), "vkfft"));
    expect_refused(*state, PENTA_FFT_CLFFT, (penta_fft_shape)PLANE(4, 34, 1, true, false), PENTA_UNSUPPORTED);
    expect_refused(*state, PENTA_FFT_CLFFT, (penta_fft_shape)LINE(1009, 1, true, false), PENTA_UNSUPPORTED);
    test_clfft(state); /* the library is none the worse for it */
}

TEST(bad_shapes)
{
    static const penta_fft_shape shapes[] = {
        {0, 4, 1, 1, false, false, 0, 0, 0, 0, false}, {3, 4, 4, 1, false, false, 0, 0, 0, 0, false},
        {1, 0, 1, 1, false, false, 0, 0, 0, 0, false}, {2, 4, 0, 1, false, false, 0, 0, 0, 0, false},
        {1, 4, 1, 0, false, false, 0, 0, 0, 0, false}, {1, 4, 2, 1, false, false, 0, 0, 0, 0, false},
        {2, 4, 4, 1, false, false, 2, 4, 0, 0, false}, {2, 4, 4, 1, true, false, 2, 5, 0, 0, false},
        {2, 4, 4, 1, true, false, 0, 0, 3, 5, false},  {1, 4, 1, 2, true, false, 0, 0, 0, 0, true},
    };

    for (size_t i = 0; i < COUNT(shapes); i++)
        for (int backend = PENTA_FFT_AUTO; backend <= PENTA_FFT_VKFFT; backend++)
            expect_refused(*state, (enum penta_fft_backend)backend, shapes[i], PENTA_INTERNAL);
    expect_refused(*state, PENTA_FFT_VKFFT, (penta_fft_shape){1, SIZE_MAX / 4, 1, 9, false, false, 0, 0, 0, 0, false},
                   PENTA_MEMORY);
}

DEVICE_TEST(small_buffer)
{
    penta_fft_shape shape = LINE(16, 3, false, false);
    penta_buffer buffer = {0};
    penta_fft *fft = NULL;
    size_t bytes;

    EXPECT_OK(ctx, penta_fft_bytes(ctx, &shape, &bytes));
    EXPECT_OK(ctx, penta_fft_create(ctx, PENTA_FFT_AUTO, &shape, &fft));
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes - 4, &buffer));
    assert_int_equal(penta_fft_forward(fft, &buffer), PENTA_INTERNAL);
    assert_int_equal(penta_fft_inverse(fft, &buffer), PENTA_INTERNAL);
    penta_buffer_release(&buffer);
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &buffer));
    EXPECT_OK(ctx, penta_fft_forward(fft, &buffer));
    EXPECT_OK(ctx, penta_finish(ctx));
    penta_buffer_release(&buffer);
    penta_fft_destroy(fft);
    penta_fft_destroy(NULL);
}

/* ---- fewer transforms than the batch ---- */

enum { PARTS_BATCH = 3 };

/* The first transforms of the batch have the bits of the whole one's. What lies behind them stays: of one by both
 * backends, of more by those that do parts. */
static void check_parts(penta_context *ctx, enum penta_fft_backend backend, penta_fft_shape shape)
{
    penta_buffer whole = {0}, some = {0};
    penta_fft *fft = NULL;
    size_t bytes;
    HELD float *data = NULL, *all = NULL, *first = NULL;

    shape.wants = PENTA_FFT_PARTS;
    shape.batch = PARTS_BATCH;
    EXPECT_OK(ctx, penta_fft_bytes(ctx, &shape, &bytes));
    data = malloc(bytes);
    all = malloc(bytes);
    first = malloc(bytes);
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = (float)noise(7, i);
    EXPECT_OK(ctx, penta_fft_create(ctx, backend, &shape, &fft));
    EXPECT_OK(ctx, penta_buffer_upload(ctx, data, bytes, &whole));
    for (int inverse = 0; inverse < 2; inverse++) {
        EXPECT_OK(ctx, penta_buffer_write(&whole, 0, data, bytes));
        EXPECT_OK(ctx, (inverse ? penta_fft_inverse : penta_fft_forward)(fft, &whole));
        EXPECT_OK(ctx, penta_buffer_read(&whole, 0, all, bytes));
        for (size_t count = 1; count <= PARTS_BATCH; count++) {
            bool cut = count == 1 || backend != PENTA_FFT_CLFFT;
            size_t done = bytes / PARTS_BATCH * count, room = count == 1 ? done : bytes;

            EXPECT_OK(ctx, penta_buffer_upload(ctx, data, room, &some));
            EXPECT_OK(ctx, (inverse ? penta_fft_inverse_first : penta_fft_forward_first)(fft, &some, count));
            EXPECT_OK(ctx, penta_buffer_read(&some, 0, first, room));
            assert_memory_equal(first, all, done);
            assert_memory_equal((char *)first + done, (cut ? (char *)data : (char *)all) + done, room - done);
            penta_buffer_release(&some);
        }
    }
    assert_int_equal(penta_fft_forward_first(fft, &whole, 0), PENTA_INTERNAL);
    assert_int_equal(penta_fft_forward_first(fft, &whole, PARTS_BATCH + 1), PENTA_INTERNAL);
    penta_fft_destroy(fft);
    penta_buffer_release(&whole);
}

TEST(parts)
{
    check_parts(*state, PENTA_FFT_VKFFT, (penta_fft_shape)PLANE(24, 10, 1, true, false));
    check_parts(*state, PENTA_FFT_VKFFT, (penta_fft_shape)PLANE(9, 6, 1, false, false));
    check_parts(*state, PENTA_FFT_VKFFT, (penta_fft_shape)PLANE(1 << 16, 2, 1, true, false)); /* in several passes */
    check_parts(*state, PENTA_FFT_CLFFT, (penta_fft_shape)PLANE(24, 10, 1, true, false));
    check_parts(*state, PENTA_FFT_SIMD, (penta_fft_shape)PLANE(24, 70, 1, true, false));
}

/* ---- sizes, names, choice ---- */

TEST(sizes)
{
    static const struct {
        penta_fft_shape shape;
        size_t bytes;
    } known[] = {
        {LINE(5, 2, false, false), 80},    {LINE(5, 2, true, false), 48},      {LINE(6, 1, true, true), 64},
        {PLANE(6, 5, 3, true, true), 960}, {PLANE(7, 2, 1, false, true), 224},
    };
    size_t bytes;

    for (size_t i = 0; i < COUNT(known); i++) {
        EXPECT_OK(*state, penta_fft_bytes(*state, &known[i].shape, &bytes));
        assert_int_equal(bytes, known[i].bytes);
    }
    assert_int_equal(penta_fft_bytes(*state, &(penta_fft_shape)PLANE(SIZE_MAX / 2, 3, 1, true, true), &bytes),
                     PENTA_MEMORY);
    for (size_t n = 1, good = 1; n < 3000; n++) {
        while (good < n || !has_factors_to(7, good))
            good++;
        assert_int_equal(penta_fft_good_size(n), good);
    }
    assert_int_equal(penta_fft_good_size(11), 12);
    assert_int_equal(penta_fft_good_size(1000), 1000);
    assert_int_equal(penta_fft_good_size(1751), 1764);
}

TEST(names)
{
    penta_fft_shape shape = LINE(16, 3, false, false);
    penta_fft *fft = NULL;

    assert_string_equal(penta_fft_backend_name(PENTA_FFT_AUTO), "auto");
    assert_string_equal(penta_fft_backend_name(PENTA_FFT_CLFFT), "clfft");
    assert_string_equal(penta_fft_backend_name(PENTA_FFT_VKFFT), "vkfft");
    assert_string_equal(penta_fft_backend_name(PENTA_FFT_SIMD), "simd");
    assert_string_equal(penta_fft_backend_name((enum penta_fft_backend)77), "?");
    EXPECT_OK(*state, penta_fft_create(*state, PENTA_FFT_AUTO, &shape, &fft));
    assert_int_equal(penta_fft_backend_of(fft), PENTA_FFT_VKFFT);
    penta_fft_destroy(fft);
}

/* VkFFT sets the locale; the program's own, which differs from one category to another, must come back whole. */
TEST(locale)
{
    penta_fft_shape shape = LINE(16, 3, false, false);
    penta_fft *fft = NULL;
    char before[512];

    if (!setlocale(LC_NUMERIC, "C.UTF-8"))
        leave_out_test("there is no locale C.UTF-8");
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    EXPECT_OK(*state, penta_fft_create(*state, PENTA_FFT_VKFFT, &shape, &fft));
    assert_string_equal(setlocale(LC_NUMERIC, NULL), "C.UTF-8");
    assert_string_equal(setlocale(LC_ALL, NULL), before);
    penta_fft_destroy(fft);
    setlocale(LC_ALL, "C");
}

/* ---- contexts of two threads at once ---- */

typedef struct {
    fft_message message;
    bool ok;
} thread_report;

static void *make_and_run(void *argument)
{
    static const penta_fft_shape shapes[] = {LINE(2, 2, false, false), PLANE(2, 2, 1, true, false)};
    thread_report *report = argument;
    HELD_BY(penta_context_held) penta_context *ctx = NULL;

    if (penta_context_create(NULL, &ctx) != PENTA_OK) {
        snprintf(report->message, sizeof report->message, "%s", penta_last_error(NULL));
        return NULL;
    }
    report->ok = true;
    for (int round = 0; round < 2 && report->ok; round++)
        for (int i = 0; i < 4 && report->ok; i++)
            report->ok = check_shape(ctx, i % 2 ? PENTA_FFT_CLFFT : PENTA_FFT_VKFFT, &shapes[i / 2], report->message);
    return NULL;
}

TEST(two_threads)
{
    thread_report reports[2] = {{"", false}, {"", false}};
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_and_run, &reports[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        if (!reports[i].ok)
            fail_msg("thread %d: %s", i, reports[i].message);
}

ON_DEVICE;
