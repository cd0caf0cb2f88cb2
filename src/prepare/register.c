/*
 * The series of frames that others are compared with. A frame is compared with the key, which is the first one until a
 * pattern that coarsens is no longer like it; then the last one becomes the key, and drifts add up.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/register.h"

#define PI 3.14159265358979323846

enum { NONE = -1, SLOTS = 6, LEAST_TOGETHER = 200 };

/* A frame kept beyond its batch: what is seen of it, its mask, and the spectrum, made when first asked for. */
typedef struct {
    penta_buffer seen, mask, spectrum;
    bool made, has_spectrum;
} slot;

/* All that changes from frame to frame. */
typedef struct {
    size_t frames; /* that were found */
    int key, last; /* slots */
    penta_drift key_drift, last_drift;
} series;

struct prepare_register {
    penta_context *ctx;
    prepare_shape shape;
    prepare_see see;
    prepare_finder *finder;
    prepare_turner *turner; /* NULL: no rotation */
    prepare_sums *sums;
    penta_kernel copy;
    penta_buffer seen, seen_mask; /* of the batch */
    slot slots[SLOTS];
    series now, marked;
    int last_in_batch;    /* the last frame is still this one of the batch; NONE: it is in its slot */
    prepare_match *match; /* of the batch against the key */
    prepare_match *some;
    prepare_candidates *found;
    float *largest;
};

int prepare_most_shift(int option, size_t pixels)
{
    return option > 0 ? option : (int)(3 * pixels / 4);
}

/* Pixels a side that become one before transforms. On CPUs those take longer than the sums that find the pixel then. */
static int together(const penta_context *ctx, const prepare_shape *shape)
{
    size_t side = shape->width < shape->height ? shape->width : shape->height;

    return penta_is_cpu(ctx) && side >= LEAST_TOGETHER && shape->settings->o.correlation == PENTA_PREPARE_PLAIN ? 2 : 1;
}

penta_status prepare_register_create(penta_context *ctx, const prepare_shape *shape, prepare_register **out)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &shape->settings->o;
    int most_x = prepare_most_shift(o->max_drift, shape->width),
        most_y = prepare_most_shift(o->max_drift, shape->height);
    prepare_register *r = NULL;

    *out = NULL;
    TRY(penta_calloc(ctx, 1, sizeof *r, &r));
    r->ctx = ctx;
    r->shape = *shape;
    prepare_register_rewind(r);
    prepare_register_mark(r);
    TRY(prepare_see_create(ctx, shape, &r->see));
    if (o->registration == PENTA_PREPARE_RIGID)
        TRY(prepare_turner_create(ctx, shape, most_x, most_y, &r->turner));
    TRY(prepare_finder_create(ctx, shape->settings, shape->width, shape->height, together(ctx, shape), most_x, most_y,
                              r->turner ? 1 : shape->batch, &r->finder));
    TRY(prepare_sums_create(ctx, shape, &r->sums));
    TRY(penta_kernel_get(ctx, "prepare/register.cl", "register_copy", "", &r->copy));
    TRY(penta_buffer_create(ctx, shape->batch * shape->width * shape->height * sizeof(float), &r->seen));
    TRY(penta_buffer_create(ctx, shape->batch * shape->width * shape->height, &r->seen_mask));
    TRY(penta_calloc(ctx, shape->batch, sizeof *r->match, &r->match));
    TRY(penta_calloc(ctx, shape->batch, sizeof *r->some, &r->some));
    TRY(penta_calloc(ctx, shape->batch, sizeof *r->found, &r->found));
    TRY(penta_calloc(ctx, shape->batch, sizeof *r->largest, &r->largest));
    *out = r;
    r = NULL;
cleanup:
    prepare_register_destroy(r);
    return status;
}

/* ---- frames that are kept ---- */

/* One that neither the series nor its mark needs. */
static int free_slot(const prepare_register *r)
{
    int i = 0;

    while (i == r->now.key || i == r->now.last || i == r->marked.key || i == r->marked.last)
        i++;
    return i;
}

static penta_status make_slot(prepare_register *r, slot *s)
{
    penta_status status = PENTA_OK;
    size_t pixels = r->shape.width * r->shape.height;

    s->has_spectrum = false;
    if (s->made)
        return PENTA_OK;
    TRY(penta_buffer_create(r->ctx, pixels * sizeof(float), &s->seen));
    TRY(penta_buffer_create(r->ctx, pixels, &s->mask));
    TRY(penta_buffer_create(r->ctx, prepare_finder_bytes(r->finder), &s->spectrum));
    s->made = true;
cleanup:
    if (status != PENTA_OK) {
        penta_buffer_release(&s->seen);
        penta_buffer_release(&s->mask);
    }
    return status;
}

