/*
 * TIFF: pages. The chain of directories is walked once when the file is opened, reading a few tags per page. A page is
 * then opened by giving libtiff the file with a header that points to that page: every page costs the same in a stack
 * of any length, and libtiff's own page counting, partly quadratic and limited to 65535 before 4.5, is not used.
 */
#include "io/format.h"

#include <string.h>

static bool tiff_matches(const unsigned char *head, size_t size)
{
    return size >= 4 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0 ||
                         memcmp(head, "II+\0", 4) == 0 || memcmp(head, "MM\0+", 4) == 0);
}

static const char *const ends[] = {"tif", "tiff", NULL};

#ifndef PENTA_HAVE_TIFF

const io_image_format io_tiff_format = {
    .ends = ends, .library = "libtiff", .missing = "libtiff-dev", .matches = tiff_matches, .types = IO_ALL_TYPES};

#else

#include "io/tiff_axes.h"
#include "io/tiff_page.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_TAGS              64u /* of a page that are looked at; they are sorted, and these come early */
#define MAX_DESCRIPTION_BYTES IO_SLACK_BYTES

/* ---- the chain of pages ---- */

typedef struct {
    bool big;      /* BigTIFF: counts and offsets of 8 bytes */
    bool motorola; /* most significant byte first */
    uint64_t *at;  /* offset of each page's directory */
    size_t count, room;
    size_t reduced;   /* pages that are smaller copies of others, or masks of them: not in the list */
    uint64_t largest; /* the first of these, which counts where there is nothing else */
    bool has_levels;  /* a page has smaller copies in directories of its own */
    uint32_t samples; /* of the first page: numbers of a pixel */
    uint64_t description, description_bytes; /* of the first page; 0: none */
} page_chain;

/* The tags of a page that say what it is. */
typedef struct {
    uint64_t kind, old_kind, levels, samples;
    uint64_t description, description_bytes;
} page_tags;

/* Reads a number of at most 8 bytes. */
static bool read_number(const penta_io_reader *reader, const page_chain *chain, uint64_t offset, size_t size,
                        uint64_t *out)
{
    unsigned char bytes[8];

    if (!io_input_read(&reader->input, offset, bytes, size))
        return false;
    *out = 0;
    for (size_t i = 0; i < size; i++)
        *out |= (uint64_t)bytes[i] << 8 * (chain->motorola ? size - 1 - i : i);
    return true;
}

static bool chain_failed(const penta_io_reader *reader, const page_chain *chain, uint64_t offset, const char *what,
                         penta_io_error *err)
{
    return penta_io_fail(err,
                         "%s: the directory of page %zu should be at byte %" PRIu64 ", but %s (the file has %" PRIu64
                         " bytes); it is truncated or damaged: copy or export it again",
                         reader->input.path, chain->count + chain->reduced + 1, offset, what, reader->input.bytes);
}

static bool add_offset(const penta_io_reader *reader, page_chain *chain, uint64_t offset, penta_io_error *err)
{
    if (chain->count == chain->room) {
        size_t room = chain->room ? 2 * chain->room : 16;
        uint64_t *at = realloc(chain->at, room * sizeof *at);

        if (!at)
            return penta_io_fail(err, "%s: out of memory for its list of pages", reader->input.path);
        chain->at = at;
        chain->room = room;
    }
    chain->at[chain->count++] = offset;
    return true;
}

static uint64_t number_at(const page_chain *chain, const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * (chain->motorola ? size - 1 - i : i);
    return value;
}

/* A tag is a number, a type, a count, and the value or its offset. */
static void take_tag(const page_chain *chain, const unsigned char *entry, page_tags *tags)
{
    size_t wide = chain->big ? 8 : 4, bytes = 1;
    uint64_t tag = number_at(chain, entry, 2), type = number_at(chain, entry + 2, 2);
    uint64_t count = number_at(chain, entry + 4, wide), value;

    bytes = type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 1;
    value = number_at(chain, entry + 4 + wide, bytes < wide ? bytes : wide);
    switch (tag) {
    case TIFFTAG_SUBFILETYPE:
        tags->kind = value;
        break;
    case TIFFTAG_OSUBFILETYPE:
        tags->old_kind = value;
        break;
    case TIFFTAG_SAMPLESPERPIXEL:
        tags->samples = value;
        break;
    case TIFFTAG_SUBIFD:
        tags->levels = count;
        break;
    case TIFFTAG_IMAGEDESCRIPTION:
        tags->description = number_at(chain, entry + 4 + wide, wide);
        tags->description_bytes = type == 2 && count > wide ? count : 0;
        break;
    default:
        break;
    }
}

