/* What files say of their bands, in files that GDAL makes or headers written by hand: which pixels are valid, scales.
 */

#include "cube_files.h"

#ifdef PENTA_HAVE_GDAL

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal.h>

enum { PIXELS = ROWS * COLS };

/* Bytes of a GeoTIFF: band k (from 0) of pixel i is 10 k + i but for those of the last one, which has `last`. */
static GDALDatasetH begin_tiff(const char *name, int bands, const char *const *options, const uint8_t *last)
{
    GDALDatasetH set;

    GDALAllRegister();
    unlink(in_directory(name));
    set = GDALCreate(GDALGetDriverByName("GTiff"), in_directory(name), COLS, ROWS, bands, GDT_Byte, (char **)options);
    assert_non_null(set);
    for (int k = 0; k < bands; k++) {
        uint8_t numbers[PIXELS];

        for (int i = 0; i < PIXELS; i++)
            numbers[i] = (uint8_t)(last && k == bands - 1 ? last[i] : 10 * k + i);
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(set, k + 1), GF_Write, 0, 0, COLS, ROWS, numbers, COLS, ROWS,
                                      GDT_Byte, 0, 0),
                         CE_None);
    }
    return set;
}

/* Pixels that are not valid, as rows of the selection from `first` on give them, are those of which `left` has 1. */
static void expect_valid(penta_io_cube *cube, bool no_data, const uint8_t *left)
{
    const penta_io_cube_info *a = penta_io_cube_about(cube);
    uint8_t got[PIXELS];
    penta_io_error err = {""};

    for (size_t piece = 1; piece <= a->rows; piece += 3)
        for (size_t y = 0; y < a->rows; y += piece) {
            size_t count = piece < a->rows - y ? piece : a->rows - y;

            EXPECT_IO(penta_io_cube_valid(cube, y, count, no_data, got, &err), err);
            for (size_t i = 0; i < count * a->cols; i++)
                assert_int_equal(got[i], !(left && left[y * a->cols + i]));
        }
    assert_false(penta_io_cube_valid(cube, a->rows, 1, no_data, got, &err));
}

IO_TEST(alpha)
{
    static const char *const options[] = {"PHOTOMETRIC=RGB", "ALPHA=YES", NULL};
    const size_t all[] = {0, 1, 2, 3}, colours[] = {0, 1, 2}, one[] = {2};
    uint8_t alpha[PIXELS], left[PIXELS];
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;

    for (int i = 0; i < PIXELS; i++) {
        alpha[i] = (uint8_t)(i % 5 == 0 ? 0 : i % 3 == 0 ? 1 : 255);
        left[i] = i % 5 == 0;
    }
    GDALClose(begin_tiff("rgba.tif", 4, options, alpha));
    cube = open_cube(in_directory("rgba.tif"), NULL);
    for (int k = 0; k < 4; k++)
        assert_int_equal(penta_io_cube_about(cube)->each[k].is_alpha, k == 3);
    assert_false(penta_io_cube_about(cube)->has_mask); /* all bands are data now */
    expect_valid(cube, true, NULL);
    assert_true(penta_io_cube_select(cube, colours, 3, 0, 0, 0, 0, &err));
    assert_true(penta_io_cube_about(cube)->has_mask);
    expect_valid(cube, true, left);
    expect_valid(cube, false, left);
    assert_true(penta_io_cube_select(cube, one, 1, 0, 2, COLS, 3, &err));
    expect_valid(cube, true, left + 2 * COLS);
    assert_true(penta_io_cube_select(cube, all, 4, 0, 0, 0, 0, &err));
    assert_false(penta_io_cube_about(cube)->has_mask);
}

TEST(mask_of_file)
{
    for (int inside = 0; inside < 2; inside++) { /* the TIFF, or a file .msk beside it */
        GDALDatasetH set;
        uint8_t mask[PIXELS], left[PIXELS];
        penta_io_cube *cube;

        CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", inside ? "YES" : "NO");
        set = begin_tiff(inside ? "inside.tif" : "beside.tif", 2, NULL, NULL);
        for (int i = 0; i < PIXELS; i++) {
            left[i] = i % 7 == 2;
            mask[i] = left[i] ? 0 : 255;
        }
        assert_int_equal(GDALCreateDatasetMaskBand(set, GMF_PER_DATASET), CE_None);
        assert_int_equal(GDALRasterIO(GDALGetMaskBand(GDALGetRasterBand(set, 1)), GF_Write, 0, 0, COLS, ROWS, mask,
                                      COLS, ROWS, GDT_Byte, 0, 0),
                         CE_None);
        GDALClose(set);
        CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", NULL);
        cube = open_cube(in_directory(inside ? "inside.tif" : "beside.tif"), NULL);
        assert_true(penta_io_cube_about(cube)->has_mask);
        assert_false(penta_io_cube_about(cube)->has_no_data);
        expect_valid(cube, false, left);
        penta_io_cube_close(cube);
    }
}

