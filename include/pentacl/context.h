/* Devices, the context that owns one, progress and profile. */
#ifndef PENTACL_CONTEXT_H
#define PENTACL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

typedef enum penta_device_type { PENTA_DEVICE_GPU = 0, PENTA_DEVICE_CPU, PENTA_DEVICE_OTHER } penta_device_type;

typedef struct penta_device {
    char name[128], vendor[128], platform[128], version[128], driver[64];
    penta_device_type type;
    unsigned compute_units;
    uint64_t memory;         /* bytes of global memory */
    uint64_t max_allocation; /* bytes of one buffer */
    uint64_t local_memory;   /* bytes per work-group */
    bool fp64;
} penta_device;

/** "gpu", "cpu" or "other". */
PENTA_API const char *penta_device_type_name(penta_device_type type);

/**
 * One line on what is unusual about the kernel cache of PoCL, the driver for CPUs, or "": that damaged files were
 * removed, that another place was taken because the usual one (pocl/kcache in XDG_CACHE_HOME or HOME/.cache) cannot be
 * used, or that there is none. Before this process first asks OpenCL for devices through pentacl, that place is
 * checked, and if it cannot be written to, belongs to another user or would be in /tmp (HOME unset), POCL_CACHE_DIR is
 * set with setenv to a private folder: pentacl/pocl in XDG_CACHE_HOME or HOME/.cache, otherwise pentacl-UID in TMPDIR.
 * Nothing is set where POCL_CACHE_DIR is set already. Programs whose other threads read the environment meanwhile set
 * it themselves, early.
 */
PENTA_API const char *penta_kernel_cache_note(void);

/**
 * All devices of all platforms, in the order of their indices. A machine without an OpenCL driver gives count 0 and
 * PENTA_OK. *devices is freed with penta_devices_free.
 */
PENTA_API penta_status penta_devices(penta_device **devices, size_t *count);
PENTA_API void penta_devices_free(penta_device *devices);

/**
 * A context: one device with its queues, compiled programs and last error. One thread at a time per context; separate
 * contexts run in parallel, and may be opened and closed by several threads at once. (A program that calls OpenCL
 * itself does so after the first context is open: drivers have races in their first call.)
 */
typedef struct penta_context penta_context;

/**
 * Opens a device. selector: an index into penta_devices, "gpu", "cpu", or part of a device, vendor or platform name
 * (case-insensitive); NULL or "" takes PENTACL_DEVICE from the environment, else the first GPU, else the first device.
 * A list (penta_contexts_create) will do where it names one device. Errors: PENTA_NO_DEVICE (the text lists what there
 * is), PENTA_INVALID (a list that names several), PENTA_MEMORY, PENTA_DEVICE. On failure *out is NULL and the text is
 * at penta_last_error(NULL) of the same thread.
 */
PENTA_API penta_status penta_context_create(const char *selector, penta_context **out);
PENTA_API void penta_context_destroy(penta_context *ctx); /* NULL is fine; destroy its plans first */

/**
 * Opens the devices of a list, in its order: selectors as above with commas between, "gpu*" for every device that the
 * word before the star names, "all" for every GPU, or every device where there is none. NULL or "": as above. A device
 * that is named several times gets as many contexts, which share it: a CPU is divided between them where its driver can
 * do that (more contexts than compute units share one). They describe the whole device, and results have the bits that
 * it gives. Errors: those of penta_context_create, and PENTA_INVALID (an empty place, devices of different types).
 */
PENTA_API penta_status penta_contexts_create(const char *list, penta_context ***out, size_t *count);
PENTA_API void penta_contexts_destroy(penta_context **contexts, size_t count); /* NULL is fine */

/** Which device (an index into penta_devices) a context is on, and which part of how many it has of it: 0 of 1 where it
 * shares it with no other of its list. 0, 0, 1 of one that was made from the program's own OpenCL context. */
PENTA_API void penta_context_share(const penta_context *ctx, size_t *index, size_t *part, size_t *parts);

/**
 * For processes that share a machine: the devices (indices into penta_devices) of a list, in its order. NULL or "":
 * those that PENTACL_DEVICE lists, else every GPU, or the first device where there is none. *indices is freed with
 * free. Errors: those of penta_contexts_create.
 */
PENTA_API penta_status penta_devices_named(const char *list, size_t **indices, size_t *count);

/** Opens a device for one of `parts` processes that share it, as penta_contexts_create does for contexts of a process:
 * 0 <= part < parts. Errors: PENTA_INVALID, and those of penta_context_create. */
PENTA_API penta_status penta_context_create_part(size_t index, size_t part, size_t parts, penta_context **out);

PENTA_API const penta_device *penta_context_device(const penta_context *ctx);

