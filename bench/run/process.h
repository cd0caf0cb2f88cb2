/* Programs that are run beside this one, their output in temporary files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

typedef struct {
    const char *const *words; /* of its command line, the last NULL */
    const char *const *set; /* "NAME=value", or "NAME" to be unset, the last NULL; or NULL: the environment as it was */
    FILE *in;               /* its stdin; NULL: this process's */
    double limit;           /* s; then it is asked to end, and soon killed; 0: none */
} bench_program;

typedef struct {
    double wall, cpu;       /* s; cpu: of it and what it started */
    bool started;           /* false: there is no such program */
    bool late, interrupted; /* it took longer than the limit; it was killed after Ctrl-C */
    int code, signal;       /* exit code, or 128 + the signal that ended it; signal: 0: none */
    char said[256];         /* the last line on its stderr that is not empty */
    json_t *answer;         /* on its stdout; NULL: none */
} bench_end;

/* Runs it to its end. It dies with this process, and Ctrl-C of the terminal does not reach it. False, with errno: no
 * process. */
bool bench_run_program(const bench_program *program, bench_end *out);

/* Called before OpenCL is used, to keep the environment for programs: ocl-icd takes OCL_ICD_FILENAMES apart where it
 * stands, so that processes which inherit it see its first name alone. */
void bench_keep_environment(void);
