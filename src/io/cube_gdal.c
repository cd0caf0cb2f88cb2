/* Formats that GDAL reads: GeoTIFF and many more. */
#include "io/cube_format.h"
#include "io/cube_gdal.h"

#include <string.h>

static bool gdal_matches(const unsigned char *head, size_t size)
{
    (void)head;
    (void)size;
    return true;
}

#ifndef PENTA_HAVE_GDAL

static bool gdal_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    (void)hints;
    return io_cube_unknown(cube, "", "", err);
}

#else

#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "io/format.h"
#include "io/text.h"

/* ---- types ---- */

/* The type of a cube for GDAL's, and how it is read; the first row of a type is the one that is written. */
static const struct {
    int gdal; /* 12 to 15: GDT_UInt64, GDT_Int64, GDT_Int8, GDT_Float16, which older headers lack */
    penta_type type;
    int stored;
} types[] = {{GDT_Byte, PENTA_U8, 0},
             {GDT_UInt16, PENTA_U16, 0},
             {GDT_Int16, PENTA_I16, 0},
             {GDT_UInt32, PENTA_U32, 0},
             {GDT_Int32, PENTA_I32, 0},
             {GDT_Float32, PENTA_F32, 0},
             {GDT_Float64, PENTA_F64, 0},
             {12, PENTA_I64, IO_STORED_U64},
             {13, PENTA_I64, IO_STORED_I64},
             {14, PENTA_U8, IO_STORED_I8},
             {15, PENTA_F32, 0}};

GDALDataType io_gdal_type(penta_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return (GDALDataType)types[i].gdal;
    return GDT_Unknown;
}

static bool has_item(GDALMajorObjectH object, const char *name, const char *domain, const char *value)
{
    const char *item = GDALGetMetadataItem(object, name, domain);

    return item && strcasecmp(item, value) == 0;
}

enum { OPEN_PAGES = 128 /* files that are kept open */ };

typedef struct {
    GDALDatasetH set;
    GDALDataType type; /* that is read */
    io_gdal_pages pages;
    GDALDatasetH page[OPEN_PAGES]; /* of several pages; the first is `set` */
    unsigned what;                 /* for io_gdal_enter */
} gdal_state;

static void gdal_close(penta_io_cube *cube);

GDALDatasetH io_gdal_dataset(const penta_io_cube *cube)
{
    return cube && cube->format->close == gdal_close ? ((const gdal_state *)cube->state)->set : NULL;
}

/* The type of a band's elements, *stored the way to it; false: a cube cannot have it. */
static bool type_of(GDALRasterBandH band, penta_type *type, int *stored)
{
    int gdal = (int)GDALGetRasterDataType(band);

    if (gdal == GDT_Byte && has_item(band, "PIXELTYPE", "IMAGE_STRUCTURE", "SIGNEDBYTE")) /* before GDAL 3.7 */
        gdal = 14;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].gdal == gdal) {
            *type = types[i].type;
            *stored = types[i].stored;
            return true;
        }
    return false;
}

/* All bands must have one type, which a cube can have. */
static bool take_type(penta_io_cube *cube, gdal_state *g, penta_io_error *err)
{
    GDALDatasetH set = g->set;
    GDALRasterBandH first = GDALGetRasterBand(set, 1);
    GDALDataType type = GDALGetRasterDataType(first);

    g->type = type;
    if (GDALDataTypeIsComplex(type))
        return penta_io_fail(err, "%s: its elements are complex (%s); make a cube of their magnitudes or real parts",
                             cube->path, GDALGetDataTypeName(type));
    if (!type_of(first, &cube->whole.type, &cube->stored))
        return penta_io_fail(err,
                             "%s: elements of type %s are not supported; convert them (gdal_translate -ot Float64)",
                             cube->path, GDALGetDataTypeName(type));
    if (!cube->stored)
        g->type = io_gdal_type(cube->whole.type);
    for (size_t k = 2; k <= cube->whole.bands; k++) {
        GDALRasterBandH band = GDALGetRasterBand(set, (int)k);
        GDALDataType other = GDALGetRasterDataType(band);

        if (other != type && GDALGetRasterColorInterpretation(band) != GCI_AlphaBand)
            return penta_io_fail(err, "%s: band 1 is %s and band %zu %s; convert them to one type (gdal_translate -ot)",
                                 cube->path, GDALGetDataTypeName(type), k, GDALGetDataTypeName(other));
    }
    return true;
}

static int layout_of(GDALDatasetH set)
{
    if (has_item(set, "INTERLEAVE", "IMAGE_STRUCTURE", "PIXEL"))
        return PENTA_BIP;
    return has_item(set, "INTERLEAVE", "IMAGE_STRUCTURE", "LINE") ? PENTA_BIL : PENTA_BSQ;
}

