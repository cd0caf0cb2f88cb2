/* The interface of one format of cubes, and what the formats share. Internal to src/io. */
#pragma once

#include <pentacl/io/cube.h>
#include "io/formats.h"
#include "io/input.h"
#include "io/parts.h"
#include "io/shared_file.h"
#include <pentacl/io/output.h>

typedef struct {
    bool (*at)(size_t i, penta_io_format *out); /* format i of those that it reads; false: there are fewer */
    bool (*matches)(const unsigned char *head, size_t size);
    /* Sets whole and state; `close` is called even after a failure. */
    bool (*open)(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err);
    /* Reads the selected part of rows y .. y + count - 1 of the file; the rows exist, and count is not 0. */
    bool (*read)(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err);
    void (*close)(penta_io_cube *cube); /* this and read may be NULL where this build cannot open it */
    /* Whether the path is a file of the cube other than the input; NULL: there is only the input. */
    bool (*has_file)(const penta_io_cube *cube, const char *path);
    /* Like penta_io_cube_valid, with rows as in `read`; NULL: no file of this format has masks. */
    bool (*valid)(const penta_io_cube *cube, size_t y, size_t count, bool no_data, uint8_t *out, penta_io_error *err);
    bool has_axes;    /* `open` uses hints.axes; otherwise they are taken to be those of bands, rows and cols */
    bool has_drivers; /* further drivers may be named */
    bool has_arrays;  /* hints.variable says which array is the cube */
    bool has_shapes;  /* hints.rows and cols say its shape */
} io_cube_format;

/* Types of elements that are read as others (cube_stored.c). */
enum io_cube_stored { IO_STORED_SAME = 0, IO_STORED_I8, IO_STORED_F16, IO_STORED_I64, IO_STORED_U64 };

struct penta_io_cube {
    const io_cube_format *format;
    char *path;          /* as given by the caller, for messages */
    const char *drivers; /* during open: further drivers for GDAL; NULL: none */
    bool unknown;        /* io_cube_unknown, and why */
    char reason[160];
    char others[128];
    int stored;               /* enum io_cube_stored; formats open and read cubes of its raw type */
    bool any_integer;         /* 64-bit integers may be rounded: only 0 counts */
    char axes[4];             /* what bands, rows and cols of `base` are; "": those of the cube */
    penta_io_cube_info base;  /* as the format reads it, where there are axes; without facts about bands */
    char note[320];           /* whole.note, or "" */
    io_input input;           /* ENVI: the data, whichever of the two files was named */
    penta_io_cube_info whole; /* the whole file */
    penta_io_cube_info about; /* the selection */
    size_t *bands;            /* about.bands indices of the file's bands */
    bool all_bands;           /* all bands of the file, in its order */
    size_t x, y;              /* upper left corner of the window */
    void *state;              /* state of the format */
};

/* Fails because no format knows the file. reason: GDAL's, or ""; drivers: GDAL's drivers that might read it if named,
 * or "". cube.c adds which formats can be read. */
bool io_cube_unknown(penta_io_cube *cube, const char *reason, const char *drivers, penta_io_error *err);

/* The type of the library with the size of such elements. */
penta_type io_cube_raw_type(int stored);
/* whole.type becomes that of the elements that are handed out. */
void io_cube_take_stored(penta_io_cube *cube);
/* Raw elements to those, in place; the room is for the larger ones. */
bool io_cube_widen(const penta_io_cube *cube, void *elements, size_t count, penta_io_error *err);

/* After `open`: indices of bands, rows and cols are these axes ("rcb": bands are rows, rows columns, cols bands). */
bool io_cube_set_axes(penta_io_cube *cube, const char *axes, penta_io_error *err);
/* Like io_cube_format.read, of elements as they are handed out, by cube->axes. */
bool io_cube_read_rows(const penta_io_cube *cube, size_t y, size_t count, void *out, penta_io_error *err);
/* The note about an array ("'a'") of three extents that is read as bands x rows x cols for want of other facts. */
void io_cube_doubt_axes(penta_io_cube *cube, const char *what, const uint64_t *extents);

/* The axis that a dimension of this name is, 'r', 'c' or 'b'; 0: none of them. */
char io_cube_axis_of(const char *name);
/* The axes by those of three dimensions, of which some may be 0: false if they do not say where the bands are. */
bool io_cube_axes_by_names(const char axis[3], char axes[4]);

