/* Plans of the optmap workload: options, and the choice of bands. plan_run.c runs them. */
#include <stdio.h>
#include <string.h>

#include "optmap/plan.h"

/* ---- options ---- */

static penta_status copy_text(penta_resources *owner, const char **field, char **out)
{
    penta_status status = PENTA_OK;

    if (!*field)
        return PENTA_OK;
    TRY(penta_calloc(owner, strlen(*field) + 1, 1, out));
    strcpy(*out, *field);
    *field = *out;
cleanup:
    return status;
}

static penta_status resolve(penta_optmap *p, const penta_optmap_options *given)
{
    penta_status status = PENTA_OK;
    penta_optmap_options *o = &p->options;

    TRY(optmap_options_resolve(p->resources.ctx, p->shape.width, p->shape.height, p->shape.frames, true, given, o));
    TRY(copy_text(&p->resources, &o->baseline, &p->baseline));
    TRY(copy_text(&p->resources, &o->min_value, &p->min_value));
    p->chooses_drift = o->drift == PENTA_OPTMAP_DRIFT_AUTO;
    o->drift = p->chooses_drift ? PENTA_OPTMAP_DRIFT_NONE : o->drift;
cleanup:
    return status;
}

/* ---- bands ---- */

/* Rows of the movie that `rows` rows of results need, with halos. */
static size_t with_halos(const penta_optmap *p, size_t rows)
{
    size_t all = rows + 2 * ((size_t)p->options.window / 2);

    return all < p->shape.height ? all : p->shape.height;
}

/* Whether a band with this many rows of results fits: in total in `budget` bytes, its largest buffer in one allocation.
 */
static bool fits(const penta_optmap *p, size_t rows, uint64_t budget)
{
    const optmap_shape *s = &p->shape;
    uint64_t window = (uint64_t)p->options.window, all = with_halos(p, rows), row = s->width * sizeof(float);
    uint64_t trace = all * row * s->pitch, movie = rows * row * optmap_out_frames(s),
             shifts = rows * row * window * window;
    uint64_t most = penta_context_device(p->resources.ctx)->max_allocation,
             loader = optmap_loader_memory(p->resources.ctx, s, all);

    return trace <= most && movie <= most && shifts <= most &&
           2 * trace + movie + shifts + 3 * all * row + loader + p->engine->memory(p->resources.ctx, s, all) <= budget;
}

/* Memory that bands may take: most of a GPU's; on a CPU, whose memory and caches are the host's, a part that larger
 * ones would not be quicker with. */
static const uint64_t cpu_bytes = (uint64_t)320 << 20;

static uint64_t budget_of(const penta_context *ctx)
{
    uint64_t quarter = penta_context_device(ctx)->memory / 4;

    return !penta_is_cpu(ctx) ? 3 * quarter : quarter < cpu_bytes ? quarter : cpu_bytes;
}

static const char *told_budget(const penta_context *ctx)
{
    return !penta_is_cpu(ctx)            ? "3/4 of the device's memory"
           : budget_of(ctx) == cpu_bytes ? "320 MiB"
                                         : "1/4 of the device's memory";
}

/* Chooses the fewest bands of about equal height that fit. */
static size_t optmap_choose_rows(const penta_optmap *p)
{
    uint64_t budget = budget_of(p->resources.ctx);
    size_t most = p->shape.height, rows = most;

    if (p->options.batch)
        return (size_t)p->options.batch < most ? (size_t)p->options.batch : most;
    for (size_t bands = 2; rows > 1 && !fits(p, rows, budget); bands++)
        rows = (most + bands - 1) / bands;
    return rows;
}

static void tell_bands(const penta_optmap *p)
{
    size_t bands = (p->shape.height + p->band_rows - 1) / p->band_rows;
    penta_context *ctx = p->resources.ctx;
    char text[64];

    snprintf(text, sizeof text, "of up to %zu rows", p->band_rows);
    if (p->options.batch)
        penta_chose(ctx, "batches", text, "option `batch`");
    else if (bands == 1)
        penta_chose(ctx, "batches", text, "%s fit in %s", "a whole frame's results", told_budget(ctx));
    else
        penta_chose(ctx, "batches", text, "%zu are the fewest that fit in %s", bands, told_budget(ctx));
}

