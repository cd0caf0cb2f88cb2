/* Inside of a tissue: what the parts of tissue*.c share. */
#ifndef PENTA_OPTMAP_TISSUE_H
#define PENTA_OPTMAP_TISSUE_H

#include <pentacl/tissue.h>

#include "core/core.h"

enum { TISSUE_LEAD = 16 }; /* as in cl/optmap/tissue.cl */

struct penta_tissue {
    penta_resources resources;
    penta_tissue_options options; /* with what was chosen */
    size_t columns, rows;         /* px */
    size_t width, height, pitch;  /* cells; floats from one row to the next */
    int lean;                     /* of the diagonals: 1 down right, -1 down left */
    penta_kernel step;
    penta_buffer u[2], v[2], east, south, slant, share;
    int now;         /* which of them holds the present */
    uint8_t *tissue; /* height x width: 1 in the tissue */
    float *staging;  /* of a buffer */
};

/* Of the elements: their weights, as the kernel takes them (arrays of `padded` floats, zero before), and the cells that
 * are in one. dxx, dxy, dyy: D / cell^2. */
typedef struct {
    float *east, *south, *slant, *share;
} tissue_weights;

size_t tissue_padded(const penta_tissue *t); /* floats of a buffer */
void tissue_stiffness(penta_tissue *t, const uint8_t *outline, double dxx, double dxy, double dyy, tissue_weights *w);
/* The longest stable step of the diffusion, in units of time. */
double tissue_stable_step(double dxx, double dxy, double dyy);

#endif
