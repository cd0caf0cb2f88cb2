/* The steps that the commands of all workloads take. */
#include "shared/job.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/cache.h>
#include <pentacl/io/output.h>
#include "shared/building.h"
#include "shared/json.h"
#include "shared/launch.h"
#include "shared/ranks.h"
#include "shared/stages.h"
#include "shared/streams.h"
#include "shared/terminal.h"

void job_begin(job *j, const cli_line *line)
{
    j->command = line->command->name;
    j->line = line;
    j->start = cli_seconds();
}

int job_fail_io(const job *j, const penta_io_error *error)
{
    return cli_fail(j->command, CLI_ERROR, "%s", error->text[0] ? error->text : "out of memory");
}

/* Of another rank, where the text names it. */
int job_fail_library(const job *j)
{
    const char *text = penta_last_error(j->ctx);
    size_t rank;
    int used = 0;

    if (ranks_size() > 1 && sscanf(text, "member %zu of the group: %n", &rank, &used) == 1 && used > 0 &&
        rank < ranks_size())
        return cli_fail(j->command, CLI_ERROR, "rank %zu (%s): %.*s", rank, ranks_places()[rank].host,
                        (int)strcspn(text + used, "\n"), text + used);
    return cli_fail_library(j->command, j->ctx, j->common.verbose);
}

