/* penta bench --compare: reports of several machines, row by row. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>

#include "page.h"
#include "shared/answer.h"
#include "shared/json.h"

/* ---- reading ---- */

static bool is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Whether it is a report of a version that is known; NULL or what is wrong. */
static const char *fault_of(const json_t *report)
{
    const char *format = json_string_value(json_object_get(report, "format"));

    if (!format || strcmp(format, REPORT_NAME) != 0)
        return "is no report of penta bench --all";
    if (json_integer_value(json_object_get(report, "format_version")) != REPORT_FORMAT)
        return "is a report of another version of penta, in a format that this one does not read";
    return NULL;
}

/* NULL after one line on stderr. */
static json_t *load(const char *path)
{
    char *file = is_directory(path) ? penta_io_join_path(path, "report", ".json") : strdup(path);
    json_error_t error;
    json_t *report = file ? json_load_file(file, JSON_REJECT_DUPLICATES, &error) : NULL;
    const char *fault = report ? fault_of(report) : NULL;

    if (!file)
        cli_fail("bench", CLI_ERROR, "out of memory");
    else if (!report && error.line > 0)
        cli_fail("bench", CLI_ERROR, "%s:%d: %s", file, error.line, error.text);
    else if (!report)
        cli_fail("bench", CLI_ERROR, "%s", error.text);
    else if (fault)
        cli_fail("bench", CLI_ERROR, "%s: %s", file, fault);
    if (fault)
        json_decref(report);
    free(file);
    return fault ? NULL : report;
}

static json_t *load_all(char *const *paths, int count)
{
    json_t *reports = json_array();

    for (int i = 0; i < count; i++) {
        json_t *report = load(paths[i]);

        if (!report) {
            json_decref(reports);
            return NULL;
        }
        json_array_append_new(reports, report);
    }
    return reports;
}

/* ---- side by side ---- */

static json_t *copy_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return json_text(text ? text : "");
}

static json_t *describe(const json_t *reports, char *const *paths)
{
    json_t *list = json_array();
    const json_t *report;
    size_t i;

    json_array_foreach(reports, i, report)
    {
        const json_t *device = json_object_get(report, "device");

        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "path", json_text(paths[i]), "device",
                                              copy_text(device, "name"), "driver", copy_text(device, "driver"),
                                              "machine", copy_text(report, "machine"), "date",
                                              copy_text(report, "date"), "penta", copy_text(report, "penta")));
    }
    return list;
}

/* As many nulls as there are reports. */
static json_t *no_numbers(size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_null());
    return list;
}

static void set_number(json_t *list, size_t i, const json_t *value)
{
    if (json_is_number(value))
        json_array_set_new(list, i, json_number(json_number_value(value)));
}

static json_t *compare_limits(const json_t *reports)
{
    json_t *by_name = json_object(), *list = json_array(), *limit;
    const json_t *report;
    const char *name;
    size_t i;

    json_array_foreach(reports, i, report) json_object_foreach(json_object_get(report, "limits"), name, limit)
    {
        json_t *one = json_object_get(by_name, name);

        if (!one) {
            one = json_pack("{s:o, s:o, s:o}", "title", copy_text(limit, "title"), "unit", copy_text(limit, "unit"),
                            "values", no_numbers(json_array_size(reports)));
            json_object_set(by_name, name, one);
            json_array_append_new(list, one);
        }
        set_number(json_object_get(one, "values"), i, json_object_get(limit, "value"));
    }
    json_decref(by_name);
    return list;
}

typedef struct {
    json_t *list, *by_key; /* rows in order of appearance, and by what they are */
    size_t reports;
} row_table;

/* The row of this variant, which is made where it is new. */
static json_t *find_row(row_table *t, const json_t *one, const json_t *row)
{
    static const char *const names[] = {"variant", "kind", "clock", "unit"};
    json_t *found = json_pack("{s:o, s:o}", "workload", copy_text(one, "workload"), "case", copy_text(one, "case")),
           *old;
    char *key;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        json_object_set_new(found, names[k], copy_text(row, names[k]));
    key = json_dumps(found, JSON_SORT_KEYS | JSON_COMPACT);
    old = key ? json_object_get(t->by_key, key) : NULL;
    if (old) {
        json_decref(found);
        found = old;
    } else {
        json_object_set_new(found, "rates", no_numbers(t->reports));
        if (key)
            json_object_set(t->by_key, key, found);
        json_array_append_new(t->list, found);
    }
    free(key);
    return found;
}

static json_t *compare_rows(const json_t *reports)
{
    row_table t = {.list = json_array(), .by_key = json_object(), .reports = json_array_size(reports)};
    const json_t *report, *one, *row;
    size_t i, k, m;

    json_array_foreach(reports, i, report) json_array_foreach(json_object_get(report, "cases"), k, one)
        json_array_foreach(json_object_get(one, "rows"), m, row)
            set_number(json_object_get(find_row(&t, one, row), "rates"), i, json_object_get(row, "rate"));
    json_decref(t.by_key);
    return t.list;
}

/* ---- the command ---- */

static int write_files(const char *directory, const json_t *page)
{
    penta_io_error error = {0};
    penta_io_run *run = NULL;
    bool opened = penta_io_make_directory(directory, &error) && penta_io_run_open(directory, "bench", &run, &error);
    bool good = opened && bench_write_page(directory, "comparison", "penta bench: comparison", page);

    if (!opened || (good && !penta_io_run_commit(run, &error))) {
        cli_fail("bench", CLI_ERROR, "%s", error.text);
        good = false;
    }
    penta_io_run_close(run);
    return good ? CLI_OK : CLI_ERROR;
}

int bench_compare(const bench_flags *flags, char *const *paths, int count)
{
    json_t *reports = load_all(paths, count), *comparison, *page;
    int code;

    if (!reports)
        return CLI_ERROR;
    comparison = json_pack("{s:o, s:o, s:o}", "reports", describe(reports, paths), "comparison_limits",
                           compare_limits(reports), "comparison", compare_rows(reports));
    page = bench_compare_page(comparison);
    code = flags->output ? write_files(flags->output, page) : CLI_OK;
    if (!flags->json)
        page_plain(page, stdout);
    answer_add(comparison);
    json_decref(page);
    json_decref(reports);
    return code;
}
