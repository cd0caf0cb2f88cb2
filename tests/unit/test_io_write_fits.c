/* FITS files that we write: coordinates and cards come back, fitsverify is content, bad metadata leave nothing. */

#include "write_files.h"

#include <signal.h>
#include <sys/resource.h>

#include "io/fits_hdu.h"

#ifndef PENTA_HAVE_FITS

TEST(without_cfitsio)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(3, 2, PENTA_U8);

    expect_not_written(in_directory("a.fits"), &image, NULL, "this build cannot write FITS: install libcfitsio-dev");
}

#else

#include <fitsio.h>

/* fitsverify must find neither errors nor warnings. */
static void verify(const char *path)
{
    char command[1200], line[400] = "";
    FILE *pipe;

    snprintf(command, sizeof command, "fitsverify -q '%s' 2>&1", path);
    pipe = popen(command, "r"); /* NOLINT: the name is ours */
    assert_non_null(pipe);
    if (!fgets(line, sizeof line, pipe))
        *line = 0;
    if (pclose(pipe) != 0 || !strstr(line, "verification OK"))
        fail_msg("fitsverify: %s", line);
}

static bool has_fitsverify(void)
{
    int status = system("command -v fitsverify >/dev/null"); /* NOLINT */

    if (status != 0)
        leave_out("fitsverify is not installed");
    return status == 0;
}

/* Numbers that need all their digits. */
static penta_io_fits_wcs_cards some_wcs(bool sip)
{
    penta_io_fits_wcs_cards w = {.wcs = {.crval = {1.0 / 3, -89.0 / 7}, .crpix = {0.1 + 0.2, -1e5 / 3}}, .fk5 = sip};

    w.wcs.cd[0][0] = -1e-5 / 3;
    w.wcs.cd[0][1] = 1e-9 / 7;
    w.wcs.cd[1][0] = -0.0;
    w.wcs.cd[1][1] = 1e-5 / 9;
    if (!sip)
        return w;
    w.wcs.a_order = 9;
    w.wcs.b_order = 2;
    w.wcs.ap_order = 3;
    w.wcs.bp_order = 1;
    w.wcs.a[9][0] = 1e-300 / 3;
    w.wcs.a[4][5] = -1e-17 / 3;
    w.wcs.a[0][0] = 5e-324;
    w.wcs.b[1][1] = 2e-6 / 3;
    w.wcs.ap[1][2] = -1e-6 / 7;
    w.wcs.bp[0][1] = 1;
    return w;
}

IO_TEST(fits_coordinates_come_back)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(31, 17, PENTA_F32);
    bool verified = has_fitsverify();

    for (int sip = 0; sip < 2; sip++) {
        penta_io_fits_wcs_cards w = some_wcs(sip), back;
        penta_io_metadata meta = {.wcs = &w};

        expect_written(in_directory("wcs.fits"), &image, &meta);
        EXPECT_IO(penta_io_fits_wcs(in_directory("wcs.fits"), &back, &err), err);
        assert_int_equal(back.width, 31);
        assert_int_equal(back.height, 17);
        assert_true(back.fk5 == w.fk5);
        assert_int_equal(back.wcs.a_order, w.wcs.a_order);
        assert_int_equal(back.wcs.b_order, w.wcs.b_order);
        assert_int_equal(back.wcs.ap_order, w.wcs.ap_order);
        assert_int_equal(back.wcs.bp_order, w.wcs.bp_order);
        for (int i = 0; i < 2; i++) {
            assert_true(back.wcs.crval[i] == w.wcs.crval[i] && back.wcs.crpix[i] == w.wcs.crpix[i]);
            assert_true(back.wcs.cd[i][0] == w.wcs.cd[i][0] && back.wcs.cd[i][1] == w.wcs.cd[i][1]);
        }
        assert_memory_equal(back.wcs.a, w.wcs.a, sizeof w.wcs.a);
        assert_memory_equal(back.wcs.b, w.wcs.b, sizeof w.wcs.b);
        assert_memory_equal(back.wcs.ap, w.wcs.ap, sizeof w.wcs.ap);
        assert_memory_equal(back.wcs.bp, w.wcs.bp, sizeof w.wcs.bp);
        if (verified)
            verify(in_directory("wcs.fits"));
    }
}

static const penta_io_card cards[] = {
    {.key = "ORIGIN", .text = "penta", .comment = "who made it"},
    {.key = "OBSERVER", .text = "O'Brien & 68 characters of text, all there is room for in a card 12"},
    {.key = "GAIN", .kind = PENTA_IO_CARD_REAL, .real = 0.1 + 0.2, .comment = "[electron/adu]"},
    {.key = "SEED", .kind = PENTA_IO_CARD_INTEGER, .integer = INT64_MIN},
    {.key = "NOISE",
     .kind = PENTA_IO_CARD_TRUTH,
     .integer = 1,
     .comment = "a comment that is far too long to fit in a card of "
                "eighty characters, and so it is cut"},
    {.key = "SEED", .kind = PENTA_IO_CARD_INTEGER, .integer = INT64_MAX, .comment = "replaces the first"},
    {.key = "HISTORY", .text = "first"},
    {.key = "HISTORY", .text = "second"},
    {.key = "COMMENT",
     .text = "a remark that takes more than one card because it goes on and on, which is no reason to "
             "leave any of it out"},
    {.key = "EMPTY"},
};

