/* penta stars: from stars and an attitude to the frames of a camera. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/output.h>
#include "shared/inputs.h"
#include "shared/json.h"
#include "shared/ranks.h"
#include "shared/stages.h"
#include "shared/streams.h"
#include "stars/notes.h"
#include "stars/pair.h"
#include "stars/plans.h"
#include "stars/resume.h"
#include "stars/scene.h"
#include "stars/sequence.h"
#include "stars/track_frame.h"
#include "stars/usage.h"

static const char NAME[] = "stars";

static const char about[] =
    "Draws the frame of a star camera. Stars come from a catalogue (by default the built-in Bright Star "
    "Catalogue) and the camera's attitude, from a list of positions in the frame, or at random. A star of "
    "magnitude m has the flux A b^-m, which the point-spread function spreads over the square of --roi pixels "
    "around it. Pixel centres are at integers, x right, y down.\n\n"
    "The frame has no noise unless a flag under Detector or --exposure is given (with --rate, --exposure "
    "alone adds none). With noise, fluxes are photons, by --zero-point or --amplitude, pixels are DN, and the "
    "same --seed gives the same frame on every device.\n\n"
    "The ending of FILE chooses the format: .png or .jpg (pixels rounded and clipped), .fits, .fits.gz, .tif "
    "or .npy. Exit code 0; 1 after an error; 2 for wrong usage.\n\n"
    "Under mpirun the ranks draw different frames of --track, each on a device of its machine; one frame is "
    "drawn by the first rank.";

static const char examples[] = "  penta stars --attitude 83.8,-1.2,0 -o orion.png\n"
                               "  penta stars --attitude 83.8,-1.2,0 --psf integrated -o field.fits --truth field.csv\n"
                               "  penta stars --wcs field.fits --mag-limit 5 -o bright.png\n"
                               "  penta stars --random 131072 --seed 7 --engine fixed --json -o frame.npy\n"
                               "  penta stars --attitude 83.8,-1.2,0 --rate 0,0.2,0 --exposure 0.5 --zero-point 16 "
                               "--read-noise 12 --bits 12 --stretch asinh -o noisy.png\n"
                               "  penta sample stars -o sky && penta stars --track sky/track.csv --fov 30 -o frames\n";

/* ---- where results go ---- */

enum { INPUTS = 3 };

static void list_inputs(const stars_request *r, const char *inputs[INPUTS])
{
    inputs[0] = r->source_path;
    inputs[1] = r->pointing_path;
    inputs[2] = r->psf_image;
}

static int check_image(const stars_run *run)
{
    const stars_request *r = &run->request;
    const char *inputs[INPUTS];

    list_inputs(r, inputs);
    for (size_t i = 0; i < INPUTS; i++)
        if (penta_io_same_file(inputs[i], r->output) || penta_io_same_file(inputs[i], r->truth))
            return cli_fail(run->job.command, CLI_USAGE,
                            "%s is an input, and would be overwritten; choose another name", inputs[i]);
    if (r->truth && (strcmp(r->truth, r->output) == 0 || penta_io_same_file(r->truth, r->output)))
        return cli_fail(run->job.command, CLI_USAGE, "-o and --truth are the same file, %s", r->truth);
    return CLI_OK;
}

static int check_name(const stars_run *run, input_files *inputs, const char *directory, size_t number,
                      const char *suffix)
{
    char *path = stars_frame_name(directory, number, suffix);
    int code = path ? inputs_check_path(inputs, run->job.command, path)
                    : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    free(path);
    return code;
}

static int check_frames(const stars_run *run)
{
    const stars_request *r = &run->request;
    const char *paths[INPUTS];
    input_files *inputs = inputs_open(INPUTS);
    int code = inputs ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    list_inputs(r, paths);
    for (size_t i = 0; inputs && i < INPUTS; i++)
        inputs_add(inputs, paths[i]);
    for (size_t i = 0; code == CLI_OK && i < run->track.n; i++) {
        code = check_name(run, inputs, r->output, i, r->suffix);
        if (code == CLI_OK && r->truth)
            code = check_name(run, inputs, r->truth, i, ".truth.csv");
    }
    inputs_close(inputs);
    return code;
}

