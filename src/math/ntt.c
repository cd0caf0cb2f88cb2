/* Lengths, primes and constants of number-theoretic transforms. */
#include "math/ntt.h"

#include "math/sizes.h"

/* ---- lengths ---- */

/* Radices, and a rough count of the operations of a butterfly with its twiddles and exchanges: 1 an addition, 6 a
 * product modulo p, 3 a reduction, 2 a twiddle factor read, 3 a value moved through local memory. */
static const struct {
    int radix;
    double cost;
} butterflies[] = {{16, 394}, {8, 170}, {7, 184}, {5, 116}, {4, 62}, {3, 50}, {2, 22}};

enum { BUTTERFLIES = sizeof butterflies / sizeof *butterflies };

static void measure(penta_ntt_length *l)
{
    l->cost = 0;
    l->held = 0;
    for (int i = 0; i < l->stages; i++) {
        size_t radix = (size_t)l->radix[i], share = penta_divide_up(l->n / radix, l->items);

        for (int k = 0; k < BUTTERFLIES; k++)
            if (butterflies[k].radix == l->radix[i])
                l->cost += butterflies[k].cost * (double)(share * l->items);
        l->held = penta_larger(l->held, share * radix);
    }
}

/* Tries every product of radices, in descending order from number `first` on, that equals rest. */
static void search(size_t rest, int first, penta_ntt_length *current, penta_ntt_length *best)
{
    if (rest == 1) {
        measure(current);
        if (best->stages == 0 || current->cost < best->cost)
            *best = *current;
        return;
    }
    if (current->stages == PENTA_NTT_STAGES)
        return;
    for (int k = first; k < BUTTERFLIES; k++)
        if (rest % (size_t)butterflies[k].radix == 0) {
            current->radix[current->stages++] = butterflies[k].radix;
            search(rest / (size_t)butterflies[k].radix, k, current, best);
            current->stages--;
        }
}

/* Powers of two first, so that the products of the stages before are powers of two, too, where they can be. */
static void order_radices(penta_ntt_length *l)
{
    int sorted[PENTA_NTT_STAGES], count = 0;

    for (int odd = 0; odd < 2; odd++)
        for (int i = 0; i < l->stages; i++)
            if (l->radix[i] % 2 == odd)
                sorted[count++] = l->radix[i];
    for (int i = 0; i < PENTA_NTT_STAGES; i++)
        l->radix[i] = i < count ? sorted[i] : 1;
}

bool penta_ntt_plan(size_t n, size_t step, size_t most_items, penta_ntt_length *out)
{
    enum { LARGEST = 16 };
    penta_ntt_length current = {.n = n, .items = penta_round_up(penta_divide_up(n, LARGEST), step)};

    *out = (penta_ntt_length){0};
    if (n < 2 || current.items > most_items)
        return false;
    search(n, 0, &current, out);
    if (out->stages == 0)
        return false;
    order_radices(out);
    return true;
}

/* ---- primes ---- */

enum { BELOW = 1 << 20, FROM = 1 << 18 }; /* no prime is above four times another: ntt_join.cl */

static uint32_t penta_ntt_multiply(uint32_t a, uint32_t b, uint32_t p)
{
    return (uint32_t)((uint64_t)a * b % p);
}

uint32_t penta_ntt_power(uint32_t a, uint64_t e, uint32_t p)
{
    uint32_t result = 1;

    for (; e > 0; e /= 2, a = penta_ntt_multiply(a, a, p))
        if (e % 2)
            result = penta_ntt_multiply(result, a, p);
    return result;
}

static uint32_t invert(uint32_t a, uint32_t p)
{
    return penta_ntt_power(a % p, p - 2, p);
}

