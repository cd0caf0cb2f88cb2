/*
 * GeoTIFF and ENVI through GDAL, which writes into a temporary directory beside the target. Its files are adopted at
 * the end: ENVI has two.
 */
#define _DEFAULT_SOURCE /* realpath */

#include "io/cube_format.h"
#include "io/cube_gdal.h"

#ifdef PENTA_HAVE_GDAL

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output.h"
#include "io/path.h"
#include "io/temporary.h"

enum { TRACES = 4 }; /* the directory, and what GDAL may create in it: data, .hdr, .aux.xml */

typedef struct {
    GDALDatasetH set;
    char *target;    /* what the rename replaces */
    char *directory; /* temporary */
    int lock;        /* on it; -1: none */
    char *data;      /* the file in it */
    penta_io_pending *traces[TRACES];
    pthread_mutex_t writing; /* a dataset is of one thread at a time */
} gdal_state;

static bool gdal_failed(const penta_io_cube_writer *writer, const io_gdal_guard *guard, penta_io_error *err)
{
    return penta_io_fail(err, "%s: cannot be written (GDAL: %s); free some space or choose another place or format",
                         writer->path, guard->text);
}

/* ---- facts about pixels and bands ---- */

/* The geographic position of the window of `like`. */
static bool keep_georeferencing(GDALDatasetH set, const penta_io_cube *like)
{
    static const char *const envi[] = {"ENVI", NULL};
    GDALDatasetH opened = like && like->format == &io_cube_envi
                              ? GDALOpenEx(like->input.path, GDAL_OF_RASTER | GDAL_OF_READONLY, envi, NULL, NULL)
                              : NULL;
    GDALDatasetH from = opened ? opened : io_gdal_dataset(like);
    OGRSpatialReferenceH srs = from ? GDALGetSpatialRef(from) : NULL;
    int n = from ? GDALGetGCPCount(from) : 0;
    double t[6];
    bool ok = true;

    if (srs)
        ok = GDALSetSpatialRef(set, srs) == CE_None;
    if (from && GDALGetGeoTransform(from, t) == CE_None) {
        t[0] += (double)like->x * t[1] + (double)like->y * t[2];
        t[3] += (double)like->x * t[4] + (double)like->y * t[5];
        ok = ok && GDALSetGeoTransform(set, t) == CE_None;
    } else if (n > 0) {
        GDAL_GCP *points = GDALDuplicateGCPs(n, GDALGetGCPs(from));

        for (int i = 0; i < n; i++) {
            points[i].dfGCPPixel -= (double)like->x;
            points[i].dfGCPLine -= (double)like->y;
        }
        ok = ok && GDALSetGCPs2(set, n, points, GDALGetGCPSpatialRef(from)) == CE_None;
        GDALDeinitGCPs(n, points);
        CPLFree(points);
    }
    if (opened)
        GDALClose(opened);
    return ok;
}

/* ENVI has a list in its header, other formats one item per band. */
static void put_wavelengths(GDALDatasetH set, const penta_io_cube_info *about, bool envi)
{
    size_t size = about->bands * 32 + 8;
    char *list = CPLMalloc(size);
    size_t n = 0;

    list[n++] = '{';
    for (size_t k = 0; k < about->bands; k++) {
        GDALRasterBandH band = GDALGetRasterBand(set, (int)k + 1);
        char text[32];

        CPLsnprintf(text, sizeof text, "%.10g", about->wavelengths[k]);
        n += (size_t)CPLsnprintf(list + n, size - n, "%s%s", k ? ", " : "", text);
        if (!envi) {
            GDALSetMetadataItem(band, "wavelength", text, NULL);
            GDALSetMetadataItem(band, "wavelength_units", "Nanometers", NULL);
        }
    }
    CPLsnprintf(list + n, size - n, "}");
    if (envi) {
        GDALSetMetadataItem(set, "wavelength", list, "ENVI");
        GDALSetMetadataItem(set, "wavelength_units", "Nanometers", "ENVI");
    }
    CPLFree(list);
}

static bool describe(const penta_io_cube_writer *writer, GDALDatasetH set, const penta_io_cube *like)
{
    const penta_io_cube_info *a = &writer->about;
    bool ok = true;

    for (size_t k = 1; ok && k <= a->bands; k++) {
        GDALRasterBandH band = GDALGetRasterBand(set, (int)k);
        char name[64];

        snprintf(name, sizeof name, "%s %zu", a->band_name ? a->band_name : "", k);
        if (a->band_name)
            GDALSetDescription(band, name);
        if (a->has_no_data)
            ok = GDALSetRasterNoDataValue(band, a->no_data) == CE_None;
    }
    if (a->wavelengths)
        put_wavelengths(set, a, writer->format == PENTA_IO_CUBE_ENVI);
    return ok && keep_georeferencing(set, like);
}

/* ---- files ---- */

