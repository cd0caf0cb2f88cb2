/* The coordinates in FITS headers: every way to write them, what is refused, and frames that a solver has solved. */

#include "fits_files.h"

#include <pentacl/io/image.h>

#ifndef PENTA_HAVE_FITS

IO_TEST(without_cfitsio)
{
    const char *path = write_file("a.wcs", "SIMPLE  =                    T", 30);
    penta_io_fits_wcs_cards wcs;

    assert_false(penta_io_fits_wcs(path, &wcs, &err));
    assert_non_null(strstr(err.text, "a.wcs: this build cannot read FITS headers: install libcfitsio-dev"));
}

#else

#include <fitsio.h>

#define TAN    "CTYPE1  = 'RA---TAN'\nCTYPE2  = 'DEC--TAN'\n"
#define SIP    "CTYPE1  = 'RA---TAN-SIP'\nCTYPE2  = 'DEC--TAN-SIP'\n"
#define AT     "CRVAL1  = 83.8\nCRVAL2  = -1.2\nCRPIX1  = 512.5\nCRPIX2  = 384.25\n"
#define CD     "CD1_1   = -0.01\nCD1_2   = 0.002\nCD2_1   = 0.003\nCD2_2   = 0.011\n"
#define ORDERS "A_ORDER = 2\nB_ORDER = 3\n"

static const char *header_only(const char *cards)
{
    hand_made f = {.size = 0};
    char text[4000];

    snprintf(text, sizeof text, EMPTY "%s", cards);
    add_header(&f, text);
    return save("only.wcs", &f);
}

static penta_io_fits_wcs_cards expect_wcs(const char *cards)
{
    penta_io_fits_wcs_cards wcs;
    penta_io_error err = {""};

    EXPECT_IO(penta_io_fits_wcs(header_only(cards), &wcs, &err), err);
    return wcs;
}

static void expect_no_wcs(const char *cards, const char *what)
{
    const char *path = header_only(cards);
    penta_io_fits_wcs_cards wcs;
    penta_io_error err = {""};

    if (penta_io_fits_wcs(path, &wcs, &err))
        fail_msg("should fail with '%s'", what);
    expect_line(&err, path, what);
}

static void expect_matrix(const char *cards, double a, double b, double c, double d)
{
    penta_io_fits_wcs_cards wcs = expect_wcs(cards);
    const double right[] = {a, b, c, d};

    for (int i = 0; i < 4; i++)
        if (!(fabs(wcs.wcs.cd[i / 2][i % 2] - right[i]) <= 1e-16))
            fail_msg("element %d is %.17g, not %.17g, of %s", i, wcs.wcs.cd[i / 2][i % 2], right[i], cards);
}

TEST(wcs_of_a_tangent_plane)
{
    penta_io_fits_wcs_cards wcs = expect_wcs(TAN AT CD "IMAGEW  = 1392\nIMAGEH  = 1040\n");

    assert_true(wcs.wcs.crval[0] == 83.8 && wcs.wcs.crval[1] == -1.2);
    assert_true(wcs.wcs.crpix[0] == 512.5 && wcs.wcs.crpix[1] == 384.25);
    assert_true(wcs.wcs.cd[0][0] == -0.01 && wcs.wcs.cd[0][1] == 0.002 && wcs.wcs.cd[1][0] == 0.003 &&
                wcs.wcs.cd[1][1] == 0.011);
    assert_false(wcs.fk5);
    assert_int_equal(wcs.wcs.a_order + wcs.wcs.b_order + wcs.wcs.ap_order + wcs.wcs.bp_order, 0);
    assert_int_equal(wcs.width, 1392);
    assert_int_equal(wcs.height, 1040);
    wcs = expect_wcs(TAN AT CD);
    assert_int_equal(wcs.width + wcs.height, 0);
}

