#include "stars/scene.h"

penta_status stars_make_scene(const stars_run *run, const penta_attitude_path *path, const penta_sky_view *view,
                              penta_stars_scene *out)
{
    const stars_source *s = &run->source;
    const penta_stars_list list = {
        .n = s->n, .x = s->x, .y = s->y, .magnitude = s->mag, .motion_x = s->motion_x, .motion_y = s->motion_y};
    const penta_stars_sky sky = {.n = s->n, .ra = s->ra, .dec = s->dec, .magnitude = s->mag, .index = s->index};

    return path ? penta_stars_scene_on_sky(run->plan, &sky, view, path, out)
                : penta_stars_scene_by_pixel(run->plan, &list, out);
}
