/* Models may have been edited by hand: checks that their parts agree. */
#include <math.h>
#include <stdlib.h>

#include "io/model_check.h"

static const double agreement = 1e-6; /* relative tolerance; numbers have 17 digits, a wrong one differs far more */

static bool disagrees(const char *path, penta_io_error *err, const char *key, const char *what)
{
    return penta_io_fail(err, "%s: is damaged: '%s' %s; make the model again", path, key, what);
}

static double deviation_of(const penta_pca_model *m, size_t band)
{
    return m->standardize ? m->deviation[band] : 1;
}

static double size_of(const penta_pca_model *m, size_t component)
{
    return m->whiten ? sqrt(m->eigenvalues[component]) : 1;
}

static bool is_close(double a, double b)
{
    return fabs(a - b) <= agreement * (fabs(a) + fabs(b));
}

static bool check_spectrum(const char *path, const penta_pca_model *m, penta_io_error *err)
{
    for (size_t i = 1; i < m->bands; i++)
        if (m->eigenvalues[i] > m->eigenvalues[i - 1])
            return disagrees(path, err, "eigenvalues", "does not go down from the largest");
    return true;
}

/*
 * The kept components explain at most the variance of a band, which is the sum over all k of lambda_k v_ki^2. So a band
 * with a deviation of 0 must have zero loadings. check_units and check_maps check the deviations of standardized bands
 * and of noise fractions.
 */
static bool check_deviations(const char *path, const penta_pca_model *m, penta_io_error *err)
{
    double slack = m->rounding + 1e-12 * m->eigenvalues[0]; /* rounding of eigenvalues, also of those set to 0 */

    for (size_t i = 0; i < m->bands && !m->standardize && m->kind != PENTA_PCA_MNF; i++) {
        double explained = 0;

        for (size_t k = 0; k < m->components; k++)
            explained += m->eigenvalues[k] * m->loadings[k * m->bands + i] * m->loadings[k * m->bands + i];
        if (explained > m->deviation[i] * m->deviation[i] * (1 + agreement) + slack)
            return disagrees(path, err, "deviation", "has one below what the components explain of its band");
    }
    for (size_t i = 0; i < m->bands && m->kind == PENTA_PCA_MNF; i++)
        if (m->deviation[i] == 0)
            return disagrees(path, err, "deviation", "has one that is not positive");
    return true;
}

/* Checks the divisors of the loadings. */
static bool check_units(const char *path, const penta_pca_model *m, penta_io_error *err)
{
    for (size_t i = 0; i < m->bands; i++)
        if (m->deviation[i] < 0 || (m->standardize && m->deviation[i] == 0))
            return disagrees(path, err, "deviation", m->standardize ? "has one that is not positive" : "is negative");
    for (size_t k = 0; m->whiten && k < m->components; k++)
        if (m->eigenvalues[k] <= 0)
            return disagrees(path, err, "eigenvalues", "has one that is not positive, which cannot be whitened");
    return true;
}

/* Checks forward = L^-1/2 V D^-1 and, except for MNF, inverse = D V^T L^1/2. */
static bool check_maps(const char *path, const penta_pca_model *m, penta_io_error *err)
{
    size_t n = m->bands, kept = m->components;

    for (size_t k = 0; k < kept; k++)
        for (size_t i = 0; i < n; i++) {
            double v = m->loadings[k * n + i], unit = deviation_of(m, i), size = size_of(m, k);

            if (!is_close(m->forward[k * n + i], v / unit / size))
                return disagrees(path, err, "forward", "does not follow from loadings, standardize and whiten");
            if (m->kind != PENTA_PCA_MNF && !is_close(m->inverse[i * kept + k], v * unit * size))
                return disagrees(path, err, "inverse", "does not follow from loadings, standardize and whiten");
        }
    return true;
}

/* Tests forward inverse s = s for one irregular s, which practically proves it for all. room: bands numbers. */
static bool comes_back(const penta_io_model *c, double *room)
{
    const penta_pca_model *m = &c->m;
    size_t n = m->bands, kept = m->components;
    double sum = 0, tolerance = agreement + (isfinite(c->orthogonality) ? fabs(c->orthogonality) : 0);

    for (size_t k = 0; k < kept; k++) {
        double s = 1 + fmod((double)k * 0.6180339887498949, 1);

        sum += s;
        for (size_t i = 0; i < n; i++)
            room[i] += m->inverse[i * kept + k] * s;
    }
    for (size_t k = 0; k < kept; k++) {
        double s = 1 + fmod((double)k * 0.6180339887498949, 1), back = 0, terms = 0;

        for (size_t i = 0; i < n; i++) {
            back += m->forward[k * n + i] * room[i];
            terms += fabs(m->forward[k * n + i] * room[i]);
        }
        if (!(fabs(back - s) <= tolerance * (terms + sum)))
            return false;
    }
    return true;
}

static bool check_inverse(const char *path, const penta_io_model *c, penta_io_error *err)
{
    double *room = calloc(c->m.bands, sizeof *room);
    bool ok = room && comes_back(c, room);

    free(room);
    if (!room)
        return penta_io_fail(err, "%s: out of memory for it", path);
    return ok || disagrees(path, err, "inverse", "does not take back what forward does");
}

static bool check_range(const char *path, const penta_io_model *c, penta_io_error *err)
{
    if (c->rescale && !(c->low < c->high && isfinite(c->high - c->low)))
        return disagrees(path, err, "rescale", "has no range");
    for (size_t k = 0; c->rescale && k < c->m.components; k++)
        if (!(c->least[k] <= c->largest[k] && isfinite(c->largest[k] - c->least[k])))
            return disagrees(path, err, "rescale", "has a component without a range from least to largest");
    return true;
}

static bool check_selection(const char *path, const penta_io_model *c, penta_io_error *err)
{
    for (size_t i = 0; i < c->m.bands; i++)
        for (size_t j = 0; j < i; j++)
            if (c->selection[i] == c->selection[j])
                return disagrees(path, err, "selected_bands", "names a band twice");
    return true;
}

static bool check_scale(const char *path, const penta_io_model *c, penta_io_error *err)
{
    if (!c->gain != !c->offset)
        return disagrees(path, err, "gain", "is there without 'offset', or 'offset' without it");
    for (size_t i = 0; c->gain && i < c->m.bands; i++)
        if (c->gain[i] == 0)
            return disagrees(path, err, "gain", "has one that is 0");
    for (size_t i = 0; c->wavelengths && i < c->m.bands; i++)
        if (!(c->wavelengths[i] > 0))
            return disagrees(path, err, "wavelengths", "has one that is not positive");
    return c->factor >= 0 || disagrees(path, err, "reflectance_scale_factor", "is not above 0");
}

bool io_model_check(const char *path, const penta_io_model *c, penta_io_error *err)
{
    return check_selection(path, c, err) && check_scale(path, c, err) && check_range(path, c, err) &&
           check_spectrum(path, &c->m, err) && check_units(path, &c->m, err) && check_maps(path, &c->m, err) &&
           check_inverse(path, c, err) && check_deviations(path, &c->m, err);
}
