/*
 * JPEG through libjpeg: 8 bits, grey or colour, baseline or progressive. Rows are converted one by one. JPEG is lossy:
 * pixels read or written are only near the originals. The orientation in EXIF data is not applied, so that the frames
 * of a series stay on the same pixels.
 */
#include "io/format.h"

#include <string.h>

static bool jpeg_matches(const unsigned char *head, size_t size)
{
    return size >= 3 && memcmp(head, "\xff\xd8\xff", 3) == 0;
}

static const char *const ends[] = {"jpg", "jpeg", NULL};

#ifndef PENTA_HAVE_JPEG

const io_image_format io_jpeg_format = {
    .ends = ends, .library = "libjpeg", .missing = "libjpeg-dev", .matches = jpeg_matches, .types = IO_BYTES};

#else

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

#include <pentacl/io/output.h>

enum {
    QUALITY = 95,     /* of written files; colour is not subsampled */
    MOST_SCANS = 500, /* scans of a progressive file; more would take very long for the file's size */
    PIECE = 1 << 16,  /* bytes read at a time */
    ORIENTATION = 0x112
};

/* One decoding. It survives the longjmp of libjpeg's errors, so it holds everything that must be released. */
typedef struct {
    struct jpeg_error_mgr errors; /* must be first: libjpeg casts it to find the rest */
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    const penta_io_reader *reader;
    uint64_t offset; /* offset of the next bytes in the file */
    JOCTET piece[PIECE];
    JSAMPLE *row;
    bool counting;              /* rows are being read */
    char text[JMSG_LENGTH_MAX]; /* libjpeg's error */
    jmp_buf failed;
} jpeg_job;

/* ---- libjpeg's hooks ---- */

_Noreturn static void give_up(j_common_ptr jpeg)
{
    jpeg_job *job = (jpeg_job *)(void *)jpeg->err;

    jpeg->err->format_message(jpeg, job->text);
    longjmp(job->failed, 1);
}

/* Treats warnings (negative levels: data are missing or wrong) as errors, except these codes. */
static void take_message(j_common_ptr jpeg, int level)
{
    static const int harmless[] = {JWRN_EXTRANEOUS_DATA, JWRN_JFIF_MAJOR, JWRN_ADOBE_XFORM};

    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (jpeg->err->msg_code == harmless[i])
            return;
    if (level < 0)
        give_up(jpeg);
}

_Noreturn static void fail_because(jpeg_job *job, const char *text)
{
    snprintf(job->text, sizeof job->text, "%s", text);
    longjmp(job->failed, 1);
}

static void do_nothing(j_decompress_ptr jpeg)
{
    (void)jpeg;
}

static boolean fill_piece(j_decompress_ptr jpeg)
{
    jpeg_job *job = (jpeg_job *)(void *)jpeg->err;
    uint64_t left = job->reader->input.bytes - job->offset;
    size_t size = left < PIECE ? (size_t)left : PIECE;

    if (size == 0)
        fail_because(job, "the file ends too early: it is truncated");
    if (!io_input_read(&job->reader->input, job->offset, job->piece, size))
        fail_because(job, "the file cannot be read");
    job->offset += size;
    job->source.next_input_byte = job->piece;
    job->source.bytes_in_buffer = size;
    return TRUE;
}

static void skip_bytes(j_decompress_ptr jpeg, long count)
{
    jpeg_job *job = (jpeg_job *)(void *)jpeg->err;
    uint64_t left = job->reader->input.bytes - job->offset;
    size_t size = count > 0 ? (size_t)count : 0;

    if (size <= job->source.bytes_in_buffer) {
        job->source.next_input_byte += size;
        job->source.bytes_in_buffer -= size;
        return;
    }
    size -= job->source.bytes_in_buffer;
    job->offset += size < left ? size : left;
    job->source.bytes_in_buffer = 0;
}

static void count_scans(j_common_ptr common)
{
    const struct jpeg_decompress_struct *jpeg = (const struct jpeg_decompress_struct *)common;

    if (jpeg->input_scan_number > MOST_SCANS)
        fail_because((jpeg_job *)(void *)common->err, "it has more than 500 scans");
}

static void start(jpeg_job *job, const penta_io_reader *reader)
{
    job->reader = reader;
    job->jpeg.err = jpeg_std_error(&job->errors);
    job->errors.error_exit = give_up;
    job->errors.emit_message = take_message;
    job->source.init_source = do_nothing;
    job->source.fill_input_buffer = fill_piece;
    job->source.skip_input_data = skip_bytes;
    job->source.resync_to_restart = jpeg_resync_to_restart;
    job->source.term_source = do_nothing;
    job->progress.progress_monitor = count_scans;
}

