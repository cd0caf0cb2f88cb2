/* penta bench --scaling: the members, then case after case, then what came out. */
#include "scaling.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "run/progress.h"
#include "run/run.h"
#include "shared/answer.h"
#include "shared/ranks.h"

#define SCALING_NAME "penta-bench-scaling" /* the format of report.json, and its version */
enum { SCALING_FORMAT = 1 };

typedef struct {
    const bench_flags *flags;
    bench_choice choice;
    scaling_team team;
    json_t *report; /* machine, date, members, scaling */
    double start;
} scaling_run;

/* ---- cases ---- */

/* Cases are named by --case whatever the device is for which they are meant. */
static bool suits(const scaling_run *r, const scaling_case *c)
{
    bool cpu = r->team.places[0].cpu;

    if (!bench_is_chosen(&r->choice, c->workload, c->name))
        return false;
    return c->cpu == cpu || (r->flags->only && *r->flags->only == '=');
}

/* ---- measuring ---- */

static bool prints(const scaling_run *r)
{
    return !r->flags->json && ranks_rank() == 0;
}

/* The kernels of all rows follow one another. */
static scaling_row *make_rows(size_t count)
{
    scaling_row *rows = calloc(count, sizeof *rows);
    double *kernels = calloc(count * count, sizeof *kernels);

    for (size_t i = 0; rows && i < count; i++)
        rows[i].kernels = kernels + i * count;
    if (rows && kernels)
        return rows;
    free(rows);
    free(kernels);
    return NULL;
}

/* The rows so far are told also where a later one fails. */
static int run_case(scaling_run *r, const scaling_case *c)
{
    scaling_row *rows = make_rows(r->team.size);
    size_t count;
    int code;

    if (!rows)
        return cli_fail("bench", CLI_ERROR, "out of memory");
    bench_progress_case(c->workload, c->name);
    code = scaling_measure(&r->team, c, r->flags->seconds, rows, &count);
    if (count > 0) {
        json_array_append_new(json_object_get(r->report, "scaling"), scaling_describe(c, rows, count));
        if (prints(r))
            scaling_print(c, rows, count);
    }
    free(rows[0].kernels);
    free(rows);
    return code;
}

static int run_cases(scaling_run *r)
{
    size_t cases = 0;
    int code = CLI_OK;

    for (size_t i = 0; i < scaling_case_count; i++)
        cases += suits(r, &scaling_cases[i]);
    bench_progress_begin(cases, r->flags->quiet || ranks_rank() > 0, true);
    for (size_t i = 0; code == CLI_OK && i < scaling_case_count; i++)
        if (suits(r, &scaling_cases[i]))
            code = run_case(r, &scaling_cases[i]);
    if (code == CLI_OK && cases == 0)
        code = cli_fail("bench", CLI_USAGE, "this case is not for a %s; --case =NAME runs it all the same",
                        r->team.places[0].cpu ? "CPU device" : "GPU");
    return code;
}

/* ---- all ---- */

static int begin(scaling_run *r)
{
    const penta_device *device;
    int code = scaling_team_open(r->flags->device, &r->team);

    if (code != CLI_OK)
        return code;
    device = penta_context_device(r->team.contexts[ranks_rank()]);
    r->report = bench_here();
    json_object_update_new(r->report, json_pack("{s:o, s:o, s:[]}", "clocks", bench_clocks(), "members",
                                                scaling_team_describe(&r->team), "scaling"));
    if (prints(r)) {
        printf("device: %s (%s, %s); machine: %s\n", device->name, device->platform,
               penta_device_type_name(device->type), json_string_value(json_object_get(r->report, "machine")));
        bench_print_clocks();
        scaling_team_print(&r->team);
        printf("\n");
        fflush(stdout);
    }
    return CLI_OK;
}

static int write_files(const scaling_run *r)
{
    const char *directory = r->flags->output;
    json_t *file = json_pack("{s:s, s:i, s:s}", "format", SCALING_NAME, "format_version", SCALING_FORMAT, "penta",
                             penta_version());
    int code;

    json_object_update(file, r->report);
    code = bench_write_report(directory, file, scaling_picture, r->flags->json ? NULL : stdout);
    json_decref(file);
    return code;
}

int bench_scaling(const bench_flags *flags, const char *workload)
{
    scaling_run r = {.flags = flags, .choice = {"--scaling", workload, flags->only}, .start = cli_seconds()};
    int code;

    bench_count_chosen(&r.choice, scaling_cases, scaling_case_count, sizeof *scaling_cases, &code);
    if (code == CLI_OK && flags->list)
        bench_list_chosen(&r.choice, scaling_cases, scaling_case_count, sizeof *scaling_cases, flags->json);
    if (code != CLI_OK || flags->list)
        return code;
    if (code == CLI_OK)
        code = begin(&r);
    if (code == CLI_OK) {
        cli_catch_interrupts();
        code = run_cases(&r);
    }
    if (code == CLI_OK && flags->output)
        code = ranks_agree(ranks_rank() == 0 ? write_files(&r) : CLI_OK);
    if (r.report)
        answer_add(json_incref(r.report));
    answer_device(r.team.contexts ? r.team.contexts[ranks_rank()] : NULL, r.start);
    scaling_team_close(&r.team);
    json_decref(r.report);
    return code;
}
