/* penta devices: what -d can name. */
#include <stdio.h>

#include "commands/commands.h"
#include "shared/json.h"

static json_t *describe(const penta_device *d, size_t index)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:i, s:I, s:I, s:I, s:b}", "index", (json_int_t)index, "name",
                     json_text(d->name), "vendor", json_text(d->vendor), "platform", json_text(d->platform), "type",
                     penta_device_type_name(d->type), "version", json_text(d->version), "driver", json_text(d->driver),
                     "compute_units", (int)d->compute_units, "memory", (json_int_t)d->memory, "max_allocation",
                     (json_int_t)d->max_allocation, "local_memory", (json_int_t)d->local_memory, "fp64", (int)d->fp64);
}

static int print_json(const penta_device *devices, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, describe(&devices[i], i));
    return json_print("devices", json_pack("{s:s, s:o}", "command", "devices", "devices", list));
}

static int print_table(const penta_device *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const penta_device *d = &devices[i];

        printf(
            "%zu: %s (%s)\n   platform %s, %s, driver %s\n   %u compute units, %.1f GiB memory, %s double precision\n",
            i, d->name, penta_device_type_name(d->type), d->platform, d->version, d->driver, d->compute_units,
            (double)d->memory / (1 << 30), d->fp64 ? "with" : "no");
    }
    return CLI_OK;
}

static int run(const cli_line *line, void *values)
{
    const cli_common *common = values;
    penta_device *devices = NULL;
    size_t count;
    int code;

    (void)line;
    if (penta_devices(&devices, &count) != PENTA_OK)
        return cli_fail_library("devices", NULL, false);
    if (common->json)
        code = print_json(devices, count);
    else if (count == 0)
        code = cli_fail("devices", CLI_ERROR,
                        "no OpenCL device found; install a driver: your GPU vendor's, or "
                        "pocl-opencl-icd for the CPU");
    else
        code = print_table(devices, count);
    penta_devices_free(devices);
    return code;
}

static const cli_section sections[] = {{"Flags", "devices", cli_common_table, NULL, 0, 0, "json", NULL},
                                       CLI_SECTIONS_END};

const cli_command penta_command_devices = {
    .name = "devices",
    .summary = "list the OpenCL devices",
    .usage = "",
    .about = "Lists the OpenCL devices; -d takes their index, part of a name, cpu or gpu.",
    .sections = sections,
    .size = sizeof(cli_common),
    .run = run};
