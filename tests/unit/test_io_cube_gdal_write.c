/* Cubes written by GDAL: what GeoTIFF and ENVI keep of where they come from, and what GDAL refuses. */

#include "cube_write_files.h"

#ifdef PENTA_HAVE_GDAL

#include <cpl_conv.h>
#include <gdal.h>
#include <ogr_srs_api.h>

static const double place[6] = {500000, 20, 3, 4100000, 2, -20};

/* A GeoTIFF by longitude and latitude about a rotated pole, which is in an .aux.xml as the format has no place for it.
 */
static const char *rotated_file(void)
{
    const char *path = in_directory("rotated.tif");
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    GDALDatasetH set;

    GDALAllRegister();
    CPLPushErrorHandler(CPLQuietErrorHandler);
    assert_int_equal(OSRSetFromUserInput(srs, "+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=30 +lon_0=10 "
                                              "+to_meter=0.0174532925199433 +wktext"),
                     OGRERR_NONE);
    set = GDALCreate(GDALGetDriverByName("GTiff"), path, COLS, ROWS, BANDS, GDT_Byte, NULL);
    assert_non_null(set);
    assert_int_equal(GDALSetSpatialRef(set, srs), CE_None);
    GDALClose(set);
    CPLPopErrorHandler();
    assert_int_equal(access(in_directory("rotated.tif.aux.xml"), F_OK), 0);
    OSRDestroySpatialReference(srs);
    return path;
}

/* A GeoTIFF in UTM zone 10N: by a geotransform, or by ground control points. */
static const char *placed_file(bool by_points)
{
    const char *path = in_directory("placed.tif");
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    GDALDatasetH set;
    GDAL_GCP points[3];

    GDALAllRegister();
    assert_int_equal(OSRImportFromEPSG(srs, 32610), OGRERR_NONE);
    set = GDALCreate(GDALGetDriverByName("GTiff"), path, COLS, ROWS, BANDS, GDT_Byte, NULL);
    assert_non_null(set);
    if (by_points) {
        GDALInitGCPs(3, points);
        for (int i = 0; i < 3; i++) {
            points[i].dfGCPPixel = i;
            points[i].dfGCPLine = 2 * i;
            points[i].dfGCPX = 1000 + i;
            points[i].dfGCPY = 2000 - i * i;
        }
        assert_int_equal(GDALSetGCPs2(set, 3, points, srs), CE_None);
        GDALDeinitGCPs(3, points);
    } else {
        assert_int_equal(GDALSetSpatialRef(set, srs), CE_None);
        assert_int_equal(GDALSetGeoTransform(set, (double *)place), CE_None);
    }
    GDALClose(set);
    OSRDestroySpatialReference(srs);
    return path;
}

/* Two components of a window of the file. */
static GDALDatasetH write_like(const char *source, int format, const penta_io_cube_info *more)
{
    static const double data[12];
    const char *path = target(".", format);
    penta_io_cube_info about = *more;
    penta_io_cube *like = open_cube(source, NULL);
    penta_io_cube_writer *writer;
    penta_io_error err = {""};
    GDALDatasetH set;

    select_part(like, &(selection){.x = 2, .y = 3, .width = 3, .height = 2});
    about.bands = 2;
    about.rows = 2;
    about.cols = 3;
    about.type = PENTA_F64;
    writer = create(path, format, &about, like);
    penta_io_cube_close(like);
    assert_true(penta_io_cube_write(writer, 0, 2, data, 6, &err));
    finish(writer);
    set = GDALOpen(path, GA_ReadOnly);
    assert_non_null(set);
    return set;
}

TEST(georeferencing)
{
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);

    assert_int_equal(OSRImportFromEPSG(srs, 32610), OGRERR_NONE);
    OSRSetAxisMappingStrategy(srs, OAMS_TRADITIONAL_GIS_ORDER);
    for (int format = PENTA_IO_CUBE_GTIFF; format <= PENTA_IO_CUBE_ENVI; format++) {
        GDALDatasetH set = write_like(placed_file(false), format, &(penta_io_cube_info){0});
        const double expected[6] = {place[0] + 2 * place[1] + 3 * place[2], place[1], place[2],
                                    place[3] + 2 * place[4] + 3 * place[5], place[4], place[5]};
        double found[6];

        assert_int_equal(GDALGetGeoTransform(set, found), CE_None);
        for (size_t k = 0; k < 6 && format == PENTA_IO_CUBE_GTIFF; k++)
            expect_near(found[k], expected[k], 1e-9);
        expect_near(found[0], expected[0], 1e-6);
        expect_near(found[3], expected[3], 1e-6);
        assert_non_null(GDALGetSpatialRef(set));
        assert_string_equal(OSRGetAttrValue(GDALGetSpatialRef(set), "PROJCS", 0), "WGS 84 / UTM zone 10N");
        GDALClose(set);
    }
    OSRDestroySpatialReference(srs);
}

