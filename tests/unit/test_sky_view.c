/* Frames on the sky: known corners, roll, what is not in the picture, caps, and FITS headers of cameras. */
#include "sky_checks.h"

enum { MOST = 20000 };

static double ra[MOST], dec[MOST], x[MOST], y[MOST], back_ra[MOST], back_dec[MOST];
static bool visible[MOST];

static penta_sky_view view_of(double at_ra, double at_dec, double roll, size_t width, size_t height, double focal)
{
    penta_attitude attitude;
    penta_camera camera;
    penta_sky_view view;

    expect_ok(penta_attitude_from_radec(at_ra, at_dec, roll, &attitude));
    expect_ok(penta_camera_init(width, height, focal, &camera));
    expect_ok(penta_sky_view_from_camera(&attitude, &camera, &view));
    return view;
}

static void expect_pixel(const penta_sky_view *view, double star_ra, double star_dec, double px, double py, bool seen)
{
    double got_x, got_y;
    bool got_seen;

    expect_ok(penta_sky_project(view, 1, &star_ra, &star_dec, 0, &got_x, &got_y, &got_seen));
    expect_near(got_x, px, 1e-9);
    expect_near(got_y, py, 1e-9);
    assert_int_equal(got_seen, seen);
}

/* The example of the header: 100 px a degree, a star 1 degree north. */
TEST(roll)
{
    double degree = 1000 * tan(1 / RADIAN);
    penta_sky_view view = view_of(0, 0, 0, 201, 101, 1000);

    expect_pixel(&view, 0, 0, 100, 50, true);
    expect_pixel(&view, 0, 1, 100, 50 - degree, true);
    expect_pixel(&view, 1, 0, 100 - degree, 50, true);   /* east is left */
    expect_pixel(&view, 359, 0, 100 + degree, 50, true); /* across RA 0 */
    view = view_of(0, 0, 90, 201, 101, 1000);
    expect_pixel(&view, 0, 1, 100 + degree, 50, true);
    expect_pixel(&view, 1, 0, 100, 50 - degree, true);
    view = view_of(0, 0, 30, 201, 101, 1000);
    expect_pixel(&view, 0, 1, 100 + degree * 0.5, 50 - degree * sqrt(0.75), true);
    /* Over the pole: the boresight's meridian runs down the picture, and on beyond it. */
    view = view_of(70, 90, 0, 201, 101, 1000);
    expect_pixel(&view, 0, 90, 100, 50, true);
    expect_pixel(&view, 70, 89, 100, 50 + degree, true);
    expect_pixel(&view, 250, 89, 100, 50 - degree, true);
    expect_pixel(&view, 160, 89, 100 - degree, 50, true);
    view = view_of(70, -90, 0, 201, 101, 1000);
    expect_pixel(&view, 70, -89, 100, 50 - degree, true);
    expect_pixel(&view, 160, -89, 100 - degree, 50, true);
}

/* A square frame of 90 degrees: its edges are 45 degrees off, its corners acos(1 / sqrt(3)). */
TEST(corners)
{
    double px[] = {-0.5, 999.5, 999.5, -0.5, 499.5}, py[] = {-0.5, -0.5, 999.5, 999.5, -0.5}, r[5], d[5], focal;
    penta_sky_view view;

    expect_ok(penta_camera_focal_from_fov(1000, 90, &focal));
    view = view_of(123, 45, 0, 1000, 1000, focal);
    expect_ok(penta_sky_unproject(&view, 5, px, py, r, d));
    for (int i = 0; i < 4; i++)
        expect_near(penta_sky_separation(123, 45, r[i], d[i]), RADIAN * acos(1 / sqrt(3)), 1e-12);
    expect_near(penta_sky_separation(123, 45, r[4], d[4]), 45, 1e-12);
    expect_near(d[4], 90, 1e-12); /* the pole is in the middle of the upper edge */
    view = view_of(10, 0, 0, 1000, 1000, focal);
    expect_pixel(&view, 55, 0, -0.5, 499.5, false); /* on the rim's rounding */
    expect_pixel(&view, 54.999, 0, 499.5 - 500 * tan(44.999 / RADIAN), 499.5, true);
    expect_pixel(&view, 325.001, 0, 499.5 + 500 * tan(44.999 / RADIAN), 499.5, true);
    expect_pixel(&view, 324.999, 0, 499.5 + 500 * tan(45.001 / RADIAN), 499.5, false);
}

