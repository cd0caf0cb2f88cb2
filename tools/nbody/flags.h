/* The flags of `penta nbody`: their tables, and what they say once read. */
#pragma once

#include <pentacl/nbody.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>

enum nbody_view { NBODY_XY = 0, NBODY_XZ, NBODY_YZ };

/* As typed. */
typedef struct nbody_flags {
    const char *input, *ic, *restart; /* which bodies; at most one; NULL: not given */
    int bodies, seed;
    int steps;
    bool forces_only;
    const char *points;
    double max_energy_error;            /* 0: none */
    int diagnose_every, snapshot_every; /* steps; 0: automatic, and never */
    int format;                         /* of snapshots and the end: index into nbody_formats */
    bool frames, overwrite, resume;
    int view, size; /* enum nbody_view; px */
    double extent;  /* half the side of a picture; 0: automatic */
} nbody_flags;

enum { NBODY_NPY = 0 }; /* of nbody_formats: .npy */

/* Ends of the names of snapshots, by --format. */
extern const char *const nbody_formats[];

/* Their rows in the help: which bodies, what to do, what to write. */
extern const penta_option nbody_body_rows[], nbody_run_rows[], nbody_output_rows[];

/* --ic as enum penta_nbody_model. */
bool nbody_model(const char *name, int *out, penta_io_error *err);

/* Overwrites the options whose flags were not given by those of `saved`. */
void nbody_take_saved(const cli_line *line, const penta_nbody_options *saved, penta_nbody_options *options);
