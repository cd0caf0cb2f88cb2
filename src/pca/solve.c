/*
 * From mean and covariance to a model. With D = diag(standard deviations) where bands are standardized, else 1, and
 * V the loadings (rows), L their eigenvalues where scores are whitened, else 1:
 *
 *     D^-1 C D^-1 V^T = V^T lambda,   forward = L^-1/2 V D^-1,   inverse = D V^T L^1/2.
 *
 * MNF: forward = L^-1/2 V, inverse = N V^T L^1/2.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/eigen.h"
#include "pca/pca.h"

/* Entries of a vector count as equal within this part: what rounding leaves uncertain for gaps of eigenvalues down to
 * as small a part of the largest one. */
static const double equal_entries = 1.5e-8;

/* ---- what can be solved ---- */

static penta_status check_counts(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels)
{
    if (o->components < 0 || (size_t)o->components > bands)
        return penta_fail(ctx, PENTA_INVALID, "%d components of %zu bands: there are as many as bands at most",
                          o->components, bands);
    if (pixels < 2)
        return penta_fail(ctx, PENTA_INVALID, "a covariance needs 2 valid pixels; there %s %d", pixels ? "is" : "are",
                          (int)pixels);
    if (o->ddof < 0 || pixels <= (uint64_t)o->ddof)
        return penta_fail(ctx, PENTA_INVALID, "%llu valid pixels: the divisor, pixels - %d, must be above 0",
                          (unsigned long long)pixels, o->ddof);
    return PENTA_OK;
}

static penta_status check_finite(penta_context *ctx, size_t bands, const double *mean, const double *covariance)
{
    for (size_t i = 0; i < bands; i++) {
        bool fine = isfinite(mean[i]);

        for (size_t j = 0; j < bands && fine; j++)
            fine = isfinite(covariance[i * bands + j]);
        if (!fine)
            return penta_fail(ctx, PENTA_INVALID, "the numbers of band %zu are too large: their squares overflow",
                              i + 1);
    }
    return PENTA_OK;
}

/*
 * A variance below the least normal number of the sums' type has lost digits, or all. A constant band may have none,
 * but its numbers are then 0, or so large that a deviation with such a square would be below their rounding.
 */
static penta_status check_small(penta_context *ctx, const pca_problem *p)
{
    bool single = p->accuracy >= (double)FLT_EPSILON;
    double least = single ? (double)FLT_MIN : DBL_MIN, mean = sqrt(least) / (double)FLT_EPSILON;

    for (size_t i = 0; i < p->bands; i++) {
        double variance = p->covariance[i * p->bands + i];

        if (fabs(variance) < least && fabs(p->mean[i]) < mean && (variance != 0 || p->mean[i] != 0))
            return penta_fail(ctx, PENTA_INVALID,
                              "the numbers of band %zu are too small: their squares underflow; multiply all by a power "
                              "of ten%s",
                              i + 1, single ? ", or use double precision" : "");
    }
    return PENTA_OK;
}

/* A deviation of a few roundings of the mean is what sums leave of a constant. */
static penta_status check_deviations(penta_context *ctx, const penta_pca_model *m)
{
    for (size_t i = 0; i < m->bands; i++)
        if (!(m->deviation[i] > 4 * DBL_EPSILON * fabs(m->mean[i])))
            return penta_fail(ctx, PENTA_INVALID, "band %zu is constant, %g, and cannot be standardized: leave it out",
                              i + 1, m->mean[i]);
    return PENTA_OK;
}

/* ---- eigenvalues ---- */

/* Below this an eigenvalue is rounding, of the decomposition or of what the covariance is known to. */
static double rounding(const pca_problem *p, const double *eigenvalues)
{
    return fmax((double)p->bands * DBL_EPSILON, p->accuracy) * fmax(eigenvalues[0], 0);
}

