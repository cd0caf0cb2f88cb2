/* The case of PNG files (png.c). */
#ifndef PENTA_BENCH_AUTOCORR_PNG_H
#define PENTA_BENCH_AUTOCORR_PNG_H

#include "bench.h"

/* Measures the case if it is asked for, and adds its rows. */
void autocorr_png_rows(bench *b);

#endif
