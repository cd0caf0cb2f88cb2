/* Writes a few small valid files of every format, from which fuzzing starts, with the library's own writers and those
 * of the unit tests. Usage: fuzz_seeds FOLDER; makes FOLDER/TARGET/... */
#define _POSIX_C_SOURCE 200809L

#include "unit/movie_files.h"

#include <pentacl/io/archive.h>
#include <pentacl/io/bodies.h>
#include <pentacl/io/checkpoint.h>
#include <pentacl/io/model.h>
#include <pentacl/io/recipe.h>

#ifdef PENTA_HAVE_MATIO
#include "unit/matio_files.h"
#endif

static const char *root;

/* Files are written to FOLDER/TARGET from now on. */
static void begin(const char *target)
{
    snprintf(test_directory, sizeof test_directory, "%s/%s", root, target);
    assert_true(mkdir(test_directory, 0777) == 0 || access(test_directory, W_OK) == 0);
}

static void expect_written(bool ok, const penta_io_error *err)
{
    if (!ok)
        fprintf(stderr, "fuzz_seeds: %s\n", err->text);
    assert_true(ok);
}

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

/* The first byte or two, then the text. */
static void write_chosen(const char *name, int first, int second, const char *text)
{
    char line[512] = {(char)first, (char)second};
    size_t skip = second < 0 ? 1 : 2;

    snprintf(line + skip, sizeof line - skip, "%s", text);
    write_file(name, line, skip + strlen(text));
}

/* ---- images ---- */

static void write_images(const char *end)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};
    double numbers[12] = {1, 2, 3, 1e5, -1};
    penta_io_error err = {""};
    char name[32];

    for (size_t i = 0; i < COUNT(types); i++) {
        penta_io_image image = {.width = 4, .height = 3, .type = types[i], .data = numbers};

        snprintf(name, sizeof name, "%s%s", penta_type_name(types[i]), end);
        if (penta_io_image_can_write(name, types[i], &err))
            expect_written(penta_io_image_write(in_directory(name), &image, NULL, &err), &err);
    }
}

static void write_pngs(void)
{
    static const png_color palette[4] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    static const png_spec specs[] = {
        {.color = PNG_COLOR_TYPE_GRAY, .depth = 1, .interlaced = true},
        {.color = PNG_COLOR_TYPE_RGB_ALPHA, .depth = 16, .interlaced = true},
        {.color = PNG_COLOR_TYPE_PALETTE, .depth = 2, .palette = palette, .colors = 4, .transparency = true},
        {.color = PNG_COLOR_TYPE_RGB, .depth = 8, .gamma = 0.45},
    };
    unsigned char rows[9 * 11 * 8];
    char name[32];

    for (size_t i = 0; i < sizeof rows; i++)
        rows[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i < COUNT(specs); i++) {
        snprintf(name, sizeof name, "%zu.png", i);
        write_png(name, 11, 9, &specs[i], rows);
    }
}

static void seed_images(void)
{
    /* Two frames of 3 x 2 pixels, the second one smaller and transparent. */
    static const unsigned char gif[] = {
        'G', 'I', 'F', '8', '9',  'a',  3, 0, 2, 0, 0x80, 0, 0, 0, 0, 0, 255,  255,  255,  0x21, 0xf9, 4,    0,
        5,   0,   0,   0,   0x2c, 0,    0, 0, 0, 3, 0,    2, 0, 0, 2, 3, 0x44, 0x02, 5,    0,    0x21, 0xf9, 4,
        1,   5,   0,   1,   0,    0x2c, 1, 0, 0, 0, 1,    0, 1, 0, 0, 2, 2,    0x44, 0x01, 0,    0x3b};

    begin("image");
    write_images(".png");
    write_images(".npy");
    write_pngs();
    write_file("two.gif", gif, sizeof gif);
    write_text("p2.pgm", "P2\n# c\n3 2\n255\n0 1 2\n3 4 100 ");
    write_text("p3.ppm", "P3 1 2 999 1 2 3 4 5 678 ");
    write_text("p5.pgm", "P5\n#\n3 2\n255\nabcdefP5 2 1 300\nabcd");
    write_text("p6.ppm", "P6 2 1 200\nabcdef");
    write_file("colour.npy",
               "\x93NUMPY\1\0\x46\0{'descr': '|b1', 'fortran_order': True, 'shape': (2, 2, 3), }          \n"
               "\0\1\1\0\1\0\0\1\0\1\0\1",
               10 + 0x46 + 12);
#ifdef PENTA_HAVE_FITS
    begin("fits");
    write_images(".fits");
#endif
#ifdef PENTA_HAVE_JPEG
    begin("jpeg");
    write_images(".jpg");
#endif
}

