/* Text in fixed buffers. Internal to src/io. */
#ifndef PENTA_IO_TEXT_H
#define PENTA_IO_TEXT_H

#include <stddef.h>

/* Appends formatted text to the buffer of `size` bytes, as much as fits. */
void io_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
