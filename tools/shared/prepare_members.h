/*
 * The plans of several members for one series of photographs, and a plan as bytes for other ranks and --resume. Members
 * other than the first run frames that do not depend on the ones before them. Functions that can fail say so on stderr
 * and return an exit code.
 */
#pragma once

#include <pentacl/io/recipe.h>
#include <pentacl/prepare.h>

#include "shared/frames.h"
#include "shared/job.h"
#include "shared/parcel.h"

/* All 0: none. */
typedef struct prepare_members {
    job *job;
    const penta_io_recipe *recipe;
    penta_io_image first;      /* size, channels and type of the frames; data NULL */
    penta_prepare **plans;     /* one a member, made by it when first needed */
    penta_prepare_state state; /* of the first plan before frames are shared: the illumination */
} prepare_members;

/* Whether a frame of such a series may depend on the ones before it. */
bool prepare_runs_in_order(const penta_prepare_options *o);

/* Makes the first member's plan, for frames like `first`. */
int prepare_members_open(prepare_members *m, job *j, const penta_io_recipe *recipe, const penta_io_image *first);
void prepare_members_close(prepare_members *m);

/* The first plan's look at the list, which the other plans get, too. */
int prepare_members_look(prepare_members *m, const frame_list *list);

/* penta_prepare_run by the plan of a member, on its thread. */
int prepare_members_run(prepare_members *m, size_t member, size_t n, const penta_prepare_frame *frames,
                        penta_prepare_result *results);

/* The frames' size and type, drifts found beforehand, and the series after the last run. False: it cannot be read. */
bool prepare_members_pack(const prepare_members *m, FILE *out);
/* Opens the members, whose first plan goes on with that series. */
int prepare_members_unpack(prepare_members *m, job *j, const penta_io_recipe *recipe, parcel_reader *r);
