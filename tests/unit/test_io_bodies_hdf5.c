/* GADGET's HDF5: snapshots as other programs write them, made with the library itself, and ones that must be refused.
 */

#include "body_files.h"

#ifdef PENTA_HAVE_HDF5

#include <hdf5.h>

/* Zero means the usual. */
typedef struct {
    uint32_t counts[7];
    double masses[7]; /* of the header */
    size_t types;     /* entries of the header's lists; 0: six */
    double redshift;
    int files;
    hid_t element;                                           /* of the data sets; 0: float32 */
    bool compressed, no_table, no_counts, no_header, arrays; /* arrays: Time and Redshift as lists of one */
    int64_t claimed;  /* rows that the data sets have, when not 0, without any stored */
    const char *skip; /* a data set to leave out */
    size_t columns;   /* of Coordinates; 0: three */
    bool elsewhere;   /* Coordinates lie in another file */
    bool linked;      /* Velocities are a link */
} h5_spec;

static void put_attribute(hid_t group, const char *name, hid_t type, hsize_t count, const void *values)
{
    hid_t space = count > 0 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(H5Awrite(attribute, type, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_header(hid_t file, const h5_spec *s)
{
    hid_t group = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const double time = 1.5;
    const int files = s->files ? s->files : 1;
    size_t types = s->types ? s->types : 6;

    if (!s->no_counts)
        put_attribute(group, "NumPart_ThisFile", H5T_NATIVE_UINT, types, s->counts);
    if (!s->no_table)
        put_attribute(group, "MassTable", H5T_NATIVE_DOUBLE, types, s->masses);
    put_attribute(group, "Time", H5T_NATIVE_DOUBLE, s->arrays, &time);
    put_attribute(group, "Redshift", H5T_NATIVE_DOUBLE, s->arrays, &s->redshift);
    put_attribute(group, "NumFilesPerSnapshot", H5T_NATIVE_INT, 0, &files);
    H5Gclose(group);
}

static hid_t how_to_store(const h5_spec *s, const char *name, const hsize_t *shape, int rank)
{
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);

    if (s->compressed || s->claimed) {
        hsize_t chunk[2] = {shape[0] < 4 ? shape[0] : 4, shape[1]};

        assert_true(H5Pset_chunk(how, rank, chunk) >= 0);
        if (s->compressed)
            assert_true(H5Pset_deflate(how, 9) >= 0);
    }
    if (s->elsewhere && strcmp(name, "Coordinates") == 0) {
        static const float data[64] = {0};
        const char *path = write_file("outside.bin", data, sizeof data);

        assert_true(H5Pset_external(how, path, 0, shape[0] * shape[1] * sizeof *data) >= 0);
    }
    return how;
}

static void put_set(hid_t group, const h5_spec *s, const char *name, size_t type, size_t first, size_t width)
{
    size_t rows = s->counts[type];
    size_t columns = width == 3 && first == 1 && s->columns ? s->columns : width;
    const hsize_t shape[2] = {s->claimed ? (hsize_t)s->claimed : rows, columns};
    int rank = width == 1 && type % 2 == 0 ? 1 : 2; /* n and n x 1 are both seen */
    HELD double *values = malloc(rows * columns * sizeof *values);
    hid_t how = how_to_store(s, name, shape, rank);
    hid_t space = H5Screate_simple(rank, shape, NULL);
    hid_t set = H5Dcreate2(group, name, s->element ? s->element : H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    size_t before = 0;

    assert_non_null(values);
    for (size_t k = 0; k < type; k++)
        before += s->counts[k];
    for (size_t i = 0; i < rows * columns; i++)
        values[i] = body_value(before + i / columns, first + i % columns % 3);
    if (!s->claimed)
        assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static const char *make_h5(const h5_spec *s)
{
    static const struct {
        const char *name;
        size_t first, width;
    } sets[] = {{"Coordinates", 1, 3}, {"Velocities", 4, 3}, {"Masses", 0, 1}};
    const char *path = in_directory("a.h5");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    if (!s->no_header)
        put_header(file, s);
    for (size_t type = 0; type < 7; type++) {
        char name[32];
        hid_t group;

        if (s->counts[type] == 0)
            continue;
        snprintf(name, sizeof name, "PartType%zu", type);
        group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (size_t k = 0; k < COUNT(sets); k++) {
            if ((s->skip && strcmp(s->skip, sets[k].name) == 0) || (k == 2 && s->masses[type] != 0))
                continue;
            if (k == 1 && s->linked)
                H5Lcreate_external("other.h5", "/PartType1/Velocities", group, "Velocities", H5P_DEFAULT, H5P_DEFAULT);
            else
                put_set(group, s, sets[k].name, type, sets[k].first, sets[k].width);
        }
        H5Gclose(group);
    }
    H5Fclose(file);
    return path;
}

/* ---- what can be read ---- */

TEST(snapshots)
{
    const h5_spec specs[] = {
        {.counts = {0, 5}},
        {.counts = {2, 3, 1, 0, 4, 5}, .element = H5T_IEEE_F64LE},
        {.counts = {1, 0, 3}, .element = H5T_IEEE_F32BE, .no_table = true},
        {.counts = {1, 300, 3}, .element = H5T_IEEE_F64BE, .compressed = true, .arrays = true},
        {.counts = {1, 2, 3, 0, 0, 0, 2}, .types = 7, .arrays = true},
    };

    for (size_t i = 0; i < COUNT(specs); i++) {
        size_t n = 0;

        for (size_t k = 0; k < 7; k++)
            n += specs[i].counts[k];
        expect_made(make_h5(&specs[i]), n, 1.5);
    }
}

TEST(masses_of_the_header)
{
    const h5_spec s = {.counts = {1, 2, 1}, .masses = {0, 8, 0, 3}};
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(4);

    b.rows[7] = b.rows[14] = 8;
    expect_bodies(make_h5(&s), 4, b.rows, 1.5);
}

/* A block of the user's own may lie before the signature. */
TEST(user_block)
{
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    const char *path = in_directory("user.h5");
    hid_t file;

    assert_true(H5Pset_userblock(how, 1024) >= 0);
    file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    H5Fclose(file);
    H5Pclose(how);
    expect_refused(path, "is HDF5, but it has no group Header");
}

/* ---- what cannot ---- */

static void expect_snapshot_refused(const h5_spec *s, const char *what)
{
    expect_refused(make_h5(s), what);
}

TEST(refused_snapshots)
{
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .no_header = true}, "it has no group Header");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .no_counts = true}, "no attribute NumPart_ThisFile");
    expect_snapshot_refused(&(h5_spec){.counts = {0}}, "holds no bodies");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .files = 3}, "is one of 3 files");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .redshift = 0.5}, "cosmological (comoving) run, redshift 0.5");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .skip = "Velocities"}, "PartType1/Velocities is missing");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .skip = "Masses"}, "PartType1/Masses is missing");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .columns = 2}, "its header asks for 2 x 3");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .claimed = 3}, "has 3 rows in 2 dimension(s)");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .element = H5T_STD_I32LE}, "holds no floats");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .elsewhere = true}, "or lies in another file");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .masses = {0, -1}}, "body 1 of 2: its mass is negative (-1)");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .masses = {0, NAN}}, "body 1 of 2: mass is ");
}

