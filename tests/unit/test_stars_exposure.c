/* pentacl/exposure.h and its parts of pentacl/sky.h, as an embedding program uses them. */
#include "sky_checks.h"
#undef expect_ok /* EXPECT_OK's function */

#include <pentacl/exposure.h>

#include "support/device.h"

enum { WIDTH = 200, HEIGHT = 120, PIXELS = WIDTH * HEIGHT, STARS = 3000 };

static const double no_turn[3] = {0, 0, 0};

typedef struct {
    penta_stars *plan;
    penta_sky_view view;
    double ra[STARS], dec[STARS], magnitude[STARS];
    penta_stars_sky sky;
} fixture;

/* A camera of 20 degrees at RA 80, Dec 10, and stars all over the sky. */
static fixture *new_fixture(penta_context *ctx, int psf)
{
    fixture *f = must_calloc(1, sizeof *f);
    penta_stars_options options;
    penta_attitude attitude;
    penta_camera camera;
    uint64_t random = 7;
    double focal;

    penta_stars_options_init(&options);
    options.engine = PENTA_STARS_THREADS;
    options.precision = PENTA_PRECISION_DOUBLE;
    options.psf = psf;
    EXPECT_OK(ctx, penta_stars_create(ctx, WIDTH, HEIGHT, &options, &f->plan));
    EXPECT_OK(NULL, penta_camera_focal_from_fov(WIDTH, 20, &focal));
    EXPECT_OK(NULL, penta_camera_init(WIDTH, HEIGHT, focal, &camera));
    EXPECT_OK(NULL, penta_attitude_from_radec(80, 10, 25, &attitude));
    EXPECT_OK(NULL, penta_sky_view_from_camera(&attitude, &camera, &f->view));
    for (int i = 0; i < STARS; i++) {
        random_direction(&random, &f->ra[i], &f->dec[i]);
        f->magnitude[i] = 6 * uniform(&random);
    }
    f->sky = (penta_stars_sky){.n = STARS, .ra = f->ra, .dec = f->dec, .magnitude = f->magnitude};
    return f;
}

static void free_fixture(fixture *f)
{
    penta_stars_destroy(f->plan);
    free(f);
}

/* ---- paths ---- */

static double turn_between(const penta_attitude *a, const penta_attitude *b)
{
    return 2 * RADIAN * acos(fmin(1, fabs(a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z)));
}

TEST(turns)
{
    const double fast[3] = {0, 30, 40}, wild[3] = {0, 0, 1000}, bad[3] = {NAN, 0, 0};
    penta_attitude middle, at;
    penta_attitude_path path;

    EXPECT_OK(NULL, penta_attitude_from_radec(33, -20, 5, &middle));
    EXPECT_OK(NULL, penta_attitude_path_turn(&middle, no_turn, 9, &path));
    assert_int_equal(path.n, 1);
    expect_near(penta_attitude_path_swing(&path), 0, 0);
    penta_attitude_path_free(&path);
    EXPECT_OK(NULL, penta_attitude_path_turn(&middle, fast, 4, &path)); /* 50 deg/s: 200 deg, at most 1 rad a step */
    assert_true(path.n >= 5);
    expect_near(path.time[0], 0, 0);
    expect_near(path.time[path.n - 1], 1, 0);
    EXPECT_OK(NULL, penta_attitude_path_at(&path, 0.5, &at));
    expect_near(turn_between(&at, &middle), 0, 1e-5);
    expect_near(penta_attitude_path_swing(&path), 100, 1e-9);
    EXPECT_OK(NULL, penta_attitude_path_at(&path, 0.75, &at));
    expect_near(turn_between(&at, &middle), 50, 1e-9);
    penta_attitude_path_free(&path);
    expect_refused(penta_attitude_path_turn(&middle, wild, 4, &path), "4000 deg");
    expect_refused(penta_attitude_path_turn(&middle, bad, 4, &path), "finite");
    expect_refused(penta_attitude_path_turn(&middle, fast, -1, &path), "finite");
    assert_null(path.attitude);
}

