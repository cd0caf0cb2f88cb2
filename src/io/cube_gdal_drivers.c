/*
 * Chooses GDAL's drivers. A file must not decide about anything beyond itself: the usual drivers are those of formats
 * that cannot name other files or addresses; all others are used only if the caller names them. If this library is the
 * first in the program to use GDAL, the others are not even registered, so that a file beside the cube (a mask,
 * overviews) cannot lead to them.
 */
#include "io/cube_gdal.h"

/* io_hdf5_check_file checks HDF5 files first. */
static const struct {
    const char *driver, *name;
    const char *ends[8];
    bool written;
} usual[] = {
    {"GTiff", "GeoTIFF", {"tif", "tiff"}, true},
    {"EHdr", "EHdr", {"bil", "bip", "bsq"}, false},
    {"HDF5Image", "HDF5", {"h5", "hdf5", "he5"}, false},
    {"netCDF", "netCDF", {"nc"}, false},
};

enum { USUAL = sizeof usual / sizeof *usual };

#ifdef PENTA_HAVE_GDAL

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/text.h"

#define NETWORK "CPL_VSIL_CURL_ALLOWED_EXTENSIONS"

static bool is_usual(const char *name)
{
    for (size_t i = 0; i < USUAL; i++)
        if (strcasecmp(name, usual[i].driver) == 0)
            return true;
    /* HDF5 lists what HDF5Image reads; ENVI is written by GDAL, which also reads where such a cube lies */
    return strcasecmp(name, "HDF5") == 0 || strcasecmp(name, "ENVI") == 0;
}

/* ---- the drivers of this process ---- */

enum { MOST_OTHERS = 400 };

static GDALDriverH others[MOST_OTHERS]; /* not registered */
static int other_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void register_usual(void)
{
    bool first = GDALGetDriverCount() == 0; /* otherwise the program itself uses GDAL, and keeps its drivers */

    GDALAllRegister();
    for (int i = GDALGetDriverCount(); first && i-- > 0;) {
        GDALDriverH driver = GDALGetDriver(i);

        if (is_usual(GDALGetDriverShortName(driver)) || other_count == MOST_OTHERS)
            continue;
        others[other_count++] = driver;
        GDALDeregisterDriver(driver);
    }
}

/* Finds a driver by name and registers it; NULL: there is none that reads images. */
static GDALDriverH find_driver(const char *name)
{
    GDALDriverH driver = GDALGetDriverByName(name);

    pthread_mutex_lock(&lock);
    for (int i = 0; !driver && i < other_count; i++)
        if (strcasecmp(GDALGetDriverShortName(others[i]), name) == 0) {
            driver = others[i];
            GDALRegisterDriver(driver);
        }
    pthread_mutex_unlock(&lock);
    return driver && GDALGetMetadataItem(driver, GDAL_DCAP_RASTER, NULL) ? driver : NULL;
}

bool io_gdal_choose(const penta_io_cube *cube, char ***names, penta_io_error *err)
{
    char **asked = cube->drivers ? CSLTokenizeString2(cube->drivers, ", ", 0) : NULL;
    bool ok = true;

    *names = NULL;
    for (size_t i = 0; i < USUAL; i++)
        *names = CSLAddString(*names, usual[i].driver);
    *names = CSLAddString(*names, "HDF5");
    for (int i = 0; ok && i < CSLCount(asked); i++) {
        if (find_driver(asked[i]))
            *names = CSLAddString(*names, asked[i]);
        else
            ok = penta_io_fail(err,
                               "GDAL has no driver '%.40s' for images here; `gdal_drivers` takes names as gdalinfo "
                               "--formats prints them",
                               asked[i]);
    }
    CSLDestroy(asked);
    return ok;
}

void io_gdal_suggest(const char *path, char *text, size_t size)
{
    const char *dot = strrchr(path, '.');
    int found = 0;

    *text = 0;
    for (int i = 0; dot && i < other_count; i++) {
        const char *ends = GDALGetMetadataItem(others[i], GDAL_DMD_EXTENSIONS, NULL);
        char **list = ends ? CSLTokenizeString2(ends, " ", 0) : NULL;

        if (GDALGetMetadataItem(others[i], GDAL_DCAP_RASTER, NULL) &&
            GDALGetMetadataItem(others[i], GDAL_DCAP_OPEN, NULL) && CSLFindString(list, dot + 1) >= 0)
            io_append(text, size, "%s%s", found++ ? ", " : "", GDALGetDriverShortName(others[i]));
        CSLDestroy(list);
    }
}

/* ---- one use of GDAL: it prints messages, and HDF5 behind it is not thread-safe ---- */

static void CPL_STDCALL keep_error(CPLErr class, CPLErrorNum number, const char *text)
{
    io_gdal_guard *guard = CPLGetErrorHandlerUserData();

    (void)number;
    if (class >= CE_Failure && !guard->text[0])
        snprintf(guard->text, sizeof guard->text, "%s", text);
}

void io_gdal_enter(io_gdal_guard *guard, unsigned what)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *before = CPLGetThreadLocalConfigOption(NETWORK, NULL);

    guard->text[0] = 0;
    guard->what = what;
    guard->network = before ? CPLStrdup(before) : NULL;
#ifdef PENTA_HAVE_HDF5
    if (what & IO_GDAL_HDF5)
        guard->hdf5 = io_hdf5_enter();
#endif
    CPLPushErrorHandlerEx(keep_error, guard); /* for this thread only */
    CPLErrorReset();
    if (!(what & IO_GDAL_NAMED))
        CPLSetThreadLocalConfigOption(NETWORK, "{none}");
    pthread_once(&once, register_usual);
}

void io_gdal_leave(io_gdal_guard *guard)
{
    if (!(guard->what & IO_GDAL_NAMED))
        CPLSetThreadLocalConfigOption(NETWORK, guard->network);
    CPLFree(guard->network);
    CPLPopErrorHandler();
#ifdef PENTA_HAVE_HDF5
    if (guard->what & IO_GDAL_HDF5)
        io_hdf5_leave(guard->hdf5);
#endif
}

#endif

bool io_gdal_at(size_t i, penta_io_format *out)
{
    if (i >= USUAL)
        return false;
    *out = (penta_io_format){.name = usual[i].name, .ends = usual[i].ends, .library = "GDAL"};
#ifdef PENTA_HAVE_GDAL
    if (io_gdal_load()) {
        out->package = PENTA_IO_GDAL_FILE;
    } else {
        io_gdal_guard guard;

        io_gdal_enter(&guard, 0);
        out->read = GDALGetDriverByName(usual[i].driver) != NULL;
        out->write = out->read && usual[i].written;
        io_gdal_leave(&guard);
    }
#else
    out->package = "libgdal-dev";
#endif
    return true;
}