/* Counts that agree everywhere and are far beyond the file: data sets of which nothing was ever stored. */
TEST(claims_are_checked)
{
    for (int compressed = 0; compressed < 2; compressed++) {
        h5_spec s = {.counts = {0, 1000}, .claimed = 1000, .compressed = compressed};

        expect_snapshot_refused(&s, "claims 1000 x 3 numbers, more than the");
    }
}

/* A chunk far larger than the data set, compressed twice, so that next to nothing of it is left. */
TEST(chunks_are_checked)
{
    const char *path = make_h5(&(h5_spec){.counts = {0, 2}, .skip = "Coordinates"});
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t shape[2] = {2, 3};
    const hsize_t most[2] = {H5S_UNLIMITED, 3};
    const double zeros[6] = {0};
    hid_t space = H5Screate_simple(2, shape, most);
    hid_t set;

    assert_true(H5Pset_chunk(how, 2, (const hsize_t[]){2000000, 3}) >= 0);
    assert_true(H5Pset_deflate(how, 9) >= 0 && H5Pset_deflate(how, 9) >= 0);
    set = H5Dcreate2(file, "PartType1/Coordinates", H5T_IEEE_F32LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
    H5Fclose(file);
    expect_refused(path, "claims 2 x 3 numbers, more than the");
}

/* Velocities that are where the link says, in another file: they are not followed. */
TEST(links_are_not_followed)
{
    const h5_spec s = {.counts = {0, 2}};
    const char *other = in_directory("other.h5");
    const char *path;

    assert_int_equal(rename(make_h5(&s), other), 0);
    expect_made(other, 2, 1.5);
    path = make_h5(&(h5_spec){.counts = {0, 2}, .linked = true});
    expect_refused(path, "PartType1/Velocities is missing in this HDF5 snapshot");
}

TEST(odd_attributes)
{
    static const int many[9] = {0, 2};
    const double counts[6] = {0, 1.5};
    const char *path = make_h5(&(h5_spec){.counts = {0, 2}, .no_counts = true, .no_table = true});
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "Header", H5P_DEFAULT);

    put_attribute(group, "NumPart_ThisFile", H5T_NATIVE_INT, 9, many);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    expect_refused(path, "the attribute NumPart_ThisFile of its group Header is not as GADGET has it");
    H5Adelete(group, "NumPart_ThisFile");
    put_attribute(group, "NumPart_ThisFile", H5T_NATIVE_DOUBLE, 6, counts);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    expect_refused(path, "NumPart_ThisFile of its Header is no list of counts");
    H5Adelete(group, "NumPart_ThisFile");
    put_attribute(group, "NumPart_ThisFile", H5T_NATIVE_INT, 6, (const int[]){0, -2, 0, 0, 0, 0});
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    expect_refused(path, "NumPart_ThisFile of its Header is no list of counts");
    H5Adelete(group, "NumPart_ThisFile");
    put_attribute(group, "NumPart_ThisFile", H5T_NATIVE_INT, 6, (const int[]){0, 2, 2, 0, 0, 0});
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    expect_refused(path, "its group PartType2, which its header counts, is missing");
    H5Gclose(group);
    H5Fclose(file);
}

