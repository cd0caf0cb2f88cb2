/* Maps by name, and their statistics. */
#include <pentacl/findings.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/ranks.h"

/* ---- kinds ---- */

static const float *apd_of(const penta_findings *found, int level)
{
    for (size_t i = 0; i < PENTA_APD_LEVELS; i++)
        if (penta_apd_levels[i] == level)
            return found->maps.apd[i];
    return NULL;
}

bool penta_findings_map_at(const penta_findings *found, size_t kind, penta_findings_map *out)
{
    const penta_beat_maps *m = &found->maps;
    const size_t w = found->width, h = found->height, n = found->beat_count;
    const double frame = found->frame_rate_hz > 0 ? 1e3 / found->frame_rate_hz : 0;
    const double hertz =
        found->filtered.frames > 0 ? found->filtered.frame_rate_hz / (double)found->filtered.frames : 0;
    const penta_findings_map kinds[] = {
        {"activation", "Activation", "ms", w, h, n, m->activation, true, true, false, frame},
        {"repolarisation", "Repolarisation", "ms", w, h, n, m->repolarisation, true, true, false, frame},
        {"apd30", "APD30", "ms", w, h, n, apd_of(found, 30), true, false, false, frame},
        {"apd50", "APD50", "ms", w, h, n, apd_of(found, 50), true, false, false, frame},
        {"apd80", "APD80", "ms", w, h, n, apd_of(found, 80), true, false, false, frame},
        {"apd90", "APD90", "ms", w, h, n, apd_of(found, 90), true, false, false, frame},
        {"rise", "Rise time", "ms", w, h, n, m->rise, true, false, false, frame},
        {"amplitude", "Amplitude", "of F0", w, h, n, m->amplitude, true, false, false, 0.001},
        {"snr", "Signal to noise", "dB", w, h, n, m->snr, true, false, false, 1},
        {"snr_filtered", "Signal to noise, filtered", "dB", w, h, n, found->snr_filtered, true, false, false, 1},
        {"cv", "Conduction velocity", "cm/s", w, h, n, found->velocity, true, false, true, 1},
        {"alternans", "APD80 alternans", "%", w, h, 1, found->alternans, false, false, false, 1},
        {"frequency", "Dominant frequency", "Hz", w, h, 1, found->frequency, false, false, false, hertz},
        {"regularity", "Regularity", "of the power", w, h, 1, found->regularity, false, false, false, 0.01},
    };

    if (kind >= sizeof kinds / sizeof *kinds)
        return false;
    *out = kinds[kind];
    if (!out->data)
        out->count = 0;
    return true;
}

bool penta_findings_map_named(const penta_findings *found, const char *name, penta_findings_map *out)
{
    for (size_t i = 0; penta_findings_map_at(found, i, out); i++)
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}

void penta_findings_map_values(const penta_findings_map *map, size_t i, float *out)
{
    size_t pixels = map->height * map->width;
    const float *from = map->data + i * pixels * (map->velocities ? 2 : 1);

    for (size_t p = 0; p < pixels; p++) {
        out[p] = map->velocities ? hypotf(from[p], from[pixels + p]) : from[p];
        if (!isfinite(out[p]))
            out[p] = NAN;
    }
}

/* ---- statistics ---- */

/* Quantile, interpolated linearly between the two nearest values. */
static double quantile(const float *sorted, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;

    return (double)sorted[below] + (at - (double)below) * ((double)sorted[above] - (double)sorted[below]);
}

/* Statistics of n sorted numbers, at least one. */
static void describe(const float *sorted, size_t n, penta_findings_statistics *out)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)sorted[i];
    out->count = n;
    out->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((double)sorted[i] - out->mean) * ((double)sorted[i] - out->mean);
    out->sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    out->median = n % 2 ? (double)sorted[n / 2] : 0.5 * ((double)sorted[n / 2 - 1] + (double)sorted[n / 2]);
    out->q1 = quantile(sorted, n, 0.25);
    out->q3 = quantile(sorted, n, 0.75);
    out->least = (double)sorted[0];
    out->largest = (double)sorted[n - 1];
}

/* Gathers the finite numbers of the maps in `all`; counts pixels and beats. seen: a byte per pixel, 0 at first. */
static size_t gather(const penta_findings_map *map, size_t first, size_t count, float *all, char *seen,
                     penta_findings_statistics *out)
{
    size_t pixels = map->height * map->width, n = 0;

    for (size_t i = 0; i < count; i++) {
        float *values = all + n;
        size_t known = 0;

        penta_findings_map_values(map, first + i, values); /* `values` has room for whole maps */
        for (size_t p = 0; p < pixels; p++)
            if (isfinite(values[p])) {
                out->pixels += !seen[p];
                seen[p] = 1;
                values[known++] = values[p];
            }
        n += known;
        out->beats += known > 0;
    }
    return n;
}

penta_status penta_findings_summarise(const penta_findings *found, const penta_findings_map *map, size_t first,
                                      size_t count, penta_findings_statistics *out)
{
    size_t pixels = map->height * map->width, n;
    float *all;
    char *seen;

    *out = (penta_findings_statistics){
        .mean = NAN, .sd = NAN, .median = NAN, .q1 = NAN, .q3 = NAN, .least = NAN, .largest = NAN};
    if (first > map->count || count > map->count - first)
        return PENTA_INVALID;
    all = malloc((count * pixels + 1) * sizeof *all);
    seen = calloc(pixels + 1, 1);
    if (!all || !seen) {
        free(all);
        free(seen);
        return PENTA_MEMORY;
    }
    n = gather(map, first, count, all, seen, out);
    optmap_sort(all, n);
    if (n > 0)
        describe(all, n, out);
    out->needed = strcmp(map->name, "alternans") == 0 ? penta_alternans_least(found->result.valid_pixels) : 0;
    out->refused = out->pixels > 0 && out->pixels < out->needed;
    free(all);
    free(seen);
    return PENTA_OK;
}
