/* Computes the sums of a slot's frames: the correlation, and the overlap sums that the estimator needs; then C2D and
 * rings. */
#include "autocorr/pipeline_parts.h"

/* ---- overlap sums ---- */

/* The tables of the overlaps, and the scalars if they come from them. */
static penta_status unmasked_sums(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    bool demeaned = p->settings.options.demean == PENTA_AUTOCORR_DEMEAN_MEAN;

    for (int i = 0; i < (p->shape.cross ? 2 : 1); i++)
        TRY(autocorr_overlaps_run(p->overlaps, n, i, pipeline_image(slot, i)));
    if (p->device_moments)
        TRY(autocorr_overlaps_scalars(p->overlaps, n, demeaned || p->shape.cross, demeaned, p->averaged,
                                      &slot->scalars));
cleanup:
    return status;
}

/* Takes one masked sum from p->masked_sums into a row of the bundle, at the mirrored offset if flipped. */
static penta_status take_sum(autocorr_pipeline *p, pipeline_slot *slot, size_t n, penta_type type, int from_y0, int row,
                             bool flipped, int part)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &p->shape;
    penta_kernel *take = row == SUM_N ? &p->take_count : row >= SUM_AA ? &p->take_square : &p->take_sum;
    int R = (int)s->max_offset, y0 = autocorr_y0(s);

    if (!p->on_host)
        return penta_launch(take, penta_grid_rows(penta_grid_3d(autocorr_columns(s), autocorr_rows(s), n)),
                            ARGS(&p->masked_sums, row, R, y0, from_y0, (int)flipped, part, &slot->bundle));
    for (size_t i = 0; i < n; i++) {
        size_t count = (size_t)(R - from_y0 + 1) * autocorr_columns(s);
        size_t bytes = count * (type == PENTA_U8 || type == PENTA_U16 ? sizeof(int64_t) : sizeof(float));

        TRY(penta_buffer_read(&p->masked_sums, i * bytes, p->host_sums, bytes));
        autocorr_host_take(s, type, p->host_sums, from_y0, flipped, part,
                           slot->host_bundle + (i * BUNDLE + (size_t)row) * pipeline_window(p));
    }
cleanup:
    return status;
}

/* The rows of the bundle that a correlation of two planes fills: row, and at the mirrored offset flipped (negative: no
 * such row). */
typedef struct {
    autocorr_correlator *engine;
    penta_type type;
    bool whole_plane;
    int row, flipped, part;
} masked_sum;

static penta_status correlate_masked(autocorr_pipeline *p, pipeline_slot *slot, size_t n, masked_sum m, penta_buffer *a,
                                     penta_buffer *b)
{
    penta_status status = PENTA_OK;
    int from_y0 = m.whole_plane ? -(int)p->shape.max_offset : autocorr_y0(&p->shape);

    TRY(autocorr_correlator_run(m.engine, n, a, b, &p->masked_sums));
    TRY(take_sum(p, slot, n, m.type, from_y0, m.row, false, m.part));
    if (m.flipped >= 0)
        TRY(take_sum(p, slot, n, m.type, from_y0, m.flipped, true, m.part));
cleanup:
    return status;
}

static penta_status make_plane(autocorr_pipeline *p, pipeline_slot *slot, size_t n, penta_kernel *kernel, int image,
                               int power, penta_buffer *out)
{
    size_t count = n * pipeline_pixels(p);

    return penta_launch(kernel, penta_grid_rows(penta_grid_1d(count)),
                        ARGS(pipeline_image(slot, image), &slot->mask, (int64_t)count, power, out));
}

/* Computes Q1, or Q2 of a second image. Squares of 16-bit images have 32 bits, so their high and low halves are
 * correlated separately. */
static penta_status masked_squares(autocorr_pipeline *p, pipeline_slot *slot, size_t n, int image)
{
    penta_status status = PENTA_OK;
    bool halves = p->settings.type == PENTA_U16;
    masked_sum m = {.engine = p->square_engine,
                    .type = p->square_type,
                    .whole_plane = true,
                    .row = image == 0 ? SUM_AA : SUM_BB,
                    .flipped = p->shape.cross ? -1 : SUM_BB,
                    .part = WHOLE};

    for (int half = halves ? HIGH : WHOLE; half <= (halves ? LOW : WHOLE); half++) {
        m.part = half;
        TRY(make_plane(p, slot, n, &p->mask_squares, image, half == HIGH ? HIGH_SQUARES : SQUARES, &p->squares));
        if (image == 0)
            TRY(correlate_masked(p, slot, n, m, &p->squares, &p->ones_wide));
        else
            TRY(correlate_masked(p, slot, n, m, &p->ones_wide, &p->squares));
    }
cleanup:
    return status;
}

