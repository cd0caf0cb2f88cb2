/*
 * What a workload's benchmark sees of the program penta-bench. bench/<workload>/bench.c defines one function,
 * `void bench_<workload>(bench *b)`, which goes through its cases:
 *
 *     if (bench_case(b, "750x1500-r25", 1, "frame")) {
 *         run each variant once and compare its result with the others' (bench_fail when one differs);
 *         then bench_measure and bench_row.
 *     }
 *
 * So nothing is timed before its answer was checked, and that first run is the warm-up.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/context.h>

typedef struct bench bench;

/* One function for each workload of the build that has a benchmark. */
#define PENTACL_WORKLOAD(name) void bench_##name(bench *b);
#include "pentacl_benches.def"
#undef PENTACL_WORKLOAD

typedef enum { BENCH_OURS = 0, BENCH_PEER } bench_kind;

/* BENCH_DEVICE: time on the device, from its events, without transfers. BENCH_WALL: the host's clock, host memory to
 * host memory. */
typedef enum { BENCH_WALL = 0, BENCH_DEVICE } bench_clock;

enum { BENCH_MAX_RUNS = 200 };

typedef struct {
    size_t runs;
    double seconds[2][BENCH_MAX_RUNS]; /* of each run, by bench_clock; BENCH_DEVICE is 0 where the work gives none */
} bench_samples;

/* Does the work once. *device_seconds, 0 on entry, takes the time on the device where there is one. It ends the
 * program by bench_fail when the work fails. */
typedef void (*bench_work)(void *data, double *device_seconds);

/* The device under test. */
penta_context *bench_context(bench *b);
bool bench_on_cpu(bench *b);
/* Whether the run is to end within a minute with no kernel compiled: then a case leaves out rows that take long to
 * compile or to run, but not what the library chooses and the best of its peers. */
bool bench_is_brief(const bench *b);

/* In a work, before what is timed: kernels are timed from here on. On GPUs bench_measure calls a work that gives a time
 * on the device twice a run, once for the host's clock: then kernels have no time stamps, which would slow them. */
void bench_time_kernels(bench *b);
/* Whether they have. */
bool bench_times_kernels(void);
/* Waits; the time of all kernels since bench_time_kernels, 0 where they have none. */
double bench_kernel_seconds(bench *b);

/*
 * Begins a case: each run of its variants handles `items` things, each called `item` ("frame"). False when it is not
 * among those asked for: then the caller skips it.
 */
bool bench_case(bench *b, const char *name, size_t items, const char *item);

/* The rows that follow, to the end of the case, give rates in `amount` of `unit` an item ("interaction"), not in items.
 */
void bench_rate(bench *b, double amount, const char *unit);

/* What arithmetic a job needs, and by which limit of the device its flops count. */
typedef enum { BENCH_NO_FLOPS = 0, BENCH_SINGLE, BENCH_DOUBLE } bench_numbers;

/*
 * The rows that follow, to the end of the case, are of a job that needs these flops and moves these bytes an item at
 * least, whatever its algorithm; the formula says why, "20 n^2 flops, 80 n bytes; n = 4096". With the device's limits
 * this bounds how fast the job can be. `numbers` BENCH_NO_FLOPS: bytes alone count. Without bytes and flops: no bound.
 */
void bench_needs(bench *b, bench_numbers numbers, double flops, double bytes, const char *formula, ...)
    __attribute__((format(printf, 5, 6)));
void bench_needs_nothing(bench *b);

/* Repeats the work, already warm, until it took the time of --seconds and 5 runs, but no longer than ten times that or
 * BENCH_MAX_RUNS runs; once where the run as a whole is late (run/measure.c). */
void bench_measure(bench_work work, void *data, bench_samples *samples);

/* ---- stages (run/stages.c): what kernels took, by what they are for ---- */

enum { BENCH_MAX_STAGES = 8 };

/* What kernels' names begin with. */
typedef struct {
    const char *prefix;
    int stage;
} bench_stage_kernels;

