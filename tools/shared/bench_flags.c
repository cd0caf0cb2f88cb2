#include "shared/bench_flags.h"

static const penta_option rows[] = {
    {"case", PENTA_OPTION_TEXT, offsetof(bench_flags, only), 0, 0, 0, 0, "TEXT", "",
     "only cases whose name contains TEXT; =NAME: only the case of this name. All cases are looked at, with --all "
     "only the smaller ones unless --thorough is given",
     false},
    PENTA_TEXT_OPTION(bench_flags, device, 'd', "DEVICE", "index of `penta devices`, cpu, gpu, or part of a name"),
    PENTA_FLAG_OPTION(
        bench_flags, all, 0,
        "measure the device and time the smaller cases of all workloads (or of WORKLOAD), each in a "
        "process of its own and for two minutes at most, and write report.json and, by python3, report.md and "
        "report.html"),
    PENTA_FLAG_OPTION(bench_flags, thorough, 0, "time every case, of --job too; large ones take very long on a CPU"),
    PENTA_FLAG_OPTION(bench_flags, compare, 0, "put the reports of several machines side by side"),
    {"output", PENTA_OPTION_TEXT, offsetof(bench_flags, output), 'o', 0, 0, 0, "DIR", "",
     "where --all and --scaling write their report; with --compare: also write comparison.md and comparison.html there",
     false},
    PENTA_REAL_OPTION(
        bench_flags, seconds, 0, 0.5, 0.001, 60, "s",
        "repeat each row for this long (at most ten times as long). Without --thorough and --case the default is 0.05, "
        "with WORKLOAD 0.1, with --all 0.2, with --job 0.5. With --job a row has five runs, unless they take forty "
        "times "
        "as long"),
    PENTA_FLAG_OPTION(bench_flags, ladder, 0,
                      "time the kernels of the tuning lecture, from the simplest to the fastest (nbody)"),
    PENTA_FLAG_OPTION(bench_flags, scaling, 0,
                      "time jobs on 1, 2, .. of the devices that -d lists (0,1 or gpu*; one CPU is divided) and give "
                      "the efficiency of each number"),
    PENTA_FLAG_OPTION(
        bench_flags, job, 0,
        "time the whole command, from its start to its files, beside a script in Python that does the same"),
    PENTA_TEXT_OPTION(bench_flags, python, 0, "PROGRAM", "with --job: what runs the scripts (default python3)"),
    PENTA_FLAG_OPTION(bench_flags, quiet, 'q', "print no notes and no progress; results are printed"),
    PENTA_FLAG_OPTION(bench_flags, json, 0, "print one JSON object on stdout instead of the table"),
    PENTA_FLAG_OPTION(bench_flags, list, 0, "list the workloads, or the cases of WORKLOAD, and stop"),
    PENTA_CHOICE_OPTION(bench_flags, color, 0, "auto,always,never", "colour of messages"),
    PENTA_OPTIONS_END};

const char bench_about[] =
    "Times the variants of a workload beside other programs that do the same (peers). First it checks that all give "
    "the\n"
    "same answer, and says how long the run will take. By default it times smaller cases. Without WORKLOAD it takes "
    "those\n"
    "with a *, but no rows that take long to compile: a minute on two cores. --thorough times all cases.\n"
    "The smaller cases: " BENCH_SMALLER_CASES ".\n\n"
    "--all measures what the device can do at most, then times these cases. It reports each row as a rate, as a share\n"
    "of what the device allows, and against its peers.\n\n"
    "--scaling runs jobs on 1, 2, .. of several devices, or of the ranks of mpirun. It compares the results byte for\n"
    "byte and prints the efficiency of each number.\n\n"
    "--job times whole commands as people run them, on files that it makes, beside a script that uses NumPy and SciPy\n"
    "and beside a bare OpenCL program. It checks that command and script find the same. The command runs once with no\n"
    "kernel compiled, then all run up to five times in turn. It takes a small job of each workload, with WORKLOAD a\n"
    "larger one too, and with --thorough one as large as users have, some of which take minutes.";

#define PENTACL_WORKLOAD(name) "," #name
const cli_operand bench_operands[] = {
    {
        "WORKLOAD",
        "the workload to time, or all; with --compare: reports of --all, files or directories",
        0,
        1,
#include "pentacl_benches.def"
    },
    {0}};
#undef PENTACL_WORKLOAD

const cli_rule bench_single[] = {
    {"all compare ladder scaling job", "what to do", 0}, {"all compare list", "what to do", 0}, {0}};

const cli_output bench_outputs[] = {
    {"report.*", "report"}, {"comparison.*", "comparison"}, {"scaling.png", "picture"}, {0}};

const cli_section bench_sections[] = {{"Flags", "bench", rows, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};
