/* Each member makes the stars of the frame for itself, and draws as many rows as the others; the first joins them. */
#define _POSIX_C_SOURCE 200809L
#include "stars/rows.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include "shared/ranks.h"
#include "stars/scene.h"

/* Of the first member. */
typedef struct {
    stars_run *run;
    const penta_attitude_path *path;
    const penta_sky_view *view;
    const penta_stars_scene *scene;
    penta_stars_result *result;
    penta_group *group;
    double since; /* for ranks_lose_patience */
} shared_frame;

typedef struct {
    const stars_run *run;
    const penta_attitude_path *path;
    const penta_sky_view *view;
    penta_group *group;
} worker;

/* The rows of a piece. */
typedef struct {
    uint64_t drawn;
    double flux_total;
    char pixels[];
} drawn_rows;

static size_t row_bytes(const stars_run *run)
{
    bool dbl = run->request.stars.precision == PENTA_PRECISION_DOUBLE;

    return run->optics.width * (dbl ? sizeof(double) : sizeof(float));
}

static penta_status draw_rows(const worker *w, size_t first, size_t rows, drawn_rows **out)
{
    const stars_run *run = w->run;
    penta_stars_scene scene = {0};
    penta_stars_result result = {0};
    penta_status status = stars_make_scene(run, w->path, w->view, &scene);

    *out = status == PENTA_OK ? malloc(sizeof **out + rows * row_bytes(run)) : NULL;
    if (*out)
        result.image = (*out)->pixels;
    if (status == PENTA_OK)
        status = *out ? penta_stars_draw_rows(run->plan, &scene, first, rows, &result) : PENTA_MEMORY;
    if (status == PENTA_OK)
        (*out)->drawn = result.drawn, (*out)->flux_total = result.flux_total;
    penta_stars_scene_free(&scene);
    return status;
}

/* Piece i is the slice of rank i, whoever draws it. */
static penta_status draw_piece(void *member, size_t piece, void **result)
{
    const worker *w = member;
    size_t first, rows;
    drawn_rows *drawn = NULL;
    penta_status status;

    penta_group_slice(w->group, piece, w->run->optics.height, &first, &rows);
    status = draw_rows(w, first, rows, &drawn);
    *result = drawn;
    if (status == PENTA_OK)
        return status;
    *result = ranks_own_text(drawn ? penta_last_error(w->run->job.ctx) : "out of memory for rows of the frame");
    free(drawn);
    return status;
}

static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    const shared_frame *f = user;
    drawn_rows *drawn = result;
    size_t first, rows, bytes = row_bytes(f->run);

    penta_group_slice(f->group, piece, f->run->optics.height, &first, &rows);
    memcpy((char *)f->result->image + first * bytes, drawn->pixels, rows * bytes);
    f->result->drawn = f->scene->owner ? drawn->drawn : f->result->drawn + drawn->drawn;
    f->result->flux_total = f->scene->owner ? drawn->flux_total : f->result->flux_total + drawn->flux_total;
    f->run->job.shares[rank] += rows;
    free(drawn);
    return PENTA_OK;
}

static void drop_piece(void *user, void *result)
{
    (void)user;
    free(result);
}

/* frame: of the first member, else NULL. */
static penta_hand_out describe(worker *w, shared_frame *frame)
{
    size_t size = penta_group_size(w->group), height = w->run->optics.height;
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = size < height ? size : height; /* slices are longer by one row in front, so none of these is empty */
    h.member = w;
    h.user = frame;
    h.work = draw_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    return h;
}

/* ---- several devices ---- */

static penta_status run_member(penta_group *group, void *data)
{
    shared_frame *f = data;
    size_t rank = penta_group_rank(group);
    worker me = {rank == 0 ? f->run : &f->run->others[rank - 1], f->path, f->view, group};
    penta_hand_out h = describe(&me, f);

    if (rank == 0)
        f->group = group;
    return penta_group_hand_out(group, &h);
}

/* ---- several ranks ---- */

static penta_status pack_piece(void *member, size_t piece, void *result, void **bytes, size_t *size)
{
    const worker *w = member;
    size_t first, rows;

    penta_group_slice(w->group, piece, w->run->optics.height, &first, &rows);
    *bytes = result;
    *size = sizeof(drawn_rows) + rows * row_bytes(w->run);
    return PENTA_OK;
}

static penta_status unpack_piece(void *user, size_t piece, const void *bytes, size_t size, void **result)
{
    (void)user, (void)piece;
    *result = malloc(size);
    if (!*result)
        return PENTA_MEMORY;
    memcpy(*result, bytes, size);
    return PENTA_OK;
}

static penta_status look_for_signal(void *user)
{
    shared_frame *f = user;

    return ranks_lose_patience(&f->since) ? PENTA_CANCELLED : PENTA_OK;
}

static penta_status run_rank(worker *w, shared_frame *frame)
{
    penta_hand_out h = describe(w, frame);

    h.pack = pack_piece;
    h.unpack = unpack_piece;
    h.poll = look_for_signal;
    return penta_group_hand_out(w->group, &h);
}

penta_status stars_rows_help(const stars_run *run, const penta_attitude_path *path, const penta_sky_view *view)
{
    worker me = {run, path, view, ranks_group()};

    return run_rank(&me, NULL);
}

penta_status stars_rows_draw(stars_run *run, const penta_attitude_path *path, const penta_sky_view *view,
                             const penta_stars_scene *scene, penta_stars_result *result)
{
    shared_frame f = {.run = run, .path = path, .view = view, .scene = scene, .result = result, .group = ranks_group()};
    worker me = {run, path, view, ranks_group()};

    result->drawn = 0;
    result->flux_total = 0;
    result->engine = run->request.stars.engine == PENTA_STARS_FIXED ? "fixed" : "pixel";
    return ranks_size() > 1 ? run_rank(&me, &f) : penta_group_threads(run->job.members, run_member, &f);
}
