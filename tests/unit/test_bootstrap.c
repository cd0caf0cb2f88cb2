/* The tile bootstrap of R_max against tiles whose length scales scatter by a known amount. */
#define _DEFAULT_SOURCE /* j0 */

#include "support/test.h"

#include "autocorr/bootstrap.h"
#include "autocorr/peak.h"
#include "support/j0.h"
#include "support/random.h"

enum { TILES = 16, BINS = 64, RESAMPLES = 200 };
static const double r_max = 30, prominence = 0.05;

/* Tiles with C1D = J0(k0 r), each with its own k0. */
typedef struct {
    double sum[TILES * BINS], weight[TILES * BINS], divisor[BINS], mean_r[BINS];
    int64_t count[BINS];
    double error; /* of the mean of the tiles' lengths, px */
} tiles;

static void fill(tiles *t, double jitter)
{
    double mean = 0, square = 0;

    for (size_t b = 0; b < BINS; b++) {
        t->mean_r[b] = (double)b;
        t->count[b] = b ? 6 * (int64_t)b : 1;
        t->divisor[b] = (double)t->count[b] * 1e4 * TILES;
    }
    for (size_t i = 0; i < TILES; i++) {
        double length = r_max * (1 + jitter * random_normal());

        mean += length / TILES;
        square += length * length / TILES;
        for (size_t b = 0; b < BINS; b++) {
            t->weight[i * BINS + b] = (double)t->count[b] * 1e4;
            t->sum[i * BINS + b] = t->weight[i * BINS + b] * j0(J0_PEAK_AT / length * (double)b);
        }
    }
    t->error = sqrt(fmax(0, square - mean * mean) / TILES);
}

static penta_tile_sums sums_of(const tiles *t, bool weighted)
{
    return (penta_tile_sums){TILES,     BINS,    t->sum, weighted ? t->weight : NULL, weighted ? NULL : t->divisor,
                             t->mean_r, t->count};
}

static double error_of(const penta_tile_sums *sums, uint64_t seed)
{
    double error = -1;

    assert_int_equal(penta_bootstrap_r_max(sums, RESAMPLES, seed, prominence, r_max, &error), PENTA_OK);
    return error;
}

TEST(known_scatter)
{
    double ratio = 0;
    tiles t;

    random_seed(1);
    for (uint64_t run = 0; run < 40; run++) {
        penta_tile_sums sums;
        double one;

        fill(&t, run % 2 ? 0.01 : 0.04);
        sums = sums_of(&t, run % 4 < 2);
        one = error_of(&sums, run) / t.error;
        if (!(fabs(one - 1) < 0.25))
            fail_msg("standard error %g times the right one", one);
        ratio += one / 40;
    }
    if (!(fabs(ratio - 1) < 0.03))
        fail_msg("standard errors %g times the right ones on average", ratio);
}

/* Where all tiles weigh the same both estimators are the same. */
TEST(estimators_agree)
{
    penta_tile_sums weighted, fixed;
    tiles t;

    random_seed(2);
    fill(&t, 0.03);
    weighted = sums_of(&t, true);
    fixed = sums_of(&t, false);
    assert_true(fabs(error_of(&weighted, 5) / error_of(&fixed, 5) - 1) < 1e-9);
}

/* A tile without weight adds nothing but a smaller sample. */
TEST(weights)
{
    penta_tile_sums sums;
    double error;
    tiles t;

    random_seed(3);
    fill(&t, 0.03);
    for (size_t i = 0; i < BINS; i++) {
        t.weight[i] = 0;
        t.sum[i] = 0;
    }
    sums = sums_of(&t, true);
    error = error_of(&sums, 1);
    assert_true(isfinite(error));
    assert_true(fabs(error / t.error - 1) < 0.5);
}

TEST(seed)
{
    penta_tile_sums sums;
    double first, again, other;
    tiles t;

    random_seed(4);
    fill(&t, 0.03);
    sums = sums_of(&t, true);
    first = error_of(&sums, 7);
    again = error_of(&sums, 7);
    other = error_of(&sums, 8);
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(first != other);
}

TEST(identical_tiles)
{
    penta_tile_sums sums;
    tiles t;

    random_seed(5);
    fill(&t, 0);
    sums = sums_of(&t, true);
    assert_true(error_of(&sums, 1) < 1e-9);
}

