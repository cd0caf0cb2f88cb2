/* From frames to C2D and C1D: upload, correlation sums, overlap sums where the estimator needs them, finish, rings. */
#include "autocorr/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "autocorr/peak.h"
#include "autocorr/rings.h"
#include "autocorr/uncertainty.h"

enum { BUNDLE = 5, SCALARS = 6, RING_FIELDS = 4, RING_PARTS = 64, MOST_FRAMES = 64 };
enum { SUM_N = 0, SUM_A, SUM_B, SUM_AA, SUM_BB }; /* rows of a bundle */

typedef struct {
    penta_buffer image[2];       /* a and b as uploaded */
    penta_buffer mask, plane[2]; /* masked: mask bytes; a*m and b*m */
    penta_buffer sums, bundle, scalars, c2d, rings;
    double *host_scalars; /* batch x SCALARS */
} pipeline_slot;

struct autocorr_pipeline {
    penta_resources resources;
    penta_context *ctx;
    autocorr_settings settings;
    autocorr_shape shape; /* of the main correlation */
    bool masked;
    bool needs_n, needs_sums, needs_squares, needs_moments;
    size_t batch;
    autocorr_correlator *engine, *count_engine, *sum_engine, *square_engine; /* the last three: masked */
    autocorr_uncertainty *uncertainty;                                       /* NULL: not asked for */
    penta_type square_type;
    penta_kernel finish, rings, table_rows, table_columns, box_sums, mask, mask_squares, mask_bytes, take_count,
        take_sum, take_square;
    penta_buffer ring_start, ring_at, ring_radius;
    penta_buffer tables[2]; /* unmasked: summed-area tables of a and b */
    /* masked: m in bytes, in the frames' type and in square_type; v^2 m; one correlation */
    penta_buffer bytes, ones, ones_wide, squares, masked_sums;
    pipeline_slot slots[PIPELINE_SLOTS];
};

/* ---- creation ---- */

static void settle_needs(autocorr_pipeline *p, bool cross)
{
    const penta_autocorr_options *o = &p->settings.options;

    p->needs_squares = o->estimator == PENTA_AUTOCORR_PEARSON;
    p->needs_sums = p->needs_squares || o->demean == PENTA_AUTOCORR_DEMEAN_MEAN;
    p->needs_n = p->needs_sums || p->masked;
    p->needs_moments = p->needs_sums || p->masked || cross;
    p->square_type = p->settings.type == PENTA_U8    ? PENTA_U16
                     : p->settings.type == PENTA_U16 ? PENTA_F64
                                                     : p->settings.type;
}

/* As many frames as fit in a share of the device's memory. On a CPU a frame at a time keeps the caches warm. */
static size_t choose_batch(const autocorr_pipeline *p)
{
    const penta_device *d = penta_context_device(p->ctx);
    size_t bytes = autocorr_correlator_bytes(p->ctx, &p->shape, p->settings.options.method);
    uint64_t share = d->memory / 16 < d->max_allocation / 2 ? d->memory / 16 : d->max_allocation / 2;
    uint64_t fits = share / (bytes ? bytes : 1);

    if (penta_is_cpu(p->ctx) || p->masked || p->needs_n)
        return 1;
    return fits < 1 ? 1 : fits > MOST_FRAMES ? MOST_FRAMES : (size_t)fits;
}

static penta_status create_masked_kernels(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    const char *file = "autocorr/finish.cl", *type = autocorr_type_define(p->settings.type);
    const char *square = p->settings.type == PENTA_U8    ? "-DPENTA_U8 -DPENTA_MASKED_U16"
                         : p->settings.type == PENTA_U16 ? "-DPENTA_U16 -DPENTA_MASKED_F64"
                                                         : type;
    char bytes[64];

    snprintf(bytes, sizeof bytes, "%s -DPENTA_MASKED_U8", type);
    TRY(penta_kernel_get(own, file, "autocorr_mask", type, &p->mask));
    TRY(penta_kernel_get(own, file, "autocorr_mask", square, &p->mask_squares));
    TRY(penta_kernel_get(own, file, "autocorr_mask", bytes, &p->mask_bytes));
    TRY(penta_kernel_get(own, file, "autocorr_take_sum", "-DPENTA_U8", &p->take_count));
    TRY(penta_kernel_get(own, file, "autocorr_take_sum", type, &p->take_sum));
    TRY(penta_kernel_get(own, file, "autocorr_take_sum", autocorr_type_define(p->square_type), &p->take_square));
cleanup:
    return status;
}