TEST(wcs_matrices)
{
    const double c = cos(0.5235987755982988), s = sin(0.5235987755982988); /* 30 degrees */

    expect_matrix(TAN AT CD "CDELT1  = 9.0\nCDELT2  = 9.0\n", -0.01, 0.002, 0.003, 0.011); /* CD wins */
    expect_matrix(TAN AT "CD1_1   = -1D-2\nCD2_2   = 0.011\n", -0.01, 0, 0, 0.011);
    expect_matrix(TAN AT "CDELT1  = -0.01\nCDELT2  = 0.02\n", -0.01, 0, 0, 0.02);
    expect_matrix(TAN AT "CDELT1  = -0.01\nCDELT2  = 0.02\nCROTA2  = 30.0\n", -0.01 * c, -0.02 * s, -0.01 * s,
                  0.02 * c);
    expect_matrix(TAN AT "CDELT1  = -0.01\nCDELT2  = 0.02\nPC1_1   = 0.5\nPC1_2   = -0.25\nPC2_1   = 0.125\n", -0.005,
                  0.0025, 0.0025, 0.02);
    expect_no_wcs(TAN AT, "lack CDELT1");
    expect_no_wcs(TAN AT "CDELT1  = 0.1\n", "lack CDELT2");
    expect_no_wcs(TAN AT "CD1_1   = 0.1\n", "cannot be inverted");
    expect_no_wcs(TAN AT "CD1_1   = 0.1\nCD1_2   = 0.2\nCD2_1   = 0.2\nCD2_2   = 0.4\n", "cannot be inverted");
    expect_no_wcs(TAN AT "CD1_1   = 1.0\nCD1_2   = 1.0\nCD2_1   = 1.0\nCD2_2   = 1.00000000000001\n",
                  "cannot be inverted");
    expect_no_wcs(TAN AT CD "PC1_1   = 1.0\n", "have a CD and a PC matrix");
}

TEST(wcs_pole)
{
    const char *polar = TAN "CRVAL1  = 83.8\nCRVAL2  = 90.0\nCRPIX1  = 1\nCRPIX2  = 1\n" CD;

    expect_matrix(TAN AT CD "LONPOLE = 180.0\nLATPOLE = 0.0\n", -0.01, 0.002, 0.003, 0.011);
    expect_matrix(TAN AT CD "LATPOLE = -1.2\n", -0.01, 0.002, 0.003, 0.011);
    expect_matrix(TAN AT CD "LONPOLE = 0\n", 0.01, -0.002, -0.003, -0.011);
    expect_matrix(polar, 0.01, -0.002, -0.003, -0.011);
    expect_no_wcs(TAN AT CD "LONPOLE = 90.0\n", "LONPOLE is 90");
}

TEST(wcs_frames)
{
    assert_false(expect_wcs(TAN AT CD "RADESYS = 'ICRS'\nEQUINOX = 2000.0\n").fk5);
    assert_true(expect_wcs(TAN AT CD "RADESYS = 'FK5     '\n").fk5);
    assert_true(expect_wcs(TAN AT CD "EQUINOX = 2000.0\n").fk5);
    assert_true(expect_wcs(TAN AT CD "RADECSYS= 'FK5'\nEPOCH   = 2000\n").fk5);
    expect_no_wcs(TAN AT CD "EQUINOX = 1950.0\n", "of equinox 1950; only J2000 and ICRS");
    expect_no_wcs(TAN AT CD "RADESYS = 'FK5'\nEQUINOX = 1975.0\n", "of equinox 1975");
    expect_no_wcs(TAN AT CD "RADESYS = 'FK4'\nEQUINOX = 1950.0\n", "RADESYS = 'FK4'");
    expect_no_wcs(TAN AT CD "EPOCH   = 1950.0\n", "of equinox 1950");
}

TEST(wcs_distortion)
{
    penta_io_fits_wcs_cards w =
        expect_wcs(SIP AT CD ORDERS "A_2_0   = 1.5E-6\nA_1_1   = -2E-7\nA_3_0   = 1.0\nA_0_0   = 0.25\n"
                                    "B_0_3   = 1.0E-9\nB_2_1   = 3.0E-9\n");

    assert_true(w.wcs.ap_order == 0 && w.wcs.bp_order == 0);
    assert_int_equal(w.wcs.a_order, 2);
    assert_int_equal(w.wcs.b_order, 3);
    assert_true(w.wcs.a[2][0] == 1.5e-6 && w.wcs.a[1][1] == -2e-7 && w.wcs.a[0][0] == 0.25 && w.wcs.a[0][2] == 0);
    assert_true(w.wcs.a[3][0] == 0); /* beyond the order */
    assert_true(w.wcs.b[0][3] == 1e-9 && w.wcs.b[2][1] == 3e-9 && w.wcs.b[1][2] == 0);
    w = expect_wcs(SIP AT CD "A_ORDER = 9\nB_ORDER = 9\nAP_ORDER= 4\nBP_ORDER= 1\nA_9_0   = 1.0E-30\nB_4_5   = 2E-30\n"
                             "AP_4_0  = 4.0\nBP_0_1  = 5.0\nAP_3_2  = 1.0\n");
    assert_true(w.wcs.ap_order == 4 && w.wcs.bp_order == 1 && w.wcs.ap[4][0] == 4 && w.wcs.bp[0][1] == 5);
    assert_true(w.wcs.a[9][0] == 1e-30 && w.wcs.b[4][5] == 2e-30 && w.wcs.ap[3][2] == 0);
    expect_no_wcs(SIP AT CD "B_ORDER = 2\n", "lack A_ORDER");
    expect_no_wcs(SIP AT CD "A_ORDER = 2\n", "lack B_ORDER");
    expect_no_wcs(SIP AT CD ORDERS "AP_ORDER= 2\n", "lack BP_ORDER, but have AP_ORDER");
    expect_no_wcs(SIP AT CD "A_ORDER = 10\nB_ORDER = 2\n", "A_ORDER is 10; SIP orders are 0 to 9");
    expect_no_wcs(SIP AT CD "A_ORDER = -1\nB_ORDER = 2\n", "A_ORDER is -1");
    expect_no_wcs(SIP AT CD "A_ORDER = 2.5\nB_ORDER = 2\n", "A_ORDER is 2.5");
    expect_no_wcs(SIP AT CD ORDERS "A_1_1   = 'x'\n", "A_1_1 in its header is not a finite number");
    expect_no_wcs(TAN AT CD ORDERS, "CTYPE1 does not end in -SIP");
    expect_no_wcs(TAN AT CD "PV2_1   = 1.0\n", "PV cards");
    expect_no_wcs(TAN AT CD "CPDIS1  = 'LOOKUP'\n", "a distortion table");
}