/**
 * From now on the device counts as one without double precision (its fp64 is false), for every plan that is made later.
 * PENTACL_FP64=never in the environment does this for every context. For tests, and for devices whose double precision
 * is slow.
 */
PENTA_API void penta_context_without_double(penta_context *ctx);

/**
 * Text of the last failure on a context, never NULL: the first line says what failed and what to try; the lines after
 * it give the calls that led there (file:line) and a build log where there is one. ctx NULL: of the last context
 * creation or device listing on this thread.
 */
PENTA_API const char *penta_last_error(const penta_context *ctx);

/**
 * Called now and then in long jobs, on the calling thread: done of total units of work of the running call. Returning
 * true cancels: the call returns PENTA_CANCELLED and its plan stays usable.
 */
typedef bool (*penta_progress)(void *user, double done, double total);
PENTA_API void penta_context_set_progress(penta_context *ctx, penta_progress callback, void *user);

/**
 * Called on the thread that uses the context before kernels are compiled, which can take seconds each the first time on
 * a machine: what names a file of kernels, a kernel or a library, built is how many compilations have ended. At the end
 * of each it is called with what NULL. Drivers keep what they have compiled, so later the calls follow one another
 * quickly. NULL ends it. A callback makes a first launch on a CPU device wait for those before it; results are the
 * same.
 */
typedef void (*penta_build_callback)(void *user, const char *what, size_t built);
PENTA_API void penta_context_on_build(penta_context *ctx, penta_build_callback callback, void *user);

/**
 * Told what the library chose and why, for people: what "method", chosen "fft", why "least estimated time: 1.2 ms;
 * tiled 3.4 ms". An option that decided is named by its field in backquotes. The three texts are valid during the call
 * only; programs must not parse them.
 */
typedef void (*penta_choice_fn)(void *user, const char *what, const char *chosen, const char *why);
/**
 * From now on fn is called on the thread that uses the context, from within the call that makes a choice: once for each
 * plan (autocorr and stars make parts of a plan when first needed, and choose for them then; optmap chooses the drift
 * for each movie). It is called here at once with what was chosen when the context was opened: the device, the form of
 * kernels, where compiled programs are kept, and how long opening and the programs so far took. fn must not call
 * anything with this context. NULL ends it; without a listener no text is made.
 */
PENTA_API void penta_context_on_choice(penta_context *ctx, penta_choice_fn fn, void *user);

/**
 * Time spent on the device under one name since the last reset. Kernels and transfers are always counted. Their times
 * are taken from the first call of one of the functions below, or of penta_opencl_queue, on: a program that wants those
 * of a run calls penta_profile_reset before it. Until then runs are faster, as a driver takes time for each time stamp:
 * on NVIDIA's of 2026 some 4 us a kernel.
 */
typedef struct penta_profile_entry {
    const char *name; /* of the kernel, "fft ..." or "write", "read"; valid until the context is destroyed */
    bool transfer;
    uint64_t calls;
    uint64_t bytes; /* transfers only */
    double seconds;
} penta_profile_entry;

/** Entries in order of first use. Valid until the next call on the context. */
PENTA_API size_t penta_profile(penta_context *ctx, const penta_profile_entry **entries);
/** Zeros all entries; times are taken from now on. */
PENTA_API void penta_profile_reset(penta_context *ctx);
/** Waits, and takes no times until the next penta_profile_reset. Without effect once penta_opencl_queue was called. */
PENTA_API void penta_profile_pause(penta_context *ctx);
/** Sum over the entries, s. */
PENTA_API double penta_profile_seconds(penta_context *ctx, bool kernels, bool transfers);

/**
 * Host memory that the device reads and writes fastest (pinned). Any array will do for any call of the library; arrays
 * from here skip one copy on a discrete GPU. On failure *out is NULL.
 */
PENTA_API penta_status penta_host_alloc(penta_context *ctx, size_t bytes, void **out);
PENTA_API void penta_host_free(penta_context *ctx, void *memory); /* NULL is fine */

/**
 * Pins memory that the program has, for arrays that are used many times: they are transferred as those of
 * penta_host_alloc are, also by other contexts of the platform, until penta_host_unpin or the context's end, before
 * which the memory must not be freed. CPU devices work in any memory: nothing is done there. Errors: PENTA_MEMORY,
 * PENTA_DEVICE (the driver cannot), PENTA_INVALID (an array of penta_opencl_array, which is no host memory).
 */
PENTA_API penta_status penta_host_pin(penta_context *ctx, void *memory, size_t bytes);
/** Waits for transfers of the context. What is not pinned by it, and NULL, is fine. */
PENTA_API void penta_host_unpin(penta_context *ctx, void *memory);

/** "1.2.3" */
PENTA_API const char *penta_version(void);

PENTA_END_DECLS
#endif
