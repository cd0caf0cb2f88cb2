#include "workloads.h"

#include <stdio.h>
#include <string.h>

#include "run/progress.h"
#include "run/run.h"
#include "shared/answer.h"
#include "shared/building.h"

static const struct {
    const char *name;
    void (*run)(bench *b);
} workloads[] = {
#define PENTACL_WORKLOAD(name) {#name, bench_##name},
#include "pentacl_benches.def"
#undef PENTACL_WORKLOAD
};

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static const double budget = 60; /* s, unless --thorough or --case: after that each row has one run */

/* Goes through the cases in this mode; only: of this workload, NULL: of all. */
static void go_through(bench *b, const char *only, bench_mode mode)
{
    b->mode = mode;
    for (size_t i = 0; i < WORKLOADS; i++) {
        if (only && strcmp(only, workloads[i].name) != 0)
            continue;
        b->workload = workloads[i].name;
        workloads[i].run(b);
        bench_end_case(b);
    }
}

/* ---- lists ---- */

int bench_list_workloads(const bench_flags *flags)
{
    json_t *names = json_array();

    for (size_t i = 0; i < WORKLOADS; i++)
        if (flags->json)
            json_array_append_new(names, json_string(workloads[i].name));
        else
            printf("%s\n", workloads[i].name);
    answer_add(json_pack("{s:o}", "names", names));
    return CLI_OK;
}

/* All cases, and of them those that run by default. */
static int list_cases(bench *b, const char *only)
{
    b->extent = BENCH_THOROUGH;
    b->names = b->json ? json_array() : NULL;
    b->default_names = b->json ? json_array() : NULL;
    go_through(b, only, BENCH_LIST);
    answer_add(json_pack("{s:o*, s:o*}", "names", b->names, "default_names", b->default_names));
    return CLI_OK;
}

json_t *bench_report_cases(const bench_flags *flags, const char *only, size_t *of)
{
    json_t *cases = json_array(), *name;
    size_t k;

    *of = 0;
    for (size_t i = 0; i < WORKLOADS; i++) {
        bench b = {
            .filter = flags->only, .extent = flags->thorough ? BENCH_THOROUGH : BENCH_SMALLER, .names = json_array()};

        if (!only || strcmp(only, workloads[i].name) == 0)
            go_through(&b, workloads[i].name, BENCH_LIST);
        json_array_foreach(b.names, k, name)
            json_array_append_new(cases, json_pack("{s:s, s:O}", "workload", workloads[i].name, "case", name));
        json_decref(b.names);
        *of += b.known;
    }
    return cases;
}

/* ---- measuring ---- */

static void begin(bench *b)
{
    const penta_device *device = penta_context_device(b->ctx);

    bench_machine_host(b->machine, sizeof b->machine);
    if (device->type != PENTA_DEVICE_CPU)
        bench_machine_add(b, device->name);
    if (b->json)
        return;
    printf("device: %s (%s, %s); machine: %s\n", device->name, device->platform, penta_device_type_name(device->type),
           b->machine);
    bench_print_clocks();
    printf("spread: from quartile to quartile of the runs, over the median\n\n");
    fflush(stdout);
}

/* Whether it is to be over soon. */
static bool is_brief(const bench *b)
{
    return b->extent < BENCH_THOROUGH;
}

static void end(const bench *b)
{
    if (b->json) {
        bench_answer(b);
        return;
    }
    if (b->cases < b->known && !b->filter)
        printf("%zu of %zu cases in %.0f s; %s--thorough times all, --case TEXT those with it in their names\n",
               b->cases, b->known, cli_seconds() - b->start,
               b->extent == BENCH_BRIEF ? "WORKLOAD times more cases and rows of one, " : "");
    if (is_brief(b) && cli_seconds() - b->start > budget)
        printf("rows after %g s have one run each\n", budget);
}

/* Without a workload: the only run whose time is known before. */
static void announce(const bench *b, const bench_flags *flags)
{
    const bench_plan plan = {.count = b->cases,
                             .of = b->known,
                             .seconds = 50,
                             .later = " (25 s once kernels are compiled)",
                             .more = "WORKLOAD times more cases and rows of one, "};

    if (b->extent == BENCH_BRIEF)
        bench_announce(&plan, flags);
}

static int measure(bench *b, const bench_flags *flags, const char *only)
{
    building *watch;
    int code;

    announce(b, flags);
    b->start = cli_seconds();
    if (is_brief(b))
        bench_measure_until(b->start + budget);
    code = cli_open_device("bench", flags->device, false, &b->ctx);
    if (code != CLI_OK)
        return code;
    bench_measure_apart(penta_context_device(b->ctx)->type == PENTA_DEVICE_GPU);
    begin(b);
    bench_progress_begin(b->cases, flags->quiet, false);
    watch = building_watch(b->ctx, flags->quiet);
    cli_catch_interrupts();
    go_through(b, only, BENCH_RUN);
    building_end(watch, b->ctx);
    end(b);
    bench_rows_free(b);
    answer_device(b->ctx, b->start);
    penta_context_destroy(b->ctx);
    return CLI_OK;
}

int bench_workloads(const bench_flags *flags, const char *only)
{
    bench b = {.filter = flags->only,
               .json = flags->json,
               .quiet = flags->quiet,
               .ladder = flags->ladder,
               .extent = bench_asked_extent(flags, only)};

    go_through(&b, only, BENCH_COUNT);
    if (b.ladder && !b.has_ladder)
        return cli_fail("bench", CLI_USAGE, "there is no ladder in the workload '%s'", b.workload);
    if (b.cases == 0)
        return cli_fail("bench", CLI_USAGE, "no case has '%s' in its name; --list lists them", b.filter);
    return flags->list ? list_cases(&b, only) : measure(&b, flags, only);
}
