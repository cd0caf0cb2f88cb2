/* The steps of a run, and what is written at some of them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/nbody_tables.h>
#include <pentacl/io/output.h>
#include "nbody/files.h"
#include "nbody/members.h"
#include "nbody/picture.h"
#include "shared/progress.h"
#include "shared/stages.h"

enum { ROWS_WANTED = 100 };

/* The tables are written after so many s, and as many times longer as the last write took. */
static const double least_pause = 5, pause_factor = 20;

static const char CHECKPOINT[] = "checkpoint.bin";

typedef struct {
    nbody_run *run;
    uint64_t first, last; /* steps */
    uint64_t every;       /* steps between rows */
    bool measured;        /* `now` is of the present step */
    bool fetched;         /* run->bodies.rows are */
    penta_nbody_diagnostics now;
    penta_io_nbody_tables *tables;
    double written, pause;  /* the tables: when, on the clock of cli_seconds; s to the next time */
    double next_commit;     /* on the same clock */
    double next_checkpoint; /* of those between snapshots */
    bool done;              /* the last step has been made */
    bool keeps;             /* the checkpoint of another run, when there is one of this */
    char kept[64];          /* what that is renamed to; empty: it was */
    nbody_picture *picture;
    double extent; /* half the side of the pictures; 0: not yet known */
    penta_io_checkpoint checkpoint;
    progress bar;
    uint64_t base;          /* step at which the running call of the library began */
    bool stopped;           /* by Ctrl-C, which has been said */
    bool own_rows;          /* the tables that are in the directory are of the run that goes on */
    double first_potential; /* at step 0 */
} simulation;

static const char *name_of(const simulation *s)
{
    return s->run->job.command;
}

static uint64_t step_of(const simulation *s)
{
    return penta_nbody_step(s->run->plan);
}

/* Of the present step; files begin at any time. */
static double time_of(const simulation *s)
{
    return s->run->start_time + penta_nbody_time(s->run->plan);
}

static int fail_memory(const simulation *s)
{
    return cli_fail(name_of(s), CLI_ERROR, "out of memory");
}

/* DIR/NAME or DIR/NAME_STEP. */
static char *path_of(const simulation *s, const char *name, const char *suffix, bool numbered)
{
    char text[64];

    snprintf(text, sizeof text, numbered ? "%s_%06" PRIu64 : "%s", name, step_of(s));
    return penta_io_join_path(s->run->job.common.output, text, suffix);
}

/* ---- measuring ---- */

/* Energies take as long as a step. CLI_ERROR without a word: interrupted. */
static int measure(simulation *s)
{
    penta_status status = s->measured ? PENTA_OK : nbody_members_diagnose(s->run, &s->now);

    s->measured = status == PENTA_OK;
    if (status == PENTA_OK)
        return CLI_OK;
    return status == PENTA_CANCELLED ? CLI_ERROR : job_fail_library(&s->run->job);
}

/* Whether the energy is further off than --max-energy-error allows; one that is not a number is. */
static bool is_beyond_limit(const simulation *s)
{
    double limit = s->run->flags.max_energy_error;

    return limit > 0 && penta_nbody_energy_exceeds(&s->run->energy, limit);
}

static int add_row(simulation *s)
{
    int code = measure(s);

    if (code != CLI_OK ||
        (!penta_io_nbody_tables_empty(s->tables) && penta_io_nbody_tables_last(s->tables) >= step_of(s)))
        return code;
    penta_nbody_energy_add(&s->run->energy, s->now.energy_com);
    penta_io_nbody_tables_add(s->tables, step_of(s), time_of(s), &s->now);
    return CLI_OK;
}

/* ---- files ---- */

static int write_tables(simulation *s)
{
    double start = cli_seconds();
    stage before = stages_enter(STAGE_WRITE);
    penta_io_error error = {""};
    bool ok = penta_io_nbody_tables_write(s->tables, &error);

    (void)stages_enter(before);
    if (!ok)
        return job_fail_io(&s->run->job, &error);
    s->written = cli_seconds();
    s->pause = fmax(pause_factor * (s->written - start), least_pause);
    return CLI_OK;
}

