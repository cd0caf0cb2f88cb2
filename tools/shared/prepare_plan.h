/*
 * A plan of penta_prepare for the frames of a list: what `penta prepare` and `penta autocorr --recipe` share. Functions
 * say on stderr what failed and return an exit code.
 */
#pragma once

#include <pentacl/autocorr.h>
#include <pentacl/prepare.h>

#include "shared/frames.h"
#include "shared/job.h"

/* The plan on a context of the job for frames like `first`, with the dark and the flat frame of these files (NULL:
 * none). */
int prepare_plan_open(const job *j, penta_context *ctx, const penta_prepare_options *o, const char *dark,
                      const char *flat, const penta_io_image *first, penta_prepare **out);

/* penta_prepare_look over the list, read through streams of its own. Frames unlike `first` are left out: the run names
 * them. */
int prepare_plan_look(job *j, const penta_prepare_options *o, const penta_io_image *first, const frame_list *list,
                      penta_prepare *plan);

/* Whether that look makes the plan depend on all frames. */
bool prepare_plan_looks(const penta_prepare_options *o);

/* Whether the frame is like `first`; if not, its error text says why. */
bool prepare_plan_fits(const penta_io_image *first, frame *f);

/* Why a frame that ran is not OK, into its error text. */
void prepare_plan_explain(const penta_prepare *plan, const penta_prepare_result *result, frame *f);

/* Slots of a stream of such frames: two batches and some, within about 1 GiB. */
size_t prepare_plan_slots(const penta_io_image *first, size_t batch, size_t count);

/* A page of a file, colour kept. */
bool prepare_read_colour(const char *path, const penta_io_choice *choice, size_t page, penta_io_image *out,
                         penta_io_error *err);

/* Frames flattened by a Gaussian so narrow that it takes some of the pattern off; the values are those of the largest
 * R_max. */
typedef struct prepare_narrow {
    size_t frames;
    double sigma, r_max; /* px */
    const char *name;
} prepare_narrow;
void prepare_narrow_add(prepare_narrow *n, const penta_prepare_options *o, size_t width, size_t height,
                        const penta_peak *peak, const char *name);
void prepare_narrow_warn(const prepare_narrow *n, job *j, size_t frames);
