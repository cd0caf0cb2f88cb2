#define _GNU_SOURCE       /* SEEK_DATA */
#define _FILE_OFFSET_BITS 64

#include "io/input.h"
#include <pentacl/io/table.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_failed(const char *path, penta_io_error *err)
{
    if (!*path)
        return penta_io_fail(err, "the name of the input file is empty");
    if (errno == ENOENT)
        return penta_io_fail(err, "%s: no such file; check the name and the working directory", path);
    if (errno == EACCES)
        return penta_io_fail(err, "%s: permission denied; you need the right to read it", path);
    return penta_io_fail(err, "%s: cannot be opened: %s", path, strerror(errno));
}

static bool is_usable(const char *path, const struct stat *st, penta_io_error *err)
{
    if (S_ISDIR(st->st_mode))
        return penta_io_fail(err, "%s: is a directory; name a file in it", path);
    if (!S_ISREG(st->st_mode))
        return penta_io_fail(err, "%s: is not a regular file; copy the data to a file first", path);
    if (st->st_size <= 0)
        return penta_io_fail(err, "%s: the file is empty (0 bytes); copy or make it again", path);
    return true;
}

bool io_input_open(const char *path, io_input *in, penta_io_error *err)
{
    struct stat st;
    bool ok = false;
    int fd;

    *in = (io_input){0};
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe must not hang the open */
    if (fd < 0)
        return open_failed(path, err);
    if (fstat(fd, &st) != 0) {
        open_failed(path, err);
        goto cleanup;
    }
    if (!is_usable(path, &st, err))
        goto cleanup;
    in->path = strdup(path);
    if (!in->path) {
        penta_io_fail(err, "%s: out of memory", path);
        goto cleanup;
    }
    in->fd = fd;
    in->bytes = (uint64_t)st.st_size;
    ok = true;
cleanup:
    if (!ok)
        close(fd);
    return ok;
}

bool io_input_read(const io_input *in, uint64_t offset, void *to, size_t size)
{
    char *at = to;

    if (offset > in->bytes || size > in->bytes - offset)
        return false;
    if (in->memory) {
        memcpy(to, in->memory + offset, size);
        return true;
    }
    while (size > 0) {
        ssize_t got = pread(in->fd, at, size, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) /* 0: the file shrank since it was opened */
            return false;
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

bool io_input_is_hole(const io_input *in, uint64_t offset, uint64_t size)
{
#ifdef SEEK_DATA
    off_t data = in->memory ? 0 : lseek(in->fd, (off_t)offset, SEEK_DATA);

    return data > 0 && (uint64_t)data >= offset + size;
#else
    (void)in, (void)offset, (void)size;
    return false;
#endif
}

void io_input_close(io_input *in)
{
    if (!in->path)
        return;
    close(in->fd);
    free(in->memory);
    free(in->path);
    *in = (io_input){0};
}

bool penta_io_text_read(const char *path, char **text, penta_io_error *err)
{
    io_input in = {0};
    bool ok;

    *text = NULL;
    if (!io_input_open(path, &in, err))
        return false;
    *text = malloc((size_t)in.bytes + 1);
    ok = *text ? io_input_read(&in, 0, *text, (size_t)in.bytes) ||
                     penta_io_fail(err, "%s: cannot be read; check the disk or the network", path)
               : penta_io_fail(err, "%s: out of memory for it", path);
    if (ok)
        (*text)[in.bytes] = 0;
    io_input_close(&in);
    if (!ok) {
        free(*text);
        *text = NULL;
    }
    return ok;
}
