/* Movies that were done, one after another in the order of the list: their files appear, and what is told of them is.
 */
#pragma once

#include "optmap/run.h"
#include "shared/messages.h"
#include "shared/progress.h"

/* The loop over movies. */
typedef struct optmap_turns {
    optmap_run *run;
    optmap_movies *list;
    size_t done;
    int code;     /* of the last movie */
    bool stopped; /* the answer has no room for more */
    progress bar;
} optmap_turns;

/* What is told of a movie, besides what was said while it was analysed. */
typedef struct optmap_account {
    double read, device; /* s */
    held_messages notes;
    char *text;      /* for people; NULL: not wanted */
    json_t *details; /* for --json; NULL: not wanted, or out of memory */
} optmap_account;

/* Movie i of the list, for a member. */
void optmap_open_turn(const optmap_turns *t, size_t i, size_t member, optmap_study *s);

optmap_account optmap_make_account(const optmap_study *s);
void optmap_free_account(optmap_account *a);

/* A movie that came to this exit code has its turn, and is closed; whether others follow. account: NULL, to be made;
 * or what another rank has made, which is freed. */
bool optmap_take_turn(optmap_turns *t, optmap_study *s, int code, optmap_account *account);

/* Whether a movie has its turn after the last one. */
bool optmap_goes_on(const optmap_turns *t);
