/*
 * A run of a command over the frames of a list, from its first frame to its answer: decoded frames in, batches through
 * the command's plan, files written by finish jobs. Functions that can fail say so on stderr and return an exit code.
 */
#pragma once

#include <pthread.h>
#include <stdio.h>

#include <jansson.h>

#include "shared/frames.h"
#include "shared/job.h"
#include "shared/progress.h"

/* What a command does with its frames. `run` is the command's own state. */
typedef struct frames_task {
    /* Whether there is a plan; until then frames come one at a time, so that the first good one can make it. NULL: the
     * plan is made before the first frame. */
    bool (*has_plan)(const void *run);
    /* Runs a batch on the context of a member of the job, on its thread once there is a plan: a frame that ran has its
     * result in `user`, one that is unfit a reason in its error text. An error ends the run; frames before the first
     * that has neither are accepted. */
    int (*compute)(void *run, size_t member, size_t n, frame **frames);
    /* Takes note of a frame, in the order of the list, whichever member ran it; one that is unfit goes through
     * frames_work_skip. */
    int (*accept)(void *run, frame *f);
    /* Writes the files of a frame that has a result; on a worker thread. */
    bool (*write)(void *run, frame *f, penta_io_error *err);
    /* Keeps of a frame what the command needs after the last one; behind write, or where other ranks wrote the files,
     * on rank 0. NULL: nothing. */
    bool (*keep)(void *run, frame *f, penta_io_error *err);
    void (*free_result)(void *result);

    /* ---- several members (frames_share.c); NULL: the command does not run on several ---- */

    /* What others, or a run that goes on, need to make the plan, which is where it is after the last batch. False: it
     * cannot be told. On rank 0. */
    bool (*pack_plan)(void *run, FILE *out);
    int (*unpack_plan)(void *run, const void *bytes, size_t size);
    /* What accept and keep need of a result that a member has written; false: out of memory. */
    bool (*pack)(void *run, const frame *f, FILE *out);
    bool (*unpack)(void *run, frame *f, const void *bytes, size_t size);
    /* ---- frames_work_run alone ---- */

    size_t (*count_done)(const void *run);
    void (*note)(void *run); /* says what stands out, after the last frame, even of a run that failed; or NULL */
    int (*write_summary)(void *run);     /* files about all frames; called when at least one is done */
    int (*answer)(void *run);            /* prints the results of a run without an error */
    json_t *(*details)(const void *run); /* members of the JSON answer of a run with an error; NULL: out of memory */
} frames_task;

/* A member of this process; of a job with one rank 0 alone has it. */
typedef struct frames_member {
    struct frames_work *work;
    frame_stream *stream;
    struct rows *rows;                                       /* where its frames are shared */
    void (*finish)(const struct frames_member *m, frame *f); /* the finish job of those */
} frames_member;

typedef struct frames_work {
    const frames_task *task;
    void *run;
    const job *job;
    frame_list *list; /* the command's */
    bool in_order; /* frames may need those before them: one member has all. The command's, before frames_work_open */
    bool looks;    /* the plan depends on all frames of the list. Likewise, before frames_resume_begin */
    frame_stream *stream;         /* of the first member; NULL: not open */
    frames_member *members;       /* where several of them or ranks share frames, else NULL */
    size_t shared_from;           /* frames of the list from this one on are shared */
    struct frames_record *record; /* of what was done, for --resume (frames_resume.c); NULL: none is kept */
    const char *const
        *others;       /* files that are read besides inputs and those of flags, NULL behind the last; or NULL */
    bool nothing_left; /* the run before has done all */
    size_t accepted;   /* frames of the list, from the first on */
    bool clean;        /* no frame has run behind the last that was accepted */
    size_t slots;
    size_t batch; /* frames of the largest batch */
    size_t done;  /* frames that have been accepted, or whose error has ended the run */
    progress bar;
    pthread_mutex_t lock; /* over finish_error and whatever else finish jobs share */
    penta_io_error finish_error;
} frames_work;

/* Borrows everything. Ends with frames_work_end. */
void frames_work_begin(frames_work *w, const frames_task *task, void *run, const job *j, frame_list *list);
void frames_work_end(frames_work *w);

/* Notes what reading the files of the list may get wrong. */
void frames_work_note_doubts(const frames_work *w);

