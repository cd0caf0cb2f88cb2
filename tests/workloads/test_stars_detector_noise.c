/*
 * The detector's noise: Poisson counts equal to the reference's, distributions, photon transfer. Seeds are fixed, so
 * that a statistical bound is met always or never.
 */
#include "support/test.h"

#include "reference/detector.h"
#include "support/detector_run.h"

/* ---- Poisson ---- */

static const double means[] = {0.1, 1, 5, 9.9, 10.1, 30, 1000, 1e6};
enum { MEANS = sizeof means / sizeof *means };

/* Chi square of the counts over bins of at least `least` expected, the tails in the first and last; *bins their number.
 */
static double chi_square(double mean, const float *counts, double least, int *bins)
{
    const long most = (long)(mean + 12 * sqrt(mean) + 20);
    long from = (long)fmax(0, mean - 12 * sqrt(mean));
    double *seen = must_calloc((size_t)most + 1, sizeof *seen), chi2 = 0, expected = 0, observed = 0, left = PIXELS;

    for (size_t i = 0; i < PIXELS; i++) {
        assert_true(counts[i] >= (float)from && counts[i] < (float)most);
        seen[(long)counts[i]]++;
    }
    *bins = 0;
    for (long k = from; k <= most; k++) {
        expected += PIXELS * exp((double)k * log(mean) - mean - lgamma((double)k + 1));
        observed += seen[k];
        if ((expected >= least && left - expected >= least) || k == most) {
            expected = k == most ? left : expected;
            chi2 += (observed - expected) * (observed - expected) / expected;
            left -= expected;
            expected = observed = 0;
            ++*bins;
        }
    }
    free(seen);
    return chi2;
}

TEST(poisson_distribution)
{
    penta_detector_options o = detector_defaults();
    HELD float *dn = must_calloc(PIXELS, sizeof *dn);

    for (int i = 0; i < MEANS; i++) {
        double mean = means[i], chi2;
        moments m;
        int bins;

        o.seed = 100 + i;
        expose_flat(*state, &o, 0, mean, dn, NULL);
        m = moments_of(dn, PIXELS);
        expect_within("mean", mean, m.mean, mean, 3.5 * sqrt(mean / PIXELS));
        expect_within("variance", mean, m.variance, mean, 3.5 * sqrt((mean + 2 * mean * mean) / PIXELS));
        chi2 = chi_square(mean, dn, mean < 1e5 ? 20 : 1000, &bins);
        expect_within("chi square", mean, chi2, bins - 1, 3.5 * sqrt(2.0 * (bins - 1)));
    }
}

/* Means over all orders, both methods, both sides of 10. */
TEST(poisson_counts)
{
    penta_detector_options o = detector_defaults();
    HELD double *image = must_calloc(PIXELS, sizeof *image);
    HELD float *dn = must_calloc(PIXELS, sizeof *dn);

    o.seed = 7;
    for (size_t i = 0; i < PIXELS; i++)
        image[i] = i % 3 == 0 ? 20.0 * (double)i / PIXELS : exp(-5 + 20.0 * (double)i / PIXELS);
    image[5] = 0;
    image[6] = -3;
    image[7] = 10;
    image[8] = nextafter(10, 0);
    image[9] = 1e-300;
    expose(*state, &o, SIDE, SIDE, 3, image, dn, NULL);
    for (size_t i = 0; i < PIXELS; i++)
        if ((double)dn[i] != reference_poisson(image[i], (uint64_t)3 << 32 | 7, i))
            fail_msg("pixel %zu of mean %.17g: %.9g counts, not %.9g", i, image[i], (double)dn[i],
                     reference_poisson(image[i], (uint64_t)3 << 32 | 7, i));
}

/* Counts of 1e9 and of 1e12: less their mean they fit in a float. */
TEST(large_means)
{
    penta_detector_options o = detector_defaults();
    HELD float *dn = must_calloc(PIXELS, sizeof *dn);
    moments m;

    o.bias = -1e9;
    expose_flat(*state, &o, 1, 1e9, dn, NULL);
    m = moments_of(dn, PIXELS);
    expect_within("mean", 1e9, m.mean, 0, 3.5 * sqrt(1e9 / PIXELS));
    expect_within("variance", 1e9, m.variance, 1e9, 3.5 * 1e9 * sqrt(2.0 / PIXELS));
    for (size_t i = 0; i < PIXELS; i += 17)
        assert_true((double)dn[i] == reference_poisson(1e9, (uint64_t)1 << 32 | 1, i) - 1e9);
    o.gain = 1e3;
    expose_flat(*state, &o, 1, 1e12, dn, NULL);
    m = moments_of(dn, PIXELS);
    expect_within("variance", 1e12, m.variance, 1e6, 3.5 * 1e6 * sqrt(2.0 / PIXELS));
    o.bias = 0;
    expose_flat(*state, &o, 1, 1e25, dn, NULL);
    for (size_t i = 0; i < PIXELS; i++)
        assert_true(dn[i] == 1e22f);
}

/* ---- read noise ---- */

static double normal_share(double x)
{
    return 0.5 * erfc(-x * sqrt(0.5));
}

TEST(read_noise)
{
    penta_detector_options o = detector_defaults();
    HELD float *dn = must_calloc(PIXELS, sizeof *dn), *next = must_calloc(PIXELS, sizeof *next);
    double along = 0, between = 0;
    float least = 0, most = 0;
    moments m;

    o.read_noise = 1;
    o.seed = 11;
    expose_flat(*state, &o, 0, 0, dn, NULL);
    expose_flat(*state, &o, 1, 0, next, NULL);
    m = moments_of(dn, PIXELS);
    expect_within("mean", 0, m.mean, 0, 3.5 / SIDE);
    expect_within("variance", 0, m.variance, 1, 3.5 * sqrt(2.0 / PIXELS));
    for (size_t i = 0; i < PIXELS; i++) {
        along += (double)dn[i] * (double)dn[(i + 1) % PIXELS] / SIDE;
        between += (double)dn[i] * (double)next[i] / SIDE;
        least = fminf(least, dn[i]);
        most = fmaxf(most, dn[i]);
    }
    expect_within("correlation of neighbours", 0, along, 0, 3.5);
    expect_within("correlation of frames", 0, between, 0, 3.5);
    expect_values_distributed(dn, PIXELS, normal_share, "read noise");
    assert_true(least < -4 && most > 4);
}

/* Photon-transfer curve: variance = mean / gain + (read noise / gain)^2, in DN. */
TEST(photon_transfer)
{
    penta_detector_options o = detector_defaults();
    HELD float *dn = must_calloc(PIXELS, sizeof *dn);
    double sx = 0, sy = 0, sxx = 0, sxy = 0, slope;
    enum { LEVELS = 8 };

    o.gain = 2.5;
    o.bias = 300;
    o.read_noise = 12;
    for (int i = 0; i < LEVELS; i++) {
        moments m;

        expose_flat(*state, &o, (uint32_t)i, 5000.0 * i, dn, NULL);
        m = moments_of(dn, PIXELS);
        sx += m.mean - 300;
        sy += m.variance;
        sxx += (m.mean - 300) * (m.mean - 300);
        sxy += (m.mean - 300) * m.variance;
    }
    slope = (LEVELS * sxy - sx * sy) / (LEVELS * sxx - sx * sx);
    expect_within("slope", o.gain, slope, 1 / o.gain, 0.002 / o.gain);
    expect_within("intercept", o.gain, (sy - slope * sx) / LEVELS, 144 / 6.25, 3);
}

ON_DEVICE;