/* Whether the path can be written; penta_io_output reports the reason. */
static bool find_target(const penta_io_cube_writer *writer, gdal_state *g, penta_io_error *err)
{
    penta_io_output *probe = NULL;
    struct stat st;
    bool there = stat(writer->path, &st) == 0;

    if (there && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return penta_io_fail(err, "%s: is no file, and a cube cannot be written elsewhere; name a file", writer->path);
    if (!penta_io_output_open(writer->path, &probe, err))
        return false;
    penta_io_output_abort(probe);
    g->target = there ? realpath(writer->path, NULL) : strdup(writer->path);
    return g->target || penta_io_fail(err, "%s: cannot be resolved: %s", writer->path, strerror(errno));
}

/* The file where GDAL puts what the format itself cannot hold, such as some coordinate systems; to be freed. */
static char *name_more(const char *data)
{
    size_t size = strlen(data) + sizeof ".aux.xml";
    char *more = malloc(size);

    if (more)
        snprintf(more, size, "%s.aux.xml", data);
    return more;
}

static bool leave_traces(gdal_state *g)
{
    char *header = penta_io_cube_header_name(g->data), *more = name_more(g->data);
    bool ok = header && more;

    g->traces[1] = penta_io_pending_file(g->data);
    g->traces[2] = header ? penta_io_pending_file(header) : NULL;
    g->traces[3] = more ? penta_io_pending_file(more) : NULL;
    for (int i = 0; i < TRACES; i++)
        ok = ok && g->traces[i];
    free(header);
    free(more);
    return ok;
}

/* GDAL writes several files under names of its own, so it gets a directory beside the target. */
static bool make_directory(const penta_io_cube_writer *writer, gdal_state *g, penta_io_error *err)
{
    g->lock = io_temporary_directory(g->target, &g->directory, &g->traces[0]);
    if (g->lock < 0)
        return penta_io_fail(err, "%s: cannot be written: %s", writer->path, strerror(errno));
    g->data = penta_io_join_path(g->directory, io_path_base(g->target), "");
    return (g->data && leave_traces(g)) || penta_io_fail(err, "%s: out of memory", writer->path);
}

/* ---- writing ---- */

static GDALDatasetH create_dataset(const penta_io_cube_writer *writer, const char *path)
{
    const penta_io_cube_info *a = &writer->about;
    bool tiff = writer->format == PENTA_IO_CUBE_GTIFF;
    GDALDriverH driver = GDALGetDriverByName(tiff ? "GTiff" : "ENVI");
    char **options = NULL;
    GDALDatasetH set = NULL;

    if (tiff) {
        options = CSLSetNameValue(options, "TILED", "YES");
        options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
        options = CSLSetNameValue(options, "PREDICTOR", a->type == PENTA_F32 || a->type == PENTA_F64 ? "3" : "2");
        options = CSLSetNameValue(options, "BIGTIFF", "IF_SAFER");
        options = CSLSetNameValue(options, "INTERLEAVE", "BAND");
        options = CSLSetNameValue(options, "PHOTOMETRIC", "MINISBLACK"); /* otherwise a fourth band of bytes is alpha */
    } else
        options = CSLSetNameValue(options, "INTERLEAVE", "BSQ");
    if (driver)
        set = GDALCreate(driver, path, (int)a->cols, (int)a->rows, (int)a->bands, io_gdal_type(a->type), options);
    CSLDestroy(options);
    return set;
}

static bool gdal_create(penta_io_cube_writer *writer, const penta_io_cube *like, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    gdal_state *g = writer->state = calloc(1, sizeof *g);
    size_t length = strlen(writer->path);
    io_gdal_guard guard;
    bool ok;

    if (!g)
        return penta_io_fail(err, "%s: out of memory", writer->path);
    g->lock = -1;
    pthread_mutex_init(&g->writing, NULL);
    if (io_gdal_load())
        return penta_io_fail(err, "%s: this format is written by GDAL, and %s; write NPY", writer->path,
                             io_gdal_load());
    if (a->cols > INT_MAX || a->rows > INT_MAX || a->bands > 65535)
        return penta_io_fail(err, "%s: %zu bands of %zu rows x %zu columns are too many for this format; write NPY",
                             writer->path, a->bands, a->rows, a->cols);
    if (writer->format == PENTA_IO_CUBE_ENVI && length > 4 && strcasecmp(writer->path + length - 4, ".hdr") == 0)
        return penta_io_fail(err, "%s: is the name of the header; name the data, .img", writer->path);
    if (!find_target(writer, g, err) || !make_directory(writer, g, err))
        return false;
    io_gdal_enter(&guard, 0);
    g->set = create_dataset(writer, g->data);
    ok = g->set && describe(writer, g->set, like);
    io_gdal_leave(&guard);
    return ok || gdal_failed(writer, &guard, err);
}

static bool gdal_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                       penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    gdal_state *g = writer->state;
    GSpacing size = (GSpacing)penta_type_size(a->type);
    io_gdal_guard guard;
    bool ok;

    pthread_mutex_lock(&g->writing);
    io_gdal_enter(&guard, 0);
    ok = GDALDatasetRasterIOEx(g->set, GF_Write, 0, (int)first, (int)a->cols, (int)count, (void *)data, (int)a->cols,
                               (int)count, io_gdal_type(a->type), (int)a->bands, NULL, size, (GSpacing)a->cols * size,
                               (GSpacing)stride * size, NULL) == CE_None &&
         !guard.text[0];
    io_gdal_leave(&guard);
    pthread_mutex_unlock(&g->writing);
    return ok || gdal_failed(writer, &guard, err);
}

