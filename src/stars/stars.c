/* The plan of `stars`: its options, and which engine draws. */
#include <pentacl/stars.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/host.h"
#include "stars/plan.h"

/* clang-format off */
static const penta_option option_rows[] = {
    PENTA_CHOICE_OPTION(penta_stars_options, engine, 'e', "auto,serial,threads,pixel,star,tile,fixed",
                        "how stars are added up; fixed gives the same bits on every device, in steps of at most 5e-19 of the sum of all stars' peaks (10^6 stars: about 3e-14 of the frame's maximum)"),
    PENTA_CHOICE_OPTION(penta_stars_options, psf, 0, "sampled,integrated,moffat,image",
                        "point-spread function: Gaussian at the pixel's centre or over its area, Moffat, or an image"),
    PENTA_REAL_OPTION(penta_stars_options, sigma, 0, 1.2, 1e-3, 1000, "px", "standard deviation of the Gaussian (Moffat: FWHM / 2.3548)"),
    PENTA_REAL_OPTION(penta_stars_options, sigma_y, 0, 0, 0, 1000, "px", "standard deviation along the PSF's y axis; 0: as sigma"),
    PENTA_REAL_OPTION(penta_stars_options, angle, 0, 0, -360, 360, "deg", "direction of the PSF's x axis, from x (right) towards y (down)"),
    PENTA_REAL_OPTION(penta_stars_options, beta, 0, 3, 1.01, 100, "", "exponent of the Moffat profile"),
    PENTA_INT_OPTION(penta_stars_options, quadrature, 0, 0, 0, STARS_MOST_POINTS, "",
                     "points per pixel and axis where the PSF is averaged over the pixel numerically; 0: 8 for integrated, 1 for moffat"),
    PENTA_INT_OPTION(penta_stars_options, roi, 0, 10, 1, 64, "px", "side of the square around a star that receives its light"),
    PENTA_REAL_OPTION(penta_stars_options, flux_tolerance, 0, 0, 0, 0.5, "", "choose the smallest ROI that loses at most this share of the light; 0: use --roi"),
    PENTA_REAL_OPTION(penta_stars_options, amplitude, 'A', 50000, 0, 1e30, "", "flux of a star of magnitude 0 in the whole exposure, whatever its length; a zero point sets the flux per second instead"),
    PENTA_CHOICE_OPTION(penta_stars_options, mag_base, 0, "2.512,pogson", "flux ratio of one magnitude: 2.512 as in the paper, or 10^0.4"),
    PENTA_CHOICE_OPTION(penta_stars_options, precision, 0, "auto,single,double", "arithmetic and output; auto is single"),
    PENTA_OPTIONS_END};
/* clang-format on */

const penta_option *penta_stars_option_table(void)
{
    return option_rows;
}

static penta_status check_options(penta_context *ctx, const penta_stars_options *o)
{
    if (!(o->sigma_y == 0 || o->sigma_y >= 1e-3))
        return penta_fail(ctx, PENTA_INVALID, "`sigma_y` is %g px; at least 0.001, or 0 for `sigma`", o->sigma_y);
    if (o->psf == PENTA_STARS_IMAGE && (o->sigma_y > 0))
        return penta_fail(ctx, PENTA_INVALID, "`sigma_y` has no meaning for a PSF image");
    return PENTA_OK;
}

static penta_status check_size(penta_context *ctx, size_t width, size_t height)
{
    if (width == 0 || height == 0)
        return penta_fail(ctx, PENTA_INVALID, "the frame is empty (%zu x %zu)", width, height);
    if (width > STARS_MOST_SIDE || height > STARS_MOST_SIDE)
        return penta_fail(ctx, PENTA_INVALID, "a %zu x %zu frame: at most %d px a side are possible; tile it", width,
                          height, STARS_MOST_SIDE);
    return PENTA_OK;
}

/* The options and their PSF. */
static penta_status resolve(penta_context *ctx, size_t width, size_t height, const penta_stars_options *opt,
                            penta_stars_options *out, stars_psf *psf)
{
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(ctx, penta_stars_option_table(), opt, out, sizeof *out));
    TRY(check_size(ctx, width, height));
    TRY(check_options(ctx, out));
    TRY(stars_psf_init(ctx, out, psf));
cleanup:
    return status;
}

penta_status penta_stars_check(size_t width, size_t height, const penta_stars_options *opt, char *message, size_t size)
{
    penta_stars_options resolved;
    stars_psf psf;

    return penta_check_result(resolve(NULL, width, height, opt, &resolved, &psf), message, size);
}

penta_status penta_stars_check_motion(const penta_stars_options *opt, char *message, size_t size)
{
    penta_stars_options resolved;
    penta_status status = PENTA_OK;

    TRY(penta_options_resolve(NULL, penta_stars_option_table(), opt, &resolved, sizeof resolved));
    TRY(stars_check_motion(NULL, &resolved));
cleanup:
    return penta_check_result(status, message, size);
}

