/* One member: its part of a file, a block of bodies after another. */
#include "nbody/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 17 }; /* bodies, or as many numbers as they have, that are read from the device at a time */

/* ---- one part ---- */

static penta_status read_block(const nbody_parts *t, size_t first, size_t count, double *block)
{
    return t->kind == NBODY_PART_BODIES ? penta_nbody_get_part(t->plan, first, count, block)
                                        : penta_nbody_save_part(t->plan, first, count, block);
}

static bool put_block(const nbody_parts *t, size_t first, size_t count, const double *block, penta_io_part *part,
                      penta_io_error *err)
{
    return t->kind == NBODY_PART_BODIES ? penta_io_bodies_put(t->file, first, count, block, part, err)
                                        : penta_io_checkpoint_put(t->file, first, count, block, part, err);
}

static void say_device(const nbody_parts *t, nbody_account *out)
{
    const char *text = penta_last_error(t->ctx);

    out->outcome = NBODY_FAILED_DEVICE;
    snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(text, "\n"), text);
}

static void say_io(const penta_io_error *error, nbody_account *out)
{
    out->outcome = NBODY_FAILED;
    memcpy(out->text, error->text, sizeof out->text);
}

void nbody_write_part(const nbody_parts *t, size_t first, size_t count, nbody_account *out)
{
    size_t each = t->kind == NBODY_PART_BODIES ? BLOCK : 7 * BLOCK, end = first + count;
    double *block = malloc(7 * BLOCK * sizeof *block);
    penta_io_error error = {"out of memory"};

    *out = (nbody_account){.outcome = NBODY_WRITTEN};
    if (!block)
        say_io(&error, out);
    for (size_t at = first; out->outcome == NBODY_WRITTEN && at < end; at += each) {
        size_t some = end - at < each ? end - at : each;

        if (read_block(t, at, some, block) != PENTA_OK)
            say_device(t, out);
        else if (!put_block(t, at, some, block, &out->part, &error))
            say_io(&error, out);
    }
    free(block);
}

/* ---- another member ---- */

static void write_told(nbody_parts *t, const void *place, size_t size, size_t first, size_t count, nbody_account *out)
{
    penta_io_error error = {""};

    *out = (nbody_account){.outcome = NBODY_UNSEEN};
    if (!penta_io_shared_file_join(place, size, &t->file, &error)) {
        say_io(&error, out);
        return;
    }
    if (!t->file)
        return;
    nbody_write_part(t, first, count, out);
    if (!penta_io_shared_file_leave(t->file, &error) && out->outcome == NBODY_WRITTEN)
        say_io(&error, out);
}

penta_status nbody_help_to_write(penta_group *group, penta_context *ctx, penta_nbody *plan, enum nbody_part_kind kind,
                                 size_t count, const void *place, size_t size)
{
    nbody_parts t = {.kind = kind, .count = count, .ctx = ctx, .plan = plan};
    size_t first, length;
    nbody_account own;
    void *all = NULL;
    penta_status status;

    penta_group_slice(group, penta_group_rank(group), count, &first, &length);
    write_told(&t, place, size, first, length, &own);
    status = penta_group_gather(group, &own, sizeof own, &all, NULL);
    free(all);
    return status;
}
