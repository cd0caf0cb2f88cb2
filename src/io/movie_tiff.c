/*
 * Movies in TIFF and BigTIFF, one frame per page. ImageJ writes movies of over 4 GiB as one page, whose description
 * says how many frames follow its own. Uncompressed pages with contiguous rows are read directly; libtiff decodes the
 * others.
 */
#include "io/format.h"
#include "io/movie_format.h"

static const char *const ends[] = {"tif", "tiff", NULL};

static bool movie_matches(const unsigned char *head, size_t size)
{
    return io_tiff_format.matches(head, size);
}

#ifndef PENTA_HAVE_TIFF

const io_movie_format io_movie_tiff = {
    .name = "TIFF", .ends = ends, .library = "libtiff", .missing = "libtiff-dev", .matches = movie_matches};

#else

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/numbers.h>

#include "io/parallel.h"
#include "io/tiff_page.h"

typedef struct {
    uint32_t width, height;
    penta_type type;
    uint16_t compression, orientation;
    bool is_plain; /* its numbers are contiguous from byte `at` on */
    bool swapped;
    uint64_t at;
} tiff_frame;

typedef struct {
    penta_io_reader reader;
    tiff_frame *frames; /* one per page */
    penta_io_movie *movie;
} tiff_movie;

/* ---- the type of a page ---- */

static bool take_type(const penta_io_reader *reader, size_t page, uint16_t format, uint16_t bits, penta_type *out,
                      penta_io_error *err)
{
    static const struct {
        uint16_t format, bits;
        penta_type type;
    } types[] = {{SAMPLEFORMAT_UINT, 8, PENTA_U8},    {SAMPLEFORMAT_UINT, 16, PENTA_U16},
                 {SAMPLEFORMAT_UINT, 32, PENTA_U32},  {SAMPLEFORMAT_INT, 16, PENTA_I16},
                 {SAMPLEFORMAT_INT, 32, PENTA_I32},   {SAMPLEFORMAT_IEEEFP, 32, PENTA_F32},
                 {SAMPLEFORMAT_IEEEFP, 64, PENTA_F64}};

    if (format == SAMPLEFORMAT_VOID)
        format = SAMPLEFORMAT_UINT;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].format == format && types[i].bits == bits) {
            *out = types[i].type;
            return true;
        }
    return io_page_fail(reader, page, err,
                        "has pixels of %s of %u bits; a movie has unsigned integers of 8, 16 or 32 bits, signed ones "
                        "of 16 or 32, float32 or float64: convert it",
                        io_tiff_kind(format), bits);
}

/* Checks that a page has one number per pixel, and 0 is dark. */
static bool check_grey(const penta_io_reader *reader, size_t page, TIFF *tif, penta_io_error *err)
{
    uint16_t samples, photometric = PHOTOMETRIC_MINISBLACK;
    uint32_t depth = 1;

    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &samples);
    (void)TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &photometric);
    (void)TIFFGetField(tif, TIFFTAG_IMAGEDEPTH, &depth);
    if (samples != 1)
        return io_page_fail(reader, page, err,
                            "has %u numbers a pixel (colour, or several channels); a movie has one: save one channel",
                            samples);
    if (photometric != PHOTOMETRIC_MINISBLACK)
        return io_page_fail(reader, page, err, "is %s; save it as grey, 0 being black",
                            photometric == PHOTOMETRIC_PALETTE      ? "in colours of a palette"
                            : photometric == PHOTOMETRIC_MINISWHITE ? "grey with 0 as white"
                                                                    : "in colour");
    if (depth > 1)
        return io_page_fail(reader, page, err, "is a volume of depth %" PRIu32 "; a movie has flat frames", depth);
    return true;
}

