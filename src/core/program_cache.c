/*
 * Which programs are kept, under which key, and what this process did with them. A folder that cannot be used is no
 * failure: programs are compiled then.
 */
#include "core/program_cache.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/cache.h>
#include "core/folders.h"
#include "core/internal.h"

static const uint64_t most_bytes = (uint64_t)512 << 20;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t loaded, compiled, damaged; /* under the lock */

static void count(size_t *what)
{
    pthread_mutex_lock(&lock);
    ++*what;
    pthread_mutex_unlock(&lock);
}

/* ---- where, and for whom ---- */

static bool folder_name(penta_folder *out)
{
    const char *given = getenv("PENTACL_CACHE_DIR");

    if (!given)
        return penta_folder_in_cache(out, "pentacl/programs");
    return *given && (size_t)snprintf(out->path, sizeof out->path, "%s", given) < sizeof out->path;
}

int penta_cache_folder(bool make)
{
    penta_folder place;
    char why[256];

    return folder_name(&place) ? penta_program_folder(place.path, make, why, sizeof why) : -1;
}

static bool is_pocl(const char *platform)
{
    return strstr(platform, "Portable Computing Language");
}

/*
 * NVIDIA's driver keeps its programs. So does PoCL, but it reads some 17000 lines of declarations to find each: 20 to
 * 70 ms, where a binary takes 1. Its binaries have code for any size of work-groups, which takes a compilation more
 * unless launches use that code, too. The command sees to it (tools/penta.c); our kernels are no slower for it.
 */
static bool driver_keeps(const char *platform)
{
    const char *special = getenv("POCL_WORK_GROUP_SPECIALIZATION");

    return strstr(platform, "NVIDIA") || (is_pocl(platform) && !(special && strcmp(special, "0") == 0));
}

static bool is_used(const char *platform)
{
    const char *wish = penta_environment("PENTACL_CACHE");
    penta_folder place;

    if (!folder_name(&place) || (wish && strcmp(wish, "never") == 0))
        return false;
    return (wish && strcmp(wish, "always") == 0) || !driver_keeps(platform);
}

bool penta_cache_used(const penta_context *ctx)
{
    return is_used(ctx->info.platform);
}

bool penta_cache_used_late(const penta_context *ctx)
{
    const char *wish = penta_environment("PENTACL_CACHE");

    return is_pocl(ctx->info.platform) && !(wish && strcmp(wish, "always") == 0);
}

const char *penta_cache_keeper(const penta_device *device)
{
    if (is_used(device->platform))
        return "pentacl";
    return driver_keeps(device->platform) ? "driver" : "nobody";
}

void penta_cache_tell(penta_context *ctx)
{
    const char *what = "compiled programs", *wish = penta_environment("PENTACL_CACHE");
    bool always = wish && strcmp(wish, "always") == 0, never = wish && strcmp(wish, "never") == 0;
    char kept[PATH_MAX + 16];
    penta_folder place;

    if (is_used(ctx->info.platform) && folder_name(&place)) {
        snprintf(kept, sizeof kept, "kept in %s", place.path);
        penta_chose(ctx, what, kept, "%s",
                    always                        ? "PENTACL_CACHE is always"
                    : is_pocl(ctx->info.platform) ? "PoCL finds its own only by compiling in part"
                                                  : "the driver keeps none");
    } else if (driver_keeps(ctx->info.platform)) {
        penta_chose(ctx, what, "kept by the driver", "%s keeps what it compiles", ctx->info.platform);
    } else {
        penta_chose(ctx, what, "not kept", "%s",
                    never ? "PENTACL_CACHE is never" : "there is no folder for them (PENTACL_CACHE_DIR, HOME)");
    }
}

/* ---- programs ---- */

penta_status penta_cache_key(penta_context *ctx, const char *options, const char *source, penta_program_key *key)
{
    penta_status status = PENTA_OK;
    const penta_device *d = &ctx->info;
    char platform[256] = "";
    size_t room;

    *key = (penta_program_key){0};
    CL_TRY(clGetPlatformInfo(ctx->platform, CL_PLATFORM_VERSION, sizeof platform - 1, platform, NULL));
    room = strlen(options) + strlen(source) + sizeof *d + sizeof platform + 128;
    TRY(penta_calloc(ctx, room, 1, &key->text));
    key->length =
        (size_t)snprintf(key->text, room, "pentacl %s\n%s\n%s\n%s\n%s\n%s\n%u units\n%s\n%s", penta_version(),
                         d->platform, platform, d->name, d->version, d->driver, d->compute_units, options, source);
cleanup:
    return status;
}

void *penta_cache_load(const penta_program_key *key, size_t *bytes)
{
    void *data = NULL;
    int folder = penta_cache_folder(false);
    penta_file_state state = PENTA_FILE_NONE;

    if (folder >= 0) {
        state = penta_program_load(folder, key, &data, bytes);
        close(folder);
    }
    if (state == PENTA_FILE_DAMAGED)
        count(&damaged);
    count(state == PENTA_FILE_WHOLE ? &loaded : &compiled);
    return data;
}

void penta_cache_reject(const penta_program_key *key)
{
    int folder = penta_cache_folder(false);

    pthread_mutex_lock(&lock);
    loaded--;
    compiled++;
    pthread_mutex_unlock(&lock);
    if (folder < 0)
        return;
    penta_program_remove(folder, key);
    close(folder);
}

void penta_cache_store(const penta_program_key *key, const void *data, size_t bytes)
{
    int folder = data ? penta_cache_folder(true) : -1;

    if (folder < 0)
        return;
    penta_program_store(folder, key, data, bytes, most_bytes);
    close(folder);
}

/* ---- for programs ---- */

static void fill(penta_cache_info *info)
{
    penta_folder place;
    int folder;

    info->most_bytes = most_bytes;
    pthread_mutex_lock(&lock);
    info->loaded = loaded;
    info->compiled = compiled;
    info->damaged = damaged;
    pthread_mutex_unlock(&lock);
    if (!folder_name(&place))
        return;
    snprintf(info->folder, sizeof info->folder, "%s", place.path);
    folder = penta_program_folder(place.path, false, info->fault, sizeof info->fault);
    if (folder < 0)
        return;
    info->programs = penta_program_count(folder, false, &info->bytes);
    close(folder);
}

void penta_cache_look(penta_cache_info *info)
{
    penta_cache_info whole = {.size = info->size};

    fill(&whole);
    memcpy(info, &whole, info->size < sizeof whole ? info->size : sizeof whole);
}

penta_status penta_cache_clear(size_t *programs, uint64_t *bytes)
{
    penta_folder place;
    char why[256];
    uint64_t removed_bytes = 0;
    size_t removed = 0;

    if (folder_name(&place)) {
        int folder = penta_program_folder(place.path, false, why, sizeof why);

        if (folder < 0 && *why)
            return penta_fail(NULL, PENTA_INVALID, "%s is no cache of programs: %s", place.path, why);
        if (folder >= 0) {
            removed = penta_program_count(folder, true, &removed_bytes);
            close(folder);
        }
    }
    if (programs)
        *programs = removed;
    if (bytes)
        *bytes = removed_bytes;
    return PENTA_OK;
}
