/* Averages along the wave, in tiles with halos: traces are consecutive on the device; the pass along rows precedes that
 * along columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "optmap/beats_matched.h"
#include "optmap/held.h"

enum { CPU_CHUNK = 64, GROUP = 64 };                                              /* as in cl/optmap/beats_align.clh */
static const size_t cpu_bytes = (size_t)144 << 20, gpu_bytes = (size_t)256 << 20; /* limits of a tile's buffers */

int beats_align_radius(double sigma)
{
    return (int)ceil(3 * sigma);
}

void beats_align_weights(double sigma, float *weights)
{
    for (int i = 0; i <= beats_align_radius(sigma); i++)
        weights[i] = sigma > 0 ? (float)exp(-0.5 * i * i / (sigma * sigma)) : 1;
}

/* A range of rows or columns: those with results, and those loaded. */
typedef struct {
    size_t most;           /* most results of a tile */
    size_t first, results; /* those with results */
    size_t from, count;    /* loaded */
} span;

typedef struct {
    penta_resources resources;
    const penta_movie_view *movie;
    const penta_beat *beats;
    size_t count;
    const float *times;
    float *out;
    int radius;
    span x, y;
    penta_kernel kernel;
    penta_buffer traces, along, across, maps, weights;
    float *staging, *part; /* traces, then results; times */
    float *lent[3]; /* on CPU devices: traces, along, across in host memory; staging is the first, then the last */
} job;

static penta_status send_weights(job *j, double sigma)
{
    penta_status status = PENTA_OK;
    float *weights = NULL;

    TRY(penta_calloc(j->resources.ctx, (size_t)j->radius + 1, sizeof *weights, &weights));
    beats_align_weights(sigma, weights);
    TRY(penta_buffer_upload(&j->resources, weights, ((size_t)j->radius + 1) * sizeof *weights, &j->weights));
cleanup:
    free(weights);
    return status;
}

static size_t loaded(size_t results, int radius, size_t all)
{
    size_t count = results + 2 * (size_t)radius;

    return count < all ? count : all;
}

/* Chooses tiles: whole rows if they fit, otherwise squares. */
static void choose_tiles(job *j, size_t limit)
{
    const penta_movie_view *m = j->movie;
    uint64_t bytes = limit                            ? limit
                     : penta_is_cpu(j->resources.ctx) ? cpu_bytes
                                                      : gpu_bytes,
             trace = m->frames * sizeof(float), pixels;
    size_t halo = 2 * (size_t)j->radius, side;

    bytes = bytes < j->resources.ctx->info.memory / 4 ? bytes : j->resources.ctx->info.memory / 4;
    pixels = bytes / 3 / trace;
    pixels =
        pixels < j->resources.ctx->info.max_allocation / trace ? pixels : j->resources.ctx->info.max_allocation / trace;
    j->x.most = m->width;
    j->y.most = m->height;
    if (pixels >= (uint64_t)m->width * m->height)
        return;
    if (pixels / m->width > halo) {
        j->y.most = (size_t)(pixels / m->width) - halo;
        return;
    }
    side = (size_t)sqrt((double)pixels);
    side = side > halo ? side - halo : 1;
    j->x.most = side < m->width ? side : m->width;
    j->y.most = side < m->height ? side : m->height;
}

static bool is_lent(const job *j)
{
    return penta_is_cpu(j->resources.ctx);
}

static penta_status make_traces(job *j, size_t bytes)
{
    penta_status status = PENTA_OK;
    penta_buffer *const buffers[] = {&j->traces, &j->along, &j->across};

    for (int i = 0; i < 3; i++)
        if (is_lent(j)) {
            TRY(penta_calloc(&j->resources, bytes, 1, &j->lent[i]));
            TRY(penta_own_struct(&j->resources, buffers[i], penta_buffer_release));
        } else {
            TRY(penta_buffer_create(&j->resources, bytes, buffers[i]));
        }
    if (!is_lent(j))
        TRY(penta_calloc(&j->resources, bytes, 1, &j->staging));
cleanup:
    return status;
}

static penta_status prepare(job *j, double sigma, size_t limit)
{
    penta_status status = PENTA_OK;
    size_t pixels, bytes;

    j->radius = beats_align_radius(sigma);
    choose_tiles(j, limit);
    pixels = loaded(j->x.most, j->radius, j->movie->width) * loaded(j->y.most, j->radius, j->movie->height);
    TRY(penta_size(j->resources.ctx, pixels, j->movie->frames, sizeof(float), &bytes));
    TRY(penta_kernel_get(&j->resources, "optmap/beats.cl", "optmap_beats_align", "", &j->kernel));
    TRY(make_traces(j, bytes));
    TRY(penta_buffer_create(&j->resources, pixels * sizeof(float), &j->maps));
    TRY(penta_calloc(&j->resources, pixels, sizeof *j->part, &j->part));
    TRY(send_weights(j, sigma));
cleanup:
    return status;
}

/* Gathers the traces of row i of the tile. */
static void gather_row(void *data, size_t i)
{
    const job *j = data;
    size_t width = j->movie->width, frames = j->movie->frames, pixels = width * j->movie->height;
    const float *from = j->movie->data + (j->y.from + i) * width + j->x.from;
    float *to = j->staging + i * j->x.count * frames;

    for (size_t n = 0; n < frames; n++)
        for (size_t x = 0; x < j->x.count; x++)
            to[x * frames + n] = from[n * pixels + x];
    if (is_lent(j))
        memcpy(j->lent[1] + i * j->x.count * frames, to, j->x.count * frames * sizeof *to);
}

