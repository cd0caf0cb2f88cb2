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

typedef struct {
    job_setting s;
    bench_choice choice;
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
               "clock; cpu s: of all of its threads\n\n",
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

/* penta beside this program, or the one that a shell would find. */
static const char *find_penta(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - sizeof "penta");
    char *slash;

    path[length > 0 ? length : 0] = 0;
    slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "penta");
    if (access(path, X_OK) != 0)
        strcpy(path, "penta");
    return path;
}

static int run_cases(job_report *r)
{
    const char *before = "";
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < job_case_count; i++) {
        if (!bench_is_chosen(&r->choice, job_cases[i].workload, job_cases[i].name))
            continue;
        r->s.cold = strcmp(job_cases[i].workload, before) != 0;
        before = job_cases[i].workload;
        code = run_case(r, &job_cases[i]);
    }
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
    job_report r = {.s = {.flags = flags}, .choice = {"--job", workload, flags->only}};
    char penta[PATH_MAX + 16], *folder;
    int code;
    size_t cases = bench_count_chosen(&r.choice, job_cases, job_case_count, sizeof *job_cases, &code);

    if (code == CLI_OK && flags->list)
        bench_list_chosen(&r.choice, job_cases, job_case_count, sizeof *job_cases, flags->json);
    if (code != CLI_OK || flags->list)
        return code;
    r.s.python = flags->python ? flags->python : "python3";
    r.s.penta = find_penta(penta, sizeof penta);
    r.s.folder = folder = job_make_folder();
    if (!folder)
        return CLI_ERROR;
    r.jobs = json_array();
    bench_progress_begin(cases, flags->quiet, true);
    cli_catch_interrupts();
    code = run_cases(&r);
    answer(&r);
    job_remove_folder(folder);
    free(folder);
    json_decref(r.jobs);
    json_decref(r.device);
    return code;
}
