#include "pca/flags.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
const penta_option pca_input_rows[] = {
    PENTA_TEXT_OPTION(pca_flags, variable, 0, "NAME", "MATLAB, HDF5, netCDF: which array is the cube, such as reflectance"),
    PENTA_TEXT_OPTION(pca_flags, shape, 0, "ROWSxCOLS", "MATLAB: the array is bands x pixels, pixels column by column"),
    PENTA_TEXT_OPTION(pca_flags, axes, 0, "AXES", "the order of the three indices as r, c and b; default: as HDF5 and netCDF name them, rcb for MATLAB, else brc (pages of TIFF are b)"),
    PENTA_TEXT_OPTION(pca_flags, gdal_drivers, 0, "NAMES", "let GDAL use these drivers too, such as VRT,ERS: their files can name others, which are read, or addresses, which are fetched"),
    PENTA_TEXT_OPTION(pca_flags, bands, 'b', "LIST", "only these bands, in this order, counted from 1, such as 1-10,15"),
    PENTA_TEXT_OPTION(pca_flags, drop_bands, 0, "LIST", "leave out these bands, counted from 1, such as those that water vapour absorbs"),
    PENTA_TEXT_OPTION(pca_flags, window, 0, "X,Y,W,H", "only these pixels: column and row of the first one (from 0), width, height"),
    PENTA_TEXT_OPTION(pca_flags, mask, 'm', "FILE", "image, NPY, ENVI or GeoTIFF of rows x cols; pixels where it is 0 are left out"),
    PENTA_FLAG_OPTION(pca_flags, raw_values, 0, "use elements as stored: ignore gains, offsets, scale factors and the list of bad bands"),
    PENTA_OPTIONS_END};

const penta_option pca_output_rows[] = {
    PENTA_TEXT_OPTION(pca_flags, transform, 0, "FILE", "compute components with the model.json of another run: its mean and loadings"),
    PENTA_FLAG_OPTION(pca_flags, any_wavelengths, 0, "with --transform: the cube's wavelengths may differ from the model's"),
    PENTA_TEXT_OPTION(pca_flags, inverse, 0, "FILE", "CUBE holds components of this model.json: reconstruct the bands from them"),
    PENTA_FLAG_OPTION(pca_flags, resume, 0, "resume an interrupted run with the same arguments; statistics that are done are kept"),
    PENTA_FLAG_OPTION(pca_flags, filter, 'f', "also write the cube reconstructed from the kept components"),
    PENTA_TEXT_OPTION(pca_flags, rescale, 0, "LO,HI", "map the scores of each component, least to largest, to LO..HI, rounded if both are integers; or none"),
    PENTA_CHOICE_OPTION(pca_flags, type, 0, "auto,f32,f64", "numbers written; auto: f32 in single precision, f64 in double, integers by --rescale"),
    PENTA_CHOICE_OPTION(pca_flags, format, 0, "npy,gtiff,envi", "format of the cubes written"),
    PENTA_OPTIONS_END};
/* clang-format on */

/* ---- numbers ---- */

/* Steps over a decimal integer; false where there is none, or one beyond 2^31. */
static bool take_integer(const char **at, size_t *out)
{
    size_t value = 0;
    const char *p = *at;

    for (; *p >= '0' && *p <= '9' && value <= INT32_MAX; p++)
        value = 10 * value + (size_t)(*p - '0');
    if (p == *at || value > INT32_MAX)
        return false;
    *at = p;
    *out = value;
    return true;
}

static bool take_number(const char **at, double *out)
{
    char *end;

    *out = strtod(*at, &end);
    if (end == *at)
        return false;
    *at = end;
    return true;
}

bool pca_parse_window(const char *text, pca_window *out, penta_io_error *err)
{
    size_t *const parts[] = {&out->x, &out->y, &out->width, &out->height};
    const char *at = text;

    for (int i = 0; i < 4; i++)
        if ((i > 0 && *at++ != ',') || !take_integer(&at, parts[i]))
            return penta_io_fail(err, "--window '%.60s' is not X,Y,WIDTH,HEIGHT in pixels", text);
    if (*at)
        return penta_io_fail(err, "--window '%.60s' has more than X,Y,WIDTH,HEIGHT", text);
    return (out->width > 0 && out->height > 0) || penta_io_fail(err, "--window '%.60s' is empty", text);
}

bool pca_parse_shape(const char *text, size_t *rows, size_t *cols, penta_io_error *err)
{
    const char *at = text;

    if (!take_integer(&at, rows) || *at++ != 'x' || !take_integer(&at, cols) || *at || *rows == 0 || *cols == 0)
        return penta_io_fail(err, "--shape '%.60s' is not ROWSxCOLS, such as 100x120", text);
    return true;
}

