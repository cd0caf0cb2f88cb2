/* Cubes written in row pieces, as every format, and read again; nothing stays of what fails. */
#define _POSIX_C_SOURCE 200809L

#include "cube_files.h"

#include <signal.h>
#include <sys/resource.h>

#include "io/npy_format.h"
#include <pentacl/io/output.h>

#ifdef PENTA_HAVE_GDAL
#include <cpl_conv.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#endif

static const int formats[] = {
    PENTA_IO_CUBE_NPY,
#ifdef PENTA_HAVE_GDAL
    PENTA_IO_CUBE_GTIFF,
    PENTA_IO_CUBE_ENVI,
#endif
};

static const char *empty_directory_named(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s", in_directory(name));
    (void)remove_tree(path);
    assert_int_equal(mkdir(path, 0777), 0);
    return path;
}

/* DIRECTORY/a.npy and so on. */
static const char *target(const char *directory, int format)
{
    char name[64];
    char path[128];

    penta_io_cube_name(format, "a", name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return in_directory(path);
}

static penta_io_cube_writer *create(const char *path, int format, const penta_io_cube_info *about,
                                    const penta_io_cube *like)
{
    penta_io_cube_writer *writer = NULL;
    penta_io_error err = {""};

    if (!penta_io_cube_create(path, format, about, like, &writer, &err))
        fail_msg("%s", err.text);
    return writer;
}

static void finish(penta_io_cube_writer *writer)
{
    penta_io_error err = {""};

    if (!penta_io_cube_finish(writer, &err))
        fail_msg("%s", err.text);
}

/* Rows of the known cube, from memory where bands are three elements farther apart than they must. */
static void write_rows(penta_io_cube_writer *writer, penta_type type, size_t first, size_t count)
{
    size_t size = penta_type_size(type);
    size_t stride = count * COLS + 3;
    unsigned char *data = malloc(BANDS * stride * size);
    penta_io_error err = {""};

    assert_non_null(data);
    for (size_t i = 0; i < BANDS * count * COLS; i++) {
        size_t band = i / (count * COLS);
        size_t row = i / COLS % count;

        put_element(type, element_at(band, first + row, i % COLS),
                    data + (band * stride + row * COLS + i % COLS) * size);
    }
    if (!penta_io_cube_write(writer, first, count, data, stride, &err))
        fail_msg("%s", err.text);
    free(data);
}

static penta_io_cube_info about_known(penta_type type)
{
    return (penta_io_cube_info){.bands = BANDS, .rows = ROWS, .cols = COLS, .type = type};
}

static void test_all_types_in_pieces(void **state)
{
    const char *dir = empty_directory_named("w");

    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++)
        for (size_t t = 0; t < COUNT(cube_types); t++)
            for (size_t piece = 1; piece <= ROWS; piece += 2) {
                penta_io_cube_info about = about_known(cube_types[t]);
                const char *path = target("w", formats[f]);
                penta_io_cube_writer *writer = create(path, formats[f], &about, NULL);

                for (size_t last = ROWS; last > 0;) { /* from the end */
                    size_t count = piece < last ? piece : last;

                    write_rows(writer, cube_types[t], last - count, count);
                    last -= count;
                }
                assert_int_equal(entries_in(dir), 1); /* the temporary one */
                assert_int_not_equal(access(path, F_OK), 0);
                finish(writer);
                assert_int_equal(entries_in(dir), formats[f] == PENTA_IO_CUBE_ENVI ? 2 : 1);
                expect_cube(path, NULL, cube_types[t], PENTA_BSQ);
                empty_directory(dir);
            }
}

static penta_io_cube_writer *join(const penta_io_cube_writer *writer)
{
    penta_io_cube_writer *joined = NULL;
    penta_io_error err = {""};
    void *bytes;
    size_t size;

    if (!penta_io_cube_share(writer, &bytes, &size, &err) || !penta_io_cube_join(bytes, size, &joined, &err))
        fail_msg("%s", err.text);
    for (size_t less = 1; less <= size; less++) {
        penta_io_cube_writer *none = joined;

        assert_false(penta_io_cube_join(bytes, size - less, &none, &err));
        assert_null(none);
    }
    free(bytes);
    return joined;
}