TEST(nothing_to_be_had)
{
    penta_tile_sums sums;
    double error = 0;
    tiles t;

    random_seed(6);
    fill(&t, 0.03);
    sums = sums_of(&t, true);
    assert_int_equal(penta_bootstrap_r_max(&sums, 1, 1, prominence, r_max, &error), PENTA_OK);
    assert_true(isnan(error));
    assert_int_equal(penta_bootstrap_r_max(&sums, RESAMPLES, 1, prominence, NAN, &error), PENTA_OK);
    assert_true(isnan(error));
    assert_int_equal(penta_bootstrap_r_max(&sums, RESAMPLES, 1, prominence, 2 * r_max, &error), PENTA_OK);
    assert_true(isnan(error)); /* every peak is farther off than a factor 1.5 */
    sums.tiles = 1;
    assert_true(isnan(error_of(&sums, 1)));
    sums.tiles = TILES;
    sums.bins = 4;
    assert_true(isnan(error_of(&sums, 1)));
    sums.bins = BINS;
    memset(t.sum, 0, sizeof t.sum);
    assert_true(isnan(error_of(&sums, 1)));
}

/* A peak just over the prominence is below it in some resamples, which are not lost. */
TEST(faint_peak)
{
    penta_tile_sums sums;
    double error;
    tiles t;

    random_seed(7);
    fill(&t, 0);
    for (size_t i = 0; i < TILES; i++) {
        double top = 0.04 * (1 + 0.3 * random_normal()), at = r_max * (1 + 0.02 * random_normal());

        for (size_t b = 0; b < BINS; b++) {
            double r = (double)b;

            t.sum[i * BINS + b] = t.weight[i * BINS + b] * (exp(-r * r / 50) + top * exp(-(r - at) * (r - at) / 40));
        }
    }
    sums = sums_of(&t, true);
    error = error_of(&sums, 1);
    assert_true(error > 0.05 && error < 0.4); /* 0.6 px a tile, over sqrt 16 */
}

/* One tile in sixteen has a ring, and it takes two of it to show: most resamples have no peak. */
TEST(peak_of_few)
{
    penta_tile_sums sums;
    tiles t;

    random_seed(8);
    fill(&t, 0);
    for (size_t i = 0; i < TILES; i++)
        for (size_t b = 0; b < BINS; b++) {
            double r = (double)b, ring = i ? 0 : 0.2 * exp(-(r - r_max) * (r - r_max) / 40);

            t.sum[i * BINS + b] = t.weight[i * BINS + b] * (exp(-r * r / 50) + ring);
        }
    sums = sums_of(&t, true);
    assert_true(isnan(error_of(&sums, 1)));
}

/* Rings of many sizes in noise. */
static void fill_curve(penta_autocorr_bin *bins)
{
    double length = 5 + 80 * random_uniform(), noise = 0.1 * random_uniform();

    for (size_t b = 0; b < BINS; b++)
        bins[b] = (penta_autocorr_bin){.count = b ? 6 * (int64_t)b : 1,
                                       .mean_r = (double)b + 0.1 / (double)(b + 1),
                                       .c = j0(J0_PEAK_AT / length * (double)b) + noise * random_normal()};
}

/* Curves side by side, by factors that are known from others, have the bits of each alone. */
TEST(peaks_at_once)
{
    penta_autocorr_bin curves[PEAKS_AT_ONCE * BINS];
    double positions[PEAKS_AT_ONCE];
    peak_factors *known;
    size_t with = 0, without = 0;

    random_seed(9);
    assert_int_equal(autocorr_factors_create(&known), PENTA_OK);
    for (size_t round = 0; round < 300; round++) {
        size_t n = 1 + round % PEAKS_AT_ONCE;

        for (size_t i = 0; i < n; i++)
            fill_curve(curves + i * BINS);
        autocorr_peak_positions(n, curves, BINS, prominence, 0, round % 3 ? known : NULL, positions);
        for (size_t i = 0; i < n; i++) {
            penta_peak alone = penta_peak_find(curves + i * BINS, BINS, prominence);

            assert_true(isnan(positions[i]) ? alone.status != PENTA_PEAK_OK : positions[i] == alone.r_max);
            *(isnan(positions[i]) ? &without : &with) += 1;
        }
    }
    if (with < 300 || without < 50)
        fail_msg("%zu curves with a peak and %zu without", with, without);
    autocorr_factors_destroy(known);
}
