#include "optmap/maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/canvas.h"

/* ---- kinds ---- */

static const float *apd_of(const optmap_findings *f, int level)
{
    static const int levels[PENTA_APD_LEVELS] = {30, 50, 80, 90};

    for (size_t i = 0; f->maps && i < PENTA_APD_LEVELS; i++)
        if (levels[i] == level)
            return f->maps->apd[i];
    return NULL;
}

bool optmap_find_map(const optmap_findings *f, const char *name, optmap_map *out)
{
    static const penta_beat_maps none;
    const penta_beat_maps *m = f->maps ? f->maps : &none;
    const double frame = f->rate > 0 ? 1e3 / f->rate : 0;
    const optmap_map kinds[] = {
        {"activation", "Activation", "ms", m->activation, f->beat_count, true, true, false, frame},
        {"repolarisation", "Repolarisation", "ms", m->repolarisation, f->beat_count, true, true, false, frame},
        {"apd30", "APD30", "ms", apd_of(f, 30), f->beat_count, true, false, false, frame},
        {"apd50", "APD50", "ms", apd_of(f, 50), f->beat_count, true, false, false, frame},
        {"apd80", "APD80", "ms", apd_of(f, 80), f->beat_count, true, false, false, frame},
        {"apd90", "APD90", "ms", apd_of(f, 90), f->beat_count, true, false, false, frame},
        {"rise", "Rise time", "ms", m->rise, f->beat_count, true, false, false, frame},
        {"amplitude", "Amplitude", "of F0", m->amplitude, f->beat_count, true, false, false, 0.001},
        {"snr", "Signal to noise", "dB", m->snr, f->beat_count, true, false, false, 1},
        {"snr_filtered", "Signal to noise, filtered", "dB", f->snr_filtered, f->beat_count, true, false, false, 1},
        {"cv", "Conduction velocity", "cm/s", f->velocity, f->beat_count, true, false, true, 1},
        {"alternans", "APD80 alternans", "%", f->alternans, f->alternans != NULL, false, false, false, 1},
        {"frequency", "Dominant frequency", "Hz", f->frequency, f->frequency != NULL, false, false, false,
         optmap_frequency_resolution(f)},
        {"regularity", "Regularity", "of the power", f->regularity, f->regularity != NULL, false, false, false, 0.01},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *out = kinds[i];
            if (!out->data)
                out->count = 0;
            return true;
        }
    return false;
}

/* ---- numbers ---- */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Finite numbers to the front, in order; how many they are. */
static size_t sort_known(float *values, size_t n)
{
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            values[known++] = values[i];
    qsort(values, known, sizeof *values, by_value);
    return known;
}

optmap_range optmap_range_of(float *values, size_t n)
{
    size_t known = sort_known(values, n), cut = known / 100;

    if (known == 0)
        return (optmap_range){0, 0, 0};
    return (optmap_range){(double)values[cut], (double)values[known - 1 - cut], known};
}

/* As many as there are, without an origin. */
static void copy_values(const optmap_findings *f, const optmap_map *map, size_t i, float *out)
{
    size_t pixels = f->height * f->width;
    const float *from = map->data + i * pixels * (map->squared ? 2 : 1);

    for (size_t p = 0; p < pixels; p++) {
        out[p] = map->squared ? hypotf(from[p], from[pixels + p]) : from[p];
        if (!isfinite(out[p]))
            out[p] = NAN;
    }
}

double optmap_map_values(const optmap_findings *f, const optmap_map *map, size_t i, float *out)
{
    size_t pixels = f->height * f->width;
    double origin = INFINITY;

    copy_values(f, map, i, out);
    if (!map->from_first)
        return 0;
    for (size_t p = 0; p < pixels; p++)
        origin = fmin(origin, (double)out[p]); /* which leaves NaN out */
    origin = isfinite(origin) ? origin : 0;
    for (size_t p = 0; p < pixels; p++)
        out[p] = (float)((double)out[p] - origin);
    return origin;
}

/* On both sides; not below 0 where nothing was. */
static void widen(optmap_range *range, double span)
{
    double middle = 0.5 * (range->low + range->high);
    double missing = fmax(span, 1e-5 * fabs(middle)) - (range->high - range->low);
    bool positive = range->low >= 0;

    if (range->known == 0 || !(missing > 0))
        return;
    range->low -= missing / 2;
    range->high += missing / 2;
    if (positive && range->low < 0) {
        range->high -= range->low;
        range->low = 0;
    }
}

bool optmap_range_of_maps(const optmap_findings *f, const optmap_map *map, optmap_range *out)
{
    size_t pixels = f->height * f->width;
    float *all = malloc((map->count > 0 ? map->count : 1) * pixels * sizeof *all);

    if (!all)
        return false;
    for (size_t i = 0; i < map->count; i++)
        optmap_map_values(f, map, i, all + i * pixels);
    *out = optmap_range_of(all, map->count * pixels);
    widen(out, map->span);
    if (map->from_first && out->low < 0.2 * out->high)
        out->low = 0; /* unless what is first is far from the others */
    free(all);
    return true;
}

/* Between the two that are nearest in order. */
static double quantile(const float *sorted, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t below = (size_t)at, above = below + 1 < n ? below + 1 : below;

    return (double)sorted[below] + (at - (double)below) * ((double)sorted[above] - (double)sorted[below]);
}

