/* Reads the results of a band into the caller's arrays. */
#include "optmap/plan.h"

/* As in cl/optmap/traces_out.cl. */
enum { OUT_CPU_PIXELS = 16, OUT_CPU_FRAMES = 64, OUT_TILE = 32, OUT_ROWS = 8 };

/* Reads `frames` frames of the band's rows from the buffer into a whole movie. */
static penta_status read_movie(penta_optmap *p, size_t frames, float *movie)
{
    size_t width = p->shape.width, each = (p->band.to - p->band.from) * width * sizeof *movie;

    return penta_buffer_read_rows(&p->filtered, 0, each, movie + (p->band.from - p->rows.first) * width,
                                  p->rows.held * width * sizeof *movie, each, frames);
}

static penta_grid out_grid(const penta_optmap *p, size_t pixels)
{
    size_t frames = p->shape.frames;

    if (penta_is_cpu(p->resources.ctx))
        return penta_grid_groups(penta_grid_2d((pixels + OUT_CPU_PIXELS - 1) / OUT_CPU_PIXELS,
                                               (frames + OUT_CPU_FRAMES - 1) / OUT_CPU_FRAMES),
                                 1, 1, 1);
    return penta_grid_groups(penta_grid_2d(pixels, (frames + OUT_TILE - 1) / OUT_TILE * OUT_ROWS), OUT_TILE, OUT_ROWS,
                             1);
}

/* Reads the traces, through the buffer of the filtered movie, which has been read. */
static penta_status read_traces(penta_optmap *p, float *traces)
{
    penta_status status = PENTA_OK;
    optmap_traces *band = &p->band;
    size_t width = p->shape.width, pixels = (band->to - band->from) * width;

    TRY(penta_launch(&p->traces_out, out_grid(p, pixels),
                     ARGS(&band->v, &band->valid, (unsigned)((band->from - band->first) * width), (unsigned)pixels,
                          (unsigned)p->shape.frames, p->shape.pitch, &p->filtered)));
    TRY(read_movie(p, p->shape.frames, traces));
cleanup:
    return status;
}

penta_status optmap_read_results(penta_optmap *p, penta_optmap_result *result)
{
    penta_status status = PENTA_OK;
    optmap_traces *band = &p->band;
    size_t width = p->shape.width, pixels = (band->to - band->from) * width, at = (band->from - p->rows.first) * width;
    size_t neighbours = (size_t)(p->options.window * p->options.window);

    if (result->valid)
        TRY(penta_buffer_read(&band->valid, (band->from - band->first) * width, result->valid + at, pixels));
    if (result->shifts)
        TRY(penta_buffer_read(&p->shifts, 0, result->shifts + at * neighbours,
                              pixels * neighbours * sizeof *result->shifts));
    if (result->filtered)
        TRY(read_movie(p, optmap_out_frames(&p->shape), result->filtered));
    if (result->traces)
        TRY(read_traces(p, result->traces));
cleanup:
    return status;
}
