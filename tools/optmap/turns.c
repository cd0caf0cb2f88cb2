#include "optmap/turns.h"

#include <stdlib.h>

#include "shared/json.h"
#include "shared/streams.h"

void optmap_open_turn(const optmap_turns *t, size_t i, size_t member, optmap_study *s)
{
    bool alone = t->list->all == 1;

    *s = (optmap_study){.run = t->run,
                        .path = t->list->paths[i],
                        .directory = t->list->directories[i],
                        .member = member,
                        .alone = alone,
                        .start = alone ? t->run->job.start : cli_seconds()};
}

/* ---- what is told ---- */

/* For people; NULL when memory runs out. */
static char *print_text(const optmap_study *s)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    optmap_print(s, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

optmap_account optmap_make_account(const optmap_study *s)
{
    const job *j = &s->run->job;
    optmap_account a = {.read = s->movie.seconds + s->under.seconds, .device = s->device};

    messages_hold(&a.notes);
    optmap_print_notes(s);
    messages_hold(NULL);
    a.text = job_prints(j) ? print_text(s) : NULL;
    a.details = j->common.json ? optmap_details(s) : NULL;
    return a;
}

void optmap_free_account(optmap_account *a)
{
    messages_free(&a->notes);
    free(a->text);
    json_decref(a->details);
    *a = (optmap_account){0};
}

static void tell(const optmap_study *s, optmap_account *a)
{
    const job *j = &s->run->job;

    cli_say_held(j->command, &a->notes);
    leftovers_note(s->before, &j->common, j->command);
    if (a->text)
        fputs(a->text, stdout);
}

/* ---- turns ---- */

/* Its files appear. */
static int conclude(optmap_study *s, optmap_account *given, optmap_account *a)
{
    double start = cli_seconds();
    int code = optmap_commit_results(s);

    s->total += cli_seconds() - start;
    if (code != CLI_OK)
        return code;
    if (!given)
        *a = optmap_make_account(s);
    tell(s, a);
    return CLI_OK;
}

/* The answer of one movie, whatever became of it; details are borrowed. */
static int keep_answer(const optmap_turns *t, const optmap_study *s, int code, json_t *details)
{
    const char *status = code == CLI_OK ? "ok" : cli_interrupted() ? "interrupted" : "error";
    const char *error = code == CLI_OK ? NULL : messages_last(MESSAGE_ERROR);

    if (!t->run->job.common.json)
        return CLI_OK;
    if (code == CLI_OK)
        json_incref(details);
    else
        details = json_pack("{s:o, s:s, s:o}", "movie", json_text(streams_name(s->path)), "status", status, "error",
                            json_text(error));
    answer_input(s->path, status, error, json_incref(details));
    return details && json_array_append_new(t->list->answers, details) == 0
               ? CLI_OK
               : cli_fail(t->run->job.command, CLI_ERROR, "out of memory for the JSON answer");
}

bool optmap_goes_on(const optmap_turns *t)
{
    return !t->stopped && (t->code == CLI_OK || (t->run->settings.flags.keep_going && !cli_interrupted()));
}

bool optmap_take_turn(optmap_turns *t, optmap_study *s, int code, optmap_account *account)
{
    optmap_account a = account ? *account : (optmap_account){.read = s->movie.seconds + s->under.seconds};

    a.device = account ? a.device : s->device;
    t->code = code == CLI_OK ? conclude(s, account, &a) : code;
    t->done++;
    t->list->read += a.read;
    t->list->device += a.device;
    optmap_close_study(s);
    t->stopped = keep_answer(t, s, t->code, a.details) != CLI_OK;
    t->list->failed += t->code != CLI_OK;
    optmap_free_account(&a);
    if (account)
        *account = (optmap_account){0};
    return optmap_goes_on(t);
}
