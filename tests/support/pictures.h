/* A directory for pictures, and stand-ins for gnuplot. */
#ifndef PENTA_TESTS_PICTURES_H
#define PENTA_TESTS_PICTURES_H

#include <stdbool.h>
#include <stddef.h>

/* Set-up and tear-down of a group. */
int make_picture_directories(void **state);
int remove_picture_directories(void **state);

/* A test begins with the usual PATH; the directory is emptied after it. */
int use_usual_path(void **state);
int leave_pictures(void **state);
#define TEST_WITH_PICTURES(name) TEST_WITH(use_usual_path, leave_pictures, name)

const char *picture_directory(void);
/* The path of a name in it; the last eight results stay valid. */
const char *in_pictures(const char *name);
/* Empties the directory and returns the number of its entries. */
size_t empty_pictures(void);

/*
 * Replaces gnuplot by this shell script. In it `draw` makes the picture: gnuplot's script, $script, followed by the end
 * of a PNG or an SVG.
 */
void use_gnuplot(const char *script);
/* Replaces gnuplot by draw. */
void use_copier(void);
/* Skips the test if the usual PATH has no gnuplot. */
void need_gnuplot(void);

/* Expects that the file contains the text, or does not. */
void expect_in_file(const char *path, const char *text, bool present);
/* Expects valid BASE.png and BASE.svg, the label in the SVG, and no other files. Removes them. */
void expect_pictures(const char *base, const char *label);

#endif
