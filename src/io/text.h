/* Text in fixed buffers. Internal to src/io. */
#pragma once

#include <stddef.h>

/* Appends formatted text to the buffer of `size` bytes, as much as fits. */
void io_append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