/* ---- maximum noise fractions: v C = lambda v N of the largest lambda first, v N v^T = 1, so lambda = signal / noise +
 * 1 ---- */

/* vectors: bands x bands, a covariance that becomes all fractions as rows; values: the largest first. PENTA_INVALID:
 * singular noise. */
static penta_status pca_mnf_decompose(penta_context *ctx, size_t bands, const double *noise, double *vectors,
                                      double *values)
{
    penta_status status = PENTA_OK;
    double *factor = NULL;
    size_t dependent = 0;

    TRY(penta_calloc(ctx, bands * bands, sizeof *factor, &factor));
    memcpy(factor, noise, bands * bands * sizeof *factor);
    TRY(penta_eigen_generalised(ctx, bands, vectors, factor, values, &dependent));
    if (dependent && !(noise[(dependent - 1) * (bands + 1)] > 0))
        TRY(penta_fail(ctx, PENTA_INVALID,
                       "band %zu has no noise: neighbours never differ in it; leave it out of the noise fractions",
                       dependent));
    if (dependent)
        TRY(penta_fail(ctx, PENTA_INVALID,
                       "the noise of band %zu is a sum of that of bands before it: leave it out of the noise "
                       "fractions, or give more pixels than bands",
                       dependent));
cleanup:
    free(factor);
    return status;
}

/* V N V^T = 1, so N V^T is the inverse of V, and of some of its rows the part of the inverse that belongs to them. */
typedef struct {
    size_t bands, components;
    const double *noise, *loadings;
    double *inverse;
} back;

static void back_of_band(void *data, size_t band)
{
    const back *b = data;

    for (size_t k = 0; k < b->components; k++)
        b->inverse[band * b->components + k] =
            penta_dot(b->bands, b->noise + band * b->bands, b->loadings + k * b->bands);
}

/* inverse: bands x components, of loadings that pca_mnf_decompose gave. */
static void pca_mnf_inverse(size_t bands, size_t components, const double *noise, const double *loadings,
                            double *inverse)
{
    back b = {bands, components, noise, loadings, inverse};

    penta_parallel(bands, back_of_band, &b);
}

/* vectors: bands x bands, all eigenvectors as rows. */
static penta_status decompose(penta_context *ctx, const pca_problem *p, const double *noise, penta_pca_model *m,
                              double *vectors)
{
    penta_status status = PENTA_OK;
    size_t n = m->bands;
    double level;

    memcpy(vectors, m->covariance, n * n * sizeof *vectors);
    for (size_t i = 0; m->standardize && i < n; i++) {
        for (size_t j = 0; j < n; j++)
            vectors[i * n + j] = vectors[i * n + j] / m->deviation[i] / m->deviation[j];
        vectors[i * n + i] = 1;
    }
    if (m->kind == PENTA_PCA_MNF)
        TRY(pca_mnf_decompose(ctx, n, noise, vectors, m->eigenvalues));
    else
        TRY(penta_eigen_symmetric(ctx, n, vectors, m->eigenvalues));
    level = rounding(p, m->eigenvalues);
    for (size_t i = 0; i < n; i++)
        if (m->eigenvalues[i] <= 0 && m->eigenvalues[i] >= -level)
            m->eigenvalues[i] = 0;
    m->rounding = fmax(level, -m->eigenvalues[n - 1]); /* one further below 0 shows what the others are worth */
cleanup:
    return status;
}

static double sum(size_t n, const double *x)
{
    double s = 0;

    for (size_t i = 0; i < n; i++)
        s += x[i];
    return s;
}

/* The fewest components that explain `variance` per cent; all for 100, since what rounding hides of an eigenvalue is
 * up to 1e-7 of the deviations. */
static size_t kept(const penta_pca_options *o, size_t bands, const double *eigenvalues)
{
    double total = sum(bands, eigenvalues), explained = 0;
    size_t k = 0;

    if (o->components > 0)
        return (size_t)o->components;
    if (!(o->variance > 0 && o->variance < 100))
        return bands;
    do
        explained += eigenvalues[k++];
    while (k < bands && explained + (double)bands * DBL_EPSILON * total < o->variance / 100 * total);
    return k;
}

