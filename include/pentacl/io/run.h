/*
 * Runs: all files that a run writes to a directory appear together, or none does, also when the process is killed or
 * the power fails.
 *
 * While a run is open, every file that this process writes with libpentacl_io into its directory, or into a directory
 * below, waits under a temporary name for penta_io_run_commit. No function needs to know of the run. A process that
 * ends before the commit leaves the directory's files as they were; temporaries of dead processes go when a run is
 * opened there again. The manifest, .penta-run.json, says which run wrote which file, with sizes and checksums
 * (docs/reliability.md). Files of the same name are replaced, others stay.
 */
#ifndef PENTACL_IO_RUN_H
#define PENTACL_IO_RUN_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

typedef struct penta_io_run penta_io_run;

/**
 * Opens a run in a directory that exists. command: who writes, for the manifest. Finishes first what a run that was
 * ended within its commit has left. The directory is locked: a second run in it, of this process or another, is an
 * error. The lock goes with the process. On failure *out is NULL.
 */
PENTA_API bool penta_io_run_open(const char *directory, const char *command, penta_io_run **out, penta_io_error *err);

/** The same, but waits up to so many seconds until another run there has ended. */
PENTA_API bool penta_io_run_open_patiently(const char *directory, const char *command, double seconds,
                                           penta_io_run **out, penta_io_error *err);

/**
 * What was written since the last commit appears. May be called again, by a run whose results grow. When it returns
 * true the files are on the disk. After a failure the directory is as before, unless the error says that results are
 * incomplete: then the next run there, or penta_io_run_settle, completes them.
 */
PENTA_API bool penta_io_run_commit(penta_io_run *run, penta_io_error *err);

/** Removes what was not committed, unlocks and frees. NULL is fine. */
PENTA_API void penta_io_run_close(penta_io_run *run);

/**
 * Sets aside what is in the directory under this name, a file or a directory: the next commit renames it to a free
 * name, checkpoint.bin to checkpoint-1.bin. kept: that name; empty where there is nothing of this name.
 */
PENTA_API bool penta_io_run_keep(penta_io_run *run, const char *name, char *kept, size_t size, penta_io_error *err);

/** Whether a file of this path would be one of a run that this process has open. */
PENTA_API bool penta_io_run_covers(const char *path);

/* ---- one run of several processes ---- */

/**
 * Joins a run that another process, of this machine or one that shares the file system, has opened in the directory:
 * files that this process writes there with a mark are for penta_io_run_give of the other one. Takes no lock, and
 * removes nothing that others have left. Of the processes of a run one commits, while one of them keeps it open; that
 * one is the first to write into a directory below.
 */
PENTA_API bool penta_io_run_join(const char *directory, const char *command, penta_io_run **out, penta_io_error *err);

/** Files that this thread writes from now on are set apart under this number; 0: they are not. */
PENTA_API void penta_io_run_mark(uint64_t mark);

/** Takes the files of a mark out of the run, as bytes which say where they wait; *bytes is freed with free. Until
 * penta_io_run_let_go they are removed when the run is closed, or the process ends by a signal. */
PENTA_API bool penta_io_run_take(penta_io_run *run, uint64_t mark, void **bytes, size_t *size, penta_io_error *err);

/** The process that was told of the files of this mark has them: they stay on the disk whatever becomes of this run. */
PENTA_API void penta_io_run_let_go(penta_io_run *run, uint64_t mark);

/** Files that wait as such bytes say, in the same working directory, are those of this run from now on. */
PENTA_API bool penta_io_run_give(penta_io_run *run, const void *bytes, size_t size, penta_io_error *err);

/** Removes files that wait as such bytes say. */
PENTA_API void penta_io_run_discard(const void *bytes, size_t size);

/* ---- going on with a run that was ended ---- */

/** The usual name of a run's record: what waits in a directory that has it is not removed by runs in the one above. */
#define PENTA_IO_RUN_RECORD ".penta-resume"

/** As penta_io_run_open, but what waits of a run that was ended stays, for penta_io_run_adopt, until
 * penta_io_run_sweep. */
PENTA_API bool penta_io_run_open_again(const char *directory, const char *command, penta_io_run **out,
                                       penta_io_error *err);

/** Removes the temporary files of runs that were ended, but for those that this run has adopted. */
PENTA_API void penta_io_run_sweep(penta_io_run *run);

/**
 * Takes over files of the directory itself, of which a run that was ended has kept bytes of penta_io_run_take: those
 * that still wait are files of this run, those that were committed stay as they are. All are read and compared with
 * their sizes and checksums. False: not all of them are there as they were written; then none is taken over. The bytes
 * need not be trusted: only files of this user in the directory are touched.
 */
PENTA_API bool penta_io_run_adopt(penta_io_run *run, const void *bytes, size_t size);

/**
 * Writes bytes, with a checksum, to the file `name` of the directory, for a run that goes on with this one: with the
 * next commit, or now, once the files that wait are on the disk. A run that was opened again goes on with the one that
 * has committed this file before, as the manifest then says.
 */
PENTA_API bool penta_io_run_record(penta_io_run *run, const char *name, bool now, const void *bytes, size_t size,
                                   penta_io_error *err);

/** Reads them back, from malloc; *bytes NULL: there is no such file. An error where it is not what was written, or
 * another user's. */
PENTA_API bool penta_io_run_read_record(const char *directory, const char *name, void **bytes, size_t *size,
                                        penta_io_error *err);

/**
 * Whether a file that runs of this command have written to the directory, as the manifest says, is missing or not as
 * they left it; its name is copied, as far as it fits. record: the file that penta_io_run_record has written there:
 * only the run that committed it last counts, with those that it went on with. All count where the manifest does not
 * know the record, or it is NULL.
 */
PENTA_API bool penta_io_run_lacks(const char *directory, const char *command, const char *record, char *name,
                                  size_t size);

/* ---- for readers ---- */

/** Where the contents of a file are that this process wrote: the path itself, or the temporary in which it waits for
 * the commit. To be freed; NULL: out of memory. */
PENTA_API char *penta_io_run_where(const char *path);

/**
 * Completes the results of a run that was ended within its commit. Does nothing where there is nothing to do, or no
 * directory. An error where results are incomplete and cannot be completed here.
 */
PENTA_API bool penta_io_run_settle(const char *directory, penta_io_error *err);

enum penta_io_run_state {
    PENTA_IO_RUN_UNKNOWN, /* no run that is known wrote the file */
    PENTA_IO_RUN_WHOLE,   /* as the run wrote it */
    PENTA_IO_RUN_CHANGED, /* changed since then */
    PENTA_IO_RUN_DAMAGED  /* not changed since then, and yet not what was written */
};

/** Compares a file with the manifest beside it, or with the one in the directory above; reads it whole. */
PENTA_API enum penta_io_run_state penta_io_run_look(const char *path);

/** For a file that is about to be read: settles its directory, and refuses it when it is damaged. */
PENTA_API bool penta_io_run_check(const char *path, penta_io_error *err);

/** As penta_io_run_check, for files that nobody edits, as checkpoints: one that was changed or replaced is refused too.
 */
PENTA_API bool penta_io_run_check_unedited(const char *path, penta_io_error *err);

/** False, with a line, for two files of one directory that different runs wrote; unknown ones pass. */
PENTA_API bool penta_io_run_same(const char *a, const char *b, penta_io_error *err);

PENTA_END_DECLS
#endif
