/* Numbers that flags give as text: "1,2,3" and "640x480". */
#pragma once

#include <stddef.h>

#include <pentacl/io/error.h>

/* `least` to `most` finite numbers between commas; *count of them are set. what: "RA,DEC,ROLL in degrees". */
bool stars_numbers(const char *flag, const char *text, const char *what, size_t least, size_t most, double *out,
                   size_t *count, penta_io_error *err);

/* One number in [min, max]. */
bool stars_number(const char *flag, const char *text, double min, double max, double *out, penta_io_error *err);

/* A whole number in [0, most]. */
bool stars_count(const char *flag, const char *text, double most, size_t *out, penta_io_error *err);

/* WIDTHxHEIGHT, each from 1 to `most`. */
bool stars_size(const char *flag, const char *text, size_t most, size_t *width, size_t *height, penta_io_error *err);
