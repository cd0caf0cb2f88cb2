/* How well the loadings of a model solve their problem. */
#include <math.h>

#include "math/eigen.h"
#include "pca/pca.h"

enum { PARTS = 64 }; /* of the components, by turns */

typedef struct {
    const penta_pca_model *model;
    double orthogonality[PARTS], residual[PARTS];
    double *each; /* components, or NULL */
} residuals;

/* v_i . v_j; of MNF v_i N v_j^T, as N v_j^T is a column of the inverse. */
static double product(const penta_pca_model *m, size_t i, size_t j)
{
    size_t n = m->bands;
    double s = 0;

    if (m->kind != PENTA_PCA_MNF)
        return penta_dot(n, m->loadings + i * n, m->loadings + j * n);
    for (size_t band = 0; band < n; band++)
        s += m->loadings[i * n + band] * m->inverse[band * m->components + j];
    return m->whiten ? s / sqrt(m->eigenvalues[j]) : s;
}

/*
 * |C v - lambda v| / |v|, of MNF |C v - lambda N v| / |N v| in bands of variance 1. Both are
 * s^2 |U (covariance f - lambda / s^2 g)| / |U g| for the row f of forward and the column g of inverse, U the units of
 * bands and s what whitening divides by.
 */
static double residual_of(const penta_pca_model *m, size_t k)
{
    size_t n = m->bands;
    double error = 0, length = 0, lambda = m->eigenvalues[k], s2 = m->whiten ? lambda : 1;
    bool units = m->standardize || m->kind == PENTA_PCA_MNF;

    for (size_t i = 0; i < n; i++) {
        double unit = units ? m->deviation[i] : 1, g = m->inverse[i * m->components + k];
        double e = (penta_dot(n, m->covariance + i * n, m->forward + k * n) - lambda / s2 * g) / unit;

        error = hypot(error, e); /* the squares may overflow or underflow */
        length = hypot(length, g / unit);
    }
    return length > 0 ? s2 * (error / length) : 0;
}

/* NaN is the worst. */
static double worse(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

static void some_products(void *data, size_t part)
{
    residuals *r = data;

    for (size_t i = part; i < r->model->components; i += PARTS)
        for (size_t j = 0; j <= i; j++)
            r->orthogonality[part] = worse(r->orthogonality[part], fabs(product(r->model, i, j) - (i == j)));
}

static void some_residuals(void *data, size_t part)
{
    residuals *r = data;
    double largest = r->model->eigenvalues[0];

    for (size_t i = part; i < r->model->components; i += PARTS) {
        double residual = residual_of(r->model, i);

        residual = largest > 0 ? residual / largest : residual;
        r->residual[part] = worse(r->residual[part], residual);
        if (r->each)
            r->each[i] = residual;
    }
}

static double worst(const double *parts)
{
    double w = 0;

    for (size_t i = 0; i < PARTS; i++)
        w = worse(w, parts[i]);
    return w;
}

void penta_pca_residuals(const penta_pca_model *model, double *orthogonality, double *residual)
{
    residuals r = {.model = model};

    if (orthogonality) {
        penta_parallel(PARTS, some_products, &r);
        *orthogonality = worst(r.orthogonality);
    }
    if (residual) {
        penta_parallel(PARTS, some_residuals, &r);
        *residual = worst(r.residual);
    }
}

void penta_pca_each_residual(const penta_pca_model *model, double *each)
{
    residuals r = {.model = model, .each = each};

    penta_parallel(PARTS, some_residuals, &r);
}
