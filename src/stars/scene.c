/* From stars to the list that shows them during an exposure, and the counts of stars of such a list. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/plan.h"

/* What a scene owns; its public arrays point here. */
typedef struct {
    penta_resources resources;
    size_t n;
    size_t *which;
    double *x, *y, *magnitude;
    penta_star_trail *trails;
    double *flux;
    stars_pieces pieces;
} memory;

/* ---- pieces instead of stars ---- */

/* Weighs the pieces by the stars' fluxes and makes a list of them. whole: the scene's stars. */
static penta_status draw_pieces(penta_stars *plan, const penta_stars_list *whole, memory *m, penta_stars_scene *out)
{
    const stars_pieces *p = &m->pieces;
    penta_status status = PENTA_OK;

    TRY(penta_explain(plan->ctx, penta_calloc(&m->resources, whole->n, sizeof *m->flux, &m->flux)));
    TRY(penta_stars_fluxes(plan, whole, m->flux, NULL));
    stars_pieces_weigh(&m->pieces, m->flux);
    out->flux = m->flux;
    out->owner = p->owner;
    out->list = (penta_stars_list){
        .n = p->n, .x = p->x, .y = p->y, .flux = p->flux, .motion_x = p->motion_x, .motion_y = p->motion_y};
cleanup:
    return status;
}

/* Its failures are those of a function without a context. */
static penta_status new_memory(memory **out)
{
    penta_status status = PENTA_OK;

    TRY(penta_plan_alloc(NULL, out));
    TRY(penta_own_struct(&(*out)->resources, &(*out)->pieces, stars_pieces_free));
cleanup:
    return status;
}

/* ---- by pixel ---- */

static bool moves_far(const penta_stars_list *stars, double longest)
{
    for (size_t i = 0; stars->motion_x && i < stars->n; i++)
        if (hypot(stars->motion_x[i], stars->motion_y[i]) > longest)
            return true;
    return false;
}

static penta_status cut_lines(const stars_frame *frame, const penta_stars_list *s, stars_pieces *pieces)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < s->n; i++)
        TRY(stars_pieces_line(pieces, frame, i, s->x[i], s->y[i], s->motion_x[i], s->motion_y[i]));
cleanup:
    return status;
}

penta_status penta_stars_scene_by_pixel(penta_stars *plan, const penta_stars_list *stars, penta_stars_scene *out)
{
    penta_status status = PENTA_OK;
    stars_frame frame = stars_frame_of(plan);

    *out = (penta_stars_scene){0};
    TRY(stars_check_list(plan, stars));
    out->n = stars->n;
    out->x = stars->x;
    out->y = stars->y;
    out->magnitude = stars->magnitude;
    out->motion_x = stars->motion_x;
    out->motion_y = stars->motion_y;
    out->list = *stars;
    if (moves_far(stars, frame.longest)) {
        penta_stars_list whole = *stars;
        memory *m = NULL;

        whole.motion_x = whole.motion_y = NULL;
        status = new_memory(&m);
        out->memory = m;
        TRY(penta_explain(plan->ctx, status));
        TRY(penta_explain(plan->ctx, cut_lines(&frame, stars, &m->pieces)));
        TRY(draw_pieces(plan, &whole, m, out));
    }
cleanup:
    if (status != PENTA_OK)
        penta_stars_scene_free(out);
    return status;
}

/* ---- on the sky ---- */

/* Stars that may come into the frame: within its cap, widened by as much as the camera turns. */
static penta_status find_near(const penta_stars_sky *stars, const penta_sky_index *index, const penta_sky_view *view,
                              double swing, int roi, memory *m)
{
    penta_status status = PENTA_OK;
    double ra, dec, radius;
    size_t count = 0;

    TRY(penta_sky_bounds(view, 0.5 * roi + 1, &ra, &dec, &radius));
    radius = fmin(radius + swing, 180);
    TRY(penta_sky_index_query(index, ra, dec, radius, 0, NULL, &count));
    TRY(penta_calloc(&m->resources, count, sizeof *m->which, &m->which));
    TRY(penta_calloc(&m->resources, count, sizeof *m->x, &m->x));
    TRY(penta_calloc(&m->resources, count, sizeof *m->y, &m->y));
    TRY(penta_calloc(&m->resources, count, sizeof *m->magnitude, &m->magnitude));
    TRY(penta_sky_index_query(index, ra, dec, radius, count, m->which, &count));
    for (size_t i = 0; i < count; i++)
        if (m->which[i] >= stars->n)
            TRY(penta_fail(NULL, PENTA_INVALID, "the index has more than the %zu stars on the sky", stars->n));
    m->n = count;
cleanup:
    return status;
}

