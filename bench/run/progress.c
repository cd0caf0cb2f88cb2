/* A line that is drawn over, or, on a terminal that cannot, a note for each case. */
#include "progress.h"

#include <math.h>
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

/* "50 s", "12 minutes" */
static const char *time_text(double seconds, char *text, size_t size)
{
    if (seconds < 90)
        snprintf(text, size, "%.0f s", 5 * ceil(seconds / 5));
    else
        snprintf(text, size, "%.0f minutes", ceil(seconds / 60));
    return text;
}

void bench_announce(const bench_plan *plan, const bench_flags *flags)
{
    const cli_common common = {.quiet = flags->quiet};
    char time[32], all[32] = "", of_all[48] = "", left[256] = "";

    if (flags->only)
        return;
    if (plan->all_seconds > 0)
        snprintf(of_all, sizeof of_all, " (%s)", time_text(plan->all_seconds, all, sizeof all));
    if (plan->count < plan->of)
        snprintf(left, sizeof left, "; %s--thorough times all%s, --case TEXT those with it in their names", plan->more,
                 of_all);
    cli_note(&common, "bench", "%zu of %zu cases, about %s on two cores%s%s", plan->count, plan->of,
             time_text(plan->seconds, time, sizeof time), plan->later, left);
}

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
