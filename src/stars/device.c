/*
 * Drawing on the device. A frame that does not fit into one buffer is drawn in slabs of rows; of a long list each slab
 * gets batches of stars, whose uploads overlap the drawing of the batch before (two sets of input buffers, two queues).
 */
#include "math/sizes.h"
#include "stars/device.h"
#include "stars/bound.h"
#include "stars/pack_host.h"
#include "stars/tiles_cpu.h"

#include <stdio.h>

enum {
    PACK_GROUP = 64,      /* work-items of a group of stars_pack on a GPU: cl/stars/pack.cl */
    PACK_EACH_CPU = 4096, /* stars of a work-item on a CPU device */
    LEAST_BATCH = 1 << 12,
    MOST_BATCH = 1 << 26,
    LEAST_ROWS = 64 /* of a slab, where memory is short */
};

#define MOST_SLAB ((uint64_t)8 << 30) /* bytes of its sums */

/* One batch's stars as the caller has them. */
enum { X, Y, LEVEL, MOTION_X, MOTION_Y, COLUMNS };

typedef struct {
    penta_buffer own[COLUMNS];
    penta_buffer lent[COLUMNS]; /* the caller's, where they can be used as they lie; else empty */
    penta_buffer sums;          /* what stars_pack reports: 3 doubles a work-group */
    double *reported;           /* that, in pinned memory of the host */
    penta_stars_list stars;     /* the batch */
} input_set;

struct stars_device {
    penta_resources resources; /* what does not depend on the sizes of slabs and batches */
    penta_resources sized;     /* what does */
    penta_context *ctx;
    stars_psf psf; /* as these stars have it: that of a moving star is not separable; the plan owns the samples */
    penta_stars_options options;
    stars_shape shape;
    size_t height, most_batch, most_rows;
    bool told;                         /* the batch */
    stars_limits limits;               /* before memory ran short */
    const stars_engine *engine, *form; /* form: the engine, or its form for short lists */
    void *state;
    penta_kernel pack;
    penta_buffer numbers, samples, image, packed, cells;
    penta_buffer lent_image; /* of the slab that is drawn, where the caller's can be used as it lies */
    input_set input[2];
    stars_packing packing; /* without double precision the host packs */
    stars_host_batch packed_by_host[2];
};

/* ---- buffers ---- */

static penta_status create_psf_buffers(stars_device *d)
{
    penta_status status = PENTA_OK;
    double numbers[STARS_PSF_NUMBERS];
    size_t samples = d->psf.samples_x * d->psf.samples_y;

    stars_psf_numbers(&d->psf, numbers);
    TRY(stars_upload_wide(&d->resources, numbers, STARS_PSF_NUMBERS, &d->numbers));
    TRY(stars_upload_wide(&d->resources, d->psf.samples, samples, &d->samples));
cleanup:
    return status;
}

static size_t pixel_bytes(const stars_device *d)
{
    return d->shape.dbl ? sizeof(double) : sizeof(float);
}

/* Work-groups of stars_pack for n stars. */
static size_t pack_groups(const stars_device *d, size_t n)
{
    size_t a_group = penta_is_cpu(d->ctx) ? PACK_EACH_CPU : PACK_GROUP;

    return (n + a_group - 1) / a_group;
}

static bool host_packs(const stars_device *d)
{
    return !penta_context_device(d->ctx)->fp64;
}

/* The caller's stars on the device, and packed there. */
static penta_status create_input(stars_device *d)
{
    penta_status status = PENTA_OK;
    size_t batch = d->shape.batch, moving = d->shape.moving ? batch : 0;
    size_t packed = d->shape.dbl ? sizeof(stars_packed_double) : sizeof(stars_packed);

    for (int i = 0; i < 2; i++) {
        input_set *in = &d->input[i];

        for (int c = 0; c < COLUMNS; c++) {
            TRY(penta_own_struct(&d->sized, &in->lent[c], penta_buffer_release));
            TRY(penta_buffer_create(&d->sized, (c < MOTION_X ? batch : moving) * sizeof(double), &in->own[c]));
            if (d->shape.whole) /* no batch is drawn meanwhile */
                penta_buffer_put_in_line(&in->own[c]);
        }
        TRY(penta_buffer_create(&d->sized, 3 * pack_groups(d, batch) * sizeof(double), &in->sums));
        penta_buffer_put_in_line(&in->sums);
        TRY(penta_resources_pinned(&d->sized, in->sums.bytes, &in->reported));
    }
    TRY(penta_buffer_create(&d->sized, batch * packed, &d->packed));
    TRY(penta_buffer_create(&d->sized, batch * sizeof(uint32_t), &d->cells));
cleanup:
    return status;
}

