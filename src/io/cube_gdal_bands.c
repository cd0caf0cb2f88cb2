/* Facts about bands in GDAL's files: no-data values, masks, alpha, wavelengths, scales, bad bands. */
#include "io/cube_gdal.h"

#ifdef PENTA_HAVE_GDAL

#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* ---- which pixels are valid ---- */

static int mask_of(GDALRasterBandH band)
{
    int flags = GDALGetMaskFlags(band);

    if (flags & (GMF_ALL_VALID | GMF_ALPHA))
        return PENTA_IO_MASK_NONE;
    if (flags & GMF_NODATA)
        return flags & GMF_PER_DATASET ? PENTA_IO_MASK_NUMBERS : PENTA_IO_MASK_NONE;
    return flags & GMF_PER_DATASET ? PENTA_IO_MASK_FILE : PENTA_IO_MASK_BAND;
}

/* ---- facts ---- */

/* *said: whether the unit is known. Wavelengths are in GeoTIFFs made from ENVI. */
static double wavelength_of(GDALRasterBandH band, bool *said)
{
    const char *text = GDALGetMetadataItem(band, "wavelength", NULL);
    double unit = io_cube_nanometres(GDALGetMetadataItem(band, "wavelength_units", NULL));
    double value = text ? CPLAtof(text) : 0;

    if (!(isfinite(value) && value > 0) || unit == 0)
        return 0;
    *said = *said && !isnan(unit);
    return value * (isnan(unit) ? 1 : unit);
}

bool io_gdal_take_bands(penta_io_cube *cube, GDALDatasetH set, const penta_io_cube_hints *hints, penta_io_error *err)
{
    penta_io_cube_band *each = cube->whole.each = calloc(cube->whole.bands, sizeof *each);
    bool said = true;

    if (!each)
        return penta_io_fail(err, "%s: out of memory", cube->path);
    for (size_t k = 0; k < cube->whole.bands; k++) {
        GDALRasterBandH band = GDALGetRasterBand(set, (int)k + 1);
        int has = 0, scaled = 0, moved = 0;
        double no_data = GDALGetRasterNoDataValue(band, &has);
        double gain = GDALGetRasterScale(band, &scaled), offset = GDALGetRasterOffset(band, &moved);

        each[k] = (penta_io_cube_band){.gain = scaled && !hints->raw_values ? gain : 1,
                                       .offset = moved && !hints->raw_values ? offset : 0,
                                       .wavelength = wavelength_of(band, &said),
                                       .has_no_data = has != 0,
                                       .no_data = has ? no_data : 0,
                                       .is_alpha = GDALGetRasterColorInterpretation(band) == GCI_AlphaBand,
                                       .mask = mask_of(band)};
    }
    if (!said) /* guessed from the numbers */
        io_cube_guess_micrometres(&cube->whole);
    return hints->raw_values || io_cube_check_scales(cube, err);
}

/* ---- reading validity ---- */

/* Reads rows of a band as doubles. */
static bool read_band(const penta_io_cube *cube, GDALRasterBandH band, size_t y, size_t count, double *numbers)
{
    const penta_io_cube_info *a = &cube->about;

    return GDALRasterIO(band, GF_Read, (int)cube->x, (int)y, (int)a->cols, (int)count, numbers, (int)a->cols,
                        (int)count, GDT_Float64, 0, 0) == CE_None;
}

/* Marks pixels invalid where the band is 0 or NaN. */
static bool leave_out(const penta_io_cube *cube, GDALRasterBandH band, size_t y, size_t count, double *room,
                      uint8_t *out)
{
    if (!read_band(cube, band, y, count, room))
        return false;
    for (size_t i = 0; i < count * cube->about.cols; i++)
        out[i] = out[i] && (room[i] < 0 || room[i] > 0);
    return true;
}

static bool is_selected(const penta_io_cube *cube, size_t band)
{
    for (size_t i = 0; i < cube->about.bands; i++)
        if (cube->bands[i] == band)
            return true;
    return false;
}

/* Whether to read the band's mask; a mask shared by all bands is read with the first. */
static bool counts(const penta_io_cube *cube, size_t i, bool differ, bool no_data)
{
    const penta_io_cube_band *b = &cube->about.each[i];

    switch (b->mask) {
    case PENTA_IO_MASK_BAND:
        return true;
    case PENTA_IO_MASK_FILE:
        return i == 0;
    case PENTA_IO_MASK_NUMBERS:
        return i == 0 && no_data;
    default:
        return differ && b->has_no_data && no_data;
    }
}

bool io_gdal_valid(const penta_io_cube *cube, GDALDatasetH set, size_t y, size_t count, bool no_data, uint8_t *out)
{
    const penta_io_cube_info *a = &cube->about;
    double *room = malloc(count * a->cols * sizeof *room);
    size_t there = (size_t)GDALGetRasterCount(set); /* of other pages it says what it says of the first */
    bool ok = room != NULL, differ = !a->has_no_data;

    for (size_t k = 0; ok && k < there; k++)
        if (cube->whole.each[k].is_alpha && !is_selected(cube, k))
            ok = leave_out(cube, GDALGetRasterBand(set, (int)k + 1), y, count, room, out);
    for (size_t i = 0; ok && i < a->bands; i++)
        if (counts(cube, i, differ, no_data))
            ok = leave_out(cube, GDALGetMaskBand(GDALGetRasterBand(set, (int)(cube->bands[i] % there) + 1)), y, count,
                           room, out);
    free(room);
    return ok;
}

#else
typedef int io_cube_gdal_bands_is_empty;
#endif
