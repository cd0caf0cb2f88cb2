/*
 * The background of a series: one illumination, fitted to the medians of block means over surveyed frames
 * and scaled to each frame.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/ranks.h"
#include "prepare/background.h"

/* ---- survey ---- */

/* ---- block means of frames, and their medians over the frames ---- */

/* Makes room for one more frame at *out. The caller raises `frames` to add it. */
static penta_status prepare_survey_room(penta_context *ctx, prepare_survey *s, float **out)
{
    float *grown = realloc(s->means, (s->frames + 1) * s->nodes * sizeof *grown);

    if (!grown)
        return penta_fail(ctx, PENTA_MEMORY, "out of host memory for a survey of %zu frames", s->frames + 1);
    s->means = grown;
    *out = grown + s->frames * s->nodes;
    return PENTA_OK;
}

static float median_of(float *values, size_t count)
{
    qsort(values, count, sizeof *values, penta_compare_floats);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Medians over the frames, 0 where a block has no values; weight[i] is area[i], or 0 without values. */
static penta_status prepare_survey_medians(penta_context *ctx, const prepare_survey *s, const float *area,
                                           float *median, float *weight)
{
    penta_status status = PENTA_OK;
    float *column = NULL;

    TRY(penta_calloc(ctx, s->frames, sizeof *column, &column));
    for (size_t i = 0; i < s->nodes; i++) {
        size_t count = 0;

        for (size_t t = 0; t < s->frames; t++)
            if (!isnan(s->means[t * s->nodes + i]))
                column[count++] = s->means[t * s->nodes + i];
        median[i] = count ? median_of(column, count) : 0;
        weight[i] = count ? area[i] : 0;
    }
cleanup:
    free(column);
    return status;
}

/* Adds frame f of the batch: means of blocks with enough unmasked pixels, divided by the frame's mean. */
static penta_status survey_frame(prepare_background *b, size_t f, const float *mean, const float *weight)
{
    penta_status status = PENTA_OK;
    const prepare_nodes *n = &b->nodes;
    double sum = 0, count = 0;
    float *out = NULL;

    TRY(prepare_survey_room(b->own->ctx, &b->survey, &out));
    mean += f * n->ny * n->pitch;
    weight += f * n->ny * n->pitch;
    for (size_t i = 0; i < n->ny * n->pitch; i++) {
        sum += (double)mean[i] * (double)weight[i];
        count += (double)weight[i];
    }
    for (size_t i = 0; i < n->nx * n->ny; i++) {
        size_t at = i / n->nx * n->pitch + i % n->nx;

        out[i] = sum > 0 && weight[at] > b->area[i] / 4 ? (float)((double)mean[at] / (sum / count)) : NAN;
    }
    b->survey.frames++;
cleanup:
    return status;
}

penta_status prepare_background_survey(prepare_background *b, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    size_t bytes = batch->count * b->nodes.ny * b->nodes.pitch * sizeof(float);
    float *mean = NULL, *weight = NULL;

    TRY(penta_calloc(b->own->ctx, bytes, 1, &mean));
    TRY(penta_calloc(b->own->ctx, bytes, 1, &weight));
    TRY(prepare_background_measure(b, batch));
    TRY(penta_buffer_read(&b->nodes.mean, 0, mean, bytes));
    TRY(penta_buffer_read(&b->nodes.weight, 0, weight, bytes));
    for (size_t f = 0; f < batch->count; f++)
        TRY(survey_frame(b, f, mean, weight));
    free(b->illumination); /* it came from fewer frames */
    b->illumination = NULL;
cleanup:
    free(mean);
    free(weight);
    return status;
}

size_t prepare_background_surveyed(const prepare_background *b)
{
    return b->survey.frames ? b->survey.frames : b->illumination != NULL;
}

void prepare_background_unsurvey(prepare_background *b, size_t frames)
{
    if (frames < b->survey.frames) {
        b->survey.frames = frames;
        free(b->illumination);
        b->illumination = NULL;
    }
}

/* ---- illumination ---- */

/* Copies ny x nx numbers into rows of `pitch`. */
static penta_status spread(prepare_background *b, const float *from, penta_buffer *to)
{
    penta_status status = PENTA_OK;
    const prepare_nodes *n = &b->nodes;
    float *padded = NULL;

    TRY(penta_calloc(b->own->ctx, n->ny * n->pitch, sizeof *padded, &padded));
    for (size_t i = 0; i < n->nx * n->ny; i++)
        padded[i / n->nx * n->pitch + i % n->nx] = from[i];
    TRY(penta_buffer_write(to, 0, padded, n->ny * n->pitch * sizeof *padded));
cleanup:
    free(padded);
    return status;
}

/* Divides values by their area-weighted mean. */
static void normalise(const prepare_background *b, float *values)
{
    size_t count = b->nodes.nx * b->nodes.ny;
    double sum = 0, area = 0;

    for (size_t i = 0; i < count; i++) {
        sum += (double)values[i] * (double)b->area[i];
        area += (double)b->area[i];
    }
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((double)values[i] / (sum / area));
}

static penta_status make_illumination(prepare_background *b)
{
    penta_status status = PENTA_OK;
    size_t count = b->nodes.nx * b->nodes.ny;
    float *median = NULL, *weight = NULL, *made = NULL;
    penta_buffer out = {0};

    TRY(penta_calloc(b->own->ctx, count, sizeof *median, &median));
    TRY(penta_calloc(b->own->ctx, count, sizeof *weight, &weight));
    TRY(penta_calloc(b->own->ctx, count, sizeof *made, &made));
    TRY(prepare_survey_medians(b->own->ctx, &b->survey, b->area, median, weight));
    TRY(spread(b, median, &b->nodes.mean));
    TRY(spread(b, weight, &b->nodes.weight));
    TRY(penta_buffer_create(b->own->ctx, count * sizeof *made, &out));
    TRY(prepare_background_fit(b, 1, &out));
    TRY(penta_buffer_read(&out, 0, made, count * sizeof *made));
    normalise(b, made);
    TRY(prepare_background_load(b, made));
cleanup:
    penta_buffer_release(&out);
    free(median);
    free(weight);
    free(made);
    return status;
}

penta_status prepare_background_illumination(prepare_background *b, const float **out)
{
    penta_status status = PENTA_OK;

    *out = NULL;
    if (!b->illumination && b->survey.frames)
        TRY(make_illumination(b));
    *out = b->illumination;
cleanup:
    return status;
}

penta_status prepare_background_load(prepare_background *b, const float *illumination)
{
    penta_status status = PENTA_OK;
    size_t bytes = b->survey.nodes * sizeof *illumination;
    float *copy = NULL;

    TRY(penta_calloc(b->own->ctx, bytes, 1, &copy));
    memcpy(copy, illumination, bytes);
    TRY(spread(b, copy, &b->lighting));
    free(b->illumination);
    b->illumination = copy;
    copy = NULL;
cleanup:
    free(copy);
    return status;
}

penta_status prepare_background_light(prepare_background *b, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    prepare_nodes *n = &b->nodes;

    TRY(prepare_background_divide(b, count, &b->lighting));
    TRY(penta_launch(&b->lit, prepare_rows(b->own->ctx, penta_grid_2d(n->nx * n->ny, count)),
                     ARGS(&b->lighting, &n->level, (int)n->nx, (int)n->ny, (int)n->pitch, out)));
cleanup:
    return status;
}
