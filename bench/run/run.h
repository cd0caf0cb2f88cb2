/* State of one run of penta-bench: what the files of the program share, but for those of the workloads. */
#ifndef PENTA_BENCH_RUN_H
#define PENTA_BENCH_RUN_H

#include <jansson.h>

#include "bench.h"

enum { BENCH_FORMULA_BYTES = 160 };

/* What an item needs at least (bench_needs); formula "": nothing is known. */
typedef struct {
    bench_numbers numbers;
    double flops, bytes;
    char formula[BENCH_FORMULA_BYTES];
} bench_need;

typedef struct {
    char *case_name, *variant;
    bench_kind kind;
    bench_clock clock;
    size_t runs;
    double median_ms, min_ms; /* per item */
    const char *item;
    double amount; /* of `unit` in an item */
    const char *unit;
    bench_need need;
    double error;       /* largest, relative; of a ladder's rows */
    const char *remark; /* likewise, or NULL */
} bench_result;

/* What bench_case does with a case that was asked for: counts it, prints its name too, or lets it run. */
typedef enum { BENCH_COUNT = 0, BENCH_LIST, BENCH_RUN } bench_mode;

struct bench {
    const char *workload;
    const char *filter; /* only cases whose name contains it, or is it behind "="; NULL: all */
    bool quick;         /* only cases that bench_is_quick */
    bench_mode mode;
    bool json;
    json_t *names;              /* of the cases listed, for the JSON answer; NULL: they are printed */
    bool ladder, has_ladder;    /* was asked for; the workload has one */
    penta_context *ctx;         /* NULL unless running */
    penta_context *with_double; /* the device's own, while ctx is without double precision; else NULL */
    double start;               /* cli_seconds() */
    char machine[512];
    size_t cases; /* that matched */

    const char *case_name, *item; /* of the current case */
    size_t items;
    double amount; /* of `unit` in an item */
    const char *unit;
    bench_need need;
    double peak, flop; /* of the device, flop/s; of a unit */

    bench_result *rows;
    size_t count, capacity;
    size_t printed; /* rows before this one are in the table already */
};

/* Whether `penta bench --all` takes the case without --thorough. */
bool bench_is_quick(const char *workload, const char *case_name);

/* Least time that bench_measure takes, s. */
void bench_measure_at_least(double seconds);

/* "AMD EPYC 9654, 16 cores" */
void bench_machine_host(char *text, size_t size);

/* Adds a row to the current case. NULL, or what was wrong. */
const char *bench_rows_add(bench *b, const char *variant, bench_kind kind, bench_clock clock,
                           const bench_samples *samples);
/* Units of work a second. */
double bench_row_rate(const bench_result *row);
const char *bench_clock_name(bench_clock clock); /* "device", "wall" */
/* Prints the rows that were not printed yet, all of one case, with their ratios. */
void bench_print_case(bench *b);
/* The same for n rows of a ladder. */
void bench_print_ladder(const bench *b, const bench_result *rows, size_t n);
/* Adds what was measured to the JSON answer. */
void bench_answer(const bench *b);
void bench_rows_free(bench *b);
/* "2026-11-23T20:58:00Z", now. */
void bench_date(char *text, size_t size);
const char *bench_numbers_name(bench_numbers numbers); /* "single", "double"; NULL for none */

#endif
