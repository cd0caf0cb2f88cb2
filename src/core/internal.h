/* What only src/core and the FFT and BLAS backends see: the OpenCL objects behind a context. */
#pragma once

#include <pentacl/opencl.h>

#include "core/core.h"

enum { PENTA_QUEUE_COMPUTE = 0, PENTA_QUEUE_TRANSFER = 1, PENTA_QUEUES = 2 };

/* Pinned staging for transfers from pageable memory: a ring of slots, each with the event of its last use. */
enum { PENTA_STAGING_SLOTS = 4 };
#define PENTA_STAGING_BYTES ((size_t)4 << 20)

typedef struct penta_pinned {
    cl_mem mem;
    void *host;
    size_t bytes;
    cl_event event; /* of a slot: last transfer that used it */
    /* of others (pinned.c): */
    penta_context *ctx;
    cl_platform_id platform;
    bool callers; /* the caller's memory, from penta_host_pin */
    struct penta_pinned *next;
} penta_pinned;

struct penta_program; /* program.c */

/* A command whose times have not been read yet. Without `begin`, its own start and end are used. */
typedef struct penta_timing {
    cl_event event, begin;
    size_t entry;
    uint64_t bytes;
} penta_timing;

/* A driver that was tried, by the beginnings of the platform's name and of its version (driver.c). */
typedef struct penta_driver {
    const char *platform, *version;
    bool whole_name;         /* of the platform; else its beginning */
    int form;                /* of kernels: a penta_device_type; -1: any */
    const char *broken_for;  /* names of workloads with spaces around; NULL: none */
    const char *unoptimised; /* beginning of the files of cl/ that come out right without optimisation alone; or NULL */
    const char *what, *instead; /* what is wrong, and what to do */
    /* PoCL 5 counts the users of a kernel's code wrongly where two contexts run it at a time with ranges of different
       sizes, and ends the process by an assertion. Kernels of different build options are different code. */
    bool mixes_contexts;
} penta_driver;

/* What penta_context_on_build asked for. */
typedef struct penta_building {
    penta_build_callback callback;
    void *user;
    size_t done;
    int depth; /* only the outermost compilation is told */
} penta_building;

struct penta_context {
    cl_platform_id platform;
    cl_device_id device;
    cl_device_id part;                           /* the sub-device that `device` is, where members share one; or NULL */
    size_t share_index, share_part, share_parts; /* penta_context_share */
    cl_context handle;
    cl_command_queue queue[PENTA_QUEUES];  /* the compute queue may be the caller's: penta_opencl_use_queue */
    cl_command_queue own[2][PENTA_QUEUES]; /* the context's: without time stamps, with them; NULL: not needed yet */
    bool timed;                            /* those with time stamps are used */
    bool paused;                           /* times are taken from penta_profile_reset on, not from reading them on */
    bool shown;                            /* the program has the compute queue, so it stays */
    struct penta_context *self;            /* for calls that take a context that is const */
    penta_device info;
    size_t largest_group;
    size_t base_align; /* of the beginning of a sub-buffer, bytes */
    bool has_parts;    /* sub-buffers may be used (context.c) */
    bool nvidia;
    int compute_capability; /* 90 for 9.0; 0 on other devices than NVIDIA's */

    struct penta_program *programs;
    void (*release_programs)(struct penta_context *ctx); /* of program.c; NULL: there is none */
    penta_pinned staging[PENTA_STAGING_SLOTS];
    size_t next_slot;

    penta_profile_entry *entries;
    size_t entry_count, entry_room;
    penta_timing *timings;
    size_t timing_count, timing_room;

    penta_progress progress;
    void *progress_user;
    double piece_seconds;                 /* for pace.c, set by tests; 0: the default */
    double progress_done, progress_total; /* reported last */

    penta_building building;

    penta_choice_fn choice; /* NULL: nobody listens */
    void *choice_user;
    const penta_driver *driver; /* what is known about it */
    bool takes_all;             /* no workload is tested */
    int beside;                 /* which it is of the contexts that the driver would mix, from 1; 0: none */
    uint64_t trusted;           /* a bit for each workload that needs no test any more */

