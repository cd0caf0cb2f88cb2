/* penta-bench: the benchmarks of all workloads, ours beside peers. Run as `penta bench`. */
#include "report/report.h"

#include "job/job.h"
#include "run/process.h"
#include "run/run.h"
#include "scaling/scaling.h"
#include "workloads.h"

#include <stdlib.h>
#include <unistd.h>

#include "shared/answer.h"
#include "shared/bench_flags.h"
#include "shared/ranks.h"

/* That rows are timed for by default: of all workloads, of one, of a report. */
static const double brief_seconds = 0.05, smaller_seconds = 0.1, report_seconds = 0.2;

/*
 * OpenMP threads that spin while idle take the cores from the threads of FFTW and of a CPU's OpenCL driver. The runtime
 * reads its policy before main, so the program starts itself once more with it; where it cannot, it goes on as it is.
 */
static void make_openmp_passive(char **argv)
{
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 0) == 0)
        execv("/proc/self/exe", argv);
}

static int report(const bench_flags *f, const char *workload)
{
    json_t *cases;
    size_t of;

    if (!f->output)
        return cli_fail("bench", CLI_USAGE, "--all needs --output DIR for its report");
    cases = bench_report_cases(f, workload, &of);
    if (json_array_size(cases) > 0)
        return bench_all(f, cases, of);
    json_decref(cases);
    return cli_fail("bench", CLI_USAGE, "no case of --all%s has '%s' in its name%s", f->thorough ? " --thorough" : "",
                    f->only ? f->only : "", f->thorough ? "" : "; --thorough has more");
}

/* Unless --seconds says it: less where the whole is to be over soon. */
static void choose_seconds(const cli_line *line, bench_flags *f)
{
    if (f->thorough || f->scaling || cli_given(line->tables, "seconds") || (f->job && line->operand_count > 0))
        return;
    if (f->all)
        f->seconds = report_seconds;
    else if (!f->only)
        f->seconds = line->operand_count > 0 ? smaller_seconds : brief_seconds;
}

/* Flags that say nothing without others. CLI_OK, or CLI_USAGE after one line. */
static int check_flags(const cli_line *line, const bench_flags *f)
{
    int code = cli_check_single(line);

    if (code == CLI_OK && f->thorough && (f->scaling || f->compare))
        code = cli_fail("bench", CLI_USAGE, "--thorough does nothing with --%s", f->scaling ? "scaling" : "compare");
    if (code == CLI_OK && f->ladder && line->operand_count == 0)
        code = cli_fail("bench", CLI_USAGE, "no workload given; see penta bench --help");
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
    const char *workload = line->operand_count ? line->operands[0] : NULL;
    bool runs = true;
    int code = check_flags(line, f);

    if (code == CLI_OK)
        code = begin_ranks(line, f, &runs);
    if (code != CLI_OK || !runs)
        return code;
    choose_seconds(line, f);
    bench_measure_at_least(f->seconds);
    if (f->compare)
        return bench_compare(f, line->operands, line->operand_count);
    if (f->all)
        return report(f, workload);
    if (f->scaling)
        return bench_scaling(f, workload);
    if (f->job)
        return bench_job(f, workload);
    return f->list && !workload ? bench_list_workloads(f) : bench_workloads(f, workload);
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
