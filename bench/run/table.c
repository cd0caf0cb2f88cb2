/* Rows printed as a table with ratios, or as part of the JSON answer. */
#include "run.h"

#include <math.h>
#include <stdio.h>

#include "progress.h"
#include "shared/answer.h"
#include "shared/json.h"

/* Letter of a peer's column. */
static int letter(size_t column)
{
    return column < 26 ? (int)('a' + column) : '?';
}

static void print_row(const bench_result *row, const char *label)
{
    char spread[16];

    printf("  %-36s %-6s %5zu %12.4f %8s %12.4f %12.4f", label, bench_clock_name(row->clock), row->runs, row->ms.median,
           bench_spread_text(row, spread, sizeof spread), row->ms.min, row->ms.max);
    printf(bench_row_rate(row) < 1e8 ? " %14.1f" : " %14.4g", bench_row_rate(row));
}

/* "x2.3": ours takes 1/2.3 of the peer's time. */
static void print_ratio(const bench_result *ours, const bench_result *peer)
{
    double ratio = peer->ms.median / ours->ms.median;
    char text[32];

    snprintf(text, sizeof text, "%sx%.*f", ours->clock == peer->clock ? "" : "~",
             ratio >= 99.5 ? 0 : (ratio >= 9.95 ? 1 : 2), ratio);
    printf(" %8s", text);
}

/* Peers with their letters, then ours with their ratios. */
static void print_rows(const bench_result *rows, size_t n, bench_kind kind)
{
    size_t peers = 0;
    char label[128];

    for (size_t i = 0; i < n; i++) {
        if (rows[i].kind != kind)
            continue;
        if (kind == BENCH_PEER)
            snprintf(label, sizeof label, "[%c] %s", letter(peers++), rows[i].variant);
        print_row(&rows[i], kind == BENCH_PEER ? label : rows[i].variant);
        for (size_t j = 0; j < n && kind == BENCH_OURS; j++)
            if (rows[j].kind == BENCH_PEER)
                print_ratio(&rows[i], &rows[j]);
        printf("\n");
    }
}

static void print_table(const bench *b, const bench_result *rows, size_t n)
{
    size_t peers = 0;
    char label[128];

    printf("%s %s: ms per %s, x = ours against a peer, above 1 ours is faster (~: by different clocks)\n", b->workload,
           rows[0].case_name, rows[0].item);
    snprintf(label, sizeof label, "%ss/s", rows[0].unit);
    printf("  %-36s %-6s %5s %12s %8s %12s %12s %14s", "", "clock", "runs", "median", "spread", "min", "max", label);
    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == BENCH_PEER)
            printf("      [%c]", letter(peers++));
    printf("\n");
    print_rows(rows, n, BENCH_PEER);
    print_rows(rows, n, BENCH_OURS);
    printf("\n");
    fflush(stdout);
}

/* ---- the ladder: each rung against the one before it and against the first ---- */

/* "x2.31", or nothing where there is no other row. */
static void print_gain(const bench_result *row, const bench_result *other)
{
    char text[32] = "";

    if (other)
        snprintf(text, sizeof text, "x%.3g", bench_row_rate(row) / bench_row_rate(other));
    printf(" %9s", text);
}

static void print_rung(const bench *b, const bench_result *row, const bench_result *before, const bench_result *first)
{
    double flops = bench_row_rate(row) * b->flop;
    char spread[16];

    printf("  %-30s %-6s %12.4f %8s %14.4g %12.1f %6.1f%%", row->variant, bench_clock_name(row->clock), row->ms.median,
           bench_spread_text(row, spread, sizeof spread), bench_row_rate(row), 1e-9 * flops, 100 * flops / b->peak);
    print_gain(row, before);
    print_gain(row, first);
    if (isnan(row->error))
        printf(" %10s", "");
    else
        printf(" %10.1e", row->error);
    printf("%s%s\n", row->remark ? "  " : "", row->remark ? row->remark : "");
}

static void print_ladder(const bench *b, const bench_result *rows, size_t n)
{
    const bench_result *before = NULL;
    char label[64];

    snprintf(label, sizeof label, "%ss/s", rows[0].unit);
    printf("%s %s: ms per %s; %g flop an %s, peak: %.1f GFLOP/s of multiply-adds measured on this device\n",
           b->workload, rows[0].case_name, rows[0].item, b->flop, rows[0].unit, 1e-9 * b->peak);
    printf("  %-30s %-6s %12s %8s %14s %12s %7s %9s %9s %10s\n", "", "clock", "median", "spread", label, "GFLOP/s",
           "peak", "x before", "x first", "max error");
    for (size_t i = 0; i < n; i++) {
        print_rung(b, &rows[i], rows[i].kind == BENCH_OURS ? before : NULL, i ? rows : NULL);
        before = &rows[i];
    }
    printf("\n");
    fflush(stdout);
}

/* ---- JSON, and which table ---- */

void bench_print_case(bench *b)
{
    const bench_result *rows = b->rows + b->printed;
    size_t n = b->count - b->printed;

    bench_progress_clear();
    if (n > 0)
        (b->ladder ? print_ladder : print_table)(b, rows, n);
    b->printed = b->count;
}

void bench_put_spread(json_t *row, const bench_spread *ms)
{
    json_object_set_new(row, "median_ms", json_number(ms->median));
    json_object_set_new(row, "min_ms", json_number(ms->min));
    json_object_set_new(row, "q1_ms", json_number(ms->lower));
    json_object_set_new(row, "q3_ms", json_number(ms->upper));
    json_object_set_new(row, "max_ms", json_number(ms->max));
}

static json_t *json_row(const bench_result *row)
{
    char unit[64];
    json_t *object;

    snprintf(unit, sizeof unit, "%ss/s", row->unit);
    object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:s}", "workload", row->workload, "case", row->case_name,
                       "variant", row->variant, "kind", row->kind == BENCH_OURS ? "ours" : "peer", "clock",
                       bench_clock_name(row->clock), "runs", (json_int_t)row->runs, "rate",
                       json_number(bench_row_rate(row)), "unit", unit);
    bench_put_spread(object, &row->ms);
    if (*row->need.formula)
        json_object_set_new(object, "needs",
                            json_pack("{s:s?, s:o, s:o, s:s}", "numbers", bench_numbers_name(row->need.numbers),
                                      "flops", json_number(row->need.flops), "bytes", json_number(row->need.bytes),
                                      "formula", row->need.formula));
    if (!isnan(row->error))
        json_object_set_new(object, "error", json_number(row->error));
    if (row->remark)
        json_object_set_new(object, "remark", json_string(row->remark));
    return object;
}

/* Which cases these are. */
static json_t *describe_list(const bench *b)
{
    return json_pack("{s:s, s:I, s:I}", "name", b->filter ? "chosen" : bench_extent_name(b->extent), "cases",
                     (json_int_t)b->cases, "of", (json_int_t)b->known);
}

void bench_answer(const bench *b)
{
    json_t *rows = json_array(), *object = bench_here();

    for (size_t i = 0; i < b->count; i++)
        json_array_append_new(rows, json_row(&b->rows[i]));
    json_object_update_new(object, json_pack("{s:o, s:o, s:o, s:o}", "machine", json_text(b->machine), "rows", rows,
                                             "clocks", bench_clocks(), "case_list", describe_list(b)));
    if (object && b->ladder)
        json_object_set_new(object, "peak_flops", json_number(b->peak));
    answer_add(object);
}
