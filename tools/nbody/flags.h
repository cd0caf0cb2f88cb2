/* The flags of `penta nbody`: their tables, and what they say once read. */
#ifndef PENTA_TOOLS_NBODY_FLAGS_H
#define PENTA_TOOLS_NBODY_FLAGS_H

#include <pentacl/nbody.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>

enum gravity_view { GRAVITY_XY = 0, GRAVITY_XZ, GRAVITY_YZ };

/* As typed. */
typedef struct gravity_flags {
    const char *input, *ic, *restart; /* which bodies; at most one; NULL: not given */
    int bodies, seed;
    int steps;
    bool forces_only;
    const char *points;
    double max_energy_error;            /* 0: none */
    int diagnose_every, snapshot_every; /* steps; 0: automatic, and never */
    int format;                         /* of snapshots: index into gravity_formats */
    bool frames;
    int view, size; /* enum gravity_view; px */
    double extent;  /* half the side of a picture; 0: automatic */
} gravity_flags;

/* Ends of the names of snapshots, by --format. */
extern const char *const gravity_formats[];

/* Their rows in the help: which bodies, what to do, what to write. */
extern const penta_option gravity_body_rows[], gravity_run_rows[], gravity_output_rows[];

/* --ic as enum penta_nbody_model. */
bool gravity_model(const char *name, int *out, penta_io_error *err);

/* Overwrites the options whose flags were not given by those of `saved`. */
void gravity_take_saved(const cli_line *line, const penta_nbody_options *saved, penta_nbody_options *options);

#endif
