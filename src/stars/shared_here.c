/*
 * Members of one process see each other's lists. All stars are taken in chunks; of each chunk a member sorts a part
 * into the pinned memory of those that draw it, and while its device draws what has come, it sorts the next chunk. So a
 * device is sent the stars of its own rows, in the order of the lists.
 */
#include <stdlib.h>

#include "core/group.h"
#include "stars/shared.h"

/* Stars of a chunk, which is sorted while the one before is drawn. A CPU device would do both with the same cores, and
 * spend time in each batch on all pixels: there it is as large as possible. */
enum { CHUNK = 1 << 22 };

typedef struct {
    stars_shared *s;
    stars_parts parts;
    stars_sorting sorting;
    size_t pass, chunk, chunks;
    size_t next;                  /* the chunk that is shared next */
    bool stopped;                 /* by another member */
    size_t bad;                   /* the star for which this one stopped; SIZE_MAX: none */
    stars_landing *landings;      /* of all members */
    double *(*to)[STARS_COLUMNS]; /* of a chunk */
    size_t *at, *words;           /* of a chunk: where this member's stars go; what it tells */
    stars_word *said;
} sharing;

/* ---- chunks ---- */

/* Of a chunk the stars that a member sorts. */
static stars_range range_of(const sharing *h, size_t number, size_t members, size_t rank)
{
    stars_range r = {h->s->lists, h->s->members, number * h->chunk, h->chunk};
    size_t each, more;

    r.n = h->s->total - r.first < h->chunk ? h->s->total - r.first : h->chunk;
    each = r.n / members;
    more = r.n % members;
    r.first += rank * each + (rank < more ? rank : more);
    r.n = each + (rank < more);
    return r;
}

/* Tells the others this member's status and how many stars it has for each; *n: how many come here. */
static penta_status tell(sharing *h, penta_status own, size_t *n)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = h->s;
    size_t each = 1 + s->members, *all = NULL;

    h->words[0] = (size_t)own;
    for (size_t m = 0; m < s->members; m++)
        h->words[1 + m] = h->sorting.total[m];
    h->next++;
    TRY(penta_explain(s->plan->ctx,
                      penta_group_gather(s->group, h->words, each * sizeof *h->words, (void **)&all, NULL)));
    *n = 0;
    for (size_t m = 0; m < s->members; m++) {
        h->stopped = h->stopped || (m != s->rank && all[m * each] != (size_t)PENTA_OK);
        h->at[m] = 0;
        for (size_t q = 0; q < s->rank; q++)
            h->at[m] += all[q * each + 1 + m];
        *n += all[m * each + 1 + s->rank];
    }
cleanup:
    free(all);
    return status;
}

/* A stars_feed's batch. */
static penta_status share_chunk(void *data, size_t number, penta_stars_list *out)
{
    penta_status status = PENTA_OK;
    sharing *h = data;
    const stars_shared *s = h->s;
    stars_range own = range_of(h, number, s->members, s->rank);
    size_t n;

    stars_sorting_count(&h->sorting, &own);
    TRY(tell(h, PENTA_OK, &n));
    if (h->stopped)
        return penta_fail(s->plan->ctx, PENTA_CANCELLED, "another member has failed");
    for (size_t m = 0; m < s->members; m++)
        for (int c = 0; c < STARS_COLUMNS; c++)
            h->to[m][c] = h->landings[m].column[number % 2][c];
    stars_sorting_put(&h->sorting, (double *const(*)[STARS_COLUMNS])h->to, h->at);
    TRY(stars_shared_agree(s, (stars_word){PENTA_OK, SIZE_MAX}, NULL));
    *out = stars_shared_list(s, h->to[s->rank], n);
cleanup:
    return status;
}

static penta_status refuse(void *data, size_t number, size_t star)
{
    sharing *h = data;
    stars_range whole = range_of(h, number, 1, 0);

    h->bad = stars_sorting_find(&h->parts, h->pass, h->s->rank, &whole, star);
    return PENTA_INVALID;
}

/* ---- a pass ---- */

static penta_status draw_pass(sharing *h, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = h->s;
    const stars_feed feed = {.data = h,
                             .batches = h->chunks,
                             .most = s->total < h->chunk ? s->total : h->chunk,
                             .batch = share_chunk,
                             .refuse = refuse};
    size_t own, all, first, rows;
    penta_stars_result part = {0};
    penta_stars_list none;

    penta_group_slice(s->group, s->rank, s->plan->height, &own, &all);
    stars_part_rows(&h->parts, s->rank, h->pass, &first, &rows);
    h->next = 0;
    h->sorting.pass = h->pass;
    if (result->image)
        part.image = (char *)result->image + stars_frame_bytes(s->plan, first - own);
    if (rows > 0)
        TRY(stars_device_run_feed(s->device, &feed, s->weights, first, rows, &part));
    while (h->next < h->chunks)
        TRY(share_chunk(h, h->next, &none));
    result->drawn += part.drawn;
    result->flux_total += part.flux_total;
cleanup:
    return status;
}

/* A pass of all members. One that has failed says so at the next chunk, if there is one, and in the end; *less: some
 * members lacked memory, and nothing else went wrong. */
