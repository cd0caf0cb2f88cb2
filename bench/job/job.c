/* penta bench --job: case after case, then what came out. */
#include "job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/progress.h"
#include "run/run.h"
#include "shared/answer.h"

enum { PROGRAM_NAME = 32 }; /* bytes, at most */

typedef struct {
    job_setting s;
    bench_choice choice;
    bench_extent extent;
    char told[512]; /* the last reason why there is no script */
    json_t *jobs, *device;
} job_report;

/* ---- measuring ---- */

/* Where several cases lack the same it is said once. */
static void tell_missing(job_report *r, const job_outcome *o)
{
    if (o->modules || !*o->missing || strcmp(r->told, o->missing) == 0)
        return;
    snprintf(r->told, sizeof r->told, "%s", o->missing);
    cli_note(&(cli_common){.quiet = r->s.flags->quiet}, "bench", "no script beside %s: %s", o->c->workload, o->missing);
}

static void tell_device(job_report *r, const job_outcome *o)
{
    char machine[512];

    if (r->device || !o->device)
        return;
    r->device = json_incref(o->device);
    bench_machine_host(machine, sizeof machine);
    if (!r->s.flags->json)
        printf("device: %s (%s, %s); machine: %s\nclock wall: from the start of a process to its end, by the host's "
               "clock; cpu s: of all of its threads\nbare: a program that opens the device, compiles and runs a "
               "small kernel, and ends\n\n",
               json_string_value(json_object_get(o->device, "name")),
               json_string_value(json_object_get(o->device, "platform")),
               json_string_value(json_object_get(o->device, "type")), machine);
}

static int run_case(job_report *r, const job_case *c)
{
    job_outcome outcome;
    int code;

    bench_progress_case(c->workload, c->name);
    code = job_measure(&r->s, c, &outcome);
    if (code == CLI_OK) {
        tell_missing(r, &outcome);
        tell_device(r, &outcome);
        json_array_append_new(r->jobs, job_describe(&outcome));
        if (!r->s.flags->json)
            job_print(&outcome);
    }
    job_free_outcome(&outcome);
    return code;
}

/* The program beside this one, or the one that a shell would find. */
static const char *find_program(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - PROGRAM_NAME);
    char *slash;

    path[length > 0 ? length : 0] = 0;
    slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, name);
    if (access(path, X_OK) != 0)
        strcpy(path, name);
    return path;
}

static bool is_wanted(const job_report *r, const job_case *c)
{
    return c->extent <= r->extent && bench_is_chosen(&r->choice, c->workload, c->name);
}

/* False: it is not wanted. Of each workload the first one that is finds no kernel compiled. */
static bool begin_case(job_report *r, size_t i)
{
    r->s.cold = true;
    for (size_t k = 0; k < i; k++)
        if (strcmp(job_cases[k].workload, job_cases[i].workload) == 0 && is_wanted(r, &job_cases[k]))
            r->s.cold = false;
    return is_wanted(r, &job_cases[i]);
}

/* Of the cases that are wanted: how many, and how long they will take on two cores, s. */
static size_t sum_up(job_report *r, double *seconds)
{
    size_t count = 0;

    *seconds = 0;
    for (size_t i = 0; i < job_case_count; i++)
        if (begin_case(r, i)) {
            *seconds += job_expected_seconds(&r->s, &job_cases[i]);
            count++;
        }
    return count;
}

static size_t announce(job_report *r)
{
    double seconds, all;
    job_report thorough = *r;
    size_t count = sum_up(r, &seconds), of;

    thorough.extent = BENCH_THOROUGH;
    of = sum_up(&thorough, &all);
    bench_announce(&(bench_plan){.count = count,
                                 .of = of,
                                 .seconds = seconds,
                                 .all_seconds = all,
                                 .later = "",
                                 .more = r->choice.workload ? "" : "WORKLOAD times two of one, "},
                   r->s.flags);
    return count;
}

static int run_cases(job_report *r)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < job_case_count; i++)
        if (begin_case(r, i))
            code = run_case(r, &job_cases[i]);
    return code;
}

static void answer(const job_report *r)
{
    json_t *object = bench_here();

    json_object_update_new(object, json_pack("{s:O, s:O*}", "jobs", r->jobs, "device", r->device));
    answer_add(object);
}

int bench_job(const bench_flags *flags, const char *workload)
{
    job_report r = {.s = {.flags = flags},
                    .choice = {"--job", workload, flags->only},
                    .extent = bench_asked_extent(flags, workload)};
    char penta[PATH_MAX + PROGRAM_NAME], bare[PATH_MAX + PROGRAM_NAME], *folder;
    int code;

    bench_count_chosen(&r.choice, job_cases, job_case_count, sizeof *job_cases, &code);
    if (code == CLI_OK && flags->list)
        bench_list_chosen(&r.choice, job_cases, job_case_count, sizeof *job_cases, flags->json);
    if (code != CLI_OK || flags->list)
        return code;
    r.s.python = flags->python ? flags->python : "python3";
    r.s.penta = find_program("penta", penta, sizeof penta);
    r.s.bare = find_program("penta-bench-bare", bare, sizeof bare);
    r.s.folder = folder = job_make_folder();
    if (!folder)
        return CLI_ERROR;
    r.jobs = json_array();
    bench_progress_begin(announce(&r), flags->quiet, true);
    cli_catch_interrupts();
    code = run_cases(&r);
    answer(&r);
    job_remove_folder(folder);
    free(folder);
    json_decref(r.jobs);
    json_decref(r.device);
    return code;
}
