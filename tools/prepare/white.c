#include "prepare/white.h"

static const double much = 0.05; /* of a frame */

size_t prepare_count_white(const penta_io_image *image)
{
    size_t pixels = image->width * image->height, white = 0;
    const uint8_t *bytes = image->data;
    const uint16_t *words = image->data;

    for (size_t i = 0; image->type == PENTA_U8 && i < pixels; i++)
        white += bytes[i] == UINT8_MAX;
    for (size_t i = 0; image->type == PENTA_U16 && i < pixels; i++)
        white += words[i] == UINT16_MAX;
    return white;
}

void prepare_note_white(const preparation *p)
{
    size_t width, height, frames = 0, most = 0;
    double pixels;

    if (!p->white || !p->plan || p->recipe.options.contrast)
        return;
    penta_prepare_size(p->plan, &width, &height);
    pixels = (double)width * (double)height;
    for (size_t i = 0; i < p->list.count; i++)
        if (p->rows[i].done && (double)p->white[i] > much * pixels) {
            most = frames == 0 || p->white[i] > p->white[most] ? i : most;
            frames++;
        }
    if (frames > 0)
        job_warn(&p->job,
                 "%.1f %% of %s is white in what is written (%zu of %zu frames have over %.0f %%): flattened, it is "
                 "brighter than white. --contrast makes room, --depth f32 with --format tiff, npy or fits keeps the "
                 "levels",
                 100 * (double)p->white[most] / pixels, p->rows[most].file, frames, p->list.count, 100 * much);
}
