/* A case: its inputs, the first run of both, whether they agree, then both and the bare OpenCL program by turns. */
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>

const char *const job_stages[JOB_STAGES] = {"start", "read", "compute", "pictures", "write"};

static const double most_times = 40; /* --seconds: then there are fewer runs */
static const double around = 1;      /* s that files and bare programs of a case take */

/* A case that runs. Folders are of the whole case, but the outputs', which are made anew for each run. */
typedef struct {
    const job_setting *s;
    const job_case *c;
    const json_t *device; /* that the command's first run opened */
    char *in, *caches, *our_out, *script_out;
} running;

static int failed(const running *r, const char *who, bench_end *result)
{
    const char *said = *result->said ? result->said : "no answer";

    json_decref(result->answer);
    result->answer = NULL;
    if (cli_interrupted())
        return cli_fail("bench", CLI_ERROR, "interrupted");
    return cli_fail("bench", CLI_ERROR, "%s %s: %s failed (%d): %s", r->c->workload, r->c->name, who, result->code,
                    said);
}

/* ---- the command ---- */

/* Without cfitsio frames are written as NPY. */
static const char *flags_of(const job_case *c, char *text, size_t size)
{
    penta_io_error error;
    char *suffix;

    snprintf(text, size, "%s", c->flags);
    suffix = strstr(text, ".fits");
    if (suffix && !penta_io_image_can_write("x.fits", PENTA_F32, &error))
        strcpy(suffix, ".npy");
    return text;
}

static bool renew(const running *r, const char *name, char **folder)
{
    free(*folder);
    *folder = job_make_empty(r->s->folder, name);
    return *folder != NULL;
}

static bool run_line(const running *r, const char *out, const char *line, bench_end *result)
{
    const job_name names[] = {{"IN", r->in},
                              {"OUT", out},
                              {"PENTA", r->s->penta},
                              {"PYTHON", r->s->python},
                              {"SCRIPTS", r->s->folder},
                              {"DEVICE", r->s->flags->device},
                              {"BARE", r->s->bare},
                              {"PLATFORM", json_string_value(json_object_get(r->device, "platform"))},
                              {"NAME", json_string_value(json_object_get(r->device, "name"))},
                              {NULL, NULL}};

    return job_run_line(line, names, r->caches, result);
}

static int run_penta(running *r, bench_end *result)
{
    char flags[512], line[1024];

    snprintf(line, sizeof line, "PENTA %s %s%s --quiet --json", r->c->workload, flags_of(r->c, flags, sizeof flags),
             r->s->flags->device ? " -d DEVICE" : "");
    if (!renew(r, "ours", &r->our_out) || !run_line(r, r->our_out, line, result))
        return CLI_ERROR;
    return result->code == 0 && result->answer ? CLI_OK : failed(r, "penta", result);
}

static bool find_caches(running *r)
{
    if (r->s->cold)
        return renew(r, "caches", &r->caches);
    r->caches = penta_io_join_path(r->s->folder, "caches", "");
    return r->caches || cli_fail("bench", CLI_ERROR, "out of memory") == CLI_OK;
}

static int make_inputs(running *r)
{
    char line[1024];
    bench_end result;

    snprintf(line, sizeof line, "PENTA sample %s %s --quiet --json -o OUT", r->c->workload, r->c->sample);
    if (!renew(r, "in", &r->in) || !find_caches(r) || !run_line(r, r->in, line, &result))
        return CLI_ERROR;
    json_decref(result.answer);
    return result.code == 0 ? CLI_OK : failed(r, "penta sample", &result);
}

/* ---- the script ---- */

/* CLI_OK also where there is no answer, for want of a module. */
static int run_script(running *r, bench_end *result)
{
    char line[1024];

    snprintf(line, sizeof line, "PYTHON SCRIPTS/%s.py IN OUT %s", r->c->workload, r->c->more ? r->c->more : "");
    if (!renew(r, "script", &r->script_out) || !run_line(r, r->script_out, line, result))
        return CLI_ERROR;
    if (!result->started)
        return CLI_OK;
    return json_object_get(result->answer, "missing") ||
                   (result->code == 0 && json_object_get(result->answer, "values"))
               ? CLI_OK
               : failed(r, "the script", result);
}

/* Why there is none; false: it ran. */
static bool is_missing(const running *r, const bench_end *result, char *text, size_t size)
{
    const char *module = json_string_value(json_object_get(result->answer, "missing"));

    if (!result->started)
        snprintf(text, size, "there is no program %s; --python names another", r->s->python);
    else if (module)
        snprintf(text, size,
                 "%s has no module %s; install it (tools/setup python), or: python3 -m venv v && v/bin/pip install "
                 "numpy scipy pillow matplotlib, then --python v/bin/python",
                 r->s->python, module);
    return !result->started || module;
}

/* ---- the bare program ---- */

/* On the device that the command opened; of several with the same name, the one whose number -d is. */
static int run_bare(running *r, bench_end *result)
{
    if (!run_line(r, r->our_out, r->s->flags->device ? "BARE PLATFORM NAME DEVICE" : "BARE PLATFORM NAME", result))
        return CLI_ERROR;
    return result->code == 0 ? CLI_OK : failed(r, "penta-bench-bare", result);
}

/* ---- rows ---- */

