/*
 * Several members of a run, threads or ranks, share the forces: each has a plan with all bodies, and the first, which
 * reads, writes and answers, tells the others what to call.
 */
#pragma once

#include "nbody/run.h"

/* Runs body at the first member, and serves it at the others. An exit code, after a line on stderr. */
int nbody_members_run(nbody_run *run, int (*body)(nbody_run *run));

/* A clock for the time that steps and forces take: of the device's kernels, or of all where members share the work. */
double nbody_members_clock(const nbody_run *run);

/* Calls of the library, by all members where there are several. create makes run->plan. After an error the caller says
 * why, unless run->untold is set. */
penta_status nbody_members_create(nbody_run *run);
penta_status nbody_members_set(nbody_run *run, const double *bodies);
penta_status nbody_members_load(nbody_run *run, const double *state, size_t count);
penta_status nbody_members_advance(nbody_run *run, size_t steps);
penta_status nbody_members_diagnose(nbody_run *run, penta_nbody_diagnostics *out);
penta_status nbody_members_forces(nbody_run *run, double *acceleration, double *potential);
penta_status nbody_members_field(nbody_run *run, size_t m, const double *points, double *acceleration,
                                 double *potential);

/* Tells the other members to call nbody_help_to_write (parts.h). */
penta_status nbody_members_tell_part(nbody_run *run, int kind, size_t count, const void *place, size_t size);
