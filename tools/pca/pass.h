/*
 * A cube from its first row to its last, in pieces: threads read the next ones into pinned memory while the device
 * works on one. A cube of a single piece is read once, however many passes there are, and so is one that stays on the
 * device.
 */
#ifndef PENTA_TOOLS_PCA_PASS_H
#define PENTA_TOOLS_PCA_PASS_H

#include <pentacl/io/cube.h>
#include "shared/job.h"

/* CLI_ERROR after one line: that of the library, or after Ctrl-C, which may break off what it does, that. */
int cube_fail_library(const job *j);

typedef struct cube_source cube_source;

/*
 * The selection of the cube, in pieces of rows that have no more than 32 MiB (but one row at least). mask: rows x cols
 * of the selection, or NULL; borrowed as the cube is. An exit code; on failure *out is NULL.
 */
int cube_source_open(const job *j, penta_io_cube *cube, const uint8_t *mask, cube_source **out);
void cube_source_close(cube_source *source); /* NULL is fine */

size_t cube_source_piece(const cube_source *source);   /* rows of a piece, at most */
double cube_source_seconds(const cube_source *source); /* while some thread was reading */

/* What is done with rows first .. first + rows->rows - 1; an exit code. */
typedef int (*cube_use)(void *user, const penta_cube_rows *rows, size_t first);

/* Later passes read nothing: rows are without data, which the device has. */
void cube_source_release(cube_source *source);

/* All pieces in order. title: of the progress line. An exit code; CLI_ERROR after Ctrl-C, too. */
int cube_pass(cube_source *source, const char *title, cube_use use, void *user);

#endif
