/* The page of a comparison: a column for each machine, a letter each. */
#include "report.h"

#include <math.h>
#include <string.h>

#include "page.h"
#include "shared/json.h"

enum { MOST_LETTERS = 26 };

static const char *text_of(const json_t *object, const char *key)
{
    return page_cell(json_object_get(object, key));
}

static double value_of(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "A", "B", ...; numbers where letters do not suffice. */
static const char *letter(size_t i, char *text, size_t size)
{
    if (i < MOST_LETTERS)
        snprintf(text, size, "%c", (int)('A' + i));
    else
        snprintf(text, size, "%zu", i + 1);
    return text;
}

static void put_machines(json_t *page, const json_t *reports)
{
    json_t *rows = page_table(page, "|<device|<driver|<machine|<date|<penta|<report");
    const json_t *report;
    char name[32];
    size_t i;

    json_array_foreach(reports, i, report)
        json_array_append_new(rows, json_pack("[s, O, O, O, O, O, O]", letter(i, name, sizeof name),
                                              json_object_get(report, "device"), json_object_get(report, "driver"),
                                              json_object_get(report, "machine"), json_object_get(report, "date"),
                                              json_object_get(report, "penta"), json_object_get(report, "path")));
}

/* "A|B|B/A|C|C/A" behind the first columns. */
static void name_columns(char *text, size_t size, const char *first, size_t count)
{
    size_t used = (size_t)snprintf(text, size, "%s", first);
    char name[32];

    for (size_t i = 0; i < count && used + 64 < size; i++) {
        letter(i, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, i ? "|%s|%s/A" : "|%s", name, name);
    }
}

static double largest(const json_t *list)
{
    double most = 0;

    for (size_t i = 0; i < json_array_size(list); i++)
        most = fmax(most, value_of(list, i));
    return most;
}

/* Values and their ratios to the first's; unit NULL: numbers as they are. */
static void put_values(json_t *row, const json_t *list, const char *unit, bool peer)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        double value = value_of(list, i);
        json_t *text = unit ? page_quantity(value, unit) : page_number(value);

        json_array_append_new(row, isnan(value) ? text : page_bar(text, value / largest(list), peer));
        if (i > 0)
            json_array_append_new(row, page_ratio(value / value_of(list, 0), false));
    }
}

static void put_limits(json_t *page, const json_t *limits, size_t count)
{
    char columns[2048];
    const json_t *limit;
    json_t *rows, *row;
    size_t i;

    name_columns(columns, sizeof columns, "", count);
    rows = page_table(page, columns);
    json_array_foreach(limits, i, limit)
    {
        row = json_pack("[O]", json_object_get(limit, "title"));
        put_values(row, json_object_get(limit, "values"), text_of(limit, "unit"), false);
        json_array_append_new(rows, row);
    }
}

static void put_rates(json_t *page, const json_t *comparison, size_t count)
{
    char columns[2048];
    const json_t *one;
    json_t *rows, *row;
    size_t i;

    name_columns(columns, sizeof columns, "|<|<clock|<unit", count);
    rows = page_table(page, columns);
    json_array_foreach(comparison, i, one)
    {
        bool peer = strcmp(text_of(one, "kind"), "peer") == 0;

        row = json_pack("[o, o, O, O]", json_sprintf("%s %s", text_of(one, "workload"), text_of(one, "case")),
                        json_sprintf("%s%s", peer ? "peer: " : "", text_of(one, "variant")),
                        json_object_get(one, "clock"), json_object_get(one, "unit"));
        put_values(row, json_object_get(one, "rates"), NULL, peer);
        json_array_append_new(rows, row);
    }
}

json_t *bench_compare_page(const json_t *comparison)
{
    const json_t *reports = json_object_get(comparison, "reports");
    size_t count = json_array_size(reports);
    json_t *page = json_array();

    page_heading(page, 1, "penta bench: comparison");
    put_machines(page, reports);
    page_heading(page, 2, "What the devices can do at most");
    put_limits(page, json_object_get(comparison, "comparison_limits"), count);
    page_heading(page, 2, "Rates");
    page_text(page,
              "Medians. Behind each machine but the first: its rate over the first's. Rows by the clock \"wall\" and "
              "peers depend on the machine around the device.");
    put_rates(page, json_object_get(comparison, "comparison"), count);
    return page;
}
