/* Distortions that fold back within the frame: the share of the pixels without a direction of their own. */
#include "sky_checks.h"

static double folded_of(const penta_sky_view *view)
{
    double folded = NAN;

    expect_ok(penta_sky_folded(view, &folded));
    return folded;
}

static double folded_of_camera(double focal, double k1, double k2)
{
    const penta_attitude attitude = {1, 0, 0, 0};
    penta_camera camera;
    penta_sky_view view;

    expect_ok(penta_camera_init(400, 300, focal, &camera));
    camera.k1 = k1;
    camera.k2 = k2;
    expect_ok(penta_sky_view_from_camera(&attitude, &camera, &view));
    return folded_of(&view);
}

/* r (1 + k1 r^2) turns back at r = 1 / sqrt(-3 k1), where it is 2/3 of r: pixels beyond that circle see nothing. */
TEST(cameras)
{
    const double pi = 3.14159265358979323846, k1 = -2;
    double radius = 2.0 / 3 / sqrt(-3 * k1);

    expect_near(folded_of_camera(400, 0, 0), 0, 0);
    expect_near(folded_of_camera(400, -0.1, 0), 0, 0);
    expect_near(folded_of_camera(400, 0.3, 0), 0, 0);
    expect_near(folded_of_camera(250 / radius * 1.001, k1, 0), 0, 0); /* the circle goes through the corners */
    expect_near(folded_of_camera(100 / radius, k1, 0), 1 - pi * 100 * 100 / (400 * 300), 2e-3);
    assert_true(folded_of_camera(245 / radius, k1, 0) > 0);
    assert_true(folded_of_camera(245 / radius, k1, 0) < 0.01);
}

/* u + a u^2 turns back at u = -1 / (2 a): pixels beyond show directions that pixels within show too. */
TEST(headers)
{
    penta_sky_view o = {.kind = PENTA_SKY_WCS, .width = 400, .height = 300};

    penta_wcs_init(&o.wcs);
    o.wcs.crval[0] = 40;
    o.wcs.crval[1] = 30;
    o.wcs.crpix[0] = 200.5;
    o.wcs.crpix[1] = 150.5;
    o.wcs.cd[0][0] = -0.01;
    o.wcs.cd[1][1] = 0.01;
    expect_near(folded_of(&o), 0, 0);
    o.wcs.a_order = o.wcs.b_order = 2;
    o.wcs.a[2][0] = 1e-4;
    expect_near(folded_of(&o), 0, 0);
    o.wcs.a[2][0] =
        1.0 / 200; /* at u = -100: a quarter of the frame lies beyond, and its twins within another quarter */
    assert_true(folded_of(&o) >= 0.2 && folded_of(&o) <= 0.55);
}
