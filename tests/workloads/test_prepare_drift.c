/* Smoothing of drifts. */
#include "support/test.h"

#include <pentacl/prepare.h>

#include "reference/prepare.h"
#include "support/random.h"

enum { N = 60 };

static void line(penta_drift *d)
{
    for (int i = 0; i < N; i++)
        d[i] = (penta_drift){.dx = 0.3 * i, .dy = -0.1 * i, .angle = 0.02 * i, .score = 0.9};
}

/* A straight line stays, whatever the reach. */
TEST(line)
{
    for (size_t reach = 0; reach < 100; reach += 7) {
        penta_drift d[N];

        line(d);
        EXPECT_OK(NULL, penta_drift_smooth(N, d, reach));
        for (int i = 0; i < N; i++) {
            expect_near(d[i].dx, 0.3 * i, 1e-10);
            expect_near(d[i].dy, -0.1 * i, 1e-10);
            expect_near(d[i].angle, 0.02 * i, 1e-10);
            assert_true(d[i].score == 0.9);
        }
    }
}

/* One frame that jumped. */
TEST(outlier)
{
    penta_drift d[N];

    line(d);
    random_seed(2);
    for (int i = 0; i < N; i++)
        d[i].dx += 0.01 * random_normal();
    d[20].dx += 30;
    EXPECT_OK(NULL, penta_drift_smooth(N, d, 6));
    for (int i = 0; i < N; i++)
        expect_near(d[i].dx, 0.3 * i, 0.04);
}

/* Noise becomes less by what the weights say: 0.31 for lines over 6 frames to each side. */
TEST(noise)
{
    double sum = 0;

    random_seed(3);
    for (int run = 0; run < 200; run++) {
        penta_drift d[N] = {{0}};
        double first;

        for (int i = 0; i < N; i++)
            d[i] = (penta_drift){.dx = random_normal(), .score = 1};
        EXPECT_OK(NULL, penta_drift_smooth(N, d, 6));
        first = d[30].dx - d[40].dx; /* the first frame's is taken off all */
        sum += first * first;
    }
    expect_near(sqrt(sum / 2 / 200), 0.31, 0.05);
}

TEST(not_measured)
{
    penta_drift d[N], far[N];

    line(d);
    d[10] = (penta_drift){.dx = 1e9, .dy = NAN, .angle = 5, .score = NAN};
    EXPECT_OK(NULL, penta_drift_smooth(N, d, 3));
    expect_near(d[10].dx, 3, 1e-9);
    expect_near(d[10].dy, -1, 1e-9);
    assert_true(isnan(d[10].score));
    /* a gap wider than the reach */
    line(far);
    for (int i = 20; i < 40; i++)
        far[i] = (penta_drift){.score = NAN};
    EXPECT_OK(NULL, penta_drift_smooth(N, far, 3));
    for (int i = 0; i < N; i++)
        expect_near(far[i].dx, 0.3 * i, 1e-9);
    /* nothing measured */
    for (int i = 0; i < N; i++)
        d[i] = (penta_drift){.dx = 7, .dy = 7, .angle = 7, .score = NAN};
    EXPECT_OK(NULL, penta_drift_smooth(N, d, 3));
    assert_true(d[0].dx == 0 && d[N - 1].dy == 0);
}

TEST(first_stays)
{
    penta_drift d[3] = {{.dx = 5, .dy = 6, .angle = 7, .score = 1},
                        {.dx = 6, .dy = 6, .angle = 7, .score = 1},
                        {.dx = 7, .dy = 6, .angle = 7, .score = 1}},
                one = {.dx = 4, .dy = 4, .angle = 4, .score = 1};

    EXPECT_OK(NULL, penta_drift_smooth(3, d, 2));
    expect_near(d[0].dx, 0, 0);
    expect_near(d[2].dx, 2, 1e-12);
    expect_near(d[2].angle, 0, 1e-12);
    EXPECT_OK(NULL, penta_drift_smooth(1, &one, 2));
    expect_near(one.dx, 0, 0);
    EXPECT_OK(NULL, penta_drift_smooth(0, NULL, 2));
}

/* Short series that are straight but for noise far below a pixel, where residuals are tiny and few. */
TEST(short_series)
{
    random_seed(5);
    for (int n = 3; n <= 9; n++)
        for (size_t reach = 1; reach <= 4; reach++)
            for (int repeat = 0; repeat < 200; repeat++) {
                penta_drift d[9];

                for (int i = 0; i < n; i++)
                    d[i] = (penta_drift){.dx = -3.0 * i + 1e-3 * random_normal(), .dy = 2.0 * i, .score = 1};
                d[0].dx = 0;
                EXPECT_OK(NULL, penta_drift_smooth((size_t)n, d, reach));
                for (int i = 0; i < n; i++) {
                    expect_near(d[i].dx, -3.0 * i, 0.02);
                    expect_near(d[i].dy, 2.0 * i, 1e-10);
                }
            }
}

TEST(no_reach)
{
    penta_drift d[2] = {{.dx = 5, .dy = 6, .angle = 7, .score = 1}, {.dx = 1, .dy = 2, .angle = 3, .score = 1}};

    EXPECT_OK(NULL, penta_drift_smooth(2, d, 0));
    assert_true(d[0].dx == 5 && d[1].angle == 3);
}

TEST(reference)
{
    random_seed(11);
    for (size_t reach = 2; reach < 20; reach += 3) {
        penta_drift d[N], expected[N];

        for (int i = 0; i < N; i++)
            d[i] = (penta_drift){.dx = 0.01 * i * i + random_normal(),
                                 .dy = random_normal() * random_normal(),
                                 .angle = random_uniform(),
                                 .score = i == 13 ? NAN : 1};
        memcpy(expected, d, sizeof d);
        EXPECT_OK(NULL, penta_drift_smooth(N, d, reach));
        reference_prepare_smooth(N, expected, reach);
        for (int i = 0; i < N; i++) {
            expect_near(d[i].dx, expected[i].dx, 1e-9);
            expect_near(d[i].dy, expected[i].dy, 1e-9);
            expect_near(d[i].angle, expected[i].angle, 1e-9);
        }
    }
}
