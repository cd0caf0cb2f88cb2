/*
 * Items of a list that members of a group do, threads or ranks, and a row about each for rank 0, which takes the rows
 * in the order of the list while others are made: what comes out is what one member does. A member takes the next
 * slice of the list when it is free, a few slices before those that rank 0 has taken. After an error slices below are
 * finished, and that of the first item is told.
 */
#pragma once

#include <pentacl/group.h>

#include "shared/parcel.h"

typedef struct rows rows;

/* NULL where a function is not needed. */
typedef struct rows_task {
    const char *command;
    size_t begin, end, slice; /* items; of a slice */
    size_t ahead; /* slices a member that are worked on or not yet taken: what is lost where a run ends early; 0: 4 */
    void *user;
    /* ---- at the member that has a slice, on a thread of its own ---- */
    /* A slice that comes after the one that is worked on: it may be read ahead. */
    void (*promise)(void *user, size_t member, size_t first, size_t n);
    /* Does a slice; rows are put then or later, on any thread. An exit code, after a line about item *failed, which is
     * said in its turn. */
    int (*work)(void *user, rows *r, size_t first, size_t n, size_t *failed);
    void (*finish)(void *user, size_t member); /* waits until all rows are put */
    /* Rank 0 has the row, and has taken those of all items before `taken`. */
    void (*received)(void *user, size_t item, size_t taken);
    /* ---- at rank 0, on the caller's thread ---- */
    /* Takes the row of an item, which member `rank` did, in order. False: no more are wanted. */
    bool (*take)(void *user, size_t item, size_t rank, parcel_reader *row);
    void (*drop)(void *user, size_t item, parcel_reader *row); /* what belongs to a row that is not taken */
    void (*lost)(void *user, size_t item); /* after a signal a rank is gone: this row, the next, never comes */
} rows_task;

/* Which of the members of this process it is, on whose context it works. */
size_t rows_member(const rows *r);

/* Takes over bytes from malloc; NULL: out of memory. */
void rows_put(rows *r, size_t item, void *bytes, size_t size);

/* Every member, with the same task but for the user. At rank 0 an exit code, after a line about the first item that
 * failed; CLI_OK also where take has ended it. */
int rows_run(penta_group *group, const rows_task *task);

/* The same by all members of a job, its ranks or threads. */
int rows_run_job(size_t members, const rows_task *task);
