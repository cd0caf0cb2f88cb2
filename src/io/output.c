/* Files are written completely or not at all: to a temporary file beside the target, then renamed. */
#define _POSIX_C_SOURCE   200809L
#define _XOPEN_SOURCE     700 /* realpath */
#define _FILE_OFFSET_BITS 64

#include <pentacl/io/output.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct penta_io_output {
    char *path;                /* as the caller named it, for messages */
    char *target;              /* what the rename replaces */
    char *temporary;           /* NULL: a device or pipe, written directly */
    penta_io_pending *pending; /* of the temporary */
    FILE *stream;
};

static bool write_failed(const char *path, int code, penta_io_error *err)
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
 * bits. *direct: the path is a device or a pipe (as /dev/stdout may be), which must be written to, not replaced. A
 * symbolic link stays, and its target is replaced.
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
    if (stat(path, &st) != 0)
        return penta_io_fail(err, "%s: is a symbolic link to nothing; remove it or choose another name", path);
    if (S_ISDIR(st.st_mode))
        return penta_io_fail(err, "%s: is a directory; name a file in it", path);
    if (access(path, W_OK) != 0)
        return write_failed(path, errno, err);
    *direct = !S_ISREG(st.st_mode);
    *mode = st.st_mode & 0777;
    output->target = S_ISLNK(link.st_mode) && !*direct ? realpath(path, NULL) : strdup(path);
    return output->target || penta_io_fail(err, "%s: cannot be resolved: %s", path, strerror(errno));
}

/* A stream of the program itself is written at its position: opening it again by name would overwrite what it holds. */
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
    (void)fflush(stdout); /* an error stays in the stream, which reports it */
    return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

/* Creates TARGET.tmp.<pid>.<n>; n is unique in the process, O_EXCL guards against a stale file of an older process. */
static int create_temporary(penta_io_output *output)
{
    static atomic_uint next;
    size_t size = strlen(output->target) + 64;
    int fd = -1;

    output->temporary = malloc(size);
    if (!output->temporary)
        return -1;
    do {
        penta_io_pending_drop(output->pending);
        snprintf(output->temporary, size, "%s.tmp.%ld.%u", output->target, (long)getpid(), atomic_fetch_add(&next, 1));
        output->pending = penta_io_pending_file(output->temporary);
        if (!output->pending) {
            errno = ENOMEM;
            return -1;
        }
        fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    return fd;
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
    fd = is_stdout(path) ? open_stdout() : direct ? open(path, O_WRONLY | O_CLOEXEC) : create_temporary(output);
    if (fd < 0) {
        write_failed(path, errno, err);
        free(output->temporary); /* not created, so not ours to remove */
        output->temporary = NULL;
        goto cleanup;
    }
    if (mode != 0 && !direct)
        (void)fchmod(fd, mode); /* a file system without permissions is no reason to fail */
    output->stream = fdopen(fd, "wb");
    if (!output->stream) {
        write_failed(path, errno, err);
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

/* Why an earlier write failed: the stream keeps only a flag, but writing another byte fails for the same reason (the
 * file is spoilt anyway). */
static int earlier_error(const penta_io_output *output)
{
    return write(fileno(output->stream), "", 1) < 0 ? errno : EIO;
}

bool penta_io_output_commit(penta_io_output *output, penta_io_error *err)
{
    int code = 0;

    errno = 0;
    if (fflush(output->stream) != 0 || ferror(output->stream))
        code = errno ? errno : earlier_error(output);
    errno = 0;
    if (fclose(output->stream) != 0 && code == 0)
        code = errno ? errno : EIO;
    output->stream = NULL;
    if (code == 0 && output->temporary && rename(output->temporary, output->target) != 0)
        code = errno;
    if (code != 0) {
        write_failed(output->path, code, err);
        penta_io_output_abort(output);
        return false;
    }
    free_output(output);
    return true;
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

    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
        unlink(path);
}

/* Creates one directory; an existing one is fine. `part` is a leading part of `path`. */
static bool make_one(const char *part, const char *path, penta_io_error *err)
{
    struct stat st;
    int code;

    if (mkdir(part, 0777) == 0)
        return penta_io_pending_directory(part) || penta_io_fail(err, "%s: out of memory", path);
    code = errno;
    if (stat(part, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return true;
        return penta_io_fail(err, "%s: cannot be made: %s is a file, not a directory; remove it or choose another name",
                             path, part);
    }
    return penta_io_fail(err, "%s: cannot be made: %s: %s; choose another place or change the permissions", path, part,
                         strerror(code));
}

bool penta_io_make_directory(const char *path, penta_io_error *err)
{
    char *part = strdup(path);
    bool ok = false;

    if (!part)
        return penta_io_fail(err, "%s: out of memory", path);
    if (!*path) {
        penta_io_fail(err, "the name of the output directory is empty");
        goto cleanup;
    }
    for (char *at = part + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        if (!make_one(part, path, err))
            goto cleanup;
        *at = '/';
    }
    if (!make_one(part, path, err))
        goto cleanup;
    if (access(path, W_OK | X_OK) != 0) {
        penta_io_fail(err, "%s: the directory cannot be written to: %s; choose another or change its permissions", path,
                      strerror(errno));
        goto cleanup;
    }
    ok = true;
cleanup:
    free(part);
    return ok;
}

char *penta_io_join_path(const char *directory, const char *name, const char *suffix)
{
    size_t size = strlen(directory) + strlen(name) + strlen(suffix) + 2;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s/%s%s", directory, name, suffix);
    return path;
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

bool penta_io_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool penta_io_sync(const char *path, penta_io_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        close(fd);
    return ok || penta_io_fail(err, "%s: cannot be written to the disk", path);
}
