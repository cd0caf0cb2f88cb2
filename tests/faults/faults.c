/* The wrapped calls: __wrap_X is called in place of X, __real_X is X. */
#include "faults/faults.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);

/* Over everything below: pentacl's host threads allocate too. OpenCL is called by one thread. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- when to fail ---- */

static struct {
    enum fault_kind kind;
    size_t left; /* calls until the fault */
    bool lasting, watching;
    const char *struck;
} fault;

static struct {
    fault_trace *list;
    size_t count, room;
} traces;

void faults_arm(enum fault_kind kind, size_t nth, bool lasting)
{
    fault.kind = kind;
    fault.left = nth;
    fault.lasting = lasting;
    fault.watching = false;
    fault.struck = NULL;
}

void faults_watch(enum fault_kind kind)
{
    faults_arm(kind, 0, false);
    fault.watching = true;
    traces.count = 0;
}

void faults_disarm(void)
{
    fault.kind = FAULT_NONE;
}

const char *faults_struck(void)
{
    return fault.struck;
}

const fault_trace *faults_traces(size_t *count)
{
    *count = traces.count;
    return traces.list;
}

/* caller: where the wrapped call returns to; what lies within it is no place. */
static void note_trace(const void *caller)
{
    enum { OWN = 8, MOST = sizeof((fault_trace *)NULL)->callers / sizeof(void *) };
    void *callers[OWN + MOST];
    int depth = backtrace(callers, OWN + MOST), own = 0;
    fault_trace *t;

    if (traces.count == traces.room) {
        traces.room = 2 * traces.room + 256;
        traces.list = __real_realloc(traces.list, traces.room * sizeof *traces.list);
        if (!traces.list)
            abort();
    }
    while (own < depth && callers[own] != caller)
        own++;
    if (own == depth || own > OWN)
        abort();
    t = &traces.list[traces.count++];
    t->depth = depth - own < MOST ? depth - own : MOST;
    memcpy(t->callers, callers + own, (size_t)t->depth * sizeof *callers);
}

/* In a wrapped call: */
#define strikes(kind, name) strikes_from(kind, name, __builtin_return_address(0))

static bool strikes_from(enum fault_kind kind, const char *name, const void *caller)
{
    bool hit = false;

    pthread_mutex_lock(&lock);
    if (fault.kind == kind && fault.watching)
        note_trace(caller);
    else if (fault.kind == kind && (fault.left > 0 || fault.lasting)) {
        hit = fault.left <= 1;
        if (fault.left > 0)
            fault.left--;
        if (hit && !fault.struck)
            fault.struck = name;
    }
    pthread_mutex_unlock(&lock);
    return hit;
}

/* ---- transfers under way ---- */

typedef struct {
    const void *queue;
    uint64_t sequence;
    uintptr_t from, to; /* host bytes */
} transfer;

enum { MOST_TRANSFERS = 1024 };
static transfer transfers[MOST_TRANSFERS];
static size_t transfer_count;
static uint64_t last_sequence;

/* Everything on the queue up to a command is over. */
static void complete(const void *queue, uint64_t sequence)
{
    size_t kept = 0;

    for (size_t i = 0; i < transfer_count; i++)
        if (transfers[i].queue != queue || transfers[i].sequence > sequence)
            transfers[kept++] = transfers[i];
    transfer_count = kept;
}

bool faults_busy(const void *memory, size_t bytes)
{
    uintptr_t from = (uintptr_t)memory;

    for (size_t i = 0; i < transfer_count; i++)
        if (transfers[i].from < from + bytes && from < transfers[i].to)
            return true;
    return false;
}

void faults_forget_transfers(void)
{
    transfer_count = 0;
}

/* ---- what is alive ---- */

enum thing { HEAP, CONTEXT, QUEUE, MEMORY, PROGRAM, KERNEL, EVENT, MAPPING, THINGS };

static const char *const thing_names[THINGS] = {"allocations", "contexts", "queues", "memory objects",
                                                "programs",    "kernels",  "events", "mappings"};