static penta_status create_kernels(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    const char *file = "autocorr/finish.cl", *type = autocorr_type_define(p->settings.type);

    TRY(penta_kernels_get(&p->resources, file, type,
                          KERNELS({&p->finish, "autocorr_finish"}, {&p->rings, "autocorr_rings"})));
    if (p->needs_sums && !p->masked)
        TRY(penta_kernels_get(&p->resources, file, type,
                              KERNELS({&p->table_rows, "autocorr_table_rows"},
                                      {&p->table_columns, "autocorr_table_columns"},
                                      {&p->box_sums, "autocorr_box_sums"})));
    if (p->masked)
        TRY(create_masked_kernels(p));
cleanup:
    return status;
}

/* One engine for a shape. */
static penta_status create_engine(autocorr_pipeline *p, const autocorr_shape *shape, autocorr_correlator **out)
{
    penta_status status = PENTA_OK;
    const penta_autocorr_options *o = &p->settings.options;

    TRY(autocorr_correlator_create(p->ctx, shape, o->method, o->fft, p->batch, out));
    TRY(penta_own(&p->resources, out, autocorr_correlator_destroy));
cleanup:
    return status;
}

static penta_status create_engines(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    autocorr_shape two = p->shape, square, count = p->shape;

    TRY(create_engine(p, &p->shape, &p->engine));
    count.type = PENTA_U8; /* pairs are counted exactly for any type of pixel */
    count.single = false;
    if (p->masked)
        TRY(create_engine(p, &count, &p->count_engine));
    two.cross = true;
    square = two;
    square.type = p->square_type;
    if (p->masked && p->needs_sums && !p->shape.cross)
        TRY(create_engine(p, &two, &p->sum_engine));
    if (p->masked && p->needs_squares)
        TRY(create_engine(p, &square, &p->square_engine));
cleanup:
    return status;
}

static penta_status create_rings(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    autocorr_ring_list list = {0};

    TRY(autocorr_rings_list(p->ctx, &p->shape, &list));
    TRY(penta_buffer_upload(&p->resources, list.radius, list.count * sizeof *list.radius, &p->ring_radius));
    TRY(penta_buffer_upload(&p->resources, list.start, (list.bins + 1) * sizeof *list.start, &p->ring_start));
    TRY(penta_buffer_upload(&p->resources, list.at, list.count * sizeof *list.at, &p->ring_at));
cleanup:
    autocorr_rings_free(&list);
    return status;
}

static size_t frame_pixels(const autocorr_pipeline *p)
{
    return p->settings.width * p->settings.height;
}

static size_t window(const autocorr_pipeline *p)
{
    return autocorr_rows(&p->shape) * autocorr_columns(&p->shape);
}

static penta_status create_shared_buffers(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    size_t pixels = p->batch * frame_pixels(p), images = p->shape.cross ? 2 : 1, table;

    if (p->needs_sums && !p->masked) {
        TRY(penta_size(p->ctx, p->batch * 2 * sizeof(double), p->settings.width + 1, p->settings.height + 1, &table));
        for (size_t i = 0; i < images; i++)
            TRY(penta_buffer_create(own, table, &p->tables[i]));
    }
    if (p->masked && p->needs_n) {
        TRY(penta_buffer_create(own, pixels, &p->bytes));
        TRY(penta_buffer_create(own, pixels * penta_type_size(p->settings.type), &p->ones));
        TRY(penta_buffer_create(own,
                                p->batch * autocorr_columns(&p->shape) * autocorr_columns(&p->shape) * sizeof(int64_t),
                                &p->masked_sums));
    }
    if (p->masked && p->needs_squares) {
        TRY(penta_buffer_create(own, pixels * penta_type_size(p->square_type), &p->ones_wide));
        TRY(penta_buffer_create(own, pixels * penta_type_size(p->square_type), &p->squares));
    }
cleanup:
    return status;
}

