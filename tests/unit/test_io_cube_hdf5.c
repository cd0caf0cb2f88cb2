/* Cubes in HDF5 files as h5py, netCDF-4, EMIT, PRISMA and Python's MATLAB writers lay them out: axes, types, arrays. */

#include "cube_files.h"

#ifdef PENTA_HAVE_HDF5

#include <hdf5.h>

/* ---- writing ---- */

/* Closes the space. */
static hid_t make_set(hid_t file, const char *name, hid_t type, hid_t space, hid_t how, const void *data)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE), set;

    H5Pset_create_intermediate_group(links, 1);
    set = H5Dcreate2(file, name, type, space, links, how, H5P_DEFAULT);
    assert_true(set >= 0 && (!data || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0));
    H5Sclose(space);
    H5Pclose(links);
    return set;
}

static hid_t native(penta_type type)
{
    const hid_t types[] = {
        [PENTA_U8] = H5T_NATIVE_UINT8,   [PENTA_U16] = H5T_NATIVE_UINT16, [PENTA_F32] = H5T_NATIVE_FLOAT,
        [PENTA_F64] = H5T_NATIVE_DOUBLE, [PENTA_I16] = H5T_NATIVE_INT16,  [PENTA_U32] = H5T_NATIVE_UINT32,
        [PENTA_I32] = H5T_NATIVE_INT32};

    return types[type];
}

/* The known cube with its indices in this order. */
static hid_t make_cube(hid_t file, const char *name, penta_type type, const char *order, bool packed)
{
    static unsigned char data[ELEMENTS * 8];
    const hsize_t chunk[3] = {2, 3, 4};
    hsize_t extents[128] = {['b'] = BANDS, ['r'] = ROWS, ['c'] = COLS}, shape[3];
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), set;

    for (int i = 0; i < 3; i++)
        shape[i] = extents[(int)order[i]];
    if (packed) {
        H5Pset_chunk(how, 3, chunk);
        H5Pset_shuffle(how);
    }
    fill_cube(type, order, host_is_big(), data);
    set = make_set(file, name, native(type), H5Screate_simple(3, shape, NULL), how, data);
    H5Pclose(how);
    return set;
}

