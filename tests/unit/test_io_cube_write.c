/* Cubes written in row pieces, as every format, and read again; nothing stays of what fails. */

#include "cube_write_files.h"

#include <signal.h>
#include <sys/resource.h>

#include "io/npy_format.h"

static const int formats[] = {
    PENTA_IO_CUBE_NPY,
#ifdef PENTA_HAVE_GDAL
    PENTA_IO_CUBE_GTIFF,
    PENTA_IO_CUBE_ENVI,
#endif
};

TEST(all_types_in_pieces)
{
    const char *dir = empty_directory_named("w");

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
    HELD void *bytes = NULL;
    size_t size;

    EXPECT_IO(penta_io_cube_share(writer, &bytes, &size, &err) && penta_io_cube_join(bytes, size, &joined, &err), err);
    for (size_t less = 1; less <= size; less++) {
        penta_io_cube_writer *none = joined;

        assert_false(penta_io_cube_join(bytes, size - less, &none, &err));
        assert_null(none);
    }
    return joined;
}

/* Writers that have joined write rows into the file of the first: the bytes are those of one. */
IO_TEST(joined)
{
    const char *dir = empty_directory_named("j");

    for (size_t f = 0; f < COUNT(formats); f++)
        for (size_t t = 0; t < COUNT(cube_types); t++) {
            penta_io_cube_info about = about_known(cube_types[t]);
            const char *path = target("j", formats[f]);
            penta_io_cube_writer *writer = create(path, formats[f], &about, NULL), *others[2];
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
IO_TEST(not_joined)
{
    const penta_io_cube_info about = about_known(PENTA_I16);
    const char *path = in_directory("n.npy");
    penta_io_cube_writer *writer = create(path, PENTA_IO_CUBE_NPY, &about, NULL), *joined = join(writer), *late;
    HELD void *bytes = NULL;
    size_t size;

    write_rows(joined, PENTA_I16, 0, ROWS - 1);
    finish(joined);
    write_rows(writer, PENTA_I16, ROWS - 1, 1);
    assert_true(penta_io_cube_share(writer, &bytes, &size, &err));
    assert_false(penta_io_cube_finish(writer, &err));
    expect_line(&err, path, "only 1 of its");
    assert_false(penta_io_cube_join(bytes, size, &late, &err));
    expect_line(&err, path, "cannot be opened");
    assert_null(late);
}

/* Byte for byte what penta_io_npy_write makes. */
IO_TEST(npy_bytes)
{
    static unsigned char data[ELEMENTS * 8];
    const size_t shape[3] = {BANDS, ROWS, COLS};

    for (size_t t = 0; t < COUNT(cube_types); t++) {
        penta_io_cube_info about = about_known(cube_types[t]);
        const char *path = in_directory("a.npy");
        const char *other = in_directory("b.npy");
        penta_io_cube_writer *writer = create(path, PENTA_IO_CUBE_NPY, &about, NULL);
        HELD unsigned char *one = NULL;
        HELD unsigned char *two = NULL;
        size_t sizes[2];

        write_rows(writer, cube_types[t], 0, ROWS);
        finish(writer);
        fill_cube(cube_types[t], "brc", host_is_big(), data);
        assert_true(penta_io_npy_write(other, cube_types[t], 3, shape, data, &err));
        one = read_file(path, &sizes[0]);
        two = read_file(other, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(one, two, sizes[0]);
    }
}

IO_TEST(names)
{
    char name[32];

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

IO_TEST(abandoned)
{
    const char *dir = empty_directory_named("x");

    for (size_t f = 0; f < COUNT(formats); f++) {
        penta_io_cube_info about = about_known(PENTA_F32);
        penta_io_cube_writer *writer = create(target("x", formats[f]), formats[f], &about, NULL);

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
TEST(older_files)
{
    const char *dir = empty_directory_named("o");

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
TEST(links_and_permissions)
{
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

TEST(refused_targets)
{
    const char *dir = empty_directory_named("d");

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

IO_TEST(rows_beyond_the_end)
{
    const penta_io_cube_info about = about_known(PENTA_U8);
    penta_io_cube_writer *writer = create(in_directory("a.npy"), PENTA_IO_CUBE_NPY, &about, NULL);
    static const uint8_t data[ELEMENTS];

    assert_false(penta_io_cube_write(writer, ROWS - 1, 2, data, ELEMENTS, &err));
    expect_line(&err, in_directory("a.npy"), "2 rows from 6 on are beyond its 7");
    assert_false(penta_io_cube_write(writer, ROWS + 1, 0, data, ELEMENTS, &err));
    penta_io_cube_abandon(writer);
}

/* A file may grow to 64 KiB and no farther, like on a disk that becomes full. */
IO_TEST(full_disk)
{
    enum { N = 200 };
    const char *dir = empty_directory_named("f");
    HELD uint32_t *noise = malloc((size_t)3 * N * N * sizeof *noise);
    struct rlimit limit;
    struct rlimit small;

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
}

IN_DIRECTORY;
