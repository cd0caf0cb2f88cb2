/* The steps of a commit behind its commit point, each of which may have been done before. */
#pragma once

#include <sys/types.h>

#include "io/manifest.h"

/* Where steps are done, and for whom: what its owner cannot change is not changed for a manifest. */
typedef struct io_settle_place {
    const char *directory;
    bool own;    /* the manifest is of this process or its user */
    uid_t owner; /* of the manifest, where it is not */
} io_settle_place;

/* Does what the manifest says is pending, and writes it without that. For the holder of the directory's lock. */
bool io_settle_finish(const io_settle_place *place, json_t *manifest, penta_io_error *err);
/* The same for a manifest that was found in the directory. */
bool io_settle_found(const char *directory, json_t *manifest, penta_io_error *err);
