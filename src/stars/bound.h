/* An upper bound of the light of all stars. */
#pragma once

#include "stars/engine.h"

/* Upper bound of the sum of |flux| over all stars, the same for any order of them; 0 when one is not finite. */
penta_status stars_flux_bound(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              double *bound);