TEST(tracks)
{
    const double time[] = {10, 11, 14}, back[] = {10, 12, 12}, endless[] = {10, INFINITY, 14};
    penta_attitude attitude[3], at;
    penta_attitude_path path;

    for (int i = 0; i < 3; i++)
        EXPECT_OK(NULL, penta_attitude_from_radec(10 * i, 0, 0, &attitude[i]));
    EXPECT_OK(NULL, penta_attitude_path_follow(3, time, attitude, &path));
    expect_near(path.time[1], 0.25, 0);
    EXPECT_OK(NULL, penta_attitude_path_at(&path, 0.25 + 0.75 / 2, &at));
    expect_near(turn_between(&at, &attitude[1]), 5, 1e-9);
    penta_attitude_path_free(&path);
    expect_refused(penta_attitude_path_follow(3, back, attitude, &path), "row 3");
    expect_refused(penta_attitude_path_follow(3, endless, attitude, &path), "row 2");
    expect_refused(penta_attitude_path_follow(1, time, attitude, &path), "one row");
    expect_refused(penta_attitude_path_at(&path, 0, &at), "empty");
}

/* ---- scenes ---- */

/* A still camera: the stars that penta_sky_project sees, at the same places, with an index or without. */
TEST(still_scene)
{
    fixture *f = new_fixture(*state, PENTA_STARS_SAMPLED);
    HELD double *x = must_calloc(STARS, sizeof *x), *y = must_calloc(STARS, sizeof *y);
    HELD bool *seen = must_calloc(STARS, sizeof *seen);
    double margin = 0.5 * penta_stars_roi(f->plan) + 1;
    penta_sky_index *index = NULL;

    EXPECT_OK(NULL, penta_sky_project(&f->view, STARS, f->ra, f->dec, margin, x, y, seen));
    EXPECT_OK(NULL, penta_sky_index_create(STARS, f->ra, f->dec, &index));
    for (int with = 0; with < 2; with++) {
        HELD_BY(penta_stars_scene_free) penta_stars_scene scene;
        size_t k = 0;

        f->sky.index = with ? index : NULL;
        EXPECT_OK(*state, penta_stars_scene_on_sky(f->plan, &f->sky, &f->view, NULL, &scene));
        for (size_t i = 0; i < STARS; i++) {
            if (!seen[i])
                continue;
            assert_true(k < scene.n && scene.which[k] == i);
            expect_near(scene.x[k], x[i], 0);
            expect_near(scene.y[k], y[i], 0);
            expect_near(penta_stars_scene_trail(&scene, k).end_x, x[i], 0);
            expect_near(scene.magnitude[k++], f->magnitude[i], 0);
        }
        assert_int_equal(k, scene.n);
        assert_true(k > 10);
    }
    penta_sky_index_destroy(index);
    free_fixture(f);
}

static double sum_of(const double *image)
{
    double sum = 0;

    for (int i = 0; i < PIXELS; i++)
        sum += image[i];
    return sum;
}

/* A turning camera: stars are counted whole, their flux is that of the frame, and the truth has it star by star. */
TEST(turning_scene)
{
    fixture *f = new_fixture(*state, PENTA_STARS_INTEGRATED);
    const double rate[3] = {0.5, 2, 8};
    double *image = must_calloc(PIXELS, sizeof *image), in_frame = 0, total = 0;
    penta_stars_result result = {.image = image};
    penta_stars_scene scene;
    penta_stars_truth truth;
    penta_attitude_path path;

    EXPECT_OK(NULL, penta_attitude_path_turn(&f->view.attitude, rate, 0.5, &path));
    EXPECT_OK(*state, penta_stars_scene_on_sky(f->plan, &f->sky, &f->view, &path, &scene));
    EXPECT_OK(*state, penta_stars_draw(f->plan, &scene, &result));
    EXPECT_OK(*state, penta_stars_truth_make(f->plan, &scene, NULL, &truth));
    assert_true(scene.list.n > scene.n);
    assert_int_equal(result.drawn, scene.n);
    assert_int_equal(truth.n, scene.n);
    for (size_t i = 0; i < truth.n; i++) {
        const penta_star_truth *t = &truth.stars[i];
        penta_star_trail trail = penta_stars_scene_trail(&scene, i);

        in_frame += t->flux_in_frame;
        total += t->flux;
        assert_int_equal(t->star, scene.which[i]);
        expect_near(t->flux, 50000 * pow(2.512, -f->magnitude[t->star]), 1e-6);
        expect_near(trail.start_x, t->trail.start_x, 0);
        assert_true(hypot(trail.end_x - trail.start_x, trail.end_y - trail.start_y) > 1);
        assert_true(isnan(t->electrons) && isnan(t->dn) && !t->saturated);
    }
    expect_near(total / result.flux_total, 1, 1e-12);
    expect_near(in_frame / sum_of(image), 1, 1e-9);
    for (size_t i = 0; i < scene.list.n; i++)
        assert_true(penta_stars_scene_owner(&scene, i) < scene.n);
    penta_stars_truth_free(&truth);
    penta_stars_scene_free(&scene);
    penta_attitude_path_free(&path);
    free(image);
    free_fixture(f);
}

