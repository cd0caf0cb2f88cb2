/* penta nbody: bodies in, their orbits or the forces on them out. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "shared/inputs.h"
#include "shared/json.h"
#include "shared/ranks.h"
#include "shared/ranks_timeout.h"
#include "shared/stages.h"
#include "nbody/members.h"

static const char NAME[] = "nbody";

static const char about[] =
    "Integrates bodies under their mutual gravity, summed over all pairs: a_i = sum of m_j r_ij / (|r_ij|^2 + "
    "eps^2)^(3/2), G = 1. Bodies (mass, position, velocity) are read from a file or made. With --forces-only "
    "nothing moves: accelerations and potentials are written. Positions, velocities and sums over bodies are "
    "in double precision for any --precision of the forces, or in pairs of floats where the device has no "
    "double precision.\n\n"
    "Writes to DIR: diagnostics.csv (energies, momenta, virial ratio), lagrangian.csv (radii that hold 1 to "
    "90 % of the mass), final.npy (n x 7: mass,x,y,z,vx,vy,vz), by --format also final.csv and others, and "
    "checkpoint.bin; with --snapshot-every snapshot_STEP, with --frames frame_STEP.png; with --forces-only "
    "acc.npy and pot.npy. Ctrl-C leaves a checkpoint within 2 s, from which --restart continues with the same "
    "bits. Under mpirun the ranks divide the forces, each with a device of its machine; the files are those "
    "of one process. Exit code 0; 1 after an error; 2 for wrong usage.";

static const char examples[] =
    "  penta nbody --ic plummer -n 1024 --steps 100 --eps 0.05 -o plummer\n"
    "  penta nbody --restart plummer/checkpoint.bin --steps 100 -o plummer\n"
    "  penta nbody --ic galaxies -n 1024 --dt 0.02 --steps 100 --snapshot-every 50 --frames -o galaxies\n"
    "  penta nbody --input plummer/final.npy --eps 0 --forces-only --precision double --json -o forces\n"
    "  penta sample nbody -o bodies && penta nbody --input bodies/figure8.mpv --eps 0 --dt 0.01 --steps 633 "
    "--integrator hermite4 -o orbit\n";

/* ---- which flags have an effect in which runs; flags in none of the tables always have ---- */

/* Facts of a run; each makes some flags have no effect. */
enum {
    FOUND = 1 << 0,   /* bodies are not made here */
    CERTAIN = 1 << 1, /* the model has nothing random */
    STILL = 1 << 2,   /* no step is made */
    MOVING = 1 << 3,
    ELSEWHERE = 1 << 4, /* the field at other points */
    NO_PICTURES = 1 << 5,
    EQUAL_STEPS = 1 << 6
};

/* --restart may be added to the flags of the run that it continues: flags that name other bodies cause a note only. */
static const cli_rule single[] = {{"input ic", "which bodies to take", 0}, {0}};

/* --steps, --dt and --integrator may stay beside --forces-only, so that it can be added to the flags of a run. */
static const cli_rule idle[] = {
    {"bodies seed", "it is for bodies of --ic", FOUND},
    {"seed", "the polygon is not random", CERTAIN},
    {"step_mode diagnose_every max_energy_error snapshot_every format frames view extent size overwrite resume",
     "--forces-only makes no step", STILL},
    {"points", "it is for --forces-only", MOVING},
    {"kernel precision", "the field at --points is always computed in double, by a separate kernel", ELSEWHERE},
    {"view extent size", "it is for the pictures of --frames", NO_PICTURES},
    {"eta", "--forces-only makes no step", STILL},
    {"eta", "it is for the steps of --step-mode shared and block", EQUAL_STEPS},
    {0}};

static unsigned facts_of(const nbody_flags *f)
{
    int model = PENTA_NBODY_PLUMMER;

    if (f->ic)
        nbody_model(f->ic, &model, NULL);
    return (f->ic || f->restart ? 0 : FOUND) | (model == PENTA_NBODY_NGON ? CERTAIN : 0) |
           (f->forces_only ? STILL : MOVING) | (f->points ? ELSEWHERE : 0) | (f->frames ? 0 : NO_PICTURES);
}

/*
 * CLI_OK, or CLI_USAGE after one line on stderr: nothing says which bodies, two flags do, or a flag has no effect. What
 * --restart leaves open is checked by check_step_usage.
 */
