/*
 * Cubes that are out for more than they hold: files that name other files or addresses, and headers that ask for memory
 * which their files cannot fill. GDAL is used by the library alone here: it takes the drivers out of GDAL's list.
 */

#include "support/memory.h"
#include "cube_files.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#if defined(PENTA_HAVE_HDF5) && defined(PENTA_HAVE_GDAL) && defined(PENTA_HAVE_MATIO)
#define HDF5_CUBES // written by HDF5, read by GDAL and by matio
#include <hdf5.h>
#endif

static int start(void **state)
{
    limit_memory(1);
    return make_test_directory(state);
}

#ifdef PENTA_HAVE_GDAL

/* ---- other files ---- */

static const char *write_text(const char *name, const char *text)
{
    return write_file(name, text, strlen(text));
}

/* A file of this machine, given out as pixels. */
static const char *vrt_of(const char *name, const char *source)
{
    char text[1200];

    snprintf(text, sizeof text,
             "<VRTDataset rasterXSize='4' rasterYSize='1'><VRTRasterBand dataType='Byte' band='1' "
             "subClass='VRTRawRasterBand'><SourceFilename relativetoVRT='0'>%s</SourceFilename><ImageOffset>0"
             "</ImageOffset><PixelOffset>1</PixelOffset><LineOffset>4</LineOffset></VRTRasterBand></VRTDataset>",
             source);
    return write_text(name, text);
}

IO_TEST(vrt_is_not_read)
{
    char secret[512];
    uint8_t pixels[4];
    penta_io_cube *cube;

    snprintf(secret, sizeof secret, "%s", write_text("secret", "root"));
    expect_cube_refused(vrt_of("a.vrt", secret), NULL,
                        "with `gdal_drivers` perhaps as VRT, whose files can lead to other files or");
    expect_cube_refused(vrt_of("a.tif", secret), NULL, "unknown format, or damaged (GDAL: ");
    gdal_drivers = "VRT";
    cube = open_cube(in_directory("a.vrt"), NULL); /* whoever names it gets it */
    assert_true(penta_io_cube_read(cube, 0, 1, pixels, &err));
    assert_memory_equal(pixels, "root", 4);
    penta_io_cube_close(cube);
    gdal_drivers = NULL;
    expect_cube_refused(in_directory("a.vrt"), NULL, "a.vrt: ");
}

IO_TEST(unknown_drivers)
{
    penta_io_cube *cube = NULL;

    vrt_of("a.vrt", "x");
    assert_false(penta_io_cube_open_drivers(in_directory("a.vrt"), NULL, "NoSuchDriver", &cube, &err));
    assert_non_null(strstr(err.text, "GDAL has no driver 'NoSuchDriver' for images here; `gdal_drivers` takes"));
    assert_false(penta_io_cube_open_drivers(write_file("a.npy", "\x93NUMPY", 6), NULL, "VRT", &cube, &err));
    assert_non_null(strstr(err.text, "is not read by GDAL, and only that has drivers; leave them out"));
}

/* ---- addresses ---- */

