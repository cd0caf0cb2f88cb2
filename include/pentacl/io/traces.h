/*
 * What a run has made and must take back when it fails: files under temporary names, and directories, which go only
 * while they are empty. Any thread may call these; penta_io_traces_remove a signal handler, too.
 */
#ifndef PENTACL_IO_TRACES_H
#define PENTACL_IO_TRACES_H

typedef struct penta_io_trace penta_io_trace;

/* Before the file is made. NULL: out of memory. */
penta_io_trace *penta_io_trace_file(const char *path);
/* After the directory was made. The same. */
penta_io_trace *penta_io_trace_directory(const char *path);

/* It is gone, or has its name and stays. NULL is fine. */
void penta_io_trace_drop(penta_io_trace *trace);

/* Removes all files, then all directories, the last one first, that were not dropped. */
void penta_io_traces_remove(void);

#endif
