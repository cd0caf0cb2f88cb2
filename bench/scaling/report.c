/* What a scaling benchmark found: a table for people, an object for JSON. */
#include "scaling.h"

#include <stdio.h>

#include "run/run.h"
#include "shared/json.h"

static const char *kind_of(const scaling_case *c)
{
    return c->weak ? "weak" : "strong";
}

void scaling_print(const scaling_case *c, const scaling_row *rows, size_t count)
{
    char wanted[64] = "";

    if (c->contract > 0)
        snprintf(wanted, sizeof wanted, "; at least %g %% are wanted with two members", c->contract);
    printf("%s %s: %s, %s scaling%s\n", c->workload, c->name, c->what, kind_of(c), wanted);
    printf("  %7s %5s %12s %12s %12s %12s   %s\n", "members", "runs", "median ms", "min ms", "efficiency", "kernels ms",
           "of each member, over their mean");
    for (size_t i = 0; i < count; i++) {
        const scaling_row *row = &rows[i];
        double sum = 0;

        for (size_t k = 0; k < row->members; k++)
            sum += row->kernels[k];
        printf("  %7zu %5zu %12.4f %12.4f %10.1f %% %12.4f  ", row->members, row->runs, 1e3 * row->seconds.median,
               1e3 * row->seconds.min, 100 * row->efficiency, 1e3 * sum / (double)row->members);
        for (size_t k = 0; k < row->members; k++)
            printf(" %.3f", row->kernels[k] * (double)row->members / sum);
        printf("\n");
    }
    printf("\n");
    fflush(stdout);
}

static json_t *describe_row(const scaling_row *row)
{
    bench_spread ms = bench_spread_scaled(row->seconds, 1e3);
    json_t *kernels = json_array(), *object;

    for (size_t i = 0; i < row->members; i++)
        json_array_append_new(kernels, json_number(row->kernels[i]));
    object = json_pack("{s:I, s:I, s:o, s:o}", "members", (json_int_t)row->members, "runs", (json_int_t)row->runs,
                       "efficiency", json_number(row->efficiency), "kernel_seconds", kernels);
    bench_put_spread(object, &ms);
    return object;
}

json_t *scaling_describe(const scaling_case *c, const scaling_row *rows, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, describe_row(&rows[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "workload", c->workload, "case", c->name, "what", c->what,
                     "kind", kind_of(c), "wanted", c->contract > 0 ? json_number(c->contract / 100) : json_null(),
                     "rows", list);
}
