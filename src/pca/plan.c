/* Plans of the pca workload: options, the streams of pixels and of their differences. */
#include <stdio.h>

#include "pca/plan.h"
#include "pca/slab_no_data.h"

static const penta_option option_rows[] = {
    PENTA_INT_OPTION(penta_pca_options, components, 'k', 0, 0, 4096, "", "number of components to keep; 0: all"),
    PENTA_REAL_OPTION(penta_pca_options, variance, 0, 0, 0, 100, "%",
                      "keep the fewest components that explain this share of the variance; 0: not used"),
    PENTA_FLAG_OPTION(penta_pca_options, standardize, 0,
                      "scale bands to variance 1, that is, decompose the correlation matrix"),
    PENTA_FLAG_OPTION(penta_pca_options, whiten, 0, "scale scores to variance 1"),
    PENTA_CHOICE_OPTION(penta_pca_options, kind, 0, "pca,mnf",
                        "principal components, or maximum noise fractions (noise from differences along rows)"),
    PENTA_CHOICE_OPTION(penta_pca_options, cov, 0, "auto,triangle,syrk,gemm,splitk,square,volkov",
                        "which kernels compute the covariance"),
    PENTA_CHOICE_OPTION(penta_pca_options, precision, 0, "auto,single,double",
                        "precision of sums over floats; auto: double, or pairs of floats on devices without it. The "
                        "covariance of 8- and 16-bit integers is always exact"),
    PENTA_INT_OPTION(penta_pca_options, ddof, 0, 1, 0, 1000000, "", "the covariance is divided by pixels - ddof"),
    PENTA_TEXT_OPTION(penta_pca_options, no_data, 0, "VALUE",
                      "leave out pixels that have this number (or nan) in any band"),
    PENTA_OPTIONS_END};

const penta_option *penta_pca_option_table(void)
{
    return option_rows;
}

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

/* Slabs are what members of a group divide, so that a CPU, which loses nothing by it, has more than a few where the
 * pixels are known: the same for any number of members. A GPU would wait for the sums of small ones. */
static size_t choose_capacity(penta_context *ctx, size_t bands, size_t pixels, const char **why)
{
    enum { SLABS = 16, LEAST = 1 << 15 };
    size_t capacity = pca_slab_capacity(ctx, bands, pixels, why);

    if (!penta_is_cpu(ctx) || pixels / SLABS >= capacity)
        return capacity;
    while (capacity > LEAST && pixels / SLABS < capacity) {
        capacity = pca_padded(capacity / 2);
        *why = "several devices can divide them";
    }
    return capacity;
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
    TRY(penta_own_struct(&plan->resources, &plan->whole, pca_statistics_free));
    plan->bands = bands;
    TRY(resolve(ctx, bands, opt, &plan->options));
    TRY(pca_check_precision(ctx, plan->options.precision));
    TRY(pca_check_cov(ctx, plan->options.cov));
    TRY(pca_loader_create(ctx, bands, plan->options.no_data, &plan->loader));
    TRY(penta_own(&plan->resources, &plan->loader, pca_loader_destroy));
    plan->options.no_data = NULL;
    plan->choice = pca_choose(ctx, plan->options.cov);
    plan->capacity = choose_capacity(ctx, bands, pixels, &why);
    pca_tell_choice(ctx, plan->options.cov, &plan->choice);
    snprintf(slabs, sizeof slabs, "of %zu pixels", plan->capacity);
    penta_chose(ctx, "slabs", slabs, "%s", why);
    *out = plan;
    plan = NULL;
cleanup:
    penta_pca_destroy(plan);
    return status;
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
    pca_statistics_free(&plan->whole);
    plan->begun = plan->broken = plan->collected = false;
    plan->rows = 0;
    plan->pixels_taken = 0;
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
    if (plan->group)
        TRY(pca_plan_check_part(plan, rows));
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

penta_status pca_plan_have_streams(penta_pca *plan, penta_type type)
{
    penta_status status = PENTA_OK;
    pca_stream_setup setup = {.ctx = plan->resources.ctx,
                              .loader = plan->loader,
                              .bands = plan->bands,
                              .capacity = plan->capacity,
                              .type = type,
                              .start = plan->part.first,
                              .choice = plan->choice,
                              .precision = plan->options.kind == PENTA_PCA_MNF ? PENTA_PRECISION_DOUBLE
                                                                               : plan->options.precision};

    if (plan->pixels && type != plan->type)
        pca_plan_drop_streams(plan);
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

penta_status pca_plan_need_whole(const penta_pca *plan)
{
    return plan->broken
               ? penta_fail(plan->resources.ctx, PENTA_INVALID, "a call before failed; penta_pca_reset begins anew")
               : PENTA_OK;
}

penta_status penta_pca_add(penta_pca *plan, const penta_cube_rows *rows)
{
    penta_status status = PENTA_OK;
    bool begun = false, within = false;
    size_t first = 0, pixels;

    TRY(pca_plan_need_whole(plan));
    TRY(check_rows(plan, rows));
    if (rows->rows == 0)
        return PENTA_OK;
    begun = within = true;
    status = pca_loader_begin(plan->loader, rows);
    within = status != PENTA_INVALID; /* a device array that cannot be used: nothing happened */
    TRY(status);
    TRY(pca_plan_have_streams(plan, rows->type));
    plan->cols = rows->cols;
    plan->begun = true;
    pixels = rows->rows * rows->cols;
    if (plan->group)
        pca_plan_own_pixels(plan, rows, &first, &pixels);
    TRY(pca_stream_add(plan->pixels, rows, first, pixels));
    if (plan->noise)
        TRY(pca_stream_add(plan->noise, rows, first, pixels));
    TRY(pca_loader_wait(plan->loader));
    plan->rows += rows->rows;
    plan->pixels_taken += pixels;
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
    uint64_t memory = penta_context_device(plan->resources.ctx)->memory;
    uint64_t slabs = 2 * (uint64_t)plan->capacity * plan->bands * sizeof(double); /* of a map */
    size_t device, part, parts;

    penta_context_share(plan->resources.ctx, &device, &part, &parts);
    memory /= parts;
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
    unsigned long long there = penta_pca_has_kept(plan) ? plan->pixels_taken : 0, start = plan->part.first;

    if (plan->resources.ctx != ctx)
        return penta_fail(ctx, PENTA_INVALID, "the pixels are kept in another context");
    if (first < start && there > 0)
        return penta_fail(ctx, PENTA_INVALID, "pixels from pixel %llu on: those from %llu on are kept here",
                          (unsigned long long)first, start);
    if (first < start || first - start > there || pixels > there - (first - start))
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
