/*
 * A plan for the frames of a list: what `penta prepare` and `penta autocorr --recipe` share. Functions say on stderr
 * what failed and return an exit code.
 */
#ifndef PENTA_TOOLS_PREPARE_SERIES_H
#define PENTA_TOOLS_PREPARE_SERIES_H

#include "frames.h"
#include "job.h"
#include "prepare/recipe.h"

/* The plan for frames like `first`, with the recipe's dark and flat frames. */
int prepare_series_plan(job *j, const recipe *r, const io_image *first, penta_prepare **out);

/* With flatten `series`: the illumination from at most PENTA_PREPARE_SURVEY frames of the list, spread evenly, read
 * through a stream of their own. Frames of another size are left to the run. Otherwise nothing. */
int prepare_series_survey(job *j, const recipe *r, const frame_list *list, penta_prepare *plan);

/* With smooth_drift: measures all frames of the list and smooths; *drift has list->count ones, to be freed. Otherwise
 * *drift is NULL. */
int prepare_series_drift(job *j, const recipe *r, const frame_list *list, penta_prepare *plan, penta_drift **drift);

/* Whether the frame is like `first`; a reason in its error text if not. */
bool prepare_series_fits(const io_image *first, frame *f);

#endif
