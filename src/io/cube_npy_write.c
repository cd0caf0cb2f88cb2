/* Writes rows of NPY cubes in place, in a file created as large as the cube. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "io/cube_format.h"
#include "io/npy_format.h"
#include "io/output.h"
#include "io/shared_file.h"

#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
    penta_io_output *output;
    size_t data_at; /* bytes of the header */
} npy_state;

static int file_of(const npy_state *n)
{
    return fileno(penta_io_output_stream(n->output));
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
    if (fstat(file_of(n), &st) != 0 || !S_ISREG(st.st_mode))
        return penta_io_fail(err, "%s: is no file, and a cube cannot be written elsewhere; name a file", writer->path);
    n->data_at = io_npy_make_header(a->type, 3, (const size_t[]){a->bands, a->rows, a->cols}, header);
    return io_put(writer->path, file_of(n), 0, header, n->data_at, err);
}

/* NPY is written little-endian. */
static bool npy_place(const penta_io_cube_writer *writer, io_cube_place *out)
{
    const npy_state *n = writer->state;

    *out = (io_cube_place){io_output_file(n->output), n->data_at, true};
    return out->file != NULL;
}

static bool npy_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                      penta_io_error *err)
{
    io_cube_place place;

    (void)npy_place(writer, &place);
    return io_cube_put_rows(writer, file_of(writer->state), &place, first, count, data, stride, err);
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

const io_cube_output io_cube_npy_output = {npy_create, npy_write, npy_finish, npy_abandon, npy_place};
