/*
 * Cubes, bands x rows x cols, from files and to files, some rows at a time. Files are untrusted: sizes are checked
 * against the file before any allocation.
 */
#ifndef PENTACL_IO_CUBE_H
#define PENTACL_IO_CUBE_H

#include <pentacl/pca.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

typedef struct penta_io_cube penta_io_cube;

/* What the caller knows of a file that does not say everything itself. All zero: as the file says. */
typedef struct {
    const char *variable; /* MATLAB, HDF5, netCDF: which array; NULL: the only one that can be a cube */
    size_t rows,
        cols; /* MATLAB bands x pixels (`shape` in messages); pixels are column-major then: pixel = row + rows * col */
    const char *axes; /* what the three indices are, "brc", "rcb" ...; NULL: as HDF5 and netCDF say by names of
                         dimensions or wavelengths, otherwise rcb of MATLAB, brc of all others (pages of TIFF: bands) */
    bool raw_values;  /* ignore scales and lists of bad bands */
    bool mask;        /* only 0 counts: NPY of rows x cols is one band, and 64-bit integers may be rounded */
    bool movie;       /* MATLAB: it is a movie, height x width x frames, and called that in errors */
} penta_io_cube_hints;

/* Where a file says which pixels of a band are valid, apart from alpha bands. */
enum penta_io_cube_mask {
    PENTA_IO_MASK_NONE = 0, /* nowhere, or by the band's no-data value */
    PENTA_IO_MASK_FILE,     /* one mask for all bands */
    PENTA_IO_MASK_BAND,     /* a mask of its own */
    PENTA_IO_MASK_NUMBERS   /* a pixel is invalid where all bands have certain numbers at once */
};

/* What a file says of a band. Its numbers are (gain * element + offset) / penta_io_cube_info.factor. */
typedef struct {
    double gain, offset;
    double wavelength; /* nm; 0: not said */
    double no_data;
    bool has_no_data;
    bool is_bad;   /* in the header's list of bad bands */
    bool is_alpha; /* it holds no data, but 0 where pixels are not valid */
    int mask;      /* enum penta_io_cube_mask */
} penta_io_cube_band;

/* What penta_io_cube_read gives: the whole cube, or the selection after penta_io_cube_select. */
typedef struct {
    size_t bands, rows, cols;
    penta_type type;  /* of the elements that penta_io_cube_read gives */
    int layout;       /* enum penta_cube_layout of what penta_io_cube_read gives: the file's own order */
    bool has_no_data; /* all bands have this number where a pixel is not valid */
    double no_data;
    penta_io_cube_band *each; /* one for each band; NULL: the format says nothing about them */
    double factor;            /* ENVI's reflectance scale factor; 0: none, which counts as 1 */
    bool is_scaled;           /* a gain, an offset or the factor makes numbers of the elements */
    bool has_mask;            /* masks, alpha bands or no-data values that differ make pixels invalid */
    double *wavelengths;      /* of each band, nm; NULL: the file does not say it of all */
    const char *format;       /* "NPY", "MATLAB 5", "ENVI", "GTiff" ... */
    const char *note;         /* how the file was read where it does not say it; NULL: nothing was guessed */
    const char *band_name;    /* writing GTiff and ENVI: "PC": bands are called PC 1, PC 2 ...; NULL: not named */
} penta_io_cube_info;

/**
 * Opens a cube; the format is told by the content:
 *   NPY: bands x rows x cols or as hints.axes says, C or Fortran order, either byte order
 *   MATLAB 5 by matio, 7.3 by HDF5: bands x pixels (hints.rows, cols) or rows x cols x bands (or hints.axes), as MATLAB
 * lays them out; doubles that the file stores as integers are given as these. The array is held in memory
 *   HDF5, netCDF-4: an array of three indices, in the order that names of dimensions or wavelengths say
 *   ENVI BSQ, BIL, BIP of either byte order, by the name of its data or its .hdr
 *   by GDAL, where this build has it: GeoTIFF, BigTIFF (pages are bands) and what else it reads.
 * Elements are given as they are; info says what scales, masks, alpha bands and lists of bad bands there are. Their
 * types are u8, u16, i16, u32, i32, f32, f64; i8 becomes i16, f16 f32, and 64-bit integers f64: reading fails at the
 * first one beyond 2^53. Others are refused, complex ones by name. On failure *out is NULL and err holds one line:
 * file, what, where, what to do (without GDAL or matio: what to install).
 */
PENTA_API bool penta_io_cube_open(const char *path, const penta_io_cube_hints *hints, penta_io_cube **out,
                                  penta_io_error *err);
/**
 * The same, and GDAL may also use these of its drivers, separated by commas ("VRT,ERS", as gdalinfo --formats has
 * them). penta_io_cube_open lets it use GTiff, EHdr, HDF5 and netCDF only, whose files cannot name other files or
 * addresses (HDF5's are searched for links to other files); an input in a format such as VRT could have any file of
 * this machine read, and addresses fetched. If this library is the first in the program to use GDAL, it takes other
 * drivers out of GDAL's list until they are named; a program that has registered drivers itself keeps them, and files
 * beside a cube (masks, overviews) may then be of any registered format.
 */
