/* Brings frames into a slot of the pipeline: in place if possible, as copies, or as sums that the host computes. */
#include <stdlib.h>

#include "autocorr/pipeline_parts.h"

/* The scalars that the finish kernel needs besides the sums, from the moments of a and b. */
static void set_scalars(const autocorr_pipeline *p, const autocorr_moments m[2], double *out)
{
    bool demean = p->settings.options.demean == PENTA_AUTOCORR_DEMEAN_MEAN;
    double rounding = p->masked && p->shape.single ? 1e-6 : 1e-14; /* relative error of sums that an FFT computed */

    autocorr_host_scalars(m, demean || p->shape.cross, demean, p->averaged, rounding, out);
}

/* Computes the overlap sums of image a (which 0) or b on the host. */
static penta_status host_overlaps(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const void *data, int which)
{
    penta_status status = PENTA_OK;
    double *bundle = slot->host_bundle + i * BUNDLE * pipeline_window(p);

    TRY(autocorr_host_overlaps(p->ctx, &p->shape, data, which == 1, bundle));
    if (!p->shape.cross)
        TRY(autocorr_host_overlaps(p->ctx, &p->shape, data, true, bundle));
cleanup:
    return status;
}

/* Uses the image in place if possible, else uploads it into the slot. */
static penta_status give_image(autocorr_pipeline *p, pipeline_slot *slot, int which, size_t index, const void *data)
{
    penta_status status = PENTA_OK;
    size_t size = penta_type_size(p->settings.type), bytes = pipeline_pixels(p) * size;

    penta_buffer_release(&slot->lent[which]);
    if (p->batch == 1)
        TRY(penta_buffer_lend(p->ctx, PENTA_READ, data, bytes, size, &slot->lent[which]));
    if (!slot->lent[which].mem)
        TRY(penta_buffer_write_async(&slot->image[which], index * bytes, data, bytes));
cleanup:
    return status;
}

/* Uploads image a (which 0) or b of frame i. */
static penta_status upload_image(autocorr_pipeline *p, pipeline_slot *slot, size_t i, int which, const void *image,
                                 const uint8_t *mask, autocorr_moments *moments)
{
    penta_status status = PENTA_OK;
    size_t bytes = pipeline_pixels(p) * penta_type_size(p->settings.type);
    const void *data;
    void *scratch = NULL;

    TRY(autocorr_frame_prepare(p->ctx, &p->settings, image, mask, &data, &scratch,
                               p->needs_moments && !p->device_moments ? moments : NULL));
    if (scratch) { /* freed below, so the copy must have finished */
        penta_buffer_release(&slot->lent[which]);
        TRY(penta_buffer_write(&slot->image[which], i * bytes, data, bytes));
    } else {
        TRY(give_image(p, slot, which, i, data));
    }
    if (p->on_host && p->needs_sums && !p->masked)
        TRY(host_overlaps(p, slot, i, data, which));
cleanup:
    free(scratch);
    return status;
}

/* A frame in device memory. */
static penta_status give_frame(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const autocorr_input *in)
{
    penta_status status = PENTA_OK;
    size_t pixels = pipeline_pixels(p);

    TRY(give_image(p, slot, 0, i, in->frame.image));
    if (p->shape.cross)
        TRY(give_image(p, slot, 1, i, in->frame.with));
    if (p->masked)
        TRY(penta_buffer_write(&slot->mask, i * pixels, in->frame.mask, pixels));
    set_scalars(p, in->moments, slot->host_scalars + AUTOCORR_SCALARS * i);
cleanup:
    return status;
}

penta_status pipeline_upload(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const autocorr_input *in)
{
    penta_status status = PENTA_OK;
    double pixels = (double)pipeline_pixels(p);
    autocorr_moments m[2] = {{pixels, 0, 0}, {pixels, 0, 0}};
    const penta_autocorr_frame *frame = &in->frame;
    const uint8_t *mask = frame->mask;
    uint8_t *numbers = NULL; /* the mask of a frame with NaN; its upload has finished when the call returns */

    if (in->on_device)
        return give_frame(p, slot, i, in);
    if (in->nan_pixels > 0) {
        TRY(autocorr_frame_mask(p->ctx, &p->settings, frame, &numbers));
        mask = numbers;
    }
    TRY(upload_image(p, slot, i, 0, frame->image, mask, &m[0]));
    m[1] = m[0];
    if (p->shape.cross)
        TRY(upload_image(p, slot, i, 1, frame->with, mask, &m[1]));
    if (p->masked)
        TRY(penta_buffer_write(&slot->mask, i * pipeline_pixels(p), mask, pipeline_pixels(p)));
    set_scalars(p, m, slot->host_scalars + AUTOCORR_SCALARS * i);
cleanup:
    free(numbers);
    return status;
}
