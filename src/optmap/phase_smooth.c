/* Gaussian smoothing in space and time, normalised where pixels are missing: along x, then y, then frames. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "optmap/held.h"
#include "optmap/phase_smooth.h"
#include "optmap/ranks.h"

enum { LEAD = 16 }; /* columns before the first pixel, a multiple of the run of a work-item on CPU devices */

static const size_t piece_bytes = (size_t)32 << 20; /* bytes of frames on the device */

void optmap_smooth_release(optmap_smooth *s)
{
    penta_resources_release(&s->resources);
}

/* ---- weights ---- */

static int radius_of(double sigma, size_t most)
{
    return (int)fmin(ceil(3 * sigma), (double)most);
}

static void fill_gaussian(double *weights, int radius, double sigma)
{
    double sum = 0;

    for (int k = -radius; k <= radius; k++)
        sum += weights[k + radius] = radius ? exp(-0.5 * k * k / (sigma * sigma)) : 1;
    for (int k = 0; k <= 2 * radius; k++)
        weights[k] /= sum;
}

/* Lower quartile of the noises above 0; 0 if there are none. */
static double lower_quartile(const float *noise, size_t pixels, float *scratch)
{
    size_t count = 0;

    for (size_t i = 0; i < pixels; i++)
        if (noise[i] > 0)
            scratch[count++] = noise[i];
    if (count == 0)
        return 0;
    optmap_sort(scratch, count);
    return (double)scratch[count / 4];
}

static void weigh_pixels(optmap_smooth *s)
{
    size_t pixels = s->movie->height * s->movie->width;
    double usual = lower_quartile(s->noise, pixels, s->weight);

    for (size_t i = 0; i < pixels; i++) {
        double noise = (double)s->noise[i];

        s->weight[i] = isnan(noise) ? 0 : usual > 0 ? (float)(usual * usual / (noise * noise + usual * usual)) : 1;
    }
}

/* Blurs a map in place along rows, then columns, with the spatial weights or their squares; zero beyond the map. */
static void blur_map(const optmap_smooth *s, double *map, double *scratch, bool squared)
{
    long height = (long)s->movie->height, width = (long)s->movie->width, r = s->radius;

    for (int pass = 0; pass < 2; pass++) {
        const double *in = pass ? scratch : map;
        double *out = pass ? map : scratch;

        for (long y = 0; y < height; y++)
            for (long x = 0; x < width; x++) {
                long at = pass ? y : x, end = pass ? height : width, step = pass ? width : 1;
                double sum = 0;

                for (long k = at < r ? -at : -r; k <= r && at + k < end; k++) {
                    double weight = s->space[k + r];

                    sum += (squared ? weight * weight : weight) * in[y * width + x + k * step];
                }
                out[y * width + x] = sum;
            }
    }
}

/* Computes the sum of weights around each pixel, and the noise after smoothing. */
static void find_scales(optmap_smooth *s)
{
    size_t pixels = s->movie->height * s->movie->width;
    double *sums = s->maps, *variances = sums + pixels, *scratch = variances + pixels, in_time = 0;

    for (int k = 0; k <= 2 * s->reach; k++)
        in_time += s->time[k] * s->time[k];
    for (size_t i = 0; i < pixels; i++) {
        double weight = (double)s->weight[i], noise = weight > 0 ? (double)s->noise[i] : 0;

        sums[i] = weight;
        variances[i] = weight * weight * noise * noise;
    }
    blur_map(s, sums, scratch, false);
    blur_map(s, variances, scratch, true);
    for (size_t i = 0; i < pixels; i++) {
        s->scale[i] = s->known[i] ? (float)(1 / sums[i]) : NAN;
        s->noise[i] = s->known[i] ? (float)(sqrt(variances[i] * in_time) / sums[i]) : NAN;
    }
}

/* Finds pixels with results: valid ones, and holes such as dead pixels that the Gaussian bridges. */
static penta_status find_known(optmap_smooth *s, double sigma)
{
    penta_status status = PENTA_OK;
    size_t height = s->movie->height, width = s->movie->width;
    int radius = (int)fmin(ceil(sigma), s->radius);
    uint8_t *scratch = NULL;
    uint16_t *counts = NULL;

    TRY(penta_calloc(s->resources.ctx, 2, height * width, &scratch));
    TRY(penta_calloc(s->resources.ctx, width, sizeof *counts, &counts));
    for (size_t i = 0; i < height * width; i++)
        s->known[i] = s->weight[i] > 0;
    optmap_close(s->known, width, height, radius, scratch, counts);
cleanup:
    free(scratch);
    free(counts);
    return status;
}

