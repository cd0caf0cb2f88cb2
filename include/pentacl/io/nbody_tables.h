/*
 * The tables of an n-body run, diagnostics.csv and lagrangian.csv: a row of penta_nbody_diagnostics each. Rows gather
 * in memory; the files are written whole, so that they never end in half a row.
 */
#ifndef PENTACL_IO_NBODY_TABLES_H
#define PENTACL_IO_NBODY_TABLES_H

#include <pentacl/nbody.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

typedef struct penta_io_nbody_tables penta_io_nbody_tables;

/* Where a run goes on: its step, the multiples of steps at which rows stand, and where the tables of the run before are
 * (NULL: in the same directory). */
typedef struct penta_io_nbody_resume {
    uint64_t step, every;
    const char *directory;
} penta_io_nbody_resume;

/**
 * Empty tables for a directory; with `resume` those of the run before, up to its step. The row there goes if it was but
 * the end of a run, so that the tables become those of a run without the interruption. energy: begun with the first one
 * of the run, it takes the energies of the rows; a table whose energy_com at step 0 is another is an error. On failure
 * *out is NULL.
 */
PENTA_API bool penta_io_nbody_tables_open(const char *directory, const penta_io_nbody_resume *resume,
                                          penta_nbody_energy *energy, penta_io_nbody_tables **out, penta_io_error *err);

/** Whether there is no row yet, and the step of the last one. */
PENTA_API bool penta_io_nbody_tables_empty(const penta_io_nbody_tables *tables);
PENTA_API uint64_t penta_io_nbody_tables_last(const penta_io_nbody_tables *tables);

/** One more row. */
PENTA_API void penta_io_nbody_tables_add(penta_io_nbody_tables *tables, uint64_t step, double time,
                                         const penta_nbody_diagnostics *row);

/** Writes both files, each whole or not at all. */
PENTA_API bool penta_io_nbody_tables_write(penta_io_nbody_tables *tables, penta_io_error *err);

PENTA_API void penta_io_nbody_tables_close(penta_io_nbody_tables *tables); /* writes nothing; NULL is fine */

PENTA_END_DECLS
#endif