static void seed_coordinates(void)
{
    static const char cards[] = "SIMPLE  =                    T                                                  "
                                "BITPIX  =                    8                                                  "
                                "NAXIS   =                    0                                                  "
                                "CTYPE1  = 'RA---TAN-SIP'                                                        "
                                "CTYPE2  = 'DEC--TAN-SIP'                                                        "
                                "CRVAL1  =               83.822                                                  "
                                "CRVAL2  =               -5.391                                                  "
                                "CRPIX1  =                512.5                                                  "
                                "CRPIX2  =                512.5                                                  "
                                "CD1_1   =              -0.0004                                                  "
                                "CD1_2   =                  0.0                                                  "
                                "CD2_1   =                  0.0                                                  "
                                "CD2_2   =               0.0004                                                  "
                                "EQUINOX =               2000.0                                                  "
                                "LONPOLE =                180.0                                                  "
                                "A_ORDER =                    2                                                  "
                                "A_2_0   =               1.0E-6                                                  "
                                "B_ORDER =                    2                                                  "
                                "B_0_2   =              -1.0E-6                                                  "
                                "IMAGEW  =                 1024                                                  "
                                "IMAGEH  =                 1024                                                  "
                                "END";
    char block[2880 + 1];

    begin("wcs");
    snprintf(block, sizeof block, "%-2880s", cards);
    write_text("tan.fits", block);
}

/* LibRaw looks into TIFF by tags of makers: 2 x 2 pixels of 8 bits, little-endian, with a maker. */
static void seed_raw(void)
{
    static const unsigned char tiff[] = {
        'I', 'I', '*', 0,   8, 0, 0, 0,  8, 0, 0, 1, 4,  0, 1, 0, 0, 0, 2, 0, 0,   0,   1,   1, 4,  0, 1, 0, 0,
        0,   2,   0,   0,   0, 2, 1, 3,  0, 1, 0, 0, 0,  8, 0, 0, 0, 3, 1, 3, 0,   1,   0,   0, 0,  1, 0, 0, 0,
        6,   1,   3,   0,   1, 0, 0, 0,  1, 0, 0, 0, 15, 1, 2, 0, 4, 0, 0, 0, 'P', 'X', 'X', 0, 17, 1, 4, 0, 1,
        0,   0,   0,   110, 0, 0, 0, 23, 1, 4, 0, 1, 0,  0, 0, 4, 0, 0, 0, 0, 0,   0,   0,   1, 2,  3, 4};

    begin("raw");
    write_file("plain.dng", tiff, sizeof tiff);
}

#ifdef PENTA_HAVE_TIFF
static void seed_tiffs(void)
{
    static const uint16_t palette[12] = {0, 257, 514, 65535, 1, 2, 3, 4, 5, 6, 7, 8};
    static const tiff_spec specs[] = {
        {.width = 9,
         .height = 7,
         .bits = 16,
         .rows_per_strip = 2,
         .description = "ImageJ=1.53\nframes=2\nfinterval=0.02\n"},
        {.width = 9, .height = 7, .bits = 8, .samples = 3, .photometric = PHOTOMETRIC_RGB + 1, .planar = 2},
        {.width = 17, .height = 7, .bits = 8, .tile = 16, .compression = COMPRESSION_ADOBE_DEFLATE},
        {.width = 9, .height = 7, .bits = 2, .photometric = PHOTOMETRIC_PALETTE + 1, .palette = palette},
        {.width = 9, .height = 7, .bits = 64, .format = SAMPLEFORMAT_IEEEFP, .compression = COMPRESSION_LZW},
        {.width = 9, .height = 7, .bits = 8, .compression = COMPRESSION_PACKBITS, .orientation = 3},
        {.width = 16, .height = 16, .bits = 8, .compression = COMPRESSION_JPEG},
        {.width = 16, .height = 16, .bits = 1, .compression = COMPRESSION_CCITTFAX4},
    };
    unsigned char pixels[9 * 7 * 8];

    begin("tiff");
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 37);
    for (size_t i = 0; i < COUNT(specs); i++)
        for (int big = 0; big < 2; big++) {
            char name[32];
            TIFF *tif;

            if (specs[i].compression && !TIFFIsCODECConfigured(specs[i].compression))
                continue;
            snprintf(name, sizeof name, "%zu-%d.tif", i, big);
            tif = TIFFOpen(in_directory(name), big ? "wb8" : "wl");
            assert_non_null(tif);
            add_tiff_page(tif, &specs[i], pixels);
            add_tiff_page(tif, &specs[i], pixels);
            TIFFClose(tif);
        }
}
#endif

