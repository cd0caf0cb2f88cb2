/*
 * Files of bodies that all members of a run write together. Each has all bodies on its device, and writes a part of
 * them to its place in the first member's file; a member that does not see that file, on a machine without the file
 * system, leaves its part to the first.
 */
#ifndef PENTA_TOOLS_NBODY_PARTS_H
#define PENTA_TOOLS_NBODY_PARTS_H

#include "nbody/run.h"

/* By the first member, of the plan's present time. An exit code, after a line on stderr. */
int nbody_write_bodies(nbody_run *run, const char *path);
/* c has no state: it is the plan's. */
int nbody_write_checkpoint(nbody_run *run, const char *path, const penta_io_checkpoint *c);

/* What a part is made of. */
enum nbody_part_kind { NBODY_PART_BODIES, NBODY_PART_STATE };

/* By another member: its part of the first one's file, which `place` leads to, and the account of it. */
penta_status nbody_help_to_write(penta_group *group, penta_context *ctx, penta_nbody *plan, enum nbody_part_kind kind,
                                 size_t count, const void *place, size_t size);

#endif