TEST(fits_header)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(31, 17, PENTA_U16);
    penta_io_metadata meta = {.exposure = 0.05,
                              .unit = "adu",
                              .date_obs = "2019-07-29T20:47:26.125",
                              .cards = cards,
                              .card_count = COUNT(cards)};
    fitsfile *file = NULL;
    char text[FLEN_VALUE];
    double real = 0;
    LONGLONG integer = 0;
    int status = 0, truth = 0;

    expect_written(in_directory("header.fits"), &image, &meta);
    expect_pixels(in_directory("header.fits"), 31, 17, PENTA_U16, image.data);
    fits_open_diskfile(&file, in_directory("header.fits"), READONLY, &status);
    fits_read_key(file, TSTRING, "BUNIT", text, NULL, &status);
    assert_string_equal(text, "adu");
    fits_read_key(file, TSTRING, "DATE-OBS", text, NULL, &status);
    assert_string_equal(text, "2019-07-29T20:47:26.125");
    fits_read_key(file, TSTRING, "OBSERVER", text, NULL, &status);
    assert_string_equal(text, cards[1].text);
    fits_read_key(file, TDOUBLE, "EXPTIME", &real, NULL, &status);
    assert_true(real == 0.05);
    fits_read_keyword(file, "EXPTIME", text, NULL, &status);
    assert_string_equal(text, "0.05"); /* no more digits than it takes */
    fits_read_key(file, TDOUBLE, "GAIN", &real, NULL, &status);
    assert_true(real == 0.1 + 0.2);
    fits_read_key(file, TLONGLONG, "SEED", &integer, NULL, &status);
    assert_true(integer == INT64_MAX);
    fits_read_key(file, TLOGICAL, "NOISE", &truth, NULL, &status);
    assert_int_equal(truth, 1);
    fits_close_file(file, &status);
    assert_int_equal(status, 0);
    if (has_fitsverify())
        verify(in_directory("header.fits"));
}

TEST(fits_files_are_valid)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 9}, {2880, 1}, {33, 17}};

    if (!has_fitsverify())
        skip();
    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            HELD_BY(penta_io_image_free) penta_io_image image = random_image(sizes[s][0], sizes[s][1], types[t]);

            expect_written(in_directory("valid.fits"), &image, NULL);
            verify(in_directory("valid.fits"));
        }
}

/* cfitsio must not make room for the pixels when it makes a header. */
IO_TEST(fits_header_takes_no_pixels)
{
    penta_io_image image = {.width = 4096, .height = 8192, .type = PENTA_F64}; /* 256 MiB */
    struct rusage before, after;
    size_t bytes = 0;
    HELD char *header = NULL;

    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    header = io_fits_header("large.fits", &image, NULL, &bytes, &err);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    if (!header)
        fail_msg("%s", err.text);
    assert_int_equal(bytes, 2880);
    assert_memory_equal(header + 3 * 80, "NAXIS1  =                 4096", 30);
    assert_true(after.ru_maxrss - before.ru_maxrss < 128 * 1024); /* KiB */
}

static void expect_refused_card(const penta_io_card *card, const char *what)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(2, 2, PENTA_U8);
    penta_io_metadata meta = {.cards = card, .card_count = 1};

    expect_not_written(in_directory("refused.fits"), &image, &meta, what);
    assert_int_not_equal(access(in_directory("refused.fits"), F_OK), 0);
}

