/* Movies in MATLAB files: height x width x frames. What files may be damaged in is tested with cubes. */

#include "movie_files.h"

#ifdef PENTA_HAVE_MATIO

#include "matio_files.h"

TEST(types)
{
    static unsigned char data[ELEMENTS * 8];

    for (size_t t = 0; t < COUNT(cube_types); t++) {
        penta_type type = cube_types[t];
        matio_spec s = {.name = "m", .rank = 3, .dims = {ROWS, COLS, FRAMES}, .data = data};

        s.class = matio_class[type];
        s.stored = matio_stored[type];
        fill_cube(type, "bcr", host_is_big(), data);
        expect_movie(matio_file(&s, 1, MAT_COMPRESSION_NONE), NULL, type, "MATLAB");
        expect_movie(matio_file(&s, 1, MAT_COMPRESSION_ZLIB), &(penta_io_movie_hints){.variable = "m"}, type, "MATLAB");
    }
}

TEST(choice)
{
    static const double numbers[24];
    static const mat_complex_split_t parts = {(void *)numbers, (void *)numbers};
    static const matio_spec specs[] = {{"rate", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {1, 1}, 0, numbers},
                                       {"z", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 3, 4}, MAT_F_COMPLEX, &parts},
                                       {"l", MAT_C_CHAR, MAT_T_UINT8, 3, {2, 3, 4}, 0, numbers},
                                       {"a", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 3, 4}, 0, numbers},
                                       {"b", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {4, 3, 2}, 0, numbers}};
    const char *path = matio_file(specs, 3, MAT_COMPRESSION_NONE);
    HELD_BY(penta_io_movie_close) penta_io_movie m;

    expect_movie_refused(path, NULL, "z (2 x 3 x 4 complex double) is complex");
    expect_movie_refused(path, &(penta_io_movie_hints){.variable = "rate"}, "a movie has 3, height x width x frames");
    expect_movie_refused(path, &(penta_io_movie_hints){.variable = "z"}, "is complex");
    expect_movie_refused(path, &(penta_io_movie_hints){.variable = "l"}, "cannot be a movie");
    expect_movie_refused(path, &(penta_io_movie_hints){.variable = "no"}, "has no array no");
    path = matio_file(specs, 5, MAT_COMPRESSION_ZLIB);
    expect_movie_refused(path, NULL, "2 arrays can be the movie: a (2 x 3 x 4 double), b");
    m = open_movie(path, &(penta_io_movie_hints){.variable = "b"});
    assert_int_equal(m.frames, 2);
    assert_int_equal(m.height, 4);
    assert_int_equal(m.width, 3);
}

TEST(cut)
{
    static unsigned char data[ELEMENTS * 8];
    const matio_spec s = {"m", MAT_C_UINT16, MAT_T_UINT16, 3, {ROWS, COLS, FRAMES}, 0, data};
    size_t size;
    HELD unsigned char *file = read_file(matio_file(&s, 1, MAT_COMPRESSION_ZLIB), &size);

    for (size_t n = 7; n < size; n += 5)
        expect_movie_refused(write_file("cut.mat", file, n), NULL, "");
}

#else

TEST(without_matio)
{
    char head[128] = "MATLAB 5.0 MAT-file";

    expect_movie_refused(write_file("a.mat", head, sizeof head), NULL, "install libmatio-dev");
}

#endif

IN_DIRECTORY;
