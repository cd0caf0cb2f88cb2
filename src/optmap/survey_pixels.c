/* The survey's statistics of single pixels, and of pixels relative to their neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/survey_lanes.h"

/* ---- single pixels ---- */

/* The standard deviation of white noise with the root mean square second difference of lane i; steep upstrokes are rare
 * and add little. scratch: frames. */
static double noise_of(const survey_lanes *v, size_t frames, size_t i, double *scratch)
{
    size_t count = 0;

    for (size_t n = 1; n + 1 < frames; n++)
        scratch[count++] = fabs(v[n - 1][i] - 2 * v[n][i] + v[n + 1][i]);
    return count ? optmap_median(scratch, count) / 1.652 : 0;
}

/* The sums of F and of the light. */
static void sum_up(const survey *s, const survey_block *b, survey_lanes *v, survey_lanes sum, survey_lanes light)
{
    if (s->movie->under) {
        survey_lanes_load(s, survey_lights, b, v);
        survey_lanes_sum(v, s->frames, light);
    }
    survey_lanes_load(s, survey_values, b, v);
    survey_lanes_sum(v, s->frames, sum);
    if (!s->movie->under)
        memcpy(light, sum, sizeof(survey_lanes));
}

/* v: room for the traces of a block, and behind them for one more. */
static void measure(const survey *s, const survey_block *b, survey_lanes *v)
{
    survey_lanes sum, light, noise, spread, memory;
    double frames = (double)s->frames, *scratch = v[s->frames];
    size_t first = b->y * s->width + b->x;

    sum_up(s, b, v, sum, light);
    for (size_t i = 0; i < b->count; i++)
        noise[i] = isfinite(sum[i]) ? noise_of(v, s->frames, i, scratch) : 0;
    survey_lanes_take_cubic(s, v);
    survey_lanes_spread(v, s->frames, spread, memory);
    for (size_t i = 0; i < b->count; i++) {
        double scale = fabs(sum[i]) > 0 ? fabs(sum[i]) / frames : 1;

        s->light[first + i] = (float)(light[i] / frames);
        if (!isfinite(sum[i])) /* a pixel with numbers that are not finite: all its statistics are 0 */
            continue;
        s->mean[first + i] = (float)(sum[i] / frames);
        s->noise[first + i] = (float)(noise[i] / scale);
        s->memory[first + i] = (float)memory[i];
        /* smaller spreads are rounding */
        s->spread[first + i] = (double)(float)spread[i] > 1e-9 * scale ? (float)spread[i] / (float)scale : 0;
    }
}

/* ---- relative to the neighbours ---- */

/* Lists up to 8 neighbours of (x, y) that change and have light, as indices of pixels. */
static int neighbours_of(const survey *s, size_t x, size_t y, size_t *list)
{
    int count = 0;

    for (size_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < s->height; v++)
        for (size_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < s->width; u++)
            if ((u != x || v != y) && s->mean[v * s->width + u] != 0 && s->spread[v * s->width + u] > 0)
                list[count++] = v * s->width + u;
    return count;
}

/* F / mean of a pixel minus the median of these neighbours', as a trace of lane i. */
static void subtract_median(const survey *s, size_t pixel, const size_t *list, int count, survey_lanes *v, size_t i)
{
    for (size_t n = 0; n < s->frames; n++) {
        double values[8];

        for (int k = 0; k < count; k++)
            values[k] = survey_value(s, n, list[k]) / (double)s->mean[list[k]];
        optmap_sort_few(values, (size_t)count);
        v[n][i] =
            survey_value(s, n, pixel) / survey_divisor(s, pixel) - 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    }
}

static void compare(const survey *s, const survey_block *b, survey_lanes *v)
{
    size_t first = b->y * s->width + b->x;
    int counts[SURVEY_LANES];
    survey_lanes odd, memory;

    survey_lanes_oddness(s, b, v);
    for (size_t i = 0; i < b->count; i++) {
        size_t list[8];

        counts[i] = s->mean[first + i] != 0 ? neighbours_of(s, b->x + i, b->y, list) : 0;
        if (counts[i] >= 3 && counts[i] < 8)
            subtract_median(s, first + i, list, counts[i], v, i);
    }
    survey_lanes_take_cubic(s, v);
    survey_lanes_spread(v, s->frames, odd, memory);
    for (size_t i = 0; i < b->count; i++)
        if (counts[i] >= 3) {
            s->odd[first + i] = (float)odd[i];
            s->odd_memory[first + i] = (float)memory[i];
        }
}

/* ---- all rows ---- */

static void do_row(survey *s, size_t y, size_t x, size_t end,
                   void (*part)(const survey *, const survey_block *, survey_lanes *))
{
    survey_lanes *v = malloc(s->frames * (sizeof *v + sizeof(double)));

    if (!v) {
        s->failed = true;
        return;
    }
    for (; x < end; x += SURVEY_LANES) {
        survey_block b = {x, y, end - x < SURVEY_LANES ? end - x : SURVEY_LANES};

        part(s, &b, v);
    }
    free(v);
}

static void measure_row(survey *s, size_t y, size_t x, size_t end)
{
    do_row(s, y, x, end, measure);
}

static void compare_row(survey *s, size_t y, size_t x, size_t end)
{
    do_row(s, y, x, end, compare);
}

penta_status survey_measure(survey *s)
{
    penta_status status = PENTA_OK;

    TRY(survey_rows(s, measure_row));
    TRY(survey_check(s));
    TRY(survey_rows(s, compare_row));
    TRY(survey_check(s));
cleanup:
    return status;
}
