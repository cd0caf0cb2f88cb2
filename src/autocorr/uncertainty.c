/*
 * Standard error of R_max by tile bootstrap. The image is binned so that R_max spans 8 to 16 bins, cut into about 16
 * tiles, and each tile's own sums against its surroundings (which add up to those of the image) are resampled.
 */
#include "autocorr/uncertainty.h"

#include <math.h>

#include "autocorr/bootstrap.h"
#include "autocorr/engine.h"
#include "autocorr/tile_sums.h"
#include "core/parallel.h"

enum { BINS_TO_PEAK = 8 };
enum { LANES = 16, ROWS = 4, ITEMS = 32 }; /* of cl/autocorr/tiles.cl */
enum { MARGIN_X = MOST_OFFSET + LANES, MARGIN_Y = MOST_OFFSET + ROWS };
static const double most_overlap = 0.5; /* of a tile's side */
enum { SEED = 20091 };                  /* one seed for every frame: equal frames have equal errors */

/* The tile sums of one frame, waiting to be resampled. */
typedef struct {
    tile_layout layout;
    const autocorr_ring_list *rings;
    size_t products, weights; /* positions in the array read back; weights 0: unmasked */
    penta_peak *peak;
    penta_status status;
} tile_job;

/* Frames that are resampled together. */
typedef struct {
    const autocorr_uncertainty *of;
    float *sums; /* tile_products as read back */
    tile_job *jobs;
    size_t count;
    bool offered; /* to the helpers */
    penta_pieces pieces;
} job_set;

struct autocorr_uncertainty {
    penta_resources resources;
    autocorr_settings settings;
    bool cross, masked;
    penta_kernel bin, products;
    penta_buffer binned[2], weight, tile_products;
    size_t room, used;                         /* of tile_products, floats */
    autocorr_ring_list rings[MOST_OFFSET + 1]; /* by the largest offset, made when first needed */
    job_set sets[2];
    job_set *adding, *waiting; /* waiting: was read back and is to be resampled; or NULL */
};

void autocorr_uncertainty_drop(autocorr_uncertainty *u)
{
    if (u->waiting && u->waiting->offered)
        penta_pieces_end(&u->waiting->pieces);
    u->sets[0].count = u->sets[1].count = u->used = 0;
    u->waiting = NULL;
}

void autocorr_uncertainty_destroy(autocorr_uncertainty *u)
{
    if (u)
        autocorr_uncertainty_drop(u);
    penta_plan_free(u);
}

static penta_status create_buffers(autocorr_uncertainty *u, size_t frames)
{
    penta_status status = PENTA_OK;
    size_t bytes, side = 2 * MOST_OFFSET + 1;

    TRY(penta_size(u->resources.ctx, u->settings.width + 2 * MARGIN_X, u->settings.height + 2 * MARGIN_Y, sizeof(float),
                   &bytes));
    for (int i = 0; i < (u->cross ? 2 : 1); i++)
        TRY(penta_buffer_create(&u->resources, bytes, &u->binned[i]));
    if (u->masked)
        TRY(penta_buffer_create(&u->resources, bytes, &u->weight));
    u->room = frames * (u->masked ? 2 : 1) * TILES_WANTED * (side + LANES) * (side + ROWS);
    TRY(penta_buffer_create(&u->resources, u->room * sizeof(float), &u->tile_products));
    for (int i = 0; i < 2; i++) {
        u->sets[i].of = u;
        TRY(penta_calloc(&u->resources, u->room, sizeof *u->sets[i].sums, &u->sets[i].sums));
        TRY(penta_calloc(&u->resources, frames, sizeof *u->sets[i].jobs, &u->sets[i].jobs));
    }
    u->adding = &u->sets[0];
cleanup:
    return status;
}

penta_status autocorr_uncertainty_create(penta_context *ctx, const autocorr_settings *settings, bool cross, bool masked,
                                         size_t frames, autocorr_uncertainty **out)
{
    penta_status status = PENTA_OK;
    autocorr_uncertainty *u = NULL;
    const char *type = autocorr_type_define(settings->type);

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &u));
    u->settings = *settings;
    u->cross = cross;
    u->masked = masked;
    TRY(penta_kernels_get(&u->resources, "autocorr/tiles.cl", type,
                          KERNELS({&u->bin, "autocorr_bin"}, {&u->products, "autocorr_tile_products"})));
    TRY(create_buffers(u, frames));
    *out = u;
    u = NULL;
