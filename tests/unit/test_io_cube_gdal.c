/* ENVI of every type, interleaving and byte order; cubes by GDAL: GeoTIFF, and files that must be refused. */

#include "cube_files.h"

/* ---- ENVI ---- */

static const char *const interleaves[] = {[PENTA_BSQ] = "bsq", [PENTA_BIL] = "bil", [PENTA_BIP] = "bip"};
static const int envi_types[] = {[PENTA_U8] = 1,  [PENTA_U16] = 12, [PENTA_F32] = 4, [PENTA_F64] = 5,
                                 [PENTA_I32] = 3, [PENTA_I16] = 2,  [PENTA_U32] = 13};

typedef struct {
    int type, layout; /* type: ENVI's */
    bool big;
    size_t offset, bands, rows, cols;
    const char *more; /* lines */
} envi_spec;

static const char *envi_header(const char *name, const envi_spec *s)
{
    char text[2048];

    snprintf(text, sizeof text,
             "ENVI\nsamples = %zu\nlines = %zu\nbands = %zu\nheader offset = %zu\nfile type = ENVI Standard\n"
             "data type = %d\ninterleave = %s\nbyte order = %d\n%s",
             s->cols, s->rows, s->bands, s->offset, s->type, interleaves[s->layout], s->big, s->more ? s->more : "");
    return write_file(name, text, strlen(text));
}

/* a.img and a.hdr; returns the former. */
static const char *envi_file(const envi_spec *s, const void *data, size_t bytes)
{
    static unsigned char file[ELEMENTS * 8 + 64];

    assert_true(s->offset + bytes <= sizeof file);
    memset(file, 0xee, s->offset);
    if (bytes > 0)
        memcpy(file + s->offset, data, bytes);
    envi_header("a.hdr", s);
    return write_file("a.img", file, s->offset + bytes);
}

static envi_spec envi_of(penta_type type, int layout, bool big)
{
    return (envi_spec){
        .type = envi_types[type], .layout = layout, .big = big, .bands = BANDS, .rows = ROWS, .cols = COLS};
}

TEST(envi)
{
    static unsigned char data[ELEMENTS * 8];
    penta_io_cube *cube;

    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++)
            for (int big = 0; big < 2; big++) {
                size_t bytes = fill_cube(cube_types[t], orders[layout], big, data);
                envi_spec s = envi_of(cube_types[t], layout, big);

                s.offset = 13 * (size_t)big;
                expect_cube(envi_file(&s, data, bytes), NULL, cube_types[t], layout);
                expect_cube(in_directory("a.hdr"), NULL, cube_types[t], layout);
                cube = open_cube(in_directory("a.img"), NULL);
                assert_null(penta_io_cube_about(cube)->note); /* in none of 42 files */
                penta_io_cube_close(cube);
            }
}

/* Either file may be named, and the data have many names. */
TEST(envi_names)
{
    static const char *const names[][2] = {{"b", "b.hdr"},         {"c.dat", "c.hdr"}, {"d.img", "d.img.hdr"},
                                           {"e.bsq", "e.bsq.hdr"}, {"f.BIL", "f.hdr"}, {"g.raw", "g.HDR"}};
    static unsigned char data[ELEMENTS * 8];
    envi_spec s = envi_of(PENTA_U16, PENTA_BIL, false);
    size_t bytes = fill_cube(PENTA_U16, "rbc", false, data);

    for (size_t i = 0; i < COUNT(names); i++) {
        penta_io_cube *cube;

        write_file(names[i][0], data, bytes);
        envi_header(names[i][1], &s);
        for (int k = 0; k < 2; k++) {
            cube = open_cube(in_directory(names[i][k]), NULL);
            assert_string_equal(penta_io_cube_about(cube)->format, "ENVI");
            expect_rows(cube, &selections[0], 2, 3);
            penta_io_cube_close(cube);
        }
    }
    envi_header("lonely.hdr", &s);
    expect_cube_refused(in_directory("lonely.hdr"), NULL, "is an ENVI header, and its data are not beside it");
}

static const penta_io_cube_info *about_envi(penta_io_cube **cube, const char *more)
{
    static unsigned char data[ELEMENTS * 8];
    envi_spec s = envi_of(PENTA_F32, PENTA_BSQ, false);

    s.more = more;
    *cube = open_cube(envi_file(&s, data, ELEMENTS * 4), NULL);
    return penta_io_cube_about(*cube);
}

