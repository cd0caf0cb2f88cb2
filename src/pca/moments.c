/*
 * Slabs' sums merged on the host.
 *
 * Floats: of each slab the scatter about its own mean, S = G - s s' / n, and of two of them, after T. F. Chan, G. H.
 * Golub and R. J. LeVeque (The American Statistician 37 (1983) 242),
 *     S = S_a + S_b + n_a n_b / (n_a + n_b) d d',  d = mean_b - mean_a.
 * Slabs 2k and 2k + 1 of the cube merge, then these pairs, and so on: errors grow with the logarithm of the number of
 * slabs, and each merge has the same bits whoever does it, from whichever slab on it has sums. Each is done in long
 * double and rounds each entry to double once.
 *
 * Exact types: sums of integers without any loss; at the end the doubles nearest to s_i / n and to
 * (n G_ij - s_i s_j) / (n (n - ddof)).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pca/moments.h"

enum { STRIP = 1 << 16 }; /* entries of a triangle that are worth a task of their own */

/* ---- rows of triangles on threads ---- */

typedef struct task {
    pca_moments *m;
    const pca_sums *slab;
    const pca_part *a;
    pca_part *b;
    double *covariance;
    uint64_t pixels;
    int ddof;
    size_t strips;
    void (*row)(const struct task *t, size_t i);
} task;

static void do_strip(void *data, size_t strip)
{
    const task *t = data;

    for (size_t i = strip; i < t->m->bands; i += t->strips)
        t->row(t, i);
}

static void each_row(task t)
{
    t.strips = (pca_triangle_of(t.m->bands) + STRIP - 1) / STRIP;
    penta_parallel(t.strips, do_strip, &t);
}

/* ---- floats ---- */

static penta_status have_part(pca_moments *m, pca_part *p)
{
    penta_status status = PENTA_OK;

    if (!p->origin)
        TRY(penta_calloc(m->resources.ctx, m->bands, sizeof *p->origin, &p->origin));
    if (!p->mean)
        TRY(penta_calloc(m->resources.ctx, m->bands, sizeof *p->mean, &p->mean));
    if (!p->scatter)
        TRY(penta_calloc(m->resources.ctx, pca_triangle_of(m->bands), sizeof *p->scatter, &p->scatter));
cleanup:
    return status;
}

static void free_part(pca_part *p)
{
    free(p->origin);
    free(p->mean);
    free(p->scatter);
    *p = (pca_part){0};
}

static void copy_part(const pca_moments *m, const pca_part *from, pca_part *to)
{
    to->pixels = from->pixels;
    memcpy(to->origin, from->origin, m->bands * sizeof *from->origin);
    memcpy(to->mean, from->mean, m->bands * sizeof *from->mean);
    memcpy(to->scatter, from->scatter, pca_triangle_of(m->bands) * sizeof *from->scatter);
}

static penta_pair mean_of(const pca_sums *s, size_t i)
{
    return penta_pair_divide((penta_pair){s->sums[i], 0}, penta_pair_of(s->pixels));
}

/* The double next to a + b + x y. */
static double add_product(double a, double b, penta_pair x, penta_pair y)
{
    return penta_pair_add(penta_pair_sum(a, b), penta_pair_multiply(x, y)).hi;
}

static penta_pair difference(penta_pair a, penta_pair b)
{
    return penta_pair_add(a, penta_pair_negative(b));
}

static void centre_row(const task *t, size_t i)
{
    const pca_sums *s = t->slab;
    const double *gram = s->gram + i * t->m->bands;
    double *scatter = t->b->scatter + pca_triangle_of(i);
    penta_pair less = penta_pair_negative(mean_of(s, i));

    for (size_t j = 0; j <= i; j++)
        scatter[j] = add_product(gram[j], 0, less, (penta_pair){s->sums[j], 0});
}

/* The moments of the slab alone. */
static void centre(pca_moments *m, const pca_sums *slab, pca_part *out)
{
    out->pixels = slab->pixels;
    if (slab->pixels == 0)
        return;
    memcpy(out->origin, slab->shift, m->bands * sizeof *out->origin);
    each_row((task){.m = m, .slab = slab, .b = out, .row = centre_row});
    for (size_t i = 0; i < m->bands; i++)
        out->mean[i] = mean_of(slab, i);
}

