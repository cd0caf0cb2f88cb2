/*
 * What workloads use to work with a device. Everything here returns a status; failures are described in the context
 * (penta_fail) and carried up by TRY. No OpenCL verb appears outside src/core and the FFT and BLAS backends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/numbers.h>
#include <pentacl/options.h>
#include <pentacl/parallel.h>

/* ---- failures (status.c) ---- */

/* Records a failure: the first line of the context's error text. Returns status. ctx NULL: the thread's own text.
 */
penta_status penta_fail(penta_context *ctx, penta_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* After a failure of a function without a context: its text becomes ctx's. Returns status. */
penta_status penta_explain(penta_context *ctx, penta_status status);
/* Adds a line to the failure that this thread recorded last. */
void penta_trace(const char *call, const char *file, int line);

/* Runs a call; when it fails, notes the call and its place and goes to cleanup. Needs `penta_status status`. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != PENTA_OK) {                                                                                      \
            penta_trace(#call, __FILE__, __LINE__);                                                                    \
            goto cleanup;                                                                                              \
        }                                                                                                              \
    } while (0)

/* ---- host memory (memory.c) ---- */

/* Element i of an array of any type but 64-bit integers. */
static inline double penta_value_at(penta_type type, const void *array, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)array)[i];
    case PENTA_U16:
        return ((const uint16_t *)array)[i];
    case PENTA_I16:
        return ((const int16_t *)array)[i];
    case PENTA_U32:
        return ((const uint32_t *)array)[i];
    case PENTA_I32:
        return ((const int32_t *)array)[i];
    case PENTA_F32:
        return (double)((const float *)array)[i];
    default:
        return ((const double *)array)[i];
    }
}

/* a * b * c in *bytes, or PENTA_MEMORY when it does not fit in size_t. */
penta_status penta_size(penta_context *ctx, size_t a, size_t b, size_t c, size_t *bytes);
/* Zeroed memory for count elements of size bytes. Freed with free. out: the address of a pointer. Takes a context or a
 * penta_resources (below). */
penta_status penta_calloc(penta_context *ctx, size_t count, size_t size, void *out);

/* ---- resources (resources.c) ---- */

/*
 * What a plan owns: kernels, buffers, host arrays and sub-plans, released together in reverse order of creation.
 * Functions that create one of them from a context also accept the address of such a list, which then owns it:
 *
 *     struct penta_smooth { penta_resources resources; penta_kernel blur; penta_buffer image; penta_fft *fft; };
 *
 *     TRY(penta_plan_alloc(ctx, &plan));                                    // zeroed, its list ready
 *     TRY(penta_kernel_get(&plan->resources, "smooth/smooth.cl", "smooth_blur", "", &plan->blur));
 *     TRY(penta_buffer_create(&plan->resources, bytes, &plan->image));
 *     TRY(penta_fft_create(ctx, ..., &plan->fft));
 *     TRY(penta_own(&plan->resources, &plan->fft, penta_fft_destroy));
 *
 *     void penta_smooth_destroy(penta_smooth *plan) { penta_plan_free(plan); }   // NULL is fine
 *
 * Rules. The list stores the address of the variable that holds the object, so the variable must live as long as the
 * list: a field of the plan, or of an array that the list owns, but not a local variable. Creating an object again in
 * the same variable replaces the old one, so a buffer that grows is simply created again. An object may be released by
 * hand or left empty. If creation or registration fails, the variable is empty and nothing leaks.
 */
typedef struct penta_resource penta_resource;

typedef struct penta_resources {
    penta_context *ctx; /* set it, zero the rest */
    penta_resource *list;
    size_t count, room;
} penta_resources;

/* Releases everything and leaves an empty list that can be used again. */
void penta_resources_release(penta_resources *resources);

/* Owns a sub-plan that exists or is created later: at is the address of the pointer to it, destroy takes that pointer.
 * On failure it is destroyed and the pointer is NULL. */
#define penta_own(owner, at, destroy)                                                                                  \
    ((void)sizeof((destroy)(*(at)), 0), penta_resources_own_object((owner), (at), (void (*)(void *))(destroy)))
