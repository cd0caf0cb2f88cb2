/* penta-bench: the benchmarks of all workloads, ours beside peers. Run as `penta bench`. */
#define _POSIX_C_SOURCE 200809L

#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/answer.h"
#include "shared/bench_flags.h"
#include "shared/terminal.h"

static const struct {
    const char *name;
    void (*run)(bench *b);
} workloads[] = {
#define PENTACL_WORKLOAD(name) {#name, bench_##name},
#include "pentacl_benches.def"
#undef PENTACL_WORKLOAD
};

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

    b->start = cli_seconds();
    if (penta_context_create(selector, &b->ctx) != PENTA_OK)
        return cli_fail_library("bench", NULL, false);
    device = penta_context_device(b->ctx);
    bench_machine_host(b->machine, sizeof b->machine);
    if (device->type != PENTA_DEVICE_CPU)
        bench_machine_add(b, device->name);
    if (!b->json)
        printf("device: %s (%s, %s); machine: %s\n\n", device->name, device->platform,
               penta_device_type_name(device->type), b->machine);
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

static int run_bench(const cli_line *line, void *values)
{
    const bench_flags *f = values;
    bench b = {.filter = f->only, .json = f->json, .ladder = f->ladder};

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
    terminal_read_line(argc, argv);
    answer_begin(argc, argv);
    return answer_end(command.name, cli_run(&command, argc, argv));
}