static penta_status create_slot(autocorr_pipeline *p, pipeline_slot *slot)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &p->resources;
    size_t count = p->batch * window(p), bytes;

    TRY(penta_size(p->ctx, p->batch * penta_type_size(p->settings.type), p->settings.width, p->settings.height,
                   &bytes));
    for (int i = 0; i < (p->shape.cross ? 2 : 1); i++) {
        TRY(penta_buffer_create(own, bytes, &slot->image[i]));
        if (p->masked)
            TRY(penta_buffer_create(own, bytes, &slot->plane[i]));
    }
    if (p->masked)
        TRY(penta_buffer_create(own, p->batch * frame_pixels(p), &slot->mask));
    if (p->needs_n)
        TRY(penta_buffer_create(own, count * BUNDLE * sizeof(double), &slot->bundle));
    TRY(penta_buffer_create(own, count * sizeof(int64_t), &slot->sums));
    TRY(penta_buffer_create(own, count * sizeof(double), &slot->c2d));
    TRY(penta_buffer_create(own, p->batch * (p->shape.max_offset + 1) * RING_FIELDS * sizeof(double), &slot->rings));
    TRY(penta_buffer_create(own, p->batch * SCALARS * sizeof(double), &slot->scalars));
    TRY(penta_calloc(own, p->batch * SCALARS, sizeof(double), &slot->host_scalars));
cleanup:
    return status;
}

static penta_status create_all(autocorr_pipeline *p)
{
    penta_status status = PENTA_OK;

    TRY(create_engines(p));
    TRY(create_kernels(p));
    TRY(create_rings(p));
    if (p->settings.options.bootstrap > 0) {
        TRY(autocorr_uncertainty_create(p->ctx, &p->settings, p->shape.cross, p->masked, p->batch, &p->uncertainty));
        TRY(penta_own(&p->resources, &p->uncertainty, autocorr_uncertainty_destroy));
    }
    TRY(create_shared_buffers(p));
    for (int i = 0; i < PIPELINE_SLOTS; i++)
        TRY(create_slot(p, &p->slots[i]));
cleanup:
    return status;
}

void autocorr_pipeline_destroy(autocorr_pipeline *p)
{
    penta_plan_free(p);
}

penta_status autocorr_pipeline_create(penta_context *ctx, const autocorr_settings *settings, bool cross, bool masked,
                                      autocorr_pipeline **out)
{
    penta_status status = PENTA_OK;
    autocorr_pipeline *p = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &p));
    p->ctx = ctx;
    p->settings = *settings;
    p->masked = masked;
    p->shape = (autocorr_shape){.width = settings->width,
                                .height = settings->height,
                                .max_offset = settings->max_offset,
                                .type = settings->type,
                                .cross = cross,
                                .single = settings->single};
    settle_needs(p, cross);
    p->batch = choose_batch(p);
    /* Out of device memory means smaller batches, not failure. */
    while ((status = create_all(p)) == PENTA_MEMORY && p->batch > 1) {
        penta_resources_release(&p->resources);
        p->batch /= 2;
    }
    TRY(status);
    *out = p;
    p = NULL;
cleanup:
    autocorr_pipeline_destroy(p);
    return status;
}

size_t autocorr_pipeline_batch(const autocorr_pipeline *p)
{
    return p->batch;
}

/* ---- upload ---- */

/* What the finish kernel needs besides sums: norm (NaN: N(0,0) is it), n(0,0), the means, the least variances. */
static void set_scalars(const autocorr_pipeline *p, const autocorr_moments m[2], double *out)
{
    double mean_a = m[0].sum / m[0].pixels, mean_b = m[1].sum / m[1].pixels;
    bool demean = p->settings.options.demean == PENTA_AUTOCORR_DEMEAN_MEAN;
    double rounding = p->masked && p->shape.single ? 1e-6 : 1e-14; /* of sums that an FFT made */
    double norm_a = m[0].square - (demean ? m[0].sum * mean_a : 0);
    double norm_b = m[1].square - (demean ? m[1].sum * mean_b : 0);

    out[0] = demean || p->shape.cross ? sqrt(norm_a * norm_b) : NAN;
    out[1] = m[0].pixels;
    out[2] = p->needs_sums ? mean_a : 0;
    out[3] = p->needs_sums ? mean_b : 0;
    out[4] = rounding * m[0].square;
    out[5] = rounding * m[1].square;
}