static void merge_row(const task *t, size_t i)
{
    const pca_part *a = t->a, *b = t->b;
    const double *from = a->scatter + pca_triangle_of(i);
    double *to = t->b->scatter + pca_triangle_of(i);
    penta_pair na = penta_pair_of(a->pixels), nb = penta_pair_of(b->pixels);
    penta_pair weight = penta_pair_divide(penta_pair_multiply(na, nb), penta_pair_add(na, nb));
    penta_pair d = penta_pair_multiply(weight, difference(b->mean[i], a->mean[i]));

    for (size_t j = 0; j <= i; j++)
        to[j] = add_product(from[j], to[j], d, difference(b->mean[j], a->mean[j]));
}

/* Merges a, which comes first, into b; both have memory. */
static void merge(pca_moments *m, const pca_part *a, pca_part *b)
{
    uint64_t both = a->pixels + b->pixels;
    penta_pair share = penta_pair_divide(penta_pair_of(b->pixels), penta_pair_of(both));

    if (a->pixels == 0)
        return;
    if (b->pixels == 0) {
        copy_part(m, a, b);
        return;
    }
    for (size_t i = 0; i < m->bands; i++)
        b->mean[i] = penta_pair_add(b->mean[i], penta_pair_sum(b->origin[i], -a->origin[i]));
    memcpy(b->origin, a->origin, m->bands * sizeof *b->origin);
    each_row((task){.m = m, .a = a, .b = b, .row = merge_row});
    for (size_t i = 0; i < m->bands; i++)
        b->mean[i] = penta_pair_add(a->mean[i], penta_pair_multiply(difference(b->mean[i], a->mean[i]), share));
    b->pixels = both;
}

penta_status pca_moments_have(pca_moments *m, pca_part **out)
{
    *out = &m->parts[m->count];
    return have_part(m, *out);
}

void pca_moments_put(pca_moments *m)
{
    m->count++;
    while (m->count > 1) {
        pca_part *b = &m->parts[m->count - 1], *a = b - 1, spare = *a;

        if (a->slabs != b->slabs || a->first / a->slabs % 2 != 0)
            break;
        merge(m, a, b);
        b->first = a->first;
        b->slabs *= 2;
        *a = *b;
        *b = spare; /* its memory takes the next one */
        m->count--;
    }
}

static penta_status add_part(pca_moments *m, const pca_sums *slab)
{
    penta_status status = PENTA_OK;
    pca_part *part;

    TRY(pca_moments_have(m, &part));
    centre(m, slab, part);
    part->first = m->next++;
    part->slabs = 1;
    pca_moments_put(m);
cleanup:
    return status;
}

/* Merges all parts and the open slab, the last ones first, so that the bits are those of a slab that was added. */
static penta_status merge_all(pca_moments *m, const pca_sums *open)
{
    penta_status status = PENTA_OK;

    TRY(have_part(m, &m->all));
    m->all.pixels = 0;
    if (open)
        centre(m, open, &m->all);
    for (size_t k = m->count; k-- > 0;)
        merge(m, &m->parts[k], &m->all);
cleanup:
    return status;
}

static void divide_row(const task *t, size_t i)
{
    const double *scatter = t->m->all.scatter + pca_triangle_of(i);
    penta_pair divisor = penta_pair_of(t->pixels - (uint64_t)t->ddof);
    size_t bands = t->m->bands;

    for (size_t j = 0; j <= i; j++)
        t->covariance[i * bands + j] = t->covariance[j * bands + i] =
            penta_pair_divide((penta_pair){scatter[j], 0}, divisor).hi;
}

static penta_status float_result(pca_moments *m, const pca_sums *open, int ddof, double *mean, double *covariance)
{
    penta_status status = PENTA_OK;

    TRY(merge_all(m, open));
    each_row((task){.m = m, .covariance = covariance, .pixels = m->all.pixels, .ddof = ddof, .row = divide_row});
    for (size_t i = 0; i < m->bands; i++)
        mean[i] = penta_pair_add((penta_pair){m->all.origin[i], 0}, m->all.mean[i]).hi;
cleanup:
    return status;
}

/* ---- integers ---- */

/* The part of the open slab in an integer sum. */
static int64_t open_sum(const double *sums, size_t i)
{
    return sums ? (int64_t)sums[i] : 0;
}

