/* The index against looking at every star. */
#include "sky_checks.h"

enum { MOST = 30000 };

static double ra[MOST], dec[MOST];
static size_t ids[MOST];

static penta_sky_index *index_of(size_t n)
{
    penta_sky_index *index = NULL;

    expect_ok(penta_sky_index_create(n, ra, dec, &index));
    assert_non_null(index);
    return index;
}

/* Stars within a hair of the rim may be in or out. */
static void expect_cap(const penta_sky_index *index, size_t n, double at_ra, double at_dec, double radius)
{
    const double hair = 1e-12;
    size_t count = 0, found, at = 0;

    expect_ok(penta_sky_index_query(index, at_ra, at_dec, radius, MOST, ids, &found));
    for (size_t i = 0; i < n; i++) {
        double away = penta_sky_separation(at_ra, at_dec, ra[i], dec[i]);
        bool is_found = at < found && ids[at] == i;

        if (is_found != (away <= radius) && fabs(away - radius) > hair)
            fail_msg("cap (%.17g, %.17g) radius %.17g: star %zu at (%.17g, %.17g), %.17g away", at_ra, at_dec, radius,
                     i, ra[i], dec[i], away);
        at += is_found;
        count += is_found;
    }
    assert_int_equal(count, found); /* all of them, ascending, once each */
}

static void scatter(size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        random_direction(&seed, ra + i, dec + i);
        if (i % 100 == 0) /* poles, the seam and its neighbours */
            dec[i] = i % 200 ? 90 : -90;
        else if (i % 100 == 1)
            ra[i] = 360 * (double)(i % 3) - 360;
        else if (i % 100 == 2)
            ra[i] = nextafter(360, 0);
        else if (i % 100 == 3)
            ra[i] = -1e-300;
        else if (i % 100 == 4)
            ra[i] += 720;
        else if (i % 100 == 5)
            dec[i] = copysign(90 - pow(10, -12 * (double)i / (double)n), dec[i]);
    }
}

TEST(random_caps)
{
    uint64_t seed = 12;
    HELD_BY(penta_sky_index_held) penta_sky_index *index = NULL;

    scatter(MOST, 13);
    index = index_of(MOST);
    for (int i = 0; i < 1500; i++) {
        double at_ra, at_dec, radius = pow(10, 3 * uniform(&seed) - 2); /* 0.01 to 10 */

        random_direction(&seed, &at_ra, &at_dec);
        if (i % 5 == 1)
            radius = 180 * uniform(&seed);
        if (i % 7 == 1)
            at_dec = copysign(90 - pow(10, 2 - 12 * uniform(&seed)), at_dec);
        if (i % 7 == 2)
            at_dec = copysign(90 - radius * (1 + 1e-3 * (uniform(&seed) - 0.5)), at_dec); /* the rim at the pole */
        if (i % 7 == 3)
            at_ra = 1e-3 * (uniform(&seed) - 0.5);
        at_dec = fmax(-90, fmin(90, at_dec));
        expect_cap(index, MOST, at_ra, at_dec, radius);
    }
}

TEST(special_caps)
{
    static const double centres[][2] = {{0, 90},   {123, -90}, {0, 0},     {360, 0},       {-1e-300, 10},
                                        {180, 45}, {90, 89},   {270, -89}, {359.99999, 60}};
    static const double radii[] = {0, 1e-9, 1, 44.999, 45, 89, 90, 91, 135, 179, 179.9999999, 180};
    HELD_BY(penta_sky_index_held) penta_sky_index *index = NULL;
    size_t count;

    scatter(5000, 14);
    index = index_of(5000);
    for (size_t i = 0; i < sizeof centres / sizeof *centres; i++)
        for (size_t j = 0; j < sizeof radii / sizeof *radii; j++) {
            expect_cap(index, 5000, centres[i][0], centres[i][1], radii[j]);
            if (radii[j] == 180) {
                expect_ok(penta_sky_index_query(index, centres[i][0], centres[i][1], 180, 0, NULL, &count));
                assert_int_equal(count, 5000);
            }
        }
    for (size_t i = 0; i < 5000; i++) { /* each star finds itself */
        expect_ok(penta_sky_index_query(index, ra[i], dec[i], 0, MOST, ids, &count));
        assert_true(count >= 1);
        assert_true(i == ids[0] || count > 1);
    }
}

