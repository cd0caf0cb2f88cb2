/* A cube that is written: the pixels of the input through an affine map on the device, then scaled and rounded. */
#ifndef PENTA_TOOLS_PCA_OUTLET_H
#define PENTA_TOOLS_PCA_OUTLET_H

#include <pentacl/io/cube.h>
#include "shared/job.h"
#include "pca/flags.h"
#include "pca/preview.h"

typedef struct cube_outlet cube_outlet;

/* What to make. */
typedef struct {
    const char *stem; /* of the file: "components" */
    int format;       /* IO_CUBE_... */
    penta_affine affine;
    int precision; /* enum penta_precision */
    penta_type type;
    cube_range range;              /* on: scaled; of integers, rounded */
    const double *least, *largest; /* what is scaled to range; NULL: what cube_outlet_measure or _hold find */
    const char *no_data;           /* of the input, or NULL */
    bool has_gaps;                 /* pixels may be left out */
    const double *wavelengths;     /* of the outputs, or NULL */
    const penta_io_cube *like;     /* where georeferencing and size come from */
    penta_pca *kept;               /* that keeps the pixels, so that rows need no data; borrowed; or NULL */
} cube_outlet_plan;

/* An exit code; on failure *out is NULL. What affine, least and largest point to is copied. */
int cube_outlet_open(const job *j, const cube_outlet_plan *plan, cube_outlet **out);
void cube_outlet_close(cube_outlet *outlet); /* without a file, unless cube_outlet_finish came first; NULL is fine */

/* Fills the preview, too, on the way; borrowed. */
void cube_outlet_show(cube_outlet *outlet, cube_preview *preview);

/* Rows from `first` on, each time the next ones. Exit codes. _measure: their ranges count, nothing else; _hold: they
 * stay on the device; _write: to the file. */
int cube_outlet_measure(cube_outlet *outlet, const penta_cube_rows *rows, size_t first);
int cube_outlet_hold(cube_outlet *outlet, const penta_cube_rows *rows, size_t first);
int cube_outlet_write(cube_outlet *outlet, const penta_cube_rows *rows, size_t first);

bool cube_outlet_can_hold(const cube_outlet *outlet); /* the whole cube */
/* After a failure: whether cube_outlet_hold found no memory, without a word; nothing is held then. */
bool cube_outlet_let_go(cube_outlet *outlet);
/* After all rows were measured or held: from these ranges on; all that is held goes to the file. */
int cube_outlet_take_range(cube_outlet *outlet);
int cube_outlet_write_held(cube_outlet *outlet);

const double *cube_outlet_least(const cube_outlet *outlet); /* of each output; NULL where nothing is scaled */
const double *cube_outlet_largest(const cube_outlet *outlet);
uint64_t cube_outlet_pixels(const cube_outlet *outlet); /* valid ones written */
/* Valid pixels of which some output lay beyond the range that the plan gave. */
uint64_t cube_outlet_clipped(const cube_outlet *outlet);
const char *cube_outlet_path(const cube_outlet *outlet);
/* What stands for pixels left out: "nan", a number, or "" where none is left out. */
const char *cube_outlet_no_data(const cube_outlet *outlet);

/* The file gets its name. */
bool cube_outlet_finish(cube_outlet *outlet, penta_io_error *err);
/* Takes a finished file back. */
void cube_outlet_remove(const cube_outlet *outlet);

#endif