/* Whether the engine has a form for short lists that these are for. */
static bool suits_few(const stars_device *d)
{
    const stars_engine *few = d->engine->few;

    if (!few || !d->shape.whole || d->shape.batch > STARS_FEW || d->limits.no_few)
        return false;
    return (!few->packs || !host_packs(d)) && (!few->suits || few->suits(&d->shape));
}

/* What a run needs of the device for slabs and batches as they are. */
static penta_status create_buffers(stars_device *d)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_create(&d->sized, d->shape.rows * d->shape.width * pixel_bytes(d), &d->image));
    penta_buffer_put_in_line(&d->image);
    for (int i = 0; host_packs(d) && i < 2; i++)
        TRY(stars_host_batch_create(&d->sized, d->shape.batch, d->shape.moving, &d->packed_by_host[i]));
    if (!host_packs(d))
        TRY(create_input(d));
    d->form = suits_few(d) ? d->engine->few : d->engine;
    TRY(d->form->create(&d->sized, &d->shape, &d->state));
cleanup:
    return status;
}

/* Once, for the first list of n stars. */
static void tell_batch(stars_device *d, size_t n)
{
    const char *of = d->shape.moving ? "moving stars" : "stars";
    char text[64];

    if (d->told)
        return;
    d->told = true;
    snprintf(text, sizeof text, "of up to %zu %s", d->shape.batch, of);
    if (d->shape.batch >= n)
        penta_chose(d->ctx, "batch", text, "room for the list of %zu, in powers of two from %d on", n, LEAST_BATCH);
    else
        penta_chose(d->ctx, "batch", text, "of the list of %zu, no more %s", n,
                    d->shape.batch < d->limits.batch ? "fit in the device's memory" : "are drawn at a time");
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Buffers for batches of a list of n stars, and slabs of so many rows, or of as many as possible. */
static penta_status fit(stars_device *d, size_t n, size_t rows)
{
    penta_status status = PENTA_OK;
    size_t batch = LEAST_BATCH;

    rows = least(rows, d->most_rows);
    while (batch < n && batch < d->most_batch)
        batch *= 2;
    batch = least(batch, d->most_batch);
    if (d->state && d->shape.batch >= batch && d->shape.rows >= rows && (!d->shape.whole || n <= d->shape.batch))
        return PENTA_OK;
    penta_settle(d->ctx);
    penta_resources_release(&d->sized);
    d->shape.batch = batch;
    d->shape.rows = rows > d->shape.rows ? rows : d->shape.rows;
    d->shape.whole = n <= batch;
    status = create_buffers(d);
    if (status != PENTA_OK)
        penta_resources_release(&d->sized);
    else
        tell_batch(d, n);
    return status;
}

/*
 * After the device ran out of memory, maybe only when it came to use what it had given: smaller batches, then smaller
 * slabs, which later runs keep to. False when they are as small as makes sense: a later run then tries everything
 * again.
 */
static bool ask_for_less(stars_device *d)
{
    penta_resources_release(&d->sized);
    if (d->shape.batch > LEAST_BATCH) {
        d->most_batch = d->shape.batch / 2;
    } else if (d->shape.rows > LEAST_ROWS) {
        d->most_rows = d->shape.rows /= 2;
    } else {
        d->most_batch = d->limits.batch;
        d->most_rows = d->limits.rows;
        d->shape.rows = 0;
        return false;
    }
    return true;
}

/* Rows of a slab: sums of double, or of fixed point, take at most half of the largest allocation, a quarter of the
 * memory (the image and the stars need their place), and 8 GiB: beyond, drivers have been seen to miscount. */
static size_t slab_rows(const stars_device *d, size_t height)
{
    const penta_device *info = penta_context_device(d->ctx);
    uint64_t most = info->max_allocation / 2 < info->memory / 4 ? info->max_allocation / 2 : info->memory / 4;
    uint64_t rows = (most < MOST_SLAB ? most : MOST_SLAB) / (d->shape.width * sizeof(double));

    rows = rows < 1 ? 1 : rows;
    return rows < height ? (size_t)rows : height;
}

/* A CPU's form for short lists is in the same program. */
static void pack_defines(const stars_device *d, char *text, size_t size)
{
    const stars_shape *s = &d->shape;

    if (d->engine->few && penta_is_cpu(d->ctx))
        stars_rows_defines(s, false, text, size);
    else
        stars_psf_defines(s->psf, s->moving, s->dbl, text, size);
}

penta_status stars_device_create(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o, size_t width,
                                 size_t height, enum penta_stars_engine kind, bool moving, bool dbl,
                                 stars_limits limits, stars_device **out)
{
    penta_status status = PENTA_OK;
    stars_device *d = NULL;
    char defines[192];

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &d));
    d->ctx = d->sized.ctx = ctx;
    TRY(penta_own_struct(&d->resources, &d->sized, penta_resources_release));
    TRY(penta_own_struct(&d->resources, &d->lent_image, penta_buffer_release));
    d->psf = *psf;
    d->psf.separable = psf->separable && !moving;
    d->options = *o;
    d->height = height;
    d->engine = stars_engine_form(ctx, kind);
    d->shape = (stars_shape){
        .width = width, .dbl = dbl, .moving = moving, .psf = &d->psf, .numbers = &d->numbers, .samples = &d->samples};
    d->limits.rows = d->most_rows = limits.rows ? limits.rows : slab_rows(d, height);
    d->limits.batch = d->most_batch = limits.batch ? limits.batch : MOST_BATCH;
    d->limits.no_few = limits.no_few;
    pack_defines(d, defines, sizeof defines);
    d->packing = stars_packing_of(psf, &d->options, moving);
    if (host_packs(d)) /* the engine gets its kernels with the first list */
        TRY(penta_trust_file(ctx, "stars/pack.cl"));
    else
        TRY(penta_kernel_get(&d->resources, "stars/pack.cl", "stars_pack", defines, &d->pack));
    TRY(create_psf_buffers(d));
    *out = d;
    d = NULL;
