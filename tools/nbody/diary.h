/*
 * The tables of a run: diagnostics.csv and lagrangian.csv. Rows gather in memory; the files are written whole, so that
 * they never end in half a row.
 */
#ifndef PENTA_TOOLS_NBODY_DIARY_H
#define PENTA_TOOLS_NBODY_DIARY_H

#include <pentacl/nbody.h>

#include <pentacl/io/error.h>

typedef struct gravity_diary gravity_diary;

/* Where a run goes on. */
typedef struct gravity_resume {
    uint64_t step;
    uint64_t every;      /* rows stand at multiples of it */
    double first_energy; /* at step 0 */
} gravity_resume;

/*
 * Empty tables; with `resume` those that are in the directory, up to its step. The row there goes if it was but the end
 * of a run, so that the tables become those of a run without the interruption. A table of another run is an error.
 */
bool gravity_diary_open(const char *directory, const gravity_resume *resume, gravity_diary **out, penta_io_error *err);

/* Whether there is no row yet, and the step of the last one. */
bool gravity_diary_is_empty(const gravity_diary *d);
uint64_t gravity_diary_last(const gravity_diary *d);

void gravity_diary_add(gravity_diary *d, uint64_t step, double time, const penta_nbody_diagnostics *m);

bool gravity_diary_write(gravity_diary *d, penta_io_error *err);

/* The same when some time has passed since the last write, so that a long run can be watched. */
bool gravity_diary_write_now_and_then(gravity_diary *d, penta_io_error *err);

/* The largest |E - first| of the rows, those of the earlier run included; NaN where one is. */
double gravity_diary_worst(const gravity_diary *d, double first_energy);

void gravity_diary_close(gravity_diary *d); /* writes nothing; NULL is fine */

#endif