static void tell_choices(const penta_optmap *p)
{
    penta_context *ctx = p->resources.ctx;
    int degree = p->options.drift;
    char text[32];

    penta_chose(ctx, "engine", p->engine->name, "option `engine`%s",
                p->options.engine == PENTA_OPTMAP_FAST ? ", whose default it is" : "");
    penta_chose(ctx, "precision", "single", "filtered movies are float32 whatever the movie is");
    if (!penta_context_device(ctx)->fp64)
        penta_chose(ctx, "traces and undecided shifts", "in double on the host",
                    "the device has, or is to use, single precision only");
    snprintf(text, sizeof text, "of degree %d", degree);
    if (!p->chooses_drift)
        penta_chose(ctx, "drift", degree < 0 ? "none" : text, "option `drift`");
    tell_bands(p);
}

/* ---- plans ---- */

static penta_status create_parts(penta_optmap *p, const penta_optmap_options *opt)
{
    static const optmap_engine *const engines[] = {
        [PENTA_OPTMAP_FAST] = &optmap_fast, [PENTA_OPTMAP_LITERAL] = &optmap_literal};
    penta_status status = PENTA_OK;
    optmap_shape *s = &p->shape;
    size_t window;

    TRY(resolve(p, opt));
    window = (size_t)p->options.window;
    TRY(optmap_filter_design(p->resources.ctx, p->options.interp, p->options.taps, &p->filter));
    TRY(penta_own_struct(&p->resources, &p->filter, optmap_filter_free));
    TRY(penta_calloc(&p->resources, window * window, sizeof *p->gaussian, &p->gaussian));
    optmap_gaussian(p->options.window, p->options.sigma, p->gaussian);
    s->pitch = optmap_padded(s->frames);
    s->options = &p->options;
    s->filter = &p->filter;
    s->gaussian = p->gaussian;
    p->engine = engines[p->options.engine];
    p->band_rows = optmap_choose_rows(p);
    s->rows = with_halos(p, p->band_rows);
    TRY(p->engine->create(p->resources.ctx, s, &p->state));
    TRY(penta_own(&p->resources, &p->state, p->engine->destroy));
    TRY(penta_own(&p->resources, &p->loader, optmap_loader_destroy));
    TRY(penta_own_struct(&p->resources, &p->band, optmap_traces_release));
    TRY(penta_kernel_get(&p->resources, "optmap/traces_out.cl", "optmap_traces_out", "", &p->traces_out));
cleanup:
    return status;
}

penta_status penta_optmap_create(penta_context *ctx, size_t width, size_t height, size_t frames,
                                 const penta_optmap_options *opt, penta_optmap **out)
{
    penta_status status = PENTA_OK;
    penta_optmap *p = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &p));
    p->shape = (optmap_shape){.width = width, .height = height, .frames = frames};
    TRY(create_parts(p, opt));
    tell_choices(p);
    *out = p;
    p = NULL;
cleanup:
    penta_optmap_destroy(p);
    return status;
}

penta_status penta_optmap_set_drift(penta_optmap *plan, int degree)
{
    if (degree < PENTA_OPTMAP_DRIFT_NONE || degree > 9 || (degree > 0 && (size_t)degree >= plan->shape.frames))
        return penta_fail(plan->resources.ctx, PENTA_INVALID, "a drift of degree %d is not for %zu frames", degree,
                          plan->shape.frames);
    plan->chooses_drift = false;
    if (degree != plan->options.drift) {
        optmap_loader_destroy(plan->loader);
        plan->loader = NULL;
        plan->options.drift = degree;
    }
    return PENTA_OK;
}

size_t penta_optmap_frames(const penta_optmap *plan)
{
    return optmap_out_frames(&plan->shape);
}

const char *penta_optmap_engine_name(const penta_optmap *plan)
{
    return plan->engine->name;
}

void penta_optmap_destroy(penta_optmap *plan)
{
    penta_plan_free(plan);
}