/* The rows of the present step, for what one member alone makes of them. */
static int fetch_bodies(simulation *s)
{
    nbody_run *run = s->run;

    if (!s->fetched && penta_nbody_get(run->plan, run->bodies.rows) != PENTA_OK)
        return job_fail_library(&run->job);
    s->fetched = true;
    return CLI_OK;
}

/* NPY by all members, other formats by this one. */
static int write_bodies_as(simulation *s, const char *path, int format)
{
    nbody_run *run = s->run;
    penta_io_error error = {""};
    int code;

    if (format == NBODY_NPY)
        return nbody_write_bodies(run, path);
    code = fetch_bodies(s);
    return code != CLI_OK || penta_io_bodies_write(path, &run->bodies, &error) ? code : job_fail_io(&run->job, &error);
}

static int write_bodies(simulation *s, const char *name, int format, bool numbered)
{
    char *path = path_of(s, name, nbody_formats[format], numbered);
    stage before = stages_enter(STAGE_WRITE);
    int code;

    s->run->bodies.time = time_of(s);
    code = path ? write_bodies_as(s, path, format) : fail_memory(s);
    (void)stages_enter(before);
    free(path);
    return code;
}

static int draw(simulation *s)
{
    char *path = path_of(s, "frame", ".png", true);
    double extent = s->run->flags.extent;
    penta_io_error error = {""};
    int code = path ? measure(s) : fail_memory(s);
    stage before = stages_enter(STAGE_PICTURES);

    code = code != CLI_OK ? code : fetch_bodies(s);
    if (code == CLI_OK && !(s->extent > 0))
        s->extent = nbody_picture_extent(s->picture, s->run->bodies.rows, s->now.center);
    extent = extent > 0 ? extent : s->extent;
    if (code == CLI_OK && !nbody_picture_draw(s->picture, s->run->bodies.rows, s->now.center, extent, path, &error))
        code = job_fail_io(&s->run->job, &error);
    (void)stages_enter(before);
    free(path);
    return code;
}

/* For --resume. */
static bool keep_record(simulation *s, penta_io_error *err)
{
    nbody_run *run = s->run;

    return resume_keep(&run->resume, run->job.run, false, s->done, false, &s->last, sizeof s->last, err);
}

static int write_checkpoint(simulation *s)
{
    penta_io_checkpoint *c = &s->checkpoint;
    char *path = path_of(s, "checkpoint", ".bin", false);
    stage before = stages_enter(STAGE_WRITE);
    penta_io_error error = {""};
    int code;

    c->about = s->run->bodies; /* lent */
    c->about.rows = NULL;
    c->about.time = s->run->start_time;
    c->first_energy = s->run->energy.first;
    c->first_potential = s->first_potential;
    c->extent = s->extent;
    code = path ? nbody_write_checkpoint(s->run, path, c) : fail_memory(s);
    if (code == CLI_OK &&
        (!keep_record(s, &error) ||
         (s->keeps && !penta_io_run_keep(s->run->job.run, CHECKPOINT, s->kept, sizeof s->kept, &error))))
        code = job_fail_io(&s->run->job, &error);
    s->keeps = s->keeps && code != CLI_OK;
    s->next_checkpoint = cli_seconds() + resume_interval();
    c->about = (penta_io_bodies){0};
    free(path);
    (void)stages_enter(before);
    return code;
}

static void say_kept(simulation *s)
{
    job *j = &s->run->job;

    if (*s->kept)
        job_note(j, "%s/%s of another run is kept as %s; --overwrite replaces it", j->common.output, CHECKPOINT,
                 s->kept);
    *s->kept = 0;
}

/* What was written appears: now, or when the last time was long ago for what it took. */
static int commit(simulation *s, bool now)
{
    double start = cli_seconds();
    int code = CLI_OK;

    if (!now && start < s->next_commit)
        return CLI_OK;
    code = job_commit(&s->run->job);
    s->next_commit = cli_seconds() + pause_factor * (cli_seconds() - start);
    if (code == CLI_OK)
        say_kept(s);
    return code;
}

