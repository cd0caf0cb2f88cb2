/* TAN and TAN-SIP: two real plate solutions, native poles, polynomials that bend hard, refusals. */
#include "sky_checks.h"

enum { MOST = 4000 };

static double x[MOST], y[MOST], ra[MOST], dec[MOST], back_x[MOST], back_y[MOST];

/* Two frames of a star camera solved by astrometry.net, 1392 x 1040 px. */
static void first_plate(penta_wcs *wcs)
{
    penta_wcs_init(wcs);
    wcs->crval[0] = 181.996539881;
    wcs->crval[1] = 15.8801248044;
    wcs->crpix[0] = 531.458485285;
    wcs->crpix[1] = 752.02146403;
    wcs->cd[0][0] = -0.00435448154995;
    wcs->cd[0][1] = 0.000309217981748;
    wcs->cd[1][0] = -0.000305781329206;
    wcs->cd[1][1] = -0.00435103618957;
    wcs->a_order = wcs->b_order = wcs->ap_order = wcs->bp_order = 2;
    wcs->a[0][2] = -3.58118198273E-06;
    wcs->a[1][1] = -3.21882908365E-06;
    wcs->a[2][0] = 1.24453515008E-06;
    wcs->b[0][2] = -3.33361742841E-06;
    wcs->b[1][1] = 3.79833453996E-07;
    wcs->b[2][0] = 1.05516342275E-06;
    wcs->ap[0][0] = 0.000224559626908;
    wcs->ap[0][1] = -1.89536059379E-06;
    wcs->ap[0][2] = 3.55816039154E-06;
    wcs->ap[1][0] = -1.25627336139E-06;
    wcs->ap[1][1] = 3.20761457136E-06;
    wcs->ap[2][0] = -1.23986174374E-06;
    wcs->bp[0][0] = 7.67460917416E-05;
    wcs->bp[0][1] = -2.64003647496E-06;
    wcs->bp[0][2] = 3.31706297719E-06;
    wcs->bp[1][0] = -8.51686137585E-07;
    wcs->bp[1][1] = -3.78345056806E-07;
    wcs->bp[2][0] = -1.05060328318E-06;
}

static void second_plate(penta_wcs *wcs)
{
    penta_wcs_init(wcs);
    wcs->crval[0] = 153.229570349;
    wcs->crval[1] = 19.6019975774;
    wcs->crpix[0] = 525.827092489;
    wcs->crpix[1] = 283.360257467;
    wcs->cd[0][0] = -0.0036307159119;
    wcs->cd[0][1] = -0.0024285778702;
    wcs->cd[1][0] = 0.00242378444308;
    wcs->cd[1][1] = -0.00363650311232;
    wcs->a_order = wcs->b_order = 2;
    wcs->a[0][2] = -2.00252771499E-07;
    wcs->a[1][1] = 9.87489013255E-07;
    wcs->a[2][0] = 6.45769517815E-07;
    wcs->b[0][2] = -8.99877743775E-07;
    wcs->b[1][1] = 1.61525068331E-06;
    wcs->b[2][0] = -7.67939127116E-07;
}

/* RA, Dec, x, y as the solver's tables of matched stars give them, so pixels count from 1. `field` rows went from pixel
 * to sky by A, B; `index` rows from sky to pixel by AP, BP, which is good to 0.005 px alone. */
typedef struct {
    double ra, dec, x, y;
} match;

static void expect_matches(const penta_wcs *wcs, const match *rows, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        double px, py;

        expect_ok(penta_wcs_to_pixel(wcs, 1, &rows[i].ra, &rows[i].dec, &px, &py));
        expect_near(px, rows[i].x - 1, tolerance);
        expect_near(py, rows[i].y - 1, tolerance);
    }
}