/* Bands 1, 2 and 3 of one file, of which the first two have no-data values: pixels 3 and 15. */
IO_TEST(different_no_data)
{
    const size_t first[] = {0}, two[] = {2, 1};
    uint8_t left[PIXELS] = {0};
    char text[2048];
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;
    size_t n;

    GDALClose(begin_tiff("plain.tif", 3, NULL, NULL));
    n = (size_t)snprintf(text, sizeof text, "<VRTDataset rasterXSize='%d' rasterYSize='%d'>", COLS, ROWS);
    for (int k = 0; k < 3; k++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<VRTRasterBand dataType='Byte' band='%d'>%s<SimpleSource><SourceFilename relativeToVRT='1'>"
            "plain.tif</SourceFilename><SourceBand>%d</SourceBand></SimpleSource></VRTRasterBand>",
            k + 1,
            k == 0   ? "<NoDataValue>3</NoDataValue>"
            : k == 1 ? "<NoDataValue>25</NoDataValue>"
                     : "",
            k + 1);
    snprintf(text + n, sizeof text - n, "</VRTDataset>");
    gdal_drivers = "VRT";
    cube = open_cube(write_file("three.vrt", text, strlen(text)), NULL);
    gdal_drivers = NULL;
    assert_true(penta_io_cube_about(cube)->has_mask && !penta_io_cube_about(cube)->has_no_data);
    left[3] = left[15] = 1;
    expect_valid(cube, true, left);
    expect_valid(cube, false, NULL);
    assert_true(penta_io_cube_select(cube, two, 2, 0, 0, 0, 0, &err));
    left[3] = 0;
    expect_valid(cube, true, left);
    assert_true(penta_io_cube_select(cube, first, 1, 0, 0, 0, 0, &err));
    assert_true(!penta_io_cube_about(cube)->has_mask && penta_io_cube_about(cube)->has_no_data);
    assert_int_equal((int)penta_io_cube_about(cube)->no_data, 3);
}

IO_TEST(scales_of_gdal)
{
    GDALDatasetH set = begin_tiff("scaled.tif", 3, NULL, NULL);
    const size_t plain[] = {0};
    const penta_io_cube_info *a;
    penta_io_cube *cube;

    GDALSetRasterScale(GDALGetRasterBand(set, 2), 0.25);
    GDALSetRasterOffset(GDALGetRasterBand(set, 3), -7);
    GDALClose(set);
    cube = open_cube(in_directory("scaled.tif"), NULL);
    a = penta_io_cube_about(cube);
    assert_true(a->is_scaled && !(a->factor > 0));
    assert_true(a->each[0].gain == 1 && a->each[0].offset == 0);
    assert_true(a->each[1].gain == 0.25 && a->each[1].offset == 0);
    assert_true(a->each[2].gain == 1 && a->each[2].offset == -7);
    assert_true(penta_io_cube_select(cube, plain, 1, 0, 0, 0, 0, &err));
    assert_false(penta_io_cube_about(cube)->is_scaled);
    penta_io_cube_close(cube);
    cube = open_cube(in_directory("scaled.tif"), &(penta_io_cube_hints){.raw_values = true});
    assert_false(penta_io_cube_about(cube)->is_scaled);
    penta_io_cube_close(cube);
}

/* Three bands of 2 x 2 bytes and a header with more lines. */
static const char *envi(const char *more)
{
    char text[1024];

    write_file("h.img", "abcdefghijkl", 12);
    snprintf(text, sizeof text,
             "ENVI\nsamples = 2\nlines = 2\nbands = 3\nheader offset = 0\nfile type = ENVI Standard\ndata type = 1\n"
             "interleave = bsq\nbyte order = 0\n%s",
             more);
    write_file("h.hdr", text, strlen(text));
    return in_directory("h.img");
}

TEST(envi_lists)
{
    HELD_BY(penta_io_cube_held)
    penta_io_cube *cube = open_cube(envi("bbl = {1,\n 0, 1}\ndata gain values = {2, 0.5, 1e-3}\n"
                                         "data offset values = { -1, 0, 3 }\nreflectance scale factor = 10000.0\n"
                                         "wavelength = {0.4, 0.5, 0.6}\nwavelength units = Micrometers\n"),
                                    NULL);
    const penta_io_cube_info *a = penta_io_cube_about(cube);
    static const double gain[] = {2, 0.5, 1e-3}, offset[] = {-1, 0, 3};

    assert_true(a->is_scaled && a->factor == 10000);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(a->each[k].is_bad, k == 1);
        assert_true(a->each[k].gain == gain[k] && a->each[k].offset == offset[k]);
        assert_true(fabs(a->wavelengths[k] - (400 + 100 * k)) < 1e-9);
    }
}

