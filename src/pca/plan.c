/* Plans of the pca workload: options, the streams of pixels and of their differences, models. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pca/pca.h"
#include "pca/slab_no_data.h"

static const penta_option option_rows[] = {
    PENTA_INT_OPTION(penta_pca_options, components, 'k', 0, 0, 4096, "", "how many components to keep; 0: all"),
    PENTA_REAL_OPTION(penta_pca_options, variance, 0, 0, 0, 100, "%",
                      "keep the fewest components that explain this much of the variance; 0: not used"),
    PENTA_FLAG_OPTION(penta_pca_options, standardize, 0, "scale bands to variance 1: decompose the correlation matrix"),
    PENTA_FLAG_OPTION(penta_pca_options, whiten, 0, "scale scores to variance 1"),
    PENTA_CHOICE_OPTION(penta_pca_options, kind, 0, "pca,mnf",
                        "principal components, or maximum noise fractions (noise from differences along rows)"),
    PENTA_CHOICE_OPTION(penta_pca_options, cov, 0, "auto,triangle,syrk,gemm,splitk,square,volkov",
                        "how the covariance is computed"),
    PENTA_CHOICE_OPTION(
        penta_pca_options, precision, 0, "auto,single,double",
        "of sums over floats; auto is double, or pairs of floats on devices without it. The covariance of 8- and "
        "16-bit integers is always exact"),
    PENTA_INT_OPTION(penta_pca_options, ddof, 0, 1, 0, 1000000, "", "the covariance is divided by pixels - ddof"),
    PENTA_TEXT_OPTION(penta_pca_options, no_data, 0, "VALUE", "leave out pixels with this number (or nan) in any band"),
    PENTA_OPTIONS_END};

const penta_option *penta_pca_option_table(void)
{
    return option_rows;
}

struct penta_pca {
    penta_resources resources;
    penta_pca_options options; /* without no_data, which belongs to the caller */
    size_t bands, capacity;    /* of slabs, in pixels */
    pca_choice choice;
    pca_loader *loader;
    pca_stream *pixels, *noise; /* made when the first rows tell the type; noise: MNF */
    penta_type type;
    size_t cols;
    uint64_t rows_pixels; /* given so far */
    uint64_t keep;        /* bytes of pixels that stay on the device; 0: none do */
    bool begun, broken;   /* there were rows; a call failed in the middle */
    pca_scale scale;
};

/* ---- making and releasing ---- */

/* The rules of penta_pca_check. */
static penta_status check_options(penta_context *ctx, size_t bands, const penta_pca_options *o)
{
    penta_status status = PENTA_OK;
    slab_no_data no_data;

    if (bands == 0 || bands > PENTA_PCA_MOST_BANDS)
        return penta_fail(ctx, PENTA_INVALID, "%zu bands; there must be 1 to %d", bands, PENTA_PCA_MOST_BANDS);
    if ((size_t)o->components > bands)
        return penta_fail(ctx, PENTA_INVALID, "`components` is %d; it must be at most the number of bands, %zu",
                          o->components, bands);
    if (o->components > 0 && o->variance > 0)
        return penta_fail(ctx, PENTA_INVALID,
                          "`components` and `variance` both say how many components to keep; give one of them");
    if (o->kind == PENTA_PCA_MNF && o->standardize)
        return penta_fail(ctx, PENTA_INVALID,
                          "noise fractions do not depend on the scale of bands; leave out `standardize`");
    TRY(slab_no_data_parse(ctx, o->no_data, &no_data));
cleanup:
    return status;
}

static penta_status resolve(penta_context *ctx, size_t bands, const penta_pca_options *opt, penta_pca_options *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_pca_option_table(), opt, out, sizeof *out));
    TRY(check_options(ctx, bands, out));
cleanup:
    return status;
}

penta_status penta_pca_check(size_t bands, const penta_pca_options *opt, char *message, size_t size)
{
    penta_pca_options resolved;

    return penta_check_result(resolve(NULL, bands, opt, &resolved), message, size);
}