TEST(rim_belongs)
{
    penta_sky_index *index;
    size_t count;

    for (int i = 0; i < 36; i++) {
        ra[i] = 10 * i;
        dec[i] = 60;
    }
    index = index_of(36);
    expect_ok(penta_sky_index_query(index, 0, 90, 30, MOST, ids, &count));
    assert_int_equal(count, 36);
    expect_ok(penta_sky_index_query(index, 0, 90, 29.9999999999, MOST, ids, &count));
    assert_int_equal(count, 0);
    expect_ok(penta_sky_index_query(index, 0, -90, 150, MOST, ids, &count));
    assert_int_equal(count, 36);
    expect_ok(penta_sky_index_query(index, 350, 50, 12, MOST, ids, &count));
    assert_int_equal(count, 3); /* 340, 350, 0; ids ascend across the seam */
    assert_int_equal(ids[0], 0);
    assert_int_equal(ids[1], 34);
    assert_int_equal(ids[2], 35);
    penta_sky_index_destroy(index);
    for (int i = 0; i < 80; i++) {
        ra[i] = 123.456;
        dec[i] = i;
    }
    index = index_of(80);
    for (int i = 0; i < 80; i++) /* the rim runs through the last star, whatever the rounding */
        for (int j = 0; j < 80; j++) {
            expect_ok(penta_sky_index_query(index, 123.456, dec[i], abs(i - j), MOST, ids, &count));
            assert_true(j < i ? ids[0] == (size_t)j : ids[count - 1] == (size_t)j);
        }
    penta_sky_index_destroy(index);
}

TEST(lopsided)
{
    penta_sky_index *index;
    uint64_t seed = 15;
    size_t count;

    for (int i = 0; i < MOST; i++) { /* all in one spot */
        ra[i] = 83.8;
        dec[i] = -5.4;
    }
    index = index_of(MOST);
    expect_ok(penta_sky_index_query(index, 83.8, -5.4, 0, MOST, ids, &count));
    assert_int_equal(count, MOST);
    for (size_t i = 0; i < MOST; i++)
        assert_int_equal(ids[i], i);
    penta_sky_index_destroy(index);
    for (int i = 0; i < MOST; i++) { /* a field of a degree on the seam */
        ra[i] = uniform(&seed) - 0.5;
        dec[i] = uniform(&seed);
    }
    index = index_of(MOST);
    for (int i = 0; i < 100; i++)
        expect_cap(index, MOST, uniform(&seed) - 0.5, uniform(&seed), 0.5 * uniform(&seed));
    penta_sky_index_destroy(index);
}

TEST(sizes_and_room)
{
    penta_sky_index *index;
    uint64_t seed = 17;
    size_t count;

    scatter(64, 16);
    for (size_t n = 0; n <= 64; n++) {
        index = index_of(n);
        for (int i = 0; i < 300; i++) /* few and wide cells: caps that end in the cell where they began */
            expect_cap(index, n, 360 * uniform(&seed), 180 * uniform(&seed) - 90, 180 * uniform(&seed));
        expect_ok(penta_sky_index_query(index, 0, 0, 180, 0, NULL, &count));
        assert_int_equal(count, n);
        penta_sky_index_destroy(index);
    }
    index = index_of(64);
    ids[10] = 12345;
    expect_ok(penta_sky_index_query(index, 0, 0, 180, 10, ids, &count)); /* never beyond the room */
    assert_int_equal(count, 64);
    assert_int_equal(ids[10], 12345);
    penta_sky_index_destroy(index);
    penta_sky_index_destroy(NULL);
}

TEST(refusals)
{
    double good[] = {0, 1}, steep[] = {0, 91}, lost[] = {NAN, 0};
    penta_sky_index *index = NULL, *none = (penta_sky_index *)good;
    size_t count;

    expect_refused(penta_sky_index_create(2, good, steep, &none), "star 1 has Dec 91");
    assert_null(none);
    expect_refused(penta_sky_index_create(2, lost, good, &none), "star 0");
    expect_refused(penta_sky_index_create(2, NULL, good, &none), "arrays");
    expect_refused(penta_sky_index_create(2, good, good, NULL), "place");
    expect_ok(penta_sky_index_create(2, good, good, &index));
    expect_refused(penta_sky_index_query(index, NAN, 0, 1, 0, NULL, &count), "no cap");
    expect_refused(penta_sky_index_query(index, 0, 91, 1, 0, NULL, &count), "no cap");
    expect_refused(penta_sky_index_query(index, 0, 0, -1, 0, NULL, &count), "no cap");
    expect_refused(penta_sky_index_query(index, 0, 0, 180.1, 0, NULL, &count), "no cap");
    expect_refused(penta_sky_index_query(index, 0, 0, NAN, 0, NULL, &count), "no cap");
    expect_refused(penta_sky_index_query(index, 0, 0, 1, 5, NULL, &count), "places");
    expect_refused(penta_sky_index_query(NULL, 0, 0, 1, 0, NULL, &count), "index");
    penta_sky_index_destroy(index);
}
