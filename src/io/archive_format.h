/* Shared by the reader and the writer of archives. Internal to src/io. */
#pragma once

#include <pentacl/io/archive.h>

#include "io/json.h"

enum { ARCHIVE_VERSION = 1 };
