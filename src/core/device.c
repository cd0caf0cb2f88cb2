/* Enumerating devices. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

const char *penta_device_type_name(penta_device_type type)
{
    static const char *const names[] = {"gpu", "cpu", "other"};

    return type <= PENTA_DEVICE_OTHER ? names[type] : "other";
}

/* A string property without the padding that some drivers add. */
static penta_status device_text(cl_device_id device, cl_device_info what, char *out, size_t size)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    char text[1024] = "";
    size_t start = 0, end;

    CL_TRY(clGetDeviceInfo(device, what, sizeof text - 1, text, NULL));
    end = strlen(text);
    while (text[start] && isspace((unsigned char)text[start]))
        start++;
    while (end > start && isspace((unsigned char)text[end - 1]))
        text[--end] = 0;
    snprintf(out, size, "%s", text + start);
cleanup:
    return status;
}

static penta_status describe_texts(cl_device_id device, penta_device *info)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    cl_platform_id platform = NULL;

    TRY(device_text(device, CL_DEVICE_NAME, info->name, sizeof info->name));
    TRY(device_text(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor));
    TRY(device_text(device, CL_DEVICE_VERSION, info->version, sizeof info->version));
    TRY(device_text(device, CL_DRIVER_VERSION, info->driver, sizeof info->driver));
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CL_TRY(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform - 1, info->platform, NULL));
cleanup:
    return status;
}

penta_status penta_device_describe(cl_device_id device, penta_device *info)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    cl_device_type type = 0;
    cl_device_fp_config fp64 = 0;
    cl_uint units = 0;
    cl_ulong memory = 0, most = 0, local = 0;
    cl_int code;

    memset(info, 0, sizeof *info);
    TRY(describe_texts(device, info));
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    code = clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    if (code != CL_INVALID_VALUE) /* the answer of OpenCL 1.1 without the extension */
        CL_TRY_CODE(clGetDeviceInfo, code);
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    info->type = type & CL_DEVICE_TYPE_GPU   ? PENTA_DEVICE_GPU
                 : type & CL_DEVICE_TYPE_CPU ? PENTA_DEVICE_CPU
                                             : PENTA_DEVICE_OTHER;
    info->compute_units = units;
    info->fp64 = fp64 != 0;
    info->memory = memory;
    info->max_allocation = most;
    info->local_memory = local;
cleanup:
    return status;
}

/* Adds one platform's devices to the list. */
static penta_status add_platform(cl_platform_id platform, penta_device_handle **list, size_t *count)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    cl_uint found = 0;
    cl_device_id *devices = NULL;
    penta_device_handle *grown;

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &found) != CL_SUCCESS || found == 0)
        return PENTA_OK; /* a driver without a device is not an error */
    TRY(penta_calloc(ctx, found, sizeof *devices, &devices));
    CL_TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, devices, NULL));
    grown = realloc(*list, (*count + found) * sizeof **list);
    if (!grown) {
        status = penta_fail(ctx, PENTA_MEMORY, "out of host memory for the device list");
        goto cleanup;
    }
    *list = grown;
    for (cl_uint i = 0; i < found; i++) {
        penta_device_handle *handle = &(*list)[*count];

        handle->platform = platform;
        handle->device = devices[i];
        *count += penta_device_describe(devices[i], &handle->info) == PENTA_OK; /* others cannot be used */
    }
cleanup:
    free(devices);
    return status;
}

/* Under the lock of discovery. */
static penta_status list_devices(penta_device_handle **out, size_t *count)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    cl_uint found = 0;
    cl_platform_id *platforms = NULL;
    penta_device_handle *list = NULL;

    *out = NULL;
    *count = 0;
    /* The ICD loader answers CL_PLATFORM_NOT_FOUND_KHR when no driver is installed. */
    if (clGetPlatformIDs(0, NULL, &found) != CL_SUCCESS || found == 0)
        return PENTA_OK;
    TRY(penta_calloc(ctx, found, sizeof *platforms, &platforms));
    CL_TRY(clGetPlatformIDs(found, platforms, NULL));
    for (cl_uint i = 0; i < found; i++)
        TRY(add_platform(platforms[i], &list, count));
    *out = list;
    list = NULL;
cleanup:
    if (status != PENTA_OK)
        *count = 0;
    free(list);
    free(platforms);
    return status;
}

penta_status penta_device_handles(penta_device_handle **out, size_t *count)
{
    penta_status status;

    penta_discovery_lock();
    status = list_devices(out, count);
    penta_discovery_unlock();
    return status;
}

penta_status penta_devices(penta_device **devices, size_t *count)
{
    penta_status status = PENTA_OK;
    penta_device_handle *handles = NULL;
    penta_device *list = NULL;

    *devices = NULL;
    TRY(penta_device_handles(&handles, count));
    TRY(penta_calloc(NULL, *count, sizeof *list, &list));
    for (size_t i = 0; i < *count; i++)
        list[i] = handles[i].info;
    *devices = list;
cleanup:
    if (status != PENTA_OK)
        *count = 0;
    free(handles);
    return status;
}

void penta_devices_free(penta_device *devices)
{
    free(devices);
}

bool penta_is_cpu(const penta_context *ctx)
{
    return ctx->info.type == PENTA_DEVICE_CPU;
}

bool penta_is_nvidia(const penta_context *ctx)
{
    return ctx->nvidia;
}
