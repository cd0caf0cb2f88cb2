/* Means over beats: the mean beat, and alternans. */
#include <math.h>
#include <stdlib.h>

#include "optmap/beats_blocks.h"
#include "optmap/ranks.h"

static const double even_cycles = 1.1; /* longest cycle of a regular rhythm by its shortest */

/* Alternans of one pixel, `stride` numbers from beat to beat; room: beats numbers. Steps are counted up to odd beats
 * and down to even ones, so that alternans gives all of them one sign; their median lets one beat be unlike the others.
 */
static double alternans_of(const float *map, size_t beats, size_t stride, double *room)
{
    size_t best = 0, from = 0, run = 0, up = 0;
    double sums[2] = {0}, counts[2] = {0}, step, middle;

    for (size_t b = 0; b < beats; b++) {
        run = isnan(map[b * stride]) ? 0 : run + 1;
        from = run > best ? b + 1 - run : from;
        best = run > best ? run : best;
    }
    if (best < PENTA_ALTERNANS_BEATS)
        return NAN;
    for (size_t i = 0; i < best; i++) {
        sums[i % 2] += (double)map[(from + i) * stride];
        counts[i % 2]++;
    }
    for (size_t i = 0; i + 1 < best; i++) {
        const float *at = map + (from + i) * stride;

        room[i] = ((double)at[stride] - (double)at[0]) * ((from + i) % 2 == 0 ? 1 : -1);
        up += room[i] > 0;
    }
    step = 0.5 * (optmap_rank(room, best - 1, (best - 2) / 2) + optmap_rank(room, best - 1, (best - 1) / 2));
    middle = 0.5 * (sums[0] / counts[0] + sums[1] / counts[1]);
    if (!(fabs(middle) > 0))
        return NAN;
    return 4 * (step > 0 ? up : best - 1 - up) < 3 * (best - 1) ? 0 : 100 * step / middle;
}

penta_status penta_alternans(penta_context *ctx, size_t beats, size_t width, size_t height, const float *map,
                             float *out)
{
    penta_status status = PENTA_OK;
    size_t pixels = height * width;
    double *room = NULL;

    TRY(penta_calloc(ctx, beats + 1, sizeof *room, &room));
    for (size_t i = 0; i < pixels; i++)
        out[i] = (float)alternans_of(map + i, beats, pixels, room);
cleanup:
    free(room);
    return status;
}

size_t penta_beats_regular(const penta_beat *beats, size_t count, size_t *first)
{
    size_t best = 0;

    *first = 0;
    for (size_t from = 0; from < count; from++) {
        double least = INFINITY, most = 0;
        size_t n = 1;

        for (; from + n < count; n++) {
            double cycle = beats[from + n].upstroke - beats[from + n - 1].upstroke;

            least = fmin(least, cycle);
            most = fmax(most, cycle);
            if (!(most <= even_cycles * least))
                break;
        }
        *first = n > best ? from : *first;
        best = n > best ? n : best;
    }
    return best;
}

size_t penta_alternans_least(size_t valid_pixels)
{
    enum { LEAST = 25, SHARE = 10 };

    return valid_pixels / SHARE > LEAST ? valid_pixels / SHARE : LEAST;
}

/* ---- the mean beat ---- */

penta_status penta_beats_window(penta_context *ctx, const penta_beat *beats, size_t count, size_t *before,
                                size_t *frames)
{
    penta_status status = PENTA_OK;
    double *lead = NULL, *rest = NULL;

    *before = *frames = 0;
    if (count == 0)
        return PENTA_OK;
    TRY(penta_calloc(ctx, count, sizeof *lead, &lead));
    TRY(penta_calloc(ctx, count, sizeof *rest, &rest));
    for (size_t i = 0; i < count; i++) {
        lead[i] = floor(beats[i].upstroke) - (double)beats[i].first;
        rest[i] = (double)beats[i].end - floor(beats[i].upstroke);
    }
    *before = (size_t)fmax(optmap_median(lead, count), 0);
    *frames = *before + (size_t)fmax(optmap_median(rest, count), 1);
cleanup:
    free(lead);
    free(rest);
    return status;
}

typedef struct {
    penta_resources resources;
    size_t frames; /* frames per window */
    int count;     /* number of windows */
    penta_kernel kernel;
    beats_blocks blocks;
    penta_buffer starts, sum;
    float *staging; /* host copy of sum: frames x pitch */
    int32_t *list;  /* first frames of windows */
} job;

static penta_status list_windows(job *j, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                                 size_t before)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(&j->resources, count + 1, sizeof *j->list, &j->list));
    for (size_t i = 0; i < count && j->frames <= movie->frames; i++) {
        double first = floor(beats[i].upstroke) - (double)before;

        if (first >= 0 && first <= (double)(movie->frames - j->frames))
            j->list[j->count++] = (int32_t)first;
    }
cleanup:
    return status;
}

static penta_status prepare(job *j, const penta_movie_view *movie)
{
    penta_status status = PENTA_OK;
    size_t bytes;

    TRY(penta_size(j->resources.ctx, j->frames, sizeof(float), 1, &bytes));
    TRY(beats_blocks_create(&j->resources, movie, bytes, 0, &j->blocks));
    TRY(penta_size(j->resources.ctx, bytes, j->blocks.pitch, 1, &bytes));
    TRY(penta_kernel_get(&j->resources, "optmap/beats_average.cl", "optmap_beats_average", "", &j->kernel));
    TRY(penta_buffer_upload(&j->resources, j->list, (size_t)j->count * sizeof *j->list, &j->starts));
    TRY(penta_buffer_create(&j->resources, bytes, &j->sum));
    TRY(penta_calloc(&j->resources, bytes, 1, &j->staging));
cleanup:
    return status;
}

static penta_status average(job *j, float *out)
{
    penta_status status = PENTA_OK;
    beats_blocks *b = &j->blocks;
    bool more;

    TRY(beats_blocks_next(b, &more));
    while (more) {
        TRY(penta_launch(&j->kernel, beats_blocks_grid(b, j->frames),
                         ARGS(&b->frames, (int)b->movie->frames, (unsigned)b->count, b->pitch, &b->range, &j->starts,
                              j->count, &j->sum)));
        TRY(beats_blocks_fetch(b, &j->sum, 0, j->frames, j->staging, out));
        TRY(beats_blocks_next(b, &more));
    }
cleanup:
    return status;
}

penta_status penta_beats_average(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats,
                                 size_t count, size_t before, size_t frames, float *out, size_t *used)
{
    penta_status status = PENTA_OK;
    job j = {.resources = {.ctx = ctx}, .frames = frames};

    *used = 0;
    if (frames == 0)
        return penta_fail(ctx, PENTA_INVALID, "a mean beat of 0 frames");
    TRY(list_windows(&j, movie, beats, count, before));
    if (j.count > 0) {
        TRY(prepare(&j, movie));
        TRY(average(&j, out));
    } else
        for (size_t i = 0; i < frames * movie->height * movie->width; i++)
            out[i] = NAN;
    *used = (size_t)j.count;
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may still be in progress */
    penta_resources_release(&j.resources);
    return status;
}
