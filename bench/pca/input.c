/* Cubes of the pca benchmark, mixtures of a few spectra with noise, and the checks of every variant. */
#include "input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPECTRA = 6, SAMPLES = 64 /* pixels */ };

static const double tau = 6.283185307179586;

/* ---- the cube ---- */

static double value_at(const void *data, penta_type type, size_t at)
{
    switch (type) {
    case PENTA_U16:
        return ((const uint16_t *)data)[at];
    case PENTA_F32:
        return (double)((const float *)data)[at];
    default:
        return ((const double *)data)[at];
    }
}

static void put_value(void *data, penta_type type, size_t at, double value)
{
    switch (type) {
    case PENTA_U16:
        ((uint16_t *)data)[at] = (uint16_t)lround(value);
        break;
    case PENTA_F32:
        ((float *)data)[at] = (float)value;
        break;
    default:
        ((double *)data)[at] = value;
        break;
    }
}

static void load_band(const pca_input *in, size_t band, double *x)
{
    for (size_t p = 0; p < in->pixels; p++)
        x[p] = value_at(in->cube, in->c->type, band * in->pixels + p);
}

/* How much of spectrum m there is in each pixel, 0 .. 1. */
static void spread(const pca_case *c, size_t m, double *share)
{
    double fx = tau * (double)(m + 1) / (double)c->cols, fy = tau * (double)(SPECTRA - m) / (double)c->rows;

    for (size_t p = 0; p < c->rows * c->cols; p++)
        share[p] = 0.5 + 0.5 * sin(fx * (double)(p % c->cols) + fy * (double)(p / c->cols));
}

/* Reflectances times 10000, as sensors' products have them: some thousands, noise of +-40. */
bool pca_fill(const pca_case *c, void *cube)
{
    size_t pixels = c->rows * c->cols;
    double *shares = calloc(SPECTRA * pixels, sizeof *shares);

    for (size_t m = 0; shares && m < SPECTRA; m++)
        spread(c, m, shares + m * pixels);
    for (size_t b = 0; shares && b < c->bands; b++) {
        double spectrum[SPECTRA];

        for (size_t m = 0; m < SPECTRA; m++)
            spectrum[m] = 800 + 400 * cos(tau * (double)(m + 1) * (double)b / (double)c->bands + (double)m);
        for (size_t p = 0; p < pixels; p++) {
            double value = 1000 + 40 * bench_noise(b * pixels + p);

            for (size_t m = 0; m < SPECTRA; m++)
                value += spectrum[m] * shares[m * pixels + p];
            put_value(cube, c->type, b * pixels + p, value);
        }
    }
    free(shares);
    return shares != NULL;
}

penta_cube_rows pca_rows(const pca_input *in, size_t first, size_t count)
{
    return (penta_cube_rows){.rows = count,
                             .cols = in->c->cols,
                             .layout = PENTA_BSQ,
                             .type = in->c->type,
                             .data = (const char *)in->cube + first * in->c->cols * penta_type_size(in->c->type),
                             .band_stride = in->pixels};
}

/* ---- moments by the host ---- */

static void load_centred(const pca_input *in, size_t band, double *x)
{
    load_band(in, band, x);
    for (size_t p = 0; p < in->pixels; p++)
        x[p] -= in->mean[band];
}

/* Means, and the covariances of all bands with a mixture of all of them. */
static void find_moments(pca_input *in)
{
    double *x = bench_alloc(in->b, in->pixels, sizeof *x), *mixture = bench_alloc(in->b, in->pixels, sizeof *mixture);

    for (size_t b = 0; b < in->c->bands; b++) {
        long double sum = 0;

        load_band(in, b, x);
        for (size_t p = 0; p < in->pixels; p++)
            sum += x[p];
        in->mean[b] = (double)(sum / in->pixels);
        for (size_t p = 0; p < in->pixels; p++)
            mixture[p] += bench_noise(b) * (x[p] - in->mean[b]);
    }
    for (size_t b = 0; b < in->c->bands; b++) {
        long double sum = 0;

        load_centred(in, b, x);
        for (size_t p = 0; p < in->pixels; p++)
            sum += (long double)x[p] * mixture[p];
        in->with_mixture[b] = (double)(sum / (in->pixels - 1));
    }
}

