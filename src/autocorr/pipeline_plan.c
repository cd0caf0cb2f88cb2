/* From frames to C2D and C1D: upload, correlation sums, overlap sums where the estimator needs them, finish, rings. */
#include <stdio.h>

#include "autocorr/pipeline_parts.h"

/* ---- creation ---- */

static void settle_needs(autocorr_pipeline *p, bool cross)
{
    const penta_autocorr_options *o = &p->settings.options;

    p->averaged = o->estimator == PENTA_AUTOCORR_PEARSON || o->demean == PENTA_AUTOCORR_DEMEAN_MEAN;
    p->needs_squares = o->estimator == PENTA_AUTOCORR_PEARSON || cross;
    p->needs_sums = p->averaged || cross;
    p->needs_n = p->needs_moments = p->needs_sums || p->masked;
    p->device_moments = p->needs_moments && !p->masked && !p->on_host && autocorr_is_integer(&p->shape);
    p->square_type = autocorr_is_integer(&p->shape) ? PENTA_U16 : p->settings.type; /* 16 bits: in two parts */
}

/* Sums over the overlaps of frames without masks, and the moments of integers, come from tables on the device. */
static bool needs_overlaps(const autocorr_pipeline *p)
{
    return !p->masked && !p->on_host && (p->needs_sums || p->device_moments);
}

/* As many frames as fit in a share of the device's memory. On a CPU, one frame at a time keeps the caches warm. */
static void choose_batch(autocorr_pipeline *p)
{
    const penta_device *d = penta_context_device(p->ctx);
    size_t bytes = autocorr_correlator_bytes(p->ctx, &p->shape, p->settings.options.method, p->settings.options.fft) +
                   (needs_overlaps(p) ? autocorr_overlaps_bytes(&p->shape, p->needs_squares ? 2 : 1) : 0);
    uint64_t share = d->memory / 16 < d->max_allocation / 2 ? d->memory / 16 : d->max_allocation / 2;
    uint64_t fits = share / (bytes ? bytes : 1);
    const char *single = penta_is_cpu(p->ctx) ? "the device is a CPU, whose caches stay warm with one frame at a time"
                         : p->masked          ? "frames with masks are correlated one at a time"
                         : p->on_host && p->needs_n ? "the host makes the sums over overlaps, a frame at a time"
                                                    : NULL;

    p->batch = single || fits < 1 ? 1 : fits > MOST_FRAMES ? MOST_FRAMES : (size_t)fits;
    if (single)
        snprintf(p->batch_why, sizeof p->batch_why, "%s", single);
    else
        snprintf(p->batch_why, sizeof p->batch_why, "%s of %zu KiB each %sfit in %llu MiB of the device's memory",
                 fits > MOST_FRAMES ? "no batch has more;" : "no more", bytes >> 10, fits > MOST_FRAMES ? "they " : "",
                 (unsigned long long)share >> 20);
}

/* What the listener is told, once for each kind of frames. */
static void tell_choices(const autocorr_pipeline *p)
{
    const char *of = p->shape.cross ? p->masked ? " for two masked images" : " for two images"
                     : p->masked    ? " for masked frames"
                                    : "";
    char text[64];

    autocorr_correlator_tell(p->engine, of);
    snprintf(text, sizeof text, "of up to %zu frame%s%s", p->batch, p->batch == 1 ? "" : "s", of);
    penta_chose(p->ctx, "batch", text, "%s", p->batch_why);
    if (p->on_host)
        penta_chose(p->ctx, "averages", "on the host", "the device has no double precision");
}

