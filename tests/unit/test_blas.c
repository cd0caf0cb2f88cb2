/* The BLAS seam against plain loops: both precisions, offsets and strides, batches, two queues, two threads, refusals.
 */
#include "support/test.h"

#include <pthread.h>
#include "math/blas.h"
#include "support/random.h"

#define UNTOUCHED 1234.5

/* One product C = A B^T of a batch of `count`, with its matrices on the host and the device. SYRK: B is A, m is n. */
typedef struct {
    penta_type real;
    size_t m, n, k, count;
    double *a, *b, *c; /* as the device sees them */
    size_t size[3];    /* elements of A's, B's, C's buffer */
    penta_buffer buffer[3];
    penta_matrix matrix[3];
} product;

enum { A = 0, B, C };

static double rounded(penta_type real, double v)
{
    return real == PENTA_F64 ? v : (double)(float)v;
}

static void upload(product *p, int which, const double *values)
{
    size_t size = p->size[which], bytes = size * penta_type_size(p->real);
    HELD float *floats = must_calloc(size, sizeof *floats);

    for (size_t i = 0; i < size; i++)
        floats[i] = (float)values[i];
    EXPECT_OK(p->buffer[which].ctx,
              penta_buffer_write(&p->buffer[which], 0, p->real == PENTA_F64 ? (const void *)values : floats, bytes));
}

static double *download(product *p, int which)
{
    size_t size = p->size[which], bytes = size * penta_type_size(p->real);
    double *values = must_calloc(size, sizeof *values);
    HELD float *floats = must_calloc(size, sizeof *floats);

    EXPECT_OK(p->buffer[which].ctx,
              penta_buffer_read(&p->buffer[which], 0, p->real == PENTA_F64 ? (void *)values : floats, bytes));
    for (size_t i = 0; p->real != PENTA_F64 && i < size; i++)
        values[i] = (double)floats[i];
    return values;
}

/* Rows 3, 5, 7 elements longer than they need be, 2 to 4 rows between matrices of a batch, offsets 0, 1 and 2 rows. */
static double *make_matrix(penta_context *ctx, product *p, int which, size_t rows, size_t columns)
{
    size_t row = columns + 3 + 2 * (size_t)which, step = row * (rows + 2 + (size_t)which), offset = row * (size_t)which;
    size_t size = offset + step * p->count;
    double *values = must_calloc(size, sizeof *values);

    p->size[which] = size;
    for (size_t i = 0; i < size; i++)
        values[i] = which == C ? UNTOUCHED : rounded(p->real, 2 * random_uniform() - 1);
    EXPECT_OK(ctx, penta_buffer_create(ctx, size * penta_type_size(p->real), &p->buffer[which]));
    p->matrix[which] = (penta_matrix){&p->buffer[which], offset, row, step};
    upload(p, which, values);
    return values;
}

static void make_product(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k, size_t count, product *p)
{
    *p = (product){.real = real, .m = m, .n = n, .k = k, .count = count};
    random_seed(m + 1000 * n + 1000000 * k);
    p->a = make_matrix(ctx, p, A, m, k);
    p->b = make_matrix(ctx, p, B, n, k);
    p->c = make_matrix(ctx, p, C, m, n);
}

static void free_product(product *p)
{
    for (int i = A; i <= C; i++)
        penta_buffer_release(&p->buffer[i]);
    free(p->a);
    free(p->b);
    free(p->c);
}

/* c[at] is the product of two rows, within what k roundings may do. */
static void expect_dot(const product *p, const double *a, const double *b, double got, size_t i, size_t j)
{
    double sum = 0, size = 0, unit = p->real == PENTA_F64 ? 0x1p-53 : 0x1p-24;

    for (size_t l = 0; l < p->k; l++) {
        sum += a[l] * b[l];
        size += fabs(a[l] * b[l]);
    }
    if (!(fabs(got - sum) <= (2 + 4 * sqrt((double)p->k)) * unit * size))
        fail_msg("%zu x %zu x %zu %s: element (%zu, %zu) is %.17g, not %.17g", p->m, p->n, p->k,
                 penta_type_name(p->real), i, j, got, sum);
}

