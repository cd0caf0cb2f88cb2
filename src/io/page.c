/* Shared by the formats of images: a page of a file as an image in memory. */
#include <pentacl/numbers.h>
#include "io/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

double penta_io_image_value(const penta_io_image *image, size_t i)
{
    switch (image->type) {
    case PENTA_U8:
        return ((const uint8_t *)image->data)[i];
    case PENTA_U16:
        return ((const uint16_t *)image->data)[i];
    case PENTA_F32:
        return (double)((const float *)image->data)[i];
    default:
        return ((const double *)image->data)[i];
    }
}

/* ---- types that images do not have ---- */

bool io_wider_type(char kind, unsigned bits, penta_type *out)
{
    *out = bits == 32 ? PENTA_F64 : PENTA_F32;
    return (kind == 'i' && (bits == 8 || bits == 16 || bits == 32)) || (kind == 'u' && bits == 32) ||
           (kind == 'f' && bits == 16);
}

/* IEEE 754 binary16: a sign, 5 bits of exponent with a bias of 15, 10 bits of fraction. */
static float float_of_half(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent > 0 ? ldexpf((float)(1024 + fraction), exponent - 25)
                                : ldexpf((float)fraction, -24);

    return half >> 15 ? -size : size;
}

void io_widen(char kind, unsigned bits, const void *from, size_t count, void *to)
{
    float *f = to;
    double *d = to;

    for (size_t i = 0; i < count; i++)
        if (kind == 'f')
            f[i] = float_of_half(((const uint16_t *)from)[i]);
        else if (kind == 'u')
            d[i] = ((const uint32_t *)from)[i];
        else if (bits == 32)
            d[i] = ((const int32_t *)from)[i];
        else
            f[i] = bits == 8 ? (float)((const int8_t *)from)[i] : (float)((const int16_t *)from)[i];
}

void penta_io_image_free(penta_io_image *image)
{
    free(image->data);
    *image = (penta_io_image){0};
}

bool io_page_fail(const penta_io_reader *reader, size_t page, penta_io_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    if (penta_vsnprintf(text, sizeof text, format, args) < 0)
        *text = 0;
    va_end(args);
    if (reader->pages > 1)
        return penta_io_fail(err, "%s: page %zu of %zu: %s", reader->input.path, page + 1, reader->pages, text);
    return penta_io_fail(err, "%s: %s", reader->input.path, text);
}

uint64_t io_product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

bool io_page_plausible(const penta_io_reader *reader, size_t page, uint64_t bytes, uint64_t inflation,
                       penta_io_error *err)
{
    if (bytes > io_product(reader->input.bytes, inflation))
        return io_page_fail(reader, page, err,
                            "its header claims an image of %s%" PRIu64 " bytes, more than a file of %" PRIu64
                            " bytes can hold; the file is truncated or damaged: copy or export it again",
                            bytes == UINT64_MAX ? "over " : "", bytes, reader->input.bytes);
    if (inflation > 1 && bytes > IO_MAX_PAGE_BYTES)
        return io_page_fail(reader, page, err,
                            "the image would take %" PRIu64 " bytes, over the limit of %" PRIu64
                            " for compressed files; crop it or save it uncompressed",
                            bytes, IO_MAX_PAGE_BYTES);
    return true;
}

bool io_page_alloc_channels(const penta_io_reader *reader, size_t page, uint64_t width, uint64_t height,
                            size_t channels, penta_type type, penta_io_image *out, penta_io_error *err)
{
    uint64_t bytes = io_product(io_product(width, height), channels * penta_type_size(type));

    if (width == 0 || height == 0)
        return io_page_fail(reader, page, err,
                            "the image is empty (%" PRIu64 " x %" PRIu64 " pixels); copy or export it again", width,
                            height);
    out->data = bytes <= SIZE_MAX / 2 ? malloc((size_t)bytes) : NULL;
    if (!out->data)
        return io_page_fail(reader, page, err,
                            "out of memory for %" PRIu64 " x %" PRIu64 " pixels of %s; crop the image or free memory",
                            width, height, penta_type_name(type));
    out->width = (size_t)width;
    out->height = (size_t)height;
    out->type = type;
    out->channels = channels;
    return true;
}

bool io_page_alloc(const penta_io_reader *reader, size_t page, uint64_t width, uint64_t height, penta_type type,
                   penta_io_image *out, penta_io_error *err)
{
    return io_page_alloc_channels(reader, page, width, height, 1, type, out, err);
}