/* Writers that have joined write rows into the file of the first: the bytes are those of one. */
static void test_joined(void **state)
{
    const char *dir = empty_directory_named("j");

    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++)
        for (size_t t = 0; t < COUNT(cube_types); t++) {
            penta_io_cube_info about = about_known(cube_types[t]);
            const char *path = target("j", formats[f]);
            penta_io_cube_writer *writer = create(path, formats[f], &about, NULL), *others[2];
            penta_io_error err = {""};
            void *bytes;
            size_t size;

            if (formats[f] == PENTA_IO_CUBE_GTIFF) {
                assert_false(penta_io_cube_share(writer, &bytes, &size, &err));
                expect_line(&err, path, "this format is written by one process");
                penta_io_cube_abandon(writer);
                continue;
            }
            for (size_t i = 0; i < COUNT(others); i++)
                others[i] = join(writer);
            write_rows(others[1], cube_types[t], ROWS - 1, 1);
            write_rows(writer, cube_types[t], 1, 1);
            write_rows(others[0], cube_types[t], 0, 1);
            write_rows(others[1], cube_types[t], 2, ROWS - 3);
            for (size_t i = 0; i < COUNT(others); i++)
                finish(others[i]);
            assert_int_equal(entries_in(dir), 1); /* the temporary one */
            penta_io_cube_count_rows(writer, ROWS - 1);
            finish(writer);
            expect_cube(path, NULL, cube_types[t], PENTA_BSQ);
            empty_directory(dir);
        }
}

/* Rows of others that are not counted are missing, and a file that is gone cannot be joined. */
static void test_not_joined(void **state)
{
    const penta_io_cube_info about = about_known(PENTA_I16);
    const char *path = in_directory("n.npy");
    penta_io_cube_writer *writer = create(path, PENTA_IO_CUBE_NPY, &about, NULL), *joined = join(writer), *late;
    penta_io_error err = {""};
    void *bytes;
    size_t size;

    (void)state;
    write_rows(joined, PENTA_I16, 0, ROWS - 1);
    finish(joined);
    write_rows(writer, PENTA_I16, ROWS - 1, 1);
    assert_true(penta_io_cube_share(writer, &bytes, &size, &err));
    assert_false(penta_io_cube_finish(writer, &err));
    expect_line(&err, path, "only 1 of its");
    assert_false(penta_io_cube_join(bytes, size, &late, &err));
    expect_line(&err, path, "cannot be opened");
    assert_null(late);
    free(bytes);
}