IO_TEST(wcs_refusals)
{
    static const char *const others[][2] = {
        {"RA---SIN", "DEC--SIN"},
        {"DEC--TAN", "RA---TAN"},
        {"GLON-TAN", "GLAT-TAN"},
        {"RA---TAN-SIP", "DEC--TAN"},
        {"RA---TPV", "DEC--TPV"},
        {"LINEAR", ""},
        {"RA", "DEC"},
        {"ra---tan", "dec--tan"},
    };
    hand_made f = {.size = 0};
    penta_io_fits_wcs_cards wcs;

    for (size_t i = 0; i < COUNT(others); i++) {
        char cards[400], what[200];

        snprintf(cards, sizeof cards, "CTYPE1  = '%s'\nCTYPE2  = '%s'\n" AT CD, others[i][0], others[i][1]);
        snprintf(what, sizeof what, "CTYPE1 = '%s', CTYPE2 = '%s'", others[i][0], others[i][1]);
        expect_no_wcs(cards, what);
    }
    expect_no_wcs(AT CD, "has no celestial coordinates (no CTYPE1");
    expect_no_wcs(TAN "CRVAL1  = 1.0\nCRPIX1  = 1\nCRPIX2  = 1\n" CD, "lack CRVAL2");
    expect_no_wcs(TAN "CRVAL1  = 1.0\nCRVAL2  = 1.0\nCRPIX2  = 1\n" CD, "lack CRPIX1");
    expect_no_wcs(TAN "CRVAL1  = 'x'\nCRVAL2  = 1.0\nCRPIX1  = 1\nCRPIX2  = 1\n" CD, "CRVAL1 in its header is not");
    expect_no_wcs(TAN "CRVAL1  = 1.0\nCRVAL2  = 91.0\nCRPIX1  = 1\nCRPIX2  = 1\n" CD, "CRVAL2 is 91");
    expect_no_wcs(TAN AT CD "CUNIT1  = 'rad'\n", "CUNIT1 is 'rad'; only degrees");
    add_header(&f, EMPTY TAN AT CD);
    f.size -= 1;
    assert_false(penta_io_fits_wcs(save("cut.wcs", &f), &wcs, &err));
    assert_non_null(strstr(err.text, "cut.wcs: is a FITS file that ends inside the header"));
    assert_false(penta_io_fits_wcs(write_file("text.wcs", "# RA, Dec\n1, 2\n", 15), &wcs, &err));
    assert_non_null(strstr(err.text, "text.wcs: is not a FITS file"));
    assert_false(penta_io_fits_wcs(in_directory("none.wcs"), &wcs, &err));
    assert_non_null(strstr(err.text, "none.wcs: no such file"));
}

IO_TEST(wcs_of_an_image_extension)
{
    hand_made f = {.size = 0};
    penta_io_fits_wcs_cards wcs;

    add_header(&f, EMPTY);
    add_table(&f, "CTYPE1  = 'WAVE'\n");
    add_header(&f, IMAGE "BITPIX  = 8\nNAXIS   = 2\nNAXIS1  = 7\nNAXIS2  = 5\nPCOUNT  = 0\nGCOUNT  = 1\n" TAN AT CD);
    if (!penta_io_fits_wcs(save("image.fits", &f), &wcs, &err)) /* the pixels are not looked at */
        fail_msg("%s", err.text);
    assert_int_equal(wcs.width, 7);
    assert_int_equal(wcs.height, 5);
}

/* ---- solved frames: the coordinates against the table of matched stars that the solver wrote ---- */

