/* Output files that appear whole or not at all: written under a temporary name beside the target, then renamed. */
#ifndef PENTACL_IO_OUTPUT_H
#define PENTACL_IO_OUTPUT_H

#include <stdio.h>

#include <pentacl/io/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct penta_io_output penta_io_output;

/** Opens PATH.tmp.<pid>.<n> in the target's directory; a device, a pipe and /dev/stdout are written directly. On
 * failure *out is NULL. */
PENTA_API bool penta_io_output_open(const char *path, penta_io_output **out, penta_io_error *err);

/** The same for directory/name + suffix. */
PENTA_API bool penta_io_output_open_in(const char *directory, const char *name, const char *suffix,
                                       penta_io_output **out, penta_io_error *err);

/** The stream to write to; its errors are found at commit. */
PENTA_API FILE *penta_io_output_stream(penta_io_output *output);

/** Flushes, checks for write errors (disk full), closes, renames over the target. Frees output in every case; on
 * failure the temporary is gone and the target is as before. */
PENTA_API bool penta_io_output_commit(penta_io_output *output, penta_io_error *err);

/** Removes the temporary and frees. NULL is fine. */
PENTA_API void penta_io_output_abort(penta_io_output *output);

/** Takes back a file that was written; links, devices and pipes stay. */
PENTA_API void penta_io_remove_file(const char *path);

/** Brings a file or the names of a directory onto the disk, so that a name does not outlive a power cut without its
 * contents. */
PENTA_API bool penta_io_sync(const char *path, penta_io_error *err);

/** Whether both names lead to one file that exists; NULL leads nowhere. */
PENTA_API bool penta_io_same_file(const char *a, const char *b);

/** directory/name + suffix, to be freed; NULL when out of memory. */
PENTA_API char *penta_io_join_path(const char *directory, const char *name, const char *suffix);

/** Makes a directory and its parents; an existing directory is fine; checks that it can be written to. Those that it
 * makes go again by penta_io_pending_remove while they are empty. */
PENTA_API bool penta_io_make_directory(const char *path, penta_io_error *err);

/* ---- what a run must take back when it fails ---- */

/*
 * Files under temporary names, and directories, which go only while they are empty. Any thread may call these;
 * penta_io_pending_remove a signal handler, too.
 */
typedef struct penta_io_pending penta_io_pending;

/** Before the file is made. NULL: out of memory. */
PENTA_API penta_io_pending *penta_io_pending_file(const char *path);
/** After the directory was made. The same. */
PENTA_API penta_io_pending *penta_io_pending_directory(const char *path);

/** It is gone, or has its name and stays. NULL is fine. */
PENTA_API void penta_io_pending_drop(penta_io_pending *trace);

/** Removes all files, then all directories, the last one first, that were not dropped. */
PENTA_API void penta_io_pending_remove(void);

#ifdef __cplusplus
}
#endif
#endif