/* Byte for byte what penta_io_npy_write makes. */
static void test_npy_bytes(void **state)
{
    static unsigned char data[ELEMENTS * 8];
    const size_t shape[3] = {BANDS, ROWS, COLS};

    (void)state;
    for (size_t t = 0; t < COUNT(cube_types); t++) {
        penta_io_cube_info about = about_known(cube_types[t]);
        const char *path = in_directory("a.npy");
        const char *other = in_directory("b.npy");
        penta_io_cube_writer *writer = create(path, PENTA_IO_CUBE_NPY, &about, NULL);
        unsigned char *one;
        unsigned char *two;
        size_t sizes[2];
        penta_io_error err = {""};

        write_rows(writer, cube_types[t], 0, ROWS);
        finish(writer);
        fill_cube(cube_types[t], "brc", host_is_big(), data);
        assert_true(penta_io_npy_write(other, cube_types[t], 3, shape, data, &err));
        one = read_file(path, &sizes[0]);
        two = read_file(other, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(one, two, sizes[0]);
        free(one);
        free(two);
    }
}

static void test_names(void **state)
{
    char name[32];
    penta_io_error err = {""};

    (void)state;
    penta_io_cube_name(PENTA_IO_CUBE_NPY, "components", name, sizeof name);
    assert_string_equal(name, "components.npy");
    penta_io_cube_name(PENTA_IO_CUBE_GTIFF, "components", name, sizeof name);
    assert_string_equal(name, "components.tif");
    penta_io_cube_name(PENTA_IO_CUBE_ENVI, "components", name, sizeof name);
    assert_string_equal(name, "components.img");
    assert_true(penta_io_cube_can_write(PENTA_IO_CUBE_NPY, &err));
#ifdef PENTA_HAVE_GDAL
    assert_true(penta_io_cube_can_write(PENTA_IO_CUBE_GTIFF, &err) &&
                penta_io_cube_can_write(PENTA_IO_CUBE_ENVI, &err));
#else
    for (int format = PENTA_IO_CUBE_GTIFF; format <= PENTA_IO_CUBE_ENVI; format++) {
        penta_io_cube_info about = about_known(PENTA_U8);
        penta_io_cube_writer *writer = (penta_io_cube_writer *)&writer;

        assert_false(penta_io_cube_can_write(format, &err));
        expect_text(err.text, "install libgdal-dev and rebuild with PENTACL_WITH_GDAL=ON, or write NPY");
        assert_false(penta_io_cube_create(in_directory("a.tif"), format, &about, NULL, &writer, &err));
        assert_null(writer);
    }
#endif
}

/* ---- failures ---- */

static void test_abandoned(void **state)
{
    const char *dir = empty_directory_named("x");

    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        penta_io_cube_info about = about_known(PENTA_F32);
        penta_io_cube_writer *writer;
        penta_io_error err = {""};

        writer = create(target("x", formats[f]), formats[f], &about, NULL);
        write_rows(writer, PENTA_F32, 2, 3);
        penta_io_cube_abandon(writer);
        assert_int_equal(entries_in(dir), 0);
        writer = create(target("x", formats[f]), formats[f], &about, NULL);
        write_rows(writer, PENTA_F32, 0, ROWS - 1);
        assert_false(penta_io_cube_finish(writer, &err));
        expect_line(&err, target("x", formats[f]), "only 6 of its 7 rows were written");
        assert_int_equal(entries_in(dir), 0);
    }
    penta_io_cube_abandon(NULL);
}

/* An older file stays until a new one is there. */
static void test_older_files(void **state)
{
    const char *dir = empty_directory_named("o");

    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        const char *path = target("o", formats[f]);
        penta_io_cube_info about = about_known(PENTA_U16);
        penta_io_cube_writer *writer;
        size_t size;
        unsigned char *old;

        write_file(strstr(path, "o/a."), "old", 3);
        writer = create(path, formats[f], &about, NULL);
        write_rows(writer, PENTA_U16, 0, ROWS);
        old = read_file(path, &size);
        assert_string_equal((char *)old, "old");
        free(old);
        finish(writer);
        expect_cube(path, NULL, PENTA_U16, PENTA_BSQ);
        assert_int_equal(empty_directory(dir), formats[f] == PENTA_IO_CUBE_ENVI ? 2 : 1);
    }
}

/* A link stays, and what it leads to keeps its permissions. */
static void test_links_and_permissions(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(formats); f++) {
        const penta_io_cube_info about = about_known(PENTA_U8);
        const char *link = in_directory("link.img");
        const char *file = write_file("file.img", "old", 3);
        penta_io_cube_writer *writer;
        struct stat st;

        assert_int_equal(chmod(file, 0640), 0);
        assert_int_equal(symlink("file.img", link), 0);
        writer = create(link, formats[f], &about, NULL);
        write_rows(writer, PENTA_U8, 0, ROWS);
        finish(writer);
        assert_int_equal(lstat(link, &st), 0);
        assert_true(S_ISLNK(st.st_mode));
        assert_int_equal(lstat(file, &st), 0);
        assert_true(S_ISREG(st.st_mode));
        assert_int_equal(st.st_mode & 0777, 0640);
        expect_cube(file, NULL, PENTA_U8, PENTA_BSQ);
        assert_int_equal(unlink(link), 0);
    }
}

static void expect_not_created(const char *path, int format, const penta_io_cube_info *about, const char *what)
{
    penta_io_cube_writer *writer = (penta_io_cube_writer *)&writer;
    penta_io_error err = {""};

    if (penta_io_cube_create(path, format, about, NULL, &writer, &err))
        fail_msg("%s can be made, but should fail with '%s'", path, what);
    assert_null(writer);
    expect_line(&err, path, what);
}