/* Closing writes the rest but does not report failures, so the file is opened again. */
static bool close_dataset(const penta_io_cube_writer *writer, gdal_state *g, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    uint64_t bytes = io_cube_bytes(a);
    GDALDatasetH again = NULL;
    io_gdal_guard guard;
    struct stat st;
    bool ok;

    io_gdal_enter(&guard, 0);
    GDALClose(g->set);
    g->set = NULL;
    if (!guard.text[0])
        again = GDALOpenEx(g->data, GDAL_OF_RASTER | GDAL_OF_READONLY, NULL, NULL, NULL);
    ok = again && !guard.text[0] && (size_t)GDALGetRasterXSize(again) == a->cols &&
         (size_t)GDALGetRasterYSize(again) == a->rows && (size_t)GDALGetRasterCount(again) == a->bands;
    if (again)
        GDALClose(again);
    if (ok && writer->format == PENTA_IO_CUBE_ENVI)
        ok = stat(g->data, &st) == 0 && (uint64_t)st.st_size == bytes;
    io_gdal_leave(&guard);
    return ok || gdal_failed(writer, &guard, err);
}

/* Adopts the .aux.xml file. Without a new one, an old one is removed: it would be taken to describe the new data. */
static bool name_more_file(const penta_io_cube_writer *writer, const gdal_state *g, penta_io_error *err)
{
    char *from = name_more(g->data), *to = name_more(g->target);
    bool ok = (from && to) || penta_io_fail(err, "%s: out of memory", writer->path);

    if (ok && access(from, F_OK) == 0)
        ok = io_output_adopt(from, to, err);
    else if (ok)
        penta_io_remove_file(to);
    free(from);
    free(to);
    return ok;
}

/* Adopts the header first, so that no reader finds data without a header. */
static bool name_files(const penta_io_cube_writer *writer, const gdal_state *g, penta_io_error *err)
{
    bool envi = writer->format == PENTA_IO_CUBE_ENVI;
    char *from = penta_io_cube_header_name(g->data);
    char *to = penta_io_cube_header_name(g->target);
    bool ok = (from && to) || penta_io_fail(err, "%s: out of memory", writer->path);

    ok = ok && (!envi || io_cube_envi_name_data(from, g->data) ||
                penta_io_fail(err, "%s: its header cannot be written: %s", writer->path, strerror(errno)));
    ok = ok && (!envi || io_output_adopt(from, to, err));
    if (ok && !(name_more_file(writer, g, err) && io_output_adopt(g->data, writer->path, err))) {
        if (envi)
            penta_io_remove_file(to);
        ok = false;
    }
    free(from);
    free(to);
    return ok;
}

/* ENVI's data have no header before them, and GDAL writes whole rows of the machine's order. */
static bool gdal_place(const penta_io_cube_writer *writer, io_cube_place *out)
{
    const gdal_state *g = writer->state;

    *out = (io_cube_place){g->data, 0, false};
    return writer->format == PENTA_IO_CUBE_ENVI;
}

static bool gdal_finish(penta_io_cube_writer *writer, penta_io_error *err)
{
    gdal_state *g = writer->state;

    return close_dataset(writer, g, err) && name_files(writer, g, err);
}

static void gdal_abandon(penta_io_cube_writer *writer)
{
    gdal_state *g = writer->state;
    io_gdal_guard guard;

    if (!g)
        return;
    if (g->set) {
        io_gdal_enter(&guard, 0);
        GDALClose(g->set);
        io_gdal_leave(&guard);
    }
    if (g->directory)
        io_temporary_remove_folder(g->directory);
    if (g->lock >= 0)
        close(g->lock);
    for (int i = 0; i < TRACES; i++)
        penta_io_pending_drop(g->traces[i]);
    free(g->data);
    free(g->directory);
    free(g->target);
    pthread_mutex_destroy(&g->writing);
    free(g);
}

const io_cube_output io_cube_gdal_output = {gdal_create, gdal_write, gdal_finish, gdal_abandon, gdal_place};

#else
const io_cube_output io_cube_gdal_output = {0}; /* penta_io_cube_can_write fails first */
#endif
