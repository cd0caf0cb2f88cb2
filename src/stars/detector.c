/* Host side of the detector: its numbers for the kernels of cl/stars/detector.cl, and frames in slabs of rows. Without
 * double precision the host does it all (detector_host.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stars/detector.h"

static const penta_option option_rows[] = {
    PENTA_REAL_OPTION(penta_detector_options, exposure, 0, 1, 1e-9, 1e9, "s", "exposure time"),
    PENTA_REAL_OPTION(penta_detector_options, quantum_efficiency, 0, 1, 0, 1, "", "electrons per photon"),
    PENTA_REAL_OPTION(penta_detector_options, sky, 0, 0, 0, 1e12, "photons/px/s", "brightness of the sky"),
    PENTA_REAL_OPTION(penta_detector_options, dark, 0, 0, 0, 1e12, "e-/px/s", "dark current"),
    PENTA_CHOICE_OPTION(penta_detector_options, shot_noise, 0, "poisson,none", "noise of the electron count"),
    PENTA_REAL_OPTION(penta_detector_options, read_noise, 0, 0, 0, 1e9, "e-", "standard deviation of the read noise"),
    PENTA_REAL_OPTION(penta_detector_options, gain, 0, 1, 1e-9, 1e9, "e-/DN", "electrons per DN"),
    PENTA_REAL_OPTION(penta_detector_options, bias, 0, 0, -1e9, 1e9, "DN", "DN of an empty pixel"),
    PENTA_REAL_OPTION(penta_detector_options, full_well, 0, 0, 0, 1e15, "e-",
                      "electrons that a pixel can hold; 0 for no limit"),
    PENTA_REAL_OPTION(penta_detector_options, hot_fraction, 0, 0, 0, 1, "", "fraction of hot pixels"),
    PENTA_REAL_OPTION(penta_detector_options, hot_rate, 0, 0, 0, 1e12, "e-/s", "mean dark current of a hot pixel"),
    PENTA_REAL_OPTION(
        penta_detector_options, vignetting, 0, 0, 0, 1, "",
        "fraction of light lost at the frame's corners, in proportion to the squared distance from its centre"),
    PENTA_INT_OPTION(penta_detector_options, bits, 0, 0, 0, 16, "",
                     "bits of the converter; 0 for DN that are neither rounded nor clipped"),
    PENTA_INT_OPTION(penta_detector_options, seed, 0, 1, 0, INT32_MAX, "",
                     "seed of random stars, shot noise and read noise"),
    PENTA_INT_OPTION(penta_detector_options, detector_seed, 0, 1, 0, INT32_MAX, "",
                     "seed of the hot pixels: they are the same in every frame and for every seed"),
    PENTA_OPTIONS_END};

const penta_option *penta_detector_option_table(void)
{
    return option_rows;
}

/* Places in the numbers that the kernels see: the enum of cl/stars/detector.clh. */
enum {
    EFFICIENCY = 0,
    SKY,
    DARK,
    SHOT,
    READ_NOISE,
    GAIN,
    BIAS,
    FULL_WELL,
    HOT_FRACTION,
    HOT,
    VIGNETTING,
    CENTRE_X,
    CENTRE_Y,
    TOP,
    NUMBERS
};

enum { RUN = 256 }; /* pixels of a work-item of the CPU form: RUN of cl/stars/detector.cl */

enum { SLAB_PIXELS = 1 << 22 }; /* of penta_detector_run: 52 MiB on the device, and enough work to hide a launch */

struct penta_detector {
    penta_resources resources, slab; /* slab: the buffers of slab_rows */
    penta_context *ctx;              /* borrowed, outlives the detector */
    size_t width, height;
    penta_detector_options options;
    double values[NUMBERS];
    bool on_host; /* without double precision; then there is nothing on the device */
    penta_kernel expose_f32, expose_f64;
    penta_buffer numbers, nothing;
    size_t slab_rows; /* of the buffers below, which penta_detector_run makes; 0: none yet */
    penta_buffer image, dn, saturated;
};

static penta_status check_size(penta_context *ctx, size_t width, size_t height)
{
    size_t pixels;

    if (width == 0 || height == 0)
        return penta_fail(ctx, PENTA_INVALID, "the frame is empty (%zu x %zu)", width, height);
    if (width > INT32_MAX || __builtin_mul_overflow(width, height, &pixels) || pixels > (size_t)1 << 32)
        return penta_fail(ctx, PENTA_INVALID, "a detector of %zu x %zu has more than 2^32 pixels", width, height);
    return PENTA_OK;
}