/* Positions in the middle of the exposure; of a still camera's stars those in or near the frame remain. */
static penta_status project(const penta_stars_sky *stars, const penta_sky_view *view, bool still, int roi,
                            const double *ra, const double *dec, memory *m)
{
    penta_status status = PENTA_OK;
    bool *visible = NULL;
    size_t kept = 0;

    TRY(penta_calloc(NULL, m->n, sizeof *visible, &visible));
    TRY(penta_sky_project(view, m->n, ra, dec, 0.5 * roi + 1, m->x, m->y, visible));
    for (size_t i = 0; i < m->n; i++) {
        if (still && !visible[i])
            continue;
        m->x[kept] = m->x[i];
        m->y[kept] = m->y[i];
        m->magnitude[kept] = stars->magnitude[m->which[i]];
        m->which[kept++] = m->which[i];
    }
    m->n = kept;
cleanup:
    free(visible);
    return status;
}

/* Keeps the stars that have pieces, which come in the order of their stars. One without an image in the middle of the
 * exposure is said to be where its first piece is. */
static void keep_cut(memory *m)
{
    size_t kept = 0, last = SIZE_MAX;

    for (size_t i = 0; i < m->pieces.n; i++) {
        size_t star = m->pieces.owner[i];

        if (star != last) {
            bool seen = isfinite(m->x[star]) && isfinite(m->y[star]);

            m->which[kept] = m->which[star];
            m->magnitude[kept] = m->magnitude[star];
            m->trails[kept] = m->trails[star];
            m->x[kept] = seen ? m->x[star] : m->pieces.x[i];
            m->y[kept++] = seen ? m->y[star] : m->pieces.y[i];
            last = star;
        }
        m->pieces.owner[i] = kept - 1;
    }
    m->n = kept;
}

/* The stars near the frame and, of a camera that turns, their pieces. view: in the middle of the exposure. */
static penta_status find_stars(const penta_stars_sky *stars, const penta_sky_index *index, const penta_sky_view *view,
                               const penta_attitude_path *path, const stars_frame *frame, memory *m)
{
    bool still = !path || path->n == 1;
    double *ra = NULL, *dec = NULL;
    penta_status status = PENTA_OK;

    TRY(find_near(stars, index, view, still ? 0 : penta_attitude_path_swing(path), frame->roi, m));
    TRY(penta_calloc(NULL, m->n, sizeof *ra, &ra));
    TRY(penta_calloc(NULL, m->n, sizeof *dec, &dec));
    for (size_t i = 0; i < m->n; i++) {
        ra[i] = stars->ra[m->which[i]];
        dec[i] = stars->dec[m->which[i]];
    }
    TRY(project(stars, view, still, frame->roi, ra, dec, m));
    if (!still) {
        TRY(penta_calloc(&m->resources, m->n, sizeof *m->trails, &m->trails));
        TRY(stars_pieces_path(&m->pieces, frame, &view->camera, path, m->n, ra, dec, m->trails));
        keep_cut(m);
    }
cleanup:
    free(ra);
    free(dec);
    return status;
}

static penta_status check_sky(const penta_stars *plan, const penta_stars_sky *stars, const penta_sky_view *view,
                              const penta_attitude_path *path)
{
    if (!stars || !view || (stars->n > 0 && (!stars->ra || !stars->dec || !stars->magnitude)))
        return penta_fail(plan->ctx, PENTA_INVALID, "a scene on the sky needs ra, dec, magnitude and a view");
    if (view->width != plan->width || view->height != plan->height)
        return penta_fail(plan->ctx, PENTA_INVALID, "the view has %zu x %zu px, the plan %zu x %zu", view->width,
                          view->height, plan->width, plan->height);
    if (path && path->n == 0)
        return penta_fail(plan->ctx, PENTA_INVALID, "a path of attitudes is empty");
    if (!path || path->n == 1)
        return PENTA_OK;
    if (view->kind == PENTA_SKY_WCS)
        return penta_fail(plan->ctx, PENTA_INVALID, "a camera that a WCS describes cannot turn");
    return stars_check_motion(plan->ctx, &plan->options);
}

