/* The steps that the commands of all workloads take. */
#include "shared/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/cache.h>
#include <pentacl/io/output.h>
#include "shared/building.h"
#include "shared/streams.h"
#include "shared/terminal.h"

void job_begin(job *j, const cli_line *line)
{
    j->command = line->command->name;
    j->line = line;
    j->start = cli_seconds();
}

int job_fail_io(const job *j, const penta_io_error *error)
{
    return cli_fail(j->command, CLI_ERROR, "%s", error->text[0] ? error->text : "out of memory");
}

int job_fail_library(const job *j)
{
    return cli_fail_library(j->command, j->ctx, j->common.verbose);
}

/* A bar may be drawn where a plan chooses late. */
static void explain_choice(void *user, const char *what, const char *chosen, const char *why)
{
    const job *j = user;

    if (terminal_draws(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    cli_explain(&j->common, j->command, "%s %s: %s", what, chosen, why);
}

int job_open_device(job *j)
{
    int code = cli_open_device(j->command, j->common.device, j->common.verbose, &j->ctx);

    if (code != CLI_OK)
        return code;
    if (j->common.fp64)
        penta_context_without_double(j->ctx);
    if (*penta_kernel_cache_note())
        job_note(j, "%s", penta_kernel_cache_note());
    j->building = building_watch(j->ctx, j->common.quiet);
    if (j->common.verbose)
        penta_context_on_choice(j->ctx, explain_choice, j);
    return CLI_OK;
}

int job_make_directory(job *j, const char *names)
{
    penta_io_error error = {""};

    if (!penta_io_make_directory(j->common.output, &error))
        return job_fail_io(j, &error);
    if (!penta_io_run_open(j->common.output, j->command, &j->run, &error))
        return job_fail_io(j, &error);
    j->before = leftovers_look(j->common.output, names);
    return CLI_OK;
}

int job_commit(job *j)
{
    penta_io_error error = {""};

    return !j->run || penta_io_run_commit(j->run, &error) ? CLI_OK : job_fail_io(j, &error);
}

void job_note(const job *j, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_say(j->command, MESSAGE_NOTE, !j->common.quiet, format, args);
    va_end(args);
}

void job_warn(const job *j, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_say(j->command, MESSAGE_WARNING, true, format, args);
    va_end(args);
}

bool job_prints(const job *j)
{
    return !j->common.json && !streams_stdout_taken();
}

static void explain_programs(const job *j)
{
    penta_cache_info info = {.size = sizeof info};

    if (strcmp(penta_cache_keeper(penta_context_device(j->ctx)), "pentacl") != 0)
        return;
    penta_cache_look(&info);
    cli_explain(&j->common, j->command, "programs: %zu loaded from %s, %zu compiled", info.loaded, info.folder,
                info.compiled);
    if (info.damaged > 0)
        cli_explain(&j->common, j->command, "removed %zu damaged file%s from %s", info.damaged,
                    info.damaged == 1 ? "" : "s", info.folder);
    if (*info.fault)
        cli_explain(&j->common, j->command, "programs cannot be kept in %s: %s", info.folder, info.fault);
}

int job_finish(job *j, json_t *details)
{
    int code = job_commit(j);

    if (code != CLI_OK) {
        json_decref(details);
        return code;
    }
    explain_programs(j);
    leftovers_note(j->before, &j->common, j->command);
    if (job_prints(j) && !j->common.quiet)
        printf("results in %s\n", j->common.output);
    if (j->common.profile)
        cli_print_profile(j->ctx);
    answer_device(j->ctx, j->start);
    answer_add(details);
    answer_complete();
    return CLI_OK;
}

/* A word that stands for itself, as of "none|FILE", is no file. */
static bool is_word(const job *j, const penta_option *row, const char *value)
{
    char word[64];

    for (size_t i = 0; cli_value_word(j->line->command, row, i, word, sizeof word); i++)
        if (strcmp(word, value) == 0)
            return true;
    return false;
}

/* Files that flags name, or a recipe that a flag names. */
static void name_inputs(const job *j)
{
    for (const cli_table *t = j->line->tables; t && t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++) {
            const char *value = NULL;

            if (row->type != PENTA_OPTION_TEXT || !cli_value_is_file(row) || cli_value_is_output(row))
                continue;
            memcpy(&value, (const char *)t->values + row->offset, sizeof value);
            if (value && !is_word(j, row, value))
                answer_named_input(row->name, value);
        }
}

void job_close(job *j)
{
    name_inputs(j);
    answer_device(j->ctx, j->start);
    building_end(j->building, j->ctx);
    j->building = NULL;
    penta_context_destroy(j->ctx);
    penta_io_run_close(j->run);
    leftovers_free(j->before);
    j->ctx = NULL;
    j->before = NULL;
    j->run = NULL;
}
