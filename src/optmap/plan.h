/* Inside the plan: what plan.c and plan_run.c share. */
#ifndef PENTA_OPTMAP_PLAN_H
#define PENTA_OPTMAP_PLAN_H

#include "optmap/optmap.h"

struct penta_optmap {
    penta_resources resources;
    penta_optmap_options options; /* resolved; its texts are the next two */
    char *baseline, *min_value;
    bool chooses_drift; /* options.drift is what the last movie needed */
    optmap_filter filter;
    double *gaussian;
    optmap_shape shape;
    size_t band_rows; /* with results, at most; shape.rows has the halos too */
    const optmap_engine *engine;
    void *state; /* of the engine */

    optmap_loader *loader; /* for movies of `type` and with a second camera or not; made by the first run */
    penta_type type;
    bool under;
    optmap_traces band;
    penta_kernel traces_out;
    penta_buffer shifts;   /* int32, band_rows x width x window^2 */
    penta_buffer filtered; /* float, out frames x band_rows x width; then the band's traces as a movie */
    float *part;           /* part_bytes, pinned: a piece of `filtered` that goes to several places on the host */
    size_t part_bytes;
};

/* Rows of results that a band should have. */
size_t optmap_choose_rows(const penta_optmap *plan);

#endif
