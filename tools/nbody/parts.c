#include "nbody/parts.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>

#include "nbody/members.h"

enum { BLOCK = 1 << 17 }; /* bodies, or as many numbers as they have, that are read from the device at a time */

enum outcome { WRITTEN, UNSEEN, FAILED, FAILED_DEVICE };

/* What a member has done. */
typedef struct {
    int64_t outcome;
    penta_io_part part;
    char text[sizeof(((penta_io_error *)0)->text)]; /* why it has failed */
} account;

/* A file, and how many bodies or numbers it has in all. */
typedef struct {
    enum nbody_part_kind kind;
    size_t count;
    penta_io_shared_file *file;
    penta_context *ctx;
    penta_nbody *plan;
} task;

/* ---- one part ---- */

static penta_status read_block(const task *t, size_t first, size_t count, double *block)
{
    return t->kind == NBODY_PART_BODIES ? penta_nbody_get_part(t->plan, first, count, block)
                                        : penta_nbody_save_part(t->plan, first, count, block);
}

static bool put_block(const task *t, size_t first, size_t count, const double *block, penta_io_part *part,
                      penta_io_error *err)
{
    return t->kind == NBODY_PART_BODIES ? penta_io_bodies_put(t->file, first, count, block, part, err)
                                        : penta_io_checkpoint_put(t->file, first, count, block, part, err);
}

static void say_device(const task *t, account *out)
{
    const char *text = penta_last_error(t->ctx);

    out->outcome = FAILED_DEVICE;
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(text, "\n"), text);
}

static void say_io(const penta_io_error *error, account *out)
{
    out->outcome = FAILED;
    memcpy(out->text, error->text, sizeof out->text);
}

/* Items first .. first + count - 1. */
static void write_part(const task *t, size_t first, size_t count, account *out)
{
    size_t each = t->kind == NBODY_PART_BODIES ? BLOCK : 7 * BLOCK, end = first + count;
    double *block = malloc(7 * BLOCK * sizeof *block);
    penta_io_error error = {"out of memory"};

    *out = (account){.outcome = WRITTEN};
    if (!block)
        say_io(&error, out);
    for (size_t at = first; out->outcome == WRITTEN && at < end; at += each) {
        size_t some = end - at < each ? end - at : each;

        if (read_block(t, at, some, block) != PENTA_OK)
            say_device(t, out);
        else if (!put_block(t, at, some, block, &out->part, &error))
            say_io(&error, out);
    }
    free(block);
}

/* ---- another member ---- */

static void write_told(task *t, const void *place, size_t size, size_t first, size_t count, account *out)
{
    penta_io_error error = {""};

    *out = (account){.outcome = UNSEEN};
    if (!penta_io_shared_file_join(place, size, &t->file, &error)) {
        say_io(&error, out);
        return;
    }
    if (!t->file)
        return;
    write_part(t, first, count, out);
    if (!penta_io_shared_file_leave(t->file, &error) && out->outcome == WRITTEN)
        say_io(&error, out);
}

penta_status nbody_help_to_write(penta_group *group, penta_context *ctx, penta_nbody *plan, enum nbody_part_kind kind,
                                 size_t count, const void *place, size_t size)
{
    task t = {.kind = kind, .count = count, .ctx = ctx, .plan = plan};
    size_t first, length;
    account own;
    void *all = NULL;
    penta_status status;

    penta_group_slice(group, penta_group_rank(group), count, &first, &length);
    write_told(&t, place, size, first, length, &own);
    status = penta_group_gather(group, &own, sizeof own, &all, NULL);
    free(all);
    return status;
}

/* ---- the first member ---- */

/* Writes the part of a member: its own, or of one that does not see the file. */
static void write_part_of(const nbody_run *run, const task *t, size_t rank, account *out)
{
    size_t first = 0, length = t->count;

    if (run->group)
        penta_group_slice(run->group, rank, t->count, &first, &length);
    write_part(t, first, length, out);
}

/* *all: what each member has done. */
static penta_status share_out(nbody_run *run, const task *t, const void *place, size_t size, account **all)
{
    penta_status status = nbody_members_tell_part(run, t->kind, t->count, place, size);
    account own;

    if (status != PENTA_OK)
        return status;
    write_part_of(run, t, 0, &own);
    status = penta_group_gather(run->group, &own, sizeof own, (void **)all, NULL);
    run->lost = run->lost || status != PENTA_OK;
    return status;
}

static int write_with_others(nbody_run *run, const task *t, account **all)
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

static int write_alone(const nbody_run *run, const task *t, account **all)
{
    *all = malloc(sizeof **all);
    if (!*all)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    write_part(t, 0, t->count, *all);
    return CLI_OK;
}

static int judge(const nbody_run *run, const account *a, size_t rank)
{
    const char *command = run->job.command;

    if (a->outcome == WRITTEN)
        return CLI_OK;
    if (a->outcome == FAILED_DEVICE && rank == 0)
        return job_fail_library(&run->job);
    return a->outcome == FAILED_DEVICE ? cli_fail(command, CLI_ERROR, "member %zu: %s", rank, a->text)
                                       : cli_fail(command, CLI_ERROR, "%s", a->text);
}

/* All parts, in *parts with room for one more; *count: how many. */
static int write_parts(nbody_run *run, const task *t, penta_io_part **parts, size_t *count)
{
    bool shared = run->group && !run->lost;
    size_t members = shared ? penta_group_size(run->group) : 1;
    account *all = NULL;
    int code = shared ? write_with_others(run, t, &all) : write_alone(run, t, &all);

    *count = members;
    *parts = calloc(members + 1, sizeof **parts);
    if (code == CLI_OK && !*parts)
        code = cli_fail(run->job.command, CLI_ERROR, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < members; i++) {
        if (all[i].outcome == UNSEEN)
            write_part_of(run, t, i, &all[i]);
        code = judge(run, &all[i], i);
        (*parts)[i] = all[i].part;
    }
    free(all);
    return code;
}

int nbody_write_bodies(nbody_run *run, const char *path)
{
    task t = {NBODY_PART_BODIES, run->bodies.n, NULL, run->job.ctx, run->plan};
    penta_io_error error = {""};
    penta_io_part head, *parts = NULL;
    size_t count;
    int code;

    if (!penta_io_bodies_begin(path, &run->bodies, &t.file, &head, &error))
        return job_fail_io(&run->job, &error);
    code = write_parts(run, &t, &parts, &count);
    if (code == CLI_OK) {
        parts[count] = head;
        code = penta_io_bodies_finish(t.file, parts, count + 1, &error) ? CLI_OK : job_fail_io(&run->job, &error);
    } else {
        penta_io_shared_file_abandon(t.file);
    }
    free(parts);
    return code;
}

int nbody_write_checkpoint(nbody_run *run, const char *path, const penta_io_checkpoint *c)
{
    task t = {NBODY_PART_STATE, c->count, NULL, run->job.ctx, run->plan};
    penta_io_error error = {""};
    penta_io_part *parts = NULL;
    size_t count;
    int code;

    if (!penta_io_checkpoint_begin(path, c, &t.file, &error))
        return job_fail_io(&run->job, &error);
    code = write_parts(run, &t, &parts, &count);
    if (code != CLI_OK)
        penta_io_shared_file_abandon(t.file);
    else if (!penta_io_checkpoint_finish(t.file, c, parts, count, &error))
        code = job_fail_io(&run->job, &error);
    free(parts);
    return code;
}