/* Owns a struct with resources of its own, which release leaves empty. */
#define penta_own_struct(owner, part, release)                                                                         \
    ((void)sizeof((release)(part), 0), penta_resources_own_struct((owner), (part), (void (*)(void *))(release)))

/* A zeroed plan with a member `resources`; out is the address of the pointer to it, NULL on failure. */
#define penta_plan_alloc(ctx, out)                                                                                     \
    penta_plan_make((ctx), sizeof **(out), offsetof(__typeof__(**(out)), resources), (out))
/* Releases the resources of such a plan and frees it. NULL is fine. */
#define penta_plan_free(plan) penta_plan_unmake((plan), offsetof(__typeof__(*(plan)), resources))

penta_status penta_resources_calloc(penta_resources *owner, size_t count, size_t size, void *out);
penta_status penta_resources_pinned(penta_resources *owner, size_t bytes, void *out); /* as penta_host_alloc */
penta_status penta_resources_own_object(penta_resources *owner, void *at, void (*destroy)(void *object));
penta_status penta_resources_own_struct(penta_resources *owner, void *part, void (*release)(void *part));
penta_status penta_plan_make(penta_context *ctx, size_t size, size_t resources, void *out);
void penta_plan_unmake(void *plan, size_t resources);

/* Selects a function by its first argument: a context (or NULL), or a list that owns the result. */
#define PENTA_BY_OWNER(owner, by_context, by_resources)                                                                \
    _Generic((owner), penta_resources * : by_resources, penta_context * : by_context, void * : by_context)
#define penta_calloc(owner, ...) PENTA_BY_OWNER(owner, penta_calloc, penta_resources_calloc)(owner, __VA_ARGS__)

/* ---- options (options.c) ---- */

/* Sets *out to the defaults, copies *given over them (it may be NULL, or shorter or longer than *out), then checks
 * every row. size = sizeof *out, also stored in *out. */
#define penta_options_resolve(ctx, table, given, out, size) penta_options_take(ctx, table, #table, given, out, size)
penta_status penta_options_take(penta_context *ctx, const penta_option *table, const char *call, const void *given,
                                void *out, size_t size);

/* Ends a penta_<w>_check, whose rules fail without a context (penta_fail with NULL): copies the first line of the error
 * text to message (may be NULL), cut to size bytes. Returns status. */
penta_status penta_check_result(penta_status status, char *message, size_t size);

/* ---- workloads (workload.c) ---- */

/* One option table of a workload, and the struct that it fills. */
typedef struct penta_workload_options {
    const char *name; /* "spinodal": of penta_spinodal_option_table() */
    const penta_option *(*rows)(void);
    size_t size;
} penta_workload_options;
#define PENTA_WORKLOAD_OPTIONS(name)                                                                                   \
    {                                                                                                                  \
#name, penta_##name##_option_table, sizeof(penta_##name##_options)                                             \
    }
enum { PENTA_WORKLOAD_TABLES = 8 };

/* A program by file and defines. */
typedef struct penta_program_name {
    const char *file, *defines;
} penta_program_name;

/* What penta_workload_at returns: one per workload, penta_<name>_workload, in its selftest.c. */
struct penta_workload {
    const char *name, *summary;
    penta_status (*selftest)(penta_context *ctx);
    const penta_preset *(*presets)(void);                     /* NULL: none */
    penta_workload_options tables[PENTA_WORKLOAD_TABLES + 1]; /* the plan's table first; ends with a NULL name */
    /*
     * Programs that a CPU device gets as one, NAME/usual.cl; ends with a NULL file. PoCL reads 600 KB of declarations
     * for each program: 25 ms even of one that it has kept, else 130 ms. defines NULL: whatever they are, the one has
     * them. NULL: none. A file of common/ comes from one that the context already has.
     */
    const penta_program_name *usual;
};

/* Tests the workload of cl/`file` if the driver is in doubt, as penta_kernel_get does: for plans that get their kernels
 * with the first run, which would be refused after they were made (trust.c). */
penta_status penta_trust_file(penta_context *ctx, const char *file);

/* ---- the device (context.c) ---- */

