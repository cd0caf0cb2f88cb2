/*
 * Writing TIFF: one page of grey in strips, deflate after a predictor (differences of integers, or of the bytes of
 * floats), BigTIFF if 32-bit offsets might not suffice.
 */
#define _FILE_OFFSET_BITS 64

#include "io/format.h"
#include <pentacl/io/output.h>

#ifdef PENTA_HAVE_TIFF

#include "io/tiff_client.h"

#include <stdio.h>

#define STRIP_BYTES   ((size_t)1 << 18)
#define DEFLATE_LEVEL 1 /* half the time of level 6 on a noisy frame; the file is 3 % larger */

/* Most bytes of pixels with 32-bit offsets: leaves room for the worst case of deflate, the directory and the list of
 * strips. */
#define CLASSIC_BYTES ((uint64_t)4000 << 20)

/* ---- the stream for libtiff ---- */

static tmsize_t stream_read(thandle_t handle, void *to, tmsize_t size)
{
    (void)handle, (void)to, (void)size;
    return -1;
}

static tmsize_t stream_write(thandle_t handle, void *from, tmsize_t size)
{
    return size < 0 ? -1 : (tmsize_t)fwrite(from, 1, (size_t)size, (FILE *)handle);
}

static toff_t stream_seek(thandle_t handle, toff_t offset, int whence)
{
    if (fseeko((FILE *)handle, (off_t)offset, whence) != 0)
        return (toff_t)-1;
    return (toff_t)ftello((FILE *)handle);
}

static toff_t stream_size(thandle_t handle)
{
    off_t at = ftello((FILE *)handle);
    toff_t end = stream_seek(handle, 0, SEEK_END);

    stream_seek(handle, (toff_t)at, SEEK_SET);
    return end;
}

/* ---- the page ---- */

static void set_compression(TIFF *tif, penta_type type)
{
    bool is_float = type == PENTA_F32 || type == PENTA_F64;

    if (!TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE)) {
        TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
        return;
    }
    TIFFSetField(tif, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tif, TIFFTAG_PREDICTOR, is_float ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
    TIFFSetField(tif, TIFFTAG_ZIPQUALITY, DEFLATE_LEVEL);
}

static bool write_page(TIFF *tif, const penta_io_image *image)
{
    size_t size = penta_type_size(image->type);
    size_t row_bytes = image->width * size;
    size_t rows = row_bytes < STRIP_BYTES ? STRIP_BYTES / row_bytes : 1;
    bool is_float = image->type == PENTA_F32 || image->type == PENTA_F64;
    unsigned char *at = image->data;

    TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)image->width);
    TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)image->height);
    TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, (int)(8 * size));
    TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    TIFFSetField(tif, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tif, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, (uint32_t)rows);
    set_compression(tif, image->type);
    for (size_t y = 0, strip = 0; y < image->height; y += rows, strip++) {
        size_t n = image->height - y < rows ? image->height - y : rows;

        /* libtiff applies the predictor to a copy: the pixels are not changed */
        if (TIFFWriteEncodedStrip(tif, (uint32_t)strip, at, (tmsize_t)(n * row_bytes)) < 0)
            return false;
        at += n * row_bytes;
    }
    return TIFFWriteDirectory(tif) == 1;
}

static bool check_size(const char *path, const penta_io_image *image, penta_io_error *err)
{
    if (image->width <= INT32_MAX && image->height <= INT32_MAX)
        return true;
    return penta_io_fail(err, "%s: %zu x %zu pixels are too many for a TIFF; write .npy", path, image->width,
                         image->height);
}

bool io_tiff_write(const char *path, const penta_io_image *image, const penta_io_metadata *meta, penta_io_error *err)
{
    static const io_tiff_calls calls = {stream_read, stream_write, stream_seek, stream_size};
    uint64_t bytes = io_product(io_product(image->width, image->height), penta_type_size(image->type));
    penta_io_output *output = NULL;
    TIFF *tif = NULL;
    bool ok = false;

    (void)meta;
    if (!check_size(path, image, err) || !penta_io_output_open(path, &output, err))
        return false;
    if (fseeko(penta_io_output_stream(output), 0, SEEK_CUR) != 0) {
        penta_io_output_abort(output);
        return penta_io_fail(err, "%s: a TIFF cannot be written to a pipe; name a file", path);
    }
    io_tiff_hush();
    tif = io_tiff_client(path, bytes > CLASSIC_BYTES ? "w8" : "w", penta_io_output_stream(output), &calls, 0);
    if (tif) {
        ok = write_page(tif, image);
        TIFFClose(tif);
    }
    if (ok || ferror(penta_io_output_stream(output))) /* the stream's error explains more */
        return penta_io_output_commit(output, err);
    penta_io_fail(err, "%s: cannot be written as TIFF: %s", path,
                  *io_tiff_text()->error ? io_tiff_text()->error : "libtiff gives no reason");
    penta_io_output_abort(output);
    return false;
}

#endif
