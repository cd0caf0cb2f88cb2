/* Prepares frames by a recipe of `penta prepare` before they are correlated. */
#ifndef PENTA_TOOLS_AUTOCORR_PREPARED_H
#define PENTA_TOOLS_AUTOCORR_PREPARED_H

#include "shared/frames.h"
#include "shared/job.h"
#include <pentacl/io/recipe.h>

/* All 0 without a recipe. Functions say on stderr what failed and return an exit code. */
typedef struct prepared {
    bool wanted;
    penta_io_recipe recipe;
    penta_prepare *plan;  /* NULL until the first frame */
    penta_io_image first; /* size, channels and type of the frames as they come; data NULL */
    bool told_ambiguous;  /* that a drift is: once */
} prepared;

/* Reads the recipe; path NULL: none. The caller must have set the list to keep colour. */
int prepared_open(prepared *p, const job *j, const char *path);
void prepared_close(prepared *p);

/*
 * Replaces image and mask of the next n frames of the list by those after the recipe. A frame that cannot be used gets
 * a reason in its error text. Without a recipe frames stay as they are.
 */
int prepared_run(prepared *p, job *j, const frame_list *list, size_t n, frame **frames);

#endif
