/* The survey's statistics of single pixels, and of pixels relative to their neighbours. */
#include <math.h>
#include <stdlib.h>

#include "optmap/survey.h"

/* ---- single pixels ---- */

/* The standard deviation of white noise with the trace's root mean square second difference; steep upstrokes are rare
 * and add little. scratch: frames. */
static double noise_of(const double *trace, size_t frames, double *scratch)
{
    size_t count = 0;

    for (size_t n = 1; n + 1 < frames; n++)
        scratch[count++] = fabs(trace[n - 1] - 2 * trace[n] + trace[n + 1]);
    return count ? optmap_median(scratch, count) / 1.652 : 0;
}

/* Measures the pixels of row y. */
static void measure_row(survey *s, size_t y)
{
    size_t w = s->width, frames = s->frames;
    double *all = malloc((w * frames + 2 * frames) * sizeof *all), *trace, *scratch;

    if (!all) {
        s->failed = true;
        return;
    }
    trace = all + w * frames;
    scratch = trace + frames;
    for (size_t n = 0; n < frames; n++)
        survey_row(s, n, y, all + n * w);
    for (size_t x = 0; x < w; x++) {
        size_t i = y * w + x;
        double sum = 0, light = 0, scale;

        for (size_t n = 0; n < frames; n++) {
            trace[n] = all[n * w + x];
            sum += trace[n];
            light += survey_light(s, n, i);
        }
        s->light[i] = (float)(light / (double)frames);
        if (!isfinite(sum)) /* a pixel with numbers that are not finite: all its statistics are 0 */
            continue;
        s->mean[i] = (float)(sum / (double)frames);
        scale = fabs(sum) > 0 ? fabs(sum) / (double)frames : 1;
        s->noise[i] = (float)(noise_of(trace, frames, scratch) / scale);
        survey_take_cubic(s, trace);
        survey_spread(trace, frames, &s->spread[i], &s->memory[i]);
        s->spread[i] =
            (double)s->spread[i] > 1e-9 * scale ? s->spread[i] / (float)scale : 0; /* smaller spreads are rounding */
    }
    free(all);
}

/* ---- relative to the neighbours ---- */

static void sort_few(double *v, int n)
{
    for (int i = 1; i < n; i++) {
        double x = v[i];
        int k = i;

        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

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

/* Computes the trace of pixel (x, y) / mean minus the median of its neighbours'. rows: three rows / mean, frames x
 * width each. */
static void oddness(survey *s, double *const rows[3], size_t x, size_t y, double *trace)
{
    size_t list[8], i = y * s->width + x;
    int count = neighbours_of(s, x, y, list);

    s->odd[i] = s->odd_memory[i] = 0;
    if (count < 3 || s->mean[i] == 0)
        return;
    for (size_t n = 0; n < s->frames; n++) {
        double values[8];

        for (int k = 0; k < count; k++)
            values[k] = rows[list[k] / s->width + 1 - y][n * s->width + list[k] % s->width];
        sort_few(values, count);
        trace[n] = rows[1][n * s->width + x] - 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    }
    survey_take_cubic(s, trace);
    survey_spread(trace, s->frames, &s->odd[i], &s->odd_memory[i]);
}

static void odd_row(survey *s, size_t y)
{
    size_t w = s->width, n = w * s->frames;
    double *all = malloc((3 * n + s->frames) * sizeof *all);
    double *rows[3];

    if (!all) {
        s->failed = true;
        return;
    }
    for (size_t r = 0; r < 3; r++) {
        size_t row = y + r;

        rows[r] = all + r * n;
        if (row < 1 || row > s->height)
            continue;
        for (size_t f = 0; f < s->frames; f++) {
            survey_row(s, f, row - 1, rows[r] + f * w);
            for (size_t x = 0; x < w; x++)
                rows[r][f * w + x] /= s->mean[(row - 1) * w + x] != 0 ? (double)s->mean[(row - 1) * w + x] : 1;
        }
    }
    for (size_t x = 0; x < w; x++)
        oddness(s, rows, x, y, all + 3 * n);
    free(all);
}

penta_status survey_measure(survey *s)
{
    survey_rows(s, measure_row);
    if (!s->failed)
        survey_rows(s, odd_row);
    return survey_check(s);
}