/* Its own clocks leave out the beginning and the end of the process, which count as starting. */
static void add_run(job_row *row, const bench_end *result, const char *member)
{
    const json_t *stages = json_object_get(result->answer, member), *device = json_object_get(stages, "device");
    double told = 0;
    size_t run = row->runs++;

    row->wall[run] = result->wall;
    row->cpu[run] = result->cpu;
    for (int i = 0; i < JOB_STAGES; i++) {
        row->stages[run][i] = json_number_value(json_object_get(stages, job_stages[i]));
        told += row->stages[run][i];
    }
    row->stages[run][0] += result->wall - told;
    row->device[run] = device ? json_deep_copy(device) : NULL;
}

static double sum_of(const job_row *row)
{
    double sum = 0;

    for (size_t i = 0; i < row->runs; i++)
        sum += row->wall[i];
    return sum;
}

static bool is_enough(const running *r, const job_row *row)
{
    return row->runs == JOB_RUNS || (row->runs > 0 && sum_of(row) > most_times * r->s->flags->seconds);
}

/* That is_enough leaves of runs that take so long. */
static double sum_expected(const job_setting *s, double seconds)
{
    double runs = floor(most_times * s->flags->seconds / seconds) + 1;

    return seconds * (runs < JOB_RUNS ? runs : JOB_RUNS);
}

double job_expected_seconds(const job_setting *s, const job_case *c)
{
    return around + (s->cold ? c->cold : c->penta) + sum_expected(s, c->penta) + sum_expected(s, c->script);
}

typedef struct {
    int (*run)(running *r, bench_end *result);
    const char *stages; /* the member of the answer that has them */
    job_row *row;
} turn;

static int take(running *r, const turn *t)
{
    bench_end result;
    int code = t->run(r, &result);

    if (code == CLI_OK)
        add_run(t->row, &result, t->stages);
    json_decref(code == CLI_OK ? result.answer : NULL);
    return code;
}

static int time_by_turns(running *r, const turn *turns, size_t count)
{
    bool enough = false;
    int code = CLI_OK;

    while (code == CLI_OK && !enough) {
        enough = true;
        for (size_t i = 0; code == CLI_OK && i < count; i++)
            if (!is_enough(r, turns[i].row)) {
                enough = false;
                code = take(r, &turns[i]);
            }
        if (code == CLI_OK && cli_interrupted())
            code = cli_fail("bench", CLI_ERROR, "interrupted");
    }
    return code;
}

static int time_all(running *r, job_outcome *out)
{
    const turn turns[] = {
        {run_bare, "", &out->bare}, {run_penta, "stages", &out->ours}, {run_script, "seconds", &out->script}};

    return time_by_turns(r, turns, out->modules ? 3 : 2);
}

/* ---- the first runs ---- */

static int compare(const running *r, const bench_end *ours, const bench_end *script, job_outcome *out)
{
    for (size_t i = 0; r->c->checks[i].what; i++) {
        const job_check *check = &r->c->checks[i];
        const char *wrong =
            job_compare(check, ours->answer, script->answer, r->our_out, r->script_out, &out->difference[i]);

        if (wrong)
            return cli_fail("bench", CLI_ERROR, "%s %s: WRONG RESULT: %s cannot be compared: %s", r->c->workload,
                            r->c->name, check->what, wrong);
        if (!(out->difference[i] <= check->allowed))
            return cli_fail("bench", CLI_ERROR,
                            "%s %s: WRONG RESULT: %s of penta and script differ by %.3g%s%s, and %g "
                            "are allowed",
                            r->c->workload, r->c->name, check->what, out->difference[i], *check->unit ? " " : "",
                            check->unit, check->allowed);
    }
    return CLI_OK;
}

static int try_script(running *r, const bench_end *ours, job_outcome *out)
{
    bench_end script;
    int code = run_script(r, &script);

    if (code != CLI_OK)
        return code;
    if (!is_missing(r, &script, out->missing, sizeof out->missing)) {
        code = compare(r, ours, &script, out);
        out->modules = json_incref(json_object_get(script.answer, "modules"));
        add_run(&out->script, &script, "seconds");
    }
    json_decref(script.answer);
    return code;
}

/* The bare program's first run compiles its kernel, and is not counted. */
static int run_first(running *r, job_outcome *out)
{
    bench_end ours, bare = {0};
    int code = run_penta(r, &ours);

    if (code != CLI_OK)
        return code;
    if (r->s->cold)
        add_run(&out->cold, &ours, "stages");
    r->device = out->device = json_incref(json_object_get(ours.answer, "device"));
    code = try_script(r, &ours, out);
    code = code != CLI_OK ? code : run_bare(r, &bare);
    json_decref(ours.answer);
    return code;
}

int job_measure(const job_setting *s, const job_case *c, job_outcome *out)
{
    running r = {.s = s, .c = c};
    int code = make_inputs(&r);

    *out = (job_outcome){.c = c};
    code = code != CLI_OK ? code : run_first(&r, out);
    code = code != CLI_OK ? code : time_all(&r, out);
    free(r.in);
    free(r.caches);
    free(r.our_out);
    free(r.script_out);
    return code;
}

static void free_row(job_row *row)
{
    for (size_t i = 0; i < row->runs; i++)
        json_decref(row->device[i]);
}

void job_free_outcome(job_outcome *o)
{
    free_row(&o->cold);
    free_row(&o->ours);
    free_row(&o->script);
    free_row(&o->bare);
    json_decref(o->modules);
    json_decref(o->device);
}
