/*
 * --resume: what a run leaves in DIR/.penta-resume for one that goes on with it, and how that one is held against it.
 * The record says what the run was (command, version, device, options, and names, sizes and times of its inputs),
 * whether all of it was done, and has what the command itself needs. docs/reliability.md.
 */
#pragma once

#include <stdint.h>

#include "shared/job.h"
#include "shared/parcel.h"

/* A file that is read. */
typedef struct resume_input {
    uint64_t bytes;
    int64_t time; /* ns, of its last change; -1: there is no such file */
} resume_input;

/* Of this run, and of the one before. */
typedef struct resume {
    const job *job;
    const char *free;          /* names of rows, with blanks around them, that may have another value; or NULL */
    const char *const *others; /* files that are read besides, NULL behind the last; or NULL */
    const char *directory;     /* of the run before and of this one */
    char **operands;           /* what is read, borrowed */
    size_t count;
    bool possible;        /* all inputs can be read again */
    resume_input *inputs; /* one an operand, as they are now */
    char *line;           /* options and other files; of `line_size` bytes */
    size_t line_size;
    /* of the run before */
    bool found, complete, some_failed;
    char *device, *driver; /* of a run whose device is not open yet, to be compared */
    bool *changed;         /* one an operand: its size or time is another one */
    void *own;             /* what the command has kept; or NULL */
    size_t own_size;
} resume;

/* Looks at the inputs, those of the line, before they are read. A copy of what came through a pipe is none that can be
 * read again. */
int resume_begin(resume *r, const job *j, const char *free, const char *const *others);
/* The same of one operand alone, whose files go to a directory of their own. */
int resume_begin_one(resume *r, const job *j, char **operand, const char *directory);
/* Once the job has its device, or resume_check_device follows, and, by job_make_directory, its directory: reads what
 * the run before has left, and compares; an exit code after a line that names the difference. Inputs that have changed
 * are for the caller. */
int resume_read(resume *r);
/* Where the job had no device then: compares it once it has one. */
int resume_check_device(resume *r);
/* An exit code after a line about the first operand that has changed; CLI_OK: none has. */
int resume_refuse_changed(const resume *r);
int resume_refuse_input(const resume *r, size_t operand);
void resume_end(resume *r);

/* Notes that there is nothing to go on with. */
void resume_note_nothing(const resume *r);
/* Whether the files of the run before, which has done all, are still there; else a note. */
bool resume_has_all(const resume *r);
/* The run before has done all: a note, and the exit code. */
int resume_note_all(const resume *r);

/* Keeps this run's record: with the next commit, or now. complete: all is done; some_failed: but for inputs that could
 * not be used. own: what the command needs. Nothing where a run cannot be gone on with. */
bool resume_keep(const resume *r, penta_io_run *run, bool now, bool complete, bool some_failed, const void *own,
                 size_t size, penta_io_error *err);

/* Seconds between records of a long run: PENTACL_SAVE_EVERY, or 60. */
double resume_interval(void);