/* Every element of C's buffer is a product, or what it was. */
static void check(product *p, bool syrk)
{
    HELD double *got = download(p, C);
    const penta_matrix *a = &p->matrix[A], *b = syrk ? a : &p->matrix[B], *c = &p->matrix[C];
    const double *second = syrk ? p->a : p->b;

    for (size_t batch = 0; batch < p->count; batch++)
        for (size_t i = 0; i < p->m; i++)
            for (size_t j = 0; j < (syrk ? i + 1 : p->n); j++) {
                double *at = &got[c->offset + batch * c->step + i * c->row + j];

                expect_dot(p, &p->a[a->offset + batch * a->step + i * a->row],
                           &second[b->offset + batch * b->step + j * b->row], *at, i, j);
                *at = UNTOUCHED;
            }
    for (size_t i = 0; i < p->size[C]; i++)
        expect_near(got[i], UNTOUCHED, 0);
}

static void run_syrk(penta_context *ctx, penta_type real, size_t n, size_t k)
{
    HELD_BY(free_product) product p;

    make_product(ctx, real, n, n, k, 1, &p);
    EXPECT_OK(ctx, penta_blas_syrk(ctx, real, n, k, &p.matrix[A], &p.matrix[C]));
    check(&p, true);
}

static void run_gemm(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k)
{
    HELD_BY(free_product) product p;

    make_product(ctx, real, m, n, k, 1, &p);
    EXPECT_OK(ctx, penta_blas_gemm(ctx, real, m, n, k, &p.matrix[A], &p.matrix[B], &p.matrix[C]));
    check(&p, false);
}

static void run_batch(penta_context *ctx, penta_type real, size_t m, size_t n, size_t k, size_t count)
{
    HELD_BY(free_product) product p;

    make_product(ctx, real, m, n, k, count, &p);
    EXPECT_OK(ctx, penta_blas_gemm_batch(ctx, real, m, n, k, &p.matrix[A], &p.matrix[B], &p.matrix[C], count));
    check(&p, false);
}

DEVICE_TEST(double)
{
    HELD_BY(free_product) product p;

    make_product(ctx, PENTA_F64, 4, 4, 16, 1, &p);
    if (penta_context_device(ctx)->fp64) {
        EXPECT_OK(ctx, penta_blas_gemm(ctx, p.real, 4, 4, 16, &p.matrix[A], &p.matrix[B], &p.matrix[C]));
        check(&p, false);
    } else {
        assert_int_equal(penta_blas_gemm(ctx, p.real, 4, 4, 16, &p.matrix[A], &p.matrix[B], &p.matrix[C]),
                         PENTA_UNSUPPORTED);
        expect_text(penta_last_error(ctx), "has no double precision");
    }
}

/* 300 x 300 x 1030 is large enough for CLBlast's other way: copies in its own layout. */
TEST(products)
{
    static const penta_type reals[] = {PENTA_F32, PENTA_F64};

    for (size_t i = 0; i < (penta_context_device(*state)->fp64 ? COUNT(reals) : 1); i++) {
        run_syrk(*state, reals[i], 1, 1);
        run_syrk(*state, reals[i], 33, 512);
        run_syrk(*state, reals[i], 300, 1030);
        run_gemm(*state, reals[i], 1, 1, 1);
        run_gemm(*state, reals[i], 5, 70, 333);
        run_gemm(*state, reals[i], 300, 300, 1030);
        run_batch(*state, reals[i], 7, 2, 65, 1);
        run_batch(*state, reals[i], 33, 70, 512, 5);
        run_batch(*state, reals[i], 300, 300, 1030, 2);
    }
}

/* A product is ordered after an upload and before the next one, and its time is in the profile. */
DEVICE_TEST(order_and_profile)
{
    HELD_BY(free_product) product p;
    const penta_profile_entry *entries;
    size_t count;
    double seconds = 0;
    uint64_t calls = 0;

    make_product(ctx, PENTA_F32, 64, 64, 4096, 1, &p);
    penta_profile_reset(ctx);
    for (int round = 0; round < 5; round++) {
        double *next = must_calloc(p.size[A], sizeof *next), *first = p.a;

        for (size_t i = 0; i < p.size[A]; i++)
            next[i] = rounded(p.real, first[i] * (round + 1));
        upload(&p, A, next);
        EXPECT_OK(ctx, penta_blas_gemm(ctx, p.real, 64, 64, 4096, &p.matrix[A], &p.matrix[B], &p.matrix[C]));
        upload(&p, A, first); /* must not reach the product above */
        p.a = next;
        check(&p, false);
        p.a = first;
        free(next);
    }
    count = penta_profile(ctx, &entries);
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].name, "clblast gemm") == 0) {
            assert_false(entries[i].transfer);
            calls = entries[i].calls;
            seconds = entries[i].seconds;
        }
    assert_int_equal(calls, 5);
    assert_true(seconds > 0);
}

