/* A line on a terminal's stderr while kernels compile, once that has taken half a second. */
#pragma once

#include <stdbool.h>

#include <pentacl/context.h>

typedef struct building building;

/* Watches the context's compilations from now on. NULL where nothing is drawn: quiet, or stderr is no terminal that
 * takes control sequences; or without memory. */
building *building_watch(penta_context *ctx, bool quiet);

/* Before the context is destroyed; clears the line. NULL is fine. */
void building_end(building *b, penta_context *ctx);
