/* Inside the GPU forms of the forces: the one for few bodies. */
#pragma once

#include "nbody/nbody.h"

/* 0: chosen by the kernel. */
typedef struct nbody_few_form {
    size_t group;   /* work-items of a group */
    size_t targets; /* of a group, a divisor of NBODY_PITCH; 3 targets x 2 are group items at most */
} nbody_few_form;

/* Whether it is faster than the others here. */
bool nbody_few_suits(const penta_context *ctx, const nbody_shape *shape, int kernel);

/* As nbody_few.create; form may be NULL. */
penta_status nbody_few_create(penta_context *ctx, const nbody_shape *shape, int kernel, const nbody_few_form *form,
                              void **state);
