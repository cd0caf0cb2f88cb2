/*
 * The frames of a run, as the pipelines take them. The host checks frames in host memory (frame.c). For frames in
 * device memory, the device computes the sums, and only the sums come to the host. The host works on copies instead if
 * there is a NaN, a plane to remove or a type to convert, if not all arrays of the frame are in device memory, or if
 * the device has no double precision. Integers without a mask need no check.
 */
#include "autocorr/input.h"

#include <stdlib.h>

enum { FIELDS = 5, PIXELS = 0, SUM, SQUARE, NO_NUMBERS, INFINITE }; /* of each line: cl/autocorr/moments.cl */

struct autocorr_scan {
    penta_resources resources;
    const autocorr_settings *settings;
    penta_kernel moments;
    penta_port image, mask;
    penta_buffer rows;
    double *host; /* FIELDS for each row */
};

penta_status autocorr_scan_create(penta_context *ctx, const autocorr_settings *settings, autocorr_scan **out)
{
    penta_status status = PENTA_OK;
    autocorr_scan *s = NULL;
    size_t values = settings->height * FIELDS;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &s));
    s->settings = settings;
    if (penta_context_device(ctx)->fp64)
        TRY(penta_kernel_get(&s->resources, "autocorr/moments.cl", "autocorr_moments",
                             autocorr_type_define(settings->input), &s->moments));
    TRY(penta_port_open(&s->resources, &s->image));
    TRY(penta_port_open(&s->resources, &s->mask));
    TRY(penta_buffer_create(&s->resources, values * sizeof(double), &s->rows));
    TRY(penta_calloc(&s->resources, values, sizeof(double), &s->host));
    *out = s;
    s = NULL;
cleanup:
    autocorr_scan_destroy(s);
    return status;
}

void autocorr_scan_destroy(autocorr_scan *s)
{
    penta_plan_free(s);
}

/* Adds up the lines in the order that the host uses for its own frames. */
static autocorr_moments add_lines(const autocorr_scan *s, bool *numbers)
{
    autocorr_moments m = {0, 0, 0};

    *numbers = true;
    for (size_t y = 0; y < s->settings->height; y++) {
        const double *line = s->host + y * FIELDS;

        m.pixels += line[PIXELS];
        m.sum += line[SUM];
        m.square += line[SQUARE];
        *numbers = *numbers && line[NO_NUMBERS] == 0 && line[INFINITE] == 0;
    }
    return m;
}

/* numbers: whether all pixels that count are numbers. */
static penta_status scan_image(autocorr_scan *s, const void *image, const uint8_t *mask, autocorr_moments *out,
                               bool *numbers)
{
    penta_status status = PENTA_OK;
    const autocorr_settings *set = s->settings;
    size_t pixels = set->width * set->height, size = penta_type_size(set->input);
    const void *flags = mask ? (const void *)mask : image;

    TRY(penta_port_input(&s->image, image, pixels * size, size));
    TRY(penta_port_input(&s->mask, flags, mask ? pixels : size, mask ? 1 : size));
    TRY(penta_launch(
        &s->moments, penta_grid_rows(penta_grid_1d(set->height)),
        ARGS(s->image.now, s->mask.now, (int)(mask != NULL), (int)set->width, (int)set->height, &s->rows)));
    TRY(penta_buffer_read(&s->rows, 0, s->host, set->height * FIELDS * sizeof(double)));
    TRY(penta_port_close(&s->image));
    TRY(penta_port_close(&s->mask));
    *out = add_lines(s, numbers);
cleanup:
    return status;
}

static bool all_in_device(const penta_autocorr_frame *f)
{
    return penta_is_device_array(f->image) && (!f->with || penta_is_device_array(f->with)) &&
           (!f->mask || penta_is_device_array(f->mask));
}

/* Whether the frame can stay in device memory; then its moments are known. */
static penta_status scan(autocorr_scan *s, autocorr_input *in)
{
    penta_status status = PENTA_OK;
    const autocorr_settings *set = s->settings;
    const penta_autocorr_frame *f = &in->frame;
    bool numbers = true;

    if (!all_in_device(f) || set->type != set->input || set->options.demean == PENTA_AUTOCORR_DEMEAN_PLANE ||
        !penta_context_device(s->resources.ctx)->fp64)
        return PENTA_OK;
    if (!f->mask && (set->type == PENTA_U8 || set->type == PENTA_U16)) { /* the pipeline finds the moments of these */
        in->on_device = true;
        return PENTA_OK;
    }
    TRY(scan_image(s, f->image, f->mask, &in->moments[0], &numbers));
    in->moments[1] = in->moments[0];
    if (numbers && f->with)
        TRY(scan_image(s, f->with, f->mask, &in->moments[1], &numbers));
    if (numbers && in->moments[0].pixels <= 0)
        status = penta_fail(s->resources.ctx, PENTA_INVALID, "the mask excludes every pixel");
    in->on_device = numbers;
cleanup:
    return status;
}

static penta_status view(penta_context *ctx, const void **array, size_t bytes, void **copy)
{
    const void *host = NULL;
    penta_status status = penta_host_view(ctx, *array, bytes, &host, copy);

    *array = host;
    return status;
}

penta_status autocorr_input_open(penta_context *ctx, autocorr_scan *scanner, const penta_autocorr_frame *frame,
                                 autocorr_input *out)
{
    penta_status status = PENTA_OK;
    const autocorr_settings *s = scanner->settings;
    size_t pixels = s->width * s->height, bytes = pixels * penta_type_size(s->input);
    const void *mask = frame->mask;

    *out = (autocorr_input){.frame = *frame};
    TRY(penta_check_array(ctx, frame->image, bytes));
    TRY(penta_check_array(ctx, frame->with, bytes));
    TRY(penta_check_array(ctx, frame->mask, pixels));
    TRY(scan(scanner, out));
    if (out->on_device)
        return PENTA_OK;
    TRY(view(ctx, &out->frame.image, bytes, &out->copies[0]));
    TRY(view(ctx, &out->frame.with, bytes, &out->copies[1]));
    TRY(view(ctx, &mask, pixels, &out->copies[2]));
    out->frame.mask = mask;
    TRY(autocorr_frame_check(ctx, s, &out->frame, &out->nan_pixels));
cleanup:
    return status;
}

void autocorr_input_close(autocorr_input *in)
{
    for (size_t i = 0; i < sizeof in->copies / sizeof *in->copies; i++)
        free(in->copies[i]);
    *in = (autocorr_input){0};
}
