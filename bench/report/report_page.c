/* The page of one report: the machine, what its device can do at most, and a table for each case. */
#include "report.h"

#include <math.h>
#include <string.h>

#include "page.h"
#include "shared/json.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- the device ---- */

static void put_fact(json_t *rows, const char *name, const char *text)
{
    json_array_append_new(rows, json_pack("[s, o]", name, json_text(*text ? text : "-")));
}

/* Which cases were taken. */
static const char *list_of(const json_t *report)
{
    bool thorough = json_is_true(json_object_get(report, "thorough"));

    if (json_is_string(json_object_get(report, "filter")))
        return "those that --case names";
    return thorough ? "all (--thorough)" : "the smaller ones; --thorough takes all";
}

static void put_machine(json_t *page, const json_t *report)
{
    const json_t *device = json_object_get(report, "device");
    json_t *rows = page_table(page, "|<");
    char text[512];

    snprintf(text, sizeof text, "%s (%s)", text_of(device, "name"), text_of(device, "type"));
    put_fact(rows, "device", text);
    snprintf(text, sizeof text, "%s, driver %s", text_of(device, "platform"), text_of(device, "driver"));
    put_fact(rows, "platform", text);
    snprintf(text, sizeof text, "%lld compute units, %.1f GiB, %s double precision",
             (long long)json_integer_value(json_object_get(device, "compute_units")),
             number(device, "memory") / 1073741824, json_is_true(json_object_get(device, "fp64")) ? "with" : "without");
    put_fact(rows, "", text);
    put_fact(rows, "machine", text_of(report, "machine"));
    put_fact(rows, "date", text_of(report, "date"));
    put_fact(rows, "penta", text_of(report, "penta"));
    snprintf(text, sizeof text, "%zu of %.0f, %s", json_array_size(json_object_get(report, "cases")),
             number(report, "cases_known"), list_of(report));
    put_fact(rows, "cases", text);
}

static void put_limits(json_t *page, const json_t *report)
{
    json_t *rows = page_table(page, "|at most|<how it is measured"), *limit;
    const char *name;

    json_object_foreach(json_object_get(report, "limits"), name, limit)
    {
        const json_t *reason = json_object_get(limit, "reason");

        json_array_append_new(rows, json_pack("[O, o, O]", json_object_get(limit, "title"),
                                              page_quantity(number(limit, "value"), text_of(limit, "unit")),
                                              reason ? reason : json_object_get(limit, "how")));
    }
}

/* ---- cases ---- */

static double best_rate(const json_t *rows)
{
    const json_t *row;
    double best = 0;
    size_t i;

    json_array_foreach(rows, i, row) best = fmax(best, number(row, "rate"));
    return best;
}

/* Against the fastest of its peers. */
static json_t *peer_cell(const json_t *row)
{
    const json_t *one, *fastest = NULL;
    json_t *ratio, *cell;
    size_t i;

    json_array_foreach(json_object_get(row, "against"), i,
                       one) if (!fastest || number(one, "ratio") < number(fastest, "ratio")) fastest = one;
    if (!fastest)
        return json_string("-");
    ratio = page_ratio(number(fastest, "ratio"), !json_is_true(json_object_get(fastest, "same_clock")));
    cell = json_sprintf("%s %s", page_cell(ratio), text_of(fastest, "peer"));
    json_decref(ratio);
    return cell;
}

static json_t *limit_cell(const json_t *row)
{
    json_t *limit, *cell;

    if (!json_object_get(row, "limit"))
        return json_string("-");
    limit = page_number(number(row, "limit"));
    cell = json_sprintf("%s (%s)", page_cell(limit), text_of(row, "limited_by"));
    json_decref(limit);
    return cell;
}

/* From quartile to quartile; of a single run nothing. */
static json_t *spread_cell(const json_t *row)
{
    if (!(number(row, "runs") > 1))
        return json_string("-");
    return json_sprintf("%.1f %%", 100 * (number(row, "q3_ms") - number(row, "q1_ms")) / number(row, "median_ms"));
}

static json_t *case_row(const json_t *row, double best)
{
    bool peer = strcmp(text_of(row, "kind"), "peer") == 0;
    json_t *name = json_sprintf("%s%s", peer ? "peer: " : "", text_of(row, "variant"));

    return json_pack("[o, O, o, o, o, o, o, o]", name, json_object_get(row, "clock"),
                     page_number(number(row, "median_ms")), spread_cell(row),
                     page_bar(page_number(number(row, "rate")), number(row, "rate") / best, peer), limit_cell(row),
                     page_share(number(row, "share")), peer_cell(row));
}

/* The formulas of a case, each once. */
static void put_formulas(json_t *page, const json_t *rows)
{
    json_t *seen = json_object(), *list = json_array();
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        const char *formula = text_of(json_object_get(row, "needs"), "formula");

        if (!*formula || json_object_get(seen, formula))
            continue;
        json_object_set_new(seen, formula, json_true());
        json_array_append_new(list, json_sprintf("needs at least %s (%s)", formula, text_of(row, "variant")));
    }
    if (json_array_size(list) == 1)
        json_array_set_new(list, 0, json_sprintf("needs at least %s", json_object_iter_key(json_object_iter(seen))));
    if (json_array_size(list) > 0)
        page_list(page, list);
    else
        json_decref(list);
    json_decref(seen);
}

static void put_rows(json_t *page, const json_t *rows)
{
    const char *unit = text_of(json_array_get(rows, 0), "unit");
    char columns[256];
    double best = best_rate(rows);
    const json_t *row;
    json_t *table;
    size_t i;

    snprintf(columns, sizeof columns, "|<clock|ms|spread|%s|limit|share|<against the fastest peer", unit);
    table = page_table(page, columns);
    json_array_foreach(rows, i, row) json_array_append_new(table, case_row(row, best));
    put_formulas(page, rows);
}

static void put_case(json_t *page, const json_t *one)
{
    const json_t *rows = json_object_get(one, "rows"), *notes = json_object_get(one, "notes");
    const char *status = text_of(one, "status");
    char title[256];

    snprintf(title, sizeof title, "%s %s", text_of(one, "workload"), text_of(one, "case"));
    page_heading(page, 3, title);
    if (strcmp(status, "ok") != 0)
        page_text(page, "%s: %s", strcmp(status, "left_out") == 0 ? "left out" : status, text_of(one, "reason"));
    if (json_array_size(rows) > 0)
        put_rows(page, rows);
    if (json_array_size(notes) > 0)
        page_list(page, json_deep_copy(notes));
}

json_t *bench_report_page(const json_t *report)
{
    json_t *page = json_array();
    const json_t *one;
    size_t i;

    page_heading(page, 1, "penta bench");
    put_machine(page, report);
    page_heading(page, 2, "What the device can do at most");
    put_limits(page, report);
    page_heading(page, 2, "Cases");
    page_text(
        page,
        "Every result was compared with the others' before it was timed. Times are medians of an item; \"device\": "
        "of kernels by their events, \"wall\": of the whole call by the host's clock; spread: from quartile to "
        "quartile "
        "of the runs, over the median. Limit: the rate at which "
        "the job would run if the device moved its bytes at copy bandwidth and did its flops at the rate of "
        "multiply-adds, whichever takes longer; share: the part of it that was reached, above 100 %% where data "
        "stay in caches or an algorithm needs less than the formula. Against a peer: above 1 ours is faster; ~: by "
        "different clocks.");
    json_array_foreach(json_object_get(report, "cases"), i, one) put_case(page, one);
    return page;
}
