/* The cases of one run: which are asked for, what is measured of them, notes and failures. */
#include "run.h"

#include "progress.h"
#include "shared/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/answer.h"
#include "shared/json.h"
#include "shared/messages.h"

penta_context *bench_context(bench *b)
{
    return b->ctx;
}

bool bench_on_cpu(bench *b)
{
    return penta_context_device(b->ctx)->type == PENTA_DEVICE_CPU;
}

bool bench_is_brief(const bench *b)
{
    return b->extent == BENCH_BRIEF;
}

/* One line: workload, case, text. */
static void say(const bench *b, message_kind kind, const char *format, va_list args)
{
    const cli_common common = {.quiet = b->quiet};
    char text[4096];
    int used =
        snprintf(text, sizeof text, "%s%s%s: ", b->workload, b->case_name ? " " : "", b->case_name ? b->case_name : "");

    vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    bench_progress_clear();
    if (kind == MESSAGE_NOTE)
        cli_note(&common, "bench", "%s", text);
    else
        cli_fail("bench", CLI_ERROR, "%s", text);
}

void bench_note(bench *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(b, MESSAGE_NOTE, format, args);
    va_end(args);
}

bool bench_leaves_out(bench *b, const char *variant, penta_status status, const char *error)
{
    if (status != PENTA_UNSUPPORTED && status != PENTA_DEVICE && status != PENTA_BUILD)
        return false;
    bench_note(b, "%s left out: %.*s", variant, (int)strcspn(error, "\n"), error);
    return true;
}

/* What was measured before. */
static void print_measured(bench *b)
{
    bench_progress_clear();
    if (!b->json)
        bench_print_case(b);
    else
        bench_answer(b);
}

static _Noreturn void end_program(const bench *b)
{
    answer_device(b->ctx, b->start);
    exit(cli_end("bench", answer_end("bench", CLI_ERROR)));
}

void bench_fail(bench *b, const char *format, ...)
{
    va_list args;

    print_measured(b);
    va_start(args, format);
    say(b, MESSAGE_ERROR, format, args);
    va_end(args);
    end_program(b);
}

void bench_must(bench *b, const char *what, penta_status status)
{
    if (status != PENTA_OK)
        bench_fail(b, "%s: %s", what, penta_last_error(b->ctx));
}

static bool is_asked_for(const bench *b, const char *name)
{
    return bench_extent_of(b->workload, name) <= b->extent && bench_has_name(b->filter, name);
}

/* Counts or lists it. */
static void look_at_case(bench *b, const char *name)
{
    b->known++;
    if (!is_asked_for(b, name))
        return;
    b->cases++;
    if (b->mode == BENCH_LIST && b->names)
        json_array_append_new(b->names, json_text(name));
    else if (b->mode == BENCH_LIST)
        printf("%s\n", name);
    if (b->default_names && bench_extent_of(b->workload, name) <= BENCH_SMALLER)
        json_array_append_new(b->default_names, json_text(name));
}

void bench_end_case(bench *b)
{
    if (b->mode != BENCH_RUN)
        return;
    bench_progress_clear();
    if (!b->json)
        bench_print_case(b);
    b->case_name = NULL;
}

bool bench_case(bench *b, const char *name, size_t items, const char *item)
{
    if (b->mode != BENCH_RUN) {
        look_at_case(b, name);
        return false;
    }
    if (!is_asked_for(b, name))
        return false;
    bench_end_case(b);
    b->case_name = name;
    b->items = items;
    b->item = item;
    bench_rate(b, 1, item);
    bench_needs_nothing(b);
    bench_progress_case(b->workload, name);
    return true;
}

void bench_rate(bench *b, double amount, const char *unit)
{
    b->amount = amount;
    b->unit = unit;
}

void bench_needs(bench *b, bench_numbers numbers, double flops, double bytes, const char *formula, ...)
{
    va_list args;

    b->need = (bench_need){.numbers = numbers, .flops = flops, .bytes = bytes};
    va_start(args, formula);
    vsnprintf(b->need.formula, sizeof b->need.formula, formula, args);
    va_end(args);
}

void bench_needs_nothing(bench *b)
{
    b->need = (bench_need){0};
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
    bench_progress_row();
    if (cli_interrupted()) {
        print_measured(b);
        cli_fail("bench", CLI_ERROR, "interrupted");
        end_program(b);
    }
}
