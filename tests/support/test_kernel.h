/* A kernel of a test, compiled after a file of cl/. */
#pragma once

#include "core/core.h"

/* Kernel `name` of `source`, compiled after the file `include` of cl/ with `defines`. Fails the running test if it does
 * not compile. The names of a context's test kernels differ from one another. */
void get_test_kernel(penta_context *ctx, const char *include, const char *source, const char *name, const char *defines,
                     penta_kernel *out);
