/* Shared by the reader and the writer of archives. Internal to src/io. */
#ifndef PENTA_IO_ARCHIVE_FORMAT_H
#define PENTA_IO_ARCHIVE_FORMAT_H

#include <pentacl/io/archive.h>

#include "io/json.h"

enum { ARCHIVE_VERSION = 1 };

#endif
