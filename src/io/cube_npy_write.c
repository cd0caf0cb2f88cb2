/* Writes rows of NPY cubes in place, in a file created as large as the cube. */
#include "io/cube_format.h"
#include "io/npy_format.h"

static bool put_header(penta_io_cube_writer *writer, const unsigned char *header, size_t size, penta_io_error *err)
{
    penta_io_part head = {0};

    if (!io_shared_file_temporary(writer->state))
        return penta_io_fail(err, "%s: is no file, and a cube cannot be written elsewhere; name a file", writer->path);
    if (!io_shared_file_put(writer->state, 0, header, size, 1, &head, err))
        return false;
    io_parts_add(&writer->parts, &head, 1);
    return true;
}

static bool npy_create(penta_io_cube_writer *writer, const penta_io_cube *like, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    unsigned char header[IO_NPY_HEADER_BYTES];
    size_t size = io_npy_make_header(a->type, 3, (const size_t[]){a->bands, a->rows, a->cols}, header);
    penta_io_shared_file *file;

    (void)like;
    if (!io_shared_file_begin(writer->path, size + io_cube_bytes(a), size, &file, err))
        return false;
    writer->state = file;
    return put_header(writer, header, size, err);
}

/* NPY is written little-endian. */
static bool npy_place(const penta_io_cube_writer *writer, io_cube_place *out)
{
    *out = (io_cube_place){io_shared_file_temporary(writer->state), io_shared_file_data_at(writer->state), true};
    return out->file != NULL;
}

static bool npy_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                      penta_io_error *err)
{
    return io_cube_put_rows(writer, writer->state, true, first, count, data, stride, err);
}

/* Where all parts are known the file is not read again. */
static bool npy_finish(penta_io_cube_writer *writer, penta_io_error *err)
{
    penta_io_shared_file *file = writer->state;
    io_parts *parts = &writer->parts;
    penta_io_part whole;

    writer->state = NULL; /* the file is closed even if this fails */
    return !parts->lost && io_parts_join(parts->items, parts->count, 0, io_shared_file_bytes(file), &whole)
               ? io_shared_file_finish(file, &whole, 1, err)
               : io_shared_file_finish_unknown(file, err);
}

static void npy_abandon(penta_io_cube_writer *writer)
{
    penta_io_shared_file_abandon(writer->state);
}

const io_cube_output io_cube_npy_output = {npy_create, npy_write, npy_finish, npy_abandon, npy_place};