/* ---- memory ---- */

static size_t rounded(size_t n)
{
    return (n + LEAD - 1) / LEAD * LEAD;
}

static size_t origin_of(const optmap_smooth *s)
{
    return (size_t)s->radius * s->pitch + rounded((size_t)s->radius);
}

static penta_status make_device(optmap_smooth *s)
{
    penta_status status = PENTA_OK;
    const penta_movie_view *m = s->movie;
    size_t halo = 2 * (size_t)s->reach, frame, all;
    uint64_t most =
        s->resources.ctx->info.max_allocation < piece_bytes ? s->resources.ctx->info.max_allocation : piece_bytes;

    s->pitch = rounded(m->width) + 2 * rounded((size_t)s->radius);
    s->lines = m->height + 2 * (size_t)s->radius;
    TRY(penta_size(s->resources.ctx, s->pitch, s->lines, sizeof *s->staging, &frame));
    s->piece = most / frame > 2 * halo ? most / frame - halo : halo + 1;
    s->piece = s->piece < m->frames ? s->piece : m->frames;
    TRY(penta_size(s->resources.ctx, frame, s->piece + halo, 1, &all));
    TRY(penta_calloc(&s->resources, all, 1, &s->staging));
    s->smoothed = s->staging;
    TRY(penta_kernel_get(&s->resources, "optmap/phase.cl", "optmap_phase_blur", "", &s->blur));
    if (penta_is_cpu(s->resources.ctx)) {
        TRY(penta_calloc(&s->resources, all, 1, &s->smoothed));
        TRY(penta_own_struct(&s->resources, &s->frames, penta_buffer_release));
        TRY(penta_own_struct(&s->resources, &s->scratch, penta_buffer_release));
    } else {
        TRY(penta_buffer_create(&s->resources, all, &s->frames));
        TRY(penta_buffer_create(&s->resources, all, &s->scratch));
        TRY(penta_buffer_zero(&s->scratch, 0, all));
    }
    TRY(penta_upload_reals(&s->resources, s->space, 2 * (size_t)s->radius + 1, &s->along_space));
    TRY(penta_upload_reals(&s->resources, s->time, halo + 1, &s->along_time));
cleanup:
    return status;
}

static penta_status prepare(penta_context *ctx, optmap_smooth *s, const penta_movie_view *m, double sigma,
                            double duration)
{
    penta_status status = PENTA_OK;
    size_t pixels;

    *s = (optmap_smooth){
        .resources = {.ctx = ctx}, .movie = m, .radius = radius_of(sigma, m->width > m->height ? m->width : m->height)};
    s->reach = radius_of(duration, m->frames);
    TRY(penta_size(ctx, m->height, m->width, 1, &pixels));
    TRY(penta_calloc(&s->resources, pixels, sizeof *s->noise, &s->noise));
    optmap_noise_of_pixels(m, s->noise);
    if (!optmap_smooths(s))
        return PENTA_OK;
    TRY(penta_calloc(&s->resources, 2 * (size_t)s->radius + 1, sizeof *s->space, &s->space));
    TRY(penta_calloc(&s->resources, 2 * (size_t)s->reach + 1, sizeof *s->time, &s->time));
    TRY(penta_calloc(&s->resources, pixels, 3 * sizeof *s->maps, &s->maps));
    TRY(penta_calloc(&s->resources, pixels, sizeof *s->weight, &s->weight));
    TRY(penta_calloc(&s->resources, pixels, sizeof *s->scale, &s->scale));
    TRY(penta_calloc(&s->resources, pixels, sizeof *s->known, &s->known));
    fill_gaussian(s->space, s->radius, sigma);
    fill_gaussian(s->time, s->reach, duration);
    weigh_pixels(s);
    TRY(find_known(s, sigma));
    find_scales(s);
    TRY(make_device(s));
cleanup:
    return status;
}

/* ---- pieces ---- */

/* The frame that mirrors frame n at the movie's ends. */
static size_t mirrored(long n, size_t frames)
{
    long period = 2 * (long)frames, at = (n % period + period) % period;

    return (size_t)(at < (long)frames ? at : period - 1 - at);
}

