/* The frames of a watched series, in the order of names. */
#pragma once

#include <pentacl/io/archive.h>

/* One more frame, all 0, where the page of the file has its place in the order of names; NULL: out of memory. */
penta_io_archive_frame *watch_state_insert(penta_io_archive *state, const char *file, size_t page);
/* Forgets the frames of the file that were left out. */
void watch_state_drop(penta_io_archive *state, const char *file);