TEST(real_plates)
{
    static const match first_field[] = {{184.00094276753705, 14.898889580215268, 104.05679321289062, 1005.6328125},
                                        {178.91889299236908, 15.648274102904661, 1212.08447265625, 752.006103515625},
                                        {182.6312191257918, 16.808980996116368, 377.71929931640625, 549.2198486328125}};
    static const match first_index[] = {{184.00096611357884, 14.89914167258964, 104.04953144693945, 1005.5748187866087},
                                        {178.91886638952775, 15.646809989286458, 1212.1213712282542, 752.3410265043912},
                                        {182.63183749760688, 16.80927692647858, 377.5793895098356, 549.1614898375485},
                                        {184.43433555303565, 15.144797229079249, 4.60602505950601, 954.8971009481106},
                                        {178.19253389677633, 15.436467213766031, 1376.360886423997, 786.3376883676917},
                                        {179.42683916315295, 17.46783027990719, 1065.60054460762, 345.98675346236183}};
    static const match second_field[] = {
        {154.99295084379145, 19.840123690726593, 241.04611206054688, 25.7615966796875},
        {151.83348549514986, 16.7637777364983, 420.2223815917969, 993.2688598632812},
        {150.70419357416836, 21.950472798828574, 1273.8004150390625, 131.2063751220703}};
    static const match second_index[] = {
        {154.99345711157645, 19.841141827272832, 241.08752966586866, 25.507798610496366},
        {151.83313888656457, 16.76266529347591, 420.1461194677212, 993.5245931551931},
        {150.70399194926972, 21.949271401192355, 1273.6868543978503, 131.4606837511336},
        {154.0668755591966, 17.74034057101745, 137.13112076877417, 536.2402000250711}};
    penta_wcs wcs;

    first_plate(&wcs);
    expect_matches(&wcs, first_field, 3, 1e-7);
    expect_matches(&wcs, first_index, 6, 0.005);
    wcs.ap_order = wcs.bp_order = 0; /* the start of the iteration does not matter */
    expect_matches(&wcs, first_field, 3, 1e-7);
    second_plate(&wcs);
    expect_matches(&wcs, second_field, 3, 1e-7);
    expect_matches(&wcs, second_index, 4, 0.002);
}

/* The exact inverse by other software (astropy 8.0, all_world2pix, origin 0). */
TEST(exact_inverse)
{
    static const match first[] = {{184.00096611357884, 14.89914167258964, 103.04804123437158, 1004.5752783144326},
                                  {178.91886638952775, 15.646809989286458, 1211.1197428011335, 751.3403673044631},
                                  {182.63183749760688, 16.80927692647858, 376.5795203258806, 548.1612310212196}};
    penta_wcs wcs;
    double px, py;

    first_plate(&wcs);
    for (size_t i = 0; i < 3; i++) {
        expect_ok(penta_wcs_to_pixel(&wcs, 1, &first[i].ra, &first[i].dec, &px, &py));
        expect_near(px, first[i].x, 1e-9);
        expect_near(py, first[i].y, 1e-9);
    }
}

/* Pixels to the sky and back, in and around a frame of side px; the sky's rounding is part of the tolerance. */
static double round_trip(const penta_wcs *wcs, double side)
{
    uint64_t seed = 4;
    double worst = 0;

    for (size_t i = 0; i < MOST; i++) {
        x[i] = side * (1.2 * uniform(&seed) - 0.1);
        y[i] = side * (1.2 * uniform(&seed) - 0.1);
    }
    expect_ok(penta_wcs_to_sky(wcs, MOST, x, y, ra, dec));
    expect_ok(penta_wcs_to_pixel(wcs, MOST, ra, dec, back_x, back_y));
    for (size_t i = 0; i < MOST; i++) {
        double miss = hypot(back_x[i] - x[i], back_y[i] - y[i]);

        if (!(miss <= 1e-9))
            fail_msg("(%g, %g) comes back as (%.12g, %.12g)", x[i], y[i], back_x[i], back_y[i]);
        worst = fmax(worst, miss);
    }
    return worst;
}