cleanup:
    autocorr_uncertainty_destroy(u);
    return status;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Cuts the image into nearly square tiles, for offsets up to 1.6 R_max. False: the image is too small to be cut. */
static bool lay_out(const autocorr_uncertainty *u, double r_max, tile_layout *t)
{
    int width = (int)u->settings.width, height = (int)u->settings.height, small;

    t->factor = r_max >= 2 * BINS_TO_PEAK ? (int)(r_max / BINS_TO_PEAK) : 1;
    t->columns = width / t->factor;
    t->lines = height / t->factor;
    small = least(t->columns, t->lines);
    t->max_offset = least(least((int)ceil(1.6 * r_max / t->factor) + 2, MOST_OFFSET), small - 1);
    t->y0 = u->cross ? -t->max_offset : 0;
    t->rows = (t->max_offset - t->y0 + ROWS) / ROWS * ROWS;
    t->stride = (2 * t->max_offset + LANES) / LANES * LANES;
    t->pitch = t->columns + 2 * MARGIN_X;
    t->tiles_x = (int)lround(sqrt((double)TILES_WANTED * t->columns / t->lines));
    t->tiles_x = t->tiles_x < 1 ? 1 : least(t->tiles_x, least(TILES_WANTED, t->columns));
    t->tiles_y = least(TILES_WANTED / t->tiles_x, t->lines);
    return t->max_offset >= 4 && t->tiles_x * t->tiles_y >= 4;
}

static penta_status bin_image(autocorr_uncertainty *u, const tile_layout *t, size_t frame, penta_buffer *image,
                              penta_buffer *mask, double mean, int which)
{
    long offset = (long)(frame * u->settings.width * u->settings.height);
    penta_buffer *weight = mask ? &u->weight : &u->binned[which];

    return penta_launch(&u->bin, penta_grid_rows(penta_grid_2d((size_t)t->pitch, (size_t)(t->lines + 2 * MARGIN_Y))),
                        ARGS(image, mask ? mask : image, mask ? 1 : 0, offset, (int)u->settings.width, t->factor,
                             t->columns, t->lines, (int)MARGIN_X, (int)MARGIN_Y, t->pitch, (float)mean,
                             &u->binned[which], weight));
}

/* Enqueues the products of two binned planes; *at receives their position in tile_products. */
static penta_status multiply(autocorr_uncertainty *u, const tile_layout *t, penta_buffer *a, penta_buffer *b,
                             size_t *at)
{
    size_t tiles = tile_count(t), stride = (size_t)t->stride, rows = (size_t)t->rows;

    *at = u->used;
    u->used += tiles * rows * stride;
    return penta_launch(&u->products,
                        penta_is_cpu(u->resources.ctx)
                            ? penta_grid_3d(stride / LANES, rows / ROWS, tiles)
                            : penta_grid_groups(penta_grid_3d(stride * ITEMS, rows, tiles), ITEMS, 1, 1),
                        ARGS(a, b, (int64_t)*at, t->columns, t->lines, (int)MARGIN_X, (int)MARGIN_Y, t->pitch,
                             t->tiles_x, t->tiles_y, t->max_offset, t->y0, t->stride, t->rows, &u->tile_products));
}

/* The rings of the offsets up to max_offset. */
static penta_status rings_of(autocorr_uncertainty *u, int max_offset, const autocorr_ring_list **out)
{
    penta_status status = PENTA_OK;
    autocorr_shape shape = {.max_offset = (size_t)max_offset, .cross = u->cross};
    autocorr_ring_list *list = &u->rings[max_offset];

    if (!list->at) {
        TRY(autocorr_rings_list(u->resources.ctx, &shape, list));
        TRY(penta_own_struct(&u->resources, list, autocorr_rings_free));
    }
    *out = list;
cleanup:
    return status;
}

/*
 * The factor by which the scatter between tiles underestimates the standard error, for two reasons. A tile's sums
 * contain pairs that reach beyond it, so the sums of neighbouring tiles are correlated, over about R_max / 3; a tile
 * counts as narrower by that much on either axis (the first order of the bias of a block variance, H. R. Kuensch, Ann.
 * Stat. 17 (1989) 1217). And T tiles scatter about their mean, not about the truth: sqrt(T / (T - 1)).
 */
static double left_out(const tile_layout *t, double r_max)
{
    double overlap = r_max / (3 * t->factor), tiles = (double)t->tiles_x * t->tiles_y;
    double share_x = fmin(overlap * t->tiles_x / t->columns, most_overlap);
    double share_y = fmin(overlap * t->tiles_y / t->lines, most_overlap);

    return sqrt(tiles / (tiles - 1) / ((1 - share_x) * (1 - share_y)));
}

