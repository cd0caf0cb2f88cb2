/*
 * PENTACL_KEEP_SOURCES=FOLDER: what the engine gives to the driver's compiler, for compilers of other devices
 * (tools/vendors). The name of a pair of files is a hash of both; the options are there last, so a pair with options is
 * whole.
 */
#define _XOPEN_SOURCE 700
#include "core/keep_sources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/folders.h"

/* FNV-1a. */
static uint64_t hash(uint64_t h, const char *text)
{
    for (const char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    return h;
}

/* Puts the file into its place in one step: other threads and processes may write the same. */
static bool put_file(const char *path, const char *text)
{
    penta_folder temporary;
    int length = snprintf(temporary.path, sizeof temporary.path, "%s.%ld-%p", path, (long)getpid(), (void *)&temporary);
    FILE *file;
    bool ok;

    if (length < 0 || (size_t)length >= sizeof temporary.path || !(file = fopen(temporary.path, "w")))
        return false;
    ok = fputs(text, file) >= 0;
    ok = fclose(file) == 0 && ok;
    ok = ok && rename(temporary.path, path) == 0;
    if (!ok)
        unlink(temporary.path);
    return ok;
}

static bool put_pair(const char *folder, const char *text, const char *options)
{
    penta_folder source, beside;
    char name[48];

    snprintf(name, sizeof name, "%016" PRIx64 ".cl", hash(hash(UINT64_C(0xcbf29ce484222325), options), text));
    if (!penta_folder_put(&source, folder, name))
        return false;
    snprintf(strchr(name, '.'), sizeof name - 16, ".options");
    if (!penta_folder_put(&beside, folder, name))
        return false;
    return access(beside.path, F_OK) == 0 || (put_file(source.path, text) && put_file(beside.path, options));
}

penta_status penta_keep_sources(penta_context *ctx, const char *text, const char *options)
{
    const char *folder = penta_environment("PENTACL_KEEP_SOURCES");

    if (!folder || (penta_make_folders(folder) && put_pair(folder, text, options)))
        return PENTA_OK;
    return penta_fail(ctx, PENTA_BUILD, "cannot keep a program in %s: %s (PENTACL_KEEP_SOURCES is set)", folder,
                      strerror(errno));
}
