/* Models of a plan: of its own pixels, or of those of all members of its group. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/group.h"
#include "pca/plan.h"

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
static penta_status find_noise(penta_pca *plan, pca_statistics *s)
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

/* Of the pixels that were counted. */
static penta_status make_statistics(penta_pca *plan, uint64_t pixels, uint64_t pairs, pca_statistics *s)
{
    penta_status status = PENTA_OK;

    s->pixels = pixels;
    TRY(check_counts(plan, pixels, pairs));
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

static penta_status make_model(penta_pca *plan, const pca_statistics *s, penta_pca_model *out)
{
    const pca_problem problem = {.bands = plan->bands,
                                 .pixels = s->pixels,
                                 .mean = s->mean,
                                 .covariance = s->covariance,
                                 .noise = s->noise,
                                 .accuracy = accuracy_of(plan, s->pixels),
                                 .scale = plan->scale.gain ? &plan->scale : NULL};

    return pca_solve(plan->resources.ctx, &plan->options, &problem, out);
}

static penta_status solve_alone(penta_pca *plan, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    uint64_t pixels = 0, pairs = 0;
    pca_statistics s = {0};

    if (plan->begun)
        TRY(count_pixels(plan, &pixels, &pairs));
    TRY(make_statistics(plan, pixels, pairs, &s));
    TRY(make_model(plan, &s, out));
cleanup:
    pca_statistics_free(&s);
    return status;
}

/* ---- in a group ---- */

/* What a member does by itself before its sums go to others. */
static penta_status close_own(penta_pca *plan, uint64_t *pixels, uint64_t *pairs)
{
    penta_status status = PENTA_OK;

    if (plan->rows != plan->part.rows)
        return penta_fail(plan->resources.ctx, PENTA_INVALID,
                          "this member of the group has rows %zu to %zu of the cube to add; %zu of them were added",
                          plan->part.first_row, plan->part.first_row + plan->part.rows, plan->rows);
    TRY(pca_plan_have_streams(plan, plan->type)); /* there may be no rows */
    TRY(count_pixels(plan, pixels, pairs));
cleanup:
    return status;
}

/* Whether all are ready: nobody waits for the sums of one that has failed. */
static penta_status agree(penta_pca *plan, penta_status own)
{
    penta_status status = PENTA_OK;
    int32_t mine = (int32_t)own, *all = NULL;

    TRY(penta_explain(plan->resources.ctx, penta_group_gather(plan->group, &mine, sizeof mine, (void **)&all, NULL)));
    for (size_t i = 0; own == PENTA_OK && i < penta_group_size(plan->group); i++)
        if (all[i] != PENTA_OK) {
            status = penta_fail(plan->resources.ctx, PENTA_CANCELLED, "member %zu of the group has failed", i);
            goto cleanup;
        }
cleanup:
    free(all);
    return own != PENTA_OK ? own : status;
}

/* The sums of all members, at rank 0, which has plan->whole of them; once for all models of the same rows. */
static penta_status collect(penta_pca *plan)
{
    penta_status status = PENTA_OK;
    uint64_t pixels = 0, pairs = 0;

    if (plan->collected)
        return PENTA_OK;
    TRY(agree(plan, close_own(plan, &pixels, &pairs)));
    plan->broken = true;
    TRY(penta_explain(plan->resources.ctx, pca_stream_collect(plan->pixels, plan->group, &pixels)));
    if (plan->noise)
        TRY(penta_explain(plan->resources.ctx, pca_stream_collect(plan->noise, plan->group, &pairs)));
    plan->broken = false;
    plan->collected = true;
    plan->whole.pixels = pixels;
    plan->whole.pairs = pairs;
cleanup:
    return status;
}

static penta_status solve_whole(penta_pca *plan, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    uint64_t pixels = plan->whole.pixels, pairs = plan->whole.pairs;

    if (!plan->whole.covariance) {
        status = make_statistics(plan, pixels, pairs, &plan->whole);
        if (status != PENTA_OK) {
            pca_statistics_free(&plan->whole);
            plan->whole.pixels = pixels;
            plan->whole.pairs = pairs;
            return status;
        }
    }
    TRY(make_model(plan, &plan->whole, out));
cleanup:
    return status;
}

/* Rank 0's model, or its error, for every member. */
static penta_status share_model(penta_pca *plan, penta_status made, penta_pca_model *out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = plan->resources.ctx;
    bool leads = penta_group_rank(plan->group) == 0;
    void *mine = NULL, *message = NULL;
    size_t size = 0, got;

    if (leads && made == PENTA_OK)
        made = penta_explain(ctx, penta_pca_model_pack(out, &mine, &size));
    TRY(penta_group_agree(plan->group, ctx, made));
    TRY(penta_explain(ctx, penta_group_broadcast(plan->group, mine, size, &message, &got)));
    if (!leads)
        status = penta_explain(ctx, penta_pca_model_unpack(message, got, out));
cleanup:
    free(mine);
    free(message);
    return status;
}

static penta_status solve_together(penta_pca *plan, penta_pca_model *out)
{
    penta_status status = PENTA_OK, made = PENTA_OK;

    TRY(collect(plan));
    if (penta_group_rank(plan->group) == 0)
        made = solve_whole(plan, out);
    TRY(share_model(plan, made, out));
cleanup:
    return status;
}

penta_status penta_pca_solve(penta_pca *plan, penta_pca_model *out)
{
    penta_status status = PENTA_OK;

    *out = (penta_pca_model){0};
    TRY(pca_plan_need_whole(plan));
    TRY(plan->group ? solve_together(plan, out) : solve_alone(plan, out));
cleanup:
    if (status != PENTA_OK)
        penta_pca_model_free(out);
    return status;
}
