/*
 * What `penta bench --all` and `--compare` are made of. A report is a JSON object, as report.json has it
 * (docs/json.md); report.md, report.html and the comparison are pages made of it.
 */
#ifndef PENTA_BENCH_REPORT_H
#define PENTA_BENCH_REPORT_H

#include <stdio.h>

#include <jansson.h>

#include <pentacl/context.h>

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

/* Adds to each row of the report what the device's limits allow (limit, limited_by, share) and what it is against peers
 * (against). (derive.c) */
void bench_derive(json_t *report);

/* The report as a page. (report_page.c) */
json_t *bench_report_page(const json_t *report);
/* The comparison as a page: {"reports": [{path, device, ...}], "comparison": [{workload, case, ..., rates}]} and
 * "comparison_limits": [{title, unit, values}]; one rate or value a report, null where it has none. (compare_page.c) */
json_t *bench_compare_page(const json_t *comparison);

/* "*.md" and "*.html" of a page in a directory; false with a message on stderr. (files.c) */
bool bench_write_page(const char *directory, const char *name, const char *title, const json_t *page);
bool bench_write_json(const char *directory, const char *name, const json_t *value);

#endif
