/*
 * Temporary files beside their targets: NAME.tmp.penta.<pid>.<n>. While such a file is open, its process holds a lock
 * (flock) on it, so if another process can take the lock, that process is gone.
 */
#pragma once

#include <stdbool.h>

#include <pentacl/io/output.h>

/* Creates a file, open for reading and writing; *name to be freed, *pending to be dropped. -1: errno says why, and both
 * are NULL. */
int io_temporary_create(const char *target, char **name, penta_io_pending **pending);

/* Creates a directory, open for reading; the lock lasts until it is closed. -1: errno says why, and both are NULL. */
int io_temporary_directory(const char *target, char **name, penta_io_pending **pending);

/* Removes a folder and the files in it. */
void io_temporary_remove_folder(const char *path);

/* Whether `name`, without folders, is a temporary name of the file `base`, or of any file if NULL. */
bool io_temporary_is(const char *name, const char *base);

/* Removes the temporaries in a directory whose processes are gone. Only for the holder of the directory's lock
 * (lock.h), because files that wait for their run's end are closed and so not locked. */
void io_temporary_sweep(const char *directory);
/* The same, but for those of whose names keeps says so. */
void io_temporary_sweep_others(const char *directory, bool (*keeps)(const void *user, const char *name),
                               const void *user);
