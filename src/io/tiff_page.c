/*
 * TIFF: one page, block by block (strips or tiles), to grey or colour. Unsigned integers of 1, 2, 4 and 8 bits become
 * u8, 9 to 16 bits u16; float32 and float64 stay; other numbers are widened (io_widen). Colour is taken from the first
 * three channels and grey from the first; alpha is ignored.
 */
#ifdef PENTA_HAVE_TIFF

#include <pentacl/numbers.h>
#include "io/tiff_page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool io_tiff_fail(const penta_io_reader *reader, size_t page, penta_io_error *err, const char *what)
{
    const io_tiff_said *said = io_tiff_text();
    const char *why = *said->error ? said->error : *said->warning ? said->warning : "libtiff gives no reason";

    return io_page_fail(reader, page, err, "%s: %s; the file is truncated or damaged: copy or export it again", what,
                        why);
}

typedef struct {
    TIFF *tif;
    const penta_io_reader *reader;
    size_t page;
    penta_io_error *err;

    uint32_t width, height;
    uint16_t bits, samples, format, photometric, planar, compression, orientation;
    penta_type type;
    bool colour;
    size_t channels;   /* channels of the image: 3 if colour is kept */
    uint16_t *palette; /* per index the luminance, or red, green, blue; in the output type */

    bool tiled;
    uint32_t block_width, block_height;
    uint64_t row_bytes;   /* bytes of a row of a block */
    uint64_t block_bytes; /* bytes of one channel plane of a block */
    unsigned planes;      /* 3: colour in separate planes, otherwise 1 */
    unsigned char *block; /* planes in sequence */
    char widen;           /* its numbers become wider ones: p (packed, 9 to 15 bits) or as io_widen says; else 0 */
    unsigned char *wide;  /* one row of each plane in the output type */
    size_t wide_samples;  /* numbers of a row of a plane */
} tiff_job;

__attribute__((format(printf, 2, 3))) static bool unsupported(const tiff_job *job, const char *format, ...)
{
    char what[128];
    va_list args;

    va_start(args, format);
    penta_vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return io_page_fail(job->reader, job->page, job->err,
                        "TIFF with %s is not supported; grey, RGB or palette pixels of integers (8, 16 or 32 bits, "
                        "unsigned ones of 1, 2, 4 and 9 to 15 too), float16, float32 or float64 are: convert it",
                        what);
}

/* ---- the type of the page ---- */

static bool read_tags(tiff_job *job)
{
    TIFF *tif = job->tif;
    uint32_t depth = 1;

    if (!TIFFGetField(tif, TIFFTAG_IMAGEWIDTH, &job->width) || !TIFFGetField(tif, TIFFTAG_IMAGELENGTH, &job->height))
        return io_tiff_fail(job->reader, job->page, job->err, "this TIFF page has no width or height");
    TIFFGetFieldDefaulted(tif, TIFFTAG_BITSPERSAMPLE, &job->bits);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLESPERPIXEL, &job->samples);
    TIFFGetFieldDefaulted(tif, TIFFTAG_SAMPLEFORMAT, &job->format);
    TIFFGetFieldDefaulted(tif, TIFFTAG_PLANARCONFIG, &job->planar);
    TIFFGetFieldDefaulted(tif, TIFFTAG_COMPRESSION, &job->compression);
    TIFFGetFieldDefaulted(tif, TIFFTAG_ORIENTATION, &job->orientation);
    if (TIFFGetField(tif, TIFFTAG_IMAGEDEPTH, &depth) && depth > 1)
        return unsupported(job, "a volume of depth %u", (unsigned)depth);
    if (!TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &job->photometric))
        job->photometric = job->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    if (job->photometric == PHOTOMETRIC_YCBCR && job->compression == COMPRESSION_JPEG &&
        job->planar == PLANARCONFIG_CONTIG && TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB))
        job->photometric = PHOTOMETRIC_RGB; /* the decoder converts */
    return true;
}

const char *io_tiff_kind(uint16_t format)
{
    switch (format) {
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
        return "unsigned integers";
    case SAMPLEFORMAT_INT:
        return "signed integers";
    case SAMPLEFORMAT_IEEEFP:
        return "floating-point numbers";
    case SAMPLEFORMAT_COMPLEXINT:
    case SAMPLEFORMAT_COMPLEXIEEEFP:
        return "complex numbers";
    default:
        return "samples of an unknown kind";
    }
}

