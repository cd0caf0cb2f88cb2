/* Rows of a cube at their place in a file that is as large as the cube, from any thread. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "io/cube_format.h"
#include "io/npy_format.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool write_failed(const penta_io_cube_writer *writer, int code, penta_io_error *err)
{
    const char *advice = code == ENOSPC || code == EDQUOT ? "; free some space or choose another place" : "";

    return penta_io_fail(err, "%s: cannot be written: %s%s", writer->path, strerror(code), advice);
}

bool io_cube_put(const penta_io_cube_writer *writer, int fd, uint64_t offset, const void *data, size_t size,
                 penta_io_error *err)
{
    const char *at = data;

    while (size > 0) {
        ssize_t done = pwrite(fd, at, size, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return write_failed(writer, done < 0 ? errno : EIO, err);
        at += done;
        offset += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

static bool put_swapped(const penta_io_cube_writer *writer, int fd, uint64_t offset, const unsigned char *data,
                        size_t bytes, penta_io_error *err)
{
    size_t size = penta_type_size(writer->about.type);
    unsigned char block[4096];

    for (size_t done = 0; done < bytes; done += sizeof block) {
        size_t n = bytes - done < sizeof block ? bytes - done : sizeof block;

        memcpy(block, data + done, n);
        io_swap_elements(block, n / size, size);
        if (!io_cube_put(writer, fd, offset + done, block, n, err))
            return false;
    }
    return true;
}

bool io_cube_put_rows(const penta_io_cube_writer *writer, int fd, const io_cube_place *place, size_t first,
                      size_t count, const void *data, size_t stride, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    size_t size = penta_type_size(a->type), bytes = count * a->cols * size;
    bool swapped = place->little && !io_host_is_little(), ok = true;

    for (size_t band = 0; ok && band < a->bands; band++) {
        uint64_t offset = place->data_at + ((uint64_t)band * a->rows + first) * a->cols * size;
        const unsigned char *from = (const unsigned char *)data + band * stride * size;

        ok = swapped ? put_swapped(writer, fd, offset, from, bytes, err)
                     : io_cube_put(writer, fd, offset, from, bytes, err);
    }
    return ok;
}
