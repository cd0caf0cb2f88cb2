/* One frame by the members of a group (pentacl/stars.h: penta_stars_run_shared), what its two ways have in common. */
#ifndef PENTA_STARS_SHARED_H
#define PENTA_STARS_SHARED_H

#include <pentacl/group.h>

#include "stars/parts.h"
#include "stars/plan.h"

typedef struct stars_shared {
    penta_stars *plan;
    penta_group *group;
    stars_device *device;
    size_t rank, members;
    penta_stars_list *lists; /* the members'; of those of other processes n alone counts */
    size_t *sizes;           /* room for one a member */
    size_t total;            /* stars of all */
    bool by_flux, moving;
    double weights;
    size_t chunk; /* stars that members of one process sort at a time; 0: as many as is good */
} stars_shared;

/* What each member tells the others: whether it goes on. */
typedef struct stars_word {
    penta_status status;
    size_t bad; /* a star of all that cannot be drawn; SIZE_MAX: none */
} stars_word;

/*
 * Every member: whether all go on. PENTA_OK; of a member that has failed its own status; of the others
 * PENTA_CANCELLED, or where a star is bad PENTA_INVALID with the text about the first one. all: what each has said, or
 * NULL.
 */
penta_status stars_shared_agree(const stars_shared *s, stars_word own, stars_word *all);
/* n stars of `columns`, with fluxes or magnitudes. */
penta_stars_list stars_shared_list(const stars_shared *s, double *const columns[STARS_COLUMNS], size_t n);

/* Between members of one process: each sorts a part of all stars into the memory of those that draw them. */
penta_status stars_shared_here(stars_shared *s, penta_stars_result *result);
/* The same for few stars: every member draws all of them, which takes less time than to sort them. Also for
 * engines other than fixed, which add in floats: chunk by chunk their sums would be rounded in other places. */
enum { STARS_SHARED_FEW = 1 << 17 };
penta_status stars_shared_few(const stars_shared *s, penta_stars_result *result);
/* Between processes: each sorts its own stars into messages. */
penta_status stars_shared_apart(stars_shared *s, penta_stars_result *result);

/* penta_stars_run_shared, in one process by so many stars at a time; 0: as is good. */
penta_status stars_run_shared(penta_stars *plan, penta_group *group, const penta_stars_list *stars, size_t chunk,
                              penta_stars_result *result);

#endif