TEST(not_in_the_picture)
{
    penta_sky_view view = view_of(180, 0, 0, 400, 400, 400);
    double star_ra[] = {0, 90, 360, 180 + 50, 180 - 60, 180 - 88}, star_dec[] = {0, 0, 0, 0, 0, 0}, px[6], py[6];
    bool seen[6];

    expect_ok(penta_sky_project(&view, 6, star_ra, star_dec, INFINITY, px, py, seen));
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(px[i]) == !seen[i] && isnan(py[i]) == !seen[i]);
        assert_true(!seen[i] || fabs(px[i]) > 1e15);
    }
    assert_false(seen[0]);
    assert_true(seen[3] && seen[4] && seen[5]);
    expect_ok(penta_sky_project(&view, 6, star_ra, star_dec, 300, px, py, seen));
    assert_true(seen[3] && !seen[4]); /* 277 and 493 px beyond the edge */
    expect_near(px[3], 199.5 - 400 * tan(50 / RADIAN), 1e-9);
    /* Barrel distortion folds at 1.054: without a limit 50 and 60 degrees would come back into the frame. */
    view.camera.k1 = -0.3;
    expect_ok(penta_sky_project(&view, 6, star_ra, star_dec, INFINITY, px, py, seen));
    for (int i = 0; i < 6; i++)
        assert_true(!seen[i] && isnan(px[i]) && isnan(py[i]));
}

/* The frame is half a pixel wider than its pixel centres, and the margin comes on top; right and bottom edges are out.
 */
TEST(edges)
{
    penta_sky_view view = view_of(40, 50, 60, 400, 300, 400);
    double hair = 1e-6;

    for (int i = 0; i < 16; i++) {
        double margin = i & 1 ? 7.5 : 0, off = i & 2 ? hair : -hair, px = 100, py = 100, r, d;
        bool low = i & 4, seen;
        double edge = low ? -0.5 - margin - off : (i & 8 ? 400 : 300) - 0.5 + margin + off;

        *(i & 8 ? &px : &py) = edge;
        expect_ok(penta_sky_unproject(&view, 1, &px, &py, &r, &d));
        expect_ok(penta_sky_project(&view, 1, &r, &d, margin, &px, &py, &seen));
        assert_int_equal(seen, off < 0);
    }
}

static void expect_round_trip(const penta_sky_view *view)
{
    uint64_t seed = 5;

    for (int i = 0; i < MOST; i++) {
        x[i] = (double)view->width * uniform(&seed) - 0.5;
        y[i] = (double)view->height * uniform(&seed) - 0.5;
    }
    expect_ok(penta_sky_unproject(view, MOST, x, y, ra, dec));
    expect_ok(penta_sky_project(view, MOST, ra, dec, 1e-6, back_ra, back_dec, visible));
    for (int i = 0; i < MOST; i++) {
        assert_true(visible[i]);
        expect_near(back_ra[i], x[i], 1e-9);
        expect_near(back_dec[i], y[i], 1e-9);
    }
}

TEST(round_trips)
{
    static const double lenses[][5] = {
        {0, 0, 0, 0, 0}, {-0.15, 0.01, 0, 0, 0}, {0.3, 0.1, 0.02, 0.01, -0.02}, {-0.1, 0, 0, 1e-3, 2e-3}};
    uint64_t seed = 6;

    for (int i = 0; i < 12; i++) {
        const double *lens = lenses[i % 4];
        double at_ra, at_dec;
        penta_sky_view view;

        random_direction(&seed, &at_ra, &at_dec);
        view = view_of(at_ra, i < 4 ? at_dec : i < 8 ? 89.5 : -90, 360 * uniform(&seed), 1280, 1024, 900);
        view.camera.cx += 30 * (i % 3);
        view.camera.k1 = lens[0];
        view.camera.k2 = lens[1];
        view.camera.k3 = lens[2];
        view.camera.p1 = lens[3];
        view.camera.p2 = lens[4];
        expect_round_trip(&view);
    }
}

