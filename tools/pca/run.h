/* What the parts of `penta pca` share. */
#ifndef PENTA_TOOLS_PCA_RUN_H
#define PENTA_TOOLS_PCA_RUN_H

#include "io/cube.h"
#include "job.h"
#include "pca/flags.h"
#include "pca/model.h"
#include "pca/pass.h"

typedef struct cube_run {
    job job;
    cube_flags flags;
    penta_pca_options options; /* as typed, no_data as resolved */
    const char *path;          /* of the cube */
    io_cube *cube;
    const io_cube_info *about; /* of what is selected */
    uint8_t *mask;             /* of the selection, or NULL */
    char no_data[32];          /* what options.no_data points to where the file says it */
    cube_source *source;
    penta_pca *statistics; /* that keep the pixels on the device; or NULL: the source has them */
    cube_model model;
    uint64_t pixels;   /* valid ones */
    double first_pass; /* seconds: all pixels read, sent and added up */
} cube_run;

/* Functions that can fail say so on stderr and return an exit code. */

/* run->path and the flags to cube, about, mask, options.no_data; before it run->model of --transform or --inverse. */
int cube_open_input(cube_run *run, const cli_spec *spec);

/* Whether the results may be written where they are to be: over nothing that is read. Wrong usage otherwise. */
int cube_check_place(const cube_run *run);
/* Makes it, after a look at what is there of earlier runs. */
int cube_make_place(cube_run *run);

/* Statistics and run->model of a cube that has none. Where the device has room for the cube, it stays there. */
int cube_analyse(cube_run *run);

/* All files, each whole: or none, after an error. */
int cube_write_results(cube_run *run);

/* Whether the model came from a file. */
static inline bool cube_has_model(const cube_run *run)
{
    return run->flags.transform || run->flags.inverse;
}

#endif