/* A column of numbers of the first table, by name; to be freed. */
static double *read_column(const char *path, const char *name, long *rows)
{
    fitsfile *file = NULL;
    double *values;
    int status = 0, column = 0, any;

    fits_open_diskfile(&file, path, READONLY, &status);
    fits_movabs_hdu(file, 2, NULL, &status);
    fits_get_num_rows(file, rows, &status);
    fits_get_colnum(file, CASEINSEN, (char *)(uintptr_t)name, &column, &status);
    if (status != 0)
        fail_msg("%s: %s: cfitsio says %d", path, name, status);
    values = calloc((size_t)*rows, sizeof *values);
    assert_non_null(values);
    fits_read_col(file, TDOUBLE, column, 1, 1, *rows, NULL, values, &any, &status);
    fits_close_file(file, &status);
    assert_int_equal(status, 0);
    return values;
}

/* Pixel (from 1) to degrees, as io/image.h says it. */
static void to_sky(const penta_io_fits_wcs_cards *w, double x, double y, double *ra, double *dec)
{
    const double degree = 0.017453292519943295;
    double u = x - w->wcs.crpix[0], v = y - w->wcs.crpix[1];
    double f = u, g = v, xi, eta, d0 = w->wcs.crval[1] * degree;

    for (int p = 0; p <= PENTA_SIP_ORDER; p++)
        for (int q = 0; q <= PENTA_SIP_ORDER - p; q++) {
            f += w->wcs.a[p][q] * pow(u, p) * pow(v, q);
            g += w->wcs.b[p][q] * pow(u, p) * pow(v, q);
        }
    xi = (w->wcs.cd[0][0] * f + w->wcs.cd[0][1] * g) * degree;
    eta = (w->wcs.cd[1][0] * f + w->wcs.cd[1][1] * g) * degree;
    *ra = w->wcs.crval[0] + atan2(xi, cos(d0) - eta * sin(d0)) / degree;
    *dec = atan2(sin(d0) + eta * cos(d0), hypot(xi, cos(d0) - eta * sin(d0))) / degree;
}

/* NAME.wcs and NAME.corr as the solver wrote them. */
static void check_frame(const char *data, const char *name)
{
    char path[1024];
    penta_io_fits_wcs_cards w;
    penta_io_error err = {""};
    HELD double *x = NULL, *y = NULL, *ra = NULL, *dec = NULL;
    long rows;

    snprintf(path, sizeof path, "%s/starmatch/%s.wcs", data, name);
    EXPECT_IO(penta_io_fits_wcs(path, &w, &err), err);
    assert_int_equal(w.width, 1392);
    snprintf(path, sizeof path, "%s/starmatch/%s.corr", data, name);
    x = read_column(path, "field_x", &rows);
    y = read_column(path, "field_y", &rows);
    ra = read_column(path, "field_ra", &rows);
    dec = read_column(path, "field_dec", &rows);
    assert_true(rows > 5);
    for (long i = 0; i < rows; i++) {
        double r, d;

        to_sky(&w, x[i], y[i], &r, &d);
        if (fabs(r - ra[i]) > 1e-7 || fabs(d - dec[i]) > 1e-7)
            fail_msg("star %ld is at %.9f %.9f, not %.9f %.9f", i, r, d, ra[i], dec[i]);
    }
}

TEST(solved_frames)
{
    const char *data = getenv("PENTACL_TEST_DATA");

    if (!data) {
        leave_out_test("PENTACL_TEST_DATA names no directory with starmatch/");
    }
    check_frame(data, "ost_0.05sec_img0");
    check_frame(data, "ost_0.05sec_img6");
}

TEST(columns)
{
    hand_made f = {.size = 0};
    double *values;
    long rows;

    add_header(&f, EMPTY);
    add_header(&f, TABLE "NAXIS1  = 12\nNAXIS2  = 2\nPCOUNT  = 0\nGCOUNT  = 1\nTFIELDS = 2\nTFORM1  = '1D'\n"
                         "TTYPE1  = 'field_x'\nTFORM2  = '1J'\nTTYPE2  = 'index_id'\n");
    add_data(&f, "\x3f\xf0\0\0\0\0\0\0\0\0\0\7\xc0\0\0\0\0\0\0\0\xff\xff\xff\xff", 24);
    values = read_column(save("table.corr", &f), "field_x", &rows);
    assert_int_equal(rows, 2);
    assert_true(values[0] == 1 && values[1] == -2);
    free(values);
    values = read_column(in_directory("table.corr"), "index_id", &rows);
    assert_true(values[0] == 7 && values[1] == -1);
    free(values);
}

#endif

IN_DIRECTORY;