typedef struct entry {
    const void *handle;
    enum thing thing;
    size_t references, bytes; /* bytes: of an allocation */
    const void *queue;        /* of an event */
    uint64_t sequence;        /* of an event's command on its queue */
    struct entry *next;
} entry;

enum { BUCKETS = 4096 };
static entry *table[BUCKETS];
static size_t live[THINGS];
static char misuse[200];
static bool misused;

static entry **find(enum thing thing, const void *handle)
{
    entry **at = &table[((uintptr_t)handle >> 4) % BUCKETS];

    while (*at && ((*at)->handle != handle || (*at)->thing != thing))
        at = &(*at)->next;
    return at;
}

static void note_misuse(const char *what, const char *which)
{
    if (!misused)
        snprintf(misuse, sizeof misuse, "%s (%s)", what, which);
    misused = true;
}

/* One reference more. bytes: of an allocation. The entry stays where it is until its last reference is dropped. */
static entry *add(enum thing thing, const void *handle, size_t bytes)
{
    entry **at, *found;

    pthread_mutex_lock(&lock);
    at = find(thing, handle);
    if (!*at) {
        *at = __real_calloc(1, sizeof **at);
        if (!*at)
            abort();
        (*at)->handle = handle;
        (*at)->thing = thing;
        (*at)->bytes = bytes;
    }
    found = *at;
    found->references++;
    live[thing]++;
    pthread_mutex_unlock(&lock);
    return found;
}

/* One reference less. Memory that other libraries gave is not in the table; of OpenCL objects everything is. */
static void drop(enum thing thing, const void *handle)
{
    entry **at, *found;

    pthread_mutex_lock(&lock);
    at = find(thing, handle);
    found = *at;
    if (!found && thing != HEAP)
        note_misuse("released more often than retained", thing_names[thing]);
    if (found && thing == HEAP && faults_busy(handle, found->bytes))
        note_misuse("memory freed while a transfer may use it", "nobody waited for the transfer with success");
    if (found) {
        live[thing]--;
        if (--found->references == 0) {
            *at = found->next;
            __real_free(found);
        }
    }
    pthread_mutex_unlock(&lock);
}

size_t faults_live(void)
{
    size_t sum = 0;

    for (int i = 0; i < THINGS; i++)
        sum += live[i];
    return sum;
}