PENTA_API bool penta_io_cube_open_drivers(const char *path, const penta_io_cube_hints *hints, const char *drivers,
                                          penta_io_cube **out, penta_io_error *err);
PENTA_API const penta_io_cube_info *penta_io_cube_about(const penta_io_cube *cube);
/** Whether the file, read without hints of axes, may have its bands along another one. shaped: its rows and cols were
 * given. Then message gets one line, cut to size bytes, with options in backquotes. */
PENTA_API bool penta_io_cube_doubt_axes(const penta_io_cube_info *about, bool shaped, char *message, size_t size);
/** Whether the path leads, by any name, to a file that the cube is read from: its data, a header, or a file that GDAL
 * found beside them. */
PENTA_API bool penta_io_cube_has_file(const penta_io_cube *cube, const char *path);

/** Selects these bands (from 0, in this order; n 0: all) and this window (width 0: everything), which must lie in the
 * cube. */
PENTA_API bool penta_io_cube_select(penta_io_cube *cube, const size_t *bands, size_t n, size_t x, size_t y,
                                    size_t width, size_t height, penta_io_error *err);

/** Reads rows first .. first + count - 1 of the selection to out: bands x count x cols elements in info.layout. */
PENTA_API bool penta_io_cube_read(penta_io_cube *cube, size_t first, size_t count, void *out, penta_io_error *err);
/** Sets count x cols bytes, 1 for the valid pixels of these rows, 0 for the others. An alpha band counts unless it is
 * selected as data; no_data: no-data values that differ among bands count too. Not for several threads at once, nor
 * while another thread reads. */
PENTA_API bool penta_io_cube_valid(penta_io_cube *cube, size_t first, size_t count, bool no_data, uint8_t *out,
                                   penta_io_error *err);
/** Sets 0 where a selected band has the no-data value that the file states for all of them; other bytes stay. Reads the
 * rows; not for several threads at once. */
PENTA_API bool penta_io_cube_leave_out(penta_io_cube *cube, size_t first, size_t count, uint8_t *out,
                                       penta_io_error *err);
/** Element i of an array of a type that cubes have. */
PENTA_API double penta_io_cube_number(penta_type type, const void *elements, size_t i);
PENTA_API void penta_io_cube_close(penta_io_cube *cube); /* NULL is fine */

/* ---- writing ---- */

enum { PENTA_IO_CUBE_NPY = 0, PENTA_IO_CUBE_GTIFF, PENTA_IO_CUBE_ENVI };

typedef struct penta_io_cube_writer penta_io_cube_writer;

/** Whether this build writes the format; else err says what to install. */
PENTA_API bool penta_io_cube_can_write(int format, penta_io_error *err);
/** The name of a file with this stem in this format: components -> components.npy, .tif, .img. */
PENTA_API void penta_io_cube_name(int format, const char *stem, char *name, size_t size);
/** The header that belongs to ENVI data of this name when it is written, to be freed; NULL when out of memory. */
PENTA_API char *penta_io_cube_header_name(const char *data);

/**
 * Begins a cube of this size and type. NPY: bands x rows x cols. GTiff: tiles of 256 x 256 (best written in multiples
 * of 256 rows), deflate. ENVI: BSQ with its .hdr. like: a cube whose georeferencing (that of its selection) is kept
 * where the format can, or NULL. The file has its name only after penta_io_cube_finish.
 */
PENTA_API bool penta_io_cube_create(const char *path, int format, const penta_io_cube_info *about,
                                    const penta_io_cube *like, penta_io_cube_writer **out, penta_io_error *err);
/** Writes rows first .. first + count - 1, in any order and from any thread: bands x count x cols, stride elements from
 * band to band. */
PENTA_API bool penta_io_cube_write(penta_io_cube_writer *writer, size_t first, size_t count, const void *data,
                                   size_t stride, penta_io_error *err);
/** Both free the writer, even on failure. finish gives the file its name; abandon removes what was written. */
PENTA_API bool penta_io_cube_finish(penta_io_cube_writer *writer, penta_io_error *err);
PENTA_API void penta_io_cube_abandon(penta_io_cube_writer *writer); /* NULL is fine */

/**
 * A cube that several processes write, of this machine or of those that share the file system: one creates it and tells
 * the others where it is, in bytes (from malloc), with which they join it, in the same working directory. Each writes
 * rows, in any order; finish of those that joined waits until theirs are on the disk. After that the first one counts
 * these rows, and finishes. Not GTiff, whose tiles lie in the file in the order in which they come.
 */
PENTA_API bool penta_io_cube_share(const penta_io_cube_writer *writer, void **bytes, size_t *size, penta_io_error *err);
PENTA_API bool penta_io_cube_join(const void *bytes, size_t size, penta_io_cube_writer **out, penta_io_error *err);
PENTA_API void penta_io_cube_count_rows(penta_io_cube_writer *writer, size_t rows); /* that others have written */

/** Where the first one also takes the accounts of the others (bytes, from malloc, before they finish), an NPY cube need
 * not be read again for its checksum. */
PENTA_API bool penta_io_cube_account(const penta_io_cube_writer *writer, void **bytes, size_t *size,
                                     penta_io_error *err);
PENTA_API void penta_io_cube_take_account(penta_io_cube_writer *writer, const void *bytes, size_t size);

PENTA_END_DECLS
#endif
