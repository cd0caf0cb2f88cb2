/*
 * Jobs with faults: an allocation fails, then an OpenCL call, so that every place that calls what can fail, at whatever
 * depth, sees a failure: its first and its last one, which differ in what is half made then. Each time there is an
 * error with a text or, where smaller batches and slabs do, success; nothing leaks; no memory is freed that a transfer
 * may use. What the job says of its results is its own business.
 */
#pragma once

/* clang-format off */
#include "support/test.h"

/* clang-format on */

#include "core/internal.h"
#include "faults/faults.h"

typedef struct trial trial;

/*
 * A job is made, done, checked and unmade by `attempt`, in t->ctx: it says where faults begin, and where they end,
 * which is before it unmakes anything.
 */
typedef struct {
    const char *name;
    penta_status (*attempt)(trial *t);
    const void *what;
    size_t least; /* faults of a sweep: there must be more (a third if lasting); unless 0, some end in an error */
    size_t renewed_after; /* so many trials, and each sweep, the job is done in a new context; 0: it never is */
    bool as_gpu;          /* the forms of kernels, batches and transfers that a GPU has, whatever the device is */
    bool fresh;           /* every trial has a context of its own, its programs built anew: innermost places */
    bool retries;         /* after a failure for want of memory, with less */
    bool gpu_retries;     /* the same, in the forms of a GPU alone */
    bool leaves_out;      /* what cannot be had is missing in the answer, so that nothing is an answer too */
    bool on_host;         /* no OpenCL */
    bool on_device;       /* no allocation */
} job;

struct trial {
    const job *job;
    penta_context *ctx;
    enum fault_kind kind;
    size_t nth;
    bool lasting, begun;
    const char *struck; /* the call that failed, or NULL; once faults have ended */
    char when[120];
};

/* What may fail comes next. With a context of its own, the trial began before that was made. */
void begin_faults(trial *t);
/* What may fail is over: the error, if status is one, must have come from a fault and have a text. */
void end_faults(trial *t, const penta_context *ctx, penta_status status);
/* After a run that failed: these bytes are the caller's again. */
void expect_idle(const trial *t, const void *memory, size_t bytes);

/* Brings a context that lives longer than a trial to one state, as the trial's own (t->ctx) is before and after each.
 */
void settle(penta_context *shared);

/* Does the job once, with the fault that t asks for. */
penta_status attempt(trial *t);
/* All sweeps that the job allows. */
void sweep(const job *j);

/*
 * Set-up and end of a group: clFFT keeps its programs as long as there is a plan of it, or each trial would compile
 * them anew. Its own calls do not fail, as the linker reaches none of a shared library.
 */
int hold_clfft(void **state);
int release_clfft(void **state);

/* Set-up of each test: one that failed may have left faults behind. */
int no_faults(void **state);
