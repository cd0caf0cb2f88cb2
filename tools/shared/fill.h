/* Text in lines of a width. */
#pragma once

#include <stdio.h>

typedef struct fill {
    FILE *out;
    int width;  /* columns of a line */
    int indent; /* blanks before every line but the first */
    int column; /* where the line is */
    int shell;  /* a line that goes on ends in " \", as a shell wants it, and words in quotes stay whole */
} fill;

/* Appends words, which are broken between blanks, and where one is longer than a line after a comma, slash or bar. A
 * newline is as good as a blank, two of them end a paragraph. */
void fill_text(fill *f, const char *text);
/* Ends the line. */
void fill_end(fill *f);
