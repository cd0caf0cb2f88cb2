/* Which device each rank has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/ranks.h"

static rank_place *places;
static double *seconds_of;
static size_t here = 1;

const rank_place *ranks_places(void)
{
    return places;
}

size_t ranks_here(void)
{
    return here;
}

const double *ranks_seconds(void)
{
    return seconds_of;
}

static const char *text_of(const char *variable)
{
    const char *text = getenv(variable);

    return text ? text : "";
}

/* What a rank is on: its machine, and which of its GPUs a batch system lets it see. */
typedef struct {
    char host[64], visible[192];
} whereabouts;

static void look_around(whereabouts *w)
{
    memset(w, 0, sizeof *w);
    (void)gethostname(w->host, sizeof w->host - 1);
    snprintf(w->visible, sizeof w->visible, "%.90s/%.90s", text_of("CUDA_VISIBLE_DEVICES"),
             text_of("ROCR_VISIBLE_DEVICES"));
}

/* Of the devices that are named on this machine the one whose turn this rank is. */
static int take_turn(const char *command, const size_t *indices, size_t count, size_t turn, rank_place *mine)
{
    penta_device *devices = NULL;
    size_t n;

    if (penta_devices(&devices, &n) != PENTA_OK)
        return cli_fail_library(command, NULL, false);
    mine->index = indices[turn % count];
    if (mine->index < n) {
        snprintf(mine->device, sizeof mine->device, "%s", devices[mine->index].name);
        mine->type = devices[mine->index].type;
    }
    penta_devices_free(devices);
    return CLI_OK;
}

/* Which part of its device each rank has. */
static void divide(const whereabouts *all)
{
    for (size_t i = 0; i < ranks_size(); i++) {
        rank_place *p = &places[i];

        p->part = p->parts = 0;
        for (size_t k = 0; k < ranks_size(); k++) {
            bool same = places[k].index == p->index && strcmp(all[k].host, all[i].host) == 0 &&
                        strcmp(all[k].visible, all[i].visible) == 0;

            p->part += same && k < i;
            p->parts += same;
        }
    }
}

/* Devices of different types would not give the same bits. */
static int check_types(const char *command)
{
    for (size_t i = 1; i < ranks_size(); i++)
        if (places[i].type != places[0].type)
            return cli_fail(command, CLI_USAGE,
                            "rank 0 has %s, a %s, and rank %zu has %s, a %s: results of different types differ in the "
                            "last bits; name devices of one type by -d",
                            places[0].device, penta_device_type_name((penta_device_type)places[0].type), i,
                            places[i].device, penta_device_type_name((penta_device_type)places[i].type));
    return CLI_OK;
}

static int find_places(const char *command, const char *list, bool verbose)
{
    whereabouts mine, *all = NULL;
    rank_place place = {.parts = 1};
    size_t *indices = NULL, count, turn = 0;
    int code = CLI_OK;

    look_around(&mine);
    if (penta_devices_named(list, &indices, &count) != PENTA_OK)
        code = cli_fail_library(command, NULL, verbose);
    code = ranks_exchange(code, &mine, sizeof mine, (void **)&all, NULL);
    if (code == CLI_OK) {
        here = 0;
        for (size_t i = 0; i < ranks_size(); i++) {
            bool same = strcmp(all[i].host, mine.host) == 0;

            here += same;
            turn += same && i < ranks_rank();
        }
        snprintf(place.host, sizeof place.host, "%s", mine.host);
        code = take_turn(command, indices, count, turn, &place);
    }
    code = ranks_exchange(code, &place, sizeof place, (void **)&places, NULL);
    if (code == CLI_OK) {
        divide(all);
        code = check_types(command);
    }
    free(indices);
    free(all);
    return code;
}

int ranks_open_device(const char *command, const char *list, bool verbose, penta_context **out)
{
    int code = find_places(command, list, verbose);
    const rank_place *p = code == CLI_OK ? &places[ranks_rank()] : NULL;

    if (p && out && penta_context_create_part(p->index, p->part, p->parts, out) != PENTA_OK)
        code = cli_fail_library(command, NULL, verbose);
    return code;
}

int ranks_exchange_seconds(int code, double seconds)
{
    return ranks_exchange(code, &seconds, sizeof seconds, (void **)&seconds_of, NULL);
}
