/* Writes rows of NPY cubes in place, in a file created as large as the cube. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "io/cube_format.h"
#include "io/npy_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    penta_io_output *output;
    size_t data_at; /* bytes of the header */
} npy_state;

static bool write_failed(const penta_io_cube_writer *writer, int code, penta_io_error *err)
{
    const char *advice = code == ENOSPC || code == EDQUOT ? "; free some space or choose another place" : "";

    return penta_io_fail(err, "%s: cannot be written: %s%s", writer->path, strerror(code), advice);
}

static bool put(const penta_io_cube_writer *writer, uint64_t offset, const void *data, size_t size, penta_io_error *err)
{
    const npy_state *n = writer->state;
    const char *at = data;
    int fd = fileno(penta_io_output_stream(n->output));

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

/* NPY is written little-endian. */
static bool put_elements(const penta_io_cube_writer *writer, uint64_t offset, const unsigned char *data, size_t bytes,
                         penta_io_error *err)
{
    size_t size = penta_type_size(writer->about.type);
    unsigned char block[4096];

    if (io_host_is_little())
        return put(writer, offset, data, bytes, err);
    for (size_t done = 0; done < bytes; done += sizeof block) {
        size_t n = bytes - done < sizeof block ? bytes - done : sizeof block;

        memcpy(block, data + done, n);
        io_swap_elements(block, n / size, size);
        if (!put(writer, offset + done, block, n, err))
            return false;
    }
    return true;
}

static bool npy_create(penta_io_cube_writer *writer, const penta_io_cube *like, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    npy_state *n = writer->state = calloc(1, sizeof *n);
    unsigned char header[IO_NPY_HEADER_BYTES];
    struct stat st;

    (void)like;
    if (!n)
        return penta_io_fail(err, "%s: out of memory", writer->path);
    if (!penta_io_output_open(writer->path, &n->output, err))
        return false;
    if (fstat(fileno(penta_io_output_stream(n->output)), &st) != 0 || !S_ISREG(st.st_mode))
        return penta_io_fail(err, "%s: is no file, and a cube cannot be written elsewhere; name a file", writer->path);
    n->data_at = io_npy_make_header(a->type, 3, (const size_t[]){a->bands, a->rows, a->cols}, header);
    return put(writer, 0, header, n->data_at, err);
}

static bool npy_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                      penta_io_error *err)
{
    const npy_state *n = writer->state;
    const penta_io_cube_info *a = &writer->about;
    size_t size = penta_type_size(a->type);

    for (size_t band = 0; band < a->bands; band++)
        if (!put_elements(writer, n->data_at + ((uint64_t)band * a->rows + first) * a->cols * size,
                          (const unsigned char *)data + band * stride * size, count * a->cols * size, err))
            return false;
    return true;
}

static bool npy_finish(penta_io_cube_writer *writer, penta_io_error *err)
{
    npy_state *n = writer->state;
    penta_io_output *output = n->output;

    n->output = NULL; /* the output is closed even if this fails */
    return penta_io_output_commit(output, err);
}

static void npy_abandon(penta_io_cube_writer *writer)
{
    npy_state *n = writer->state;

    if (n)
        penta_io_output_abort(n->output);
    free(n);
}

const io_cube_output io_cube_npy_output = {npy_create, npy_write, npy_finish, npy_abandon};