/* ---- cubes and movies ---- */

static void write_cube(const char *name, int format, penta_type type)
{
    static const double numbers[ELEMENTS] = {1, 2, 3};
    const penta_io_cube_info about = {.bands = 2, .rows = 3, .cols = 2, .type = type};
    penta_io_cube_writer *writer;
    penta_io_error err = {""};

    if (!penta_io_cube_can_write(format, &err))
        return;
    expect_written(penta_io_cube_create(in_directory(name), format, &about, NULL, &writer, &err), &err);
    expect_written(penta_io_cube_write(writer, 0, 3, numbers, 6, &err), &err);
    expect_written(penta_io_cube_finish(writer, &err), &err);
}

static void seed_cubes(void)
{
    begin("cube");
    write_cube("u16.npy", PENTA_IO_CUBE_NPY, PENTA_U16);
    write_cube("f64.npy", PENTA_IO_CUBE_NPY, PENTA_F64);
    write_text("numbers.raw", "abcdefghijklmnopqrstuvwx");
#ifdef PENTA_HAVE_GDAL
    begin("gdal");
    write_cube("f32.tif", PENTA_IO_CUBE_GTIFF, PENTA_F32);
    write_text("header",
               "ENVI\nsamples = 4\nlines = 4\nbands = 4\nheader offset = 0\nfile type = ENVI Standard\n"
               "data type = 2\ninterleave = bip\nbyte order = 1\nwavelength units = nm\nwavelength = {1, 2, 3, 4}\n"
               "data ignore value = 0\nbbl = {1, 1, 0, 1}\nreflectance scale factor = 10000\n");
#endif
}

#ifdef PENTA_HAVE_MATIO
static void seed_matlab(void)
{
    static const double numbers[24] = {1, 2, 3, -7};
    static const matio_spec specs[] = {
        {"a", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 3, 4}, 0, numbers},
        {"b", MAT_C_UINT16, MAT_T_UINT16, 2, {4, 6}, 0, numbers},
    };

    begin("matio");
    for (int compressed = 0; compressed < 2; compressed++)
        for (size_t i = 0; i < COUNT(specs); i++) {
            char name[512];

            snprintf(name, sizeof name, "%s", in_directory(compressed ? specs[i].name : i ? "d" : "c"));
            assert_int_equal(
                rename(matio_file(&specs[i], 2 - i, compressed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), name),
                0);
        }
}
#endif

/* ---- bodies ---- */

static void write_bodies(const char *const ends[])
{
    static double rows[14] = {1, 0, 0, 0, 1, 0, 0, 0.5, 1, 2, 3, 0, -1, 0};
    static uint64_t ids[2] = {7, 3};
    static uint8_t families[2] = {PENTA_IO_GAS, PENTA_IO_STARS};
    static double softening[2] = {0.1, 0.2};
    const penta_io_bodies bodies = {.n = 2,
                                    .rows = rows,
                                    .time = 0.5,
                                    .has_time = true,
                                    .id = ids,
                                    .family = families,
                                    .softening = softening,
                                    .units = {3e21, 2e43, 1e5}};
    penta_io_error err = {""};

    for (size_t i = 0; ends[i]; i++) {
        char name[32];

        snprintf(name, sizeof name, "bodies%s", ends[i]);
        if (penta_io_bodies_can_write(name, &err))
            expect_written(penta_io_bodies_write(in_directory(name), &bodies, &err), &err);
    }
}

