/* What the parts of `penta pca` share. */
#pragma once

#include <pentacl/group.h>
#include <pentacl/io/cube.h>
#include "shared/job.h"
#include "pca/flags.h"
#include <pentacl/io/model.h>
#include "pca/pass.h"
#include "shared/resume.h"

typedef struct pca_run {
    job job;
    pca_flags flags;
    penta_pca_options options; /* as typed, no_data as resolved */
    const char *path;          /* of the cube */
    penta_io_cube *cube;
    const penta_io_cube_info *about; /* of what is selected */
    uint8_t *mask;                   /* of the selection, or NULL */
    double *gain, *offset;           /* of the selection: numbers are gain * element + offset; or NULL: elements */
    char no_data[32];                /* what options.no_data points to where the file says it */
    penta_io_cube_rows *source;
    penta_pca *statistics; /* that keep the pixels on the device; or NULL: the source has them */
    penta_io_model model;
    resume record;     /* of rank 0 */
    resume *resume;    /* that one, by all members of the process */
    bool goes_on;      /* the model is of the run before */
    bool is_done;      /* the run before has done all */
    uint64_t pixels;   /* valid ones */
    uint64_t clipped;  /* of which some score lay beyond the model's range */
    double first_pass; /* seconds: all pixels read, sent and added up */
    size_t *bands;     /* band_count of them, and the window: what is selected of the file */
    size_t band_count;
    pca_window window;
    size_t first_row, rows; /* whose components are made: all, or those of the member */
    /* Of a member, where several devices divide the cube (members.h): */
    penta_group *group;        /* NULL: one device does all */
    struct pca_shared *shared; /* by the members of this process */
    penta_pca_part part;       /* of the statistics */
    penta_io_cube *own_cube;   /* that it reads in place of `cube`; or NULL */
    bool cancelled;            /* it failed since another one had */
} pca_run;

/* Functions that can fail say so on stderr and return an exit code. */

/* run->path and the flags to cube, about, mask, options.no_data; before it run->model of --transform or --inverse. */
int pca_open_input(pca_run *run, const cli_line *line);

/* The file once more, the same selection. */
bool pca_open_again(const pca_run *run, penta_io_cube **out, penta_io_error *err);

/* bands.c: parts of it. Which bands (to be freed; *n) of the file, before they are selected; then what it says of those
 * that are, to run->gain, offset and the model. */
int pca_choose_bands(pca_run *run, size_t **bands, size_t *n);
int pca_take_facts(pca_run *run);
/* A note where the axes of the whole file look as if they were others. */
void pca_note_axes(pca_run *run);
/* Whether gains, offsets and lists of bad bands do not count. */
bool pca_takes_elements(const pca_run *run);

/* Whether the results may be written where they are to be: over nothing that is read. Wrong usage otherwise. */
int pca_check_place(const pca_run *run);
/* Makes it, after a look at what is there of earlier runs. */
int pca_make_place(pca_run *run);

/* Statistics and run->model of a cube that has none. Where the device has room for the cube, it stays there. */
int pca_analyse(pca_run *run);

/* --resume, once there are the place and the device: takes the model of the run before, on every rank. An exchange. */
int pca_begin_resume(pca_run *run);
/* After the first pass, now, if it was long; and with the commit, when all is done. */
void pca_keep_model(const pca_run *run);
int pca_keep_all(const pca_run *run);

/* Which rows' components the run, or this member, makes. */
void pca_choose_rows(pca_run *run);

/* All files, each whole: or none, after an error. */
int pca_write_results(pca_run *run);

/* Of sums over floats and of scores: "single", "double", or "ds", pairs of floats, where the device has no double. */
static inline const char *pca_precision_name(const pca_run *run)
{
    return run->options.precision == PENTA_PRECISION_SINGLE ? "single"
           : penta_context_device(run->job.ctx)->fp64       ? "double"
                                                            : "ds";
}

/* Whether the model came from a file. */
static inline bool pca_has_model(const pca_run *run)
{
    return run->flags.transform || run->flags.inverse;
}