/* A bar may be drawn where a plan chooses late. */
static void explain_choice(void *user, const char *what, const char *chosen, const char *why)
{
    const job *j = user;

    if (stages_is_start(what)) /* is told at the end */
        return;
    if (terminal_draws(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    cli_explain(&j->common, j->command, "%s %s: %s", what, chosen, why);
}

/* A quick job on one GPU, whose driver takes its time for time stamps, has them for --json and --profile. */
bool job_times_kernels(const job *j)
{
    return !j->quick || j->common.json || j->common.profile || j->workers > 1 ||
           penta_context_device(j->ctx)->type != PENTA_DEVICE_GPU;
}

static int ready_devices(job *j)
{
    j->members = j->contexts ? j->members : 1;
    for (size_t i = 0; j->common.fp64 && i < j->members; i++)
        penta_context_without_double(j->contexts ? j->contexts[i] : j->ctx);
    j->workers = ranks_size() > 1 ? ranks_size() : j->members;
    j->shares = j->workers > 1 ? calloc(j->workers, sizeof *j->shares) : NULL;
    if (j->workers > 1 && !j->shares)
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    for (size_t i = 0; job_times_kernels(j) && i < j->members; i++)
        penta_profile_reset(j->contexts ? j->contexts[i] : j->ctx);
    if (*penta_kernel_cache_note())
        job_note(j, "%s", penta_kernel_cache_note());
    j->building = building_watch(j->ctx, j->common.quiet || ranks_rank() > 0);
    if (j->common.verbose)
        penta_context_on_choice(j->ctx, explain_choice, j);
    return CLI_OK;
}

int job_open_device(job *j)
{
    stage before = stages_enter(STAGE_START);
    int code = cli_open_device(j->command, j->common.device, j->common.verbose, &j->ctx);

    code = code == CLI_OK ? ready_devices(j) : code;
    (void)stages_enter(before);
    return code;
}

/* Of several ranks each has one device. */
static int open_rank(job *j)
{
    int code;

    j->contexts = calloc(1, sizeof *j->contexts);
    if (!j->contexts)
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    code = ranks_open_device(j->command, j->common.device, j->common.verbose, &j->contexts[0]);
    if (code != CLI_OK)
        return code;
    j->members = 1;
    j->ctx = j->contexts[0];
    return ready_devices(j);
}

static int open_devices(job *j)
{
    penta_status status;

    if (ranks_size() > 1)
        return open_rank(j);
    status = penta_contexts_create(j->common.device, &j->contexts, &j->members);

    if (status != PENTA_OK) {
        job_fail_library(j);
        return status == PENTA_INVALID ? CLI_USAGE : CLI_ERROR;
    }
    j->ctx = j->contexts[0];
    return ready_devices(j);
}

int job_open_devices(job *j)
{
    stage before = stages_enter(STAGE_START);
    int code = open_devices(j);

    (void)stages_enter(before);
    return code;
}

static int make_own_directory(job *j, const char *names)
{
    penta_io_error error = {""};

    if (!penta_io_make_directory(j->common.output, &error))
        return job_fail_io(j, &error);
    if (!(j->again ? penta_io_run_open_again : penta_io_run_open)(j->common.output, j->command, &j->run, &error))
        return job_fail_io(j, &error);
    j->before = leftovers_look(j->common.output, names);
    return CLI_OK;
}

int job_make_own_directory(job *j, const char *names)
{
    stage before = stages_enter(STAGE_START);
    int code = make_own_directory(j, names);

    (void)stages_enter(before);
    return code;
}

/* Of several ranks the first makes it, and the others join the run there. */
static int join_directory(job *j)
{
    penta_io_error error = {""};

    return penta_io_run_join(j->common.output, j->command, &j->run, &error) ? CLI_OK : job_fail_io(j, &error);
}

int job_make_directory(job *j, const char *names)
{
    int code;

    if (ranks_size() == 1)
        return job_make_own_directory(j, names);
    code = ranks_agree(ranks_rank() == 0 ? job_make_own_directory(j, names) : CLI_OK);
    return code == CLI_OK && ranks_rank() > 0 ? join_directory(j) : code;
}

int job_commit(job *j)
{
    stage before = stages_enter(STAGE_WRITE);
    penta_io_error error = {""};
    bool ok = !j->run || penta_io_run_commit(j->run, &error);

    (void)stages_enter(before);
    return ok ? CLI_OK : job_fail_io(j, &error);
}

void job_note(const job *j, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_say(j->command, MESSAGE_NOTE, !j->common.quiet, format, args);
    va_end(args);
}

void job_warn(const job *j, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_say(j->command, MESSAGE_WARNING, true, format, args);
    va_end(args);
}

bool job_prints(const job *j)
{
    return !j->common.json && !streams_stdout_taken();
}

static void explain_programs(const job *j)
{
    penta_cache_info info = {.size = sizeof info};

    if (strcmp(penta_cache_keeper(penta_context_device(j->ctx)), "pentacl") != 0)
        return;
    penta_cache_look(&info);
    cli_explain(&j->common, j->command, "programs: %zu loaded from %s, %zu compiled", info.loaded, info.folder,
                info.compiled);
    if (info.damaged > 0)
        cli_explain(&j->common, j->command, "removed %zu damaged file%s from %s", info.damaged,
                    info.damaged == 1 ? "" : "s", info.folder);
    if (*info.fault)
        cli_explain(&j->common, j->command, "programs cannot be kept in %s: %s", info.folder, info.fault);
}

/* ---- several members ---- */

static double share_of(const job *j, size_t i)
{
    size_t total = 0;

    for (size_t k = 0; k < j->workers; k++)
        total += j->shares[k];
    return total ? (double)j->shares[i] / (double)total : 0;
}

/* A member of this process, or another rank. */
static void look_at(const job *j, size_t i, rank_place *place, double *seconds)
{
    if (ranks_size() > 1) {
        *place = ranks_places()[i];
        *seconds = ranks_seconds() ? ranks_seconds()[i] : 0;
        return;
    }
    *place = (rank_place){.parts = 1};
    (void)gethostname(place->host, sizeof place->host - 1);
    snprintf(place->device, sizeof place->device, "%s", penta_context_device(j->contexts[i])->name);
    penta_context_share(j->contexts[i], &place->index, &place->part, &place->parts);
    *seconds = penta_profile_seconds(j->contexts[i], true, false);
}

static json_t *describe_share(const job *j, size_t i)
{
    rank_place place;
    double seconds;

    look_at(j, i, &place, &seconds);
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "rank", (json_int_t)i, "host", json_text(place.host), "device",
                     json_text(place.device), "share", json_number(share_of(j, i)), "seconds", json_number(seconds));
}

static void print_share(const job *j, size_t i)
{
    rank_place place;
    double seconds;
    char of[64] = "";

    look_at(j, i, &place, &seconds);
    if (place.parts > 1)
        snprintf(of, sizeof of, ", part %zu of %zu", place.part + 1, place.parts);
    printf("%s %zu: %s%sdevice %zu%s (%s), %.0f %% of the work, kernels %.3g s\n", ranks_size() > 1 ? "rank" : "member",
           i, ranks_size() > 1 ? place.host : "", ranks_size() > 1 ? ", " : "", place.index, of, place.device,
           100 * share_of(j, i), seconds);
}

int job_exchange_shares(job *j, int code)
{
    uint64_t mine = j->shares ? j->shares[ranks_rank()] : 0, *all = NULL;

    if (ranks_size() == 1)
        return code;
    code = ranks_exchange(code, &mine, sizeof mine, (void **)&all, NULL);
    for (size_t i = 0; code == CLI_OK && i < ranks_size(); i++)
        j->shares[i] = (size_t)all[i];
    free(all);
    return code == CLI_OK ? ranks_exchange_seconds(code, penta_profile_seconds(j->ctx, true, false)) : code;
}

/* Who did how much, on stdout and in the answer. */
static void tell_shares(const job *j)
{
    json_t *ranks = j->shares && j->common.json ? json_array() : NULL;

    for (size_t i = 0; j->shares && i < j->workers; i++) {
        if (job_prints(j) && !j->common.quiet)
            print_share(j, i);
        if (ranks)
            json_array_append_new(ranks, describe_share(j, i));
    }
    if (ranks)
        answer_add(json_pack("{s:o}", "ranks", ranks));
}

int job_finish(job *j, json_t *details)
{
    int code = job_commit(j);

    (void)stages_enter(STAGE_WRITE);
    if (code != CLI_OK) {
        json_decref(details);
        return code;
    }
    explain_programs(j);
    if (!j->again) /* what is there of the run that this one goes on with is its own */
        leftovers_note(j->before, &j->common, j->command);
    if (job_prints(j) && !j->common.quiet)
        printf("results in %s\n", cli_shown(j->common.output));
    for (size_t i = 0; j->common.profile && i < j->members; i++)
        cli_print_profile(j->contexts ? j->contexts[i] : j->ctx);
    answer_device(j->ctx, j->start);
    stages_note_device(j->ctx);
    tell_shares(j);
    answer_add(details);
    answer_complete();
    return CLI_OK;
}

/* A word that stands for itself, as of "none|FILE", is no file. */
static bool is_word(const job *j, const penta_option *row, const char *value)
{
    char word[64];

    for (size_t i = 0; cli_value_word(j->line->command, row, i, word, sizeof word); i++)
        if (strcmp(word, value) == 0)
            return true;
    return false;
}

/* Files that flags name, or a recipe that a flag names. */
static void name_inputs(const job *j)
{
    for (const cli_table *t = j->line->tables; t && t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++) {
            const char *value = NULL;

            if (row->type != PENTA_OPTION_TEXT || !cli_value_is_file(row) || cli_value_is_output(row))
                continue;
            memcpy(&value, (const char *)t->values + row->offset, sizeof value);
            if (value && !is_word(j, row, value))
                answer_named_input(row->name, value);
        }
}

static void close_devices(job *j)
{
    bool tells = j->common.verbose && j->ctx && launch_speaks();
    double began;

    building_end(j->building, j->ctx);
    j->building = NULL;
    if (tells)
        stages_print(j->command, j->contexts ? j->contexts : &j->ctx, j->members);
    began = cli_seconds();
    if (j->contexts)
        penta_contexts_destroy(j->contexts, j->members);
    else
        penta_context_destroy(j->ctx);
    if (tells)
        stages_print_row("end", cli_seconds() - began, "devices are closed");
}

void job_close(job *j)
{
    (void)stages_enter(STAGE_WRITE);
    name_inputs(j);
    answer_device(j->ctx, j->start);
    stages_note_device(j->ctx);
    close_devices(j);
    penta_io_run_close(j->run);
    leftovers_free(j->before);
    free(j->shares);
    j->ctx = NULL;
    j->contexts = NULL;
    j->shares = NULL;
    j->before = NULL;
    j->run = NULL;
}