/* Starts decoding the list, or notes that one of several members does all. slots: frames in memory at a time; batch:
 * frames of the largest batch; of several ranks those of rank 0 hold for all. */
int frames_work_open(frames_work *w, size_t slots, size_t batch);
/* Streams to which frames are assigned; ranks but the first have theirs once rank 0 has said how large. */
int frames_work_open_streams(frames_work *w);
void frames_work_close_stream(frames_work *w);

/* Runs the frames to the end of the list, an error, or Ctrl-C, which is an error where frames are left over; what was
 * finished is kept. With to_end Ctrl-C changes nothing. */
int frames_work_loop(frames_work *w, bool to_end);

/* Waits for the finish jobs and closes the stream; the error of a finish job, else code. */
int frames_work_close(frames_work *w, int code);

/* The loop, its progress line and what follows it. code: of what opened the run; with an error the loop is left out. */
int frames_work_run(frames_work *w, int code);

static inline bool frames_work_has_plan(const frames_work *w)
{
    return !w->task->has_plan || w->task->has_plan(w->run);
}

/* A frame that cannot be used, as its error text says: an error, or with keep_going a line and CLI_OK. */
int frames_work_skip(frames_work *w, const frame *f, bool keep_going);

/* ---- frames_finish.c ---- */

/* The finish job of a frame; context is the work, or of several members the frames_member. */
void frames_work_finish(frame *f, void *context);
void frames_work_finish_member(frame *f, void *context);
/* Whether one of them has failed. */
bool frames_work_failed(frames_work *w);

/* Frees the result of a frame, which is not written then. */
void frames_work_drop(const frames_work *w, frame *f);

/* The error of a run that Ctrl-C has ended. */
int frames_work_interrupted(const frames_work *w);

/* Accepts frames in order up to the first that is refused, or that did not run as `code` of their computing says; the
 * results of the others are dropped. */
int frames_work_accept(frames_work *w, size_t n, frame **frames, int code);

/* Computes a batch, accepts it and sends it to be finished. */
int frames_work_batch(frames_work *w, size_t n, frame **frames);

/* ---- frames_share.c ---- */

/* The loop of several members or ranks, on every rank, from where rank 0 is: frames are handed out as members become
 * free, and accepted in order. code: of rank 0, that of the frames before. Where frames run in order, rank 0 has run
 * all of them, for which the others wait here. */
int frames_work_share(frames_work *w, int code);

/* ---- frames_resume.c: goes on with a run before ---- */

/* After job_make_directory, once there is the list, and before frames_work_open, on every rank: takes over what the run
 * before has done where the job goes on (job.again), and keeps a record of this one. An exchange. */
int frames_resume_begin(frames_work *w);
/* Nothing is left to do; rank 0 says so: the exit code. */
bool frames_resume_is_done(const frames_work *w);
int frames_resume_tell_done(const frames_work *w);
/* Frames that are taken over; on rank 0. */
size_t frames_resume_start(const frames_work *w);
/* Makes the command's plan as the run before had it, where it is not made yet. */
int frames_resume_plan(frames_work *w);
/* Accepts those frames; on rank 0, before the loop. */
int frames_resume_accept(frames_work *w);
void frames_resume_end(frames_work *w);

/* ---- frames_record.c: the record of this run; nothing where there is none ---- */

/* What is kept of a frame: before it is accepted, without files; NULL: out of memory, or there is no record. */
typedef struct frame_entry frame_entry;
frame_entry *frames_record_entry(frames_work *w, const frame *f, const void *files, size_t size);
/* Enters it, whoever frees it. NULL: out of memory, so that the record ends here. */
void frames_record_put(frames_work *w, size_t index, frame_entry *entry);
void frames_record_drop(frame_entry *entry);
/* Who waits for entries looks again; under the work's lock. */
void frames_record_wake(frames_work *w);

/* Frames have been accepted by rank 0: alone, in order; or shared, so many. Writes the record where it is time. */
void frames_record_alone(frames_work *w);
void frames_record_shared(frames_work *w, size_t n);
/* Members or ranks share the frames from now on. */
void frames_record_share(frames_work *w);
/* The record goes with the next commit: that all is done, or what was. */
bool frames_record_finish(frames_work *w, bool complete, penta_io_error *err);
