/*
 * What the fuzz targets share. Each fuzz_*.c defines the entry point that libFuzzer calls; without clang replay.c calls
 * it for the files of the seeds and the corpus. docs/development/testing.md says how to run them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

/* 0, or -1 for an input that another target is for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The full name of a file in this process's scratch directory; the last eight stay valid. */
const char *fuzz_path(const char *name);
/* The same, with these bytes in the file. Ends the process where that fails. */
const char *fuzz_file(const char *name, const void *data, size_t size);

/* A terminated copy; to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* What failed says so in one line of printable text, and was not out of memory: abort() otherwise. */
void fuzz_check_error(const penta_io_error *err);
/* abort() with a line if the condition does not hold. */
void fuzz_check(bool holds, const char *what);

/* Whether a library of others (libtiff, HDF5 ...) decodes files that begin so; fuzz_guard runs these. */
bool fuzz_is_foreign(const uint8_t *data, size_t size);

/*
 * Runs read(path) in a process of its own, with a limit to its time and memory. A crash in our code, or of memory that
 * we allocated, is a crash of the caller. One inside the other library is not: the input is kept in the directory that
 * PENTA_FUZZ_FOREIGN names, where it does, with the report beside it, and the caller goes on.
 */
void fuzz_guard(void (*read)(const char *path), const char *path);

/* ---- readers that several targets call ---- */

void fuzz_read_image(const char *path);
void fuzz_read_cube(const char *path);
void fuzz_read_movie(const char *path);
void fuzz_read_bodies(const char *path);
