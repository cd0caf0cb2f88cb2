/*
 * Between a program and OpenCL (LD_PRELOAD): every device says that it is a GPU with the limits of AMD's, the smallest
 * of the devices that tools/vendors compiles for, so that plans take the forms of kernels for GPUs. With
 * PENTA_DRESS_IDLE=1 no kernel runs: programs are built, results are nothing.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>

enum { LARGEST_GROUP = 256, LOCAL_BYTES = 64 << 10 };

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *got)
{
    cl_int (*next)(cl_device_id, cl_device_info, size_t, void *, size_t *) = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    cl_int code = next(device, what, size, value, got);

    if (code != CL_SUCCESS || !value)
        return code;
    if (what == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        *(size_t *)value = LARGEST_GROUP;
    if (what == CL_DEVICE_LOCAL_MEM_SIZE)
        *(cl_ulong *)value = LOCAL_BYTES;
    if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        for (size_t i = 0; i < size / sizeof(size_t); i++)
            ((size_t *)value)[i] = LARGEST_GROUP;
    return code;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
                                void *value, size_t *got)
{
    cl_int (*next)(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *) =
        dlsym(RTLD_NEXT, "clGetKernelWorkGroupInfo");
    cl_int code = next(kernel, device, what, size, value, got);

    if (code == CL_SUCCESS && value && what == CL_KERNEL_WORK_GROUP_SIZE && *(size_t *)value > LARGEST_GROUP)
        *(size_t *)value = LARGEST_GROUP;
    return code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                              cl_event *event)
{
    cl_int (*next)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *) = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");

    if (getenv("PENTA_DRESS_IDLE"))
        return clEnqueueMarkerWithWaitList(queue, waits, wait, event);
    return next(queue, kernel, dimensions, offset, global, local, waits, wait, event);
}
