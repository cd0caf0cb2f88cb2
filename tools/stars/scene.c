#include "stars/scene.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static bool library_failed(const penta_context *ctx, penta_io_error *err)
{
    return penta_io_fail(err, "%.500s", penta_last_error(ctx));
}

/* Draws the pieces instead of the stars. */
static bool draw_pieces(star_scene *s, penta_context *ctx, penta_stars *plan, penta_io_error *err)
{
    const penta_stars_list whole = {.n = s->n, .x = s->x, .y = s->y, .magnitude = s->mag};

    s->flux = malloc((s->n + 1) * sizeof *s->flux);
    if (!s->flux)
        return penta_io_fail(err, "out of memory for %zu stars", s->n);
    if (penta_stars_fluxes(plan, &whole, s->flux, NULL) != PENTA_OK)
        return library_failed(ctx, err);
    star_pieces_weigh(&s->pieces, s->flux);
    s->list = (penta_stars_list){.n = s->pieces.n,
                                 .x = s->pieces.x,
                                 .y = s->pieces.y,
                                 .flux = s->pieces.flux,
                                 .motion_x = s->pieces.motion_x,
                                 .motion_y = s->pieces.motion_y};
    return true;
}

/* ---- by pixel ---- */

static bool moves_far(const star_source *source, double longest)
{
    for (size_t i = 0; source->motion_x && i < source->n; i++)
        if (hypot(source->motion_x[i], source->motion_y[i]) > longest)
            return true;
    return false;
}

bool star_scene_by_pixel(const star_source *source, const star_frame_size *frame, penta_context *ctx, penta_stars *plan,
                         star_scene *out, penta_io_error *err)
{
    *out = (star_scene){.n = source->n,
                        .x = source->x,
                        .y = source->y,
                        .mag = source->mag,
                        .motion_x = source->motion_x,
                        .motion_y = source->motion_y};
    out->list = (penta_stars_list){.n = source->n,
                                   .x = source->x,
                                   .y = source->y,
                                   .magnitude = source->mag,
                                   .motion_x = source->motion_x,
                                   .motion_y = source->motion_y};
    if (!moves_far(source, frame->longest))
        return true;
    for (size_t i = 0; i < source->n; i++)
        if (!star_pieces_line(&out->pieces, frame, i, source->x[i], source->y[i], source->motion_x[i],
                              source->motion_y[i])) {
            star_scene_close(out);
            return penta_io_fail(err, "out of memory for star trails");
        }
    if (draw_pieces(out, ctx, plan, err))
        return true;
    star_scene_close(out);
    return false;
}

/* ---- on the sky ---- */

/* Stars that may come into the frame: within its cap, widened by as much as the camera turns. */
static bool find_near(const star_source *source, const penta_sky_view *view, double swing, int roi, star_scene *out,
                      penta_io_error *err)
{
    double ra, dec, radius;
    size_t count = 0;

    if (penta_sky_bounds(view, 0.5 * roi + 1, &ra, &dec, &radius) != PENTA_OK)
        return library_failed(NULL, err);
    radius = fmin(radius + swing, 180);
    if (penta_sky_index_query(source->index, ra, dec, radius, 0, NULL, &count) != PENTA_OK)
        return library_failed(NULL, err);
    out->n = count;
    out->which = malloc((count + 1) * sizeof *out->which);
    out->x = malloc((count + 1) * sizeof *out->x);
    out->y = malloc((count + 1) * sizeof *out->y);
    out->mag = malloc((count + 1) * sizeof *out->mag);
    if (!out->which || !out->x || !out->y || !out->mag)
        return penta_io_fail(err, "out of memory for %zu stars", count);
    return penta_sky_index_query(source->index, ra, dec, radius, count, out->which, &count) == PENTA_OK ||
           library_failed(NULL, err);
}