void pca_centre(pca_input *in)
{
    double *x;

    if (in->centred)
        return;
    x = bench_alloc(in->b, in->pixels, sizeof *x);
    in->forward = bench_alloc(in->b, in->c->bands * in->c->bands, penta_type_size(in->real));
    for (size_t i = 0; i < in->c->bands * in->c->bands; i++)
        put_value(in->forward, in->real, i, in->model.forward[i]);
    in->centred = bench_alloc(in->b, in->c->bands * in->pixels, penta_type_size(in->real));
    for (size_t b = 0; b < in->c->bands; b++) {
        load_centred(in, b, x);
        for (size_t p = 0; p < in->pixels; p++)
            put_value(in->centred, in->real, b * in->pixels + p, x[p]);
    }
}

/* ---- the model ---- */

/* The first component, the last of the PCA_FIRST, the last. */
static size_t pick(const pca_input *in, size_t k)
{
    size_t last = in->c->bands - 1;

    return k == 0 ? 0 : k + 1 < PCA_PICKED && last > PCA_FIRST - 1 ? PCA_FIRST - 1 : last;
}

static void find_picked(pca_input *in)
{
    double *x = bench_alloc(in->b, in->pixels, sizeof *x);

    for (size_t b = 0; b < in->c->bands; b++) {
        load_centred(in, b, x);
        for (size_t k = 0; k < PCA_PICKED; k++) {
            double weight = in->model.forward[pick(in, k) * in->c->bands + b];

            for (size_t p = 0; p < in->pixels; p++)
                in->picked[k * in->pixels + p] += weight * x[p];
        }
    }
}

static void find_model(pca_input *in)
{
    penta_context *ctx = bench_context(in->b);
    penta_pca_options o = pca_options(in, PENTA_PCA_COV_AUTO);
    penta_cube_rows rows = pca_rows(in, 0, in->c->rows);
    penta_pca *plan = NULL;

    if (penta_pca_create(ctx, in->c->bands, in->pixels, &o, &plan) != PENTA_OK ||
        penta_pca_add(plan, &rows) != PENTA_OK || penta_pca_solve(plan, &in->model) != PENTA_OK)
        bench_fail(in->b, "%s", penta_last_error(ctx));
    penta_pca_destroy(plan);
}

void pca_input_create(bench *b, const pca_case *c, pca_input *in)
{
    size_t bands = c->bands, pixels = c->rows * c->cols;

    *in = (pca_input){.b = b, .c = c, .pixels = pixels, .real = c->type == PENTA_F32 ? PENTA_F32 : PENTA_F64};
    in->cube = bench_pinned(b, bands * pixels * penta_type_size(c->type));
    in->mean = bench_alloc(b, bands, sizeof *in->mean);
    in->with_mixture = bench_alloc(b, bands, sizeof *in->with_mixture);
    in->matrix = bench_alloc(b, bands * bands, sizeof *in->matrix);
    in->product = bench_alloc(b, bands * bands, sizeof(double));
    in->picked = bench_alloc(b, PCA_PICKED * pixels, sizeof *in->picked);
    if (!c->sweep)
        in->result = bench_pinned(b, bands * pixels * sizeof(double));
    if (!pca_fill(c, in->cube))
        bench_fail(b, "out of memory for the cube");
    find_moments(in);
    find_model(in);
    pca_check_model(in, "model", &in->model);
    find_picked(in);
}

void pca_input_free(pca_input *in)
{
    penta_pca_model_free(&in->model);
    bench_release(in->b, 0);
}

void pca_clear(const pca_input *in)
{
    memset(in->product, 0xff, in->c->bands * in->c->bands * sizeof(double));
    if (in->result)
        memset(in->result, 0xff, in->c->bands * in->pixels * sizeof(double));
}

int pca_precision(const pca_input *in)
{
    return in->real == PENTA_F32 ? PENTA_PRECISION_SINGLE : PENTA_PRECISION_AUTO;
}