/* By pixel: a long trail is cut, and its light is that of the star. */
TEST(pixels)
{
    fixture *f = new_fixture(*state, PENTA_STARS_SAMPLED);
    const double x[] = {100, 40}, y[] = {60, 50}, magnitude[] = {1, 2}, mx[] = {90, 0}, my[] = {0, 0};
    const penta_stars_list list = {.n = 2, .x = x, .y = y, .magnitude = magnitude, .motion_x = mx, .motion_y = my};
    HELD double *image = must_calloc(PIXELS, sizeof *image);
    penta_stars_result result = {.image = image};
    penta_stars_scene scene;
    penta_star_trail trail;

    EXPECT_OK(*state, penta_stars_scene_by_pixel(f->plan, &list, &scene));
    EXPECT_OK(*state, penta_stars_draw(f->plan, &scene, &result));
    assert_int_equal(scene.n, 2);
    assert_true(scene.list.n > 5);
    assert_int_equal(result.drawn, 2);
    trail = penta_stars_scene_trail(&scene, 0);
    expect_near(trail.start_x, 55, 0);
    expect_near(trail.end_x, 145, 0);
    expect_near(sum_of(image) / result.flux_total, 1, 1e-3); /* the ROI of 10 px keeps all but that */
    assert_true(image[60 * WIDTH + 60] > 0.9 * image[60 * WIDTH + 140]);
    assert_true(penta_stars_touches(f->plan, -4, 60) && !penta_stars_touches(f->plan, -6, 60));
    penta_stars_scene_free(&scene);
    free_fixture(f);
}

static void expect_scene_refused(fixture *f, penta_context *ctx, const penta_sky_view *view,
                                 const penta_attitude_path *path, const char *part)
{
    penta_stars_scene scene;

    EXPECT_REFUSED(ctx, penta_stars_scene_on_sky(f->plan, &f->sky, view, path, &scene), PENTA_INVALID, part);
    assert_null(scene.memory);
}

TEST(refusals)
{
    fixture *f = new_fixture(*state, PENTA_STARS_SAMPLED), *moffat = new_fixture(*state, PENTA_STARS_MOFFAT);
    const double rate[3] = {0, 0, 5};
    penta_attitude_path path, empty = {0};
    penta_sky_view other = f->view, header;
    penta_wcs wcs;

    EXPECT_OK(NULL, penta_attitude_path_turn(&f->view.attitude, rate, 1, &path));
    EXPECT_OK(NULL, penta_sky_linear_wcs(&f->view, &wcs));
    EXPECT_OK(NULL, penta_sky_view_from_wcs(&wcs, WIDTH, HEIGHT, &header));
    other.width = WIDTH + 1;
    expect_scene_refused(f, *state, &other, NULL, "201 x 120 px");
    expect_scene_refused(f, *state, &header, &path, "WCS");
    expect_scene_refused(f, *state, &f->view, &empty, "empty");
    expect_scene_refused(moffat, *state, &f->view, &path, "`psf`");
    f->ra[5] = NAN;
    expect_scene_refused(f, *state, &f->view, NULL, "5");
    f->sky.magnitude = NULL;
    expect_scene_refused(f, *state, &f->view, NULL, "magnitude");
    penta_attitude_path_free(&path);
    free_fixture(f);
    free_fixture(moffat);
}