const char *faults_live_text(void)
{
    static char text[400];
    size_t used = 0;

    for (int i = 0; i < THINGS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", i ? ", " : "", live[i], thing_names[i]);
    return text;
}

const char *faults_misuse(void)
{
    const char *text = misused ? misuse : NULL;

    misused = false;
    return text;
}

/* ---- commands ---- */

/* Notes a command that was enqueued: its event, and the host bytes that it uses after the call, if any. */
static void enqueued(cl_command_queue queue, const cl_event *event, const void *host, size_t bytes)
{
    last_sequence++;
    if (event) {
        entry *e = add(EVENT, *event, 0);

        e->queue = queue;
        e->sequence = last_sequence;
    }
    if (!host)
        return;
    if (transfer_count == MOST_TRANSFERS)
        abort();
    transfers[transfer_count++] = (transfer){queue, last_sequence, (uintptr_t)host, (uintptr_t)host + bytes};
}

/* ---- memory ---- */

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static void *allocated(void *memory, size_t bytes)
{
    if (memory)
        add(HEAP, memory, bytes);
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return strikes(FAULT_MEMORY, "malloc") ? NULL : allocated(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return strikes(FAULT_MEMORY, "calloc") ? NULL : allocated(__real_calloc(count, size), count * size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    void *moved;

    if (strikes(FAULT_MEMORY, "realloc"))
        return NULL;
    if (memory)
        drop(HEAP, memory);
    moved = __real_realloc(memory, size);
    if (!moved)
        abort(); /* out of memory in earnest: the count above would be wrong */
    return allocated(moved, size);
}

void __wrap_free(void *memory)
{
    if (memory)
        drop(HEAP, memory);
    __real_free(memory);
}

/* ---- OpenCL: queries ---- */

/* A call that returns a code, can fail with it, and changes nothing that is counted. */
#define PLAIN(name, code, parameters, arguments)                                                                       \
    cl_int __real_##name parameters;                                                                                   \
    cl_int __wrap_##name parameters;                                                                                   \
    cl_int __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        return strikes(FAULT_OPENCL, #name) ? code : __real_##name arguments;                                          \
    }

PLAIN(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY, (cl_uint room, cl_platform_id *list, cl_uint *count),
      (room, list, count))
PLAIN(clGetPlatformInfo, CL_OUT_OF_HOST_MEMORY,
      (cl_platform_id platform, cl_platform_info what, size_t size, void *out, size_t *used),
      (platform, what, size, out, used))
PLAIN(clGetDeviceIDs, CL_OUT_OF_RESOURCES,
      (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *list, cl_uint *count),
      (platform, type, room, list, count))
PLAIN(clGetDeviceInfo, CL_OUT_OF_RESOURCES,
      (cl_device_id device, cl_device_info what, size_t size, void *out, size_t *used), (device, what, size, out, used))
PLAIN(clGetKernelWorkGroupInfo, CL_OUT_OF_RESOURCES,
      (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *out, size_t *used),
      (kernel, device, what, size, out, used))
PLAIN(clGetKernelInfo, CL_OUT_OF_RESOURCES,
      (cl_kernel kernel, cl_kernel_info what, size_t size, void *out, size_t *used), (kernel, what, size, out, used))
PLAIN(clGetProgramBuildInfo, CL_OUT_OF_RESOURCES,
      (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *out, size_t *used),
      (program, device, what, size, out, used))
PLAIN(clGetMemObjectInfo, CL_OUT_OF_RESOURCES, (cl_mem memory, cl_mem_info what, size_t size, void *out, size_t *used),
      (memory, what, size, out, used))
PLAIN(clGetEventInfo, CL_OUT_OF_RESOURCES, (cl_event event, cl_event_info what, size_t size, void *out, size_t *used),
      (event, what, size, out, used))
PLAIN(clGetCommandQueueInfo, CL_OUT_OF_RESOURCES,
      (cl_command_queue queue, cl_command_queue_info what, size_t size, void *out, size_t *used),
      (queue, what, size, out, used))
PLAIN(clBuildProgram, CL_BUILD_PROGRAM_FAILURE,
      (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
       void(CL_CALLBACK *notify)(cl_program, void *), void *user),
      (program, count, devices, options, notify, user))
PLAIN(clSetKernelArg, CL_OUT_OF_RESOURCES, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
      (kernel, index, size, value))

/* ---- OpenCL: creation, retention, release ---- */

#define CREATE(name, type, thing, failure, parameters, arguments)                                                      \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        type made;                                                                                                     \
                                                                                                                       \
        if (strikes(FAULT_OPENCL, #name)) {                                                                            \
            if (code)                                                                                                  \
                *code = failure;                                                                                       \
            return NULL;                                                                                               \
        }                                                                                                              \
        made = __real_##name arguments;                                                                                \
        if (made)                                                                                                      \
            add(thing, made, 0);                                                                                       \
        return made;                                                                                                   \
    }

CREATE(clCreateContext, cl_context, CONTEXT, CL_OUT_OF_HOST_MEMORY,
       (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code),
       (properties, count, devices, notify, user, code))
CREATE(clCreateCommandQueue, cl_command_queue, QUEUE, CL_OUT_OF_RESOURCES,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code),
       (context, device, properties, code))
CREATE(clCreateBuffer, cl_mem, MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
       (context, flags, size, host, code))
CREATE(clCreateSubBuffer, cl_mem, MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
       (cl_mem memory, cl_mem_flags flags, cl_buffer_create_type type, const void *what, cl_int *code),
       (memory, flags, type, what, code))
CREATE(clCreateProgramWithSource, cl_program, PROGRAM, CL_OUT_OF_HOST_MEMORY,
       (cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *code),
       (context, count, strings, lengths, code))
CREATE(clCreateKernel, cl_kernel, KERNEL, CL_OUT_OF_HOST_MEMORY, (cl_program program, const char *name, cl_int *code),
       (program, name, code))

#define COUNT(name, type, change)                                                                                      \
    cl_int __real_##name(type object);                                                                                 \
    cl_int __wrap_##name(type object);                                                                                 \
    cl_int __wrap_##name(type object)                                                                                  \
    {                                                                                                                  \
        change;                                                                                                        \
        return __real_##name(object);                                                                                  \
    }

COUNT(clRetainContext, cl_context, add(CONTEXT, object, 0))
COUNT(clReleaseContext, cl_context, drop(CONTEXT, object))
COUNT(clRetainCommandQueue, cl_command_queue, add(QUEUE, object, 0))
COUNT(clReleaseCommandQueue, cl_command_queue, drop(QUEUE, object))
COUNT(clRetainMemObject, cl_mem, add(MEMORY, object, 0))
COUNT(clReleaseMemObject, cl_mem, drop(MEMORY, object))
COUNT(clReleaseProgram, cl_program, drop(PROGRAM, object))
COUNT(clReleaseKernel, cl_kernel, drop(KERNEL, object))
COUNT(clRetainEvent, cl_event, add(EVENT, object, 0))
COUNT(clReleaseEvent, cl_event, drop(EVENT, object))

/* ---- OpenCL: commands ---- */

#define ENQUEUE(name, host, bytes, parameters, arguments)                                                              \
    cl_int __real_##name parameters;                                                                                   \
    cl_int __wrap_##name parameters;                                                                                   \
    cl_int __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        cl_int code;                                                                                                   \
                                                                                                                       \
        if (strikes(FAULT_OPENCL, #name))                                                                              \
            return CL_OUT_OF_RESOURCES;                                                                                \
        code = __real_##name arguments;                                                                                \
        if (code == CL_SUCCESS)                                                                                        \
            enqueued(queue, event, host, bytes);                                                                       \
        return code;                                                                                                   \
    }

ENQUEUE(clEnqueueNDRangeKernel, NULL, 0,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset, const size_t *global,
         const size_t *local, cl_uint count, const cl_event *waits, cl_event *event),
        (queue, kernel, dims, offset, global, local, count, waits, event))
ENQUEUE(clEnqueueReadBuffer, blocking ? NULL : data, bytes,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes, void *data,
         cl_uint count, const cl_event *waits, cl_event *event),
        (queue, memory, blocking, offset, bytes, data, count, waits, event))
ENQUEUE(clEnqueueReadBufferRect, blocking ? NULL : data, (region[1] - 1) * host_row + region[0],
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *there, const size_t *here,
         const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, void *data, cl_uint count,
         const cl_event *waits, cl_event *event),
        (queue, memory, blocking, there, here, region, row, slice, host_row, host_slice, data, count, waits, event))
