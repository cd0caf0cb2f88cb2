#include "shared/stages.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "shared/cli.h"
#include "shared/json.h"

static const char *const names[STAGES] = {"start", "read", "compute", "pictures", "write"};

static struct {
    bool began, has_device;
    pthread_t first;
    stage now;
    double since, seconds[STAGES];
    double kernels, uploads, downloads;
} clock_of;

void stages_begin(void)
{
    memset(&clock_of, 0, sizeof clock_of);
    clock_of.first = pthread_self();
    clock_of.since = cli_seconds();
    clock_of.began = true;
}

static bool is_mine(void)
{
    return clock_of.began && pthread_equal(clock_of.first, pthread_self());
}

stage stages_enter(stage next)
{
    stage before;
    double now;

    if (!is_mine())
        return next;
    before = clock_of.now;
    now = cli_seconds();
    clock_of.seconds[before] += now - clock_of.since;
    clock_of.since = now;
    clock_of.now = next;
    return before;
}

void stages_note_device(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count;

    if (!ctx || clock_of.has_device || !is_mine())
        return;
    clock_of.has_device = true;
    count = penta_profile(ctx, &entries);
    for (size_t i = 0; i < count; i++) {
        const penta_profile_entry *e = &entries[i];

        *(!e->transfer                    ? &clock_of.kernels
          : strcmp(e->name, "write") == 0 ? &clock_of.uploads
                                          : &clock_of.downloads) += e->seconds;
    }
}

json_t *stages_json(void)
{
    json_t *all;

    if (!clock_of.has_device)
        return NULL;
    (void)stages_enter(clock_of.now);
    all = json_object();
    for (int i = 0; all && i < STAGES; i++)
        json_object_set_new(all, names[i], json_number(clock_of.seconds[i]));
    if (all)
        json_object_set_new(all, "device",
                            json_pack("{s:o, s:o, s:o}", "kernels", json_number(clock_of.kernels), "uploads",
                                      json_number(clock_of.uploads), "downloads", json_number(clock_of.downloads)));
    return all;
}
