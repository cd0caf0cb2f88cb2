/* Members of different processes: each sorts its own stars into a message to each of the others, which draws its rows
 * from those that come, in the order of their senders. */
#include <stdlib.h>
#include <string.h>

#include "stars/shared.h"

/* Arrays have one entry a member. */
typedef struct {
    stars_shared *s;
    stars_parts parts;
    double **sent; /* columns one behind the other */
    void **came;
    size_t *sent_bytes, *came_bytes;
    size_t *at; /* zeros */
    double *(*to)[STARS_COLUMNS];
    double *drawn;                 /* the columns of all that came */
    double *column[STARS_COLUMNS]; /* in drawn */
} mail;

static size_t columns_of(const stars_shared *s)
{
    return s->moving ? STARS_COLUMNS : 3;
}

static penta_status make_arrays(mail *m)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = m->s;
    penta_context *ctx = s->plan->ctx;

    m->parts = (stars_parts){.height = s->plan->height, .members = s->members, .passes = 1, .roi = s->plan->psf.roi};
    TRY(penta_calloc(ctx, s->members, sizeof *m->sent, &m->sent));
    TRY(penta_calloc(ctx, s->members, sizeof *m->came, &m->came));
    TRY(penta_calloc(ctx, s->members, sizeof *m->sent_bytes, &m->sent_bytes));
    TRY(penta_calloc(ctx, s->members, sizeof *m->came_bytes, &m->came_bytes));
    TRY(penta_calloc(ctx, s->members, sizeof *m->at, &m->at));
    TRY(penta_calloc(ctx, s->members, sizeof *m->to, &m->to));
cleanup:
    return status;
}

static void drop_sent(mail *m)
{
    for (size_t i = 0; m->sent && i < m->s->members; i++) {
        free(m->sent[i]);
        m->sent[i] = NULL;
    }
}

static void close_mail(mail *m)
{
    drop_sent(m);
    for (size_t i = 0; m->came && i < m->s->members; i++)
        free(m->came[i]);
    free(m->sent);
    free(m->came);
    free(m->sent_bytes);
    free(m->came_bytes);
    free(m->at);
    free(m->to);
    free(m->drawn);
}

static penta_status sort_own(mail *m)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = m->s;
    const penta_stars_list *own = &s->lists[s->rank];
    const stars_range all = {own, 1, 0, own->n};
    stars_sorting sorting = {0};

    TRY(make_arrays(m));
    TRY(stars_sorting_make(s->plan->ctx, &m->parts, own->n, 1, s->moving, &sorting));
    stars_sorting_count(&sorting, &all);
    for (size_t i = 0; i < s->members; i++) {
        m->sent_bytes[i] = sorting.total[i] * columns_of(s) * sizeof(double);
        TRY(penta_calloc(s->plan->ctx, m->sent_bytes[i], 1, &m->sent[i]));
        for (size_t c = 0; c < columns_of(s); c++)
            m->to[i][c] = m->sent[i] + c * sorting.total[i];
    }
    stars_sorting_put(&sorting, (double *const(*)[STARS_COLUMNS])m->to, m->at);
cleanup:
    stars_sorting_free(&sorting);
    return status;
}

/* What this member draws of its own stars stays where it is. */
static penta_status exchange(mail *m)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = m->s;
    size_t own = m->sent_bytes[s->rank];

    m->sent_bytes[s->rank] = 0;
    TRY(penta_explain(s->plan->ctx, penta_group_exchange(s->group, (const void *const *)m->sent, m->sent_bytes, m->came,
                                                         m->came_bytes)));
    m->came[s->rank] = m->sent[s->rank];
    m->came_bytes[s->rank] = own;
    m->sent[s->rank] = NULL;
    drop_sent(m);
cleanup:
    return status;
}

static size_t count_of(const mail *m, size_t sender)
{
    return m->came_bytes[sender] / (columns_of(m->s) * sizeof(double));
}

/* Piece i: a column of a sender. */
static void copy_column(void *data, size_t i)
{
    const mail *m = data;
    size_t columns = columns_of(m->s), sender = i / columns, c = i % columns, at = 0, n = count_of(m, sender);

    for (size_t k = 0; k < sender; k++)
        at += count_of(m, k);
    if (n > 0)
        memcpy(m->column[c] + at, (const double *)m->came[sender] + c * n, n * sizeof(double));
}

/* One list of what came, which is freed. */
static penta_status join(mail *m, penta_stars_list *out)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = m->s;
    size_t columns = columns_of(s), n = 0;

    for (size_t i = 0; i < s->members; i++)
        n += count_of(m, i);
    TRY(penta_calloc(s->plan->ctx, n * columns, sizeof *m->drawn, &m->drawn));
    for (size_t c = 0; c < columns; c++)
        m->column[c] = m->drawn + c * n;
    penta_parallel(s->members * columns, copy_column, m);
    for (size_t i = 0; i < s->members; i++) {
        free(m->came[i]);
        m->came[i] = NULL;
    }
    *out = stars_shared_list(s, m->column, n);
cleanup:
    return status;
}

static penta_status draw(mail *m, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    const stars_shared *s = m->s;
    penta_stars_list list;
    size_t first, rows;

    TRY(join(m, &list));
    penta_group_slice(s->group, s->rank, s->plan->height, &first, &rows);
    if (rows > 0)
        TRY(stars_device_run_weighed(s->device, &list, s->weights, first, rows, result));
cleanup:
    return status;
}

penta_status stars_shared_apart(stars_shared *s, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    mail m = {.s = s};

    TRY(stars_shared_agree(s, (stars_word){sort_own(&m), SIZE_MAX}, NULL));
    TRY(exchange(&m));
    TRY(stars_shared_agree(s, (stars_word){draw(&m, result), SIZE_MAX}, NULL));
cleanup:
    close_mail(&m);
    return status;
}