static void seed_bodies(void)
{
    static const char *const own[] = {".npy", ".csv", ".tab", ".mpv", ".tipsy", ".gadget", NULL};
    static const char *const hdf5[] = {".hdf5", NULL};
    char *attributes, text[4096];
    size_t size;

    begin("hdf5");
    write_bodies(hdf5);
    begin("bodies");
    write_bodies(own);
    write_text("atos", "2\n3\n0.5\n1\n2\n0 0 0\n1 1 1\n0 0 0\n0 0 0\n");
    attributes = (char *)read_file(in_directory("bodies.mpv.attributes.csv"), &size);
    snprintf(text, sizeof text, "\xfe%s", attributes);
    write_text("attributes", text);
    free(attributes);
}

/* ---- tables and JSON ---- */

static void seed_tables(void)
{
    begin("catalog");
    write_text("hyg.csv", "id,hip,hd,ra,dec,mag,pmra,pmdec,proper\n1,88,224,6.75,-16.7,-1.44,-546,-1223,\"Sirius\"\n"
                          "2,,,5.9,7.4,0.45,27,11,\n");
    write_text("gaia.csv",
               "source_id,ra,dec,phot_g_mean_mag,pmra,pmdec,ref_epoch\n4472832130942575872,269.45,4.73,8.2,-801.5,"
               "10362.4,2016.0\n");
    write_text("sexagesimal.csv", "name;RAhms;DEdms;Vmag\nA;05 55 10.3;+07 24 25;0.45\n");
    write_text("list.csv", "x,y,mag,id,mx,my\n10.5,20,5,a,1,0\n1,2,3,b,0,0\n");
    write_file("two.bsc5",
               "\0\0\0\0\1\0\0\0\2\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\x20\0\0\0"
               "\0\0\x80\x3f\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xe0\x3f"
               "A0\x2c\1\0\0\0\0\0\0\0\0"
               "\0\0\0\x40\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xe0\xbf"
               "K0\x90\1\0\0\0\0\0\0\0\0",
               28 + 64);
    begin("table");
    write_text("header.csv", "# a comment\n\"x\",\"y\"\"\",z\r\n1,2.5e-3,\" 3 \"\r\n-0,+4,5\n");
    write_text("points.csv", "1;2;3\n4;5;6\n");
    write_text("track.csv", "ra,dec,roll,time,name\n83.8,-5.4,0,0,a\n84,-5,1,0.5,b\n");
    write_text("quaternions.csv", "w\tx\ty\tz\n1\t0\t0\t0\n0.5\t0.5\t0.5\t0.5\n");
    write_text("drift.csv",
               "index,file,dx,dy,angle,score,places,others\n0,\"a,b.png\",0,0,0,,1,\n1,c.png,-1.5,2,0.1,0.9,2,4 5\n");
    write_text("diagnostics.csv",
               "step,time,kinetic,potential,energy,relative_error,virial_ratio,momentum_x,momentum_y,momentum_z,"
               "angular_x,angular_y,angular_z,centre_x,centre_y,centre_z\n0,0,0.25,-0.5,-0.25,0,1,0,0,0,0,0,0,0,0,0\n");
}

static void seed_json(void)
{
    static double one[] = {1}, mean[] = {0.5}, hundred[] = {100};
    const penta_io_model model = {.m = {.bands = 1,
                                        .components = 1,
                                        .pixels = 10,
                                        .kind = PENTA_PCA_PCA,
                                        .ddof = 1,
                                        .rounding = 1e-15,
                                        .mean = mean,
                                        .deviation = one,
                                        .eigenvalues = one,
                                        .percent = hundred,
                                        .loadings = one,
                                        .forward = one,
                                        .inverse = one},
                                  .file_bands = 1,
                                  .cov = "triangle",
                                  .precision = "double"};
    penta_io_error err = {""};

    begin("model");
    expect_written(penta_io_model_write(in_directory("one.json"), &model, &err), &err);
    begin("recipe");
    write_text("some.json",
               "{\"register\": \"none\", \"max_drift\": 12, \"dust\": false, \"dark\": null, \"format\": \"npy\"}");
    write_text("empty.json", "{}");
}

