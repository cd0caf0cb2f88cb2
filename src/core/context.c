/* The context: one device, a compute queue and a transfer queue, and everything that lives as long as they do. */
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include <pentacl/version.h>

#include "core/internal.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *penta_version(void)
{
    return TEXT(PENTACL_VERSION_MAJOR) "." TEXT(PENTACL_VERSION_MINOR) "." TEXT(PENTACL_VERSION_PATCH);
}

/* Names of cl_nv_device_attribute_query. */
enum { CAPABILITY_MAJOR = 0x4000, CAPABILITY_MINOR = 0x4001 };

static int compute_capability(cl_device_id device)
{
    cl_uint major = 0, minor = 0;

    if (clGetDeviceInfo(device, CAPABILITY_MAJOR, sizeof major, &major, NULL) != CL_SUCCESS ||
        clGetDeviceInfo(device, CAPABILITY_MINOR, sizeof minor, &minor, NULL) != CL_SUCCESS)
        return 0;
    return (int)(10 * major + minor);
}

static bool is_nvidia(const penta_device *info)
{
    return strstr(info->platform, "NVIDIA") != NULL;
}

static void release_context(cl_context handle)
{
    if (!handle)
        return;
    penta_discovery_lock();
    clReleaseContext(handle);
    penta_discovery_unlock();
}

/* PoCL without a usable cache does not fail but ends the process at the first kernel. */
static penta_status check_cache(const penta_device *info)
{
    const char *fault = penta_kernel_cache_fault();

    if (*fault && strstr(info->platform, "Portable Computing Language"))
        return penta_fail(NULL, PENTA_DEVICE, "%s cannot be used: %s", info->name, fault);
    return PENTA_OK;
}

static void refuse_double(penta_context *ctx, const char *why)
{
    if (ctx->info.fp64)
        ctx->no_double_why = why;
    ctx->info.fp64 = false;
}

/* The caller keeps its references to the context and the device. why: how the device was chosen. */
static penta_status open_context(cl_context context, cl_device_id device, const char *why, penta_context **out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL, *made = NULL;
    cl_uint bits = 0;

    TRY(penta_calloc(NULL, 1, sizeof *made, &made));
    TRY(penta_device_describe(device, &made->info));
    TRY(check_cache(&made->info));
    made->has_double = made->info.fp64;
    if (!made->info.fp64)
        made->no_double_why = "the device has none";
    else if (getenv("PENTACL_FP64") && strcmp(getenv("PENTACL_FP64"), "never") == 0)
        refuse_double(made, "PENTACL_FP64 is never");
    snprintf(made->device_why, sizeof made->device_why, "%s", why);
    made->device = device;
    made->share_parts = 1;
    made->nvidia = is_nvidia(&made->info);
    made->compute_capability = made->nvidia ? compute_capability(device) : 0;
    CL_TRY(clRetainContext(context));
    made->handle = context;
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof made->platform, &made->platform, NULL));
    CL_TRY(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    CL_TRY(
        clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof made->largest_group, &made->largest_group, NULL));
    made->base_align = bits / 8 ? bits / 8 : 1;
    /* Driver 580 reads wrong addresses, or crashes at the release, once two sub-buffers of one buffer overlap. */
    made->has_parts = !made->nvidia;
    penta_driver_begin(made);
    made->self = made;
    status = penta_queues_use(made, false);
    if (status != PENTA_OK) {
        penta_fail(NULL, status, "%s", penta_last_error(made));
        goto cleanup;
    }
    *out = made;
    made = NULL;
cleanup:
    penta_context_destroy(made);
    return status;
}

/* ---- the compute units of a CPU device, divided among the members of a group that share it ---- */

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

/* The compute units of a member that shares a CPU device, as a sub-device to be released; NULL where the members share
 * the whole: another type, a driver that cannot divide it, or a single compute unit. Under the lock of discovery. */
static penta_status penta_sub_device(const penta_device_share *share, cl_device_id *out)
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

/* In place of the whole device, whose description stays: choices by the number of its units are those of the whole. */
static penta_status make_context(const penta_device_share *share, cl_device_id *part, cl_context *out)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = NULL;
    const cl_context_properties on[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)share->handle.platform, 0};
    cl_device_id device = share->handle.device;
    bool beside = is_nvidia(&share->handle.info); /* 0.1 s each, and any number at a time */
    cl_int code;

    if (!beside)
        penta_discovery_lock();
    TRY(penta_sub_device(share, part));
    if (*part)
        device = *part;
    *out = clCreateContext(on, 1, &device, NULL, NULL, &code);
    CL_TRY_CODE(clCreateContext, code);
