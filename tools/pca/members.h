/* Several devices in one run: each member, a thread or a rank, has a part of the cube, which it reads, transforms and
 * writes. */
#pragma once

#include "pca/preview.h"
#include "pca/run.h"

enum { PCA_CUBES = 2 }; /* that are written: components, reconstructed */

/* What the first member opens and all write into, which is closed when all have ended; each rank has its own, and the
 * writers of the others have joined those of the first. */
typedef struct pca_shared {
    penta_io_cube_writer *writers[PCA_CUBES];
    pca_preview *preview;
} pca_shared;

/*
 * Runs `work` for a copy of the run on each device of the job, in a thread each; the first member's copy becomes the
 * run. Errors are said once: that of the first member that failed by itself. Under mpirun each rank runs it for its own
 * run. An exit code.
 */
int pca_run_members(pca_run *run, int (*work)(pca_run *member));

/* Whether this member, or the only device, is the one that speaks and makes files for all. */
bool pca_leads(const pca_run *run);
/* Which member it is; 0 of one. */
size_t pca_rank(const pca_run *run);

/* Every member: the same number of bytes of each, by rank, to be freed. It waits for all. An exit code. */
int pca_gather(pca_run *run, const void *mine, size_t bytes, void **all);
/* Every member: waits for all. An exit code. */
int pca_meet(pca_run *run);
/* Every member, before it calls the library together with the others: the exit code of a rank that has failed, which
 * does not end their waiting as a thread does. */
int pca_agree(void);
/* Every member, the first once it has opened its writers, the others before they use theirs. An exit code. */
int pca_share_writers(pca_run *run);
/* Every member, after all rows: they are on the disk, and the first member's files are whole but for their end. An exit
 * code. */
int pca_end_writers(pca_run *run);
/* Every member: the first one's preview gets the others' pixels. An exit code. */
int pca_join_previews(pca_run *run);