/* n = m*m, S1 = (I m)*m, S2 = m*(J m), Q1 = (I^2 m)*m, Q2 = m*(J^2 m). If J = I, the second of each pair equals
 * the first at the mirrored offset. */
static penta_status masked_bundle(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    bool cross = p->shape.cross;
    penta_type type = p->settings.type;
    autocorr_correlator *sums = cross ? p->engine : p->sum_engine;

    TRY(make_plane(p, slot, n, &p->mask_bytes, 0, ONES, &p->bytes));
    TRY(correlate_masked(p, slot, n, (masked_sum){p->count_engine, PENTA_U8, cross, SUM_N, -1, WHOLE}, &p->bytes,
                         &p->bytes));
    if (p->needs_sums) {
        TRY(make_plane(p, slot, n, &p->mask, 0, ONES, &p->ones));
        TRY(correlate_masked(p, slot, n, (masked_sum){sums, type, true, SUM_A, cross ? -1 : SUM_B, WHOLE},
                             &slot->plane[0], &p->ones));
        if (cross)
            TRY(correlate_masked(p, slot, n, (masked_sum){sums, type, true, SUM_B, -1, WHOLE}, &p->ones,
                                 &slot->plane[1]));
    }
    if (p->needs_squares) {
        TRY(make_plane(p, slot, n, &p->mask_squares, 0, ONES, &p->ones_wide));
        for (int i = 0; i < (cross ? 2 : 1); i++)
            TRY(masked_squares(p, slot, n, i));
    }
cleanup:
    return status;
}

/* ---- the run ---- */

penta_status pipeline_correlate(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    penta_buffer *a = p->masked ? &slot->plane[0] : pipeline_image(slot, 0);
    penta_buffer *b = p->masked ? &slot->plane[1] : pipeline_image(slot, 1);

    if (p->masked)
        for (int i = 0; i < (p->shape.cross ? 2 : 1); i++)
            TRY(make_plane(p, slot, n, &p->mask, i, VALUES, &slot->plane[i]));
    TRY(autocorr_correlator_run(p->engine, n, a, b, &slot->sums));
    if (p->masked && p->needs_n)
        TRY(masked_bundle(p, slot, n));
    else if (p->overlaps)
        TRY(unmasked_sums(p, slot, n));
cleanup:
    return status;
}

/* C2D of n frames, from the sums and what the estimator needs beside them. */
static penta_status estimate(autocorr_pipeline *p, pipeline_slot *slot, size_t n, int estimator, penta_buffer *c2d)
{
    const autocorr_shape *s = &p->shape;
    int width = (int)s->width, height = (int)s->height, R = (int)s->max_offset, y0 = autocorr_y0(s);
    int powers = p->needs_squares ? 2 : 1;
    penta_grid grid = penta_grid_rows(penta_grid_3d(autocorr_columns(s), autocorr_rows(s), n));

    if (p->needs_sums && !p->masked)
        return penta_launch(&p->finish_overlaps, grid,
                            ARGS(&slot->sums, autocorr_overlaps_table(p->overlaps, 0),
                                 autocorr_overlaps_table(p->overlaps, s->cross ? 1 : 0), &slot->scalars, powers,
                                 estimator, width, height, R, y0, c2d));
    return penta_launch(&p->finish, grid,
                        ARGS(&slot->sums, p->masked ? &slot->bundle : &slot->scalars, &slot->scalars, pipeline_rows(p),
                             estimator, width, height, R, y0, c2d));
}

penta_status pipeline_finish(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    size_t bins = p->shape.max_offset + 1;
    penta_grid rings = penta_is_cpu(p->ctx) ? penta_grid_groups(penta_grid_2d(bins, n), 1, 1, 1)
                                            : penta_grid_groups(penta_grid_2d(bins * RING_PARTS, n), RING_PARTS, 1, 1);

    TRY(estimate(p, slot, n, p->settings.options.estimator, &slot->c2d));
    if (p->shape.cross)
        TRY(estimate(p, slot, n, PENTA_AUTOCORR_PEARSON, &slot->pearson));
    TRY(penta_launch(&p->rings, rings,
                     ARGS(&slot->c2d, &p->ring_start, &p->ring_at, &p->ring_radius, (int)bins,
                          (int64_t)pipeline_window(p), &slot->rings)));
cleanup:
    return status;
}