/* ---- loadings and maps ---- */

/* Makes the first of the largest entries positive. */
static void fix_sign(size_t n, double *v)
{
    double largest = 0;
    size_t first = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(v[i]));
    while (fabs(v[first]) < largest * (1 - equal_entries))
        first++;
    if (v[first] < 0)
        for (size_t i = 0; i < n; i++)
            v[i] = -v[i];
}

static penta_status check_whitening(penta_context *ctx, const penta_pca_model *m)
{
    size_t rank = 0;

    while (rank < m->bands && m->eigenvalues[rank] > m->rounding)
        rank++;
    if (rank == 0)
        return penta_fail(ctx, PENTA_INVALID, "all bands are constant: there is no variance to whiten");
    if (rank < m->components)
        return penta_fail(ctx, PENTA_INVALID,
                          "component %zu has no variance beyond rounding and cannot be whitened: keep %zu at most",
                          rank + 1, rank);
    return PENTA_OK;
}

static void make_maps(const double *noise, penta_pca_model *m)
{
    size_t n = m->bands, kept_ones = m->components;

    if (m->kind == PENTA_PCA_MNF)
        pca_mnf_inverse(n, kept_ones, noise, m->loadings, m->inverse);
    for (size_t k = 0; k < kept_ones; k++) {
        double size = m->whiten ? sqrt(m->eigenvalues[k]) : 1;

        for (size_t i = 0; i < n; i++) {
            double v = m->loadings[k * n + i], unit = m->standardize ? m->deviation[i] : 1;

            m->forward[k * n + i] = v / unit / size;
            if (m->kind == PENTA_PCA_MNF)
                m->inverse[i * kept_ones + k] *= size;
            else
                m->inverse[i * kept_ones + k] = v * unit * size;
        }
    }
}

static penta_status make_loadings(penta_context *ctx, const double *vectors, const double *noise, penta_pca_model *m)
{
    penta_status status = PENTA_OK;
    size_t n = m->bands;

    if (m->whiten)
        TRY(check_whitening(ctx, m));
    TRY(penta_calloc(ctx, m->components * n, sizeof *m->loadings, &m->loadings));
    TRY(penta_calloc(ctx, m->components * n, sizeof *m->forward, &m->forward));
    TRY(penta_calloc(ctx, m->components * n, sizeof *m->inverse, &m->inverse));
    memcpy(m->loadings, vectors, m->components * n * sizeof *vectors);
    for (size_t k = 0; k < m->components; k++)
        fix_sign(n, m->loadings + k * n);
    make_maps(noise, m);
cleanup:
    return status;
}

/* ---- models ---- */

/* What does not depend on eigenvalues. */
static penta_status model_begin(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels,
                                const double *mean, const double *covariance, penta_pca_model *m)
{
    penta_status status = PENTA_OK;

    *m = (penta_pca_model){.bands = bands,
                           .pixels = pixels,
                           .kind = o->kind,
                           .ddof = o->ddof,
                           .standardize = o->standardize,
                           .whiten = o->whiten};
    TRY(penta_calloc(ctx, bands, sizeof *m->mean, &m->mean));
    TRY(penta_calloc(ctx, bands, sizeof *m->deviation, &m->deviation));
    TRY(penta_calloc(ctx, bands * bands, sizeof *m->covariance, &m->covariance));
    TRY(penta_calloc(ctx, bands, sizeof *m->eigenvalues, &m->eigenvalues));
    TRY(penta_calloc(ctx, bands, sizeof *m->percent, &m->percent));
    memcpy(m->mean, mean, bands * sizeof *mean);
    memcpy(m->covariance, covariance, bands * bands * sizeof *covariance);
    for (size_t i = 0; i < bands; i++)
        m->deviation[i] = sqrt(fmax(covariance[i * bands + i], 0));
cleanup:
    return status;
}

