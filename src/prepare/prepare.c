/* Plans of the prepare workload: options, stages, how many frames at a time. prepare_run.c runs them. */
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
    PENTA_INT_OPTION(penta_prepare_options, flatten_degree, 0, 4, 0, 8, "",
                     "degree of the polynomial in x and y; gaussian and series too begin with it"),
    PENTA_CHOICE_OPTION(penta_prepare_options, dust, 0, "mask,copy,none",
                        "mask: left out by the mask; copy: replaced by the image a little way off"),
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

const char *penta_prepared_name(enum penta_prepared status)
{
    static const char *const names[] = {"ok", "dust", "lost"};

    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "?";
}

penta_status penta_prepare_create(penta_context *ctx, size_t width, size_t height, size_t channels, penta_type type,
                                  const penta_prepare_options *opt, penta_prepare **out)
{
    penta_status status = PENTA_OK;
    penta_prepare *plan = NULL;

    *out = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *plan, &plan));
    plan->ctx = ctx;
    plan->shape =
        (prepare_shape){.in_width = width, .in_height = height, .channels = channels, .type = type, .batch = 1};
    plan->shape.settings = &plan->settings;
    TRY(prepare_settings_make(ctx, width, height, type, opt, &plan->settings));
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
    return prepare_loader_calibrate(plan->loader, dark, flat);
}

void penta_prepare_destroy(penta_prepare *plan)
{
    if (!plan)
        return;
    prepare_loader_destroy(plan->loader);
    prepare_background_destroy(plan->background);
    prepare_duster_destroy(plan->duster);
    prepare_register_destroy(plan->registrar);
    prepare_flattener_destroy(plan->flattener);
    prepare_resampler_destroy(plan->resampler);
    prepare_contrast_destroy(plan->contrast);
    prepare_batch_release(&plan->batch);
    free(plan);
}

static penta_status selftest(penta_context *ctx)
{
    return penta_fail(ctx, PENTA_UNSUPPORTED, "the known answers of prepare: to be written");
}

const penta_workload penta_prepare_workload = {"prepare", "raw photographs in, a clean registered series out",
                                               penta_prepare_option_table, selftest};
