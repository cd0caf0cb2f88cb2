/*
 * Statistics of a stream of pixels. It is cut every `capacity` pixels, whatever the calls that brought them, so that
 * the sums of each slab and the order in which moments.c merges them are the same for any pieces. Two slabs alternate:
 * while the covariance of one runs, the other is filled. Its sums are read in line with its kernels, not behind the
 * next pixels, and go into the moments while those are still on their way. Then its memory takes the next pixels, or,
 * where pixels are kept, stays as it is and the next ones get memory of their own.
 */
#include <math.h>
#include <stdlib.h>

#include "pca/pca.h"

/* ---- slabs that stay on the device, in the order of the stream ---- */

/* Zero-initialise; kept_release releases. */
typedef struct {
    uint64_t room;      /* bytes that all slabs of the stream may take; 0: none is kept */
    bool on;            /* none is missing yet */
    pca_slab *slabs;    /* full and closed; those from `count` to `made` are memory for further ones */
    size_t count, made; /* `made` includes `count` */
    size_t places;
} kept_slabs;

/* To be called before the first pixels. Memory of earlier slabs is used again. */
static void kept_begin(kept_slabs *k)
{
    k->count = 0;
    k->on = k->room > 0;
}

/* Drops all slabs. heir: a slab that gets the memory of one of them if it has none; or NULL. */
static void kept_drop(kept_slabs *k, pca_slab *heir)
{
    for (size_t i = 0; i < k->made; i++)
        if (heir && !heir->pitch) {
            *heir = k->slabs[i];
            pca_slab_clear(heir);
        } else {
            pca_slab_release(&k->slabs[i]);
        }
    free(k->slabs);
    k->slabs = NULL;
    k->count = k->made = k->places = 0;
    k->on = false;
}

static void kept_release(kept_slabs *k)
{
    kept_drop(k, NULL);
}

static bool have_place(kept_slabs *k)
{
    size_t places = 2 * k->places + 4;
    pca_slab *slabs;

    if (k->count < k->places)
        return true;
    slabs = realloc(k->slabs, places * sizeof *slabs);
    if (!slabs)
        return false;
    k->slabs = slabs;
    k->places = places;
    return true;
}

/* Takes over a full slab and gives the memory of another one, or an empty slab, for it. Without host memory all kept
 * slabs are dropped, and this one stays with the caller. */
static void kept_put(kept_slabs *k, pca_slab *slab)
{
    pca_slab spare = {0};

    if (!have_place(k)) {
        kept_drop(k, NULL);
        return;
    }
    if (k->count < k->made)
        spare = k->slabs[k->count];
    else
        k->made++;
    k->slabs[k->count++] = *slab;
    *slab = spare;
}

/* ---- the stream ---- */

typedef struct {
    pca_slab slab;
    penta_buffer gram, sums;
    double *host_gram, *host_sums, *host_shift; /* pinned: what was read of the slab */
    uint64_t first;                             /* pixel of the stream with which the slab begins */
    bool running;                               /* full, its covariance enqueued and not yet read */
} slot;

struct pca_stream {
    penta_resources resources;
    pca_stream_setup setup;
    penta_type type; /* of slabs */
    slot slots[2];
    int filling;
    uint64_t first;  /* pixel of the stream with which the slab that is filled begins */
    uint64_t pixels; /* taken so far */
    kept_slabs kept;
    pca_place place; /* of all rows, with those pixels that are not of the stream */
    void *state;     /* of the covariance engine */
    pca_moments *moments;
    bool has_open; /* the sums of the slab that is filled were read: `open` */
    pca_sums open;
};

/* ---- making and releasing ---- */

