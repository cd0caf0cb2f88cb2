/* Pictures of growth. */
#include "support/test.h"

#include "support/autocorr_plots.h"

TEST_WITH_PICTURES(growth)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    const char *svg = in_pictures("growth.svg");

    d.r[4] = 15.9;
    d.r[9] = 5000;
    d.outlier[4] = d.outlier[9] = true;
    d.r[11] = NAN;
    expect_drawn(plot_growth(in_pictures("growth"), "growth of a sample", &points, fits, &err));
    expect_in_file(svg, "R = (12.1 ± 0.3) + (0.53 ± 0.02) t, best by AICc", true);
    expect_in_file(svg, "R = (0.71 ± 0.02) t, ΔAICc = 80", true);
    expect_in_file(svg, "(t + (7.2 ± 0.3))", true);
    expect_in_file(svg, "0.50 ± 0.05", true);
    expect_in_file(svg, "2 outliers (1 off the plot)", true);
    expect_in_file(svg, "17 frames", true);
    expect_in_file(svg, "time (s)", true);
    expect_pictures(in_pictures("growth"), "growth of a sample");
}

TEST_WITH_PICTURES(growth_of_few_points)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    penta_growth_fit few[PENTA_GROWTH_MODELS];

    memcpy(few, fits, sizeof few);
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        few[m].aicc = few[m].standard_error[0] = few[m].standard_error[1] = NAN;
    few[2].ok = false;
    points.r_se = NULL;
    points.outlier = NULL;
    points.seconds = false;
    points.n = 2;
    expect_drawn(plot_growth(in_pictures("two"), NULL, &points, few, &err));
    expect_in_file(in_pictures("two.svg"), "AICc", false);
    expect_in_file(in_pictures("two.svg"), ">frame<", true);
    expect_in_file(in_pictures("two.svg"), ">0.5<", false);
    expect_in_file(in_pictures("two.svg"), "R = ", false);
    expect_pictures(in_pictures("two"), "too few frames for a fit");
    few[2].ok = true; /* a fit is shown from two points beyond its parameters on */
    points.n = 3;
    expect_drawn(plot_growth(in_pictures("three"), NULL, &points, few, &err));
    expect_in_file(in_pictures("three.svg"), "R = 0.710 t", true);
    expect_in_file(in_pictures("three.svg"), "R = 12.1", false);
    expect_pictures(in_pictures("three"), "too few frames for the other fits");
    points.n = 4;
    expect_drawn(plot_growth(in_pictures("four"), NULL, &points, few, &err));
    expect_in_file(in_pictures("four.svg"), "R = 12.1 + 0.530 t", true);
    expect_in_file(in_pictures("four.svg"), "R = 4.0", false);
    expect_pictures(in_pictures("four"), "too few frames for the other fits");
    points.n = 5;
    expect_drawn(plot_growth(in_pictures("five"), NULL, &points, few, &err));
    expect_in_file(in_pictures("five.svg"), "too few frames", false);
    expect_pictures(in_pictures("five"), "R = 4.0");
    few[0].ok = few[1].ok = few[2].ok = false;
    points.n = 1;
    expect_drawn(plot_growth(in_pictures("one"), NULL, &points, few, &err));
    expect_pictures(in_pictures("one"), "1 frame");
    d.r[0] = NAN;
    expect_drawn(plot_growth(in_pictures("none"), NULL, &points, few, &err));
    expect_pictures(in_pictures("none"), "no frame has an");
    points.weak = 1;
    expect_drawn(plot_growth(in_pictures("weak"), NULL, &points, few, &err));
    expect_pictures(in_pictures("weak"), "that can be relied on");
}

/* A law that contradicts the data is not the best beside one that does not. */
TEST_WITH_PICTURES(contradicted_laws)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    penta_growth_fit two[PENTA_GROWTH_MODELS];

    memcpy(two, fits, sizeof two);
    two[0].contradicted = true;
    two[0].aicc = -100;
    two[1].aicc = two[2].aicc = NAN;
    expect_drawn(plot_growth(in_pictures("held"), NULL, &points, two, &err));
    expect_in_file(in_pictures("held.svg"), "best by AICc", false);
    two[1].contradicted = two[2].contradicted = true;
    expect_drawn(plot_growth(in_pictures("all"), NULL, &points, two, &err));
    expect_in_file(in_pictures("all.svg"), "best by AICc", true);
    two[0].chi2 = 263000; /* a line fits far better, but for as few points has no AICc */
    two[0].dof = 3;
    two[1].chi2 = 15.6;
    two[1].dof = 2;
    expect_drawn(plot_growth(in_pictures("nearer"), NULL, &points, two, &err));
    expect_in_file(in_pictures("nearer.svg"), "best by AICc", false);
}

/* Every point an outlier, or half of them with an exact fit, whose AICc is minus infinity. */
TEST_WITH_PICTURES(growth_oddities)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    penta_growth_fit odd[PENTA_GROWTH_MODELS];

    memcpy(odd, fits, sizeof odd);
    odd[1].aicc = -INFINITY;
    for (int i = 0; i < POINTS; i++)
        d.outlier[i] = true;
    expect_drawn(plot_growth(in_pictures("odd"), NULL, &points, odd, &err));
    expect_in_file(in_pictures("odd.svg"), "20 outliers<", true);
    expect_pictures(in_pictures("odd"), "too few frames for a fit");
    for (int i = 0; i < POINTS / 2; i++)
        d.outlier[i] = false;
    expect_drawn(plot_growth(in_pictures("odd"), NULL, &points, odd, &err));
    expect_in_file(in_pictures("odd.svg"), "10 outliers", true);
    expect_in_file(in_pictures("odd.svg"), "ΔAICc", false);
    expect_pictures(in_pictures("odd"), "t, best by AICc");
}

RUN_WITH_PICTURES;
