/*
 * Appends pixels of rows to a slab. BSQ needs no kernel, since each band is a run. BIL and BIP go to the device as they
 * are, a piece at a time, where a kernel lays them out. Two staging buffers take turns, so that a transfer runs beside
 * the kernels.
 */
#include "math/sizes.h"
#include "pca/slab.h"

/* A run of pixels in the memory of rows. */
typedef struct {
    const penta_cube_rows *rows;
    size_t first, count;
} run;

static const char *element(const penta_cube_rows *rows, size_t index)
{
    return (const char *)rows->data + index * penta_type_size(rows->type);
}

/* ---- as they lie ---- */

/* A run of each band, stride elements apart, to pixels at .. of the slab. One transfer: a run of some thousand pixels
 * is done before the next one has been asked for. */
static penta_status put_bands(pca_slab *slab, size_t at, const char *data, size_t stride, size_t count)
{
    size_t size = penta_type_size(slab->type);

    return penta_buffer_write_rows(&slab->data, at * size, slab->pitch * size, data, stride * size, count * size,
                                   slab->bands);
}

static penta_status put_bsq(pca_slab *slab, const run *r)
{
    const penta_cube_rows *rows = r->rows;
    size_t stride = rows->band_stride ? rows->band_stride : rows->rows * rows->cols;

    return put_bands(slab, slab->pixels, element(rows, r->first), stride, r->count);
}

/* Bytes that kernels lay out at a time: of rows in place, all. */
static size_t piece_of(const pca_loader *loader, const penta_cube_rows *rows)
{
    return loader->rows.mem ? rows->rows * rows->cols * loader->bands * penta_type_size(rows->type) : loader->piece;
}

/* Sends elements from `index` on to the staging buffer whose turn it is, unless the rows are in place. *out holds them
 * from element *from on. */
static penta_status stage(pca_loader *loader, const penta_cube_rows *rows, size_t index, size_t bytes,
                          penta_buffer **out, size_t *from)
{
    penta_status status = PENTA_OK;
    penta_buffer *staging = &loader->staging[loader->turn];

    *out = &loader->rows;
    *from = index;
    if (loader->rows.mem)
        return PENTA_OK;
    *from = 0;
    loader->turn = 1 - loader->turn;
    if (!staging->mem || staging->bytes < bytes)
        TRY(penta_buffer_create(&loader->resources, bytes, staging));
    TRY(penta_buffer_write_async(staging, 0, element(rows, index), bytes));
    *out = staging;
cleanup:
    return status;
}

/* ---- BIL ---- */

/* Rows that are longer than a piece: each is a BSQ cube of one row. */
static penta_status put_long_bil(pca_slab *slab, const run *r)
{
    penta_status status = PENTA_OK;
    size_t cols = r->rows->cols, n;

    for (size_t done = 0; done < r->count; done += n) {
        size_t row = (r->first + done) / cols, column = (r->first + done) % cols;

        n = penta_smaller(r->count - done, cols - column);
        TRY(put_bands(slab, slab->pixels + done, element(r->rows, row * slab->bands * cols + column), cols, n));
    }
cleanup:
    return status;
}

static penta_status put_bil(pca_loader *loader, pca_slab *slab, const run *r)
{
    penta_status status = PENTA_OK;
    penta_kernel *bil = &loader->kernels[slab->type].bil;
    penta_buffer *staging;
    size_t cols = r->rows->cols, line = slab->bands * cols, n, line_bytes = line * penta_type_size(slab->type), from;
    size_t most = piece_of(loader, r->rows) / line_bytes;
    bool cpu = penta_is_cpu(loader->resources.ctx);
    size_t each = cpu ? 1 + SLAB_BIL_RUN / cols : SLAB_BANDS_EACH; /* rows, bands */

    if (!most)
        return put_long_bil(slab, r);
    TRY(slab_kernel(loader, bil, slab->type, "layout", "pca_slab_bil"));
    for (size_t done = 0; done < r->count; done += n) {
        size_t row = (r->first + done) / cols, column = (r->first + done) % cols;
        size_t lines = penta_smaller(most, (column + r->count - done + cols - 1) / cols);

        n = penta_smaller(r->count - done, lines * cols - column);
        TRY(stage(loader, r->rows, row * line, lines * line_bytes, &staging, &from));
        TRY(penta_launch(bil, cpu ? slab_items((lines + each - 1) / each) : slab_grid(n, slab->bands),
                         ARGS(staging, from, (unsigned)cols, (unsigned)column, (unsigned)n, (unsigned)slab->bands,
                              slab->pitch, (unsigned)(slab->pixels + done), (unsigned)each, &slab->data)));
    }
cleanup:
    return status;
}

