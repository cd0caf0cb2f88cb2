/* The drivers that were tried, with what came out: docs/development/testing.md. */
#include <stdatomic.h>
#include <string.h>

#include <pentacl/traits.h>

#include "core/folders.h"
#include "core/internal.h"

static const penta_driver drivers[] = {
    {.platform = "NVIDIA CUDA", .version = "", .form = -1},
    {.platform = "Portable Computing Language", .version = "3.", .form = PENTA_DEVICE_CPU},
    {.platform = "Portable Computing Language", .version = "5.", .form = PENTA_DEVICE_CPU, .mixes_contexts = true},
    {.platform = "Portable Computing Language", .version = "6.", .form = PENTA_DEVICE_CPU},
    {.platform = "Portable Computing Language",
     .version = "5.",
     .form = PENTA_DEVICE_GPU,
     .broken_for = " stars ",
     .what = "it compiles stars_slots_draw wrongly",
     .unoptimised = "optmap/shift_" /* optmap_shift_near, and others with what they share */,
     .mixes_contexts = true,
     .instead = "take PoCL 3.1 or 6, or the vendor's own driver"},
    {.platform = "Intel(R) OpenCL", .version = "", .form = PENTA_DEVICE_CPU},
    /* Of CPUs; that of GPUs is "Intel(R) OpenCL Graphics". Of values that differ between the work-items of a group some
       are those of one work-item after a barrier: docs/development/testing.md. */
    {.platform = "Intel(R) OpenCL", .whole_name = true, .version = "", .form = PENTA_DEVICE_GPU, .unoptimised = ""},
    {.platform = "Oclgrind", .version = "", .form = -1}, /* a simulator, in which the tests would take hours */
};

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_platform(const char *name, const penta_driver *d)
{
    return d->whole_name ? strcmp(name, d->platform) == 0 : begins(name, d->platform);
}

const penta_driver *penta_driver_find(const penta_device *device)
{
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        const penta_driver *d = &drivers[i];

        if (is_platform(device->platform, d) && begins(device->driver, d->version) &&
            (d->form < 0 || d->form == (int)device->type))
            return d;
    }
    return NULL;
}

bool penta_driver_needs_unoptimised(const penta_context *ctx, const char *file)
{
    const penta_driver *d = penta_driver_find(&ctx->info);

    return d && d->unoptimised && begins(file, d->unoptimised);
}

static bool wishes(const char *what)
{
    const char *wish = penta_environment("PENTACL_SELFTEST");

    return wish && strcmp(wish, what) == 0;
}

/* ---- contexts beside each other ---- */

enum { BESIDE = 64 }; /* contexts that can be told apart */

static atomic_uint_least64_t beside; /* a bit for each number that a context has */

static int take_number(void)
{
    for (int i = 0; i < BESIDE; i++)
        if (!(atomic_fetch_or(&beside, UINT64_C(1) << i) >> i & 1))
            return i + 1;
    return 0;
}

void penta_driver_end(penta_context *ctx)
{
    if (ctx->beside > 0)
        atomic_fetch_and(&beside, ~(UINT64_C(1) << (ctx->beside - 1)));
    ctx->beside = 0;
}

/* The first context has the kernels that are there already. */
int penta_driver_own_kernels(const penta_context *ctx)
{
    return ctx->beside > 1 ? ctx->beside : 0;
}

void penta_driver_begin(penta_context *ctx)
{
    ctx->driver = penta_driver_find(&ctx->info);
    if (ctx->beside == 0 && ctx->driver && ctx->driver->mixes_contexts)
        ctx->beside = take_number();
    ctx->takes_all = wishes("never") || (ctx->driver && !ctx->driver->broken_for && !wishes("always"));
}

const char *penta_driver_state(const penta_context *ctx)
{
    if (!ctx->driver)
        return "unknown";
    return ctx->driver->broken_for ? "broken" : "tested";
}
