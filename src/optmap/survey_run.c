/* Runs the parts of a movie's survey in order. */
#include <math.h>
#include <stdlib.h>

#include "optmap/survey.h"

/* Makes orthonormal polynomials of degree 0 .. 3, by Gram-Schmidt, twice. */
static void fill_basis(const survey *s)
{
    for (int k = 0; k < SURVEY_TERMS; k++) {
        double *p = s->basis + (size_t)k * s->frames, length = 0;

        for (size_t n = 0; n < s->frames; n++)
            p[n] = k == 0 ? 1 : (2 * (double)n / (double)(s->frames - 1) - 1) * p[n - s->frames];
        for (int j = 0; j < 2 * k; j++) {
            const double *q = s->basis + (size_t)(j % k) * s->frames;
            double dot = 0;

            for (size_t n = 0; n < s->frames; n++)
                dot += p[n] * q[n];
            for (size_t n = 0; n < s->frames; n++)
                p[n] -= dot * q[n];
        }
        for (size_t n = 0; n < s->frames; n++)
            length += p[n] * p[n];
        for (size_t n = 0; n < s->frames; n++)
            p[n] = length > 1e-20 ? p[n] / sqrt(length) : 0;
    }
}

static penta_status make_arrays(survey *s)
{
    float **const maps[] = {&s->light, &s->mean, &s->spread, &s->memory, &s->noise, &s->odd, &s->odd_memory};
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        TRY(penta_calloc(s->ctx, s->pixels, sizeof **maps[i], maps[i]));
    TRY(penta_calloc(s->ctx, SURVEY_TERMS * s->frames, sizeof *s->basis, &s->basis));
    TRY(penta_calloc(s->ctx, s->pixels, sizeof *s->out->kind, &s->out->kind));
cleanup:
    return status;
}

static void release(survey *s)
{
    float *const maps[] = {s->light, s->mean, s->spread, s->memory, s->noise, s->odd, s->odd_memory};

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        free(maps[i]);
    free(s->basis);
}

penta_status survey_run(penta_context *ctx, size_t width, size_t height, size_t frames, const penta_movie *movie,
                        int polarity, penta_survey *out, enum survey_doubt *doubt)
{
    penta_status status = PENTA_OK;
    survey s = {.ctx = ctx,
                .width = width,
                .height = height,
                .frames = frames,
                .pixels = width * height,
                .movie = movie,
                .polarity = polarity,
                .out = out};

    *out = (penta_survey){.width = width, .height = height, .frames = frames, .drift = -1};
    if (width == 0 || height == 0 || frames < 2 || !movie->frames || movie->type == PENTA_I64) {
        status = penta_fail(ctx, PENTA_INVALID, "a movie of %zu frames of %zu x %zu pixels cannot be surveyed", frames,
                            width, height);
        goto cleanup;
    }
    TRY(make_arrays(&s));
    fill_basis(&s);
    TRY(survey_measure(&s));
    TRY(survey_classify(&s));
    TRY(survey_drift(&s));
    *doubt = s.doubt;
    TRY(survey_motion(&s));
cleanup:
    release(&s);
    if (status != PENTA_OK)
        penta_survey_free(out);
    return status;
}

penta_status penta_survey_run(penta_context *ctx, size_t width, size_t height, size_t frames, const penta_movie *movie,
                              int polarity, penta_survey *out)
{
    enum survey_doubt doubt;

    return survey_run(ctx, width, height, frames, movie, polarity, out, &doubt);
}

void penta_survey_free(penta_survey *out)
{
    free(out->kind);
    *out = (penta_survey){0};
}

/* ---- thresholds ---- */

static const double least_motion = 0.25, least_lost = 0.002; /* px; fraction of the light */

bool penta_survey_moves(const penta_survey *found)
{
    double most = fmax(found->shift, found->growth);

    return most > least_motion && most > 5 * found->motion_noise;
}

bool penta_survey_bleaches(const penta_survey *found)
{
    return found->drift >= 0 && fabs(found->lost) > least_lost;
}
