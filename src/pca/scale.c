/* Bands as gain * x + offset of the numbers x that rows hold: mean and covariance of x are scaled, not the pixels. */
#include <math.h>
#include <stdlib.h>

#include "pca/pca.h"

void pca_scale_free(pca_scale *scale)
{
    free(scale->gain);
    free(scale->offset);
    *scale = (pca_scale){0};
}

static penta_status check_scale(penta_context *ctx, size_t bands, const double *gain, const double *offset)
{
    for (size_t i = 0; i < bands; i++) {
        if (gain && (!isfinite(gain[i]) || !(fabs(gain[i]) > 0)))
            return penta_fail(ctx, PENTA_INVALID, "the gain of band %zu is %g, which leaves nothing of it", i + 1,
                              gain[i]);
        if (offset && !isfinite(offset[i]))
            return penta_fail(ctx, PENTA_INVALID, "the offset of band %zu is not finite", i + 1);
    }
    return PENTA_OK;
}

penta_status pca_scale_set(penta_context *ctx, pca_scale *scale, size_t bands, const double *gain, const double *offset)
{
    penta_status status = PENTA_OK;
    pca_scale s = {.one_gain = true};

    TRY(check_scale(ctx, bands, gain, offset));
    if (gain || offset) {
        TRY(penta_calloc(ctx, bands, sizeof *s.gain, &s.gain));
        TRY(penta_calloc(ctx, bands, sizeof *s.offset, &s.offset));
    }
    for (size_t i = 0; s.gain && i < bands; i++) {
        s.gain[i] = gain ? gain[i] : 1;
        s.offset[i] = offset ? offset[i] : 0;
        s.one_gain = s.one_gain && !(s.gain[i] < s.gain[0]) && !(s.gain[i] > s.gain[0]);
    }
    pca_scale_free(scale);
    *scale = s;
    s = (pca_scale){0};
cleanup:
    pca_scale_free(&s);
    return status;
}

static void scale_matrix(const pca_scale *s, size_t n, double *matrix)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] *= s->gain[i < j ? i : j] * s->gain[i < j ? j : i];
}

void pca_scale_statistics(const pca_scale *s, penta_pca_model *m, double *noise)
{
    for (size_t i = 0; i < m->bands; i++) {
        m->mean[i] = s->gain[i] * m->mean[i] + s->offset[i];
        m->deviation[i] *= fabs(s->gain[i]);
    }
    scale_matrix(s, m->bands, m->covariance);
    if (noise)
        scale_matrix(s, m->bands, noise);
}