cleanup:
    if (!beside)
        penta_discovery_unlock();
    return status;
}

static penta_status penta_context_open(const penta_device_share *share, const char *why, penta_context **out)
{
    penta_status status = PENTA_OK;
    cl_context handle = NULL;
    cl_device_id part = NULL;
    double began = penta_clock();

    *out = NULL;
    TRY(make_context(share, &part, &handle));
    TRY(open_context(handle, part ? part : share->handle.device, why, out));
    (*out)->found = share->found;
    (*out)->made = penta_clock() - began - (*out)->queued;
    (*out)->info.compute_units = share->handle.info.compute_units;
    (*out)->part = part;
    (*out)->share_index = share->index;
    (*out)->share_part = share->part;
    (*out)->share_parts = share->parts;
    part = NULL;
cleanup:
    release_context(handle);
    if (part)
        clReleaseDevice(part);
    return status;
}

penta_status penta_context_create(const char *selector, penta_context **out)
{
    penta_status status = PENTA_OK;
    penta_device_share chosen;
    char why[256] = "";

    *out = NULL;
    TRY(penta_device_select(selector, &chosen, why, sizeof why));
    TRY(penta_context_open(&chosen, why, out));
cleanup:
    return status;
}

/* ---- several devices, which open side by side ---- */

typedef struct opening {
    const penta_device_share *shares;
    const char *why;
    penta_context **contexts;
} opening;

static penta_status open_member(penta_group *group, void *data)
{
    const opening *all = data;
    size_t i = penta_group_rank(group);

    return penta_context_open(&all->shares[i], all->why, &all->contexts[i]);
}

penta_status penta_contexts_create(const char *list, penta_context ***out, size_t *count)
{
    penta_status status = PENTA_OK;
    penta_device_share *shares = NULL;
    penta_context **contexts = NULL;
    char why[256] = "";
    size_t n = 0;

    *out = NULL;
    *count = 0;
    TRY(penta_device_list(list, &shares, &n, why, sizeof why));
    TRY(penta_calloc(NULL, n, sizeof *contexts, &contexts));
    if (n == 1)
        TRY(penta_context_open(shares, why, contexts));
    else
        TRY(penta_group_threads(n, open_member, &(opening){shares, why, contexts}));
    *out = contexts;
    *count = n;
    contexts = NULL;
cleanup:
    penta_contexts_destroy(contexts, n);
    free(shares);
    return status;
}

penta_status penta_context_create_part(size_t index, size_t part, size_t parts, penta_context **out)
{
    penta_status status = PENTA_OK;
    penta_device_share chosen;
    char number[24], why[256] = "";

    *out = NULL;
    snprintf(number, sizeof number, "%zu", index);
    if (part >= parts) {
        status = penta_fail(NULL, PENTA_INVALID, "part %zu of %zu of a device", part, parts);
        goto cleanup;
    }
    TRY(penta_device_select(number, &chosen, why, sizeof why));
    snprintf(why, sizeof why, "this process has part %zu of %zu of it", part + 1, parts);
    chosen.part = part;
    chosen.parts = parts;
    TRY(penta_context_open(&chosen, parts > 1 ? why : "it is this process's turn to have it", out));
cleanup:
    return status;
}

void penta_contexts_destroy(penta_context **contexts, size_t count)
{
    for (size_t i = 0; contexts && i < count; i++)
        penta_context_destroy(contexts[i]);
    free(contexts);
}

void penta_context_share(const penta_context *ctx, size_t *index, size_t *part, size_t *parts)
{
    *index = ctx->share_index;
    *part = ctx->share_part;
    *parts = ctx->share_parts;
}

penta_status penta_context_from_opencl(cl_context context, cl_device_id device, penta_context **out)
{
    *out = NULL;
    return open_context(context, device, "it is that of the program's OpenCL context", out);
}

static void release_slot(penta_context *ctx, penta_pinned *p)
{
    if (p->event)
        clReleaseEvent(p->event);
    if (p->host)
        clEnqueueUnmapMemObject(ctx->queue[PENTA_QUEUE_TRANSFER], p->mem, p->host, 0, NULL, NULL);
    if (p->mem)
        clReleaseMemObject(p->mem);
}

