/* Internals of a tissue, shared by tissue*.c. */
#pragma once

#include <pentacl/tissue.h>

#include "optmap/medium.h"

struct penta_tissue {
    penta_resources resources;
    penta_tissue_options options; /* resolved options */
    size_t columns, rows;         /* px */
    optmap_medium medium;         /* with an empty row above and below */
    int lean;                     /* direction of the diagonals: 1 down right, -1 down left */
    penta_kernel step;
    penta_buffer east, south, slant, share;
    uint8_t *tissue; /* height x width cells: 1 in the tissue */
};

/* Weights of the elements, as the kernel takes them (arrays of medium_floats, zeroed before), and the cells that are in
 * an element. dxx, dxy, dyy: D / cell^2. */
typedef struct {
    float *east, *south, *slant, *share;
} tissue_weights;

void tissue_stiffness(penta_tissue *t, const uint8_t *outline, double dxx, double dxy, double dyy, tissue_weights *w);
/* The longest stable step of the diffusion, in units of time. */
double tissue_stable_step(double dxx, double dxy, double dyy);