static penta_status create_masked_kernels(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    const char *file = "autocorr/masks.cl", *type = autocorr_type_define(p->settings.type);
    char bytes[64], square[64];

    snprintf(bytes, sizeof bytes, "%s -DPENTA_MASKED_U8", type);
    snprintf(square, sizeof square, "%s%s", type, autocorr_is_integer(&p->shape) ? " -DPENTA_MASKED_U16" : "");
    TRY(penta_kernel_get(own, file, "autocorr_mask", type, &p->mask));
    TRY(penta_kernel_get(own, file, "autocorr_mask", square, &p->mask_squares));
    TRY(penta_kernel_get(own, file, "autocorr_mask", bytes, &p->mask_bytes));
    if (p->on_host)
        return PENTA_OK;
    file = "autocorr/finish.cl";
    TRY(penta_kernel_get(own, file, "autocorr_take_sum", "-DPENTA_U8", &p->take_count));
    TRY(penta_kernel_get(own, file, "autocorr_take_sum", type, &p->take_sum));
    TRY(penta_kernel_get(own, file, "autocorr_take_sum", autocorr_type_define(p->square_type), &p->take_square));
cleanup:
    return status;
}

static penta_status create_kernels(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    const char *file = "autocorr/finish.cl", *type = autocorr_type_define(p->settings.type);

    TRY(penta_kernel_get(&p->resources, "autocorr/whole.cl", "autocorr_whole", type, &p->whole));
    TRY(penta_port_open(&p->resources, &p->out));
    if (p->on_host)
        return p->masked ? create_masked_kernels(p) : PENTA_OK;
    TRY(penta_kernels_get(
        &p->resources, file, type,
        KERNELS({&p->finish, "autocorr_finish"}, {&p->rings, "autocorr_rings"}, {&p->circles, "autocorr_circles"})));
    if (p->needs_sums && !p->masked)
        TRY(penta_kernel_get(&p->resources, file, "autocorr_finish_overlaps", type, &p->finish_overlaps));
    if (p->masked)
        TRY(create_masked_kernels(p));
cleanup:
    return status;
}

/* The method asked for, unless it is not for this shape: squares of integers need not be integers, and counts are exact
 * beside sums in single precision, too, for which no FFT is without double precision. */
static enum penta_autocorr_method method_for(const autocorr_pipeline *p, const autocorr_shape *shape)
{
    enum penta_autocorr_method asked = p->settings.options.method;
    bool integer = autocorr_is_integer(shape), counts = integer && !shape->single && shape != &p->shape;

    if (asked == PENTA_AUTOCORR_NTT && !integer)
        return PENTA_AUTOCORR_AUTO;
    if (asked == PENTA_AUTOCORR_FFT && counts && !penta_context_device(p->ctx)->fp64)
        return PENTA_AUTOCORR_AUTO;
    return asked;
}

/* One engine for a shape. */
static penta_status create_engine(autocorr_pipeline *p, const autocorr_shape *shape, autocorr_correlator **out)
{
    penta_status status = PENTA_OK;

    TRY(autocorr_correlator_create(p->ctx, shape, method_for(p, shape), p->settings.options.fft, p->batch, out));
    TRY(penta_own(&p->resources, out, autocorr_correlator_destroy));
cleanup:
    return status;
}

static penta_status create_engines(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    autocorr_shape two = p->shape, square, count = p->shape;

    TRY(create_engine(p, &p->shape, &p->engine));
    count.type = PENTA_U8; /* pairs are counted exactly for any type of pixel */
    count.single = false;
    if (p->masked)
        TRY(create_engine(p, &count, &p->count_engine));
    two.cross = true;
    square = two;
    square.type = p->square_type;
    if (p->masked && p->needs_sums && !p->shape.cross)
        TRY(create_engine(p, &two, &p->sum_engine));
    if (p->masked && p->needs_squares)
        TRY(create_engine(p, &square, &p->square_engine));
cleanup:
    return status;
}

static penta_status create_rings(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    autocorr_ring_list *list = &p->ring_list;

    TRY(autocorr_rings_list(p->ctx, &p->shape, list));
    TRY(penta_own_struct(&p->resources, list, autocorr_rings_free));
    if (p->on_host)
        return PENTA_OK;
    TRY(penta_buffer_upload(&p->resources, list->radius, list->count * sizeof *list->radius, &p->ring_radius));
    TRY(penta_buffer_upload(&p->resources, list->start, (list->bins + 1) * sizeof *list->start, &p->ring_start));
    TRY(penta_buffer_upload(&p->resources, list->at, list->count * sizeof *list->at, &p->ring_at));
cleanup:
    return status;
}

