/*
 * The rows of a cube from its first to its last, in pieces, as often as they are wanted: threads read the next pieces
 * into pinned memory while the device works on one.
 */
#ifndef PENTACL_IO_CUBE_ROWS_H
#define PENTACL_IO_CUBE_ROWS_H

#include <pentacl/io/cube.h>

PENTA_BEGIN_DECLS

typedef struct penta_io_cube_rows penta_io_cube_rows;

/**
 * The selection of the cube, in pieces of rows of no more than 32 MiB (but one row at least). mask: rows x cols of the
 * selection, 0: left out; or NULL. Cube and mask are borrowed. Errors of the context are in err, too. On failure *out
 * is NULL.
 */
PENTA_API bool penta_io_cube_rows_open(penta_context *ctx, penta_io_cube *cube, const uint8_t *mask,
                                       penta_io_cube_rows **out, penta_io_error *err);

/** What is done with rows first .. first + rows->rows - 1; false ends the pass. */
typedef bool (*penta_io_cube_use)(void *user, const penta_cube_rows *rows, size_t first);

/** Passes to come are of rows first .. first + count - 1 of the selection alone; count may be 0. */
PENTA_API void penta_io_cube_rows_part(penta_io_cube_rows *source, size_t first, size_t count);

/**
 * Hands over all pieces in order, in the calling thread. A cube of a single piece is read once, however many passes
 * there are. false: rows cannot be read, or `use` ended the pass, which leaves err->text "".
 */
PENTA_API bool penta_io_cube_rows_pass(penta_io_cube_rows *source, penta_io_cube_use use, void *user,
                                       penta_io_error *err);

/** Later passes read nothing: their rows are without data, which the device has (penta_pca_keep). */
PENTA_API void penta_io_cube_rows_release(penta_io_cube_rows *source);

/** Seconds during which some thread was reading. */
PENTA_API double penta_io_cube_rows_seconds(const penta_io_cube_rows *source);

PENTA_API void penta_io_cube_rows_close(penta_io_cube_rows *source); /* NULL is fine */

PENTA_END_DECLS
#endif
