/* What the masked device says of itself. */
#include "devices/mask.h"

#include <stdint.h>
#include <string.h>

enum { LAST_QUERY_OF_12 = 0x1049, FIRST_EXTENDED_QUERY = 0x1100, SHARES = 4 };

static void lower(void *value, size_t size, uint64_t most)
{
    for (size_t i = 0; i < size / sizeof(size_t); i++)
        if (((size_t *)value)[i] > most)
            ((size_t *)value)[i] = most;
}

/* Blanks every word of the list that begins so. */
static void hide(char *list, const char *beginning)
{
    for (char *at = list; (at = strstr(at, beginning));)
        if (at == list || at[-1] == ' ')
            for (; *at && *at != ' '; at++)
                *at = ' ';
        else
            at++;
}

/* "OpenCL 3.0 ...", "OpenCL C 3.0 ...": the number is behind the words. */
static void write_version(char *text, const char *words)
{
    if (strncmp(text, words, strlen(words)) == 0)
        memcpy(text + strlen(words), "1.2", 3);
}

static void answer_size(cl_device_info what, size_t size, void *value)
{
    const mask_settings *m = mask();

    if (m->group && (what == CL_DEVICE_MAX_WORK_GROUP_SIZE || what == CL_DEVICE_MAX_WORK_ITEM_SIZES))
        lower(value, size, m->group);
    if (m->local && what == CL_DEVICE_LOCAL_MEM_SIZE)
        lower(value, size, m->local);
    if (m->alloc && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
        lower(value, size, m->alloc);
    if (m->alloc && what == CL_DEVICE_GLOBAL_MEM_SIZE)
        lower(value, size, SHARES * m->alloc);
}

static void answer_without_double(cl_device_info what, size_t size, void *value)
{
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG || what == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE ||
        what == CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE)
        memset(value, 0, size);
    if (what == CL_DEVICE_EXTENSIONS)
        hide(value, "cl_khr_fp64");
}

static void answer_as_12(cl_device_info what, void *value)
{
    if (what == CL_DEVICE_VERSION)
        write_version(value, "OpenCL ");
    if (what == CL_DEVICE_OPENCL_C_VERSION)
        write_version(value, "OpenCL C ");
    if (what == CL_DEVICE_EXTENSIONS) {
        hide(value, "cl_khr_subgroup");
        hide(value, "cl_khr_il_program");
        hide(value, "cl_khr_command_buffer");
        hide(value, "cl_khr_extended_versioning");
        hide(value, "cl_ext_");
    }
}

static bool is_of_images(cl_device_info what)
{
    return what == CL_DEVICE_IMAGE_SUPPORT || what == CL_DEVICE_MAX_SAMPLERS || what == CL_DEVICE_MAX_READ_IMAGE_ARGS ||
           what == CL_DEVICE_MAX_WRITE_IMAGE_ARGS ||
           (what >= CL_DEVICE_IMAGE2D_MAX_WIDTH && what <= CL_DEVICE_IMAGE3D_MAX_DEPTH);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *got)
{
    const mask_settings *m = mask();
    size_t bytes = 0;
    cl_int code;

    if (m->cl12 && what > LAST_QUERY_OF_12 && what < FIRST_EXTENDED_QUERY)
        return CL_INVALID_VALUE;
    code = NEXT(clGetDeviceInfo)(device, what, size, value, &bytes);
    if (got)
        *got = bytes;
    if (code != CL_SUCCESS || !value)
        return code;
    if (m->gpu && what == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    answer_size(what, bytes, value);
    if (m->nofp64)
        answer_without_double(what, bytes, value);
    if (m->noimages && is_of_images(what))
        memset(value, 0, bytes);
    if (m->cl12)
        answer_as_12(what, value);
    return code;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *got)
{
    const mask_settings *m = mask();
    cl_int code;

    if (m->cl12 && what > CL_PLATFORM_EXTENSIONS && what < CL_PLATFORM_EXTENSIONS + 4)
        return CL_INVALID_VALUE;
    code = NEXT(clGetPlatformInfo)(platform, what, size, value, got);
    if (m->cl12 && code == CL_SUCCESS && value && what == CL_PLATFORM_VERSION)
        write_version(value, "OpenCL ");
    return code;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
                                void *value, size_t *got)
{
    const mask_settings *m = mask();
    cl_int code = NEXT(clGetKernelWorkGroupInfo)(kernel, device, what, size, value, got);

    if (m->group && code == CL_SUCCESS && value && what == CL_KERNEL_WORK_GROUP_SIZE)
        lower(value, sizeof(size_t), m->group);
    return code;
}
