/* Rows: what was measured, summed up and kept. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- spread ---- */

int bench_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Where this part of the sorted values lies below: between two of them in proportion. */
static double quantile(const double *sorted, size_t n, double part)
{
    double at = part * (double)(n - 1);
    size_t below = (size_t)at;

    return below + 1 < n ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]) : sorted[below];
}

bench_spread bench_spread_of(const double *values, size_t n)
{
    double sorted[BENCH_MAX_RUNS];

    n = n < BENCH_MAX_RUNS ? n : BENCH_MAX_RUNS;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, bench_by_value);
    return (bench_spread){.min = sorted[0],
                          .lower = quantile(sorted, n, 0.25),
                          .median = quantile(sorted, n, 0.5),
                          .upper = quantile(sorted, n, 0.75),
                          .max = sorted[n - 1]};
}

bench_spread bench_spread_scaled(bench_spread s, double by)
{
    return (bench_spread){by * s.min, by * s.lower, by * s.median, by * s.upper, by * s.max};
}

double bench_spread_width(const bench_spread *s)
{
    return (s->upper - s->lower) / s->median;
}

/* ---- rows ---- */

const char *bench_rows_add(bench *b, const char *variant, bench_kind kind, bench_clock clock,
                           const bench_samples *samples)
{
    const double *seconds = samples->seconds[clock];
    bench_spread spread = {0};
    bench_result *row;

    if (samples->runs > 0)
        spread = bench_spread_of(seconds, samples->runs);
    if (!(spread.min > 0))
        return "no time was measured";
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        bench_result *rows = realloc(b->rows, capacity * sizeof *rows);

        if (!rows)
            return "out of memory";
        b->rows = rows;
        b->capacity = capacity;
    }
    row = &b->rows[b->count];
    *row = (bench_result){.workload = b->workload,
                          .case_name = strdup(b->case_name),
                          .variant = strdup(variant),
                          .kind = kind,
                          .clock = clock,
                          .runs = samples->runs,
                          .ms = bench_spread_scaled(spread, 1e3 / (double)b->items),
                          .item = b->item,
                          .amount = b->amount,
                          .unit = b->unit,
                          .need = b->need,
                          .error = NAN};
    if (!row->case_name || !row->variant)
        return "out of memory";
    b->count++;
    return NULL;
}

void bench_remark(bench *b, const char *remark)
{
    b->rows[b->count - 1].remark = remark;
}

double bench_row_rate(const bench_result *row)
{
    return 1e3 * row->amount / row->ms.median;
}

const char *bench_spread_text(const bench_result *row, char *text, size_t size)
{
    if (row->runs > 1)
        snprintf(text, size, "%.1f%%", 100 * bench_spread_width(&row->ms));
    else
        snprintf(text, size, "-");
    return text;
}

void bench_rows_free(bench *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->rows[i].case_name);
        free(b->rows[i].variant);
    }
    free(b->rows);
    b->rows = NULL;
    b->count = b->capacity = b->printed = 0;
}

const char *bench_numbers_name(bench_numbers numbers)
{
    return numbers == BENCH_SINGLE ? "single" : numbers == BENCH_DOUBLE ? "double" : NULL;
}

/* ---- clocks ---- */

static const char *const clocks[][2] = {
    [BENCH_WALL] = {"wall", "the whole call by the host's clock, from and to host memory"},
    [BENCH_DEVICE] = {"device", "kernels by the device's clock, from its events, without transfers and launches"}};

const char *bench_clock_name(bench_clock clock)
{
    return clocks[clock][0];
}

json_t *bench_clocks(void)
{
    return json_pack("{s:s, s:s}", clocks[BENCH_DEVICE][0], clocks[BENCH_DEVICE][1], clocks[BENCH_WALL][0],
                     clocks[BENCH_WALL][1]);
}

void bench_print_clocks(void)
{
    for (int i = BENCH_DEVICE; i >= BENCH_WALL; i--)
        printf("clock %s: %s\n", clocks[i][0], clocks[i][1]);
}
