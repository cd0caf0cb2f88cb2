/* R_max and its trough against J0(k0 r): trough at 3.831706 / k0 (-0.402759), peak at 7.015587 / k0 (+0.300116). */
#define _DEFAULT_SOURCE /* j0 */

#include "support/test.h"

#include "autocorr/peak.h"

#include "support/j0.h"
#include "support/random.h"

static void expect_status(penta_peak peak, enum penta_peak_status status)
{
    if (peak.status != status)
        fail_msg("status %s where %s is right (r_max %g)", penta_peak_status_name(peak.status),
                 penta_peak_status_name(status), peak.r_max);
    if (status != PENTA_PEAK_OK && !(isnan(peak.r_max) && isnan(peak.c_max)))
        fail_msg("r_max %g with status %s", peak.r_max, penta_peak_status_name(status));
    assert_true(isnan(peak.r_max_se));
}

/* ---- C1D as the header defines it: bins [r - 1/2, r + 1/2) of a plane of offsets ---- */

typedef struct {
    double k0;
    double noise;         /* standard deviation per offset, the same at (X,Y) and (-X,-Y), 0 at the origin */
    double floor;         /* C2D = floor + (1 - floor) pattern */
    double width, height; /* of the image in equation 1; 0: no such factor */
    double (*pattern)(double k0, double x, double y);
} plane;

static double rings(double k0, double x, double y)
{
    return j0(k0 * hypot(x, y));
}

/* The correlation of a hexagonal lattice: three waves of the same length, 60 degrees apart. Its rings average to J0. */
static double lattice(double k0, double x, double y)
{
    double third = sqrt(0.75) * k0 * y;

    return (cos(k0 * x) + cos(0.5 * k0 * x + third) + cos(0.5 * k0 * x - third)) / 3;
}

static double nothing(double k0, double x, double y)
{
    (void)k0;
    return x == 0 && y == 0;
}

static double value_at(const plane *p, int x, int y)
{
    double value = p->floor + (1 - p->floor) * p->pattern(p->k0, x, y);

    if (p->width > 0)
        value *= (1 - abs(x) / p->width) * (1 - abs(y) / p->height);
    return x == 0 && y == 0 ? value : value + p->noise * random_normal();
}

/* R + 1 bins, to be freed. */
static penta_autocorr_bin *average(const plane *p, int R)
{
    penta_autocorr_bin *bins = calloc((size_t)R + 1, sizeof *bins);

    for (int y = 0; y <= R; y++)
        for (int x = y ? -R : 0; x <= R; x++) {
            double r = sqrt((double)x * x + (double)y * y), value;
            int i = (int)floor(r + 0.5), twice = x || y ? 2 : 1;

            if (i > R)
                continue;
            value = value_at(p, x, y);
            bins[i].count += twice;
            bins[i].mean_r += twice * r;
            bins[i].c += twice * value;
            bins[i].sd += twice * value * value;
        }
    for (int i = 0; i <= R; i++) {
        double n = (double)bins[i].count;

        bins[i].mean_r /= n;
        bins[i].c /= n;
        bins[i].sd = sqrt(fmax(0, bins[i].sd / n - bins[i].c * bins[i].c));
    }
    return bins;
}

static penta_peak peak_of(const plane *p, int R, double prominence)
{
    HELD penta_autocorr_bin *bins = average(p, R);
    penta_peak peak = penta_peak_find(bins, (size_t)R + 1, prominence);

    return peak;
}

/* Bins that hold samples of a curve at whole radii. */
static penta_peak peak_of_curve(const double *c, size_t n, double prominence)
{
    penta_autocorr_bin bins[512];

    for (size_t i = 0; i < n; i++)
        bins[i] = (penta_autocorr_bin){i ? 6 * (int64_t)i : 1, (double)i, c[i], 0};
    return penta_peak_find(bins, n, prominence);
}

/* ---- tests ---- */

TEST(oracle_counts)
{
    static const int64_t counts[] = {1, 8, 12, 16, 32, 28, 40, 40, 48, 68, 56, 72, 68};
    plane p = {.k0 = 0.1, .pattern = rings};
    HELD penta_autocorr_bin *bins = average(&p, 250);

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(bins[i].count, counts[i]);
    assert_int_equal(bins[88].count, 536);
}

