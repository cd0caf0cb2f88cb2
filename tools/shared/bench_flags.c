#include "shared/bench_flags.h"

static const penta_option rows[] = {
    {"case", PENTA_OPTION_TEXT, offsetof(bench_flags, only), 0, 0, 0, 0, "TEXT", "",
     "only the cases whose name contains TEXT", false},
    PENTA_TEXT_OPTION(bench_flags, device, 'd', "DEVICE", "index of `penta devices`, cpu, gpu, or part of a name"),
    PENTA_FLAG_OPTION(bench_flags, ladder, 0, "time the workload's kernels from the first idea to the fastest (nbody)"),
    PENTA_FLAG_OPTION(bench_flags, json, 0, "print one JSON object on stdout instead of the table"),
    PENTA_FLAG_OPTION(bench_flags, list, 0, "list the workloads, or the cases of WORKLOAD, and stop"),
    PENTA_CHOICE_OPTION(bench_flags, color, 0, "auto,always,never", "colour of messages"),
    PENTA_OPTIONS_END};

const char bench_about[] =
    "Times the variants of a workload beside other programs that do the same (peers), after checking that all\n"
    "give the same answer.";

#define PENTACL_WORKLOAD(name) "," #name
const cli_operand bench_operands[] = {{
                                          "WORKLOAD",
                                          "the workload to time",
                                          0,
                                          1,
#include "pentacl_benches.def"
                                      },
                                      {0}};
#undef PENTACL_WORKLOAD

const cli_section bench_sections[] = {{"Flags", "bench", rows, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};
