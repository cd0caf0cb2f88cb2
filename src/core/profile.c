/* Time per kernel and transfer, from event times. Events are kept until the profile is read, or until many have
 * accumulated. */
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

enum { COLLECT_AT = 4096 };

static penta_status find_entry(penta_context *ctx, const char *name, bool transfer, size_t *found)
{
    penta_status status = PENTA_OK;
    penta_profile_entry *grown;
    size_t room;
    char *copy = NULL;

    for (size_t i = 0; i < ctx->entry_count; i++)
        if (strcmp(ctx->entries[i].name, name) == 0) {
            *found = i;
            return PENTA_OK;
        }
    if (ctx->entry_count == ctx->entry_room) {
        room = ctx->entry_room ? 2 * ctx->entry_room : 16;
        grown = realloc(ctx->entries, room * sizeof *grown);
        if (!grown)
            return penta_fail(ctx, PENTA_MEMORY, "out of host memory for the profile");
        ctx->entries = grown;
        ctx->entry_room = room;
    }
    TRY(penta_calloc(ctx, strlen(name) + 1, 1, &copy));
    strcpy(copy, name);
    *found = ctx->entry_count++;
    ctx->entries[*found] = (penta_profile_entry){.name = copy, .transfer = transfer};
cleanup:
    return status;
}

static void forget(penta_timing *t)
{
    if (t->event)
        clReleaseEvent(t->event);
    if (t->begin)
        clReleaseEvent(t->begin);
}

static cl_ulong stamp(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;

    clGetEventProfilingInfo(event, what, sizeof time, &time, NULL);
    return time;
}

/* Waits for the noted events, reads their times and releases them. */
static void collect(penta_context *ctx)
{
    for (int i = 0; i < PENTA_QUEUES; i++)
        clFinish(ctx->queue[i]);
    for (size_t i = 0; i < ctx->timing_count; i++) {
        penta_timing *t = &ctx->timings[i];
        penta_profile_entry *entry = &ctx->entries[t->entry];
        cl_ulong from =
            stamp(t->begin ? t->begin : t->event, t->begin ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START);
        cl_ulong to = stamp(t->event, CL_PROFILING_COMMAND_END);

        entry->calls++;
        entry->bytes += t->bytes;
        if (to > from)
            entry->seconds += (double)(to - from) * 1e-9;
        forget(t);
    }
    ctx->timing_count = 0;
}

penta_status penta_profile_add(penta_context *ctx, const char *name, bool transfer, uint64_t bytes, cl_event begin,
                               cl_event event)
{
    penta_status status = PENTA_OK;
    penta_timing timing = {.event = event, .begin = begin, .bytes = bytes};
    penta_timing *grown;
    size_t room;

    TRY(find_entry(ctx, name, transfer, &timing.entry));
    if (!ctx->timed) {
        ctx->entries[timing.entry].calls++;
        ctx->entries[timing.entry].bytes += bytes;
        goto cleanup;
    }
    if (ctx->timing_count >= COLLECT_AT)
        collect(ctx);
    if (ctx->timing_count == ctx->timing_room) {
        room = ctx->timing_room ? 2 * ctx->timing_room : 64;
        grown = realloc(ctx->timings, room * sizeof *grown);
        if (!grown) {
            status = penta_fail(ctx, PENTA_MEMORY, "out of host memory for the profile");
            goto cleanup;
        }
        ctx->timings = grown;
        ctx->timing_room = room;
    }
    ctx->timings[ctx->timing_count++] = timing;
    timing = (penta_timing){0};
cleanup:
    forget(&timing);
    return status;
}

/* Where the driver has no such queues times stay 0. */
static void take_times(penta_context *ctx, bool wanted)
{
    ctx->paused = !wanted;
    if (!ctx->shown)
        (void)penta_queues_use(ctx, wanted);
}

size_t penta_profile(penta_context *ctx, const penta_profile_entry **entries)
{
    collect(ctx);
    if (!ctx->paused)
        take_times(ctx, true);
    *entries = ctx->entries;
    return ctx->entry_count;
}

void penta_profile_reset(penta_context *ctx)
{
    penta_profile_forget(ctx);
    take_times(ctx, true);
}

void penta_profile_pause(penta_context *ctx)
{
    collect(ctx);
    take_times(ctx, false);
}

void penta_profile_forget(penta_context *ctx)
{
    for (size_t i = 0; i < ctx->timing_count; i++)
        forget(&ctx->timings[i]);
    ctx->timing_count = 0;
    for (size_t i = 0; i < ctx->entry_count; i++)
        ctx->entries[i] = (penta_profile_entry){.name = ctx->entries[i].name, .transfer = ctx->entries[i].transfer};
}

double penta_profile_seconds(penta_context *ctx, bool kernels, bool transfers)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (entries[i].transfer ? transfers : kernels)
            sum += entries[i].seconds;
    return sum;
}
