#define _GNU_SOURCE /* prctl's death signal */
#include "process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "shared/cli.h"

/* ---- the environment ---- */

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

/* ---- the process ---- */

bool bench_process_start(bench_process *p, void (*become)(const void *data), const void *data)
{
    *p = (bench_process){tmpfile(), tmpfile(), -1};
    if (!p->out || !p->err)
        return false;
    fflush(stdout);
    p->id = fork();
    if (p->id != 0)
        return p->id > 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* of the terminal: the parent ends this process */
    signal(SIGTERM, SIG_DFL);
    cli_let_interrupts_through();
    dup2(fileno(p->out), STDOUT_FILENO);
    dup2(fileno(p->err), STDERR_FILENO);
    become(data);
    _exit(BENCH_NO_PROGRAM);
}

void bench_process_close(bench_process *p)
{
    if (p->out)
        fclose(p->out);
    if (p->err)
        fclose(p->err);
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
