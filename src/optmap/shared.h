/* One movie by the members of a group (pentacl/optmap.h: penta_optmap_run_shared), what its two ways have in common. */
#ifndef PENTA_OPTMAP_SHARED_H
#define PENTA_OPTMAP_SHARED_H

#include <pentacl/group.h>

#include "optmap/plan.h"

typedef struct optmap_shared {
    penta_optmap *plan;
    penta_group *group;
    size_t rank, members;
    const penta_movie *movie;    /* of rank 0: between processes NULL at the others */
    penta_optmap_result *result; /* the same */
    const size_t *first;         /* rows: those of member m begin with first[m] and end before first[m + 1] */
    /* what all are told of the movie and of what is wanted */
    penta_type type;
    bool under, mask, filtered, traces, shifts, valid;
} optmap_shared;

/* The rows of results of a member, and rows of the movie that these need. */
typedef struct optmap_part {
    size_t from, to, begin, end;
} optmap_part;
optmap_part optmap_part_of(const optmap_shared *s, size_t member);

/* Every member's rows, in the memory of rank 0. *count: of this member's pixels; *batches: its bands. */
penta_status optmap_shared_here(optmap_shared *s, optmap_count *count, size_t *batches);
/* The same by messages. */
penta_status optmap_shared_apart(optmap_shared *s, optmap_count *count, size_t *batches);

#endif
