/* The forms of engine `tile` for short lists, on GPUs and on CPUs: one kernel, which writes each pixel once. */
#pragma once

#include "stars/engine.h"

typedef struct stars_few_state {
    stars_shape shape;
    penta_kernel kernel;
    bool drawn; /* an empty list never is */
} stars_few_state;

penta_status stars_few_begin(void *state, penta_buffer *image, size_t rows, double weights);
penta_status stars_few_end(void *state, penta_buffer *image, size_t rows);
