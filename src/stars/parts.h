/*
 * Stars by the parts of a frame that they touch: a part is some rows, and a star goes to each part that its ROI
 * touches. Stars that touch no row go to the first part, so that each star is looked at by somebody.
 */
#ifndef PENTA_STARS_PARTS_H
#define PENTA_STARS_PARTS_H

#include "stars/engine.h"

enum { STARS_COLUMNS = 5 }; /* x, y, magnitude or flux, motions */

/* Members have as many rows as penta_group_slice gives them, and draw them in `passes` parts, likewise. */
typedef struct stars_parts {
    size_t height, members, passes;
    int roi;
} stars_parts;

void stars_part_rows(const stars_parts *parts, size_t member, size_t pass, size_t *first, size_t *rows);

/* Which stars of some lists, which follow one another, are sorted. */
typedef struct stars_range {
    const penta_stars_list *lists;
    size_t count;
    size_t first, n; /* counted through all lists */
} stars_range;

/* Stars on their way to the members' parts of one pass. */
typedef struct stars_sorting {
    const stars_parts *parts;
    size_t pass;
    bool moving;
    struct stars_stretch *stretches; /* of one list each */
    size_t count, room;
    size_t *numbers; /* of each stretch and member: stars, then where the first of them goes */
    size_t *total;   /* of each member */
} stars_sorting;

/* Ready for ranges of up to `most` stars in so many lists. */
penta_status stars_sorting_make(penta_context *ctx, const stars_parts *parts, size_t most, size_t lists, bool moving,
                                stars_sorting *out);
void stars_sorting_free(stars_sorting *sorting); /* a zeroed one is fine */
/* sorting->total: how many stars of the range each member gets. */
void stars_sorting_count(stars_sorting *sorting, const stars_range *range);
/* Writes these from to[member][column][at[member]] on, in their order. */
void stars_sorting_put(stars_sorting *sorting, double *const (*to)[STARS_COLUMNS], const size_t *at);
/* Which star of the range is the k-th that `member` gets, counted through all lists. */
size_t stars_sorting_find(const stars_parts *parts, size_t pass, size_t member, const stars_range *range, size_t k);

#endif
