/* One frame by several devices or ranks: each draws some of its rows. */
#ifndef PENTA_TOOLS_STARS_ROWS_H
#define PENTA_TOOLS_STARS_ROWS_H

#include "stars/run.h"

/* As penta_stars_draw, by run and run->others, or with the ranks that help; path and view: as for stars_make_scene. An
 * error's text is at penta_last_error(NULL). */
penta_status stars_rows_draw(stars_run *run, const penta_attitude_path *path, const penta_sky_view *view,
                             const penta_stars_scene *scene, penta_stars_result *result);

/* What ranks but the first do meanwhile, for the same path and view; their errors are told there. */
penta_status stars_rows_help(const stars_run *run, const penta_attitude_path *path, const penta_sky_view *view);

#endif
