/*
 * What a test lets go of where its block ends, also by break, continue and return; what came last goes first.
 *
 *   HELD float *want = malloc(...);                   free(want)
 *   HELD_BY(free_movie) movie m = ...;                free_movie(&m)
 *   HELD_BY(penta_pca_held) penta_pca *plan = NULL;   penta_pca_destroy(plan)
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#define HELD_BY(release) __attribute__((cleanup(release)))
#define HELD             HELD_BY(free_held)

static inline void free_held(void *at)
{
    void *memory;

    memcpy(&memory, at, sizeof memory);
    free(memory);
}

/* clang-format off */
#define HELD_TYPE(type, release)                                            \
    typedef struct type type;                                               \
    void type##_##release(type *);                                          \
    static inline void type##_held(type **at) { type##_##release(*at); }
/* clang-format on */

HELD_TYPE(penta_analysis, destroy)
HELD_TYPE(penta_autocorr, destroy)
HELD_TYPE(penta_context, destroy)
HELD_TYPE(penta_detector, destroy)
HELD_TYPE(penta_map, destroy)
HELD_TYPE(penta_nbody, destroy)
HELD_TYPE(penta_optmap, destroy)
HELD_TYPE(penta_pca, destroy)
HELD_TYPE(penta_phases, destroy)
HELD_TYPE(penta_prepare, destroy)
HELD_TYPE(penta_sky_index, destroy)
HELD_TYPE(penta_spinodal, destroy)
HELD_TYPE(penta_spiral, destroy)
HELD_TYPE(penta_stars, destroy)
HELD_TYPE(penta_tissue, destroy)
HELD_TYPE(penta_io_cube, close)
HELD_TYPE(penta_io_reader, close)
HELD_TYPE(penta_io_run, close)
HELD_TYPE(penta_io_table, close)
