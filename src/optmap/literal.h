/* The parts of engine `literal` (literal_engine.c): shifts by transforms of interpolated traces (literal_shifts.c),
 * then the filter (literal_filter.c). */
#pragma once

#include "math/fft.h"
#include "optmap/optmap.h"

/* Sizes that follow from the shape. */
typedef struct literal_sizes {
    size_t samples;          /* samples of an interpolated trace */
    size_t z;                /* transform length: the next power of two of 2 samples - 1 */
    size_t pitch;            /* complex numbers per pixel's spectrum */
    size_t neighbours;       /* neighbours in a window, with the pixel itself */
    size_t pixels;           /* most pixels of a band */
    size_t slots;            /* transforms per batch, each of two pixels or two pairs */
    size_t out_frames, work; /* work: bytes of a batch's buffer */
    size_t most;             /* largest lag of the search */
    size_t group, parts;     /* of the search: work-items per group, groups per slot */
} literal_sizes;

typedef struct literal_shifter {
    penta_fft *fft;
    penta_kernel scale, pad, split, clear, pair, multiply, search, reduce;
    penta_buffer scales, spectra, sums, list, pairs, values, places;
    uint8_t *valid;  /* host, pixels */
    int32_t *listed; /* host: pixels with results */
} literal_shifter;

typedef struct literal_filter {
    penta_kernel shift, gaussian, median;
    penta_buffer weights, sums;
    size_t batch; /* pixels per batch */
} literal_filter;

typedef struct literal_state {
    penta_resources resources; /* resources of all parts */
    optmap_shape shape;
    literal_sizes sizes;
    penta_kernel interpolate;
    penta_buffer weights;
    penta_buffer y;    /* pixels x samples, reals */
    penta_buffer work; /* slots x z complex numbers; then shifted traces */
    literal_shifter shifter;
    optmap_shifter *fast; /* without double precision: finds the same shifts; NULL with phase correlation */
    literal_filter filter;
} literal_state;

/* Writes the defines of the kernels of all parts, "-DWINDOW=..". */
void literal_defines(const literal_state *s, char *out, size_t size);

/* Waits for what is enqueued and reports progress: `done`, 0 .. 1, is the band's share. */
penta_status literal_report(literal_state *s, const optmap_traces *band, double done);

penta_status literal_shifter_create(literal_state *s);
/* Finds t0 of every pixel of the band with a result and its neighbours, from s->y. */
penta_status literal_shifter_run(literal_state *s, optmap_traces *band, penta_buffer *shifts);

penta_status literal_filter_create(literal_state *s);
penta_status literal_filter_run(literal_state *s, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered);

/* Number of pixels of the band, and of its rows with results. */
static inline size_t literal_pixels(const literal_state *s, const optmap_traces *band)
{
    return band->rows * s->shape.width;
}
static inline size_t literal_results(const literal_state *s, const optmap_traces *band)
{
    return (band->to - band->from) * s->shape.width;
}
static inline int literal_out(const literal_state *s, const optmap_traces *band)
{
    return (int)((band->from - band->first) * s->shape.width);
}