TEST(sampled_rings)
{
    for (double r_max = 8; r_max <= 250; r_max *= 1.013) {
        double k0 = J0_PEAK_AT / r_max, c[512];
        size_t n = (size_t)(1.4 * r_max) + 3;
        penta_peak peak;

        for (size_t i = 0; i < n; i++)
            c[i] = j0(k0 * (double)i);
        peak = peak_of_curve(c, n, 0.05);
        expect_status(peak, PENTA_PEAK_OK);
        expect_near(peak.r_max / r_max, 1, 1e-3);
        expect_near(peak.c_max, J0_PEAK, 1e-3);
        expect_near(peak.r_min * k0 / J0_TROUGH_AT, 1, 2e-3);
        expect_near(peak.c_min, J0_TROUGH, 1.5e-3);
    }
}

TEST(averaged_rings)
{
    for (double r_max = 8; r_max <= 250; r_max *= 1.09) {
        plane p = {.k0 = J0_PEAK_AT / r_max, .pattern = rings};
        penta_peak peak = peak_of(&p, (int)(1.5 * r_max), 0.01);

        expect_status(peak, PENTA_PEAK_OK);
        expect_near(peak.r_max / r_max, 1, 1e-3);
        expect_near(peak.c_max, J0_PEAK, 1.2e-3);
        expect_near(peak.r_min * p.k0 / J0_TROUGH_AT, 1, 2.5e-3);
        expect_near(peak.c_min, J0_TROUGH, 2e-3);
    }
}

TEST(narrow_rings)
{
    for (double r_max = 3; r_max <= 6; r_max += 0.1) {
        plane p = {.k0 = J0_PEAK_AT / r_max, .pattern = rings};
        penta_peak peak = peak_of(&p, 20, 0.01);

        expect_status(peak, PENTA_PEAK_OK);
        expect_near(peak.r_max / r_max, 1, r_max < 4 ? 0.08 : 0.02);
        expect_near(peak.r_min * p.k0 / J0_TROUGH_AT, 1, r_max < 4 ? 0.12 : 0.06);
    }
}

TEST(rings_under_equation_1)
{
    plane p = {.k0 = J0_PEAK_AT / 40, .width = 750, .height = 1500, .pattern = rings};
    penta_peak peak = peak_of(&p, 250, 0.01);

    expect_status(peak, PENTA_PEAK_OK);
    expect_near(peak.r_max, 40, 0.4);
    p.floor = 0.8; /* the mean of the image is left in */
    peak = peak_of(&p, 250, 0.01);
    expect_status(peak, PENTA_PEAK_OK);
    expect_near(peak.r_max, 40, 2);
    assert_true(peak.r_max < 40); /* a falling factor moves a maximum inwards */
}

TEST(rings_in_noise)
{
    double sum = 0, square = 0;

    random_seed(1);
    for (int i = 0; i < 60; i++) {
        plane p = {.k0 = J0_PEAK_AT / 20, .noise = 0.05, .pattern = rings};
        penta_peak peak = peak_of(&p, 60, 0.01);

        expect_status(peak, PENTA_PEAK_OK);
        sum += peak.r_max;
        square += peak.r_max * peak.r_max;
    }
    sum /= 60;
    expect_near(sum, 20, 0.04);
    assert_true(sqrt(square / 60 - sum * sum) < 0.2);
}

TEST(lattice)
{
    for (double r_max = 5; r_max < 60; r_max *= 1.3) {
        plane p = {.k0 = J0_PEAK_AT / r_max, .pattern = lattice};
        penta_peak peak = peak_of(&p, (int)(2.5 * r_max) + 10, 0.01);

        expect_status(peak, PENTA_PEAK_OK);
        expect_near(peak.r_max / r_max, 1, 0.05);
    }
}

TEST(white_noise)
{
    int found = 0;

    random_seed(2);
    for (int side = 12; side <= 192; side *= 2)
        for (int i = 0; i < 100; i++) {
            plane p = {.noise = 1.0 / side, .pattern = nothing};

            found += peak_of(&p, side / 3, 0.01).status != PENTA_PEAK_NO_TROUGH;
        }
    if (found > 10)
        fail_msg("a peak in %d of 500 images of noise", found);
}

TEST(decays)
{
    double c[100];
    plane uniform_image = {.floor = 1, .width = 90, .height = 120, .pattern = rings};

    for (int i = 0; i < 100; i++)
        c[i] = exp(-i / 9.0);
    expect_status(peak_of_curve(c, 100, 0.01), PENTA_PEAK_NO_TROUGH);
    for (int i = 0; i < 100; i++)
        c[i] = exp(-i * i / 90.0);
    expect_status(peak_of_curve(c, 100, 0.01), PENTA_PEAK_NO_TROUGH);
    expect_status(peak_of(&uniform_image, 80, 0.01), PENTA_PEAK_NO_TROUGH);
}

