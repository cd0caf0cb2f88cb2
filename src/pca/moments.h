/* Inside the moments: what moments.c and moments_group.c share. */
#pragma once

#include "math/pair.h"
#include "pca/pca.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

enum { PCA_PARTS = 2 * 64 + 1 }; /* of the slabs from any one to any other, and one to merge */

/* The sums of slabs first .. first + slabs - 1 of the cube, merged; first is a multiple of slabs, a power of two.
 * pixels 0: none is valid, whether there is memory or not. */
typedef struct pca_part {
    uint64_t first, slabs;
    uint64_t pixels;
    double *origin;   /* bands: the shift of the first slab with valid pixels; */
    penta_pair *mean; /* bands, less the origin */
    double *scatter;  /* lower triangle, row after row */
} pca_part;

struct pca_moments {
    penta_resources resources;
    size_t bands;
    bool exact;
    uint64_t pixels;
    uint64_t next;             /* floats: number of the next slab */
    pca_part parts[PCA_PARTS]; /* floats: in order, no two of which make one; behind them, memory of earlier ones */
    size_t count;
    pca_part all;  /* floats: the result, before it is divided */
    int64_t *sums; /* integers: bands; below 2^63 as long as there are fewer than 2^47 pixels */
    wide *gram;    /* integers: lower triangle */
};

static inline size_t pca_triangle_of(size_t rows)
{
    return rows * (rows + 1) / 2;
}

/* Floats: memory for a part behind those that count. */
penta_status pca_moments_have(pca_moments *m, pca_part **out);
/* That part counts: it is merged with those before it where they make one. */
void pca_moments_put(pca_moments *m);
