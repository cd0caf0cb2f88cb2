/* penta selftest: the known-answer test of every workload on one device. */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
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
    bool ok = true;
    int code;

    if (!common->json)
        printf("%s (%s)\n", d->name, d->platform);
    for (size_t i = 0; penta_workload_at(i); i++)
        ok = test_one(ctx, penta_workload_at(i), common, results) && ok;
    code = ok ? CLI_OK : CLI_ERROR;
    if (common->json) {
        int printed = json_print("selftest", json_pack("{s:s, s:o, s:b, s:o}", "command", "selftest", "device",
                                                       json_device(d), "ok", (int)ok, "workloads", results));

        return code == CLI_OK ? printed : code;
    }
    json_decref(results);
    return code;
}

static int run(const cli_line *line, void *values)
{
    const cli_common *common = values;
    penta_context *ctx = NULL;
    int code;

    (void)line;
    if (penta_context_create(common->device, &ctx) != PENTA_OK)
        return cli_fail_library("selftest", NULL, common->verbose);
    code = run_all(ctx, common);
    penta_context_destroy(ctx);
    return code;
}

static const cli_section sections[] = {{"Flags", "selftest", cli_common_table, NULL, 0, 0, "device json verbose", NULL},
                                       CLI_SECTIONS_END};

const cli_command penta_command_selftest = {.name = "selftest",
                                            .summary = "run the known-answer test of every workload on a device",
                                            .usage = "",
                                            .about = "Runs the known-answer test of every workload on a device.",
                                            .sections = sections,
                                            .size = sizeof(cli_common),
                                            .run = run};
