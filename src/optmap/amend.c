/* Sums over the frames of a recording, and what is conditioned in its place where something was spoilt. */
#include "optmap/amend.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE = 256 }; /* pixels */

static size_t pixels_from(const amend_camera *c, size_t first)
{
    return c->s.pixels - first < AT_ONCE ? c->s.pixels - first : AT_ONCE;
}

/* ---- sums ---- */

static void sum_frame(void *data, size_t n)
{
    amend_camera *c = data;
    double light[AT_ONCE], sum[AMEND_BLOCKS] = {0};
    size_t pixels[AMEND_BLOCKS] = {0};

    for (size_t i = 0; i < c->s.pixels; i++) {
        if (i % AT_ONCE == 0)
            survey_lights(&c->s, n, i, pixels_from(c, i), light);
        sum[c->block[i]] += light[i % AT_ONCE];
        pixels[c->block[i]]++;
    }
    for (size_t b = 0; b < c->count; b++) {
        c->mean[n] += sum[b] / (double)c->s.pixels;
        c->blocks[b * c->s.frames + n] = sum[b] / (double)pixels[b];
    }
}

static penta_status look_at(amend_camera *c, double rate, penta_amends *out)
{
    penta_status status = PENTA_OK;
    size_t frames = c->s.frames, width = c->s.width, height = c->s.height;
    size_t across = width < AMEND_SIDE ? width : AMEND_SIDE, down = height < AMEND_SIDE ? height : AMEND_SIDE;

    c->count = across * down;
    TRY(penta_calloc(c->s.ctx, (3 + c->count) * frames, sizeof *c->mean, &c->mean));
    TRY(penta_calloc(c->s.ctx, frames + c->s.pixels, 1, &c->bad));
    c->blocks = c->mean + frames;
    c->gained = c->blocks + c->count * frames;
    c->added = c->gained + frames;
    c->block = c->bad + frames;
    for (size_t i = 0; i < c->s.pixels; i++)
        c->block[i] = (uint8_t)(i / width * down / height * across + i % width * across / width);
    TRY(penta_parallel_watched(c->s.ctx, frames, sum_frame, c));
    for (size_t n = 0; n < frames; n++)
        if (!isfinite(c->mean[n])) /* conditioning tells where */
            goto cleanup;
    TRY(amend_find_frames(c, out));
    TRY(amend_find_flicker(c, rate, out));
cleanup:
    return status;
}

/* ---- frames in their place ---- */

#define ROUND(kind, type, least, most)                                                                                 \
    case kind:                                                                                                         \
        ((type *)out)[i] = (type)fmin(fmax(round(v), least), most);                                                    \
        break

static void put(penta_type type, void *out, size_t i, double v)
{
    switch (type) {
        ROUND(PENTA_U8, uint8_t, 0, UINT8_MAX);
        ROUND(PENTA_U16, uint16_t, 0, UINT16_MAX);
        ROUND(PENTA_I16, int16_t, INT16_MIN, INT16_MAX);
        ROUND(PENTA_U32, uint32_t, 0, UINT32_MAX);
        ROUND(PENTA_I32, int32_t, INT32_MIN, INT32_MAX);
    case PENTA_F32:
        ((float *)out)[i] = (float)v;
        break;
    default:
        ((double *)out)[i] = v;
    }
}

static void repair_frame(void *data, size_t n)
{
    const amend_camera *c = data;
    double light[AT_ONCE], w[4];
    size_t at[4];
    int count = amend_sources(c, n, at, w);

    for (size_t first = 0; first < c->s.pixels && c->made[n] != c->movie.frames[n]; first += AT_ONCE) {
        size_t some = pixels_from(c, first);
        double sum[AT_ONCE] = {0};

        for (int k = 0; k < count; k++) {
            survey_lights(&c->s, at[k], first, some, light);
            for (size_t i = 0; i < some; i++)
                sum[i] += w[k] * (light[i] - c->added[at[k]]) / (1 + c->gained[at[k]]);
        }
        for (size_t i = 0; i < some; i++)
            put(c->type, (void *)c->made[n], first + i, sum[i]);
    }
}

/* A camera's frames: the recording's own where they are in order, and have the type. */
static penta_status make_frames(amend_camera *c, penta_type type, const void ***frames, void **made)
{
    penta_status status = PENTA_OK;
    bool all = type != c->movie.type;
    size_t bad = 0, size, done = 0;

    for (size_t n = 0; n < c->s.frames; n++)
        bad += all || c->bad[n];
    TRY(penta_size(c->s.ctx, c->s.pixels, penta_type_size(type), 1, &size));
    TRY(penta_calloc(c->s.ctx, c->s.frames, sizeof **frames, frames));
    TRY(penta_calloc(c->s.ctx, bad, size, made));
    for (size_t n = 0; n < c->s.frames; n++)
        (*frames)[n] = all || c->bad[n] ? (char *)*made + size * done++ : c->movie.frames[n];
    c->made = *frames;
    c->type = type;
    TRY(penta_parallel_watched(c->s.ctx, c->s.frames, repair_frame, c));
cleanup:
    return status;
}

penta_status amend_recording(penta_context *ctx, const penta_recording *r, penta_amends *out)
{
    penta_status status = PENTA_OK;
    const void *const *frames[] = {r->movie.frames, r->movie.under};
    amend_camera cameras[2] = {{.block = NULL}};
    penta_type type = r->movie.type;

    for (int i = 0; i < 2 && frames[i]; i++) {
        amend_camera *c = &cameras[i];

        c->movie = (penta_movie){.type = type, .frames = frames[i]};
        c->s = (survey){ctx, r->width, r->height, r->frames, r->width * r->height, .movie = &c->movie};
        TRY(look_at(c, r->frame_rate_hz, out));
    }
    if (out->black + out->bright + out->repeated + out->flicker_count == 0)
        goto cleanup;
    if (out->flicker_count > 0) /* frames without it have fractions */
        type = type == PENTA_U32 || type == PENTA_I32 || type == PENTA_F64 ? PENTA_F64 : PENTA_F32;
    for (int i = 0; i < 2 && frames[i]; i++)
        TRY(make_frames(&cameras[i], type, &out->frames[i], &out->made[i]));
    out->movie = r->movie;
    out->movie.type = type;
    out->movie.frames = out->frames[0];
    out->movie.under = out->frames[1];
cleanup:
    for (int i = 0; i < 2; i++) {
        free(cameras[i].mean);
        free(cameras[i].bad);
    }
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
