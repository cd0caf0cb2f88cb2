/* The drivers that were tried, with what came out: docs/devices.md. */
#include <string.h>

#include "core/internal.h"

static const penta_driver drivers[] = {
    {.platform = "NVIDIA CUDA", .version = "", .form = -1},
    {.platform = "Portable Computing Language", .version = "3.", .form = PENTA_DEVICE_CPU},
    {.platform = "Portable Computing Language", .version = "5.", .form = PENTA_DEVICE_CPU},
    {.platform = "Portable Computing Language", .version = "6.", .form = PENTA_DEVICE_CPU},
    {.platform = "Portable Computing Language",
     .version = "5.",
     .form = PENTA_DEVICE_GPU,
     .broken_for = " stars optmap ",
     .what = "it compiles stars_slots_draw and optmap_shift_near wrongly",
     .instead = "take PoCL 3.1 or 6, or the vendor's own driver"},
    {.platform = "Intel(R) OpenCL", .version = "", .form = PENTA_DEVICE_CPU},
    {.platform = "Oclgrind", .version = "", .form = -1}, /* a simulator, in which the tests would take hours */
};

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

const penta_driver *penta_driver_find(const penta_device *device)
{
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        const penta_driver *d = &drivers[i];

        if (begins(device->platform, d->platform) && begins(device->driver, d->version) &&
            (d->form < 0 || d->form == (int)device->type))
            return d;
    }
    return NULL;
}