/* ---- raw data: GDAL returns 0 for elements beyond the end of a short file ---- */

/* Checks other raw formats: their files together must be as large as the cube. */
static bool check_raw(const penta_io_cube *cube, GDALDatasetH set, const char *driver, penta_io_error *err)
{
    static const char *const raw[] = {"EHdr", "ERS", "GenBin", "PAux", "ROI_PAC", "RRASTER", "KRO", "BT", "LCP"};
    bool is_raw = false;
    uint64_t there = 0;
    char **files;

    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        is_raw = is_raw || strcmp(driver, raw[i]) == 0;
    if (!is_raw || GDALGetMetadataItem(GDALGetRasterBand(set, 1), "NBITS", "IMAGE_STRUCTURE"))
        return true;
    files = GDALGetFileList(set);
    for (int i = 0; files && files[i]; i++) {
        io_input in = {0};

        if (io_input_open(files[i], &in, NULL))
            there += in.bytes;
        io_input_close(&in);
    }
    CSLDestroy(files);
    return io_cube_bytes(&cube->whole) <= there || io_cube_short_file(cube, io_cube_bytes(&cube->whole), there, err);
}

/* ---- TIFF files of several pages: a band a page, or the bands of one page after those of another ---- */

/* After the facts of the first page's bands are known: those of all pages become the cube's. */
static bool add_pages(penta_io_cube *cube, const io_gdal_pages *pages, penta_io_error *err)
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

/* Pages beyond the first OPEN_PAGES are opened for each use. */
static bool read_pages(const penta_io_cube *cube, gdal_state *g, size_t y, size_t count, void *out)
{
    const penta_io_cube_info *a = &cube->about;
    size_t n = cube->whole.bands / g->pages.count, plane = count * a->cols * penta_type_size(a->type);
    bool ok = true;

    for (size_t k = 0; ok && k < a->bands; k++) {
        size_t page = cube->bands[k] / n;
        GDALDatasetH spare = NULL, *kept = page < OPEN_PAGES ? &g->page[page] : &spare;

        *kept = *kept ? *kept : open_page(cube, g->pages.at[page]);
        ok = *kept && GDALRasterIO(GDALGetRasterBand(*kept, (int)(cube->bands[k] % n) + 1), GF_Read, (int)cube->x,
                                   (int)y, (int)a->cols, (int)count, (char *)out + k * plane, (int)a->cols, (int)count,
                                   g->type, 0, 0) == CE_None;
        if (spare)
            GDALClose(spare);
    }
    return ok;
}

/* ---- opening ---- */

/* Goes on with the subdataset of the array that the caller names; false: there is none. */
static bool open_variable(gdal_state *g, const char *variable, const char *const *drivers)
{
    char **parts = GDALGetMetadata(g->set, "SUBDATASETS");
    size_t length = strlen(variable);
    GDALDatasetH part = NULL;

    for (int i = 0; !part && parts && parts[i]; i++) { /* SUBDATASET_1_NAME=NETCDF:"path":variable */
        const char *name = strstr(parts[i], "_NAME="), *end = parts[i] + strlen(parts[i]);

        if (name && (size_t)(end - name) > length + 6 && strcmp(end - length, variable) == 0 &&
            strchr(":/", end[-1 - (ptrdiff_t)length]))
            part = GDALOpenEx(name + 6, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, drivers, NULL, NULL);
    }
    if (!part && GDALGetRasterCount(g->set) > 0) { /* netCDF with one array */
        const char *only = GDALGetMetadataItem(GDALGetRasterBand(g->set, 1), "NETCDF_VARNAME", NULL);

        return only && strcmp(only, variable) == 0;
    }
    if (!part)
        return false;
    GDALClose(g->set);
    g->set = part;
    return true;
}

static bool holds_no_bands(const penta_io_cube *cube, GDALDatasetH set, penta_io_error *err)
{
    char **parts = GDALGetMetadata(set, "SUBDATASETS"), names[300] = "";

    if (CSLCount(parts) == 0)
        return penta_io_fail(err, "%s: holds no bands; make it again", cube->path);
    for (int i = 0; i < CSLCount(parts); i += 2) { /* SUBDATASET_1_NAME=NETCDF:"path":variable, then its description */
        const char *name = strrchr(parts[i], ':');

        name = name ? name + 1 : parts[i];
        io_append(names, sizeof names, "%s%s", i ? ", " : "", name + strspn(name, "/"));
    }
    return penta_io_fail(err, "%s: holds %d data sets and no bands itself; name one (`variable`): %s", cube->path,
                         CSLCount(parts) / 2, names);
}

