/* Programs as program.c has them. */
#pragma once

#include <stdatomic.h>

#include "core/internal.h"
#include "core/parallel.h"
#include "core/program_cache.h"

enum { PENTA_MOST_LAUNCHED = 64 }; /* a program of more kernels is not kept */

/* A program of the context. */
typedef struct penta_program {
    penta_context *ctx;
    char *file, *defines;
    bool fp64; /* compiled for a device with double precision (penta_context_without_double) */
    char *text, *options;
    penta_program_key key;
    bool kept;           /* the key is there: it is looked for in the cache of programs, and kept there */
    bool offered;        /* to helpers, as */
    penta_pieces pieces; /* a single one, which compiles */
    atomic_bool unwanted;
    bool ended; /* by the context's thread, which alone sees what follows from then on */
    cl_program handle;
    cl_int code;     /* of clBuildProgram, or why there is no program */
    bool keeps_late; /* kept at the end, if all of its kernels have run */
    const char *launched[PENTA_MOST_LAUNCHED];
    size_t launches; /* kernels that were launched, by name */
    bool loaded;     /* as it had been kept */
    struct penta_program *next;
} penta_program;
