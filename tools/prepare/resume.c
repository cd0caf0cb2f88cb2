/* Goes on with the series in the output directory, and checks that no other run uses it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include "prepare/watch.h"

/* ---- its options ---- */

/* The options that change pixels. NULL: out of memory. */
static char *recipe_of(preparation *p)
{
    const penta_io_recipe_table tables[] = {{penta_prepare_option_table(), &p->recipe.options, NULL},
                                            {penta_io_recipe_file_table(), &p->recipe.files, NULL},
                                            {0}};

    return penta_io_recipe_text(tables, "batch");
}

static int check_recipe(watching *w)
{
    char *now = recipe_of(w->p);
    penta_io_recipe_difference d = {0};
    int code = now ? CLI_OK : cli_fail(w->p->job.command, CLI_ERROR, "out of memory for the recipe");

    if (now && !w->state.recipe) {
        w->state.recipe = now;
        return CLI_OK;
    }
    if (now && !penta_io_recipe_same(w->state.recipe, now, &d))
        code = *d.key ? cli_fail(w->p->job.command, CLI_USAGE,
                                 "the series in %s has %s %s, not %s; take another -o DIR, or the options that it has",
                                 w->p->job.common.output, d.key, d.a, d.b)
                      : cli_fail(w->p->job.command, CLI_USAGE,
                                 "the series in %s has other options; take another -o DIR", w->p->job.common.output);
    free(now);
    return code;
}

/* The names of the frames as a run without watching would give them. */
static bool name_rows(watching *w)
{
    bool ok = true;

    for (size_t i = 0; ok && i < w->state.count; i++) {
        penta_io_archive_frame *f = &w->state.files[i];
        char page[32] = "";

        if (f->paged)
            snprintf(page, sizeof page, "[%zu]", f->page);
        f->row.file = penta_io_join_path(w->p->flags.watch, f->file, page);
        ok = f->row.file && (f->row.skipped ? arrivals_failed(w->arrivals, f->file, f->time, f->bytes)
                                            : arrivals_done(w->arrivals, f->file));
    }
    return ok;
}

/* ---- beginning ---- */

static int make_output(watching *w)
{
    preparation *p = w->p;
    char *path = penta_io_archive_path(p->job.common.output, "state.json");
    penta_io_error error = {""};
    bool ok = penta_io_run_settle(p->job.common.output, &error), found = path && access(path, F_OK) == 0;

    free(path);
    if (!ok)
        return job_fail_io(&p->job, &error);
    return job_make_directory(&p->job, found ? "" : "*.mask.png");
}

static int check_directories(const watching *w)
{
    const char *input = w->p->flags.watch, *output = w->p->job.common.output;
    struct stat about;

    if (stat(input, &about) != 0)
        return cli_fail(w->p->job.command, CLI_ERROR, "%s: cannot be watched: %s", input, strerror(errno));
    if (!S_ISDIR(about.st_mode))
        return cli_fail(w->p->job.command, CLI_ERROR, "%s: is no directory; --watch needs one", input);
    if (penta_io_same_file(input, output))
        return cli_fail(w->p->job.command, CLI_USAGE,
                        "%s is where frames arrive; their results need a directory of their own", output);
    return CLI_OK;
}

static int read_state(watching *w)
{
    const char *output = w->p->job.common.output;
    penta_io_error error = {""};
    bool found;

    if (!penta_io_archive_read(output, &found, &w->state, &error))
        return job_fail_io(&w->p->job, &error);
    return check_recipe(w);
}

static int resume_series(watching *w)
{
    preparation *p = w->p;
    int code;

    p->first = w->state.like;
    code = prepare_make_plan(p);
    if (code == CLI_OK && penta_prepare_load(p->plan, &w->state.series) != PENTA_OK)
        code = job_fail_library(&p->job);
    return code;
}

int watch_open(watching *w)
{
    preparation *p = w->p;
    int code = check_directories(w);

    code = code != CLI_OK ? code : make_output(w);
    code = code != CLI_OK ? code : read_state(w);
    if (code != CLI_OK)
        return code;
    w->arrivals = arrivals_open(p->flags.watch);
    if (!w->arrivals || !name_rows(w))
        return cli_fail(p->job.command, CLI_ERROR, "out of memory for the series");
    code = job_open_device(&p->job);
    return code == CLI_OK && w->state.count > 0 ? resume_series(w) : code;
}
