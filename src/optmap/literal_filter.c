/* Shifts the traces of all neighbours of a batch of pixels, sums them, and takes the median; kernels:
 * cl/optmap/literal_filter.cl. */
#include <stdio.h>
#include <stdlib.h>

#include "math/sizes.h"
#include "optmap/literal.h"

enum { MOST_PIXELS = 1 << 15 /* most pixels of a batch: they are the third dimension of grids */, MOST_ROWS = 4096 };

static const double share = 0.1; /* share of a band's time */

static penta_status get_kernels(literal_state *s)
{
    static const char *const tails[] = {
        [PENTA_OPTMAP_TAILS_ODD] = "ODD", [PENTA_OPTMAP_TAILS_HOLD] = "HOLD", [PENTA_OPTMAP_TAILS_ZERO] = "ZERO"};
    literal_filter *f = &s->filter;
    const penta_optmap_options *o = s->shape.options;
    const char *file = "optmap/literal_filter.cl";
    penta_status status = PENTA_OK;
    char shared[96], defines[224];

    literal_defines(s, shared, sizeof shared);
    snprintf(defines, sizeof defines, "%s -DTAILS_%s -DSTRIDE=%d -DMEDIAN=%d%s%s", shared, tails[o->tails],
             o->output == PENTA_OPTMAP_INTERPOLATED ? 1 : o->interp, o->median > 1 ? o->median : 1,
             o->median_edges == PENTA_OPTMAP_TRUNCATE ? " -DTRUNCATE" : "",
             o->invalid == PENTA_OPTMAP_ZERO ? " -DZERO_INVALID" : "");
    TRY(penta_kernel_get(&s->resources, file, "literal_shift", defines, &f->shift));
    TRY(penta_kernel_get(&s->resources, file, "literal_gaussian", defines, &f->gaussian));
    TRY(penta_kernel_get(&s->resources, file, "literal_median", defines, &f->median));
cleanup:
    return status;
}

static penta_status upload_gaussian(literal_state *s)
{
    penta_status status = PENTA_OK;
    size_t count = s->sizes.neighbours;
    float *weights = NULL;

    TRY(penta_calloc(s->resources.ctx, count, sizeof *weights, &weights));
    for (size_t i = 0; i < count; i++)
        weights[i] = (float)s->shape.gaussian[i];
    TRY(penta_buffer_upload(&s->resources, weights, count * sizeof *weights, &s->filter.weights));
cleanup:
    free(weights);
    return status;
}

penta_status literal_filter_create(literal_state *s)
{
    penta_status status = PENTA_OK;
    const literal_sizes *z = &s->sizes;
    size_t batch = z->work / (z->neighbours * z->out_frames * sizeof(float));

    TRY(get_kernels(s));
    TRY(upload_gaussian(s));
    s->filter.batch = penta_smaller(penta_smaller(batch, MOST_PIXELS), z->pixels);
    TRY(penta_buffer_create(&s->resources, s->filter.batch * z->out_frames * sizeof(float), &s->filter.sums));
cleanup:
    return status;
}

/* Filters the band's results from .. from + count - 1. */
static penta_status filter_batch(literal_state *s, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered,
                                 size_t from, size_t count)
{
    penta_status status = PENTA_OK;
    literal_filter *f = &s->filter;
    const literal_sizes *z = &s->sizes;
    int frames = (int)z->out_frames, width = (int)s->shape.width, height = (int)s->shape.height;
    int first = (int)band->first, out = literal_out(s, band);

    TRY(penta_launch(&f->shift, penta_grid_rows(penta_grid_3d(z->out_frames, z->neighbours, count)),
                     ARGS(&s->y, shifts, (int)z->samples, frames, width, height, first, out, (int)from, &s->work)));
    TRY(penta_launch(&f->gaussian, penta_grid_rows(penta_grid_2d(z->out_frames, count)),
                     ARGS(&s->work, &f->weights, shifts, frames, width, height, first, out, (int)from, &f->sums)));
    TRY(penta_launch(&f->median, penta_grid_rows(penta_grid_2d(count, penta_smaller(z->out_frames, MOST_ROWS))),
                     ARGS(&f->sums, frames, (int)count, (int)literal_results(s, band), (int)from, filtered)));
cleanup:
    return status;
}

penta_status literal_filter_run(literal_state *s, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    penta_status status = PENTA_OK;
    size_t results = literal_results(s, band);

    for (size_t from = 0; from < results; from += s->filter.batch) {
        TRY(filter_batch(s, band, shifts, filtered, from, penta_smaller(s->filter.batch, results - from)));
        TRY(literal_report(s, band, 1 - share * (1 - (double)from / (double)results)));
    }
cleanup:
    return status;
}
