/* The device buffers of a batch of frames. */
#include "prepare/stages.h"

penta_status prepare_batch_create(penta_context *ctx, const prepare_shape *shape, prepare_batch *out)
{
    penta_status status = PENTA_OK;
    bool moves = shape->settings->o.registration != PENTA_PREPARE_REGISTER_NONE;
    size_t n = shape->batch, pixels = n * shape->width * shape->height, nodes = n * shape->nodes_x * shape->nodes_y;
    prepare_batch b = {0};

    TRY(penta_buffer_create(ctx, pixels * sizeof(float), &b.grey));
    TRY(penta_buffer_create(ctx, pixels, &b.usable));
    TRY(penta_buffer_create(ctx, pixels, &b.mask));
    TRY(penta_buffer_create(ctx, nodes * sizeof(float), &b.background));
    TRY(penta_buffer_create(ctx, n * sizeof(float), &b.level));
    TRY(penta_buffer_create(ctx, pixels * sizeof(float), &b.flat));
    TRY(penta_buffer_create(ctx, moves ? pixels * sizeof(float) : 0, &b.moved));
    TRY(penta_buffer_create(ctx, moves ? pixels : 0, &b.moved_mask));
    TRY(penta_buffer_create(ctx, pixels * penta_type_size(prepare_output_type(shape)), &b.out));
    TRY(penta_buffer_create(ctx, n * 2 * sizeof(uint32_t), &b.counts));
    *out = b;
    b = (prepare_batch){0};
cleanup:
    prepare_batch_release(&b);
    return status;
}

void prepare_batch_release(prepare_batch *batch)
{
    penta_buffer *all[] = {&batch->grey, &batch->usable, &batch->mask,       &batch->background, &batch->level,
                           &batch->flat, &batch->moved,  &batch->moved_mask, &batch->out,        &batch->counts};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        penta_buffer_release(all[i]);
    batch->count = 0;
}

/* The buffers above, two raw frames, and what stages keep: medians, histograms, spectra of padded frames. */
uint64_t prepare_batch_bytes(const prepare_shape *shape)
{
    enum { PLANES = 15, SCRATCH = 96 }; /* bytes a pixel: grey, usable, mask, flat, moved and its mask; stages' */
    uint64_t pixels = (uint64_t)shape->width * shape->height, raw = shape->channels * penta_type_size(shape->type);

    return pixels * (PLANES + SCRATCH + 2 * raw + penta_type_size(prepare_output_type(shape))) +
           (uint64_t)shape->nodes_x * shape->nodes_y * 16 + PREPARE_BINS * sizeof(uint32_t);
}
