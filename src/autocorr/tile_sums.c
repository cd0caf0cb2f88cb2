#include "autocorr/tile_sums.h"

#include <stdlib.h>

void autocorr_tile_sums_free(ring_sums *r)
{
    free(r->sum);
    free(r->weight);
    free(r->divisor);
    free(r->mean_r);
    free(r->count);
}

penta_status autocorr_tile_sums_create(const tile_layout *t, ring_sums *r)
{
    penta_status status = PENTA_OK;
    size_t tiles = tile_count(t);

    r->bins = (size_t)t->max_offset + 1;
    TRY(penta_calloc(NULL, tiles * r->bins, sizeof *r->sum, &r->sum));
    TRY(penta_calloc(NULL, tiles * r->bins, sizeof *r->weight, &r->weight));
    TRY(penta_calloc(NULL, r->bins, sizeof *r->divisor, &r->divisor));
    TRY(penta_calloc(NULL, r->bins, sizeof *r->mean_r, &r->mean_r));
    TRY(penta_calloc(NULL, r->bins, sizeof *r->count, &r->count));
cleanup:
    return status;
}

/* For each of `parts` parts of a side: its pixels with a partner `offset` away in the image, offset = -most..most. */
static void count_partners(int side, int parts, int most, double counts[TILES_WANTED][2 * MOST_OFFSET + 1])
{
    for (int p = 0; p < parts; p++)
        for (int offset = -most; offset <= most; offset++) {
            int from = p * side / parts, to = (p + 1) * side / parts;

            from = from + offset < 0 ? -offset : from;
            to = to < side - offset ? to : side - offset;
            counts[p][offset + most] = to > from ? to - from : 0;
        }
}

/* Of one offset to all tiles. */
static void add_floats(size_t tiles, size_t apart, const float *values, double *sums)
{
    for (size_t i = 0; i < tiles; i++)
        sums[i] += (double)values[i * apart];
}

/* The pixel pairs of all tiles at the offset that is number `column` in a row and number `row` from -max_offset on. */
static void add_pairs(const tile_layout *t, double across[][2 * MOST_OFFSET + 1], double down[][2 * MOST_OFFSET + 1],
                      int column, int row, double *sums)
{
    for (int l = 0; l < t->tiles_y; l++)
        for (int c = 0; c < t->tiles_x; c++)
            *sums++ += across[c][column] * down[l][row];
}

/* Each sum runs over the offsets of a ring in their order. */
void autocorr_tile_sums_add(const tile_layout *t, const autocorr_ring_list *rings, const float *products,
                            const float *weights, ring_sums *r)
{
    double across[TILES_WANTED][2 * MOST_OFFSET + 1], down[TILES_WANTED][2 * MOST_OFFSET + 1];
    size_t tiles = tile_count(t), apart = (size_t)t->rows * (size_t)t->stride;
    int columns = 2 * t->max_offset + 1;

    count_partners(t->columns, t->tiles_x, t->max_offset, across);
    count_partners(t->lines, t->tiles_y, t->max_offset, down);
    for (size_t b = 0; b < r->bins; b++) {
        double sum[TILES_WANTED] = {0}, weight[TILES_WANTED] = {0};

        for (int32_t i = rings->start[b]; i < rings->start[b + 1]; i++) {
            int row = rings->at[i] / columns, column = rings->at[i] % columns;
            size_t at = (size_t)row * (size_t)t->stride + (size_t)column;

            add_floats(tiles, apart, products + at, sum);
            if (weights)
                add_floats(tiles, apart, weights + at, weight);
            else
                add_pairs(t, across, down, column, row + t->y0 + t->max_offset, weight);
            r->mean_r[b] += rings->radius[i];
        }
        for (size_t i = 0; i < tiles; i++) {
            r->sum[i * r->bins + b] = sum[i];
            r->weight[i * r->bins + b] = weight[i];
        }
        r->count[b] = rings->start[b + 1] - rings->start[b];
        r->mean_r[b] /= r->count[b] ? (double)r->count[b] : 1;
    }
}
