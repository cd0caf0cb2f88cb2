/* One frame by the members of a group: what they tell each other first, and the bound of all stars' light. */
#include "stars/shared.h"

#include <stdlib.h>

#include "core/group.h"
#include "stars/bound.h"

static penta_status check(penta_stars *plan, const penta_group *group, const penta_stars_list *stars,
                          const penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    size_t first, rows;

    penta_group_slice(group, penta_group_rank(group), plan->height, &first, &rows);
    if (plan->on_host)
        return stars_refuse_rows(plan);
    TRY(penta_check_array(plan->ctx, result->image, stars_frame_bytes(plan, rows)));
    TRY(stars_need_host(plan->ctx, stars));
    TRY(stars_check_columns(plan, stars));
cleanup:
    return status;
}

/* Whether the members' lists are parts of one. */
static penta_status compare_lists(stars_shared *s)
{
    const penta_stars_list *one = NULL;

    s->total = 0;
    for (size_t m = 0; m < s->members; m++) {
        const penta_stars_list *list = &s->lists[m];

        s->total += list->n;
        if (list->n == 0)
            continue;
        one = one ? one : list;
        if (!list->flux != !one->flux || !list->motion_x != !one->motion_x)
            return penta_fail(s->plan->ctx, PENTA_INVALID,
                              "members of a group have stars by flux and by magnitude, or that move and do not");
    }
    s->by_flux = one && one->flux;
    s->moving = one && one->motion_x;
    return PENTA_OK;
}

/* What a member begins with. */
typedef struct {
    penta_status status;
    penta_stars_list list;
} hello;

/* own: whether this member can go on. */
static penta_status exchange_lists(stars_shared *s, const penta_stars_list *list, penta_status own)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = s->plan->ctx;
    const hello mine = {own, *list};
    hello *all = NULL;

    TRY(penta_calloc(ctx, s->members, sizeof *s->lists, &s->lists));
    TRY(penta_calloc(ctx, s->members, sizeof *s->sizes, &s->sizes));
    TRY(penta_explain(ctx, penta_group_gather(s->group, &mine, sizeof mine, (void **)&all, NULL)));
    for (size_t m = 0; m < s->members; m++) {
        s->lists[m] = all[m].list;
        if (all[m].status != PENTA_OK)
            status = PENTA_CANCELLED;
    }
    if (own != PENTA_OK)
        status = own;
    else if (status != PENTA_OK)
        status = penta_fail(ctx, PENTA_CANCELLED, "another member has failed");
    else
        status = compare_lists(s);
cleanup:
    free(all);
    return status;
}

static penta_status open_device(stars_shared *s)
{
    penta_status status = PENTA_OK;

    TRY(stars_need_device(s->plan, s->moving));
    s->device = s->plan->device[s->moving];
cleanup:
    return status;
}

/* Refuses the first star that moves by no number or, where other members do not see it, that is bad otherwise. Opens
 * the device. */
static penta_status check_stars_and_device(stars_shared *s, const penta_stars_list *own)
{
    stars_word word = {open_device(s), SIZE_MAX};
    size_t begin = 0, bad;

    for (size_t m = 0; m < s->rank; m++)
        begin += s->lists[m].n;
    bad = penta_group_in_one_process(s->group) ? stars_first_bad_motion(own) : stars_first_bad(&s->plan->options, own);
    if (bad < own->n)
        word = (stars_word){PENTA_INVALID, begin + bad};
    return stars_shared_agree(s, word, NULL);
}

static penta_status find_weights(stars_shared *s, const penta_stars_list *own)
{
    penta_status status = PENTA_OK;
    double fluxes = 0;

    if (stars_device_is_bounded(s->device))
        TRY(stars_flux_bound(s->plan->ctx, &s->plan->options, own, s->group, s->by_flux, &fluxes));
    s->weights = stars_device_weights(s->device, fluxes);
cleanup:
    return status;
}

penta_status stars_run_shared(penta_stars *plan, penta_group *group, const penta_stars_list *stars, size_t chunk,
                              penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    stars_shared s = {.plan = plan,
                      .group = group,
                      .rank = penta_group_rank(group),
                      .members = penta_group_size(group),
                      .chunk = chunk};

    if (s.members == 1)
        return penta_stars_run(plan, stars, result);
    result->drawn = 0;
    result->flux_total = 0;
    result->engine = stars_name_of_engine(plan->engine);
    TRY(exchange_lists(&s, stars, check(plan, group, stars, result)));
    TRY(check_stars_and_device(&s, stars));
    TRY(find_weights(&s, stars));
    if (!penta_group_in_one_process(group))
        TRY(stars_shared_apart(&s, result));
    else if (!stars_device_is_bounded(s.device) || (chunk == 0 && s.total <= STARS_SHARED_FEW))
        TRY(stars_shared_few(&s, result));
    else
        TRY(stars_shared_here(&s, result));
cleanup:
    free(s.lists);
    free(s.sizes);
    return status;
}

penta_status penta_stars_run_shared(penta_stars *plan, penta_group *group, const penta_stars_list *stars,
                                    penta_stars_result *result)
{
    return stars_run_shared(plan, group, stars, 0, result);
}
