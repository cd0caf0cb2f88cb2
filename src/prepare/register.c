/*
 * Drifts of a series. Each frame is compared with the key, at first the first frame. When a coarsening pattern no
 * longer resembles the key, the last frame becomes the key, and drifts add up.
 */
#include <math.h>

#include "prepare/register_kept.h"

enum { LEAST_BINNED = 200 }; /* px, shorter side from which binning pays */
#define LIKE 0.95            /* a score below this may mean that the content has grown */
#define PI   3.14159265358979323846

/* Side of the squares of pixels that are binned into one before transforms. On CPUs the transforms cost more than the
 * sums that then find the exact pixel. */
static int binning(const penta_context *ctx, const prepare_shape *shape)
{
    bool pays = penta_is_cpu(ctx) && prepare_shorter_side(shape) >= LEAST_BINNED;

    return pays && shape->settings->o.correlation == PENTA_PREPARE_PLAIN ? 2 : 1;
}

penta_status prepare_register_create(penta_resources *own, const prepare_shape *shape, prepare_register **out)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &shape->settings->o;
    int most_x = prepare_most_shift(o->max_drift, shape->width),
        most_y = prepare_most_shift(o->max_drift, shape->height);
    prepare_register *r = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    r = *out;
    r->own = own;
    r->shape = *shape;
    prepare_register_rewind(r);
    prepare_register_mark(r);
    TRY(prepare_see_create(own, shape, &r->see));
    if (o->registration == PENTA_PREPARE_RIGID)
        TRY(prepare_turner_create(own, shape, most_x, most_y, &r->turner));
    TRY(prepare_finder_create(own, shape->settings, shape->width, shape->height, binning(own->ctx, shape), most_x,
                              most_y, r->turner ? 1 : shape->batch, &r->finder));
    TRY(prepare_sums_create(own, shape, &r->sums));
    TRY(penta_kernel_get(own, "prepare/register.cl", "register_copy", "", &r->copy));
    TRY(penta_buffer_create(own, shape->batch * shape->width * shape->height * sizeof(float), &r->seen));
    TRY(penta_buffer_create(own, shape->batch * shape->width * shape->height, &r->seen_mask));
    TRY(penta_calloc(own, shape->batch, sizeof *r->match, &r->match));
    TRY(penta_calloc(own, shape->batch, sizeof *r->some, &r->some));
    TRY(penta_calloc(own, shape->batch, sizeof *r->found, &r->found));
    TRY(penta_calloc(own, shape->batch, sizeof *r->largest, &r->largest));
cleanup:
    return status;
}

/* ---- comparisons ---- */

static penta_status need_spectrum(prepare_register *r, prepare_slot *key)
{
    penta_status status = PENTA_OK;

    if (!key->has_spectrum)
        TRY(prepare_finder_spectrum(r->finder, &key->seen, 0, &key->spectrum));
    key->has_spectrum = true;
cleanup:
    return status;
}

static penta_status need_periods(prepare_register *r, prepare_slot *key)
{
    penta_status status = PENTA_OK;
    const prepare_pair itself = {r->sums, &key->seen, &key->mask, &key->seen, &key->mask};
    prepare_candidates at;

    if (key->has_periods)
        return PENTA_OK;
    TRY(need_spectrum(r, key));
    TRY(prepare_finder_periods(r->finder, &key->spectrum, &key->seen, 0, &at));
    TRY(prepare_periods_find(&itself, &r->shape, &at, &key->periods));
    key->has_periods = true;
cleanup:
    return status;
}

/* Finds candidate shifts of frames from .. to - 1 of the batch. */
static penta_status find_shifts(prepare_register *r, prepare_slot *with, int from, int to)
{
    penta_status status = PENTA_OK;

    TRY(need_spectrum(r, with));
    TRY(prepare_finder_run(r->finder, &with->spectrum, &r->seen, (size_t)from, (size_t)(to - from), r->found + from,
                           r->largest + from));
cleanup:
    return status;
}