TEST(cut_files)
{
    size_t size;
    HELD unsigned char *data = read_file(make_h5(&(h5_spec){.counts = {0, 5}}), &size);

    for (size_t n = 8; n < size; n += 7)
        expect_refused(write_file("cut.h5", data, n), "is HDF5, but it cannot be opened as such");
}

IO_TEST(nothing_stays_open)
{
    const h5_spec bad[] = {{.counts = {0, 2}, .skip = "Masses"},
                           {.counts = {0, 2}, .columns = 2},
                           {.counts = {0, 2}, .claimed = 3},
                           {.counts = {0, 2}, .no_counts = true},
                           {.counts = {0, 2}, .elsewhere = true}};
    penta_io_bodies b = read_bodies(make_h5(&(h5_spec){.counts = {1, 2}}));

    assert_true(penta_io_bodies_write(in_directory("w.h5"), &b, &err));
    penta_io_bodies_free(&b);
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_refused(make_h5(&bad[i]), "HDF5");
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* ---- writing ---- */

static double read_double(hid_t file, const char *name)
{
    hid_t attribute = H5Aopen_by_name(file, "Header", name, H5P_DEFAULT, H5P_DEFAULT);
    double values[6] = {NAN};

    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    return strncmp(name, "NumPart", 7) == 0 ? values[1] : values[0];
}

/* Looked at with the library alone. */
IO_TEST(written_file)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(3);
    double masses[3];
    double positions[9];
    uint64_t ids[3];
    hid_t file;
    hid_t set;

    assert_true(penta_io_bodies_write(in_directory("w.hdf5"), &b, &err));
    file = H5Fopen(in_directory("w.hdf5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    expect_near(read_double(file, "Time"), 1.5, 0);
    expect_near(read_double(file, "Redshift"), 0, 0);
    expect_near(read_double(file, "MassTable"), 0, 0);
    expect_near(read_double(file, "NumPart_ThisFile"), 3, 0);
    expect_near(read_double(file, "NumPart_Total"), 3, 0);
    expect_near(read_double(file, "NumFilesPerSnapshot"), 1, 0);
    set = H5Dopen2(file, "PartType1/Masses", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, masses) >= 0);
    H5Dclose(set);
    set = H5Dopen2(file, "PartType1/Coordinates", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, positions) >= 0);
    H5Dclose(set);
    set = H5Dopen2(file, "PartType1/ParticleIDs", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    for (size_t i = 0; i < 3; i++) {
        expect_near(masses[i], body_value(i, 0), 0);
        assert_int_equal(ids[i], i + 1);
        for (size_t k = 0; k < 3; k++)
            expect_near(positions[3 * i + k], body_value(i, 1 + k), 0);
    }
}

/* The library would print its errors; the caller's own way of reporting stays as it was. */
TEST(nothing_is_printed)
{
    int kept = dup(STDERR_FILENO);
    int file = open(in_directory("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    H5E_auto2_t before;
    H5E_auto2_t after;
    void *data;
    size_t size;
    unsigned char *text;

    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    assert_true(kept >= 0 && file >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    expect_refused(write_file("cut.h5", "\x89HDF\r\n\x1a\n", 8), "cannot be opened as such");
    expect_snapshot_refused(&(h5_spec){.counts = {0, 2}, .skip = "Masses"}, "Masses is missing");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(file);
    text = read_file(in_directory("stderr"), &size);
    assert_string_equal((const char *)text, "");
    free(text);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_true(before == after);
}

#else

TEST(left_out)
{
    leave_out_test("this build has no HDF5");
}

#endif

IN_DIRECTORY;
