/* The direct methods in their GPU form: naive, lines (Listing 1 of Lu et al.) and tiled. Kernels: cl/autocorr. */

#include "autocorr/engine.h"
#include "math/sizes.h"

/* A launch is split into about this many work-groups, which keep a large GPU busy. */
enum { GROUPS_WANTED = 8192 };

typedef struct {
    penta_resources resources;
    autocorr_shape shape;
    penta_kernel kernel, pack, sum_chunks;
    size_t items;                   /* lines: work-items a group */
    size_t copies, word_rows;       /* tiled: layout of the packed planes */
    size_t groups;                  /* tiled: work-groups of one frame in one chunk */
    penta_buffer words[2], partial; /* tiled */
} direct_state;

const char *autocorr_type_define(penta_type type)
{
    switch (type) {
    case PENTA_U8:
        return "-DPENTA_U8";
    case PENTA_U16:
        return "-DPENTA_U16";
    case PENTA_F64:
        return "-DPENTA_F64";
    default:
        return "-DPENTA_F32";
    }
}

static void destroy(void *memory)
{
    direct_state *d = memory;

    penta_plan_free(d);
}

static penta_status create_simple(penta_context *ctx, const autocorr_shape *shape, const char *kernel, void **state)
{
    penta_status status = PENTA_OK;
    direct_state *d = NULL;

    TRY(penta_plan_alloc(ctx, &d));
    d->shape = *shape;
    TRY(penta_kernel_get(&d->resources, "autocorr/direct.cl", kernel, autocorr_type_define(shape->type), &d->kernel));
    *state = d;
    d = NULL;
cleanup:
    penta_plan_free(d);
    return status;
}

/* ---- naive ---- */

static penta_status naive_create(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft,
                                 size_t batch, void **state)
{
    (void)fft;
    (void)batch;
    return create_simple(ctx, shape, "autocorr_naive", state);
}

static penta_status naive_run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    direct_state *d = state;
    const autocorr_shape *s = &d->shape;
    penta_grid grid = penta_grid_rows(penta_grid_3d(autocorr_columns(s), autocorr_rows(s), frames));

    return penta_launch(
        &d->kernel, grid,
        ARGS(a, s->cross ? b : a, (int)s->width, (int)s->height, (int)s->max_offset, autocorr_y0(s), out));
}

const autocorr_engine autocorr_naive = {"naive", naive_create, naive_run, NULL, NULL, destroy};

/* ---- lines ---- */

static penta_status lines_create(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft,
                                 size_t batch, void **state)
{
    direct_state *d;
    penta_status status = create_simple(ctx, shape, "autocorr_lines", state);
    size_t most;

    (void)fft;
    (void)batch;
    if (status != PENTA_OK)
        return status;
    d = *state;
    most = penta_kernel_max_group(&d->kernel);
    for (d->items = 32; d->items < autocorr_columns(shape) && 2 * d->items <= most && d->items < 256; d->items *= 2)
        ;
    if (d->items > most)
        d->items = most;
    return PENTA_OK;
}

static penta_status lines_run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    direct_state *d = state;
    const autocorr_shape *s = &d->shape;
    size_t blocks = penta_divide_up(autocorr_columns(s), d->items), rows = autocorr_rows(s);
    size_t chunk = s->height, chunks = 1, pixel = penta_type_size(s->type);
    penta_grid grid;

    if (autocorr_is_integer(s)) { /* integer sums may be added in any order */
        chunks = penta_divide_up(GROUPS_WANTED, blocks * rows * frames);
        chunk = penta_divide_up(s->height, chunks < s->height ? chunks : s->height);
        chunks = penta_divide_up(s->height, chunk);
        TRY(penta_buffer_zero(out, 0, frames * rows * autocorr_columns(s) * sizeof(int64_t)));
    }
    grid = penta_grid_groups(penta_grid_3d(blocks * d->items, rows, frames * chunks), d->items, 1, 1);
    TRY(penta_launch(&d->kernel, grid,
                     ARGS(a, s->cross ? b : a, penta_local(d->items * pixel), penta_local(2 * d->items * pixel),
                          (int)s->width, (int)s->height, (int)s->max_offset, autocorr_y0(s), (int)chunk, (int)chunks,
                          out)));
cleanup:
    return status;
}

const autocorr_engine autocorr_lines = {"lines", lines_create, lines_run, NULL, NULL, destroy};

/* ---- tiled ---- */