TEST(round_trips)
{
    penta_wcs wcs;

    first_plate(&wcs);
    round_trip(&wcs, 1400);
    second_plate(&wcs);
    round_trip(&wcs, 1400);
    for (double pole = -90; pole <= 90; pole += 180) { /* frames that hold a pole, off the centre */
        wcs.crval[1] = pole;
        round_trip(&wcs, 1400);
        wcs.crval[1] = pole * 0.99;
        round_trip(&wcs, 1400);
    }
    wcs.crval[0] = 359.999;
    round_trip(&wcs, 1400);
}

/* Barrel distortion that moves the corners by a quarter of the frame, in terms up to degree 9; and no help, or bad
 * help, from AP and BP. */
TEST(strong_sip)
{
    penta_wcs wcs;
    double side = 1000, half = 500;

    penta_wcs_init(&wcs);
    wcs.crval[0] = 200;
    wcs.crval[1] = -35;
    wcs.crpix[0] = wcs.crpix[1] = 500.5;
    wcs.cd[0][0] = -0.02;
    wcs.cd[1][1] = 0.02;
    wcs.a_order = wcs.b_order = 9;
    wcs.a[3][0] = wcs.a[1][2] = wcs.b[0][3] = wcs.b[2][1] = -0.06 / (half * half);
    wcs.a[9][0] = wcs.b[0][9] = -0.002 / pow(half, 8);
    wcs.a[2][0] = 0.02 / half;
    wcs.b[1][1] = -0.03 / half;
    wcs.a[0][0] = 2.5; /* legal, if unusual */
    wcs.b[1][0] = 0.01;
    round_trip(&wcs, side);
    wcs.ap_order = wcs.bp_order = 1;
    wcs.ap[1][0] = wcs.bp[0][1] = -1; /* everything starts at the centre */
    round_trip(&wcs, side);
    wcs.ap[1][0] = wcs.bp[0][1] = 1e6; /* or far out */
    round_trip(&wcs, side);
}

/* Answers of other software (astropy 8.0) for pixel (3, 7) where the native pole is turned. */
TEST(native_pole)
{
    static const struct {
        double dec, lonpole, turned;
    } cases[] = {{45, 37, 143}, {45, -90, 270}, {45, 0, 180}, {90, 0, 180}};
    penta_wcs wcs, plain;
    double px = 3, py = 7, r, d, plain_r, plain_d, s, c;

    penta_wcs_init(&wcs);
    assert_true(wcs.lonpole == 180);
    wcs.crval[0] = 12;
    wcs.crpix[0] = 10;
    wcs.crpix[1] = 20;
    wcs.cd[0][0] = -0.1;
    wcs.cd[0][1] = 0.02;
    wcs.cd[1][0] = 0.01;
    wcs.cd[1][1] = 0.12;
    wcs.crval[1] = 45;
    wcs.lonpole = 37;
    expect_ok(penta_wcs_to_sky(&wcs, 1, &px, &py, &r, &d));
    expect_near(r, 12.891996320768854, 1e-11);
    expect_near(d, 46.41085171187968, 1e-11);
    /* The same as turning the CD matrix by 180 - LONPOLE. */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wcs.crval[1] = cases[i].dec;
        wcs.lonpole = cases[i].lonpole;
        plain = wcs;
        plain.lonpole = 180;
        s = sin(cases[i].turned / RADIAN);
        c = cos(cases[i].turned / RADIAN);
        for (int j = 0; j < 2; j++) {
            plain.cd[0][j] = c * wcs.cd[0][j] - s * wcs.cd[1][j];
            plain.cd[1][j] = s * wcs.cd[0][j] + c * wcs.cd[1][j];
        }
        expect_ok(penta_wcs_to_sky(&wcs, 1, &px, &py, &r, &d));
        expect_ok(penta_wcs_to_sky(&plain, 1, &px, &py, &plain_r, &plain_d));
        expect_near(penta_sky_separation(r, d, plain_r, plain_d), 0, 1e-12);
    }
}