/* The middle of the exposure; of a still camera's stars those in or near the frame remain. */
static bool project(const star_source *source, const penta_sky_view *view, bool still, int roi, const double *ra,
                    const double *dec, star_scene *out, penta_io_error *err)
{
    bool *visible = malloc((out->n + 1) * sizeof *visible);
    size_t kept = 0;

    if (!visible)
        return penta_io_fail(err, "out of memory for %zu stars", out->n);
    if (penta_sky_project(view, out->n, ra, dec, 0.5 * roi + 1, out->x, out->y, visible) != PENTA_OK) {
        free(visible);
        return library_failed(NULL, err);
    }
    for (size_t i = 0; i < out->n; i++) {
        if (still && !visible[i])
            continue;
        out->x[kept] = out->x[i];
        out->y[kept] = out->y[i];
        out->mag[kept] = source->mag[out->which[i]];
        out->which[kept++] = out->which[i];
    }
    out->n = kept;
    free(visible);
    return true;
}

/* Keeps the stars that have pieces, which come in the order of their stars. One without an image in the middle of the
 * exposure is said to be where its first piece is. */
static void keep_cut(star_scene *s)
{
    size_t kept = 0, last = SIZE_MAX;

    for (size_t i = 0; i < s->pieces.n; i++) {
        size_t star = s->pieces.owner[i];

        if (star != last) {
            bool seen = isfinite(s->x[star]) && isfinite(s->y[star]);

            s->which[kept] = s->which[star];
            s->mag[kept] = s->mag[star];
            s->ways[kept] = s->ways[star];
            s->x[kept] = seen ? s->x[star] : s->pieces.x[i];
            s->y[kept++] = seen ? s->y[star] : s->pieces.y[i];
            last = star;
        }
        s->pieces.owner[i] = kept - 1;
    }
    s->n = kept;
}

static bool fill(const star_source *source, const star_optics *optics, const star_path *path,
                 const star_frame_size *frame, const penta_sky_view *view, const double *ra, const double *dec,
                 star_scene *out, penta_io_error *err)
{
    bool still = path->n == 1;

    if (!project(source, view, still, frame->roi, ra, dec, out, err))
        return false;
    if (still)
        return true;
    out->ways = malloc((out->n + 1) * sizeof *out->ways);
    return (out->ways || penta_io_fail(err, "out of memory for %zu stars", out->n)) &&
           star_pieces_path(&out->pieces, frame, optics, path, out->n, ra, dec, out->ways, err);
}

bool star_scene_on_sky(const star_source *source, const star_optics *optics, const star_path *path,
                       const star_frame_size *frame, penta_context *ctx, penta_stars *plan, star_scene *out,
                       penta_io_error *err)
{
    penta_attitude middle = star_path_at(path, 0.5);
    penta_sky_view view;
    double *ra = NULL, *dec = NULL;
    bool ok;

    *out = (star_scene){0};
    ok =
        star_view(optics, &middle, &view, err) && find_near(source, &view, star_path_swing(path), frame->roi, out, err);
    if (ok) {
        ra = malloc((out->n + 1) * sizeof *ra);
        dec = malloc((out->n + 1) * sizeof *dec);
        ok = (ra && dec) || penta_io_fail(err, "out of memory for %zu stars", out->n);
    }
    for (size_t i = 0; ok && i < out->n; i++) {
        ra[i] = source->ra[out->which[i]];
        dec[i] = source->dec[out->which[i]];
    }
    ok = ok && fill(source, optics, path, frame, &view, ra, dec, out, err);
    out->list = (penta_stars_list){.n = out->n, .x = out->x, .y = out->y, .magnitude = out->mag};
    if (ok && path->n > 1) {
        keep_cut(out);
        ok = draw_pieces(out, ctx, plan, err);
    }
    free(ra);
    free(dec);
    if (!ok)
        star_scene_close(out);
    return ok;
}

star_way star_scene_way(const star_scene *s, size_t star)
{
    double x = s->x[star], y = s->y[star], mx, my;

    if (s->ways)
        return s->ways[star];
    mx = s->motion_x ? s->motion_x[star] : 0;
    my = s->motion_y ? s->motion_y[star] : 0;
    return (star_way){x, y, x - mx / 2, y - my / 2, x + mx / 2, y + my / 2};
}

size_t star_scene_owner(const star_scene *scene, size_t i)
{
    return scene->flux ? scene->pieces.owner[i] : i;
}

void star_scene_close(star_scene *scene)
{
    star_pieces_free(&scene->pieces);
    free(scene->flux);
    free(scene->ways);
    if (scene->which) {
        free(scene->which);
        free(scene->x);
        free(scene->y);
        free(scene->mag);
    }
    *scene = (star_scene){0};
}