static bool check_samples(tiff_job *job)
{
    bool integer = job->format == SAMPLEFORMAT_UINT || job->format == SAMPLEFORMAT_VOID;
    bool real = job->format == SAMPLEFORMAT_IEEEFP;

    if (integer && (job->bits == 1 || job->bits == 2 || job->bits == 4 || job->bits == 8))
        job->type = PENTA_U8;
    else if (integer && job->bits > 8 && job->bits <= 16) {
        job->type = PENTA_U16;
        job->widen = job->bits < 16 ? 'p' : 0;
    } else if (real && job->bits == 32)
        job->type = PENTA_F32;
    else if (real && job->bits == 64)
        job->type = PENTA_F64;
    else {
        job->widen = (char)(integer ? 'u' : real ? 'f' : job->format == SAMPLEFORMAT_INT ? 'i' : 0);
        return io_wider_type(job->widen, job->bits, &job->type) ||
               unsupported(job, "%s of %u bits", io_tiff_kind(job->format), job->bits);
    }
    return true;
}

static bool check_colour(tiff_job *job)
{
    switch (job->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
        if (job->samples > 2)
            return unsupported(job, "grey pixels of %u channels", job->samples);
        return true;
    case PHOTOMETRIC_PALETTE:
        if (job->type != PENTA_U8 && job->type != PENTA_U16)
            return unsupported(job, "floating-point indexes into a palette");
        return true;
    case PHOTOMETRIC_RGB:
        if (job->samples < 3)
            return unsupported(job, "RGB pixels of %u channels", job->samples);
        if (job->bits < 8)
            return unsupported(job, "RGB pixels of %u bits a channel", job->bits);
        job->colour = true;
        return true;
    default:
        return unsupported(job, "colour space %u (photometric interpretation)", job->photometric);
    }
}

uint64_t io_tiff_inflation(uint16_t compression)
{
    switch (compression) {
    case COMPRESSION_NONE:
        return 1;
    case COMPRESSION_PACKBITS:
        return IO_PACKBITS_INFLATION;
    case COMPRESSION_LZW:
        return IO_LZW_INFLATION;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_PIXARLOG:
        return IO_DEFLATE_INFLATION;
    default:
        return IO_MAX_INFLATION;
    }
}

/* Checks the sizes of a block and of the page against the file. libtiff must compute the same length of a row. */
static bool check_sizes(tiff_job *job)
{
    uint64_t interleaved = job->planar == PLANARCONFIG_CONTIG ? job->samples : 1;
    uint64_t pixel_bits = interleaved * job->bits;
    uint64_t inflation = io_tiff_inflation(job->compression);
    uint64_t page_bytes = io_product(job->height, ((uint64_t)job->width * pixel_bits + 7) / 8);
    uint64_t row_bytes;

    job->planes = job->colour && job->planar == PLANARCONFIG_SEPARATE ? 3 : 1;
    job->tiled = TIFFIsTiled(job->tif) != 0;
    if (job->tiled) {
        if (!TIFFGetField(job->tif, TIFFTAG_TILEWIDTH, &job->block_width) ||
            !TIFFGetField(job->tif, TIFFTAG_TILELENGTH, &job->block_height))
            return io_tiff_fail(job->reader, job->page, job->err, "this TIFF page has no tile size");
    } else {
        job->block_width = job->width;
        TIFFGetFieldDefaulted(job->tif, TIFFTAG_ROWSPERSTRIP, &job->block_height);
        if (job->block_height > job->height)
            job->block_height = job->height;
    }
    job->row_bytes = ((uint64_t)job->block_width * pixel_bits + 7) / 8;
    job->wide_samples = (size_t)io_product(job->block_width, interleaved);
    job->block_bytes = io_product(job->row_bytes, job->block_height);
    if (!io_page_plausible(job->reader, job->page, io_product(page_bytes, job->planes), inflation, job->err) ||
        !io_page_plausible(job->reader, job->page, io_product(job->block_bytes, job->planes), inflation, job->err))
        return false;
    row_bytes = job->tiled ? TIFFTileRowSize64(job->tif) : TIFFScanlineSize64(job->tif);
    if (job->block_bytes == 0 || row_bytes != job->row_bytes)
        return io_tiff_fail(job->reader, job->page, job->err, "the sizes of this TIFF page contradict one another");
    return true;
}

/*
 * Palette entries are 16-bit in TIFF. For indexes of up to 8 bits they are reduced to 8 bits; old writers stored 8-bit
 * entries (none is above 255), which are used unchanged. 16-bit indexes give 16 bits.
 */