void penta_context_destroy(penta_context *ctx)
{
    if (!ctx)
        return;
    for (int i = 0; i < PENTA_QUEUES; i++)
        if (ctx->queue[i])
            clFinish(ctx->queue[i]);
    penta_driver_end(ctx);
    penta_arrays_forget(ctx);
    for (size_t i = 0; i < PENTA_STAGING_SLOTS; i++)
        release_slot(ctx, &ctx->staging[i]);
    penta_pinned_forget(ctx);
    penta_profile_forget(ctx);
    for (size_t i = 0; i < ctx->entry_count; i++)
        free((char *)ctx->entries[i].name);
    free(ctx->entries);
    free(ctx->timings);
    if (ctx->release_programs)
        ctx->release_programs(ctx);
    penta_queues_release(ctx);
    release_context(ctx->handle);
    if (ctx->part)
        clReleaseDevice(ctx->part);
    penta_forget_failure(ctx);
    free(ctx->error);
    free(ctx);
}

const penta_device *penta_context_device(const penta_context *ctx)
{
    return &ctx->info;
}

cl_context penta_opencl_context(const penta_context *ctx)
{
    return ctx->handle;
}

cl_device_id penta_opencl_device(const penta_context *ctx)
{
    return ctx->device;
}

cl_command_queue penta_opencl_queue(const penta_context *ctx)
{
    if (!ctx->shown)
        (void)penta_queues_use(ctx->self, true);
    ctx->self->shown = true;
    return ctx->queue[PENTA_QUEUE_COMPUTE];
}

void penta_context_without_double(penta_context *ctx)
{
    bool had = ctx->info.fp64;

    refuse_double(ctx, "the program asks for that (`fp64` never)");
    if (had)
        penta_chose(ctx, "double precision", "not used", "%s", ctx->no_double_why);
}

penta_status penta_require_double(penta_context *ctx, const char *what)
{
    if (!ctx->info.fp64)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%s double precision, which %s does not have", what, ctx->info.name);
    return PENTA_OK;
}

size_t penta_split_units(const penta_context *ctx)
{
    enum { OF_A_CPU = 16 };

    return penta_is_cpu(ctx) ? OF_A_CPU : ctx->info.compute_units;
}

size_t penta_largest_group(const penta_context *ctx)
{
    return ctx->largest_group;
}

int penta_compute_capability(const penta_context *ctx)
{
    return ctx->compute_capability;
}

void penta_context_set_progress(penta_context *ctx, penta_progress callback, void *user)
{
    ctx->progress = callback;
    ctx->progress_user = user;
    ctx->progress_done = ctx->progress_total = 0;
}

penta_status penta_report_progress(penta_context *ctx, double done, double total)
{
    ctx->progress_done = done;
    ctx->progress_total = total;
    if (ctx->progress && ctx->progress(ctx->progress_user, done, total))
        return penta_fail(ctx, PENTA_CANCELLED, "cancelled after %.0f of %.0f", done, total);
    return PENTA_OK;
}

penta_status penta_ask_progress(penta_context *ctx)
{
    return penta_report_progress(ctx, ctx->progress_done, ctx->progress_total);
}

typedef struct {
    penta_context *ctx;
    pthread_t caller;
    void (*body)(void *data, size_t i);
    void *data;
    penta_status status;
} watched;

static bool do_watched(void *data, size_t i)
{
    watched *w = data;

    if (pthread_equal(pthread_self(), w->caller) && (w->status = penta_ask_progress(w->ctx)) != PENTA_OK)
        return false;
    w->body(w->data, i);
    return true;
}

penta_status penta_parallel_watched(penta_context *ctx, size_t count, void (*body)(void *data, size_t i), void *data)
{
    watched w = {ctx, pthread_self(), body, data, PENTA_OK};

    if (ctx && (w.status = penta_ask_progress(ctx)) == PENTA_OK) /* others may take all pieces */
        penta_parallel_until(count, do_watched, &w);
    else if (!ctx)
        penta_parallel(count, body, data);
    return w.status;
}

penta_status penta_finish(penta_context *ctx)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < PENTA_QUEUES; i++)
        CL_TRY(clFinish(ctx->queue[i]));
cleanup:
    return status;
}

void penta_settle(penta_context *ctx)
{
    for (int i = 0; i < PENTA_QUEUES; i++)
        clFinish(ctx->queue[i]);
}
