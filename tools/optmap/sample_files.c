/*
 * Files of a sample: arrays as NPY, the movie as TIFF.
 *
 * A TIFF of many pages, little-endian, not compressed: the pixels of all frames one behind the other, as ImageJ wants
 * stacks, then the directories of the pages.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/array.h>

#include "optmap/sample_movie.h"

enum { HEADER = 8, TAGS = 11, DIRECTORY = 2 + 12 * TAGS + 4, TEXT = 128, SHORT = 3, LONG = 4, ASCII = 2 };

typedef struct {
    const optmap_sample_flags *flags;
    const uint16_t *counts;
} stack;

static void put(FILE *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 0xff), out);
}

static void put_tag(FILE *out, int tag, int type, uint64_t count, uint64_t value)
{
    put(out, (uint64_t)tag, 2);
    put(out, (uint64_t)type, 2);
    put(out, count, 4);
    put(out, value, 4);
}

static void put_directory(const optmap_sample_flags *f, FILE *out, uint64_t page, uint64_t page_bytes, uint64_t text_at)
{
    uint64_t next = page + 1 < (uint64_t)f->frames ? text_at + TEXT + (page + 1) * DIRECTORY : 0;

    put(out, TAGS, 2);
    put_tag(out, 256, LONG, 1, (uint64_t)f->width);
    put_tag(out, 257, LONG, 1, (uint64_t)f->height);
    put_tag(out, 258, SHORT, 1, 16);
    put_tag(out, 259, SHORT, 1, 1); /* no compression */
    put_tag(out, 262, SHORT, 1, 1); /* 0 is black */
    put_tag(out, 270, ASCII, TEXT, text_at);
    put_tag(out, 273, LONG, 1, HEADER + page * page_bytes);
    put_tag(out, 277, SHORT, 1, 1);
    put_tag(out, 278, LONG, 1, (uint64_t)f->height);
    put_tag(out, 279, LONG, 1, page_bytes);
    put_tag(out, 339, SHORT, 1, 1); /* unsigned */
    put(out, next, 4);
}

static void put_stack(const void *data, FILE *out)
{
    const stack *s = data;
    const optmap_sample_flags *f = s->flags;
    uint64_t pixels = (uint64_t)f->width * (uint64_t)f->height, frames = (uint64_t)f->frames;
    uint64_t text_at = HEADER + 2 * pixels * frames;
    char text[TEXT] = "";

    snprintf(text, sizeof text, "ImageJ=1.54f\nimages=%d\nframes=%d\nfinterval=%.17g\n", f->frames, f->frames,
             1 / f->rate);
    put(out, 0x002a4949, 4);
    put(out, text_at + TEXT, 4);
    for (uint64_t i = 0; i < pixels * frames; i++)
        put(out, s->counts[i], 2);
    fwrite(text, 1, sizeof text, out);
    for (uint64_t page = 0; page < frames; page++)
        put_directory(f, out, page, 2 * pixels, text_at);
}

bool optmap_sample_tiff(const optmap_sample_flags *f, const uint16_t *counts, penta_io_error *err)
{
    return sample_write(&f->common, "movie", ".tif", put_stack, &(stack){f, counts}, err);
}

bool optmap_sample_npy(const optmap_sample_flags *f, const char *name, penta_type type, size_t first, const void *data,
                       penta_io_error *err)
{
    const size_t shape[3] = {first, (size_t)f->height, (size_t)f->width};
    char *path = sample_path(&f->common, name, ".npy", err);
    bool ok = path && penta_io_npy_write(path, type, first ? 3 : 2, first ? shape : shape + 1, data, err);

    free(path);
    return ok;
}
