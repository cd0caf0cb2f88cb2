/* NumPy .npy arrays: their header, and writing. io/image.h and io/cube.h read them. */
#ifndef PENTACL_IO_NPY_H
#define PENTACL_IO_NPY_H

#include <pentacl/array.h>
#include <stddef.h>

#include <pentacl/io/error.h>
#include <pentacl/io/input.h>

enum { PENTA_IO_NPY_DIMENSIONS = 8, PENTA_IO_NPY_HEADER_BYTES = 512 };

/* Writes a C-order array of ndim <= 8 dimensions, little-endian, format 1.0, whole or not at all. */
bool penta_io_npy_write(const char *path, penta_type type, size_t ndim, const size_t *shape, const void *data,
                        penta_io_error *err);

typedef struct {
    char descr[32]; /* the type as NumPy calls it, such as <u2 */
    bool known;     /* the three below are set: the type is one of this library */
    penta_type type;
    bool truth;   /* numpy.bool_: any nonzero byte is true */
    bool swapped; /* the other byte order than this machine's */
    bool fortran; /* first index fastest */
    size_t dimensions;
    uint64_t shape[PENTA_IO_NPY_DIMENSIONS];
    uint64_t data_at; /* byte offset of the array in the file */
} penta_io_npy_header;

bool penta_io_npy_matches(const unsigned char *head, size_t size);

/* Does not look whether the file holds what the header says. */
bool penta_io_npy_read_header(const penta_io_input *in, penta_io_npy_header *out, penta_io_error *err);

/* Everything before a C-order array, padded with spaces so that it starts at a multiple of 64 bytes. Returns its size.
 */
size_t penta_io_npy_make_header(penta_type type, size_t ndim, const size_t *shape,
                                unsigned char header[PENTA_IO_NPY_HEADER_BYTES]);

/* ---- byte orders ---- */

bool penta_io_host_is_little(void);
void penta_io_swap_elements(void *elements, size_t count, size_t size);

#endif
