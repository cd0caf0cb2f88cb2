/*
 * Numbers of twice a double's digits, as the unevaluated sum hi + lo, |lo| <= ulp(hi) / 2: the same bits on every
 * processor, which `long double` has not. Relative errors are below 2^-102 (T. J. Dekker, Numer. Math. 18, 224 (1971)).
 * Sums of infinities give NaN in lo.
 */
#pragma once

#include <math.h>

typedef struct penta_pair {
    double hi, lo;
} penta_pair;

/* a + b, exactly. */
static inline penta_pair penta_pair_sum(double a, double b)
{
    double s = a + b, t = s - a;

    return (penta_pair){s, (a - (s - t)) + (b - t)};
}

/* a b, exactly. */
static inline penta_pair penta_pair_product(double a, double b)
{
    double p = a * b;

    return (penta_pair){p, fma(a, b, -p)};
}

static inline penta_pair penta_pair_add(penta_pair a, penta_pair b)
{
    penta_pair s = penta_pair_sum(a.hi, b.hi), t = penta_pair_sum(a.lo, b.lo);

    s = penta_pair_sum(s.hi, s.lo + t.hi);
    return penta_pair_sum(s.hi, s.lo + t.lo);
}

static inline penta_pair penta_pair_negative(penta_pair a)
{
    return (penta_pair){-a.hi, -a.lo};
}

static inline penta_pair penta_pair_multiply(penta_pair a, penta_pair b)
{
    penta_pair p = penta_pair_product(a.hi, b.hi);

    return penta_pair_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline penta_pair penta_pair_divide(penta_pair a, penta_pair b)
{
    penta_pair q = {a.hi / b.hi, 0}, rest = penta_pair_add(a, penta_pair_negative(penta_pair_multiply(q, b)));

    q = penta_pair_sum(q.hi, rest.hi / b.hi);
    rest = penta_pair_add(a, penta_pair_negative(penta_pair_multiply(q, b)));
    return penta_pair_add(q, (penta_pair){rest.hi / b.hi, 0});
}

/* a >= 0. */
static inline penta_pair penta_pair_root(penta_pair a)
{
    penta_pair r = {sqrt(a.hi), 0};

    if (!(a.hi > 0))
        return r;
    r = penta_pair_add(r, penta_pair_divide(a, r));
    return (penta_pair){r.hi / 2, r.lo / 2};
}

/* Of a count. */
static inline penta_pair penta_pair_of(unsigned long long n)
{
    return penta_pair_sum((double)(n >> 32) * 4294967296.0, (double)(n & 0xffffffff));
}