static page_tags read_tags(const penta_io_reader *reader, const page_chain *chain, uint64_t offset, uint64_t entries)
{
    unsigned char bytes[MAX_TAGS * 20];
    size_t entry_bytes = chain->big ? 20 : 12, n = entries < MAX_TAGS ? (size_t)entries : MAX_TAGS;
    page_tags tags = {.samples = 1};

    if (io_input_read(&reader->input, offset, bytes, n * entry_bytes))
        for (size_t i = 0; i < n; i++)
            take_tag(chain, bytes + i * entry_bytes, &tags);
    return tags;
}

/* Adds a page to the list, unless it is a smaller copy of another page or a mask of it. */
static bool add_page(const penta_io_reader *reader, page_chain *chain, uint64_t offset, const page_tags *tags,
                     penta_io_error *err)
{
    enum { REDUCED = 1, MASK = 4, OLD_REDUCED = 2 };

    if ((tags->kind & (REDUCED | MASK)) != 0 || tags->old_kind == OLD_REDUCED) {
        if (chain->reduced++ == 0)
            chain->largest = offset;
        return true;
    }
    chain->has_levels = chain->has_levels || tags->levels > 0;
    if (chain->count == 0) {
        chain->samples = (uint32_t)(tags->samples <= UINT16_MAX ? tags->samples : 1);
        chain->description = tags->description;
        chain->description_bytes = tags->description_bytes;
    }
    return add_offset(reader, chain, offset, err);
}

/* Follows the offsets of the directories. If the page stored at the last power of two comes again, there is a loop. */
static bool walk_chain(const penta_io_reader *reader, page_chain *chain, penta_io_error *err)
{
    size_t offset_bytes = chain->big ? 8 : 4;
    size_t entry_bytes = chain->big ? 20 : 12;
    size_t count_bytes = chain->big ? 8 : 2;
    uint64_t seen = 0;
    uint64_t offset;
    size_t pages = 0;

    if (!read_number(reader, chain, chain->big ? 8 : 4, offset_bytes, &offset))
        return penta_io_fail(err, "%s: the file ends inside its TIFF header; it is truncated: copy it again",
                             reader->input.path);
    while (offset != 0) {
        uint64_t entries;
        uint64_t next;
        page_tags tags;

        if (offset == seen)
            return chain_failed(reader, chain, offset, "that is an earlier page: the pages form a loop", err);
        if (!read_number(reader, chain, offset, count_bytes, &entries))
            return chain_failed(reader, chain, offset, "the file ends there", err);
        if (entries == 0 || entries > reader->input.bytes / entry_bytes)
            return chain_failed(reader, chain, offset, "there is no directory", err);
        if ((pages & (pages + 1)) == 0)
            seen = offset;
        pages++;
        if (!read_number(reader, chain, offset + count_bytes + entries * entry_bytes, offset_bytes, &next))
            return chain_failed(reader, chain, offset, "the file ends inside it", err);
        tags = read_tags(reader, chain, offset + count_bytes, entries);
        if (!add_page(reader, chain, offset, &tags, err))
            return false;
        offset = next;
    }
    if (chain->count == 0 && chain->reduced-- > 0)
        return add_offset(reader, chain, chain->largest, err);
    return chain->count > 0 || penta_io_fail(err, "%s: this TIFF has no page; export it again", reader->input.path);
}

/* Reads what the first page's description says about all pages. */
static bool read_axes(penta_io_reader *reader, const page_chain *chain, penta_io_error *err)
{
    uint64_t bytes = chain->description_bytes;
    bool unclear = false;
    char *text;

    if (reader->pages < 2 || bytes == 0 || bytes > MAX_DESCRIPTION_BYTES || bytes > reader->input.bytes)
        return true;
    text = calloc(1, (size_t)bytes + 1);
    reader->places = calloc(reader->pages, sizeof *reader->places);
    if (!text || !reader->places) {
        free(text);
        return penta_io_fail(err, "%s: out of memory for what its description says", reader->input.path);
    }
    if (!io_input_read(&reader->input, chain->description, text, (size_t)bytes) ||
        !io_tiff_axes_read(text, reader->input.path, chain->samples, reader->pages, reader->places,
                           &reader->depth_stated, &unclear)) {
        free(reader->places);
        reader->places = NULL;
    }
    if (unclear)
        io_reader_doubt(reader, "what it says of its channels does not agree with its pages, which are read as frames");
    free(text);
    return true;
}

static void note_pages(penta_io_reader *reader, const page_chain *chain)
{
    if (chain->reduced > 0)
        io_reader_doubt(reader, "%zu page%s of reduced resolution %s left out", chain->reduced,
                        chain->reduced == 1 ? "" : "s", chain->reduced == 1 ? "is" : "are");
    else if (chain->has_levels)
        io_reader_doubt(reader, "its copies of reduced resolution are left out");
}

