/* Attitudes: the convention written out, round trips, turns, refusals. */
#include "sky_checks.h"

/* q (0, v) q* as the quaternion product is written. */
static void rotate(const penta_attitude *q, const double v[3], double out[3])
{
    double w = -q->x * v[0] - q->y * v[1] - q->z * v[2], x = q->w * v[0] + q->y * v[2] - q->z * v[1];
    double y = q->w * v[1] + q->z * v[0] - q->x * v[2], z = q->w * v[2] + q->x * v[1] - q->y * v[0];

    out[0] = -w * q->x + x * q->w - y * q->z + z * q->y;
    out[1] = -w * q->y + y * q->w - z * q->x + x * q->z;
    out[2] = -w * q->z + z * q->w - x * q->y + y * q->x;
}

static void direction(double ra, double dec, double v[3])
{
    v[0] = cos(dec / RADIAN) * cos(ra / RADIAN);
    v[1] = cos(dec / RADIAN) * sin(ra / RADIAN);
    v[2] = sin(dec / RADIAN);
}

static void expect_camera(double ra, double dec, double roll, double star_ra, double star_dec, double x, double y,
                          double z)
{
    penta_attitude q;
    double v[3], got[3];

    expect_ok(penta_attitude_from_radec(ra, dec, roll, &q));
    direction(star_ra, star_dec, v);
    rotate(&q, v, got);
    expect_near(got[0], x, 1e-15);
    expect_near(got[1], y, 1e-15);
    expect_near(got[2], z, 1e-15);
}

TEST(axes)
{
    expect_camera(0, 0, 0, 0, 0, 0, 0, 1);          /* boresight */
    expect_camera(0, 0, 0, 0, 90, 0, -1, 0);        /* north is up */
    expect_camera(0, 0, 0, 90, 0, -1, 0, 0);        /* east is left */
    expect_camera(0, 0, 90, 90, 0, 0, -1, 0);       /* at roll 90 east is up */
    expect_camera(0, 0, 90, 0, 90, 1, 0, 0);        /* and north is right */
    expect_camera(123, -45, 180, 123, 45, 0, 1, 0); /* at roll 180 north is down */
    expect_camera(30, 90, 0, 123, 90, 0, 0, 1);     /* at the pole all meridians meet */
    expect_camera(30, 90, 0, 30, 0, 0, 1, 0);       /* the one of the boresight's RA points down */
    expect_camera(30, -90, 0, 30, 0, 0, -1, 0);
}

TEST(known_quaternion)
{
    penta_attitude q;

    /* right = -Y, down = -Z, boresight = X: a turn by 120 degrees about (1, -1, 1). */
    expect_ok(penta_attitude_from_radec(0, 0, 0, &q));
    expect_near(q.w, 0.5, 1e-15);
    expect_near(q.x, 0.5, 1e-15);
    expect_near(q.y, -0.5, 1e-15);
    expect_near(q.z, 0.5, 1e-15);
}

TEST(round_trips)
{
    uint64_t seed = 1;

    for (int i = 0; i < 20000; i++) {
        double ra, dec, roll = 360 * uniform(&seed), got_ra, got_dec, got_roll, v[3], camera[3];
        penta_attitude q, again;

        random_direction(&seed, &ra, &dec);
        if (i % 10 == 0) /* close to a pole, where RA and roll are hard to tell apart */
            dec = copysign(90 - pow(10, -1 - 9 * uniform(&seed)), dec);
        expect_ok(penta_attitude_from_radec(ra, dec, roll, &q));
        assert_true(q.w >= 0);
        expect_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15);
        direction(ra, dec, v);
        rotate(&q, v, camera);
        expect_near(hypot(camera[0], camera[1]), 0, 1e-15);
        expect_ok(penta_attitude_to_radec(&q, &got_ra, &got_dec, &got_roll));
        assert_true(got_ra >= 0 && got_ra < 360 && got_roll >= 0 && got_roll < 360);
        expect_near(penta_sky_separation(ra, dec, got_ra, got_dec), 0, 1e-13);
        expect_ok(penta_attitude_from_radec(got_ra, got_dec, got_roll, &again));
        expect_near(fabs(q.w * again.w + q.x * again.x + q.y * again.y + q.z * again.z), 1, 1e-15);
        expect_near(fabs(q.x - again.x) < 0.1 ? q.x : -q.x, again.x, 1e-15);
        if (fabs(dec) < 80) {
            expect_near(remainder(got_ra - ra, 360), 0, 1e-12);
            expect_near(remainder(got_roll - roll, 360), 0, 1e-12);
        }
    }
}

