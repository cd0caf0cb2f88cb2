/*
 * Slabs' sums merged on the host.
 *
 * Floats: of each slab the scatter about its own mean, S = G - s s' / n, and of two of them, after T. F. Chan, G. H.
 * Golub and R. J. LeVeque (The American Statistician 37 (1983) 242),
 *     S = S_a + S_b + n_a n_b / (n_a + n_b) d d',  d = mean_b - mean_a.
 * Partial results merge as in a binary counter: errors grow with the logarithm of the number of slabs, and the order
 * depends on the order of the slabs alone. Each merge is done in long double and rounds each entry to double once.
 *
 * Exact types: sums of integers without any loss; at the end the doubles nearest to s_i / n and to
 * (n G_ij - s_i s_j) / (n (n - ddof)).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pca/pca.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

enum { LEVELS = 64, STRIP = 1 << 16 }; /* entries of a triangle that are worth a task of their own */

/* Slabs in a row, merged. pixels 0: none, whether there is memory or not. */
typedef struct {
    uint64_t pixels;
    long double *mean; /* bands, less the origin */
    double *scatter;   /* lower triangle, row after row */
} part;

struct pca_moments {
    penta_resources resources;
    size_t bands;
    bool exact;
    uint64_t pixels;
    double *origin;     /* floats: bands, the shift of the first slab; means are differences from it */
    part level[LEVELS]; /* floats: of 2^k slabs, or none */
    part work;
    int64_t *sums; /* integers: bands; below 2^63 as long as there are fewer than 2^47 pixels */
    wide *gram;    /* integers: lower triangle */
};

static size_t triangle(size_t rows)
{
    return rows * (rows + 1) / 2;
}

/* ---- rows of triangles on threads ---- */

typedef struct task {
    pca_moments *m;
    const pca_sums *slab;
    const part *a;
    part *b;
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
    t.strips = (triangle(t.m->bands) + STRIP - 1) / STRIP;
    penta_parallel(t.strips, do_strip, &t);
}

/* ---- floats ---- */

static penta_status have_part(pca_moments *m, part *p)
{
    penta_status status = PENTA_OK;

    if (!p->mean)
        TRY(penta_calloc(m->resources.ctx, m->bands, sizeof *p->mean, &p->mean));
    if (!p->scatter)
        TRY(penta_calloc(m->resources.ctx, triangle(m->bands), sizeof *p->scatter, &p->scatter));
cleanup:
    return status;
}

static void free_part(part *p)
{
    free(p->mean);
    free(p->scatter);
    *p = (part){0};
}

static void centre_row(const task *t, size_t i)
{
    const pca_sums *s = t->slab;
    const double *gram = s->gram + i * t->m->bands;
    double *scatter = t->b->scatter + triangle(i);
    long double mean = (long double)s->sums[i] / (long double)s->pixels;

    for (size_t j = 0; j <= i; j++)
        scatter[j] = (double)(gram[j] - mean * s->sums[j]);
}

/* The moments of the slab alone. The first slab may still grow and shift, so it sets the origin each time. */
static void centre(pca_moments *m, const pca_sums *slab, part *out)
{
    if (m->pixels == 0)
        memcpy(m->origin, slab->shift, m->bands * sizeof *m->origin);
    each_row((task){.m = m, .slab = slab, .b = out, .row = centre_row});
    for (size_t i = 0; i < m->bands; i++)
        out->mean[i] =
            (long double)slab->shift[i] - m->origin[i] + (long double)slab->sums[i] / (long double)slab->pixels;
    out->pixels = slab->pixels;
}

static void merge_row(const task *t, size_t i)
{
    const part *a = t->a, *b = t->b;
    const double *from = a->scatter + triangle(i);
    double *to = t->b->scatter + triangle(i);
    long double na = (long double)a->pixels, nb = (long double)b->pixels;
    long double d = na * nb / (na + nb) * (b->mean[i] - a->mean[i]);

    for (size_t j = 0; j <= i; j++)
        to[j] = (double)((long double)from[j] + to[j] + d * (b->mean[j] - a->mean[j]));
}

