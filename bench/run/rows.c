/* Rows: what was measured, summed up and kept. */
#define _POSIX_C_SOURCE 200809L

#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *values, size_t n)
{
    double sorted[BENCH_MAX_RUNS];

    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double least(const double *values, size_t n)
{
    double m = values[0];

    for (size_t i = 1; i < n; i++)
        m = values[i] < m ? values[i] : m;
    return m;
}

const char *bench_rows_add(bench *b, const char *variant, bench_kind kind, bench_clock clock,
                           const bench_samples *samples)
{
    const double *seconds = samples->seconds[clock];
    double ms = 1e3 / (double)b->items;
    bench_result *row;

    if (samples->runs == 0 || !(least(seconds, samples->runs) > 0))
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
    *row = (bench_result){.case_name = strdup(b->case_name),
                          .variant = strdup(variant),
                          .kind = kind,
                          .clock = clock,
                          .runs = samples->runs,
                          .median_ms = ms * median(seconds, samples->runs),
                          .min_ms = ms * least(seconds, samples->runs),
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

void bench_error(bench *b, double error, const char *remark)
{
    b->rows[b->count - 1].error = error;
    b->rows[b->count - 1].remark = remark;
}

double bench_row_rate(const bench_result *row)
{
    return 1e3 * row->amount / row->median_ms;
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

const char *bench_clock_name(bench_clock clock)
{
    return clock == BENCH_DEVICE ? "device" : "wall";
}
