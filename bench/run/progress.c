/* A line that is drawn over, or, on a terminal that cannot, a note for each case. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "shared/cli.h"
#include "shared/terminal.h"

static struct {
    bool tells, draws, drawn;
    size_t cases, number, rows; /* of all; of this one, from 1; of this one so far */
    double start;
    const char *workload, *name;
} at;

void bench_progress_begin(size_t cases, bool quiet, bool lasting)
{
    at.tells = !quiet && isatty(STDERR_FILENO);
    at.draws = at.tells && !lasting && terminal_draws(STDERR_FILENO);
    at.cases = cases;
    at.number = 0;
    at.start = cli_seconds();
}

static void draw(void)
{
    fprintf(stderr, "\r[%zu/%zu] %s %s: %zu row%s, %.0f s\033[K", at.number, at.cases, at.workload, at.name, at.rows,
            at.rows == 1 ? "" : "s", cli_seconds() - at.start);
    fflush(stderr);
    at.drawn = true;
}

void bench_progress_case(const char *workload, const char *name)
{
    at.workload = workload;
    at.name = name;
    at.number++;
    at.rows = 0;
    if (at.draws)
        draw();
    else if (at.tells)
        cli_note(&(cli_common){0}, "bench", "[%zu/%zu] %s %s ...", at.number, at.cases, workload, name);
}

void bench_progress_row(void)
{
    at.rows++;
    if (at.draws)
        draw();
}

void bench_progress_clear(void)
{
    if (at.drawn)
        fputs("\r\033[K", stderr);
    at.drawn = false;
}
