/*
 * VkFFT's functions, with two of its calls led elsewhere. VkFFT 1.2.26 sets the locale of the whole process to "C"
 * while it writes its kernels; here the name it calls is another function, which does nothing, and the thread is in
 * that locale already. Its programs are compiled where ours are, so that they are kept like ours; its own way to save
 * them ends a binary at the first zero byte.
 */
#include "core/internal.h"

#include <locale.h>

static inline char *keep_locale(int category, const char *locale)
{
    (void)category;
    (void)locale;
    return NULL; /* so VkFFT finds nothing to restore */
}

enum { LOCAL_OF_CPUS = 1 << 17 };

/* Of the plan that is made now, under the lock. */
static penta_context *compiling;
static penta_status compiled;

static cl_program compile(cl_context context, cl_uint count, const char **text, const size_t *lengths, cl_int *code)
{
    cl_program program = NULL;

    (void)context;
    (void)count;
    (void)lengths; /* of texts that end in a zero, too */
    compiled = penta_program_compile(compiling, "VkFFT", text[0], "", &program);
    *code = compiled == PENTA_OK ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    return program;
}

static cl_int is_compiled(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                          void *notify, void *user)
{
    (void)program;
    (void)count;
    (void)devices;
    (void)options;
    (void)notify;
    (void)user;
    return CL_SUCCESS;
}

/* PoCL keeps what a work-group has in registers on the stack of its thread, 8 MB: a transform of 32768 complex doubles
 * in one group, for which its local memory is large enough, overflowed it. Of less local memory VkFFT makes more
 * passes. */
static cl_int device_info(cl_device_id device, cl_device_info name, size_t size, void *value, size_t *bytes)
{
    cl_int code = clGetDeviceInfo(device, name, size, value, bytes);

    if (code == CL_SUCCESS && name == CL_DEVICE_LOCAL_MEM_SIZE && penta_is_cpu(compiling) &&
        *(cl_ulong *)value > LOCAL_OF_CPUS)
        *(cl_ulong *)value = LOCAL_OF_CPUS;
    return code;
}

#define setlocale                 keep_locale
#define clGetDeviceInfo           device_info
#define clCreateProgramWithSource compile
#define clBuildProgram            is_compiled
#include "math/vkfft.h"
#undef setlocale
#undef clGetDeviceInfo
#undef clCreateProgramWithSource
#undef clBuildProgram

VkFFTResult vkfft_initialise(penta_context *ctx, VkFFTApplication *app, const VkFFTConfiguration *c,
                             penta_status *built)
{
    VkFFTResult code;

    compiling = ctx;
    compiled = PENTA_OK;
    code = initializeVkFFT(app, *c);
    *built = compiled;
    return code;
}

VkFFTResult vkfft_append(VkFFTApplication *app, bool inverse, VkFFTLaunchParams *params)
{
    return VkFFTAppend(app, inverse ? 1 : -1, params);
}

void vkfft_delete(VkFFTApplication *app)
{
    deleteVkFFT(app);
}
