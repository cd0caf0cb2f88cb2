/* The members of a scaling benchmark: which devices they have, and how they run together. */
#include "scaling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/json.h"
#include "shared/ranks.h"

enum { MOST_PARTS = 4 }; /* that a CPU device is divided into unless the list says otherwise */

/* ---- opening ---- */

static int fail_open(penta_status status)
{
    int code = cli_fail_library("bench", NULL, false);

    return status == PENTA_INVALID ? CLI_USAGE : code;
}

/* Parts of a CPU device with as many cores each, or two where there are no such. */
static size_t parts_of(unsigned units)
{
    for (size_t n = MOST_PARTS; n > 1; n--)
        if (units % n == 0)
            return n;
    return 2;
}

/* The list that names this device as often as it has parts. */
static int divide(penta_context **whole, scaling_team *t)
{
    size_t index, part, parts, n = parts_of(penta_context_device(whole[0])->compute_units);
    char list[24 * MOST_PARTS] = "";
    penta_status status;

    penta_context_share(whole[0], &index, &part, &parts);
    penta_contexts_destroy(whole, 1);
    for (size_t i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%zu", i > 0 ? "," : "", index);
    status = penta_contexts_create(list, &t->contexts, &t->size);
    return status == PENTA_OK ? CLI_OK : fail_open(status);
}

/* As context.c of the library divides: the first ones have one unit more. */
static unsigned units_of(unsigned units, size_t part, size_t parts)
{
    size_t n = parts < units ? parts : units;

    return (unsigned)(units / n + (part % n < units % n));
}

static void look(const penta_context *ctx, scaling_place *p)
{
    const penta_device *d = penta_context_device(ctx);

    (void)gethostname(p->host, sizeof p->host - 1);
    snprintf(p->device, sizeof p->device, "%s", d->name);
    p->cpu = d->type == PENTA_DEVICE_CPU;
    p->units = p->cpu ? units_of(d->compute_units, p->part, p->parts) : d->compute_units;
    p->shared = p->cpu && p->parts > d->compute_units;
}

/* Each rank has one context, at its place. */
static int open_ranks(const char *list, scaling_team *t)
{
    size_t rank = ranks_rank();
    scaling_place mine = {.parts = 1};
    int code = CLI_OK;

    t->contexts = calloc(ranks_size(), sizeof *t->contexts);
    if (!t->contexts)
        code = cli_fail("bench", CLI_ERROR, "out of memory");
    code = ranks_agree(code);
    t->size = code == CLI_OK ? ranks_size() : 0;
    if (code == CLI_OK)
        code = ranks_open_device("bench", list, false, &t->contexts[rank]);
    if (code == CLI_OK) {
        const rank_place *place = &ranks_places()[rank];

        mine.index = place->index;
        mine.part = place->part;
        mine.parts = place->parts;
        look(t->contexts[rank], &mine);
    }
    return ranks_exchange(code, &mine, sizeof mine, (void **)&t->places, NULL);
}

int scaling_team_open(const char *list, scaling_team *out)
{
    int code = CLI_OK;
    penta_status status;

    *out = (scaling_team){0};
    if (ranks_size() > 1)
        return open_ranks(list, out);
    status = penta_contexts_create(list, &out->contexts, &out->size);
    if (status != PENTA_OK)
        return fail_open(status);
    if (out->size == 1 && penta_context_device(out->contexts[0])->type == PENTA_DEVICE_CPU)
        code = divide(out->contexts, out);
    else if (out->size == 1)
        code = cli_fail("bench", CLI_USAGE, "--scaling needs several devices, but got one (%s): -d 0,1, gpu* or all",
                        penta_context_device(out->contexts[0])->name);
    if (code != CLI_OK)
        return code;
    out->places = calloc(out->size, sizeof *out->places);
    if (!out->places)
        return cli_fail("bench", CLI_ERROR, "out of memory");
    for (size_t i = 0; i < out->size; i++) {
        scaling_place *p = &out->places[i];

        penta_context_share(out->contexts[i], &p->index, &p->part, &p->parts);
        look(out->contexts[i], p);
    }
    return CLI_OK;
}

void scaling_team_close(scaling_team *team)
{
    if (ranks_size() > 1 && team->contexts) {
        penta_context_destroy(team->contexts[ranks_rank()]);
        free(team->contexts);
    } else {
        penta_contexts_destroy(team->contexts, team->size);
    }
    free(team->places);
    *team = (scaling_team){0};
}

/* ---- who they are ---- */

json_t *scaling_team_describe(const scaling_team *team)
{
    json_t *list = json_array();

    for (size_t i = 0; i < team->size; i++) {
        const scaling_place *p = &team->places[i];

        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:I, s:I, s:I, s:I}", "rank", (json_int_t)i, "host",
                                              json_text(p->host), "device", json_text(p->device), "index",
                                              (json_int_t)p->index, "part", (json_int_t)p->part, "parts",
                                              (json_int_t)p->parts, "compute_units", (json_int_t)p->units));
    }
    return list;
}

void scaling_team_print(const scaling_team *team)
{
    for (size_t i = 0; i < team->size; i++) {
        const scaling_place *p = &team->places[i];
        char of[64] = "";

        if (p->parts > 1)
            snprintf(of, sizeof of, ", part %zu of %zu", p->part + 1, p->parts);
        printf("%s %zu: %s%sdevice %zu%s (%s), %u %s%s%s\n", ranks_size() > 1 ? "rank" : "member", i,
               ranks_size() > 1 ? p->host : "", ranks_size() > 1 ? ", " : "", p->index, of, p->device, p->units,
               p->cpu ? "core" : "compute unit", p->units == 1 ? "" : "s", p->shared ? ", shared with others" : "");
    }
}

/* ---- running ---- */

penta_status scaling_team_run(size_t members, penta_status (*body)(penta_group *group, void *data), void *data)
{
    penta_group *group = NULL;
    penta_status status;

    if (ranks_size() == 1)
        return penta_group_threads(members, body, data);
    if (ranks_rank() >= members)
        return PENTA_OK;
    status = penta_group_first(ranks_group(), members, &group);
    if (status == PENTA_OK)
        status = body(group, data);
    penta_group_leave(group);
    return status;
}