/* ---- BIP ---- */

static penta_grid bip_grid(const pca_loader *loader, size_t pixels)
{
    size_t tiles = (loader->bands + SLAB_BIP_TILE - 1) / SLAB_BIP_TILE;

    if (penta_is_cpu(loader->resources.ctx))
        return slab_items((pixels + SLAB_BIP_BLOCK - 1) / SLAB_BIP_BLOCK);
    return penta_grid_groups(penta_grid_2d(pixels, tiles * SLAB_BIP_ROWS), SLAB_BIP_TILE, SLAB_BIP_ROWS, 1);
}

static penta_status put_bip(pca_loader *loader, pca_slab *slab, const run *r)
{
    penta_status status = PENTA_OK;
    penta_kernel *bip = &loader->kernels[slab->type].bip;
    penta_buffer *staging;
    size_t pixel_bytes = slab->bands * penta_type_size(slab->type), most = piece_of(loader, r->rows) / pixel_bytes, n;
    size_t from;

    most = most ? most : 1;
    TRY(slab_kernel(loader, bip, slab->type, "layout", "pca_slab_bip"));
    for (size_t done = 0; done < r->count; done += n) {
        n = penta_smaller(r->count - done, most);
        TRY(stage(loader, r->rows, (r->first + done) * slab->bands, n * pixel_bytes, &staging, &from));
        TRY(penta_launch(bip, bip_grid(loader, n),
                         ARGS(staging, from, (unsigned)n, (unsigned)slab->bands, slab->pitch,
                              (unsigned)(slab->pixels + done), &slab->data)));
    }
cleanup:
    return status;
}

/* ---- flags ---- */

penta_status slab_allow(pca_loader *loader, pca_slab *slab, size_t from, size_t count)
{
    return penta_launch(&loader->allow, penta_grid_rows(penta_grid_1d(count)),
                        ARGS((unsigned)from, (unsigned)count, &slab->flags));
}

/* Flags exist from the first mask on that leaves a pixel out. */
static penta_status put_mask(pca_loader *loader, pca_slab *slab, const run *r)
{
    penta_status status = PENTA_OK;
    const uint8_t *mask = r->rows->mask ? r->rows->mask + r->first : NULL;

    if (!slab_has_mask(loader, mask, r->count)) {
        if (slab->masked)
            TRY(slab_allow(loader, slab, slab->pixels, r->count));
    } else {
        if (!slab->masked && slab->pixels)
            TRY(slab_allow(loader, slab, 0, slab->pixels));
        slab->masked = true;
        TRY(penta_buffer_write_async(&slab->flags, slab->pixels, mask, r->count));
    }
cleanup:
    return status;
}

static penta_status put(pca_loader *loader, pca_slab *slab, const run *r)
{
    penta_status status = PENTA_OK;

    TRY(put_mask(loader, slab, r));
    if (r->rows->layout == PENTA_BIP)
        TRY(put_bip(loader, slab, r));
    else if (r->rows->layout == PENTA_BIL)
        TRY(put_bil(loader, slab, r));
    else
        TRY(put_bsq(slab, r));
    slab->pixels += r->count;
cleanup:
    return status;
}

/* ---- differences ---- */

/* The slab of source pixels whose turn it is, empty. */
static penta_status next_source(pca_loader *loader, penta_type type, size_t pixels, pca_slab **out)
{
    penta_status status = PENTA_OK;
    pca_slab *source = &loader->sources[loader->source_turn];

    loader->source_turn = 1 - loader->source_turn;
    if (source->type != type || source->pitch < pixels) {
        pca_slab_release(source);
        TRY(pca_slab_create(loader->resources.ctx, loader->bands, pca_padded(pixels), type, source));
    }
    source->pixels = 0;
    source->masked = false;
    *out = source;
cleanup:
    return status;
}

