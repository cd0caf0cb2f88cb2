/* One frame by several devices or ranks: each draws some of its rows. */
#ifndef PENTA_TOOLS_STARS_ROWS_H
#define PENTA_TOOLS_STARS_ROWS_H

#include "stars/run.h"

/* As penta_stars_draw, by run and run->others, or with the ranks that help. An error's text is at
 * penta_last_error(NULL). */
penta_status stars_rows_draw(stars_run *run, const penta_stars_scene *scene, penta_stars_result *result);

/* What ranks but the first do meanwhile, with their scene of the same exposure; their errors are told there. */
penta_status stars_rows_help(const stars_run *run, const penta_stars_scene *scene);

#endif
