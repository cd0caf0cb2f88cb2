/* Text and pictures inside HTML. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* At most so many bytes of text from outside: & < > " and ' as entities, control characters and bytes that are not
 * UTF-8 as U+FFFD. NULL: none. */
void html_text(FILE *out, const char *text, size_t most);
/* data:image/png;base64,.. */
void html_png(FILE *out, const uint8_t *bytes, size_t size);