TEST(fits_refuses_bad_metadata)
{
    static const char *const names[] = {"",       "lower", "NINECHARS", "A B",     "NAXIS1",
                                        "BITPIX", "END",   "BZERO",     "CONTINUE"};
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(2, 2, PENTA_U8);
    penta_io_fits_wcs_cards w = some_wcs(true);
    char long_text[80];
    char message[FLEN_ERRMSG];

    for (size_t i = 0; i < COUNT(names); i++)
        expect_refused_card(&(penta_io_card){.key = names[i], .kind = PENTA_IO_CARD_INTEGER},
                            "cannot be a card of the header");
    memset(long_text, 'x', 69);
    long_text[69] = 0;
    expect_refused_card(&(penta_io_card){.key = "A", .text = long_text}, "has 69 characters, but a FITS card holds 68");
    long_text[68] = 0;
    long_text[0] = '\'';
    expect_refused_card(&(penta_io_card){.key = "A", .text = long_text}, "has 69 characters");
    expect_refused_card(&(penta_io_card){.key = "A", .text = "caf\xc3\xa9"},
                        "characters that a FITS header cannot hold");
    expect_refused_card(&(penta_io_card){.key = "A", .comment = "a\nb"}, "a comment is plain ASCII");
    expect_refused_card(&(penta_io_card){.key = "A", .kind = PENTA_IO_CARD_REAL, .real = NAN}, "A would be nan");
    expect_refused_card(&(penta_io_card){.key = "HISTORY", .kind = PENTA_IO_CARD_REAL},
                        "HISTORY in a FITS header holds a text");
    expect_not_written(in_directory("no.fits"), &image, &(penta_io_metadata){.date_obs = "29/07/19"}, "is not a date");
    expect_not_written(in_directory("no.fits"), &image, &(penta_io_metadata){.date_obs = "2019-13-01"},
                       "is not a date");
    expect_not_written(in_directory("no.fits"), &image, &(penta_io_metadata){.date_obs = "2019-01-01 10:00:00"},
                       "is not a date");
    expect_not_written(in_directory("no.fits"), &image, &(penta_io_metadata){.exposure = INFINITY},
                       "EXPTIME would be inf");
    w.wcs.cd[0][1] = NAN;
    expect_not_written(in_directory("no.fits"), &image, &(penta_io_metadata){.wcs = &w}, "CD1_2 would be nan");
    w = some_wcs(true);
    w.wcs.ap_order = 10;
    expect_not_written(in_directory("no.fits"), &image, &(penta_io_metadata){.wcs = &w}, "SIP orders are 0 to 9");
    assert_int_not_equal(access(in_directory("no.fits"), F_OK), 0);
    assert_int_equal(fits_read_errmsg(message), 0);
}

/* A name that cfitsio would take apart is only a name. */
TEST(fits_names_are_names)
{
    static const char *const names[] = {"a[1:2].fits", "!b.fits",   "c(d.fits).fits",
                                        "~e.fits",     "f.gz.fits", "mem:.fits"};
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(3, 2, PENTA_F64);

    for (size_t i = 0; i < COUNT(names); i++) {
        expect_written(in_directory(names[i]), &image, NULL);
        assert_int_equal(access(in_directory(names[i]), F_OK), 0);
        expect_pixels(in_directory(names[i]), 3, 2, PENTA_F64, image.data);
    }
}

/* ---- compressed as a whole ---- */

static unsigned char *unpacked(const char *path, size_t *size)
{
    char command[1200];
    unsigned char *bytes = malloc(1 << 22);
    FILE *pipe;

    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    pipe = popen(command, "r"); /* NOLINT: the name is ours */
    assert_non_null(pipe);
    *size = fread(bytes, 1, 1 << 22, pipe);
    assert_int_equal(pclose(pipe), 0);
    return bytes;
}

/* gzip finds the bytes of the plain file in it, cfitsio and we ourselves the pixels, and it is the same every time. */
IO_TEST(gzip)
{
    static const penta_type held[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};

    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        HELD_BY(penta_io_image_free) penta_io_image image = random_image(211, 157, held[i]), back;
        size_t plain_size, size, again_size;
        HELD unsigned char *plain = NULL, *found = NULL, *first = NULL, *second = NULL;
        fitsfile *file = NULL;
        int status = 0, axes = 0;
        long sides[2] = {0, 0};

        assert_true(penta_io_image_write(in_directory("plain.fits"), &image, NULL, &err));
        assert_true(penta_io_image_write(in_directory("a.fits.gz"), &image, NULL, &err));
        plain = read_file(in_directory("plain.fits"), &plain_size);
        found = unpacked(in_directory("a.fits.gz"), &size);
        assert_int_equal(size, plain_size);
        assert_memory_equal(found, plain, size);
        first = read_file(in_directory("a.fits.gz"), &size);
        assert_true(penta_io_image_write(in_directory("b.FIT.GZ"), &image, NULL, &err));
        second = read_file(in_directory("b.FIT.GZ"), &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(first, second, size);
        assert_true(penta_io_image_read(in_directory("a.fits.gz"), &back, &err));
        assert_int_equal(back.type, image.type);
        assert_memory_equal(back.data, image.data, image.width * image.height * penta_type_size(image.type));
        fits_open_file(&file, in_directory("a.fits.gz"), READONLY, &status);
        fits_get_img_dim(file, &axes, &status);
        fits_get_img_size(file, 2, sides, &status);
        fits_close_file(file, &status);
        assert_int_equal(status, 0);
        assert_true(axes == 2 && sides[0] == 211 && sides[1] == 157);
    }
}

/* On a full disk nothing of it is left. */
IO_TEST(gzip_whole_or_not_at_all)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(400, 300, PENTA_F64);
    struct rlimit before, little = {20000, 20000};

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    assert_false(penta_io_image_write(in_directory("full.fits.gz"), &image, NULL, &err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(err.text, "full.fits.gz: cannot be written: File too large"));
    assert_int_not_equal(access(in_directory("full.fits.gz"), F_OK), 0);
}

#endif

IN_DIRECTORY;
