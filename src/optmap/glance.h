/* A look at a sample of a recording's numbers. */
#pragma once

#include <pentacl/analysis.h>

/* mask: height x width, 0 where pixels do not count, for all but by_light and by_shift, which stay; NULL: the
 * recording's, for all. Errors: PENTA_MEMORY. */
penta_status optmap_glance(penta_context *ctx, const penta_recording *r, const uint8_t *mask, penta_glance *out);