typedef struct {
    const bench_stage_kernels *kernels; /* the last has prefix NULL */
    int others;                         /* the stage of all other kernels */
    size_t runs;
    double seconds[BENCH_MAX_RUNS][BENCH_MAX_STAGES]; /* of each run */
} bench_stages;

/* Waits. Adds a run, if kernels have times: all since bench_time_kernels. Returns their time, s. */
double bench_stages_add(bench *b, bench_stages *s);
/* A stage in each of these runs, as BENCH_DEVICE. */
void bench_stages_samples(const bench_stages *s, int stage, bench_samples *out);

/* ---- without double precision (run/single.c) ---- */

/* Until bench_single_end bench_context is another one, of the same device without double precision. False: the device
 * under test has none itself, so that all rows are without, or the run is brief; then nothing was begun. */
bool bench_single_begin(bench *b);
void bench_single_end(bench *b);
/* "without double precision a movie takes 1.23 times as long (host to host)": by the medians of that clock. */
void bench_slowdown(bench *b, const char *what, const char *how, bench_clock clock, const bench_samples *with,
                    const bench_samples *without);

/* ---- rows ---- */

/* Adds a row to the current case. Times in the table and in the JSON are per item. */
void bench_row(bench *b, const char *variant, bench_kind kind, bench_clock clock, const bench_samples *samples);

/* Looks at what the work left: ends the program where it is wrong, and returns the largest relative error, or NAN. */
typedef double (*bench_check)(void *data, const char *variant);

/* Runs the work once, checks (NULL: does not), measures, and adds the row. samples: what was measured, or NULL. */
void bench_work_row(bench *b, const char *variant, bench_kind kind, bench_clock clock, bench_work work,
                    bench_check check, void *data, bench_samples *samples);

/*
 * Whether the ladder of kernels was asked for (--ladder) instead of the benchmark; a workload that has one calls this.
 * Then a case's rows are its rungs in their order, our other kernels and peers, all with a rate in units of `flop`
 * floating-point operations, of which the device does `peak` a second; bench_remark adds to the last row what else
 * there is to say of it.
 */
bool bench_ladder(bench *b);
void bench_peak(bench *b, double peak, double flop);
void bench_remark(bench *b, const char *remark);

/* Says on stderr, in one line, why a row is missing. */
void bench_note(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a row whose call failed is left out, with a note (`error`: the library's text, of which its first line is
 * said), because device or driver cannot run it: a library's kernels that do not compile there, for example. Otherwise
 * the caller fails. */
bool bench_leaves_out(bench *b, const char *variant, penta_status status, const char *error);

/* A wrong result or a call that failed: one line on stderr, and the program ends with code 1. */
_Noreturn void bench_fail(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* bench_fail with the library's text unless the status is PENTA_OK. */
void bench_must(bench *b, const char *what, penta_status status);

/* Memory, zeroed, or the program ends. */
void *bench_alloc(bench *b, size_t count, size_t size);
/* "tile host": a name of a row. */
char *bench_text(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Pinned memory of the device under test, or the program ends. */
void *bench_pinned(bench *b, size_t bytes);
/* The same with a copy of data: pinned memory of one context is ordinary memory to another. */
void *bench_pinned_copy(bench *b, const void *data, size_t bytes);
/* Frees all memory of these functions since bench_mark gave this number; 0: all. bench_single_end frees what was made
 * since bench_single_begin. */
void bench_release(bench *b, size_t mark);
size_t bench_mark(const bench *b);
/* -1 .. 1, the i-th number of splitmix64. */
double bench_noise(uint64_t i);

/* For qsort, of double. */
int bench_by_value(const void *a, const void *b);

/* Host clock, s. */
double bench_now(void);

/* Adds the name of a further device that peers use to the machine's description (once each). */
void bench_machine_add(bench *b, const char *name);

/* Hardware threads that this process may use. */
int bench_cores(void);