/* ---- truth ---- */

TEST(detector_truth)
{
    fixture *f = new_fixture(*state, PENTA_STARS_SAMPLED);
    const double x[] = {50, 150}, y[] = {60, 60}, magnitude[] = {0, 5};
    const penta_stars_list list = {.n = 2, .x = x, .y = y, .magnitude = magnitude};
    HELD float *image = must_calloc(PIXELS, sizeof *image);
    HELD uint8_t *mask = must_calloc(PIXELS, sizeof *mask);
    penta_detector_options detector;
    penta_stars_scene scene;
    penta_stars_truth truth;

    penta_detector_options_init(&detector);
    detector.quantum_efficiency = 0.5;
    detector.gain = 4;
    EXPECT_OK(*state, penta_stars_scene_by_pixel(f->plan, &list, &scene));
    EXPECT_OK(*state, penta_stars_truth_make(f->plan, &scene, &detector, &truth));
    assert_int_equal(truth.n, 2);
    for (int i = 0; i < 2; i++) {
        expect_near(truth.stars[i].electrons / truth.stars[i].flux_in_frame, 0.5, 1e-12);
        expect_near(truth.stars[i].electrons / truth.stars[i].dn, 4, 1e-12);
    }
    image[60 * WIDTH + 51] = 250;
    penta_stars_truth_saturate(&truth, WIDTH, HEIGHT, image, PENTA_F32, NULL, 255);
    assert_false(truth.stars[0].saturated || truth.stars[1].saturated);
    penta_stars_truth_saturate(&truth, WIDTH, HEIGHT, image, PENTA_F32, NULL, 250);
    assert_true(truth.stars[0].saturated && !truth.stars[1].saturated);
    mask[59 * WIDTH + 149] = 1;
    penta_stars_truth_saturate(&truth, WIDTH, HEIGHT, image, PENTA_F32, mask, INFINITY);
    assert_true(!truth.stars[0].saturated && truth.stars[1].saturated);
    penta_stars_truth_free(&truth);
    penta_stars_scene_free(&scene);
    free_fixture(f);
}

/* ---- catalogues and headers ---- */

TEST(epochs)
{
    const double ra[] = {101.3, 0.1}, dec[] = {-16.7, 80}, pm_ra[] = {-546, 3000}, pm_dec[] = {-1223, -900};
    double want_ra[2], want_dec[2], got_ra[2], got_dec[2], velocity[3];

    EXPECT_OK(NULL, penta_sky_proper_motion(2, ra, dec, pm_ra, pm_dec, 26.5, want_ra, want_dec));
    EXPECT_OK(NULL, penta_sky_at_epoch(2, ra, dec, pm_ra, pm_dec, 2000, 2026.5, false, got_ra, got_dec));
    for (int i = 0; i < 2; i++)
        expect_near(penta_sky_separation(got_ra[i], got_dec[i], want_ra[i], want_dec[i]), 0, 0);
    EXPECT_OK(NULL, penta_earth_velocity(penta_julian_date(2026.5), velocity));
    EXPECT_OK(NULL, penta_sky_aberration(2, want_ra, want_dec, velocity, want_ra, want_dec));
    EXPECT_OK(NULL, penta_sky_at_epoch(2, ra, dec, pm_ra, pm_dec, 2000, 2026.5, true, got_ra, got_dec));
    for (int i = 0; i < 2; i++)
        expect_near(penta_sky_separation(got_ra[i], got_dec[i], want_ra[i], want_dec[i]), 0, 0);
    expect_refused(penta_sky_at_epoch(2, ra, dec, pm_ra, pm_dec, 2000, 99, false, got_ra, got_dec), "`epoch` is 99");
}