ENQUEUE(clEnqueueWriteBuffer, blocking ? NULL : data, bytes,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t bytes, const void *data,
         cl_uint count, const cl_event *waits, cl_event *event),
        (queue, memory, blocking, offset, bytes, data, count, waits, event))
ENQUEUE(clEnqueueWriteBufferRect, blocking ? NULL : data, (region[1] - 1) * host_row + region[0],
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, const size_t *there, const size_t *here,
         const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice, const void *data,
         cl_uint count, const cl_event *waits, cl_event *event),
        (queue, memory, blocking, there, here, region, row, slice, host_row, host_slice, data, count, waits, event))
ENQUEUE(clEnqueueCopyBuffer, NULL, 0,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
         cl_uint count, const cl_event *waits, cl_event *event),
        (queue, from, to, from_offset, to_offset, bytes, count, waits, event))
ENQUEUE(clEnqueueCopyBufferRect, NULL, 0,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *here, const size_t *there, const size_t *region,
         size_t from_row, size_t from_slice, size_t row, size_t slice, cl_uint count, const cl_event *waits,
         cl_event *event),
        (queue, from, to, here, there, region, from_row, from_slice, row, slice, count, waits, event))
ENQUEUE(clEnqueueFillBuffer, NULL, 0,
        (cl_command_queue queue, cl_mem memory, const void *pattern, size_t size, size_t offset, size_t bytes,
         cl_uint count, const cl_event *waits, cl_event *event),
        (queue, memory, pattern, size, offset, bytes, count, waits, event))