/* The checkpoint last: where it is, the rest is. */
static int write_snapshot(simulation *s)
{
    int code = write_tables(s);

    code = code != CLI_OK ? code : write_bodies(s, "snapshot", s->run->flags.format, true);
    code = code != CLI_OK || !s->picture ? code : draw(s);
    code = code != CLI_OK ? code : write_checkpoint(s);
    return code != CLI_OK ? code : commit(s, false);
}

static bool is_due(uint64_t step, uint64_t every)
{
    return every > 0 && step % every == 0;
}

static int write_final(simulation *s)
{
    bool drawn = is_due(step_of(s), (uint64_t)s->run->flags.snapshot_every) && step_of(s) > s->first;
    int code = write_tables(s);

    code = code != CLI_OK ? code : write_bodies(s, "final", NBODY_NPY, false);
    if (code == CLI_OK && s->run->flags.format != NBODY_NPY)
        code = write_bodies(s, "final", s->run->flags.format, false);
    code = code != CLI_OK || !s->picture || drawn ? code : draw(s);
    s->done = step_of(s) == s->last; /* else --max-energy-error has ended it */
    code = code != CLI_OK ? code : write_checkpoint(s);
    return code != CLI_OK ? code : commit(s, true);
}

/* ---- steps ---- */

static bool on_progress(void *user, double done, double total)
{
    simulation *s = user;

    (void)total;
    progress_update(&s->bar, (double)(s->base - s->first) + done, (double)(s->last - s->first));
    return cli_interrupted();
}

/* To `step`, or to where Ctrl-C was seen. */
static int advance_to(simulation *s, uint64_t step)
{
    nbody_run *run = s->run;
    double start = nbody_members_clock(run);
    penta_status status;

    s->base = step_of(s);
    s->measured = s->fetched = false;
    status = nbody_members_advance(run, (size_t)(step - s->base));
    run->step_seconds += nbody_members_clock(run) - start;
    run->interactions = penta_nbody_interactions(run->plan);
    if (run->untold)
        return CLI_ERROR;
    if (status == PENTA_CANCELLED)
        status = nbody_members_advance(run, 0); /* whether the bodies are still at finite places */
    if (status != PENTA_OK)
        return job_fail_library(&run->job);
    (void)on_progress(s, (double)(step_of(s) - s->base), 0);
    return CLI_OK;
}

/* The next multiple of `every` after `step`, but at most `most`. */
static uint64_t next_due(uint64_t step, uint64_t every, uint64_t most)
{
    uint64_t next = every > 0 ? (step / every + 1) * every : most;

    return next < most ? next : most;
}

static int do_what_is_due(simulation *s)
{
    uint64_t step = step_of(s), every = (uint64_t)s->run->flags.snapshot_every;
    int code = CLI_OK;

    if (is_due(step, s->every))
        code = add_row(s);
    if (code == CLI_OK && is_due(step, every))
        return write_snapshot(s);
    if (code != CLI_OK || cli_seconds() - s->written < s->pause)
        return code;
    code = write_tables(s); /* so that a long run can be watched */
    if (code == CLI_OK && cli_seconds() >= s->next_checkpoint)
        code = write_checkpoint(s);
    return code != CLI_OK ? code : commit(s, false);
}

/* After Ctrl-C. The row is left out where its energies would take long. */
static int stop(simulation *s)
{
    int code;

    s->stopped = true;
    s->run->steps = step_of(s) - s->first;
    progress_end(&s->bar);
    if (add_row(s) == CLI_OK)
        s->run->last = s->now;
    code = write_tables(s);
    code = code != CLI_OK ? code : write_checkpoint(s);
    code = code != CLI_OK ? code : commit(s, true);
    if (code != CLI_OK)
        return code;
    return cli_fail(name_of(s), CLI_ERROR,
                    "interrupted after %" PRIu64 " of %" PRIu64 " steps; --restart %s/checkpoint.bin goes on",
                    step_of(s) - s->first, s->last - s->first, s->run->job.common.output);
}