/* Every visible star is in the cap, and the cap is not much wider than it must be. */
static void expect_cap(const penta_sky_view *view, double margin, double excess)
{
    double at_ra, at_dec, radius, farthest = 0;
    uint64_t seed = 7;

    expect_ok(penta_sky_bounds(view, margin, &at_ra, &at_dec, &radius));
    for (int i = 0; i < MOST; i++) /* pixels, the rim among them */
        if (i % 2) {
            x[i] = ((double)view->width + 2 * margin) * uniform(&seed) - 0.5 - margin;
            y[i] = ((double)view->height + 2 * margin) * uniform(&seed) - 0.5 - margin;
        } else {
            x[i] = i % 4 ? -0.5 - margin : (double)view->width - 0.5 + margin;
            y[i] = i == 0 ? -0.5 - margin : ((double)view->height + 2 * margin) * uniform(&seed) - 0.5 - margin;
        }
    expect_ok(penta_sky_unproject(view, MOST, x, y, ra, dec));
    for (int i = 0; i < MOST; i++) {
        double away = penta_sky_separation(at_ra, at_dec, ra[i], dec[i]);

        assert_true(isnan(away) || away <= radius);
        farthest = fmax(farthest, isnan(away) ? 0 : away);
    }
    if (!(radius <= farthest * (1 + excess)))
        fail_msg("the cap has %g deg for %g", radius, farthest);
}

TEST(caps)
{
    penta_sky_view view = view_of(10, 20, 30, 1000, 600, 3000);
    double at_ra, at_dec, radius;

    expect_cap(&view, 0, 0.02);
    expect_cap(&view, 50, 0.02);
    view.camera.cx = -3000; /* the frame lies off the axis */
    expect_cap(&view, 10, 0.02);
    view = view_of(10, 89.9, 30, 1000, 600, 300);
    expect_cap(&view, 10, 0.02);
    view.camera.k1 = 0.2;
    expect_cap(&view, 10, 0.02);
    view.camera.k1 = -0.5; /* folds at 0.816; the corners of the picture are empty */
    expect_cap(&view, 0, 0.1);
    expect_ok(penta_sky_bounds(&view, 0, &at_ra, &at_dec, &radius));
    expect_near(radius, RADIAN * atan(sqrt(1 / 1.5)), 1e-12);
    expect_near(penta_sky_separation(at_ra, at_dec, 10, 89.9), 0, 1e-12);
    view.camera.k1 = 0;
    expect_ok(penta_sky_bounds(&view, INFINITY, &at_ra, &at_dec, &radius));
    expect_near(radius, 90, 1e-12);
    expect_refused(penta_sky_bounds(&view, -1, &at_ra, &at_dec, &radius), "margin");
    expect_refused(penta_sky_bounds(&view, NAN, &at_ra, &at_dec, &radius), "margin");
}

/* Both projections of random stars agree to tolerance px wherever the first shows them. */
static void expect_same_picture(const penta_sky_view *view, const penta_wcs *wcs, double tolerance)
{
    uint64_t seed = 8;
    double worst = 0;

    for (int i = 0; i < MOST; i++) {
        x[i] = (double)view->width * uniform(&seed) - 0.5;
        y[i] = (double)view->height * uniform(&seed) - 0.5;
    }
    expect_ok(penta_sky_unproject(view, MOST, x, y, ra, dec));
    expect_ok(penta_wcs_to_pixel(wcs, MOST, ra, dec, back_ra, back_dec));
    for (int i = 0; i < MOST; i++)
        worst = fmax(worst, hypot(back_ra[i] - x[i], back_dec[i] - y[i]));
    expect_near(worst, 0, tolerance);
}

TEST(linear_header)
{
    uint64_t seed = 9;

    for (int i = 0; i < 30; i++) {
        double at_ra, at_dec;
        penta_sky_view view;
        penta_wcs wcs;

        random_direction(&seed, &at_ra, &at_dec);
        view = view_of(at_ra, i % 3 ? at_dec : i % 2 ? 90 : -90, 360 * uniform(&seed), 800, 600, 1000);
        view.camera.cx -= 17.25;
        expect_ok(penta_sky_linear_wcs(&view, &wcs));
        expect_near(wcs.crpix[0], view.camera.cx + 1, 0);
        assert_int_equal(wcs.a_order, 0);
        expect_same_picture(&view, &wcs, 1e-9);
    }
}

