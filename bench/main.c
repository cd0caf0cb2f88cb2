/* penta-bench: the benchmarks of all workloads, ours beside peers. Run as `penta bench`. */
#define _POSIX_C_SOURCE 200809L

#include "report/report.h"

#include "job/job.h"
#include "run/process.h"
#include "run/run.h"
#include "scaling/scaling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/answer.h"
#include "shared/bench_flags.h"
#include "shared/ranks.h"
#include "shared/terminal.h"

static const struct {
    const char *name;
    void (*run)(bench *b);
} workloads[] = {
#define PENTACL_WORKLOAD(name) {#name, bench_##name},
#include "pentacl_benches.def"
#undef PENTACL_WORKLOAD
};

static const double quick_seconds = 0.2; /* that --all times a row */

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static int list_workloads(bool json)
{
    json_t *names = json_array();

    for (size_t i = 0; i < WORKLOADS; i++)
        if (json)
            json_array_append_new(names, json_string(workloads[i].name));
        else
            printf("%s\n", workloads[i].name);
    answer_add(json_pack("{s:o}", "names", names));
    return CLI_OK;
}

/* Opens the device, runs the workload's cases and prints what was measured. Returns the exit code. */
static int measure(bench *b, void (*run)(bench *b), const char *selector)
{
    const penta_device *device;
    int code;

    b->start = cli_seconds();
    code = cli_open_device("bench", selector, false, &b->ctx);
    if (code != CLI_OK)
        return code;
    device = penta_context_device(b->ctx);
    bench_machine_host(b->machine, sizeof b->machine);
    if (device->type != PENTA_DEVICE_CPU)
        bench_machine_add(b, device->name);
    if (!b->json)
        printf("device: %s (%s, %s); machine: %s\n\n", device->name, device->platform,
               penta_device_type_name(device->type), b->machine);
    cli_catch_interrupts();
    run(b);
    b->case_name = NULL;
    if (!b->json)
        bench_print_case(b);
    else
        bench_answer(b);
    bench_rows_free(b);
    answer_device(b->ctx, b->start);
    penta_context_destroy(b->ctx);
    return CLI_OK;
}

/* Counts the workload's cases that were asked for, then lists or measures them. */
static int benchmark(bench *b, void (*run)(bench *b), bool list, const char *selector)
{
    b->mode = BENCH_COUNT;
    run(b);
    if (b->ladder && !b->has_ladder)
        return cli_fail("bench", CLI_USAGE, "there is no ladder in the workload '%s'", b->workload);
    if (b->cases == 0)
        return cli_fail("bench", CLI_USAGE, "no case has '%s' in its name; --list lists them", b->filter);
    b->mode = list ? BENCH_LIST : BENCH_RUN;
    if (!list)
        return measure(b, run, selector);
    b->names = b->json ? json_array() : NULL;
    run(b);
    answer_add(json_pack("{s:o*}", "names", b->names));
    return CLI_OK;
}

/*
 * OpenMP threads that spin while idle take the cores from the threads of FFTW and of a CPU's OpenCL driver. The runtime
 * reads its policy before main, so the program starts itself once more with it; where it cannot, it goes on as it is.
 */
static void make_openmp_passive(char **argv)
{
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 0) == 0)
        execv("/proc/self/exe", argv);
}

/* The cases that --all runs, [{workload, case}]; only: of this workload, or NULL. */
static json_t *list_cases(const bench_flags *f, const char *only)
{
    json_t *cases = json_array(), *name;
    size_t k;

    for (size_t i = 0; i < WORKLOADS; i++) {
        bench b = {.workload = workloads[i].name, .filter = f->only, .quick = !f->thorough, .mode = BENCH_LIST};

        if (only && strcmp(only, b.workload) != 0)
            continue;
        b.names = json_array();
        workloads[i].run(&b);
        json_array_foreach(b.names, k, name)
            json_array_append_new(cases, json_pack("{s:s, s:O}", "workload", b.workload, "case", name));
        json_decref(b.names);
    }
    return cases;
}

static int report(const cli_line *line, bench_flags *f)
{
    json_t *cases;

    if (!f->output)
        return cli_fail("bench", CLI_USAGE, "--all needs --output DIR for its report");
    if (!f->thorough && !cli_given(line->tables, "seconds"))
        f->seconds = quick_seconds;
    cases = list_cases(f, line->operand_count ? line->operands[0] : NULL);
    if (json_array_size(cases) > 0)
        return bench_all(f, cases);
    json_decref(cases);
    return cli_fail("bench", CLI_USAGE, "no case of --all%s has '%s' in its name%s", f->thorough ? " --thorough" : "",
                    f->only ? f->only : "", f->thorough ? "" : "; --thorough has more");
}

/* Flags that say nothing without others. CLI_OK, or CLI_USAGE after one line. */
static int check_flags(const cli_line *line, const bench_flags *f)
{
    int code = cli_check_single(line);

    if (code == CLI_OK && f->thorough && !f->all)
        code = cli_fail("bench", CLI_USAGE, "--thorough does nothing without --all");
    if (code == CLI_OK && f->output && !f->all && !f->compare && !f->scaling)
        code = cli_fail("bench", CLI_USAGE, "--output is for --all, --compare and --scaling");
    if (code == CLI_OK && !f->job && cli_given(line->tables, "python"))
        code = cli_fail("bench", CLI_USAGE, "--python does nothing without --job");
    if (code == CLI_OK && f->compare && line->operand_count < 2)
        code = cli_fail("bench", CLI_USAGE, "--compare needs two reports or more, but got %d", line->operand_count);
    return code;
}

/* Ranks measure how jobs scale, and nothing else. */
static int begin_ranks(const cli_line *line, const bench_flags *f, bool *runs)
{
    cli_command command = *line->command;

    command.ranks = !f->scaling ? CLI_RANKS_NONE : f->list ? CLI_RANKS_FIRST : CLI_RANKS_ALL;
    return ranks_begin(&command, runs);
}

static int run_bench(const cli_line *line, void *values)
{
    bench_flags *f = values;
    bench b = {.filter = f->only, .json = f->json, .ladder = f->ladder};
    bool runs = true;
    int code = check_flags(line, f);

    if (code == CLI_OK)
        code = begin_ranks(line, f, &runs);
    if (code != CLI_OK || !runs)
        return code;
    if (f->compare)
        return bench_compare(f, line->operands, line->operand_count);
    if (f->all)
        return report(line, f);
    if (f->scaling)
        return bench_scaling(f, line->operand_count ? line->operands[0] : NULL);
    if (f->job)
        return bench_job(f, line->operand_count ? line->operands[0] : NULL);
    bench_measure_at_least(f->seconds);
    if (line->operand_count == 0)
        return f->list ? list_workloads(f->json)
                       : cli_fail("bench", CLI_USAGE, "no workload given; see penta bench --help");
    for (size_t i = 0; i < WORKLOADS; i++)
        if (strcmp(line->operands[0], workloads[i].name) == 0) {
            b.workload = workloads[i].name;
            return benchmark(&b, workloads[i].run, f->list, f->device);
        }
    return cli_fail("bench", CLI_ERROR, "there is no benchmark of '%s' in this build", line->operands[0]);
}

int main(int argc, char **argv)
{
    static const cli_command command = BENCH_COMMAND(run_bench);

    make_openmp_passive(argv);
    bench_keep_environment();
    cli_begin((const cli_command *const[]){&command, NULL}, argc, argv);
    answer_begin(argc, argv);
    return cli_end(command.name, ranks_end(answer_end(command.name, cli_run(&command, argc, argv))));
}