penta_status penta_pca_create(penta_context *ctx, size_t bands, size_t pixels, const penta_pca_options *opt,
                              penta_pca **out)
{
    penta_status status = PENTA_OK;
    penta_pca *plan = NULL;
    const char *why;
    char slabs[48];

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    TRY(penta_own_struct(&plan->resources, &plan->scale, pca_scale_free));
    plan->bands = bands;
    TRY(resolve(ctx, bands, opt, &plan->options));
    TRY(pca_check_precision(ctx, plan->options.precision));
    TRY(pca_check_cov(ctx, plan->options.cov));
    TRY(pca_loader_create(ctx, bands, plan->options.no_data, &plan->loader));
    TRY(penta_own(&plan->resources, &plan->loader, pca_loader_destroy));
    plan->options.no_data = NULL;
    plan->choice = pca_choose(ctx, plan->options.cov);
    plan->capacity = pca_slab_capacity(ctx, bands, pixels, &why);
    pca_tell_choice(ctx, plan->options.cov, &plan->choice);
    snprintf(slabs, sizeof slabs, "of %zu pixels", plan->capacity);
    penta_chose(ctx, "slabs", slabs, "%s", why);
    *out = plan;
    plan = NULL;
cleanup:
    penta_pca_destroy(plan);
    return status;
}

static void drop_streams(penta_pca *plan)
{
    pca_stream_destroy(plan->pixels);
    pca_stream_destroy(plan->noise);
    plan->pixels = plan->noise = NULL;
}

void penta_pca_destroy(penta_pca *plan)
{
    penta_plan_free(plan);
}

void penta_pca_reset(penta_pca *plan)
{
    penta_settle(plan->resources.ctx);
    if (plan->pixels)
        pca_stream_reset(plan->pixels);
    if (plan->noise)
        pca_stream_reset(plan->noise);
    plan->begun = plan->broken = false;
    plan->rows_pixels = 0;
}

penta_status penta_pca_scale_bands(penta_pca *plan, const double *gain, const double *offset)
{
    return pca_scale_set(plan->resources.ctx, &plan->scale, plan->bands, gain, offset);
}

const char *penta_pca_cov_name(const penta_pca *plan)
{
    return plan->choice.name;
}

void pca_limit_slabs(penta_pca *plan, size_t pixels)
{
    if (pca_padded(pixels) < plan->capacity)
        plan->capacity = pca_padded(pixels);
}

/* ---- rows ---- */

static penta_status check_rows(const penta_pca *plan, const penta_cube_rows *rows)
{
    penta_status status = PENTA_OK;

    TRY(pca_check_rows(plan->resources.ctx, plan->bands, rows));
    if (plan->begun && rows->type != plan->type)
        return penta_fail(plan->resources.ctx, PENTA_INVALID, "rows of type %s follow rows of type %s",
                          penta_type_name(rows->type), penta_type_name(plan->type));
    if (plan->begun && plan->options.kind == PENTA_PCA_MNF && rows->cols != plan->cols)
        return penta_fail(plan->resources.ctx, PENTA_INVALID, "rows of %zu pixels follow rows of %zu", rows->cols,
                          plan->cols);
cleanup:
    return status;
}

static penta_status make_stream(penta_pca *plan, const pca_stream_setup *setup, pca_stream **stream)
{
    penta_status status = PENTA_OK;

    TRY(pca_stream_create(setup, stream));
    TRY(penta_own(&plan->resources, stream, pca_stream_destroy));
cleanup:
    return status;
}

static penta_status have_streams(penta_pca *plan, penta_type type)
{
    penta_status status = PENTA_OK;
    pca_stream_setup setup = {.ctx = plan->resources.ctx,
                              .loader = plan->loader,
                              .bands = plan->bands,
                              .capacity = plan->capacity,
                              .type = type,
                              .choice = plan->choice,
                              .precision = plan->options.kind == PENTA_PCA_MNF ? PENTA_PRECISION_DOUBLE
                                                                               : plan->options.precision};

    if (plan->pixels && type != plan->type)
        drop_streams(plan);
    plan->type = type;
    if (!plan->pixels) {
        TRY(make_stream(plan, &setup, &plan->pixels));
        pca_tell_precision(setup.ctx, type, &plan->options);
    }
    if (!plan->begun)
        pca_stream_keep(plan->pixels, plan->keep);
    setup.differences = true;
    if (!plan->noise && plan->options.kind == PENTA_PCA_MNF)
        TRY(make_stream(plan, &setup, &plan->noise));
cleanup:
    return status;
}

