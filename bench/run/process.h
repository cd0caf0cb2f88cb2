/* A program that is run beside this one, its output in temporary files. */
#ifndef PENTA_BENCH_PROCESS_H
#define PENTA_BENCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { BENCH_NO_PROGRAM = 127 }; /* the exit code where there is no such program */

typedef struct {
    FILE *out, *err; /* its stdout and stderr; NULL: none was made */
    pid_t id;
} bench_process;

/*
 * Starts a process, which calls become(data) to turn into the program (exec). It dies with this one, and Ctrl-C of the
 * terminal does not reach it. False, with errno: there is none. bench_process_close follows in any case; waiting is up
 * to the caller.
 */
bool bench_process_start(bench_process *p, void (*become)(const void *data), const void *data);
void bench_process_close(bench_process *p);

/* The last line of what a process wrote that is not empty; "" where there is none. */
void bench_last_line(FILE *file, char *line, size_t size);

/* Called before OpenCL is used: ocl-icd takes OCL_ICD_FILENAMES apart where it stands, so that processes which inherit
 * it see its first name alone. bench_environment is the environment as it was. */
void bench_keep_environment(void);
char **bench_environment(void);

#endif
