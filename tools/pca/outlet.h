/* A cube that is written: the pixels of the input through an affine map on the device, then scaled and rounded. */
#pragma once

#include <pentacl/io/cube.h>
#include "shared/job.h"
#include "pca/flags.h"
#include "pca/preview.h"

typedef struct pca_outlet pca_outlet;

/* What to make. */
typedef struct {
    const char *stem; /* of the file: "components" */
    int format;       /* IO_CUBE_... */
    penta_affine affine;
    int precision; /* enum penta_precision */
    penta_type type;
    pca_range range;               /* on: scaled; of integers, rounded */
    const double *least, *largest; /* what is scaled to range; NULL: what pca_outlet_measure or _hold find */
    const char *no_data;           /* of the input, or NULL */
    bool has_gaps;                 /* pixels may be left out */
    const double *wavelengths;     /* of the outputs, or NULL */
    const penta_io_cube *like;     /* where georeferencing and size come from */
    penta_pca *kept;               /* that keeps the pixels of rows without data; borrowed; or NULL */
    size_t first_row, rows;        /* that are written */
    penta_io_cube_writer **writer; /* to write with, made where it is NULL; not the outlet's; NULL: its own */
} pca_outlet_plan;

/* An exit code; on failure *out is NULL. What affine, least and largest point to is copied. */
int pca_outlet_open(const job *j, const pca_outlet_plan *plan, pca_outlet **out);
void pca_outlet_close(pca_outlet *outlet); /* without a file, unless pca_outlet_finish came first; NULL is fine */

/* Fills the preview, too, on the way; borrowed. */
void pca_outlet_show(pca_outlet *outlet, pca_preview *preview);

/* Rows from `first` on, each time the next ones. Exit codes. _measure: their ranges count, nothing else; _hold: they
 * stay on the device; _write: to the file. */
int pca_outlet_measure(pca_outlet *outlet, const penta_cube_rows *rows, size_t first);
int pca_outlet_hold(pca_outlet *outlet, const penta_cube_rows *rows, size_t first);
int pca_outlet_write(pca_outlet *outlet, const penta_cube_rows *rows, size_t first);

bool pca_outlet_can_hold(const pca_outlet *outlet); /* the whole cube */
/* After a failure: whether pca_outlet_hold found no memory, without a word; nothing is held then. */
bool pca_outlet_let_go(pca_outlet *outlet);
/* After all rows were measured or held: from these ranges on. may_be_none: they may have no valid pixel, and ranges are
 * infinite then, the least above 0. */
int pca_outlet_take_range(pca_outlet *outlet, bool may_be_none);
/* The ranges, which may be changed: `outs` numbers each. */
void pca_outlet_range(pca_outlet *outlet, double **least, double **largest, size_t *outs);
/* All that is held goes to the file. */
int pca_outlet_write_held(pca_outlet *outlet);

/* After the last row: the least and the largest value of each output, to be freed; NULL where nothing is scaled. */
void pca_outlet_give_range(pca_outlet *outlet, double **least, double **largest);
uint64_t pca_outlet_pixels(const pca_outlet *outlet); /* valid ones written */
/* Valid pixels of which some output lay beyond the range that the plan gave. */
uint64_t pca_outlet_clipped(const pca_outlet *outlet);
/* What stands for pixels left out: "nan", a number, or "" where none is left out. */
const char *pca_outlet_no_data(const pca_outlet *outlet);

/* The file is whole, and waits for the run's commit; also one with a writer that is not the outlet's. */
bool pca_outlet_finish(pca_outlet *outlet, penta_io_error *err);