static penta_status need_whole(const penta_pca *plan)
{
    return plan->broken
               ? penta_fail(plan->resources.ctx, PENTA_INVALID, "a call before failed; penta_pca_reset begins anew")
               : PENTA_OK;
}

penta_status penta_pca_add(penta_pca *plan, const penta_cube_rows *rows)
{
    penta_status status = PENTA_OK;
    bool begun = false, within = false;

    TRY(need_whole(plan));
    TRY(check_rows(plan, rows));
    if (rows->rows == 0)
        return PENTA_OK;
    begun = within = true;
    status = pca_loader_begin(plan->loader, rows);
    within = status != PENTA_INVALID; /* a device array that cannot be used: nothing happened */
    TRY(status);
    TRY(have_streams(plan, rows->type));
    plan->cols = rows->cols;
    plan->begun = true;
    TRY(pca_stream_add(plan->pixels, rows));
    if (plan->noise)
        TRY(pca_stream_add(plan->noise, rows));
    TRY(pca_loader_wait(plan->loader));
    plan->rows_pixels += (uint64_t)rows->rows * rows->cols;
    begun = within = false;
cleanup:
    if (begun)
        pca_loader_abandon(plan->loader);
    if (within)
        plan->broken = true;
    return status;
}

/* ---- pixels that stay ---- */

penta_status penta_pca_keep(penta_pca *plan, uint64_t bytes)
{
    const uint64_t memory = penta_context_device(plan->resources.ctx)->memory;
    uint64_t slabs = 2 * (uint64_t)plan->capacity * plan->bands * sizeof(double); /* of a map */

    if (plan->begun)
        return penta_fail(plan->resources.ctx, PENTA_INVALID,
                          "pixels are kept from the first ones on; there were rows before");
    if (bytes == 0)
        bytes = memory / 2 > slabs ? memory / 2 - slabs : 1;
    plan->keep = bytes;
    return PENTA_OK;
}

bool penta_pca_has_kept(const penta_pca *plan)
{
    return plan->begun && !plan->broken && plan->pixels && pca_stream_has_kept(plan->pixels);
}

penta_status pca_check_kept(penta_context *ctx, const penta_pca *plan, size_t bands, uint64_t first, size_t pixels)
{
    unsigned long long there = penta_pca_has_kept(plan) ? plan->rows_pixels : 0;

    if (plan->resources.ctx != ctx)
        return penta_fail(ctx, PENTA_INVALID, "the pixels are kept in another context");
    if (first > there || pixels > there - first)
        return penta_fail(ctx, PENTA_INVALID, "%zu pixels from pixel %llu on: there are %llu that are kept", pixels,
                          (unsigned long long)first, there);
    if (plan->bands != bands)
        return penta_fail(ctx, PENTA_INVALID, "the pixels that are kept have %zu bands; the map takes %zu", plan->bands,
                          bands);
    return PENTA_OK;
}

penta_status pca_kept_slab(penta_pca *plan, uint64_t pixel, pca_slab **slab, size_t *at)
{
    penta_status status = pca_stream_slab(plan->pixels, pixel, slab, at);

    plan->broken |= status != PENTA_OK;
    return status;
}

penta_type pca_kept_type(const penta_pca *plan)
{
    return plan->type;
}

bool pca_kept_like(const penta_pca *plan, const pca_loader *loader)
{
    return pca_loaders_agree(plan->loader, loader);
}

/* ---- models ---- */

/* What a model is made of. */
typedef struct {
    uint64_t pixels;
    double *mean, *covariance, *noise; /* noise: MNF */
} statistics;

static void free_statistics(statistics *s)
{
    free(s->mean);
    free(s->covariance);
    free(s->noise);
}

static penta_status count_pixels(penta_pca *plan, uint64_t *pixels, uint64_t *pairs)
{
    penta_status status = PENTA_OK;

    TRY(pca_stream_pixels(plan->pixels, pixels));
    if (plan->noise)
        TRY(pca_stream_pixels(plan->noise, pairs));
cleanup:
    plan->broken |= status != PENTA_OK;
    return status;
}

