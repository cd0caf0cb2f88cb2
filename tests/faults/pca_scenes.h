/* Scenes of the faults in plans and maps of cubes. */
#ifndef PENTA_TESTS_PCA_SCENES_H
#define PENTA_TESTS_PCA_SCENES_H

#include "faults/sweep.h"

#include "pca/pca.h"

enum {
    MOST_BANDS = 36,
    COLS = 37,
    ROWS = 31,
    FIRST_ROWS = 17, /* of the first of two pieces */
    PIXELS = ROWS * COLS,
    SLABS = 4, /* that results are kept of: two full ones of a unit and an open one, or two of each of two types */
};

/* ---- scenes ---- */

/* A cube and what is asked of it. */
typedef struct {
    const char *name;
    size_t bands, outs; /* outs: of the map; 0: statistics */
    int layout;
    penta_type type;
    bool mixed; /* the second piece of a map is of floats */
    bool masked, pinned;
    const char *no_data; /* "7" or "nan" */
    int kind, cov, precision;
    penta_type result; /* of maps */
    bool rescale, given;
} scene;

/* What the scene now swept is made of. */
extern struct scene_cube {
    double x[MOST_BANDS * PIXELS];           /* bands x pixels */
    uint8_t valid[PIXELS];                   /* neither masked nor without data */
    double elements[2][MOST_BANDS * PIXELS]; /* as the rows have them, for each piece */
    uint8_t mask[PIXELS];                    /* of the rows */
    double matrix[MOST_BANDS * MOST_BANDS], before[MOST_BANDS], after[MOST_BANDS];
} cube;

/* What the library is given: rows, and room for results. */
typedef struct {
    double elements[2][MOST_BANDS * PIXELS];
    uint8_t mask[PIXELS];
    double out[MOST_BANDS * PIXELS];
    uint8_t valid[PIXELS];
} memory;

/* Room that the caller has: pinned, where the scene asks for it, as transfers use it after they were asked for. */
memory *host(void);
/* Makes the scene's cube and matrix. */
void make_cube(const scene *s);
/* Memory of the rows and for results; before a trial begins. */
void have_memory(const scene *s, penta_context *ctx);
void return_memory(penta_context *ctx);
/* Piece 0 or 1. */
penta_cube_rows piece(const scene *s, int i);
bool is_float(penta_type type);
/* After a run that failed: host() is the caller's again. */
void expect_rows_idle(const trial *t);

/* Sweeps the faults of the scene's job, in the forms for CPUs or GPUs; attempt makes, does, checks and unmakes it. */
void sweep_scene(const scene *s, const job *how, penta_status (*attempt)(trial *t));
extern const job on_cpu, as_gpu;
/* Each trial builds its programs, which takes long, so few calls fail, and no allocations. */
extern const job in_new_context;

#endif