static penta_status upload_image(autocorr_pipeline *p, penta_buffer *buffer, size_t index, const void *image,
                                 const uint8_t *mask, autocorr_moments *moments)
{
    penta_status status = PENTA_OK;
    size_t bytes = frame_pixels(p) * penta_type_size(p->settings.type);
    const void *data;
    void *scratch = NULL;

    TRY(autocorr_frame_prepare(p->ctx, &p->settings, image, mask, &data, &scratch, p->needs_moments ? moments : NULL));
    if (scratch) /* freed below, so the copy must be over */
        TRY(penta_buffer_write(buffer, index * bytes, data, bytes));
    else
        TRY(penta_buffer_write_async(buffer, index * bytes, data, bytes));
cleanup:
    free(scratch);
    return status;
}

static penta_status upload_frame(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const penta_autocorr_frame *frame,
                                 size_t nan_pixels)
{
    penta_status status = PENTA_OK;
    double pixels = (double)frame_pixels(p);
    autocorr_moments m[2] = {{pixels, 0, 0}, {pixels, 0, 0}};
    const uint8_t *mask = frame->mask;
    uint8_t *numbers = NULL; /* the mask of a frame with NaN; its upload is over when the call returns */

    if (nan_pixels > 0) {
        TRY(autocorr_frame_mask(p->ctx, &p->settings, frame, &numbers));
        mask = numbers;
    }
    TRY(upload_image(p, &slot->image[0], i, frame->image, mask, &m[0]));
    m[1] = m[0];
    if (p->shape.cross)
        TRY(upload_image(p, &slot->image[1], i, frame->with, mask, &m[1]));
    if (p->masked)
        TRY(penta_buffer_write(&slot->mask, i * frame_pixels(p), mask, frame_pixels(p)));
    set_scalars(p, m, slot->host_scalars + SCALARS * i);
cleanup:
    free(numbers);
    return status;
}

/* ---- overlap sums ---- */

static penta_status unmasked_sums(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &p->shape;
    int width = (int)s->width, height = (int)s->height;
    penta_buffer *second = s->cross ? &p->tables[1] : &p->tables[0];

    for (int i = 0; i < (s->cross ? 2 : 1); i++) {
        TRY(penta_launch(&p->table_rows, penta_grid_2d(s->height, n),
                         ARGS(&slot->image[i], width, height, &p->tables[i])));
        TRY(penta_launch(&p->table_columns, penta_grid_3d(s->width + 1, 2, n), ARGS(width, height, &p->tables[i])));
    }
    TRY(penta_launch(&p->box_sums, penta_grid_rows(penta_grid_3d(autocorr_columns(s), autocorr_rows(s), n)),
                     ARGS(&p->tables[0], second, width, height, (int)s->max_offset, autocorr_y0(s), &slot->bundle)));
cleanup:
    return status;
}

/* One masked sum: the correlation of two planes by an engine, taken into rows `which` (and `flipped`, if not negative,
 * at the mirrored offset) of the bundle. */
static penta_status masked_sum(autocorr_pipeline *p, pipeline_slot *slot, size_t n, autocorr_correlator *engine,
                               penta_kernel *take, penta_buffer *a, penta_buffer *b, bool whole_plane, int which,
                               int flipped)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &p->shape;
    penta_grid grid = penta_grid_rows(penta_grid_3d(autocorr_columns(s), autocorr_rows(s), n));
    int R = (int)s->max_offset, y0 = autocorr_y0(s), from_y0 = whole_plane ? -R : y0;

    TRY(autocorr_correlator_run(engine, n, a, b, &p->masked_sums));
    TRY(penta_launch(take, grid, ARGS(&p->masked_sums, which, R, y0, from_y0, 0, &slot->bundle)));
    if (flipped >= 0)
        TRY(penta_launch(take, grid, ARGS(&p->masked_sums, flipped, R, y0, from_y0, 1, &slot->bundle)));
cleanup:
    return status;
}

static penta_status make_plane(autocorr_pipeline *p, pipeline_slot *slot, size_t n, penta_kernel *kernel, int image,
                               int power, penta_buffer *out)
{
    size_t count = n * frame_pixels(p);

    return penta_launch(kernel, penta_grid_rows(penta_grid_1d(count)),
                        ARGS(&slot->image[image], &slot->mask, (int64_t)count, power, out));
}

/* n = m*m, S1 = (I m)*m, S2 = m*(J m), Q1 = (I^2 m)*m, Q2 = m*(J^2 m). With J = I the second of each pair is the first
 * at the mirrored offset. */
