/* Frames of a series kept beyond their batch, the key and the last one; marks, saves and loads the series. */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_kept.h"

/* A slot that neither the series nor its mark uses. */
static int free_slot(const prepare_register *r)
{
    int i = 0;

    while (i == r->now.key || i == r->now.last || i == r->marked.key || i == r->marked.last)
        i++;
    return i;
}

static penta_status make_slot(prepare_register *r, prepare_slot *s)
{
    penta_status status = PENTA_OK;
    size_t pixels = r->shape.width * r->shape.height;

    s->has_spectrum = s->has_periods = false;
    if (s->made)
        return PENTA_OK;
    TRY(penta_buffer_create(r->own, pixels * sizeof(float), &s->seen));
    TRY(penta_buffer_create(r->own, pixels, &s->mask));
    TRY(penta_buffer_create(r->own, prepare_finder_bytes(r->finder), &s->spectrum));
    s->made = true;
cleanup:
    return status;
}

penta_status prepare_keep(prepare_register *r, int frame, int *kept)
{
    penta_status status = PENTA_OK;
    int i = free_slot(r);

    TRY(make_slot(r, &r->slots[i]));
    TRY(penta_launch(&r->copy, prepare_grid(r->own->ctx, r->shape.width, r->shape.height, 1),
                     ARGS(&r->seen, &r->seen_mask, &r->slots[i].seen, &r->slots[i].mask, (int)r->shape.width,
                          (int)r->shape.height, (int64_t)frame)));
    *kept = i;
cleanup:
    return status;
}

/* ---- mark and return ---- */

void prepare_register_mark(prepare_register *r)
{
    r->marked = r->now;
}

void prepare_register_return(prepare_register *r)
{
    r->now = r->marked;
    r->last_in_batch = PREPARE_NO_SLOT;
}

void prepare_register_rewind(prepare_register *r)
{
    r->now = (prepare_series){.key = PREPARE_NO_SLOT, .last = PREPARE_NO_SLOT};
}

/* ---- save and load ---- */

/* Reads the filtered image of a kept frame, NaN where masked. */
static penta_status save_frame(prepare_register *r, prepare_slot *s, float **out)
{
    penta_status status = PENTA_OK;
    size_t pixels = r->shape.width * r->shape.height;
    float *seen = NULL;
    uint8_t *mask = NULL;

    TRY(penta_calloc(r->own->ctx, pixels, sizeof *seen, &seen));
    TRY(penta_calloc(r->own->ctx, pixels, 1, &mask));
    TRY(penta_buffer_read(&s->seen, 0, seen, pixels * sizeof *seen));
    TRY(penta_buffer_read(&s->mask, 0, mask, pixels));
    for (size_t p = 0; p < pixels; p++)
        if (!mask[p])
            seen[p] = NAN;
    *out = seen;
    seen = NULL;
cleanup:
    free(seen);
    free(mask);
    return status;
}

penta_status prepare_register_save(prepare_register *r, penta_prepare_state *state)
{
    penta_status status = PENTA_OK;
    float *key = NULL, *last = NULL;

    if (r->now.frames > 0)
        TRY(save_frame(r, &r->slots[r->now.key], &key));
    if (r->now.last != r->now.key)
        TRY(save_frame(r, &r->slots[r->now.last], &last));
    state->frames = r->now.frames;
    state->key = r->now.key_drift;
    state->last = r->now.last_drift;
    state->last_grow = r->now.last_grow;
    state->key_image = key;
    state->last_image = last;
    key = last = NULL;
cleanup:
    free(key);
    free(last);
    return status;
}

static penta_status load_frame(prepare_register *r, const float *image, int *kept)
{
    penta_status status = PENTA_OK;
    size_t pixels = r->shape.width * r->shape.height;
    float *seen = NULL;
    uint8_t *mask = NULL;
    int i = free_slot(r);

    TRY(penta_calloc(r->own->ctx, pixels, sizeof *seen, &seen));
    TRY(penta_calloc(r->own->ctx, pixels, 1, &mask));
    for (size_t p = 0; p < pixels; p++) {
        if (isinf(image[p])) {
            status = penta_fail(r->own->ctx, PENTA_INVALID, "the saved series has a pixel that is infinite");
            goto cleanup;
        }
        mask[p] = !isnan(image[p]);
        seen[p] = mask[p] ? image[p] : 0;
    }
    TRY(make_slot(r, &r->slots[i]));
    TRY(penta_buffer_write(&r->slots[i].seen, 0, seen, pixels * sizeof *seen));
    TRY(penta_buffer_write(&r->slots[i].mask, 0, mask, pixels));
    *kept = i;
cleanup:
    free(seen);
    free(mask);
    return status;
}

penta_status prepare_register_load(prepare_register *r, const penta_prepare_state *state)
{
    penta_status status = PENTA_OK;

    prepare_register_mark(r);
    prepare_register_rewind(r);
    if (state->key_image) {
        TRY(load_frame(r, state->key_image, &r->now.key));
        r->now.last = r->now.key;
        if (state->last_image)
            TRY(load_frame(r, state->last_image, &r->now.last));
        r->now.frames = state->frames;
        r->now.key_drift = state->key;
        r->now.last_drift = state->last;
        r->now.last_grow = state->last_grow;
    }
    prepare_register_mark(r);
cleanup:
    if (status != PENTA_OK)
        prepare_register_return(r);
    return status;
}
