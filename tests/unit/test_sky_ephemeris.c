/* Proper motion and aberration against published numbers and against what geometry says. */
#include "sky_checks.h"

static void move_one(double ra, double dec, double pm_ra, double pm_dec, double years, double *out_ra, double *out_dec)
{
    expect_ok(penta_sky_proper_motion(1, &ra, &dec, &pm_ra, &pm_dec, years, out_ra, out_dec));
}

/* Answers of ERFA 2.0 (pmsafe, parallax 0.5 arcsec, no radial velocity): Barnard's star, Polaris, a fast star at the
 * south pole. */
TEST(motion_known)
{
    static const double rows[][7] = {{269.452075, 4.693391, -798.58, 10328.12, 50, 269.440944006929, 4.836836720560889},
                                     {37.954561, 89.264109, 44.48, -11.85, 500, 38.43448562782363, 89.26243729530796},
                                     {10, -89.9999, 3000, 900, 800, 83.29287135128338, -89.30398505894264}};

    for (size_t i = 0; i < 3; i++) {
        const double *row = rows[i];
        double ra, dec;

        move_one(row[0], row[1], row[2], row[3], row[4], &ra, &dec);
        expect_near(ra, row[5], 1e-9);
        expect_near(dec, row[6], 1e-9);
    }
}

TEST(motion_geometry)
{
    double ra, dec, back_ra, back_dec, degree = 3.6e6;
    uint64_t seed = 11;

    move_one(20, 89.5, 0, 1000, 3600, &ra, &dec); /* 1 degree north, over the pole */
    expect_near(ra, 200, 1e-10);
    expect_near(dec, 90.5 - 2 * (90.5 - 90) + (1 - RADIAN * atan(1 / RADIAN)), 1e-12);
    move_one(20, -89.5, 0, -1000, 3600, &ra, &dec);
    expect_near(ra, 200, 1e-10);
    move_one(70, 90, 0, -degree / 100, 100, &ra, &dec); /* from the pole down the meridian of its RA */
    expect_near(ra, 70, 1e-12);
    expect_near(dec, 90 - RADIAN * atan(1 / RADIAN), 1e-12);
    move_one(359.9, 0, degree / 100, 0, 100, &ra, &dec); /* through RA 0 */
    expect_near(ra, 359.9 + RADIAN * atan(1 / RADIAN) - 360, 1e-12);
    expect_near(dec, 0, 1e-15);
    move_one(123, 45, 0, 0, 1e6, &ra, &dec);
    expect_near(ra, 123, 1e-13);
    expect_near(dec, 45, 1e-13);
    for (int i = 0; i < 5000; i++) {
        double angle = 6.283185307179586 * uniform(&seed), rate = 1e4 * uniform(&seed), years = 2e3 * uniform(&seed);
        double at_ra, at_dec;

        random_direction(&seed, &at_ra, &at_dec);
        move_one(at_ra, at_dec, rate * cos(angle), rate * sin(angle), years, &ra, &dec);
        move_one(at_ra, at_dec, rate * cos(angle), rate * sin(angle), -years, &back_ra, &back_dec);
        angle = RADIAN * atan(rate * years / degree / RADIAN);
        expect_near(penta_sky_separation(at_ra, at_dec, ra, dec), angle, 1e-12);
        expect_near(penta_sky_separation(back_ra, back_dec, ra, dec), 2 * angle, 1e-12); /* one great circle */
    }
    expect_near(penta_pm_ra_cosdec(100, 60), 50, 1e-13);
    expect_near(penta_pm_ra_cosdec(100, 90), 0, 0);
}

TEST(earth_velocity)
{
    /* IAU SOFA's epv00, by ERFA 2.0. */
    static const struct {
        double jd, v[3];
    } rows[] = {{2415385.30, {-9.915710276e-05, -1.789007370e-05, -7.757802123e-06}},
                {2424470.75, {-8.251000618e-05, 5.271626003e-05, 2.286756911e-05}},
                {2433399.10, {5.879804849e-05, -7.269497970e-05, -3.152222442e-05}},
                {2442123.90, {-7.256016663e-06, -9.140059218e-05, -3.963670740e-05}},
                {2451545.00, {-9.935188892e-05, -1.677745302e-05, -7.273846790e-06}},
                {2455402.60, {8.267774598e-05, 4.782085625e-05, 2.072746435e-05}},
                {2460758.25, {3.596023812e-06, -9.140997908e-05, -3.962727688e-05}},
                {2466900.40, {-9.151656311e-05, -3.923065241e-05, -1.699873582e-05}},
                {2475777.70, {6.988287128e-05, -6.356105655e-05, -2.754672535e-05}},
                {2488000.50, {-5.058081931e-05, 7.901255321e-05, 3.423220335e-05}}};
    double v[3];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_ok(penta_earth_velocity(rows[i].jd, v));
        for (int j = 0; j < 3; j++)
            expect_near(v[j], rows[i].v[j], 0.0017 / 3600 / RADIAN);
    }
    expect_near(penta_julian_date(2000), 2451545, 0);
    expect_near(penta_julian_date(1991.25), 2448349.0625, 0); /* Hipparcos */
    expect_refused(penta_earth_velocity(2000000, v), "1000 to 3000");
    expect_refused(penta_earth_velocity(NAN, v), "1000 to 3000");
}

