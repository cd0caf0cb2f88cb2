/* A case in a process of its own: penta-bench WORKLOAD --case =NAME --json, whose answer is read. */
#define _GNU_SOURCE /* strsignal */
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run/process.h"
#include "shared/json.h"

/* After this time a case is given up, s. */
static const double most_quick = 120, most_thorough = 3600;
static const double grace = 15; /* s in which it ends its row and gives those that it has */

typedef struct {
    const bench_flags *flags;
    const char *workload, *name;
    bench_process process;
    int state;        /* of waitpid */
    double limit;     /* s */
    bool late, ended; /* was given up; before its time by Ctrl-C */
} child;

static void finish(json_t *one, const char *status, const char *reason)
{
    json_object_set_new(one, "status", json_string(status));
    json_object_set_new(one, "reason", reason ? json_text(reason) : json_null());
}

/* ---- the process ---- */

static void become(const void *data)
{
    const child *c = data;
    char name[256], seconds[32];
    const char *words[12] = {"penta-bench", c->workload, "--json", "--case", name, "--seconds", seconds, NULL};

    snprintf(name, sizeof name, "=%s", c->name);
    snprintf(seconds, sizeof seconds, "%g", c->flags->seconds);
    if (c->flags->device) {
        words[7] = "--device";
        words[8] = c->flags->device;
    }
    execve("/proc/self/exe", (char **)words, bench_environment());
}

/* Until it is over, by itself or because it is late or the run was interrupted. */
static void wait_for(child *c)
{
    double start = cli_seconds();

    while (waitpid(c->process.id, &c->state, WNOHANG) == 0) {
        double taken = cli_seconds() - start;

        c->ended = cli_interrupted();
        if (taken > c->limit && !c->late)
            kill(c->process.id, SIGTERM);
        c->late = taken > c->limit;
        if (c->ended || taken > c->limit + grace) {
            kill(c->process.id, SIGKILL);
            waitpid(c->process.id, &c->state, 0);
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

/* ---- its answer ---- */

static json_t *read_answer(child *c)
{
    wait_for(c);
    rewind(c->process.out);
    return json_loadf(c->process.out, 0, NULL);
}

/* Behind "WORKLOAD CASE: ", with which its messages begin. */
static const char *without_name(const child *c, const char *text)
{
    char begins[256];
    int length = snprintf(begins, sizeof begins, "%s %s: ", c->workload, c->name);

    return strncmp(text, begins, (size_t)length) == 0 ? text + length : text;
}

static void take_notes(const child *c, const json_t *answer, json_t *one)
{
    json_t *notes = json_array();
    const json_t *note;
    size_t i;

    json_array_foreach(json_object_get(answer, "notes"), i, note)
        json_array_append_new(notes, json_string(without_name(c, json_string_value(note))));
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
static void take_end(const child *c, json_t *one)
{
    char text[512], line[256];

    bench_last_line(c->process.err, line, sizeof line);
    if (WIFSIGNALED(c->state))
        snprintf(text, sizeof text, "ended by signal %d (%s)%s%s", WTERMSIG(c->state), strsignal(WTERMSIG(c->state)),
                 *line ? "; it said last: " : "", line);
    else
        snprintf(text, sizeof text, "ended with code %d and no answer%s%s", WEXITSTATUS(c->state),
                 *line ? "; it said last: " : "", line);
    finish(one, "failed", text);
}

static void judge(const child *c, const json_t *answer, json_t *one)
{
    const char *error = json_string_value(json_object_get(answer, "error"));
    const json_t *notes = json_object_get(one, "notes");
    size_t rows = json_array_size(json_object_get(one, "rows"));
    char text[64];

    if (c->ended) {
        finish(one, "interrupted", "the run was interrupted");
    } else if (c->late) {
        snprintf(text, sizeof text, "it took longer than %g s%s", c->limit, rows ? "; these rows were done" : "");
        finish(one, rows ? "partial" : "left_out", text);
    } else if (!answer) {
        take_end(c, one);
    } else if (error) {
        finish(one, "failed", without_name(c, error));
    } else if (rows == 0) {
        finish(one, "left_out",
               json_array_size(notes) ? json_string_value(json_array_get(notes, 0)) : "nothing was measured");
    } else {
        finish(one, "ok", NULL);
    }
}

void bench_child(const bench_flags *flags, json_t *one)
{
    child c = {.flags = flags,
               .workload = json_string_value(json_object_get(one, "workload")),
               .name = json_string_value(json_object_get(one, "case")),
               .limit = flags->thorough ? most_thorough : most_quick};
    double start = cli_seconds();
    json_t *answer = NULL;

    c.ended = cli_interrupted();
    if (c.ended || bench_process_start(&c.process, become, &c)) {
        answer = c.ended ? NULL : read_answer(&c);
        take_notes(&c, answer, one);
        take_rows(answer, one);
        judge(&c, answer, one);
    } else {
        take_notes(&c, NULL, one);
        take_rows(NULL, one);
        finish(one, "failed", strerror(errno));
    }
    json_object_set_new(one, "seconds", json_number(cli_seconds() - start));
    json_decref(answer);
    bench_process_close(&c.process);
}
