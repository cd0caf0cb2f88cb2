#include "optmap/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const optmap_map kinds[] = {
        {"activation", "Activation", "ms", m->activation, f->beat_count, true, true, false},
        {"repolarisation", "Repolarisation", "ms", m->repolarisation, f->beat_count, true, true, false},
        {"apd30", "APD30", "ms", apd_of(f, 30), f->beat_count, true, false, false},
        {"apd50", "APD50", "ms", apd_of(f, 50), f->beat_count, true, false, false},
        {"apd80", "APD80", "ms", apd_of(f, 80), f->beat_count, true, false, false},
        {"apd90", "APD90", "ms", apd_of(f, 90), f->beat_count, true, false, false},
        {"rise", "Rise time", "ms", m->rise, f->beat_count, true, false, false},
        {"amplitude", "Amplitude", "of F0", m->amplitude, f->beat_count, true, false, false},
        {"snr", "Signal to noise", "dB", m->snr, f->beat_count, true, false, false},
        {"cv", "Conduction velocity", "cm/s", f->velocity, f->beat_count, true, false, true},
        {"alternans", "APD80 alternans", "%", f->alternans, f->alternans != NULL, false, false, false},
        {"frequency", "Dominant frequency", "Hz", f->frequency, f->frequency != NULL, false, false, false},
        {"regularity", "Regularity", "of the power", f->regularity, f->regularity != NULL, false, false, false},
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
    double origin;

    copy_values(f, map, i, out);
    if (!map->from_first)
        return 0;
    origin = optmap_range_of(out, pixels).low; /* sorts them */
    copy_values(f, map, i, out);
    for (size_t p = 0; p < pixels; p++)
        out[p] = (float)((double)out[p] - origin);
    return origin;
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
    free(all);
    return true;
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
        out->low = (double)sorted[0];
        out->high = (double)sorted[out->count - 1];
    }
    free(sorted);
    return true;
}

/* ---- isolines ---- */

typedef struct {
    double x, y;
} point;

/* Marching squares: where the level cuts the sides of the square at (x, y), side after side; how many cuts. */
static size_t cut_sides(const double corner[4], double level, double x, double y, point cuts[4])
{
    static const int dx[] = {0, 1, 1, 0}, dy[] = {0, 0, 1, 1};
    size_t count = 0;

    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;
        double a = corner[i] - level, b = corner[next] - level, t;

        if ((a < 0) == (b < 0))
            continue;
        t = a / (a - b);
        cuts[count++] = (point){x + dx[i] + t * (dx[next] - dx[i]), y + dy[i] + t * (dy[next] - dy[i])};
    }
    return count;
}

void optmap_isoline(const float *map, size_t height, size_t width, double level,
                    void (*line)(void *user, double x0, double y0, double x1, double y1), void *user)
{
    for (size_t y = 0; y + 1 < height; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            const float *at = map + y * width + x;
            const double corner[4] = {(double)at[0], (double)at[1], (double)at[width + 1], (double)at[width]};
            point cuts[4];
            size_t n;

            if (!isfinite(corner[0] + corner[1] + corner[2] + corner[3]))
                continue;
            n = cut_sides(corner, level, (double)x, (double)y, cuts);
            for (size_t i = 0; i + 1 < n; i += 2)
                line(user, cuts[i].x, cuts[i].y, cuts[i + 1].x, cuts[i + 1].y);
        }
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