static bool read_palette(tiff_job *job)
{
    size_t n = ((size_t)1 << job->bits) * job->channels;
    uint16_t *map[3] = {NULL, NULL, NULL};
    uint16_t most = 0;

    if (!TIFFGetField(job->tif, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return io_tiff_fail(job->reader, job->page, job->err, "this TIFF page has no palette");
    job->palette = malloc(n * sizeof *job->palette);
    if (!job->palette)
        return io_page_fail(job->reader, job->page, job->err, "out of memory");
    for (size_t i = 0; i < n; i++) {
        size_t k = i / job->channels;

        job->palette[i] = job->channels == 3 ? map[i % 3][k] : (uint16_t)io_luminance(map[0][k], map[1][k], map[2][k]);
        most = (uint16_t)(most | map[0][k] | map[1][k] | map[2][k]);
    }
    for (size_t i = 0; i < n && most > 255 && job->type == PENTA_U8; i++)
        job->palette[i] = (uint16_t)((job->palette[i] * 255u + 32767) / 65535);
    return true;
}

double io_tiff_imagej(TIFF *tif, const char *name, double fallback)
{
    const char *text = NULL;
    char key[32];

    if (!TIFFGetField(tif, TIFFTAG_IMAGEDESCRIPTION, &text) || strncmp(text, "ImageJ=", 7) != 0)
        return fallback;
    snprintf(key, sizeof key, "\n%s=", name);
    text = strstr(text, key);
    return text ? penta_strtod(text + strlen(key), NULL) : fallback;
}

/*
 * Refuses ImageJ's stacks of over 4 GiB: one page, followed by the other frames without directories. Reading only the
 * first frame would look like the whole movie.
 */
static bool check_hidden_frames(const tiff_job *job)
{
    uint64_t page_bytes =
        io_product(io_product(job->width, job->height), (uint64_t)job->samples * ((job->bits + 7u) / 8));
    double frames = io_tiff_imagej(job->tif, "images", 1);

    if (job->reader->pages > 1 || !(frames > 1) || frames * (double)page_bytes > (double)job->reader->input.bytes)
        return true;
    return io_page_fail(
        job->reader, job->page, job->err,
        "ImageJ put %.0f frames behind one TIFF page, which is not supported; export it as BigTIFF or in "
        "parts below 4 GiB",
        frames);
}

/* ---- from samples to grey ---- */

/* A sample of 1, 2 or 4 bits; they are packed from the high bits on. */
static unsigned packed_sample(const unsigned char *row, size_t index, unsigned bits)
{
    size_t bit = index * bits;

    return (unsigned)row[bit / 8] >> (8 - bits - bit % 8) & ((1u << bits) - 1);
}

static void convert_u8(const tiff_job *job, const unsigned char *const row[3], size_t step, size_t n, uint8_t *out)
{
    unsigned bits = job->bits;
    unsigned scale = bits < 8 ? 255 / ((1u << bits) - 1) : 1;
    unsigned invert = job->photometric == PHOTOMETRIC_MINISWHITE ? 255 : 0;

    for (size_t x = 0; x < n; x++) {
        unsigned v = bits < 8 ? packed_sample(row[0], x * step, bits) : row[0][x * step];

        if (job->palette)
            v = job->palette[v];
        else if (job->colour)
            v = io_luminance(row[0][x * step], row[1][x * step], row[2][x * step]);
        else
            v = v * scale ^ invert;
        out[x] = (uint8_t)v;
    }
}

static void convert_u16(const tiff_job *job, const unsigned char *const row[3], size_t step, size_t n, uint16_t *out)
{
    const uint16_t *a = (const uint16_t *)row[0];
    const uint16_t *b = (const uint16_t *)row[1];
    const uint16_t *c = (const uint16_t *)row[2];
    unsigned invert = job->photometric == PHOTOMETRIC_MINISWHITE ? (1u << job->bits) - 1 : 0;

    for (size_t x = 0; x < n; x++) {
        size_t i = x * step;

        out[x] = job->palette  ? job->palette[a[i]]
                 : job->colour ? (uint16_t)io_luminance(a[i], b[i], c[i])
                               : (uint16_t)(a[i] ^ invert);
    }
}

/* Luminance. A grey colour keeps its exact value, which 0.299 r + 0.587 g + 0.114 b would round in double. */
static double luminance(double r, double g, double b)
{
    return r == g && g == b ? r : (299 * r + 587 * g + 114 * b) / 1000;
}

static void convert_f32(const tiff_job *job, const unsigned char *const row[3], size_t step, size_t n, float *out)
{
    const float *a = (const float *)row[0];
    const float *b = (const float *)row[1];
    const float *c = (const float *)row[2];

    for (size_t x = 0; x < n; x++)
        out[x] = job->colour ? (float)luminance(a[x * step], b[x * step], c[x * step]) : a[x * step];
}

static void convert_f64(const tiff_job *job, const unsigned char *const row[3], size_t step, size_t n, double *out)
{
    const double *a = (const double *)row[0];
    const double *b = (const double *)row[1];
    const double *c = (const double *)row[2];

    for (size_t x = 0; x < n; x++)
        out[x] = job->colour ? luminance(a[x * step], b[x * step], c[x * step]) : a[x * step];
}

/* Copies red, green and blue, or looks them up in the palette. */
static void convert_colour(const tiff_job *job, const unsigned char *const row[3], size_t step, size_t n,
                           unsigned char *out)
{
    size_t size = penta_type_size(job->type);

    for (size_t i = 0; i < 3 * n; i++, out += size) {
        size_t at = i / 3 * step, c = i % 3;
        unsigned index;
        uint8_t narrow;

        if (!job->palette) {
            memcpy(out, row[c] + at * size, size);
            continue;
        }
        index = job->bits > 8    ? ((const uint16_t *)row[0])[at]
                : job->bits == 8 ? row[0][at]
                                 : packed_sample(row[0], at, job->bits);
        narrow = (uint8_t)job->palette[3 * (size_t)index + c];
        memcpy(out, size == 1 ? (const void *)&narrow : &job->palette[3 * (size_t)index + c], size);
    }
}

/* Unsigned integers of 9 to 15 bits, packed from the high bits on. */
static void unpack(const unsigned char *row, unsigned bits, size_t count, uint16_t *out)
{
    uint32_t kept = 0;
    unsigned n = 0;

    for (size_t i = 0; i < count; i++, n -= bits) {
        for (; n < bits; n += 8)
            kept = kept << 8 | *row++;
        out[i] = (uint16_t)(kept >> (n - bits) & ((1u << bits) - 1));
    }
}

/* Row y of the block in the output type. */
static const unsigned char *widen_row(const tiff_job *job, uint32_t y)
{
    size_t bytes = job->wide_samples * penta_type_size(job->type);

    for (unsigned plane = 0; plane < job->planes; plane++) {
        const unsigned char *row = job->block + (size_t)job->block_bytes * plane + (size_t)job->row_bytes * y;

        if (job->widen == 'p')
            unpack(row, job->bits, job->wide_samples, (uint16_t *)(void *)(job->wide + bytes * plane));
        else
            io_widen(job->widen, job->bits, row, job->wide_samples, job->wide + bytes * plane);
    }
    return job->wide;
}

/* Converts n pixels of row y of the block into the image at (x0, y0 + y). */
static void convert_row(const tiff_job *job, uint32_t x0, uint32_t y0, uint32_t y, uint32_t n, penta_io_image *out)
{
    size_t step = job->planar == PLANARCONFIG_CONTIG ? job->samples : 1;
    size_t size = job->bits < 8 ? 0 : penta_type_size(job->type);
    size_t plane = job->widen ? job->wide_samples * size : (size_t)job->block_bytes;
    size_t channel = job->planes == 3 ? plane : size; /* bytes from one channel to the next */
    const unsigned char *first = job->widen ? widen_row(job, y) : job->block + (size_t)job->row_bytes * y;
    const unsigned char *row[3] = {first, first, first};
    size_t to = ((size_t)y0 + y) * out->width + x0;

    if (job->colour) {
        row[1] = first + channel;
        row[2] = first + 2 * channel;
    }
    if (job->channels == 3) {
        convert_colour(job, row, step, n, (unsigned char *)out->data + 3 * to * penta_type_size(job->type));
        return;
    }
    switch (job->type) {
    case PENTA_U8:
        convert_u8(job, row, step, n, (uint8_t *)out->data + to);
        break;
    case PENTA_U16:
        convert_u16(job, row, step, n, (uint16_t *)out->data + to);
        break;
    case PENTA_F32:
        convert_f32(job, row, step, n, (float *)out->data + to);
        break;
    default:
        convert_f64(job, row, step, n, (double *)out->data + to);
        break;
    }
}

/* ---- blocks ---- */

static bool block_failed(const tiff_job *job, uint32_t x, uint32_t y)
{
    char what[128];

    snprintf(what, sizeof what, "the pixels from row %" PRIu32 ", column %" PRIu32 " on cannot be decoded", y + 1,
             x + 1);
    return io_tiff_fail(job->reader, job->page, job->err, what);
}

/* Decodes the block that begins at (x, y) with its `rows` rows. Pixels that a codec invented are an error. */
static bool read_block(const tiff_job *job, uint32_t x, uint32_t y, uint32_t rows)
{
    tmsize_t want = (tmsize_t)(job->tiled ? job->block_bytes : job->row_bytes * rows);

    io_tiff_hush();
    for (unsigned plane = 0; plane < job->planes; plane++) {
        unsigned char *to = job->block + (size_t)job->block_bytes * plane;
        tmsize_t got;

        if (job->tiled)
            got = TIFFReadEncodedTile(job->tif, TIFFComputeTile(job->tif, x, y, 0, (uint16_t)plane), to, want);
        else
            got = TIFFReadEncodedStrip(job->tif, TIFFComputeStrip(job->tif, y, (uint16_t)plane), to, want);
        if (got != want || io_tiff_text()->made_up)
            return block_failed(job, x, y);
    }
    return true;
}

static bool read_blocks(const tiff_job *job, penta_io_image *out)
{
    for (uint32_t y = 0; y < job->height; y += job->block_height) {
        uint32_t rows = job->block_height < job->height - y ? job->block_height : job->height - y;

        for (uint32_t x = 0; x < job->width; x += job->block_width) {
            uint32_t columns = job->block_width < job->width - x ? job->block_width : job->width - x;

            if (!read_block(job, x, y, rows))
                return false;
            for (uint32_t row = 0; row < rows; row++)
                convert_row(job, x, y, row, columns, out);
            if (job->block_width > job->width - x)
                break; /* x + block_width may overflow */
        }
        if (job->block_height > job->height - y)
            break;
    }
    return true;
}

/* Swaps `count` pairs of runs of `bytes` bytes, from both ends inward. */
static void swap_ends(unsigned char *front, unsigned char *back, size_t bytes)
{
    for (; front < back; front += bytes, back -= bytes)
        for (size_t i = 0; i < bytes; i++) {
            unsigned char kept = front[i];

            front[i] = back[i];
            back[i] = kept;
        }
}

void io_tiff_turn_upright(uint16_t orientation, penta_io_image *image)
{
    size_t size = penta_type_size(image->type) * (image->channels == 3 ? 3 : 1);
    size_t row_bytes = image->width * size;
    unsigned char *data = image->data;

    if (orientation == ORIENTATION_BOTLEFT || orientation == ORIENTATION_BOTRIGHT)
        swap_ends(data, data + row_bytes * (image->height - 1), row_bytes);
    if (orientation == ORIENTATION_TOPRIGHT || orientation == ORIENTATION_BOTRIGHT)
        for (size_t y = 0; y < image->height; y++)
            swap_ends(data + y * row_bytes, data + (y + 1) * row_bytes - size, size);
}

static bool check_page(tiff_job *job)
{
    if (!read_tags(job) || !check_samples(job) || !check_colour(job))
        return false;
    if (job->orientation > ORIENTATION_BOTLEFT && job->orientation <= ORIENTATION_LEFTBOT)
        return unsupported(job, "orientation %u (turned sideways)", job->orientation);
    if (!TIFFIsCODECConfigured(job->compression))
        return io_page_fail(job->reader, job->page, job->err,
                            "its compression (TIFF code %u) is unknown to the libtiff of this build; save it "
                            "uncompressed, or with LZW or Deflate",
                            job->compression);
    return check_hidden_frames(job) && check_sizes(job);
}

bool io_tiff_decode(TIFF *tif, const penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    tiff_job job = {.tif = tif, .reader = reader, .page = page, .err = err};
    bool ok = false;

    if (!check_page(&job))
        goto cleanup;
    job.channels = reader->colour && (job.colour || job.photometric == PHOTOMETRIC_PALETTE) ? 3 : 1;
    if (job.photometric == PHOTOMETRIC_PALETTE && !read_palette(&job))
        goto cleanup;
    if (!io_page_alloc_channels(reader, page, job.width, job.height, job.channels, job.type, out, err))
        goto cleanup;
    job.block = malloc((size_t)job.block_bytes * job.planes);
    job.wide = job.widen ? calloc(job.wide_samples, job.planes * penta_type_size(job.type)) : NULL;
    if (!job.block || (job.widen && !job.wide)) {
        io_page_fail(reader, page, err, "out of memory for a block of the image; free some memory");
        goto cleanup;
    }
    ok = read_blocks(&job, out);
    if (ok)
        io_tiff_turn_upright(job.orientation, out);
cleanup:
    free(job.block);
    free(job.wide);
    free(job.palette);
    return ok;
}

#else
typedef int penta_io_tiff_page_is_empty; /* a translation unit must declare something */
#endif
