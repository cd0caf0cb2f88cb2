/* Kernels of the analysis, compiled while the movie is conditioned: the first run on a machine waits for compilers. */
#pragma once

#include <sys/types.h>

#include <pentacl/analysis.h>

/*
 * Begins in a process of its own, because PoCL compiles one kernel at a time in a process: it analyses a small movie of
 * `frames` frames with the same options, and the kernels stay in PoCL's cache. It does nothing for other devices, on a
 * single core, and where the first kernels are in the cache already. 0: not begun, which is no failure. To be called
 * while there is one thread and no context. device: the selector; fp64: with double precision.
 */
pid_t optmap_ahead_begin(const char *device, bool fp64, const penta_analysis_options *options, size_t frames,
                         double rate);
/* Waits until it is done, or with `stop` ends it. 0 is fine. */
void optmap_ahead_end(pid_t process, bool stop);