bool penta_is_cpu(const penta_context *ctx);            /* use the CPU versions of kernels */
bool penta_is_nvidia(const penta_context *ctx);         /* PTX may be used; kernels see PENTA_NVIDIA */
int penta_compute_capability(const penta_context *ctx); /* 90 for NVIDIA's 9.0; 0 on other devices */
/*
 * The compute units that sums are split for: a GPU's own; of a CPU device a fixed number, since its units are the
 * threads that it is given (POCL_MAX_PTHREAD_COUNT, taskset), which must not change the bits of a result. Work whose
 * bits do not depend on the split may use penta_device.compute_units.
 */
size_t penta_split_units(const penta_context *ctx);
/* Work-items that a work-group may have on the device: 256 on many GPUs of AMD and Intel. */
size_t penta_largest_group(const penta_context *ctx);
/* PENTA_UNSUPPORTED on a device without double precision: "`what` double precision, which .. does not have"; what is,
 * for example, "covariances need". */
penta_status penta_require_double(penta_context *ctx, const char *what);
/*
 * Tells the program's listener (penta_context_on_choice) what was chosen and why, where the choice is made. The reason
 * is the one that decided, with its figures; an option that decided is named in backquotes: "option `method`". Without
 * a listener nothing is formatted. ctx may be NULL.
 */
