/* Which files are camera raw. Internal to tools/io. */
#ifndef PENTA_IO_RAW_H
#define PENTA_IO_RAW_H

#include <stdbool.h>
#include <stddef.h>

/* By the first bytes; raw files that are TIFFs too and say no more there, by the end of the name. */
bool io_raw_matches(const char *path, const unsigned char *head, size_t size);

#endif