TEST(no_data)
{
    penta_io_cube *cube;
    const penta_io_cube_info *a = about_envi(&cube, "");

    assert_false(a->has_no_data);
    penta_io_cube_close(cube);
    a = about_envi(&cube, "data ignore value = -9999.5\n");
    assert_true(a->has_no_data && a->no_data == -9999.5);
    penta_io_cube_close(cube);
    a = about_envi(&cube, "data ignore value = nan\n");
    assert_true(a->has_no_data && isnan(a->no_data));
    penta_io_cube_close(cube);
}

TEST(wavelengths)
{
    static const struct {
        const char *more;
        double first; /* nm; 0: unknown */
    } cases[] = {
        {"", 0},
        {"wavelength = { 400, 450.5, 500, 550, 600 }\nwavelength units = Nanometers\n", 400},
        {"wavelength = {0.4, 0.4505, 0.5, 0.55, 0.6}\nwavelength units = Micrometers\n", 400},
        {"wavelength = {\n 0.4,\n 0.4505,\n 0.5,\n 0.55,\n 0.6}\n", 400},
        {"wavelength = {400, 450.5, 500, 550, 600}\n", 400},
        {"wavelength units = Unknown\nwavelength = {400, 450.5, 500, 550, 600}\n", 400},
        {"wavelength = {400, 450.5, 500, 550, 600}\nwavelength units = Wavenumber\n", 0},
        {"wavelength = {400, 450.5}\nwavelength units = Nanometers\n", 0},
        {"wavelength = {400, 450.5, x, 550, 600}\nwavelength units = Nanometers\n", 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;
        const penta_io_cube_info *a = about_envi(&cube, cases[i].more);

        if (cases[i].first == 0) {
            assert_null(a->wavelengths);
        } else {
            assert_non_null(a->wavelengths);
            expect_near(a->wavelengths[0], cases[i].first, 1e-9);
            expect_near(a->wavelengths[1], 450.5, 1e-9);
            select_part(cube, &(selection){.bands = {3, 1}, .n = 2});
            expect_near(a->wavelengths[0], 550, 1e-9);
            expect_near(a->wavelengths[1], 450.5, 1e-9);
            select_part(cube, &selections[0]);
            expect_near(a->wavelengths[4], 600, 1e-9);
        }
    }
}

static void expect_envi_refused(const envi_spec *s, size_t bytes, const char *what)
{
    static const unsigned char data[ELEMENTS * 8];

    expect_cube_refused(envi_file(s, data, bytes), NULL, what);
    expect_cube_refused(in_directory("a.hdr"), NULL, what);
}

TEST(refused_envi)
{
    envi_spec s = envi_of(PENTA_U16, PENTA_BIP, false);

    expect_envi_refused(&s, 1, "420 bytes, but there are 1;");
    for (size_t n = 2; n < ELEMENTS * 2; n += 11)
        expect_envi_refused(&s, n, "of u16, 420 bytes, but there are ");
    expect_envi_refused(&s, ELEMENTS * 2 - 1, "of u16, 420 bytes, but there are 419; the file is truncated or");
    s.offset = 20;
    expect_envi_refused(&s, ELEMENTS * 2 - 1, "440 bytes, but there are 439");
    expect_envi_refused(&s, ELEMENTS * 2 + 60, "440 bytes, but there are 500; correct the header, or cut what follows");
    s.offset = 0;
    expect_envi_refused(&s, ELEMENTS * 4, "of u16, 420 bytes, but there are 840; correct the header, or cut what");
    s.bands++;
    expect_envi_refused(&s, ELEMENTS * 2, "6 bands of 7 rows x 6 columns of u16, 504 bytes, but there are 420");
    s.bands = 0;
    expect_envi_refused(&s, ELEMENTS * 2, "");
    s.bands = 65000;
    s.rows = s.cols = 2147483647;
    expect_envi_refused(&s, ELEMENTS * 2, "");
    s = envi_of(PENTA_U8, PENTA_BSQ, false);
    s.type = 6;
    expect_envi_refused(&s, ELEMENTS * 8, "its elements are complex (CFloat32)");
    s.type = 9;
    expect_envi_refused(&s, ELEMENTS * 8, "its elements are complex (CFloat64)");
    s.type = 7;
    expect_envi_refused(&s, ELEMENTS * 8, "data type = 7; 1 to 5 and 12 to 15 can be read");
    s = envi_of(PENTA_U8, PENTA_BSQ, false);
    s.cols = 0;
    expect_envi_refused(&s, ELEMENTS, "");
}

TEST(compressed_envi)
{
    envi_spec s = envi_of(PENTA_U8, PENTA_BSQ, false);

    write_file("z.img", "\37\213\10", 3);
    s.more = "file compression = 1\n";
    envi_header("z.hdr", &s);
    expect_cube_refused(in_directory("z.img"), NULL, "is compressed ENVI; decompress its data");
}

/* Types 14 and 15 become f64, in either byte order, up to 2^53. */
IO_TEST(wide_integers)
{
    envi_spec s = {.bands = 1, .rows = 1, .cols = 8};
    double found[8];

    for (s.type = 14; s.type <= 15; s.type++)
        for (int k = 0; k < 3; k++) {
            uint64_t there[8] = {0, 1, UINT64_C(1) << 53, 0 - UINT64_C(3)};
            HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;

            there[3] = s.type == 15 ? 3 : there[3];
            there[2] += k == 2;
            s.big = k == 1;
            for (int i = 0; s.big && i < 4; i++)
                there[i] = __builtin_bswap64(there[i]);
            cube = open_cube(envi_file(&s, there, sizeof there), NULL);
            assert_int_equal(penta_io_cube_about(cube)->type, PENTA_F64);
            assert_int_equal(penta_io_cube_read(cube, 0, 1, found, &err), k < 2);
            if (k < 2)
                assert_true(found[1] == 1 && found[2] == 0x1p53 && found[3] == (s.type == 15 ? 3 : -3));
            else
                expect_text(err.text, "holds 9007199254740993, and integers of 64 bits");
        }
}

TEST(odd_headers)
{
    static const struct {
        const char *more, *said; /* a note, or an error behind "!" */
    } cases[] = {
        {"; wavelength = {\n  Data  Ignore Value={ 7 }\n", NULL},
        {"data ignore value = none\n", "!data ignore value = none, which is no number"},
        {"file type = ENVI Classification\n", NULL}, /* the first of two counts */
        {"major frame offsets = {0, 0}\n", NULL},
        {"minor frame offsets = {0, 16}\n", "!has bytes between its lines ('minor frame offsets')"},
        {"  map info = {UTM, 1, 1, 5, 5, 1, 1}\n", "its coordinates are not kept: take out the spaces"},
    };
    static const unsigned char data[ELEMENTS];
    static const char aux[] = "<PAMDataset><PAMRasterBand><Scale>2</Scale></PAMRasterBand></PAMDataset>";
    envi_spec s = envi_of(PENTA_U8, PENTA_BIL, false);
    penta_io_cube *cube;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *said = cases[i].said;

        s.more = cases[i].more;
        if (said && *said == '!') {
            expect_cube_refused(envi_file(&s, data, sizeof data), NULL, said + 1);
            continue;
        }
        cube = open_cube(envi_file(&s, data, sizeof data), NULL);
        assert_int_equal(penta_io_cube_about(cube)->has_no_data, i == 0);
        assert_int_equal(penta_io_cube_about(cube)->note != NULL, said != NULL);
        if (said)
            expect_text(penta_io_cube_about(cube)->note, said);
        assert_true(penta_io_cube_has_file(cube, in_directory("a.hdr")));
        penta_io_cube_close(cube);
    }
    s.more = "";
    write_file("a.img.aux.xml", aux, sizeof aux - 1);
    cube = open_cube(envi_file(&s, data, sizeof data), NULL);
    expect_text(penta_io_cube_about(cube)->note, "in .aux.xml, are not read");
    write_file("a.img.msk", aux, 4);
    penta_io_cube_close(cube);
    cube = open_cube(in_directory("a.img"), NULL);
    expect_text(penta_io_cube_about(cube)->note, "the mask beside it, .msk, is not read");
    penta_io_cube_close(cube);
    assert_int_equal(unlink(in_directory("a.img.aux.xml")), 0);
    assert_int_equal(unlink(in_directory("a.img.msk")), 0);
    envi_header("a.img.hdr", &s); /* which is of a.img alone */
    s.rows++;
    envi_header("a.hdr", &s);
    penta_io_cube_close(open_cube(in_directory("a.img"), NULL));
    assert_int_equal(unlink(in_directory("a.img.hdr")), 0);
}

