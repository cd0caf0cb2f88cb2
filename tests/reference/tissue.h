/* The tissue of pentacl/tissue.h in double, element by element as the book has it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <pentacl/tissue.h>

/* `steps` steps of `step` ms of u and v (height x width cells, one a pixel). outline: as penta_tissue_create. */
void reference_tissue(const penta_tissue_options *o, size_t width, size_t height, const uint8_t *outline, size_t steps,
                      double step, double *u, double *v);
