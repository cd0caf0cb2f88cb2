/* Number-theoretic transforms: lengths, primes and roots, and the butterflies of cl/common/ntt.clh, compiled as C,
 * against the sums of their definition modulo p in 64-bit integers, with inputs at the bounds that the header states.
 */
#include "support/test.h"

#include "math/ntt.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wconversion"
#define __global
#define __local
#define uint unsigned
#define fma  fmaf
#include "../../cl/common/ntt.clh"
#undef fma
#undef uint
#pragma GCC diagnostic pop

static const int radices[] = {2, 3, 4, 5, 7, 8, 16};
enum { RADICES = sizeof radices / sizeof *radices, MOST_RADIX = 16 };

/* ---- lengths ---- */

static bool is_smooth(size_t n)
{
    for (size_t p = 2; p <= 7; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

TEST(lengths)
{
    penta_ntt_length l;
    size_t planned = 0;

    assert_false(penta_ntt_plan(0, 1, 1024, &l));
    assert_false(penta_ntt_plan(1, 1, 1024, &l));
    assert_false(penta_ntt_plan(11, 1, 1024, &l));
    assert_false(penta_ntt_plan(7 * 7 * 7 * 7 * 7, 1, 1024, &l)); /* five stages */
    assert_false(penta_ntt_plan(2048, 32, 64, &l));               /* 128 items */
    for (size_t n = 2; n < 3000; n++) {
        size_t product = 1;

        if (!penta_ntt_plan(n, 4, 1024, &l))
            continue;
        planned++;
        assert_true(is_smooth(n));
        for (int i = 0; i < PENTA_NTT_STAGES; i++) {
            product *= (size_t)l.radix[i];
            assert_true((l.radix[i] > 1) == (i < l.stages));
            if (i < l.stages) {
                size_t butterflies = n / (size_t)l.radix[i];

                assert_in_range(l.held, (butterflies + l.items - 1) / l.items * (size_t)l.radix[i], 64);
            }
        }
        assert_int_equal(product, n);
        assert_int_equal(l.items % 4, 0);
        assert_true(16 * l.items >= n);
    }
    assert_in_range(planned, 140, 250);
}

/* ---- primes ---- */

TEST(primes)
{
    const uint64_t orders[] = {2, 7, 720, 7168, 65520, 100000};

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t p[PENTA_NTT_MOST_PRIMES];
        size_t count = penta_ntt_primes(orders[i], (uint64_t)1 << 37, p);
        uint64_t product = 1;

        if (orders[i] < 65520)
            assert_int_equal(count, 2);
        for (size_t k = 0; k < count; k++) {
            uint32_t w = penta_ntt_root(p[k], orders[i]), power = 1;

            product *= p[k];
            assert_true(p[k] < 1 << 20 && p[k] % orders[i] == 1);
            assert_true(k == 0 || p[k] < p[k - 1]);
            for (uint32_t d = 2; d < 1024; d++)
                assert_true(p[k] % d != 0);
            for (uint64_t e = 1; e <= orders[i]; e++) { /* 1 at the order, and not before */
                power = (uint32_t)((uint64_t)power * w % p[k]);
                assert_int_equal(power == 1, e == orders[i]);
            }
        }
        assert_true(count == 0 || product > (uint64_t)1 << 37);
    }
    /* 60 bits are the most that three primes have; an order of 2^20 has none. */
    assert_int_equal(penta_ntt_primes(2, (uint64_t)1 << 60, (uint32_t[PENTA_NTT_MOST_PRIMES]){0}), 0);
    assert_int_equal(penta_ntt_primes(1 << 20, 1, (uint32_t[PENTA_NTT_MOST_PRIMES]){0}), 0);
}

/* ---- butterflies ---- */

static uint32_t draw(void)
{
    static uint64_t state = 7;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static uint64_t residue(float a, uint32_t p)
{
    int64_t rest = (int64_t)a % (int64_t)p;

    assert_true(a == rintf(a));
    return (uint64_t)(rest < 0 ? rest + (int64_t)p : rest);
}

typedef struct {
    uint32_t p, w;
    uint64_t order;
    ntt_field f;
} field;

/* The largest and a small prime for an order that all radices divide. */
static field make_field(int which)
{
    enum { ORDER = 16 * 3 * 5 * 7 };
    field out = {.order = ORDER};
    penta_ntt_field made;
    uint32_t p[PENTA_NTT_MOST_PRIMES] = {0};

    assert_int_equal(penta_ntt_primes(ORDER, (uint64_t)1 << 50, p), 3);
    out.p = p[which];
    out.w = penta_ntt_root(out.p, ORDER);
    penta_ntt_fill_field(out.p, out.w, ORDER, 1000, &made);
    assert_int_equal(sizeof made, sizeof out.f);
    memcpy(&out.f, &made, sizeof made);
    return out;
}

/* What a stage may be given: products reach 0.89 p. Corners, and values in between. */
static float value_at(const field *d, int kind)
{
    const float most = floorf(0.89f * (float)d->p);

    if (kind == 0)
        return draw() % 2 ? most : -most;
    if (kind == 1)
        return most;
    return (float)((int64_t)(draw() % (2 * (uint32_t)most)) - (int64_t)most);
}

static void check_dft(const field *d, int radix, int kind)
{
    float z[MOST_RADIX], in[MOST_RADIX];
    uint32_t w = penta_ntt_power(d->w, d->order / (uint64_t)radix, d->p);

    for (int i = 0; i < radix; i++)
        in[i] = z[i] = value_at(d, kind);
    ntt_dft(&d->f, radix, z);
    for (int k = 0; k < radix; k++) {
        uint64_t sum = 0;

        for (int i = 0; i < radix; i++)
            sum += residue(in[i], d->p) * penta_ntt_power(w, (uint64_t)(i * k), d->p) % d->p;
        assert_int_equal(residue(z[k], d->p), sum % d->p);
        assert_true(fabsf(z[k]) < 8 * (float)d->p); /* what a product may be given */
    }
}

TEST(butterflies)
{
    for (int which = 0; which < PENTA_NTT_MOST_PRIMES; which++) {
        field d = make_field(which);

        for (int i = 0; i < RADICES; i++)
            for (int trial = 0; trial < 3000; trial++)
                check_dft(&d, radices[i], trial % 3);
    }
}

/* Products and rests over the range that the bounds allow. */
TEST(products)
{
    field d = make_field(0);
    const float p = (float)d.p;

    for (int trial = 0; trial < 200000; trial++) {
        float a = (float)((int64_t)(draw() % (16 * d.p)) - 8 * (int64_t)d.p);
        float b = (float)((int64_t)(draw() % d.p) - (int64_t)(d.p / 2)), product, rest;

        if (trial % 4 == 0)
            a = trial % 8 ? 8 * p - 1 : 1 - 8 * p;
        if (trial % 3 == 0)
            b = trial % 2 ? (float)(d.p / 2) : -(float)(d.p / 2);
        product = ntt_times(&d.f, a, b);
        rest = ntt_rest(&d.f, a);
        assert_int_equal(residue(product, d.p), residue(a, d.p) * residue(b, d.p) % d.p);
        assert_int_equal(residue(rest, d.p), residue(a, d.p));
        assert_true(fabsf(product) <= (0.5f + fabsf(a) / p / 16) * p + 1);
        assert_true(fabsf(rest) <= 0.501f * p);
    }
    assert_int_equal(residue(ntt_times(&d.f, 1000, d.f.scale), d.p), 1);
}

/* The factors of every stage against their definition, forwards and backwards. */
TEST(factors)
{
    enum { N = 16 * 5 * 7 * 3 };
    field d = make_field(1);
    penta_ntt_length l;
    HELD float *w = calloc(N, sizeof *w);

    assert_non_null(w);
    assert_true(penta_ntt_plan(N, 32, 1024, &l));
    for (int backwards = 0; backwards < 2; backwards++) {
        int s = 1;

        penta_ntt_fill_factors(d.p, d.w, d.order, &l, backwards, w);
        for (int i = 0; i < l.stages; i++) {
            int r = l.radix[backwards ? l.stages - 1 - i : i];

            for (int q = 1; i > 0 && q < r; q++)
                for (int k = 0; k < s; k++)
                    assert_int_equal(residue(w[q * s + k], d.p),
                                     penta_ntt_power(d.w, d.order / (uint64_t)(s * r) * (uint64_t)(q * k), d.p));
            s *= r;
        }
        assert_int_equal(s, N);
    }
}

/* 1 / (primes before) modulo each. */
TEST(join)
{
    const uint32_t p[3] = {1048573, 786433, 262147};
    penta_ntt_join join;

    penta_ntt_fill_join(p, 3, &join);
    assert_int_equal(residue(join.inverse01, p[1]) * p[0] % p[1], 1);
    assert_int_equal(residue(join.inverse02, p[2]) * (p[0] % p[2]) % p[2], 1);
    assert_int_equal(residue(join.inverse12, p[2]) * (p[1] % p[2]) % p[2], 1);
}
