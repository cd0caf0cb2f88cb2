#include "figures/apng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TRUECOLOUR = 2, PALETTE = 3, LEVEL = 6 };

/* ---- chunks ---- */

static void put_u32(uint8_t *at, size_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* head: bytes before the data, or NULL. */
static void put_chunk(FILE *out, const char *name, const uint8_t *head, size_t head_size, const uint8_t *data,
                      size_t size)
{
    uLong crc = crc32(0, (const Bytef *)name, 4);
    uint8_t number[4];

    if (head_size > 0)
        crc = crc32(crc, head, (uInt)head_size);
    if (size > 0)
        crc = crc32(crc, data, (uInt)size);
    put_u32(number, head_size + size);
    fwrite(number, 1, 4, out);
    fwrite(name, 1, 4, out);
    if (head_size > 0)
        fwrite(head, 1, head_size, out);
    if (size > 0)
        fwrite(data, 1, size, out);
    put_u32(number, crc);
    fwrite(number, 1, 4, out);
}

static void put_header(FILE *out, size_t width, size_t height, int colours)
{
    uint8_t header[13] = {0};

    fwrite("\x89PNG\r\n\x1a\n", 1, 8, out);
    put_u32(header, width);
    put_u32(header + 4, height);
    header[8] = 8;
    header[9] = (uint8_t)colours;
    put_chunk(out, "IHDR", header, sizeof header, NULL, 0);
}

/* Deflates rows, each behind the filter byte `none`; the caller frees the result. NULL when out of memory. */
static uint8_t *deflate_rows(const uint8_t *rows, size_t row_bytes, size_t height, size_t *size)
{
    size_t n = (row_bytes + 1) * height;
    uLongf packed = compressBound(n);
    uint8_t *plain = malloc(n), *out = malloc(packed);

    for (size_t y = 0; plain && y < height; y++) {
        plain[y * (row_bytes + 1)] = 0;
        memcpy(plain + y * (row_bytes + 1) + 1, rows + y * row_bytes, row_bytes);
    }
    if (!plain || !out || compress2(out, &packed, plain, n, LEVEL) != Z_OK) {
        free(out);
        out = NULL;
    }
    free(plain);
    *size = packed;
    return out;
}

/* ---- in memory ---- */

uint8_t *png_bytes(size_t width, size_t height, const uint8_t *rgb, size_t *size)
{
    size_t packed = 0;
    uint8_t *data = deflate_rows(rgb, 3 * width, height, &packed);
    char *bytes = NULL;
    FILE *out = data ? open_memstream(&bytes, size) : NULL;

    if (out) {
        put_header(out, width, height, TRUECOLOUR);
        put_chunk(out, "IDAT", NULL, 0, data, packed);
        put_chunk(out, "IEND", NULL, 0, NULL, 0);
        if (ferror(out) | fclose(out)) {
            free(bytes);
            bytes = NULL;
        }
    }
    free(data);
    return (uint8_t *)bytes;
}

/* ---- animated ---- */

apng apng_begin(FILE *out, size_t width, size_t height, const uint8_t palette[768], size_t frames, unsigned delay)
{
    uint8_t control[8] = {0}; /* 0 times: for ever */

    put_header(out, width, height, PALETTE);
    put_u32(control, frames);
    put_chunk(out, "acTL", control, sizeof control, NULL, 0);
    put_chunk(out, "PLTE", palette, 768, NULL, 0);
    return (apng){.out = out, .width = width, .height = height, .delay = delay};
}

/* The frame covers the whole picture, which stays as it is afterwards. */
static void put_control(apng *file)
{
    uint8_t control[26] = {0};

    put_u32(control, file->sequence++);
    put_u32(control + 4, file->width);
    put_u32(control + 8, file->height);
    control[20] = (uint8_t)(file->delay >> 8);
    control[21] = (uint8_t)file->delay;
    control[22] = 1000 >> 8;
    control[23] = 1000 & 0xff;
    put_chunk(file->out, "fcTL", control, sizeof control, NULL, 0);
}

uint8_t *apng_pack(size_t width, size_t height, const uint8_t *pixels, size_t *size)
{
    return deflate_rows(pixels, width, height, size);
}

void apng_add(apng *file, const uint8_t *packed, size_t size)
{
    uint8_t number[4];

    put_control(file);
    if (file->frame++ == 0) {
        put_chunk(file->out, "IDAT", NULL, 0, packed, size);
    } else {
        put_u32(number, file->sequence++);
        put_chunk(file->out, "fdAT", number, sizeof number, packed, size);
    }
}

void apng_end(apng *file)
{
    put_chunk(file->out, "IEND", NULL, 0, NULL, 0);
}
