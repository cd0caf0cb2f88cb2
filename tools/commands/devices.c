/* penta devices: what -d can name. */
#include <stdio.h>

#include <pentacl/cache.h>
#include "commands/commands.h"
#include "commands/device_details.h"
#include "shared/answer.h"
#include "shared/json.h"
#include "shared/ranks.h"

static const char *form_of(const penta_device *d)
{
    return d->type == PENTA_DEVICE_CPU ? "cpu" : "gpu";
}

static json_t *describe(const penta_device *d, size_t index)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:i, s:I, s:I, s:I, s:b, s:s, s:s}", "index",
                     (json_int_t)index, "name", json_text(d->name), "vendor", json_text(d->vendor), "platform",
                     json_text(d->platform), "type", penta_device_type_name(d->type), "version", json_text(d->version),
                     "driver", json_text(d->driver), "compute_units", (int)d->compute_units, "memory",
                     (json_int_t)d->memory, "max_allocation", (json_int_t)d->max_allocation, "local_memory",
                     (json_int_t)d->local_memory, "fp64", (int)d->fp64, "form", form_of(d), "programs_kept_by",
                     penta_cache_keeper(d));
}

static int answer(const penta_device *devices, size_t count, bool details)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *device = describe(&devices[i], i);

        if (details)
            json_object_update_new(device, device_details(i));
        json_array_append_new(list, device);
    }
    answer_add(json_pack("{s:o}", "devices", list));
    return CLI_OK;
}

static int print_table(const penta_device *devices, size_t count, bool details)
{
    for (size_t i = 0; i < count; i++) {
        const penta_device *d = &devices[i];

        printf(
            "%zu: %s (%s)\n   platform %s, %s, driver %s\n   %u compute units, %.1f GiB memory, %s double precision\n",
            i, d->name, penta_device_type_name(d->type), d->platform, d->version, d->driver, d->compute_units,
            (double)d->memory / (1 << 30), d->fp64 ? "with" : "no");
        if (details)
            device_print_details(i);
    }
    return CLI_OK;
}

/* ---- under mpirun: which rank has which device ---- */

static json_t *describe_rank(size_t rank, const rank_place *p)
{
    return json_pack("{s:I, s:o, s:o, s:I, s:I, s:I}", "rank", (json_int_t)rank, "host", json_text(p->host), "device",
                     json_text(p->device), "index", (json_int_t)p->index, "part", (json_int_t)p->part, "parts",
                     (json_int_t)p->parts);
}

static void print_rank(size_t rank, const rank_place *p)
{
    char of[64] = "";

    if (p->parts > 1)
        snprintf(of, sizeof of, ", part %zu of %zu", p->part + 1, p->parts);
    printf("rank %zu: %s, device %zu%s: %s (%s)\n", rank, p->host, p->index, of, p->device,
           penta_device_type_name((penta_device_type)p->type));
}

/* The devices themselves are those of rank 0's machine. */
static int tell_ranks(const cli_common *common, int code)
{
    json_t *list = common->json ? json_array() : NULL;

    code = ranks_agree(code);
    code = code != CLI_OK ? code : ranks_open_device("devices", NULL, common->verbose, NULL);
    for (size_t i = 0; code == CLI_OK && i < ranks_size(); i++) {
        if (list)
            json_array_append_new(list, describe_rank(i, &ranks_places()[i]));
        else
            print_rank(i, &ranks_places()[i]);
    }
    if (list && code == CLI_OK)
        answer_add(json_pack("{s:O}", "allocation", list));
    json_decref(list);
    return code;
}

static int run(const cli_line *line, void *values)
{
    const cli_common *common = values;
    penta_device *devices = NULL;
    size_t count;
    int code;

    (void)line;
    if (penta_devices(&devices, &count) != PENTA_OK)
        return cli_fail_library("devices", NULL, common->verbose);
    if (common->json)
        code = answer(devices, count, common->verbose);
    else if (count == 0)
        code = cli_fail("devices", CLI_ERROR, "no OpenCL device found; %s",
                        *penta_kernel_cache_note() ? penta_kernel_cache_note()
                                                   : "install a driver: your GPU vendor's, or "
                                                     "pocl-opencl-icd for the CPU");
    else
        code = print_table(devices, count, common->verbose);
    penta_devices_free(devices);
    return ranks_size() > 1 ? tell_ranks(common, code) : code;
}

static const cli_section sections[] = {{"Flags", "devices", cli_common_table, NULL, 0, 0, "json verbose color", NULL},
                                       CLI_SECTIONS_END};

const cli_command penta_command_devices = {
    .name = "devices",
    .summary = "list the OpenCL devices",
    .usage = "",
    .about = "Lists the OpenCL devices; -d takes their index, part of a name, cpu or gpu. With -v each device is "
             "opened: what is chosen for it and why, and how fast its double precision is, which takes some seconds a "
             "device. Under mpirun the devices are those of rank 0's machine, and a line for each rank says which it "
             "has.",
    .sections = sections,
    .size = sizeof(cli_common),
    .run = run,
    .ranks = CLI_RANKS_ALL};
