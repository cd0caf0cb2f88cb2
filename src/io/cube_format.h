/* What one format of cubes is to reading, and what the formats share. Internal to src/io. */
#ifndef PENTA_IO_CUBE_FORMAT_H
#define PENTA_IO_CUBE_FORMAT_H

#include <pentacl/io/cube.h>
#include "io/input.h"
#include <pentacl/io/output.h>

typedef struct {
    bool (*matches)(const unsigned char *head, size_t size);
    /* Sets whole and state; closed by `close` on failure too. */
    bool (*open)(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err);
    /* Rows y .. y + count - 1 of the file, of what is selected; they are there, and count is not 0. */
    bool (*read)(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err);
    void (*close)(penta_io_cube *cube);
    /* Whether the path leads to a file that belongs to the cube, apart from the input; NULL: there is only that. */
    bool (*has_file)(const penta_io_cube *cube, const char *path);
    /* As penta_io_cube_valid, rows as `read` has them; NULL: no file of this format has masks. */
    bool (*valid)(const penta_io_cube *cube, size_t y, size_t count, bool no_data, uint8_t *out, penta_io_error *err);
    bool has_axes;   /* hints.axes says what the three indices are */
    bool has_arrays; /* hints.variable, rows and cols say which array is the cube, and its shape */
} io_cube_format;

struct penta_io_cube {
    const io_cube_format *format;
    char *path;               /* as the caller named it, for messages */
    io_input input;           /* ENVI: the data, whichever of the two files was named */
    penta_io_cube_info whole; /* as the file has it */
    penta_io_cube_info about; /* as it is selected */
    size_t *bands;            /* about.bands of the whole's bands */
    bool all_bands;           /* they are the file's, in its order */
    size_t x, y;              /* upper left corner of the window */
    void *state;              /* the format's own */
};

/* Whether a cube can have elements of this type. */
bool io_cube_is_type(penta_type type);

/* ---- elements that lie one after another, in a file or in memory (cube_raw.c) ---- */

enum io_cube_order {
    IO_ORDER_BSQ = PENTA_BSQ,
    IO_ORDER_BIL = PENTA_BIL,
    IO_ORDER_BIP = PENTA_BIP,
    IO_ORDER_CRB, /* cols x rows x bands: Fortran's bands x rows x cols, MATLAB's bands x pixels */
    IO_ORDER_BCR, /* bands x cols x rows: MATLAB's rows x cols x bands */
    IO_ORDER_CBR  /* cols x bands x rows */
};

typedef struct {
    const io_input *in;          /* NULL: in memory */
    const unsigned char *memory; /* when not in a file */
    uint64_t at;                 /* byte of the first element in the file */
    int order;                   /* enum io_cube_order */
    bool swapped;                /* the other byte order than this machine's */
} io_cube_raw;

/* The layout that io_cube_raw_read gives of this order: BSQ, BIL, BIP stay; CRB becomes BIP, BCR and CBR BSQ. */
int io_cube_raw_layout(int order);
/* The order in memory of an array whose first, second and third index are these axes ("brc": bands, rows, columns), the
 * last one running fastest, or, as Fortran has it, the first one; -1: these are not the three. */
int io_cube_raw_order(const char *axes, bool first_is_fastest);
/* The extents of such an array as bands, rows and cols of *out. */
void io_cube_raw_shape(const char *axes, const uint64_t *extents, penta_io_cube_info *out);
/* As io_cube_format.read. Whether the file holds the cube has been asked. */
bool io_cube_raw_read(const penta_io_cube *cube, const io_cube_raw *raw, size_t y, size_t count, void *out,
                      penta_io_error *err);

/* Bytes of the whole cube; UINT64_MAX where no memory can address them. */
uint64_t io_cube_bytes(const penta_io_cube_info *whole);

/* ---- writing ---- */

typedef struct {
    /* Sets state; abandoned by `abandon` on failure too. */
    bool (*create)(penta_io_cube_writer *writer, const penta_io_cube *like, penta_io_error *err);
    bool (*write)(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                  penta_io_error *err);
    /* All rows are written. Leaves for `abandon` what is to be freed or removed. */
    bool (*finish)(penta_io_cube_writer *writer, penta_io_error *err);
    void (*abandon)(penta_io_cube_writer *writer);
} io_cube_output;

struct penta_io_cube_writer {
    const io_cube_output *output;
    int format;
    char *path;
    penta_io_cube_info about; /* wavelengths and names only for `create` */
    uint64_t rows;            /* written so far */
    void *state;
};

extern const io_cube_output io_cube_npy_output, io_cube_gdal_output;

#endif
