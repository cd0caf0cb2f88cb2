/* What one format of bodies is to reading and writing, and what the formats share. Internal to tools/io. */
#ifndef PENTA_IO_BODIES_FORMAT_H
#define PENTA_IO_BODIES_FORMAT_H

#include <stdio.h>

#include "io/bodies.h"
#include "io/input.h"

enum { IO_BODY_COLUMNS = 7, IO_BODY_X = 1, IO_BODY_VX = 4 };

extern const char *const io_body_columns[IO_BODY_COLUMNS]; /* "mass", "x" and so on */

/* A reader sets n, rows and time; the caller frees them on failure too, and checks the numbers. */
bool io_tipsy_read(const io_input *in, io_bodies *out, io_error *err);
bool io_gadget_read(const io_input *in, io_bodies *out, io_error *err);
bool io_gadget_hdf5_read(const io_input *in, io_bodies *out, io_error *err);
bool io_bodies_text_read(const io_input *in, io_bodies *out, io_error *err);
bool io_bodies_csv_read(const char *path, io_bodies *out, io_error *err);

/* By the content; `sure`: no other reading of the file makes sense. */
bool io_tipsy_matches(const io_input *in, bool sure);
bool io_gadget_matches(const io_input *in);
bool io_gadget_hdf5_matches(const io_input *in);

/* The writers behind io_bodies_write, which has checked the bodies. */
bool io_bodies_text_write(const char *path, const io_bodies *in, io_error *err); /* .csv, .mpv, else NBabel */
bool io_tipsy_write(const char *path, const io_bodies *in, io_error *err);
bool io_gadget_write(const char *path, const io_bodies *in, io_error *err);
bool io_gadget_hdf5_write(const char *path, const io_bodies *in, io_error *err);

/* Sets n and allocates the rows. n = 0 and want of memory are errors. Whether the file can hold so many has been asked.
 */
bool io_bodies_alloc(const char *path, uint64_t n, io_bodies *out, io_error *err);

/* Whether the name ends so, in upper or lower case, with something before it. */
bool io_has_suffix(const char *path, const char *suffix);

/* ---- numbers in files of either byte order ---- */

uint32_t io_get_u32(const unsigned char *at, bool big);
uint64_t io_get_u64(const unsigned char *at, bool big);
double io_get_float(const unsigned char *at, size_t size, bool big); /* size: 4 or 8 */
void io_put_u32(unsigned char *at, uint32_t value, bool big);
void io_put_u64(unsigned char *at, uint64_t value, bool big);
void io_put_float(unsigned char *at, double value, bool big); /* float32 */
void io_put_double(unsigned char *at, double value, bool big);

/* Whether all numbers fit into float32, to nearest, and no mass becomes 0; else an error that names the body. */
bool io_bodies_fit_float(const char *path, const io_bodies *in, const char *format, io_error *err);

#endif