/* Whether the page is one contiguous run of numbers, and where. */
static void find_numbers(TIFF *tif, tiff_frame *f)
{
    uint64_t row_bytes = (uint64_t)f->width * penta_type_size(f->type);
    uint16_t order = FILLORDER_MSB2LSB;
    uint32_t strip_rows = f->height;
    uint64_t *at = NULL, *bytes = NULL;

    TIFFGetFieldDefaulted(tif, TIFFTAG_FILLORDER, &order);
    TIFFGetFieldDefaulted(tif, TIFFTAG_ROWSPERSTRIP, &strip_rows);
    if (f->compression != COMPRESSION_NONE || f->orientation != ORIENTATION_TOPLEFT || order != FILLORDER_MSB2LSB ||
        TIFFIsTiled(tif) || strip_rows == 0 || !TIFFGetField(tif, TIFFTAG_STRIPOFFSETS, &at) ||
        !TIFFGetField(tif, TIFFTAG_STRIPBYTECOUNTS, &bytes) || !at || !bytes)
        return;
    for (uint32_t i = 0, y = 0; y < f->height; i++, y += strip_rows) {
        uint32_t rows = strip_rows < f->height - y ? strip_rows : f->height - y;

        if (bytes[i] != rows * row_bytes || at[i] != at[0] + y * row_bytes)
            return;
        if (strip_rows > f->height - y)
            break; /* y + strip_rows may overflow */
    }
    f->at = at[0];
    f->is_plain = true;
    f->swapped = TIFFIsByteSwapped(tif) != 0;
}

static bool check_sizes(const penta_io_reader *reader, size_t page, TIFF *tif, const tiff_frame *f, penta_io_error *err)
{
    uint64_t row_bytes = io_product(f->width, penta_type_size(f->type));
    uint64_t bytes = io_product(row_bytes, f->height);
    uint64_t inflation = io_tiff_inflation(f->compression);

    if (bytes == 0)
        return io_page_fail(reader, page, err, "is empty (%" PRIu32 " x %" PRIu32 " pixels); export it again", f->width,
                            f->height);
    if (!io_page_plausible(reader, page, bytes, inflation, err))
        return false;
    if (f->is_plain && (f->at > reader->input.bytes || bytes > reader->input.bytes - f->at))
        return io_page_fail(reader, page, err,
                            "its pixels end at byte %" PRIu64 ", but the file has only %" PRIu64
                            "; it is truncated: copy or export it again",
                            f->at + bytes, reader->input.bytes);
    if (TIFFIsTiled(tif)) {
        row_bytes = TIFFTileRowSize64(tif);
        return io_page_plausible(reader, page, TIFFTileSize64(tif), inflation, err) &&
               (row_bytes > 0 || io_tiff_fail(reader, page, err, "this TIFF page has tiles of no size"));
    }
    return TIFFScanlineSize64(tif) == row_bytes ||
           io_tiff_fail(reader, page, err, "the sizes of this TIFF page contradict one another");
}

/* Checks strip lengths, because libtiff replaces impossible ones by guesses and only warns. */
static bool check_lengths(const penta_io_reader *reader, size_t page, penta_io_error *err)
{
    return !strstr(io_tiff_text()->warning, "StripByteCounts") ||
           io_page_fail(reader, page, err,
                        "gives a wrong number of bytes for its pixels (StripByteCounts), or more than there are; it is "
                        "damaged: copy or export it again");
}

static bool look_at(const penta_io_reader *reader, size_t page, TIFF *tif, tiff_frame *f, penta_io_error *err)
{
    uint16_t bits, format;

    *f = (tiff_frame){0};
    if (!TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &f->width) || !TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &f->height))
        return io_tiff_fail(reader, page, err, "this TIFF page has no width or height");
    TIFFGetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tif, TIFFTAG_COMPRESSION, &f->compression);
    TIFFGetFieldDefaulted(tif, TIFFTAG_ORIENTATION, &f->orientation);
    if (!check_grey(reader, page, tif, err) || !take_type(reader, page, format, bits, &f->type, err))
        return false;
    if (f->orientation > ORIENTATION_BOTLEFT)
        return io_page_fail(reader, page, err, "lies on its side (orientation %u); turn it", f->orientation);
    if (!TIFFIsCODECConfigured(f->compression))
        return io_page_fail(reader, page, err,
                            "its compression (TIFF code %u) is unknown to the libtiff of this build; save it "
                            "uncompressed, or with LZW or Deflate",
                            f->compression);
    find_numbers(tif, f);
    return check_sizes(reader, page, tif, f, err) && check_lengths(reader, page, err);
}

static bool look_at_page(void *user, size_t page, penta_io_error *err)
{
    tiff_movie *m = user;
    io_tiff_view view;
    TIFF *tif = io_tiff_open_page(&m->reader, page, &view, err);
    bool ok = tif && look_at(&m->reader, page, tif, &m->frames[page], err);

    if (tif)
        TIFFClose(tif);
    return ok;
}