bool optmap_summarise(const float *values, size_t n, optmap_summary *out)
{
    float *sorted = malloc((n > 0 ? n : 1) * sizeof *sorted);
    double sum = 0, squares = 0;

    if (!sorted)
        return false;
    memcpy(sorted, values, n * sizeof *sorted);
    *out = (optmap_summary){.count = sort_known(sorted, n)};
    if (out->count > 0) {
        size_t half = out->count / 2;

        for (size_t i = 0; i < out->count; i++)
            sum += (double)sorted[i];
        out->mean = sum / (double)out->count;
        for (size_t i = 0; i < out->count; i++)
            squares += ((double)sorted[i] - out->mean) * ((double)sorted[i] - out->mean);
        out->sd = out->count > 1 ? sqrt(squares / (double)(out->count - 1)) : 0;
        out->median = out->count % 2 ? (double)sorted[half] : 0.5 * ((double)sorted[half - 1] + (double)sorted[half]);
        out->q1 = quantile(sorted, out->count, 0.25);
        out->q3 = quantile(sorted, out->count, 0.75);
        out->low = (double)sorted[0];
        out->high = (double)sorted[out->count - 1];
    }
    free(sorted);
    return true;
}

/* ---- steps ---- */

double optmap_isochrone_step(const optmap_findings *f, const optmap_range *range)
{
    enum { MOST = 12, OF_A_FRAME = 4 };
    double least = f->rate > 0 ? canvas_nice_step(1e3 / f->rate, OF_A_FRAME) : 0;

    return range->high > range->low ? fmax(canvas_nice_step(range->high - range->low, MOST), least) : 0;
}

double optmap_frequency_resolution(const optmap_findings *f)
{
    return f->filtered_frames > 0 ? f->filtered_rate / (double)f->filtered_frames : 0;
}

bool optmap_scale_length(const optmap_findings *f, double most, double *pixels, char *text, size_t size)
{
    double length = 10 * most * f->pixel_size, step; /* mm */

    if (!(f->pixel_size > 0))
        return false;
    step = pow(10, floor(log10(length) + 1e-9));
    step *= length >= 5 * step ? 5 : length >= 2 * step ? 2 : 1;
    *pixels = step / (10 * f->pixel_size);
    if (step < 0.1)
        snprintf(text, size, "%g \xc2\xb5m", 1e3 * step);
    else if (step < 10)
        snprintf(text, size, "%g mm", step);
    else
        snprintf(text, size, "%g cm", step / 10);
    return true;
}

/* ---- directions ---- */

size_t optmap_block(const optmap_findings *f, size_t most)
{
    size_t longest = f->width > f->height ? f->width : f->height;

    return (longest + most - 1) / most;
}

typedef struct {
    double x, y;   /* middle of its known pixels */
    double vx, vy; /* mean velocity */
} block;

/* The block of `size` pixels at (left, top); false where less than half is known, or there is no direction. */
static bool look_at_block(const optmap_findings *f, const float *map, size_t left, size_t top, size_t size, block *b)
{
    size_t right = left + size < f->width ? left + size : f->width;
    size_t bottom = top + size < f->height ? top + size : f->height;
    size_t known = 0;
    double speeds = 0;

    *b = (block){0};
    for (size_t y = top; y < bottom; y++)
        for (size_t x = left; x < right; x++) {
            double vx = (double)map[y * f->width + x], vy = (double)map[(f->height + y) * f->width + x];

            if (!isfinite(vx + vy))
                continue;
            *b = (block){b->x + (double)x, b->y + (double)y, b->vx + vx, b->vy + vy};
            speeds += hypot(vx, vy);
            known++;
        }
    if (2 * known < size * size || !(hypot(b->vx, b->vy) > 0.5 * speeds))
        return false;
    *b = (block){b->x / (double)known, b->y / (double)known, b->vx / (double)known, b->vy / (double)known};
    return true;
}

void optmap_directions(const optmap_findings *f, size_t beat, size_t most,
                       void (*arrow)(void *user, double x, double y, double vx, double vy), void *user)
{
    const float *map = f->velocity + 2 * beat * f->height * f->width;
    size_t size = optmap_block(f, most);
    block b;

    for (size_t y = 0; y < f->height; y += size)
        for (size_t x = 0; x < f->width; x += size)
            if (look_at_block(f, map, x, y, size, &b))
                arrow(user, b.x, b.y, b.vx, b.vy);
}

/* ---- places ---- */

static bool has_trace(const optmap_findings *f, size_t pixel)
{
    return f->filtered_frames > 0 && isfinite(f->filtered[pixel]) && (!f->traces || isfinite(f->traces[pixel]));
}

/* The valid pixel of the block that is nearest to its middle; false where none is valid. */
static bool choose_in(const optmap_findings *f, const double from[2], const double to[2], size_t *pixel)
{
    double x = 0.5 * (from[0] + to[0]) - 0.5, y = 0.5 * (from[1] + to[1]) - 0.5, best = INFINITY;

    for (size_t j = (size_t)from[1]; j < (size_t)to[1]; j++)
        for (size_t i = (size_t)from[0]; i < (size_t)to[0]; i++) {
            double d = hypot((double)i - x, (double)j - y);

            if (d < best && has_trace(f, j * f->width + i)) {
                best = d;
                *pixel = j * f->width + i;
            }
        }
    return isfinite(best);
}

size_t optmap_choose_places(const optmap_findings *f, size_t most, size_t *pixels)
{
    size_t columns = f->width >= f->height ? 3 : 2, rows = 6 / columns, count = 0;
    double width = (double)f->width / (double)columns, height = (double)f->height / (double)rows;

    for (size_t i = 0; f->filtered && i < rows * columns && count < most; i++) {
        double x = floor((double)(i % columns) * width), y = floor((double)(i / columns) * height);
        const double from[2] = {x, y};
        const double to[2] = {floor((double)(i % columns + 1) * width), floor((double)(i / columns + 1) * height)};

        count += choose_in(f, from, to, &pixels[count]);
    }
    return count;
}
