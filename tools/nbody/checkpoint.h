/* What a run leaves behind so that a later one goes on with the same bits: a file of its own format. */
#ifndef PENTA_TOOLS_NBODY_CHECKPOINT_H
#define PENTA_TOOLS_NBODY_CHECKPOINT_H

#include <pentacl/nbody.h>

#include <pentacl/io/bodies.h>

typedef struct gravity_checkpoint {
    penta_nbody_options options; /* as asked for, not as chosen */
    size_t n;
    uint64_t diagnose_every; /* steps between rows */
    double first_energy;     /* at step 0 */
    double extent;           /* half the side of the pictures drawn so far; 0: none */
    size_t count;            /* doubles of penta_nbody_save */
    double *state;
    penta_io_bodies about; /* ids, families, softening, units, and the time at step 0; no rows; n counts */
} gravity_checkpoint;

/* Whole or not at all. */
bool gravity_checkpoint_write(const char *path, const gravity_checkpoint *c, penta_io_error *err);

/*
 * A file that is cut short, damaged in any bit, of another version or of another kind is an error, one line. On failure
 * *out is empty. The state is not yet known to fit a plan: penta_nbody_load checks that.
 */
bool gravity_checkpoint_read(const char *path, gravity_checkpoint *out, penta_io_error *err);

void gravity_checkpoint_free(gravity_checkpoint *c); /* empties it; an empty one is fine */

#endif
