/*
 * PGM and PPM: P2, P3 (plain, decimal numbers) and P5, P6 (raw, big-endian when maxval > 255). Values are not scaled by
 * maxval. A raw file may hold several images one after the other, as cameras and ffmpeg write them: each is a page, and
 * they may differ in size.
 */
#include "io/format.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    uint64_t data_at; /* byte offset of the samples */
    uint64_t width, height;
    unsigned maxval;
    unsigned channels; /* 1 or 3 */
    bool plain;
} pnm_page;

/* Reads characters one by one, through a buffer. */
typedef struct {
    const io_input *in;
    uint64_t at; /* file offset of the next character */
    uint64_t buffer_at;
    size_t filled;
    unsigned char buffer[1 << 14];
} pnm_text;

enum { END = -1, BROKEN = -2 }; /* BROKEN: not a number, or one over 9 digits */

static int peek_char(pnm_text *text)
{
    size_t n = sizeof text->buffer;

    if (text->at >= text->in->bytes)
        return END;
    if (text->at < text->buffer_at || text->at >= text->buffer_at + text->filled) {
        if (n > text->in->bytes - text->at)
            n = (size_t)(text->in->bytes - text->at);
        text->filled = 0;
        if (!io_input_read(text->in, text->at, text->buffer, n))
            return END;
        text->buffer_at = text->at;
        text->filled = n;
    }
    return text->buffer[text->at - text->buffer_at];
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Reads the next number, after space and comments ('#' to the end of the line); or END or BROKEN. */
static long next_number(pnm_text *text)
{
    long value = 0;
    int digits = 0;
    int c = peek_char(text);

    while (is_space(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != '\r' && c != END) {
                text->at++;
                c = peek_char(text);
            }
        if (c != END)
            text->at++;
        c = peek_char(text);
    }
    if (c == END)
        return END;
    for (; c >= '0' && c <= '9'; c = peek_char(text)) {
        if (++digits > 9)
            return BROKEN;
        value = 10 * value + (c - '0');
        text->at++;
    }
    return digits > 0 && (is_space(c) || c == '#' || c == END) ? value : BROKEN;
}

static uint64_t samples_of(const pnm_page *page)
{
    return io_product(io_product(page->width, page->height), page->channels);
}

static uint64_t raster_bytes(const pnm_page *page)
{
    return io_product(samples_of(page), page->maxval > 255 ? 2 : 1);
}

static bool header_failed(const pnm_text *text, const char *what, penta_io_error *err)
{
    return penta_io_fail(err,
                         "%s: %s at byte %" PRIu64 " of the PGM/PPM header; the file is truncated or damaged: copy or "
                         "export it again",
                         text->in->path, what, text->at);
}

/* Reads the header at text->at and checks that its samples fit into what is left of the file. */
static bool read_header(pnm_text *text, pnm_page *page, penta_io_error *err)
{
    char magic[2] = "";
    long width;
    long height;
    long maxval;
    uint64_t left;

    if (!io_input_read(text->in, text->at, magic, 2))
        return header_failed(text, "the file ends", err);
    page->plain = magic[1] == '2' || magic[1] == '3';
    page->channels = magic[1] == '3' || magic[1] == '6' ? 3 : 1;
    text->at += 2;
    width = next_number(text);
    height = next_number(text);
    maxval = next_number(text);
    if (width == END || height == END || maxval == END)
        return header_failed(text, "the file ends", err);
    if (width < 1 || height < 1)
        return header_failed(text, "width and height are not whole numbers of at least 1", err);
    if (maxval < 1 || maxval > 65535)
        return header_failed(text, "the maxval is not a whole number from 1 to 65535", err);
    if (!is_space(peek_char(text)))
        return header_failed(text, "there is no single space before the samples", err);
    page->width = (uint64_t)width;
    page->height = (uint64_t)height;
    page->maxval = (unsigned)maxval;
    page->data_at = ++text->at;
    left = text->in->bytes - text->at;
    /* A plain sample takes at least a digit and, except for the last, a space. */
    if (page->plain ? samples_of(page) > left / 2 + 1 : raster_bytes(page) > left)
        return penta_io_fail(err,
                             "%s: the header at byte %" PRIu64 " asks for %ld x %ld pixels, more than the %" PRIu64
                             " bytes that follow can hold; the file is truncated or damaged: copy or export it again",
                             text->in->path, page->data_at, width, height, left);
    return true;
}

static bool pnm_matches(const unsigned char *head, size_t size)
{
    return size >= 2 && head[0] == 'P' && (head[1] == '2' || head[1] == '3' || head[1] == '5' || head[1] == '6');
}

static bool add_page(penta_io_reader *reader, const pnm_page *page, penta_io_error *err)
{
    pnm_page *pages = reader->state;

    if ((reader->pages & (reader->pages - 1)) == 0) { /* the array is full at powers of two */
        pages = realloc(pages, (reader->pages ? 2 * reader->pages : 1) * sizeof *pages);
        if (!pages)
            return penta_io_fail(err, "%s: out of memory", reader->input.path);
        reader->state = pages;
    }
    pages[reader->pages++] = *page;
    return true;
}

/* Moves past one raw image and any white space to the next; *more is false at the end of the file. */
static bool skip_raster(pnm_text *text, const pnm_page *page, bool *more, penta_io_error *err)
{
    unsigned char magic[2] = "";

    text->at = page->data_at + raster_bytes(page);
    while (is_space(peek_char(text)))
        text->at++;
    *more = text->at < text->in->bytes;
    if (!*more)
        return true;
    if (io_input_read(text->in, text->at, magic, 2) && pnm_matches(magic, 2))
        return true;
    return penta_io_fail(err,
                         "%s: %" PRIu64 " bytes follow the image from byte %" PRIu64
                         " on and are no further image; the "
                         "header may be wrong: export the file again",
                         text->in->path, text->in->bytes - text->at, text->at);
}

static bool pnm_open(penta_io_reader *reader, penta_io_error *err)
{
    pnm_text *text = calloc(1, sizeof *text);
    bool more = true;
    bool ok = false;

    if (!text)
        return penta_io_fail(err, "%s: out of memory", reader->input.path);
    text->in = &reader->input;
    while (more) {
        pnm_page page = {0};

        if (!read_header(text, &page, err) || !add_page(reader, &page, err))
            goto cleanup;
        if (page.plain)
            more = false; /* a plain file holds one image; data after it are checked when it is read */
        else if (!skip_raster(text, &page, &more, err))
            goto cleanup;
    }
    ok = true;
cleanup:
    free(text);
    return ok;
}

static bool too_large(const penta_io_reader *reader, size_t index, const pnm_page *page, uint64_t sample,
                      unsigned value, penta_io_error *err)
{
    uint64_t pixel = sample / page->channels;

    return io_page_fail(reader, index, err,
                        "the value %u at row %" PRIu64 ", column %" PRIu64
                        " is over the maxval %u; export the file again",
                        value, pixel / page->width + 1, pixel % page->width + 1, page->maxval);
}

/* Reads the raw samples of one row. */
static bool read_raw_row(const penta_io_reader *reader, size_t index, const pnm_page *page, size_t y,
                         unsigned char *bytes, uint16_t *row, penta_io_error *err)
{
    size_t size = page->maxval > 255 ? 2 : 1;
    size_t count = (size_t)page->width * page->channels;

    if (!io_input_read(&reader->input, page->data_at + (uint64_t)y * count * size, bytes, count * size))
        return io_page_fail(reader, index, err, "row %zu cannot be read; the file shrank or the disk fails", y + 1);
    for (size_t i = 0; i < count; i++) {
        row[i] = (uint16_t)(size == 1 ? bytes[i] : bytes[2 * i] << 8 | bytes[2 * i + 1]);
        if (row[i] > page->maxval)
            return too_large(reader, index, page, (uint64_t)y * count + i, row[i], err);
    }
    return true;
}

static bool read_plain_row(const penta_io_reader *reader, size_t index, const pnm_page *page, size_t y, pnm_text *text,
                           uint16_t *row, penta_io_error *err)
{
    size_t count = (size_t)page->width * page->channels;

    for (size_t i = 0; i < count; i++) {
        long value = next_number(text);

        if (value == END)
            return io_page_fail(reader, index, err,
                                "the file ends at row %zu of %" PRIu64 "; it is truncated: copy it again", y + 1,
                                page->height);
        if (value < 0)
            return io_page_fail(reader, index, err, "no number at byte %" PRIu64 " (row %zu); export the file again",
                                text->at, y + 1);
        if (value > (long)page->maxval)
            return too_large(reader, index, page, (uint64_t)y * count + i, (unsigned)value, err);
        row[i] = (uint16_t)value;
    }
    return true;
}

static void store_row(const pnm_page *page, const uint16_t *row, size_t y, penta_io_image *out)
{
    size_t count = out->width * out->channels;

    for (size_t i = 0; i < count; i++) {
        const uint16_t *p = row + i * page->channels / out->channels;
        uint16_t v = page->channels > out->channels ? (uint16_t)io_luminance(p[0], p[1], p[2]) : p[0];

        if (out->type == PENTA_U8)
            ((uint8_t *)out->data)[y * count + i] = (uint8_t)v;
        else
            ((uint16_t *)out->data)[y * count + i] = v;
    }
}

static bool pnm_read(penta_io_reader *reader, size_t index, penta_io_image *out, penta_io_error *err)
{
    const pnm_page *page = (const pnm_page *)reader->state + index;
    size_t count = (size_t)page->width * page->channels;
    pnm_text *text = calloc(1, sizeof *text);
    unsigned char *bytes = malloc(2 * count);
    uint16_t *row = malloc(2 * count);
    bool ok = text && bytes && row;

    if (!ok)
        io_page_fail(reader, index, err, "out of memory");
    else
        ok = io_page_alloc_channels(reader, index, page->width, page->height, reader->colour ? page->channels : 1,
                                    page->maxval > 255 ? PENTA_U16 : PENTA_U8, out, err);
    if (ok) {
        text->in = &reader->input;
        text->at = page->data_at;
    }
    for (size_t y = 0; ok && y < out->height; y++) {
        ok = page->plain ? read_plain_row(reader, index, page, y, text, row, err)
                         : read_raw_row(reader, index, page, y, bytes, row, err);
        if (ok)
            store_row(page, row, y, out);
    }
    if (ok && page->plain && next_number(text) != END)
        ok = io_page_fail(reader, index, err, "more follows the image from byte %" PRIu64 " on; export the file again",
                          text->at);
    free(row);
    free(bytes);
    free(text);
    return ok;
}

static void pnm_close(penta_io_reader *reader)
{
    free(reader->state);
}

static const char *const ends[] = {"pgm", "ppm", "pnm", NULL};

const io_image_format io_pnm_format = {
    .ends = ends, .matches = pnm_matches, .open = pnm_open, .read = pnm_read, .close = pnm_close};