/* Of the first n pixels of source, in which the pixel after them is, too, unless a row ends with the last one. */
static penta_status subtract(pca_loader *loader, pca_slab *slab, pca_slab *source, const run *r)
{
    penta_status status = PENTA_OK;
    penta_kernel *differences = &loader->kernels[source->type].differences;
    size_t cols = r->rows->cols, units = (r->count + PCA_UNIT - 1) / PCA_UNIT;

    if (slab_no_data_in(&loader->no_data, source->type).kind != SLAB_NO_DATA_NONE) {
        TRY(slab_inspect(loader, source, true));
        source->masked = true;
    }
    TRY(slab_kernel(loader, differences, source->type, "differences", "pca_slab_differences"));
    TRY(penta_launch(differences,
                     penta_is_cpu(loader->resources.ctx) ? slab_items(units) : slab_grid(r->count, slab->bands),
                     ARGS(&source->data, source->pitch, &source->flags, (int)source->masked, (unsigned)r->count,
                          (unsigned)(r->first % cols), (unsigned)cols, (unsigned)slab->bands, (unsigned)slab->pixels,
                          slab->pitch, &slab->data, &slab->flags)));
cleanup:
    return status;
}

static penta_status put_differences(pca_loader *loader, pca_slab *slab, const run *r)
{
    penta_status status = PENTA_OK;
    size_t all = r->rows->rows * r->rows->cols, before = slab->pixels;
    size_t most = loader->piece / slab->bands / penta_type_size(r->rows->type) / PCA_UNIT * PCA_UNIT;
    pca_slab *source;

    most = most ? most : PCA_UNIT;
    for (size_t done = 0; done < r->count;) {
        run part = {r->rows, r->first + done, penta_smaller(r->count - done, most - 1)}, more = part;

        more.count = penta_smaller(part.count + 1, all - part.first);
        TRY(next_source(loader, r->rows->type, part.count + 1, &source));
        TRY(put(loader, source, &more));
        TRY(subtract(loader, slab, source, &part));
        done += part.count;
        slab->pixels += part.count;
    }
    slab->masked = true;
cleanup:
    if (status != PENTA_OK)
        slab->pixels = before;
    return status;
}

/* ---- all of it ---- */

static penta_status check(const pca_loader *loader, const pca_slab *slab, const run *r, bool differences)
{
    penta_context *ctx = loader->resources.ctx;
    const penta_cube_rows *rows = r->rows;
    size_t pixels, bytes, size = penta_type_size(rows->type);
    penta_status status = penta_size(ctx, rows->rows, rows->cols, 1, &pixels);

    if (status == PENTA_OK)
        status = penta_size(ctx, pixels, loader->bands, size, &bytes);
    if (status != PENTA_OK)
        return status;
    if (!rows->data || rows->layout < PENTA_BSQ || rows->layout > PENTA_BIP || !size || rows->type == PENTA_I64)
        return penta_fail(ctx, PENTA_INVALID, "rows of type %s and layout %d without use", penta_type_name(rows->type),
                          rows->layout);
    if (rows->layout == PENTA_BSQ && rows->band_stride && rows->band_stride < pixels)
        return penta_fail(ctx, PENTA_INVALID, "bands of %zu pixels, %zu elements apart", pixels, rows->band_stride);
    if (rows->cols > INT32_MAX)
        return penta_fail(ctx, PENTA_INVALID, "rows of %zu pixels are too long", rows->cols);
    if (r->first > pixels || r->count > pixels - r->first || r->count > slab->pitch - slab->pixels ||
        slab->bands != loader->bands || slab->type != (differences ? PENTA_F64 : rows->type) ||
        (slab->pixels && slab->differences != differences))
        return penta_fail(ctx, PENTA_INTERNAL, "pixels that do not fit in their slab");
    return PENTA_OK;
}

penta_status pca_slab_append(pca_loader *loader, pca_slab *slab, const penta_cube_rows *rows, size_t first,
                             size_t count, bool differences)
{
    penta_status status = PENTA_OK;
    run r = {rows, first, count};

    if (slab->pixels == 0)
        slab->masked = false;
    TRY(check(loader, slab, &r, differences));
    slab->differences = differences;
    if (count == 0)
        return PENTA_OK;
    if (differences)
        TRY(put_differences(loader, slab, &r));
    else
        TRY(put(loader, slab, &r));
cleanup:
    return status;
}