static penta_status create_parts(pca_stream *s)
{
    penta_status status = PENTA_OK;
    const pca_stream_setup *u = &s->setup;
    const pca_shape shape = {u->bands, u->capacity, s->type, pca_real_type(u->type, u->precision)};

    TRY(penta_own_struct(&s->resources, &s->kept, kept_release));
    for (int i = 0; i < 2; i++)
        TRY(penta_own_struct(&s->resources, &s->slots[i].slab, pca_slab_release));
    TRY(pca_moments_create(u->ctx, u->bands, pca_is_exact(s->type), &s->moments));
    TRY(penta_own(&s->resources, &s->moments, pca_moments_destroy));
    TRY(u->choice.engine->create(u->ctx, &shape, u->choice.cov, &s->state));
    TRY(penta_own(&s->resources, &s->state, pca_state_free));
cleanup:
    return status;
}

penta_status pca_stream_create(const pca_stream_setup *setup, pca_stream **out)
{
    penta_status status = PENTA_OK;
    pca_stream *s = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(setup->ctx, &s));
    s->setup = *setup;
    s->type = setup->differences ? PENTA_F64 : setup->type;
    TRY(create_parts(s));
    pca_stream_reset(s);
    *out = s;
    s = NULL;
cleanup:
    pca_stream_destroy(s);
    return status;
}

void pca_stream_destroy(pca_stream *s)
{
    penta_plan_free(s);
}

void pca_stream_reset(pca_stream *s)
{
    for (int i = 0; i < 2; i++) {
        pca_slab_clear(&s->slots[i].slab);
        s->slots[i].running = false;
    }
    s->filling = 0;
    s->first = s->pixels = 0;
    s->place = (pca_place){0};
    s->has_open = false;
    kept_begin(&s->kept);
    pca_moments_begin(s->moments, s->setup.start / s->setup.capacity);
}

/* ---- memory ---- */

void pca_stream_keep(pca_stream *s, uint64_t bytes)
{
    s->kept.room = bytes;
    kept_begin(&s->kept);
}

bool pca_stream_has_kept(const pca_stream *s)
{
    return s->kept.on;
}

static penta_status make_slab(const pca_stream *s, pca_slab *out)
{
    const pca_stream_setup *u = &s->setup;

    return pca_slab_create(u->ctx, u->bands, u->capacity, s->type, out);
}

/* A driver may take memory only when it is first used, which is here, where there is a way out. Not by a kernel: the
 * pixels would wait for those before it. */
static penta_status make_spare_slab(const pca_stream *s, pca_slab *out)
{
    static const uint32_t zero;
    penta_status status = PENTA_OK;

    TRY(make_slab(s, out));
    TRY(penta_buffer_write(&out->data, 0, &zero, sizeof zero));
cleanup:
    if (status != PENTA_OK)
        pca_slab_release(out);
    return status;
}

/* Whether the slab that is filled and those before it may all stay. */
static bool may_keep(const pca_stream *s)
{
    const pca_stream_setup *u = &s->setup;
    uint64_t slab = (uint64_t)u->capacity * (u->bands * penta_type_size(s->type) + 1);

    return s->first / u->capacity + 1 <= s->kept.room / slab;
}

/* A stream of one slab takes the memory of one. Where keeping needs more than there is, nothing is kept. */
static penta_status have_slab(pca_stream *s, pca_slab *slab)
{
    penta_status status = PENTA_OK;

    if (s->kept.on && !may_keep(s))
        kept_drop(&s->kept, slab);
    if (s->kept.on && !slab->pitch) {
        status = make_spare_slab(s, slab);
        if (status == PENTA_MEMORY)
            kept_drop(&s->kept, slab);
        else
            TRY(status);
    }
    if (!slab->pitch)
        TRY(make_slab(s, slab));
cleanup:
    return status;
}

/* A buffer for sums, which are read to *host. */
static penta_status have_sums(pca_stream *s, size_t count, penta_buffer *sums, double **host)
{
    penta_status status = PENTA_OK;

    if (!sums->mem)
        TRY(penta_buffer_create(&s->resources, count * sizeof(double), sums));
    penta_buffer_put_in_line(sums);
    if (!*host)
        TRY(penta_resources_pinned(&s->resources, sums->bytes, host));
cleanup:
    return status;
}

