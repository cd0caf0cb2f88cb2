/* Plans of the prepare workload: creates the stages and chooses the batch size. run.c runs them. */
#include <math.h>
#include <stdio.h>

#include "math/fft.h"
#include "prepare/plan.h"

/* Frames per batch: enough to fill a GPU; few on a CPU, so that its caches still hold part of them. */
static void choose_batch(penta_prepare *plan)
{
    enum { CPU_FRAMES = 2, GPU_FRAMES = 32, PADDED = 16 }; /* PADDED: bytes per padded pixel */
    prepare_shape *shape = &plan->shape;
    const penta_device *d = penta_context_device(plan->ctx);
    bool cpu = penta_is_cpu(plan->ctx);
    uint64_t bytes = prepare_batch_bytes(shape), fits = d->memory / 2 / bytes;
    uint64_t raw = shape->channels * penta_type_size(shape->type), pixel = raw > PADDED ? raw : PADDED;
    uint64_t single = d->max_allocation / (pixel * shape->width * shape->height);
    uint64_t most = cpu ? CPU_FRAMES : GPU_FRAMES, room = fits < single ? fits : single;

    shape->batch = room < 1 ? 1 : room < most ? (size_t)room : (size_t)most;
    if (shape->settings->o.batch) {
        shape->batch = (size_t)shape->settings->o.batch;
        snprintf(plan->batch_why, sizeof plan->batch_why, "option `batch`");
    } else if (room < most) {
        snprintf(plan->batch_why, sizeof plan->batch_why, "no more fit, of %llu MiB each, in the device's memory",
                 (unsigned long long)bytes >> 20);
    } else {
        snprintf(plan->batch_why, sizeof plan->batch_why, "%s",
                 cpu ? "the caches of a CPU hold no more of them" : "they fill a GPU");
    }
}

static void tell_choices(const penta_prepare *plan)
{
    const penta_prepare_options *o = &plan->settings.o;
    char text[64];

    penta_chose(plan->ctx, "precision", "single", "frames are worked on as float32 whatever they are, here %s",
                penta_type_name(plan->shape.type));
    if (o->registration != PENTA_PREPARE_REGISTER_NONE)
        penta_fft_tell(plan->ctx, prepare_fft_backend(plan->ctx, o->fft), "");
    snprintf(text, sizeof text, "of up to %zu frame%s", plan->shape.batch, plan->shape.batch == 1 ? "" : "s");
    penta_chose(plan->ctx, "batch", text, "%s", plan->batch_why);
}

static penta_status create_stages(penta_prepare *plan)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &plan->settings.o;
    bool dust = o->dust != PENTA_PREPARE_DUST_NONE, registers = o->registration != PENTA_PREPARE_REGISTER_NONE;
    const prepare_shape *s = &plan->shape;
    penta_resources *own = &plan->resources;

    TRY(prepare_batch_create(own, s, &plan->batch));
    TRY(prepare_loader_create(own, s, &plan->loader));
    if (dust || o->flatten != PENTA_PREPARE_FLATTEN_NONE)
        TRY(prepare_background_create(own, s, &plan->background));
    if (dust)
        TRY(prepare_dust_create(own, s, &plan->dust));
    if (registers) {
        TRY(prepare_blank_create(own, s, &plan->blank));
        TRY(prepare_register_create(own, s, &plan->registration));
        TRY(prepare_resampler_create(own, s, &plan->resampler));
    }
    TRY(prepare_flattener_create(own, s, &plan->flattener));
    TRY(prepare_contrast_create(own, s, plan->to, &plan->contrast));
cleanup:
    if (status != PENTA_OK)
        penta_resources_release(own);
    return status;
}

/* Halves the batch until the stages fit in memory. */
static penta_status create_what_fits(penta_prepare *plan)
{
    penta_status status = create_stages(plan);

    while (status == PENTA_MEMORY && plan->shape.batch > 1) {
        plan->shape.batch /= 2;
        snprintf(plan->batch_why, sizeof plan->batch_why, "the device had no memory for more");
        status = create_stages(plan);
    }
    return status;
}

static void fill_shape(penta_prepare *plan, size_t width, size_t height, size_t channels, penta_type type)
{
    const prepare_settings *s = &plan->settings;

    plan->shape = (prepare_shape){.in_width = width,
                                  .in_height = height,
                                  .channels = channels,
                                  .type = type,
                                  .width = s->crop_width,
                                  .height = s->crop_height,
                                  .nodes_x = (s->crop_width + PREPARE_NODE - 1) / PREPARE_NODE,
                                  .nodes_y = (s->crop_height + PREPARE_NODE - 1) / PREPARE_NODE,
                                  .settings = s};
    choose_batch(plan);
    plan->to = prepare_output_type(&plan->shape);
}

penta_status penta_prepare_create(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                                  const penta_prepare_options *opt, penta_prepare **out)
{
    penta_status status = PENTA_OK;
    penta_prepare *plan = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    plan->ctx = ctx;
    plan->low = plan->high = NAN;
    TRY(prepare_settings_make(ctx, width, height, channels, type, opt, &plan->settings));
    fill_shape(plan, width, height, channels, type);
    TRY(create_what_fits(plan));
    tell_choices(plan);
    *out = plan;
    plan = NULL;
cleanup:
    penta_prepare_destroy(plan);
    return status;
}

void penta_prepare_size(const penta_prepare *plan, size_t *width, size_t *height)
{
    *width = plan->shape.width;
    *height = plan->shape.height;
}

penta_type penta_prepare_type(const penta_prepare *plan)
{
    return plan->to;
}

size_t penta_prepare_batch(const penta_prepare *plan)
{
    return plan->shape.batch;
}

penta_status penta_prepare_calibrate(penta_prepare *plan, const float *dark, const float *flat)
{
    if (plan->started)
        return penta_fail(plan->ctx, PENTA_INVALID, "dark and flat frames must come before the first frame");
    return prepare_loader_calibrate(plan->loader, dark, flat);
}

void penta_prepare_destroy(penta_prepare *plan)
{
    penta_plan_free(plan);
}
