/* Sums over the frames of a recording, and what is conditioned in its place where something was spoilt. */
#include "optmap/amend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/survey.h"

static void get_row(const amend_camera *c, size_t n, size_t y, double *out)
{
    const survey s = {.movie = &c->movie};

    survey_lights(&s, n, y * c->width, c->width, out);
}

/* ---- sums ---- */

static void sum_row(amend_camera *c, size_t n, size_t y, const double *row)
{
    double *blocks = c->blocks + y * AMEND_SIDE / c->height * AMEND_SIDE * c->frames + n;

    for (size_t x = 0; x < c->width; x++)
        blocks[x * AMEND_SIDE / c->width * c->frames] += row[x];
}

static void sum_frame(void *data, size_t n)
{
    amend_camera *c = data;
    double *row = malloc(c->width * sizeof *row);

    for (size_t y = 0; row && y < c->height; y++) {
        get_row(c, n, y, row);
        sum_row(c, n, y, row);
    }
    if (!row)
        c->failed = true;
    free(row);
    for (size_t b = 0; b < AMEND_BLOCKS; b++) {
        c->mean[n] += c->blocks[b * c->frames + n] / (double)(c->width * c->height);
        c->blocks[b * c->frames + n] /= c->pixels[b] ? (double)c->pixels[b] : 1;
    }
}

static penta_status sum_up(amend_camera *c)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(c->ctx, (3 + AMEND_BLOCKS) * c->frames, sizeof *c->mean, &c->mean));
    TRY(penta_calloc(c->ctx, c->frames, 1, &c->bad));
    c->blocks = c->mean + c->frames;
    c->gained = c->blocks + AMEND_BLOCKS * c->frames;
    c->added = c->gained + c->frames;
    for (size_t y = 0; y < c->height; y++)
        for (size_t x = 0; x < c->width; x++)
            c->pixels[y * AMEND_SIDE / c->height * AMEND_SIDE + x * AMEND_SIDE / c->width]++;
    TRY(penta_parallel_watched(c->ctx, c->frames, sum_frame, c));
    if (c->failed)
        status = penta_fail(c->ctx, PENTA_MEMORY, "out of memory for a row of %zu pixels", c->width);
cleanup:
    return status;
}

static void release(amend_camera *c)
{
    free(c->mean);
    free(c->bad);
}

static penta_status look_at(amend_camera *c, double rate, penta_amends *out)
{
    penta_status status = PENTA_OK;

    TRY(sum_up(c));
    for (size_t n = 0; n < c->frames; n++)
        if (!isfinite(c->mean[n])) /* conditioning tells where */
            goto cleanup;
    TRY(amend_find_frames(c, out));
    TRY(amend_find_flicker(c, rate, out));
cleanup:
    return status;
}

/* ---- frames in their place ---- */

typedef struct {
    amend_camera *c;
    penta_type type; /* of the frames that are made */
    const void **frames;
    bool all; /* or those that are bad */
} repair;

#define ROUND(type, least, most)                                                                                       \
    ((type *)out)[i] = (type)fmin(fmax(round(v), least), most);                                                        \
    break

static void put(penta_type type, void *out, size_t i, double v)
{
    switch (type) {
    case PENTA_U8:
        ROUND(uint8_t, 0, UINT8_MAX);
    case PENTA_U16:
        ROUND(uint16_t, 0, UINT16_MAX);
    case PENTA_I16:
        ROUND(int16_t, INT16_MIN, INT16_MAX);
    case PENTA_U32:
        ROUND(uint32_t, 0, UINT32_MAX);
    case PENTA_I32:
        ROUND(int32_t, INT32_MIN, INT32_MAX);
    case PENTA_F32:
        ((float *)out)[i] = (float)v;
        break;
    default:
        ((double *)out)[i] = v;
    }
}

static void repair_frame(void *data, size_t n)
{
    const repair *r = data;
    amend_camera *c = r->c;
    double w[4], *sum, *row;
    size_t at[4];
    int count = amend_sources(c, n, at, w);

    if (!r->all && !c->bad[n])
        return;
    sum = malloc(2 * c->width * sizeof *sum);
    row = sum ? sum + c->width : NULL;
    for (size_t y = 0; row && y < c->height; y++) {
        memset(sum, 0, c->width * sizeof *sum);
        for (int k = 0; k < count; k++) {
            get_row(c, at[k], y, row);
            for (size_t x = 0; x < c->width; x++)
                sum[x] += w[k] * (row[x] - c->added[at[k]]) / (1 + c->gained[at[k]]);
        }
        for (size_t x = 0; x < c->width; x++)
            put(r->type, (void *)r->frames[n], y * c->width + x, sum[x]);
    }
    if (!row)
        c->failed = true;
    free(sum);
}

/* A camera's frames: the recording's own where they are in order. type: of all that are made. */
static penta_status make_frames(amend_camera *c, penta_type type, const void ***frames, void **made)
{
    penta_status status = PENTA_OK;
    bool all = type != c->movie.type;
    size_t bytes, bad = 0, size, done = 0;
    repair job;

    for (size_t n = 0; n < c->frames; n++)
        bad += all || c->bad[n];
    TRY(penta_size(c->ctx, c->width, c->height, penta_type_size(type), &size));
    TRY(penta_size(c->ctx, bad, size, 1, &bytes));
    TRY(penta_calloc(c->ctx, c->frames, sizeof **frames, frames));
    TRY(penta_calloc(c->ctx, bytes + 1, 1, made));
    for (size_t n = 0; n < c->frames; n++)
        (*frames)[n] = all || c->bad[n] ? (char *)*made + size * done++ : c->movie.frames[n];
    job = (repair){.c = c, .type = type, .frames = *frames, .all = all};
    TRY(penta_parallel_watched(c->ctx, c->frames, repair_frame, &job));
    if (c->failed)
        status = penta_fail(c->ctx, PENTA_MEMORY, "out of memory for a row of %zu pixels", c->width);
cleanup:
    return status;
}

/* Frames without flicker have fractions. */
static penta_type type_without_flicker(penta_type type)
{
    return type == PENTA_U32 || type == PENTA_I32 || type == PENTA_F64 ? PENTA_F64 : PENTA_F32;
}

penta_status amend_recording(penta_context *ctx, const penta_recording *r, penta_amends *out)
{
    penta_status status = PENTA_OK;
    const void *const *frames[] = {r->movie.frames, r->movie.under};
    amend_camera cameras[2] = {{0}};
    penta_type type = r->movie.type;

    for (int i = 0; i < 2 && frames[i]; i++) {
        cameras[i] = (amend_camera){.ctx = ctx, .width = r->width, .height = r->height, .frames = r->frames};
        cameras[i].movie = (penta_movie){.type = r->movie.type, .frames = frames[i]};
        TRY(look_at(&cameras[i], r->frame_rate_hz, out));
    }
    if (out->black + out->bright + out->repeated + out->flicker_count == 0)
        goto cleanup;
    out->movie = r->movie;
    out->movie.type = type = out->flicker_count ? type_without_flicker(type) : type;
    for (int i = 0; i < 2 && frames[i]; i++)
        TRY(make_frames(&cameras[i], type, &out->frames[i], &out->made[i]));
    out->movie.frames = out->frames[0];
    out->movie.under = out->frames[1];
cleanup:
    release(&cameras[0]);
    release(&cameras[1]);
    return status;
}

void penta_amends_free(penta_amends *out)
{
    for (int i = 0; i < 2; i++) {
        free(out->frames[i]);
        free(out->made[i]);
    }
    *out = (penta_amends){0};
}
