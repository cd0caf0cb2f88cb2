/* Goes on with the series in the output directory, and checks that no other run uses it. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include "prepare/place.h"
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

/* ---- what a run that was killed has left ---- */

/* NAME.tmp.PID.N of a process that is no more. */
static bool is_stale(const char *name)
{
    const char *mark = strstr(name, ".tmp.");
    long process = 0;
    unsigned number;
    char rest;

    if (!mark || sscanf(mark, ".tmp.%ld.%u%c", &process, &number, &rest) != 2 || process <= 0)
        return false;
    return kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static void remove_stale(const char *directory, const char *inside)
{
    char *folder = penta_io_join_path(directory, inside, "");
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *item;

    while (dir && (item = readdir(dir)) != NULL)
        if (is_stale(item->d_name)) {
            char *path = penta_io_join_path(folder, item->d_name, "");

            if (path)
                unlink(path);
            free(path);
        }
    if (dir)
        closedir(dir);
    free(folder);
}

/* One run at a time; the lock goes with the process, however it ends. */
static int lock_output(watching *w)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *folder = penta_io_archive_path(w->p->job.common.output, ""), *path;
    penta_io_error error = {""};

    if (folder && !penta_io_make_directory(folder, &error)) {
        free(folder);
        return job_fail_io(&w->p->job, &error);
    }
    free(folder);
    path = penta_io_archive_path(w->p->job.common.output, "lock");
    w->lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    free(path);
    if (w->lock < 0 || fcntl(w->lock, F_SETLK, &whole) != 0)
        return cli_fail(w->p->job.command, CLI_ERROR, "%s: another run with --watch writes there",
                        w->p->job.common.output);
    return CLI_OK;
}

void watch_unlock(watching *w)
{
    char *path = w->lock >= 0 && w->state.count == 0 ? penta_io_archive_path(w->p->job.common.output, "lock") : NULL;

    if (path)
        unlink(path); /* so that a folder in which nothing was done can go */
    free(path);
    if (w->lock >= 0)
        close(w->lock);
}

/* ---- beginning ---- */

static int make_output(watching *w)
{
    preparation *p = w->p;
    char *path = penta_io_archive_path(p->job.common.output, "state.json");
    bool found = path && access(path, F_OK) == 0;

    free(path);
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
    remove_stale(output, "");
    remove_stale(output, "report");
    remove_stale(output, ".prepare");
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
    code = code != CLI_OK ? code : lock_output(w);
    code = code != CLI_OK ? code : read_state(w);
    if (code != CLI_OK)
        return code;
    w->arrivals = arrivals_open(p->flags.watch);
    if (!w->arrivals || !name_rows(w))
        return cli_fail(p->job.command, CLI_ERROR, "out of memory for the series");
    code = job_open_device(&p->job);
    return code == CLI_OK && w->state.count > 0 ? resume_series(w) : code;
}
