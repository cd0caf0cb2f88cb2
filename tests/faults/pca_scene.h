/*
 * Cubes for trials with faults, one at a time: their rows come in two pieces; statistics and maps of them are compared
 * to the first answer, and that to the reference.
 */
#pragma once

#include "faults/sweep.h"

#include <pentacl/pca.h>

enum {
    MOST_BANDS = 36,
    COLS = 37,
    ROWS = 31,
    FIRST_ROWS = 17, /* of the first of two pieces */
    PIXELS = ROWS * COLS,
    SLABS = 4, /* that results are kept of: two full ones of a unit and an open one, or two of each of two types */
    UNTOUCHED = 0xA5,
};

/* A cube and what is asked of it. */
typedef struct {
    const char *name;
    size_t bands, outs; /* outs: of the map */
    int layout;
    penta_type type;
    bool mixed; /* the second piece of a map is of floats */
    bool masked, pinned;
    const char *no_data; /* "7" or "nan" */
    int kind, cov, precision;
    penta_type result; /* of maps */
    bool rescale, given;
} pca_scene;

/* What the scene now swept is made of. */
typedef struct {
    double x[MOST_BANDS * PIXELS];           /* bands x pixels */
    uint8_t valid[PIXELS];                   /* neither masked nor without data */
    double elements[2][MOST_BANDS * PIXELS]; /* as the rows have them, for each piece */
    uint8_t mask[PIXELS];                    /* of the rows */
    double matrix[MOST_BANDS * MOST_BANDS], before[MOST_BANDS], after[MOST_BANDS];
} pca_scene_cube;

/* What the library is given: rows, and room for results. */
typedef struct {
    double elements[2][MOST_BANDS * PIXELS];
    uint8_t mask[PIXELS];
    double out[MOST_BANDS * PIXELS];
    uint8_t valid[PIXELS];
} pca_scene_memory;

/* How: with the forms of kernels of this device, or those of a GPU. */
extern const job scene_on_cpu, scene_as_gpu;

/* All sweeps of a scene; t->job->what is the scene. */
void scene_sweep(const pca_scene *s, const job *how, penta_status (*attempt_scene)(trial *t));

const pca_scene_cube *scene_cube(void);
pca_scene_memory *scene_host(void);
/* Memory of the rows and for results; before a trial begins. */
void scene_have_memory(const pca_scene *s, penta_context *ctx);
void scene_return_memory(penta_context *ctx);
/* Piece 0 or 1. */
penta_cube_rows scene_rows(const pca_scene *s, int i);

/* ---- statistics (pca_scene_model.c) ---- */

penta_status scene_create_plan(const pca_scene *s, penta_context *ctx, penta_pca **plan);
penta_status scene_add(const pca_scene *s, penta_pca *plan);
/* A model that must be empty if there is an error. */
penta_status scene_solve(penta_pca *plan, penta_pca_model *out);
/* Takes the first one for right once the reference agrees; frees it. */
void scene_expect_model(const pca_scene *s, penta_pca_model *m);
void scene_forget_model(void);

/* ---- maps (pca_scene_map.c) ---- */

penta_status scene_create_map(const pca_scene *s, penta_context *ctx, penta_map **map);
/* All pieces, into a map without any, after scene_clear_results. */
penta_status scene_map_rows(const pca_scene *s, penta_map *map);
void scene_clear_results(void);
penta_status scene_ask_range(penta_map *map);
penta_status scene_take(const pca_scene *s, penta_map *map);
/* As scene_expect_model, of what was taken and of the range. */
void scene_expect_results(const pca_scene *s);
void scene_forget_results(void);