static int take_steps(simulation *s)
{
    uint64_t snapshots = (uint64_t)s->run->flags.snapshot_every;
    int code = CLI_OK;

    while (code == CLI_OK && step_of(s) < s->last && !is_beyond_limit(s)) {
        uint64_t next = next_due(step_of(s), snapshots, next_due(step_of(s), s->every, s->last));

        code = advance_to(s, next);
        if (code == CLI_OK && step_of(s) == next)
            code = do_what_is_due(s);
        if (cli_interrupted() && (code != CLI_OK || step_of(s) < s->last))
            return stop(s);
    }
    return code;
}

/* ---- before and after ---- */

/* The rows of the run before stand beside its checkpoint, where the directory has none. */
static int take_history(simulation *s)
{
    nbody_run *run = s->run;
    const char *file = run->flags.restart, *end = strrchr(file, '/');
    char *directory = end ? strndup(file, (size_t)(end - file) + 1) : strdup(".");
    const penta_io_nbody_resume from = {s->first, s->every, directory};
    const penta_nbody_energy begun = run->energy;
    penta_io_nbody_tables *tables = NULL;
    penta_io_error error = {""};

    if (!directory)
        return fail_memory(s);
    if (penta_io_nbody_tables_open(run->job.common.output, &from, &run->energy, &tables, &error) &&
        !penta_io_nbody_tables_empty(tables)) {
        penta_io_nbody_tables_close(s->tables);
        s->tables = tables;
    } else {
        penta_io_nbody_tables_close(tables);
        run->energy = begun;
        job_note(&run->job, "no rows of the run before are beside %s; the tables begin at step %" PRIu64, file,
                 s->first);
    }
    free(directory);
    return CLI_OK;
}

static int open_tables(simulation *s)
{
    nbody_run *run = s->run;
    const penta_io_nbody_resume from = {s->first, s->every, NULL};
    penta_io_error error = {""};

    s->written = cli_seconds();
    s->pause = least_pause;
    s->first_potential = run->restart.first_potential;
    if (run->restart.state)
        penta_nbody_energy_begin(&run->energy, run->restart.first_energy, s->first_potential);
    if (!penta_io_nbody_tables_open(run->job.common.output, run->restart.state ? &from : NULL, &run->energy, &s->tables,
                                    &error))
        return job_fail_io(&run->job, &error);
    s->own_rows = run->restart.state && !penta_io_nbody_tables_empty(s->tables);
    return run->restart.state && !s->own_rows ? take_history(s) : CLI_OK;
}

/* Whether there is a checkpoint of another run: one that goes on has its own. */
static bool has_other_checkpoint(const simulation *s)
{
    const nbody_run *run = s->run;
    char *path = path_of(s, "checkpoint", ".bin", false);
    struct stat st, file; /* of the name, and of what it leads to */
    bool there = path && lstat(path, &st) == 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode);
    bool own = !there || penta_io_same_file(path, run->flags.restart) || s->own_rows;

    if (!own && S_ISLNK(st.st_mode))
        job_warn(&run->job, "%s is a symbolic link: what it leads to is replaced, not kept", path);
    free(path);
    return !own && S_ISREG(st.st_mode);
}

static int open_picture(simulation *s)
{
    nbody_run *run = s->run;
    penta_io_error error = {""};

    s->extent = run->restart.extent;
    if (!run->flags.frames || nbody_picture_open(run->job.ctx, run->bodies.n, &run->flags, &s->picture, &error))
        return CLI_OK;
    return job_fail_io(&run->job, &error);
}

/* Rows where the earlier run had them, unless a flag says otherwise. */
static uint64_t rows_every(const nbody_run *run)
{
    uint64_t automatic = (uint64_t)run->flags.steps / ROWS_WANTED;

    if (run->flags.diagnose_every > 0)
        return (uint64_t)run->flags.diagnose_every;
    if (run->restart.state)
        return run->restart.diagnose_every;
    return automatic > 0 ? automatic : 1;
}

