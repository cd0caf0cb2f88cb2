/* The table of a ladder: each rung against the one before it and against the first. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "x2.31", or nothing where there is no other row. */
static void print_ratio(const bench_result *row, const bench_result *other)
{
    char text[32] = "";

    if (other)
        snprintf(text, sizeof text, "x%.3g", bench_row_rate(row) / bench_row_rate(other));
    printf(" %9s", text);
}

static void print_row(const bench *b, const bench_result *row, const bench_result *before, const bench_result *first)
{
    double flops = bench_row_rate(row) * b->flop;
    char spread[16];

    printf("  %-30s %-6s %12.4f %8s %14.4g %12.1f %6.1f%%", row->variant, bench_clock_name(row->clock), row->ms.median,
           bench_spread_text(row, spread, sizeof spread), bench_row_rate(row), 1e-9 * flops, 100 * flops / b->peak);
    print_ratio(row, before);
    print_ratio(row, first);
    if (isnan(row->error))
        printf(" %10s", "");
    else
        printf(" %10.1e", row->error);
    printf("%s%s\n", row->remark ? "  " : "", row->remark ? row->remark : "");
}

void bench_print_ladder(const bench *b, const bench_result *rows, size_t n)
{
    const bench_result *before = NULL;
    char label[64];

    snprintf(label, sizeof label, "%ss/s", rows[0].unit);
    printf("%s %s: ms per %s; %g flop an %s, peak: %.1f GFLOP/s of multiply-adds measured on this device\n",
           b->workload, rows[0].case_name, rows[0].item, b->flop, rows[0].unit, 1e-9 * b->peak);
    printf("  %-30s %-6s %12s %8s %14s %12s %7s %9s %9s %10s\n", "", "clock", "median", "spread", label, "GFLOP/s",
           "peak", "x before", "x first", "max error");
    for (size_t i = 0; i < n; i++) {
        print_row(b, &rows[i], rows[i].kind == BENCH_OURS ? before : NULL, i ? rows : NULL);
        before = &rows[i];
    }
    printf("\n");
    fflush(stdout);
}
