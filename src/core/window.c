/*
 * A member's memory is a file in memory (memfd_create) that the others open by way of /proc/PID/fd, be they threads or
 * other processes, and hold themselves. So nothing is left where a process is killed, a device may still read what its
 * owner has closed, and closing takes no word from the others, who may be gone: MPI's own windows are closed by all
 * together.
 */
#define _GNU_SOURCE /* memfd_create */
#include "core/window.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A member's memory here. */
struct penta_mapping {
    void *mapped; /* NULL: it is not seen */
    size_t bytes;
    bool pinned;
};

/* What a member tells the others. */
typedef struct {
    char machine[96];             /* where processes see each other: the boot, and the space of process numbers */
    uint64_t bytes, device, node; /* of the file */
    int64_t process, file;        /* file -1: there is none */
} card;

/* ---- this member's memory ---- */

/* False where it cannot be told, or is not to be (PENTACL_WINDOWS=off). */
static bool name_machine(char *out, size_t size)
{
    const char *wanted = getenv("PENTACL_WINDOWS");
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    char boot[48] = "", space[40] = "";
    bool read = f && fgets(boot, sizeof boot, f) && (!wanted || strcmp(wanted, "off") != 0);

    if (f)
        fclose(f);
    if (!read || readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0)
        return false;
    snprintf(out, size, "%.*s %s", (int)strcspn(boot, "\n"), boot, space);
    return true;
}

/* A file of so many bytes, mapped; -1: there cannot be one. */
static int make_file(size_t bytes, card *out, struct penta_mapping *mapping)
{
    struct stat about;
    int file = memfd_create("pentacl", MFD_CLOEXEC);
    void *at = MAP_FAILED;

    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0 && fstat(file, &about) == 0)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        if (file >= 0)
            close(file);
        return -1;
    }
    *mapping = (struct penta_mapping){.mapped = at, .bytes = bytes};
    out->device = about.st_dev;
    out->node = about.st_ino;
    return file;
}

static penta_status pin(penta_window *w, struct penta_mapping *mapping)
{
    penta_status status = PENTA_OK;

    TRY(penta_host_pin(w->ctx, mapping->mapped, mapping->bytes));
    mapping->pinned = true;
cleanup:
    return status;
}

static penta_status make_own(penta_window *w, const penta_group *group, size_t bytes, card *out)
{
    penta_status status = PENTA_OK;
    struct penta_mapping *mapping;
    void *memory = NULL;

    TRY(penta_calloc(w->ctx, w->members, sizeof *w->seen, &w->seen));
    TRY(penta_calloc(w->ctx, w->members, sizeof *w->shown, &w->shown));
    TRY(penta_calloc(w->ctx, w->members, sizeof *w->mappings, &w->mappings));
    mapping = &w->mappings[group->rank];
    if (bytes > 0 && name_machine(out->machine, sizeof out->machine))
        out->file = make_file(bytes, out, mapping);
    w->own = mapping->mapped;
    if (w->own) {
        TRY(pin(w, mapping));
    } else {
        TRY(penta_host_alloc(w->ctx, bytes, &memory));
        w->own = memory;
    }
    out->bytes = bytes;
    out->process = getpid();
cleanup:
    return status;
}

/* ---- that of others ---- */

static void map_file(const card *c, struct penta_mapping *mapping)
{
    char path[64];
    struct stat about;
    void *at = MAP_FAILED;
    int file;

    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)c->process, (long long)c->file);
    file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return;
    if (fstat(file, &about) == 0 && about.st_dev == c->device && about.st_ino == c->node)
        at = mmap(NULL, (size_t)c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (at != MAP_FAILED)
        *mapping = (struct penta_mapping){.mapped = at, .bytes = (size_t)c->bytes};
}

static penta_status map_others(penta_window *w, const penta_group *group, const card *cards)
{
    penta_status status = PENTA_OK;
    const card *own = &cards[group->rank];

    for (size_t rank = 0; rank < w->members; rank++) {
        const card *c = &cards[rank];

        if (rank == group->rank) {
            w->seen[rank] = w->own;
        } else if (c->file >= 0 && own->file >= 0 && strcmp(c->machine, own->machine) == 0) {
            map_file(c, &w->mappings[rank]);
            w->seen[rank] = w->mappings[rank].mapped;
            if (w->mappings[rank].mapped)
                TRY(pin(w, &w->mappings[rank]));
        }
    }
cleanup:
    return status;
}

/* Tells each member whether its memory is seen here. */
static penta_status tell_who_sees(penta_window *w, penta_group *group)
{
    penta_status status = PENTA_OK;
    unsigned char *sees = NULL, *all = NULL;

    TRY(penta_calloc(w->ctx, w->members, 1, &sees));
    for (size_t rank = 0; rank < w->members; rank++)
        sees[rank] = w->seen[rank] != NULL;
    TRY(penta_explain(w->ctx, penta_group_gather(group, sees, w->members, (void **)&all, NULL)));
    for (size_t rank = 0; rank < w->members; rank++)
        w->shown[rank] = all[rank * w->members + group->rank];
cleanup:
    free(sees);
    free(all);
    return status;
}

penta_status penta_window_open(penta_context *ctx, penta_group *group, size_t bytes, penta_window *out)
{
    penta_status status = PENTA_OK;
    penta_window *w = out;
    card mine = {.file = -1}, *cards = NULL;

    *w = (penta_window){.ctx = ctx, .members = group->size};
    TRY(penta_group_agree(group, ctx, make_own(w, group, bytes, &mine)));
    TRY(penta_explain(ctx, penta_group_gather(group, &mine, sizeof mine, (void **)&cards, NULL)));
    TRY(penta_group_agree(group, ctx, map_others(w, group, cards)));
    TRY(tell_who_sees(w, group)); /* after which nobody needs the file any more */
cleanup:
    if (mine.file >= 0)
        close((int)mine.file);
    free(cards);
    if (status != PENTA_OK)
        penta_window_close(w);
    return status;
}

void penta_window_close(penta_window *w)
{
    for (size_t rank = 0; w->mappings && rank < w->members; rank++) {
        struct penta_mapping *mapping = &w->mappings[rank];

        if (mapping->pinned)
            penta_host_unpin(w->ctx, mapping->mapped);
        if (mapping->mapped && mapping->mapped == w->own)
            w->own = NULL;
        if (mapping->mapped)
            munmap(mapping->mapped, mapping->bytes);
    }
    if (w->own)
        penta_host_free(w->ctx, w->own);
    free(w->seen);
    free(w->shown);
    free(w->mappings);
    *w = (penta_window){0};
}
