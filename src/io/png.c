/* PNG through libpng. Rows are read one by one; only an interlaced image is held whole, in packed form. */
#include "io/format.h"
#include <pentacl/io/output.h>

#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_ROW UINT32_MAX /* row number while the header is read */

/* One decoding. It survives the longjmp of libpng's errors, so it holds everything that must be released. */
typedef struct {
    const penta_io_reader *reader;
    penta_io_image *image;
    penta_io_error *err;
    uint64_t offset; /* offset of the next byte in the file */
    png_structp png;
    png_infop info;
    png_uint_32 width, height, row;
    int depth, color; /* depth and colour type in the file */
    int passes;       /* 1, or 7 if interlaced */
    size_t row_bytes;
    unsigned char *raw; /* one row, or all rows of an interlaced image */
    size_t channels;    /* channels of the image: 3 if colour is kept */
    png_color palette[256];
    unsigned colors;
    char text[256]; /* libpng's error, or its last warning */
} png_job;

static bool png_matches(const unsigned char *head, size_t size)
{
    return size >= 4 && memcmp(head, "\x89PNG", 4) == 0;
}

/* libpng knows no animations (chunk acTL, before the first IDAT): one has its first image read, and a note. */
static bool png_open(penta_io_reader *reader, penta_io_error *err)
{
    unsigned char head[12];

    (void)err;
    reader->pages = 1;
    for (uint64_t at = 8; io_input_read(&reader->input, at, head, sizeof head) && memcmp(head + 4, "IDAT", 4) != 0;
         at += 12 + (uint64_t)png_get_uint_32(head))
        if (memcmp(head + 4, "acTL", 4) == 0 && png_get_uint_32(head + 8) > 1)
            io_reader_doubt(reader,
                            "the first of its %" PRIu32 " frames is read; for all, make files of them (ffmpeg -i "
                            "FILE frame%%03d.png)",
                            png_get_uint_32(head + 8));
    return true;
}

static void keep_warning(png_structp png, png_const_charp text)
{
    png_job *job = png_get_error_ptr(png);

    if (job)
        snprintf(job->text, sizeof job->text, "%s", text);
}

_Noreturn static void keep_error(png_structp png, png_const_charp text)
{
    keep_warning(png, text);
    png_longjmp(png, 1);
}

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    png_job *job = png_get_io_ptr(png);

    if (job->offset + size > job->reader->input.bytes) {
        job->offset = job->reader->input.bytes;
        png_error(png, "the file ends too early: it is truncated");
    }
    if (!io_input_read(&job->reader->input, job->offset, to, size))
        png_error(png, "the file cannot be read");
    job->offset += size;
}

static bool decoding_failed(png_job *job)
{
    char row[64] = "in the header";

    if (job->row != HEADER_ROW)
        snprintf(row, sizeof row, "at row %" PRIu32 " of %" PRIu32, job->row + 1, job->height);
    return io_page_fail(job->reader, 0, job->err, "damaged PNG %s, near byte %" PRIu64 ": %s; copy or export it again",
                        row, job->offset, *job->text ? job->text : "libpng gives no reason");
}

static void read_palette(png_job *job)
{
    png_colorp colors = NULL;
    int n = 0;

    png_get_PLTE(job->png, job->info, &colors, &n);
    for (int i = 0; i < n && i < 256; i++)
        job->palette[i] = colors[i];
    job->colors = (unsigned)n;
}

