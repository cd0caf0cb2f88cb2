/* A format of images as docs/development/adding-a-format.md says: this file and one row. "TOY", width and height as
 * bytes, then the pixels. */
#include "io/format.h"

#include <string.h>

enum { HEADER_BYTES = 5 };

static bool toy_matches(const unsigned char *head, size_t size)
{
    return size >= 3 && memcmp(head, "TOY", 3) == 0;
}

static bool toy_open(penta_io_reader *reader, penta_io_error *err)
{
    (void)err;
    reader->pages = 1;
    return true;
}

static bool toy_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    unsigned char head[HEADER_BYTES];
    uint64_t bytes;

    if (!io_input_read(&reader->input, 0, head, sizeof head))
        return io_page_fail(reader, page, err, "it has no header; copy it again");
    bytes = io_product(head[3], head[4]);
    return io_page_plausible(reader, page, HEADER_BYTES + bytes, 1, err) &&
           io_page_alloc(reader, page, head[3], head[4], PENTA_U8, out, err) &&
           (io_input_read(&reader->input, HEADER_BYTES, out->data, (size_t)bytes) ||
            io_page_fail(reader, page, err, "it cannot be read"));
}

static const char *const ends[] = {"toy", NULL};

const io_image_format io_toy_format = {.ends = ends, .matches = toy_matches, .open = toy_open, .read = toy_read};