/* A frame of the batch into a slot. */
static penta_status keep(prepare_register *r, int frame, int *kept)
{
    penta_status status = PENTA_OK;
    int i = free_slot(r);

    TRY(make_slot(r, &r->slots[i]));
    TRY(penta_launch(&r->copy, prepare_grid(r->ctx, r->shape.width, r->shape.height, 1),
                     ARGS(&r->seen, &r->seen_mask, &r->slots[i].seen, &r->slots[i].mask, (int)r->shape.width,
                          (int)r->shape.height, (int64_t)frame)));
    *kept = i;
cleanup:
    return status;
}

static penta_status keep_last(prepare_register *r)
{
    penta_status status = PENTA_OK;

    if (r->last_in_batch == NONE)
        return PENTA_OK;
    TRY(keep(r, r->last_in_batch, &r->now.last));
    r->last_in_batch = NONE;
cleanup:
    return status;
}

/* ---- comparisons ---- */

/* Candidates of frames from .. to - 1 of the batch. */
static penta_status find_shifts(prepare_register *r, slot *with, int from, int to)
{
    penta_status status = PENTA_OK;

    if (!with->has_spectrum)
        TRY(prepare_finder_spectrum(r->finder, &with->seen, 0, &with->spectrum));
    with->has_spectrum = true;
    TRY(prepare_finder_run(r->finder, &with->spectrum, &r->seen, (size_t)from, (size_t)(to - from), r->found + from,
                           r->largest + from));
cleanup:
    return status;
}

/* Frames from .. to - 1 of the batch, those to skip left out, with a kept one: match, by their numbers. */
static penta_status compare(prepare_register *r, int with, int from, int to, const bool *skip, prepare_match *match)
{
    penta_status status = PENTA_OK;
    slot *key = &r->slots[with];
    size_t n = 0;

    if (r->turner)
        TRY(prepare_turner_key(r->turner, &key->seen));
    else
        TRY(find_shifts(r, key, from, to));
    for (int i = from; i < to; i++) {
        if (skip[i])
            continue;
        r->some[n] = (prepare_match){.frame = i, .at = r->found[i]};
        if (r->turner)
            TRY(prepare_turner_run(r->turner, &r->seen, &r->some[n]));
        n++;
    }
    if (n > 0)
        TRY(prepare_fine_run(r->ctx, r->sums, &r->shape, &key->seen, &key->mask, &r->seen, &r->seen_mask, n, r->some));
    for (size_t i = 0; i < n; i++) {
        bool found = r->some[i].drift.score >= r->shape.settings->o.min_score;

        if (found && (r->turner || r->some[i].grows))
            TRY(prepare_rigid_run(r->sums, &r->shape, &key->seen, &key->mask, &r->seen, &r->seen_mask, r->some[i].frame,
                                  r->turner != NULL, &r->some[i].drift));
        match[r->some[i].frame] = r->some[i];
    }
cleanup:
    return status;
}

/* ---- the series ---- */

/* Where a frame lies that lies at `here` in one that lies at `key`. */
static penta_drift total(const penta_drift *key, const penta_drift *here)
{
    double a = here->angle * PI / 180, c = cos(a), s = sin(a);

    return (penta_drift){c * key->dx - s * key->dy + here->dx, s * key->dx + c * key->dy + here->dy,
                         key->angle + here->angle, here->score};
}

static void accept(prepare_register *r, int frame, const penta_drift *found, penta_drift *drift)
{
    *drift = total(&r->now.key_drift, found);
    r->now.frames++;
    r->now.last_drift = *drift;
    r->last_in_batch = frame;
}

static penta_status begin(prepare_register *r, int frame, penta_drift *drift)
{
    penta_status status = PENTA_OK;
    int kept;

    TRY(keep(r, frame, &kept));
    *drift = (penta_drift){0, 0, 0, 1};
    r->now = (series){1, kept, kept, *drift, *drift};
cleanup:
    return status;
}

/* A frame that is not much like the key: the last one becomes the key where it is more like that. */
static penta_status try_last(prepare_register *r, int frame, const bool *skip, bool *changed)
{
    penta_status status = PENTA_OK;
    double score = r->match[frame].drift.score;
    prepare_match before = r->match[frame];

    *changed = false;
    TRY(keep_last(r));
    if (r->now.last == r->now.key)
        return PENTA_OK;
    TRY(compare(r, r->now.last, frame, frame + 1, skip, r->match));
    *changed = r->match[frame].drift.score > score && r->match[frame].drift.score >= r->shape.settings->o.min_score;
    if (*changed) {
        r->now.key = r->now.last;
        r->now.key_drift = r->now.last_drift;
    } else {
        r->match[frame] = before;
    }
cleanup:
    return status;
}

