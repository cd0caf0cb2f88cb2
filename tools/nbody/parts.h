/*
 * Parts of files of bodies, which all members of a run write (files.h). Each has all bodies on its device, and writes a
 * part of them to its place in the first member's file.
 */
#pragma once

#include <pentacl/group.h>
#include <pentacl/io/checkpoint.h>

/* What a file is made of: rows of bodies, or numbers of a state. */
enum nbody_part_kind { NBODY_PART_BODIES, NBODY_PART_STATE };

/* A file, with `count` items in all, and where they come from. */
typedef struct {
    enum nbody_part_kind kind;
    size_t count;
    penta_io_shared_file *file;
    penta_context *ctx;
    penta_nbody *plan;
} nbody_parts;

/* UNSEEN: on a machine without the file system; nothing was written. */
enum nbody_outcome { NBODY_WRITTEN, NBODY_UNSEEN, NBODY_FAILED, NBODY_FAILED_DEVICE };

/* What a member has done, as it tells the first one. */
typedef struct {
    int64_t outcome; /* enum nbody_outcome */
    penta_io_part part;
    char text[sizeof(((penta_io_error *)0)->text)]; /* why it has failed */
} nbody_account;

/* Writes items first .. first + count - 1. */
void nbody_write_part(const nbody_parts *parts, size_t first, size_t count, nbody_account *out);

/* By another member than the first: its part of the file that `place` leads to, and the account of it. */
penta_status nbody_help_to_write(penta_group *group, penta_context *ctx, penta_nbody *plan, enum nbody_part_kind kind,
                                 size_t count, const void *place, size_t size);