/* The axis that the first index of a netCDF array counts by its name, which is copied to `first`; 0: it is not known.
 */
static char netcdf_axis(GDALDatasetH set, char first[64])
{
    const char *name = GDALGetMetadataItem(set, "NETCDF_DIM_EXTRA", NULL); /* "{y}" */

    *first = 0;
    return name && sscanf(name, "{%63[^}]", first) == 1 ? io_cube_axis_of(first) : 0;
}

/* netCDF of before version 4: GDAL takes the first index for the bands, and knows no names of the others. */
static bool take_netcdf_axes(penta_io_cube *cube, GDALDatasetH set, penta_io_error *err)
{
    const uint64_t extents[] = {cube->whole.bands, cube->whole.rows, cube->whole.cols};
    char first[64], what[120], axis = netcdf_axis(set, first);

    if (!*first)
        return true;
    snprintf(what, sizeof what, "its array, whose first index is called %s,", first);
    if (axis != 'b' && axis != 'r')
        io_cube_doubt_axes(cube, what, extents);
    if (axis != 'r')
        return true;
    snprintf(cube->note, sizeof cube->note,
             "its first index, %s, counts rows, so it is read as rows x columns x bands; if the middle one counts the "
             "bands, say --axes rbc",
             first);
    return io_cube_set_axes(cube, "rcb", err);
}

static bool take_dataset(penta_io_cube *cube, gdal_state *g, const penta_io_cube_hints *hints, penta_io_error *err)
{
    const char *driver = GDALGetDriverShortName(GDALGetDatasetDriver(g->set));

    cube->whole = (penta_io_cube_info){.bands = (size_t)GDALGetRasterCount(g->set),
                                       .rows = (size_t)GDALGetRasterYSize(g->set),
                                       .cols = (size_t)GDALGetRasterXSize(g->set),
                                       .layout = layout_of(g->set),
                                       .format = driver};
    if (cube->whole.bands == 0)
        return holds_no_bands(cube, g->set, err);
    if (!take_type(cube, g, err) || !io_gdal_check_set(cube, g->set, (g->what & IO_GDAL_NAMED) != 0, err) ||
        !io_gdal_take_bands(cube, g->set, hints, err))
        return false;
    if (strcmp(driver, "netCDF") == 0 && !hints->axes)
        return take_netcdf_axes(cube, g->set, err);
    if (strcmp(driver, "GTiff") == 0)
        return add_pages(cube, &g->pages, err);
    return check_raw(cube, g->set, driver, err);
}

static bool not_opened(penta_io_cube *cube, const io_gdal_guard *guard, penta_io_error *err)
{
    char others[128] = "";

    if (!cube->drivers)
        io_gdal_suggest(cube->input.path, others, sizeof others);
    return io_cube_unknown(cube, guard->text, others, err);
}

static bool open_set(const penta_io_cube *cube, gdal_state *g, const char *variable, const char *const *drivers,
                     penta_io_error *err)
{
    g->set =
        GDALOpenEx(cube->input.path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, drivers, NULL, NULL);
    return !g->set || !variable || open_variable(g, variable, drivers) ||
           penta_io_fail(err, "%s: has no array %.60s; leave `variable` out, or name one that gdalinfo lists",
                         cube->path, variable);
}

/* Whether GDAL turns the second index of classic netCDF round although it counts no rows from south to north. */
static bool is_turned(const gdal_state *g, const penta_io_cube_hints *hints)
{
    const char *driver = g->set ? GDALGetDriverShortName(GDALGetDatasetDriver(g->set)) : "";
    char first[64];
    double t[6];

    return strcmp(driver, "netCDF") == 0 && !(g->what & IO_GDAL_HDF5) &&
           (hints->axes || netcdf_axis(g->set, first) != 'b' || GDALGetGeoTransform(g->set, t) != CE_None);
}

static bool open_dataset(penta_io_cube *cube, gdal_state *g, const penta_io_cube_hints *hints, penta_io_error *err)
{
    char **names = NULL;
    const char *const *drivers;
    io_gdal_guard guard;
    bool ok;

    if (!io_gdal_check_file(cube, &g->pages, err))
        return false;
    g->what = (io_hdf5_matches(&cube->input) ? IO_GDAL_HDF5 : 0u) | (cube->drivers ? IO_GDAL_NAMED : 0u);
    io_gdal_enter(&guard, g->what);
    ok = io_gdal_choose(cube, &names, err);
    drivers = (const char *const *)names;
    ok = ok && open_set(cube, g, hints->variable, drivers, err);
    if (ok && is_turned(g, hints)) {
        GDALClose(g->set);
        CPLSetThreadLocalConfigOption("GDAL_NETCDF_BOTTOMUP", "NO");
        ok = open_set(cube, g, hints->variable, drivers, err);
        CPLSetThreadLocalConfigOption("GDAL_NETCDF_BOTTOMUP", NULL);
    }
    g->page[0] = g->set;
    ok = ok && (g->set ? take_dataset(cube, g, hints, err) : not_opened(cube, &guard, err));
    CSLDestroy(names);
    io_gdal_leave(&guard);
    return ok;
}