void penta_chose(penta_context *ctx, const char *what, const char *chosen, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports progress; PENTA_CANCELLED when the callback asks to stop. */
penta_status penta_report_progress(penta_context *ctx, double done, double total);
/* Asks the callback whether to stop, repeating the progress reported last. */
penta_status penta_ask_progress(penta_context *ctx);
/* penta_parallel for long work: the calling thread asks the callback between its pieces, and PENTA_CANCELLED leaves out
 * those that were not begun. ctx may be NULL. */
penta_status penta_parallel_watched(penta_context *ctx, size_t count, void (*body)(void *data, size_t i), void *data);
/* Waits for everything enqueued. */
penta_status penta_finish(penta_context *ctx);
/* Like penta_finish, but ignores errors: for cleaning up after a failure, whose text stays. */
void penta_settle(penta_context *ctx);

/* ---- buffers (buffer.c) ---- */

struct _cl_mem;
struct _cl_event;

/* Device memory. Zero-initialise; release is idempotent. `last`, the last command that touched the buffer, orders the
 * compute queue and the transfer queue. */
typedef struct penta_buffer {
    penta_context *ctx;
    struct _cl_mem *mem;
    size_t bytes;
    struct _cl_event *last;
    int last_queue;
    bool in_line; /* its transfers are on the compute queue */
    /* Of the caller's memory (penta_buffer_lend): the memory that mem is a part of, from `origin` on; the array in host
     * memory that it is, if it is. All commands on it are on the compute queue. */
    struct _cl_mem *whole;
    size_t origin;
    void *host;
    int lent_for; /* enum penta_access */
    bool parted;  /* parts of it were made */
} penta_buffer;

/* bytes 0 creates a small buffer, so that it can be passed to a kernel. On failure *out is empty. A buffer has one
 * owner: never use a copy of the struct beside it, because `last` is reference-counted. */
penta_status penta_buffer_create(penta_context *ctx, size_t bytes, penta_buffer *out);
/* A new buffer of bytes that holds data: penta_buffer_create, then _write. */
penta_status penta_buffer_upload(penta_context *ctx, const void *data, size_t bytes, penta_buffer *out);
void penta_buffer_release(penta_buffer *buffer);

/* Both take a context or a penta_resources. */
penta_status penta_resources_buffer(penta_resources *owner, size_t bytes, penta_buffer *out);
penta_status penta_resources_upload(penta_resources *owner, const void *data, size_t bytes, penta_buffer *out);
#define penta_buffer_create(owner, ...)                                                                                \
    PENTA_BY_OWNER(owner, penta_buffer_create, penta_resources_buffer)(owner, __VA_ARGS__)
#define penta_buffer_upload(owner, ...)                                                                                \
    PENTA_BY_OWNER(owner, penta_buffer_upload, penta_resources_upload)(owner, __VA_ARGS__)
/* A buffer of `count` reals (common/real.clh) that holds data, rounded to float where the device has no double. */
penta_status penta_upload_reals(penta_resources *owner, const double *data, size_t count, penta_buffer *out);
/* Reads the first `count` reals of a buffer. */
penta_status penta_read_reals(penta_buffer *buffer, double *out, size_t count);

/* Copies bytes at offset. write returns when data may be reused (for pinned memory, penta_host_alloc, only after the
 * copy); write_async returns at once, and data must not change until penta_finish or a read that depends on it. read
 * returns when the data have arrived. */
penta_status penta_buffer_write(penta_buffer *buffer, size_t offset, const void *data, size_t bytes);
penta_status penta_buffer_write_async(penta_buffer *buffer, size_t offset, const void *data, size_t bytes);
penta_status penta_buffer_read(penta_buffer *buffer, size_t offset, void *data, size_t bytes);
/* write_async of `rows` runs of `bytes` bytes, host_stride apart in data, `stride` apart in the buffer from offset on;
 * as one transfer if possible. No run may cross a multiple of stride in the buffer. */
penta_status penta_buffer_write_rows(penta_buffer *buffer, size_t offset, size_t stride, const void *data,
                                     size_t host_stride, size_t bytes, size_t rows);
/* The same to the host, as read. */
penta_status penta_buffer_read_rows(penta_buffer *buffer, size_t offset, size_t stride, void *data, size_t host_stride,
                                    size_t bytes, size_t rows);
/*
 * From now on the buffer's transfers go in line with the kernels instead of beside them: for results that are not to
 * wait for the next input, and for what lies between two kernels, since a queue that waits for another costs more than
 * a small transfer. Such a buffer can be read without waiting: read_async returns at once, and pinned `data` have
 * arrived when penta_buffer_wait returns, which waits for the last command on the buffer.
 */
void penta_buffer_put_in_line(penta_buffer *buffer);
penta_status penta_buffer_read_async(penta_buffer *buffer, size_t offset, void *data, size_t bytes);
penta_status penta_buffer_wait(penta_buffer *buffer);
/* Copies the first bytes of a buffer to another, on the device. */
penta_status penta_buffer_copy(penta_buffer *from, penta_buffer *to, size_t bytes);
/* Sets bytes at offset to zero (multiples of 4). */
penta_status penta_buffer_zero(penta_buffer *buffer, size_t offset, size_t bytes);

/* ---- arrays of the caller (arrays.c, lend.c) ---- */

/*
 * An array that the caller of the library hands over lies in host memory, or is an address of penta_opencl_array, which
 * the host must not touch. penta_buffer_write, _write_async, _write_rows and _read take both; from and to device memory
 * they copy on the device ("copy" in the profile) and only enqueue.
 */

/* Whether data is an address of penta_opencl_array, of whatever context, released or not. */
bool penta_is_device_array(const void *data);
/* PENTA_INVALID where it is one whose `bytes` bytes from data on cannot be used in this context. NULL is fine. */
penta_status penta_check_array(penta_context *ctx, const void *data, size_t bytes);

/* PENTA_INVALID where it is one, which `what` must not be: the host reads and writes it. */
penta_status penta_check_host(penta_context *ctx, const void *data, const char *what);

enum penta_access { PENTA_READ, PENTA_WRITE };

/*
 * A buffer that is the caller's array itself: a part of the caller's device memory, or on a CPU device host memory.
 * Where that cannot be, *out is empty: host memory of other devices; a part whose beginning the device does not take
 * for a buffer (NVIDIA's driver: any but that of the memory); a beginning that is no multiple of `align`, which kernels
 * rely on (the size of their elements). WRITE: kernels may write all of it, and nothing that they do not write is kept.
 * Fails as penta_check_array, with PENTA_MEMORY and PENTA_DEVICE.
 */
penta_status penta_buffer_lend(penta_context *ctx, enum penta_access access, const void *data, size_t bytes,
                               size_t align, penta_buffer *out);
/* A part of a buffer that was lent, for reading; empty where the device does not take its beginning. Released before
 * the whole is given back, which waits for commands on its parts, too. */
penta_status penta_buffer_lend_part(penta_buffer *lent, size_t offset, size_t bytes, penta_buffer *out);
/* Ends it: waits for the commands on host memory, after which the caller sees what they wrote. Waits for nothing in
 * device memory. An empty buffer is fine; it is empty afterwards, also on failure. */
penta_status penta_buffer_give_back(penta_buffer *lent);

/*
 * An argument of kernels that is the caller's array where that can be, otherwise memory of the plan's own, made when
 * first needed and kept. `now` is what kernels take:
 *
 *     TRY(penta_port_open(&plan->resources, &plan->in));                       // once; the same for plan->out
 *     TRY(penta_port_input(&plan->in, image, bytes, sizeof(float)));
 *     TRY(penta_port_output(&plan->out, result, bytes, sizeof(float)));        // NULL: not wanted
 *     TRY(penta_launch(&plan->blur, grid, ARGS(plan->in.now, plan->out.now)));
 *     TRY(penta_port_close(&plan->in));
 *     TRY(penta_port_close(&plan->out));                                       // the caller has the result
 *
 * Closing waits for commands on host memory, so that the caller may use the arrays again. A port that a failing call
 * left open is closed by the next input or output, and by penta_port_abandon.
 */
typedef struct penta_port {
    penta_resources *owner;
    penta_buffer own, lent;
    penta_buffer *now; /* NULL: closed */
    void *to;          /* where the result in `own` goes */
    size_t bytes;
} penta_port;

penta_status penta_port_open(penta_resources *owner, penta_port *port);
penta_status penta_port_input(penta_port *port, const void *data, size_t bytes, size_t align);
penta_status penta_port_output(penta_port *port, void *data, size_t bytes, size_t align);
penta_status penta_port_close(penta_port *port);
/* After a failure, whose text stays: the caller may use the array again, which holds nothing of use. */
void penta_port_abandon(penta_port *port);

/* Host memory with the `bytes` bytes of data: data itself, or a copy of a device array in *copy, which is freed by the
 * caller (NULL is fine). */
penta_status penta_host_view(penta_context *ctx, const void *data, size_t bytes, const void **view, void **copy);
/* The same for a result: *view is where the host writes, and penta_host_deliver sends it to a device array. */
penta_status penta_host_room(penta_context *ctx, void *data, size_t bytes, void **view, void **copy);
penta_status penta_host_deliver(penta_context *ctx, const void *view, void *data, size_t bytes);

/* ---- kernels (program.c, launch.c) ---- */

struct _cl_kernel;

typedef struct penta_kernel {
    penta_context *ctx;
    struct penta_program *program;
    struct _cl_kernel *handle; /* NULL: penta_kernel_ready has not been called yet */
    const char *name;
    unsigned arguments; /* how many the kernel takes */
    bool launched;
} penta_kernel;

/*
 * Kernel `name` of cl/`file`, compiled with `defines` ("-DTILE=8 ..." or ""). Programs are cached in the context by
 * file and defines. It is compiled by a helper thread while the caller goes on or at the first launch, so
 * what does not compile fails there, or in penta_kernel_ready. Every program also sees: PENTA_CPU or PENTA_GPU,
 * PENTA_NVIDIA (on NVIDIA), PENTA_FP64 (with double precision; without it the word double does not compile).
 * Zero-initialise *out; release with penta_kernel_release. Takes a context or a penta_resources.
 */
penta_status penta_kernel_get(penta_context *ctx, const char *file, const char *name, const char *defines,
                              penta_kernel *out);
penta_status penta_resources_kernel(penta_resources *owner, const char *file, const char *name, const char *defines,
                                    penta_kernel *out);
#define penta_kernel_get(owner, ...) PENTA_BY_OWNER(owner, penta_kernel_get, penta_resources_kernel)(owner, __VA_ARGS__)
/* Several kernels of one file with the same defines: penta_kernels_get(&plan->resources, "smooth/smooth.cl", defines,
 * KERNELS({&plan->along_x, "smooth_along_x"}, {&plan->along_y, "smooth_along_y"})). */
typedef struct {
    penta_kernel *kernel;
    const char *name;
} penta_kernel_name;
#define KERNELS(...)                                                                                                   \
    (const penta_kernel_name[]){__VA_ARGS__}, sizeof((penta_kernel_name[]){__VA_ARGS__}) / sizeof(penta_kernel_name)
penta_status penta_kernels_get(penta_resources *owner, const char *file, const char *defines,
                               const penta_kernel_name *names, size_t count);
void penta_kernel_release(penta_kernel *kernel);
/* Waits until the kernel is compiled. Errors: PENTA_BUILD, PENTA_DEVICE (the file has no such kernel). */
penta_status penta_kernel_ready(penta_kernel *kernel);
/* Largest work-group this kernel can run with. Waits likewise. */
size_t penta_kernel_max_group(penta_kernel *kernel);

/* The work-items of a launch. local[0] == 0 leaves the group size to the driver. */
typedef struct penta_grid {
    unsigned dims;
    size_t global[3], local[3];
    size_t offset; /* of get_global_id(0): 0 unless this is a part of a grid; get_group_id ignores it */
} penta_grid;

penta_grid penta_grid_1d(size_t x);
penta_grid penta_grid_2d(size_t x, size_t y);
penta_grid penta_grid_3d(size_t x, size_t y, size_t z);
/* The same work in groups of x*y*z; the global size is rounded up, so the kernel must test its bounds. */
penta_grid penta_grid_groups(penta_grid grid, size_t x, size_t y, size_t z);

/* The same in groups along x of a size that suits any device; the kernel must test x. Without a group size, a driver
 * splits a global size with a large prime factor into tiny groups (60 times slower on an H200). */
penta_grid penta_grid_rows(penta_grid grid);

/* Arguments: buffers by address, int, unsigned, int64_t, uint64_t/size_t, float, double, penta_local(bytes). A double
 * is a real of the kernel (common/real.clh): a float on devices without double precision. */
typedef struct {
    size_t bytes;
} penta_local_memory;

typedef struct penta_arg {
    enum { PENTA_ARG_BUFFER, PENTA_ARG_VALUE, PENTA_ARG_REAL, PENTA_ARG_LOCAL } kind;
    size_t size;
    penta_buffer *buffer;
    union {
        int32_t i;
        uint32_t u;
        int64_t l;
        uint64_t ul;
        float f;
        double d;
    } value;
} penta_arg;

penta_local_memory penta_local(size_t bytes);
penta_arg penta_arg_buffer(penta_buffer *b);
penta_arg penta_arg_int(int v);
penta_arg penta_arg_uint(unsigned v);
penta_arg penta_arg_long(long v);
penta_arg penta_arg_ulong(unsigned long v);
penta_arg penta_arg_float(float v);
penta_arg penta_arg_double(double v);
penta_arg penta_arg_local(penta_local_memory v);

#define PENTA_ARG(x)                                                                                                   \
    _Generic((x), penta_buffer *                                                                                       \
             : penta_arg_buffer, int                                                                                   \
             : penta_arg_int, unsigned                                                                                 \
             : penta_arg_uint, long                                                                                    \
             : penta_arg_long, unsigned long                                                                           \
             : penta_arg_ulong, float                                                                                  \
             : penta_arg_float, double                                                                                 \
             : penta_arg_double, penta_local_memory                                                                    \
             : penta_arg_local)(x)
#define PENTA_A1(a)       PENTA_ARG(a)
#define PENTA_A2(a, ...)  PENTA_ARG(a), PENTA_A1(__VA_ARGS__)
#define PENTA_A3(a, ...)  PENTA_ARG(a), PENTA_A2(__VA_ARGS__)
#define PENTA_A4(a, ...)  PENTA_ARG(a), PENTA_A3(__VA_ARGS__)
#define PENTA_A5(a, ...)  PENTA_ARG(a), PENTA_A4(__VA_ARGS__)
#define PENTA_A6(a, ...)  PENTA_ARG(a), PENTA_A5(__VA_ARGS__)
#define PENTA_A7(a, ...)  PENTA_ARG(a), PENTA_A6(__VA_ARGS__)
#define PENTA_A8(a, ...)  PENTA_ARG(a), PENTA_A7(__VA_ARGS__)
#define PENTA_A9(a, ...)  PENTA_ARG(a), PENTA_A8(__VA_ARGS__)
#define PENTA_A10(a, ...) PENTA_ARG(a), PENTA_A9(__VA_ARGS__)
#define PENTA_A11(a, ...) PENTA_ARG(a), PENTA_A10(__VA_ARGS__)
#define PENTA_A12(a, ...) PENTA_ARG(a), PENTA_A11(__VA_ARGS__)
#define PENTA_A13(a, ...) PENTA_ARG(a), PENTA_A12(__VA_ARGS__)
#define PENTA_A14(a, ...) PENTA_ARG(a), PENTA_A13(__VA_ARGS__)
#define PENTA_A15(a, ...) PENTA_ARG(a), PENTA_A14(__VA_ARGS__)
#define PENTA_A16(a, ...) PENTA_ARG(a), PENTA_A15(__VA_ARGS__)
#define PENTA_A17(a, ...) PENTA_ARG(a), PENTA_A16(__VA_ARGS__)
#define PENTA_A18(a, ...) PENTA_ARG(a), PENTA_A17(__VA_ARGS__)
#define PENTA_A19(a, ...) PENTA_ARG(a), PENTA_A18(__VA_ARGS__)
#define PENTA_A20(a, ...) PENTA_ARG(a), PENTA_A19(__VA_ARGS__)
/* The compiler rejects 21 to 32 arguments with a readable message. */
#define PENTA_TOO_MANY(...)                                                                                            \
    {                                                                                                                  \
        .size = sizeof(struct {                                                                                        \
            int unused;                                                                                                \
            _Static_assert(0, "ARGS takes at most 20 arguments");                                                      \
        })                                                                                                             \
    }
#define PENTA_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,     \
                   a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, name, ...)                                   \
    name
