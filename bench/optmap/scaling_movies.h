#ifndef PENTA_BENCH_OPTMAP_SCALING_MOVIES_H
#define PENTA_BENCH_OPTMAP_SCALING_MOVIES_H

#include "scaling/scaling.h"

/* The frames of different movies, one after another, in pinned memory of the member; NULL after scaling_fault. */
const void **optmap_scaling_movies(scaling_member *m, size_t width, size_t height, size_t length, size_t count);

#endif
