/* Rows of a cube at their place in a file that is as large as the cube, from any thread. */
#include "io/cube_format.h"

#include <stdlib.h>

bool io_cube_put_rows(penta_io_cube_writer *writer, penta_io_shared_file *file, bool little, size_t first, size_t count,
                      const void *data, size_t stride, penta_io_error *err)
{
    const penta_io_cube_info *a = &writer->about;
    size_t size = penta_type_size(a->type), elements = count * a->cols;
    penta_io_part *parts = calloc(a->bands, sizeof *parts);
    bool ok = parts || penta_io_fail(err, "%s: out of memory", writer->path);

    for (size_t band = 0; ok && band < a->bands; band++) {
        uint64_t at = io_shared_file_data_at(file) + ((uint64_t)band * a->rows + first) * a->cols * size;
        const unsigned char *from = (const unsigned char *)data + band * stride * size;

        ok = little ? io_shared_file_put(file, at, from, elements, size, &parts[band], err)
                    : io_shared_file_put(file, at, from, elements * size, 1, &parts[band], err);
    }
    if (ok)
        io_parts_add(&writer->parts, parts, a->bands);
    free(parts);
    return ok;
}