bool pca_is_axes(const char *text)
{
    return strlen(text) == 3 && strchr(text, 'r') && strchr(text, 'c') && strchr(text, 'b');
}

bool pca_is_none(const char *text)
{
    return text && strcasecmp(text, "none") == 0;
}

/* ---- the range of components ---- */

pca_range pca_range_of(double low, double high)
{
    return (pca_range){.on = true, .low = low, .high = high, .type = penta_map_type(low, high, false)};
}

bool pca_parse_range(const char *text, pca_range *out, penta_io_error *err)
{
    const char *at = text;

    *out = (pca_range){.type = PENTA_F64};
    if (strcasecmp(text, "none") == 0)
        return true;
    if (!take_number(&at, &out->low) || *at++ != ',' || !take_number(&at, &out->high) || *at)
        return penta_io_fail(err, "--rescale '%.60s' is not LO,HI, such as 0,255", text);
    if (!isfinite(out->low) || !isfinite(out->high) || !(out->low < out->high) || !isfinite(out->high - out->low))
        return penta_io_fail(err, "--rescale '%.60s': LO must be less than HI, both finite", text);
    *out = pca_range_of(out->low, out->high);
    return true;
}

/* ---- lists of bands ---- */

typedef struct {
    const char *flag;
    size_t count;   /* bands of the file */
    size_t *bands;  /* room for count */
    bool *is_there; /* count */
    size_t n;
} band_list;

static bool add_band(band_list *l, size_t band, penta_io_error *err)
{
    if (band < 1 || band > l->count)
        return penta_io_fail(err, "%s: there is no band %zu; the cube has bands 1 to %zu", l->flag, band, l->count);
    if (l->is_there[band - 1])
        return penta_io_fail(err, "%s: band %zu is listed twice", l->flag, band);
    l->is_there[band - 1] = true;
    l->bands[l->n++] = band - 1;
    return true;
}

static bool read_list(band_list *l, const char *text, penta_io_error *err)
{
    const char *at = text;
    size_t first, last;
    bool more;

    do {
        if (!take_integer(&at, &first))
            return penta_io_fail(err, "%s '%.60s' is no list of bands, such as 1-10,15", l->flag, text);
        last = first;
        if (*at == '-' && (at++, !take_integer(&at, &last) || last < first))
            return penta_io_fail(err, "%s '%.60s' is no list of bands, such as 1-10,15", l->flag, text);
        for (size_t band = first; band <= last; band++)
            if (!add_band(l, band, err))
                return false;
        more = *at == ',';
        at += more ? 1 : 0;
    } while (more);
    return !*at || penta_io_fail(err, "%s '%.60s' is no list of bands, such as 1-10,15", l->flag, text);
}

static bool list_make(band_list *l, const char *flag, size_t count, penta_io_error *err)
{
    *l = (band_list){.flag = flag, .count = count};
    l->bands = malloc(count * sizeof *l->bands);
    l->is_there = calloc(count, sizeof *l->is_there);
    return (l->bands && l->is_there) || penta_io_fail(err, "out of memory for %zu bands", count);
}

static void list_free(band_list *l)
{
    free(l->bands);
    free(l->is_there);
    *l = (band_list){0};
}

/* All bands. */
static void fill(band_list *l)
{
    for (l->n = 0; l->n < l->count; l->n++)
        l->bands[l->n] = l->n;
}

static size_t without(band_list *keep, const band_list *drop)
{
    size_t n = 0;

    for (size_t i = 0; i < keep->n; i++)
        if (!drop->is_there[keep->bands[i]])
            keep->bands[n++] = keep->bands[i];
    return n;
}

bool pca_parse_bands(const char *bands, const char *drop, size_t count, size_t **out, size_t *n, penta_io_error *err)
{
    band_list kept = {0}, dropped = {0};
    bool ok = list_make(&kept, "--bands", count, err) && list_make(&dropped, "--drop-bands", count, err);

    if (ok && !bands)
        fill(&kept);
    ok = ok && (!bands || read_list(&kept, bands, err)) && (!drop || read_list(&dropped, drop, err));
    if (ok) {
        kept.n = without(&kept, &dropped);
        ok = kept.n > 0 || penta_io_fail(err, "--drop-bands leaves no band");
    }
    *out = NULL;
    *n = 0;
    if (ok) {
        *out = kept.bands;
        *n = kept.n;
        kept.bands = NULL;
    }
    list_free(&kept);
    list_free(&dropped);
    return ok;
}
