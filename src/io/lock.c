#define _DEFAULT_SOURCE   /* flock */
#define _FILE_OFFSET_BITS 64
#include "io/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"

static enum io_lock_result failed(io_lock *lock)
{
    int code = errno;

    if (lock->fd >= 0)
        close(lock->fd);
    free(lock->file);
    *lock = (io_lock){.fd = -1};
    errno = code;
    return code == EWOULDBLOCK ? IO_LOCK_BUSY : IO_LOCK_FAILED;
}

/* Whether the name still leads to this file: the last holder of the lock may have removed it. */
static bool is_there(const io_lock *lock)
{
    struct stat open_file, named;

    return fstat(lock->fd, &open_file) == 0 && stat(lock->file, &named) == 0 && open_file.st_dev == named.st_dev &&
           open_file.st_ino == named.st_ino;
}

static enum io_lock_result take_file(const char *directory, io_lock *out)
{
    out->file = penta_io_join_path(directory, ".penta-lock", "");
    if (!out->file) {
        errno = ENOMEM;
        return failed(out);
    }
    for (;;) {
        out->fd = open(out->file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (out->fd < 0 || flock(out->fd, LOCK_EX | LOCK_NB) != 0)
            return failed(out);
        if (is_there(out))
            return IO_LOCK_TAKEN;
        close(out->fd);
    }
}

enum io_lock_result io_lock_take(const char *directory, io_lock *out)
{
    *out = (io_lock){.fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (out->fd >= 0 && flock(out->fd, LOCK_EX | LOCK_NB) == 0)
        return IO_LOCK_TAKEN;
    if (out->fd < 0 || errno == EWOULDBLOCK)
        return failed(out);
    (void)failed(out);
    return take_file(directory, out);
}

void io_lock_release(io_lock *lock)
{
    if (lock->file)
        unlink(lock->file); /* before releasing the lock: others check whether the file still exists */
    if (lock->fd >= 0)
        close(lock->fd);
    free(lock->file);
    *lock = (io_lock){.fd = -1};
}
