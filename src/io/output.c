/* Writes files completely or not at all: to a temporary file beside the target, renamed at the end; within an open run,
 * renamed at its commit. */
#define _GNU_SOURCE       /* sync_file_range, flock, realpath */
#define _FILE_OFFSET_BITS 64

#include <pentacl/io/output.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checksum.h"
#include "io/output.h"
#include "io/path.h"
#include "io/staging.h"
#include "io/temporary.h"
#include "io/written.h"

struct penta_io_output {
    char *path;                /* as given by the caller, for messages */
    char *target;              /* path that the rename replaces */
    char *temporary;           /* NULL: a device or pipe, written directly */
    penta_io_pending *pending; /* entry of the temporary */
    FILE *stream;
};

bool io_write_failed(const char *path, int code, penta_io_error *err)
{
    if (code == ENOSPC || code == EDQUOT)
        return penta_io_fail(err, "%s: cannot be written: %s; free some space or choose another place", path,
                             strerror(code));
    if (code == ENOENT || code == ENOTDIR)
        return penta_io_fail(err, "%s: cannot be written: its directory does not exist; make it or correct the path",
                             path);
    if (code == EACCES || code == EPERM || code == EROFS)
        return penta_io_fail(err, "%s: cannot be written: %s; choose another place or change the permissions", path,
                             strerror(code));
    return penta_io_fail(err, "%s: cannot be written: %s", path, strerror(code));
}

static void free_output(penta_io_output *output)
{
    penta_io_pending_drop(output->pending);
    free(output->path);
    free(output->target);
    free(output->temporary);
    free(output);
}

/*
 * Finds the file to replace. Sets *mode to the permissions of an existing target, otherwise to 0666 without the umask's
 * bits. *direct: the path is a device or a pipe (as /dev/stdout may be), which is written to, not replaced. A symbolic
 * link is kept, and its target is replaced.
 */
static bool find_target(penta_io_output *output, mode_t *mode, bool *direct, penta_io_error *err)
{
    const char *path = output->path;
    struct stat st;
    struct stat link;

    *direct = false;
    *mode = 0;
    if (lstat(path, &link) != 0) {
        output->target = strdup(path);
        return output->target || penta_io_fail(err, "%s: out of memory", path);
    }
    if (io_path_is_foreign_link(path))
        return io_path_refuse_link(path, err);
    if (stat(path, &st) != 0)
        return penta_io_fail(err, "%s: is a symbolic link to nothing; remove it or choose another name", path);
    if (S_ISDIR(st.st_mode))
        return penta_io_fail(err, "%s: is a directory; name a file in it", path);
    if (access(path, W_OK) != 0)
        return io_write_failed(path, errno, err);
    *direct = !S_ISREG(st.st_mode);
    if (*direct && io_staging_covers(path) && !io_path_check_file(path, err)) /* to open a FIFO may take forever */
        return false;
    *mode = st.st_mode & 0777;
    output->target = S_ISLNK(link.st_mode) && !*direct ? realpath(path, NULL) : strdup(path);
    return output->target || penta_io_fail(err, "%s: cannot be resolved: %s", path, strerror(errno));
}

/* Whether the path is the program's own stdout, which must be written at its position: opening it by name would
 * overwrite it. */
static bool is_stdout(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0;
}