TEST(exact_corners)
{
    static const double given[][3] = {{0, 0, 0},   {360, 0, 360},  {-90, 45, 270}, {180, -30, 180},
                                      {90, 60, 0}, {720, -60, 90}, {270, 0, -90}};
    penta_attitude q;
    double ra, dec, roll;

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        expect_ok(penta_attitude_from_radec(given[i][0], given[i][1], given[i][2], &q));
        expect_ok(penta_attitude_to_radec(&q, &ra, &dec, &roll));
        expect_near(remainder(ra - given[i][0], 360), 0, 1e-13);
        expect_near(dec, given[i][1], 1e-13);
        expect_near(remainder(roll - given[i][2], 360), 0, 1e-13);
    }
    /* At a pole RA is 0 and the roll makes up for it: looking up turns them against one another. */
    expect_ok(penta_attitude_from_radec(40, 90, 10, &q));
    expect_ok(penta_attitude_to_radec(&q, &ra, &dec, &roll));
    expect_near(ra, 0, 0);
    expect_near(dec, 90, 0);
    expect_near(roll, 330, 1e-12);
    expect_ok(penta_attitude_from_radec(40, -90, 10, &q));
    expect_ok(penta_attitude_to_radec(&q, &ra, &dec, &roll));
    expect_near(ra, 0, 0);
    expect_near(dec, -90, 0);
    expect_near(roll, 50, 1e-12);
}

TEST(any_quaternion)
{
    penta_attitude q, same;

    expect_ok(penta_attitude_from_quaternion(-3e200, 0, 4e200, 0, &q)); /* squares would overflow */
    expect_near(q.w, 0.6, 2e-16);
    expect_near(q.y, -0.8, 2e-16);
    expect_ok(penta_attitude_from_quaternion(3e-200, 0, -4e-200, 0, &same)); /* or vanish */
    expect_near(same.w, q.w, 2e-16);
    expect_near(same.y, q.y, 2e-16);
    expect_refused(penta_attitude_from_quaternion(0, 0, 0, 0, &q), "not 0");
    expect_refused(penta_attitude_from_quaternion(1, NAN, 0, 0, &q), "finite");
    expect_refused(penta_attitude_from_quaternion(1, INFINITY, 0, 0, &q), "finite");
    expect_refused(penta_attitude_from_quaternion(1, 0, 0, 0, NULL), "place");
}

static double turn_between(const penta_attitude *a, const penta_attitude *b)
{
    double dot = fabs(a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z);

    return 2 * RADIAN * acos(fmin(dot, 1));
}

TEST(slerp)
{
    uint64_t seed = 2;

    for (int i = 0; i < 2000; i++) {
        double ra, dec, t = uniform(&seed), whole;
        penta_attitude a, b, c;

        random_direction(&seed, &ra, &dec);
        expect_ok(penta_attitude_from_radec(ra, dec, 360 * uniform(&seed), &a));
        random_direction(&seed, &ra, &dec);
        expect_ok(penta_attitude_from_radec(ra, dec, 360 * uniform(&seed), &b));
        whole = turn_between(&a, &b);
        expect_ok(penta_attitude_slerp(&a, &b, t, &c));
        expect_near(turn_between(&a, &c), t * whole, 3e-6); /* acos is that rough near 0 */
        expect_near(turn_between(&c, &b), (1 - t) * whole, 3e-6);
        expect_ok(penta_attitude_slerp(&a, &b, 0, &c));
        expect_near(c.x, a.x, 1e-15);
        expect_ok(penta_attitude_slerp(&a, &b, 1, &c));
        if (b.w > 1e-9)
            expect_near(c.x, b.x, 1e-14);
    }
}