TEST(flat)
{
    double c[40];

    for (int i = 0; i < 40; i++)
        c[i] = 1 + (i % 3) * 1.1e-16;
    expect_status(peak_of_curve(c, 40, 0.01), PENTA_PEAK_FLAT);
    for (int i = 0; i < 40; i++)
        c[i] = 0;
    expect_status(peak_of_curve(c, 40, 0.01), PENTA_PEAK_FLAT);
    for (int i = 0; i < 40; i++)
        c[i] = NAN;
    expect_status(peak_of_curve(c, 40, 0.01), PENTA_PEAK_FLAT);
    c[0] = INFINITY;
    expect_status(peak_of_curve(c, 40, 0.01), PENTA_PEAK_FLAT);
    /* Faint, but there: an image of high counts and low contrast in exact arithmetic. */
    for (int i = 0; i < 40; i++)
        c[i] = 1 + 1e-9 * j0(0.5 * i);
    expect_near(peak_of_curve(c, 40, 0.01).r_max, 2 * J0_PEAK_AT, 0.02);
}

TEST(tiny_inputs)
{
    const double c[] = {1, 0, 0.5, 0.2};

    expect_status(penta_peak_find(NULL, 0, 0.01), PENTA_PEAK_NO_TROUGH);
    for (size_t n = 1; n <= 4; n++)
        expect_status(peak_of_curve(c, n, 0.01), PENTA_PEAK_NO_TROUGH);
}

TEST(nan_tail)
{
    double c[60];
    penta_peak whole, cut;

    for (int i = 0; i < 60; i++)
        c[i] = i < 45 ? j0(J0_PEAK_AT / 30 * i) : NAN;
    whole = peak_of_curve(c, 60, 0.01);
    cut = peak_of_curve(c, 45, 0.01);
    expect_status(whole, PENTA_PEAK_OK);
    assert_memory_equal(&whole.c_max, &cut.c_max, sizeof whole.c_max);
    assert_memory_equal(&whole.r_max, &cut.r_max, sizeof whole.r_max);
}

TEST(edge)
{
    random_seed(3);
    for (int R = 18; R <= 60; R++) { /* trough at 27.3 px, peak at 50 px */
        plane p = {.k0 = J0_PEAK_AT / 50, .pattern = rings};
        penta_peak peak = peak_of(&p, R, 0.05);

        expect_status(peak, R < 33   ? (peak.status == PENTA_PEAK_OK ? PENTA_PEAK_NO_TROUGH : peak.status)
                            : R < 50 ? PENTA_PEAK_AT_EDGE
                            : R > 51 ? PENTA_PEAK_OK
                                     : peak.status);
        if (R >= 33)
            expect_near(peak.r_min, J0_TROUGH_AT / p.k0, 0.1);
        p.noise = 0.02; /* wiggles on the rising flank are no peaks */
        if (R >= 36 && R < 44)
            expect_status(peak_of(&p, R, 0.05), PENTA_PEAK_AT_EDGE);
    }
}

/* A bump on a flank that rises to the last bin: lower than the prominence it is no peak, higher it is one. */
TEST(bump_on_flank)
{
    double c[44];

    for (int i = 0; i < 44; i++)
        c[i] = j0(J0_PEAK_AT / 50 * i);
    c[38] += 0.06;
    expect_status(peak_of_curve(c, 44, 0.05), PENTA_PEAK_AT_EDGE);
    c[38] += 0.06;
    expect_status(peak_of_curve(c, 44, 0.05), PENTA_PEAK_OK);
}

/* A higher ring behind is not looked at, however far it rises; a wiggle is no ring. */
TEST(first_maximum)
{
    double c[120];
    penta_peak peak;

    for (int i = 0; i < 120; i++)
        c[i] = exp(-i * i / 50.0) + 0.2 * exp(-(i - 30) * (i - 30) / 40.0) + 0.3 * exp(-(i - 80) * (i - 80) / 40.0);
    peak = peak_of_curve(c, 120, 0.05);
    expect_status(peak, PENTA_PEAK_OK);
    expect_near(peak.r_max, 30, 0.01);
    expect_near(peak.c_max, 0.2, 0.003);
    assert_true(peak.r_min < 30);
    c[119] = 0.5;
    expect_near(peak_of_curve(c, 120, 0.05).r_max, 30, 0.01);
    c[26] += 0.1 * (c[27] - c[26]) + c[27] - c[26]; /* a little above its neighbour on the rising flank */
    assert_true(c[26] > c[27]);
    expect_near(peak_of_curve(c, 120, 0.05).r_max, 30, 0.3);
}