static int open_stdout(void)
{
    int mode = fcntl(STDOUT_FILENO, F_GETFL);

    if (mode >= 0 && (mode & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    (void)fflush(stdout); /* the stream keeps and reports an error */
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

static int open_direct(const char *path)
{
    struct stat link;
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);

    return open(path, O_WRONLY | O_CLOEXEC | (is_link ? 0 : O_NOFOLLOW));
}

bool penta_io_output_open(const char *path, penta_io_output **out, penta_io_error *err)
{
    penta_io_output *output = NULL;
    bool direct = false;
    mode_t mode = 0;
    int fd = -1;

    *out = NULL;
    if (!*path)
        return penta_io_fail(err, "the name of the output file is empty");
    output = calloc(1, sizeof *output);
    if (output)
        output->path = strdup(path);
    if (!output || !output->path) {
        penta_io_fail(err, "%s: out of memory", path);
        goto cleanup;
    }
    if (is_stdout(path))
        direct = true;
    else if (!find_target(output, &mode, &direct, err))
        goto cleanup;
    if (!direct && !io_staging_prepare(path, err))
        goto cleanup;
    if (direct)
        fd = is_stdout(path) ? open_stdout() : open_direct(path);
    else
        fd = io_temporary_create(output->target, &output->temporary, &output->pending);
    if (fd < 0) {
        io_write_failed(path, errno, err);
        goto cleanup;
    }
    if (mode != 0 && !direct)
        (void)fchmod(fd, mode); /* file systems without permissions may fail */
    output->stream = fdopen(fd, "wb");
    if (!output->stream) {
        io_write_failed(path, errno, err);
        goto cleanup;
    }
    fd = -1;
    *out = output;
    output = NULL;
cleanup:
    if (fd >= 0)
        close(fd);
    penta_io_output_abort(output);
    return *out != NULL;
}

FILE *penta_io_output_stream(penta_io_output *output)
{
    return output->stream;
}

const char *io_output_file(const penta_io_output *output)
{
    return output->temporary;
}

/* The reason of an earlier failed write. The stream keeps only a flag, but writing another byte fails for the same
 * reason (the file is useless anyway). */
static int earlier_error(const penta_io_output *output)
{
    return write(fileno(output->stream), "", 1) < 0 ? errno : EIO;
}

/* ---- the end of a file ---- */

/* Starts writing to the disk; the run's commit waits for the end. */
static void begin_sync(int fd)
{
#if defined(__linux__)
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)fd;
#endif
}

/* Measures the written contents, unless they are known; returns 0 or errno. */
static int measure(int fd, bool known, io_staged *file)
{
    struct stat st;

    if ((!known && !io_checksum_file(fd, &file->sum, &file->bytes)) || fstat(fd, &st) != 0)
        return errno;
    if ((uint64_t)st.st_size != file->bytes)
        return EIO;
    file->time = st.st_mtim;
    begin_sync(fd);
    return 0;
}

/* Syncs a file to the disk; ignores file systems that cannot. Returns 0 or errno. */
static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* Flushes and closes the stream. `file`: a file of a run, with bytes and sum if they are known; NULL: syncs it now.
 * Returns 0 or errno. */
static int finish_stream(penta_io_output *output, bool known, io_staged *file)
{
    int fd = fileno(output->stream), code = 0;

    errno = 0;
    if (fflush(output->stream) != 0 || ferror(output->stream))
        code = errno ? errno : earlier_error(output);
    if (code == 0 && output->temporary)
        code = file ? measure(fd, known, file) : sync_file(fd);
    errno = 0;
    if (fclose(output->stream) != 0 && code == 0)
        code = errno ? errno : EIO;
    output->stream = NULL;
    return code;
}

/* Gives the file to the run of its directory; *taken is false if there is none. */
static bool give_to_run(penta_io_output *output, io_staged *file, bool *taken, penta_io_error *err)
{
    file->target = output->target;
    file->temporary = output->temporary;
    file->pending = output->pending;
    if (!io_staging_take(output->path, file, taken, err))
        return false;
    if (*taken) {
        output->target = output->temporary = NULL;
        output->pending = NULL;
    }
    return true;
}

/* file: empty, or with bytes and sum if they are known. */
static bool commit(penta_io_output *output, bool known, io_staged *file, penta_io_error *err)
{
    bool in_run = output->temporary && io_staging_covers(output->path), taken = false;
    int held = in_run || !output->temporary ? -1 : dup(fileno(output->stream)); /* keeps the lock of the temporary */
    int code = finish_stream(output, known, in_run ? file : NULL);
    bool ok = code == 0 || io_write_failed(output->path, code, err);

    if (ok && in_run)
        ok = give_to_run(output, file, &taken, err);
    if (ok && !taken && output->temporary && rename(output->temporary, output->target) != 0)
        ok = io_write_failed(output->path, errno, err);
    if (held >= 0)
        close(held);
    if (ok && !taken)
        io_written(output->path); /* a file of a run is reported at its commit */
    if (ok)
        free_output(output);
    else
        penta_io_output_abort(output);
    return ok;
}

bool penta_io_output_commit(penta_io_output *output, penta_io_error *err)
{
    return commit(output, false, &(io_staged){0}, err);
}

bool io_output_commit_known(penta_io_output *output, uint64_t bytes, uint64_t sum, penta_io_error *err)
{
    return commit(output, true, &(io_staged){.bytes = bytes, .sum = sum}, err);
}

bool io_output_adopt(const char *file, const char *path, penta_io_error *err)
{
    penta_io_output *output;
    struct stat st;
    FILE *own;

    if (!penta_io_output_open(path, &output, err))
        return false;
    if (!output->temporary) {
        penta_io_output_abort(output);
        return penta_io_fail(err, "%s: is no file; name a file", path);
    }
    own = fopen(file, "r+b");
    if (!own || rename(file, output->temporary) != 0) {
        io_write_failed(path, errno, err);
        if (own)
            fclose(own);
        penta_io_output_abort(output);
        return false;
    }
    (void)flock(fileno(own), LOCK_EX | LOCK_NB);
    if (fstat(fileno(output->stream), &st) == 0)
        (void)fchmod(fileno(own), st.st_mode & 0777);
    fclose(output->stream);
    output->stream = own;
    return penta_io_output_commit(output, err);
}

void penta_io_output_abort(penta_io_output *output)
{
    if (!output)
        return;
    if (output->stream)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free_output(output);
}

void penta_io_remove_file(const char *path)
{
    struct stat st;

    if (!io_staging_remove(path) && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(path);
}

bool penta_io_output_open_in(const char *directory, const char *name, const char *suffix, penta_io_output **out,
                             penta_io_error *err)
{
    char *path = penta_io_join_path(directory, name, suffix);
    bool ok = path ? penta_io_output_open(path, out, err) : penta_io_fail(err, "out of memory for a file name");

    if (!path)
        *out = NULL;
    free(path);
    return ok;
}

bool penta_io_sync(const char *path, penta_io_error *err)
{
    char *waiting = io_staging_where(path);
    int fd = waiting ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    bool ok = waiting || (fd >= 0 && sync_file(fd) == 0); /* a run syncs its files at its commit */

    if (fd >= 0)
        close(fd);
    free(waiting);
    return ok || penta_io_fail(err, "%s: cannot be written to the disk", path);
}