penta_pca_options pca_options(const pca_input *in, int method)
{
    penta_pca_options o;

    penta_pca_options_init(&o);
    o.cov = method;
    o.precision = pca_precision(in);
    return o;
}

penta_affine pca_affine(const pca_input *in, size_t outs)
{
    return (penta_affine){.ins = in->c->bands, .outs = outs, .matrix = in->model.forward, .before = in->model.mean};
}

/* ---- checks ---- */

double pca_tolerance(const pca_input *in)
{
    return in->real == PENTA_F32 ? 1e-5 : 1e-12;
}

/* NaN is wrong, too. */
static void within(const pca_input *in, const char *variant, const char *what, double error, double tolerance)
{
    if (!(error <= tolerance))
        bench_fail(in->b, "%s: WRONG RESULT: %s, relative error %.2g, more than %.2g", variant, what, error, tolerance);
}

void pca_check_covariance(const pca_input *in, const char *variant, const double *matrix, double tolerance)
{
    size_t bands = in->c->bands;
    double total = 0;

    for (size_t b = 0; b < bands; b++)
        total += matrix[b * bands + b];
    for (size_t i = 0; i < bands; i++) {
        double sum = 0;

        for (size_t j = 0; j < bands; j++)
            sum += bench_noise(j) * matrix[i > j ? i * bands + j : j * bands + i];
        within(in, variant, "covariances", fabs(sum - in->with_mixture[i]) / sqrt(matrix[i * bands + i] * total),
               tolerance);
    }
}

void pca_check_model(const pca_input *in, const char *variant, const penta_pca_model *model)
{
    double tolerance = pca_tolerance(in), orthogonality, residual;

    for (size_t b = 0; b < in->c->bands; b++)
        within(in, variant, "a mean", fabs(model->mean[b] - in->mean[b]) / in->mean[b], tolerance);
    pca_check_covariance(in, variant, model->covariance, tolerance);
    penta_pca_residuals(model, &orthogonality, &residual);
    within(in, variant, "lengths and angles of loadings", orthogonality, 1e-12);
    within(in, variant, "C v = lambda v", residual, 1e-12);
}

void pca_check_scores(const pca_input *in, const char *variant, const void *scores, size_t outs)
{
    size_t bands = in->c->bands;
    double *x = bench_alloc(in->b, bands, sizeof *x);

    for (size_t s = 0; s < SAMPLES; s++) {
        size_t p = s * (in->pixels - 1) / (SAMPLES - 1);
        double square = 0;

        for (size_t b = 0; b < bands; b++) {
            x[b] = value_at(in->cube, in->c->type, b * in->pixels + p) - in->mean[b];
            square += x[b] * x[b];
        }
        for (size_t o = 0; o < outs; o++) {
            double error = value_at(scores, in->real, o * in->pixels + p);

            for (size_t b = 0; b < bands; b++)
                error -= in->model.forward[o * bands + b] * x[b];
            within(in, variant, "a score", fabs(error) / sqrt(square), pca_tolerance(in));
        }
    }
}

/* Rounding may put a number that lies between two integers to the other one. */
void pca_check_bytes(const pca_input *in, const char *variant, const uint8_t *bytes)
{
    const double most_other = 1e-3; /* of the pixels */

    for (size_t k = 0; k < PCA_PICKED; k++) {
        const double *scores = in->picked + k * in->pixels;
        const uint8_t *got = bytes + pick(in, k) * in->pixels;
        double least = scores[0], largest = scores[0];
        size_t other = 0;

        for (size_t p = 1; p < in->pixels; p++) {
            least = fmin(least, scores[p]);
            largest = fmax(largest, scores[p]);
        }
        for (size_t p = 0; p < in->pixels; p++) {
            double difference = got[p] - round(255 * (scores[p] - least) / (largest - least));

            within(in, variant, "a rescaled score", fabs(difference) / 255, 1.5 / 255);
            other += difference != 0;
        }
        within(in, variant, "rescaled scores that differ", (double)other / (double)in->pixels, most_other);
    }
}
