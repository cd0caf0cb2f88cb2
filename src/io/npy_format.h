/* The headers of NumPy .npy arrays, and byte orders. Internal to src/io. */
#pragma once

#include <pentacl/array.h>
#include <stddef.h>

#include <pentacl/io/array.h>
#include "io/input.h"

enum { IO_NPY_DIMENSIONS = 8, IO_NPY_HEADER_BYTES = 512 };

typedef struct {
    char descr[32]; /* NumPy's name of the type, such as <u2 */
    bool known;     /* this library has the type, and the three below are set */
    penta_type type;
    bool truth;   /* numpy.bool_: any nonzero byte is true */
    bool swapped; /* byte order differs from this machine's */
    bool fortran; /* the first index runs fastest */
    size_t dimensions;
    uint64_t shape[IO_NPY_DIMENSIONS];
    uint64_t data_at; /* byte offset of the array in the file */
} io_npy_header;

bool io_npy_matches(const unsigned char *head, size_t size);

/* Reads the header. Does not check whether the file holds the array. */
bool io_npy_read_header(const io_input *in, io_npy_header *out, penta_io_error *err);

/* Makes everything before a C-order array, padded with spaces to a multiple of 64 bytes. Returns its size. */
size_t io_npy_make_header(penta_type type, size_t ndim, const size_t *shape, unsigned char header[IO_NPY_HEADER_BYTES]);

/* ---- byte orders ---- */

bool io_host_is_little(void);
void io_swap_elements(void *elements, size_t count, size_t size);
