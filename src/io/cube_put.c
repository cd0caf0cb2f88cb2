/* Rows of a cube at their place in a file that is as large as the cube, from any thread. */
#include "io/cube_format.h"
#include "io/npy_format.h"
#include "io/shared_file.h"

#include <string.h>

static bool put_swapped(const penta_io_cube_writer *writer, int fd, uint64_t offset, const unsigned char *data,
                        size_t bytes, penta_io_error *err)
{
    size_t size = penta_type_size(writer->about.type);
    unsigned char block[4096];

    for (size_t done = 0; done < bytes; done += sizeof block) {
        size_t n = bytes - done < sizeof block ? bytes - done : sizeof block;

        memcpy(block, data + done, n);
        io_swap_elements(block, n / size, size);
        if (!io_put(writer->path, fd, offset + done, block, n, err))
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
                     : io_put(writer->path, fd, offset, from, bytes, err);
    }
    return ok;
}
