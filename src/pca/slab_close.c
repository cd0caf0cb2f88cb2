/*
 * Closes a slab: counts its valid pixels and writes the shift into pixels that are left out. Without mask and no-data
 * only the samples for the shift are read, and nothing is waited for, unless numbers that are not finite are looked
 * for; those show in the covariance, too.
 */
#include "pca/slab.h"

/* Entries of a report, as in slab.clh. */
enum { BAD = 0, VALID = 1 };

static bool is_real(penta_type type)
{
    return type == PENTA_F32 || type == PENTA_F64;
}

penta_status slab_inspect(pca_loader *loader, pca_slab *slab, bool no_data)
{
    penta_status status = PENTA_OK;
    slab_kernels *kernels = &loader->kernels[slab->type];
    penta_kernel *inspect = no_data ? &kernels->inspect_no_data : &kernels->inspect;
    slab_no_data none = slab_no_data_in(&loader->no_data, slab->type);
    penta_grid grid = penta_is_cpu(loader->resources.ctx) ? slab_items(pca_padded(slab->pixels) / PCA_UNIT)
                                                          : penta_grid_rows(penta_grid_1d(slab->pixels));

    TRY(slab_kernel(loader, inspect, slab->type, "inspect", "pca_slab_inspect"));
    TRY(penta_launch(inspect, grid,
                     ARGS(&slab->data, slab->pitch, (unsigned)slab->pixels, (unsigned)slab->bands, (int)slab->masked,
                          pca_double_bits(none.value), &slab->flags, &loader->report)));
cleanup:
    return status;
}

static size_t cells_of(const pca_slab *slab)
{
    return slab->pixels < SLAB_CELLS ? slab->pixels : SLAB_CELLS;
}

static penta_status count(pca_loader *loader, pca_slab *slab)
{
    size_t group = penta_is_cpu(loader->resources.ctx) ? 1 : SLAB_LANES, cells = cells_of(slab);

    return penta_launch(&loader->count, penta_grid_groups(penta_grid_1d(cells * group), group, 1, 1),
                        ARGS((unsigned)slab->pixels, (unsigned)cells, &slab->flags, &loader->pick, &loader->report));
}

static penta_status find_shift(pca_loader *loader, pca_slab *slab)
{
    penta_status status = PENTA_OK;
    penta_kernel *shift = &loader->kernels[slab->type].shift;
    size_t group = penta_is_cpu(loader->resources.ctx) ? 1 : SLAB_LANES;

    TRY(slab_kernel(loader, shift, slab->type, "close", "pca_slab_shift"));
    TRY(penta_launch(shift, penta_grid_groups(penta_grid_1d(slab->bands * group), group, 1, 1),
                     ARGS(&slab->data, slab->pitch, (unsigned)slab->pixels, (int)slab->masked, &loader->pick,
                          (unsigned)cells_of(slab), &slab->shift)));
cleanup:
    return status;
}

/* Writes the shift into padding and pixels that are left out. */
static penta_status fill(pca_loader *loader, pca_slab *slab)
{
    penta_status status = PENTA_OK;
    penta_kernel *fill = &loader->kernels[slab->type].fill;
    bool cpu = penta_is_cpu(loader->resources.ctx);
    size_t end = pca_padded(slab->pixels), first = slab->masked ? 0 : slab->pixels;
    penta_grid grid = slab_grid(end - first, slab->bands);

    if (first == end)
        return PENTA_OK;
    if (cpu) {
        first = first / PCA_UNIT * PCA_UNIT;
        grid = slab_items((end - first) / PCA_UNIT);
    }
    TRY(slab_kernel(loader, fill, slab->type, "close", "pca_slab_fill"));
    TRY(penta_launch(fill, grid,
                     ARGS(slab->pitch, (unsigned)slab->pixels, (unsigned)slab->bands, (int)slab->masked,
                          (unsigned)first, (unsigned)end, &slab->shift, &slab->data, &slab->flags)));
cleanup:
    return status;
}

static penta_status check_report(const pca_loader *loader, const pca_slab *slab, uint32_t bad, size_t *bad_band,
                                 size_t *bad_pixel)
{
    if (!bad)
        return PENTA_OK;
    *bad_band = ~bad % slab->bands;
    *bad_pixel = ~bad / slab->bands;
    return penta_fail(loader->resources.ctx, PENTA_INVALID, "band %zu of pixel %zu is not a finite number", *bad_band,
                      *bad_pixel);
}

static penta_status read_report(pca_loader *loader, pca_slab *slab, size_t *bad_band, size_t *bad_pixel)
{
    penta_status status = PENTA_OK;
    uint32_t report[2];

    TRY(penta_buffer_read(&loader->report, 0, report, sizeof report));
    if (slab->masked)
        slab->valid = report[VALID];
    slab->masked = slab->valid < slab->pixels;
    TRY(check_report(loader, slab, report[BAD], bad_band, bad_pixel));
cleanup:
    return status;
}

penta_status pca_slab_close(pca_loader *loader, pca_slab *slab, bool shift, size_t *bad_band, size_t *bad_pixel)
{
    penta_status status = PENTA_OK;
    bool look = !slab->differences && slab_no_data_in(&loader->no_data, slab->type).kind != SLAB_NO_DATA_NONE;
    bool inspect = look || (bad_band && is_real(slab->type));
    bool shifted = shift && !pca_is_exact(slab->type) && slab->pixels;
    size_t band, pixel;

    slab->valid = slab->pixels;
    if (inspect || slab->masked)
        TRY(penta_buffer_zero(&loader->report, 0, loader->report.bytes));
    if (inspect)
        TRY(slab_inspect(loader, slab, look));
    slab->masked |= look;
    if (slab->masked)
        TRY(count(loader, slab));
    if (shifted)
        TRY(find_shift(loader, slab));
    else
        TRY(penta_buffer_zero(&slab->shift, 0, slab->shift.bytes));
    TRY(fill(loader, slab));
    if (inspect || slab->masked)
        TRY(read_report(loader, slab, bad_band ? bad_band : &band, bad_pixel ? bad_pixel : &pixel));
cleanup:
    return status;
}

penta_status pca_slab_find_bad(pca_loader *loader, pca_slab *slab, size_t *bad_band, size_t *bad_pixel)
{
    penta_status status = PENTA_OK;
    uint32_t report[2];

    if (!is_real(slab->type))
        return PENTA_OK;
    TRY(penta_buffer_zero(&loader->report, 0, loader->report.bytes));
    TRY(slab_inspect(loader, slab, false));
    TRY(penta_buffer_read(&loader->report, 0, report, sizeof report));
    TRY(check_report(loader, slab, report[BAD], bad_band, bad_pixel));
cleanup:
    return status;
}
