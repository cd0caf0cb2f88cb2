/*
 * penta-bench-bare PLATFORM NAME [INDEX]: what OpenCL itself costs a program on this device, from its start to its end.
 * It links the OpenCL loader and nothing else. `penta bench --job` times it beside the command.
 *
 * INDEX, of all devices of all platforms from 0, is taken where it is a number, and only where that device has this
 * name: machines have several devices of one name.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

enum { MOST = 64, NAME = 1024 };

static const char *source = "__kernel void set(__global int *out) { *out = 42; }";

static void must(const char *what, cl_int code)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "penta-bench-bare: error: %s gives %d\n", what, (int)code);
    exit(1);
}

/* Counts devices on; found: the first that fits. */
static void look_through(cl_platform_id platform, char *const *words, const char *index, long *count,
                         cl_device_id *found)
{
    cl_device_id devices[MOST];
    cl_uint n = 0;
    char name[NAME] = "";

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST, devices, &n) != CL_SUCCESS)
        return;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    for (cl_uint i = 0; i < n && i < MOST; i++, ++*count) {
        char other[NAME] = "";

        clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof other, other, NULL);
        if (!*found && strcmp(name, words[1]) == 0 && strcmp(other, words[2]) == 0 &&
            (!index || *count == strtol(index, NULL, 10)))
            *found = devices[i];
    }
}

static cl_device_id find_device(int argc, char *const *words)
{
    const char *index = argc > 3 && strspn(words[3], "0123456789") == strlen(words[3]) ? words[3] : NULL;
    cl_platform_id platforms[MOST];
    cl_device_id found = NULL;
    cl_uint n = 0;
    long count = 0;

    must("clGetPlatformIDs", clGetPlatformIDs(MOST, platforms, &n));
    for (cl_uint i = 0; i < n && i < MOST; i++)
        look_through(platforms[i], words, index, &count, &found);
    if (!found)
        must(words[2], CL_DEVICE_NOT_FOUND);
    return found;
}

static int run(cl_context context, cl_device_id device)
{
    const size_t one = 1;
    cl_int code, answer = 0;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;

    must("clCreateCommandQueue", code);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    must("clCreateProgramWithSource", code);
    must("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "set", &code);
    must("clCreateKernel", code);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof answer, NULL, &code);
    must("clCreateBuffer", code);
    must("clSetKernelArg", clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer));
    must("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    must("clEnqueueReadBuffer", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof answer, &answer, 0, NULL, NULL));
    must("clFinish", clFinish(queue));
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    return answer == 42 ? 0 : 1;
}

int main(int argc, char **argv)
{
    cl_device_id device;
    cl_context context;
    cl_int code;
    int result;

    if (argc < 3) {
        fprintf(stderr, "usage: penta-bench-bare PLATFORM NAME [INDEX]\n");
        return 2;
    }
    device = find_device(argc, argv);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must("clCreateContext", code);
    result = run(context, device);
    clReleaseContext(context);
    return result;
}
