/* Inside the loader of bands: what traces.c and traces_upload.c share. */
#ifndef PENTA_OPTMAP_TRACES_H
#define PENTA_OPTMAP_TRACES_H

#include "optmap/optmap.h"

/* As the kernels have them (cl/optmap/traces*). */
enum {
    TRACES_CPU_PIXELS = 32, /* of a work-item */
    TRACES_CPU_FRAMES = 64,
    TRACES_TILE = 32, /* pixels and frames of a group, GPU form */
    TRACES_ROWS = 8,
    TRACES_LANES = 64, /* work-items a pixel, GPU form */
    TRACES_UNIT = 64   /* pieces are multiples of so many frames */
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
    penta_buffer mask;          /* byte a pixel of a band */
    penta_buffer report;        /* of the kernels: traces.c */
    penta_buffer fence;         /* no kernel touches it: reading it waits for the transfers before */
    void *gathered[2][2];       /* pinned, of a staging buffer's size; NULL until needed */
    int turn;
    optmap_count count;
};

/* Frames of the band's rows to its traces, as doubles. Enqueued. */
penta_status traces_upload(optmap_loader *loader, const penta_movie *movie, optmap_traces *band);

#endif