/* From the sharp maximum of a short ring the curve falls to a plateau nearly as high: what the window of the fit once
 * ran along. */
TEST(flat_tail)
{
    double c[160];

    for (double height = 0.005; height < 0.1; height *= 1.7)
        for (double at = 12; at < 50; at *= 1.31) {
            double width = 0.12 * at;
            penta_peak peak;

            for (int i = 0; i < 160; i++) {
                double fall = exp(-i * i / (0.09 * at * at)), ring = exp(-(i - at) * (i - at) / (2 * width * width));
                double step = 1 / (1 + exp(-(i - 0.7 * at) / (0.05 * at)));

                c[i] = 1.2 * fall - 0.2 + 0.2 * step + height * ring;
            }
            peak = peak_of_curve(c, 160, 0.01);
            expect_status(peak, PENTA_PEAK_OK);
            expect_near(peak.r_max, at, fmax(0.3, 0.01 * at) + 0.02 * at * 0.005 / height);
        }
}

/* What the documentation promises of any maximum: the parabola through its bin and its neighbours, within max(0.3 px,
 * 1 %) and 1.5 bins, and that bins behind 1.5 r_max change no bit. */
TEST(promise)
{
    double c[200];

    random_seed(4);
    for (int i = 0; i < 400; i++) {
        double at = 4 + 90 * random_uniform(), decay = at * (0.7 + random_uniform()), offset = 0.1 * random_uniform();
        double ripple = 3 * random_uniform() / at;
        penta_peak whole, cut;
        size_t top = 1, trough = 1, sight;
        double vertex;

        for (int r = 0; r < 200; r++)
            c[r] = exp(-r / decay) * cos(6.283185307179586 * r / at) - offset * exp(-r / (3 * at)) +
                   0.01 * cos(ripple * r);
        whole = peak_of_curve(c, 200, 0.01);
        if (whole.status != PENTA_PEAK_OK)
            continue;
        top = (size_t)(whole.r_max + 0.5); /* the nearest local maximum */
        for (size_t far = 0; far < 3; far++) {
            size_t low = (size_t)(whole.r_max + 0.5) - far, high = (size_t)(whole.r_max + 0.5) + far;

            top = c[low] > c[low - 1] && c[low] >= c[low + 1]       ? low
                  : c[high] > c[high - 1] && c[high] >= c[high + 1] ? high
                                                                    : 0;
            if (top)
                break;
        }
        assert_true(top > 0);
        vertex = (double)top + (c[top + 1] - c[top - 1]) / (2 * (2 * c[top] - c[top - 1] - c[top + 1]));
        if (!(fabs(whole.r_max - vertex) <= fmax(0.3, 0.01 * whole.r_max) && fabs(whole.r_max - (double)top) <= 1.5))
            fail_msg("r_max %g for a maximum at %zu, parabola %g", whole.r_max, top, vertex);
        trough = (size_t)(whole.r_min + 0.5);
        assert_true(trough < top);
        sight = (size_t)ceil(1.5 * fmax(whole.r_max, (double)top)) + 1;
        if (sight >= 200)
            continue;
        cut = peak_of_curve(c, sight, 0.01);
        assert_memory_equal(&cut.r_max, &whole.r_max, sizeof cut.r_max);
        assert_memory_equal(&cut.c_max, &whole.c_max, sizeof cut.c_max);
    }
}

TEST(prominence)
{
    double c[80];

    for (int i = 0; i < 80; i++)
        c[i] = exp(-i * i / 50.0) + 0.04 * exp(-(i - 40) * (i - 40) / 40.0);
    expect_status(peak_of_curve(c, 80, 0.05), PENTA_PEAK_NO_TROUGH);
    expect_status(peak_of_curve(c, 80, 0.03), PENTA_PEAK_OK);
}

