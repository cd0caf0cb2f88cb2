/*
 * GIF through giflib. An animation is a stack: its pages are the canvas after each image was drawn over the earlier
 * ones, as viewers show it. Pages are decoded in order; going back starts over.
 */
#include "io/format.h"

#include <string.h>

static bool gif_matches(const unsigned char *head, size_t size)
{
    return size >= 4 && memcmp(head, "GIF8", 4) == 0;
}

static const char *const ends[] = {"gif", NULL};

#ifndef PENTA_HAVE_GIF

const io_image_format io_gif_format = {
    .ends = ends, .library = "giflib", .missing = "libgif-dev", .matches = gif_matches, .types = IO_NO_TYPES};

#else

#include <gif_lib.h>
#include <stdlib.h>

/* One pass through the file. */
typedef struct gif_walk {
    const io_input *in;
    uint64_t at; /* offset of the next byte */
    GifFileType *gif;
    GraphicsControlBlock control; /* control block of the next image */
    uint8_t *canvas, *kept;       /* height x width x 3: red, green, blue; kept: what DISPOSE_PREVIOUS restores */
    GifImageDesc drawn;           /* position and size of the last image */
    int disposal;
    size_t next; /* page number of the next image */
} gif_walk;

static const GraphicsControlBlock NO_CONTROL = {.TransparentColor = NO_TRANSPARENT_COLOR};

static int read_bytes(GifFileType *gif, GifByteType *to, int size)
{
    gif_walk *w = gif->UserData;
    uint64_t left = w->in->bytes - w->at, n = size > 0 ? (uint64_t)size : 0;

    if (n > left)
        n = left;
    if (n == 0 || !io_input_read(w->in, w->at, to, (size_t)n))
        return 0;
    w->at += n;
    return (int)n;
}

static bool gif_fail(const gif_walk *w, size_t page, int code, penta_io_error *err)
{
    const char *why = GifErrorString(code);

    return penta_io_fail(err, "%s: damaged GIF, in image %zu, near byte %llu: %s; copy or export it again", w->in->path,
                         page + 1, (unsigned long long)w->at, why ? why : "giflib gives no reason");
}

static void end_walk(gif_walk *w)
{
    if (w->gif)
        DGifCloseFile(w->gif, NULL);
    free(w->canvas);
    free(w->kept);
    w->gif = NULL;
    w->canvas = w->kept = NULL;
}

static bool begin_walk(gif_walk *w, const io_input *in, penta_io_error *err)
{
    int code = 0;

    *w = (gif_walk){.in = in, .control = NO_CONTROL};
    w->gif = DGifOpen(w, read_bytes, &code);
    return w->gif || gif_fail(w, 0, code, err);
}

/* Reads extensions up to the next image, and its description. *more is false at the end of the file. */
static bool find_image(gif_walk *w, bool *more, penta_io_error *err)
{
    GifRecordType type;
    GifByteType *block = NULL;
    int kind;

    w->control = NO_CONTROL;
    for (;;) {
        if (DGifGetRecordType(w->gif, &type) == GIF_ERROR)
            return gif_fail(w, w->next, w->gif->Error, err);
        *more = type == IMAGE_DESC_RECORD_TYPE;
        if (type == TERMINATE_RECORD_TYPE)
            return true;
        if (*more)
            return DGifGetImageDesc(w->gif) != GIF_ERROR || gif_fail(w, w->next, w->gif->Error, err);
        if (DGifGetExtension(w->gif, &kind, &block) == GIF_ERROR)
            return gif_fail(w, w->next, w->gif->Error, err);
        if (kind == GRAPHICS_EXT_FUNC_CODE && block)
            DGifExtensionToGCB(block[0], block + 1, &w->control);
        while (block)
            if (DGifGetExtensionNext(w->gif, &block) == GIF_ERROR)
                return gif_fail(w, w->next, w->gif->Error, err);
    }
}

static bool skip_pixels(gif_walk *w, penta_io_error *err)
{
    GifByteType *block = NULL;
    int size, code = DGifGetCode(w->gif, &size, &block);

    while (code != GIF_ERROR && block)
        code = DGifGetCodeNext(w->gif, &block);
    return code != GIF_ERROR || gif_fail(w, w->next, w->gif->Error, err);
}

/* Counts the images. */
static bool gif_open(penta_io_reader *reader, penta_io_error *err)
{
    gif_walk w;
    bool more = true, ok = begin_walk(&w, &reader->input, err);

    while (ok && more) {
        ok = find_image(&w, &more, err);
        if (ok && more) {
            ok = skip_pixels(&w, err);
            w.next++;
        }
    }
    reader->pages = w.next;
    end_walk(&w);
    if (!ok)
        return false;
    if (reader->pages == 0)
        return penta_io_fail(err, "%s: there is no image in this GIF; export it again", reader->input.path);
    reader->state = calloc(1, sizeof w);
    return reader->state || penta_io_fail(err, "%s: out of memory", reader->input.path);
}

/* ---- drawing ---- */

static size_t canvas_bytes(const gif_walk *w)
{
    return 3 * (size_t)w->gif->SWidth * (size_t)w->gif->SHeight;
}