/* A header cut anywhere, and every byte of it changed: a cube or a line, and never data beyond the file. */
IO_TEST(damaged_headers)
{
    static unsigned char data[ELEMENTS * 8];
    envi_spec s = envi_of(PENTA_U8, PENTA_BIL, false);
    const char *path = envi_file(&s, data, ELEMENTS);
    size_t size;
    HELD unsigned char *header = read_file(in_directory("a.hdr"), &size);

    for (size_t i = 0; i < 2 * size; i++) {
        penta_io_cube *cube;

        header[i % size] ^= i < size ? 1 : 0;
        write_file("a.hdr", header, i < size ? size : i - size);
        header[i % size] ^= i < size ? 1 : 0;
        if (penta_io_cube_open(path, NULL, &cube, &err)) {
            const penta_io_cube_info *a = penta_io_cube_about(cube);

            assert_true(a->bands * a->rows * a->cols * penta_type_size(a->type) <= ELEMENTS);
            assert_true(penta_io_cube_read(cube, 0, a->rows, data, &err));
            penta_io_cube_close(cube);
        } else
            expect_line(&err, path, ": ");
    }
}

#ifdef PENTA_HAVE_GDAL

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>

#ifdef PENTA_HAVE_HDF5
#include <hdf5.h>
#endif

