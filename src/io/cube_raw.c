/* Cubes whose elements are contiguous: reads rows of a window and of some bands in as few pieces as possible. */
#include "io/cube_format.h"
#include "io/npy_format.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const penta_io_cube *cube;
    const io_cube_raw *raw;
    size_t size;    /* bytes of an element */
    size_t y, rows; /* first row and rows of this piece */
    unsigned char *out;
    unsigned char *scratch;
} raw_piece;

int io_cube_raw_layout(int order)
{
    return order == IO_ORDER_CRB ? PENTA_BIP : order == IO_ORDER_BCR || order == IO_ORDER_CBR ? PENTA_BSQ : order;
}

int io_cube_raw_order(const char *axes, bool first_is_fastest)
{
    static const char orders[][4] = {[IO_ORDER_BSQ] = "brc", [IO_ORDER_BIL] = "rbc", [IO_ORDER_BIP] = "rcb",
                                     [IO_ORDER_CRB] = "crb", [IO_ORDER_BCR] = "bcr", [IO_ORDER_CBR] = "cbr"};
    char slowest_first[4] = "";

    if (strlen(axes) != 3)
        return -1;
    for (int i = 0; i < 3; i++)
        slowest_first[i] = axes[first_is_fastest ? 2 - i : i];
    for (int order = 0; order < (int)(sizeof orders / sizeof *orders); order++)
        if (strcmp(orders[order], slowest_first) == 0)
            return order;
    return -1;
}

void io_cube_raw_shape(const char *axes, const uint64_t *extents, penta_io_cube_info *out)
{
    for (int i = 0; i < 3; i++)
        *(axes[i] == 'b' ? &out->bands : axes[i] == 'r' ? &out->rows : &out->cols) = (size_t)extents[i];
}

/* Reads `count` elements from this index on. */
static bool fetch(const raw_piece *p, uint64_t index, void *to, size_t count)
{
    if (p->raw->in)
        return io_input_read(p->raw->in, p->raw->at + index * p->size, to, count * p->size);
    memcpy(to, p->raw->memory + index * p->size, count * p->size);
    return true;
}

/* Copies n elements, every from_step'th, to contiguous ones. */
static void gather(unsigned char *to, const unsigned char *from, size_t from_step, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++, to += size, from += from_step * size)
        switch (size) { /* a copy of known size is one instruction */
        case 1:
            *to = *from;
            break;
        case 2:
            memcpy(to, from, 2);
            break;
        case 4:
            memcpy(to, from, 4);
            break;
        default:
            memcpy(to, from, 8);
        }
}

/* Copies the selected bands of a pixel. */
static void pick_bands(const raw_piece *p, unsigned char *to, const unsigned char *pixel)
{
    const penta_io_cube *c = p->cube;

    if (c->all_bands)
        memcpy(to, pixel, c->about.bands * p->size);
    else
        for (size_t i = 0; i < c->about.bands; i++)
            gather(to + i * p->size, pixel + c->bands[i] * p->size, 1, 1, p->size);
}

static bool read_bsq(const raw_piece *p)
{
    const penta_io_cube *c = p->cube;
    const penta_io_cube_info *w = &c->whole;
    size_t width = c->about.cols;
    unsigned char *to = p->out;

    for (size_t k = 0; k < c->about.bands; k++) {
        uint64_t at = ((uint64_t)c->bands[k] * w->rows + p->y) * w->cols + c->x;
        size_t runs = width == w->cols ? 1 : p->rows; /* whole rows are contiguous */

        for (size_t r = 0; r < runs; r++, at += w->cols, to += p->rows / runs * width * p->size)
            if (!fetch(p, at, to, p->rows / runs * width))
                return false;
    }
    return true;
}

static bool read_bil(const raw_piece *p)
{
    const penta_io_cube *c = p->cube;
    const penta_io_cube_info *w = &c->whole;
    unsigned char *to = p->out;

    if (c->all_bands && c->about.cols == w->cols)
        return fetch(p, (uint64_t)p->y * w->bands * w->cols, to, p->rows * w->bands * w->cols);
    for (size_t r = 0; r < p->rows; r++)
        for (size_t k = 0; k < c->about.bands; k++, to += c->about.cols * p->size)
            if (!fetch(p, ((uint64_t)(p->y + r) * w->bands + c->bands[k]) * w->cols + c->x, to, c->about.cols))
                return false;
    return true;
}

