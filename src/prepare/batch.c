/* The device buffers of a batch of frames. */
#include "prepare/stages.h"

penta_status prepare_batch_create(penta_resources *own, const prepare_shape *shape, prepare_batch *out)
{
    penta_status status = PENTA_OK;
    bool moves = shape->settings->o.registration != PENTA_PREPARE_REGISTER_NONE;
    size_t n = shape->batch, pixels = n * shape->width * shape->height, nodes = n * shape->nodes_x * shape->nodes_y;

    out->count = 0;
    TRY(penta_buffer_create(own, pixels * sizeof(float), &out->grey));
    TRY(penta_buffer_create(own, pixels, &out->usable));
    TRY(penta_buffer_create(own, pixels, &out->mask));
    TRY(penta_buffer_create(own, nodes * sizeof(float), &out->background));
    TRY(penta_buffer_create(own, n * sizeof(float), &out->level));
    TRY(penta_buffer_create(own, pixels * sizeof(float), &out->flat));
    TRY(penta_buffer_create(own, moves ? pixels * sizeof(float) : 0, &out->moved));
    TRY(penta_buffer_create(own, moves ? pixels : 0, &out->moved_mask));
    TRY(penta_buffer_create(own, pixels * penta_type_size(prepare_output_type(shape)), &out->out));
    TRY(penta_buffer_create(own, n * 2 * sizeof(uint32_t), &out->counts));
cleanup:
    return status;
}

/* Bytes of the buffers above, two raw frames, and the scratch of stages: medians, histograms, padded spectra. */
uint64_t prepare_batch_bytes(const prepare_shape *shape)
{
    enum {
        PLANES = 15,
        SCRATCH = 96
    }; /* bytes per pixel: grey, usable, mask, flat, moved and its mask; scratch of stages */
    uint64_t pixels = (uint64_t)shape->width * shape->height, raw = shape->channels * penta_type_size(shape->type);

    return pixels * (PLANES + SCRATCH + 2 * raw + penta_type_size(prepare_output_type(shape))) +
           (uint64_t)shape->nodes_x * shape->nodes_y * 16 + PREPARE_BINS * sizeof(uint32_t);
}
