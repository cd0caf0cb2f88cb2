/* The compute units of a CPU device, divided among the members of a group that share it. */
#include <stdlib.h>

#include "core/internal.h"

static bool can_divide(cl_device_id device)
{
    cl_device_partition_property ways[16] = {0};
    size_t bytes = 0;

    if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &bytes) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < bytes / sizeof *ways; i++)
        if (ways[i] == CL_DEVICE_PARTITION_BY_COUNTS)
            return true;
    return false;
}

/* Compute units of part i of n: as even as can be, the first having one more. */
static size_t units_of(size_t units, size_t i, size_t n)
{
    return units / n + (i < units % n);
}

penta_status penta_sub_device(const penta_device_share *share, cl_device_id *out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    cl_device_id device = share->handle.device, *parts = NULL;
    size_t units = share->handle.info.compute_units, n = share->parts < units ? share->parts : units;
    cl_device_partition_property *counts = NULL;

    *out = NULL;
    if (n < 2 || share->handle.info.type != PENTA_DEVICE_CPU || !can_divide(device))
        return PENTA_OK;
    TRY(penta_calloc(ctx, n, sizeof *parts, &parts));
    TRY(penta_calloc(ctx, n + 3, sizeof *counts, &counts));
    counts[0] = CL_DEVICE_PARTITION_BY_COUNTS;
    for (size_t i = 0; i < n; i++)
        counts[1 + i] = (cl_device_partition_property)units_of(units, i, n);
    counts[1 + n] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
    CL_TRY(clCreateSubDevices(device, counts, (cl_uint)n, parts, NULL));
    for (size_t i = 0; i < n; i++)
        if (i == share->part % n) /* more members than compute units share one */
            *out = parts[i];
        else
            clReleaseDevice(parts[i]);
cleanup:
    free(parts);
    free(counts);
    return status;
}
