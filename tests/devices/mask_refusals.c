/* What the masked device refuses, as one that is what it says does. */
#define _POSIX_C_SOURCE 200809L
#include "devices/mask.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- programs ---- */

static const char no_double[] = "#undef cl_khr_fp64\n#undef __opencl_c_fp64\n#define double there_is_no_double_here\n"
                                "#define double2 double\n#define double3 double\n#define double4 double\n"
                                "#define double8 double\n#define double16 double\n#line 1\n";
static const char no_images[] = "#undef __IMAGE_SUPPORT__\n#line 1\n";

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                     cl_int *code)
{
    const mask_settings *m = mask();
    const char **all = calloc(count + 2, sizeof *all);
    size_t *sizes = calloc(count + 2, sizeof *sizes);
    cl_program program = NULL;
    cl_uint n = 0;

    if (!all || !sizes)
        abort();
    if (m->nofp64)
        all[n++] = no_double;
    if (m->noimages)
        all[n++] = no_images;
    for (cl_uint i = 0; i < count; i++, n++) {
        all[n] = texts[i];
        sizes[n] = lengths ? lengths[i] : 0;
    }
    program = NEXT(clCreateProgramWithSource)(context, n, all, sizes, code);
    free(sizes);
    free(all);
    return program;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    if (mask()->cl12 && options && (strstr(options, "-cl-std=CL2") || strstr(options, "-cl-std=CL3")))
        return CL_INVALID_BUILD_OPTIONS;
    return NEXT(clBuildProgram)(program, count, devices, options, notify, user);
}

/* ---- memory ---- */

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static size_t taken; /* bytes of buffers on the device, under the guard */

static void CL_CALLBACK give_back(cl_mem memory, void *bytes)
{
    (void)memory;
    pthread_mutex_lock(&guard);
    taken -= (size_t)(uintptr_t)bytes;
    pthread_mutex_unlock(&guard);
}

static bool take(size_t bytes)
{
    bool fits;

    pthread_mutex_lock(&guard);
    fits = bytes <= 4 * mask()->alloc - taken;
    taken += fits ? bytes : 0;
    pthread_mutex_unlock(&guard);
    return fits;
}

static cl_mem refuse(cl_int *code, cl_int why)
{
    if (code)
        *code = why;
    return NULL;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    bool on_device = !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR));
    cl_mem memory;

    if (mask()->alloc && size > mask()->alloc)
        return refuse(code, CL_INVALID_BUFFER_SIZE);
    if (mask()->alloc && on_device && !take(size))
        return refuse(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    memory = NEXT(clCreateBuffer)(context, flags, size, host, code);
    if (mask()->alloc && on_device) {
        if (!memory)
            give_back(NULL, (void *)(uintptr_t)size);
        else if (NEXT(clSetMemObjectDestructorCallback)(memory, give_back, (void *)(uintptr_t)size) != CL_SUCCESS)
            abort();
    }
    return memory;
}

/* ---- images ---- */

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *shape,
                     void *host, cl_int *code)
{
    if (mask()->noimages)
        return refuse(code, CL_INVALID_OPERATION);
    return NEXT(clCreateImage)(context, flags, format, shape, host, code);
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                           cl_int *code)
{
    if (mask()->noimages) {
        refuse(code, CL_INVALID_OPERATION);
        return NULL;
    }
    return NEXT(clCreateSampler)(context, normalized, addressing, filter, code);
}

/* ---- functions that OpenCL 1.2 does not have ---- */

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties, cl_int *code)
{
    if (mask()->cl12) {
        refuse(code, CL_INVALID_OPERATION);
        return NULL;
    }
    return NEXT(clCreateCommandQueueWithProperties)(context, device, properties, code);
}

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    return mask()->cl12 ? NULL : NEXT(clSVMAlloc)(context, flags, size, alignment);
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info what, size_t in_size,
                               const void *in, size_t size, void *value, size_t *got)
{
    if (mask()->cl12)
        return CL_INVALID_OPERATION;
    return NEXT(clGetKernelSubGroupInfo)(kernel, device, what, in_size, in, size, value, got);
}

/* ---- launches ---- */

static size_t items_of(cl_uint dimensions, const size_t *local)
{
    size_t items = 1;

    for (cl_uint i = 0; local && i < dimensions; i++)
        items *= local[i];
    return items;
}

/* Where the driver does not know the kernel's local memory it answers 0. */
static size_t local_memory_of(cl_kernel kernel, cl_command_queue queue)
{
    cl_device_id device = NULL;
    cl_ulong bytes = 0;

    if (clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS ||
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS)
        return 0;
    return (size_t)bytes;
}

static cl_int refuse_launch(cl_kernel kernel, const char *what, size_t count, cl_int why)
{
    char name[128] = "?";

    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    fprintf(stderr, "mask: %s takes %zu %s, more than the device has\n", name, count, what);
    return why;
}

static void wait_longer(size_t microseconds)
{
    const struct timespec t = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};

    nanosleep(&t, NULL);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event)
{
    const mask_settings *m = mask();

    if (m->group && items_of(dimensions, local) > m->group)
        return refuse_launch(kernel, "work-items", items_of(dimensions, local), CL_INVALID_WORK_GROUP_SIZE);
    if (m->local && local_memory_of(kernel, queue) > m->local)
        return refuse_launch(kernel, "bytes of local memory", local_memory_of(kernel, queue), CL_OUT_OF_RESOURCES);
    if (m->latency)
        wait_longer(m->latency);
    return NEXT(clEnqueueNDRangeKernel)(queue, kernel, dimensions, offset, global, local, waits, wait, event);
}