static int check_usage(const cli_line *line, const nbody_flags *f)
{
    penta_io_error error = {""};
    int code = cli_check_single(line), model;

    if (code != CLI_OK)
        return code;
    if (!f->input && !f->ic && !f->restart)
        return cli_fail(line->command->name, CLI_USAGE,
                        "which bodies? give --input FILE, --ic MODEL or --restart FILE; see penta nbody --help");
    if (f->ic && !nbody_model(f->ic, &model, &error))
        return cli_fail(line->command->name, CLI_USAGE, "%s", error.text);
    return cli_check_effect(line, facts_of(f));
}

/* The same of the flags that count in steps that adapt, once it is known whether they do. */
static int check_step_usage(const cli_line *line, const nbody_flags *f, const penta_nbody_options *o)
{
    return cli_check_effect(line, (f->forces_only ? STILL : 0) | (o->step_mode == PENTA_NBODY_FIXED ? EQUAL_STEPS : 0));
}

/* ---- bodies ---- */

static int out_of_memory(const nbody_run *run)
{
    return cli_fail(NAME, CLI_ERROR, "out of memory for %zu bodies", run->bodies.n);
}

static int make_room(nbody_run *run, size_t n)
{
    run->bodies.n = n;
    run->bodies.rows = n <= SIZE_MAX / 64 ? malloc(n * 7 * sizeof *run->bodies.rows) : NULL;
    return run->bodies.rows ? CLI_OK : out_of_memory(run);
}

static int make_bodies(nbody_run *run)
{
    penta_io_error error = {""};
    int model, code = make_room(run, (size_t)run->flags.bodies);

    if (code != CLI_OK)
        return code;
    if (!nbody_model(run->flags.ic, &model, &error))
        return job_fail_io(&run->job, &error);
    if (penta_nbody_initial(model, (uint64_t)run->flags.seed, run->bodies.n, run->bodies.rows) != PENTA_OK)
        return job_fail_library(&run->job);
    return CLI_OK;
}

/* The state of one integrator is of no use to another. */
static int check_integrator(const nbody_run *run)
{
    const penta_nbody_options *saved = &run->restart.options, *o = &run->options;

    if (saved->integrator == o->integrator && saved->step_mode == o->step_mode)
        return CLI_OK;
    return cli_fail(NAME, CLI_ERROR,
                    "%s: is of a run with another --integrator or --step-mode; leave these out, or start again with "
                    "--input final.npy",
                    run->flags.restart);
}

/* Says which options differ from those of the checkpoint. */
static void note_changes(const nbody_run *run)
{
    const penta_nbody_options *saved = &run->restart.options, *o = &run->options;
    bool same_eps = saved->eps <= o->eps && saved->eps >= o->eps, same_dt = saved->dt <= o->dt && saved->dt >= o->dt;

    if (!same_eps || !same_dt || saved->precision != o->precision || saved->kernel != o->kernel)
        job_note(&run->job, "%s was of a run with another %s", run->flags.restart,
                 !same_eps                          ? "--eps: energies before and after cannot be compared"
                 : !same_dt                         ? "--dt"
                 : saved->precision != o->precision ? "--precision"
                                                    : "--kernel");
}

/* The flags of the run that is continued may still be given. */
static int check_bodies(const nbody_run *run, const cli_line *line)
{
    const nbody_flags *f = &run->flags;

    if (cli_given(line->tables, "bodies") && (size_t)f->bodies != run->restart.n)
        return cli_fail(NAME, CLI_ERROR, "%s: has %zu bodies, not the %d of -n", f->restart, run->restart.n, f->bodies);
    if ((f->ic || f->input) && !run->goes_on)
        job_note(&run->job, "the bodies come from %s, not from --%s", f->restart, f->ic ? "ic" : "input");
    return CLI_OK;
}

static int open_checkpoint(nbody_run *run, const cli_line *line)
{
    penta_io_error error = {""};
    int code;

    if (!penta_io_run_check_unedited(run->flags.restart, &error) ||
        !penta_io_checkpoint_read(run->flags.restart, &run->restart, &error))
        return job_fail_io(&run->job, &error);
    nbody_take_saved(line, &run->restart.options, &run->options);
    code = check_integrator(run);
    code = code != CLI_OK ? code : check_bodies(run, line);
    note_changes(run);
    run->bodies = run->restart.about; /* taken over */
    run->restart.about = (penta_io_bodies){0};
    return code != CLI_OK ? code : make_room(run, run->restart.n);
}

static int note_attributes(nbody_run *run, bool eps_given)
{
    if (*run->bodies.note)
        job_note(&run->job, "%s: %s", run->flags.input, run->bodies.note);
    if (run->bodies.units.length > 0)
        nbody_check_stated_units(run);
    return nbody_settle_softening(run, eps_given);
}