static bool gdal_open(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err)
{
    gdal_state *g = cube->state = calloc(1, sizeof *g);

    if (!g)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    return io_gdal_load() ? io_cube_unknown(cube, io_gdal_load(), "", err) : open_dataset(cube, g, hints, err);
}

/* ---- reading ---- */

static bool read_by_gdal(const penta_io_cube *cube, gdal_state *g, size_t y, size_t count, void *out, int *bands)
{
    const penta_io_cube_info *a = &cube->about;
    GSpacing size = (GSpacing)penta_type_size(a->type);
    GSpacing n = (GSpacing)a->bands;
    GSpacing cols = (GSpacing)a->cols;
    GSpacing pixel = a->layout == PENTA_BIP ? n * size : size;
    GSpacing line = (a->layout == PENTA_BSQ ? 1 : n) * cols * size;
    GSpacing band = a->layout == PENTA_BIP   ? size
                    : a->layout == PENTA_BIL ? cols * size
                                             : (GSpacing)count * cols * size;

    if (g->pages.count > 1)
        return read_pages(cube, g, y, count, out);
    for (size_t k = 0; k < a->bands; k++)
        bands[k] = (int)cube->bands[k] + 1;
    return GDALDatasetRasterIOEx(g->set, GF_Read, (int)cube->x, (int)y, (int)a->cols, (int)count, out, (int)a->cols,
                                 (int)count, g->type, (int)a->bands, bands, pixel, line, band, NULL) == CE_None;
}

static bool gdal_read(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err)
{
    gdal_state *g = cube->state;
    io_gdal_guard guard;
    int *bands;
    bool ok;

    bands = malloc(cube->about.bands * sizeof *bands);
    if (!bands)
        return penta_io_fail(err, "%s: out of memory for %zu bands", cube->path, cube->about.bands);
    io_gdal_enter(&guard, g->what);
    ok = read_by_gdal(cube, g, y, count, out, bands) && !guard.text[0];
    io_gdal_leave(&guard);
    free(bands);
    return ok || penta_io_fail(err,
                               "%s: rows %zu to %zu (from 0) cannot be read (GDAL: %s); the file is truncated or "
                               "damaged: copy it again",
                               cube->path, y, y + count - 1, guard.text);
}

static bool gdal_valid(const penta_io_cube *cube, size_t y, size_t count, bool no_data, uint8_t *out,
                       penta_io_error *err)
{
    const gdal_state *g = cube->state;
    io_gdal_guard guard;
    bool ok;

    io_gdal_enter(&guard, g->what);
    ok = io_gdal_valid(cube, g->set, y, count, no_data, out) && !guard.text[0];
    io_gdal_leave(&guard);
    return ok ||
           penta_io_fail(err,
                         "%s: which pixels are valid in rows %zu to %zu (from 0) cannot be read (GDAL: %s); the file "
                         "is truncated or damaged: copy it again",
                         cube->path, y, y + count - 1, guard.text);
}

static void gdal_close(penta_io_cube *cube)
{
    gdal_state *g = cube->state;
    io_gdal_guard guard;

    if (g && g->set) {
        io_gdal_enter(&guard, g->what);
        for (size_t i = 1; i < OPEN_PAGES; i++)
            if (g->page[i])
                GDALClose(g->page[i]);
        GDALClose(g->set);
        io_gdal_leave(&guard);
    }
    if (g)
        free(g->pages.at);
    free(g);
}

static bool gdal_has_file(const penta_io_cube *cube, const char *path)
{
    const gdal_state *g = cube->state;
    io_gdal_guard guard;
    bool found = false;
    char **files;

    io_gdal_enter(&guard, g->what);
    files = GDALGetFileList(g->set);
    for (int i = 0; files && files[i]; i++)
        found = found || penta_io_same_file(files[i], path);
    CSLDestroy(files);
    io_gdal_leave(&guard);
    return found;
}

#endif

const io_cube_format io_cube_gdal = {.at = io_gdal_at,
                                     .matches = gdal_matches,
                                     .open = gdal_open,
#ifdef PENTA_HAVE_GDAL
                                     .read = gdal_read,
                                     .close = gdal_close,
                                     .has_file = gdal_has_file,
                                     .valid = gdal_valid,
#endif
                                     .has_drivers = true,
                                     .has_arrays = true};