/* The view in the middle of the exposure. */
static penta_status middle_view(const penta_sky_view *view, const penta_attitude_path *path, penta_sky_view *out)
{
    penta_status status = PENTA_OK;
    penta_attitude attitude;

    *out = *view;
    if (!path || view->kind == PENTA_SKY_WCS)
        return PENTA_OK;
    TRY(penta_attitude_path_at(path, 0.5, &attitude));
    TRY(penta_sky_view_from_camera(&attitude, &view->camera, out));
cleanup:
    return status;
}

static void publish(memory *m, penta_stars_scene *out)
{
    out->n = m->n;
    out->which = m->which;
    out->x = m->x;
    out->y = m->y;
    out->magnitude = m->magnitude;
    out->trails = m->trails;
    out->list = (penta_stars_list){.n = m->n, .x = m->x, .y = m->y, .magnitude = m->magnitude};
}

penta_status penta_stars_scene_on_sky(penta_stars *plan, const penta_stars_sky *stars, const penta_sky_view *view,
                                      const penta_attitude_path *path, penta_stars_scene *out)
{
    stars_frame frame = stars_frame_of(plan);
    penta_sky_index *index = NULL;
    penta_status status = PENTA_OK;
    penta_sky_view middle;
    memory *m = NULL;

    *out = (penta_stars_scene){0};
    status = new_memory(&m);
    out->memory = m;
    TRY(penta_explain(plan->ctx, status));
    TRY(check_sky(plan, stars, view, path));
    if (!stars->index)
        TRY(penta_explain(plan->ctx, penta_sky_index_create(stars->n, stars->ra, stars->dec, &index)));
    TRY(penta_explain(plan->ctx, middle_view(view, path, &middle)));
    TRY(penta_explain(plan->ctx, find_stars(stars, index ? index : stars->index, &middle, path, &frame, m)));
    publish(m, out);
    if (m->trails)
        TRY(draw_pieces(plan, &out->list, m, out));
cleanup:
    penta_sky_index_destroy(index);
    if (status != PENTA_OK)
        penta_stars_scene_free(out);
    return status;
}

/* ---- reading a scene ---- */

penta_star_trail penta_stars_scene_trail(const penta_stars_scene *s, size_t star)
{
    double x = s->x[star], y = s->y[star], mx, my;

    if (s->trails)
        return s->trails[star];
    mx = s->motion_x ? s->motion_x[star] : 0;
    my = s->motion_y ? s->motion_y[star] : 0;
    return (penta_star_trail){x, y, x - mx / 2, y - my / 2, x + mx / 2, y + my / 2};
}

size_t penta_stars_scene_owner(const penta_stars_scene *scene, size_t i)
{
    return scene->owner ? scene->owner[i] : i;
}

void penta_stars_scene_free(penta_stars_scene *scene)
{
    penta_plan_free((memory *)scene->memory);
    *scene = (penta_stars_scene){0};
}

/* ---- drawing ---- */

penta_status penta_stars_draw(penta_stars *plan, const penta_stars_scene *scene, penta_stars_result *result)
{
    return penta_stars_draw_rows(plan, scene, 0, plan->height, result);
}

void penta_stars_scene_count(const penta_stars_scene *scene, penta_stars_result *result)
{
    size_t last = scene->n;

    result->drawn = 0;
    result->flux_total = 0;
    for (size_t i = 0; i < scene->list.n; i++) { /* pieces of one star follow one another */
        size_t star = scene->owner[i];

        if (star != last) {
            result->drawn++;
            result->flux_total += scene->flux[star];
        }
        last = star;
    }
}

penta_status penta_stars_draw_rows(penta_stars *plan, const penta_stars_scene *scene, size_t first, size_t rows,
                                   penta_stars_result *result)
{
    penta_status status = PENTA_OK;

    TRY(penta_stars_run_rows(plan, &scene->list, first, rows, result));
    if (scene->owner)
        penta_stars_scene_count(scene, result);
cleanup:
    return status;
}