enum { TILED_LANES = 32, TILED_TILE = 8 }; /* LANES and TILE of cl/autocorr/tiled.cl */

/* Rows of q and the first of them: Y = copies * q + s. */
static int first_q(const direct_state *d)
{
    return d->shape.cross ? -(int)penta_divide_up(d->shape.max_offset, d->copies) : 0;
}

static size_t q_rows(const direct_state *d)
{
    return (size_t)((int)(d->shape.max_offset / d->copies) - first_q(d) + 1);
}

/* Word rows a chunk, so that there are about GROUPS_WANTED work-groups; returns the number of chunks. */
static size_t cut_chunks(const direct_state *d, size_t frames, size_t *lines)
{
    size_t chunks = penta_divide_up(GROUPS_WANTED, d->groups * frames);

    *lines = penta_divide_up(d->word_rows, chunks < d->word_rows ? chunks : d->word_rows);
    return penta_divide_up(d->word_rows, *lines);
}

static penta_status tiled_buffers(direct_state *d, size_t batch)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &d->resources;
    const autocorr_shape *s = &d->shape;
    size_t blocks = penta_divide_up(autocorr_columns(s), TILED_LANES * TILED_TILE);
    size_t word = s->type == PENTA_U8 ? 4 : penta_type_size(s->type), partials, bytes;

    d->copies = s->type == PENTA_U8 ? 4 : 1;
    d->word_rows = penta_divide_up(s->height, d->copies);
    d->groups = blocks * q_rows(d);
    TRY(penta_size(own->ctx, batch * d->copies, d->word_rows + 1, s->width * word, &bytes));
    for (int i = 0; i < (s->cross ? 2 : 1); i++)
        TRY(penta_buffer_create(own, bytes, &d->words[i]));
    partials = penta_divide_up(GROUPS_WANTED, d->groups) + batch; /* no run of 1..batch frames has more chunks in all */
    TRY(penta_size(own->ctx, partials, autocorr_rows(s), autocorr_columns(s) * sizeof(int64_t), &bytes));
    TRY(penta_buffer_create(own, bytes, &d->partial));
cleanup:
    return status;
}

static penta_status tiled_create(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft,
                                 size_t batch, void **state)
{
    penta_status status = PENTA_OK;
    direct_state *d = NULL;
    const char *define = autocorr_type_define(shape->type);

    (void)fft;
    TRY(penta_plan_alloc(ctx, &d));
    d->shape = *shape;
    TRY(penta_kernels_get(
        &d->resources, "autocorr/tiled.cl", define,
        KERNELS({&d->pack, "autocorr_pack"}, {&d->kernel, "autocorr_tiled"}, {&d->sum_chunks, "autocorr_sum_chunks"})));
    TRY(tiled_buffers(d, batch));
    *state = d;
    d = NULL;
cleanup:
    penta_plan_free(d);
    return status;
}

static penta_status tiled_run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    direct_state *d = state;
    const autocorr_shape *s = &d->shape;
    size_t lines, chunks = cut_chunks(d, frames, &lines);
    penta_buffer *planes[2] = {a, b}, *result = chunks > 1 ? &d->partial : out;
    size_t blocks = penta_divide_up(autocorr_columns(s), TILED_LANES * TILED_TILE);
    size_t count = frames * autocorr_rows(s) * autocorr_columns(s);
    penta_grid grid = penta_grid_3d(blocks * TILED_LANES, q_rows(d), frames * chunks);

    for (int i = 0; i < (s->cross ? 2 : 1); i++)
        TRY(penta_launch(&d->pack, penta_grid_rows(penta_grid_3d(s->width, d->word_rows + 1, frames * d->copies)),
                         ARGS(planes[i], (int)s->width, (int)s->height, (int)d->word_rows, &d->words[i])));
    TRY(penta_launch(&d->kernel, penta_grid_groups(grid, TILED_LANES, 1, 1),
                     ARGS(&d->words[0], &d->words[s->cross ? 1 : 0], (int)s->width, (int)d->word_rows,
                          (int)s->max_offset, autocorr_y0(s), first_q(d), (int)lines, (int)chunks, (int)frames,
                          result)));
    if (chunks > 1)
        TRY(penta_launch(&d->sum_chunks, penta_grid_rows(penta_grid_1d(count)),
                         ARGS(&d->partial, (int64_t)count, (int)chunks, out)));
cleanup:
    return status;
}

const autocorr_engine autocorr_tiled = {"tiled", tiled_create, tiled_run, NULL, NULL, destroy};
