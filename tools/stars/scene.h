/* The stars of a frame. */
#pragma once

#include "stars/run.h"

/* path: of the exposure, NULL for stars by pixel; view: in its middle. */
penta_status stars_make_scene(const stars_run *run, const penta_attitude_path *path, const penta_sky_view *view,
                              penta_stars_scene *out);