static bool read_bip(const raw_piece *p)
{
    const penta_io_cube *c = p->cube;
    const penta_io_cube_info *w = &c->whole;
    size_t width = c->about.cols;
    size_t row_bytes = width * c->about.bands * p->size;

    if (c->all_bands && width == w->cols)
        return fetch(p, (uint64_t)p->y * w->cols * w->bands, p->out, p->rows * width * w->bands);
    for (size_t r = 0; r < p->rows; r++) {
        uint64_t at = ((uint64_t)(p->y + r) * w->cols + c->x) * w->bands;
        unsigned char *row = p->out + r * row_bytes;

        if (!fetch(p, at, c->all_bands ? row : p->scratch, width * w->bands))
            return false;
        for (size_t col = 0; !c->all_bands && col < width; col++)
            pick_bands(p, row + col * c->about.bands * p->size, p->scratch + col * w->bands * p->size);
    }
    return true;
}

static bool read_crb(const raw_piece *p)
{
    const penta_io_cube *c = p->cube;
    const penta_io_cube_info *w = &c->whole;
    size_t pixel_bytes = c->about.bands * p->size;

    for (size_t col = 0; col < c->about.cols; col++) {
        if (!fetch(p, ((uint64_t)(c->x + col) * w->rows + p->y) * w->bands, p->scratch, p->rows * w->bands))
            return false;
        for (size_t r = 0; r < p->rows; r++)
            pick_bands(p, p->out + (r * c->about.cols + col) * pixel_bytes, p->scratch + r * w->bands * p->size);
    }
    return true;
}

/* Rows run fastest: element (band, row, col) at band * band_step + col * col_step + row. */
static bool read_columns(const raw_piece *p, uint64_t band_step, uint64_t col_step)
{
    const penta_io_cube *c = p->cube;
    size_t width = c->about.cols, size = p->size;
    unsigned char *to = p->out;

    for (size_t k = 0; k < c->about.bands; k++, to += p->rows * width * size) {
        uint64_t at = c->bands[k] * band_step + c->x * col_step + p->y;

        if (!p->raw->in) {
            for (size_t r = 0; r < p->rows; r++)
                gather(to + r * width * size, p->raw->memory + (at + r) * size, col_step, width, size);
            continue;
        }
        for (size_t col = 0; col < width; col++) {
            if (!fetch(p, at + col * col_step, p->scratch, p->rows))
                return false;
            for (size_t r = 0; r < p->rows; r++)
                gather(to + (r * width + col) * size, p->scratch + r * size, 1, 1, size);
        }
    }
    return true;
}

static bool read_bcr(const raw_piece *p)
{
    const penta_io_cube_info *w = &p->cube->whole;

    return read_columns(p, (uint64_t)w->cols * w->rows, w->rows);
}

static bool read_cbr(const raw_piece *p)
{
    const penta_io_cube_info *w = &p->cube->whole;

    return read_columns(p, w->rows, (uint64_t)w->bands * w->rows);
}

bool io_cube_raw_read(const penta_io_cube *cube, const io_cube_raw *raw, size_t y, size_t count, void *out,
                      penta_io_error *err)
{
    static bool (*const read[])(const raw_piece *) = {
        [IO_ORDER_BSQ] = read_bsq, [IO_ORDER_BIL] = read_bil, [IO_ORDER_BIP] = read_bip,
        [IO_ORDER_CRB] = read_crb, [IO_ORDER_BCR] = read_bcr, [IO_ORDER_CBR] = read_cbr};
    raw_piece p = {.cube = cube, .raw = raw, .size = penta_type_size(cube->whole.type), .y = y, .rows = count};
    size_t pixels = raw->order == IO_ORDER_BIP                                 ? cube->about.cols
                    : raw->order == IO_ORDER_BSQ || raw->order == IO_ORDER_BIL ? 0
                                                                               : count;
    bool ok;

    p.out = out;
    if (pixels > 0) {
        p.scratch = malloc(pixels * cube->whole.bands * p.size); /* less memory than the file's size */
        if (!p.scratch)
            return penta_io_fail(err, "%s: out of memory for %zu pixels of %zu bands", cube->path, pixels,
                                 cube->whole.bands);
    }
    ok = read[raw->order](&p);
    free(p.scratch);
    if (!ok)
        return penta_io_fail(err, "%s: rows %zu to %zu (from 0) cannot be read; the file shrank, or the disk fails",
                             cube->path, y, y + count - 1);
    if (raw->swapped)
        io_swap_elements(out, count * cube->about.cols * cube->about.bands, p.size);
    return true;
}