/* Finds angle and growth of a frame whose shift was found. */
static penta_status find_stretch(prepare_register *r, prepare_slot *key, prepare_match *m)
{
    penta_status status = PENTA_OK;
    const prepare_pair of = {r->sums, &key->seen, &key->mask, &r->seen, &r->seen_mask};

    if (!(m->drift.score >= r->shape.settings->o.min_score))
        return PENTA_OK;
    if (!r->turner && m->drift.score < LIKE)
        TRY(prepare_grow_run(&of, &r->shape, m, &m->grow));
    if (r->turner || m->grows || m->grow != 0)
        TRY(prepare_rigid_run(r->sums, &r->shape, &key->seen, &key->mask, &r->seen, &r->seen_mask, m->frame,
                              r->turner != NULL, &m->drift, &m->grow));
cleanup:
    return status;
}

/* Compares frames from .. to - 1 of the batch, except skipped ones, with a kept frame. match is indexed by frame
 * number. */
static penta_status compare(prepare_register *r, int with, int from, int to, const bool *skip, prepare_match *match)
{
    penta_status status = PENTA_OK;
    prepare_slot *key = &r->slots[with];
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
        TRY(prepare_fine_run(r->own->ctx, r->sums, &r->shape, &key->seen, &key->mask, &r->seen, &r->seen_mask, n,
                             r->some));
    for (size_t i = 0; i < n; i++) {
        TRY(find_stretch(r, key, &r->some[i]));
        match[r->some[i].frame] = r->some[i];
    }
cleanup:
    return status;
}

/* ---- the series ---- */

/* Turns (dx, dy) by the angle of `by` and multiplies it by 1 + grow. */
static void carry(const penta_drift *by, double grow, double *dx, double *dy)
{
    double a = by->angle * PI / 180, c = (1 + grow) * cos(a), s = (1 + grow) * sin(a), x = *dx, y = *dy;

    *dx = c * x - s * y;
    *dy = s * x + c * y;
}

/* Drift relative to the first frame of a frame that was found at `found` relative to a key whose drift is `key`. */
static penta_drift total(const penta_drift *key, const prepare_match *found)
{
    const penta_drift *here = &found->drift;
    double dx = key->dx, dy = key->dy;

    carry(here, found->grow, &dx, &dy);
    return (penta_drift){
        .dx = dx + here->dx, .dy = dy + here->dy, .angle = key->angle + here->angle, .score = here->score};
}

/* Drift of the last frame relative to the key; total() of it gives the last frame's drift. */
static penta_drift last_in_key(const prepare_series *s)
{
    penta_drift d = {.angle = s->last_drift.angle - s->key_drift.angle, .score = s->last_drift.score};
    double dx = s->key_drift.dx, dy = s->key_drift.dy;

    carry(&d, s->last_grow, &dx, &dy);
    d.dx = s->last_drift.dx - dx;
    d.dy = s->last_drift.dy - dy;
    return d;
}

/* The other drift of a frame that has one place in the key: that of a part which has moved otherwise, or by the key's
 * own other drift. */
static penta_status find_other(prepare_register *r, const prepare_pair *of, const prepare_match *found,
                               penta_drift *drift)
{
    penta_status status = PENTA_OK;
    penta_drift other = {.dx = r->now.key_drift.other_dx[0], .dy = r->now.key_drift.other_dy[0]};
    bool apart;

    TRY(prepare_moves_run(of, &r->shape, (size_t)r->see.border, found, &apart, drift->other_dx, drift->other_dy));
    other.angle = r->now.key_drift.angle;
    other = total(&other, found);
    drift->others = apart || r->now.key_drift.others > 0;
    drift->other_dx[0] = apart ? drift->dx + drift->other_dx[0] : other.dx;
    drift->other_dy[0] = apart ? drift->dy + drift->other_dy[0] : other.dy;
cleanup:
    return status;
}

