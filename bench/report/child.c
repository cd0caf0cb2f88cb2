/* A case in a process of its own: penta-bench WORKLOAD --case =NAME --json, whose answer is read. */
#include "report.h"

#include <errno.h>
#include <string.h>

#include "run/process.h"
#include "shared/json.h"

/* After this time a case is given up, s. */
static const double most_quick = 120, most_thorough = 3600;

static void finish(json_t *one, const char *status, const char *reason)
{
    json_object_set_new(one, "status", json_string(status));
    json_object_set_new(one, "reason", reason ? json_text(reason) : json_null());
}

static bool run_case(const bench_flags *flags, const json_t *one, bench_end *end)
{
    char name[256], seconds[32];
    const char *words[] = {"/proc/self/exe",
                           json_string_value(json_object_get(one, "workload")),
                           "--json",
                           "--case",
                           name,
                           "--seconds",
                           seconds,
                           flags->device ? "--device" : NULL,
                           flags->device,
                           NULL};
    const bench_program program = {.words = words, .limit = flags->thorough ? most_thorough : most_quick};

    snprintf(name, sizeof name, "=%s", json_string_value(json_object_get(one, "case")));
    snprintf(seconds, sizeof seconds, "%g", flags->seconds);
    return bench_run_program(&program, end);
}

/* ---- its answer ---- */

/* Behind "WORKLOAD CASE: ", with which its messages begin. */
static const char *without_name(const json_t *one, const char *text)
{
    char begins[256];
    int length = snprintf(begins, sizeof begins, "%s %s: ", json_string_value(json_object_get(one, "workload")),
                          json_string_value(json_object_get(one, "case")));

    return strncmp(text, begins, (size_t)length) == 0 ? text + length : text;
}

static void take_notes(const json_t *answer, json_t *one)
{
    json_t *notes = json_array();
    const json_t *note;
    size_t i;

    json_array_foreach(json_object_get(answer, "notes"), i, note)
        json_array_append_new(notes, json_string(without_name(one, json_string_value(note))));
    json_object_set_new(one, "notes", notes);
}

/* The rows, whose workload and case are those of the object around them. */
static void take_rows(const json_t *answer, json_t *one)
{
    json_t *rows = json_deep_copy(json_object_get(answer, "rows")), *row;
    size_t i;

    rows = rows ? rows : json_array();
    json_array_foreach(rows, i, row)
    {
        json_object_del(row, "workload");
        json_object_del(row, "case");
    }
    json_object_set_new(one, "rows", rows);
}

/* Of a process that gave no answer. */
static void take_end(const bench_end *end, json_t *one)
{
    const char *last = *end->said ? "; it said last: " : "";
    char text[512];

    if (end->signal)
        snprintf(text, sizeof text, "ended by signal %d (%s)%s%s", end->signal, strsignal(end->signal), last,
                 end->said);
    else
        snprintf(text, sizeof text, "ended with code %d and no answer%s%s", end->code, last, end->said);
    finish(one, "failed", text);
}

static void judge(const bench_end *end, double limit, json_t *one)
{
    const char *error = json_string_value(json_object_get(end->answer, "error"));
    const json_t *notes = json_object_get(one, "notes");
    size_t rows = json_array_size(json_object_get(one, "rows"));
    char text[64];

    if (end->interrupted) {
        finish(one, "interrupted", "the run was interrupted");
    } else if (end->late) {
        snprintf(text, sizeof text, "it took longer than %g s%s", limit, rows ? "; these rows were done" : "");
        finish(one, rows ? "partial" : "left_out", text);
    } else if (!end->answer) {
        take_end(end, one);
    } else if (error) {
        finish(one, "failed", without_name(one, error));
    } else if (rows == 0) {
        finish(one, "left_out",
               json_array_size(notes) ? json_string_value(json_array_get(notes, 0)) : "nothing was measured");
    } else {
        finish(one, "ok", NULL);
    }
}

void bench_child(const bench_flags *flags, json_t *one)
{
    bench_end end = {.interrupted = cli_interrupted()};
    double start = cli_seconds();
    bool ran = end.interrupted || run_case(flags, one, &end);
    int error = errno;

    take_notes(end.answer, one);
    take_rows(end.answer, one);
    if (ran)
        judge(&end, flags->thorough ? most_thorough : most_quick, one);
    else
        finish(one, "failed", strerror(error));
    json_object_set_new(one, "seconds", json_number(cli_seconds() - start));
    json_decref(end.answer);
}
