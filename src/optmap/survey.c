/* The survey of a movie: its parts in their order, and the numbers of single pixels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/survey.h"

/* ---- small things ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double survey_rank(double *values, size_t n, size_t rank)
{
    qsort(values, n, sizeof *values, compare);
    return values[rank];
}

double survey_median(double *values, size_t n)
{
    return n ? survey_rank(values, n, n / 2) : NAN;
}

static double number_at(penta_type type, const void *data, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)data)[i];
    case PENTA_U16:
        return ((const uint16_t *)data)[i];
    case PENTA_I16:
        return ((const int16_t *)data)[i];
    case PENTA_U32:
        return ((const uint32_t *)data)[i];
    case PENTA_I32:
        return ((const int32_t *)data)[i];
    case PENTA_F32:
        return (double)((const float *)data)[i];
    case PENTA_F64:
        return ((const double *)data)[i];
    default:
        return NAN;
    }
}

static double light_at(const survey *s, size_t n, size_t i)
{
    return number_at(s->movie->type, s->movie->frames[n], i);
}

double survey_value(const survey *s, size_t n, size_t i)
{
    return light_at(s, n, i) / (s->movie->under ? number_at(s->movie->type, s->movie->under[n], i) : 1);
}

void survey_row(const survey *s, size_t n, size_t y, double *out)
{
    for (size_t x = 0; x < s->width; x++)
        out[x] = survey_value(s, n, y * s->width + x);
}

penta_status survey_check(survey *s)
{
    return s->failed ? penta_fail(s->ctx, PENTA_MEMORY, "out of memory for traces of %zu frames", s->frames) : PENTA_OK;
}

typedef struct {
    survey *s;
    survey_body *body;
} rows_job;

static void do_row(void *data, size_t y)
{
    rows_job *j = data;

    j->body(j->s, y);
}

void survey_rows(survey *s, survey_body *body)
{
    rows_job j = {s, body};

    penta_parallel(s->height, do_row, &j);
}

/* ---- single pixels ---- */

/* Takes the polynomials off a trace. */
void survey_take_cubic(const survey *s, double *trace)
{
    for (int k = 0; k < SURVEY_TERMS; k++) {
        const double *p = s->basis + (size_t)k * s->frames;
        double dot = 0;

        for (size_t n = 0; n < s->frames; n++)
            dot += p[n] * trace[n];
        for (size_t n = 0; n < s->frames; n++)
            trace[n] -= dot * p[n];
    }
}

/* Spread of a trace whose mean is 0, and its correlation with itself a little later. */
void survey_spread(const double *trace, size_t frames, float *spread, float *memory)
{
    double square = 0, product = 0;

    for (size_t n = 0; n < frames; n++)
        square += trace[n] * trace[n];
    for (size_t n = 0; n + SURVEY_LAG < frames; n++)
        product += trace[n] * trace[n + SURVEY_LAG];
    *spread = (float)sqrt(square / (double)frames);
    *memory = square > 0 ? (float)(product / square) : 0;
}

/* The root mean square second difference over that of white noise; steep upstrokes are rare and small in it. scratch:
 * frames. */
static double noise_of(const double *trace, size_t frames, double *scratch)
{
    size_t count = 0;

    for (size_t n = 1; n + 1 < frames; n++)
        scratch[count++] = fabs(trace[n - 1] - 2 * trace[n] + trace[n + 1]);
    return count ? survey_median(scratch, count) / 1.652 : 0;
}

/* The pixels of row y. */
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
            light += light_at(s, n, i);
        }
        s->light[i] = (float)(light / (double)frames);
        if (!isfinite(sum)) /* a bad pixel, which penta_optmap_run refuses or a quotient has: all its numbers are 0 */
            continue;
        s->mean[i] = (float)(sum / (double)frames);
        scale = fabs(sum) > 0 ? fabs(sum) / (double)frames : 1;
        s->noise[i] = (float)(noise_of(trace, frames, scratch) / scale);
        survey_take_cubic(s, trace);
        survey_spread(trace, frames, &s->spread[i], &s->memory[i]);
        s->spread[i] = (double)s->spread[i] > 1e-9 * scale ? s->spread[i] / (float)scale : 0; /* no rounding's */
    }
    free(all);
}