/* The plan's work on the device, made when first needed: a PSF image comes after the plan. */
static penta_status stars_need_device(penta_stars *plan, bool moving)
{
    penta_status status = PENTA_OK;

    if (plan->on_host || plan->device[moving])
        return PENTA_OK;
    TRY(stars_device_create(plan->ctx, &plan->psf, &plan->options, plan->width, plan->height, plan->engine, moving,
                            plan->dbl, (stars_limits){0}, &plan->device[moving]));
    TRY(penta_own(&plan->resources, &plan->device[moving], stars_device_destroy));
cleanup:
    return status;
}

/* The ROI of a PSF image is chosen when the image comes. */
static void tell_roi(const penta_stars *plan)
{
    const penta_stars_options *o = &plan->options;
    char roi[32];

    snprintf(roi, sizeof roi, "of %d px", plan->psf.roi);
    if (o->flux_tolerance > 0)
        penta_chose(plan->ctx, "ROI", roi, "it is the least that loses at most %.3g of the light (`flux_tolerance`)",
                    o->flux_tolerance);
    else
        penta_chose(plan->ctx, "ROI", roi, "option `roi`");
}

/* What the device draws without double precision are floats. */
static penta_status check_precision(const penta_stars *plan)
{
    const penta_device *device = penta_context_device(plan->ctx);

    if (!plan->dbl || plan->on_host || device->fp64)
        return PENTA_OK;
    return penta_fail(plan->ctx, PENTA_UNSUPPORTED,
                      "`precision` double needs double precision, which %s does not have; use `precision` single, or "
                      "`engine` threads or fixed, which then draw on the host",
                      device->name);
}

static void tell_choices(const penta_stars *plan)
{
    const penta_stars_options *o = &plan->options;
    const char *precision = plan->dbl ? "double" : "single";

    stars_engine_tell(plan->ctx, o);
    if (!plan->on_host && !penta_context_device(plan->ctx)->fp64)
        penta_chose(plan->ctx, "packing", "on the host", "the device has no double precision, which positions need");
    if (o->precision == PENTA_PRECISION_AUTO)
        penta_chose(plan->ctx, "precision", precision, "frames are float32 unless `precision` is double");
    else
        penta_chose(plan->ctx, "precision", precision, "option `precision`");
    if (o->psf != PENTA_STARS_IMAGE)
        tell_roi(plan);
}

penta_status penta_stars_create(penta_context *ctx, size_t width, size_t height, const penta_stars_options *opt,
                                penta_stars **out)
{
    penta_status status = PENTA_OK;
    penta_stars *plan = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    plan->ctx = ctx;
    plan->width = width;
    plan->height = height;
    TRY(resolve(ctx, width, height, opt, &plan->options, &plan->psf));
    TRY(penta_own_struct(&plan->resources, &plan->psf, stars_psf_free));
    plan->dbl = plan->options.precision == PENTA_PRECISION_DOUBLE;
    plan->engine = stars_engine_choose(&plan->options);
    plan->on_host = stars_engine_on_host(ctx, plan->engine);
    TRY(check_precision(plan));
    if (plan->options.psf != PENTA_STARS_IMAGE)
        TRY(stars_need_device(plan, false));
    tell_choices(plan);
    *out = plan;
    plan = NULL;
cleanup:
    penta_stars_destroy(plan);
    return status;
}

void penta_stars_destroy(penta_stars *plan)
{
    penta_plan_free(plan);
}

penta_status penta_stars_set_psf(penta_stars *plan, size_t width, size_t height, double oversampling,
                                 const double *samples)
{
    penta_status status = PENTA_OK;

    if (plan->options.psf != PENTA_STARS_IMAGE)
        return penta_fail(plan->ctx, PENTA_INVALID, "a PSF image was given to a plan whose psf is not `image`");
    for (int i = 0; i < 2; i++) {
        stars_device_destroy(plan->device[i]);
        plan->device[i] = NULL;
    }
    TRY(stars_psf_set_image(plan->ctx, &plan->options, width, height, oversampling, samples, &plan->psf));
    tell_roi(plan);
cleanup:
    return status;
}

int penta_stars_roi(const penta_stars *plan)
{
    return plan->psf.roi;
}

stars_frame stars_frame_of(const penta_stars *plan)
{
    return stars_frame_make(plan->width, plan->height, plan->psf.roi, &plan->options);
}

bool penta_stars_touches(const penta_stars *plan, double x, double y)
{
    const stars_frame frame = {.width = plan->width, .height = plan->height, .roi = plan->psf.roi};

    return stars_touches(&frame, x, y);
}

