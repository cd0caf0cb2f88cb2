/* Whether all members of a group go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"

/* What a member says of itself. */
typedef struct {
    penta_status status;
    char text[512]; /* of an error */
} verdict;

/* Who fails because another one has is not asked why. */
static const verdict *first_failure(const verdict *all, size_t size)
{
    const verdict *first = NULL;

    for (size_t i = 0; i < size; i++)
        if (all[i].status != PENTA_OK && (!first || first->status == PENTA_CANCELLED))
            first = first && all[i].status == PENTA_CANCELLED ? first : &all[i];
    return first;
}

penta_status penta_group_agree(penta_group *group, penta_context *ctx, penta_status own)
{
    penta_status status = PENTA_OK;
    verdict mine = {.status = own}, *all = NULL;
    const verdict *first;

    if (own != PENTA_OK)
        snprintf(mine.text, sizeof mine.text, "%.*s", (int)strcspn(penta_last_error(ctx), "\n"), penta_last_error(ctx));
    TRY(penta_explain(ctx, penta_group_gather(group, &mine, sizeof mine, (void **)&all, NULL)));
    first = first_failure(all, group->size);
    if (!first || first == &all[group->rank])
        status = own;
    else if (first->status == PENTA_INVALID || first->status == PENTA_CANCELLED) /* of all, whoever has seen it first */
        status = penta_fail(ctx, first->status, "%s", first->text);
    else
        status = penta_fail(ctx, first->status, "member %zu of the group: %s", (size_t)(first - all), first->text);
cleanup:
    free(all);
    return status;
}