/* ---- beside the neighbours ---- */

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

/* Up to 8 neighbours of (x, y) that change and have light, as indices of pixels. */
static int neighbours_of(const survey *s, size_t x, size_t y, size_t *list)
{
    int count = 0;

    for (size_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < s->height; v++)
        for (size_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < s->width; u++)
            if ((u != x || v != y) && s->mean[v * s->width + u] != 0 && s->spread[v * s->width + u] > 0)
                list[count++] = v * s->width + u;
    return count;
}

/* The trace of pixel (x, y) over its mean, less the median of its neighbours'. rows: three of them, frames x width
 * each, over means. */
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

/* ---- all of it ---- */

/* Polynomials of degree 0 .. 3, by Gram and Schmidt, twice. */
static void fill_basis(const survey *s)
{
    for (int k = 0; k < SURVEY_TERMS; k++) {
        double *p = s->basis + (size_t)k * s->frames, length = 0;

        for (size_t n = 0; n < s->frames; n++)
            p[n] = k == 0 ? 1 : (2 * (double)n / (double)(s->frames - 1) - 1) * p[n - s->frames];
        for (int j = 0; j < 2 * k; j++) {
            const double *q = s->basis + (size_t)(j % k) * s->frames;
            double dot = 0;

            for (size_t n = 0; n < s->frames; n++)
                dot += p[n] * q[n];
            for (size_t n = 0; n < s->frames; n++)
                p[n] -= dot * q[n];
        }
        for (size_t n = 0; n < s->frames; n++)
            length += p[n] * p[n];
        for (size_t n = 0; n < s->frames; n++)
            p[n] = length > 1e-20 ? p[n] / sqrt(length) : 0;
    }
}

static penta_status make_arrays(survey *s)
{
    float **const maps[] = {&s->light, &s->mean, &s->spread, &s->memory, &s->noise, &s->odd, &s->odd_memory};
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        TRY(penta_calloc(s->ctx, s->pixels, sizeof **maps[i], maps[i]));
    TRY(penta_calloc(s->ctx, SURVEY_TERMS * s->frames, sizeof *s->basis, &s->basis));
    TRY(penta_calloc(s->ctx, s->pixels, sizeof *s->out->kind, &s->out->kind));
cleanup:
    return status;
}

static void release(survey *s)
{
    float *const maps[] = {s->light, s->mean, s->spread, s->memory, s->noise, s->odd, s->odd_memory};

    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        free(maps[i]);
    free(s->basis);
}

penta_status penta_survey_run(penta_context *ctx, size_t width, size_t height, size_t frames, const penta_movie *movie,
                              int polarity, penta_survey *out)
{
    penta_status status = PENTA_OK;
    survey s = {.ctx = ctx,
                .width = width,
                .height = height,
                .frames = frames,
                .pixels = width * height,
                .movie = movie,
                .polarity = polarity,
                .out = out};

    *out = (penta_survey){.width = width, .height = height, .frames = frames, .drift = -1};
    if (width == 0 || height == 0 || frames < 2 || !movie->frames || movie->type == PENTA_I64) {
        status = penta_fail(ctx, PENTA_INVALID, "a movie of %zu frames of %zu x %zu pixels cannot be surveyed", frames,
                            width, height);
        goto cleanup;
    }
    TRY(make_arrays(&s));
    fill_basis(&s);
    TRY(survey_measure(&s));
    TRY(survey_classify(&s));
    TRY(survey_drift(&s));
    TRY(survey_motion(&s));
cleanup:
    release(&s);
    if (status != PENTA_OK)
        penta_survey_free(out);
    return status;
}

void penta_survey_free(penta_survey *out)
{
    free(out->kind);
    *out = (penta_survey){0};
}
