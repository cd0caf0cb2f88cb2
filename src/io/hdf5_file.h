/*
 * Shared by all readers of HDF5 files. The library is not thread-safe as distributions build it, and it prints
 * messages: all calls must be between enter and leave. Internal to src/io.
 */
#pragma once

#include "io/input.h"

/* Whether the file is HDF5, possibly after a user block, as in MATLAB 7.3. */
bool io_hdf5_matches(const io_input *in);

#ifdef PENTA_HAVE_HDF5

#include <hdf5.h>

#define IO_HDF5_INFLATION 1032u /* deflate's largest ratio of claimed to stored bytes of a data set */

typedef struct {
    H5E_auto2_t report;
    void *data;
} io_hdf5_guard;

io_hdf5_guard io_hdf5_enter(void);
void io_hdf5_leave(io_hdf5_guard guard);

/* Closes the object, unless it is negative. */
void io_hdf5_close(herr_t (*close)(hid_t), hid_t object);

/* Whether the group has a member of this name in this file; links to other files are not followed. */
bool io_hdf5_has_member(hid_t group, const char *name);

/* Whether the data set can hold this many bytes: stored in this file, compressed at most as far as deflate can. */
bool io_hdf5_is_plausible(const io_input *in, hid_t set, uint64_t bytes);

#endif

/*
 * Checks a file for readers in other libraries: fails unless everything is in the file (no links to other files, no
 * external data), and no data set claims more memory than the file can hold. Takes the guard. Without HDF5 it fails
 * with a message that says so.
 */
bool io_hdf5_check_file(const io_input *in, penta_io_error *err);