cleanup:
    stars_device_destroy(d);
    return status;
}

void stars_device_destroy(stars_device *d)
{
    penta_plan_free(d);
}

/* ---- a run ---- */

static penta_buffer *column(input_set *in, int c)
{
    return in->lent[c].mem ? &in->lent[c] : &in->own[c];
}

/* Motions first: once a batch is packed, all of it has arrived. */
static const int in_turn[COLUMNS] = {MOTION_X, MOTION_Y, X, Y, LEVEL};

static penta_status upload(stars_device *d, input_set *in)
{
    penta_status status = PENTA_OK;
    const penta_stars_list *stars = &in->stars;
    const double *from[COLUMNS] = {stars->x, stars->y, stars->flux ? stars->flux : stars->magnitude, stars->motion_x,
                                   stars->motion_y};
    size_t bytes = stars->n * sizeof(double);

    for (int i = stars->motion_x ? 0 : 2; i < COLUMNS; i++) {
        int c = in_turn[i];

        TRY(penta_buffer_give_back(&in->lent[c]));
        TRY(penta_buffer_lend(d->ctx, PENTA_READ, from[c], bytes, sizeof(double), &in->lent[c]));
        if (!in->lent[c].mem)
            TRY(penta_buffer_write_async(&in->own[c], 0, from[c], bytes));
    }
cleanup:
    return status;
}

static penta_status give_back(input_set *in)
{
    penta_status status = PENTA_OK;

    for (int c = 0; c < COLUMNS; c++)
        TRY(penta_buffer_give_back(&in->lent[c]));
cleanup:
    return status;
}

/* The caller's arrays are the caller's again. */
static penta_status return_arrays(stars_device *d)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < 2; i++)
        TRY(give_back(&d->input[i]));
    TRY(penta_buffer_give_back(&d->lent_image));
cleanup:
    return status;
}

/* After a failure, whose text stays. */
static void abandon_arrays(stars_device *d)
{
    penta_settle(d->ctx); /* the caller's arrays may still be uploading, or in use */
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < COLUMNS; c++)
            penta_buffer_release(&d->input[i].lent[c]);
    penta_buffer_release(&d->lent_image);
}

