/*
 * QOI (qoiformat.org): one page of 8-bit colour. A header of "qoif", width and height (32 bits, big-endian), channels
 * and colour space (a byte each) comes before the operations, each of which stands for one pixel or a run of equal
 * ones. Eight bytes mark the end. Alpha is ignored.
 */
#include "io/format.h"
#include <pentacl/io/output.h>

#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 14, END_BYTES = 8, LONGEST_RUN = 62, PLACES = 64 };
/* Operations. The first four have a number in their lower six bits. */
enum { OP_INDEX = 0x00, OP_DIFF = 0x40, OP_LUMA = 0x80, OP_RUN = 0xc0, OP_RGB = 0xfe, OP_RGBA = 0xff };

typedef struct {
    uint8_t c[4]; /* red, green, blue, alpha */
} pixel;

static const pixel first_pixel = {{0, 0, 0, 255}}; /* before the first operation */

/* The place of a pixel among those seen before. */
static size_t place_of(const pixel *p)
{
    return (3u * p->c[0] + 5u * p->c[1] + 7u * p->c[2] + 11u * p->c[3]) % PLACES;
}

static bool qoi_matches(const unsigned char *head, size_t size)
{
    return size >= 4 && memcmp(head, "qoif", 4) == 0;
}

/* ---- reading ---- */

static bool qoi_open(penta_io_reader *reader, penta_io_error *err)
{
    (void)err;
    reader->pages = 1;
    return true;
}

typedef struct {
    const uint8_t *at, *end; /* operations that were not read yet */
    pixel last, seen[PLACES];
} decoder;

static void change(pixel *p, int red, int green, int blue)
{
    p->c[0] = (uint8_t)(p->c[0] + red);
    p->c[1] = (uint8_t)(p->c[1] + green);
    p->c[2] = (uint8_t)(p->c[2] + blue);
}

/* Carries out the next operation on d->last. Returns how many pixels it stands for; 0: there is no whole one. */
static size_t next_run(decoder *d)
{
    const uint8_t *at = d->at;
    int op = at < d->end ? *at & 0xc0 : 0, number = at < d->end ? *at & 0x3f : 0;
    size_t size = at == d->end ? 0 : *at == OP_RGBA ? 5 : *at == OP_RGB ? 4 : op == OP_LUMA ? 2 : 1, run = 1;

    if (size == 0 || size > (size_t)(d->end - at))
        return 0;
    if (size >= 4)
        memcpy(d->last.c, at + 1, size - 1);
    else if (op == OP_INDEX)
        d->last = d->seen[number];
    else if (op == OP_DIFF)
        change(&d->last, (number >> 4) - 2, (number >> 2 & 3) - 2, (number & 3) - 2);
    else if (op == OP_LUMA)
        change(&d->last, number - 32 + (at[1] >> 4) - 8, number - 32, number - 32 + (at[1] & 15) - 8);
    else
        run = (size_t)number + 1;
    d->seen[place_of(&d->last)] = d->last;
    d->at += size;
    return run;
}

static void store(penta_io_image *out, size_t i, const pixel *p)
{
    uint8_t *to = (uint8_t *)out->data + i * out->channels;

    if (out->channels == 3)
        memcpy(to, p->c, 3);
    else
        *to = (uint8_t)io_luminance(p->c[0], p->c[1], p->c[2]);
}

static bool decode(decoder *d, penta_io_image *out)
{
    size_t count = out->width * out->height;

    for (size_t done = 0, run; done < count; done += run) {
        run = next_run(d);
        if (run == 0 || run > count - done)
            return false;
        for (size_t i = done; i < done + run; i++)
            store(out, i, &d->last);
    }
    return true;
}

static uint32_t number_at(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool qoi_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    size_t size = (size_t)reader->input.bytes;
    uint8_t head[HEADER_BYTES], *bytes;
    uint64_t width, height;
    decoder d = {.last = first_pixel};
    bool ok;

    if (size < HEADER_BYTES + END_BYTES || !io_input_read(&reader->input, 0, head, sizeof head))
        return io_page_fail(reader, page, err, "the file ends in its header; copy or export it again");
    width = number_at(head + 4);
    height = number_at(head + 8);
    if (!io_page_plausible(reader, page, io_product(io_product(width, height), 3), 3 * LONGEST_RUN, err) ||
        !io_page_alloc_channels(reader, page, width, height, reader->colour ? 3 : 1, PENTA_U8, out, err))
        return false;
    bytes = malloc(size);
    if (!bytes)
        return io_page_fail(reader, page, err, "out of memory for its %zu bytes", size);
    d.at = bytes + HEADER_BYTES;
    d.end = bytes + size - END_BYTES;
    ok = io_input_read(&reader->input, 0, bytes, size) ||
         io_page_fail(reader, page, err, "cannot be read; check the disk");
    ok = ok && (decode(&d, out) ||
                io_page_fail(reader, page, err, "its pixels do not fill the image; copy or export it again"));
    free(bytes);
    return ok;
}

/* ---- writing ---- */

static void put_number(FILE *out, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        putc((int)(n >> shift & 0xff), out);
}

static void put_run(FILE *out, size_t *run)
{
    if (*run > 0)
        putc(OP_RUN | (int)(*run - 1), out);
    *run = 0;
}

/* Runs, pixels seen before, and all others in full. */
static void encode(const penta_io_image *image, FILE *out)
{
    const uint8_t *from = image->data;
    size_t count = image->width * image->height, channels = image->channels == 3 ? 3 : 1, run = 0;
    pixel last = first_pixel, seen[PLACES] = {0};

    for (size_t i = 0; i < count; i++, from += channels) {
        pixel p = {{from[0], from[channels / 2], from[channels - 1], 255}}, *place = &seen[place_of(&p)];

        if (memcmp(&p, &last, sizeof p) == 0) {
            if (++run == LONGEST_RUN)
                put_run(out, &run);
            continue;
        }
        put_run(out, &run);
        if (memcmp(&p, place, sizeof p) == 0) {
            putc(OP_INDEX | (int)place_of(&p), out);
        } else {
            putc(OP_RGB, out);
            fwrite(p.c, 1, 3, out);
        }
        *place = last = p;
    }
    put_run(out, &run);
}

static bool qoi_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err)
{
    penta_io_output *output = NULL;
    FILE *out;

    (void)meta;
    if (image->width > UINT32_MAX || image->height > UINT32_MAX)
        return penta_io_fail(err, "%s: %zu x %zu pixels are too many for this format; write PNG", path, image->width,
                             image->height);
    if (!penta_io_output_open(path, &output, err))
        return false;
    out = penta_io_output_stream(output);
    fwrite("qoif", 1, 4, out);
    put_number(out, (uint32_t)image->width);
    put_number(out, (uint32_t)image->height);
    fwrite((const uint8_t[]){3, 0}, 1, 2, out);
    encode(image, out);
    fwrite((const uint8_t[END_BYTES]){0, 0, 0, 0, 0, 0, 0, 1}, 1, END_BYTES, out);
    return penta_io_output_commit(output, err); /* finds errors of the stream */
}

static const char *const ends[] = {"qoi", NULL};

const io_image_format io_qoi_format = {
    .ends = ends, .matches = qoi_matches, .open = qoi_open, .read = qoi_read, .types = IO_BYTES, .write = qoi_write};