/* ---- reading ---- */

static bool decoding_failed(const jpeg_job *job, penta_io_error *err)
{
    char row[64] = "";

    if (job->counting)
        snprintf(row, sizeof row, " at row %u of %u", job->jpeg.output_scanline + 1, job->jpeg.output_height);
    return io_page_fail(job->reader, 0, err,
                        "damaged or unusual JPEG%s, near byte %" PRIu64 ": %s; copy or export it again", row,
                        job->offset - job->source.bytes_in_buffer, job->text);
}

/* Reads the header and checks the sizes. */
static bool begin(jpeg_job *job, penta_io_error *err)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;

    jpeg_create_decompress(jpeg);
    jpeg->src = &job->source;
    jpeg->progress = &job->progress;
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->num_components != 1 && jpeg->num_components != 3)
        return io_page_fail(job->reader, 0, err,
                            "is a JPEG of %d colours (CMYK, as for printing); convert it to grey or RGB",
                            jpeg->num_components);
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW; /* the same bits on every processor */
    return io_page_plausible(
        job->reader, 0, io_product(io_product(jpeg->image_width, jpeg->image_height), (uint64_t)jpeg->num_components),
        IO_JPEG_INFLATION, err);
}

static unsigned exif_number(const unsigned char *at, bool big)
{
    return big ? (unsigned)at[0] << 8 | at[1] : (unsigned)at[1] << 8 | at[0];
}

/* The orientation in EXIF data, 1 to 8; 1 if upright or not stated. EXIF is a TIFF header and a directory with entries
 * of 12 bytes. */
static unsigned exif_orientation(const unsigned char *data, size_t size)
{
    bool big = size > 6 && data[6] == 'M';
    size_t at, count;

    if (size < 6 + 8 + 2 || memcmp(data, "Exif\0", 6) != 0)
        return 1;
    at = 6 + exif_number(data + (big ? 12 : 10), big);
    if (exif_number(data + (big ? 10 : 12), big) != 0 || at + 2 > size) /* the offset is a 32-bit number */
        return 1;
    count = exif_number(data + at, big);
    for (at += 2; count > 0 && at + 12 <= size; at += 12, count--)
        if (exif_number(data + at, big) == ORIENTATION) {
            unsigned value = exif_number(data + at + 8, big);

            return value >= 1 && value <= 8 ? value : 1;
        }
    return 1;
}

static bool is_turned(const struct jpeg_decompress_struct *jpeg)
{
    for (const struct jpeg_marker_struct *m = jpeg->marker_list; m; m = m->next)
        if (m->marker == JPEG_APP0 + 1 && exif_orientation(m->data, m->data_length) != 1)
            return true;
    return false;
}

static void put_row(const jpeg_job *job, size_t y, penta_io_image *out)
{
    uint8_t *to = (uint8_t *)out->data + y * out->width * out->channels;
    const JSAMPLE *from = job->row;

    if (job->jpeg.output_components == (int)out->channels)
        memcpy(to, from, out->width * out->channels);
    else
        for (size_t x = 0; x < out->width; x++, from += 3)
            to[x] = (uint8_t)io_luminance(from[0], from[1], from[2]);
}

static bool read_rows(jpeg_job *job, penta_io_image *out, penta_io_error *err)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    size_t channels = job->reader->colour && jpeg->num_components == 3 ? 3 : 1;

    if (!io_page_alloc_channels(job->reader, 0, jpeg->image_width, jpeg->image_height, channels, PENTA_U8, out, err))
        return false;
    job->row = malloc((size_t)jpeg->image_width * (size_t)jpeg->num_components);
    if (!job->row)
        return io_page_fail(job->reader, 0, err, "out of memory for a row of the image; free some memory");
    jpeg_start_decompress(jpeg);
    job->counting = true;
    while (jpeg->output_scanline < jpeg->output_height) {
        size_t y = jpeg->output_scanline;

        jpeg_read_scanlines(jpeg, &job->row, 1);
        put_row(job, y, out);
    }
    jpeg_finish_decompress(jpeg); /* reads to the end mark: a file without it is truncated */
    return true;
}

