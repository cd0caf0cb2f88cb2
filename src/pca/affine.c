/* Maps of a model, types of their results, and the comparison of wavelengths. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pca/pca.h"

/* The parts of a penta_affine, writable. */
typedef struct {
    size_t ins, outs;
    double *matrix, *before, *after;
} parts;

/* scores = forward (x - mean). */
static void put_forward(const penta_pca_model *m, parts *p)
{
    memcpy(p->matrix, m->forward, m->components * m->bands * sizeof *p->matrix);
    memcpy(p->before, m->mean, m->bands * sizeof *p->before);
}

/* x = mean + inverse s, where s = least + (v - low) (largest - least) / (high - low) of the rescaled score v. */
static void put_inverse(const penta_pca_model *m, const penta_pca_scaling *s, parts *p)
{
    size_t n = m->bands, k = m->components;

    memcpy(p->after, m->mean, n * sizeof *p->after);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++) {
            double weight = m->inverse[i * k + j];

            p->matrix[i * k + j] = s ? weight * ((s->largest[j] - s->least[j]) / (s->high - s->low)) : weight;
            p->after[i] += s ? weight * s->least[j] : 0;
        }
    for (size_t j = 0; j < k; j++)
        p->before[j] = s ? s->low : 0;
}

/* x = mean + inverse forward (x - mean). */
static void put_filter(const penta_pca_model *m, parts *p)
{
    size_t n = m->bands, k = m->components;

    memcpy(p->after, m->mean, n * sizeof *p->after);
    memcpy(p->before, m->mean, n * sizeof *p->before);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < k; j++)
            for (size_t l = 0; l < n; l++)
                p->matrix[i * n + l] += m->inverse[i * k + j] * m->forward[j * n + l];
}

/* matrix (x - before) of numbers x = gain e + offset becomes that of the elements e. */
static void take_elements(const double *gain, const double *offset, parts *p)
{
    for (size_t j = 0; j < p->ins; j++) {
        for (size_t i = 0; i < p->outs; i++)
            p->matrix[i * p->ins + j] *= gain[j];
        p->before[j] = (p->before[j] - offset[j]) / gain[j];
    }
}

penta_status penta_pca_affine(const penta_pca_model *model, int direction, const double *gain, const double *offset,
                              const penta_pca_scaling *scaling, penta_affine *out)
{
    penta_status status = PENTA_OK;
    parts p = {.ins = direction == PENTA_PCA_INVERSE ? model->components : model->bands,
               .outs = direction == PENTA_PCA_FORWARD ? model->components : model->bands};

    *out = (penta_affine){0};
    if (direction < PENTA_PCA_FORWARD || direction > PENTA_PCA_FILTER || !gain != !offset)
        return penta_fail(NULL, PENTA_INVALID, "a model has no map %d, or a gain lacks its offset", direction);
    TRY(penta_calloc(NULL, p.outs * p.ins, sizeof *p.matrix, &p.matrix));
    TRY(penta_calloc(NULL, p.ins, sizeof *p.before, &p.before));
    TRY(penta_calloc(NULL, p.outs, sizeof *p.after, &p.after));
    if (direction == PENTA_PCA_FORWARD)
        put_forward(model, &p);
    else if (direction == PENTA_PCA_INVERSE)
        put_inverse(model, scaling, &p);
    else
        put_filter(model, &p);
    if (gain)
        take_elements(gain, offset, &p);
    *out = (penta_affine){p.ins, p.outs, p.matrix, p.before, p.after};
    return PENTA_OK;
cleanup:
    free(p.matrix);
    free(p.before);
    free(p.after);
    return status;
}

void penta_affine_free(penta_affine *affine)
{
    free((void *)affine->matrix);
    free((void *)affine->before);
    free((void *)affine->after);
    *affine = (penta_affine){0};
}

/* ---- types of results ---- */

bool penta_cube_type_holds(penta_type type, double value)
{
    static const struct {
        penta_type type;
        double least, largest;
    } integers[] = {{PENTA_U8, 0, UINT8_MAX},
                    {PENTA_U16, 0, UINT16_MAX},
                    {PENTA_I16, INT16_MIN, INT16_MAX},
                    {PENTA_U32, 0, UINT32_MAX},
                    {PENTA_I32, INT32_MIN, INT32_MAX}};

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (integers[i].type == type)
            return value >= integers[i].least && value <= integers[i].largest && floor(value) >= value;
    return type == PENTA_F64 || (type == PENTA_F32 && (!isfinite(value) || isfinite((float)value)));
}

double penta_map_fill(penta_type type, double low, double high)
{
    switch (type) {
    case PENTA_U8:
        return low > 0 ? 0 : high < UINT8_MAX ? UINT8_MAX : NAN;
    case PENTA_U16:
        return low > 0 ? 0 : high < UINT16_MAX ? UINT16_MAX : NAN;
    case PENTA_I16:
        return low > INT16_MIN ? INT16_MIN : high < INT16_MAX ? INT16_MAX : NAN;
    case PENTA_I32:
        return low > INT32_MIN ? INT32_MIN : high < INT32_MAX ? INT32_MAX : NAN;
    default:
        return NAN;
    }
}

penta_type penta_map_type(double low, double high, bool fills)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_I32};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (penta_cube_type_holds(types[i], low) && penta_cube_type_holds(types[i], high) &&
            (!fills || !isnan(penta_map_fill(types[i], low, high))))
            return types[i];
    return PENTA_F64;
}

/* ---- wavelengths ---- */

/* The difference beyond the tolerance, nm. */
static double beyond_tolerance(double want, double got)
{
    return fabs(got - want) - (0.1 + 1e-4 * want);
}

size_t penta_pca_wavelengths_differ(size_t n, const double *want, const double *got)
{
    size_t worst = 0;

    for (size_t i = 1; i < n; i++)
        if (beyond_tolerance(want[i], got[i]) > beyond_tolerance(want[worst], got[worst]))
            worst = i;
    return n > 0 && beyond_tolerance(want[worst], got[worst]) > 0 ? worst : n;
}
