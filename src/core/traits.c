/* What OpenCL says of a device beyond penta_device. */
#include <string.h>

#include <pentacl/traits.h>

#include "core/internal.h"

/* Of cl_nv_device_attribute_query, cl_amd_device_attribute_query and cl_intel_required_subgroup_size. */
enum { WARP_SIZE_NV = 0x4003, WAVEFRONT_WIDTH_AMD = 0x4043, SUB_GROUP_SIZES_INTEL = 0x4108 };

static bool has_extension(cl_device_id device, const char *name)
{
    char list[8192] = "";
    size_t length = strlen(name);

    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof list - 1, list, NULL) != CL_SUCCESS)
        return false;
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

static void find_widths(cl_device_id device, size_t *widths)
{
    cl_uint width = 0;

    if (has_extension(device, "cl_intel_required_subgroup_size")) {
        size_t bytes = 0;

        if (clGetDeviceInfo(device, SUB_GROUP_SIZES_INTEL, PENTA_SIMD_WIDTHS * sizeof *widths, widths, &bytes) ==
            CL_SUCCESS)
            return;
        memset(widths, 0, PENTA_SIMD_WIDTHS * sizeof *widths);
    }
    if ((has_extension(device, "cl_nv_device_attribute_query") &&
         clGetDeviceInfo(device, WARP_SIZE_NV, sizeof width, &width, NULL) == CL_SUCCESS) ||
        (has_extension(device, "cl_amd_device_attribute_query") &&
         clGetDeviceInfo(device, WAVEFRONT_WIDTH_AMD, sizeof width, &width, NULL) == CL_SUCCESS))
        widths[0] = width;
}

void penta_context_traits(const penta_context *ctx, penta_device_traits *traits)
{
    penta_device_traits whole = {.size = traits->size, .largest_group = ctx->largest_group};
    cl_device_local_mem_type kind = CL_NONE;
    cl_bool images = CL_FALSE;
    cl_uint width = 0;

    find_widths(ctx->device, whole.simd_widths);
    if (clGetDeviceInfo(ctx->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width, NULL) == CL_SUCCESS)
        whole.vector_width = width;
    if (clGetDeviceInfo(ctx->device, CL_DEVICE_LOCAL_MEM_TYPE, sizeof kind, &kind, NULL) == CL_SUCCESS)
        whole.own_local_memory = kind == CL_LOCAL;
    if (clGetDeviceInfo(ctx->device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL) == CL_SUCCESS)
        whole.images = images;
    whole.sub_groups =
        has_extension(ctx->device, "cl_khr_subgroups") || has_extension(ctx->device, "cl_intel_subgroups");
    whole.double_is_off = ctx->has_double && !ctx->info.fp64;
    memcpy(traits, &whole, traits->size < sizeof whole ? traits->size : sizeof whole);
}
