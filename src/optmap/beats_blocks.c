/* Sends pixels first .. first + count - 1 of all frames to the device together; gathers them unless they are the whole
 * movie and need no padding. On CPU devices they are lent where they were gathered, and the host finds their ranges. */
#include <math.h>
#include <string.h>

#include "core/internal.h"
#include "math/wide.h"
#include "optmap/beats_blocks.h"
#include "optmap/held.h"

/* Sizes of a block: its transfer takes much longer than its set-up; on a GPU a movie in one block is not gathered. */
static const size_t cpu_bytes = (size_t)32 << 20, usual_bytes = (size_t)256 << 20, gpu_bytes = (size_t)1 << 30;
enum { SHARE = 16 }; /* of a GPU's memory that a block may take where that is more than the usual */

static penta_status check_movie(penta_context *ctx, const penta_movie_view *m)
{
    if (!m->data || m->frames == 0 || m->height == 0 || m->width == 0)
        return penta_fail(ctx, PENTA_INVALID, "an empty movie");
    if (penta_check_host(ctx, m->data, "the movie") != PENTA_OK)
        return PENTA_INVALID;
    if (!(m->frame_rate_hz > 0) || !isfinite(m->frame_rate_hz))
        return penta_fail(ctx, PENTA_INVALID, "the rate is %g Hz, but must be above 0", m->frame_rate_hz);
    if (m->frames > INT32_MAX / 4 || m->width > INT32_MAX / m->height)
        return penta_fail(ctx, PENTA_INVALID, "%zu frames of %zu x %zu pixels are too many", m->frames, m->width,
                          m->height);
    return PENTA_OK;
}

static size_t padded(size_t n)
{
    return (n + BEATS_LANES - 1) / BEATS_LANES * BEATS_LANES;
}

static uint64_t suits(const penta_context *ctx)
{
    uint64_t share = ctx->info.memory / SHARE;

    if (penta_is_cpu(ctx))
        return cpu_bytes;
    if (share < usual_bytes)
        return usual_bytes;
    return share < gpu_bytes ? share : gpu_bytes;
}

/* Chooses the pixels of a block. Except on CPU devices a movie that fits is one block without copying. */
static size_t choose(const beats_blocks *b, size_t extra, size_t limit)
{
    uint64_t bytes = limit ? limit : suits(b->ctx), a_pixel = b->movie->frames * sizeof(float) + extra, most;

    bytes = bytes < b->ctx->info.max_allocation ? bytes : b->ctx->info.max_allocation;
    bytes = bytes < b->ctx->info.memory / 4 ? bytes : b->ctx->info.memory / 4;
    most = bytes / a_pixel;
    most = most < BEATS_LANES ? BEATS_LANES : most / BEATS_LANES * BEATS_LANES;
    return most < b->pixels ? most : penta_is_cpu(b->ctx) ? padded(b->pixels) : b->pixels;
}

penta_status beats_blocks_create(penta_resources *owner, const penta_movie_view *movie, size_t extra, size_t limit,
                                 beats_blocks *out)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = out;
    size_t bytes;

    *b = (beats_blocks){.ctx = owner->ctx, .movie = movie};
    TRY(check_movie(b->ctx, movie));
    b->pixels = movie->width * movie->height;
    b->pitch = b->most = choose(b, extra, limit);
    TRY(penta_size(b->ctx, movie->frames, b->pitch, sizeof(float), &bytes));
    TRY(penta_buffer_create(owner, b->pitch * sizeof(float), &b->range));
    TRY(penta_calloc(owner, bytes, 1, &b->staging));
    TRY(penta_calloc(owner, b->pitch, sizeof *b->row, &b->row));
    if (penta_is_cpu(b->ctx)) {
        TRY(penta_own_struct(owner, &b->frames, penta_buffer_release));
        return PENTA_OK;
    }
    TRY(penta_kernel_get(owner, "optmap/beats.cl", "optmap_beats_range", "", &b->look));
    TRY(penta_buffer_create(owner, bytes, &b->frames));
cleanup:
    return status;
}

/* ---- on CPU devices ---- */

enum { LANES = BEATS_CPU_RUN, RUN = 16 * LANES }; /* pixels that a thread gathers together */

typedef struct {
    float least[LANES], most[LANES], wrong[LANES]; /* wrong: NaN where a number is not finite, else 0 */
} ranges;

/* Where pixel `pixel` of the block lies in frame n. */
static float *place_of(const beats_blocks *b, size_t n, size_t pixel)
{
    return b->staging + (pixel / LANES * b->movie->frames + n) * LANES + pixel % LANES;
}

PENTA_WIDE static void take_lanes(const float *from, float *to, ranges *r)
{
    for (size_t i = 0; i < LANES; i++) {
        float x = from[i];

        to[i] = x;
        r->wrong[i] += 0 * x;
        r->least[i] = x < r->least[i] ? x : r->least[i];
        r->most[i] = x > r->most[i] ? x : r->most[i];
    }
}