static penta_status create_circles(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    size_t count = autocorr_directions_count(p->shape.max_offset), reach = autocorr_fit_reach(p->shape.max_offset) + 1;

    p->most_circles = 2 * reach + 1;
    TRY(penta_calloc(own, p->batch, sizeof *p->frame_circles, &p->frame_circles));
    TRY(penta_calloc(own, p->batch * p->most_circles, sizeof *p->host_means, &p->host_means));
    TRY(penta_calloc(own, 2 * count, sizeof *p->host_directions, &p->host_directions));
    autocorr_directions(count, p->host_directions);
    if (p->on_host)
        return PENTA_OK;
    TRY(penta_buffer_upload(own, p->host_directions, 2 * count * sizeof *p->host_directions, &p->directions));
    TRY(penta_buffer_create(own, p->batch * p->most_circles * sizeof *p->host_means, &p->circle_means));
cleanup:
    return status;
}

static penta_status create_shared_buffers(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    size_t pixels = p->batch * pipeline_pixels(p);

    if (p->on_host)
        TRY(penta_calloc(own, autocorr_columns(&p->shape) * autocorr_columns(&p->shape), sizeof(int64_t),
                         &p->host_sums));
    if (p->masked && p->needs_n) {
        TRY(penta_buffer_create(own, pixels, &p->bytes));
        TRY(penta_buffer_create(own, pixels * penta_type_size(p->settings.type), &p->ones));
        TRY(penta_buffer_create(own,
                                p->batch * autocorr_columns(&p->shape) * autocorr_columns(&p->shape) * sizeof(int64_t),
                                &p->masked_sums));
    }
    if (p->masked && p->needs_squares) {
        TRY(penta_buffer_create(own, pixels * penta_type_size(p->square_type), &p->ones_wide));
        TRY(penta_buffer_create(own, pixels * penta_type_size(p->square_type), &p->squares));
    }
cleanup:
    return status;
}

/* The arrays on the host for what a device with double precision would hold itself. */
static penta_status create_host_slot(autocorr_pipeline *p, pipeline_slot *slot)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    size_t count = p->batch * pipeline_window(p);

    if (p->needs_n)
        TRY(penta_calloc(own, count * BUNDLE, sizeof(double), &slot->host_bundle));
    TRY(penta_calloc(own, count, sizeof(double), &slot->host_c2d));
    TRY(penta_calloc(own, p->batch * (p->shape.max_offset + 1) * RING_FIELDS, sizeof(double), &slot->host_rings));
cleanup:
    return status;
}

static penta_status create_slot(autocorr_pipeline *p, pipeline_slot *slot)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    size_t count = p->batch * pipeline_window(p), bytes;

    TRY(penta_size(p->ctx, p->batch * penta_type_size(p->settings.type), p->settings.width, p->settings.height,
                   &bytes));
    for (int i = 0; i < (p->shape.cross ? 2 : 1); i++) {
        TRY(penta_own_struct(own, &slot->lent[i], penta_buffer_release));
        TRY(penta_buffer_create(own, bytes, &slot->image[i]));
        if (p->masked)
            TRY(penta_buffer_create(own, bytes, &slot->plane[i]));
    }
    if (p->masked)
        TRY(penta_buffer_create(own, p->batch * pipeline_pixels(p), &slot->mask));
    TRY(penta_buffer_create(own, count * sizeof(int64_t), &slot->sums));
    TRY(penta_calloc(own, p->batch * AUTOCORR_SCALARS, sizeof(double), &slot->host_scalars));
    if (p->on_host)
        return create_host_slot(p, slot);
    if (p->masked)
        TRY(penta_buffer_create(own, count * BUNDLE * sizeof(double), &slot->bundle));
    TRY(penta_buffer_create(own, count * sizeof(double), &slot->c2d));
    if (p->shape.cross)
        TRY(penta_buffer_create(own, count * sizeof(double), &slot->pearson));
    TRY(penta_buffer_create(own, p->batch * (p->shape.max_offset + 1) * RING_FIELDS * sizeof(double), &slot->rings));
    TRY(penta_buffer_create(own, p->batch * AUTOCORR_SCALARS * sizeof(double), &slot->scalars));