static void set_values(penta_detector *d)
{
    const penta_detector_options *o = &d->options;
    double cx = 0.5 * (double)(d->width - 1), cy = 0.5 * (double)(d->height - 1), corner = cx * cx + cy * cy;
    const double numbers[NUMBERS] = {[EFFICIENCY] = o->quantum_efficiency,
                                     [SKY] = o->sky * o->exposure,
                                     [DARK] = o->dark * o->exposure,
                                     [SHOT] = o->shot_noise == PENTA_SHOT_POISSON ? 1 : 0,
                                     [READ_NOISE] = o->read_noise,
                                     [GAIN] = o->gain,
                                     [BIAS] = o->bias,
                                     [FULL_WELL] = o->full_well > 0 ? o->full_well : INFINITY,
                                     [HOT_FRACTION] = o->hot_fraction,
                                     [HOT] = o->hot_rate * o->exposure,
                                     [VIGNETTING] = corner > 0 ? o->vignetting / corner : 0,
                                     [CENTRE_X] = cx,
                                     [CENTRE_Y] = cy,
                                     [TOP] = o->bits > 0 ? (double)((1 << o->bits) - 1) : INFINITY};

    memcpy(d->values, numbers, sizeof numbers);
}

static penta_status resolve(penta_context *ctx, size_t width, size_t height, const penta_detector_options *opt,
                            penta_detector_options *out)
{
    penta_status status = PENTA_OK;

    TRY(check_size(ctx, width, height));
    TRY(penta_options_resolve(ctx, penta_detector_option_table(), opt, out, sizeof *out));
cleanup:
    return status;
}

penta_status penta_detector_check(size_t width, size_t height, const penta_detector_options *opt, char *message,
                                  size_t size)
{
    penta_detector_options resolved;

    return penta_check_result(resolve(NULL, width, height, opt, &resolved), message, size);
}

static penta_status create_on_device(penta_detector *d)
{
    penta_status status = PENTA_OK;
    const char *form = penta_is_cpu(d->ctx) ? "-DPENTA_LANES=8" : "";

    TRY(penta_kernels_get(&d->resources, "stars/detector.cl", form,
                          KERNELS({&d->expose_f32, "detector_expose_f32"}, {&d->expose_f64, "detector_expose_f64"})));
    TRY(penta_buffer_upload(&d->resources, d->values, sizeof d->values, &d->numbers));
    TRY(penta_buffer_create(&d->resources, 0, &d->nothing));
cleanup:
    return status;
}

penta_status penta_detector_create(penta_context *ctx, size_t width, size_t height, const penta_detector_options *opt,
                                   penta_detector **out)
{
    penta_status status = PENTA_OK;
    penta_detector *d = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &d));
    d->ctx = d->slab.ctx = ctx;
    TRY(penta_own_struct(&d->resources, &d->slab, penta_resources_release));
    d->width = width;
    d->height = height;
    TRY(resolve(ctx, width, height, opt, &d->options));
    set_values(d);
    d->on_host = !penta_context_device(ctx)->fp64;
    if (d->on_host)
        penta_chose(ctx, "detector", "on the host", "the device has no double precision");
    else
        TRY(create_on_device(d));
    *out = d;
    d = NULL;
cleanup:
    penta_detector_destroy(d);
    return status;
}

penta_status stars_detector_apply(penta_detector *d, uint32_t frame, penta_buffer *image, penta_type type,
                                  size_t first_row, size_t rows, penta_buffer *dn_out, penta_buffer *saturated_out)
{
    penta_status status = PENTA_OK;
    penta_kernel *kernel = type == PENTA_F64 ? &d->expose_f64 : &d->expose_f32;
    penta_grid grid = penta_is_cpu(d->ctx) ? penta_grid_2d((d->width + RUN - 1) / RUN, rows)
                                           : penta_grid_rows(penta_grid_2d(d->width, rows));

    TRY(penta_require_double(d->ctx, "the detector's kernels need"));
    TRY(penta_launch(kernel, grid,
                     ARGS(image, &d->numbers, (int)d->width, (int64_t)first_row, (int64_t)rows,
                          (uint32_t)d->options.seed, (uint32_t)d->options.detector_seed, frame, saturated_out ? 1 : 0,
                          dn_out, saturated_out ? saturated_out : &d->nothing)));
cleanup:
    return status;
}

