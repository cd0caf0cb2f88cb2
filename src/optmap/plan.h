/* Internals of the plan, shared by plan*.c and shared*.c. */
#pragma once

#include "optmap/optmap.h"

/* Of a movie the rows that a run makes, and which its arrays hold. */
typedef struct optmap_rows {
    size_t from, to;    /* results */
    size_t movie_first; /* row with which each frame and the mask begin */
    size_t first, held; /* row with which the caller's results begin, and how many they have */
} optmap_rows;

struct penta_optmap {
    penta_resources resources;
    penta_optmap_options options; /* resolved; its strings are the next two */
    char *baseline, *min_value;
    bool chooses_drift; /* options.drift was chosen for the last movie */
    optmap_filter filter;
    double *gaussian;
    optmap_shape shape;
    size_t band_rows; /* most rows with results; shape.rows includes halos */
    const optmap_engine *engine;
    void *state; /* state of the engine */

    optmap_loader *loader; /* for movies of `type`, with or without a second camera; made by the first run */
    penta_type type;
    bool under;
    optmap_rows rows; /* of the run in progress */
    optmap_traces band;
    penta_kernel traces_out;
    penta_buffer shifts;   /* int32, band_rows x width x window^2 */
    penta_buffer filtered; /* float, out frames x band_rows x width; then the band's traces as a movie */
};

/* Chooses the rows of results per band. */
size_t optmap_choose_rows(const penta_optmap *plan);

/* ---- a run, in its parts ---- */

/* Whether any of its frames, or the mask, is. */
bool optmap_is_in_device(const penta_optmap *plan, const penta_movie *movie);
/* Checks a whole movie and the arrays of its results; chooses the drift. */
penta_status optmap_prepare(penta_optmap *plan, const penta_movie *movie, const penta_optmap_result *result);
/* Makes rows of results, and result->batches. *count: of their pixels. */
penta_status optmap_run_rows(penta_optmap *plan, const penta_movie *movie, const optmap_rows *rows,
                             penta_optmap_result *result, optmap_count *count);
void optmap_add_counts(optmap_count *sum, const optmap_count *more);
/* Of all pixels: fails with the rules that left none. */
penta_status optmap_conclude(penta_optmap *plan, const optmap_count *all, penta_optmap_result *result);

/* Reads what the plan's band has into the caller's arrays. */
penta_status optmap_read_results(penta_optmap *plan, penta_optmap_result *result);
