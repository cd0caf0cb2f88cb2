/* What a job took: a table for people, an object for JSON. */
#include "job.h"

#include <stdio.h>

#include "shared/json.h"

/* Of walls: the run in the middle. */
static size_t median_run(const job_row *row)
{
    for (size_t i = 0; i < row->runs; i++) {
        size_t less = 0;

        for (size_t k = 0; k < row->runs; k++)
            less += row->wall[k] < row->wall[i] || (row->wall[k] <= row->wall[i] && k < i);
        if (less == row->runs / 2)
            return i;
    }
    return 0;
}

static double median_of(const job_row *row)
{
    return row->wall[median_run(row)];
}

static double extreme_of(const job_row *row, double sign)
{
    double found = row->wall[0];

    for (size_t i = 1; i < row->runs; i++)
        if (sign * row->wall[i] > sign * found)
            found = row->wall[i];
    return found;
}

/* The start of penta's median run in bare OpenCL programs. */
static double start_ratio(const job_outcome *o)
{
    return o->ours.stages[median_run(&o->ours)][0] / median_of(&o->bare);
}

/* ---- for people ---- */

static void print_row(const char *who, const job_row *row)
{
    size_t median = median_run(row);

    if (row->runs == 0)
        return;
    printf("  %-12s %4zu %9.3f %9.3f %9.3f %9.3f  ", who, row->runs, row->wall[median], extreme_of(row, -1),
           extreme_of(row, 1), row->cpu[median]);
    for (int i = 0; i < JOB_STAGES; i++)
        printf(" %7.1f %%", 100 * row->stages[median][i] / row->wall[median]);
    printf("\n");
}

static void print_script(const job_outcome *o)
{
    const job_case *c = o->c;
    const json_t *module;
    size_t i;

    printf("  the script:");
    json_array_foreach(o->modules, i, module) printf("%s %s", i ? "," : "", json_string_value(module));
    for (i = 0; c->checks[i].what; i++)
        printf("; %s %s by %.2g%s%s (%g allowed)", c->checks[i].what,
               c->checks[i].typical ? "differ" : "differ at most", o->difference[i],
               *c->checks[i].unit ? " " : " of it", c->checks[i].unit, c->checks[i].allowed);
    printf("\n  penta is %.2f times as fast", median_of(&o->script) / median_of(&o->ours));
    if (o->cold.runs > 0)
        printf("; with no kernel compiled yet %.2f times", median_of(&o->script) / median_of(&o->cold));
    printf("\n");
}

void job_print(const job_outcome *o)
{
    const job_case *c = o->c;

    printf("%s %s: %s\n  penta %s %s\n", c->workload, c->name, c->what, c->workload, c->flags);
    printf("  %-12s %4s %9s %9s %9s %9s  ", "", "runs", "median s", "min s", "max s", "cpu s");
    for (int i = 0; i < JOB_STAGES; i++)
        printf(" %9s", job_stages[i]);
    printf("\n");
    print_row("penta, cold", &o->cold);
    print_row("penta", &o->ours);
    print_row("script", &o->script);
    print_row("bare", &o->bare);
    printf("  start: %.2f bare programs\n", start_ratio(o));
    if (o->script.runs > 0)
        print_script(o);
    printf("\n");
    fflush(stdout);
}

/* ---- JSON ---- */

static json_t *describe_stages(const job_row *row, size_t run)
{
    json_t *stages = json_object();

    for (int i = 0; i < JOB_STAGES; i++)
        json_object_set_new(stages, job_stages[i], json_number(row->stages[run][i]));
    if (row->device[run])
        json_object_set(stages, "device", row->device[run]);
    return stages;
}

static void add_row(json_t *list, const char *who, bool cold, const job_row *row)
{
    size_t median = median_run(row);

    if (row->runs > 0)
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:I, s:o, s:o, s:o, s:o, s:o}", "who", who, "cold", (int)cold, "runs",
                            (json_int_t)row->runs, "median_seconds", json_number(row->wall[median]), "min_seconds",
                            json_number(extreme_of(row, -1)), "max_seconds", json_number(extreme_of(row, 1)),
                            "cpu_seconds", json_number(row->cpu[median]), "stages", describe_stages(row, median)));
}

static json_t *describe_checks(const job_outcome *o)
{
    const job_case *c = o->c;
    json_t *list = json_array();

    for (size_t i = 0; o->modules && c->checks[i].what; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "what", c->checks[i].what, "unit",
                                              c->checks[i].unit, "difference", json_number(o->difference[i]), "allowed",
                                              json_number(c->checks[i].allowed)));
    return list;
}

json_t *job_describe(const job_outcome *o)
{
    const job_case *c = o->c;
    json_t *rows = json_array();

    add_row(rows, "penta", true, &o->cold);
    add_row(rows, "penta", false, &o->ours);
    add_row(rows, "script", false, &o->script);
    add_row(rows, "bare", false, &o->bare);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "workload", c->workload, "case", c->name,
                     "what", c->what, "flags", c->flags, "modules", o->modules ? json_incref(o->modules) : json_null(),
                     "reason", o->modules ? json_null() : json_text(o->missing), "checks", describe_checks(o), "rows",
                     rows, "ratio",
                     o->script.runs ? json_number(median_of(&o->script) / median_of(&o->ours)) : json_null(),
                     "start_ratio", json_number(start_ratio(o)));
}
