/*
 * The plans of several members for one series of photographs. The first member's plan has the series in order: frames
 * are run there, one after another, until there is a first one, and wherever a frame needs the one before it. In
 * between the members share frames, each registering them with the frame that the series compares with
 * (penta_prepare_apart). Functions that can fail say so on stderr and return an exit code.
 */
#ifndef PENTA_TOOLS_SHARED_PREPARE_MEMBERS_H
#define PENTA_TOOLS_SHARED_PREPARE_MEMBERS_H

#include <pentacl/io/recipe.h>
#include <pentacl/prepare.h>

#include "shared/frames.h"
#include "shared/job.h"

/* All 0: none. */
typedef struct prepare_members {
    job *job;
    const penta_io_recipe *recipe;
    const penta_io_image *first; /* size, channels and type of the frames */
    penta_prepare **plans;       /* one a member, made by it when first needed; the first has the series */
    size_t *loaded;              /* the number of the state that a member's plan has */
    penta_prepare_state state;   /* that the members share frames from */
    size_t states;               /* so many there have been */
    bool begun;                  /* a frame was OK */
    size_t last;                 /* the last such frame of the list */
    size_t from;                 /* what it was when the state was saved */
} prepare_members;

/* Takes over the first member's plan, which has had its look at the list, also where it fails. The rest is borrowed. */
int prepare_members_open(prepare_members *m, job *j, const penta_io_recipe *recipe, const penta_io_image *first,
                         penta_prepare *plan);
void prepare_members_close(prepare_members *m);

/* The plan of a member, ready for its next frames; on the member's thread. */
int prepare_members_plan(prepare_members *m, size_t member, penta_prepare **out);

/* Frame `index` of the list was OK: said in the order of the list. */
void prepare_members_accept(prepare_members *m, size_t index);

/* Members share the frames that follow. Not ready: the last frame that was accepted is not found by itself either. */
int prepare_members_share(prepare_members *m, const frame_list *list, bool *ready);
/* Packed, the series is as it is now, frames having run in order; false: there is none yet, or it cannot be read. */
bool prepare_members_save(prepare_members *m);
/* The first member's plan has the series up to the last frame that was accepted. */
int prepare_members_resume(prepare_members *m, const frame_list *list);

#endif
