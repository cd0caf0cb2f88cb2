/*
 * What a run has made and must take back when it fails: files under temporary names, and directories, which go only
 * while they are empty. Any thread may call these; io_traces_remove a signal handler, too.
 */
#ifndef PENTA_IO_TRACES_H
#define PENTA_IO_TRACES_H

typedef struct io_trace io_trace;

/* Before the file is made. NULL: out of memory. */
io_trace *io_trace_file(const char *path);
/* After the directory was made. The same. */
io_trace *io_trace_directory(const char *path);

/* It is gone, or has its name and stays. NULL is fine. */
void io_trace_drop(io_trace *trace);

/* Removes all files, then all directories, the last one first, that were not dropped. */
void io_traces_remove(void);

#endif
