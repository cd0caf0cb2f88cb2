/*
 * What `penta bench --all` and `--compare` are made of. A report is a JSON object, as report.json has it
 * (docs/json.md); report.md, report.html and the comparison are pages that bench/pages.py makes of it.
 */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include <pentacl/context.h>
#include <pentacl/io/error.h>

#include "shared/bench_flags.h"

enum { REPORT_FORMAT = 1 }; /* version of report.json */
#define REPORT_NAME "penta-bench-report"

/* Measures and reports these cases, [{workload, case}], which it frees, of so many that there are. The exit code.
 * (all.c)
 */
int bench_all(const bench_flags *flags, json_t *cases, size_t of);

/* Compares reports. The exit code. (compare.c) */
int bench_compare(const bench_flags *flags, char *const *paths, int count);

/* The limits of the device, {"copy": {value, unit, title, how}, ...}; value null and "reason" where there is none.
 * Says each on `progress` (NULL: does not). (limits.c) */
json_t *bench_limits(penta_context *ctx, FILE *progress);

/*
 * Runs a case in a process of its own, so that neither a failing case nor a crashing driver ends the run, and adds to
 * {workload, case}: status, reason, notes, seconds, rows. (child.c)
 */
void bench_child(const bench_flags *flags, json_t *one);

/* A member; NAN where there is no number. */
double bench_number(const json_t *object, const char *key);

/* Adds to each row of the report what the device's limits allow (limit, limited_by, share) and what it is against peers
 * (against). (derive.c) */
void bench_derive(json_t *report);

/* ---- files (files.c) ---- */

/* Writes a picture of the report to the directory. */
typedef bool (*bench_picture)(const json_t *report, const char *directory, penta_io_error *error);

/* Makes the directory and writes report.json, with the picture (NULL: none), report.md and report.html, all of them or
 * none; without Python no pages, which a note says. Then tells the names (NULL: does not). The exit code. */
int bench_write_report(const char *directory, const json_t *report, bench_picture picture, FILE *told);

/* What bench/pages.py --print makes: {"md", "html"}, of a comparison "text" and "comparison" too; NULL: `why`. */
json_t *bench_make_pages(const char *const *arguments, size_t count, char *why, size_t size);

/* comparison.md and comparison.html, likewise. */
int bench_write_comparison(const char *directory, const json_t *pages);