    char device_why[256];       /* by which rule the device was taken */
    double found, made, queued; /* s that listing devices, making the context and its queues took */
    size_t built, kept;         /* programs from source, and those that were loaded as they had been kept */
    double building_took;       /* s for both */
    bool has_double;            /* the device, whether it is to be used or not */
    const char *no_double_why;  /* NULL: it has double precision */

    char *error; /* NULL: none yet */
};

/* ---- status.c ---- */
const char *penta_cl_name(cl_int code);
penta_status penta_cl_fail(penta_context *ctx, cl_int code, const char *call, const char *file, int line);
/* Runs an OpenCL call that returns a code; a failure is described and goes to cleanup. Needs ctx and status. */
#define CL_TRY(call)                                                                                                   \
    do {                                                                                                               \
        cl_int cl_code_ = (call);                                                                                      \
        if (cl_code_ != CL_SUCCESS) {                                                                                  \
            status = penta_cl_fail(ctx, cl_code_, #call, __FILE__, __LINE__);                                          \
            goto cleanup;                                                                                              \
        }                                                                                                              \
    } while (0)

/* The same for a call that returns its code through a pointer; `call` is its name. */
#define CL_TRY_CODE(call, code)                                                                                        \
    do {                                                                                                               \
        cl_int cl_code_ = (code);                                                                                      \
        if (cl_code_ != CL_SUCCESS) {                                                                                  \
            status = penta_cl_fail(ctx, cl_code_, #call, __FILE__, __LINE__);                                          \
            goto cleanup;                                                                                              \
        }                                                                                                              \
    } while (0)
/* The context is about to be freed: nothing may be added to its text any more. */
void penta_forget_failure(const penta_context *ctx);
/* Frees the thread's own text, as the end of the thread would. */
void penta_forget_thread_error(void);

/* ---- discovery.c ---- */
/* Around every call that lists platforms and devices, or makes or releases an OpenCL context. */
void penta_discovery_lock(void);
void penta_discovery_unlock(void);
/* The note on the kernel cache, if PoCL cannot use it; otherwise "". */
const char *penta_kernel_cache_fault(void);

/* ---- device.c ---- */
typedef struct penta_device_handle {
    cl_platform_id platform;
    cl_device_id device;
    penta_device info;
} penta_device_handle;
penta_status penta_device_handles(penta_device_handle **out, size_t *count);
penta_status penta_device_describe(cl_device_id device, penta_device *info);

/* ---- device_list.c ---- */
/* A device for one of `parts` members that share it, of which this is number `part`. */
typedef struct penta_device_share {
    penta_device_handle handle;
    size_t index, part, parts;
    double found; /* s that listing the devices took */
} penta_device_share;
/* The devices of a list (penta_contexts_create), in its order; freed with free. why: the rule that decided. */
penta_status penta_device_list(const char *list, penta_device_share **out, size_t *count, char *why, size_t size);
/* The one device of a list; PENTA_INVALID where it names several. */
penta_status penta_device_select(const char *selector, penta_device_share *out, char *why, size_t size);

/* ---- building.c ---- */
/* Around what compiles kernels, in pairs. what: for people. */
void penta_building_begin(penta_context *ctx, const char *what);
void penta_building_end(penta_context *ctx);
/* Before a launch: whether the driver compiles the kernel now and a program wants to be told. If so, the second tells
 * it until the command runs. */
bool penta_building_before_launch(penta_kernel *kernel);
void penta_building_after_launch(penta_kernel *kernel, cl_event event);

/* ---- profile.c ---- */
/* Takes over event (and begin, which may be NULL). name is copied on first use. */
penta_status penta_profile_add(penta_context *ctx, const char *name, bool transfer, uint64_t bytes, cl_event begin,
                               cl_event event);
/* Forgets what was measured. */
void penta_profile_forget(penta_context *ctx);

/* ---- arrays.c: device memory of the caller ---- */
/* Where an array lies; mem NULL: in host memory. */
typedef struct penta_place {
    cl_mem mem;
    size_t offset;
} penta_place;
/* PENTA_INVALID: a device array whose `bytes` bytes from data on this context cannot use. */
penta_status penta_array_place(penta_context *ctx, const void *data, size_t bytes, penta_place *out);
/* Forgets all of a context's. */
void penta_arrays_forget(const penta_context *ctx);

/* ---- buffer.c, copies.c ---- */
enum penta_direction { PENTA_TO_DEVICE, PENTA_TO_HOST };

/* Part of a buffer: `rows` runs of `bytes` bytes, `stride` apart in the buffer and `host_stride` apart in the array.
 * Strides matter only with more than one row. */
typedef struct penta_span {
    size_t offset, bytes, rows, stride, host_stride;
} penta_span;

static inline penta_span penta_line(size_t offset, size_t bytes)
{
    return (penta_span){.offset = offset, .bytes = bytes, .rows = 1};
}

/* Copies between a part of a buffer and a device array. Enqueued only. */
penta_status penta_copy_span(penta_buffer *b, enum penta_direction way, const penta_span *s, const penta_place *other);

/* ---- pinned.c ---- */
/* Whether all these bytes lie in memory that a context of the same platform has pinned. */
bool penta_is_pinned(const penta_context *ctx, const void *data, size_t bytes);
/* Frees what this context has pinned. */
void penta_pinned_forget(penta_context *ctx);
/* The next slot of the ring, once its last transfer has finished. */
penta_status penta_staging_slot(penta_context *ctx, penta_pinned **out);

/* ---- queues.c ---- */
/* The context's own queues, with time stamps or without, become those in use, after all that was enqueued. */
penta_status penta_queues_use(penta_context *ctx, bool timed);
void penta_queues_release(penta_context *ctx);

/* ---- order.c: one buffer, two queues ---- */
/* The events that a command on `queue` must wait for before it touches the buffers; at most count of them. */
cl_uint penta_order_waits(penta_buffer *const *buffers, size_t count, int queue, cl_event *waits);
/* Notes that `event` on `queue` is now the last command on the buffers. */
void penta_order_note(penta_buffer *const *buffers, size_t count, int queue, cl_event event);

/*
 * For libraries that enqueue commands themselves: begin makes the compute queue wait for the buffers and marks the
 * start; end marks the end and profiles the time between under `name`.
 */
penta_status penta_foreign_begin(penta_context *ctx, penta_buffer *const *buffers, size_t count, cl_event *begin);
penta_status penta_foreign_end(penta_context *ctx, penta_buffer *const *buffers, size_t count, const char *name,
                               cl_event begin);

/* ---- program.c ---- */
/* A built program, from the cache of programs or by the compiler. what: a file in cl/, or a library. */
penta_status penta_program_compile(penta_context *ctx, const char *what, const char *text, const char *options,
                                   cl_program *out);
/* Called before the first launch of a kernel, whose name stays. */
void penta_program_note_launch(struct penta_program *p, const char *name);

/* ---- driver.c ---- */
/* NULL: nobody has tried it. */
const penta_driver *penta_driver_find(const penta_device *device);
/* Whether the file is to be compiled without optimisation, in the form that the context takes now. */
bool penta_driver_needs_unoptimised(const penta_context *ctx, const char *file);
/* At the opening of a context: which driver it has, and whether that is taken as it is. */
void penta_driver_begin(penta_context *ctx);
void penta_driver_end(penta_context *ctx);
/* A number that the kernels of this context are built with, so that they are its own; 0: they need not be. */
int penta_driver_own_kernels(const penta_context *ctx);

/* ---- trust.c ---- */
/* verdict: why it fails; "": it passes. Kept for later processes, if there is a folder for that. */
void penta_trust_keep(penta_context *ctx, const penta_workload *workload, const char *verdict);
/* Called before main: where the workloads are. */
/* The workload that the file of cl/ belongs to, by its folder; its number. NULL: a file that workloads share. */
const penta_workload *penta_workload_of(const char *file, size_t *number);
void penta_trust_offer(const penta_workload *(*at)(size_t));

/* ---- source.c ---- */
/* Source text of cl/`file`, each #include "..." expanded once, with #line directives. Freed with free. */
penta_status penta_source_load(penta_context *ctx, const char *file, char **text);

/* The build log with "<kernel>:LINE", from a compiler that ignores #line (NVIDIA's), replaced by file and line in the
 * source tree. Freed with free. */
penta_status penta_source_relocate(penta_context *ctx, const char *text, const char *log, char **out);

/* One embedded file; the table ends with a NULL name. Generated from cl/. */
typedef struct penta_embedded {
    const char *name;
    const unsigned char *text;
    size_t bytes;
} penta_embedded;
extern const penta_embedded penta_embedded_files[];
