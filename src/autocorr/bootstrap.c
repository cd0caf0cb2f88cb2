/* Bootstrap of R_max over tiles (Efron, Ann. Stat. 7 (1979) 1): neighbouring pixels are correlated, distant tiles are
 * not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/bootstrap.h"
#include "autocorr/peak.h"
#include "core/core.h"
#include "math/wide.h"

static const double prominence_left = 1.0 / 3;
static const double farthest = 1.5; /* a peak beyond this factor of r_max is another ring */

/* The finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014): a bijection that leaves no pattern of its argument.
 */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* How often each tile is drawn. The result depends on seed and resample alone, not on the order of evaluation. */
static void draw_tiles(size_t tiles, uint64_t seed, uint64_t resample, double *times)
{
    uint64_t stream = mix(seed + mix(resample + 1));

    memset(times, 0, tiles * sizeof *times);
    for (size_t i = 0; i < tiles; i++) {
        uint64_t bits = mix(stream + (i + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

        times[(bits * tiles) >> 32] += 1;
    }
}

PENTA_WIDE static void weighted_sum(size_t tiles, size_t bins, const double *times, const double *rows, double *out)
{
    memset(out, 0, bins * sizeof *out);
    for (size_t i = 0; i < tiles; i++)
        if (times[i] > 0)
            for (size_t b = 0; b < bins; b++)
                out[b] += times[i] * rows[i * bins + b];
}

/* Space for some resamples. */
typedef struct {
    double *times;           /* tiles */
    double *sum, *divisor;   /* bins */
    penta_autocorr_bin *c1d; /* PEAKS_AT_ONCE x bins; only c changes */
    peak_factors *factors;
} sample;

static void sample_free(sample *s)
{
    autocorr_factors_destroy(s->factors);
    free(s->c1d);
    free(s->times);
}

static penta_status sample_create(const penta_tile_sums *sums, sample *s)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(NULL, sums->tiles + 2 * sums->bins, sizeof *s->times, &s->times));
    TRY(penta_calloc(NULL, PEAKS_AT_ONCE * sums->bins, sizeof *s->c1d, &s->c1d));
    TRY(autocorr_factors_create(&s->factors));
    s->sum = s->times + sums->tiles;
    s->divisor = s->sum + sums->bins;
    for (size_t i = 0; i < PEAKS_AT_ONCE * sums->bins; i++)
        s->c1d[i] = (penta_autocorr_bin){.count = sums->count[i % sums->bins], .mean_r = sums->mean_r[i % sums->bins]};
cleanup:
    return status;
}

static void resample(const penta_tile_sums *sums, uint64_t seed, uint64_t number, const sample *s,
                     penta_autocorr_bin *c1d)
{
    const double *divisor = sums->weight ? s->divisor : sums->divisor;

    draw_tiles(sums->tiles, seed, number, s->times);
    weighted_sum(sums->tiles, sums->bins, s->times, sums->sum, s->sum);
    if (sums->weight)
        weighted_sum(sums->tiles, sums->bins, s->times, sums->weight, s->divisor);
    for (size_t b = 0; b < sums->bins; b++)
        c1d[b].c = s->sum[b] / divisor[b];
}

/* The mean of the peaks' distances from r_max, and the sum of squares about it. */
typedef struct {
    double mean, square;
    size_t count;
} scatter;

static void add_peak(scatter *s, double r, double r_max)
{
    double step;

    if (!(r <= farthest * r_max && r >= r_max / farthest))
        return;
    step = r - r_max - s->mean;
    s->mean += step / (double)++s->count;
    s->square += step * (r - r_max - s->mean);
}

penta_status penta_bootstrap_r_max(const penta_tile_sums *sums, size_t resamples, uint64_t seed, double prominence,
                                   double r_max, double *standard_error)
{
    penta_status status = PENTA_OK;
    sample s = {NULL, NULL, NULL, NULL, NULL};
    scatter found = {0, 0, 0};
    double r[PEAKS_AT_ONCE];

    *standard_error = NAN;
    if (sums->tiles < 2 || sums->tiles > UINT32_MAX || resamples < 2)
        return PENTA_OK;
    TRY(sample_create(sums, &s));
    for (size_t from = 0, n; from < resamples; from += n) {
        n = resamples - from < PEAKS_AT_ONCE ? resamples - from : PEAKS_AT_ONCE;
        for (size_t i = 0; i < n; i++)
            resample(sums, seed, from + i, &s, s.c1d + i * sums->bins);
        autocorr_peak_positions(n, s.c1d, sums->bins, prominence_left * prominence, (size_t)ceil(r_max / farthest),
                                s.factors, r);
        for (size_t i = 0; i < n; i++)
            add_peak(&found, r[i], r_max);
    }
    if (found.count >= 2 && 2 * found.count >= resamples)
        *standard_error = sqrt(found.square / (double)(found.count - 1));
cleanup:
    sample_free(&s);
    return status;
}