TEST(slerp_paths)
{
    penta_attitude a, b, c;
    double ra, dec, roll;

    /* Along the equator, through RA 0 the short way. */
    expect_ok(penta_attitude_from_radec(350, 0, 0, &a));
    expect_ok(penta_attitude_from_radec(20, 0, 0, &b));
    b = (penta_attitude){-b.w, -b.x, -b.y, -b.z}; /* the other sign is the same attitude */
    expect_ok(penta_attitude_slerp(&a, &b, 0.5, &c));
    expect_ok(penta_attitude_to_radec(&c, &ra, &dec, &roll));
    expect_near(ra, 5, 1e-12);
    expect_near(dec, 0, 1e-12);
    expect_near(remainder(roll, 360), 0, 1e-12);
    expect_ok(penta_attitude_slerp(&a, &b, 2, &c)); /* and on at the same rate */
    expect_ok(penta_attitude_to_radec(&c, &ra, &dec, &roll));
    expect_near(ra, 50, 1e-12);
    /* A tiny turn keeps its direction. */
    expect_ok(penta_attitude_from_radec(10, 20, 30, &a));
    expect_ok(penta_attitude_from_radec(10, 20 + 1e-9, 30, &b));
    expect_ok(penta_attitude_slerp(&a, &b, 0.5, &c));
    expect_ok(penta_attitude_to_radec(&c, &ra, &dec, &roll));
    expect_near(dec, 20 + 5e-10, 2e-14);
    expect_ok(penta_attitude_slerp(&a, &a, 0.3, &c)); /* no turn at all */
    expect_near(c.x, a.x, 1e-16);
    expect_refused(penta_attitude_slerp(&a, &b, NAN, &c), "finite");
    b = (penta_attitude){0, 0, 0, 0};
    expect_refused(penta_attitude_slerp(&a, &b, 0.5, &c), "not 0");
}

TEST(refusals)
{
    penta_attitude q = {0, 0, 0, 0};
    double ra, dec, roll;

    expect_refused(penta_attitude_from_radec(NAN, 0, 0, &q), "finite");
    expect_refused(penta_attitude_from_radec(0, INFINITY, 0, &q), "finite");
    expect_refused(penta_attitude_from_radec(0, 0, -INFINITY, &q), "finite");
    expect_refused(penta_attitude_from_radec(0, 90.0001, 0, &q), "within -90 and 90");
    expect_refused(penta_attitude_from_radec(0, -91, 0, &q), "within -90 and 90");
    expect_refused(penta_attitude_from_radec(0, 0, 0, NULL), "place");
    expect_refused(penta_attitude_to_radec(&q, &ra, &dec, &roll), "not 0");
    expect_refused(penta_attitude_to_radec(NULL, &ra, &dec, &roll), "attitude");
}

TEST(separation)
{
    expect_near(penta_sky_separation(0, 0, 0, 90), 90, 1e-13);
    expect_near(penta_sky_separation(10, 20, 190, -20), 180, 1e-13);
    expect_near(penta_sky_separation(359.5, 0, 0.5, 0), 1, 1e-13);
    expect_near(penta_sky_separation(0, 60, 1e-7, 60), 0.5e-7, 1e-13);
    expect_near(penta_sky_separation(123, 90, 17, 90), 0, 0);
    assert_true(isnan(penta_sky_separation(0, NAN, 0, 0)));
}
