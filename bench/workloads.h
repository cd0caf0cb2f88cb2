/* penta bench [WORKLOAD]: the cases of the workloads. */
#pragma once

#include <stddef.h>

#include <jansson.h>

#include "shared/bench_flags.h"

/* Measures the cases that were asked for, of this workload or, only NULL, of all, or lists them. The exit code. */
int bench_workloads(const bench_flags *flags, const char *only);

/* --list without a workload. The exit code. */
int bench_list_workloads(const bench_flags *flags);

/* The cases of --all, [{workload, case}]; *of: how many there are with --thorough and without --case. */
json_t *bench_report_cases(const bench_flags *flags, const char *only, size_t *of);