/* J. Meeus, Astronomical Algorithms, example 23.b: theta Persei on 2028 November 13.19, +0.0083223 degrees in RA by the
 * series of Ron and Vondrak; their Earth moves at (-1363700, +990286, +429285) 1e-8 au a day. */
TEST(theta_persei)
{
    double ra = 15 * (2 + 44 / 60.0 + 12.9747 / 3600), dec = 49 + 13 / 60.0 + 39.896 / 3600, v[3], out_ra, out_dec;
    double au_day = 499.004784 / 86400;

    expect_ok(penta_earth_velocity(2462088.69, v));
    expect_near(v[0], -0.01363700 * au_day, 0.002 / 3600 / RADIAN);
    expect_near(v[1], 0.00990286 * au_day, 0.002 / 3600 / RADIAN);
    expect_near(v[2], 0.00429285 * au_day, 0.002 / 3600 / RADIAN);
    expect_ok(penta_sky_aberration(1, &ra, &dec, v, &out_ra, &out_dec));
    expect_near(out_ra - ra, 0.0083223, 0.002 / 3600);
    expect_near((out_dec - dec) * 3600, 6.75, 0.005);
}

TEST(lorentz)
{
    double v[3] = {0, 0, 0.6}, back[3] = {0, 0, -0.6}, ra[] = {10, 20, 30, 40}, dec[] = {90, -90, 0, 35}, out_ra[4];
    double out_dec[4];

    expect_ok(penta_sky_aberration(4, ra, dec, v, out_ra, out_dec));
    expect_near(out_dec[0], 90, 0); /* ahead and behind nothing moves */
    expect_near(out_dec[1], -90, 0);
    expect_near(out_dec[2], RADIAN * asin(0.6), 1e-13); /* sin = beta */
    expect_near(tan((90 - out_dec[3]) / 2 / RADIAN), 0.5 * tan((90 - dec[3]) / 2 / RADIAN), 1e-15);
    for (int i = 2; i < 4; i++)
        expect_near(out_ra[i], ra[i], 1e-13);
    expect_ok(penta_sky_aberration(4, out_ra, out_dec, back, out_ra, out_dec)); /* in place */
    expect_near(out_dec[2], 0, 1e-13);
    expect_near(out_dec[3], 35, 1e-13);
    v[2] = 0;
    expect_ok(penta_sky_aberration(4, ra, dec, v, out_ra, out_dec));
    expect_near(out_dec[3], 35, 1e-13);
}

/* Over a year a star at the ecliptic's pole describes a circle of 20.5 arcsec. */
TEST(constant_of_aberration)
{
    double ra = 270, dec = 66.560709, out_ra, out_dec, v[3], least = 1, most = 0, away;

    for (int day = 0; day < 366; day++) {
        expect_ok(penta_earth_velocity(penta_julian_date(2024) + day, v));
        expect_ok(penta_sky_aberration(1, &ra, &dec, v, &out_ra, &out_dec));
        away = 3600 * penta_sky_separation(ra, dec, out_ra, out_dec);
        least = fmin(day ? least : away, away);
        most = fmax(most, away);
    }
    expect_near((least + most) / 2, 20.4955, 0.03);
    expect_near(most - least, 2 * 20.4955 * 0.0167, 0.04);
}

TEST(refusals)
{
    double ra[] = {0, 1}, dec[] = {0, 2}, steep[] = {0, -90.5}, pm[] = {0, 0}, lost[] = {0, NAN}, out[2];
    double fast[3] = {1, 0, 0}, none[3] = {NAN, 0, 0}, v[3] = {0, 0, 0};

    expect_refused(penta_sky_proper_motion(2, ra, steep, pm, pm, 1, out, out), "star 1 has Dec -90.5");
    expect_refused(penta_sky_proper_motion(2, lost, dec, pm, pm, 1, out, out), "star 1");
    expect_refused(penta_sky_proper_motion(2, ra, dec, pm, lost, 1, out, out), "star 1 moves");
    expect_refused(penta_sky_proper_motion(2, ra, dec, pm, pm, INFINITY, out, out), "years");
    expect_refused(penta_sky_proper_motion(2, ra, dec, pm, NULL, 1, out, out), "arrays");
    expect_refused(penta_sky_aberration(2, ra, dec, fast, out, out), "below 1");
    expect_refused(penta_sky_aberration(2, ra, dec, none, out, out), "below 1");
    expect_refused(penta_sky_aberration(2, ra, steep, v, out, out), "star 1");
    expect_refused(penta_sky_aberration(2, ra, dec, NULL, out, out), "velocity");
}
