/* The list of formats: the same in every text, and true of this build. */

#include "io_files.h"

#include <pentacl/io.h>

static bool find(enum penta_io_kind kind, const char *name, penta_io_format *out)
{
    for (size_t i = 0; penta_io_format_at(kind, i, out); i++)
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}

TEST(every_kind)
{
    static const char *const kinds[] = {"images", "cubes", "movies", "bodies", "catalogs"};
    penta_io_format f;
    char few[6], text[512];

    assert_int_equal(PENTA_IO_KINDS, COUNT(kinds));
    for (int kind = 0; kind < PENTA_IO_KINDS; kind++) {
        size_t n = 0;

        assert_string_equal(penta_io_kind_name((enum penta_io_kind)kind), kinds[kind]);
        penta_io_format_names((enum penta_io_kind)kind, text, sizeof text);
        for (; penta_io_format_at((enum penta_io_kind)kind, n, &f); n++) {
            assert_true(*f.name && f.ends);
            assert_true(!f.package || (f.library && !f.read && !f.write)); /* what is missing does nothing */
            assert_int_equal(strstr(text, f.name) != NULL || !f.read, true);
        }
        assert_true(n > 0);
        assert_false(penta_io_format_at((enum penta_io_kind)kind, n, &f));
        assert_false(penta_io_format_at((enum penta_io_kind)kind, 1000, &f));
    }
    assert_false(penta_io_format_at(PENTA_IO_KINDS, 0, &f));
    assert_string_equal(penta_io_kind_name(PENTA_IO_KINDS), "");
    penta_io_format_names(PENTA_IO_IMAGES, few, sizeof few);
    assert_string_equal(few, "PNG, ");
}

/* Whether the library is there is known to the build alone. */
TEST(what_this_build_has)
{
    static const struct {
        enum penta_io_kind kind;
        const char *name, *package;
        bool there, written;
    } rows[] = {
        {PENTA_IO_IMAGES, "PNG", NULL, true, true},         {PENTA_IO_IMAGES, "NPY", NULL, true, true},
        {PENTA_IO_CUBES, "NPY", NULL, true, true},          {PENTA_IO_MOVIES, "NPY", NULL, true, false},
        {PENTA_IO_BODIES, "NPY", NULL, true, true},         {PENTA_IO_CATALOGS, "CSV", NULL, true, false},
#ifdef PENTA_HAVE_JPEG
        {PENTA_IO_IMAGES, "JPEG", NULL, true, true},
#else
        {PENTA_IO_IMAGES, "JPEG", "libjpeg-dev", false, false},
#endif
#ifdef PENTA_HAVE_TIFF
        {PENTA_IO_IMAGES, "TIFF", NULL, true, true},        {PENTA_IO_MOVIES, "TIFF", NULL, true, false},
#else
        {PENTA_IO_IMAGES, "TIFF", "libtiff-dev", false, false},
        {PENTA_IO_MOVIES, "TIFF", "libtiff-dev", false, false},
#endif
#ifdef PENTA_HAVE_RAW
        {PENTA_IO_IMAGES, "camera raw", NULL, true, false},
#else
        {PENTA_IO_IMAGES, "camera raw", "libraw-dev", false, false},
#endif
#ifdef PENTA_HAVE_GDAL
        {PENTA_IO_CUBES, "ENVI", NULL, true, true},         {PENTA_IO_CUBES, "GeoTIFF", NULL, true, true},
        {PENTA_IO_CUBES, "EHdr", NULL, true, false},
#else
        {PENTA_IO_CUBES, "ENVI", NULL, true, false},
        {PENTA_IO_CUBES, "GeoTIFF", "libgdal-dev", false, false},
#endif
#ifdef PENTA_HAVE_MATIO
        {PENTA_IO_CUBES, "MATLAB 5", NULL, true, false},    {PENTA_IO_MOVIES, "MATLAB", NULL, true, false},
#ifdef PENTA_HAVE_HDF5
        {PENTA_IO_CUBES, "MATLAB 7.3", NULL, true, false},
#else
        {PENTA_IO_CUBES, "MATLAB 7.3", "libhdf5-dev", false, false},
#endif
#else
        {PENTA_IO_CUBES, "MATLAB 5", "libmatio-dev", false, false},
#endif
    };
    penta_io_format f;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!find(rows[i].kind, rows[i].name, &f))
            fail_msg("%s is not listed", rows[i].name);
        assert_int_equal(f.read, rows[i].there);
        assert_int_equal(f.write, rows[i].written);
        assert_int_equal(f.package != NULL, rows[i].package != NULL);
        if (f.package)
            assert_string_equal(f.package, rows[i].package);
    }
}

/* Refusals say what the list says. */
IO_TEST(messages)
{
    const char *path = write_file("unknown", "neither this nor that, whatever one may think", 45);
    penta_io_bodies bodies;
    penta_io_movie movie;
    penta_io_cube *cube;
    char text[512];

    penta_io_format_names(PENTA_IO_IMAGES, text, sizeof text);
    expect_error(path, text);
    penta_io_format_names(PENTA_IO_CUBES, text, sizeof text);
    assert_false(penta_io_cube_open(path, NULL, &cube, &err));
    expect_line(&err, path, text);
    penta_io_format_names(PENTA_IO_MOVIES, text, sizeof text);
    assert_false(penta_io_movie_open(path, NULL, &movie, &err));
    expect_line(&err, path, text);
    penta_io_format_names(PENTA_IO_BODIES, text, sizeof text);
    assert_false(penta_io_bodies_read(write_file("unknown", "\1\2\0\3\4\5\6\7\10", 9), &bodies, &err));
    expect_line(&err, path, text);
}

IN_DIRECTORY;
