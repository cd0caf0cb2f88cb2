/* What the members that draw a frame tell each other while they do. */
#include <stdlib.h>
#include <string.h>

#include "stars/shared.h"

/* The first bad star of those that members have named; SIZE_MAX: none. */
static size_t first_bad(const stars_shared *s, const stars_word *words)
{
    size_t bad = SIZE_MAX;

    for (size_t m = 0; m < s->members; m++)
        bad = words[m].bad < bad ? words[m].bad : bad;
    return bad;
}

/* In the words of the member in whose list it is. */
static penta_status refuse_star(const stars_shared *s, size_t star)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = s->plan->ctx;
    size_t begin = 0, owner = 0;
    const char *text = "";
    char *all = NULL;

    while (star >= begin + s->lists[owner].n)
        begin += s->lists[owner++].n;
    if (owner == s->rank) {
        (void)stars_refuse_as(ctx, &s->plan->options, &s->lists[owner], star - begin, star);
        text = penta_last_error(ctx);
    }
    TRY(penta_explain(ctx, penta_group_gather(s->group, text, strcspn(text, "\n"), (void **)&all, s->sizes)));
    status = penta_fail(ctx, PENTA_INVALID, "%.*s", (int)s->sizes[owner], all ? all : "");
cleanup:
    free(all);
    return status;
}

penta_status stars_shared_agree(const stars_shared *s, stars_word own, stars_word *all)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = s->plan->ctx;
    stars_word *words = NULL;
    bool failed = false;
    size_t bad;

    TRY(penta_explain(ctx, penta_group_gather(s->group, &own, sizeof own, (void **)&words, NULL)));
    for (size_t m = 0; m < s->members; m++) {
        failed = failed || words[m].status != PENTA_OK;
        if (all)
            all[m] = words[m];
    }
    bad = first_bad(s, words);
    if (bad < SIZE_MAX)
        status = refuse_star(s, bad);
    else if (failed)
        status = own.status != PENTA_OK ? own.status : penta_fail(ctx, PENTA_CANCELLED, "another member has failed");
cleanup:
    free(words);
    return status;
}

penta_stars_list stars_shared_list(const stars_shared *s, double *const columns[STARS_COLUMNS], size_t n)
{
    return (penta_stars_list){.n = n,
                              .x = columns[0],
                              .y = columns[1],
                              .magnitude = s->by_flux ? NULL : columns[2],
                              .flux = s->by_flux ? columns[2] : NULL,
                              .motion_x = s->moving ? columns[3] : NULL,
                              .motion_y = s->moving ? columns[4] : NULL};
}
