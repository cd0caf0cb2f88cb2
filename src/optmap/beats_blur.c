/* Blurs frames in space on the host's cores: beats_align with equal times, where neighbours are not shifted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/wide.h"
#include "optmap/beats_matched.h"

typedef struct {
    const penta_movie_view *movie;
    const bool *in_beat;  /* per frame */
    const uint8_t *known; /* per pixel */
    int radius;
    const float *weights; /* of distances 0 .. radius */
    const float *all[2];  /* per pixel: the sum of the weights of known pixels along the row, the column */
    float *out;
} job;

PENTA_WIDE static void add_row(float weight, const float *from, size_t count, float *sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += weight * from[i];
}

PENTA_WIDE static void finish_row(const float *all, const uint8_t *known, size_t count, float *sum)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = known[i] ? sum[i] / all[i] : 0;
}

static float weight_of(const job *j, long distance)
{
    return j->weights[labs(distance)];
}

/* The row from .. from + width - 1 along itself, in the order of neighbours; line: the known numbers, 0 elsewhere. */
static void blur_along(const job *j, const float *line, size_t y, float *sum)
{
    long width = (long)j->movie->width, radius = j->radius;

    memset(sum, 0, (size_t)width * sizeof *sum);
    for (long i = -radius; i <= radius; i++) {
        long first = i < 0 ? -i : 0, end = i > 0 ? width - i : width;

        if (first < end)
            add_row(weight_of(j, i), line + first + i, (size_t)(end - first), sum + first);
    }
    finish_row(j->all[0] + y * (size_t)width, j->known + y * (size_t)width, (size_t)width, sum);
}

static void blur_across(const job *j, const float *along, size_t y, float *sum)
{
    long height = (long)j->movie->height, radius = j->radius, at = (long)y;
    size_t width = j->movie->width;

    memset(sum, 0, width * sizeof *sum);
    for (long i = at < radius ? -at : -radius; i <= radius && at + i < height; i++)
        add_row(weight_of(j, i), along + (size_t)(at + i) * width, width, sum);
    finish_row(j->all[1] + y * width, j->known + y * width, width, sum);
}

static bool blur_frame(void *data, size_t n)
{
    const job *j = data;
    size_t width = j->movie->width, height = j->movie->height, pixels = width * height;
    const float *frame = j->movie->data + n * pixels;
    float *out = j->out + n * pixels, *along, *line;

    if (!j->in_beat[n]) {
        memset(out, 0, pixels * sizeof *out);
        return true;
    }
    along = malloc((pixels + width) * sizeof *along);
    line = along ? along + pixels : NULL;
    for (size_t y = 0; along && y < height; y++) {
        for (size_t x = 0; x < width; x++)
            line[x] = j->known[y * width + x] ? frame[y * width + x] : 0;
        blur_along(j, line, y, along + y * width);
    }
    for (size_t y = 0; along && y < height; y++)
        blur_across(j, along, y, out + y * width);
    free(along);
    return along != NULL;
}

/* The sums of the weights of known pixels up to `radius` px away along a direction. */
static void sum_weights(const job *j, bool columns, float *all)
{
    long width = (long)j->movie->width, height = (long)j->movie->height;

    for (long p = 0; p < width * height; p++) {
        long at = columns ? p / width : p % width, end = columns ? height : width, step = columns ? width : 1;

        all[p] = 0;
        for (long i = at < j->radius ? -at : -j->radius; i <= j->radius && at + i < end; i++)
            all[p] += j->known[p + i * step] ? weight_of(j, i) : 0;
    }
}

penta_status beats_blur(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats, size_t count,
                        const uint8_t *known, double sigma, float *out)
{
    penta_status status = PENTA_OK;
    size_t pixels = movie->width * movie->height;
    penta_resources mine = {.ctx = ctx};
    job j = {.movie = movie, .known = known, .radius = beats_align_radius(sigma), .out = out};
    float *weights, *all;
    bool *in_beat;

    TRY(penta_calloc(&mine, movie->frames, sizeof *in_beat, &in_beat));
    TRY(penta_calloc(&mine, 2 * pixels, sizeof *all, &all));
    TRY(penta_calloc(&mine, (size_t)j.radius + 1, sizeof *weights, &weights));
    beats_align_weights(sigma, weights);
    j.weights = weights;
    for (size_t b = 0; b < count; b++)
        for (size_t n = beats[b].first; n < beats[b].end; n++)
            in_beat[n] = true;
    j.in_beat = in_beat;
    for (int k = 0; k < 2; k++) {
        sum_weights(&j, k == 1, all + (size_t)k * pixels);
        j.all[k] = all + (size_t)k * pixels;
    }
    if (penta_parallel_until(movie->frames, blur_frame, &j) < movie->frames)
        TRY(penta_fail(ctx, PENTA_MEMORY, "out of host memory for frames of %zu pixels", pixels));
cleanup:
    penta_resources_release(&mine);
    return status;
}