static void gather_run(void *data, size_t run)
{
    const beats_blocks *b = data;
    size_t at = run * RUN, count = b->count - at < RUN ? b->count - at : RUN;
    ranges r[RUN / LANES];

    for (size_t i = 0; i < RUN; i++) {
        r[i / LANES].wrong[i % LANES] = 0;
        r[i / LANES].least[i % LANES] = INFINITY;
        r[i / LANES].most[i % LANES] = -INFINITY;
    }
    for (size_t n = 0; n < b->movie->frames; n++)
        for (size_t i = 0; i < count; i += LANES) {
            const float *from = b->movie->data + n * b->pixels + b->first + at + i;
            float last[LANES] = {0}; /* zeros behind the last pixel */

            if (count - i < LANES)
                from = memcpy(last, from, (count - i) * sizeof *last);
            take_lanes(from, place_of(b, n, at + i), &r[i / LANES]);
        }
    for (size_t i = 0; i < count; i++) {
        const ranges *of = &r[i / LANES];

        b->row[at + i] = isnan(of->wrong[i % LANES]) ? NAN : of->most[i % LANES] - of->least[i % LANES];
    }
}

static size_t runs_of(const beats_blocks *b)
{
    return (b->count + RUN - 1) / RUN;
}

typedef struct {
    const beats_blocks *blocks;
    float *out;
} scatter;

static void scatter_run(void *data, size_t run)
{
    const scatter *s = data;
    const beats_blocks *b = s->blocks;
    size_t at = run * RUN, end = b->count - at < RUN ? b->count : at + RUN;

    for (size_t n = 0; n < b->movie->frames; n++)
        for (size_t i = at; i < end; i += LANES)
            memcpy(s->out + n * b->pixels + b->first + i, place_of(b, n, i),
                   (end - i < LANES ? end - i : LANES) * sizeof *s->out);
}

static penta_status lend(beats_blocks *b)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_give_back(&b->frames));
    penta_parallel(runs_of(b), gather_run, b);
    TRY(penta_buffer_write(&b->range, 0, b->row, b->count * sizeof *b->row));
    TRY(optmap_lend(b->ctx, b->staging, b->movie->frames * b->pitch * sizeof *b->staging, &b->frames));
cleanup:
    return status;
}

/* ---- on others ---- */

static void gather_frame(void *data, size_t n)
{
    const beats_blocks *b = data;
    float *to = b->staging + n * b->pitch;

    memcpy(to, b->movie->data + n * b->pixels + b->first, b->count * sizeof *to);
    memset(to + b->count, 0, (b->pitch - b->count) * sizeof *to);
}

static penta_status send(beats_blocks *b)
{
    size_t bytes = b->movie->frames * b->pitch * sizeof(float);
    bool whole = b->pitch == b->pixels;
    penta_buffer *held = whole ? optmap_held_copy(b->ctx, b->movie->data, bytes) : NULL;

    if (held)
        return penta_buffer_copy(held, &b->frames, bytes);
    if (!whole)
        penta_parallel(b->movie->frames, gather_frame, b);
    return penta_buffer_write(&b->frames, 0, whole ? b->movie->data : b->staging, bytes);
}

static void beats_blocks_rewind(beats_blocks *blocks)
{
    blocks->first = blocks->count = 0;
}

penta_status beats_blocks_attach(beats_blocks *blocks, const penta_movie_view *movie)
{
    penta_status status = PENTA_OK;

    TRY(check_movie(blocks->ctx, movie));
    blocks->movie = movie;
    beats_blocks_rewind(blocks);
cleanup:
    return status;
}

penta_grid beats_blocks_grid(const beats_blocks *blocks, size_t y)
{
    bool cpu = penta_is_cpu(blocks->ctx);
    size_t items = cpu ? (blocks->count + BEATS_CPU_RUN - 1) / BEATS_CPU_RUN : blocks->count;

    return penta_grid_groups(penta_grid_2d(items, y), cpu ? 1 : BEATS_LANES, 1, 1);
}

penta_status beats_blocks_next(beats_blocks *blocks, bool *more)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = blocks;
    size_t left;

    b->first += b->count;
    left = b->pixels - b->first;
    TRY(penta_report_progress(b->ctx, (double)b->first, (double)b->pixels));
    *more = left > 0;
    if (!*more) {
        beats_blocks_rewind(b);
        return PENTA_OK;
    }
    b->count = left < b->most ? left : b->most;
    if (penta_is_cpu(b->ctx))
        return lend(b);
    TRY(send(b));
    TRY(penta_launch(&b->look, beats_blocks_grid(b, 1),
                     ARGS(&b->frames, (int)b->movie->frames, (unsigned)b->count, b->pitch, &b->range)));
cleanup:
    return status;
}

penta_status beats_blocks_fetch_frames(beats_blocks *blocks, float *out)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = blocks;

    if (!b->frames.host)
        return beats_blocks_fetch(b, &b->frames, 0, b->movie->frames, b->staging, out);
    TRY(penta_buffer_give_back(&b->frames));
    penta_parallel(runs_of(b), scatter_run, &(scatter){b, out});
cleanup:
    return status;
}

penta_status beats_blocks_fetch(const beats_blocks *blocks, penta_buffer *buffer, size_t row, size_t rows,
                                float *staging, float *maps)
{
    penta_status status = PENTA_OK;
    const beats_blocks *b = blocks;
    size_t line = b->pitch * sizeof *staging;

    TRY(penta_buffer_read(buffer, row * line, b->pitch == b->pixels ? maps : staging, rows * line));
    for (size_t i = 0; i < rows && b->pitch != b->pixels; i++)
        memcpy(maps + i * b->pixels + b->first, staging + i * b->pitch, b->count * sizeof *maps);
cleanup:
    return status;
}

penta_status beats_no_pixel(penta_context *ctx)
{
    return penta_fail(ctx, PENTA_INVALID, "no valid pixel: each has a number that is not finite in some frame");
}
