/* TIFF files of several pages: a band a page, or the bands of one page after those of another. */
#include "io/cube_gdal.h"

#ifdef PENTA_HAVE_GDAL

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/format.h"

bool io_gdal_add_pages(penta_io_cube *cube, const io_gdal_pages *pages, penta_io_error *err)
{
    penta_io_cube_info *w = &cube->whole;
    const uint64_t extents[] = {pages->count, w->rows, w->cols};
    size_t n = w->bands;
    penta_io_cube_band *each;

    if (pages->others > 0)
        snprintf(cube->note, sizeof cube->note,
                 "%zu pages are not read: they have another size or type than the first one", pages->others);
    if (pages->count < 2)
        return true;
    each = realloc(w->each, n * pages->count * sizeof *each);
    if (!each)
        return penta_io_fail(err, "%s: out of memory for %zu pages", cube->path, pages->count);
    w->each = each;
    w->bands = n * pages->count;
    w->layout = PENTA_BSQ;
    for (size_t i = n; i < w->bands; i++)
        each[i] = each[i - n];
    if (n == 1 && w->cols < pages->count && w->cols < w->rows && pages->others == 0)
        io_cube_doubt_axes(cube, "a series of pages", extents);
    return io_cube_bytes(w) != UINT64_MAX || penta_io_fail(err, "%s: is more than memory can address", cube->path);
}

static GDALDatasetH open_page(const penta_io_cube *cube, uint64_t at)
{
    static const char *const drivers[] = {"GTiff", NULL};
    size_t size = strlen(cube->input.path) + 48;
    char *name = malloc(size);
    GDALDatasetH set;

    if (!name)
        return NULL;
    snprintf(name, size, "GTIFF_DIR:off:%" PRIu64 ":%s", at, cube->input.path);
    set = GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, drivers, NULL, NULL);
    free(name);
    return set;
}

bool io_gdal_read_pages(const penta_io_cube *cube, const io_gdal_pages *pages, GDALDatasetH *open, GDALDataType type,
                        size_t y, size_t count, void *out)
{
    const penta_io_cube_info *a = &cube->about;
    size_t n = cube->whole.bands / pages->count, plane = count * a->cols * penta_type_size(a->type);
    bool ok = true;

    for (size_t k = 0; ok && k < a->bands; k++) {
        size_t page = cube->bands[k] / n;
        GDALDatasetH *kept = page < IO_GDAL_OPEN_PAGES ? &open[page] : NULL, set = kept ? *kept : NULL;

        set = set ? set : open_page(cube, pages->at[page]);
        ok = set && GDALRasterIO(GDALGetRasterBand(set, (int)(cube->bands[k] % n) + 1), GF_Read, (int)cube->x, (int)y,
                                 (int)a->cols, (int)count, (char *)out + k * plane, (int)a->cols, (int)count, type, 0,
                                 0) == CE_None;
        if (kept)
            *kept = set;
        else if (set)
            GDALClose(set);
    }
    return ok;
}

#else
typedef int io_cube_gdal_pages_is_empty;
#endif
