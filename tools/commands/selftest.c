/* penta selftest: the known-answer test of every workload on one device. */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "shared/answer.h"
#include "shared/building.h"
#include "shared/json.h"

/* Appends a row to results. */
static bool test_one(penta_context *ctx, const penta_workload *w, const cli_common *common, json_t *results)
{
    double start = cli_seconds();
    penta_status status = penta_workload_selftest(w, ctx);
    double seconds = cli_seconds() - start;
    const char *text = status == PENTA_OK ? "" : penta_last_error(ctx);
    int length = (int)strcspn(text, "\n");
    char line[1024];

    snprintf(line, sizeof line, "%.*s", length, text);
    if (!common->json)
        printf("%-10s %s  %.2f s%s%.*s\n", penta_workload_name(w), status == PENTA_OK ? "ok    " : "FAILED", seconds,
               length ? "  " : "", length, text);
    json_array_append_new(results, json_pack("{s:s, s:b, s:o, s:f}", "workload", penta_workload_name(w), "ok",
                                             (int)(status == PENTA_OK), "error", json_text(line), "seconds", seconds));
    return status == PENTA_OK;
}

static int run_all(penta_context *ctx, const cli_common *common)
{
    const penta_device *d = penta_context_device(ctx);
    json_t *results = json_array();
    size_t count = 0, failed = 0;

    if (!common->json)
        printf("%s (%s)\n", d->name, d->platform);
    for (; penta_workload_at(count); count++)
        failed += !test_one(ctx, penta_workload_at(count), common, results);
    answer_add(json_pack("{s:b, s:o}", "ok", (int)(failed == 0), "workloads", results));
    if (failed == 0)
        return CLI_OK;
    return common->json ? cli_fail("selftest", CLI_ERROR, "%zu of %zu workloads failed", failed, count) : CLI_ERROR;
}

static int run(const cli_line *line, void *values)
{
    const cli_common *common = values;
    const double start = cli_seconds();
    penta_context *ctx = NULL;
    building *line_of_kernels;
    int code;

    (void)line;
    code = cli_open_device("selftest", common->device, common->verbose, &ctx);
    if (code != CLI_OK)
        return code;
    if (common->fp64)
        penta_context_without_double(ctx);
    line_of_kernels = building_watch(ctx, common->quiet);
    code = run_all(ctx, common);
    answer_device(ctx, start);
    building_end(line_of_kernels, ctx);
    penta_context_destroy(ctx);
    return code;
}

static const cli_section sections[] = {
    {"Flags", "selftest", cli_common_table, NULL, 0, 0, "device json verbose color fp64", NULL}, CLI_SECTIONS_END};

const cli_command penta_command_selftest = {.name = "selftest",
                                            .summary = "run the known-answer test of every workload on a device",
                                            .usage = "",
                                            .about = "Runs the known-answer test of every workload on a device.",
                                            .sections = sections,
                                            .size = sizeof(cli_common),
                                            .run = run};