/* The least order within the error; the best one where none is. */
TEST(headers)
{
    const penta_attitude attitude = {1, 0, 0, 0};
    penta_camera camera;
    penta_sky_view view;
    penta_sip_residual got, one;
    penta_wcs wcs, other;

    EXPECT_OK(NULL, penta_camera_init(1000, 800, 2000, &camera));
    camera.k1 = -0.12;
    camera.k2 = 0.05;
    EXPECT_OK(NULL, penta_sky_view_from_camera(&attitude, &camera, &view));
    EXPECT_OK(NULL, penta_sky_fit_sip_within(&view, 0.1, &wcs, &got));
    assert_true(fmax(got.forward, got.inverse) <= 0.1);
    if (wcs.a_order > 3) {
        EXPECT_OK(NULL, penta_sky_fit_sip(&view, wcs.a_order - 1, &other, &one));
        assert_true(fmax(one.forward, one.inverse) > 0.1);
    }
    EXPECT_OK(NULL, penta_sky_fit_sip_within(&view, 0, &wcs, &got));
    for (int order = 3; order <= PENTA_SIP_ORDER; order++) {
        EXPECT_OK(NULL, penta_sky_fit_sip(&view, order, &other, &one));
        assert_true(fmax(got.forward, got.inverse) <= fmax(one.forward, one.inverse));
    }
}

/* A star of the zero point gives a photon a second. */
TEST(zero_point)
{
    const double x = 100, y = 60, magnitude = 17.5;
    const penta_stars_list list = {.n = 1, .x = &x, .y = &y, .magnitude = &magnitude};
    penta_stars_options options;
    HELD_BY(penta_stars_held) penta_stars *plan = NULL;
    double flux;

    penta_stars_options_init(&options);
    options.engine = PENTA_STARS_SERIAL;
    EXPECT_OK(NULL, penta_stars_set_zero_point(&options, 17.5, 30));
    expect_refused(penta_stars_set_zero_point(&options, 61, 30), "`zero_point` is 61");
    expect_refused(penta_stars_set_zero_point(&options, 17.5, NAN), "exposure");
    EXPECT_OK(*state, penta_stars_create(*state, WIDTH, HEIGHT, &options, &plan));
    EXPECT_OK(*state, penta_stars_fluxes(plan, &list, &flux, NULL));
    expect_near(flux, 30, 1e-9);
}

/* ---- checks without a device ---- */

static void expect_message(penta_status status, const char *text, const char *part)
{
    assert_int_equal(status, PENTA_INVALID);
    expect_text(text, part);
    assert_null(strchr(text, '\n'));
}

TEST(checks)
{
    const size_t side = PENTA_STARS_MOST_SIDE;
    penta_detector_options detector;
    penta_stars_options o;
    char text[256] = "";

    penta_stars_options_init(&o);
    assert_int_equal(penta_stars_check(side, 1, &o, text, sizeof text), PENTA_OK);
    assert_int_equal(penta_stars_check(side, 1, NULL, NULL, 0), PENTA_OK);
    assert_string_equal(text, "");
    assert_int_equal(penta_stars_check_motion(&o, text, sizeof text), PENTA_OK);
    expect_message(penta_stars_check(side + 1, 1, &o, text, sizeof text), text, "65001 x 1");
    expect_message(penta_stars_check(0, 1, &o, text, sizeof text), text, "empty");
    o.sigma_y = 1e-4;
    expect_message(penta_stars_check(9, 9, &o, text, sizeof text), text, "`sigma_y` is 0.0001");
    o.sigma_y = 2;
    expect_message(penta_stars_check_motion(&o, text, sizeof text), text, "`sigma_y`");
    o.sigma = 1e9;
    expect_message(penta_stars_check(9, 9, &o, text, sizeof text), text, "sigma");
    assert_int_equal(penta_stars_check(9, 9, &o, NULL, 0), PENTA_INVALID);
    o.sigma = 20;
    o.flux_tolerance = 1e-9;
    expect_message(penta_stars_check(9, 9, &o, text, sizeof text), text, "`flux_tolerance`");
    penta_detector_options_init(&detector);
    assert_int_equal(penta_detector_check(9, 9, &detector, text, sizeof text), PENTA_OK);
    detector.bits = 99;
    expect_message(penta_detector_check(9, 9, &detector, text, sizeof text), text, "bits");
    expect_message(penta_detector_check(9, 0, NULL, text, sizeof text), text, "empty");
    expect_message(penta_detector_check((size_t)1 << 31, 1, NULL, text, sizeof text), text, "2^32");
}

ON_DEVICE;