static bool is_prime(uint32_t n)
{
    if (n < 2)
        return false;
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

size_t penta_ntt_primes(uint64_t order, uint64_t bound, uint32_t primes[PENTA_NTT_MOST_PRIMES])
{
    uint64_t product = 1;
    size_t count = 0;

    for (uint64_t p = (BELOW - 1) / order * order + 1; p > FROM && count < PENTA_NTT_MOST_PRIMES; p -= order)
        if (p < BELOW && is_prime((uint32_t)p)) {
            primes[count++] = (uint32_t)p;
            product *= p; /* below 2^60 */
            if (product > bound)
                return count;
        }
    return 0;
}

static bool has_order(uint32_t w, uint64_t order, uint32_t p)
{
    uint64_t rest = order;

    for (uint64_t d = 2; rest > 1; d++) {
        if (rest % d != 0)
            continue;
        if (penta_ntt_power(w, order / d, p) == 1)
            return false;
        while (rest % d == 0)
            rest /= d;
    }
    return true;
}

uint32_t penta_ntt_root(uint32_t p, uint64_t order)
{
    for (uint32_t g = 2;; g++) {
        uint32_t w = penta_ntt_power(g, (p - 1) / order, p);

        if (has_order(w, order, p))
            return w;
    }
}

/* ---- tables ---- */

/* a modulo p as a float from -p/2 to p/2. */
static float balanced(int64_t a, uint32_t p)
{
    int64_t rest = a % (int64_t)p;

    if (rest < 0)
        rest += p;
    return (float)(rest > p / 2 ? rest - (int64_t)p : rest);
}

/* w^k, w of order n; 0 where there is none. */
typedef struct {
    uint32_t p, root;
    uint64_t order;
} roots;

static int64_t root_power(const roots *r, uint64_t n, uint64_t k)
{
    return r->order % n ? 0 : penta_ntt_power(r->root, r->order / n * (k % n), r->p);
}

/* Half the sum (sign 1) or the difference (sign -1) of w^k and w^-k. */
static int64_t half(const roots *r, uint64_t n, uint64_t k, int sign)
{
    int64_t p = r->p, sum = root_power(r, n, k) + sign * root_power(r, n, n - k);

    return (sum % p + p) % p * ((p + 1) / 2) % p;
}

static void fill_five(const roots *r, penta_ntt_field *out)
{
    int64_t c1 = half(r, 5, 1, 1), c2 = half(r, 5, 2, 1), s1 = half(r, 5, 1, -1), s2 = half(r, 5, 2, -1);
    int64_t two = (r->p + 1) / 2;

    out->half5 = balanced((c1 + c2) % r->p * two, r->p);
    out->c5 = balanced(((c1 - c2) % r->p) * two, r->p);
    out->s5_2 = balanced(s2, r->p);
    out->s5_low = balanced(s1 - s2, r->p);
    out->s5_high = balanced(s1 + s2, r->p);
}

/* The constants of ntt_cyclic3 for x1, x2, x3. */
static void fill_cyclic(uint32_t p, int64_t x1, int64_t x2, int64_t x3, float out[4])
{
    int64_t mean = (x1 + x2 + x3) % (int64_t)p * invert(3, p) % (int64_t)p;

    out[0] = balanced(mean, p);
    out[1] = balanced(x2 - mean, p);
    out[2] = balanced(x1 - x2, p);
    out[3] = balanced(x3 - x2, p);
}

static void fill_seven(const roots *r, penta_ntt_field *out)
{
    float c[4], s[4];

    fill_cyclic(r->p, half(r, 7, 1, 1), half(r, 7, 2, 1), half(r, 7, 3, 1), c);
    fill_cyclic(r->p, half(r, 7, 1, -1), half(r, 7, 2, -1), -half(r, 7, 3, -1), s);
    out->mean7 = c[0];
    out->c7_2 = c[1];
    out->c7_12 = c[2];
    out->c7_32 = c[3];
    out->sine7 = s[0];
    out->s7_2 = s[1];
    out->s7_12 = s[2];
    out->s7_32 = s[3];
}

void penta_ntt_fill_field(uint32_t p, uint32_t root, uint64_t order, uint64_t scale, penta_ntt_field *out)
{
    const roots r = {p, root, order};

    *out = (penta_ntt_field){.p = (float)p, .inverse = (float)(1 / (double)p)};
    out->w4 = balanced(root_power(&r, 4, 1), p);
    out->w8 = balanced(root_power(&r, 8, 1), p);
    out->w8_3 = balanced(root_power(&r, 8, 3), p);
    out->w16 = balanced(root_power(&r, 16, 1), p);
    out->w16_3 = balanced(root_power(&r, 16, 3), p);
    out->c3 = balanced(half(&r, 3, 1, 1), p);
    out->s3 = balanced(half(&r, 3, 1, -1), p);
    fill_five(&r, out);
    fill_seven(&r, out);
    out->scale = balanced(invert((uint32_t)(scale % p), p), p);
}

void penta_ntt_fill_factors(uint32_t p, uint32_t root, uint64_t order, const penta_ntt_length *l, bool backwards,
                            float *out)
{
    size_t before = 1; /* the product of the stages before */

    for (int i = 0; i < l->stages; i++) {
        size_t radix = (size_t)l->radix[backwards ? l->stages - 1 - i : i];
        uint32_t w = penta_ntt_power(root, order / (before * radix), p);

        for (size_t at = i == 0 ? 0 : before; at < before * radix; at++)
            out[at] = balanced(penta_ntt_power(w, at / before * (at % before), p), p);
        before *= radix;
    }
}

void penta_ntt_fill_join(const uint32_t *primes, size_t count, penta_ntt_join *out)
{
    *out = (penta_ntt_join){0};
    if (count > 1)
        out->inverse01 = balanced(invert(primes[0], primes[1]), primes[1]);
    if (count > 2) {
        out->inverse02 = balanced(invert(primes[0], primes[2]), primes[2]);
        out->inverse12 = balanced(invert(primes[1], primes[2]), primes[2]);
    }
}