/* Reads the chunks before the image, checks the sizes and allocates. */
static bool begin(png_job *job)
{
    uint64_t bits;
    uint64_t packed;
    int interlace;

    png_set_read_fn(job->png, job, read_bytes);
    png_set_user_limits(job->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(job->png, 8000000); /* limit for metadata, which is not kept; libpng's default */
    png_read_info(job->png, job->info);
    png_get_IHDR(job->png, job->info, &job->width, &job->height, &job->depth, &job->color, &interlace, NULL, NULL);

    bits = (uint64_t)job->width * png_get_channels(job->png, job->info) * (unsigned)job->depth;
    packed = io_product((bits + 7) / 8, job->height);
    if (!io_page_plausible(job->reader, 0, packed, IO_DEFLATE_INFLATION, job->err))
        return false;
    job->channels = job->reader->colour && (job->color & PNG_COLOR_MASK_COLOR) ? 3 : 1;
    if (!io_page_alloc_channels(job->reader, 0, job->width, job->height, job->channels,
                                job->depth == 16 ? PENTA_U16 : PENTA_U8, job->image, job->err))
        return false;

    if (job->color == PNG_COLOR_TYPE_PALETTE) {
        read_palette(job);
        png_set_packing(job->png);
    } else if (job->depth < 8) {
        png_set_expand_gray_1_2_4_to_8(job->png);
    }
    job->passes = png_set_interlace_handling(job->png);
    png_read_update_info(job->png, job->info);
    job->row_bytes = png_get_rowbytes(job->png, job->info);
    job->raw = calloc(job->passes > 1 ? job->height : 1, job->row_bytes);
    return job->raw || io_page_fail(job->reader, 0, job->err, "out of memory for the packed image; free some memory");
}

static void put_8(const png_job *job, uint8_t *out, size_t x, unsigned r, unsigned g, unsigned b)
{
    if (job->channels == 3) {
        out[3 * x] = (uint8_t)r;
        out[3 * x + 1] = (uint8_t)g;
        out[3 * x + 2] = (uint8_t)b;
    } else {
        out[x] = (uint8_t)io_luminance(r, g, b);
    }
}

static void put_16(const png_job *job, uint16_t *out, size_t x, unsigned r, unsigned g, unsigned b)
{
    if (job->channels == 3) {
        out[3 * x] = (uint16_t)r;
        out[3 * x + 1] = (uint16_t)g;
        out[3 * x + 2] = (uint16_t)b;
    } else {
        out[x] = (uint16_t)io_luminance(r, g, b);
    }
}

static bool look_up_row(png_job *job, const unsigned char *raw, uint8_t *out)
{
    for (png_uint_32 x = 0; x < job->width; x++) {
        if (raw[x] >= job->colors)
            return io_page_fail(job->reader, 0, job->err,
                                "the pixel at row %" PRIu32 ", column %" PRIu32
                                " has palette index %u, but the palette "
                                "has %u colours; the file is damaged: export it again",
                                job->row + 1, x + 1, raw[x], job->colors);
        put_8(job, out, x, job->palette[raw[x]].red, job->palette[raw[x]].green, job->palette[raw[x]].blue);
    }
    return true;
}

static uint32_t sample_16(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/* Converts libpng's samples (16-bit: big-endian) to grey or colour. Alpha, if any, is last in a pixel. */
static bool convert_row(png_job *job, const unsigned char *raw)
{
    size_t step = png_get_channels(job->png, job->info);
    bool colour = (job->color & PNG_COLOR_MASK_COLOR) != 0;
    size_t first = (size_t)job->row * job->width * job->channels;

    if (job->color == PNG_COLOR_TYPE_PALETTE)
        return look_up_row(job, raw, (uint8_t *)job->image->data + first);
    if (job->depth == 16) {
        uint16_t *out = (uint16_t *)job->image->data + first;

        for (size_t x = 0; x < job->width; x++, raw += 2 * step)
            if (colour)
                put_16(job, out, x, sample_16(raw), sample_16(raw + 2), sample_16(raw + 4));
            else
                out[x] = (uint16_t)sample_16(raw);
    } else {
        uint8_t *out = (uint8_t *)job->image->data + first;

        for (size_t x = 0; x < job->width; x++, raw += step)
            if (colour)
                put_8(job, out, x, raw[0], raw[1], raw[2]);
            else
                out[x] = raw[0];
    }
    return true;
}

/* Reads every row of every pass, then the end chunk: a file without it is truncated. */
static bool read_rows(png_job *job)
{
    for (int pass = 0; pass < job->passes; pass++) {
        for (job->row = 0; job->row < job->height; job->row++) {
            unsigned char *raw = job->raw + (job->passes > 1 ? job->row_bytes * job->row : 0);

            png_read_row(job->png, raw, NULL);
            if (pass == job->passes - 1 && !convert_row(job, raw))
                return false;
        }
    }
    job->row = job->height - 1;
    png_read_end(job->png, NULL);
    return true;
}

static bool decode(png_job *job)
{
    if (setjmp(png_jmpbuf(job->png)))
        return decoding_failed(job);
    return begin(job) && read_rows(job);
}

static bool png_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    png_job job = {.reader = reader, .image = out, .err = err, .row = HEADER_ROW};
    bool ok = false;

    job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, keep_error, keep_warning);
    if (job.png)
        job.info = png_create_info_struct(job.png);
    if (job.info)
        ok = decode(&job);
    else
        io_page_fail(reader, page, err, "libpng cannot start: %s", *job.text ? job.text : "out of memory");
    png_destroy_read_struct(&job.png, &job.info, NULL);
    free(job.raw);
    return ok;
}

/* ---- writing ---- */

typedef struct {
    const char *path;
    const penta_io_image *image;
    size_t channels; /* bytes per pixel of 8-bit images */
    FILE *stream;
    unsigned char *row; /* 16-bit rows, big-endian */
    png_structp png;
    png_infop info;
    char text[256];
} png_writing;

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

_Noreturn static void keep_write_error(png_structp png, png_const_charp text)
{
    png_writing *job = png_get_error_ptr(png);

    if (job)
        snprintf(job->text, sizeof job->text, "%s", text);
    png_longjmp(png, 1);
}