/* ---- decoding ---- */

static bool block_failed(const penta_io_reader *reader, size_t page, uint32_t x, uint32_t y, penta_io_error *err)
{
    char what[128];

    snprintf(what, sizeof what, "the pixels from row %" PRIu32 ", column %" PRIu32 " on cannot be decoded", y + 1,
             x + 1);
    return io_tiff_fail(reader, page, err, what);
}

static bool read_strips(const penta_io_reader *reader, size_t page, TIFF *tif, const tiff_frame *f, unsigned char *to,
                        penta_io_error *err)
{
    size_t row_bytes = f->width * penta_type_size(f->type);
    uint32_t strip_rows = f->height;

    TIFFGetFieldDefaulted(tif, TIFFTAG_ROWSPERSTRIP, &strip_rows);
    if (strip_rows == 0 || strip_rows > f->height)
        strip_rows = f->height;
    for (uint32_t y = 0; y < f->height;) {
        uint32_t rows = strip_rows < f->height - y ? strip_rows : f->height - y;
        tmsize_t want = (tmsize_t)(rows * row_bytes);

        io_tiff_hush();
        if (TIFFReadEncodedStrip(tif, TIFFComputeStrip(tif, y, 0), to + y * row_bytes, want) != want ||
            io_tiff_text()->made_up)
            return block_failed(reader, page, 0, y, err);
        y += rows;
    }
    return true;
}

/* Copies the rows of a tile to the frame, as far as they are inside it. */
static void put_tile(const tiff_frame *f, const unsigned char *tile, uint32_t x, uint32_t y, uint32_t width,
                     uint32_t height, unsigned char *to)
{
    size_t size = penta_type_size(f->type);
    uint32_t cols = width < f->width - x ? width : f->width - x;
    uint32_t rows = height < f->height - y ? height : f->height - y;

    for (uint32_t r = 0; r < rows; r++)
        memcpy(to + (((size_t)y + r) * f->width + x) * size, tile + (size_t)r * width * size, cols * size);
}

static bool read_tiles(const penta_io_reader *reader, size_t page, TIFF *tif, const tiff_frame *f, unsigned char *to,
                       penta_io_error *err)
{
    tmsize_t bytes = TIFFTileSize(tif);
    unsigned char *tile = NULL;
    uint32_t width = 0, height = 0;
    bool ok = true;

    if (!TIFFGetField(tif, TIFFTAG_TILEWIDTH, &width) || !TIFFGetField(tif, TIFFTAG_TILELENGTH, &height) ||
        bytes <= 0 || io_product(io_product(width, height), penta_type_size(f->type)) != (uint64_t)bytes)
        return io_tiff_fail(reader, page, err, "this TIFF page has no tile size");
    tile = malloc((size_t)bytes);
    if (!tile)
        return io_page_fail(reader, page, err, "out of memory for a tile");
    for (uint64_t y = 0; ok && y < f->height; y += height)
        for (uint64_t x = 0; ok && x < f->width; x += width) {
            uint32_t at_x = (uint32_t)x, at_y = (uint32_t)y;

            io_tiff_hush();
            ok = TIFFReadEncodedTile(tif, TIFFComputeTile(tif, at_x, at_y, 0, 0), tile, bytes) == bytes &&
                 !io_tiff_text()->made_up;
            if (ok)
                put_tile(f, tile, at_x, at_y, width, height, to);
            else
                block_failed(reader, page, at_x, at_y, err);
        }
    free(tile);
    return ok;
}

static bool decode_page(void *user, size_t page, penta_io_error *err)
{
    tiff_movie *m = user;
    const tiff_frame *f = &m->frames[page];
    penta_io_image image = {
        .width = f->width, .height = f->height, .type = f->type, .data = io_movie_frame(m->movie, page)};
    io_tiff_view view;
    TIFF *tif = io_tiff_open_page(&m->reader, page, &view, err);
    bool ok = tif && io_movie_goes_on(&m->reader.input, m->movie, err) &&
              (TIFFIsTiled(tif) ? read_tiles : read_strips)(&m->reader, page, tif, f, image.data, err);

    if (ok)
        io_tiff_turn_upright(f->orientation, &image);
    if (tif)
        TIFFClose(tif);
    return ok;
}

/* ---- frames and rate ---- */