/* Accepts a frame that was found in the key: computes its drift and its alternative drifts. */
static penta_status accept(prepare_register *r, int frame, const prepare_match *found, penta_drift *drift)
{
    penta_status status = PENTA_OK;
    prepare_slot *key = &r->slots[r->now.key];
    const prepare_pair of = {r->sums, &key->seen, &key->mask, &r->seen, &r->seen_mask};
    penta_drift here = found->drift;

    *drift = total(&r->now.key_drift, found);
    TRY(need_periods(r, key));
    TRY(prepare_periods_try(&of, &r->shape, &key->periods, frame, found->grow, &here));
    drift->others = here.others;
    for (size_t i = 0; i < here.others; i++) {
        drift->other_dx[i] = here.other_dx[i] + drift->dx - here.dx;
        drift->other_dy[i] = here.other_dy[i] + drift->dy - here.dy;
    }
    if (here.others == 0)
        TRY(find_other(r, &of, found, drift));
    drift->score /= (double)(1 + drift->others);
    r->now.frames++;
    r->now.last_drift = *drift;
    r->now.last_grow = found->grow;
    r->last_in_batch = frame;
cleanup:
    return status;
}

static penta_status begin(prepare_register *r, int frame, penta_drift *drift)
{
    penta_status status = PENTA_OK;
    int kept;

    TRY(prepare_keep(r, frame, &kept));
    *drift = (penta_drift){.score = 1};
    r->now = (prepare_series){1, kept, kept, *drift, *drift, 0};
cleanup:
    return status;
}

/* Copies the last frame into a slot, unless it is already in one. */
static penta_status keep_last(prepare_register *r)
{
    penta_status status = PENTA_OK;

    if (r->last_in_batch == PREPARE_NO_SLOT)
        return PENTA_OK;
    TRY(prepare_keep(r, r->last_in_batch, &r->now.last));
    r->last_in_batch = PREPARE_NO_SLOT;
cleanup:
    return status;
}

/* Compares a frame with the key again, starting from its position relative to the last frame. A pattern that has grown
 * since the key may match there. */
static penta_status try_key_again(prepare_register *r, int frame, const prepare_match *in_last, prepare_match *out)
{
    penta_status status = PENTA_OK;
    prepare_slot *key = &r->slots[r->now.key];
    penta_drift last = last_in_key(&r->now);

    *out = *in_last;
    out->drift = total(&last, in_last);
    out->grow = (1 + r->now.last_grow) * (1 + in_last->grow) - 1;
    out->drift.score = -1;
    if (out->grow != 0)
        TRY(prepare_rigid_run(r->sums, &r->shape, &key->seen, &key->mask, &r->seen, &r->seen_mask, frame,
                              r->turner != NULL, &out->drift, &out->grow));
cleanup:
    return status;
}

/* For a frame that resembles the key too little: looks for it by way of the last frame. If that fails, the last frame
 * becomes the key, provided the frame resembles it more. */
static penta_status try_last(prepare_register *r, int frame, const bool *skip, bool *changed)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &r->shape.settings->o;
    prepare_match before = r->match[frame], again;

    *changed = false;
    TRY(keep_last(r));
    if (r->now.last == r->now.key)
        return PENTA_OK;
    TRY(compare(r, r->now.last, frame, frame + 1, skip, r->match));
    if (!(r->match[frame].drift.score > before.drift.score && r->match[frame].drift.score >= o->min_score)) {
        r->match[frame] = before;
        return PENTA_OK;
    }
    TRY(try_key_again(r, frame, &r->match[frame], &again));
    *changed = !(again.drift.score >= o->key_score);
    if (*changed) {
        r->now.key = r->now.last;
        r->now.key_drift = r->now.last_drift;
        r->now.last_grow = 0;
    } else {
        r->match[frame] = again;
    }
cleanup:
    return status;
}

penta_status prepare_register_run(prepare_register *r, prepare_batch *batch, const bool *skip, penta_drift *drift)
{
    penta_status status = PENTA_OK;
    const penta_prepare_options *o = &r->shape.settings->o;
    int n = (int)batch->count, first = 0;

    r->last_in_batch = PREPARE_NO_SLOT;
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
            TRY(accept(r, i, &r->match[i], &drift[i]));
        if (changed && i + 1 < n)
            TRY(compare(r, r->now.key, i + 1, n, skip, r->match));
    }
    TRY(keep_last(r));
cleanup:
    return status;
}