/* Writes bytes. The commit of the output reports a short write with its reason; the rest of the encoding is skipped. */
static void write_bytes(png_structp png, png_bytep from, size_t size)
{
    png_writing *job = png_get_io_ptr(png);

    fwrite(from, 1, size, job->stream);
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static void write_rows(png_writing *job)
{
    const penta_io_image *image = job->image;

    for (size_t y = 0; y < image->height; y++) {
        if (image->type == PENTA_U8) {
            png_write_row(job->png, (const uint8_t *)image->data + y * image->width * job->channels);
            continue;
        }
        for (size_t x = 0; x < image->width; x++) {
            uint16_t v = ((const uint16_t *)image->data)[y * image->width + x];

            job->row[2 * x] = (unsigned char)(v >> 8);
            job->row[2 * x + 1] = (unsigned char)v;
        }
        png_write_row(job->png, job->row);
    }
}

/* Whether most pixels of a coloured image are as those before them. */
static bool is_drawing(const penta_io_image *image)
{
    const uint8_t *pixels = image->data;
    size_t count = image->width * image->height, same = 0;

    for (size_t i = 1; i < count; i++)
        same += memcmp(pixels + 3 * i, pixels + 3 * (i - 1), 3) == 0;
    return 2 * same > count;
}

/*
 * Grey images are measurements, whose noise neither better filters nor more searching shrink much: files of 16 bits are
 * 1 % larger than by libpng's defaults and take half the time, those of 8 bits a third to a seventh. Drawings are as
 * small or smaller without filters, and take a quarter of the time.
 */
static void choose_effort(png_structp png, const penta_io_image *image, size_t channels)
{
    enum { GREY_LEVEL = 2, DRAWING_LEVEL = 1 };

    if (channels > 1 && !is_drawing(image))
        return;
    png_set_filter(png, PNG_FILTER_TYPE_BASE, channels > 1 ? PNG_FILTER_NONE : PNG_FILTER_AVG);
    png_set_compression_level(png, channels > 1 ? DRAWING_LEVEL : GREY_LEVEL);
}

static bool encode(png_writing *job, penta_io_error *err)
{
    if (setjmp(png_jmpbuf(job->png)))
        return penta_io_fail(err, "%s: cannot be encoded as PNG: %s", job->path, job->text);
    png_set_write_fn(job->png, job, write_bytes, flush_nothing);
    png_set_user_limits(job->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(job->png, job->info, (png_uint_32)job->image->width, (png_uint_32)job->image->height,
                 job->image->type == PENTA_U8 ? 8 : 16, job->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    choose_effort(job->png, job->image, job->channels);
    png_write_info(job->png, job->info);
    write_rows(job);
    png_write_end(job->png, NULL);
    return true;
}

static bool check_image(const char *path, const penta_io_image *image, penta_io_error *err)
{
    if (image->type != PENTA_U8 && image->type != PENTA_U16)
        return penta_io_fail(err, "%s: a PNG holds u8 or u16, not %s; scale the image or write NPY", path,
                             penta_type_name(image->type));
    if (image->width == 0 || image->height == 0 || !image->data)
        return penta_io_fail(err, "%s: an empty image cannot be written as PNG", path);
    if (image->width > PNG_UINT_31_MAX || image->height > PNG_UINT_31_MAX)
        return penta_io_fail(err, "%s: %zu x %zu pixels are too many for a PNG; write NPY", path, image->width,
                             image->height);
    return true;
}

static bool write_png(const char *path, const penta_io_image *image, size_t channels, penta_io_error *err)
{
    png_writing job = {.path = path, .image = image, .channels = channels};
    penta_io_output *output = NULL;
    bool ok = false;

    if (!check_image(path, image, err) || !penta_io_output_open(path, &output, err))
        return false;
    job.stream = penta_io_output_stream(output);
    job.row = malloc(2 * image->width);
    job.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, keep_write_error, ignore_warning);
    if (job.png)
        job.info = png_create_info_struct(job.png);
    if (!job.row || !job.info) {
        penta_io_fail(err, "%s: out of memory", path);
        goto cleanup;
    }
    if (!encode(&job, err))
        goto cleanup;
    ok = penta_io_output_commit(output, err);
    output = NULL;
cleanup:
    png_destroy_write_struct(&job.png, &job.info);
    penta_io_output_abort(output);
    free(job.row);
    return ok;
}

bool penta_io_png_write(const char *path, const penta_io_image *image, penta_io_error *err)
{
    return write_png(path, image, 1, err);
}

bool penta_io_png_write_rgb(const char *path, size_t width, size_t height, uint8_t *rgb, penta_io_error *err)
{
    penta_io_image image = {.width = width, .height = height, .type = PENTA_U8, .data = rgb};

    return write_png(path, &image, 3, err);
}

static bool png_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err)
{
    (void)meta;
    return penta_io_png_write(path, image, err);
}

static const char *const ends[] = {"png", NULL};

const io_image_format io_png_format = {.ends = ends,
                                       .library = "libpng",
                                       .matches = png_matches,
                                       .open = png_open,
                                       .read = png_read,
                                       .types = IO_INTEGERS,
                                       .write = png_write};