/* Listens at a port of this machine; whoever fetches from there has to connect. */
static int listen_here(int *port)
{
    int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(s >= 0);
    assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s, 8), 0);
    assert_int_equal(getsockname(s, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return s;
}

static size_t visitors(int s)
{
    size_t n = 0;
    int connection;

    while ((connection = accept(s, NULL, NULL)) >= 0) {
        close(connection);
        n++;
    }
    return n;
}

/* A cube of one band as GeoTIFF, written by the library itself. */
static const char *write_tif(const char *name)
{
    const penta_io_cube_info about = {.bands = 1, .rows = 3, .cols = 4, .type = PENTA_U8};
    static const uint8_t data[12] = {1, 2, 3};
    penta_io_cube_writer *writer;
    penta_io_error err = {""};

    assert_true(penta_io_cube_create(in_directory(name), PENTA_IO_CUBE_GTIFF, &about, NULL, &writer, &err));
    assert_true(penta_io_cube_write(writer, 0, 3, data, 4, &err));
    assert_true(penta_io_cube_finish(writer, &err));
    return in_directory(name);
}

static void read_cube(const char *path, const char *drivers)
{
    uint8_t data[64], valid[64];
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;
    penta_io_error err = {""};

    if (!penta_io_cube_open_drivers(path, NULL, drivers, &cube, &err))
        return;
    (void)penta_io_cube_read(cube, 0, 1, data, &err);
    (void)penta_io_cube_valid(cube, 0, 1, true, valid, &err);
}

TEST(nothing_is_fetched)
{
    char address[64], text[512];
    int port, s = listen_here(&port);

    assert_int_equal(setenv("GDAL_HTTP_TIMEOUT", "1", 1), 0);
    assert_int_equal(setenv("no_proxy", "127.0.0.1", 1), 0);
    snprintf(address, sizeof address, "/vsicurl/http://127.0.0.1:%d/x.tif", port);
    read_cube(vrt_of("net.vrt", address), NULL);
    assert_int_equal(visitors(s), 0);
    write_tif("beside.tif"); /* its mask and its overviews are addresses */
    vrt_of("beside.tif.msk", address);
    snprintf(text, sizeof text,
             "<PAMDataset><Metadata domain='OVERVIEWS'><MDI key='OVERVIEW_FILE'>%s</MDI></Metadata></PAMDataset>",
             address);
    write_text("beside.tif.aux.xml", text);
    read_cube(in_directory("beside.tif"), NULL);
    assert_int_equal(visitors(s), 0);
    read_cube(in_directory("net.vrt"), "VRT"); /* whoever names it gets it; and the trap works */
    assert_true(visitors(s) > 0);
    close(s);
}

/* ---- sizes ---- */

static unsigned char *put_entry(unsigned char *at, uint16_t tag, uint16_t type, uint32_t value)
{
    const uint32_t count = 1;

    memcpy(at, &tag, 2);
    memcpy(at + 2, &type, 2);
    memcpy(at + 4, &count, 4);
    memcpy(at + 8, &value, 4);
    return at + 12;
}

/* A TIFF of less than 200 bytes that claims these sizes; tile 0: strips of `rows`. */
static const char *huge_tiff(uint32_t width, uint32_t height, uint32_t samples, uint32_t tile, uint32_t rows,
                             uint32_t compression)
{
    unsigned char file[256] = {0}, *at = file + 10;
    const uint32_t first = 8;
    const uint16_t order = host_is_big() ? 'M' << 8 | 'M' : 'I' << 8 | 'I', magic = 42;
    uint16_t count;

    memcpy(file, &order, 2);
    memcpy(file + 2, &magic, 2);
    memcpy(file + 4, &first, 4);
    at = put_entry(at, 256, 4, width);
    at = put_entry(at, 257, 4, height);
    at = put_entry(at, 258, 4, 8);
    at = put_entry(at, 259, 4, compression);
    at = put_entry(at, 262, 4, 1);
    if (tile == 0)
        at = put_entry(at, 273, 4, 8);
    at = put_entry(at, 277, 4, samples);
    if (tile == 0) {
        at = put_entry(at, 278, 4, rows);
        at = put_entry(at, 279, 4, 100);
    } else {
        at = put_entry(at, 322, 4, tile);
        at = put_entry(at, 323, 4, tile);
        at = put_entry(at, 324, 4, 8);
        at = put_entry(at, 325, 4, 60);
    }
    count = (uint16_t)((at - file - 10) / 12);
    memcpy(file + 8, &count, 2);
    return write_file("huge.tif", file, (size_t)(at - file) + 4);
}

/* Each asked GDAL for 1.6 GB and more, or for an object each of 65535 bands. */
TEST(tiffs_beyond_their_files)
{
    const char *what = "more than a file of";

    largest_allocation = 0;
    expect_cube_refused(huge_tiff(200000, 200000, 1, 0, 200000, 1), NULL, what);
    expect_cube_refused(huge_tiff(40000, 40000, 1, 40000, 0, 8), NULL, what);
    expect_cube_refused(huge_tiff(2000000000, 1, 1, 0, 1, 8), NULL, what);
    expect_cube_refused(huge_tiff(1, 1, 65535, 0, 1, 1), NULL, what);
    expect_cube_refused(huge_tiff(2000, 2000000, 1, 0, 1, 8), NULL, "bytes of file can hold");
    assert_in_range(largest_allocation, 0, 64 << 20);
}

#endif

#ifdef HDF5_CUBES

/* ---- HDF5, as GDAL and as matio would read it ---- */

/* "x", 3 x 4 numbers: here, in pieces of `chunk` (0: none), or in other files. */
enum where { HERE, LINK, EXTERNAL, VIRTUAL };

static const char *write_h5(const char *name, bool matlab, enum where where, hsize_t rows, hsize_t chunk)
{
    const char *path = in_directory(name);
    const hsize_t shape[3] = {rows, 3, 4}, pieces[3] = {chunk, 3, 4};
    char source[512];
    hid_t how = H5Pcreate(H5P_FILE_CREATE), file, space = H5Screate_simple(3, shape, NULL), set,
          make = H5Pcreate(H5P_DATASET_CREATE);

    snprintf(source, sizeof source, "%s", in_directory("other.h5"));
    unlink(path);
    if (matlab)
        H5Pset_userblock(how, 512);
    file = H5Fcreate(path, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    assert_true(file >= 0);
    if (chunk > 0) {
        H5Pset_chunk(make, 3, pieces);
        H5Pset_deflate(make, 9);
    }
    if (where == EXTERNAL)
        H5Pset_external(make, source, 0, rows * 12 * 8);
    if (where == VIRTUAL)
        H5Pset_virtual(make, space, source, "x", space);
    if (where == LINK)
        H5Lcreate_external(source, "x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    else {
        set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, make, H5P_DEFAULT);
        assert_true(set >= 0);
        if (matlab) {
            hid_t text = H5Tcopy(H5T_C_S1), scalar = H5Screate(H5S_SCALAR), class;

            H5Tset_size(text, 6);
            class = H5Acreate2(set, "MATLAB_class", text, scalar, H5P_DEFAULT, H5P_DEFAULT);
            H5Awrite(class, text, "double");
            H5Aclose(class);
            H5Sclose(scalar);
            H5Tclose(text);
        }
        H5Dclose(set);
    }
    H5Pclose(make);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(how);
    if (matlab) {
        FILE *f = fopen(path, "r+b");
        char head[128];

        memset(head, ' ', sizeof head);
        memcpy(head, "MATLAB 7.3 MAT-file", 19);
        memcpy(head + 124, "\0\2IM", 4);
        assert_non_null(f);
        fwrite(head, 1, sizeof head, f);
        fclose(f);
    }
    return path;
}

TEST(hdf5_beyond_its_file)
{
    for (int matlab = 0; matlab < 2; matlab++) {
        const char *name = matlab ? "a.mat" : "a.h5";

        largest_allocation = 0;
        expect_cube_refused(write_h5(name, matlab, LINK, 2, 0), NULL,
                            "'x' in this HDF5 file is a link to another file");
        expect_cube_refused(write_h5(name, matlab, EXTERNAL, 2, 0), NULL, "has its numbers in another file");
        expect_cube_refused(write_h5(name, matlab, VIRTUAL, 2, 0), NULL, "has its numbers in another file");
        expect_cube_refused(write_h5(name, matlab, HERE, 1 << 28, 16), NULL,
                            "claims more numbers than the file can hold");
        expect_cube_refused(write_h5(name, matlab, HERE, 1 << 22, 1 << 22), NULL,
                            "claims more numbers than the file can hold");
        assert_in_range(largest_allocation, 0, 64 << 20);
    }
}

#endif

TEST(npy_beyond_its_file)
{
    char file[128] = "\x93NUMPY\1";

    file[8] = 118;
    memset(file + 10, ' ', 117);
    memcpy(file + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (200, 40000, 40000), }", 72);
    file[127] = '\n';
    largest_allocation = 0;
    expect_cube_refused(write_file("huge.npy", file, sizeof file), NULL, "200 bands");
    assert_in_range(largest_allocation, 0, 64 << 20);
}

RUN(EVERYWHERE, NULL, start, remove_test_directory);
