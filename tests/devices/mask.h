/*
 * A mask between a program and OpenCL (LD_PRELOAD): the device answers as a smaller, older or slower one, and refuses
 * what such a one would refuse. PENTA_MASK holds words with commas between:
 *   gpu          the type is GPU, so that plans take the forms of kernels for GPUs
 *   nofp64       no double precision; the word double does not compile
 *   noimages     no images and no samplers
 *   cl12         OpenCL 1.2: newer queries, functions, languages and extensions are not there
 *   group=N      work-items of a work-group
 *   local=N      bytes of local memory
 *   alloc=N      bytes of one buffer; the memory is four times that
 *   latency=N    microseconds that each launch takes longer
 * A word that is none of these ends the program.
 */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct mask_settings {
    bool gpu, nofp64, noimages, cl12;
    size_t group, local, alloc, latency; /* 0: as the device has it */
} mask_settings;

/* What is here for the mask alone, beside functions of OpenCL. */
#define MASK_OWN __attribute__((visibility("hidden")))

/* Read at first use. */
MASK_OWN const mask_settings *mask(void);

/* The function of this name that the mask stands before. */
MASK_OWN void *mask_next(const char *name);
#define NEXT(name) ((__typeof__(&name))mask_next(#name))