/* ---- GeoTIFF and others, made by GDAL ---- */

static const GDALDataType gdal_types[] = {
    [PENTA_U8] = GDT_Byte,   [PENTA_U16] = GDT_UInt16, [PENTA_F32] = GDT_Float32, [PENTA_F64] = GDT_Float64,
    [PENTA_I32] = GDT_Int32, [PENTA_I16] = GDT_Int16,  [PENTA_U32] = GDT_UInt32};

static GDALDatasetH begin_set(const char *driver, const char *name, size_t bands, GDALDataType type,
                              const char *const *options)
{
    GDALDatasetH set;

    GDALAllRegister();
    unlink(in_directory(name));
    set = GDALCreate(GDALGetDriverByName(driver), in_directory(name), COLS, ROWS, (int)bands, type, (char **)options);
    assert_non_null(set);
    return set;
}

static const char *made_by_gdal(const char *driver, const char *name, penta_type type, const char *const *options)
{
    static unsigned char data[ELEMENTS * 8];
    GDALDatasetH set = begin_set(driver, name, BANDS, gdal_types[type], options);

    fill_cube(type, "brc", host_is_big(), data);
    assert_int_equal(
        GDALDatasetRasterIO(set, GF_Write, 0, 0, COLS, ROWS, data, COLS, ROWS, gdal_types[type], BANDS, NULL, 0, 0, 0),
        CE_None);
    GDALClose(set);
    return in_directory(name);
}

TEST(geotiff)
{
    static const char *const options[][6] = {
        {"INTERLEAVE=PIXEL", NULL},
        {"INTERLEAVE=BAND", NULL},
        {"INTERLEAVE=PIXEL", "ENDIANNESS=BIG", "BIGTIFF=YES", NULL},
        {"INTERLEAVE=BAND", "TILED=YES", "COMPRESS=DEFLATE", "BLOCKXSIZE=16", "BLOCKYSIZE=16", NULL},
        {"INTERLEAVE=PIXEL", "COMPRESS=LZW", "BLOCKYSIZE=2", "ENDIANNESS=BIG", NULL},
    };

    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (size_t i = 0; i < COUNT(options); i++)
            expect_cube(made_by_gdal("GTiff", "a.tif", cube_types[t], options[i]), NULL, cube_types[t],
                        strcmp(options[i][0], "INTERLEAVE=PIXEL") == 0 ? PENTA_BIP : PENTA_BSQ);
}

