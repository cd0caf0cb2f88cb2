/* The first member: begins and finishes the files, and writes its own part and those that nobody else can. */
#include "nbody/files.h"

#include <stdlib.h>

#include <pentacl/group.h>

#include "nbody/members.h"
#include "nbody/parts.h"

/* Writes the part of a member: its own, or of one that does not see the file. */
static void write_part_of(const nbody_run *run, const nbody_parts *t, size_t rank, nbody_account *out)
{
    size_t first = 0, length = t->count;

    if (run->group)
        penta_group_slice(run->group, rank, t->count, &first, &length);
    nbody_write_part(t, first, length, out);
}

/* *all: what each member has done. */
static penta_status share_out(nbody_run *run, const nbody_parts *t, const void *place, size_t size, nbody_account **all)
{
    penta_status status = nbody_members_tell_part(run, t->kind, t->count, place, size);
    nbody_account own;

    if (status != PENTA_OK)
        return status;
    write_part_of(run, t, 0, &own);
    status = penta_group_gather(run->group, &own, sizeof own, (void **)all, NULL);
    run->lost = run->lost || status != PENTA_OK;
    return status;
}

static int write_with_others(nbody_run *run, const nbody_parts *t, nbody_account **all)
{
    penta_io_error error = {""};
    void *place = NULL;
    size_t size;
    int code = CLI_OK;

    if (!penta_io_shared_file_tell(t->file, &place, &size, &error))
        code = job_fail_io(&run->job, &error);
    else if (share_out(run, t, place, size, all) != PENTA_OK)
        code = cli_fail_library(run->job.command, NULL, run->job.common.verbose);
    free(place);
    return code;
}

static int write_alone(const nbody_run *run, const nbody_parts *t, nbody_account **all)
{
    *all = malloc(sizeof **all);
    if (!*all)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    nbody_write_part(t, 0, t->count, *all);
    return CLI_OK;
}

static int judge(const nbody_run *run, const nbody_account *a, size_t rank)
{
    const char *command = run->job.command;

    if (a->outcome == NBODY_WRITTEN)
        return CLI_OK;
    if (a->outcome == NBODY_FAILED_DEVICE && rank == 0)
        return job_fail_library(&run->job);
    return a->outcome == NBODY_FAILED_DEVICE ? cli_fail(command, CLI_ERROR, "member %zu: %s", rank, a->text)
                                             : cli_fail(command, CLI_ERROR, "%s", a->text);
}

/* All parts, in *parts with room for one more; *count: how many. */
static int write_all(nbody_run *run, const nbody_parts *t, penta_io_part **parts, size_t *count)
{
    bool shared = run->group && !run->lost;
    size_t members = shared ? penta_group_size(run->group) : 1;
    nbody_account *all = NULL;
    int code = shared ? write_with_others(run, t, &all) : write_alone(run, t, &all);

    *count = members;
    *parts = calloc(members + 1, sizeof **parts);
    if (code == CLI_OK && !*parts)
        code = cli_fail(run->job.command, CLI_ERROR, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < members; i++) {
        if (all[i].outcome == NBODY_UNSEEN)
            write_part_of(run, t, i, &all[i]);
        code = judge(run, &all[i], i);
        (*parts)[i] = all[i].part;
    }
    free(all);
    return code;
}

int nbody_write_bodies(nbody_run *run, const char *path)
{
    nbody_parts t = {NBODY_PART_BODIES, run->bodies.n, NULL, run->job.ctx, run->plan};
    penta_io_error error = {""};
    penta_io_part head, *parts = NULL;
    size_t count;
    int code;

    if (!penta_io_bodies_begin(path, &run->bodies, &t.file, &head, &error))
        return job_fail_io(&run->job, &error);
    code = write_all(run, &t, &parts, &count);
    if (code == CLI_OK) {
        parts[count] = head;
        code = penta_io_bodies_finish(t.file, &run->bodies, parts, count + 1, &error) ? CLI_OK
                                                                                      : job_fail_io(&run->job, &error);
    } else {
        penta_io_shared_file_abandon(t.file);
    }
    free(parts);
    return code;
}

int nbody_write_checkpoint(nbody_run *run, const char *path, const penta_io_checkpoint *c)
{
    nbody_parts t = {NBODY_PART_STATE, c->count, NULL, run->job.ctx, run->plan};
    penta_io_error error = {""};
    penta_io_part *parts = NULL;
    size_t count;
    int code;

    if (!penta_io_checkpoint_begin(path, c, &t.file, &error))
        return job_fail_io(&run->job, &error);
    code = write_all(run, &t, &parts, &count);
    if (code != CLI_OK)
        penta_io_shared_file_abandon(t.file);
    else if (!penta_io_checkpoint_finish(t.file, c, parts, count, &error))
        code = job_fail_io(&run->job, &error);
    free(parts);
    return code;
}