penta_status prepare_register_run(prepare_register *r, prepare_batch *batch, const bool *skip, penta_drift *drift)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &r->shape.settings->o;
    int n = (int)batch->count, first = 0;

    r->last_in_batch = NONE;
    TRY(prepare_see_run(&r->see, batch, &r->seen, &r->seen_mask));
    while (first < n && skip[first])
        first++;
    if (first < n && r->now.frames == 0) {
        TRY(begin(r, first, &drift[first]));
        first++;
    }
    if (first < n)
        TRY(compare(r, r->now.key, first, n, skip, r->match));
    for (int i = first; i < n; i++) {
        bool changed = false;

        if (skip[i])
            continue;
        if (o->key_score > 0 && r->match[i].drift.score < o->key_score)
            TRY(try_last(r, i, skip, &changed));
        drift[i] = r->match[i].drift;
        if (drift[i].score >= o->min_score)
            accept(r, i, &r->match[i].drift, &drift[i]);
        if (changed && i + 1 < n)
            TRY(compare(r, r->now.key, i + 1, n, skip, r->match));
    }
    TRY(keep_last(r));
cleanup:
    return status;
}

void prepare_register_mark(prepare_register *r)
{
    r->marked = r->now;
}

void prepare_register_return(prepare_register *r)
{
    r->now = r->marked;
    r->last_in_batch = NONE;
}

void prepare_register_rewind(prepare_register *r)
{
    r->now = (series){0, NONE, NONE, {0, 0, 0, 0}, {0, 0, 0, 0}};
}

void prepare_register_destroy(prepare_register *r)
{
    if (!r)
        return;
    prepare_see_release(&r->see);
    prepare_finder_destroy(r->finder);
    prepare_turner_destroy(r->turner);
    prepare_sums_destroy(r->sums);
    penta_kernel_release(&r->copy);
    penta_buffer_release(&r->seen);
    penta_buffer_release(&r->seen_mask);
    for (int i = 0; i < SLOTS; i++) {
        penta_buffer_release(&r->slots[i].seen);
        penta_buffer_release(&r->slots[i].mask);
        penta_buffer_release(&r->slots[i].spectrum);
    }
    free(r->match);
    free(r->some);
    free(r->found);
    free(r->largest);
    free(r);
}

/* ---- going on later ---- */

/* What is seen of a kept frame, NaN where masked. */
static penta_status save_frame(prepare_register *r, slot *s, float **out)
{
    penta_status status = PENTA_OK;
    size_t pixels = r->shape.width * r->shape.height;
    float *seen = NULL;
    uint8_t *mask = NULL;

    TRY(penta_calloc(r->ctx, pixels, sizeof *seen, &seen));
    TRY(penta_calloc(r->ctx, pixels, 1, &mask));
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
    state->key_image = key;
    state->last_image = last;
    key = last = NULL;
cleanup:
    free(key);
    free(last);
    return status;
}

static penta_status restore_frame(prepare_register *r, const float *image, int *kept)
{
    penta_status status = PENTA_OK;
    size_t pixels = r->shape.width * r->shape.height;
    float *seen = NULL;
    uint8_t *mask = NULL;
    int i = free_slot(r);

    TRY(penta_calloc(r->ctx, pixels, sizeof *seen, &seen));
    TRY(penta_calloc(r->ctx, pixels, 1, &mask));
    for (size_t p = 0; p < pixels; p++) {
        if (isinf(image[p])) {
            status = penta_fail(r->ctx, PENTA_INVALID, "the saved series has a pixel that is infinite");
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

penta_status prepare_register_restore(prepare_register *r, const penta_prepare_state *state)
{
    penta_status status = PENTA_OK;

    prepare_register_rewind(r);
    prepare_register_mark(r);
    if (!state->key_image)
        return PENTA_OK;
    TRY(restore_frame(r, state->key_image, &r->now.key));
    r->now.last = r->now.key;
    if (state->last_image)
        TRY(restore_frame(r, state->last_image, &r->now.last));
    r->now.frames = state->frames;
    r->now.key_drift = state->key;
    r->now.last_drift = state->last;
    prepare_register_mark(r);
cleanup:
    if (status != PENTA_OK)
        prepare_register_rewind(r);
    return status;
}