TEST(far_stars)
{
    double star_ra[] = {0, 90, 180, 10, 89.999}, star_dec[] = {0, 0, 0, -80, 0}, px[5], py[5];
    penta_wcs wcs;

    penta_wcs_init(&wcs);
    wcs.cd[0][0] = -0.01;
    wcs.cd[1][1] = 0.01;
    wcs.crpix[0] = wcs.crpix[1] = 1;
    expect_ok(penta_wcs_to_pixel(&wcs, 5, star_ra, star_dec, px, py));
    expect_near(px[0], 0, 0);
    assert_true(isnan(px[1]) || fabs(px[1]) > 1e15); /* 90 degrees off, to rounding */
    assert_true(isnan(px[2]) && isnan(py[2]));
    expect_near(py[3], -100 * RADIAN * tan(80 / RADIAN) / cos(10 / RADIAN), 1e-7);
    assert_true(px[4] < -1e6);
    wcs.a_order = wcs.b_order = 3; /* a polynomial that turns back must not carry far stars into the frame */
    wcs.a[3][0] = wcs.b[0][3] = -1e-7;
    expect_ok(penta_wcs_to_pixel(&wcs, 5, star_ra, star_dec, px, py));
    expect_near(px[0], 0, 1e-12);
    for (int i = 1; i < 5; i++)
        assert_true(isnan(px[i]) || hypot(px[i], py[i]) > 1800);
}

/* A wide camera whose barrel distortion needs all nine orders; its principal point is off the centre. */
static void strong_view(penta_sky_view *view)
{
    penta_attitude attitude;
    penta_camera camera;
    double focal;

    expect_ok(penta_attitude_from_radec(200, 67, 30, &attitude));
    expect_ok(penta_camera_focal_from_fov(1000, 60, &focal));
    expect_ok(penta_camera_init(1000, 800, focal, &camera));
    camera.cx -= 60;
    camera.cy += 40;
    camera.k1 = -0.15;
    camera.p1 = 1e-3;
    expect_ok(penta_sky_view_from_camera(&attitude, &camera, view));
}

/* Largest distance of the camera's own pixels from those of the header, of the stars that a grid of pixels sees. */
static double header_error(const penta_sky_view *view, const penta_wcs *wcs)
{
    double worst = 0;

    for (size_t i = 0; i < MOST; i++) {
        x[i] = -0.5 + (double)(i % 80) * 1000 / 79;
        y[i] = -0.5 + (double)(i / 80) * 800 / 49;
    }
    expect_ok(penta_sky_unproject(view, MOST, x, y, ra, dec));
    expect_ok(penta_wcs_to_pixel(wcs, MOST, ra, dec, back_x, back_y));
    for (size_t i = 0; i < MOST; i++)
        worst = fmax(worst, hypot(back_x[i] - x[i], back_y[i] - y[i]));
    for (size_t i = 0; i < MOST; i++)
        assert_true(isfinite(back_x[i]) && isfinite(back_y[i]));
    return worst;
}

/* The same with AP, BP alone, by the formula as SIP writes it. */
static double inverse_error(const penta_sky_view *view, const penta_wcs *wcs)
{
    double worst = 0;
    penta_wcs linear;

    expect_ok(penta_sky_linear_wcs(view, &linear));
    expect_ok(penta_wcs_to_pixel(&linear, MOST, ra, dec, back_x, back_y));
    for (size_t i = 0; i < MOST; i++) {
        double u = back_x[i] + 1 - wcs->crpix[0], v = back_y[i] + 1 - wcs->crpix[1], du = 0, dv = 0;

        for (int p = 0; p <= wcs->ap_order; p++)
            for (int q = 0; p + q <= wcs->ap_order; q++) {
                du += wcs->ap[p][q] * pow(u, p) * pow(v, q);
                dv += wcs->bp[p][q] * pow(u, p) * pow(v, q);
            }
        worst = fmax(worst, hypot(back_x[i] + du - x[i], back_y[i] + dv - y[i]));
    }
    return worst;
}