static void seed_checkpoint(void)
{
    static double state[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    static uint64_t ids[2] = {1, UINT64_MAX};
    static uint8_t families[2] = {PENTA_IO_HALO, PENTA_IO_STARS};
    penta_io_checkpoint c = {.n = 2,
                             .diagnose_every = 10,
                             .first_energy = -0.25,
                             .count = COUNT(state),
                             .state = state,
                             .about = {.n = 2, .id = ids, .family = families, .time = 2.5, .has_time = true}};
    penta_io_error err = {""};

    begin("checkpoint");
    penta_nbody_options_init(&c.options);
    expect_written(penta_io_checkpoint_write(in_directory("two.bin"), &c, &err), &err);
}

/* state.json, a zero byte, and an array. */
static void seed_archive(void)
{
    float *floats = calloc(4, sizeof *floats);
    penta_io_archive a = {
        .recipe = strdup("{\"grey\": \"mean\"}"),
        .like = {.width = 2, .height = 2, .channels = 1, .type = PENTA_U8},
        .series = {.frames = 1, .width = 2, .height = 2, .key_image = floats, .low = NAN, .high = NAN}};
    penta_io_archive_frame *frame = penta_io_archive_add(&a);
    unsigned char *state, *array, *both;
    size_t size, more;
    penta_io_error err = {""};

    assert_true(floats && frame);
    frame->file = strdup("a b.png");
    frame->stem = strdup("a b");
    frame->row = (penta_io_drift_row){.done = true, .drift = {.score = NAN}};
    frame->peak = (penta_peak){PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN};
    begin("archive");
    expect_written(penta_io_archive_write(test_directory, &a, &err), &err);
    state = read_file(in_directory(".prepare/state.json"), &size);
    array = read_file(in_directory(".prepare/key-1.npy"), &more);
    both = calloc(size + 1 + more, 1);
    assert_non_null(both);
    memcpy(both, state, size);
    memcpy(both + size + 1, array, more);
    write_file("state", both, size + 1 + more);
    remove_tree(in_directory(".prepare"));
    free(state);
    free(array);
    free(both);
    penta_io_archive_free(&a);
}

/* ---- what is typed ---- */

static void seed_words(void)
{
    static const char *const numbers[] = {"1", "1e3", "-0.5", "none", "auto", "640x480:u16le"};
    static const char *const lines[] = {
        "-o\ndir\nfile.png", "--help", "-v\n--json\n--device\ncpu\na.npy", "--preset=paper\n-q\na", "1-5,7\n2",
        "83.8,-5.4,10",      "640x480"};
    char name[32];

    begin("options");
    for (size_t i = 0; i < 13 * COUNT(numbers); i++) {
        snprintf(name, sizeof name, "%zu", i);
        write_chosen(name, (int)(i % 13), (int)(i / 13), numbers[i / 13]);
    }
    begin("command");
    for (size_t i = 0; i < 24 * COUNT(lines); i++) {
        snprintf(name, sizeof name, "%zu", i);
        write_chosen(name, (int)(i % 24), -1, lines[i / 24]);
    }
    begin("kernel_source");
    write_file("three",
               "#include \"b.clh\"\n__kernel void f() {}\n\0#include \"c.clh\"\nint b;\n\0<kernel>:3:1: error\n#line 7 "
               "\"x\"\n",
               88);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 1;
    }
    root = argv[1];
    assert_true(mkdir(root, 0777) == 0 || access(root, W_OK) == 0);
    seed_images();
    seed_coordinates();
    seed_raw();
#ifdef PENTA_HAVE_TIFF
    seed_tiffs();
#endif
    seed_cubes();
#ifdef PENTA_HAVE_MATIO
    seed_matlab();
#endif
    seed_bodies();
    seed_tables();
    seed_json();
    seed_checkpoint();
    seed_archive();
    seed_words();
    return 0;
}