static void count_aux(void *user, const char *path)
{
    *(int *)user += strstr(path, ".aux.xml") != NULL;
}

/* What the format cannot hold stands in the file beside it, which goes when the next cube needs none. */
TEST(file_beside)
{
    char name[512];
    OGRSpatialReferenceH from, to;
    GDALDatasetH set, source;
    int told = 0;

    snprintf(name, sizeof name, "%s.aux.xml", target(".", PENTA_IO_CUBE_GTIFF));
    penta_io_output_notify(count_aux, &told);
    set = write_like(rotated_file(), PENTA_IO_CUBE_GTIFF, &(penta_io_cube_info){0});
    penta_io_output_notify(NULL, NULL);
    assert_int_equal(told, 1);
    assert_int_equal(access(name, F_OK), 0);
    source = GDALOpen(in_directory("rotated.tif"), GA_ReadOnly);
    from = GDALGetSpatialRef(source);
    to = GDALGetSpatialRef(set);
    assert_non_null(to);
    assert_true(OSRIsSame(from, to));
    GDALClose(source);
    GDALClose(set);
    set = write_like(placed_file(false), PENTA_IO_CUBE_GTIFF, &(penta_io_cube_info){0});
    assert_int_not_equal(access(name, F_OK), 0);
    assert_string_equal(OSRGetAttrValue(GDALGetSpatialRef(set), "PROJCS", 0), "WGS 84 / UTM zone 10N");
    GDALClose(set);
}

TEST(ground_control_points)
{
    GDALDatasetH set = write_like(placed_file(true), PENTA_IO_CUBE_GTIFF, &(penta_io_cube_info){0});
    const GDAL_GCP *points = GDALGetGCPs(set);

    assert_int_equal(GDALGetGCPCount(set), 3);
    for (int i = 0; i < 3; i++) {
        expect_near(points[i].dfGCPPixel, i - 2, 1e-12);
        expect_near(points[i].dfGCPLine, 2 * i - 3, 1e-12);
        expect_near(points[i].dfGCPX, 1000 + i, 1e-9);
        expect_near(points[i].dfGCPY, 2000 - i * i, 1e-9);
    }
    assert_non_null(GDALGetGCPSpatialRef(set));
    GDALClose(set);
}

TEST(bands_are_described)
{
    static double nm[2] = {400.25, 812};

    for (int format = PENTA_IO_CUBE_GTIFF; format <= PENTA_IO_CUBE_ENVI; format++) {
        const penta_io_cube_info named = {.band_name = "PC", .has_no_data = true, .no_data = (double)NAN};
        const penta_io_cube_info spectral = {.wavelengths = nm, .has_no_data = true, .no_data = -9999};
        GDALDatasetH set = write_like(placed_file(false), format, &named);
        penta_io_cube *cube;
        int has = 0;

        assert_string_equal(GDALGetDescription(GDALGetRasterBand(set, 1)), "PC 1");
        assert_string_equal(GDALGetDescription(GDALGetRasterBand(set, 2)), "PC 2");
        assert_true(isnan(GDALGetRasterNoDataValue(GDALGetRasterBand(set, 2), &has)) && has);
        GDALClose(set);
        cube = open_cube(target(".", format), NULL);
        assert_true(penta_io_cube_about(cube)->has_no_data && isnan(penta_io_cube_about(cube)->no_data));
        assert_null(penta_io_cube_about(cube)->wavelengths);
        penta_io_cube_close(cube);

        GDALClose(write_like(placed_file(false), format, &spectral));
        cube = open_cube(target(".", format), NULL);
        assert_true(penta_io_cube_about(cube)->has_no_data && penta_io_cube_about(cube)->no_data == -9999);
        assert_non_null(penta_io_cube_about(cube)->wavelengths);
        expect_near(penta_io_cube_about(cube)->wavelengths[0], 400.25, 1e-9);
        expect_near(penta_io_cube_about(cube)->wavelengths[1], 812, 1e-9);
        penta_io_cube_close(cube);
        if (format == PENTA_IO_CUBE_ENVI) { /* described by its name, not by the path of a temporary file */
            size_t size;
            char *header = (char *)read_file(in_directory("a.hdr"), &size);

            expect_text(header, "description = {\na.img}");
            assert_null(strstr(header, ".tmp"));
            free(header);
        }
    }
}

