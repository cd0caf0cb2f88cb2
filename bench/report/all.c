/* penta bench --all: the device's limits, then case after case, then the report. */
#include "report.h"

#include <string.h>
#include <unistd.h>

#include <pentacl/io/output.h>

#include "run/run.h"
#include "shared/answer.h"
#include "shared/json.h"

typedef struct {
    const bench_flags *flags;
    json_t *report, *cases;       /* borrowed from the report */
    FILE *progress;               /* NULL: says nothing */
    double start, device_seconds; /* the latter of the limits */
    size_t failed;
} all_state;

/* ---- the device ---- */

static json_t *describe(const penta_device *device)
{
    json_t *out = json_device(device);

    json_object_update_new(out, json_pack("{s:o, s:o, s:o, s:I, s:I, s:b}", "vendor", json_text(device->vendor),
                                          "opencl", json_text(device->version), "driver", json_text(device->driver),
                                          "compute_units", (json_int_t)device->compute_units, "memory",
                                          (json_int_t)device->memory, "fp64", device->fp64));
    return out;
}

/* Closed again before the cases, which open it themselves. */
static int look_at_device(all_state *s)
{
    penta_context *ctx;
    const penta_device *device;
    int code;

    code = cli_open_device("bench", s->flags->device, false, &ctx);
    if (code != CLI_OK)
        return code;
    device = penta_context_device(ctx);
    json_object_update_new(s->report, bench_here());
    if (s->progress)
        fprintf(s->progress, "device: %s (%s); machine: %s\n\n", device->name, device->platform,
                json_string_value(json_object_get(s->report, "machine")));
    json_object_set_new(s->report, "device", describe(device));
    json_object_set_new(s->report, "limits", bench_limits(ctx, s->progress));
    answer_device(ctx, s->start);
    s->device_seconds = penta_profile_seconds(ctx, true, true);
    penta_context_destroy(ctx);
    return CLI_OK;
}

/* ---- the cases ---- */

static void say_begin(const all_state *s, size_t i, const json_t *one)
{
    if (!s->progress)
        return;
    fprintf(s->progress, "[%2zu/%zu] %s %s ...", i + 1, json_array_size(s->cases),
            json_string_value(json_object_get(one, "workload")), json_string_value(json_object_get(one, "case")));
    fflush(s->progress);
}

static void say_end(const all_state *s, const json_t *one)
{
    const char *reason = json_string_value(json_object_get(one, "reason"));
    double seconds = json_number_value(json_object_get(one, "seconds"));

    if (s->progress && reason)
        fprintf(s->progress, " %s: %s\n", json_string_value(json_object_get(one, "status")), reason);
    else if (s->progress)
        fprintf(s->progress, " %zu rows, %.1f s\n", json_array_size(json_object_get(one, "rows")), seconds);
}

static void run_cases(all_state *s)
{
    json_t *one;
    size_t i;

    if (s->progress)
        fputc('\n', s->progress);
    json_array_foreach(s->cases, i, one)
    {
        say_begin(s, i, one);
        bench_child(s->flags, one);
        say_end(s, one);
        s->failed += strcmp(json_string_value(json_object_get(one, "status")), "failed") == 0;
    }
}

/* ---- the report ---- */

static void answer(const all_state *s)
{
    static const char *const members[] = {"machine", "date", "clocks", "limits", "cases"};
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(object, members[i], json_object_get(s->report, members[i]));
    json_object_set_new(object, "seconds",
                        json_pack("{s:o, s:o}", "total", json_number(cli_seconds() - s->start), "device",
                                  json_number(s->device_seconds)));
    answer_add(object);
}

static int run_all(all_state *s)
{
    int code = look_at_device(s);

    if (code != CLI_OK)
        return code;
    cli_catch_interrupts();
    run_cases(s);
    bench_derive(s->report);
    json_object_set_new(s->report, "seconds", json_number(cli_seconds() - s->start));
    if (s->progress)
        fputc('\n', s->progress);
    code = bench_write_report(s->flags->output, s->report, NULL,
                              s->progress       ? s->progress
                              : !s->flags->json ? stdout
                                                : NULL);
    if (code != CLI_OK)
        return code;
    answer(s);
    if (cli_interrupted())
        return cli_fail("bench", CLI_ERROR, "interrupted; %s has the cases before", s->flags->output);
    if (s->failed > 0)
        return cli_fail("bench", CLI_ERROR, "%zu of %zu cases failed; %s/report.json says why", s->failed,
                        json_array_size(s->cases), s->flags->output);
    return CLI_OK;
}

int bench_all(const bench_flags *flags, json_t *cases, size_t of)
{
    all_state s = {.flags = flags, .cases = cases, .start = cli_seconds()};
    penta_io_error error = {0};
    int code;

    s.progress = flags->quiet ? NULL : !flags->json ? stdout : isatty(STDERR_FILENO) ? stderr : NULL;
    s.report = json_pack("{s:s, s:i, s:s, s:b, s:s?, s:I, s:o, s:o}", "format", REPORT_NAME, "format_version",
                         REPORT_FORMAT, "penta", penta_version(), "thorough", flags->thorough, "filter", flags->only,
                         "cases_known", (json_int_t)of, "clocks", bench_clocks(), "cases", cases);
    if (!s.report)
        return cli_fail("bench", CLI_ERROR, "out of memory");
    code =
        penta_io_make_directory(flags->output, &error) ? run_all(&s) : cli_fail("bench", CLI_ERROR, "%s", error.text);
    json_decref(s.report);
    return code;
}
