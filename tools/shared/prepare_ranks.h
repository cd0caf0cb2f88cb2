/* A series of photographs that several ranks prepare, each with one member: that of rank 0 has the series. */
#ifndef PENTA_TOOLS_SHARED_PREPARE_RANKS_H
#define PENTA_TOOLS_SHARED_PREPARE_RANKS_H

#include <stdint.h>

#include "shared/parcel.h"
#include "shared/prepare_members.h"

/* Rank 0, after prepare_members_share: what frames are like, drifts found beforehand, and the state since which frames
 * are shared. */
void prepare_ranks_pack(const prepare_members *m, FILE *out);

typedef struct prepare_told {
    penta_io_image first; /* size, channels and type; data NULL */
    penta_drift *drifts;  /* NULL: none */
    size_t drift_count;
    uint64_t from; /* the last frame that was accepted before */
    penta_prepare_state state;
} prepare_told;

/* The others: reads that; false where it is not whole, or memory runs out. To be freed in any case. */
bool prepare_ranks_unpack(parcel_reader *r, prepare_told *out);
void prepare_ranks_free(prepare_told *told);

/* Gets the plan of this rank ready for the frames that are shared; fresh: it has just been made. An exit code, after a
 * line on stderr. */
int prepare_ranks_load(prepare_members *m, bool fresh, const prepare_told *told);

/* The result of a frame without its arrays. */
void prepare_ranks_pack_result(const penta_prepare_result *result, FILE *out);
void prepare_ranks_unpack_result(parcel_reader *r, penta_prepare_result *out);

#endif
