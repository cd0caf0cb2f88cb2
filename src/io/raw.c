/*
 * Camera raw through LibRaw: linear 16-bit levels, 65535 where the sensor saturates, so that grey levels are light.
 * There is no white balance, gamma, brightening or colour conversion; missing colours of the mosaic are means of
 * neighbours, which treats all pixels and frames alike. The image is not rotated by the camera's orientation, so the
 * frames of a series stay on the same pixels.
 */
#include <string.h>
#include <strings.h>

#include "io/format.h"

typedef struct magic {
    size_t at;
    const char *bytes;
    size_t size;
} magic;

/* CR3, RAF, ORF (two of them), RW2, CR2. */
static const magic magics[] = {
    {4, "ftypcrx", 7}, {0, "FUJIFILMCCD-RAW", 15}, {0, "IIRO", 4}, {0, "IIRS", 4}, {0, "MMOR", 4}, {0, "IIU\0", 4},
    {8, "CR", 2}};

static bool raw_matches(const unsigned char *head, size_t size)
{
    bool tiff = size >= 4 && (memcmp(head, "II*\0", 4) == 0 || memcmp(head, "MM\0*", 4) == 0);

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].at + magics[i].size &&
            memcmp(head + magics[i].at, magics[i].bytes, magics[i].size) == 0 && (magics[i].at != 8 || tiff))
            return true;
    return false;
}

/* Recognises camera raw TIFFs, which only the file name identifies. */
static bool raw_also(const char *end, const unsigned char *head, size_t size)
{
    static const char *const tiffs[] = {"nef", "dng", "arw", "pef", "srw"};

    for (size_t i = 0; end && i < sizeof tiffs / sizeof *tiffs; i++)
        if (strcasecmp(end, tiffs[i]) == 0)
            return io_tiff_format.matches(head, size);
    return false;
}

static const char *const ends[] = {"nef", "dng", "arw", "pef", "srw", "cr2", "cr3", "raf", "orf", "rw2", NULL};

#ifndef PENTA_HAVE_RAW

const io_image_format io_raw_format = {.ends = ends,
                                       .library = "LibRaw",
                                       .missing = "libraw-dev",
                                       .matches = raw_matches,
                                       .also = raw_also,
                                       .types = IO_NO_TYPES};

#else

#include <libraw.h>
#include <stdlib.h>

typedef struct raw_job {
    const penta_io_reader *reader;
    penta_io_error *err;
    unsigned char *file; /* the whole file, because LibRaw reads it in random order */
    libraw_data_t *raw;
    bool damaged;
} raw_job;

static bool raw_open(penta_io_reader *reader, penta_io_error *err)
{
    (void)err;
    reader->pages = 1;
    return true;
}

#if LIBRAW_COMPILE_CHECK_VERSION_NOTLESS(0, 21)
typedef INT64 raw_offset;
#else
typedef int raw_offset;
#endif

static void note_damage(void *context, const char *file, const raw_offset offset)
{
    raw_job *job = context;

    (void)file, (void)offset;
    job->damaged = true;
}

static bool raw_fail(const raw_job *job, const char *what, int code)
{
    if (code == LIBRAW_UNSUFFICIENT_MEMORY)
        return io_page_fail(job->reader, 0, job->err, "out of memory for the raw image; free some memory");
    if (code == LIBRAW_FILE_UNSUPPORTED)
        return io_page_fail(job->reader, 0, job->err,
                            "LibRaw %s knows no camera raw like this; convert it to DNG, or to 16-bit TIFF",
                            libraw_version());
    return io_page_fail(job->reader, 0, job->err, "%s: %s; the file is truncated or damaged: copy it again", what,
                        libraw_strerror(code));
}

static bool read_whole_file(raw_job *job)
{
    const io_input *in = &job->reader->input;

    job->file = in->bytes <= SIZE_MAX / 2 ? malloc((size_t)in->bytes) : NULL;
    if (!job->file)
        return io_page_fail(job->reader, 0, job->err, "out of memory for the file; free some memory");
    return io_input_read(in, 0, job->file, (size_t)in->bytes) ||
           io_page_fail(job->reader, 0, job->err, "cannot be read; the file shrank or the disk fails");
}