static double period_unit(TIFF *tif)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"msec\n", 1e-3}, {"ms\n", 1e-3}, {"usec\n", 1e-6}, {"us\n", 1e-6}, {"min\n", 60}};
    const char *text = NULL;

    if (!TIFFGetField(tif, TIFFTAG_IMAGEDESCRIPTION, &text) || !(text = strstr(text, "\ntunit=")))
        return 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(text + strlen("\ntunit="), units[i].name, strlen(units[i].name)) == 0)
            return units[i].seconds;
    return 1;
}

/* The frame rate. The frame interval is preferred to fps, which is only ImageJ's display rate. */
static double rate_of(TIFF *tif)
{
    double interval = io_tiff_imagej(tif, "finterval", 0) * period_unit(tif);
    double rate = interval > 0 ? 1 / interval : io_tiff_imagej(tif, "fps", 0);

    return rate > 0 && isfinite(rate) ? rate : 0;
}

/* The number of an attribute of OME's first <Pixels>; 1 without. */
static double ome_size(const char *text, const char *attribute)
{
    const char *pixels = text ? strstr(text, "<OME") : NULL, *end, *at;

    pixels = pixels ? strstr(pixels, "<Pixels") : NULL;
    end = pixels ? strchr(pixels, '>') : NULL;
    at = pixels ? strstr(pixels, attribute) : NULL;
    return end && at && at < end ? penta_strtod(at + strlen(attribute), NULL) : 1;
}

/* How many of the array's axes but its last two, rows and columns, are longer than 1, by {"shape": [..]} of Python's
 * tifffile; 0 without. */
static int long_axes(const char *text)
{
    int all = 0, rows = 0, columns = 0;
    char *end = NULL;

    if (!text || strncmp(text, "{\"shape\": [", 11) != 0)
        return 0;
    for (text += 11; *text && *text != ']'; text = end + strspn(end, ", ")) {
        bool more = penta_strtod(text, &end) > 1;

        if (end == text)
            return 0;
        all += rows;
        rows = columns;
        columns = more;
    }
    return all;
}

/* Checks that there is a single axis, and no channels: which of several is time is not known. */
static bool check_axes(const tiff_movie *m, TIFF *tif, penta_io_error *err)
{
    const char *text = NULL;
    double channels, slices, frames;

    (void)TIFFGetField(tif, TIFFTAG_IMAGEDESCRIPTION, &text);
    channels = io_tiff_imagej(tif, "channels", ome_size(text, " SizeC=\""));
    slices = io_tiff_imagej(tif, "slices", ome_size(text, " SizeZ=\""));
    frames = io_tiff_imagej(tif, "frames", ome_size(text, " SizeT=\""));
    if (m->reader.pages > 1 && long_axes(text) > 1)
        return penta_io_fail(err,
                             "%s: is an array of more than three axes, %.60s; a movie has three: save one channel or "
                             "slice",
                             m->reader.input.path, text);
    if (!(channels > 1) && (slices > 1) + (frames > 1) < 2)
        return true;
    return penta_io_fail(
        err,
        "%s: is a stack of %.0f channels, %.0f slices, %.0f frames; a movie has one channel, and slices or frames but "
        "not both: save one channel or slice",
        m->reader.input.path, channels, slices, frames);
}

/* The number of frames that ImageJ stored behind its only page, including that one; 0 if the file ends too early. */
static size_t hidden_frames(const tiff_movie *m, TIFF *tif, penta_io_error *err)
{
    const tiff_frame *f = &m->frames[0];
    uint64_t bytes = (uint64_t)f->width * f->height * penta_type_size(f->type);
    uint64_t there = f->is_plain ? (m->reader.input.bytes - f->at) / bytes : 1;
    double claimed = m->reader.pages == 1 ? io_tiff_imagej(tif, "images", 1) : 1;

    if (!(claimed > 1) || there < 2)
        return 1; /* also if a single frame was extracted from a movie with its description */
    if (claimed <= (double)there)
        return (size_t)claimed;
    penta_io_fail(err,
                  "%s: ImageJ says that it has %.0f frames, but it ends after %" PRIu64
                  "; it is truncated: copy or export it again",
                  m->reader.input.path, claimed, there);
    return 0;
}

