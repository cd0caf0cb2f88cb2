/* A case in a process of its own: penta-bench WORKLOAD --case =NAME --json, whose answer is read. */
#define _GNU_SOURCE /* prctl's death signal, strsignal */
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/json.h"

/* After this time a case is given up, s. */
static const double most_quick = 120, most_thorough = 3600;
static const double grace = 15; /* s in which it ends its row and gives those that it has */

typedef struct {
    const char *workload, *name;
    FILE *out, *err; /* temporary files */
    pid_t process;
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

static char **environment; /* NULL: this process's */

void bench_keep_environment(void)
{
    size_t n = 0;
    char **kept;

    while (environ[n])
        n++;
    kept = calloc(n + 1, sizeof *kept);
    for (size_t i = 0; kept && i < n; i++)
        kept[i] = strdup(environ[i]);
    environment = kept;
}

char **bench_environment(void)
{
    return environment ? environment : environ;
}

static void become(const bench_flags *flags, const child *c)
{
    char name[256], seconds[32];
    const char *words[12] = {"penta-bench", c->workload, "--json", "--case", name, "--seconds", seconds, NULL};

    snprintf(name, sizeof name, "=%s", c->name);
    snprintf(seconds, sizeof seconds, "%g", flags->seconds);
    if (flags->device) {
        words[7] = "--device";
        words[8] = flags->device;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* of the terminal: the parent ends this process */
    signal(SIGTERM, SIG_DFL);
    cli_let_interrupts_through();
    dup2(fileno(c->out), STDOUT_FILENO);
    dup2(fileno(c->err), STDERR_FILENO);
    execve("/proc/self/exe", (char **)words, bench_environment());
    _exit(127);
}

static bool begin(const bench_flags *flags, child *c)
{
    c->out = tmpfile();
    c->err = tmpfile();
    c->process = -1;
    if (!c->out || !c->err)
        return false;
    fflush(stdout);
    c->process = fork();
    if (c->process == 0)
        become(flags, c);
    return c->process > 0;
}

/* Until it is over, by itself or because it is late or the run was interrupted. */
static void wait_for(child *c)
{
    double start = cli_seconds();

    while (waitpid(c->process, &c->state, WNOHANG) == 0) {
        double taken = cli_seconds() - start;

        c->ended = cli_interrupted();
        if (taken > c->limit && !c->late)
            kill(c->process, SIGTERM);
        c->late = taken > c->limit;
        if (c->ended || taken > c->limit + grace) {
            kill(c->process, SIGKILL);
            waitpid(c->process, &c->state, 0);
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

/* ---- its answer ---- */

static json_t *read_answer(child *c)
{
    wait_for(c);
    rewind(c->out);
    return json_loadf(c->out, 0, NULL);
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
    json_array_foreach(rows, i, row) json_object_del(row, "case");
    json_object_set_new(one, "rows", rows);
}

void bench_last_line(FILE *file, char *line, size_t size)
{
    char next[1024];

    *line = 0;
    rewind(file);
    while (fgets(next, sizeof next, file)) {
        next[strcspn(next, "\n")] = 0;
        if (*next)
            snprintf(line, size, "%.*s", (int)size - 1, next);
    }
}

/* Of a process that gave no answer. */
static void take_end(const child *c, json_t *one)
{
    char text[512], line[256];

    bench_last_line(c->err, line, sizeof line);
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
    child c = {.workload = json_string_value(json_object_get(one, "workload")),
               .name = json_string_value(json_object_get(one, "case")),
               .limit = flags->thorough ? most_thorough : most_quick};
    double start = cli_seconds();
    json_t *answer = NULL;

    c.ended = cli_interrupted();
    if (c.ended || begin(flags, &c)) {
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
    if (c.out)
        fclose(c.out);
    if (c.err)
        fclose(c.err);
}