static penta_status masked_bundle(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    bool cross = p->shape.cross;
    autocorr_correlator *sums = cross ? p->engine : p->sum_engine;

    TRY(make_plane(p, slot, n, &p->mask_bytes, 0, 0, &p->bytes));
    TRY(masked_sum(p, slot, n, p->count_engine, &p->take_count, &p->bytes, &p->bytes, cross, SUM_N, -1));
    if (p->needs_sums) {
        TRY(make_plane(p, slot, n, &p->mask, 0, 0, &p->ones));
        TRY(masked_sum(p, slot, n, sums, &p->take_sum, &slot->plane[0], &p->ones, true, SUM_A, cross ? -1 : SUM_B));
        if (cross)
            TRY(masked_sum(p, slot, n, sums, &p->take_sum, &p->ones, &slot->plane[1], true, SUM_B, -1));
    }
    if (p->needs_squares) {
        TRY(make_plane(p, slot, n, &p->mask_squares, 0, 0, &p->ones_wide));
        TRY(make_plane(p, slot, n, &p->mask_squares, 0, 2, &p->squares));
        TRY(masked_sum(p, slot, n, p->square_engine, &p->take_square, &p->squares, &p->ones_wide, true, SUM_AA,
                       cross ? -1 : SUM_BB));
        if (cross) {
            TRY(make_plane(p, slot, n, &p->mask_squares, 1, 2, &p->squares));
            TRY(masked_sum(p, slot, n, p->square_engine, &p->take_square, &p->ones_wide, &p->squares, true, SUM_BB,
                           -1));
        }
    }
cleanup:
    return status;
}

/* ---- the run ---- */

static penta_status correlate(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    penta_buffer *planes = p->masked ? slot->plane : slot->image;

    if (p->masked)
        for (int i = 0; i < (p->shape.cross ? 2 : 1); i++)
            TRY(make_plane(p, slot, n, &p->mask, i, 1, &slot->plane[i]));
    TRY(autocorr_correlator_run(p->engine, n, &planes[0], &planes[1], &slot->sums));
    if (p->masked && p->needs_n)
        TRY(masked_bundle(p, slot, n));
    else if (p->needs_sums)
        TRY(unmasked_sums(p, slot, n));
cleanup:
    return status;
}

static penta_status finish(autocorr_pipeline *p, pipeline_slot *slot, size_t n)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &p->shape;
    int R = (int)s->max_offset, y0 = autocorr_y0(s), bins = R + 1;
    penta_buffer *bundle = p->needs_n ? &slot->bundle : &slot->scalars;
    int rows_made = p->needs_squares ? 5 : p->needs_sums ? 3 : p->needs_n ? 1 : 0;
    penta_grid rings = penta_is_cpu(p->ctx)
                           ? penta_grid_groups(penta_grid_2d((size_t)bins, n), 1, 1, 1)
                           : penta_grid_groups(penta_grid_2d((size_t)bins * RING_PARTS, n), RING_PARTS, 1, 1);

    TRY(penta_launch(&p->finish, penta_grid_rows(penta_grid_3d(autocorr_columns(s), autocorr_rows(s), n)),
                     ARGS(&slot->sums, bundle, &slot->scalars, rows_made, p->settings.options.estimator, (int)s->width,
                          (int)s->height, R, y0, &slot->c2d)));
    TRY(penta_launch(
        &p->rings, rings,
        ARGS(&slot->c2d, &p->ring_start, &p->ring_at, &p->ring_radius, bins, (int64_t)window(p), &slot->rings)));
cleanup:
    return status;
}

penta_status autocorr_pipeline_start(autocorr_pipeline *p, size_t index, size_t n, const penta_autocorr_frame *frames,
                                     const size_t *nan_pixels)
{
    penta_status status = PENTA_OK;
    pipeline_slot *slot = &p->slots[index];

    for (size_t i = 0; i < n; i++)
        TRY(upload_frame(p, slot, i, &frames[i], nan_pixels[i]));
    TRY(penta_buffer_write(&slot->scalars, 0, slot->host_scalars, n * SCALARS * sizeof(double)));
    TRY(correlate(p, slot, n));
    TRY(finish(p, slot, n));
cleanup:
    return status;
}

/* ---- results ---- */