static void test_refused_targets(void **state)
{
    const char *dir = empty_directory_named("d");

    (void)state;
    assert_int_equal(mkfifo(in_directory("d/pipe"), 0600), 0);
    for (size_t f = 0; f < COUNT(formats); f++) {
        penta_io_cube_info about = about_known(PENTA_U8);
        int reader = open(in_directory("d/pipe"), O_RDONLY | O_NONBLOCK); /* so that writers do not wait */

        expect_not_created(target("nowhere", formats[f]), formats[f], &about, "its directory does not exist");
        expect_not_created(dir, formats[f], &about, "is a directory");
        expect_not_created(in_directory("d/pipe"), formats[f], &about, "is no file");
        close(reader);
        about.type = PENTA_I64;
        expect_not_created(target("d", formats[f]), formats[f], &about, "a cube of i64 cannot be written");
        about = about_known(PENTA_U8);
        about.rows = 0;
        expect_not_created(target("d", formats[f]), formats[f], &about, "there is nothing to write");
        about.rows = SIZE_MAX / 2;
        expect_not_created(target("d", formats[f]), formats[f], &about, "too large");
    }
    assert_int_equal(entries_in(dir), 1);
}

static void test_rows_beyond_the_end(void **state)
{
    const penta_io_cube_info about = about_known(PENTA_U8);
    penta_io_cube_writer *writer = create(in_directory("a.npy"), PENTA_IO_CUBE_NPY, &about, NULL);
    static const uint8_t data[ELEMENTS];
    penta_io_error err = {""};

    (void)state;
    assert_false(penta_io_cube_write(writer, ROWS - 1, 2, data, ELEMENTS, &err));
    expect_line(&err, in_directory("a.npy"), "2 rows from 6 on are beyond its 7");
    assert_false(penta_io_cube_write(writer, ROWS + 1, 0, data, ELEMENTS, &err));
    penta_io_cube_abandon(writer);
}

/* A file may grow to 64 KiB and no farther, like on a disk that becomes full. */
static void test_full_disk(void **state)
{
    enum { N = 200 };
    const char *dir = empty_directory_named("f");
    uint32_t *noise = malloc((size_t)3 * N * N * sizeof *noise);
    struct rlimit limit;
    struct rlimit small;

    (void)state;
    assert_non_null(noise);
    for (size_t i = 0; i < 3 * N * N; i++)
        noise[i] = (uint32_t)(i * 2654435761u) ^ (uint32_t)(i * i * 40503u);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 1 << 16;
    for (size_t f = 0; f < COUNT(formats); f++) {
        const penta_io_cube_info about = {.bands = 3, .rows = N, .cols = N, .type = PENTA_U32};
        penta_io_cube_writer *writer = create(target("f", formats[f]), formats[f], &about, NULL);
        penta_io_error err = {""};
        bool ok = true;

        setrlimit(RLIMIT_FSIZE, &small);
        for (size_t row = 0; ok && row < N; row += 50)
            ok = penta_io_cube_write(writer, row, 50, noise + row * N, (size_t)N * N, &err);
        if (ok)
            ok = penta_io_cube_finish(writer, &err);
        else
            penta_io_cube_abandon(writer);
        setrlimit(RLIMIT_FSIZE, &limit);
        assert_false(ok);
        expect_line(&err, target("f", formats[f]), "cannot be written");
        assert_int_equal(entries_in(dir), 0);
    }
    signal(SIGXFSZ, SIG_DFL);
    free(noise);
}

/* ---- what GDAL keeps ---- */

#ifdef PENTA_HAVE_GDAL

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

