/* A lock on a directory, released when the process that holds it ends in any way. */
#pragma once

typedef struct io_lock {
    int fd;     /* -1: none */
    char *file; /* the lock file; NULL: the lock is on the directory itself */
} io_lock;

enum io_lock_result { IO_LOCK_TAKEN, IO_LOCK_BUSY, IO_LOCK_FAILED };

/*
 * Takes the lock. On file systems that cannot lock directories (NFS) it locks a file .penta-lock in the directory,
 * which io_lock_release removes. FAILED: errno says why.
 */
enum io_lock_result io_lock_take(const char *directory, io_lock *out);
void io_lock_release(io_lock *lock);