static penta_status share_pass(sharing *h, penta_stars_result *result, bool *less)
{
    const stars_shared *s = h->s;
    penta_status status = draw_pass(h, result);
    bool other = false;
    size_t n;

    if (h->stopped)
        status = PENTA_OK; /* the others have failed, who say so */
    else if (status != PENTA_OK && h->next < h->chunks)
        (void)tell(h, status, &n);
    status = stars_shared_agree(s, (stars_word){status, h->bad}, h->said);
    for (size_t m = 0; m < s->members; m++) {
        *less = *less || h->said[m].status == PENTA_MEMORY;
        other = other || (h->said[m].status != PENTA_MEMORY && h->said[m].status != PENTA_OK);
    }
    *less = *less && !other;
    return status;
}

/* ---- all passes ---- */

static void close_sharing(sharing *h)
{
    stars_sorting_free(&h->sorting);
    free(h->landings);
    free(h->to);
    free(h->at);
    free(h->words);
    free(h->said);
}

/* Room for two chunks, or for one where that is all. */
static penta_status fit_landing(penta_stars *plan, size_t room, bool two, bool moving)
{
    penta_status status = PENTA_OK;
    stars_landing *l = &plan->landing;

    if (l->room >= room && (l->moving || !moving) && (l->column[1][0] || !two))
        return PENTA_OK;
    penta_resources_release(&plan->landing_memory);
    *l = (stars_landing){0};
    for (int i = 0; i < 1 + two; i++)
        for (int c = 0; c < (moving ? STARS_COLUMNS : 3); c++)
            TRY(penta_resources_pinned(&plan->landing_memory, room * sizeof(double), &l->column[i][c]));
    l->room = room;
    l->moving = moving;
cleanup:
    return status;
}

static penta_status make_arrays(sharing *h)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = h->s;
    penta_context *ctx = s->plan->ctx;

    h->parts = (stars_parts){
        .height = s->plan->height, .members = s->members, .passes = h->parts.passes, .roi = s->plan->psf.roi};
    TRY(stars_sorting_make(ctx, &h->parts, h->chunk, s->members, s->moving, &h->sorting));
    TRY(penta_calloc(ctx, s->members, sizeof *h->to, &h->to));
    TRY(penta_calloc(ctx, s->members, sizeof *h->at, &h->at));
    TRY(penta_calloc(ctx, 1 + s->members, sizeof *h->words, &h->words));
    TRY(penta_calloc(ctx, s->members, sizeof *h->said, &h->said));
    TRY(fit_landing(s->plan, s->total < h->chunk ? s->total : h->chunk, h->chunks > 1, s->moving));
cleanup:
    return status;
}

/* How much members can take at a time: *passes and *chunk suit all. */
static penta_status find_sizes(const stars_shared *s, size_t *passes, size_t *chunk)
{
    penta_status status = PENTA_OK;
    size_t first, rows, most = stars_device_most_rows(s->device), *all = NULL;
    size_t own[2] = {1, stars_device_most_batch(s->device)}, wish = s->chunk ? s->chunk : CHUNK;

    penta_group_slice(s->group, s->rank, s->plan->height, &first, &rows);
    own[0] = rows > 0 ? (rows + most - 1) / most : 1;
    if ((s->chunk || !penta_is_cpu(s->plan->ctx)) && wish < own[1])
        own[1] = wish;
    TRY(penta_explain(s->plan->ctx, penta_group_gather(s->group, own, sizeof own, (void **)&all, NULL)));
    *passes = 1;
    *chunk = own[1];
    for (size_t m = 0; m < s->members; m++) {
        *passes = all[2 * m] > *passes ? all[2 * m] : *passes;
        *chunk = all[2 * m + 1] < *chunk ? all[2 * m + 1] : *chunk;
    }
cleanup:
    free(all);
    return status;
}

static penta_status open_sharing(stars_shared *s, sharing *h)
{
    penta_status status = PENTA_OK;

    *h = (sharing){.s = s, .bad = SIZE_MAX};
    TRY(find_sizes(s, &h->parts.passes, &h->chunk));
    h->chunks = (s->total + h->chunk - 1) / h->chunk;
    TRY(stars_shared_agree(s, (stars_word){make_arrays(h), SIZE_MAX}, NULL));
    TRY(penta_explain(s->plan->ctx, penta_group_gather(s->group, &s->plan->landing, sizeof s->plan->landing,
                                                       (void **)&h->landings, NULL)));
cleanup:
    return status;
}

static penta_status draw(stars_shared *s, penta_stars_result *result, bool *less)
{
    penta_status status = PENTA_OK;
    sharing h;

    result->drawn = 0;
    result->flux_total = 0;
    *less = false;
    TRY(open_sharing(s, &h));
    for (h.pass = 0; h.pass < h.parts.passes; h.pass++)
        TRY(share_pass(&h, result, less));
cleanup:
    close_sharing(&h);
    return status;
}

penta_status stars_shared_here(stars_shared *s, penta_stars_result *result)
{
    penta_status status;
    bool less;

    do {
        status = draw(s, result, &less);
        if (less && (status != PENTA_MEMORY || stars_device_ask_for_less(s->device)))
            status = PENTA_OK;
        if (less)
            status = stars_shared_agree(s, (stars_word){status, SIZE_MAX}, NULL);
    } while (less && status == PENTA_OK);
    return status;
}