static int open_bodies(nbody_run *run, const cli_line *line)
{
    penta_io_error error = {""};

    if (run->flags.restart)
        return open_checkpoint(run, line);
    if (run->flags.ic)
        return make_bodies(run);
    return penta_io_bodies_read(run->flags.input, &run->bodies, &error) ? CLI_OK : job_fail_io(&run->job, &error);
}

/* ---- the place for results ---- */

/* Whether the run would write a file of this name into its directory. */
static bool is_output(const nbody_run *run, const char *name)
{
    static const char *const forces[] = {"acc.npy", "pot.npy", NULL};
    static const char *const steps[] = {"final.npy", "checkpoint.bin", "diagnostics.csv", "lagrangian.csv", NULL};

    if (!run->flags.forces_only && strncmp(name, "final.", 6) == 0 &&
        strcmp(name + 5, nbody_formats[run->flags.format]) == 0)
        return true;
    for (const char *const *n = run->flags.forces_only ? forces : steps; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    if (run->flags.frames && strncmp(name, "frame_", strlen("frame_")) == 0)
        return true;
    return run->flags.snapshot_every > 0 && strncmp(name, "snapshot_", strlen("snapshot_")) == 0;
}

/*
 * Before anything is written: CLI_OK; or CLI_USAGE after a line where an output would take the place of the bodies or
 * points that are read. The checkpoint of --restart is none of these: it is replaced by a later one. What is there
 * already is looked at, since there may be any number of snapshots.
 */
static int check_place(const nbody_run *run)
{
    const char *directory = run->job.common.output;
    input_files *inputs = inputs_open(2);
    DIR *there = opendir(directory);
    struct dirent *entry;
    int code = inputs ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    if (inputs) {
        inputs_add(inputs, run->flags.input);
        inputs_add(inputs, run->flags.points);
    }
    while (code == CLI_OK && there && (entry = readdir(there)) != NULL)
        if (is_output(run, entry->d_name))
            code = inputs_check(inputs, run->job.command, directory, entry->d_name, "");
    if (there)
        closedir(there);
    inputs_close(inputs);
    return code;
}

/* A run that goes on has what was written before as its own. */
static const char *other_names(const nbody_run *run)
{
    return run->flags.forces_only || run->flags.restart ? "" : "snapshot_* frame_*.png lagrangian.csv final.*";
}

static int try_outputs(nbody_run *run)
{
    char *path = penta_io_join_path(run->job.common.output, "snapshot", nbody_formats[run->flags.format]);
    penta_io_error error = {""};
    bool ok = path && (run->flags.forces_only || penta_io_bodies_can_write(path, &error));
    int code = ok ? check_place(run) : job_fail_io(&run->job, &error);

    free(path);
    code = code != CLI_OK ? code : job_make_own_directory(&run->job, other_names(run));
    if (code == CLI_OK && run->job.again)
        penta_io_run_sweep(run->job.run);
    return code;
}

/* ---- the plan ---- */

static bool has_double(const nbody_run *run)
{
    return penta_context_device(run->job.ctx)->fp64;
}

/* Rounding in float looks like changes of the acceleration. */
static void note_noise(const nbody_run *run)
{
    if (has_double(run) && run->options.step_mode != PENTA_NBODY_FIXED && !run->flags.forces_only &&
        strcmp(run->precision, "double") != 0)
        job_note(
            &run->job,
            "rounding in precision %s makes adaptive steps needlessly short; double is faster here, and more accurate",
            run->precision);
}

/* Says when bodies are too close, or softened too little, for single precision. */
static void note_need(const nbody_run *run)
{
    bool met;
    const char *why = penta_nbody_need(run->plan, &met);

    if (*why && met && run->options.precision == PENTA_PRECISION_AUTO)
        job_note(&run->job, "precision %s, since %s", run->precision, why);
    else if (*why && !met && !has_double(run))
        job_warn(&run->job, "%s, which precision %s does not resolve, and the device has no double precision", why,
                 run->precision);
    else if (*why && !met)
        job_warn(&run->job, "%s, which precision %s does not resolve; leave it to --precision auto", why,
                 run->precision);
}

/* The rules of the library. n: the number of bodies, as far as it is known. */
static int check_options(const nbody_run *run, size_t n)
{
    char message[256];

    if (penta_nbody_check(n, &run->options, message, sizeof message) == PENTA_OK)
        return CLI_OK;
    return cli_fail(NAME, run->flags.restart ? CLI_ERROR : CLI_USAGE, "%s", message);
}

/* The rules that need no file; with --restart the options are not complete yet. */
static int check_flags(nbody_run *run)
{
    if (run->flags.restart)
        return CLI_OK;
    if (run->flags.forces_only)
        run->options.integrator = PENTA_NBODY_LEAPFROG; /* none: forces are those of --kernel */
    return check_options(run, run->flags.ic ? (size_t)run->flags.bodies : 1);
}

/* Options have been checked, so that of several devices these are not of one kind. */
static int fail_plan(const nbody_run *run, penta_status status)
{
    int code = run->untold ? CLI_ERROR : job_fail_library(&run->job);

    return run->group && status == PENTA_INVALID ? CLI_USAGE : code;
}

static int make_plan(nbody_run *run)
{
    penta_status status;

    status = nbody_members_create(run);
    if (status != PENTA_OK)
        return fail_plan(run, status);
    status = run->restart.state ? nbody_members_load(run, run->restart.state, run->restart.count)
                                : nbody_members_set(run, run->bodies.rows);
    if (status != PENTA_OK)
        return run->untold ? CLI_ERROR : job_fail_library(&run->job);
    run->kernel = penta_nbody_kernel_name(run->plan);
    run->precision = penta_nbody_precision_name(run->plan);
    note_noise(run);
    note_need(run);
    return CLI_OK;
}

/* ---- answers ---- */

static double rate_of(const nbody_run *run)
{
    return run->step_seconds > 0 ? run->interactions / run->step_seconds : NAN;
}

/* The energy at step 0 is too near to 0. */
static bool is_relative_to_potential(const nbody_run *run)
{
    return run->energy.scale > fabs(run->energy.first);
}

static json_t *details_of(const nbody_run *run)
{
    const penta_nbody_diagnostics *d = &run->last;

    return json_pack("{s:I, s:I, s:o, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "n",
                     (json_int_t)run->bodies.n, "steps", (json_int_t)run->steps, "eps", json_number(run->options.eps),
                     "kernel", run->kernel, "precision", run->precision, "energy_error",
                     json_number(penta_nbody_energy_error(&run->energy, d->energy_com)), "energy_error_max",
                     json_number(penta_nbody_energy_worst(&run->energy)), "energy_relative_to",
                     is_relative_to_potential(run) ? "potential" : "energy", "step_check", json_number(d->step_check),
                     "step_body", isnan(d->step_check) ? json_null() : json_integer((json_int_t)d->step_body),
                     "step_judged", json_number(d->step_judged), "interactions_per_second", json_number(rate_of(run)),
                     "gflops20", json_number(20e-9 * rate_of(run)));
}

static int check_orbits(const nbody_run *run)
{
    char advice[256] = "";
    double worst = penta_nbody_energy_worst(&run->energy);

    if (run->beyond_limit)
        return cli_fail(NAME, CLI_ERROR,
                        "the largest relative energy error was %.2g, which is above --max-energy-error %g; stopped "
                        "at time %g with all files kept",
                        worst, run->flags.max_energy_error, run->start_time + penta_nbody_time(run->plan));
    if (run->other_units)
        return CLI_OK;
    if (penta_nbody_advise_step(&run->options, run->bodies.n, &run->last, run->orbit_step, advice, sizeof advice))
        cli_name_flags(advice);
    if (worst > PENTA_NBODY_DOUBTFUL)
        job_warn(&run->job, "the largest relative energy error was %.2g; orbits are doubtful: %s", worst,
                 *advice ? advice : "take a smaller --dt, more --eps, or --integrator hermite4 with --step-mode block");
    else if (*advice)
        job_warn(&run->job, "orbits are doubtful: %s", advice);
    return CLI_OK;
}

/* Where the run ended before its time: what there is so far. */
static void answer_so_far(const nbody_run *run)
{
    if (run->kernel && run->job.common.json)
        answer_add(details_of(run));
}

static int answer(nbody_run *run)
{
    const penta_nbody_diagnostics *d = &run->last;
    int code;

    if (job_prints(&run->job) && !run->flags.forces_only) {
        printf("%zu bodies, %llu steps to time %.6g (%s, %s)\n", run->bodies.n, (unsigned long long)run->steps,
               run->start_time + penta_nbody_time(run->plan), run->kernel, run->precision);
        printf("energy %.10g, at first %.10g: relative error %.2g, at most %.2g%s\n", d->energy_com, run->energy.first,
               penta_nbody_energy_error(&run->energy, d->energy_com), penta_nbody_energy_worst(&run->energy),
               is_relative_to_potential(run) ? " (of the potential energy)" : "");
        printf("largest step check %.2g, of body %zu\n", d->step_check, d->step_body);
    }
    if (job_prints(&run->job) && run->interactions > 0)
        printf("%.3g interactions/s, %.4g GFLOP/s at 20 a pair\n", rate_of(run), 20e-9 * rate_of(run));
    code = job_finish(&run->job, run->job.common.json ? details_of(run) : NULL);
    return code != CLI_OK || run->flags.forces_only ? code : check_orbits(run);
}

/* ---- the run ---- */

static int compute(nbody_run *run)
{
    int code = make_plan(run);

    cli_catch_interrupts(); /* so far there is nothing to keep */
    if (code == CLI_OK)
        code = run->flags.forces_only ? nbody_forces(run) : nbody_simulate(run);
    return code;
}

/* All files are of rank 0. */
static int begin_files(nbody_run *run, const cli_line *line)
{
    int code;

    (void)stages_enter(STAGE_READ);
    code = run->flags.forces_only ? CLI_OK : nbody_begin_resume(run);

    code = code != CLI_OK ? code : open_bodies(run, line);
    if (code == CLI_OK)
        nbody_note_resume(run);
    code = code != CLI_OK ? code : check_step_usage(line, &run->flags, &run->options);
    run->start_time = run->bodies.time;
    code = code != CLI_OK ? code : note_attributes(run, cli_given(line->tables, "eps"));
    code = code != CLI_OK ? code : check_options(run, run->bodies.n);
    return code != CLI_OK ? code : try_outputs(run);
}

static int work(nbody_run *run, const cli_line *line)
{
    int code = ranks_rank() == 0 ? begin_files(run, line) : CLI_OK;

    run->job.quick = true;
    code = code != CLI_OK ? code : job_open_devices(&run->job);
    if (code == CLI_OK && run->goes_on)
        code = resume_check_device(&run->resume);
    code = ranks_agree(code);
    (void)stages_enter(STAGE_COMPUTE);
    code = code != CLI_OK ? code : nbody_members_run(run, compute);
    code = job_exchange_shares(&run->job, code);
    if (ranks_rank() > 0)
        return code;
    if (code == CLI_OK)
        return answer(run);
    answer_so_far(run);
    return code;
}

static void close_run(nbody_run *run)
{
    penta_nbody_destroy(run->plan);
    job_close(&run->job);
    penta_io_bodies_free(&run->bodies);
    penta_io_checkpoint_free(&run->restart);
    resume_end(&run->resume);
    free(run->checkpoint);
}

static int run_nbody(const cli_line *line, void *values)
{
    nbody_run *run = values;
    int code = check_usage(line, &run->flags);

    code = code != CLI_OK ? code : check_flags(run);
    code = code != CLI_OK ? code : cli_need_output(line);
    code = code != CLI_OK ? code : cli_take_streams(line);
    if (code != CLI_OK)
        return code;
    job_begin(&run->job, line);
    run->job.again = run->flags.resume;
    ranks_timeout_allow();
    answer_single_input(run->flags.restart ? run->flags.restart : run->flags.input);
    run->energy = (penta_nbody_energy){NAN, NAN, NAN, NAN};
    run->last.energy_com = run->last.step_check = run->last.step_judged = NAN;
    code = work(run, line);
    close_run(run);
    return code;
}

static const cli_section sections[] = {
    CLI_SECTION("Bodies", "bodies", nbody_body_rows, nbody_run, flags),
    CLI_LIBRARY("Forces and steps", "nbody", penta_nbody_option_table, nbody_run, options),
    CLI_SECTION("Run", "run", nbody_run_rows, nbody_run, flags),
    CLI_SECTION("Output", "output", nbody_output_rows, nbody_run, flags),
    CLI_SECTION("Common", "common", cli_common_table, nbody_run, job.common),
    CLI_SECTIONS_END};

static const cli_output outputs[] = {{"acc.npy", "acceleration"},
                                     {"pot.npy", "potential"},
                                     {"checkpoint.bin", "checkpoint"},
                                     {"diagnostics.csv", "diagnostics"},
                                     {"lagrangian.csv", "lagrangian"},
                                     {"frame_*", "picture"},
                                     {"*", "bodies"},
                                     {0}};

const cli_command penta_command_nbody = {.name = "nbody",
                                         .summary = "gravity of n bodies, summed over all pairs",
                                         .usage = "[--input FILE | --ic MODEL -n N | --restart FILE] -o DIR",
                                         .about = about,
                                         .examples = examples,
                                         .sections = sections,
                                         .single = single,
                                         .idle = idle,
                                         .outputs = outputs,
                                         .size = sizeof(nbody_run),
                                         .run = run_nbody,
                                         .ranks = CLI_RANKS_ALL};