static penta_status pack(stars_device *d, input_set *in, bool magnitudes, size_t n, size_t first_row, size_t rows,
                         const stars_slots *slots)
{
    bool cpu = penta_is_cpu(d->ctx);
    size_t group = cpu ? 1 : PACK_GROUP;
    penta_grid grid = penta_grid_groups(penta_grid_1d(pack_groups(d, n) * group), group, 1, 1);
    double norm = stars_psf_norm(&d->psf, d->shape.moving), ln_base = stars_ln_base(&d->options);
    int width = (int)d->shape.width, roi = d->psf.roi;

    if (slots)
        return penta_launch(slots->pack, grid,
                            ARGS(column(in, X), column(in, Y), column(in, LEVEL), (int)n, magnitudes ? 1 : 0,
                                 d->options.amplitude, ln_base, norm, width, (int)first_row, (int)rows, roi,
                                 slots->capacity, &d->packed, &in->sums, &d->cells, slots->counts, slots->slots));
    return penta_launch(&d->pack, grid,
                        ARGS(column(in, X), column(in, Y), column(in, LEVEL), (int)n, cpu ? PACK_EACH_CPU : 1,
                             magnitudes ? 1 : 0, d->options.amplitude, ln_base, norm, width, (int)first_row, (int)rows,
                             roi, &d->packed, &in->sums, &d->cells));
}

/* Whether a batch is drawn before its report is read: it is made only then, or there is no next batch, which waits for
 * the report of this one. */
static bool reports_late(const stars_device *d)
{
    return d->form->packs || d->shape.whole;
}

/* Enqueued in line with the kernels: beside them it would wait for the next batch, which is uploaded meanwhile. */
static penta_status read_report(stars_device *d, input_set *in)
{
    size_t bytes = 3 * pack_groups(d, in->stars.n) * sizeof(double);

    return penta_buffer_read_async(&in->sums, 0, in->reported, bytes);
}

/* A star of a batch is bad. */
static penta_status refuse(const stars_device *d, const penta_stars_list *stars, size_t number, size_t star)
{
    return stars_refuse_any(d->ctx, &d->options, stars, number * d->shape.batch + star);
}

/* What the batch `number` reported, which waits for its packing. */
static penta_status collect(stars_device *d, const penta_stars_list *stars, size_t number, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    input_set *in = &d->input[number % 2];
    size_t n = in->stars.n, groups = pack_groups(d, n);

    if (host_packs(d)) {
        const stars_host_batch *b = &d->packed_by_host[number % 2];

        result->flux_total += b->flux;
        result->drawn += b->drawn;
        return PENTA_OK;
    }
    if (n > 0)
        TRY(penta_buffer_wait(&in->sums));
    for (size_t g = 0; g < groups; g++) {
        const double *s = in->reported + 3 * g;

        if (s[2] < (double)n)
            return refuse(d, stars, number, (size_t)s[2]);
        result->flux_total += s[0];
        result->drawn += (size_t)s[1];
    }
cleanup:
    return status;
}

/* Where the slab is drawn. */
static penta_buffer *image_of(stars_device *d)
{
    return d->lent_image.mem ? &d->lent_image : &d->image;
}

static stars_given give(stars_device *d, input_set *in, size_t first_row)
{
    return (stars_given){.x = column(in, X),
                         .y = column(in, Y),
                         .level = column(in, LEVEL),
                         .magnitudes = in->stars.flux == NULL,
                         .amplitude = d->options.amplitude,
                         .ln_base = stars_ln_base(&d->options),
                         .norm = stars_psf_norm(&d->psf, d->shape.moving),
                         .first_row = first_row,
                         .sums = &in->sums};
}

/* Packs a batch on the device, or leaves that to the engine. */
static penta_status pack_there(stars_device *d, size_t number, size_t first_row, size_t rows, stars_batch *batch)
{
    penta_status status = PENTA_OK;
    input_set *in = &d->input[number % 2];

    TRY(upload(d, in));
    batch->stars = &d->packed;
    batch->cells = &d->cells;
    batch->motion_x = column(in, MOTION_X);
    batch->motion_y = column(in, MOTION_Y);
    if (d->form->packs)
        batch->given = give(d, in, first_row);
    else
        TRY(pack(d, in, in->stars.flux == NULL, batch->n, first_row, rows, batch->slots));
    if (!reports_late(d))
        TRY(read_report(d, in));
cleanup:
    return status;
}