/* Decodes the image; out NULL: only the header. *turned: EXIF data ask for a rotation. */
static bool decode(jpeg_job *job, penta_io_image *out, bool *turned, penta_io_error *err)
{
    if (setjmp(job->failed))
        return decoding_failed(job, err);
    if (!begin(job, err))
        return false;
    if (turned)
        *turned = is_turned(&job->jpeg);
    return !out || read_rows(job, out, err);
}

static bool run_job(const penta_io_reader *reader, penta_io_image *out, bool *turned, penta_io_error *err)
{
    jpeg_job *job = calloc(1, sizeof *job);
    bool ok;

    if (!job)
        return io_page_fail(reader, 0, err, "out of memory; free some");
    start(job, reader);
    ok = decode(job, out, turned, err);
    jpeg_destroy_decompress(&job->jpeg);
    free(job->row);
    free(job);
    return ok;
}

static bool jpeg_open(penta_io_reader *reader, penta_io_error *err)
{
    bool turned = false;

    reader->pages = 1;
    if (!run_job(reader, NULL, &turned, err))
        return false;
    snprintf(
        reader->doubt, sizeof reader->doubt,
        "JPEG is lossy: measurements include its losses and its blocks of 8 x 8 pixels%s; use PNG, TIFF or FITS where "
        "numbers must be exact",
        turned ? ", and the rotation that EXIF data ask for is not applied" : "");
    return true;
}

static bool jpeg_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    (void)page;
    return run_job(reader, out, NULL, err);
}

/* ---- writing ---- */

typedef struct {
    struct jpeg_error_mgr errors; /* must be first */
    struct jpeg_compress_struct jpeg;
    char text[JMSG_LENGTH_MAX];
    jmp_buf failed;
} jpeg_writing;

_Noreturn static void give_up_writing(j_common_ptr jpeg)
{
    jpeg_writing *job = (jpeg_writing *)(void *)jpeg->err;

    jpeg->err->format_message(jpeg, job->text);
    longjmp(job->failed, 1);
}

static void ignore_message(j_common_ptr jpeg, int level)
{
    (void)jpeg, (void)level;
}

static bool encode(jpeg_writing *job, const char *path, const penta_io_image *image, FILE *stream, penta_io_error *err)
{
    size_t channels = image->channels == 3 ? 3 : 1;

    if (setjmp(job->failed))
        return penta_io_fail(err, "%s: cannot be written as JPEG: %s", path, job->text);
    jpeg_create_compress(&job->jpeg);
    jpeg_stdio_dest(&job->jpeg, stream);
    job->jpeg.image_width = (JDIMENSION)image->width;
    job->jpeg.image_height = (JDIMENSION)image->height;
    job->jpeg.input_components = (int)channels;
    job->jpeg.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&job->jpeg);
    jpeg_set_quality(&job->jpeg, QUALITY, TRUE);
    job->jpeg.comp_info[0].h_samp_factor = job->jpeg.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&job->jpeg, TRUE);
    while (job->jpeg.next_scanline < job->jpeg.image_height) {
        JSAMPLE *row = (JSAMPLE *)image->data + (size_t)job->jpeg.next_scanline * image->width * channels;

        jpeg_write_scanlines(&job->jpeg, &row, 1);
    }
    jpeg_finish_compress(&job->jpeg);
    return true;
}

static bool jpeg_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta,
                       penta_io_error *err)
{
    jpeg_writing job = {.jpeg = {.err = NULL}};
    penta_io_output *output = NULL;
    bool ok;

    (void)meta;
    if (image->width > JPEG_MAX_DIMENSION || image->height > JPEG_MAX_DIMENSION)
        return penta_io_fail(err, "%s: %zu x %zu pixels are too many for a JPEG; write PNG", path, image->width,
                             image->height);
    if (!penta_io_output_open(path, &output, err))
        return false;
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.errors.error_exit = give_up_writing;
    job.errors.emit_message = ignore_message;
    ok = encode(&job, path, image, penta_io_output_stream(output), err);
    jpeg_destroy_compress(&job.jpeg);
    if (ok)
        return penta_io_output_commit(output, err);
    penta_io_output_abort(output);
    return false;
}

const io_image_format io_jpeg_format = {.ends = ends,
                                        .library = "libjpeg",
                                        .matches = jpeg_matches,
                                        .open = jpeg_open,
                                        .read = jpeg_read,
                                        .types = IO_BYTES,
                                        .write = jpeg_write};

#endif
