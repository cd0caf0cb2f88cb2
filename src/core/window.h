/* Memory of each member of a group that the others on its machine see: what is large is put there once instead of being
 * copied into messages, which then tell that it is there. */
#pragma once

#include "core/group.h"

/* Zero-initialise; closing is idempotent. */
typedef struct penta_window {
    penta_context *ctx;
    size_t members;
    char *own;                      /* this member's memory, pinned on a GPU */
    const char **seen;              /* by rank: that member's; NULL: it cannot be seen from here */
    bool *shown;                    /* by rank: whether that member sees this one's */
    struct penta_mapping *mappings; /* by rank: what closing ends */
} penta_window;

/*
 * Every member, with bytes of its own. Members on one machine see each other's memory where that can be opened; whoever
 * is not shown the memory needs messages. Two members agree on what the one is shown of the other. What is written is
 * seen by who receives a message that was sent afterwards. Errors, the same at all members: PENTA_MEMORY, PENTA_DEVICE,
 * PENTA_CANCELLED.
 */
penta_status penta_window_open(penta_context *ctx, penta_group *group, size_t bytes, penta_window *out);
/* Waits for this member's transfers, and for nobody: others keep what they see of this member until they close theirs.
 */
void penta_window_close(penta_window *window);
