/*
 * .penta-run.json, which says which run wrote which file of a directory:
 *
 *   {"version": 1,
 *    "runs": [{"id": "...", "command": "pca", "library": "0.3.0", "goes_on": ["id of a run before", ...],
 *              "files": {"model.json": {"bytes": 812, "crc64": "0123456789abcdef", "mtime_ns": 1700000000000000000}}}],
 *    "pending": {"keep": {"checkpoint.bin": "checkpoint-1.bin"},
 *                "move": {"model.json": "model.json.tmp.penta.12.0"}, "remove": ["old.csv"]}}
 *
 * "goes_on" is there only of a run that has gone on with others. Names are below the directory, with %XX for bytes that
 * are not printable ASCII. A run whose files have all been written again by others is left out. "pending" is there only
 * within a commit: a manifest that has it says what is still to be done, in this order, each step of which may have
 * been done. It is written whole before the first step; the last rename of a commit replaces it with one without
 * "pending".
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "io/json.h"
#include <pentacl/io/error.h>

typedef struct io_manifest_file {
    const char *run; /* its id; of the manifest */
    uint64_t bytes, sum;
    int64_t time; /* ns */
} io_manifest_file;

int64_t io_manifest_time(struct timespec t);

/* *out to be released; an empty manifest where there is none, or what is there is none: no file, no JSON of this form,
 * or another user's that has over 64 MiB or lies in a directory where anybody makes files. False: it is of a newer
 * version, this user's and cannot be read or has over 512 MiB, or memory ran out. */
bool io_manifest_read(const char *directory, json_t **out, penta_io_error *err);
/* False: there is none. */
bool io_manifest_owner(const char *directory, uid_t *out);
/* Through a temporary, onto the disk. */
bool io_manifest_write(const char *directory, const json_t *manifest, penta_io_error *err);

/* The entry of a run, made where there is none. Borrowed; NULL: out of memory. */
json_t *io_manifest_run(json_t *manifest, const char *id, const char *command);
/* The file is of no run any more; runs without files go. */
void io_manifest_forget(json_t *manifest, const char *name);
/* What was written under a name, or below a directory of this name, has another one now. */
bool io_manifest_rename(json_t *manifest, const char *from, const char *to);
/* The ids of the run that wrote the file last and of those that it went on with, as a new array; empty: none wrote it.
 * NULL: out of memory. */
json_t *io_manifest_series(const json_t *manifest, const char *name);
bool io_manifest_add(json_t *run, const char *name, const io_manifest_file *file);
/* Whether a run wrote the file. */
bool io_manifest_find(const json_t *manifest, const char *name, io_manifest_file *out);