/* Each odd order is better than the one before (radial distortion is odd), the ninth is well below the fifth, and the
 * residual tells the truth. */
TEST(fit_orders)
{
    penta_sip_residual residual, before = {INFINITY, INFINITY};
    penta_sky_view view;
    penta_wcs wcs;
    double at_five = 0;

    strong_view(&view);
    for (int order = 3; order <= PENTA_SIP_ORDER; order += 2) {
        double forward, inverse;

        expect_ok(penta_sky_fit_sip(&view, order, &wcs, &residual));
        assert_int_equal(wcs.a_order, order);
        assert_int_equal(wcs.bp_order, order);
        expect_ok(penta_wcs_check(&wcs));
        forward = header_error(&view, &wcs);
        inverse = inverse_error(&view, &wcs);
        if (!(residual.forward < before.forward && residual.inverse <= before.inverse + 1e-9))
            fail_msg("order %d: %g, %g px after %g, %g", order, residual.forward, residual.inverse, before.forward,
                     before.inverse);
        expect_near(forward, residual.forward, 0.5 * residual.forward); /* the picture is stretched there */
        expect_near(inverse, residual.inverse, 0.2 * residual.inverse + 1e-9);
        at_five = order == 5 ? residual.forward : at_five;
        before = residual;
    }
    assert_true(at_five > 1 && residual.forward < at_five / 10);
    assert_true(residual.inverse < 1e-8); /* the camera is a polynomial of order three in the undistorted offsets */
    round_trip(&wcs, 800);                /* and the header's own way back is exact */
}

TEST(refusals)
{
    penta_wcs good, wcs;
    double in[] = {0, 1}, out[2], bad[] = {0, NAN}, steep[] = {0, 90.5};

    first_plate(&good);
    expect_ok(penta_wcs_check(&good));
    penta_wcs_init(&wcs);
    expect_refused(penta_wcs_check(&wcs), "singular");
    wcs = good;
    wcs.cd[1][0] = 2 * wcs.cd[0][0];
    wcs.cd[1][1] = 2 * wcs.cd[0][1];
    expect_refused(penta_wcs_check(&wcs), "singular");
    expect_refused(penta_wcs_to_pixel(&wcs, 2, in, in, out, out), "singular");
    expect_refused(penta_wcs_to_sky(&wcs, 2, in, in, out, out), "singular");
    wcs = good;
    wcs.cd[0][1] = NAN;
    expect_refused(penta_wcs_check(&wcs), "CD1_2 = nan");
    wcs = good;
    wcs.crval[1] = 91;
    expect_refused(penta_wcs_check(&wcs), "CRVAL2 = 91");
    wcs = good;
    wcs.crpix[0] = INFINITY;
    expect_refused(penta_wcs_check(&wcs), "CRPIX1 = inf");
    wcs = good;
    wcs.lonpole = NAN;
    expect_refused(penta_wcs_check(&wcs), "LONPOLE");
    wcs = good;
    wcs.a_order = 10;
    expect_refused(penta_wcs_check(&wcs), "A_ORDER = 10");
    wcs.a_order = -1;
    expect_refused(penta_wcs_check(&wcs), "A_ORDER = -1");
    wcs = good;
    wcs.bp[1][1] = INFINITY;
    expect_refused(penta_wcs_check(&wcs), "BP_1_1 = inf");
    wcs.bp_order = 0; /* then nobody reads it */
    expect_ok(penta_wcs_check(&wcs));
    expect_refused(penta_wcs_check(NULL), "the WCS is NULL");
    expect_refused(penta_wcs_to_pixel(&good, 2, bad, in, out, out), "star 1");
    expect_refused(penta_wcs_to_pixel(&good, 2, in, steep, out, out), "star 1 has Dec 90.5");
    expect_refused(penta_wcs_to_sky(&good, 2, in, bad, out, out), "point 1");
    expect_refused(penta_wcs_to_sky(&good, 2, in, in, NULL, out), "places");
}
