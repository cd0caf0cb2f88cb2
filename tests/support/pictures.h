/* A directory for pictures, and what is seen in them. */
#pragma once

#include "support/test.h"

#include "figures/figure.h"

/* Set-up and tear-down of a group; the directory is emptied after each test. */
int make_picture_directory(void **state);
int remove_picture_directory(void **state);
int leave_pictures(void **state);
#define TEST_WITH_PICTURES(name) TEST_WITH(NULL, leave_pictures, name)
#define RUN_WITH_PICTURES        RUN(EVERYWHERE, NULL, make_picture_directory, remove_picture_directory)

/* The path of a name in it; the last eight results stay valid. */
const char *in_pictures(const char *name);
/* Empties the directory and returns the number of its entries. */
size_t empty_pictures(void);

typedef struct {
    size_t width, height;
    uint8_t *rgb;
} picture;
picture decode_picture(const char *path);
uint32_t pixel(const picture *p, size_t x, size_t y);
/* Pixels of a part of it that are not white. */
size_t ink(const picture *p, size_t left, size_t top, size_t right, size_t bottom);

/* How often the file contains the text. */
size_t count_in_file(const char *path, const char *text);
/* Expects that the file contains the text, or does not. */
void expect_in_file(const char *path, const char *text, bool present);
/* Expects BASE.png with ink and BASE.svg, the label in the SVG, no text over another or beyond the sides, and no other
 * files. Removes them. */
void expect_pictures(const char *base, const char *label);

/* call must pass its penta_io_error as `err`. */
#define expect_drawn(call)                                                                                             \
    do {                                                                                                               \
        penta_io_error err = {""};                                                                                     \
        if (!(call) || err.text[0])                                                                                    \
            fail_msg("%s: %s", #call, err.text);                                                                       \
    } while (0)
