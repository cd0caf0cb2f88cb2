/* A directory for pictures, and stand-ins for gnuplot that need not draw them. */
#ifndef PENTA_TESTS_PICTURES_H
#define PENTA_TESTS_PICTURES_H

#include <stdbool.h>
#include <stddef.h>

/* Set-up and tear-down of a group. */
int make_picture_directories(void **state);
int remove_picture_directories(void **state);

/* A test begins with the usual PATH and ends with the directory emptied. */
int use_usual_path(void **state);
int leave_pictures(void **state);
#define WITH_PICTURES(test) cmocka_unit_test_setup_teardown(test, use_usual_path, leave_pictures)

const char *picture_directory(void);
/* A name in it; the last eight stay valid. */
const char *in_pictures(const char *name);
/* Removes what is there and returns how many entries that was. */
size_t empty_pictures(void);

/*
 * From here on gnuplot is this shell script. In it `draw` makes the picture: the script that gnuplot gets, $script,
 * with the end of a PNG or an SVG.
 */
void use_gnuplot(const char *script);
/* As draw. */
void use_copier(void);
/* Skips the test where the usual PATH has no gnuplot. */
void need_gnuplot(void);

/* The file contains the text, or does not. */
void expect_in_file(const char *path, const char *text, bool present);
/* BASE.png and BASE.svg are what they should be, the SVG has the label, and nothing else is there. Removes them. */
void expect_pictures(const char *base, const char *label);

#endif
