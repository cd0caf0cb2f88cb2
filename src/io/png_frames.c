/*
 * Animated PNG (PNG specification, third edition): pages are the canvas after each frame was drawn over the earlier
 * ones. A frame is decoded as a PNG of its own, made in memory of its size, the file's palette and its data. Pages are
 * decoded in order; going back starts over.
 */
#include "io/png_frames.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNATURE = 8, IHDR = 25, CHUNK = 12 }; /* bytes; a chunk has its length, its name and its checksum */
enum { KEEP = 0, BACKGROUND = 1, PREVIOUS = 2 };

typedef struct {
    uint32_t width, height, x, y;
    uint8_t dispose;
    bool over;        /* by its alpha; else it replaces */
    uint64_t at, end; /* chunks with its data, perhaps among others */
} frame_part;

typedef struct {
    frame_part *frames;
    size_t count, room;
    uint64_t common_end; /* chunks of all frames lie between IHDR and this */
    uint32_t width, height;
    size_t next;           /* frame to be drawn */
    bool colour;           /* of the canvas */
    penta_io_image canvas; /* with its alpha behind its numbers */
    uint8_t *alpha;
    void *kept; /* the canvas before the last frame that is disposed of by it */
    size_t bytes;
} animation;

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_big_endian(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* The chunk at `at`; false at the end of the file, or where it is cut. */
static bool read_chunk(const io_input *in, uint64_t at, unsigned char head[8], uint64_t *next)
{
    if (!io_input_read(in, at, head, 8))
        return false;
    *next = at + CHUNK + big_endian(head);
    return *next <= in->bytes;
}

static bool is_called(const unsigned char head[8], const char *name)
{
    return memcmp(head + 4, name, 4) == 0;
}

static bool add_frame(penta_io_reader *reader, animation *a, uint64_t at, uint64_t next, penta_io_error *err)
{
    unsigned char c[26];
    frame_part f;

    if (next - at != CHUNK + sizeof c || !io_input_read(&reader->input, at + 8, c, sizeof c))
        return penta_io_fail(err, "%s: frame %zu of its animation is damaged; export it again", reader->input.path,
                             a->count + 1);
    f = (frame_part){
        big_endian(c + 4), big_endian(c + 8), big_endian(c + 12), big_endian(c + 16), c[24], c[25] == 1, next, next};
    if (f.width == 0 || f.height == 0 || f.width > a->width || f.height > a->height || f.x > a->width - f.width ||
        f.y > a->height - f.height)
        return penta_io_fail(err,
                             "%s: frame %zu of its animation reaches beyond the canvas of %" PRIu32 " x %" PRIu32
                             "; export it again",
                             reader->input.path, a->count + 1, a->width, a->height);
    if (a->count == a->room) {
        frame_part *grown = realloc(a->frames, (a->room ? 2 * a->room : 16) * sizeof *grown);

        if (!grown)
            return penta_io_fail(err, "%s: out of memory for its list of frames", reader->input.path);
        a->frames = grown;
        a->room = a->room ? 2 * a->room : 16;
    }
    a->frames[a->count++] = f;
    return true;
}

/* Lists the frames of a file that says it is animated. */
static bool find_frames(penta_io_reader *reader, animation *a, penta_io_error *err)
{
    unsigned char head[8];
    uint64_t next;
    bool animated = false, data = false;

    for (uint64_t at = SIGNATURE + IHDR; read_chunk(&reader->input, at, head, &next); at = next) {
        bool is_data = is_called(head, "IDAT");

        animated = animated || is_called(head, "acTL");
        if (is_data && !animated)
            return true;
        if (a->common_end == 0 && (is_data || is_called(head, "fcTL")))
            a->common_end = at;
        if (is_data && a->count == 0 && !data)
            io_reader_doubt(reader, "its still image is no frame of its animation and is left out");
        data = data || is_data;
        if (is_called(head, "fcTL") && !add_frame(reader, a, at, next, err))
            return false;
        if (a->count > 0 && (is_data || is_called(head, "fdAT")))
            a->frames[a->count - 1].end = next;
    }
    if (a->count > 0 && !data)
        a->count = 0; /* decoding the file says what is wrong */
    return true;
}

bool io_png_open(penta_io_reader *reader, penta_io_error *err)
{
    animation *a = reader->state = calloc(1, sizeof *a);
    unsigned char head[SIGNATURE + IHDR];

    reader->pages = 1;
    if (!a)
        return penta_io_fail(err, "%s: out of memory", reader->input.path);
    if (!io_input_read(&reader->input, 0, head, sizeof head))
        return true;
    a->width = big_endian(head + 16);
    a->height = big_endian(head + 20);
    if (!find_frames(reader, a, err))
        return false;
    reader->pages = a->count > 1 ? a->count : 1;
    return true;
}

/* ---- one frame ---- */

/* A PNG of the frame in memory; NULL: out of memory, or the file cannot be read. Its checksums are not set. */
static unsigned char *make_png(const io_input *in, const animation *a, const frame_part *f, uint64_t *bytes)
{
    uint64_t room = a->common_end + (f->end - f->at) + CHUNK, next, n = SIGNATURE + IHDR;
    unsigned char *png = room < SIZE_MAX ? calloc(1, (size_t)room) : NULL;
    unsigned char head[8];
    bool ok = png && io_input_read(in, 0, png, (size_t)a->common_end);

    if (ok) {
        put_big_endian(png + 16, f->width);
        put_big_endian(png + 20, f->height);
        n = a->common_end;
    }
    for (uint64_t at = f->at; ok && at < f->end && read_chunk(in, at, head, &next); at = next) {
        uint32_t skipped = is_called(head, "fdAT") ? 4 : 0, length = big_endian(head);

        if ((!skipped && !is_called(head, "IDAT")) || length < skipped)
            continue;
        put_big_endian(png + n, length - skipped);
        memcpy(png + n + 4, "IDAT", 4);
        ok = io_input_read(in, at + 8 + skipped, png + n + 8, length - skipped);
        n += CHUNK + length - skipped;
    }
    if (ok) {
        memcpy(png + n + 4, "IEND", 4);
        *bytes = n + CHUNK;
        return png;
    }
    free(png);
    return NULL;
}

static bool decode_frame(const penta_io_reader *reader, size_t page, io_png_decoder decode, penta_io_image *out,
                         uint8_t **alpha, penta_io_error *err)
{
    const animation *a = reader->state;
    penta_io_reader part = *reader;
    bool ok;

    part.input.memory = make_png(&reader->input, a, &a->frames[page], &part.input.bytes);
    if (!part.input.memory)
        return io_page_fail(reader, page, err, "cannot be read; the file shrank, or the disk or memory fails");
    ok = decode(&part, page, out, alpha, err);
    free(part.input.memory);
    return ok;
}

/* ---- the canvas ---- */

static void put(penta_io_image *image, size_t i, double value)
{
    if (image->type == PENTA_U8)
        ((uint8_t *)image->data)[i] = (uint8_t)(value + 0.5);
    else
        ((uint16_t *)image->data)[i] = (uint16_t)(value + 0.5);
}

/* Draws the frame over the canvas, or in its place. */
static void draw(animation *a, const frame_part *f, const penta_io_image *frame, const uint8_t *alpha)
{
    size_t channels = a->canvas.channels;

    for (size_t i = 0; i < (size_t)f->width * f->height; i++) {
        size_t to = (f->y + i / f->width) * a->canvas.width + f->x + i % f->width;
        double over = f->over ? alpha[i] / 255.0 : 1, below = a->alpha[to] / 255.0 * (1 - over), all = over + below;

        for (size_t k = 0; k < channels && over > 0; k++)
            put(&a->canvas, channels * to + k,
                (over * penta_io_image_value(frame, channels * i + k) +
                 below * penta_io_image_value(&a->canvas, channels * to + k)) /
                    all);
        a->alpha[to] = f->over ? (uint8_t)(255 * all + 0.5) : alpha[i];
    }
}

/* Makes the frame's part of the canvas transparent black. */
static void clear(animation *a, const frame_part *f)
{
    size_t pixel = penta_type_size(a->canvas.type) * a->canvas.channels;

    for (uint32_t y = 0; y < f->height; y++) {
        size_t at = ((size_t)f->y + y) * a->canvas.width + f->x;

        memset((unsigned char *)a->canvas.data + at * pixel, 0, f->width * pixel);
        memset(a->alpha + at, 0, f->width);
    }
}

static void end_walk(animation *a)
{
    penta_io_image_free(&a->canvas);
    free(a->kept);
    a->kept = NULL;
    a->next = 0;
}

/* A canvas for frames such as this one, with its alpha behind its numbers. */
static bool begin_walk(penta_io_reader *reader, const penta_io_image *frame, penta_io_error *err)
{
    animation *a = reader->state;
    uint64_t pixels = io_product(a->width, a->height);
    size_t pixel = penta_type_size(frame->type) * frame->channels;

    if (!io_page_plausible(reader, 0, io_product(pixels, pixel + 1), IO_DEFLATE_INFLATION, err))
        return false;
    a->canvas = *frame;
    a->canvas.width = a->width;
    a->canvas.height = a->height;
    a->bytes = (size_t)pixels * (pixel + 1);
    a->canvas.data = calloc(1, a->bytes);
    a->kept = calloc(1, a->bytes);
    a->alpha = (uint8_t *)a->canvas.data + (size_t)pixels * pixel;
    return (a->canvas.data && a->kept) || io_page_fail(reader, 0, err, "out of memory for the image; free some memory");
}

static bool draw_next(penta_io_reader *reader, io_png_decoder decode, penta_io_error *err)
{
    animation *a = reader->state;
    const frame_part *f = &a->frames[a->next], *last = a->next > 0 ? f - 1 : NULL;
    penta_io_image frame = {0};
    uint8_t *alpha = NULL;
    bool ok = decode_frame(reader, a->next, decode, &frame, &alpha, err) &&
              (a->canvas.data || begin_walk(reader, &frame, err));

    if (ok && last && (last->dispose == BACKGROUND || (last->dispose == PREVIOUS && last == a->frames)))
        clear(a, last);
    else if (ok && last && last->dispose == PREVIOUS)
        memcpy(a->canvas.data, a->kept, a->bytes);
    if (ok && f->dispose == PREVIOUS)
        memcpy(a->kept, a->canvas.data, a->bytes);
    if (ok)
        draw(a, f, &frame, alpha);
    a->next += ok;
    penta_io_image_free(&frame);
    free(alpha);
    return ok;
}

bool io_png_read_frame(penta_io_reader *reader, size_t page, io_png_decoder decode, penta_io_image *out,
                       penta_io_error *err)
{
    animation *a = reader->state;
    bool ok = true;

    if (page + 1 < a->next || (a->canvas.data && a->colour != reader->colour))
        end_walk(a);
    a->colour = reader->colour;
    while (ok && a->next <= page)
        ok = draw_next(reader, decode, err);
    if (!ok) {
        end_walk(a);
        return false;
    }
    if (!io_page_alloc_channels(reader, page, a->width, a->height, a->canvas.channels, a->canvas.type, out, err))
        return false;
    memcpy(out->data, a->canvas.data, out->width * out->height * out->channels * penta_type_size(out->type));
    return true;
}

void io_png_close(penta_io_reader *reader)
{
    animation *a = reader->state;

    if (!a)
        return;
    end_walk(a);
    free(a->frames);
    free(a);
}