TEST(sip_header)
{
    penta_sky_view view = view_of(80, -5, 12, 1392, 1040, 5000);
    penta_sip_residual residual, finer;
    penta_wcs wcs;

    expect_ok(penta_sky_fit_sip(&view, 3, &wcs, &residual)); /* nothing to fit */
    assert_int_equal(wcs.a_order, 0);
    expect_near(residual.forward, 0, 0);
    view.camera.k1 = -0.2; /* 3.6 px in the corners */
    view.camera.k2 = 0.1;
    view.camera.p1 = 1e-3;
    view.camera.p2 = -2e-3;
    expect_ok(penta_sky_linear_wcs(&view, &wcs));
    assert_int_equal(wcs.a_order, 0);
    expect_ok(penta_sky_fit_sip(&view, 3, &wcs, &residual));
    assert_int_equal(wcs.a_order, 3);
    assert_true(wcs.a[0][0] == 0 && wcs.a[1][0] == 0 && wcs.b[0][1] == 0);
    assert_true(residual.forward < 0.02 && residual.inverse < 0.02);
    expect_same_picture(&view, &wcs, 1.1 * residual.forward);
    assert_true(residual.forward > 1e-9); /* so that the line above says something */
    expect_ok(penta_sky_fit_sip(&view, 5, &wcs, &finer));
    assert_true(finer.forward < residual.forward / 10 && finer.inverse < residual.inverse / 10);
    expect_same_picture(&view, &wcs, 1.1 * finer.forward);
    expect_ok(penta_sky_fit_sip(&view, 4, &wcs, NULL));
}

/* AP, BP of the fit do what the residual says, by the formula as SIP writes it. */
TEST(sip_inverse)
{
    penta_sky_view view = view_of(80, -5, 12, 800, 800, 900);
    penta_sip_residual residual;
    penta_wcs wcs, linear;
    uint64_t seed = 10;

    view.camera.k1 = -0.1;
    expect_ok(penta_sky_fit_sip(&view, 5, &wcs, &residual));
    assert_true(residual.inverse < 1e-9); /* the camera itself is a cubic in the undistorted offsets */
    view.camera.k3 = 0.1;
    expect_ok(penta_sky_fit_sip(&view, 5, &wcs, &residual));
    assert_true(residual.inverse > 1e-6);
    expect_ok(penta_sky_linear_wcs(&view, &linear));
    for (int i = 0; i < 1000; i++) {
        double px = 800 * uniform(&seed) - 0.5, py = 800 * uniform(&seed) - 0.5, r, d, flat_x, flat_y, u, v;
        double back_u = 0, back_v = 0;

        expect_ok(penta_sky_unproject(&view, 1, &px, &py, &r, &d));
        expect_ok(penta_wcs_to_pixel(&linear, 1, &r, &d, &flat_x, &flat_y));
        u = flat_x + 1 - wcs.crpix[0];
        v = flat_y + 1 - wcs.crpix[1];
        for (int p = 0; p <= 5; p++)
            for (int q = 0; p + q <= 5; q++) {
                back_u += wcs.ap[p][q] * pow(u, p) * pow(v, q);
                back_v += wcs.bp[p][q] * pow(u, p) * pow(v, q);
            }
        expect_near(flat_x + back_u, px, 1.1 * residual.inverse);
        expect_near(flat_y + back_v, py, 1.1 * residual.inverse);
    }
}

TEST(wcs_view)
{
    penta_sky_view camera = view_of(80, -5, 12, 800, 600, 900), view;
    penta_sip_residual residual;
    penta_wcs wcs, out;

    camera.camera.k1 = -0.1;
    expect_ok(penta_sky_fit_sip(&camera, 5, &wcs, NULL));
    expect_ok(penta_sky_view_from_wcs(&wcs, 800, 600, &view));
    expect_round_trip(&view);
    expect_cap(&view, 0, 0.02);
    expect_cap(&view, 20, 0.02);
    expect_ok(penta_sky_fit_sip(&view, 3, &out, &residual)); /* as it came */
    assert_int_equal(out.a_order, 5);
    expect_near(residual.forward, 0, 0);
    expect_near(out.a[3][0], wcs.a[3][0], 0);
    expect_ok(penta_sky_linear_wcs(&view, &out));
    assert_int_equal(out.a_order, 0);
    expect_near(out.cd[0][1], wcs.cd[0][1], 0);
    expect_refused(penta_sky_view_from_wcs(&wcs, 0, 600, &view), "no pixels");
    wcs.cd[0][0] = NAN;
    expect_refused(penta_sky_view_from_wcs(&wcs, 800, 600, &view), "CD1_1");
}