/* GDAL reads these too, and the library's own path is not taken. */
TEST(other_formats)
{
    static const char *const compressed[] = {"COMPRESSED=YES", NULL};

    expect_cube(made_by_gdal("EHdr", "e.bil", PENTA_I16, NULL), NULL, PENTA_I16, PENTA_BSQ);
    gdal_drivers = "HFA";
    expect_cube(made_by_gdal("HFA", "h.img", PENTA_F32, compressed), NULL, PENTA_F32, PENTA_BSQ);
    gdal_drivers = "vrt, ERS";
    expect_cube(made_by_gdal("ERS", "map.ers", PENTA_F32, NULL), NULL, PENTA_F32, PENTA_BSQ);
    gdal_drivers = NULL;
    expect_cube_refused(in_directory("map.ers"), NULL, "unknown format, or damaged (GDAL: ");
}

/* Bands of a GeoTIFF, with what is said of their interleaving. */
TEST(layouts_by_gdal)
{
    static const char *const said[] = {[PENTA_BSQ] = "BAND", [PENTA_BIL] = "LINE", [PENTA_BIP] = "PIXEL"};

    made_by_gdal("GTiff", "a.tif", PENTA_F64, NULL);
    gdal_drivers = "VRT";
    for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++) {
        char text[4096];
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "<VRTDataset rasterXSize='%d' rasterYSize='%d'><Metadata domain='IMAGE_STRUCTURE'>"
                                    "<MDI key='INTERLEAVE'>%s</MDI></Metadata>",
                                    COLS, ROWS, said[layout]);

        for (int k = 1; k <= BANDS; k++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "<VRTRasterBand dataType='Float64' band='%d'><SimpleSource><SourceFilename "
                                  "relativeToVRT='1'>a.tif</SourceFilename><SourceBand>%d</SourceBand></SimpleSource>"
                                  "</VRTRasterBand>",
                                  k, k);
        snprintf(text + n, sizeof text - n, "</VRTDataset>");
        expect_cube(write_file("layout.vrt", text, strlen(text)), NULL, PENTA_F64, layout);
    }
    gdal_drivers = NULL;
}

static void expect_type(const char *path, penta_type type)
{
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = open_cube(path, NULL);

    assert_int_equal(penta_io_cube_about(cube)->type, type);
}

/* A TIFF of BANDS pages: they are bands, whatever else the file has, and `axes` may make them rows. */
TEST(pages)
{
    static const char *const more[] = {"APPEND_SUBDATASET=YES", NULL};
    static unsigned char data[ELEMENTS * 8], row[ROWS * COLS * 8];
    penta_io_cube *cube;

    for (size_t t = 0; t < COUNT(cube_types); t++) {
        size_t plane = fill_cube(cube_types[t], "brc", host_is_big(), data) / BANDS;

        for (int k = 0; k < BANDS; k++) {
            GDALDataType type = gdal_types[cube_types[t]];
            GDALDatasetH set = k == 0 ? begin_set("GTiff", "p.tif", 1, type, NULL)
                                      : GDALCreate(GDALGetDriverByName("GTiff"), in_directory("p.tif"), COLS, ROWS, 1,
                                                   type, (char **)more);

            assert_int_equal(GDALRasterIO(GDALGetRasterBand(set, 1), GF_Write, 0, 0, COLS, ROWS, data + k * plane, COLS,
                                          ROWS, type, 0, 0),
                             CE_None);
            GDALClose(set);
        }
        expect_cube(in_directory("p.tif"), NULL, cube_types[t], PENTA_BSQ);
    }
    cube = open_cube(in_directory("p.tif"), NULL);
    assert_null(penta_io_cube_about(cube)->note);
    penta_io_cube_close(cube);
    cube = open_cube(in_directory("p.tif"), &(penta_io_cube_hints){.axes = "rcb"});
    assert_int_equal(penta_io_cube_about(cube)->rows, BANDS);
    assert_int_equal(penta_io_cube_about(cube)->cols, ROWS);
    assert_int_equal(penta_io_cube_about(cube)->bands, COLS);
    assert_int_equal(penta_io_cube_about(cube)->layout, PENTA_BIP);
    assert_true(penta_io_cube_read(cube, 3, 1, row, NULL));
    assert_memory_equal(row, data + 3 * sizeof row, sizeof row);
    penta_io_cube_close(cube);
}

