/* Plans of the prepare workload: options, stages, how many frames at a time. prepare_run.c runs them. */
#include <math.h>
#include <stdlib.h>

#include "prepare/plan.h"

const penta_option penta_prepare_option_table[] = {
    PENTA_TEXT_OPTION(penta_prepare_options, crop, 0, "X,Y,W,H", "keep this part of each frame, px; default: all"),
    PENTA_CHOICE_OPTION(penta_prepare_options, grey, 0, "luminance,mean,red,green,blue", "of colour"),
    PENTA_REAL_OPTION(penta_prepare_options, white, 0, 0, 0, 1e30, "",
                      "grey level of white; 0: 255, 65535, or 1 of floating frames"),
    PENTA_CHOICE_OPTION(penta_prepare_options, flatten, 0, "gaussian,overlay,poly,series,none",
                        "the background: divided by a wide Gaussian, a fitted polynomial, the series' illumination; "
                        "overlay: an inverted blurred copy at 50 %"),
    PENTA_REAL_OPTION(penta_prepare_options, flatten_sigma, 0, 0, 0, 100000, "px",
                      "standard deviation of the Gaussian; 0: an 8th of the shorter side"),
    PENTA_INT_OPTION(penta_prepare_options, flatten_degree, 0, -1, -1, 8, "",
                     "degree of the polynomial in x and y, with which gaussian, overlay and series begin; -1: 4 of "
                     "poly (spots of light need 8), 2 of the others. Light as narrow as two domains stays"),
    PENTA_CHOICE_OPTION(penta_prepare_options, dust, 0, "mask,copy,none,fill",
                        "mask: left out by the mask; copy: replaced by the image a little way off; fill: drawn on from "
                        "around it"),
    PENTA_TEXT_OPTION(penta_prepare_options, dust_key, 0, "LO,HI", "grey levels outside are dust; default: no key"),
    PENTA_REAL_OPTION(penta_prepare_options, dust_limit, 0, 5, 0, 1000, "",
                      "robust standard deviations beyond which a pixel is dust; 0: by the key alone"),
    PENTA_INT_OPTION(penta_prepare_options, dust_size, 0, 16, 3, 256, "px", "largest piece that the limit shall find"),
    PENTA_INT_OPTION(penta_prepare_options, dust_grow, 0, 2, 0, 64, "px", "dust is grown by this"),
    PENTA_REAL_OPTION(penta_prepare_options, dust_most, 0, 0.5, 0.01, 1, "",
                      "share of a frame that may be dust before it is refused"),
    /* a keyword of C cannot be the field's name */
    {"register", PENTA_OPTION_CHOICE, offsetof(penta_prepare_options, registration), 0, 0, 0, 0, "shift,rigid,none", "",
     "with the first frame; rigid: rotation too"},
    PENTA_CHOICE_OPTION(penta_prepare_options, correlation, 0, "plain,phase",
                        "that finds the shift to a pixel; phase: each frequency by its amplitude"),
    PENTA_INT_OPTION(penta_prepare_options, max_drift, 0, 0, 0, 1000000, "px",
                     "along x and along y; 0: up to three quarters of the frame"),
    PENTA_REAL_OPTION(penta_prepare_options, max_angle, 0, 2, 0, 45, "degrees", "largest rotation of rigid"),
    PENTA_REAL_OPTION(penta_prepare_options, min_score, 0, 0.2, 0, 1, "",
                      "correlation coefficient below which a frame is lost"),
    PENTA_REAL_OPTION(penta_prepare_options, key_score, 0, 0.7, 0, 1, "",
                      "below it frames are compared with a later one than the first"),
    PENTA_INT_OPTION(penta_prepare_options, smooth_drift, 0, 0, 0, 100000, "frames",
                     "to each side over which the drift is smoothed; 0: as measured"),
    PENTA_CHOICE_OPTION(penta_prepare_options, interpolation, 0, "cubic,linear,nearest",
                        "when the content is moved back; nearest moves by whole pixels"),
    PENTA_TEXT_OPTION(penta_prepare_options, contrast, 0, "LO,HI",
                      "percentiles that become black and white; default: levels stay"),
    PENTA_CHOICE_OPTION(penta_prepare_options, contrast_of, 0, "frame,first", "whose percentiles"),
    PENTA_CHOICE_OPTION(penta_prepare_options, depth, 0, "u16,u8,f32,input", "numbers of the output"),
    PENTA_CHOICE_OPTION(penta_prepare_options, fft, 0, "auto,clfft,vkfft", "FFT library"),
    PENTA_INT_OPTION(penta_prepare_options, batch, 0, 0, 0, 4096, "frames",
                     "at a time; 0: as many as pay and fit the device. Changes no result"),
    PENTA_OPTIONS_END};

