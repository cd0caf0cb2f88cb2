/* The choices that belong to a context, which are told to a listener as soon as there is one. */
#include <stdio.h>

#include "core/internal.h"
#include "core/program_cache.h"

static void tell_device(penta_context *ctx)
{
    const penta_device *d = &ctx->info;
    bool cpu = d->type == PENTA_DEVICE_CPU;
    char text[sizeof d->name + sizeof d->platform + 16];

    snprintf(text, sizeof text, "%s (%s, %s)", d->name, penta_device_type_name(d->type), d->platform);
    penta_chose(ctx, "device", text, "%s", ctx->device_why);
    penta_chose(ctx, "kernels", cpu ? "in the form for a CPU" : "in the form for a GPU", "the device is %s",
                cpu ? "a CPU" : "no CPU");
    if (ctx->no_double_why)
        penta_chose(ctx, "double precision", "not used", "%s", ctx->no_double_why);
}

/* Where the start has gone so far. */
static void tell_start(penta_context *ctx)
{
    char text[64];

    penta_snprintf(text, sizeof text, "%.1f ms", 1e3 * (ctx->found + ctx->made + ctx->queued));
    penta_chose(ctx, "opening", text, "platforms and devices %.1f ms, context %.1f ms, queues %.1f ms",
                1e3 * ctx->found, 1e3 * ctx->made, 1e3 * ctx->queued);
    if (ctx->built + ctx->kept == 0)
        return;
    penta_snprintf(text, sizeof text, "%.1f ms", 1e3 * ctx->building_took);
    penta_chose(ctx, "programs", text,
                "%zu built, or found in the driver's own cache, and %zu loaded from that of penta", ctx->built,
                ctx->kept);
}

void penta_context_on_choice(penta_context *ctx, penta_choice_fn fn, void *user)
{
    ctx->choice = fn;
    ctx->choice_user = user;
    if (!fn)
        return;
    tell_device(ctx);
    penta_cache_tell(ctx);
    tell_start(ctx);
}