/* With one gain what was found of x becomes that of the bands: eigenvalues and noise are scaled, vectors but for their
 * length in noise stay. */
static void scale_solution(const pca_scale *s, penta_pca_model *m, double *vectors, double *noise)
{
    double gain = fabs(s->gain[0]);
    size_t n = m->bands;

    pca_scale_statistics(s, m, noise);
    for (size_t i = 0; m->kind == PENTA_PCA_MNF && i < n * n; i++)
        vectors[i] /= gain;
    if (m->kind == PENTA_PCA_MNF || m->standardize)
        return;
    for (size_t i = 0; i < n; i++)
        m->eigenvalues[i] *= gain * gain;
    m->rounding *= gain * gain;
}

static void find_shares(const penta_pca_options *o, penta_pca_model *m)
{
    double total = sum(m->bands, m->eigenvalues);

    for (size_t i = 0; i < m->bands; i++)
        m->percent[i] = total > 0 ? 100 * (m->eigenvalues[i] / total) : 0;
    m->components = kept(o, m->bands, m->eigenvalues);
}

/* Eigenvalues, all vectors, and mean and covariance of the bands. noise: a copy, or NULL. */
static penta_status find_vectors(penta_context *ctx, const penta_pca_options *o, const pca_problem *p,
                                 penta_pca_model *m, double *noise, double *vectors)
{
    penta_status status = PENTA_OK;

    if (m->standardize)
        TRY(check_deviations(ctx, m));
    if (p->scale && !p->scale->one_gain)
        pca_scale_statistics(p->scale, m, noise);
    TRY(check_finite(ctx, m->bands, m->mean, m->covariance));
    TRY(decompose(ctx, p, noise, m, vectors));
    find_shares(o, m);
    if (p->scale && p->scale->one_gain) {
        scale_solution(p->scale, m, vectors, noise);
        TRY(check_finite(ctx, m->bands, m->mean, m->covariance));
    }
cleanup:
    return status;
}

static penta_status copy_noise(penta_context *ctx, const pca_problem *p, double **out)
{
    penta_status status = PENTA_OK;

    TRY(check_finite(ctx, p->bands, p->mean, p->noise));
    TRY(penta_calloc(ctx, p->bands * p->bands, sizeof **out, out));
    memcpy(*out, p->noise, p->bands * p->bands * sizeof **out);
cleanup:
    return status;
}

penta_status pca_solve(penta_context *ctx, const penta_pca_options *o, const pca_problem *p, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    penta_pca_model m = {0};
    size_t bands = p->bands;
    double *vectors = NULL, *noise = NULL;

    *out = (penta_pca_model){0};
    TRY(check_counts(ctx, o, bands, p->pixels));
    TRY(check_finite(ctx, bands, p->mean, p->covariance));
    TRY(check_small(ctx, p));
    if (o->kind == PENTA_PCA_MNF)
        TRY(copy_noise(ctx, p, &noise));
    TRY(model_begin(ctx, o, bands, p->pixels, p->mean, p->covariance, &m));
    TRY(penta_calloc(ctx, bands * bands, sizeof *vectors, &vectors));
    TRY(find_vectors(ctx, o, p, &m, noise, vectors));
    TRY(make_loadings(ctx, vectors, noise, &m));
    *out = m;
    m = (penta_pca_model){0};
cleanup:
    free(vectors);
    free(noise);
    penta_pca_model_free(&m);
    return status;
}

void penta_pca_model_free(penta_pca_model *model)
{
    free(model->mean);
    free(model->deviation);
    free(model->covariance);
    free(model->eigenvalues);
    free(model->percent);
    free(model->loadings);
    free(model->forward);
    free(model->inverse);
    *model = (penta_pca_model){0};
}
