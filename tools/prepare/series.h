/*
 * A plan for the frames of a list: what `penta prepare` and `penta autocorr --recipe` share. Functions say on stderr
 * what failed and return an exit code.
 */
#ifndef PENTA_TOOLS_PREPARE_SERIES_H
#define PENTA_TOOLS_PREPARE_SERIES_H

#include "shared/frames.h"
#include "shared/job.h"
#include "prepare/recipe.h"

/* The plan for frames like `first`, with the recipe's dark and flat frames. */
int prepare_series_plan(job *j, const recipe *r, const penta_io_image *first, penta_prepare **out);

/* With flatten `series`: the illumination from at most PENTA_PREPARE_SURVEY frames of the list, spread evenly, read
 * through a stream of their own; frames unlike `first` are left to the run. Otherwise nothing. */
int prepare_series_survey(job *j, const recipe *r, const penta_io_image *first, const frame_list *list,
                          penta_prepare *plan);

/* With smooth_drift: measures all frames of the list and smooths; *drift has list->count ones, to be freed. Frames that
 * were dust, lost or not to be read have a score of NaN: the run is not to take them. Otherwise *drift is NULL. */
int prepare_series_drift(job *j, const recipe *r, const penta_io_image *first, const frame_list *list,
                         penta_prepare *plan, penta_drift **drift);

/* Whether the frame is like `first`; a reason in its error text if not. */
bool prepare_series_fits(const penta_io_image *first, frame *f);

/* Why a frame that ran is not OK, into its error text. */
void prepare_series_explain(const recipe *r, const penta_prepare *plan, const penta_prepare_result *result, frame *f);

/* Slots of a stream of such frames: two batches and some, within about 1 GiB. */
size_t prepare_series_slots(const penta_io_image *first, size_t batch, size_t count);

/* A page of a file, colour kept. */
bool prepare_read_colour(const char *path, size_t page, penta_io_image *out, penta_io_error *err);

#endif
