/* Focal lengths, the fold of the distortion, and distortion against its inverse. */
#include "sky_checks.h"

enum { MOST = 20000 };

static double x[MOST], y[MOST], xd[MOST], yd[MOST], back_x[MOST], back_y[MOST];

static penta_camera camera_of(double k1, double k2, double k3, double p1, double p2)
{
    penta_camera camera;

    expect_ok(penta_camera_init(640, 480, 500, &camera));
    camera.k1 = k1;
    camera.k2 = k2;
    camera.k3 = k3;
    camera.p1 = p1;
    camera.p2 = p2;
    return camera;
}

static double fold_of(double k1, double k2, double k3, double p1, double p2)
{
    penta_camera camera = camera_of(k1, k2, k3, p1, p2);
    double radius;

    expect_ok(penta_camera_fold(&camera, &radius));
    return radius;
}

TEST(making)
{
    penta_camera camera;
    double focal;

    expect_ok(penta_camera_init(5, 4, 100, &camera));
    expect_near(camera.cx, 2, 0);
    expect_near(camera.cy, 1.5, 0);
    expect_ok(penta_camera_focal_from_fov(1000, 90, &focal));
    expect_near(focal, 500, 1e-12);
    expect_ok(penta_camera_focal_from_fov(1024, 20, &focal));
    expect_near(focal, 512 / tan(10 / RADIAN), 1e-11);
    expect_ok(penta_camera_focal_from_lens(50, 5, &focal));
    expect_near(focal, 10000, 1e-9);
    expect_refused(penta_camera_focal_from_fov(1000, 180, &focal), "`fov` is");
    expect_refused(penta_camera_focal_from_fov(1000, 0, &focal), "`fov` is");
    expect_refused(penta_camera_focal_from_fov(1000, NAN, &focal), "`fov` is");
    expect_refused(penta_camera_focal_from_fov(0, 20, &focal), "pixels");
    expect_refused(penta_camera_focal_from_lens(0, 5, &focal), "`focal` is 0 mm");
    expect_refused(penta_camera_focal_from_lens(50, -1, &focal), "`pitch` is -1 um");
    expect_refused(penta_camera_focal_from_lens(INFINITY, 5, &focal), "finite");
    expect_refused(penta_camera_init(0, 5, 100, &camera), "no pixels");
    expect_refused(penta_camera_init(5, 5, 0, &camera), "focal length");
    expect_refused(penta_camera_init(5, 5, NAN, &camera), "focal length");
}

TEST(folds)
{
    assert_true(isinf(fold_of(0, 0, 0, 0, 0)));
    assert_true(isinf(fold_of(0.1, 0.2, 0.3, 0, 0)));
    assert_true(isinf(fold_of(0.1, 1e-300, 0, 0, 0)));
    expect_near(fold_of(-0.1, 0, 0, 0, 0), sqrt(1 / 0.3), 1e-14);
    expect_near(fold_of(0, -0.1, 0, 0, 0), pow(0.5, -0.25), 1e-14);
    expect_near(fold_of(0, 0, -0.1, 0, 0), pow(0.7, -1.0 / 6), 1e-14);
    /* 1 - 0.9 s + 0.1 s^2 has the zeros s = (9 -+ sqrt(41)) / 2, s = r^2: the picture unfolds again, but the first
     * holds. */
    expect_near(fold_of(-0.3, 0.02, 0, 0, 0), sqrt((9 - sqrt(41)) / 2), 1e-14);
    /* 1 - 0.9 s + 0.25 s^2 has none: the slope recovers. */
    assert_true(isinf(fold_of(-0.3, 0.05, 0, 0, 0)));
    expect_near(fold_of(-0.3, 0.05, -1e-9, 0, 0), pow(0.25 / 7e-9, 0.5), 200); /* far out it folds after all */
    /* Tangential terms alone turn over where 1 = 6 p r. */
    expect_near(fold_of(0, 0, 0, 0.01, 0), 1 / 0.06, 1e-13);
    expect_near(fold_of(0, 0, 0, -0.03, 0.04), 1 / 0.3, 1e-14);
    assert_true(fold_of(-0.1, 0, 0, 0.001, 0) < sqrt(1 / 0.3));
}

/* The derivative along every direction rises: checked by differences at random points within the fold. */
static void expect_one_to_one(const penta_camera *camera, double fold)
{
    uint64_t seed = 3;

    for (int i = 0; i < MOST; i += 2) {
        double reach = fmin(fold, 3) * 0.999;

        for (int j = 0; j < 2; j++) {
            double r = reach * sqrt(uniform(&seed)), angle = 6.283185307179586 * uniform(&seed);

            x[i + j] = r * cos(angle);
            y[i + j] = r * sin(angle);
        }
    }
    expect_ok(penta_camera_distort(camera, MOST, x, y, xd, yd));
    for (int i = 0; i < MOST; i += 2) /* a monotone map: (D(a) - D(b)) . (a - b) > 0 */
        assert_true((xd[i] - xd[i + 1]) * (x[i] - x[i + 1]) + (yd[i] - yd[i + 1]) * (y[i] - y[i + 1]) > 0);
}

