/* Positions of pixel columns and rows between nodes, and the grid over pixels. */
#include <stdlib.h>

#include "prepare/stages.h"

/* Middle of block i. */
static double middle(size_t i, size_t n, size_t size)
{
    return ((double)(i * size / n) + (double)((i + 1) * size / n) - 1) / 2;
}

/* out: `size` pairs (node before, fraction of the way to the next node); the fraction is < 0 or > 1 outside the outer
 * nodes. */
static void find_places(size_t n, size_t size, float *out)
{
    size_t i = 0;

    for (size_t x = 0; x < size; x++) {
        double from, to;

        while (i + 2 < n && middle(i + 1, n, size) <= (double)x)
            i++;
        from = middle(i, n, size);
        to = n > 1 ? middle(i + 1, n, size) : from + 1;
        out[2 * x] = (float)i;
        out[2 * x + 1] = n > 1 ? (float)(((double)x - from) / (to - from)) : 0;
    }
}

penta_status prepare_places_create(penta_resources *own, size_t n, size_t size, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    float *places = NULL;

    TRY(penta_calloc(own->ctx, size, 2 * sizeof *places, &places));
    find_places(n, size, places);
    TRY(penta_buffer_upload(own, places, size * 2 * sizeof *places, out));
cleanup:
    free(places);
    return status;
}

penta_grid prepare_grid(const penta_context *ctx, size_t width, size_t height, size_t frames)
{
    return prepare_rows(ctx, penta_is_cpu(ctx) ? penta_grid_2d(height, frames) : penta_grid_3d(width, height, frames));
}

penta_grid prepare_rows(const penta_context *ctx, penta_grid grid)
{
    return penta_is_cpu(ctx) ? penta_grid_groups(grid, 1, 1, 1) : penta_grid_rows(grid);
}
