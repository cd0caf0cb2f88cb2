/* Copies of host memory by several threads, for one alone is slower than a transfer to a device. */
#include <string.h>

#include "core/internal.h"

static const size_t piece_bytes = (size_t)1 << 18, worth_it = (size_t)1 << 20;

typedef struct {
    char *to;
    const char *from;
    size_t to_stride, from_stride, bytes, rows;
    size_t rows_each;  /* of a piece; 0: a row is cut */
    size_t pieces_row; /* then: how many pieces it is */
} rows_copy;

static void copy_part(const rows_copy *c, size_t row, size_t first, size_t bytes)
{
    memcpy(c->to + row * c->to_stride + first, c->from + row * c->from_stride + first, bytes);
}

static void copy_piece(void *data, size_t piece)
{
    const rows_copy *c = data;
    size_t row = c->rows_each ? piece * c->rows_each : piece / c->pieces_row, first, left;

    for (size_t r = row; c->rows_each && r < row + c->rows_each && r < c->rows; r++)
        copy_part(c, r, 0, c->bytes);
    if (c->rows_each)
        return;
    first = piece % c->pieces_row * piece_bytes;
    left = c->bytes - first;
    copy_part(c, row, first, left < piece_bytes ? left : piece_bytes);
}

void penta_copy_rows(void *to, size_t to_stride, const void *from, size_t from_stride, size_t bytes, size_t rows)
{
    rows_copy c = {to, from, to_stride, from_stride, bytes, rows, 0, 0};

    if (bytes == 0 || rows == 0)
        return;
    c.rows_each = bytes > piece_bytes ? 0 : piece_bytes / bytes;
    c.pieces_row = (bytes + piece_bytes - 1) / piece_bytes;
    if (bytes * rows < worth_it) {
        for (size_t r = 0; r < rows; r++)
            copy_part(&c, r, 0, bytes);
        return;
    }
    penta_parallel(c.rows_each ? (rows + c.rows_each - 1) / c.rows_each : rows * c.pieces_row, copy_piece, &c);
}
