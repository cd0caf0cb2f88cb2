/* The report of optmap. */
#pragma once

#include <pentacl/io/error.h>

#include "optmap/findings.h"

/* One self-contained file of HTML, whole or not at all. */
bool optmap_write_report(const char *path, const optmap_findings *f, penta_io_error *err);
