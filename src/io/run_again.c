/* Going on with a run that was ended: its files, and what it has kept beside them. */
#define _FILE_OFFSET_BITS 64
#include <pentacl/io/run.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checksum.h"
#include "io/path.h"
#include "io/run_parts.h"
#include "io/temporary.h"
#include "io/written.h"

/* ---- its files ---- */

/* Whether the path is a file of this user, no link, with these contents. */
static bool is_whole(const char *path, const io_staged *wanted)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    uint64_t sum, bytes;
    bool whole = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                 (uint64_t)st.st_size == wanted->bytes && io_checksum_file(fd, &sum, &bytes) &&
                 bytes == wanted->bytes && sum == wanted->sum;

    if (fd >= 0)
        close(fd);
    return whole;
}

static bool is_link(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* The file with its places in this run's directory. False: its names are none of a run, or out of memory. */
static bool place_here(const penta_io_run *run, io_staged *f)
{
    const char *temporary = io_path_base(f->temporary);
    bool plain = !strchr(f->name, '/') && strcmp(f->name, "..") != 0 && io_temporary_is(temporary, f->name);
    char *target = plain ? penta_io_join_path(io_run_directory(run), f->name, "") : NULL;
    char *waiting = target ? penta_io_join_path(io_run_directory(run), temporary, "") : NULL;

    if (!waiting || is_link(target)) {
        free(target);
        free(waiting);
        return false;
    }
    free(f->target);
    free(f->temporary);
    f->target = target;
    f->temporary = waiting;
    return true;
}

/* A file that waits has a mark from here on; one that was committed has none. */
static bool look_at(const penta_io_run *run, io_staged *f)
{
    if (!place_here(run, f))
        return false;
    f->mark = is_whole(f->temporary, f);
    return f->mark || is_whole(f->target, f);
}

static bool take_over(const penta_io_run *run, io_staged *f)
{
    bool ok = true;

    if (!f->mark) {
        io_written(f->target);
        io_staged_free(f, false);
        return true;
    }
    f->mark = 0;
    f->pending = penta_io_pending_file(f->temporary);
    ok = f->pending && io_staging_give(io_run_staging(run), f);
    if (!ok)
        io_staged_free(f, false);
    return ok;
}

bool penta_io_run_adopt(penta_io_run *run, const void *bytes, size_t size)
{
    const char *at = bytes;
    io_staged *files = NULL, *next;
    bool ok = true;

    for (size_t used; ok && size > 0; at += used, size -= used) {
        io_staged *f = io_run_told_file(at, size, &used);

        ok = f && look_at(run, f);
        if (f) {
            f->next = files;
            files = f;
        }
    }
    for (; files; files = next) {
        next = files->next;
        files->next = NULL;
        if (ok)
            ok = take_over(run, files);
        else
            io_staged_free(files, false);
    }
    return ok;
}

/* ---- what it has kept ---- */

/* Before the bytes. */
typedef struct {
    char magic[8];
    uint64_t bytes, sum;
} record_head;

static const char magic[8] = {'p', 'e', 'n', 't', 'a', 'r', 'u', 'n'};

static bool write_record(FILE *f, const void *bytes, size_t size)
{
    record_head h = {.bytes = size};
    io_checksum c;

    memcpy(h.magic, magic, sizeof magic);
    io_checksum_begin(&c);
    io_checksum_add(&c, bytes, size);
    h.sum = io_checksum_end(&c);
    return fwrite(&h, sizeof h, 1, f) == 1 && fwrite(bytes, 1, size, f) == size;
}

static bool at_next_commit(const char *path, const void *bytes, size_t size, penta_io_error *err)
{
    penta_io_output *output;

    if (!penta_io_output_open(path, &output, err))
        return false;
    (void)write_record(penta_io_output_stream(output), bytes, size);
    return penta_io_output_commit(output, err);
}

static bool cannot_write(const char *path, penta_io_error *err)
{
    return penta_io_fail(err, "%s: cannot be written: %s", path, strerror(errno));
}

/* Files that wait go to the disk first, since the record tells of them. */
static bool sync_waiting(const penta_io_run *run, penta_io_error *err)
{
    size_t count;
    char **paths = io_staging_temporaries(io_run_staging(run), &count);
    bool ok = paths || penta_io_fail(err, "%s: out of memory", io_run_directory(run));
    bool together = ok && count > MOST_SINGLE_SYNCS && io_run_sync_system(io_run_directory(run));

    for (size_t i = 0; paths && i < count; i++) {
        if (ok && !together && !io_run_sync_path(paths[i]) && errno != ENOENT)
            ok = cannot_write(paths[i], err);
        free(paths[i]);
    }
    free(paths);
    return ok;
}

static bool at_once(const penta_io_run *run, const char *path, const void *bytes, size_t size, penta_io_error *err)
{
    penta_io_pending *pending;
    char *temporary;
    int fd;
    FILE *f;
    bool ok;

    if (!sync_waiting(run, err))
        return false;
    fd = io_temporary_create(path, &temporary, &pending);
    f = fd >= 0 ? fdopen(fd, "wb") : NULL;
    ok = f && write_record(f, bytes, size) && fflush(f) == 0 && (fsync(fd) == 0 || errno == EINVAL);
    ok = ok && rename(temporary, path) == 0 && io_run_sync_path(io_run_directory(run));
    ok = ok || cannot_write(path, err);
    if (f)
        fclose(f);
    else if (fd >= 0)
        close(fd);
    if (!ok && temporary)
        unlink(temporary);
    penta_io_pending_drop(pending);
    free(temporary);
    return ok;
}

bool penta_io_run_record(penta_io_run *run, const char *name, bool now, const void *bytes, size_t size,
                         penta_io_error *err)
{
    char *path = penta_io_join_path(io_run_directory(run), name, "");
    bool ok = path || penta_io_fail(err, "%s: out of memory", io_run_directory(run));

    ok = ok && io_run_go_on(run, name, err) &&
         (now ? at_once(run, path, bytes, size, err) : at_next_commit(path, bytes, size, err));
    free(path);
    return ok;
}

static bool read_record(int fd, const char *path, void **bytes, size_t *size, penta_io_error *err)
{
    struct stat st;
    record_head h;
    io_checksum c;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

    if (!ok)
        return penta_io_fail(err, "%s: is no file; remove it", path);
    if (st.st_uid != geteuid())
        return penta_io_fail(err, "%s: belongs to another user, and is not trusted", path);
    ok = (uint64_t)st.st_size >= sizeof h && read(fd, &h, sizeof h) == (ssize_t)sizeof h &&
         memcmp(h.magic, magic, sizeof magic) == 0 && h.bytes == (uint64_t)st.st_size - sizeof h;
    if (!ok)
        return penta_io_fail(err, "%s: is cut short, or no record of a run; remove it and begin again", path);
    *bytes = malloc((size_t)h.bytes + 1);
    if (!*bytes)
        return penta_io_fail(err, "%s: out of memory", path);
    while (*size < h.bytes) {
        ssize_t got = read(fd, (char *)*bytes + *size, (size_t)h.bytes - *size);

        if (got <= 0)
            return penta_io_fail(err, "%s: cannot be read", path);
        *size += (size_t)got;
    }
    io_checksum_begin(&c);
    io_checksum_add(&c, *bytes, *size);
    return io_checksum_end(&c) == h.sum ||
           penta_io_fail(err, "%s: is damaged: its checksum is wrong; remove it and begin again", path);
}

bool penta_io_run_read_record(const char *directory, const char *name, void **bytes, size_t *size, penta_io_error *err)
{
    char *path = penta_io_join_path(directory, name, "");
    int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    bool ok = path && (fd >= 0 || errno == ENOENT);

    *bytes = NULL;
    *size = 0;
    if (!ok)
        penta_io_fail(err, "%s: cannot be read: %s", path ? path : name, path ? strerror(errno) : "out of memory");
    if (fd >= 0) {
        ok = read_record(fd, path, bytes, size, err);
        close(fd);
    }
    if (!ok) {
        free(*bytes);
        *bytes = NULL;
        *size = 0;
    }
    free(path);
    return ok;
}
