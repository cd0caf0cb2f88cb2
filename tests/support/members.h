/* Contexts for the members of a group in a test. */
#pragma once

#include "support/device.h"

/* So many contexts on the device of the tests, which is divided or shared, all treated like `like`. To be given to
 * penta_contexts_destroy. */
penta_context **open_members(penta_context *like, size_t count);