static penta_status have_slot(pca_stream *s, slot *t)
{
    penta_status status = PENTA_OK;
    const pca_stream_setup *u = &s->setup;

    TRY(have_slab(s, &t->slab));
    TRY(have_sums(s, u->bands * u->bands, &t->gram, &t->host_gram));
    TRY(have_sums(s, u->bands, &t->sums, &t->host_sums));
    if (!t->host_shift)
        TRY(penta_resources_pinned(&s->resources, t->sums.bytes, &t->host_shift));
cleanup:
    return status;
}

/* ---- slabs ---- */

/* The slab has a number that is not finite, or sums that are not since numbers are too large for them. */
static penta_status fail_number(pca_stream *s, slot *t)
{
    size_t band = 0, pixel = 0;
    penta_status status = pca_slab_find_bad(s->setup.loader, &t->slab, &band, &pixel);

    return status == PENTA_INVALID ? pca_fail_number(s->setup.ctx, &s->place, band, s->setup.start + t->first + pixel)
                                   : status;
}

static bool are_finite(const pca_stream *s, const slot *t)
{
    size_t bands = s->setup.bands;

    for (size_t i = 0; i < bands; i++)
        if (!isfinite(t->host_gram[i * bands + i]) || !isfinite(t->host_sums[i]) || !isfinite(t->host_shift[i]))
            return false;
    return true;
}

/* Enqueued. */
static penta_status read_sums(slot *t)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_read_async(&t->gram, 0, t->host_gram, t->gram.bytes));
    TRY(penta_buffer_read_async(&t->sums, 0, t->host_sums, t->sums.bytes));
    TRY(penta_buffer_read_async(&t->slab.shift, 0, t->host_shift, t->sums.bytes));
cleanup:
    return status;
}

/* Closes the slab that is filled, and enqueues its covariance and the reading of its sums. Numbers that are not finite
 * show there, so that the pixels need not be read once more for them. */
static penta_status start(pca_stream *s, slot *t)
{
    penta_status status = PENTA_OK;
    penta_status closed = pca_slab_close(s->setup.loader, &t->slab, !pca_is_exact(s->type), NULL, NULL);

    t->first = s->first;
    if (closed == PENTA_INVALID)
        return fail_number(s, t);
    TRY(closed);
    if (t->slab.valid > 0) {
        TRY(s->setup.choice.engine->run(s->state, &t->slab, &t->gram, &t->sums));
        TRY(read_sums(t));
    }
cleanup:
    return status;
}

/* Waits for the slab's sums. */
static penta_status await_sums(pca_stream *s, slot *t, pca_sums *out)
{
    penta_status status = PENTA_OK;

    *out = (pca_sums){t->slab.valid, t->host_shift, t->host_sums, t->host_gram};
    if (t->slab.valid == 0)
        return PENTA_OK;
    TRY(penta_buffer_wait(&t->gram));
    TRY(penta_buffer_wait(&t->sums));
    TRY(penta_buffer_wait(&t->slab.shift));
    if (!s->setup.differences && !are_finite(s, t))
        TRY(fail_number(s, t));
cleanup:
    return status;
}

/* A full slab's sums into the moments; the slot can be filled again. */
static penta_status collect(pca_stream *s, slot *t)
{
    penta_status status = PENTA_OK;
    pca_sums sums;

    if (!t->running)
        return PENTA_OK;
    TRY(await_sums(s, t, &sums));
    TRY(pca_moments_add(s->moments, &sums));
    if (s->kept.on)
        kept_put(&s->kept, &t->slab);
    pca_slab_clear(&t->slab);
    t->running = false;
cleanup:
    return status;
}

/* The slab that is filled is full. */
static penta_status turn(pca_stream *s)
{
    penta_status status = PENTA_OK;
    slot *full = &s->slots[s->filling], *other = &s->slots[1 - s->filling];

    TRY(start(s, full));
    full->running = true;
    TRY(collect(s, other));
    s->filling = 1 - s->filling;
    s->first += s->setup.capacity;
cleanup:
    return status;
}

