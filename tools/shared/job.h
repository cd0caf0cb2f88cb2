/* The steps that the commands of all workloads take: from flags to a device, from results to the answer. */
#ifndef PENTA_TOOLS_JOB_H
#define PENTA_TOOLS_JOB_H

#include <jansson.h>
#include <pthread.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>
#include "shared/leftovers.h"

/* What a command has besides its own; functions that can fail say so on stderr and return an exit code. */
typedef struct job {
    const char *command; /* "autocorr" */
    double start;        /* cli_seconds() */
    cli_common common;
    penta_context *ctx; /* NULL until job_open_device */
    leftovers *before;  /* what job_make_directory found; or NULL */
    json_t *notes;      /* what was noted; NULL: nothing */
} job;

/* The clock starts. */
void job_begin(job *j, const cli_line *line);

/* CLI_ERROR after the error's line; an empty one means that memory ran out. */
int job_fail_io(const job *j, const penta_io_error *error);
/* Whether a finish job of a frame has left an error, which is under the lock. */
bool job_finish_failed(pthread_mutex_t *lock, const penta_io_error *error);
/* CLI_ERROR after the library's error text, which --verbose shows whole. */
int job_fail_library(const job *j);

/* Makes the context on the device of -d. */
int job_open_device(job *j);
/* Makes the directory of -o, checking that it can be written to. names: patterns (leftovers_look) of files that would
 * not be of this run if it left them as they are; "": none. */
int job_make_directory(job *j, const char *names);

/* A note on stderr, which --quiet silences, and for "notes" of the JSON answer; one that was said is not said again. */
void job_note(job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was noted, as an array for the answer, to be released. */
json_t *job_notes(const job *j);

/* Whether text for people goes to stdout: neither --json nor --quiet. */
bool job_prints(const job *j);

/*
 * After everything is written: notes what is of an earlier run, says where the results are (unless quiet), the profile
 * where it is wanted, and under --json the object of json_answer with the members of `details` behind. Takes over
 * details; NULL is, under --json, memory that ran out.
 */
int job_finish(const job *j, json_t *details);

/* Frees all of it. */
void job_close(job *j);

#endif
