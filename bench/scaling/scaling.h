/*
 * penta bench --scaling: how much faster a job runs on several members (pentacl/group.h), threads with a context each
 * or ranks of MPI. A case is run by 1, 2, .. N members, which are the same devices, or parts of a CPU device, each
 * time. bench/<workload>/scaling.c has a workload's jobs, cases.c the cases.
 *
 * Strong: the same input for any number of members, efficiency t(1) / (N t(N)). Weak: each member brings as much input
 * as one has alone, efficiency t(1) / t(N). Times are those of the whole run by the host's clock, once contexts, plans
 * and kernels are there, from inputs in host memory to results there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include <pentacl/group.h>
#include <pentacl/io/error.h>

#include "bench.h"
#include "run/run.h"
#include "shared/bench_flags.h"

/* ---- a job ---- */

typedef struct scaling_case scaling_case;

enum { SCALING_ARRAYS = 8 };

/* One of those that run a case together, in the functions of a job. */
typedef struct scaling_member {
    const scaling_case *c;
    penta_group *group; /* of the members that take part */
    penta_context *ctx;
    size_t rank, members;
    size_t parts; /* of the input: members for which it is; 1 of a strong case */
    bool checked; /* the run's result will be asked for */
    void *state;  /* the job's */
    void *arrays[SCALING_ARRAYS], *pinned[SCALING_ARRAYS]; /* freed when the job has ended */
    char fault[512];                                       /* by scaling_fault */
} scaling_member;

/* The bytes that must be the same for any number of members. */
typedef struct {
    const void *data; /* as long as the state */
    size_t bytes;
} scaling_result;

/* Functions of every member, which may use its group together. They fail with scaling_fault, or with the library's text
 * at the member's context. */
typedef struct scaling_job {
    penta_status (*begin)(scaling_member *m);                       /* plans, inputs, kernels: not timed */
    penta_status (*run)(scaling_member *m);                         /* the whole run */
    penta_status (*result)(scaling_member *m, scaling_result *out); /* of the run before; rank 0's counts */
    void (*end)(void *state); /* destroys plans, also after begin has failed; not called without a state */
} scaling_job;

enum { SCALING_SIZES = 6 };

struct scaling_case {
    const char *workload, *name;
    bool weak, cpu;  /* cpu: for CPU devices, otherwise for GPUs */
    double contract; /* least efficiency that is wanted with two members; 0: none is */
    const char *what;
    const scaling_job *job;
    size_t sizes[SCALING_SIZES]; /* what the job makes of them */
};

extern const scaling_case scaling_cases[]; /* cases.c */
extern const size_t scaling_case_count;

extern const scaling_job scaling_nbody;    /* bodies, steps */
extern const scaling_job scaling_pca;      /* rows, columns, bands, cubes a member, penta_type */
extern const scaling_job scaling_autocorr; /* width, height, R, frames, different frames */
extern const scaling_job scaling_optmap;   /* width, height, frames, movies, different movies, 1: with maps */

/* Keeps the text for the one line that ends the program. */
penta_status scaling_fault(scaling_member *m, penta_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Memory of the member until its job has ended, zeroed or pinned; NULL after scaling_fault. */
void *scaling_alloc(scaling_member *m, size_t count, size_t size);
void *scaling_pinned(scaling_member *m, size_t count, size_t size);
void *scaling_state(scaling_member *m, size_t size); /* zeroed, as m->state */

/* ---- members ---- */

typedef struct scaling_place {
    char host[64], device[128];
    size_t index, part, parts; /* of the device; it has part `part` of `parts` of it */
    unsigned units;            /* compute units of that part */
    bool cpu, shared;          /* shared: others have the same units */
} scaling_place;

/* All members that there are: threads, or ranks (shared/ranks.h). */
typedef struct scaling_team {
    size_t size;
    penta_context **contexts; /* of ranks, this one's alone, at its place */
    scaling_place *places;
} scaling_team;

/* Opens the devices of a list; one CPU device that is named once is divided into members with as many cores each. An
 * exit code. (team.c) */
int scaling_team_open(const char *list, scaling_team *out);
void scaling_team_close(scaling_team *team);
json_t *scaling_team_describe(const scaling_team *team);
void scaling_team_print(const scaling_team *team);

/* Runs body(group, data) for each of the first `members`; of a rank that is none of them it does nothing. */
penta_status scaling_team_run(size_t members, penta_status (*body)(penta_group *group, void *data), void *data);

/* ---- measuring ---- */

enum { SCALING_MOST_RUNS = BENCH_MAX_RUNS };

/* A case on some members. */
typedef struct scaling_row {
    size_t members, runs;
    bench_spread seconds;
    double efficiency; /* 1: as much work a second and member as one alone does */
    double *kernels;   /* s in kernels of a run, one a member */
} scaling_row;

/* Measures a case on 1, 2, .. members; every rank does. rows: team->size of them; *count: how many were measured, at
 * rank 0. An exit code after one line. (run.c) */
int scaling_measure(const scaling_team *team, const scaling_case *c, double seconds, scaling_row *rows, size_t *count);

/* ---- all of it ---- */

/* --scaling; workload NULL: those of all. An exit code. (scaling.c) */
int bench_scaling(const bench_flags *flags, const char *workload);

/* ---- what comes out (report.c) ---- */

void scaling_print(const scaling_case *c, const scaling_row *rows, size_t count);
json_t *scaling_describe(const scaling_case *c, const scaling_row *rows, size_t count);

/* scaling.png of a report: {"machine", "date", "members", "scaling"}, and more (picture.c). */
bool scaling_picture(const json_t *report, const char *directory, penta_io_error *error);
