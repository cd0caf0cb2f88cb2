/* Internals of the plan, shared by plan*.c. */
#pragma once

#include "optmap/optmap.h"

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
    optmap_traces band;
    penta_kernel traces_out;
    penta_buffer shifts;   /* int32, band_rows x width x window^2 */
    penta_buffer filtered; /* float, out frames x band_rows x width; then the band's traces as a movie */
};
