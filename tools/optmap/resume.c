/* --resume: movies whose files a run before has left are not done again. */
#include <stdlib.h>
#include <unistd.h>

#include "optmap/run.h"
#include "shared/ranks.h"
#include "shared/resume.h"

int optmap_keep_record(const optmap_study *s)
{
    const job *j = &s->run->job;
    char *path = (char *)s->path;
    penta_io_error error = {""};
    resume r;
    int code = resume_begin_one(&r, j, &path, s->directory);

    if (code == CLI_OK && !resume_keep(&r, s->files, false, true, false, NULL, 0, &error))
        code = job_fail_io(j, &error);
    resume_end(&r);
    return code;
}

/* Completes a commit and takes temporary files away; another run there is an error. */
static int tidy(const optmap_run *run, const char *directory)
{
    penta_io_error error = {""};
    penta_io_run *files;

    if (!penta_io_run_open(directory, run->job.command, &files, &error))
        return job_fail_io(&run->job, &error);
    penta_io_run_close(files);
    return CLI_OK;
}

static int look_at(const optmap_run *run, char **path, const char *directory, bool *done)
{
    resume r;
    int code;

    *done = false;
    if (access(directory, F_OK) != 0)
        return CLI_OK;
    code = resume_begin_one(&r, &run->job, path, directory);
    code = code != CLI_OK ? code : tidy(run, directory);
    code = code != CLI_OK ? code : resume_read(&r);
    code = code != CLI_OK ? code : resume_refuse_changed(&r);
    *done = code == CLI_OK && r.found && r.complete && resume_has_all(&r);
    resume_end(&r);
    return code;
}

/* Of rank 0. */
static int look_at_all(const optmap_run *run, const optmap_movies *list, bool *done)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < list->count; i++)
        code = look_at(run, &list->paths[i], list->directories[i], &done[i]);
    return code;
}

/* Takes the others out of the list; those that stay keep their directories. */
static void leave_out(const optmap_run *run, optmap_movies *list, const bool *done)
{
    size_t kept = 0, all = list->count;

    for (size_t i = 0; i < all; i++) {
        char *path = list->paths[i], *directory = list->directories[i];

        if (done[i]) {
            answer_input(path, "not_run", NULL, NULL);
            free(directory);
            list->directories[i] = NULL;
            continue;
        }
        list->directories[i] = NULL;
        list->paths[kept] = path;
        list->directories[kept++] = directory;
    }
    list->count = kept;
    if (kept == 0)
        job_note(&run->job, "--resume: all is done in %s", run->job.common.output);
    else if (kept < all)
        job_note(&run->job, "--resume: %zu of %zu movies are done; does the others", all - kept, all);
    else
        job_note(&run->job, "--resume: no movie is done in %s; begins with the first", run->job.common.output);
}

int optmap_leave_done(optmap_run *run, optmap_movies *list)
{
    bool *done = calloc(list->count + 1, sizeof *done), *all = NULL;
    size_t mine = ranks_rank() == 0 ? list->count * sizeof *done : 0;
    int code = done ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    if (code == CLI_OK && ranks_rank() == 0)
        code = look_at_all(run, list, done);
    code = ranks_exchange(code, done, code == CLI_OK ? mine : 0, (void **)&all, NULL);
    if (code == CLI_OK)
        leave_out(run, list, all);
    free(all);
    free(done);
    return code;
}
