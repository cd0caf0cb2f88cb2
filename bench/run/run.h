/* State of one run of penta-bench: what the files of the program share, but for those of the workloads. */
#pragma once

#include <jansson.h>

#include "bench.h"
#include "shared/bench_flags.h"

/* ---- what repeated times come to ---- */

typedef struct {
    double min, lower, median, upper, max; /* lower, upper: quartiles */
} bench_spread;

/* Of n values, 1 at least. */
bench_spread bench_spread_of(const double *values, size_t n);
/* All of it times a number. */
bench_spread bench_spread_scaled(bench_spread s, double by);
/* From quartile to quartile, as a part of the median; 0 of a single value. */
double bench_spread_width(const bench_spread *s);

/* ---- rows and cases ---- */

enum { BENCH_FORMULA_BYTES = 160 };

/* What an item needs at least (bench_needs); formula "": nothing is known. */
typedef struct {
    bench_numbers numbers;
    double flops, bytes;
    char formula[BENCH_FORMULA_BYTES];
} bench_need;

typedef struct {
    const char *workload;
    char *case_name, *variant;
    bench_kind kind;
    bench_clock clock;
    size_t runs;
    bench_spread ms; /* per item */
    const char *item;
    double amount; /* of `unit` in an item */
    const char *unit;
    bench_need need;
    double error;       /* largest, relative; of a ladder's rows */
    const char *remark; /* likewise, or NULL */
} bench_result;

/* What bench_case does with a case that was asked for: counts it, prints its name too, or lets it run. */
typedef enum { BENCH_COUNT = 0, BENCH_LIST, BENCH_RUN } bench_mode;

/* Without a workload; the smaller cases, of one or with --all; --thorough or --case. */
typedef enum { BENCH_BRIEF = 0, BENCH_SMALLER, BENCH_THOROUGH } bench_extent;

/* Memory of bench_alloc, or of bench_pinned of a context. */
typedef struct {
    void *memory;
    penta_context *pinned;
} bench_block;

struct bench {
    const char *workload;
    const char *filter; /* only cases whose name contains it, or is it behind "="; NULL: all */
    bench_extent extent;
    bench_mode mode;
    bool json, quiet;
    json_t *names;              /* of the cases listed, for the JSON answer; NULL: they are printed */
    json_t *default_names;      /* of those among them that run by default, or NULL */
    bool ladder, has_ladder;    /* was asked for; the workload has one */
    penta_context *ctx;         /* NULL unless running */
    penta_context *with_double; /* the device's own, while ctx is without double precision; else NULL */
    double start;               /* cli_seconds() */
    char machine[512];
    size_t cases, known; /* that matched; that there are */

    const char *case_name, *item; /* of the current case */
    size_t items;
    double amount; /* of `unit` in an item */
    const char *unit;
    bench_need need;
    double peak, flop; /* of the device, flop/s; of a unit */

    bench_block *blocks;
    size_t block_count, block_capacity, single_mark; /* the last: at bench_single_begin */

    bench_result *rows;
    size_t count, capacity;
    size_t printed; /* rows before this one are in the table already */
};

/* That these flags ask for; workload NULL: none is named. */
bench_extent bench_asked_extent(const bench_flags *flags, const char *workload);
/* The least extent with which the case is measured. */
bench_extent bench_extent_of(const char *workload, const char *case_name);
const char *bench_extent_name(bench_extent extent); /* "brief", "smaller", "thorough" */

/* Least time that bench_measure takes, s. */
void bench_measure_at_least(double seconds);
/* From this time on (cli_seconds) it takes one run a row. */
void bench_measure_until(double time);
/* Whether the two clocks have runs of their own: where time stamps of kernels slow them. */
void bench_measure_apart(bool apart);

/* Prints the rows of the case that runs, if any, after the last case of a workload. */
void bench_end_case(bench *b);

/* "AMD EPYC 9654, 16 cores" */
void bench_machine_host(char *text, size_t size);
/* {"machine": that, "date": "2026-11-23T20:58:00Z"}, now. */
json_t *bench_here(void);

/* Adds a row to the current case. NULL, or what was wrong. */
const char *bench_rows_add(bench *b, const char *variant, bench_kind kind, bench_clock clock,
                           const bench_samples *samples);
/* Units of work a second. */
double bench_row_rate(const bench_result *row);
const char *bench_clock_name(bench_clock clock); /* "device", "wall" */
/* What each measures: {"device": text, "wall": text}. */
json_t *bench_clocks(void);
void bench_print_clocks(void);
/* "min_ms", "q1_ms", "median_ms", "q3_ms" and "max_ms" of times in ms. */
void bench_put_spread(json_t *row, const bench_spread *ms);
/* "4.2%", "-" of a single run. Returns the text. */
const char *bench_spread_text(const bench_result *row, char *text, size_t size);
/* Prints the rows that were not printed yet, all of one case, with their ratios. */
void bench_print_case(bench *b);
/* Adds what was measured to the JSON answer. */
void bench_answer(const bench *b);
void bench_rows_free(bench *b);
const char *bench_numbers_name(bench_numbers numbers); /* "single", "double"; NULL for none */

/* ---- which cases of --scaling or --job are wanted, and their list ---- */

typedef struct {
    const char *flag;     /* "--job" */
    const char *workload; /* or NULL: of all */
    const char *filter;   /* of --case: a part of the name, or "=" and the name; NULL: all */
} bench_choice;

bool bench_has_name(const char *filter, const char *name);
bool bench_is_chosen(const bench_choice *choice, const char *workload, const char *name);
/* Of an array of cases, elements of so many bytes that begin with two texts, workload and name: how many are chosen.
 * *code: CLI_OK, or, where none is, CLI_USAGE after one line. */
size_t bench_count_chosen(const bench_choice *choice, const void *cases, size_t count, size_t bytes, int *code);
/* With --list: prints them, unless json, and adds them to the answer. */
void bench_list_chosen(const bench_choice *choice, const void *cases, size_t count, size_t bytes, bool json);
