/* Bodies in NPY whose rows several processes write. */
#include <stdlib.h>
#include <string.h>

#include "io/bodies_format.h"
#include <pentacl/io/run.h>
#include "io/npy_format.h"
#include "io/shared_file.h"

#define ROW_BYTES (IO_BODY_COLUMNS * sizeof(double))

static size_t bodies_in(const penta_io_shared_file *file)
{
    return (size_t)((io_shared_file_bytes(file) - io_shared_file_data_at(file)) / ROW_BYTES);
}

bool penta_io_bodies_begin(const char *path, const penta_io_bodies *about, penta_io_shared_file **out,
                           penta_io_part *head, penta_io_error *err)
{
    unsigned char header[IO_NPY_HEADER_BYTES];
    size_t bytes = io_npy_make_header(PENTA_F64, 2, (const size_t[]){about->n, IO_BODY_COLUMNS}, header);

    *out = NULL;
    *head = (penta_io_part){0};
    if (!io_has_suffix(path, ".npy"))
        return penta_io_fail(err, "%s: several processes write bodies as NPY only; end the name in .npy", path);
    if (about->n == 0)
        return penta_io_fail(err, "%s: there are no bodies to write", path);
    if (!io_bodies_check_about(path, about, err))
        return false;
    if (!penta_io_run_covers(path))
        io_bodies_side_remove(path); /* so that it never lies beside bodies of another file */
    if (!io_shared_file_begin(path, bytes + (uint64_t)about->n * ROW_BYTES, bytes, out, err))
        return false;
    if (io_shared_file_put(*out, 0, header, (size_t)io_shared_file_data_at(*out), 1, head, err))
        return true;
    penta_io_shared_file_abandon(*out);
    *out = NULL;
    return false;
}

bool penta_io_bodies_put(penta_io_shared_file *file, size_t first, size_t count, const double *rows,
                         penta_io_part *part, penta_io_error *err)
{
    return io_bodies_check_rows(io_shared_file_path(file), bodies_in(file), first, count, rows, err) &&
           io_shared_file_put(file, io_shared_file_data_at(file) + (uint64_t)first * ROW_BYTES, rows,
                              count * IO_BODY_COLUMNS, sizeof *rows, part, err);
}

bool penta_io_bodies_finish(penta_io_shared_file *file, const penta_io_bodies *about, const penta_io_part *parts,
                            size_t count, penta_io_error *err)
{
    char *path = strdup(io_shared_file_path(file));
    bool ok = path || penta_io_fail(err, "%s: out of memory", io_shared_file_path(file));

    if (ok)
        ok = io_shared_file_finish(file, parts, count, err) && io_bodies_side_put(path, &io_bodies_npy, about, err);
    else
        penta_io_shared_file_abandon(file);
    free(path);
    return ok;
}