/* Reads the first page's notes on the whole movie. */
static bool read_notes(const tiff_movie *m, size_t *hidden, penta_io_error *err)
{
    io_tiff_view view;
    TIFF *tif = io_tiff_open_page(&m->reader, 0, &view, err);

    if (!tif)
        return false;
    *hidden = check_axes(m, tif, err) ? hidden_frames(m, tif, err) : 0;
    m->movie->rate = rate_of(tif);
    TIFFClose(tif);
    return *hidden > 0;
}

static bool check_alike(const tiff_movie *m, penta_io_error *err)
{
    const tiff_frame *a = &m->frames[0];

    for (size_t i = 1; i < m->reader.pages; i++) {
        const tiff_frame *b = &m->frames[i];

        if (b->width != a->width || b->height != a->height || b->type != a->type)
            return io_page_fail(&m->reader, i, err,
                                "has %" PRIu32 " x %" PRIu32 " pixels of %s, unlike the first page with %" PRIu32
                                " x %" PRIu32 " of %s; frames of a movie are alike",
                                b->width, b->height, penta_type_name(b->type), a->width, a->height,
                                penta_type_name(a->type));
    }
    return true;
}

/* Checks that the file can hold all pages together; each page has been checked by itself. */
static bool check_whole(const tiff_movie *m, penta_io_error *err)
{
    uint64_t inflation = 1;

    for (size_t i = 0; i < m->reader.pages; i++)
        if (io_tiff_inflation(m->frames[i].compression) > inflation)
            inflation = io_tiff_inflation(m->frames[i].compression);
    return io_movie_bytes(m->movie) <= io_product(m->reader.input.bytes, inflation) ||
           penta_io_fail(err,
                         "%s: its %zu pages of %zu x %zu pixels are more than a file of %" PRIu64
                         " bytes can hold; it is damaged: copy or export it again",
                         m->reader.input.path, m->movie->frames, m->movie->width, m->movie->height,
                         m->reader.input.bytes);
}

static bool take_plain(const tiff_movie *m, penta_io_error *err)
{
    uint64_t *at = malloc(m->reader.pages * sizeof *at);
    bool ok = at || penta_io_fail(err, "%s: out of memory for its list of pages", m->reader.input.path);

    for (size_t i = 0; ok && i < m->reader.pages; i++)
        at[i] = m->frames[i].at;
    ok = ok && io_movie_take(&m->reader.input, at, m->frames[0].swapped, m->movie, err);
    free(at);
    return ok;
}

static bool all_plain(const tiff_movie *m)
{
    for (size_t i = 0; i < m->reader.pages; i++)
        if (!m->frames[i].is_plain)
            return false;
    return true;
}

static bool take_frames(tiff_movie *m, penta_io_error *err)
{
    penta_io_movie *movie = m->movie;
    size_t hidden = 1;

    m->frames = calloc(m->reader.pages, sizeof *m->frames);
    if (!m->frames)
        return penta_io_fail(err, "%s: out of memory for its list of pages", m->reader.input.path);
    if (!io_parallel(m->reader.pages, look_at_page, m, err) || !check_alike(m, err) || !read_notes(m, &hidden, err))
        return false;
    movie->frames = hidden > 1 ? hidden : m->reader.pages;
    movie->width = m->frames[0].width;
    movie->height = m->frames[0].height;
    movie->type = m->frames[0].type;
    if (hidden > 1)
        return io_movie_take_row(&m->reader.input, m->frames[0].at, m->frames[0].swapped, movie, err);
    if (all_plain(m))
        return check_whole(m, err) && take_plain(m, err);
    return check_whole(m, err) && io_movie_alloc(&m->reader.input, movie, err) &&
           io_parallel(movie->frames, decode_page, m, err);
}

static bool open_tiff(const io_input *in, const penta_io_movie_hints *hints, penta_io_movie *out, penta_io_error *err)
{
    tiff_movie m = {.reader = {.format = &io_tiff_format, .input = *in}, .movie = out};
    unsigned char head[4] = {0};
    bool ok;

    (void)hints;
    ok = io_input_read(in, 0, head, sizeof head) && io_tiff_format.open(&m.reader, err) && take_frames(&m, err);
    out->format = memchr(head, '+', sizeof head) ? "BigTIFF" : "TIFF";
    io_tiff_format.close(&m.reader);
    free(m.frames);
    return ok;
}

const io_movie_format io_movie_tiff = {
    .name = "TIFF", .ends = ends, .library = "libtiff", .matches = movie_matches, .open = open_tiff};

#endif