static void expect_inverse(const penta_camera *camera, double fold)
{
    double worst = 0;

    expect_one_to_one(camera, fold);
    expect_ok(penta_camera_undistort(camera, MOST, xd, yd, back_x, back_y));
    for (int i = 0; i < MOST; i++) {
        double r = hypot(x[i], y[i]);

        assert_false(isnan(back_x[i]));
        if (r < 0.9 * fold)
            worst = fmax(worst, hypot(back_x[i] - x[i], back_y[i] - y[i]));
        else /* the slope goes to 0 at the fold, and the inverse loses what that costs */
            assert_true(hypot(back_x[i] - x[i], back_y[i] - y[i]) < 1e-11);
    }
    expect_near(worst, 0, 5e-14);
}

TEST(inverse)
{
    static const double lenses[][5] = {{0, 0, 0, 0, 0},
                                       {-0.1, 0, 0, 0, 0},
                                       {-0.3, 0.12, -0.02, 0, 0},
                                       {0.5, 0.2, 0.1, 0, 0},
                                       {-0.3, 0.05, 0, 0, 0}, /* slope close to 0 in the middle */
                                       {-0.1, 0.01, 0, 1e-3, -2e-3},
                                       {0.3, 0, 0, 0.02, 0.01},
                                       {0, 0, 0, 0.05, -0.05},
                                       {5, 0, 0, 0.5, 0.5}};

    for (size_t i = 0; i < sizeof lenses / sizeof *lenses; i++) {
        penta_camera camera = camera_of(lenses[i][0], lenses[i][1], lenses[i][2], lenses[i][3], lenses[i][4]);
        double fold;

        expect_ok(penta_camera_fold(&camera, &fold));
        expect_inverse(&camera, fold);
    }
}

TEST(formula)
{
    penta_camera camera = camera_of(-0.2, 0.03, 0.001, 0.002, -0.003);
    double px = 0.3, py = -0.4, dx, dy, scale = 1 - 0.2 * 0.25 + 0.03 * 0.0625 + 0.001 * 0.015625;

    expect_ok(penta_camera_distort(&camera, 1, &px, &py, &dx, &dy));
    expect_near(dx, 0.3 * scale + 2 * 0.002 * 0.3 * -0.4 - 0.003 * (0.25 + 2 * 0.09), 1e-16);
    expect_near(dy, -0.4 * scale + 0.002 * (0.25 + 2 * 0.16) + 2 * -0.003 * 0.3 * -0.4, 1e-16);
    px = py = 0;
    expect_ok(penta_camera_undistort(&camera, 1, &px, &py, &dx, &dy));
    expect_near(dx, 0, 0);
    expect_near(dy, 0, 0);
}

/* What lies past the fold is nowhere, and so is a pixel that nothing reaches. */
TEST(beyond_the_fold)
{
    penta_camera camera = camera_of(-0.3, 0, 0, 0, 0); /* fold at 1.054, which goes to 0.703 */
    double in[] = {1.05, 1.06, 1.5, 1e10, 0.702, 0.704, 50}, zero[7] = {0}, out_x[7], out_y[7];

    expect_ok(penta_camera_distort(&camera, 4, in, zero, out_x, out_y));
    assert_false(isnan(out_x[0]));
    for (int i = 1; i < 4; i++)
        assert_true(isnan(out_x[i]) && isnan(out_y[i]));
    expect_ok(penta_camera_undistort(&camera, 7, in, zero, out_x, out_y));
    assert_true(isnan(out_x[0]));
    assert_true(out_x[4] > 1 && out_x[4] < 1.0541);
    assert_true(isnan(out_x[5]) && isnan(out_y[5]) && isnan(out_x[6]));
    camera.p1 = 1e-3;
    expect_ok(penta_camera_undistort(&camera, 7, in, zero, out_x, out_y));
    assert_true(isnan(out_x[5]) && isnan(out_x[6]));
    assert_false(isnan(out_x[4]) && isnan(out_y[4]));
}

TEST(in_place_and_refusals)
{
    penta_camera camera = camera_of(-0.1, 0, 0, 0, 0);
    double a[] = {0.1, 0.2}, b[] = {0.3, -0.1}, radius;

    expect_ok(penta_camera_distort(&camera, 2, a, b, a, b));
    expect_near(a[0], 0.1 * (1 - 0.1 * 0.1), 1e-16);
    expect_ok(penta_camera_undistort(&camera, 2, a, b, a, b));
    expect_near(a[1], 0.2, 1e-16);
    expect_near(b[0], 0.3, 1e-16);
    a[1] = NAN;
    expect_refused(penta_camera_distort(&camera, 2, a, b, a, b), "point 1");
    expect_refused(penta_camera_distort(&camera, 2, NULL, b, a, b), "arrays");
    expect_refused(penta_camera_distort(NULL, 2, a, b, a, b), "camera");
    expect_ok(penta_camera_distort(&camera, 0, NULL, NULL, NULL, NULL));
    camera.p2 = NAN;
    expect_refused(penta_camera_fold(&camera, &radius), "p2");
    camera.p2 = 0;
    camera.cx = INFINITY;
    expect_refused(penta_camera_fold(&camera, &radius), "principal point");
}