/* A turn moment by moment is what slerp and project say one by one. */
TEST(turns)
{
    enum { MOMENTS = 9 };
    static const double t[MOMENTS] = {-0.5, 0, 0.1, 0.25, 0.5, 0.7, 0.99, 1, 1.5};
    uint64_t random = 12;

    for (int i = 0; i < 50; i++) {
        penta_sky_view view = view_of(360 * uniform(&random), 80 - 160 * uniform(&random), 360 * uniform(&random), 800,
                                      600, 500 + 3000 * uniform(&random));
        penta_attitude from = view.attitude, to;
        double star_ra, star_dec, px, py, step = i % 5 == 4 ? 170 : 9, at_ra, at_dec, roll;

        if (i % 2)
            view.camera.k1 = -0.1 * uniform(&random);
        expect_ok(penta_attitude_to_radec(&from, &at_ra, &at_dec, &roll));
        expect_ok(penta_attitude_from_radec(at_ra + step * uniform(&random), at_dec / 2, roll + step, &to));
        px = 800 * uniform(&random);
        py = 600 * uniform(&random);
        expect_ok(penta_sky_unproject(&view, 1, &px, &py, &star_ra, &star_dec));
        expect_ok(penta_sky_project_turn(&view.camera, &from, &to, star_ra, star_dec, MOMENTS, t, x, y));
        for (int k = 0; k < MOMENTS; k++) {
            expect_ok(penta_attitude_slerp(&from, &to, t[k], &view.attitude));
            expect_ok(penta_sky_project(&view, 1, &star_ra, &star_dec, 0, &px, &py, NULL));
            assert_true(isnan(px)
                            ? isnan(x[k]) && isnan(y[k])
                            : fabs(x[k] - px) <= 1e-9 * (1 + fabs(px)) && fabs(y[k] - py) <= 1e-9 * (1 + fabs(py)));
        }
    }
}

TEST(refusals)
{
    penta_sky_view view = view_of(0, 0, 0, 800, 600, 900), broken = view;
    double r[] = {0, 10}, d[] = {0, 90.01}, out[2];
    penta_wcs wcs;

    expect_refused(penta_sky_project(&view, 2, r, d, 0, out, out, NULL), "star 1 has Dec 90.01");
    d[1] = NAN;
    expect_refused(penta_sky_project(&view, 2, r, d, 0, out, out, NULL), "star 1");
    expect_refused(penta_sky_unproject(&view, 2, r, d, out, out), "point 1");
    expect_refused(penta_sky_project(&view, 1, r, d, -1, out, out, NULL), "margin");
    expect_refused(penta_sky_project(NULL, 1, r, d, 0, out, out, NULL), "the view is NULL");
    broken.attitude = (penta_attitude){0, 0, 0, 0};
    expect_refused(penta_sky_project(&broken, 1, r, d, 0, out, out, NULL), "quaternion");
    expect_refused(penta_sky_fit_sip(&view, 2, &wcs, NULL), "within 3 and 9");
    expect_refused(penta_sky_fit_sip(&view, 10, &wcs, NULL), "within 3 and 9");
    view.camera.k1 = -2; /* folds within the frame */
    expect_refused(penta_sky_fit_sip(&view, 5, &wcs, NULL), "folds back within the frame");
    expect_ok(penta_sky_project(&view, 0, NULL, NULL, 0, NULL, NULL, NULL));
    view = view_of(0, 0, 0, 800, 600, 900);
    d[1] = INFINITY;
    expect_refused(penta_sky_project_turn(&view.camera, &view.attitude, &view.attitude, 0, 91, 2, r, out, out),
                   "Dec 91");
    expect_refused(penta_sky_project_turn(&view.camera, &view.attitude, &view.attitude, 0, 0, 2, d, out, out),
                   "finite");
    expect_refused(penta_sky_project_turn(&view.camera, &view.attitude, NULL, 0, 0, 2, r, out, out), "turn");
    expect_refused(penta_sky_project_turn(NULL, &view.attitude, &view.attitude, 0, 0, 2, r, out, out), "camera");
    expect_refused(penta_sky_project_turn(&view.camera, &view.attitude, &view.attitude, 0, 0, 2, NULL, out, out),
                   "moments");
}