DEVICE_TEST(refusals)
{
    HELD_BY(free_product) product p;
    penta_matrix narrow;

    make_product(ctx, PENTA_F32, 4, 4, 16, 1, &p);
    EXPECT_REFUSED(ctx, penta_blas_gemm(ctx, p.real, 4, 4, 1000, &p.matrix[A], &p.matrix[B], &p.matrix[C]),
                   PENTA_DEVICE, "clblast gemm failed with CLBlast status -10");
    narrow = p.matrix[C];
    narrow.row = 3;
    EXPECT_REFUSED(ctx, penta_blas_syrk(ctx, p.real, 4, 16, &p.matrix[A], &narrow), PENTA_DEVICE,
                   "clblast syrk failed with CLBlast status -1014");
    assert_int_equal(penta_blas_gemm_batch(ctx, p.real, 4, 4, 16, &p.matrix[A], &p.matrix[B], &p.matrix[C], 9),
                     PENTA_DEVICE);
    EXPECT_OK(ctx, penta_blas_gemm(ctx, p.real, 4, 4, 16, &p.matrix[A], &p.matrix[B], &p.matrix[C]));
    check(&p, false); /* the context works on */
}

/* What was compiled is forgotten with the last holder, and made again. */
TEST(holders)
{
    penta_blas_hold();
    penta_blas_hold();
    run_gemm(*state, PENTA_F32, 5, 6, 7);
    penta_blas_release();
    run_gemm(*state, PENTA_F32, 6, 7, 8);
    penta_blas_release();
    run_gemm(*state, PENTA_F32, 7, 8, 9);
}

/* ---- contexts of two threads at once; cmocka's expectations are for its own thread ---- */

enum { N = 17, K = 64, BATCH = 3, ROUNDS = 4 };

static float entry(size_t batch, size_t i, size_t l)
{
    return (float)((batch + 3 * i + l * l) % 7);
}

static bool is_product(const float *c, size_t batch)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            float sum = 0;

            for (size_t l = 0; l < K; l++)
                sum += entry(batch, i, l) * entry(batch, j, l);
            if (!(fabsf(c[i * N + j] - sum) <= 0))
                return false;
        }
    return true;
}

static bool multiply(penta_context *ctx, penta_buffer *a, penta_buffer *c)
{
    float in[BATCH][N][K], out[BATCH][N * N];
    const penta_matrix from = {a, 0, K, (size_t)N * K}, to = {c, 0, N, (size_t)N * N};
    bool right = true;

    for (size_t batch = 0; batch < BATCH; batch++)
        for (size_t i = 0; i < N; i++)
            for (size_t l = 0; l < K; l++)
                in[batch][i][l] = entry(batch, i, l);
    if (penta_buffer_write(a, 0, in, sizeof in) != PENTA_OK ||
        penta_blas_gemm_batch(ctx, PENTA_F32, N, N, K, &from, &from, &to, BATCH) != PENTA_OK ||
        penta_buffer_read(c, 0, out, sizeof out) != PENTA_OK)
        return false;
    for (size_t batch = 0; batch < BATCH; batch++)
        right = right && is_product(out[batch], batch);
    return right;
}

/* Leaves true behind when all went well. */
static void *multiply_in_own_context(void *data)
{
    bool *right = data;
    HELD_BY(penta_context_held) penta_context *ctx = NULL;
    penta_buffer a = {0}, c = {0};

    *right = penta_context_create(NULL, &ctx) == PENTA_OK &&
             penta_buffer_create(ctx, sizeof(float) * BATCH * N * K, &a) == PENTA_OK &&
             penta_buffer_create(ctx, sizeof(float) * BATCH * N * N, &c) == PENTA_OK;
    penta_blas_hold();
    for (int i = 0; i < ROUNDS && *right; i++)
        *right = multiply(ctx, &a, &c);
    penta_buffer_release(&a);
    penta_buffer_release(&c);
    penta_blas_release();
    return NULL;
}

TEST(threads)
{
    pthread_t threads[2];
    bool right[2];

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_in_own_context, &right[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_true(right[0]);
    assert_true(right[1]);
}

ON_DEVICE;
