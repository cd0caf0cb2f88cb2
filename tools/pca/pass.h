/* The cube from its first row to its last, with a progress line, until Ctrl-C. */
#pragma once

#include <pentacl/io/cube_rows.h>
#include "shared/job.h"

/* CLI_ERROR after one line: that of the library, or after Ctrl-C, which may break off what it does, that. */
int pca_fail_library(const job *j);

/* What is done with rows first .. first + rows->rows - 1; an exit code. */
typedef int (*pca_use)(void *user, const penta_cube_rows *rows, size_t first);

/* All pieces of `rows` rows from `first` on, in order. title: of the progress line; NULL: none. An exit code; CLI_ERROR
 * after Ctrl-C, too. */
int pca_pass(const job *j, penta_io_cube_rows *source, size_t first, size_t rows, const char *title, pca_use use,
             void *user);