penta_status penta_stars_set_zero_point(penta_stars_options *options, double zero_point, double seconds)
{
    if (!(zero_point >= -100 && zero_point <= 60))
        return penta_fail(NULL, PENTA_INVALID, "`zero_point` is %.10g; it must be between -100 and 60", zero_point);
    if (!(seconds >= 0 && seconds < INFINITY))
        return penta_fail(NULL, PENTA_INVALID, "an exposure of %g s: it must be finite and not negative", seconds);
    options->mag_base = PENTA_STARS_POGSON;
    options->amplitude = seconds * pow(10, 0.4 * zero_point);
    return PENTA_OK;
}

/* ---- runs ---- */

/* On the host's cores: into host memory first. */
static penta_status draw_on_host(penta_stars *plan, const penta_stars_list *stars, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    void *image = result->image, *view, *copy = NULL;

    TRY(penta_host_room(plan->ctx, image, stars_frame_bytes(plan, plan->height), &view, &copy));
    result->image = view;
    if (plan->engine == PENTA_STARS_FIXED)
        TRY(stars_draw_fixed_on_host(plan->ctx, &plan->psf, &plan->options, plan->width, plan->height, plan->dbl, stars,
                                     result));
    else
        TRY(stars_draw_on_host(plan->ctx, &plan->psf, &plan->options, plan->width, plan->height,
                               plan->engine == PENTA_STARS_THREADS, plan->dbl, stars, result));
    TRY(penta_host_deliver(plan->ctx, view, image, stars_frame_bytes(plan, plan->height)));
cleanup:
    result->image = image;
    free(copy);
    return status;
}

static penta_status draw(penta_stars *plan, const penta_stars_list *stars, size_t first, size_t rows,
                         penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    bool moving = stars->motion_x != NULL;

    TRY(stars_check_list(plan, stars));
    if (plan->on_host) {
        TRY(draw_on_host(plan, stars, result));
    } else {
        TRY(stars_need_device(plan, moving));
        TRY(stars_device_run_rows(plan->device[moving], stars, first, rows, result));
    }
cleanup:
    return status;
}

/* Whether the host reads the list: motions, the bound of fluxes that a fixed point needs, engines of the host; without
 * double precision the host packs. */
static bool host_reads(const penta_stars *plan, const penta_stars_list *stars)
{
    return stars->motion_x || plan->engine == PENTA_STARS_FIXED || plan->on_host ||
           !penta_context_device(plan->ctx)->fp64;
}

static penta_status check_rows(const penta_stars *plan, size_t first, size_t rows)
{
    if (first >= plan->height || rows == 0 || rows > plan->height - first)
        return penta_fail(plan->ctx, PENTA_INVALID, "rows %zu and on, %zu of them, of a frame of %zu", first, rows,
                          plan->height);
    if (rows < plan->height && plan->on_host)
        return stars_refuse_rows(plan);
    return PENTA_OK;
}

penta_status penta_stars_run(penta_stars *plan, const penta_stars_list *stars, penta_stars_result *result)
{
    return penta_stars_run_rows(plan, stars, 0, plan->height, result);
}

penta_status penta_stars_run_rows(penta_stars *plan, const penta_stars_list *stars, size_t first, size_t rows,
                                  penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    stars_list_view view = {.list = *stars};

    result->drawn = 0;
    result->flux_total = 0;
    result->engine = stars_name_of_engine(plan->engine);
    TRY(check_rows(plan, first, rows));
    TRY(penta_check_array(plan->ctx, result->image, stars_frame_bytes(plan, rows)));
    TRY(stars_check_arrays(plan->ctx, stars));
    if (stars_list_in_device(stars) && host_reads(plan, stars))
        TRY(stars_list_open(plan->ctx, stars, &view));
    TRY(draw(plan, &view.list, first, rows, result));
cleanup:
    stars_list_close(&view);
    return status;
}

penta_status penta_stars_fluxes(penta_stars *plan, const penta_stars_list *stars, double *flux, double *in_frame)
{
    penta_status status = PENTA_OK;

    TRY(stars_need_host(plan->ctx, stars));
    TRY(penta_check_host(plan->ctx, flux, "flux"));
    TRY(penta_check_host(plan->ctx, in_frame, "in_frame"));
    TRY(stars_check_list(plan, stars));
    TRY(stars_list_fluxes(plan->ctx, &plan->psf, &plan->options, plan->width, plan->height, stars, 0, flux, in_frame));
cleanup:
    return status;
}

penta_status penta_stars_vignetted(penta_stars *plan, const penta_stars_list *stars, double vignetting,
                                   double *in_frame)
{
    penta_status status = PENTA_OK;

    TRY(stars_need_host(plan->ctx, stars));
    TRY(penta_check_host(plan->ctx, in_frame, "in_frame"));
    TRY(stars_check_list(plan, stars));
    if (!(vignetting >= 0 && vignetting <= 1))
        return penta_fail(plan->ctx, PENTA_INVALID, "a vignetting of %g; 0 to 1 are possible", vignetting);
    TRY(stars_list_fluxes(plan->ctx, &plan->psf, &plan->options, plan->width, plan->height, stars, vignetting, NULL,
                          in_frame));
cleanup:
    return status;
}
