/* Inside the plans: what plan.c, plan_solve.c and plan_group.c share. */
#pragma once

#include <stdlib.h>

#include "pca/pca.h"

/* What a model is made of. */
typedef struct pca_statistics {
    uint64_t pixels, pairs;            /* valid ones */
    double *mean, *covariance, *noise; /* noise: MNF */
} pca_statistics;

/* Empties it. */
static inline void pca_statistics_free(pca_statistics *s)
{
    free(s->mean);
    free(s->covariance);
    free(s->noise);
    *s = (pca_statistics){0};
}

struct penta_pca {
    penta_resources resources;
    penta_pca_options options; /* without no_data, which belongs to the caller */
    size_t bands, capacity;    /* of slabs, in pixels */
    pca_choice choice;
    pca_loader *loader;
    pca_stream *pixels, *noise; /* made when the first rows tell the type; noise: MNF */
    penta_type type;
    size_t cols, rows;     /* of the last rows; given so far */
    uint64_t pixels_taken; /* so far; in a group those of the part */
    uint64_t keep;         /* bytes of pixels that stay on the device; 0: none do */
    bool begun, broken;    /* there were rows; a call failed in the middle */
    pca_scale scale;
    penta_group *group; /* borrowed; NULL: none */
    penta_pca_part part;
    bool collected;       /* rank 0 has the sums of all members */
    pca_statistics whole; /* of rank 0 then */
};

static inline void pca_plan_drop_streams(penta_pca *plan)
{
    pca_stream_destroy(plan->pixels);
    pca_stream_destroy(plan->noise);
    plan->pixels = plan->noise = NULL;
}

/* plan.c */
penta_status pca_plan_have_streams(penta_pca *plan, penta_type type);
/* PENTA_INVALID: a call before failed in the middle. */
penta_status pca_plan_need_whole(const penta_pca *plan);

/* ---- in a group (plan_group.c) ---- */

/* PENTA_INVALID: the rows are not the next ones of the part. */
penta_status pca_plan_check_part(const penta_pca *plan, const penta_cube_rows *rows);
/* Which pixels of the next rows are of the part. */
void pca_plan_own_pixels(const penta_pca *plan, const penta_cube_rows *rows, size_t *first, size_t *pixels);
