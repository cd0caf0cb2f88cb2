/* Checkpoints of n-body runs: a file from which a later run goes on with the same bits. */
#ifndef PENTACL_IO_CHECKPOINT_H
#define PENTACL_IO_CHECKPOINT_H

#include <pentacl/nbody.h>

#include <pentacl/io/bodies.h>

PENTA_BEGIN_DECLS

/* Arrays are malloc'ed. */
typedef struct penta_io_checkpoint {
    penta_nbody_options options; /* as asked for, not as chosen */
    size_t n;
    uint64_t diagnose_every; /* steps between rows of the tables */
    double first_energy;     /* at step 0, about the centre of mass; NaN: of a program that had another */
    double first_potential;  /* at step 0 */
    double extent;           /* half the side of the pictures drawn so far; 0: none */
    size_t count;            /* doubles of penta_nbody_save */
    double *state;
    penta_io_bodies about; /* ids, families, softening, units, and the time at step 0; no rows; n counts */
} penta_io_checkpoint;

/** Writes the file whole or not at all. */
PENTA_API bool penta_io_checkpoint_write(const char *path, const penta_io_checkpoint *c, penta_io_error *err);

/**
 * The same by several processes (pentacl/io/shared_file.h): begin takes everything of *c but the state, which is put
 * from number `first` on by whoever has it; *part grows, and must end where these begin. finish writes the rest, where
 * the parts, in any order, are the whole state, and frees the file in every case.
 */
PENTA_API bool penta_io_checkpoint_begin(const char *path, const penta_io_checkpoint *c, penta_io_shared_file **out,
                                         penta_io_error *err);
PENTA_API bool penta_io_checkpoint_put(penta_io_shared_file *file, size_t first, size_t count, const double *state,
                                       penta_io_part *part, penta_io_error *err);
PENTA_API bool penta_io_checkpoint_finish(penta_io_shared_file *file, const penta_io_checkpoint *c,
                                          const penta_io_part *parts, size_t count, penta_io_error *err);

/**
 * Reads a checkpoint. A file that is cut short, damaged in any bit, of another version or of another kind is an error.
 * On failure *out is empty. The state is not yet known to fit a plan: penta_nbody_load checks that.
 */
PENTA_API bool penta_io_checkpoint_read(const char *path, penta_io_checkpoint *out, penta_io_error *err);

PENTA_API void penta_io_checkpoint_free(penta_io_checkpoint *c); /* empties it; an empty one is fine */

PENTA_END_DECLS
#endif
