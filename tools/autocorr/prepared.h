/* Prepares frames by a recipe of `penta prepare` before they are correlated. */
#pragma once

#include "shared/prepare_members.h"

/* All 0 without a recipe. Functions say on stderr what failed and return an exit code. */
typedef struct prepared {
    bool wanted;
    penta_io_recipe recipe;
    const char *files[3]; /* dark and flat frame of the recipe, those that there are; NULL behind the last */
    penta_prepare *plan;  /* of the first member; NULL until the first frame */
    prepare_members members;
    bool told_ambiguous; /* that a drift is: once */
} prepared;

/* Reads the recipe; path NULL: none. The caller must have set the list to keep colour. */
int prepared_open(prepared *p, const job *j, const char *path);
void prepared_close(prepared *p);

/*
 * Replaces image and mask of n frames that a member has by those after the recipe. A frame that cannot be used gets a
 * reason in its error text. Without a recipe frames stay as they are.
 */
int prepared_run(prepared *p, job *j, const frame_list *list, size_t member, size_t n, frame **frames);

/* Takes note of a frame, in the order of the list. */
void prepared_accept(prepared *p, const job *j, const frame *f);