TEST(geotiff_options)
{
    const penta_io_cube_info about = {.bands = 1, .rows = 2, .cols = 3, .type = PENTA_F64};
    GDALDatasetH set = write_like(placed_file(false), PENTA_IO_CUBE_GTIFF, &about);
    int width;
    int height;

    assert_string_equal(GDALGetMetadataItem(set, "COMPRESSION", "IMAGE_STRUCTURE"), "DEFLATE");
    assert_string_equal(GDALGetMetadataItem(set, "PREDICTOR", "IMAGE_STRUCTURE"), "3");
    GDALGetBlockSize(GDALGetRasterBand(set, 1), &width, &height);
    assert_int_equal(width, 256);
    assert_int_equal(height, 256);
    GDALClose(set);
}

/* Pieces that are no multiples of tiles, with less memory than a row of tiles takes. */
IO_TEST(tiles_in_pieces)
{
    enum { N = 600, PIECE = 37 };
    const penta_io_cube_info about = {.bands = 2, .rows = N, .cols = N, .type = PENTA_U32};
    HELD uint32_t *data = malloc((size_t)2 * N * N * sizeof *data);
    HELD uint32_t *again = malloc((size_t)2 * N * N * sizeof *data);
    GIntBig cache = GDALGetCacheMax64();
    penta_io_cube_writer *writer;
    penta_io_cube *cube;

    assert_true(data && again);
    for (size_t i = 0; i < (size_t)2 * N * N; i++)
        data[i] = (uint32_t)(i * 2654435761u);
    GDALSetCacheMax64(300000);
    writer = create(in_directory("tiles.tif"), PENTA_IO_CUBE_GTIFF, &about, NULL);
    for (size_t row = 0; row < N; row += PIECE)
        assert_true(
            penta_io_cube_write(writer, row, N - row < PIECE ? N - row : PIECE, data + row * N, (size_t)N * N, &err));
    finish(writer);
    cube = open_cube(in_directory("tiles.tif"), NULL);
    assert_true(penta_io_cube_read(cube, 0, N, again, &err));
    assert_memory_equal(data, again, (size_t)2 * N * N * sizeof *data);
    penta_io_cube_close(cube);
    GDALSetCacheMax64(cache);
}

TEST(refused_by_gdal)
{
    penta_io_cube_info about = about_known(PENTA_U8);

    expect_not_created(in_directory("a.hdr"), PENTA_IO_CUBE_ENVI, &about, "is the name of the header; name the data");
    about.bands = 65536;
    expect_not_created(in_directory("a.tif"), PENTA_IO_CUBE_GTIFF, &about, "too many for this format");
    about = about_known(PENTA_U8);
    about.cols = (size_t)INT32_MAX + 1;
    expect_not_created(in_directory("a.tif"), PENTA_IO_CUBE_GTIFF, &about, "too many for this format");
}

/* The header is in the way: neither file appears. */
IO_TEST(header_in_the_way)
{
    const char *dir = empty_directory_named("h");
    const penta_io_cube_info about = about_known(PENTA_U8);
    penta_io_cube_writer *writer = create(target("h", PENTA_IO_CUBE_ENVI), PENTA_IO_CUBE_ENVI, &about, NULL);

    assert_int_equal(mkdir(in_directory("h/a.hdr"), 0777), 0);
    write_rows(writer, PENTA_U8, 0, ROWS);
    assert_false(penta_io_cube_finish(writer, &err));
    expect_line(&err, in_directory("h/a.hdr"), "is a directory");
    assert_int_equal(entries_in(dir), 1);
}

#else

/* Without GDAL such a file is not begun. */
IO_TEST(what_to_install)
{
    const penta_io_cube_info about = about_known(PENTA_U8);
    penta_io_cube_writer *writer = NULL;

    assert_false(penta_io_cube_create(in_directory("a.tif"), PENTA_IO_CUBE_GTIFF, &about, NULL, &writer, &err));
    assert_true(strstr(err.text, "GDAL") && !writer);
}

#endif

IN_DIRECTORY;