/* The same rise is a ring where the bins are sure of it, and chance where their scatter is twice as large. */
TEST(noise_bar)
{
    penta_autocorr_bin bins[80];

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 80; i++)
            bins[i] = (penta_autocorr_bin){200, i, exp(-i * i / 50.0) + 0.04 * exp(-(i - 40) * (i - 40) / 40.0),
                                           pass ? 0.2 : 0.1}; /* twice the error of a difference: 0.028, 0.057 */
        expect_status(penta_peak_find(bins, 80, 0.01), pass ? PENTA_PEAK_NO_TROUGH : PENTA_PEAK_OK);
    }
}

/* What makes a peak weak, one thing at a time. */
TEST(weak)
{
    const penta_peak good = {PENTA_PEAK_OK, 0, 30, 0.5, 0.05, 17, -0.2};
    penta_autocorr_options o = {
        .size = sizeof o, .estimator = PENTA_AUTOCORR_UNBIASED, .demean = PENTA_AUTOCORR_DEMEAN_MEAN};
    penta_peak p;

#define JUDGED(change, max_offset, status_wanted, doubts_wanted)                                                       \
    p = good;                                                                                                          \
    change;                                                                                                            \
    autocorr_peak_judge(&o, max_offset, &p);                                                                           \
    assert_int_equal(p.status, status_wanted);                                                                         \
    assert_int_equal(p.doubts, doubts_wanted)

    o.bootstrap = 200;
    JUDGED(, 60, PENTA_PEAK_OK, 0);
    JUDGED(p.r_max_se = 2.9, 60, PENTA_PEAK_OK, 0);
    JUDGED(p.r_max_se = 3.1, 60, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_ERROR);
    JUDGED(p.r_max_se = NAN, 60, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_ERROR);
    JUDGED(p.r_max_se = INFINITY, 60, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_ERROR);
    JUDGED(p.c_max = 0, 60, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_HEIGHT);
    JUDGED(p.c_max = -0.01, 60, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_HEIGHT);
    JUDGED(, 34, PENTA_PEAK_OK, 0);
    JUDGED(, 33, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_RANGE);
    JUDGED((p.r_max_se = NAN, p.c_max = -0.01), 33, PENTA_PEAK_WEAK,
           PENTA_PEAK_DOUBT_ERROR | PENTA_PEAK_DOUBT_HEIGHT | PENTA_PEAK_DOUBT_RANGE);
    JUDGED(p.status = PENTA_PEAK_FLAT, 33, PENTA_PEAK_FLAT, 0);
    JUDGED(p.status = PENTA_PEAK_AT_EDGE, 33, PENTA_PEAK_AT_EDGE, 0);
    o.bootstrap = 0; /* no error was asked for */
    JUDGED(p.r_max_se = NAN, 60, PENTA_PEAK_OK, 0);
    o.demean = PENTA_AUTOCORR_DEMEAN_NONE;
    JUDGED(p.c_max = -0.01, 60, PENTA_PEAK_OK, 0);
    o.estimator = PENTA_AUTOCORR_PEARSON; /* takes the means off by itself */
    JUDGED(p.c_max = -0.01, 60, PENTA_PEAK_WEAK, PENTA_PEAK_DOUBT_HEIGHT);
#undef JUDGED
}

TEST(names)
{
    assert_string_equal(penta_peak_status_name(PENTA_PEAK_OK), "ok");
    assert_string_equal(penta_peak_status_name(PENTA_PEAK_NO_TROUGH), "no_trough");
    assert_string_equal(penta_peak_status_name(PENTA_PEAK_AT_EDGE), "at_edge");
    assert_string_equal(penta_peak_status_name(PENTA_PEAK_FLAT), "flat");
    assert_string_equal(penta_peak_status_name(PENTA_PEAK_WEAK), "weak");
    assert_string_equal(penta_peak_status_name((enum penta_peak_status)7), "unknown");
    assert_string_equal(penta_peak_doubt_text(PENTA_PEAK_DOUBT_ERROR), "standard error over 10 % or none");
    assert_string_equal(penta_peak_doubt_text(PENTA_PEAK_DOUBT_HEIGHT), "C(R_max) <= 0");
    assert_string_equal(penta_peak_doubt_text(PENTA_PEAK_DOUBT_RANGE), "R_max over 0.9 R");
    assert_string_equal(penta_peak_doubt_text(PENTA_PEAK_DOUBT_CHANCE), "a fall behind R_max that may be chance");
    for (unsigned other = 0; other < 20; other++)
        if (other != 1 && other != 2 && other != 4 && other != 8)
            assert_null(penta_peak_doubt_text((enum penta_peak_doubt)other));
}