TEST(refused_lists)
{
    static const char *const headers[][2] = {
        {"bbl = {1, 0}\n", "'bbl' of its header has 2 entries for 3 bands"},
        {"data gain values = {1, 2, 3, 4}\n", "has 4 entries for 3 bands"},
        {"data offset values = {1, x, 3}\n", "'x' in the list 'data offset values'"},
        {"data gain values = {1, 0, 1}\n", "band 2 has a gain of 0"},
        {"reflectance scale factor = 0\n", "'0', is not above 0"},
        {"reflectance scale factor = high\n", "'high', is not above 0"},
    };

    for (size_t i = 0; i < COUNT(headers); i++) {
        expect_cube_refused(envi(headers[i][0]), NULL, headers[i][1]);
        expect_cube_refused(in_directory("h.img"), NULL, "`raw_values`");
        penta_io_cube_close(open_cube(in_directory("h.img"), &(penta_io_cube_hints){.raw_values = true}));
    }
    penta_io_cube_close(
        open_cube(envi("bbl = {1, 0, 1}\ndata gain values = {1, 0, 1}\n"), NULL)); /* a bad band's gain */
}

/* What is written has no alpha band, of however many bands of bytes. */
IO_TEST(written_bytes)
{
    const penta_io_cube_info about = {.bands = 4, .rows = 2, .cols = 2, .type = PENTA_U8};
    penta_io_cube_writer *writer = NULL;
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;

    EXPECT_IO(penta_io_cube_create(in_directory("four.tif"), PENTA_IO_CUBE_GTIFF, &about, NULL, &writer, &err) &&
                  penta_io_cube_write(writer, 0, 2, "0123456789abcdef", 4, &err) && penta_io_cube_finish(writer, &err),
              err);
    cube = open_cube(in_directory("four.tif"), NULL);
    for (int k = 0; k < 4; k++)
        assert_false(penta_io_cube_about(cube)->each[k].is_alpha);
}

/* ---- netCDF of before version 4 ---- */

static size_t put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    return 4;
}

/* A name of up to four letters. */
static size_t put_name(unsigned char *at, const char *name)
{
    size_t n = strlen(name);

    put_u32(at, (uint32_t)n);
    memset(at + 4, 0, 4);
    memcpy(at + 4, name, n);
    return 8;
}

/* The known cube as `cube` with its indices in this order and called so, as scipy.io.netcdf_file lays it out. */
static const char *netcdf(const char *order, const char *const names[3])
{
    static unsigned char file[512 + 4 * ELEMENTS];
    const uint32_t extents[128] = {['b'] = BANDS, ['r'] = ROWS, ['c'] = COLS};
    size_t n = 4;

    memset(file, 0, sizeof file);
    memcpy(file, "CDF\1", 4);
    n += put_u32(file + n, 0);  /* records */
    n += put_u32(file + n, 10); /* a list of dimensions */
    n += put_u32(file + n, 3);
    for (int i = 0; i < 3; i++) {
        n += put_name(file + n, names[i]);
        n += put_u32(file + n, extents[(int)order[i]]);
    }
    n += 8;                     /* no attributes */
    n += put_u32(file + n, 11); /* a list of variables */
    n += put_u32(file + n, 1);
    n += put_name(file + n, "cube");
    for (uint32_t i = 0; i < 4; i++)
        n += put_u32(file + n, i == 0 ? 3 : i - 1);
    n += 8;
    n += put_u32(file + n, 4); /* int */
    n += put_u32(file + n, 4 * ELEMENTS);
    n += put_u32(file + n, (uint32_t)n + 4);
    fill_cube(PENTA_I32, order, true, file + n);
    return write_file("classic.nc", file, n + 4 * ELEMENTS);
}

/* The first index counts bands, or rows if it is called so; where it is called neither, a note says how to settle it.
 */
TEST(classic_netcdf)
{
    static const struct {
        const char *order, *names[3], *note;
        int layout;
    } cases[] = {{"brc", {"band", "y", "x"}, NULL, PENTA_BSQ},
                 {"brc", {"n", "m", "k"}, "called n, of 5 x 7 x 6 is read as bands x rows x columns", PENTA_BSQ},
                 {"rcb", {"lat", "lon", "wl"}, "its first index, lat, counts rows", PENTA_BIP}};

    GDALAllRegister();
    if (!GDALGetDriverByName("netCDF"))
        skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = netcdf(cases[i].order, cases[i].names), *note;
        penta_io_cube *cube = open_cube(path, NULL);

        note = penta_io_cube_about(cube)->note;
        assert_int_equal(note != NULL, cases[i].note != NULL);
        if (note)
            expect_text(note, cases[i].note);
        penta_io_cube_close(cube);
        expect_cube(path, &(penta_io_cube_hints){.variable = "cube"}, PENTA_I32, cases[i].layout);
        expect_cube_refused(path, &(penta_io_cube_hints){.variable = "no"}, "has no array no; leave `variable` out");
        cube = open_cube(netcdf("rbc", (const char *const[]){"y", "band", "x"}), &(penta_io_cube_hints){.axes = "rbc"});
        assert_null(penta_io_cube_about(cube)->note);
        assert_int_equal(penta_io_cube_about(cube)->bands, BANDS);
        penta_io_cube_close(cube);
    }
}

#else

TEST(left_out)
{
    leave_out_test("this build has no GDAL");
}

#endif

IN_DIRECTORY;