/* Equation 1 divides by the count of offsets times sum I^2; the other estimators by the pairs behind each sum. */
static penta_status resample(const penta_autocorr_options *o, const tile_layout *t, ring_sums *r, penta_peak *peak)
{
    size_t tiles = tile_count(t);
    double origin = 0, se;
    penta_status status;

    for (size_t i = 0; i < tiles; i++)
        origin += r->sum[i * r->bins];
    for (size_t b = 0; b < r->bins; b++)
        r->divisor[b] = (double)r->count[b] * origin;
    status = penta_bootstrap_r_max(&(penta_tile_sums){.tiles = tiles,
                                                      .bins = r->bins,
                                                      .sum = r->sum,
                                                      .weight = o->estimator == PENTA_AUTOCORR_EQ1 ? NULL : r->weight,
                                                      .divisor = r->divisor,
                                                      .mean_r = r->mean_r,
                                                      .count = r->count},
                                   (size_t)o->bootstrap, SEED, o->prominence, peak->r_max / t->factor, &se);
    if (status == PENTA_OK)
        peak->r_max_se = se * t->factor * left_out(t, peak->r_max);
    return status;
}

/* Runs on a host thread, so it must not touch the context; its status is kept in the job. */
static bool do_job(void *data, size_t i)
{
    const job_set *set = data;
    const autocorr_uncertainty *u = set->of;
    tile_job *job = &set->jobs[i];
    const tile_layout *t = &job->layout;
    penta_status status = PENTA_OK;
    ring_sums rings = {0};

    TRY(autocorr_tile_sums_create(t, &rings));
    autocorr_tile_sums_add(t, job->rings, set->sums + job->products, u->masked ? set->sums + job->weights : NULL,
                           &rings);
    TRY(resample(&u->settings.options, t, &rings, job->peak));
cleanup:
    autocorr_tile_sums_free(&rings);
    job->status = status;
    return true;
}

penta_status autocorr_uncertainty_read(autocorr_uncertainty *u)
{
    penta_status status = PENTA_OK;
    job_set *set = u->adding;

    TRY(penta_buffer_read(&u->tile_products, 0, set->sums, u->used * sizeof *set->sums));
    u->used = 0;
    set->offered = false;
    set->pieces = (penta_pieces){.count = set->count, .body = do_job, .data = set};
    u->waiting = set;
    u->adding = &u->sets[set == &u->sets[0]];
cleanup:
    return status;
}

void autocorr_uncertainty_offer(autocorr_uncertainty *u)
{
    if (!u->waiting || u->waiting->offered)
        return;
    penta_pieces_begin(&u->waiting->pieces, u->waiting->count);
    u->waiting->offered = true;
}

penta_status autocorr_uncertainty_finish(autocorr_uncertainty *u)
{
    penta_status status = PENTA_OK;
    job_set *set = u->waiting;

    if (!set)
        return PENTA_OK;
    if (!set->offered)
        penta_pieces_begin(&set->pieces, set->count > 0 ? set->count - 1 : 0);
    penta_pieces_end(&set->pieces);
    for (size_t i = 0; i < set->count; i++)
        if (set->jobs[i].status != PENTA_OK)
            status = penta_fail(u->resources.ctx, set->jobs[i].status, "out of host memory for the bootstrap of R_max");
    set->count = 0;
    u->waiting = NULL;
    return status;
}

penta_status autocorr_uncertainty_add(autocorr_uncertainty *u, size_t frame, penta_buffer *a, penta_buffer *b,
                                      penta_buffer *mask, double mean_a, double mean_b, penta_peak *peak)
{
    penta_status status = PENTA_OK;
    tile_job *job = &u->adding->jobs[u->adding->count];

    *job = (tile_job){.peak = peak};
    if (peak->status != PENTA_PEAK_OK || !lay_out(u, peak->r_max, &job->layout))
        return PENTA_OK;
    TRY(rings_of(u, job->layout.max_offset, &job->rings));
    TRY(bin_image(u, &job->layout, frame, a, mask, mean_a, 0));
    if (u->cross)
        TRY(bin_image(u, &job->layout, frame, b, mask, mean_b, 1));
    TRY(multiply(u, &job->layout, &u->binned[0], &u->binned[u->cross], &job->products));
    if (mask)
        TRY(multiply(u, &job->layout, &u->weight, &u->weight, &job->weights));
    u->adding->count++;
cleanup:
    return status;
}
