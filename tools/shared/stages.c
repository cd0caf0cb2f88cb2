#include "shared/stages.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shared/cli.h"
#include "shared/drivers.h"
#include "shared/json.h"

static const char *const names[STAGES] = {"start", "read", "compute", "pictures", "write"};

static struct {
    bool began, has_device;
    pthread_t first;
    stage now;
    double since, seconds[STAGES];
    double kernels, uploads, downloads;
    double libraries; /* CPU time before main */
} clock_of;

void stages_begin(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    memset(&clock_of, 0, sizeof clock_of);
    clock_of.libraries = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

/* ---- for people ---- */

bool stages_is_start(const char *what)
{
    return strcmp(what, "opening") == 0 || strcmp(what, "programs") == 0;
}

static void print_start(void *user, const char *what, const char *took, const char *of)
{
    (void)user;
    if (stages_is_start(what))
        fprintf(stderr, "  %-10s %11s: %s\n", what, took, of);
}

void stages_print_row(const char *what, double seconds, const char *of)
{
    fprintf(stderr, "  %-10s %8.1f ms%s%s\n", what, 1e3 * seconds, *of ? ": " : "", of);
}

void stages_print(const char *command, penta_context *const *contexts, size_t count)
{
    static const char *const of[STAGES] = {"with opening", "", "with programs", "", ""};

    (void)stages_enter(clock_of.now);
    fprintf(stderr, "penta %s: where the time went\n", command);
    if (*drivers_hidden())
        fprintf(stderr, "  not opened for -d or PENTACL_DEVICE: %s\n", drivers_hidden());
    stages_print_row("libraries", clock_of.libraries, "CPU time before main");
    for (int i = 0; i < STAGES; i++)
        stages_print_row(names[i], clock_of.seconds[i], of[i]);
    for (size_t i = 0; i < count; i++)
        penta_context_on_choice(contexts[i], print_start, NULL);
    for (size_t i = 0; i < count; i++)
        penta_context_on_choice(contexts[i], NULL, NULL);
}
