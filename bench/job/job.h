/*
 * penta bench --job: a job as its users run it. The whole command, `penta WORKLOAD ... --json` in a process of its own,
 * is timed beside the script that a user of Python would write for the same files (bench/job/scripts), and beside a
 * bare OpenCL program (bench/bare), which shows what starting costs at least. Inputs are made by `penta sample`. A
 * workload's first run has empty caches of kernels, which later ones fill and find. Of each case the first answers of
 * command and script are compared before all are timed by turns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "run/process.h"
#include "run/run.h"
#include "shared/bench_flags.h"

/* ---- what there is (cases.c) ---- */

/* What both must find alike: a member of the answers, or an array in a file of both. */
typedef struct {
    const char *what, *unit; /* for people; unit "": none, and the difference is relative */
    const char *member;      /* of the command's `frames`, or else of its answer; of the script's values. Or NULL */
    const char *file;        /* in both output folders */
    bool typical;            /* of a file: the median difference counts, not the largest */
    double allowed;
} job_check;

enum { JOB_MOST_CHECKS = 2 }; /* of a case */

/* Words are separated by single spaces; IN and OUT begin the names of files, which may have a *. */
typedef struct {
    const char *workload, *name;
    bench_extent extent;        /* the least with which it is run */
    double cold, penta, script; /* s that a first run, a later one and the script's take on two cores of a CPU */
    const char *what;
    const char *sample;      /* flags of penta sample */
    const char *flags;       /* of the command */
    const char *more;        /* words of the script besides both folders, or NULL */
    const job_check *checks; /* what: NULL behind the last */
} job_case;

extern const job_case job_cases[];
extern const size_t job_case_count;

typedef struct {
    const char *name; /* "autocorr.py" */
    const unsigned char *text;
    const size_t *bytes;
} job_script;

extern const job_script job_scripts[];
extern const size_t job_script_count;

/* ---- a process (process.c) ---- */

/* What words of a command line stand for that begin with this name. */
typedef struct {
    const char *name, *value;
} job_name;

/* Runs a command line to its end, or until Ctrl-C, with the kernel caches of this folder: words that are separated by
 * spaces, a name with a * for the files there are. names: the last NULL. False: out of memory, or no process. */
bool job_run_line(const char *line, const job_name *names, const char *caches, bench_end *out);

/* ---- folders (folder.c) ---- */

/* A new one for all of it, with the scripts; NULL with one line on stderr. */
char *job_make_folder(void);
/* DIR/NAME, which is made anew, empty. NULL likewise. */
char *job_make_empty(const char *directory, const char *name);
void job_remove_folder(const char *directory);

/* ---- whether both found the same (check.c) ---- */

/* The largest, or typical, difference; NULL, or why they cannot be compared. */
const char *job_compare(const job_check *check, const json_t *ours, const json_t *script, const char *our_folder,
                        const char *script_folder, double *difference);

/* ---- a case (run.c) ---- */

enum { JOB_STAGES = 5, JOB_RUNS = 5 };
extern const char *const job_stages[JOB_STAGES];

typedef struct {
    size_t runs; /* 0: there are none */
    double wall[JOB_RUNS], cpu[JOB_RUNS];
    double stages[JOB_RUNS][JOB_STAGES]; /* they add up to wall */
    json_t *device[JOB_RUNS];            /* the command's times there, or NULL */
} job_row;

typedef struct {
    const job_case *c;
    job_row cold, ours, script; /* cold: none, unless the caches were emptied */
    job_row bare;               /* the bare OpenCL program on the same device */
    double difference[JOB_MOST_CHECKS];
    json_t *modules; /* of the script; NULL: it did not run, and `missing` says why */
    char missing[512];
    json_t *device; /* of the command's answer */
} job_outcome;

typedef struct {
    const bench_flags *flags;
    const char *penta, *bare, *python; /* the programs */
    const char *folder;                /* where everything lies */
    bool cold;                         /* the caches are emptied first */
} job_setting;

/* About how long job_measure will take on two cores, s. */
double job_expected_seconds(const job_setting *s, const job_case *c);
/* An exit code, after one line on stderr. */
int job_measure(const job_setting *s, const job_case *c, job_outcome *out);
void job_free_outcome(job_outcome *o);

/* ---- what comes out (report.c) ---- */

void job_print(const job_outcome *o);
json_t *job_describe(const job_outcome *o);

/* ---- all of it (job.c) ---- */

/* --job; workload NULL: of all. An exit code. */
int bench_job(const bench_flags *flags, const char *workload);