static void set_parameters(libraw_data_t *raw)
{
    libraw_output_params_t *p = &raw->params;

    p->output_bps = 16;
    p->output_color = 0; /* the sensor's own colours */
    p->gamm[0] = p->gamm[1] = 1;
    p->no_auto_bright = 1;
    p->adjust_maximum_thr = 0; /* otherwise white would be the brightest pixel of each frame */
    p->use_camera_wb = 0;
    p->use_auto_wb = 0;
    for (int c = 0; c < 4; c++)
        p->user_mul[c] = 1;
    p->user_flip = 0;
    p->user_qual = 0; /* interpolate by means of neighbours */
}

/* Checks the header's sizes against the file, assuming at least one byte per packed pixel; LibRaw expands it to 8. */
static bool begin(raw_job *job)
{
    int code;

    libraw_set_dataerror_handler(job->raw, note_damage, job);
    set_parameters(job->raw);
    code = libraw_open_buffer(job->raw, job->file, (size_t)job->reader->input.bytes);
    if (code != LIBRAW_SUCCESS)
        return raw_fail(job, "this raw file cannot be opened", code);
    if (job->raw->idata.colors != 1 && job->raw->idata.colors != 3)
        return io_page_fail(job->reader, 0, job->err, "a raw image of %d colours is not supported; convert it to TIFF",
                            job->raw->idata.colors);
    return io_page_plausible(job->reader, 0, io_product(job->raw->sizes.raw_width, job->raw->sizes.raw_height),
                             IO_DEFLATE_INFLATION, job->err);
}

static bool store(const raw_job *job, const libraw_processed_image_t *from, penta_io_image *out)
{
    size_t pixels = (size_t)from->width * from->height;
    const uint16_t *v = (const uint16_t *)(const void *)from->data;
    size_t channels = from->colors == 3 && job->reader->colour ? 3 : 1;

    if (from->type != LIBRAW_IMAGE_BITMAP || from->bits != 16 || (from->colors != 1 && from->colors != 3))
        return io_page_fail(job->reader, 0, job->err, "LibRaw gives pixels of %d x %d bits, not 1 or 3 x 16",
                            from->colors, from->bits);
    if (!io_page_alloc_channels(job->reader, 0, from->width, from->height, channels, PENTA_U16, out, job->err))
        return false;
    if (channels == from->colors)
        memcpy(out->data, v, pixels * channels * sizeof *v);
    else
        for (size_t i = 0; i < pixels; i++)
            ((uint16_t *)out->data)[i] = (uint16_t)io_luminance(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    return true;
}

static bool decode(raw_job *job, penta_io_image *out)
{
    libraw_processed_image_t *image;
    int code = libraw_unpack(job->raw);
    bool ok;

    if (code == LIBRAW_SUCCESS && !job->damaged)
        code = libraw_dcraw_process(job->raw);
    if (code != LIBRAW_SUCCESS || job->damaged)
        return raw_fail(job, "the pixels cannot be decoded", code != LIBRAW_SUCCESS ? code : LIBRAW_IO_ERROR);
    image = libraw_dcraw_make_mem_image(job->raw, &code);
    if (!image)
        return raw_fail(job, "the pixels cannot be decoded", code);
    ok = store(job, image, out);
    libraw_dcraw_clear_mem(image);
    return ok;
}

static bool raw_read(penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err)
{
    raw_job job = {.reader = reader, .err = err};
    bool ok = read_whole_file(&job);

    (void)page;
    if (ok) {
        job.raw = libraw_init(LIBRAW_OPTIONS_NONE);
        ok = job.raw ? begin(&job) && decode(&job, out)
                     : io_page_fail(reader, 0, err, "out of memory for LibRaw; free some memory");
    }
    if (job.raw)
        libraw_close(job.raw);
    free(job.file);
    return ok;
}

const io_image_format io_raw_format = {
    .ends = ends, .library = "LibRaw", .matches = raw_matches, .also = raw_also, .open = raw_open, .read = raw_read};

#endif