/* Scatters row i of the results. */
static void scatter_row(void *data, size_t i)
{
    const job *j = data;
    size_t width = j->movie->width, frames = j->movie->frames, pixels = width * j->movie->height;
    size_t row = j->y.first - j->y.from + i;
    const float *from = j->staging + (row * j->x.count + j->x.first - j->x.from) * frames;
    float *to = j->out + (j->y.first + i) * width + j->x.first;

    for (size_t n = 0; n < frames; n++)
        for (size_t x = 0; x < j->x.results; x++)
            to[n * pixels + x] = from[x * frames + n];
}

static penta_status send_times(job *j, size_t beat)
{
    size_t width = j->movie->width;
    const float *times = j->times + beat * j->movie->height * width;

    for (size_t i = 0; i < j->y.count; i++)
        memcpy(j->part + i * j->x.count, times + (j->y.from + i) * width + j->x.from, j->x.count * sizeof *times);
    return penta_buffer_write(&j->maps, 0, j->part, j->y.count * j->x.count * sizeof *times);
}

static penta_status average_beat(job *j, size_t beat)
{
    penta_status status = PENTA_OK;
    int frames = (int)j->movie->frames, first = (int)j->beats[beat].first, end = (int)j->beats[beat].end;
    int columns = (int)j->x.count, rows = (int)j->y.count;
    bool cpu = penta_is_cpu(j->resources.ctx);
    size_t chunk = cpu ? CPU_CHUNK : 1, items = ((size_t)(end - first) + chunk - 1) / chunk, group = cpu ? 1 : GROUP;
    penta_grid along = penta_grid_groups(penta_grid_2d(items, j->y.count * j->x.count), group, 1, 1);
    penta_grid across = penta_grid_groups(penta_grid_2d(items, j->y.results * j->x.count), group, 1, 1);
    float rate = (float)(j->movie->frame_rate_hz / 1000);

    TRY(send_times(j, beat));
    TRY(penta_launch(&j->kernel, along,
                     ARGS(&j->traces, &j->maps, frames, j->movie->frames, first, end, 0, columns, 1, 1, &j->weights,
                          j->radius, rate, &j->along)));
    TRY(penta_launch(&j->kernel, across,
                     ARGS(&j->along, &j->maps, frames, j->movie->frames, first, end,
                          (int)(j->y.first - j->y.from) * columns, rows, columns, columns, &j->weights, j->radius, rate,
                          &j->across)));
cleanup:
    return status;
}

/* Whether each frame is in a beat, so that all of `across` is written. */
static bool is_covered(const job *j)
{
    size_t end = 0;

    for (size_t i = 0; i < j->count && j->beats[i].first <= end; i++)
        end = j->beats[i].end > end ? j->beats[i].end : end;
    return end >= j->movie->frames;
}

static penta_status send_traces(job *j, size_t bytes)
{
    penta_status status = PENTA_OK;
    penta_buffer *const buffers[] = {&j->traces, &j->along, &j->across};

    if (is_lent(j))
        j->staging = j->lent[0];
    penta_parallel(j->y.count, gather_row, j);
    for (int i = 0; i < 3 && is_lent(j); i++)
        TRY(optmap_lend(j->resources.ctx, j->lent[i], bytes, buffers[i]));
    for (int i = 0; i < 2 && !is_lent(j); i++)
        TRY(penta_buffer_write(buffers[i], 0, j->staging, bytes));
    if (!is_covered(j))
        TRY(penta_buffer_zero(&j->across, 0, bytes));
cleanup:
    return status;
}

static penta_status fetch_results(job *j, size_t bytes)
{
    penta_status status = PENTA_OK;

    if (is_lent(j)) {
        TRY(penta_buffer_give_back(&j->across));
        TRY(penta_buffer_give_back(&j->along));
        TRY(penta_buffer_give_back(&j->traces));
        j->staging = j->lent[2];
    } else {
        TRY(penta_buffer_read(&j->across, 0, j->staging, bytes));
    }
    penta_parallel(j->y.results, scatter_row, j);
cleanup:
    return status;
}

static penta_status average_tile(job *j)
{
    penta_status status = PENTA_OK;
    size_t bytes = j->y.count * j->x.count * j->movie->frames * sizeof(float);

    TRY(send_traces(j, bytes));
    for (size_t i = 0; i < j->count; i++)
        TRY(average_beat(j, i));
    TRY(fetch_results(j, bytes));
cleanup:
    return status;
}

/* Sets the span of results from `first` on, with their halo. */
static void set_span(span *s, size_t first, int radius, size_t all)
{
    size_t halo = (size_t)radius, last;

    s->first = first;
    s->results = all - first < s->most ? all - first : s->most;
    s->from = first > halo ? first - halo : 0;
    last = first + s->results + halo < all ? first + s->results + halo : all;
    s->count = last - s->from;
}

penta_status beats_align(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                         const float *times, double sigma, size_t limit, float *out)
{
    penta_status status = PENTA_OK;
    job j = {.resources = {.ctx = ctx}, .movie = movie, .beats = beats, .count = count, .times = times, .out = out};

    TRY(prepare(&j, sigma, limit));
    for (size_t y = 0; y < movie->height; y += j.y.most) {
        set_span(&j.y, y, j.radius, movie->height);
        for (size_t x = 0; x < movie->width; x += j.x.most) {
            set_span(&j.x, x, j.radius, movie->width);
            TRY(penta_report_progress(ctx, (double)(y * movie->width + x), (double)(movie->height * movie->width)));
            TRY(average_tile(&j));
        }
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may still be in progress */
    penta_resources_release(&j.resources);
    return status;
}