TEST(refused_sets)
{
    static const char *const signed_bytes[] = {"PIXELTYPE=SIGNEDBYTE", NULL};
    GDALDatasetH set = begin_set("GTiff", "c.tif", 2, GDT_CInt16, NULL);
    char text[1024];
    size_t n;

    GDALClose(set);
    expect_cube_refused(in_directory("c.tif"), NULL, "its elements are complex (CInt16)");
    set = begin_set("GTiff", "l.tif", 1, GDT_Int64, NULL);
    GDALClose(set);
    expect_type(in_directory("l.tif"), PENTA_F64);
    CPLPushErrorHandler(CPLQuietErrorHandler); /* later GDALs have a type of its own for this */
    set = begin_set("GTiff", "s.tif", 1, GDT_Byte, signed_bytes);
    CPLPopErrorHandler();
    GDALClose(set);
    expect_type(in_directory("s.tif"), PENTA_I16);

    made_by_gdal("GTiff", "a.tif", PENTA_U8, NULL);
    made_by_gdal("GTiff", "b.tif", PENTA_U16, NULL);
    n = (size_t)snprintf(text, sizeof text, "<VRTDataset rasterXSize='%d' rasterYSize='%d'>", COLS, ROWS);
    for (int k = 0; k < 2; k++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "<VRTRasterBand dataType='%s' band='%d'><SimpleSource><SourceFilename relativeToVRT='1'>"
                              "%c.tif</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>",
                              k ? "UInt16" : "Byte", k + 1, 'a' + k);
    snprintf(text + n, sizeof text - n, "</VRTDataset>");
    gdal_drivers = "VRT";
    expect_cube_refused(write_file("mixed.vrt", text, strlen(text)), NULL, "band 1 is Byte and band 2 UInt16");
    gdal_drivers = NULL;
}

/* Opening or reading fails with a line, unless nothing that was cut away mattered. */
static void expect_damaged(const char *path, size_t *failures)
{
    static unsigned char data[ELEMENTS * 8];
    penta_io_cube *cube;
    penta_io_error err = {""};

    if (!penta_io_cube_open(path, NULL, &cube, &err)) {
        expect_line(&err, path, ": ");
        ++*failures;
        return;
    }
    if (penta_io_cube_about(cube)->bands == BANDS && penta_io_cube_about(cube)->rows == ROWS &&
        penta_io_cube_about(cube)->cols == COLS && penta_type_size(penta_io_cube_about(cube)->type) <= 8 &&
        !penta_io_cube_read(cube, 0, ROWS, data, &err)) {
        expect_line(&err, path, "cannot be read (GDAL: ");
        ++*failures;
    }
    penta_io_cube_close(cube);
}

TEST(cut_geotiffs)
{
    static const char *const options[][3] = {{"COMPRESS=NONE", NULL}, {"COMPRESS=DEFLATE", "INTERLEAVE=BAND", NULL}};

    for (size_t k = 0; k < COUNT(options); k++) {
        size_t size;
        HELD unsigned char *file = read_file(made_by_gdal("GTiff", "a.tif", PENTA_U16, options[k]), &size);
        size_t failures = 0;

        for (size_t n = 1; n < size; n++)
            expect_damaged(write_file("cut.tif", file, n), &failures);
        assert_int_equal(failures, size - 1);
    }
}

TEST(truncated_raw_formats)
{
    size_t size;
    HELD unsigned char *file = read_file(made_by_gdal("EHdr", "e.bil", PENTA_I16, NULL), &size);

    expect_cube_refused(write_file("e.bil", file, size / 2), NULL, "the file is truncated or the header wrong");
}

#ifdef PENTA_HAVE_HDF5

TEST(containers)
{
    const char *path = in_directory("two.h5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t shape[2] = {20, 20};
    hid_t space = H5Screate_simple(2, shape, NULL);

    H5Dclose(H5Dcreate2(file, "a", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "b", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
    expect_cube_refused(path, NULL, "holds 2 data sets and no bands itself; name one (`variable`): a, b");
}

#endif

TEST(nothing_is_printed)
{
    static const unsigned char junk[512] = "II*\0\10\0\0\0\377\377";

    expect_cube_refused_silently(write_file("junk.tif", junk, sizeof junk), NULL);
    expect_cube_refused_silently(write_file("junk.h5", "\x89HDF\r\n\x1a\n..........", 18), NULL);
}

#else

TEST(what_to_install)
{
    expect_cube_refused(write_file("none.img", "ENVI\n", 5), NULL,
                        "install libgdal-dev and rebuild with PENTACL_WITH_GDAL=ON");
}

#endif

IN_DIRECTORY;
