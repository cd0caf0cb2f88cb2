/* Files of one frame. */
#include "autocorr/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/array.h>
#include <pentacl/io/output.h>

static bool write_plane(const char *path, size_t max_offset, penta_type type, const void *data, penta_io_error *err)
{
    size_t side = 2 * max_offset + 1, shape[2] = {side, side};

    if (!path)
        return penta_io_fail(err, "out of memory for a file name");
    return penta_io_npy_write(path, type, 2, shape, data, err);
}

static bool write_c1d(const char *path, size_t bins, const penta_autocorr_bin *c1d, penta_io_error *err)
{
    penta_io_output *output;
    FILE *f;

    if (!path)
        return penta_io_fail(err, "out of memory for a file name");
    if (!penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    fputs("r,count,mean_r,c,sd\n", f);
    for (size_t r = 0; r < bins; r++)
        fprintf(f, "%zu,%" PRId64 ",%.17g,%.17g,%.17g\n", r, c1d[r].count, c1d[r].mean_r, c1d[r].c, c1d[r].sd);
    return penta_io_output_commit(output, err);
}

bool autocorr_write_frame(const char *directory, const char *stem, size_t max_offset,
                          const penta_autocorr_result *result, penta_io_error *err)
{
    char *c2d = penta_io_join_path(directory, stem, ".c2d.npy"), *n2d = penta_io_join_path(directory, stem, ".n2d.npy");
    char *c1d = penta_io_join_path(directory, stem, ".c1d.csv");
    bool ok = write_plane(c2d, max_offset, PENTA_F64, result->c2d, err);

    if (ok && result->numerators)
        ok = write_plane(n2d, max_offset, PENTA_I64, result->numerators, err);
    if (ok)
        ok = write_c1d(c1d, max_offset + 1, result->c1d, err);
    free(c2d);
    free(n2d);
    free(c1d);
    return ok;
}
