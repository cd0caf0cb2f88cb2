#define _GNU_SOURCE /* environ, wait4 */
#include "process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/cli.h"

enum { NO_PROGRAM = 127 }; /* the exit code where there is no such program */

static const double grace = 15; /* s in which one that is late ends its row and gives those that it has */

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

static char **bench_environment(void)
{
    return environment ? environment : environ;
}

/* ---- the process ---- */

static _Noreturn void become(const bench_program *p, FILE *out, FILE *err)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* of the terminal: the parent ends this process */
    signal(SIGTERM, SIG_DFL);
    cli_let_interrupts_through();
    if (p->in)
        dup2(fileno(p->in), STDIN_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    environ = bench_environment();
    for (const char *const *setting = p->set; setting && *setting; setting++)
        putenv((char *)*setting);
    execvp(p->words[0], (char *const *)p->words);
    _exit(NO_PROGRAM);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* Where there is no limit its time is wanted to a millisecond. */
static void wait_for(pid_t process, double limit, bench_end *end)
{
    const struct timespec pause = {.tv_nsec = limit > 0 ? 20000000 : 500000};
    struct rusage usage = {0};
    double start = cli_seconds();
    int state = 0;

    while (wait4(process, &state, WNOHANG, &usage) == 0) {
        double taken = cli_seconds() - start;

        end->interrupted = cli_interrupted();
        if (limit > 0 && taken > limit && !end->late)
            kill(process, SIGTERM);
        end->late = limit > 0 && taken > limit;
        if (end->interrupted || (end->late && taken > limit + grace))
            kill(process, SIGKILL);
        nanosleep(&pause, NULL);
    }
    end->wall = cli_seconds() - start;
    end->cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    end->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    end->code = end->signal ? 128 + end->signal : WEXITSTATUS(state);
    end->started = end->code != NO_PROGRAM;
}

static void last_line(FILE *file, char *line, size_t size)
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

bool bench_run_program(const bench_program *program, bench_end *out)
{
    FILE *text = tmpfile(), *errors = tmpfile();
    pid_t process = -1;

    *out = (bench_end){.code = 0};
    fflush(stdout);
    if (text && errors)
        process = fork();
    if (process == 0)
        become(program, text, errors);
    if (process > 0) {
        wait_for(process, program->limit, out);
        last_line(errors, out->said, sizeof out->said);
        rewind(text);
        out->answer = json_loadf(text, 0, NULL);
    }
    if (text)
        fclose(text);
    if (errors)
        fclose(errors);
    return process > 0;
}