#define PENTA_12_TIMES(x) x, x, x, x, x, x, x, x, x, x, x, x
#define PENTA_EXPAND(...) PENTA_PICK(__VA_ARGS__)
#define ARGS(...)                                                                                                      \
    (penta_arg[]){PENTA_EXPAND(__VA_ARGS__, PENTA_12_TIMES(PENTA_TOO_MANY), PENTA_A20, PENTA_A19, PENTA_A18,           \
                               PENTA_A17, PENTA_A16, PENTA_A15, PENTA_A14, PENTA_A13, PENTA_A12, PENTA_A11, PENTA_A10, \
                               PENTA_A9, PENTA_A8, PENTA_A7, PENTA_A6, PENTA_A5, PENTA_A4, PENTA_A3, PENTA_A2,         \
                               PENTA_A1, 0)(__VA_ARGS__)},                                                             \
        PENTA_EXPAND(__VA_ARGS__, PENTA_12_TIMES(20), 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, \
                     2, 1, 0)
enum { PENTA_MOST_ARGUMENTS = 20 };

/* Enqueues the kernel; use as penta_launch(&kernel, grid, ARGS(&buffer, n, 1.0f)). PENTA_INTERNAL if the number of
 * arguments is wrong. */
penta_status penta_launch(penta_kernel *kernel, penta_grid grid, const penta_arg *args, size_t count);

/* ---- long work in pieces (pace.c) ---- */

/* Time on a monotonic clock, s. */
double penta_clock(void);

/* The measured speed of a kernel in units of work per second. Zero-initialise; kept by the owner of the kernel.
 */
typedef struct penta_pace {
    double rate, since;
} penta_pace;

/*
 * Launches the grid at once if the work takes a fraction of a second; otherwise in pieces along its first dimension,
 * whole work-groups each, and asks the progress callback after each piece. The number of pieces does not change the
 * bits of the results if the kernel locates its work by get_global_id(0) alone. PENTA_CANCELLED leaves the results
 * incomplete.
 */
penta_status penta_launch_paced(penta_kernel *kernel, penta_grid grid, double work, penta_pace *pace,
                                const penta_arg *args, size_t count);

/* The same by hand: the fraction of the work (at most 1) that may be launched at once; before the first piece; after
 * each piece. */
double penta_pace_share(penta_context *ctx, const penta_pace *pace, double work);
penta_status penta_pace_begin(penta_context *ctx, penta_pace *pace);
penta_status penta_pace_piece(penta_context *ctx, penta_pace *pace, double work);