/* ---- frames of the host ---- */

static penta_status check_finite(penta_detector *d, const void *image, penta_type type)
{
    const float *as_float = image;
    const double *as_double = image;

    for (size_t i = 0; i < d->width * d->height; i++)
        if (!isfinite(type == PENTA_F64 ? as_double[i] : (double)as_float[i]))
            return penta_fail(d->ctx, PENTA_INVALID, "pixel (%zu, %zu) of the image is NaN or infinite", i % d->width,
                              i / d->width);
    return PENTA_OK;
}

/* The host looks at a copy of an image in device memory. */
static penta_status check_arrays(penta_detector *d, const void *image, penta_type type, const float *dn,
                                 const uint8_t *saturated)
{
    penta_status status = PENTA_OK;
    size_t pixels = d->width * d->height;
    const void *view;
    void *copy = NULL;

    TRY(penta_check_array(d->ctx, dn, pixels * sizeof *dn));
    TRY(penta_check_array(d->ctx, saturated, pixels));
    TRY(penta_host_view(d->ctx, image, pixels * penta_type_size(type), &view, &copy));
    TRY(check_finite(d, view, type));
cleanup:
    free(copy);
    return status;
}

static penta_status create_slab(penta_detector *d, size_t rows)
{
    penta_status status = PENTA_OK;
    size_t pixels = rows * d->width;

    TRY(penta_buffer_create(&d->slab, pixels * sizeof(double), &d->image));
    TRY(penta_buffer_create(&d->slab, pixels * sizeof(float), &d->dn));
    TRY(penta_buffer_create(&d->slab, pixels, &d->saturated));
    d->slab_rows = rows;
cleanup:
    if (status != PENTA_OK)
        penta_resources_release(&d->slab);
    return status;
}

/* Half as many rows while the device's memory is too small. */
static penta_status ensure_slab(penta_detector *d)
{
    size_t rows = d->width < SLAB_PIXELS ? SLAB_PIXELS / d->width : 1;
    penta_status status = PENTA_OK;

    if (d->slab_rows)
        return PENTA_OK;
    if (rows > d->height)
        rows = d->height;
    while ((status = create_slab(d, rows)) == PENTA_MEMORY && rows > 1)
        rows /= 2;
    return status;
}

static penta_status run_slab(penta_detector *d, uint32_t frame, const void *image, penta_type type, size_t first_row,
                             size_t rows, float *dn, uint8_t *saturated)
{
    penta_status status = PENTA_OK;
    size_t pixels = rows * d->width;

    TRY(penta_buffer_write(&d->image, 0, image, pixels * penta_type_size(type)));
    TRY(stars_detector_apply(d, frame, &d->image, type, first_row, rows, &d->dn, saturated ? &d->saturated : NULL));
    TRY(penta_buffer_read(&d->dn, 0, dn, pixels * sizeof *dn));
    if (saturated)
        TRY(penta_buffer_read(&d->saturated, 0, saturated, pixels));
cleanup:
    return status;
}

penta_status penta_detector_run(penta_detector *d, uint32_t frame, const void *image, penta_type type, float *dn,
                                uint8_t *saturated)
{
    penta_status status = PENTA_OK;

    if (type != PENTA_F32 && type != PENTA_F64)
        return penta_fail(d->ctx, PENTA_INVALID, "the image of a detector is float32 or float64, not %s",
                          penta_type_name(type));
    TRY(check_arrays(d, image, type, dn, saturated));
    if (d->on_host)
        return stars_detector_on_host(d->ctx, &d->options, d->values, d->width, d->height, frame, image, type, dn,
                                      saturated);
    TRY(ensure_slab(d));
    for (size_t row = 0; row < d->height; row += d->slab_rows) {
        size_t rows = d->height - row < d->slab_rows ? d->height - row : d->slab_rows, first = row * d->width;

        TRY(run_slab(d, frame, (const char *)image + first * penta_type_size(type), type, row, rows, dn + first,
                     saturated ? saturated + first : NULL));
    }
cleanup:
    return status;
}

void penta_detector_destroy(penta_detector *d)
{
    penta_plan_free(d);
}
