/* The interpolation filter and the Gaussian against published numbers and their defining equations. */
#include "support/test.h"

#include "optmap/optmap.h"

static const double pi = 3.14159265358979323846;

static double sinc(double x)
{
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

TEST(is_the_published_filter)
{
    HELD_BY(optmap_filter_free) optmap_filter f;

    EXPECT_OK(NULL, optmap_filter_design(NULL, 10, 81, &f));
    assert_int_equal(f.taps, 81);
    assert_int_equal(f.first, -3);
    assert_int_equal(f.length, 8);
    expect_near(f.b[35], 0.609836360662, 1e-12);
    expect_near(f.b[45], 0.609836360662, 1e-12);
    for (int i = 0; i < 81; i += 10)
        expect_near(f.b[i], i == 40, 0);
}

/* Phi w = g for every phase, w and b are the same numbers, and b is symmetric. */
TEST(solves_its_equations)
{
    static const struct {
        int interp, taps;
    } cases[] = {{10, 81}, {10, 89}, {10, 41}, {10, 21}, {10, 161}, {2, 17}, {3, 25}, {3, 31}, {7, 57}, {100, 801}};

    for (size_t c = 0; c < COUNT(cases); c++) {
        int interp = cases[c].interp, half = (cases[c].taps - 1) / 2, seen = 0;
        HELD_BY(optmap_filter_free) optmap_filter f;

        EXPECT_OK(NULL, optmap_filter_design(NULL, interp, cases[c].taps, &f));
        for (int i = 0; i <= half; i++)
            expect_near(f.b[half - i], f.b[half + i], 1e-8);
        for (int m = 0; m < interp; m++)
            for (int i = f.first; i < f.first + f.length; i++) {
                bool used = abs(interp * i - m) <= half;
                double w = f.weights[m * f.length + i - f.first], g = 0;

                seen += used;
                expect_near(w, used ? f.b[half + m - interp * i] : 0, 0);
                for (int j = f.first; j < f.first + f.length; j++)
                    g += sinc(0.5 * (i - j)) * f.weights[m * f.length + j - f.first];
                if (used)
                    expect_near(g, sinc(0.5 * (i - (double)m / interp)), 1e-14);
            }
        /* nothing that belongs to a phase is left out; phase 0 may reach a sample further on either side, by 0 */
        assert_true(seen == f.taps || seen == f.taps - 1);
    }
}

TEST(one_is_no_interpolation)
{
    HELD_BY(optmap_filter_free) optmap_filter f;

    EXPECT_OK(NULL, optmap_filter_design(NULL, 1, 9, &f));
    assert_int_equal(f.taps, 1);
    assert_int_equal(f.first, 0);
    assert_int_equal(f.length, 1);
    expect_near(f.weights[0], 1, 0);
    expect_near(f.b[0], 1, 0);
}

TEST(refuses_other_lengths)
{
    static const int taps[] = {80, 19, 163, 1, -1};
    optmap_filter f;

    for (size_t i = 0; i < COUNT(taps); i++) {
        EXPECT_REFUSED(NULL, optmap_filter_design(NULL, 10, taps[i], &f), PENTA_INVALID, "`taps`");
    }
}

TEST(is_the_published_gaussian)
{
    static const double rows[3][3] = {{0.0068, 0.0201, 0.0288}, {0.0201, 0.0591, 0.0847}, {0.0288, 0.0847, 0.1214}};
    double g[25], sum = 0;

    optmap_gaussian(5, 1.179, g);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) {
            expect_near(g[5 * y + x], rows[y < 3 ? y : 4 - y][x < 3 ? x : 4 - x], 5e-5);
            sum += g[5 * y + x];
        }
    expect_near(sum, 1, 1e-15);
    optmap_gaussian(1, 1.179, g);
    expect_near(g[0], 1, 0);
}
