/* Internals of the loader of bands, shared by traces.c and traces_upload.c. */
#pragma once

#include "optmap/optmap.h"

/* As in the kernels (cl/optmap/traces*). */
enum {
    TRACES_CPU_PIXELS = 32, /* per work-item */
    TRACES_CPU_FRAMES = 64,
    TRACES_TILE = 32, /* pixels and frames per group, GPU form */
    TRACES_ROWS = 8,
    TRACES_LANES = 64, /* work-items per pixel, GPU form */
    TRACES_UNIT = 64   /* pieces are multiples of this many frames */
};

struct optmap_loader {
    penta_resources resources;
    optmap_shape shape;
    penta_type type;
    bool under;
    int begin, end;   /* frames of the baseline */
    double min_value; /* -INFINITY: off */
    size_t piece;     /* frames at a time */
    penta_kernel layout, normalise;
    penta_buffer basis;         /* drift + 1 polynomials, orthonormal over the frames, pitch apart */
    penta_buffer staging[2][2]; /* [turn][movie, under]: one turn is filled while kernels read the other */
    penta_buffer mask;          /* byte per pixel of a band */
    penta_buffer report;        /* written by the kernels: traces.c */
    penta_buffer fence;         /* not used by kernels: reading it waits for earlier transfers */
    double *host_basis;         /* the same in host memory */
    void *gathered[2][2];       /* pinned, as large as a staging buffer; NULL until needed */
    int turn;
    optmap_count count;
};

/* Sends frames of the band's rows and converts them to its traces, as doubles. Enqueues only. */
penta_status traces_upload(optmap_loader *loader, const penta_movie *movie, optmap_traces *band);

/* Fills the band from the movie, without double precision on the device (traces_host.c). report: zeros, to which the
 * counts are added, as the kernels do. Errors: PENTA_MEMORY, PENTA_DEVICE. */
penta_status traces_on_host(const optmap_loader *loader, const penta_movie *movie, optmap_traces *band,
                            uint32_t *report);