/* Packs a batch on the host, which has seen its bad stars before the device draws. */
static penta_status pack_here(stars_device *d, const penta_stars_list *stars, size_t number, size_t first_row,
                              size_t rows, stars_batch *batch)
{
    penta_status status = PENTA_OK;
    stars_host_batch *b = &d->packed_by_host[number % 2];
    size_t n = batch->n;

    TRY(stars_host_batch_fill(b, &d->packing, &d->input[number % 2].stars, n, d->shape.width, first_row, rows));
    if (b->bad < n)
        return refuse(d, stars, number, b->bad);
    batch->stars = &b->stars;
    batch->cells = &b->cells;
    batch->motion_x = &b->motion_x;
    batch->motion_y = &b->motion_y;
    if (batch->slots)
        TRY(penta_launch(batch->slots->pack, penta_grid_groups(penta_grid_1d(n), PACK_GROUP, 1, 1),
                         ARGS(&b->cells, (int)n, (int)d->shape.width, (int)rows, d->psf.roi, batch->slots->capacity,
                              batch->slots->counts, batch->slots->slots)));
cleanup:
    return status;
}

static penta_status draw_batch(stars_device *d, const penta_stars_list *stars, size_t number, size_t first_row,
                               size_t rows)
{
    penta_status status = PENTA_OK;
    input_set *in = &d->input[number % 2];
    size_t first = number * d->shape.batch;
    stars_batch batch = {0};

    in->stars = penta_stars_list_part(stars, first, least(stars->n - first, d->shape.batch));
    batch.n = in->stars.n;
    batch.slots = d->form->slots ? d->form->slots(d->state, batch.n) : NULL;
    TRY(host_packs(d) ? pack_here(d, stars, number, first_row, rows, &batch)
                      : pack_there(d, number, first_row, rows, &batch));
    TRY(d->form->draw(d->state, image_of(d), rows, &batch));
    if (!host_packs(d) && reports_late(d))
        TRY(read_report(d, in));
cleanup:
    return status;
}

/* Rows of the frame. */
typedef struct {
    size_t first, end;
} row_range;

/* The reports are read one batch late, so that the device is never without work. */
static penta_status draw_slab(stars_device *d, const penta_stars_list *stars, double weights, row_range all,
                              size_t first_row, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    size_t rows = least(all.end - first_row, d->shape.rows), row_bytes = d->shape.width * pixel_bytes(d);
    size_t batches = penta_divide_up(stars->n, d->shape.batch);
    char *image = result->image ? (char *)result->image + (first_row - all.first) * row_bytes : NULL;

    TRY(penta_buffer_lend(d->ctx, PENTA_WRITE, image, rows * row_bytes, 4 * pixel_bytes(d), &d->lent_image));
    TRY(d->form->begin(d->state, image_of(d), rows, weights));
    for (size_t b = 0; b < batches; b++) {
        TRY(draw_batch(d, stars, b, first_row, rows));
        if (b > 0)
            TRY(collect(d, stars, b - 1, result));
        TRY(penta_report_progress(d->ctx, (double)(first_row - all.first) + (double)rows * (double)b / (double)batches,
                                  (double)(all.end - all.first)));
    }
    TRY(d->form->end(d->state, image_of(d), rows));
    if (image && !d->lent_image.mem)
        TRY(penta_buffer_read(&d->image, 0, image, rows * row_bytes));
    if (batches > 0)
        TRY(collect(d, stars, batches - 1, result));
    TRY(penta_buffer_give_back(&d->lent_image));
cleanup:
    return status;
}

/* What its buffers are for is there. */
static penta_status draw_rows(stars_device *d, const penta_stars_list *stars, double weights, row_range all,
                              penta_stars_result *result)
{
    penta_status status = PENTA_OK;

    for (size_t row = all.first; row < all.end; row += d->shape.rows)
        TRY(draw_slab(d, stars, weights, all, row, result));
    TRY(return_arrays(d));
cleanup:
    if (status != PENTA_OK)
        abandon_arrays(d);
    return status;
}

static penta_status draw_list(stars_device *d, const penta_stars_list *stars, double weights, row_range all,
                              penta_stars_result *result)
{
    penta_status status = PENTA_OK;

    result->drawn = 0;
    result->flux_total = 0;
    TRY(fit(d, stars->n, all.end - all.first));
    TRY(draw_rows(d, stars, weights, all, result));
cleanup:
    return status;
}

penta_status stars_device_run_rows(stars_device *d, const penta_stars_list *stars, size_t first, size_t rows,
                                   penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    double fluxes = 0;

    if (d->engine->bounded)
        TRY(stars_flux_bound(d->ctx, &d->options, stars, &fluxes));
    fluxes *= stars_psf_norm(&d->psf, d->shape.moving);
    do
        status = draw_list(d, stars, fluxes, (row_range){first, first + rows}, result);
    while (status == PENTA_MEMORY && ask_for_less(d));
cleanup:
    return status;
}
