/* penta-bench: the benchmarks of all workloads, ours beside peers. Run as `penta bench`. */
#define _GNU_SOURCE /* getopt_long */

#include "run.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    void (*run)(bench *b);
} workloads[] = {
#define PENTACL_WORKLOAD(name) {#name, bench_##name},
#include "pentacl_benches.def"
#undef PENTACL_WORKLOAD
};

enum { WORKLOADS = sizeof workloads / sizeof *workloads, EXIT_USAGE = 2 };

static const char usage[] = "Usage: penta bench [OPTION...] WORKLOAD\n"
                            "Times a workload's variants beside other programs' ways (peers), after checking that all\n"
                            "give the same answer.\n"
                            "\n"
                            "  -c, --case TEXT    only the cases whose name contains TEXT\n"
                            "  -d, --device NAME  device: index, part of a name, cpu or gpu (see `penta devices`)\n"
                            "      --ladder       the workload's kernels from the first idea to the fastest (nbody)\n"
                            "      --json         one JSON object on stdout instead of the table\n"
                            "      --list         list the workloads, or the cases of WORKLOAD, and stop\n"
                            "  -h, --help         this text\n";

static int usage_error(const char *what, const char *argument)
{
    if (argument)
        fprintf(stderr, "penta bench: %s '%s'; try 'penta bench --help'\n", what, argument);
    else
        fprintf(stderr, "penta bench: %s; try 'penta bench --help'\n", what);
    return EXIT_USAGE;
}

/* optopt is the letter of a short option; a long one is the argument that getopt_long read last. */
static int option_error(const char *what, char **argv)
{
    char letter[] = {'-', (char)optopt, '\0'};

    return usage_error(what, optopt > 0 && optopt < 128 && argv[optind - 1][1] != '-' ? letter : argv[optind - 1]);
}

static int list_workloads(void)
{
    for (size_t i = 0; i < WORKLOADS; i++)
        printf("%s\n", workloads[i].name);
    return EXIT_SUCCESS;
}

/* First line of the library's text on the failure to open a device. */
static int device_error(void)
{
    const char *text = penta_last_error(NULL);

    fprintf(stderr, "penta bench: %.*s\n", (int)strcspn(text, "\n"), text);
    return EXIT_FAILURE;
}

/* Opens the device, runs the workload's cases and prints what was measured. Returns the exit code. */
static int measure(bench *b, void (*run)(bench *b), const char *selector)
{
    const penta_device *device;
    int code = EXIT_SUCCESS;

    if (penta_context_create(selector, &b->ctx) != PENTA_OK)
        return device_error();
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
    else if (!bench_print_json(b)) {
        bench_note(b, "could not write the JSON object");
        code = EXIT_FAILURE;
    }
    bench_rows_free(b);
    penta_context_destroy(b->ctx);
    return code;
}

/* Counts the workload's cases that were asked for, then lists or measures them. */
static int benchmark(bench *b, void (*run)(bench *b), bool list, const char *selector)
{
    b->mode = BENCH_COUNT;
    run(b);
    if (b->ladder && !b->has_ladder)
        return usage_error("no ladder in the workload", b->workload);
    if (b->cases == 0)
        return usage_error("no case has this in its name:", b->filter);
    b->mode = list ? BENCH_LIST : BENCH_RUN;
    if (!list)
        return measure(b, run, selector);
    run(b);
    return EXIT_SUCCESS;
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

int main(int argc, char **argv)
{
    enum { OPTION_JSON = 256, OPTION_LADDER, OPTION_LIST };
    static const struct option options[] = {{"case", required_argument, NULL, 'c'},
                                            {"device", required_argument, NULL, 'd'},
                                            {"ladder", no_argument, NULL, OPTION_LADDER},
                                            {"json", no_argument, NULL, OPTION_JSON},
                                            {"list", no_argument, NULL, OPTION_LIST},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    bench b = {0};
    const char *selector = NULL;
    bool list = false;
    int option;

    make_openmp_passive(argv);
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":c:d:h", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            b.filter = optarg;
            break;
        case 'd':
            selector = optarg;
            break;
        case OPTION_JSON:
            b.json = true;
            break;
        case OPTION_LADDER:
            b.ladder = true;
            break;
        case OPTION_LIST:
            list = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        case ':':
            return option_error("no value after", argv);
        default:
            return option_error("unknown option", argv);
        }
    }
    if (optind == argc)
        return list ? list_workloads() : usage_error("no workload given", NULL);
    if (optind + 1 < argc)
        return usage_error("more than one workload given:", argv[optind + 1]);
    for (size_t i = 0; i < WORKLOADS; i++)
        if (strcmp(argv[optind], workloads[i].name) == 0) {
            b.workload = workloads[i].name;
            return benchmark(&b, workloads[i].run, list, selector);
        }
    return usage_error("unknown workload", argv[optind]);
}