static bool tiff_open(penta_io_reader *reader, penta_io_error *err)
{
    page_chain *chain = reader->state = calloc(1, sizeof *chain);
    unsigned char head[4];

    if (!chain)
        return penta_io_fail(err, "%s: out of memory", reader->input.path);
    if (!io_input_read(&reader->input, 0, head, sizeof head))
        return penta_io_fail(err, "%s: cannot be read; check the disk or the network", reader->input.path);
    chain->motorola = head[0] == 'M';
    chain->big = head[chain->motorola ? 3 : 2] == '+';
    if (!walk_chain(reader, chain, err))
        return false;
    reader->pages = chain->count;
    note_pages(reader, chain);
    return read_axes(reader, chain, err);
}

static void tiff_close(penta_io_reader *reader)
{
    page_chain *chain = reader->state;

    if (chain)
        free(chain->at);
    free(chain);
    free(reader->places);
    reader->places = NULL;
}

/* ---- one page as libtiff sees it ---- */

static tmsize_t view_read(thandle_t handle, void *to, tmsize_t size)
{
    io_tiff_view *view = (io_tiff_view *)handle;
    unsigned char *bytes = to;
    uint64_t n = size < 0 ? 0 : (uint64_t)size;

    if (view->at >= view->in->bytes)
        return 0;
    if (n > view->in->bytes - view->at)
        n = view->in->bytes - view->at;
    if (!io_input_read(view->in, view->at, to, (size_t)n))
        return -1;
    for (uint64_t i = 0; i < n && view->at + i < view->header_bytes; i++)
        bytes[i] = view->header[view->at + i];
    view->at += n;
    return (tmsize_t)n;
}

static tmsize_t view_write(thandle_t handle, void *from, tmsize_t size)
{
    (void)handle, (void)from, (void)size;
    return -1;
}

static toff_t view_seek(thandle_t handle, toff_t offset, int whence)
{
    io_tiff_view *view = (io_tiff_view *)handle;

    view->at = offset + (whence == SEEK_CUR ? view->at : whence == SEEK_END ? view->in->bytes : 0);
    return view->at;
}

static toff_t view_size(thandle_t handle)
{
    return ((io_tiff_view *)handle)->in->bytes;
}

static bool make_view(const penta_io_reader *reader, size_t page, io_tiff_view *view)
{
    const page_chain *chain = reader->state;
    size_t size = chain->big ? 8 : 4;

    *view = (io_tiff_view){.in = &reader->input, .header_bytes = chain->big ? 16 : 8};
    if (!io_input_read(&reader->input, 0, view->header, (size_t)view->header_bytes))
        return false;
    for (size_t i = 0; i < size; i++)
        view->header[size + i] = (unsigned char)(chain->at[page] >> 8 * (chain->motorola ? size - 1 - i : i));
    return true;
}

/* Opens the view. Mode "m": no memory mapping, because a mapped file that shrinks kills the process; "c": strips as in
 * the file. */
static TIFF *open_view(io_tiff_view *view)
{
    static const io_tiff_calls calls = {view_read, view_write, view_seek, view_size};
    uint64_t limit = io_product(view->in->bytes, IO_MAX_INFLATION);

    return io_tiff_client(view->in->path, "rmc", view, &calls,
                          limit < INT64_MAX / 2 ? (tmsize_t)(limit + IO_SLACK_BYTES) : INT64_MAX);
}

TIFF *io_tiff_open_page(const penta_io_reader *reader, size_t page, io_tiff_view *view, penta_io_error *err)
{
    TIFF *tif;

    io_tiff_hush();
    if (!make_view(reader, page, view)) {
        io_page_fail(reader, page, err, "cannot be read; the file shrank or the disk fails");
        return NULL;
    }
    tif = open_view(view);
    if (!tif)
        io_tiff_fail(reader, page, err, "this TIFF page cannot be opened");
    return tif;
}

static bool tiff_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    io_tiff_view view;
    TIFF *tif = io_tiff_open_page(reader, page, &view, err);
    bool ok = tif && io_tiff_decode(tif, reader, page, out, err);

    if (tif)
        TIFFClose(tif);
    return ok;
}

const io_image_format io_tiff_format = {.ends = ends,
                                        .library = "libtiff",
                                        .matches = tiff_matches,
                                        .open = tiff_open,
                                        .read = tiff_read,
                                        .close = tiff_close,
                                        .types = IO_ALL_TYPES,
                                        .write = io_tiff_write};

#endif