/* The double nearest to above / below, ties to even. below: under 2^96, as n^2 is for n < 2^48. */
static double nearest(wide above, unsigned_wide below)
{
    unsigned_wide rest = above < 0 ? -(unsigned_wide)above : (unsigned_wide)above, quotient = rest / below;
    int exponent = 0;
    double magnitude;

    rest %= below;
    while (quotient >> 64 == 0 && rest) { /* 32 bits more; at least 64 in all, 53 are kept */
        rest <<= 32;
        quotient = quotient << 32 | (rest / below);
        rest %= below;
        exponent -= 32;
    }
    magnitude = ldexp((double)(quotient | (rest != 0)), exponent); /* the last bit says that there is more */
    return above < 0 ? -magnitude : magnitude;
}

static void add_row(const task *t, size_t i)
{
    const double *gram = t->slab->gram + i * t->m->bands;
    wide *to = t->m->gram + pca_triangle_of(i);

    for (size_t j = 0; j <= i; j++)
        to[j] += (int64_t)gram[j];
}

static void add_integers(pca_moments *m, const pca_sums *slab)
{
    for (size_t i = 0; i < m->bands; i++)
        m->sums[i] += (int64_t)slab->sums[i];
    each_row((task){.m = m, .slab = slab, .row = add_row});
}

static void exact_row(const task *t, size_t i)
{
    const pca_moments *m = t->m;
    const double *sums = t->slab ? t->slab->sums : NULL, *gram = t->slab ? t->slab->gram + i * m->bands : NULL;
    wide n = (wide)t->pixels, si = m->sums[i] + open_sum(sums, i);
    unsigned_wide below = (unsigned_wide)(n * (n - t->ddof));

    for (size_t j = 0; j <= i; j++) {
        wide sj = m->sums[j] + open_sum(sums, j), g = m->gram[pca_triangle_of(i) + j] + open_sum(gram, j);

        t->covariance[i * m->bands + j] = t->covariance[j * m->bands + i] = nearest(n * g - si * sj, below);
    }
}

static void exact_result(pca_moments *m, const pca_sums *open, int ddof, double *mean, double *covariance)
{
    uint64_t pixels = m->pixels + (open ? open->pixels : 0);

    each_row((task){.m = m, .slab = open, .covariance = covariance, .pixels = pixels, .ddof = ddof, .row = exact_row});
    for (size_t i = 0; i < m->bands; i++)
        mean[i] = nearest(m->sums[i] + open_sum(open ? open->sums : NULL, i), pixels);
}

/* ---- both ---- */

penta_status pca_moments_create(penta_context *ctx, size_t bands, bool exact, pca_moments **out)
{
    penta_status status = PENTA_OK;
    pca_moments *m = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &m));
    m->bands = bands;
    m->exact = exact;
    if (exact) {
        TRY(penta_calloc(&m->resources, bands, sizeof *m->sums, &m->sums));
        TRY(penta_calloc(&m->resources, pca_triangle_of(bands), sizeof *m->gram, &m->gram));
    }
    *out = m;
    m = NULL;
cleanup:
    pca_moments_destroy(m);
    return status;
}

penta_status pca_moments_add(pca_moments *m, const pca_sums *slab)
{
    penta_status status = PENTA_OK;

    if (m->exact && slab->pixels == 0)
        return PENTA_OK;
    if (m->exact)
        add_integers(m, slab);
    else
        TRY(add_part(m, slab));
    m->pixels += slab->pixels;
cleanup:
    return status;
}

uint64_t pca_moments_pixels(const pca_moments *m)
{
    return m->pixels;
}

penta_status pca_moments_result(pca_moments *m, const pca_sums *open, int ddof, double *mean, double *covariance)
{
    uint64_t pixels = m->pixels + (open ? open->pixels : 0);

    if (pixels == 0 || pixels <= (uint64_t)ddof)
        return penta_fail(m->resources.ctx, PENTA_INVALID, "%llu valid pixels are not more than ddof %d",
                          (unsigned long long)pixels, ddof);
    if (!m->exact)
        return float_result(m, open, ddof, mean, covariance);
    exact_result(m, open, ddof, mean, covariance);
    return PENTA_OK;
}

void pca_moments_begin(pca_moments *m, uint64_t first)
{
    m->pixels = 0;
    m->next = first;
    m->count = 0;
    if (m->exact) {
        memset(m->sums, 0, m->bands * sizeof *m->sums);
        memset(m->gram, 0, pca_triangle_of(m->bands) * sizeof *m->gram);
    }
}

void pca_moments_destroy(pca_moments *m)
{
    if (!m)
        return;
    for (size_t k = 0; k < PCA_PARTS; k++)
        free_part(&m->parts[k]);
    free_part(&m->all);
    penta_plan_free(m);
}