/* The next of `left` pixels, as many as make the slab full; in place where they can be used as they lie and need not be
 * kept. */
static penta_status put(pca_stream *s, pca_slab *slab, const penta_cube_rows *rows, size_t at, size_t left,
                        size_t *count)
{
    penta_status status = PENTA_OK;
    pca_loader *loader = s->setup.loader;

    *count = 0;
    if (!s->kept.on && !s->setup.differences && left >= slab->pitch)
        TRY(pca_slab_lend(loader, slab, rows, at, count));
    if (*count > 0)
        return PENTA_OK;
    *count = slab->pitch - slab->pixels < left ? slab->pitch - slab->pixels : left;
    TRY(pca_slab_append(loader, slab, rows, at, *count, s->setup.differences));
cleanup:
    return status;
}

penta_status pca_stream_add(pca_stream *s, const penta_cube_rows *rows, size_t first, size_t pixels)
{
    penta_status status = PENTA_OK;

    pca_pass(&s->place, rows);
    s->has_open = false;
    s->pixels += pixels;
    for (size_t at = 0, count; at < pixels; at += count) {
        slot *t = &s->slots[s->filling];

        TRY(have_slot(s, t));
        TRY(put(s, &t->slab, rows, first + at, pixels - at, &count));
        if (pca_slab_is_full(&t->slab))
            TRY(turn(s));
    }
    if (s->slots[1 - s->filling].slab.lent) /* the rows are the caller's again */
        TRY(collect(s, &s->slots[1 - s->filling]));
cleanup:
    return status;
}

/* ---- results ---- */

/* Closing a slab writes its padding and what is left out of it, which the next pixels and the next closing write
 * again. */
penta_status pca_stream_pixels(pca_stream *s, uint64_t *pixels)
{
    penta_status status = PENTA_OK;
    slot *t = &s->slots[s->filling];

    *pixels = 0;
    TRY(collect(s, &s->slots[1 - s->filling]));
    s->open = (pca_sums){0};
    if (t->slab.pixels > 0) {
        TRY(start(s, t));
        TRY(await_sums(s, t, &s->open));
    }
    s->has_open = true;
    *pixels = pca_moments_pixels(s->moments) + s->open.pixels;
cleanup:
    return status;
}

penta_status pca_stream_slab(pca_stream *s, uint64_t pixel, pca_slab **slab, size_t *at)
{
    penta_status status = PENTA_OK;
    uint64_t pixels, i;

    if (!s->has_open)
        TRY(pca_stream_pixels(s, &pixels));
    if (!s->kept.on || pixel < s->setup.start || pixel - s->setup.start >= s->pixels)
        return penta_fail(s->setup.ctx, PENTA_INTERNAL, "pixel %llu is not kept", (unsigned long long)pixel);
    pixel -= s->setup.start;
    i = pixel / s->setup.capacity;
    *slab = i < s->kept.count ? &s->kept.slabs[i] : &s->slots[s->filling].slab;
    *at = (size_t)(pixel % s->setup.capacity);
cleanup:
    return status;
}

penta_status pca_stream_result(pca_stream *s, int ddof, double *mean, double *covariance)
{
    if (!s->has_open)
        return penta_fail(s->setup.ctx, PENTA_INTERNAL, "the stream's pixels were not counted");
    return pca_moments_result(s->moments, s->open.pixels > 0 ? &s->open : NULL, ddof, mean, covariance);
}

/* The open slab is one of the moments' then; it stays where it is for those who ask for pixels. */
penta_status pca_stream_collect(pca_stream *s, penta_group *group, uint64_t *pixels)
{
    penta_status status = PENTA_OK;

    if (s->slots[s->filling].slab.pixels > 0)
        TRY(pca_moments_add(s->moments, &s->open));
    s->open = (pca_sums){0};
    TRY(pca_moments_collect(s->moments, group));
    *pixels = pca_moments_pixels(s->moments);
cleanup:
    return status;
}