cleanup:
    return status;
}

static penta_status create_all(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;

    TRY(create_engines(p));
    TRY(create_kernels(p));
    TRY(create_rings(p));
    TRY(create_circles(p));
    if (p->settings.options.bootstrap > 0) {
        TRY(autocorr_uncertainty_create(p->ctx, &p->settings, p->shape.cross, p->masked, p->batch, &p->uncertainty));
        TRY(penta_own(&p->resources, &p->uncertainty, autocorr_uncertainty_destroy));
    }
    if (needs_overlaps(p)) {
        TRY(autocorr_overlaps_create(p->ctx, &p->shape, p->needs_squares ? 2 : 1, p->batch, &p->overlaps));
        TRY(penta_own(&p->resources, &p->overlaps, autocorr_overlaps_destroy));
    }
    TRY(create_shared_buffers(p));
    for (int i = 0; i < PIPELINE_SLOTS; i++)
        TRY(create_slot(p, &p->slots[i]));
cleanup:
    return status;
}

void autocorr_pipeline_destroy(autocorr_pipeline *p)
{
    penta_plan_free(p);
}

penta_status autocorr_pipeline_create(penta_context *ctx, const autocorr_settings *settings, bool cross, bool masked,
                                      autocorr_pipeline **out)
{
    penta_status status = PENTA_OK;
    autocorr_pipeline *p = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &p));
    p->ctx = ctx;
    p->settings = *settings;
    p->masked = masked;
    p->on_host = !penta_context_device(ctx)->fp64;
    p->shape = (autocorr_shape){.width = settings->width,
                                .height = settings->height,
                                .max_offset = settings->max_offset,
                                .type = settings->type,
                                .cross = cross,
                                .single = settings->single};
    settle_needs(p, cross);
    choose_batch(p);
    /* Out of device memory means smaller batches, not failure. */
    while ((status = create_all(p)) == PENTA_MEMORY && p->batch > 1) {
        penta_resources_release(&p->resources);
        p->batch /= 2;
        snprintf(p->batch_why, sizeof p->batch_why, "the device had no memory for more");
    }
    TRY(status);
    tell_choices(p);
    *out = p;
    p = NULL;
cleanup:
    autocorr_pipeline_destroy(p);
    return status;
}

size_t autocorr_pipeline_batch(const autocorr_pipeline *p)
{
    return p->batch;
}

/* ---- the run ---- */

penta_status autocorr_pipeline_start(autocorr_pipeline *p, size_t index, size_t n, const autocorr_input *inputs)
{
    penta_status status = PENTA_OK;
    pipeline_slot *slot = &p->slots[index];

    if (p->uncertainty)
        autocorr_uncertainty_offer(p->uncertainty);
    for (size_t i = 0; i < n; i++)
        TRY(pipeline_upload(p, slot, i, &inputs[i]));
    TRY(pipeline_correlate(p, slot, n));
    if (p->on_host)
        return PENTA_OK; /* the host does the rest when the results are collected */
    if (!p->device_moments)
        TRY(penta_buffer_write(&slot->scalars, 0, slot->host_scalars, n * AUTOCORR_SCALARS * sizeof(double)));
    TRY(pipeline_finish(p, slot, n));
cleanup:
    return status;
}

void autocorr_pipeline_abandon(autocorr_pipeline *p)
{
    if (p->uncertainty)
        autocorr_uncertainty_drop(p->uncertainty);
    p->unjudged_count = 0;
    for (int s = 0; s < PIPELINE_SLOTS; s++)
        for (int i = 0; i < 2; i++)
            penta_buffer_release(&p->slots[s].lent[i]);
    penta_port_abandon(&p->out);
}

penta_status autocorr_pipeline_finish(autocorr_pipeline *p)
{
    autocorr_correlator *engines[] = {p->engine, p->count_engine, p->sum_engine, p->square_engine};
    penta_status status = PENTA_OK;

    TRY(pipeline_settle(p));
    for (int i = 0; i < 4; i++)
        if (engines[i])
            TRY(autocorr_correlator_verify(engines[i]));
cleanup:
    return status;
}
