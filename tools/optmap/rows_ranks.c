/* Rank 0 does the movie, from reading to writing; the others wait until it is conditioned, and help. */
#define _POSIX_C_SOURCE 200809L
#include "optmap/rows_ranks.h"

#include "shared/ranks.h"

/* Of another rank than the first, which tells what went wrong. */
static void help(optmap_run *run)
{
    const penta_analysis_options options = optmap_analysis_options(&run->settings);
    int code = CLI_OK;

    if (penta_analysis_create(run->job.ctx, &options, &run->analyses[0]) != PENTA_OK)
        code = job_fail_library(&run->job);
    if (ranks_agree(code) == CLI_OK)
        (void)penta_analysis_condition_shared(run->analyses[0], ranks_group(), NULL, NULL);
}

static void lead(optmap_turns *t)
{
    optmap_study s;
    int code;

    optmap_open_turn(t, t->done, 0, &s);
    code = optmap_do_movie(&s);
    if (!t->run->helped)
        (void)ranks_agree(code != CLI_OK ? code : CLI_ERROR); /* the others need not wait */
    optmap_take_turn(t, &s, code, NULL);
}

int optmap_do_rows_in_ranks(optmap_turns *t)
{
    if (ranks_rank() == 0)
        lead(t);
    else
        help(t->run);
    return CLI_OK;
}
