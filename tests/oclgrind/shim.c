/*
 * Between a program and oclgrind (LD_PRELOAD, before it). PENTA_SHIM_CPU=1: the simulated device says that it is a CPU,
 * so that the forms of kernels for CPUs run. PENTA_SHIM_LOG: a file to which the name of every kernel of ours is added
 * when it is first run, behind the kind of device and the file that it is in. Memory of the host that a program maps
 * for good (CL_MEM_ALLOC_HOST_PTR) is ordinary memory here: the search for races goes through every byte of every
 * buffer after each launch, and no kernel touches this one.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_KERNELS = 1024, MOST_PINNED = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The simulator's version 21.10 does not know a mark that LLVM leaves where it inlines functions. */
static __attribute__((constructor)) void leave_no_marks(void)
{
    void (*parse)(int, const char *const *, const char *) =
        (void (*)(int, const char *const *, const char *))dlsym(RTLD_DEFAULT, "LLVMParseCommandLineOptions");
    static const char *const words[] = {"oclgrind", "-use-noalias-intrinsic-during-inlining=false"};

    if (parse)
        parse(2, words, NULL);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *got)
{
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *) = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    cl_int code = next(device, what, size, value, got);

    if (code == CL_SUCCESS && value && what == CL_DEVICE_TYPE && getenv("PENTA_SHIM_CPU"))
        *(cl_device_type *)value = CL_DEVICE_TYPE_CPU;
    return code;
}

/* Whether the line is new. */
static bool is_new(const char *line)
{
    static char *lines[MOST_KERNELS];
    bool found = false;
    size_t i = 0;

    pthread_mutex_lock(&lock);
    for (; i < MOST_KERNELS && lines[i] && !found; i++)
        found = strcmp(lines[i], line) == 0;
    if (!found && i < MOST_KERNELS)
        lines[i] = strdup(line);
    pthread_mutex_unlock(&lock);
    return !found;
}

/* The file of cl/ that the kernel is in: our sources begin with a #line. False: it is in a library's. */
static bool file_of(cl_kernel kernel, char *out, size_t size)
{
    static const char begin[] = "#line 1 \"";
    cl_program program = NULL;
    char *source = NULL, *end;
    size_t bytes = 0;
    bool ours;

    if (clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL) != CL_SUCCESS ||
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) != CL_SUCCESS || !(source = calloc(1, bytes + 1)))
        return false;
    ours = clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, source, NULL) == CL_SUCCESS &&
           strncmp(source, begin, strlen(begin)) == 0 && (end = strchr(source + strlen(begin), '"'));
    if (ours)
        snprintf(out, size, "%.*s", (int)(end - source - (ptrdiff_t)strlen(begin)), source + strlen(begin));
    free(source);
    return ours;
}

static void log_kernel(cl_kernel kernel)
{
    const char *path = getenv("PENTA_SHIM_LOG");
    char name[256] = "", from[256], line[600];
    int file;

    if (!path || clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL) != CL_SUCCESS ||
        !file_of(kernel, from, sizeof from))
        return;
    snprintf(line, sizeof line, "%s %s %s\n", getenv("PENTA_SHIM_CPU") ? "cpu" : "gpu", from, name);
    if (!is_new(line))
        return;
    file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, line, strlen(line)) < 0)
        abort();
    close(file);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event)
{
    cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *) = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");

    log_kernel(kernel);
    return next(queue, kernel, dimensions, offset, global, local, waits, wait, event);
}

/* ---- pinned memory ---- */

static struct pinned {
    cl_mem handle; /* a buffer of a byte, which says whose memory this is */
    void *host;
} pinned[MOST_PINNED];

/* The place of a buffer, or of NULL: a free one. NULL: there is none. */
static struct pinned *find_pinned(cl_mem handle)
{
    for (size_t i = 0; i < MOST_PINNED; i++)
        if (pinned[i].handle == handle)
            return &pinned[i];
    return NULL;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    cl_mem (*next)(cl_context, cl_mem_flags, size_t, void *, cl_int *) = dlsym(RTLD_NEXT, "clCreateBuffer");
    bool pins = flags & CL_MEM_ALLOC_HOST_PTR;
    cl_mem handle = next(context, flags, pins ? 1 : size, host, code);
    struct pinned *place;

    if (!pins || !handle)
        return handle;
    pthread_mutex_lock(&lock);
    place = find_pinned(NULL);
    if (!place || !(place->host = calloc(1, size)))
        abort();
    place->handle = handle;
    pthread_mutex_unlock(&lock);
    return handle;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                         size_t size, cl_uint waits, const cl_event *wait, cl_event *event, cl_int *code)
{
    void *(*next)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *,
                  cl_event *, cl_int *) = dlsym(RTLD_NEXT, "clEnqueueMapBuffer");
    struct pinned *place;

    pthread_mutex_lock(&lock);
    place = find_pinned(buffer);
    pthread_mutex_unlock(&lock);
    if (!place)
        return next(queue, buffer, blocking, flags, offset, size, waits, wait, event, code);
    *code = CL_SUCCESS;
    return (char *)place->host + offset;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *host, cl_uint waits, const cl_event *wait,
                               cl_event *event)
{
    cl_int (*next)(cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *) =
        dlsym(RTLD_NEXT, "clEnqueueUnmapMemObject");
    struct pinned *place;

    pthread_mutex_lock(&lock);
    place = find_pinned(buffer);
    if (place) { /* the program waits for its transfers first */
        free(place->host);
        *place = (struct pinned){0};
    }
    pthread_mutex_unlock(&lock);
    return place ? CL_SUCCESS : next(queue, buffer, host, waits, wait, event);
}