static void gather_frame(void *data, size_t i)
{
    const optmap_smooth *s = data;
    const penta_movie_view *m = s->movie;
    size_t frame = mirrored((long)(s->first + i) - s->reach, m->frames);
    const float *from = m->data + frame * m->height * m->width, *weight = s->weight;
    float *to = s->staging + i * s->pitch * s->lines + origin_of(s);

    for (size_t y = 0; y < m->height; y++, from += m->width, weight += m->width, to += s->pitch) {
        for (size_t x = 0; x < m->width; x++)
            to[x] = weight[x] > 0 ? weight[x] * from[x] : 0;
        memset(to + m->width, 0, (rounded(m->width) - m->width) * sizeof *to);
    }
}

typedef struct {
    const optmap_smooth *s;
    float *out;
    size_t halo; /* frames before the results */
} target;

static void scatter_frame(void *data, size_t i)
{
    const target *t = data;
    const optmap_smooth *s = t->s;
    const penta_movie_view *m = s->movie;
    const float *from = s->smoothed + (i + t->halo) * s->pitch * s->lines + origin_of(s), *scale = s->scale;
    float *to = t->out + (s->first + i) * m->height * m->width;

    for (size_t y = 0; y < m->height; y++, from += s->pitch, scale += m->width, to += m->width)
        for (size_t x = 0; x < m->width; x++)
            to[x] = scale[x] * from[x];
}

static penta_status blur(optmap_smooth *s, penta_buffer *in, size_t first, size_t frames, size_t stride,
                         penta_buffer *weights, int radius, penta_buffer *out)
{
    bool cpu = penta_is_cpu(s->resources.ctx);
    size_t width = s->movie->width, frame = s->pitch * s->lines;
    penta_grid grid = penta_grid_3d(cpu ? rounded(width) / LEAD : width, s->movie->height, frames);

    return penta_launch(
        &s->blur, penta_grid_groups(grid, cpu ? 1 : 64, 1, 1),
        ARGS(in, (int)width, origin_of(s) + first * frame, s->pitch, frame, stride, weights, radius, out));
}

/* Sends `bytes` bytes of frames; on CPU devices they are lent, as are the results, which are in their place there. */
static penta_status send(optmap_smooth *s, size_t bytes)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = s->resources.ctx;

    if (!penta_is_cpu(ctx))
        return penta_buffer_write(&s->frames, 0, s->staging, bytes);
    TRY(optmap_lend(ctx, s->staging, bytes, &s->frames));
    TRY(optmap_lend(ctx, s->smoothed, bytes, &s->scratch));
cleanup:
    return status;
}

static penta_status fetch(optmap_smooth *s, size_t offset, size_t bytes)
{
    penta_status status = PENTA_OK;

    if (!penta_is_cpu(s->resources.ctx))
        return penta_buffer_read(&s->scratch, offset, s->smoothed, bytes);
    TRY(penta_buffer_give_back(&s->scratch));
    TRY(penta_buffer_give_back(&s->frames));
cleanup:
    return status;
}

static penta_status smooth_piece(optmap_smooth *s, size_t frames, float *out)
{
    penta_status status = PENTA_OK;
    size_t halo = (size_t)s->reach, all = frames + 2 * halo, frame = s->pitch * s->lines;
    bool cpu = penta_is_cpu(s->resources.ctx);
    target t = {s, out, cpu ? halo : 0};

    /* outside the columns of the piece's pixels, rounded up, staging is still 0 */
    penta_parallel(all, gather_frame, s);
    TRY(send(s, all * frame * sizeof *s->staging));
    TRY(blur(s, &s->frames, 0, all, 1, &s->along_space, s->radius, &s->scratch));
    TRY(blur(s, &s->scratch, 0, all, s->pitch, &s->along_space, s->radius, &s->frames));
    TRY(blur(s, &s->frames, halo, frames, frame, &s->along_time, s->reach, &s->scratch));
    TRY(fetch(s, halo * frame * sizeof *s->staging, frames * frame * sizeof *s->staging));
    penta_parallel(frames, scatter_frame, &t);
cleanup:
    return status;
}

penta_status optmap_smooth_run(penta_context *ctx, optmap_smooth *s, const penta_movie_view *movie, double sigma,
                               double duration, float *out)
{
    penta_status status = PENTA_OK;

    TRY(prepare(ctx, s, movie, sigma, duration));
    for (s->first = 0; optmap_smooths(s) && s->first < movie->frames; s->first += s->piece) {
        size_t left = movie->frames - s->first;

        TRY(penta_report_progress(ctx, (double)s->first, (double)movie->frames));
        TRY(smooth_piece(s, left < s->piece ? left : s->piece, out));
    }
cleanup:
    return status;
}
