/* What one finished frame of `penta autocorr` leaves in the output directory. */
#ifndef PENTA_TOOLS_AUTOCORR_FILES_H
#define PENTA_TOOLS_AUTOCORR_FILES_H

#include <pentacl/autocorr.h>

#include <pentacl/io/error.h>

/* DIR/STEM.c2d.npy, DIR/STEM.n2d.npy (where there are numerators) and DIR/STEM.c1d.csv, each whole or not at all. */
bool autocorr_write_frame(const char *directory, const char *stem, size_t max_offset,
                          const penta_autocorr_result *result, penta_io_error *err);

#endif