/* ---- plans ---- */

static penta_status check_frames(penta_context *ctx, size_t channels, penta_type type)
{
    if (channels != 1 && channels != 3)
        return penta_fail(ctx, PENTA_INVALID, "frames of %zu channels; there must be 1 or 3", channels);
    if (type != PENTA_U8 && type != PENTA_U16 && type != PENTA_F32 && type != PENTA_F64)
        return penta_fail(ctx, PENTA_INVALID, "frames of type %s; it must be u8, u16, f32 or f64",
                          penta_type_name(type));
    return PENTA_OK;
}

/* Frames at a time: on a GPU enough to fill it, on a CPU what its caches still hold something of. */
static size_t choose_batch(penta_context *ctx, const prepare_shape *shape)
{
    enum { CPU_FRAMES = 2, GPU_FRAMES = 32, PADDED = 16 }; /* PADDED: bytes a pixel of a frame twice as wide and high */
    const penta_device *d = penta_context_device(ctx);
    uint64_t bytes = prepare_batch_bytes(shape), fits = d->memory / 2 / bytes;
    uint64_t raw = shape->channels * penta_type_size(shape->type), pixel = raw > PADDED ? raw : PADDED;
    uint64_t single = d->max_allocation / (pixel * shape->width * shape->height);
    uint64_t most = penta_is_cpu(ctx) ? CPU_FRAMES : GPU_FRAMES;

    if (shape->settings->o.batch)
        return (size_t)shape->settings->o.batch;
    most = fits < most ? fits : most;
    most = single < most ? single : most;
    return most < 1 ? 1 : (size_t)most;
}

static void destroy_stages(penta_prepare *plan)
{
    prepare_loader_destroy(plan->loader);
    prepare_background_destroy(plan->background);
    prepare_duster_destroy(plan->duster);
    prepare_blank_destroy(plan->blank);
    prepare_register_destroy(plan->registrar);
    prepare_flattener_destroy(plan->flattener);
    prepare_resampler_destroy(plan->resampler);
    prepare_contrast_destroy(plan->contrast);
    prepare_batch_release(&plan->batch);
    plan->loader = NULL;
    plan->background = NULL;
    plan->duster = NULL;
    plan->blank = NULL;
    plan->registrar = NULL;
    plan->flattener = NULL;
    plan->resampler = NULL;
    plan->contrast = NULL;
}

static penta_status create_stages(penta_prepare *plan)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &plan->settings.o;
    bool dust = o->dust != PENTA_PREPARE_DUST_NONE, registers = o->registration != PENTA_PREPARE_REGISTER_NONE;
    const prepare_shape *s = &plan->shape;

    TRY(prepare_batch_create(plan->ctx, s, &plan->batch));
    TRY(prepare_loader_create(plan->ctx, s, &plan->loader));
    if (dust || o->flatten != PENTA_PREPARE_FLATTEN_NONE)
        TRY(prepare_background_create(plan->ctx, s, &plan->background));
    if (dust)
        TRY(prepare_duster_create(plan->ctx, s, &plan->duster));
    if (registers) {
        TRY(prepare_blank_create(plan->ctx, s, &plan->blank));
        TRY(prepare_register_create(plan->ctx, s, &plan->registrar));
        TRY(prepare_resampler_create(plan->ctx, s, &plan->resampler));
    }
    TRY(prepare_flattener_create(plan->ctx, s, &plan->flattener));
    TRY(prepare_contrast_create(plan->ctx, s, plan->to, &plan->contrast));
cleanup:
    if (status != PENTA_OK)
        destroy_stages(plan);
    return status;
}

/* With half the frames at a time where they do not fit. */
static penta_status create_what_fits(penta_prepare *plan)
{
    penta_status status = create_stages(plan);

    while (status == PENTA_MEMORY && plan->shape.batch > 1) {
        plan->shape.batch /= 2;
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
    plan->shape.batch = choose_batch(plan->ctx, &plan->shape);
    plan->to = prepare_output_type(&plan->shape);
}

penta_status penta_prepare_create(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                                  const penta_prepare_options *opt, penta_prepare **out)
{
    penta_status status = PENTA_OK;
    penta_prepare *plan = NULL;

    *out = NULL;
    TRY(penta_require_double(ctx, "preparing frames needs"));
    TRY(check_frames(ctx, channels, type));
    TRY(penta_calloc(ctx, 1, sizeof *plan, &plan));
    plan->ctx = ctx;
    plan->low = plan->high = NAN;
    TRY(prepare_settings_make(ctx, width, height, type, opt, &plan->settings));
    fill_shape(plan, width, height, channels, type);
    TRY(create_what_fits(plan));
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
    if (!plan)
        return;
    destroy_stages(plan);
    free(plan->known);
    free(plan);
}
