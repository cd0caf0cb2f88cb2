/* Output files that appear whole or not at all: written under a temporary name beside the target, then renamed. */
#ifndef PENTACL_IO_OUTPUT_H
#define PENTACL_IO_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

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

/** Removes a file that was written; links, devices and pipes stay. */
PENTA_API void penta_io_remove_file(const char *path);

/** What the path leads to if it cannot be a file of results: "a FIFO" or "a socket", also through a link, or "a
 * device"; otherwise NULL. A link to a device is written to. Within a run such an output is refused. */
PENTA_API const char *penta_io_special(const char *path);

/** Makes sure that a file, or the names in a directory, are on the disk, so that a power cut leaves no name without its
 * contents. */
PENTA_API bool penta_io_sync(const char *path, penta_io_error *err);

/** Whether both names lead to one file that exists; NULL leads nowhere. */
PENTA_API bool penta_io_same_file(const char *a, const char *b);

/** directory/name + suffix, to be freed; NULL when out of memory. */
PENTA_API char *penta_io_join_path(const char *directory, const char *name, const char *suffix);

/** Makes a directory and its parents, and checks that it can be written to; an existing one is fine. Directories that
 * it makes are pending: penta_io_pending_remove removes them while they are empty. */
PENTA_API bool penta_io_make_directory(const char *path, penta_io_error *err);

/** From now on written(user, path) is called with the name of every file that this library puts in its place, by the
 * thread that writes it, which may be any; one function for the process. NULL: none. */
PENTA_API void penta_io_output_notify(void (*written)(void *user, const char *path), void *user);

/**
 * Calls write(user, i, err) once for every i < count, in no order, on as many threads as there are cores, the caller's
 * among them, and waits until all are done: files that are written side by side, and belong to the caller's run with
 * its mark (penta_io_run_mark). `write` must not use a penta_context. Fails where a call does, with the error of the
 * first; of those behind it some are done.
 */
PENTA_API bool penta_io_output_together(size_t count, bool (*write)(void *user, size_t i, penta_io_error *err),
                                        void *user, penta_io_error *err);

/* ---- what a run must remove when it fails ---- */

/*
 * A file under a temporary name, or a directory that is removed only while it is empty. Any thread may call these
 * functions; a signal handler may call penta_io_pending_remove.
 */
typedef struct penta_io_pending penta_io_pending;

/** To be called before the file is made. NULL: out of memory. */
PENTA_API penta_io_pending *penta_io_pending_file(const char *path);
/** To be called after the directory was made. NULL: out of memory. */
PENTA_API penta_io_pending *penta_io_pending_directory(const char *path);

/** It needs no removal any more. NULL is fine. */
PENTA_API void penta_io_pending_drop(penta_io_pending *pending);

/** Removes all files that were not dropped, then all directories, the last one first. */
PENTA_API void penta_io_pending_remove(void);

PENTA_END_DECLS
#endif
