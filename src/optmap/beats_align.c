/* Averages along the wave, by bands of rows: traces one after another on the device, first along rows, then along
 * columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "optmap/beats_matched.h"

enum { CPU_CHUNK = 64, GROUP = 64 };                /* as cl/optmap/beats_align.cl */
static const size_t most_bytes = (size_t)256 << 20; /* of a band's three buffers */

typedef struct {
    penta_context *ctx;
    const penta_movie_view *movie;
    const penta_beat *beats;
    size_t count;
    const float *times;
    float *out;
    int radius;
    size_t most;           /* rows of results of a band */
    size_t from, rows;     /* first row that is loaded; how many */
    size_t first, results; /* rows of results */
    penta_kernel kernel;
    penta_buffer traces, along, across, maps, weights;
    float *staging; /* of the traces */
} band;

static penta_status send_weights(band *b, double sigma)
{
    penta_status status = PENTA_OK;
    float *weights = NULL;

    TRY(penta_calloc(b->ctx, (size_t)b->radius + 1, sizeof *weights, &weights));
    for (int i = 0; i <= b->radius; i++)
        weights[i] = sigma > 0 ? (float)exp(-0.5 * i * i / (sigma * sigma)) : 1;
    TRY(penta_buffer_upload(b->ctx, weights, ((size_t)b->radius + 1) * sizeof *weights, &b->weights));
cleanup:
    free(weights);
    return status;
}

static size_t choose_rows(const band *b, size_t limit)
{
    uint64_t bytes = limit ? limit : most_bytes, row = 3 * (uint64_t)b->movie->frames * b->movie->width * sizeof(float);
    uint64_t rows, halo = 2 * (uint64_t)b->radius;

    bytes = bytes < b->ctx->info.max_allocation ? bytes : b->ctx->info.max_allocation;
    bytes = bytes < b->ctx->info.memory / 4 ? bytes : b->ctx->info.memory / 4;
    rows = bytes / row;
    rows = rows > halo ? rows - halo : 1;
    return rows < b->movie->height ? (size_t)rows : b->movie->height;
}

static penta_status prepare(band *b, double sigma, size_t limit)
{
    penta_status status = PENTA_OK;
    size_t rows, pixels, bytes;

    b->radius = (int)ceil(3 * sigma);
    b->most = choose_rows(b, limit);
    rows = b->most + 2 * (size_t)b->radius;
    rows = rows < b->movie->height ? rows : b->movie->height;
    pixels = rows * b->movie->width;
    TRY(penta_size(b->ctx, pixels, b->movie->frames, sizeof(float), &bytes));
    TRY(penta_kernel_get(b->ctx, "optmap/beats_align.cl", "optmap_beats_align", "", &b->kernel));
    TRY(penta_buffer_create(b->ctx, bytes, &b->traces));
    TRY(penta_buffer_create(b->ctx, bytes, &b->along));
    TRY(penta_buffer_create(b->ctx, bytes, &b->across));
    TRY(penta_buffer_create(b->ctx, pixels * sizeof(float), &b->maps));
    TRY(penta_calloc(b->ctx, bytes, 1, &b->staging));
    TRY(send_weights(b, sigma));
cleanup:
    return status;
}

static void release(band *b)
{
    penta_kernel_release(&b->kernel);
    penta_buffer_release(&b->traces);
    penta_buffer_release(&b->along);
    penta_buffer_release(&b->across);
    penta_buffer_release(&b->maps);
    penta_buffer_release(&b->weights);
    free(b->staging);
}

/* Row i of the band: its pixels' traces. */
static void gather_row(void *data, size_t i)
{
    const band *b = data;
    size_t width = b->movie->width, frames = b->movie->frames, pixels = width * b->movie->height;
    const float *from = b->movie->data + (b->from + i) * width;
    float *to = b->staging + i * width * frames;

    for (size_t n = 0; n < frames; n++)
        for (size_t x = 0; x < width; x++)
            to[x * frames + n] = from[n * pixels + x];
}

/* Row i of the results. */
static void scatter_row(void *data, size_t i)
{
    const band *b = data;
    size_t width = b->movie->width, frames = b->movie->frames, pixels = width * b->movie->height;
    const float *from = b->staging + (b->first - b->from + i) * width * frames;
    float *to = b->out + (b->first + i) * width;

    for (size_t n = 0; n < frames; n++)
        for (size_t x = 0; x < width; x++)
            to[n * pixels + x] = from[x * frames + n];
}

static penta_status average_beat(band *b, size_t beat)
{
    penta_status status = PENTA_OK;
    size_t width = b->movie->width, pixels = b->movie->height * width;
    int frames = (int)b->movie->frames, first = (int)b->beats[beat].first, end = (int)b->beats[beat].end;
    bool cpu = penta_is_cpu(b->ctx);
    size_t chunk = cpu ? CPU_CHUNK : 1, items = ((size_t)(end - first) + chunk - 1) / chunk;
    penta_grid grid = penta_grid_groups(penta_grid_2d(items, b->rows * width), cpu ? 1 : GROUP, 1, 1);
    float rate = (float)(b->movie->rate / 1000);

    TRY(penta_buffer_write(&b->maps, 0, b->times + beat * pixels + b->from * width, b->rows * width * sizeof(float)));
    TRY(penta_launch(&b->kernel, grid,
                     ARGS(&b->traces, &b->maps, frames, (size_t)frames, first, end, (int)width, 1, 1, &b->weights,
                          b->radius, rate, &b->along)));
    TRY(penta_launch(&b->kernel, grid,
                     ARGS(&b->along, &b->maps, frames, (size_t)frames, first, end, (int)b->rows, (int)width, (int)width,
                          &b->weights, b->radius, rate, &b->across)));
cleanup:
    return status;
}

static penta_status average_band(band *b)
{
    penta_status status = PENTA_OK;
    size_t width = b->movie->width, radius = (size_t)b->radius, last;

    b->results = b->movie->height - b->first < b->most ? b->movie->height - b->first : b->most;
    b->from = b->first > radius ? b->first - radius : 0;
    last = b->first + b->results + radius < b->movie->height ? b->first + b->results + radius : b->movie->height;
    b->rows = last - b->from;
    penta_parallel(b->rows, gather_row, b);
    TRY(penta_buffer_write(&b->traces, 0, b->staging, b->rows * width * b->movie->frames * sizeof(float)));
    TRY(penta_buffer_write(&b->along, 0, b->staging, b->rows * width * b->movie->frames * sizeof(float)));
    TRY(penta_buffer_zero(&b->across, 0, b->across.bytes));
    for (size_t i = 0; i < b->count; i++)
        TRY(average_beat(b, i));
    TRY(penta_buffer_read(&b->across, 0, b->staging, b->rows * width * b->movie->frames * sizeof(float)));
    penta_parallel(b->results, scatter_row, b);
cleanup:
    return status;
}

penta_status beats_align(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                         const float *times, double sigma, size_t limit, float *out)
{
    penta_status status = PENTA_OK;
    band b = {.ctx = ctx, .movie = movie, .beats = beats, .count = count, .times = times, .out = out};

    TRY(prepare(&b, sigma, limit));
    for (; b.first < movie->height; b.first += b.results) {
        TRY(penta_report_progress(ctx, (double)b.first, (double)movie->height));
        TRY(average_band(&b));
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may be under way still */
    release(&b);
    return status;
}