/* Before anything is written: CLI_OK; or CLI_USAGE after a line where an image or a truth would take the place of a
 * file that is read, or of the other. The track is known. */
static int check_place(const stars_run *run)
{
    return run->request.pointing == STARS_POINTS_TRACK ? check_frames(run) : check_image(run);
}

/* ---- before drawing ---- */

/*
 * Opens the file and gives it up, so that a file that cannot be written is found before the work. Not a pipe: who reads
 * it would take that for the end.
 */
static int try_file(const stars_run *run, const char *path)
{
    penta_io_output *output;
    penta_io_error error = {""};
    struct stat st;

    if (path && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return CLI_OK;
    if (path && !penta_io_output_open(path, &output, &error))
        return job_fail_io(&run->job, &error);
    if (path)
        penta_io_output_abort(output);
    return CLI_OK;
}

/* The directory of the truth may be that of the frames, one in it, or another one. Ranks but the first come to one that
 * is there, and is locked. */
static int open_truth(stars_run *run, const char *directory)
{
    penta_io_error error = {""};
    char *path = penta_io_join_path(directory, "frame", "");
    bool first = ranks_rank() == 0, ok = path && (!first || penta_io_make_directory(directory, &error));
    int code;

    if (ok && !penta_io_run_covers(path))
        ok = (!first           ? penta_io_run_join
              : run->job.again ? penta_io_run_open_again
                               : penta_io_run_open)(directory, NAME, &run->truth, &error);
    code = ok ? CLI_OK : job_fail_io(&run->job, &error);
    if (code == CLI_OK && ranks_size() > 1 && first && !run->truth)
        code = try_file(run, path);
    free(path);
    return code;
}

static int open_truths(stars_run *run, const char *directory)
{
    int code;

    if (ranks_size() == 1)
        return open_truth(run, directory);
    code = ranks_agree(ranks_rank() == 0 ? open_truth(run, directory) : CLI_OK);
    return code == CLI_OK && ranks_rank() > 0 ? open_truth(run, directory) : code;
}

static int try_outputs(stars_run *run)
{
    const stars_request *r = &run->request;
    int code = check_place(run);

    if (code != CLI_OK)
        return code;
    if (r->pointing != STARS_POINTS_TRACK && ranks_rank() > 0)
        return CLI_OK;
    if (r->pointing != STARS_POINTS_TRACK) {
        code = try_file(run, r->output);
        code = code != CLI_OK ? code : try_file(run, r->truth);
        return code != CLI_OK ? code : stars_pair_try(run);
    }
    code = job_make_directory(&run->job, "frame-*");
    return code == CLI_OK && r->truth ? open_truths(run, r->truth) : code;
}

/* The attitudes during the one exposure, and how long it takes. */
static bool open_exposure(stars_run *run, penta_io_error *err)
{
    const char *path = run->request.pointing_path;
    penta_io_track *t = &run->track;

    if (!penta_io_track_read(path, t, err))
        return false;
    if (!t->time)
        return penta_io_fail(err, "%s: has no column time, which the attitudes during an exposure need", path);
    if (penta_attitude_path_follow(t->n, t->time, t->attitude, &run->path) != PENTA_OK)
        return stars_refused(path, err);
    return stars_set_exposure(&run->request, t->time[t->n - 1] - t->time[0], err);
}

/* What the library refuses, before it costs time. */
static int check_options(const stars_run *run)
{
    const stars_request *r = &run->request;
    size_t width = run->optics.width, height = run->optics.height;
    char text[512];

    if (penta_stars_check(width, height, &r->stars, text, sizeof text) != PENTA_OK ||
        (r->noise && penta_detector_check(width, height, &r->detector, text, sizeof text) != PENTA_OK))
        return cli_fail(NAME, CLI_USAGE, "%s", text);
    return CLI_OK;
}

/* Files that say where the camera looks, then the stars. */
static int open_inputs(stars_run *run)
{
    stars_request *r = &run->request;
    penta_io_error error = {""};
    bool ok = stars_optics_open(r, &run->optics, &error);

    if (ok && check_options(run) != CLI_OK)
        return CLI_USAGE;
    if (ok && r->pointing == STARS_POINTS_TRACK)
        ok = penta_io_track_read(r->pointing_path, &run->track, &error);
    if (ok && r->pointing == STARS_POINTS_MOVING)
        ok = open_exposure(run, &error);
    ok = ok && stars_source_open(r, run->optics.width, run->optics.height, &run->source, &error);
    if (!ok)
        return job_fail_io(&run->job, &error);
    if (*run->source.origin.unit_reason)
        job_note(&run->job, "%s: read with --ra-unit %s, since %s; give the flag to settle it", r->source_path,
                 run->source.origin.ra_unit, run->source.origin.unit_reason);
    if (run->source.note[0])
        job_note(&run->job, "%s", run->source.note);
    stars_note_epoch(run);
    stars_note_optics(run);
    stars_note_background(run);
    return CLI_OK;
}

/* ---- drawing ---- */

/* The attitudes during the one exposure, where they are not read from a file. */
static int make_path(stars_run *run)
{
    const stars_request *r = &run->request;

    if (r->pointing == STARS_POINTS_MOVING ||
        penta_attitude_path_turn(&r->attitude, r->rate, r->detector.exposure, &run->path) == PENTA_OK)
        return CLI_OK;
    return cli_fail_library(NAME, NULL, run->job.common.verbose);
}

static int draw_one(stars_run *run, stars_sequence *out)
{
    const stars_request *r = &run->request;
    stars_shot shot = {0};
    penta_io_error error = {""};
    int code = make_path(run);

    if (code != CLI_OK)
        return code;
    code = stars_shot_take(run, 0, run->optics.on_sky ? &run->path : NULL, &shot);
    *out = (stars_sequence){.n = 1, .records = calloc(1, sizeof *out->records)};
    snprintf(out->engine, sizeof out->engine, "%s", shot.engine ? shot.engine : "");
    if (code == STARS_INTERRUPTED || (code == CLI_OK && cli_interrupted()))
        code = cli_fail(NAME, CLI_ERROR, "interrupted; nothing was written");
    if (code == CLI_OK && !out->records)
        code = cli_fail(NAME, CLI_ERROR, "out of memory");
    (void)stages_enter(STAGE_WRITE);
    code = code != CLI_OK ? code : stars_pair_open(run);
    if (code == CLI_OK) {
        out->records[0] = stars_record_of(&shot);
        if (!stars_shot_write(run, &shot, r->output, r->truth, &error))
            code = job_fail_io(&run->job, &error);
    }
    code = code != CLI_OK ? code : job_commit(&run->job);
    if (run->job.shares)
        run->job.shares[0] = 1;
    stars_shot_free(&shot);
    return code;
}

/* ---- answers ---- */

static stars_record total_of(const stars_sequence *s)
{
    stars_record total = {0};

    for (size_t i = 0; i < s->n; i++) {
        total.drawn += s->records[i].drawn;
        total.flux_total += s->records[i].flux_total;
        total.flux_in_frame += s->records[i].flux_in_frame;
    }
    return total;
}

static json_t *counts(const stars_record *r)
{
    return json_pack("{s:I, s:o, s:o}", "stars_drawn", (json_int_t)r->drawn, "flux_total", json_number(r->flux_total),
                     "flux_in_frame", json_number(r->flux_in_frame));
}

static json_t *list_frames(const stars_run *run, const stars_sequence *s)
{
    json_t *frames = json_array();

    for (size_t i = 0; i < s->n; i++) {
        json_t *frame = counts(&s->records[i]);
        char *path = stars_frame_name(run->request.output, i, run->request.suffix);

        json_object_set_new(frame, "file", path ? json_text(path) : json_null());
        if (run->track.time)
            json_object_set_new(frame, "time", json_number(run->track.time[i]));
        if (run->track.name)
            json_object_set_new(frame, "name", json_text(run->track.name[i]));
        json_array_append_new(frames, frame);
        free(path);
    }
    return frames;
}

/* How the catalogue was read. */
static json_t *describe_catalog(const penta_io_catalog_origin *o)
{
    return json_pack("{s:s, s:o, s:s, s:o}", "format", o->format, "ra_column",
                     *o->ra_column ? json_text(o->ra_column) : json_null(), "ra_unit", o->ra_unit, "epoch",
                     json_number(o->epoch));
}

static json_t *details_of(stars_run *run, const stars_sequence *s, const stars_record *total)
{
    json_t *details = counts(total);
    bool photons = run->request.noise || run->request.in_photons;

    json_object_set_new(details, "flux_unit", json_string(photons ? "photon" : "count"));
    json_object_set_new(details, "stars_in", json_integer((json_int_t)run->source.all));
    json_object_set_new(details, "engine", json_string(s->engine));
    json_object_set_new(details, "width", json_integer((json_int_t)run->optics.width));
    json_object_set_new(details, "height", json_integer((json_int_t)run->optics.height));
    json_object_set_new(details, "roi", json_integer(penta_stars_roi(run->plan)));
    json_object_set_new(details, "output", json_text(run->request.output));
    if (run->request.source == STARS_FROM_CATALOG)
        json_object_set_new(details, "catalog", describe_catalog(&run->source.origin));
    if (run->request.pointing == STARS_POINTS_TRACK)
        json_object_set_new(details, "frames", list_frames(run, s));
    return details;
}

/* A run before has done all. */
static int answer_done(stars_run *run, const stars_sequence *s)
{
    stars_record total = total_of(s);

    if (run->job.common.json)
        answer_add(details_of(run, s, &total));
    return resume_note_all(&run->record);
}

static int answer(stars_run *run, const stars_sequence *s)
{
    stars_record total = total_of(s);

    stars_note_frames(run, s);
    if (job_prints(&run->job)) {
        if (run->request.pointing == STARS_POINTS_TRACK)
            printf("%zu frames of ", s->n);
        printf("%zu x %zu px: %.10g of %zu stars drawn%s (%s); their flux %.7g, in their ROIs in the frame%s %.7g\n",
               run->optics.width, run->optics.height, round((double)total.drawn / (double)s->n), run->source.all,
               s->n > 1 ? " in each on average" : "", s->engine, total.flux_total, s->n > 1 ? "s" : "",
               total.flux_in_frame);
    }
    return job_finish(&run->job, run->job.common.json ? details_of(run, s, &total) : NULL);
}

/* ---- the run ---- */

static int draw_all(stars_run *run, stars_sequence *out)
{
    if (run->request.pointing == STARS_POINTS_TRACK)
        return stars_sequence_run(run, out);
    return ranks_rank() > 0 ? CLI_OK : draw_one(run, out); /* one frame is not divided */
}

static int work(stars_run *run)
{
    stars_sequence sequence = {0};
    int code;

    (void)stages_enter(STAGE_READ);
    code = stars_resume_look(run);
    code = code != CLI_OK ? code : open_inputs(run);
    (void)stages_enter(STAGE_START);
    code = code != CLI_OK ? code : try_outputs(run);
    code = code != CLI_OK ? code : job_open_devices(&run->job);
    (void)stages_enter(STAGE_COMPUTE);
    code = code != CLI_OK ? code : stars_plans_open(run);
    code = code != CLI_OK ? code : draw_all(run, &sequence);
    if (ranks_size() > 1)
        code = ranks_exchange_seconds(code, run->job.ctx ? penta_profile_seconds(run->job.ctx, true, false) : 0);
    if (code == CLI_OK && ranks_rank() == 0)
        code = sequence.complete ? answer_done(run, &sequence) : answer(run, &sequence);
    stars_sequence_free(&sequence);
    return code;
}

static void close_run(stars_run *run)
{
    stars_plans_close(run);
    resume_end(&run->record);
    penta_io_run_close(run->truth);
    job_close(&run->job);
    stars_source_close(&run->source);
    penta_io_track_free(&run->track);
    penta_attitude_path_free(&run->path);
}

/* What flags fill, and the run. */
typedef struct {
    stars_run run;
    stars_flags flags;
    penta_stars_options options;
} stars_values;

/* "-" is standard output: the frame is written to a temporary file, whose name says its format, the table to it. */
static bool take_stdout(stars_flags *f, const char **output, penta_io_error *err)
{
    if (f->truth && strcmp(f->truth, "-") == 0)
        f->truth = "/dev/stdout";
    return !*output || strcmp(*output, "-") != 0 || streams_place_out(stars_suffix(f), output, err);
}

static int run_stars(const cli_line *line, void *values)
{
    stars_values *v = values;
    const char *output = v->run.job.common.output, *const given = output;
    penta_io_error error = {""};
    int code = cli_need_output(line);

    code = code != CLI_OK ? code : stars_usage_check(line, &v->flags, &v->options, output);
    code = code != CLI_OK ? code : cli_take_streams(line);
    if (code != CLI_OK)
        return code;
    if (!take_stdout(&v->flags, &output, &error))
        return cli_fail(NAME, CLI_ERROR, "%s", error.text);
    v->run.job.common.output = output;
    if (!stars_flags_read(line->tables, &v->flags, &v->options, output, &v->run.request, &error))
        return cli_fail(NAME, CLI_USAGE, "%s", error.text);
    v->run.job.again = v->flags.resume;
    job_begin(&v->run.job, line);
    answer_single_input(v->run.request.source_path);
    cli_catch_interrupts();
    code = work(&v->run);
    if (code == CLI_OK && ranks_rank() == 0 && strcmp(given, "-") == 0 && !streams_pass_on(output, &error))
        code = job_fail_io(&v->run.job, &error);
    close_run(&v->run);
    return code;
}

/* The detector's seed is with the stars, its exposure with the motion, whose flags alone need no detector. */
static const cli_section sections[] = {
    CLI_SECTION("Stars", "stars_input", stars_rows, stars_values, flags),
    CLI_LIBRARY_ONLY(NULL, "detector", penta_detector_option_table, stars_values, flags.detector, "seed"),
    CLI_SECTION("Pointing and camera", "pointing", stars_pointing_rows, stars_values, flags),
    CLI_LIBRARY("Drawing", "stars", penta_stars_option_table, stars_values, options),
    CLI_LIBRARY_ONLY("Exposure", "detector", penta_detector_option_table, stars_values, flags.detector, "exposure"),
    CLI_SECTION(NULL, "motion", stars_motion_rows, stars_values, flags),
    CLI_LIBRARY_EXCEPT("Detector", "detector", penta_detector_option_table, stars_values, flags.detector,
                       "seed exposure"),
    CLI_SECTION(NULL, "photometry", stars_noise_rows, stars_values, flags),
    CLI_SECTION("Output", "output", stars_output_rows, stars_values, flags),
    CLI_SECTION("Common", "common", cli_common_table, stars_values, run.job.common),
    CLI_SECTIONS_END};

static const cli_output outputs[] = {{"*.csv", "truth"}, {"*", "frame"}, {0}};

const cli_command penta_command_stars = {
    .name = "stars",
    .summary = "star-camera frames from catalogues, lists or at random",
    .usage = "[--attitude RA,DEC,ROLL | --wcs FITS | --list FILE | --random N] -o FILE",
    .about = about,
    .examples = examples,
    .sections = sections,
    .output_name = "FILE",
    .output_help = "the image: .png, .fits, .tif, .npy or .jpg, or - for standard output in --format; with --track the "
                   "directory of the frames",
    .single = stars_single,
    .together = stars_together,
    .idle = stars_idle,
    .outputs = outputs,
    .size = sizeof(stars_values),
    .run = run_stars,
    .ranks = CLI_RANKS_ALL};