/* A half-plane array (rows Y = 0..R) spread over the whole plane; the part Y < 0 is the mirror image. In place: the
 * rows read lie in the lower half already. */
static void mirror(void *data, size_t max_offset)
{
    size_t columns = 2 * max_offset + 1, count = columns * columns;
    uint64_t *cell = data; /* int64 or double: moved, not looked at */

    for (size_t i = 0; i < count / 2; i++)
        cell[i] = cell[count - 1 - i];
}

static penta_status read_plane(autocorr_pipeline *p, penta_buffer *from, size_t frame, void *out)
{
    penta_status status = PENTA_OK;
    size_t columns = autocorr_columns(&p->shape), bytes = window(p) * sizeof(uint64_t);
    size_t skip = p->shape.cross ? 0 : p->shape.max_offset * columns;

    TRY(penta_buffer_read(from, frame * bytes, (uint64_t *)out + skip, bytes));
    if (!p->shape.cross)
        mirror(out, p->shape.max_offset);
cleanup:
    return status;
}

static void fill_bins(const autocorr_pipeline *p, const double *rings, penta_autocorr_bin *bins)
{
    for (size_t r = 0; r <= p->shape.max_offset; r++) {
        const double *f = rings + RING_FIELDS * r;
        int64_t listed = (int64_t)f[0];

        bins[r] = (penta_autocorr_bin){
            .count = p->shape.cross || r == 0 ? listed : 2 * listed, .mean_r = f[1], .c = f[2], .sd = f[3]};
    }
}

static penta_status collect_frame(autocorr_pipeline *p, pipeline_slot *slot, size_t i, const double *rings,
                                  penta_autocorr_bin *scratch, penta_autocorr_result *result)
{
    penta_status status = PENTA_OK;
    size_t bins = p->shape.max_offset + 1;
    penta_autocorr_bin *c1d = result->c1d ? result->c1d : scratch;

    fill_bins(p, rings + i * bins * RING_FIELDS, c1d);
    result->peak = penta_peak_find(c1d, bins, p->settings.options.prominence);
    if (p->uncertainty)
        TRY(autocorr_uncertainty_add(p->uncertainty, i, &slot->image[0], &slot->image[p->shape.cross],
                                     p->masked ? &slot->mask : NULL, slot->host_scalars[SCALARS * i + 2],
                                     slot->host_scalars[SCALARS * i + 3], &result->peak));
    result->method = autocorr_correlator_method(p->engine);
    result->fft = autocorr_correlator_fft(p->engine);
    if (result->numerators)
        TRY(read_plane(p, &slot->sums, i, result->numerators));
    if (result->c2d)
        TRY(read_plane(p, &slot->c2d, i, result->c2d));
cleanup:
    return status;
}

penta_status autocorr_pipeline_collect(autocorr_pipeline *p, size_t index, size_t n, penta_autocorr_result *results)
{
    penta_status status = PENTA_OK;
    pipeline_slot *slot = &p->slots[index];
    size_t bins = p->shape.max_offset + 1, values = n * bins * RING_FIELDS;
    double *rings = NULL;
    penta_autocorr_bin *scratch = NULL;

    TRY(penta_calloc(p->ctx, values, sizeof *rings, &rings));
    TRY(penta_calloc(p->ctx, bins, sizeof *scratch, &scratch));
    TRY(penta_buffer_read(&slot->rings, 0, rings, values * sizeof *rings));
    for (size_t i = 0; i < n; i++)
        TRY(collect_frame(p, slot, i, rings, scratch, &results[i]));
    if (p->uncertainty)
        TRY(autocorr_uncertainty_finish(p->uncertainty));
    for (size_t i = 0; i < n; i++)
        autocorr_peak_judge(&p->settings.options, p->shape.max_offset, &results[i].peak);
cleanup:
    if (status != PENTA_OK && p->uncertainty)
        autocorr_uncertainty_drop(p->uncertainty);
    free(rings);
    free(scratch);
    return status;
}

penta_status autocorr_pipeline_verify(autocorr_pipeline *p)
{
    autocorr_correlator *engines[] = {p->engine, p->count_engine, p->sum_engine, p->square_engine};
    penta_status status = PENTA_OK;

    for (int i = 0; i < 4; i++)
        if (engines[i])
            TRY(autocorr_correlator_verify(engines[i]));
cleanup:
    return status;
}
