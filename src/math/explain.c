/* What is chosen for a device whatever the workload. */
#include <stdio.h>

#include <pentacl/traits.h>

#include "core/internal.h"
#include "math/fft.h"

static void tell_local(penta_context *ctx, const penta_device_traits *t)
{
    char text[64];

    snprintf(text, sizeof text, "%llu KB", (unsigned long long)ctx->info.local_memory / 1024);
    penta_chose(ctx, "local memory", text, "%s",
                t->own_local_memory ? "memory of its own; kernels' tiles are made to fit"
                : penta_is_cpu(ctx) ? "a part of the memory, no faster; kernels for CPUs use none"
                                    : "a part of the memory, no faster; kernels use it all the same");
    snprintf(text, sizeof text, "up to %zu work-items", t->largest_group);
    penta_chose(ctx, "work-groups", text, "the driver's limit");
}

static void tell_simd(penta_context *ctx, const penta_device_traits *t)
{
    char text[128] = "not known";
    size_t used = 0;

    for (size_t i = 0; i < PENTA_SIMD_WIDTHS && t->simd_widths[i] && used < sizeof text - 24; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", i ? ", " : "", t->simd_widths[i]);
    penta_chose(ctx, "SIMD width", text, "%s",
                used ? "the driver says so; no portable kernel depends on it"
                     : "the driver does not say; no portable kernel needs it");
    penta_chose(ctx, "sub-groups", "not used", "%s",
                t->sub_groups ? "the driver has them, kernels work without" : "the driver does not have them");
    if (penta_is_nvidia(ctx)) {
        snprintf(text, sizeof text, "of compute capability %d.%d", ctx->compute_capability / 10,
                 ctx->compute_capability % 10);
        penta_chose(ctx, "instructions", text, "kernels use some of NVIDIA's own");
    }
}

static void tell_driver(penta_context *ctx)
{
    const penta_driver *d = ctx->driver;

    if (d && d->broken_for)
        penta_chose(ctx, "driver", ctx->takes_all ? "broken, taken as it is" : "broken", "%s; %s", d->what, d->instead);
    else if (ctx->takes_all)
        penta_chose(ctx, "driver", "taken as it is", "%s",
                    d ? "it was tested, see docs/devices.md" : "PENTACL_SELFTEST is never");
    else
        penta_chose(ctx, "driver", "tested by the first plan of a workload", "%s",
                    d ? "PENTACL_SELFTEST is always" : "it is none of those that were tested, see docs/devices.md");
}

void penta_context_explain(penta_context *ctx, penta_choice_fn fn, void *user)
{
    penta_choice_fn before = ctx->choice;
    void *before_user = ctx->choice_user;
    penta_device_traits traits = {.size = sizeof traits};

    if (!fn)
        return;
    penta_context_on_choice(ctx, fn, user);
    if (ctx->info.fp64)
        penta_chose(ctx, "double precision", "used", "the device has it");
    penta_context_traits(ctx, &traits);
    tell_local(ctx, &traits);
    tell_simd(ctx, &traits);
    penta_fft_tell(ctx, PENTA_FFT_AUTO, "");
    tell_driver(ctx);
    ctx->choice = before;
    ctx->choice_user = before_user;
}