static penta_status check_counts(const penta_pca *plan, uint64_t pixels, uint64_t pairs)
{
    unsigned long long n = pixels, ddof = (unsigned long long)plan->options.ddof, m = pairs;

    if (n < 2)
        return penta_fail(plan->resources.ctx, PENTA_INVALID, "a covariance needs 2 valid pixels; there %s %llu",
                          n == 1 ? "is" : "are", n);
    if (n <= ddof)
        return penta_fail(plan->resources.ctx, PENTA_INVALID,
                          "%llu valid pixels: the divisor, pixels - %llu, must be above 0", n, ddof);
    if (plan->noise && (m < 2 || m <= ddof))
        return penta_fail(plan->resources.ctx, PENTA_INVALID,
                          "noise is found from neighbours in a row; %llu pairs of valid ones are too few", m);
    return PENTA_OK;
}

/* Half the covariance of differences: the signal is nearly the same in neighbours, the noise of each adds up. */
static penta_status find_noise(penta_pca *plan, statistics *s)
{
    penta_status status = PENTA_OK;
    double *mean = NULL;

    TRY(penta_calloc(plan->resources.ctx, plan->bands, sizeof *mean, &mean));
    TRY(penta_calloc(plan->resources.ctx, plan->bands * plan->bands, sizeof *s->noise, &s->noise));
    TRY(pca_stream_result(plan->noise, plan->options.ddof, mean, s->noise));
    for (size_t i = 0; i < plan->bands * plan->bands; i++)
        s->noise[i] /= 2;
cleanup:
    free(mean);
    return status;
}

static penta_status find_statistics(penta_pca *plan, statistics *s)
{
    penta_status status = PENTA_OK;
    uint64_t pairs = 0;

    if (plan->begun)
        TRY(count_pixels(plan, &s->pixels, &pairs));
    TRY(check_counts(plan, s->pixels, pairs));
    TRY(penta_calloc(plan->resources.ctx, plan->bands, sizeof *s->mean, &s->mean));
    TRY(penta_calloc(plan->resources.ctx, plan->bands * plan->bands, sizeof *s->covariance, &s->covariance));
    TRY(pca_stream_result(plan->pixels, plan->options.ddof, s->mean, s->covariance));
    if (plan->noise)
        TRY(find_noise(plan, s));
cleanup:
    return status;
}

static const double pair_accuracy = 0x1p-40; /* of pairs of floats: tests/workloads/test_pca_single.c */

/*
 * The error of small eigenvalues that comes from the covariance, relative to the largest. In single precision our
 * kernel for CPUs adds few pixels before it goes on in double, ours for GPUs a slice, those of the paper and splitk a
 * thousand, CLBlast's syrk and gemm a whole slab.
 */
static double accuracy_of(const penta_pca *plan, uint64_t pixels)
{
    bool pairs = !penta_context_device(plan->resources.ctx)->fp64;
    bool single = pca_real_type(plan->type, plan->options.precision) == PENTA_F32;
    bool whole = plan->choice.cov == PENTA_PCA_COV_SYRK || plan->choice.cov == PENTA_PCA_COV_GEMM;
    double row = pixels < plan->capacity ? (double)pixels : (double)plan->capacity;

    if (pca_is_exact(plan->type))
        return 0;
    if (!single || plan->options.kind == PENTA_PCA_MNF)
        return pairs ? pair_accuracy : 64 * DBL_EPSILON;
    if (plan->choice.engine != &pca_centred)
        return (plan->choice.engine == &pca_triangle_cpu ? 1 : 16) * (double)FLT_EPSILON;
    return (whole ? fmax(128, row / 64) : 128) * (double)FLT_EPSILON;
}

penta_status penta_pca_solve(penta_pca *plan, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    statistics s = {0};
    pca_problem problem = {.bands = plan->bands, .scale = plan->scale.gain ? &plan->scale : NULL};

    *out = (penta_pca_model){0};
    TRY(need_whole(plan));
    TRY(find_statistics(plan, &s));
    problem.pixels = s.pixels;
    problem.mean = s.mean;
    problem.covariance = s.covariance;
    problem.noise = s.noise;
    problem.accuracy = accuracy_of(plan, s.pixels);
    TRY(pca_solve_problem(plan->resources.ctx, &plan->options, &problem, out));
cleanup:
    free_statistics(&s);
    return status;
}