ENQUEUE(clEnqueueMarkerWithWaitList, NULL, 0,
        (cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event), (queue, count, waits, event))
ENQUEUE(clEnqueueBarrierWithWaitList, NULL, 0,
        (cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event), (queue, count, waits, event))

#define MAP_PARAMETERS                                                                                                 \
    (cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags, size_t offset, size_t bytes,         \
     cl_uint count, const cl_event *waits, cl_event *event, cl_int *code)
void *__real_clEnqueueMapBuffer MAP_PARAMETERS;
void *__wrap_clEnqueueMapBuffer MAP_PARAMETERS;
void *__wrap_clEnqueueMapBuffer MAP_PARAMETERS
{
    void *host;

    if (strikes(FAULT_OPENCL, "clEnqueueMapBuffer")) {
        if (code)
            *code = CL_MAP_FAILURE;
        return NULL;
    }
    host = __real_clEnqueueMapBuffer(queue, memory, blocking, flags, offset, bytes, count, waits, event, code);
    if (host) {
        add(MAPPING, host, 0);
        enqueued(queue, event, NULL, 0);
    }
    return host;
}

#define UNMAP_PARAMETERS                                                                                               \
    (cl_command_queue queue, cl_mem memory, void *host, cl_uint count, const cl_event *waits, cl_event *event)
cl_int __real_clEnqueueUnmapMemObject UNMAP_PARAMETERS;
cl_int __wrap_clEnqueueUnmapMemObject UNMAP_PARAMETERS;
cl_int __wrap_clEnqueueUnmapMemObject UNMAP_PARAMETERS /* a release: it always works */
{
    cl_int code = __real_clEnqueueUnmapMemObject(queue, memory, host, count, waits, event);

    drop(MAPPING, host);
    if (code == CL_SUCCESS)
        enqueued(queue, event, NULL, 0);
    return code;
}

/* ---- OpenCL: waiting. One that fails does wait, so that the test itself stays sound, but nobody may count on it. ----
 */

cl_int __real_clFinish(cl_command_queue queue);
cl_int __wrap_clFinish(cl_command_queue queue);
cl_int __wrap_clFinish(cl_command_queue queue)
{
    cl_int code = __real_clFinish(queue);

    if (strikes(FAULT_OPENCL, "clFinish"))
        return CL_OUT_OF_RESOURCES;
    if (code == CL_SUCCESS)
        complete(queue, last_sequence);
    return code;
}

cl_int __real_clFlush(cl_command_queue queue);
cl_int __wrap_clFlush(cl_command_queue queue);
cl_int __wrap_clFlush(cl_command_queue queue)
{
    if (!strikes(FAULT_OPENCL, "clFlush"))
        return __real_clFlush(queue);
    __real_clFinish(queue);
    return CL_OUT_OF_RESOURCES;
}

cl_int __real_clWaitForEvents(cl_uint count, const cl_event *events);
cl_int __wrap_clWaitForEvents(cl_uint count, const cl_event *events);
cl_int __wrap_clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int code = __real_clWaitForEvents(count, events);

    if (strikes(FAULT_OPENCL, "clWaitForEvents"))
        return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        const entry *e;

        pthread_mutex_lock(&lock);
        e = *find(EVENT, events[i]);
        pthread_mutex_unlock(&lock);
        if (e)
            complete(e->queue, e->sequence);
    }
    return code;
}