static void test_georeferencing(void **state)
{
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);

    (void)state;
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
static void test_file_beside(void **state)
{
    char name[512];
    OGRSpatialReferenceH from, to;
    GDALDatasetH set, source;
    int told = 0;

    (void)state;
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

static void test_ground_control_points(void **state)
{
    GDALDatasetH set = write_like(placed_file(true), PENTA_IO_CUBE_GTIFF, &(penta_io_cube_info){0});
    const GDAL_GCP *points = GDALGetGCPs(set);

    (void)state;
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

static void test_bands_are_described(void **state)
{
    static double nm[2] = {400.25, 812};

    (void)state;
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

static void test_geotiff_options(void **state)
{
    const penta_io_cube_info about = {.bands = 1, .rows = 2, .cols = 3, .type = PENTA_F64};
    GDALDatasetH set = write_like(placed_file(false), PENTA_IO_CUBE_GTIFF, &about);
    int width;
    int height;

    (void)state;
    assert_string_equal(GDALGetMetadataItem(set, "COMPRESSION", "IMAGE_STRUCTURE"), "DEFLATE");
    assert_string_equal(GDALGetMetadataItem(set, "PREDICTOR", "IMAGE_STRUCTURE"), "3");
    GDALGetBlockSize(GDALGetRasterBand(set, 1), &width, &height);
    assert_int_equal(width, 256);
    assert_int_equal(height, 256);
    GDALClose(set);
}

/* Pieces that are no multiples of tiles, with less memory than a row of tiles takes. */
static void test_tiles_in_pieces(void **state)
{
    enum { N = 600, PIECE = 37 };
    const penta_io_cube_info about = {.bands = 2, .rows = N, .cols = N, .type = PENTA_U32};
    uint32_t *data = malloc((size_t)2 * N * N * sizeof *data);
    uint32_t *again = malloc((size_t)2 * N * N * sizeof *data);
    GIntBig cache = GDALGetCacheMax64();
    penta_io_cube_writer *writer;
    penta_io_cube *cube;
    penta_io_error err = {""};

    (void)state;
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
    free(again);
    free(data);
}

static void test_refused_by_gdal(void **state)
{
    penta_io_cube_info about = about_known(PENTA_U8);

    (void)state;
    expect_not_created(in_directory("a.hdr"), PENTA_IO_CUBE_ENVI, &about, "is the name of the header; name the data");
    about.bands = 65536;
    expect_not_created(in_directory("a.tif"), PENTA_IO_CUBE_GTIFF, &about, "too many for this format");
    about = about_known(PENTA_U8);
    about.cols = (size_t)INT32_MAX + 1;
    expect_not_created(in_directory("a.tif"), PENTA_IO_CUBE_GTIFF, &about, "too many for this format");
}

/* The header is in the way: neither file appears. */
static void test_header_in_the_way(void **state)
{
    const char *dir = empty_directory_named("h");
    const penta_io_cube_info about = about_known(PENTA_U8);
    penta_io_cube_writer *writer = create(target("h", PENTA_IO_CUBE_ENVI), PENTA_IO_CUBE_ENVI, &about, NULL);
    penta_io_error err = {""};

    (void)state;
    assert_int_equal(mkdir(in_directory("h/a.hdr"), 0777), 0);
    write_rows(writer, PENTA_U8, 0, ROWS);
    assert_false(penta_io_cube_finish(writer, &err));
    expect_line(&err, in_directory("h/a.hdr"), "is a directory");
    assert_int_equal(entries_in(dir), 1);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_types_in_pieces),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_not_joined),
        cmocka_unit_test(test_npy_bytes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_older_files),
        cmocka_unit_test(test_refused_targets),
        cmocka_unit_test(test_links_and_permissions),
        cmocka_unit_test(test_rows_beyond_the_end),
        cmocka_unit_test(test_full_disk),
#ifdef PENTA_HAVE_GDAL
        cmocka_unit_test(test_georeferencing),
        cmocka_unit_test(test_file_beside),
        cmocka_unit_test(test_ground_control_points),
        cmocka_unit_test(test_bands_are_described),
        cmocka_unit_test(test_geotiff_options),
        cmocka_unit_test(test_tiles_in_pieces),
        cmocka_unit_test(test_refused_by_gdal),
        cmocka_unit_test(test_header_in_the_way),
#endif
    };

    return cmocka_run_group_tests_name("penta_io_cube_write", tests, make_test_directory, remove_test_directory);
}