static hid_t make_file(const char *name)
{
    return H5Fcreate(in_directory(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

/* h5py's labels of dimensions. */
static void label(hid_t set, const char *const names[3])
{
    const hsize_t three = 3;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &three, NULL), a;

    H5Tset_size(type, H5T_VARIABLE);
    a = H5Acreate2(set, "DIMENSION_LABELS", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, type, names) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

/* netCDF-4's scales: data sets of these names, which the attribute refers to. */
static void attach(hid_t file, hid_t set, const char *const names[3])
{
    const hsize_t three = 3;
    hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Screate_simple(1, &three, NULL), a;
    hobj_ref_t refs[3];
    hvl_t lists[3];

    for (int i = 0; i < 3; i++) {
        const hsize_t length = 2;

        H5Dclose(make_set(file, names[i], H5T_NATIVE_FLOAT, H5Screate_simple(1, &length, NULL), H5P_DEFAULT, NULL));
        assert_true(H5Rcreate(&refs[i], file, names[i], H5R_OBJECT, -1) >= 0);
        lists[i] = (hvl_t){.len = 1, .p = &refs[i]};
    }
    a = H5Acreate2(set, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, type, lists) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

/* Wavelengths 400, 500, ... nm, as an attribute of `owner`, or a data set of bands x 1. */
static void add_waves(hid_t file, const char *name, const char *owner)
{
    static const float nm[BANDS] = {400, 500, 600, 700, 800};
    const hsize_t n[2] = {BANDS, 1};
    hid_t space = H5Screate_simple(owner ? 1 : 2, n, NULL), a;

    if (!owner) {
        H5Dclose(make_set(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, nm));
        return;
    }
    a = H5Acreate_by_name(file, owner, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_FLOAT, nm) >= 0);
    H5Aclose(a);
    H5Sclose(space);
}

/* ---- axes ---- */

static const int layouts[] = {PENTA_BSQ, PENTA_BIL, PENTA_BIP, PENTA_BIP, PENTA_BSQ, PENTA_BSQ}; /* of `orders` */

/* Opens it, and says whether anything was guessed. */
static bool is_noted(const char *path, const penta_io_cube_hints *hints, const char *what)
{
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = open_cube(path, hints);
    const char *note = penta_io_cube_about(cube)->note;
    bool noted = note != NULL;

    if (noted && what)
        assert_non_null(strstr(note, what));
    return noted;
}

TEST(orders_and_types)
{
    for (size_t k = 0; k < COUNT(orders); k++)
        for (size_t t = 0; t < COUNT(cube_types); t++) {
            hid_t file = make_file("o.h5");

            H5Dclose(make_cube(file, "cube", cube_types[t], orders[k], t % 2 == 0));
            H5Fclose(file);
            expect_cube(in_directory("o.h5"), &(penta_io_cube_hints){.axes = orders[k]}, cube_types[t], layouts[k]);
        }
}

/* Names decide without a note, in every order: 6 orders, 7 sets of names, two ways to attach them. */
TEST(names)
{
    static const char *const names[][3] = {{"bands", "downtrack", "crosstrack"},
                                           {"wavelength", "y", "x"},
                                           {"band", "latitude", "longitude"},
                                           {"Spectral", "Lines", "Samples"},
                                           {"channel", "Along", "Across"},
                                           {"lambda", "row", "col"},
                                           {"nBands", "YDim", "XDim"}};
    const penta_io_cube_hints named = {.variable = "reflectance"};

    for (size_t k = 0; k < COUNT(orders); k++)
        for (size_t i = 0; i < COUNT(names); i++)
            for (int scales = 0; scales < 2; scales++) {
                hid_t file = make_file("n.nc"), set = make_cube(file, "v/reflectance", PENTA_I32, orders[k], true);
                const char *used[3];

                for (int a = 0; a < 3; a++)
                    used[a] = names[i][orders[k][a] == 'b' ? 0 : orders[k][a] == 'r' ? 1 : 2];
                if (scales)
                    attach(file, set, used);
                else
                    label(set, used);
                H5Dclose(make_cube(file, "other", PENTA_U8, "brc", false)); /* with two, GDAL reads neither */
                H5Dclose(set);
                H5Fclose(file);
                expect_cube(in_directory("n.nc"), &named, PENTA_I32, layouts[k]);
                assert_false(is_noted(in_directory("n.nc"), &named, NULL));
            }
}

/* Where names are missing, the one extent that is as long as a list of wavelengths; else a note that names --axes. */
TEST(wavelengths)
{
    static const char *const owners[] = {NULL, "/", "cube"};

    for (size_t k = 0; k < 3; k++)
        for (int way = 0; way < 4; way++) {
            hid_t file = make_file("w.h5");
            HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;

            H5Dclose(make_cube(file, "cube", PENTA_I16, orders[k], false));
            if (way < 3)
                add_waves(file, way ? "List_Cw_Vnir" : "sensor_band_parameters/wavelengths", owners[way]);
            H5Fclose(file);
            if (way == 3) {
                assert_false(is_noted(in_directory("w.h5"), &(penta_io_cube_hints){.axes = orders[k]}, NULL));
                assert_true(is_noted(in_directory("w.h5"), NULL, "--axes rcb"));
                continue;
            }
            assert_false(is_noted(in_directory("w.h5"), NULL, NULL));
            expect_cube(in_directory("w.h5"), NULL, PENTA_I16, layouts[k]);
            cube = open_cube(in_directory("w.h5"), NULL);
            assert_true(penta_io_cube_about(cube)->wavelengths && penta_io_cube_about(cube)->wavelengths[4] == 800);
        }
}

TEST(prisma)
{
    static const char place[] = "HDFEOS/SWATHS/PRS_L1_HCO/Data Fields/";
    hid_t file = make_file("p.he5");
    char name[80];

    snprintf(name, sizeof name, "%sVNIR_Cube", place);
    H5Dclose(make_cube(file, name, PENTA_U16, "rbc", true));
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Fclose(file);
    expect_cube(in_directory("p.he5"), NULL, PENTA_U16, PENTA_BIL);
    assert_false(is_noted(in_directory("p.he5"), NULL, NULL));
    file = H5Fopen(in_directory("p.he5"), H5F_ACC_RDWR, H5P_DEFAULT);
    snprintf(name, sizeof name, "%sSWIR_Cube", place);
    H5Dclose(make_cube(file, name, PENTA_U16, "rbc", true));
    H5Fclose(file);
    expect_cube_refused(in_directory("p.he5"), NULL, "VNIR_Cube (7 x 5 x 6); name one (`variable`)");
    expect_cube_refused(in_directory("p.he5"), &(penta_io_cube_hints){.variable = "TIR_Cube"},
                        "has no array TIR_Cube that can be the cube; it has HDFEOS/");
    expect_cube(in_directory("p.he5"), &(penta_io_cube_hints){.variable = "SWIR_Cube"}, PENTA_U16, PENTA_BIL);
}

/* ---- types ---- */

static void expect_numbers(const char *path, penta_type type, const double *numbers, size_t n)
{
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = open_cube(path, NULL);
    double room[8];

    assert_int_equal(penta_io_cube_about(cube)->type, type);
    assert_true(penta_io_cube_read(cube, 0, 1, room, NULL));
    for (size_t i = 0; i < n; i++)
        assert_true(penta_io_cube_number(type, room, i) == numbers[i]);
}

static const char *four(hid_t type, const void *data)
{
    const hsize_t shape[3] = {1, 1, 4};
    hid_t file = make_file("f.h5");

    H5Dclose(make_set(file, "x", type, H5Screate_simple(3, shape, NULL), H5P_DEFAULT, data));
    H5Fclose(file);
    return in_directory("f.h5");
}

IO_TEST(other_types)
{
    static const int8_t i8[4] = {-128, -1, 0, 127};
    static const uint16_t f16[4] = {0x3c00, 0xc100, 0x0001, 0x7bff};
    static const double halves[4] = {1, -2.5, 0x1p-24, 65504};
    static const int64_t i64[4] = {-9007199254740992, -1, 0, 9007199254740992};
    static const uint64_t u64[4] = {1, 0, 9007199254740993u, 2};
    hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;
    double room[8];

    expect_numbers(four(H5T_NATIVE_INT8, i8), PENTA_I16, (const double[]){-128, -1, 0, 127}, 4);
    expect_numbers(four(H5T_NATIVE_INT64, i64), PENTA_F64,
                   (const double[]){-9007199254740992.0, -1, 0, 9007199254740992.0}, 4);
    H5Tset_fields(half, 15, 10, 5, 0, 10); /* NumPy's, as h5py has it */
    H5Tset_size(half, 2);
    H5Tset_ebias(half, 15);
    expect_numbers(four(half, f16), PENTA_F32, halves, host_is_big() ? 0 : 4);
    H5Tclose(half);
    cube = open_cube(four(H5T_NATIVE_UINT64, u64), NULL);
    assert_false(penta_io_cube_read(cube, 0, 1, room, &err));
    expect_line(&err, in_directory("f.h5"), "holds 9007199254740993, and integers of 64 bits are read up to 2^53 only");
}

/* ---- MATLAB 7.3 that states no classes ---- */

#ifdef PENTA_HAVE_MATIO

TEST(matlab_of_others)
{
    char head[128] = "MATLAB 7.3 MAT-file, Platform: hdf5storage";
    const hsize_t pixels[2] = {ROWS * COLS, BANDS};
    const penta_io_cube_hints shape = {.rows = ROWS, .cols = COLS};
    static unsigned char data[ELEMENTS * 8];

    memcpy(head + 124, "\0\2IM", 4);
    for (int flat = 0; flat < 2; flat++) {
        hid_t how = H5Pcreate(H5P_FILE_CREATE), file;
        FILE *out;

        H5Pset_userblock(how, 512);
        file = H5Fcreate(in_directory("m.mat"), H5F_ACC_TRUNC, how, H5P_DEFAULT);
        if (flat) { /* bands x pixels, column by column */
            fill_cube(PENTA_U16, "crb", host_is_big(), data);
            H5Dclose(make_set(file, "Y", H5T_NATIVE_UINT16, H5Screate_simple(2, pixels, NULL), H5P_DEFAULT, data));
        } else {
            H5Dclose(make_cube(file, "Y", PENTA_U16, "bcr", false)); /* rows x cols x bands of MATLAB */
        }
        H5Fclose(file);
        H5Pclose(how);
        out = fopen(in_directory("m.mat"), "r+b");
        assert_true(out && fwrite(head, sizeof head, 1, out) == 1 && fclose(out) == 0);
        expect_cube(in_directory("m.mat"), flat ? &shape : NULL, PENTA_U16, flat ? PENTA_BIP : PENTA_BSQ);
    }
}

#endif

#else

TEST(what_to_install)
{
    expect_cube_refused(write_file("a.h5", "\x89HDF\r\n\x1a\n", 8), NULL, "install libhdf5-dev");
}

#endif

IN_DIRECTORY;
