/* How maps are shown: from which origin, in which colours, with which lines and arrows. */
#pragma once

#include <pentacl/findings.h>

#include "figures/figure.h"

/* Numbers of map i into out (height x width), NaN where there is none; instants from the first one in the map that is
 * not far from all others, which is returned. */
double optmap_map_values(const penta_findings_map *map, size_t i, float *out);
/* Colours of all maps of the kind together, as wide at least as what can be measured; up to a quarter of the values may
 * be wrong and far from the others. False when out of memory. */
bool optmap_colours(const penta_findings_map *map, figure_range *out);

/* ms from one isochrone to the next, a quarter of a frame at least; 0: the range has room for none. */
double optmap_isochrone_step(const penta_findings_map *map, figure_range colours);

/* For arrows: mean velocities of blocks of about width / most pixels, where half of the block is known and its pixels
 * agree about the direction. x, y: the middle of those that are known; vx, vy: cm/s. */
void optmap_directions(const penta_findings_map *map, size_t beat, size_t most,
                       void (*arrow)(void *user, double x, double y, double vx, double vy), void *user);
/* px, from one arrow to the next. */
size_t optmap_block(const penta_findings_map *map, size_t most);

/* A length that is about `most` px and a round number; false without a pixel size. text: "2 mm". */
bool optmap_scale_length(const penta_findings *found, double most, double *pixels, char *text, size_t size);

/* Pixels whose traces are shown: valid ones, well apart, by rows. Returns how many of `most` (up to 6) there are. */
size_t optmap_choose_places(const penta_findings *found, size_t most, size_t *pixels);