/* Allocates the canvas, in the file's size; before compression a pixel is one byte, the index of a colour. */
static bool make_canvas(gif_walk *w, const penta_io_reader *reader, size_t page, penta_io_error *err)
{
    uint64_t pixels =
        w->gif->SWidth > 0 && w->gif->SHeight > 0 ? io_product((uint64_t)w->gif->SWidth, (uint64_t)w->gif->SHeight) : 0;

    if (pixels == 0)
        return io_page_fail(reader, page, err, "the image is empty (%d x %d pixels); export it again", w->gif->SWidth,
                            w->gif->SHeight);
    if (!io_page_plausible(reader, page, pixels, IO_LZW_INFLATION, err))
        return false;
    w->canvas = calloc(1, canvas_bytes(w));
    w->kept = calloc(1, canvas_bytes(w));
    return (w->canvas && w->kept) || io_page_fail(reader, page, err, "out of memory for the image; free some memory");
}

static uint8_t *pixel_at(const gif_walk *w, int x, int y)
{
    return w->canvas + 3 * ((size_t)y * (size_t)w->gif->SWidth + (size_t)x);
}

/* Disposes of the last image in the way it specifies. */
static void dispose(gif_walk *w)
{
    if (w->next > 0 && w->disposal == DISPOSE_BACKGROUND)
        for (int y = 0; y < w->drawn.Height; y++)
            memset(pixel_at(w, w->drawn.Left, w->drawn.Top + y), 0, 3 * (size_t)w->drawn.Width);
    if (w->next > 0 && w->disposal == DISPOSE_PREVIOUS)
        memcpy(w->canvas, w->kept, canvas_bytes(w));
}

static bool draw_row(gif_walk *w, const ColorMapObject *map, const GifPixelType *row, int y)
{
    const GifImageDesc *image = &w->gif->Image;
    uint8_t *to = pixel_at(w, image->Left, image->Top + y);

    for (int x = 0; x < image->Width; x++, to += 3) {
        if (row[x] == w->control.TransparentColor)
            continue;
        if (row[x] >= map->ColorCount)
            return false;
        to[0] = map->Colors[row[x]].Red;
        to[1] = map->Colors[row[x]].Green;
        to[2] = map->Colors[row[x]].Blue;
    }
    return true;
}

/* Draws the rows of an image; interlaced ones come in four passes. */
static bool draw_rows(gif_walk *w, const penta_io_reader *reader, const ColorMapObject *map, GifPixelType *row,
                      penta_io_error *err)
{
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    const GifImageDesc *image = &w->gif->Image;

    for (int pass = 0; pass < (image->Interlace ? 4 : 1); pass++)
        for (int y = image->Interlace ? first[pass] : 0; y < image->Height; y += image->Interlace ? step[pass] : 1) {
            if (DGifGetLine(w->gif, row, image->Width) == GIF_ERROR)
                return gif_fail(w, w->next, w->gif->Error, err);
            if (!draw_row(w, map, row, y))
                return io_page_fail(reader, w->next, err,
                                    "a pixel in row %d has a colour beyond the palette's %d; export the file again",
                                    y + 1, map->ColorCount);
        }
    return true;
}

/* Draws the next image onto the canvas. */
static bool draw_image(gif_walk *w, const penta_io_reader *reader, penta_io_error *err)
{
    const GifImageDesc *image = &w->gif->Image;
    const ColorMapObject *map;
    GifPixelType *row;
    bool more, ok;

    if (!find_image(w, &more, err))
        return false;
    if (!more)
        return io_page_fail(reader, w->next, err, "the file changed while it was read");
    if (!w->canvas && !make_canvas(w, reader, w->next, err))
        return false;
    map = image->ColorMap ? image->ColorMap : w->gif->SColorMap;
    if (!map)
        return io_page_fail(reader, w->next, err, "there is no palette; export the file again");
    if (image->Left < 0 || image->Top < 0 || image->Width < 1 || image->Height < 1 ||
        image->Width > w->gif->SWidth - image->Left || image->Height > w->gif->SHeight - image->Top)
        return io_page_fail(reader, w->next, err, "it reaches beyond the canvas of %d x %d; export the file again",
                            w->gif->SWidth, w->gif->SHeight);
    dispose(w);
    memcpy(w->kept, w->canvas, canvas_bytes(w));
    row = malloc((size_t)image->Width);
    ok = row ? draw_rows(w, reader, map, row, err) : io_page_fail(reader, w->next, err, "out of memory");
    free(row);
    w->drawn = *image;
    w->disposal = w->control.DisposalMode;
    w->next++;
    return ok;
}

static bool copy_canvas(const gif_walk *w, const penta_io_reader *reader, size_t page, penta_io_image *out,
                        penta_io_error *err)
{
    const uint8_t *rgb = w->canvas;
    uint8_t *grey;

    if (!io_page_alloc_channels(reader, page, (uint64_t)w->gif->SWidth, (uint64_t)w->gif->SHeight,
                                reader->colour ? 3 : 1, PENTA_U8, out, err))
        return false;
    grey = out->data;
    if (reader->colour)
        memcpy(out->data, rgb, canvas_bytes(w));
    else
        for (size_t i = 0; i < out->width * out->height; i++)
            grey[i] = (uint8_t)io_luminance(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
    return true;
}

static bool gif_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    gif_walk *w = reader->state;
    bool ok = true;

    if (!w->gif || page + 1 < w->next) {
        end_walk(w);
        ok = begin_walk(w, &reader->input, err);
    }
    while (ok && w->next <= page)
        ok = draw_image(w, reader, err);
    if (ok)
        return copy_canvas(w, reader, page, out, err);
    end_walk(w);
    return false;
}

static void gif_close(penta_io_reader *reader)
{
    if (reader->state)
        end_walk(reader->state);
    free(reader->state);
}

const io_image_format io_gif_format = {
    .ends = ends, .library = "giflib", .matches = gif_matches, .open = gif_open, .read = gif_read, .close = gif_close};

#endif
