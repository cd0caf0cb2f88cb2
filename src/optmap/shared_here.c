/* Members of one process, and rank 0: rows of the movie and of the results where these are. */
#include "core/group.h"
#include "optmap/shared.h"

penta_status optmap_shared_here(optmap_shared *s, optmap_count *count, size_t *batches)
{
    penta_status status = PENTA_OK;
    penta_optmap_result mine = *s->result;
    const optmap_rows rows = {.from = s->first[s->rank], .to = s->first[s->rank + 1], .held = s->plan->shape.height};

    if (rows.from < rows.to)
        status = optmap_run_rows(s->plan, s->movie, &rows, &mine, count);
    *batches = mine.batches;
    return penta_group_agree(s->group, s->plan->resources.ctx, status);
}
