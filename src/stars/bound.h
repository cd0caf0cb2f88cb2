/* An upper bound of the light of all stars. */
#ifndef PENTA_STARS_BOUND_H
#define PENTA_STARS_BOUND_H

#include <pentacl/group.h>

#include "stars/engine.h"

/*
 * Upper bound of the sum of |flux| over all stars, the same for any order of them; 0 when one is not finite. group
 * NULL: of the list; otherwise every member calls this, whose lists are parts of one, by_flux whether that has fluxes.
 */
penta_status stars_flux_bound(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              penta_group *group, bool by_flux, double *bound);

#endif