static int open_simulation(simulation *s)
{
    nbody_run *run = s->run;
    penta_io_checkpoint *c = &s->checkpoint;
    int code;

    s->first = s->base = step_of(s);
    s->last = run->goes_on ? run->last_step : s->first + (uint64_t)run->flags.steps;
    s->next_checkpoint = cli_seconds() + resume_interval();
    s->every = rows_every(run);
    *c = (penta_io_checkpoint){.options = run->options, .n = run->bodies.n, .diagnose_every = s->every};
    c->count = penta_nbody_state_size(run->plan);
    code = open_tables(s);
    s->keeps = code == CLI_OK && !run->flags.overwrite && has_other_checkpoint(s);
    progress_begin(&s->bar, name_of(s), "steps", run->job.common.quiet);
    penta_context_set_progress(run->job.ctx, on_progress, s);
    return code != CLI_OK ? code : open_picture(s);
}

/* What there is before the first step; after a restart the earlier run has it but for a row in a new table. */
static int begin(simulation *s)
{
    nbody_run *run = s->run;
    int code = measure(s);

    if (code != CLI_OK && cli_interrupted()) {
        s->stopped = true;
        return cli_fail(name_of(s), CLI_ERROR, "interrupted before the first step; nothing was written");
    }
    if (code != CLI_OK)
        return code;
    nbody_check_units(run, s->now.energy_com - s->now.potential, s->now.potential);
    if (!run->restart.state || isnan(run->restart.first_energy)) {
        s->first_potential = s->now.potential;
        penta_nbody_energy_begin(&run->energy, s->now.energy_com, s->first_potential);
    }
    if (run->bodies.n <= PENTA_NBODY_FEW)
        code = fetch_bodies(s);
    if (code == CLI_OK && run->bodies.n <= PENTA_NBODY_FEW)
        run->orbit_step = penta_nbody_orbit_step(run->bodies.n, run->bodies.rows, run->options.eps);
    if (code == CLI_OK && (penta_io_nbody_tables_empty(s->tables) || is_due(s->first, s->every)))
        code = add_row(s);
    if (code == CLI_OK && !run->restart.state && run->flags.snapshot_every > 0)
        code = write_snapshot(s);
    return code;
}

/* After an error: the snapshots and rows so far, if they can be written. Its line has been printed. */
static int keep_rows(simulation *s, int code)
{
    penta_io_error error = {""};

    if (s->tables && !penta_io_nbody_tables_empty(s->tables))
        (void)penta_io_nbody_tables_write(s->tables, &error);
    if (penta_io_run_commit(s->run->job.run, &error))
        say_kept(s);
    return code;
}

static void close_simulation(simulation *s)
{
    penta_context_set_progress(s->run->job.ctx, NULL, NULL);
    progress_end(&s->bar);
    penta_io_nbody_tables_close(s->tables);
    nbody_picture_close(s->picture);
    penta_io_checkpoint_free(&s->checkpoint);
}

static int simulate(simulation *s)
{
    nbody_run *run = s->run;
    int code = begin(s);

    code = code != CLI_OK ? code : take_steps(s);
    code = code != CLI_OK ? code : add_row(s);
    if (code != CLI_OK && cli_interrupted() && !s->stopped)
        return stop(s);
    progress_end(&s->bar);
    code = code != CLI_OK ? code : write_final(s);
    if (code != CLI_OK)
        return keep_rows(s, code);
    run->steps = step_of(s) - s->first;
    run->last = s->now;
    run->beyond_limit = is_beyond_limit(s);
    return CLI_OK;
}

int nbody_simulate(nbody_run *run)
{
    simulation s = {.run = run};
    int code = open_simulation(&s);

    code = code != CLI_OK ? code : simulate(&s);
    close_simulation(&s);
    return code;
}
