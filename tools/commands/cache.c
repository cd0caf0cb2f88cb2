/* penta cache: the programs that are kept for the next run. */
#include <stdio.h>

#include <pentacl/cache.h>
#include "commands/commands.h"
#include "shared/answer.h"
#include "shared/json.h"

typedef struct {
    cli_common common;
    bool clear;
} cache_flags;

static json_t *describe(const penta_cache_info *info)
{
    return json_pack("{s:o?, s:o?, s:I, s:I, s:I}", "folder", *info->folder ? json_text(info->folder) : NULL, "fault",
                     *info->fault ? json_text(info->fault) : NULL, "programs", (json_int_t)info->programs, "bytes",
                     (json_int_t)info->bytes, "most_bytes", (json_int_t)info->most_bytes);
}

static void print(const penta_cache_info *info)
{
    if (!*info->folder)
        printf("no programs are kept: PENTACL_CACHE_DIR is empty, or there is no HOME\n");
    else if (*info->fault)
        printf("no programs are kept in %s: %s\n", info->folder, info->fault);
    else
        printf("%s: %zu programs, %.1f MB of at most %.0f MB\n", info->folder, info->programs,
               (double)info->bytes / 1e6, (double)info->most_bytes / 1e6);
}

static int clear(const cache_flags *f, json_t **answer)
{
    uint64_t bytes;
    size_t programs;

    if (penta_cache_clear(&programs, &bytes) != PENTA_OK)
        return cli_fail_library("cache", NULL, f->common.verbose);
    *answer = json_pack("{s:I, s:I}", "programs", (json_int_t)programs, "bytes", (json_int_t)bytes);
    if (!f->common.json && !f->common.quiet)
        printf("removed %zu programs, %.1f MB\n", programs, (double)bytes / 1e6);
    return CLI_OK;
}

static int run(const cli_line *line, void *values)
{
    const cache_flags *f = values;
    penta_cache_info info = {.size = sizeof info};
    json_t *cleared = NULL;
    int code = f->clear ? clear(f, &cleared) : CLI_OK;

    (void)line;
    if (code != CLI_OK)
        return code;
    penta_cache_look(&info);
    if (f->common.json)
        answer_add(json_pack("{s:o, s:o?}", "cache", describe(&info), "removed", cleared));
    else if (!f->clear)
        print(&info);
    return CLI_OK;
}

static const penta_option rows[] = {PENTA_FLAG_OPTION(cache_flags, clear, 0, "remove all programs that are kept"),
                                    PENTA_OPTIONS_END};
static const cli_section sections[] = {
    {"Flags", "cache", rows, NULL, 0, 0, NULL, NULL},
    {NULL, "common", cli_common_table, NULL, offsetof(cache_flags, common), 0, "json quiet verbose color", NULL},
    CLI_SECTIONS_END};

const cli_command penta_command_cache = {
    .name = "cache",
    .summary = "show or clear the compiled programs that are kept",
    .usage = "",
    .about =
        "Prints where compiled programs are kept, how many there are, and their size. They are kept for drivers "
        "that do not keep them themselves, as PoCL and NVIDIA's do; `penta devices -v` says who keeps which. "
        "PENTACL_CACHE_DIR names another folder; if it is empty, none are kept. PENTACL_CACHE=always or never decides "
        "for every driver: with always, many short runs on PoCL start sooner, after a first run that compiles "
        "twice as much. Above the largest size the programs that were unused for longest are removed.",
    .sections = sections,
    .size = sizeof(cache_flags),
    .run = run};
