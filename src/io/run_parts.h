#ifndef PENTA_IO_RUN_PARTS_H
#define PENTA_IO_RUN_PARTS_H

#include <pentacl/io/run.h>

#include "io/staging.h"

/* The files of an open run. */
io_staging *io_run_staging(const penta_io_run *run);

#endif