/* Merges a, which comes first, into b. */
static void merge(pca_moments *m, const part *a, part *b)
{
    uint64_t both = a->pixels + b->pixels;
    long double share = (long double)b->pixels / (long double)both;

    each_row((task){.m = m, .a = a, .b = b, .row = merge_row});
    for (size_t i = 0; i < m->bands; i++)
        b->mean[i] = a->mean[i] + (b->mean[i] - a->mean[i]) * share;
    b->pixels = both;
}

static penta_status add_part(pca_moments *m, const pca_sums *slab)
{
    penta_status status = PENTA_OK;
    part swapped;
    size_t k = 0;

    TRY(have_part(m, &m->work));
    centre(m, slab, &m->work);
    for (; m->level[k].pixels; k++) {
        merge(m, &m->level[k], &m->work);
        m->level[k].pixels = 0;
    }
    swapped = m->level[k];
    m->level[k] = m->work;
    m->work = swapped;
cleanup:
    return status;
}

/* Merges all levels and the open slab into `work`, in the order of add_part, so that the bits are those of a slab that
 * was added. */
static penta_status merge_all(pca_moments *m, const pca_sums *open)
{
    penta_status status = PENTA_OK;
    part *all = &m->work;

    TRY(have_part(m, all));
    all->pixels = 0;
    if (open && open->pixels)
        centre(m, open, all);
    for (size_t k = 0; k < LEVELS; k++) {
        const part *a = &m->level[k];

        if (a->pixels && all->pixels)
            merge(m, a, all);
        else if (a->pixels) {
            memcpy(all->mean, a->mean, m->bands * sizeof *a->mean);
            memcpy(all->scatter, a->scatter, triangle(m->bands) * sizeof *a->scatter);
            all->pixels = a->pixels;
        }
    }
cleanup:
    return status;
}

static void divide_row(const task *t, size_t i)
{
    const double *scatter = t->m->work.scatter + triangle(i);
    long double divisor = (long double)t->pixels - t->ddof;
    size_t bands = t->m->bands;

    for (size_t j = 0; j <= i; j++)
        t->covariance[i * bands + j] = t->covariance[j * bands + i] = (double)(scatter[j] / divisor);
}

static penta_status float_result(pca_moments *m, const pca_sums *open, int ddof, double *mean, double *covariance)
{
    penta_status status = PENTA_OK;

    TRY(merge_all(m, open));
    each_row((task){.m = m, .covariance = covariance, .pixels = m->work.pixels, .ddof = ddof, .row = divide_row});
    for (size_t i = 0; i < m->bands; i++)
        mean[i] = (double)(m->origin[i] + m->work.mean[i]);
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
    wide *to = t->m->gram + triangle(i);

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
        wide sj = m->sums[j] + open_sum(sums, j), g = m->gram[triangle(i) + j] + open_sum(gram, j);

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
        TRY(penta_calloc(&m->resources, triangle(bands), sizeof *m->gram, &m->gram));
    } else
        TRY(penta_calloc(&m->resources, bands, sizeof *m->origin, &m->origin));
    *out = m;
    m = NULL;
cleanup:
    pca_moments_destroy(m);
    return status;
}

penta_status pca_moments_add(pca_moments *m, const pca_sums *slab)
{
    penta_status status = PENTA_OK;

    if (slab->pixels == 0)
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

void pca_moments_reset(pca_moments *m)
{
    m->pixels = 0;
    for (size_t k = 0; k < LEVELS; k++)
        m->level[k].pixels = 0;
    if (m->exact) {
        memset(m->sums, 0, m->bands * sizeof *m->sums);
        memset(m->gram, 0, triangle(m->bands) * sizeof *m->gram);
    }
}

void pca_moments_destroy(pca_moments *m)
{
    if (!m)
        return;
    for (size_t k = 0; k < LEVELS; k++)
        free_part(&m->level[k]);
    free_part(&m->work);
    penta_plan_free(m);
}
