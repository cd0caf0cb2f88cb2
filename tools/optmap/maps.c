#include "optmap/maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/figure.h"

/* ---- values and colours ---- */

static const double far_out = 3; /* quartile ranges from the quartiles: values further out are no part of the picture */

/* Moves the finite values to the front: how many there are. */
static size_t gather(float *values, size_t n)
{
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            values[known++] = values[i];
    return known;
}

/* Where values lie that are not far out; all of them where a half or more is one number. Sorts n finite values. */
static figure_range usual(float *values, size_t n)
{
    figure_range half = figure_range_within(values, n, 25);
    double span = far_out * (half.hi - half.lo);

    return span > 0 ? (figure_range){half.lo - span, half.hi + span} : (figure_range){-INFINITY, INFINITY};
}

double optmap_map_values(const penta_findings_map *map, size_t i, float *out)
{
    size_t pixels = map->height * map->width;
    float *sorted = map->instants ? malloc((pixels + 1) * sizeof *sorted) : NULL;
    double origin = INFINITY, least = -INFINITY;

    penta_findings_map_values(map, i, out);
    if (!map->instants)
        return 0;
    if (sorted) {
        memcpy(sorted, out, pixels * sizeof *sorted);
        least = usual(sorted, gather(sorted, pixels)).lo;
        free(sorted);
    }
    for (size_t p = 0; p < pixels; p++)
        if ((double)out[p] >= least)
            origin = fmin(origin, (double)out[p]);
    origin = isfinite(origin) ? origin : 0;
    for (size_t p = 0; p < pixels; p++)
        out[p] = (float)((double)out[p] - origin);
    return origin;
}

/* Widens on both sides, but not below 0 where no value was. */
static void widen(figure_range *range, double span)
{
    double middle = 0.5 * (range->lo + range->hi);
    double missing = fmax(span, 1e-5 * fabs(middle)) - (range->hi - range->lo);
    bool positive = range->lo >= 0;

    if (figure_range_is_none(*range) || !(missing > 0))
        return;
    range->lo -= missing / 2;
    range->hi += missing / 2;
    if (positive && range->lo < 0) {
        range->hi -= range->lo;
        range->lo = 0;
    }
}

bool optmap_colours(const penta_findings_map *map, figure_range *out)
{
    size_t pixels = map->height * map->width, known;
    float *all = malloc((map->count * pixels + 1) * sizeof *all);
    figure_range part;

    if (!all)
        return false;
    for (size_t i = 0; i < map->count; i++)
        optmap_map_values(map, i, all + i * pixels);
    known = gather(all, map->count * pixels);
    part = usual(all, known);
    *out = figure_range_within(all, known, 1);
    *out = (figure_range){fmax(out->lo, part.lo), fmin(out->hi, part.hi)};
    widen(out, map->resolution);
    if (map->instants && out->lo < 0.2 * out->hi)
        out->lo = 0; /* unless the first pixel is far from the others */
    free(all);
    return true;
}

double optmap_isochrone_step(const penta_findings_map *map, figure_range colours)
{
    enum { MOST = 12, OF_A_FRAME = 4 };
    double least = map->resolution > 0 ? figure_nice_step(map->resolution, OF_A_FRAME) : 0;

    return colours.hi > colours.lo ? fmax(figure_nice_step(colours.hi - colours.lo, MOST), least) : 0;
}

bool optmap_scale_length(const penta_findings *found, double most, double *pixels, char *text, size_t size)
{
    double length = 10 * most * found->pixel_size, step; /* mm */

    if (!(found->pixel_size > 0))
        return false;
    step = pow(10, floor(log10(length) + 1e-9));
    step *= length >= 5 * step ? 5 : length >= 2 * step ? 2 : 1;
    *pixels = step / (10 * found->pixel_size);
    if (step < 0.1)
        snprintf(text, size, "%g \xc2\xb5m", 1e3 * step);
    else if (step < 10)
        snprintf(text, size, "%g mm", step);
    else
        snprintf(text, size, "%g cm", step / 10);
    return true;
}

/* ---- directions ---- */

size_t optmap_block(const penta_findings_map *map, size_t most)
{
    size_t longest = map->width > map->height ? map->width : map->height;

    return (longest + most - 1) / most;
}

typedef struct {
    double x, y;   /* middle of its known pixels */
    double vx, vy; /* mean velocity */
} block;

/* The block of `size` pixels at (left, top); false where less than half is known, or there is no direction. */
static bool look_at_block(const penta_findings_map *map, const float *v, size_t left, size_t top, size_t size, block *b)
{
    size_t right = left + size < map->width ? left + size : map->width;
    size_t bottom = top + size < map->height ? top + size : map->height;
    size_t known = 0;
    double speeds = 0;

    *b = (block){0};
    for (size_t y = top; y < bottom; y++)
        for (size_t x = left; x < right; x++) {
            double vx = (double)v[y * map->width + x], vy = (double)v[(map->height + y) * map->width + x];

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

void optmap_directions(const penta_findings_map *map, size_t beat, size_t most,
                       void (*arrow)(void *user, double x, double y, double vx, double vy), void *user)
{
    const float *v = map->data + 2 * beat * map->height * map->width;
    size_t size = optmap_block(map, most);
    block b;

    for (size_t y = 0; y < map->height; y += size)
        for (size_t x = 0; x < map->width; x += size)
            if (look_at_block(map, v, x, y, size, &b))
                arrow(user, b.x, b.y, b.vx, b.vy);
}

/* ---- places ---- */

static bool has_trace(const penta_findings *found, size_t pixel)
{
    return found->filtered.frames > 0 && isfinite(found->filtered.data[pixel]) &&
           (!found->result.traces || isfinite(found->result.traces[pixel]));
}

/* The valid pixel of the block that is nearest to its middle; false where none is valid. */
static bool choose_in(const penta_findings *found, const double from[2], const double to[2], size_t *pixel)
{
    double x = 0.5 * (from[0] + to[0]) - 0.5, y = 0.5 * (from[1] + to[1]) - 0.5, best = INFINITY;

    for (size_t j = (size_t)from[1]; j < (size_t)to[1]; j++)
        for (size_t i = (size_t)from[0]; i < (size_t)to[0]; i++) {
            double d = hypot((double)i - x, (double)j - y);

            if (d < best && has_trace(found, j * found->width + i)) {
                best = d;
                *pixel = j * found->width + i;
            }
        }
    return isfinite(best);
}

size_t optmap_choose_places(const penta_findings *found, size_t most, size_t *pixels)
{
    size_t columns = found->width >= found->height ? 3 : 2, rows = 6 / columns, count = 0;
    double width = (double)found->width / (double)columns, height = (double)found->height / (double)rows;

    for (size_t i = 0; found->filtered.data && i < rows * columns && count < most; i++) {
        double x = floor((double)(i % columns) * width), y = floor((double)(i / columns) * height);
        const double from[2] = {x, y};
        const double to[2] = {floor((double)(i % columns + 1) * width), floor((double)(i / columns + 1) * height)};

        count += choose_in(found, from, to, &pixels[count]);
    }
    return count;
}
