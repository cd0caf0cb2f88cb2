/* The steps that the commands of all workloads take. */
#include "shared/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "shared/json.h"

void job_begin(job *j, const cli_line *line)
{
    j->command = line->command->name;
    j->start = cli_seconds();
}

int job_fail_io(const job *j, const penta_io_error *error)
{
    return cli_fail(j->command, CLI_ERROR, "%s", error->text[0] ? error->text : "out of memory");
}

bool job_finish_failed(pthread_mutex_t *lock, const penta_io_error *error)
{
    bool failed;

    pthread_mutex_lock(lock);
    failed = error->text[0] != 0;
    pthread_mutex_unlock(lock);
    return failed;
}

int job_fail_library(const job *j)
{
    return cli_fail_library(j->command, j->ctx, j->common.verbose);
}

int job_open_device(job *j)
{
    return penta_context_create(j->common.device, &j->ctx) == PENTA_OK ? CLI_OK : job_fail_library(j);
}

int job_make_directory(job *j, const char *names)
{
    penta_io_error error = {""};

    if (!penta_io_make_directory(j->common.output, &error))
        return job_fail_io(j, &error);
    j->before = leftovers_look(j->common.output, names);
    return CLI_OK;
}

static bool was_noted(const job *j, const char *text)
{
    size_t i;
    json_t *note;

    json_array_foreach(j->notes, i, note) if (strcmp(json_string_value(note), text) == 0) return true;
    return false;
}

void job_note(job *j, const char *format, ...)
{
    char text[1024];
    json_t *note;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    note = json_text(text);
    if (note && was_noted(j, json_string_value(note))) {
        json_decref(note);
        return;
    }
    cli_note(&j->common, j->command, "%s", text);
    j->notes = j->notes ? j->notes : json_array();
    json_array_append_new(j->notes, note); /* without memory the note is printed and missing in the JSON */
}

json_t *job_notes(const job *j)
{
    return j->notes ? json_incref(j->notes) : json_array();
}

bool job_prints(const job *j)
{
    return !j->common.json && !j->common.quiet;
}

static int print_json(const job *j, json_t *details)
{
    json_t *answer = json_answer(j->command, j->ctx, cli_seconds() - j->start);

    if (!answer || !details || json_object_update(answer, details) != 0) {
        json_decref(answer);
        json_decref(details);
        return cli_fail(j->command, CLI_ERROR, "out of memory for the JSON answer");
    }
    json_decref(details);
    return json_print(j->command, answer);
}

int job_finish(const job *j, json_t *details)
{
    leftovers_note(j->before, &j->common, j->command);
    if (job_prints(j))
        printf("results in %s\n", j->common.output);
    if (j->common.profile)
        cli_print_profile(j->ctx);
    if (j->common.json)
        return print_json(j, details);
    json_decref(details);
    return CLI_OK;
}

void job_close(job *j)
{
    penta_context_destroy(j->ctx);
    leftovers_free(j->before);
    json_decref(j->notes);
    j->ctx = NULL;
    j->before = NULL;
    j->notes = NULL;
}
