/* The progress line. */
#include "shared/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "shared/cli.h"
#include "shared/terminal.h"

void progress_begin(progress *p, const char *title, const char *unit, bool quiet)
{
    *p = (progress){
        .title = title, .unit = unit, .start = cli_seconds(), .enabled = !quiet && terminal_draws(STDERR_FILENO)};
}

void progress_update(progress *p, double done, double total)
{
    enum { WIDTH = 24 };
    char bar[WIDTH + 1];
    double now = cli_seconds(), spent = now - p->start, share = total > 0 ? done / total : 0;

    if (!p->enabled || spent < 1 || now - p->shown < 0.1)
        return;
    p->shown = now;
    p->drawn = true;
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(share * WIDTH) ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r%s [%s] %.0f/%.0f %s, %.3g/s, %.0f s left \033[K", p->title, bar, done, total, p->unit,
            done / spent, share > 0 ? spent * (1 - share) / share : 0);
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
