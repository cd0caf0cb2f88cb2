/* Each member draws as many rows of the frame as the others, of stars of which each brings a part. */
#define _POSIX_C_SOURCE 200809L
#include "stars/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include <pentacl/group_transport.h>
#include "shared/ranks.h"

/* What a member tells of its rows. */
typedef struct {
    penta_status status;
    size_t drawn;
    double flux_total;
    char text[512]; /* of an error */
} rows_told;

static size_t row_bytes(const stars_run *run)
{
    bool dbl = run->request.stars.precision == PENTA_PRECISION_DOUBLE;

    return run->optics.width * (dbl ? sizeof(double) : sizeof(float));
}

static size_t slice_bytes(const stars_run *run, const penta_group *group, size_t rank)
{
    size_t first, rows;

    penta_group_slice(group, rank, run->optics.height, &first, &rows);
    return rows * row_bytes(run);
}

/* Draws this member's rows. */
static void draw_rows(const stars_run *run, penta_group *group, const penta_stars_scene *scene, void *rows,
                      rows_told *told)
{
    penta_stars_list list = scene->list;
    penta_stars_result result = {.image = rows};
    size_t first, n;

    penta_group_slice(group, penta_group_rank(group), list.n, &first, &n);
    if (!run->source.divided)
        list = penta_stars_list_part(&list, first, n);
    *told = (rows_told){.status = penta_stars_run_shared(run->plan, group, &list, &result)};
    told->drawn = result.drawn;
    told->flux_total = result.flux_total;
    if (told->status != PENTA_OK)
        snprintf(told->text, sizeof told->text, "%s", penta_last_error(run->job.ctx));
}

/* Of a scene in pieces the stars are counted, not these. told: of all members. */
static void sum_up(const penta_stars_scene *scene, const rows_told *told, size_t members, penta_stars_result *result)
{
    result->drawn = 0;
    result->flux_total = 0;
    for (size_t i = 0; i < members; i++) {
        result->drawn += told[i].drawn;
        result->flux_total += told[i].flux_total;
    }
    if (scene->owner)
        penta_stars_scene_count(scene, result);
}

/* ---- several devices ---- */

/* Of the first member. */
typedef struct {
    stars_run *run;
    const penta_stars_scene *scene;
    penta_stars_result *result;
    rows_told *told; /* one a member */
} shared_frame;

static penta_status run_member(penta_group *group, void *data)
{
    const shared_frame *f = data;
    size_t rank = penta_group_rank(group), first, *rows = &f->run->job.shares[rank];
    const stars_run *run = rank == 0 ? f->run : &f->run->others[rank - 1];
    rows_told *told = &f->told[rank];

    penta_group_slice(group, rank, run->optics.height, &first, rows);
    draw_rows(run, group, f->scene, (char *)f->result->image + first * row_bytes(run), told);
    return told->status == PENTA_OK ? PENTA_OK : penta_group_fail(told->status, told->text);
}

static penta_status draw_by_threads(stars_run *run, const penta_stars_scene *scene, penta_stars_result *result)
{
    size_t members = run->job.members;
    rows_told *told = calloc(members, sizeof *told);
    shared_frame f = {run, scene, result, told};
    penta_status status = told ? penta_group_threads(members, run_member, &f)
                               : penta_group_fail(PENTA_MEMORY, "out of memory for a frame by several devices");

    if (status == PENTA_OK)
        sum_up(scene, told, members, result);
    free(told);
    return status;
}

/* ---- several ranks ---- */

/* The error of the first rank that has one of its own, with its name. */
static penta_status first_failure(const rows_told *told)
{
    const rows_told *worst = NULL;

    for (size_t i = 0; i < ranks_size(); i++)
        if (told[i].status != PENTA_OK && (!worst || worst->status == PENTA_CANCELLED))
            worst = worst && told[i].status == PENTA_CANCELLED ? worst : &told[i];
    return worst ? penta_group_fail(worst->status, worst->text) : PENTA_OK;
}

/* What this rank has drawn to all others; *all: one a rank, to be freed. */
static penta_status tell(rows_told *own, rows_told **all)
{
    penta_status status;

    if (own->status != PENTA_OK) {
        char *text = ranks_own_text(own->text);

        snprintf(own->text, sizeof own->text, "%s", text ? text : "out of memory");
        free(text);
    }
    status = penta_group_gather(ranks_group(), own, sizeof *own, (void **)all, NULL);
    return status == PENTA_OK ? first_failure(*all) : status;
}

/* Rank 0 puts the rows of the others behind its own. */
static penta_status send_rows(const stars_run *run, const void *rows, void *frame)
{
    size_t size = ranks_size(), at = 0;
    const void **data = calloc(size, sizeof *data);
    void **came = calloc(size, sizeof *came);
    size_t *bytes = calloc(2 * size, sizeof *bytes);
    penta_status status = PENTA_MEMORY;

    if (data && came && bytes) {
        data[0] = rows;
        bytes[0] = ranks_rank() > 0 ? slice_bytes(run, ranks_group(), ranks_rank()) : 0;
        status = penta_group_exchange(ranks_group(), data, bytes, came, bytes + size);
        at = slice_bytes(run, ranks_group(), 0);
    } else {
        status = penta_group_fail(PENTA_MEMORY, "out of memory for rows of the frame");
    }
    for (size_t i = 1; status == PENTA_OK && frame && i < size; at += bytes[size + i++])
        if (came[i])
            memcpy((char *)frame + at, came[i], bytes[size + i]);
    for (size_t i = 0; came && i < size; i++)
        free(came[i]);
    free(data);
    free(came);
    free(bytes);
    return status;
}

/* frame: of rank 0, into which it draws. *all: as tell. */
static penta_status draw_in_ranks(const stars_run *run, const penta_stars_scene *scene, void *frame, rows_told **all)
{
    void *rows = frame ? frame : malloc(slice_bytes(run, ranks_group(), ranks_rank()) + 1);
    rows_told own = {.status = rows ? PENTA_OK : PENTA_MEMORY, .text = "out of memory for rows of the frame"};
    penta_status status = tell(&own, all);

    if (status == PENTA_OK) {
        free(*all);
        *all = NULL;
        draw_rows(run, ranks_group(), scene, rows, &own);
        status = tell(&own, all);
    }
    if (status == PENTA_OK)
        status = send_rows(run, rows, frame);
    if (!frame)
        free(rows);
    return status;
}

penta_status stars_rows_help(const stars_run *run, const penta_stars_scene *scene)
{
    rows_told *told = NULL;
    penta_status status = draw_in_ranks(run, scene, NULL, &told);

    free(told);
    return status;
}

static penta_status draw_with_ranks(stars_run *run, const penta_stars_scene *scene, penta_stars_result *result)
{
    rows_told *told = NULL;
    penta_status status = draw_in_ranks(run, scene, result->image, &told);

    if (status == PENTA_OK)
        sum_up(scene, told, ranks_size(), result);
    for (size_t i = 0; i < ranks_size(); i++) {
        size_t first;

        penta_group_slice(ranks_group(), i, run->optics.height, &first, &run->job.shares[i]);
    }
    free(told);
    return status;
}

penta_status stars_rows_draw(stars_run *run, const penta_stars_scene *scene, penta_stars_result *result)
{
    result->engine = run->request.stars.engine == PENTA_STARS_FIXED ? "fixed" : "pixel";
    return ranks_size() > 1 ? draw_with_ranks(run, scene, result) : draw_by_threads(run, scene, result);
}
