/* The cases of one run: which are asked for, what is measured of them, notes and failures. */
#define _POSIX_C_SOURCE 200809L

#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

penta_context *bench_context(bench *b)
{
    return b->ctx;
}

/* One line on stderr: program, workload, case, text. */
static void say(const bench *b, const char *format, va_list args)
{
    fprintf(stderr, "penta bench: %s", b->workload);
    if (b->case_name)
        fprintf(stderr, " %s", b->case_name);
    fprintf(stderr, ": ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
}

void bench_note(bench *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(b, format, args);
    va_end(args);
}

void bench_fail(bench *b, const char *format, ...)
{
    va_list args;

    if (!b->json)
        bench_print_case(b); /* what was measured before */
    va_start(args, format);
    say(b, format, args);
    va_end(args);
    exit(EXIT_FAILURE);
}

bool bench_case(bench *b, const char *name, size_t items, const char *item)
{
    if (b->filter && !strstr(name, b->filter))
        return false;
    b->cases++;
    if (b->mode == BENCH_LIST)
        printf("%s\n", name);
    if (b->mode != BENCH_RUN)
        return false;
    if (!b->json)
        bench_print_case(b);
    b->case_name = name;
    b->items = items;
    b->item = item;
    bench_rate(b, 1, item);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "penta bench: %s %s ...\n", b->workload, name);
    return true;
}

void bench_rate(bench *b, double amount, const char *unit)
{
    b->amount = amount;
    b->unit = unit;
}

bool bench_ladder(bench *b)
{
    b->has_ladder = true;
    return b->ladder;
}

void bench_peak(bench *b, double peak, double flop)
{
    b->peak = peak;
    b->flop = flop;
}

void bench_row(bench *b, const char *variant, bench_kind kind, bench_clock clock, const bench_samples *samples)
{
    const char *wrong = bench_rows_add(b, variant, kind, clock, samples);

    if (wrong)
        bench_fail(b, "%s: %s", variant, wrong);
}