/* Nanometres per unit of this name; 0: not a unit of length; NAN: not stated (NULL, "", "unknown"). */
double io_cube_nanometres(const char *unit);
/* Wavelengths of which one is below 100 have no nanometres but micrometres: no sensor sees 100 nm, few see 100 um. */
void io_cube_guess_micrometres(penta_io_cube_info *whole);

/* Whether an ENVI header was named, or is beside the file, which begins with these 4 bytes; sets the state. */
bool io_cube_envi_finds(penta_io_cube *cube, const unsigned char *head);
/* Opens the cube of a MATLAB file of version 7.3; cube->format becomes that of HDF5. */
bool io_hdf5_open_matlab(penta_io_cube *cube, const penta_io_cube_hints *hints, penta_io_error *err);
/* The error for a file of fewer bytes than its header asks for. */
bool io_cube_short_file(const penta_io_cube *cube, uint64_t needed, uint64_t there, penta_io_error *err);
/* Gains and offsets that leave nothing of a band are errors. */
bool io_cube_check_scales(const penta_io_cube *cube, penta_io_error *err);

/* Whether a cube can have elements of this type. */
bool io_cube_is_type(penta_type type);

/* ---- contiguous elements, in a file or in memory (cube_raw.c) ---- */

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
    const unsigned char *memory; /* the elements, if in is NULL */
    uint64_t at;                 /* byte of the first element in the file */
    int order;                   /* enum io_cube_order */
    bool swapped;                /* byte order differs from this machine's */
} io_cube_raw;

/* The layout that io_cube_raw_read returns for an order: BSQ, BIL, BIP stay; CRB becomes BIP; BCR and CBR become BSQ.
 */
int io_cube_raw_layout(int order);
/* The order of an array whose first, second and third index are these axes ("brc": bands, rows, columns);
 * first_is_fastest as in Fortran, otherwise the last index runs fastest. -1: not these three axes. */
int io_cube_raw_order(const char *axes, bool first_is_fastest);
/* The extents of such an array as bands, rows and cols of *out. */
void io_cube_raw_shape(const char *axes, const uint64_t *extents, penta_io_cube_info *out);
/* Like io_cube_format.read. The caller has checked that the file holds the cube. */
bool io_cube_raw_read(const penta_io_cube *cube, const io_cube_raw *raw, size_t y, size_t count, void *out,
                      penta_io_error *err);

/* Bytes of the whole cube; UINT64_MAX if memory cannot address them. */
uint64_t io_cube_bytes(const penta_io_cube_info *whole);

/* ---- writing ---- */

/* Where rows of a cube lie in a file, band after band. */
typedef struct {
    const char *file;
    uint64_t data_at; /* bytes before them */
    bool little;      /* their order of bytes, or the machine's */
} io_cube_place;

typedef struct {
    /* Sets state; `abandon` is called even after a failure. */
    bool (*create)(penta_io_cube_writer *writer, const penta_io_cube *like, penta_io_error *err);
    /* Several threads may call it. */
    bool (*write)(penta_io_cube_writer *writer, size_t first, size_t count, const void *data, size_t stride,
                  penta_io_error *err);
    /* Called when all rows are written; `abandon` frees and removes. */
    bool (*finish)(penta_io_cube_writer *writer, penta_io_error *err);
    void (*abandon)(penta_io_cube_writer *writer);
    /* Where another process may write; false: nowhere. NULL: nor in any cube of the format. */
    bool (*place)(const penta_io_cube_writer *writer, io_cube_place *out);
} io_cube_output;

struct penta_io_cube_writer {
    const io_cube_output *output;
    int format;
    char *path;
    penta_io_cube_info about; /* has wavelengths and names only during `create` */
    _Atomic uint64_t rows;    /* rows written so far */
    bool joined;              /* others write rows, too, and finish the file */
    io_parts parts;           /* of the file, that were written in place, here or as others have told */
    void *state;
};

/* Rows to their place in a file; adds to the writer's parts. little: the order of bytes there, or the machine's. */
bool io_cube_put_rows(penta_io_cube_writer *writer, penta_io_shared_file *file, bool little, size_t first, size_t count,
                      const void *data, size_t stride, penta_io_error *err);

extern const io_cube_format io_cube_envi;
extern const io_cube_output io_cube_npy_output, io_cube_gdal_output, io_cube_joined_output;
