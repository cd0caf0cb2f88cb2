/*
 * Sends frames to the device in pieces, one transfer each, and converts them to traces there. Two staging buffers
 * alternate, so that a transfer runs beside the kernel of the previous piece. A piece of frames that do not lie equally
 * far apart is gathered in pinned memory first, unless its contiguous runs are long.
 */
#include <string.h>

#include "optmap/traces.h"

/* Bytes; transferring a shorter run costs more than copying it. */
static const size_t long_run = (size_t)1 << 20;

/* Frames first .. first + count - 1 of the band, `run` bytes each, `skip` bytes into a frame. */
typedef struct {
    size_t first, count, run, skip;
} piece;

static const char *start(const void *const *frames, const piece *p, size_t frame)
{
    return (const char *)frames[p->first + frame] + p->skip;
}

/* Whether frames lie equally far apart, at *stride bytes, as those of one array do. */
static bool are_rows(const void *const *frames, const piece *p, size_t *stride)
{
    ptrdiff_t apart = p->count > 1 ? start(frames, p, 1) - start(frames, p, 0) : (ptrdiff_t)p->run;

    for (size_t f = 1; f < p->count; f++)
        if (start(frames, p, f) - start(frames, p, f - 1) != apart)
            return false;
    *stride = (size_t)apart;
    return apart >= (ptrdiff_t)p->run;
}

/* Waits until earlier transfers have read their memory. */
static penta_status wait_for_transfers(optmap_loader *loader)
{
    uint32_t nothing;

    return penta_buffer_read(&loader->fence, 0, &nothing, sizeof nothing);
}

/* Gathers a piece while the previous one is transferred: its memory was read two pieces ago. */
static penta_status gather(optmap_loader *loader, const void *const *frames, const piece *p, penta_buffer *staging,
                           void **memory)
{
    penta_status status = PENTA_OK;

    if (!*memory)
        TRY(penta_resources_pinned(&loader->resources, staging->bytes, memory));
    for (size_t f = 0; f < p->count; f++)
        memcpy((char *)*memory + f * p->run, start(frames, p, f), p->run);
    TRY(wait_for_transfers(loader));
    TRY(penta_buffer_write_async(staging, 0, *memory, p->count * p->run));
cleanup:
    return status;
}

static penta_status stage(optmap_loader *loader, const void *const *frames, const piece *p, int camera)
{
    penta_status status = PENTA_OK;
    penta_buffer *staging = &loader->staging[loader->turn][camera];
    size_t stride;

    if (are_rows(frames, p, &stride)) {
        TRY(penta_buffer_write_rows(staging, 0, p->run, start(frames, p, 0), stride, p->run, p->count));
    } else if (p->run < long_run && !penta_is_device_array(start(frames, p, 0))) {
        TRY(gather(loader, frames, p, staging, &loader->gathered[loader->turn][camera]));
    } else {
        for (size_t f = 0; f < p->count; f++)
            TRY(penta_buffer_write_async(staging, f * p->run, start(frames, p, f), p->run));
    }
cleanup:
    return status;
}

static penta_grid layout_grid(const optmap_loader *loader, size_t pixels, size_t frames)
{
    if (penta_is_cpu(loader->resources.ctx))
        return penta_grid_groups(penta_grid_2d((pixels + TRACES_CPU_PIXELS - 1) / TRACES_CPU_PIXELS,
                                               (frames + TRACES_CPU_FRAMES - 1) / TRACES_CPU_FRAMES),
                                 1, 1, 1);
    return penta_grid_groups(penta_grid_2d(pixels, (frames + TRACES_TILE - 1) / TRACES_TILE * TRACES_ROWS), TRACES_TILE,
                             TRACES_ROWS, 1);
}

penta_status traces_upload(optmap_loader *loader, const penta_movie *movie, optmap_traces *band)
{
    penta_status status = PENTA_OK;
    size_t pixels = band->rows * loader->shape.width, size = penta_type_size(loader->type);
    piece p = {.run = pixels * size, .skip = band->first * loader->shape.width * size};

    for (; p.first < loader->shape.frames; p.first += p.count) {
        penta_buffer *staging = loader->staging[loader->turn];
        size_t left = loader->shape.frames - p.first;

        p.count = left < loader->piece ? left : loader->piece;
        TRY(stage(loader, movie->frames, &p, 0));
        if (loader->under)
            TRY(stage(loader, movie->under, &p, 1));
        TRY(penta_launch(&loader->layout, layout_grid(loader, pixels, p.count),
                         ARGS(&staging[0], &staging[loader->under], (unsigned)p.count, (unsigned)pixels, p.first,
                              loader->shape.pitch, &band->v, &band->low, &loader->report)));
        loader->turn = 1 - loader->turn;
    }
cleanup:
    return status;
}
