/* What the parts of `penta nbody` share. */
#pragma once

#include <pentacl/io/bodies.h>
#include "shared/job.h"
#include <pentacl/io/checkpoint.h>
#include "nbody/flags.h"
#include "shared/resume.h"

typedef struct nbody_run {
    job job;
    nbody_flags flags;
    penta_nbody_options options;
    penta_io_bodies bodies;      /* those to begin with, then room for those of any time; rows NULL: of a checkpoint */
    double start_time;           /* of the bodies to begin with; the plan counts from 0 */
    penta_io_checkpoint restart; /* state NULL: none */
    resume resume;               /* of rank 0 */
    char *checkpoint;            /* its file */
    bool goes_on;                /* with the run before: restart is its checkpoint */
    uint64_t last_step;          /* of the run before, where it goes on */
    penta_nbody *plan;
    penta_group *group; /* of several members (members.h), or NULL */
    bool lost;          /* one of them can be told nothing more */
    bool untold;        /* why: nbody_members_run says it, not the call that failed */
    /* results */
    const char *kernel, *precision;
    uint64_t steps;                    /* made by this run */
    penta_nbody_energy energy;         /* of the rows of diagnostics.csv; NaN: no step was asked for */
    penta_nbody_diagnostics last;      /* of the last row; NaN: none */
    double orbit_step;                 /* for the closest orbits to begin with; 0: unknown */
    bool other_units;                  /* those of the bodies are not of G = 1, which has been said */
    bool beyond_limit;                 /* more than --max-energy-error allows */
    double interactions, step_seconds; /* those of the steps or forces alone; s of the device, or of members' clock */
} nbody_run;

/* Functions that can fail say so on stderr and return an exit code. */

/* On rank 0, before the bodies are opened: takes the checkpoint of the run before where --resume goes on with it. */
int nbody_begin_resume(nbody_run *run);
/* Says where it goes on, once the checkpoint was read. */
void nbody_note_resume(const nbody_run *run);
/* Of bodies of --input: chooses options.eps where --eps is not given; warns of one that is given and too large. */
int nbody_settle_softening(nbody_run *run, bool given);
/* Warns where G is not 1 in the units of the bodies, and sets other_units: by the units that the file states; by the
 * kinetic energy about the centre of mass and the potential energy at first; by the potential at each body. */
void nbody_check_stated_units(nbody_run *run);
void nbody_check_units(nbody_run *run, double kinetic, double potential);
void nbody_check_units_at(nbody_run *run, const double *potential);
/* --forces-only. */
int nbody_forces(nbody_run *run);
/* Everything else. */
int nbody_simulate(nbody_run *run);
