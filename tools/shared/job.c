/* The steps that the commands of all workloads take. */
#include "shared/job.h"

#include <stdio.h>

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
    j->ctx = NULL;
    j->before = NULL;
}
