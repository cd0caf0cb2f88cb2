/* The steps that the commands of all workloads take: from flags to a device, from results to the answer. */
#pragma once

#include "shared/answer.h"
#include "shared/cli.h"
#include <pentacl/io/error.h>
#include <pentacl/io/run.h>
#include "shared/leftovers.h"

/* What a command has besides its own; functions that can fail say so on stderr and return an exit code. */
typedef struct job {
    const char *command; /* "autocorr" */
    const cli_line *line;
    bool again;   /* --resume: goes on with the run before in its directory */
    double start; /* cli_seconds() */
    cli_common common;
    penta_context *ctx;        /* NULL until job_open_device; the first of contexts */
    penta_context **contexts;  /* of job_open_devices: one a device of -d, each a member of the job; or NULL */
    size_t members;            /* of contexts; 1 without */
    size_t workers;            /* members, or ranks (shared/ranks.h), each of which has one */
    bool quick;                /* many short kernels: they are timed only where the output has the time */
    size_t *shares;            /* what each worker has done, in frames, movies or pixels; NULL: one worker */
    struct building *building; /* the line while kernels compile */
    leftovers *before;         /* what job_make_directory found; or NULL */
    penta_io_run *run;         /* of the directory of -o; NULL until job_make_directory */
} job;

/* The clock starts. */
void job_begin(job *j, const cli_line *line);

/* CLI_ERROR after the error's line; an empty one means that memory ran out. */
int job_fail_io(const job *j, const penta_io_error *error);
/* CLI_ERROR after the library's error text, which --verbose shows whole. */
int job_fail_library(const job *j);

/* Makes the context on the device of -d; with --verbose prints what the library chooses from now on, and why; the
 * job must stay where it is. */
int job_open_device(job *j);
/* The same for a command that can use several devices: a context on each of -d. */
int job_open_devices(job *j);
/* Whether kernels are timed, which is decided when devices are opened. */
bool job_times_kernels(const job *j);
/* Makes the directory of -o, checking that it can be written to, and opens the run whose files appear together; another
 * process that writes there is an error. names: patterns (leftovers_look) of files that would
 * not be of this run if it left them as they are; "": none. */
int job_make_directory(job *j, const char *names);
/* The same for a rank that alone writes there; otherwise the first one makes the directory, and the others join. */
int job_make_own_directory(job *j, const char *names);

/* What each rank has done, of j->shares, and its kernel seconds, to all ranks. An exchange; nothing where there is one
 * rank. */
int job_exchange_shares(job *j, int code);

/* Files that were written since the last commit appear, which job_finish does, too: CLI_OK, also where there is no run.
 */
int job_commit(job *j);

/* A note, which --quiet silences. */
void job_note(const job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A warning: a result is doubtful. --quiet does not silence it. */
void job_warn(const job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether text for people goes to stdout: not with --json, nor where a file does. --quiet leaves results. */
bool job_prints(const job *j);

/*
 * After everything is written: commits, notes what is of an earlier run, says where the results are (unless quiet), the
 * profile where it is wanted, and adds the members of `details` to the JSON answer, which is complete with them. Takes
 * over details; NULL is, under --json, memory that ran out.
 */
int job_finish(job *j, json_t *details);

/* Frees all of it, what was not committed goes; the JSON answer has the device and the time so far. */
void job_close(job *j);
