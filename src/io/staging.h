/*
 * Files of open runs (pentacl/io/run.h), which wait under temporary names for the run's commit. Outputs in a run's
 * directory, or below it, are staged here.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#include "io/lock.h"
#include <pentacl/io/output.h>

/* One change to the directory. */
typedef struct io_staged {
    char *name;                /* relative to the run's directory */
    char *target;              /* path that the rename replaces; differs from the name if that is a link */
    char *temporary;           /* NULL: the file `name` is to be removed */
    penta_io_pending *pending; /* entry of the temporary */
    uint64_t bytes, sum;       /* size and checksum of the contents */
    struct timespec time;      /* time of the last change */
    uint64_t mark;             /* of the thread that wrote it (io_staging_mark); 0: none */
    struct io_staged *next;    /* of those with a mark */
} io_staged;

typedef struct io_staging io_staging;
struct io_staging {
    char *directory; /* real path */
    io_staged **files;
    size_t count, room;
    void *names;       /* the same files as a tree (tsearch) */
    io_staged *marked; /* files with a mark, which are not in `files` */
    io_staged *told;   /* of those, what another process is told of and may not have heard yet */
    io_lock *locks;    /* locks of directories below */
    char **locked;     /* their names */
    size_t lock_count;
    bool joined; /* another process holds the locks (penta_io_run_join) */
    io_staging *next;
};

/* Starts collecting files; NULL: err says why. The directory's lock ensures that it has only one staging at a time. */
io_staging *io_staging_open(const char *directory, penta_io_error *err);
/* Removes the waiting files and frees the staging. NULL is fine. */
void io_staging_close(io_staging *staging);

/*
 * If the path is in the directory of a run, takes over the file (its strings and the pending entry), replaces a file
 * that waits under this name, and sets *taken. False: err says why; nothing was taken over.
 */
bool io_staging_take(const char *path, const io_staged *file, bool *taken, penta_io_error *err);

/* Call before a temporary is made: if the path is in a directory below that of a run, the run takes that directory's
 * lock. */
bool io_staging_prepare(const char *path, penta_io_error *err);

/* Whether the path is in the directory of a run. */
bool io_staging_covers(const char *path);

/* The temporary file that waits under this name, to be freed. NULL: none waits. */
char *io_staging_where(const char *path);

/* If the path is in the directory of a run: drops a file that waits under this name, and the commit will remove an
 * existing one. False: the path is in no run's directory, or out of memory. */
bool io_staging_remove(const char *path);

/* Files that this thread writes from now on are set apart under this number; 0: they are not. */
void io_staging_mark(uint64_t mark);
/* The number of this thread. */
uint64_t io_staging_mark_now(void);
/* Takes those of a mark out, as a list; NULL: none. */
io_staged *io_staging_take_marked(io_staging *staging, uint64_t mark);
/* Keeps a list of these until they are settled: until then they go with the staging. */
void io_staging_told(io_staging *staging, io_staged *files);
/* Those of a mark are another's: they are forgotten, and stay on the disk. */
void io_staging_settle(io_staging *staging, uint64_t mark);
/* Adds a file, with all that it owns; one that waits under its name goes. False: out of memory, and nothing was taken
 * over. */
bool io_staging_give(io_staging *staging, io_staged *file);
/* The temporaries of the files, each to be freed, as the array is; NULL: out of memory. */
char **io_staging_temporaries(const io_staging *staging, size_t *count);
/* Frees a file that is in no staging; remove: from the disk, too. */
void io_staged_free(io_staged *file, bool remove);
/* Frees a list of these, and removes them from the disk. */
void io_staged_remove(io_staged *files);

/* Forgets the files after they have been renamed. */
void io_staging_forget(io_staging *staging);
