/* penta autocorr: images in, C2D, C1D, R_max and its growth out. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/correlation.h"
#include "autocorr/doubts.h"
#include "autocorr/masks.h"
#include <pentacl/io/image.h>
#include <pentacl/io/output.h>
#include "shared/answer_frames.h"
#include "shared/inputs.h"
#include "shared/prepare_plan.h"
#include "shared/stages.h"

static const char NAME[] = "autocorr";

static const penta_option flag_table[] = {
    PENTA_TEXT_OPTION(
        autocorr_flags, times, 0, "CSV",
        "times of the frames in s: a table with a column time, and a column file or one row a frame in order"),
    PENTA_REAL_OPTION(autocorr_flags, interval, 0, 0, 0, 1e15, "s",
                      "time between frames; 0: frame numbers are the times"),
    PENTA_TEXT_OPTION(autocorr_flags, with, 0, "IMAGE",
                      "find the displacement against this image instead of R_max; --estimator is pearson unless given"),
    PENTA_TEXT_OPTION(autocorr_flags, mask, 0, "IMAGE", "exclude the pixels where this image is 0"),
    PENTA_TEXT_OPTION(autocorr_flags, recipe, 0, "FILE",
                      "prepare the frames first with this recipe of `penta prepare`"),
    PENTA_CHOICE_OPTION(autocorr_flags, axes, 0, "auto,yx,nyx,yxc",
                        "axes of NPY frames: n pages, y down, x along a row, c colour; auto: colour where the last of "
                        "three axes has length 3 or 4"),
    FRAME_CHOICE_OPTIONS(autocorr_flags),
    PENTA_TEXT_OPTION(autocorr_flags, shard, 0, "I/N",
                      "do only part I of N of the series, for array jobs; each part needs its own directory"),
    PENTA_FLAG_OPTION(autocorr_flags, numerators, 0, "also write the exact integer sums N(X,Y)"),
    PENTA_FLAG_OPTION(autocorr_flags, keep_going, 0,
                      "report a bad frame, skip it and continue; the exit code is 1 at the end"),
    PENTA_FLAG_OPTION(autocorr_flags, resume, 0,
                      "resume an interrupted run with the same arguments; the result is identical"),
    PENTA_FLAG_OPTION(autocorr_flags, no_plots, 0, "draw no pictures"),
    PENTA_OPTIONS_END};

static const char about[] =
    "Finds the length scale R_max of a pattern. Each image is correlated with itself. C1D is the average over "
    "directions, and R_max is its first significant maximum after its first significant trough: 1.12 times "
    "the wavelength of stripes, and 1.0 to 1.12 times that of the peak of the structure factor S(q); the "
    "wider the peak, the smaller the factor. Images: {images}, of 8 and 16 bits or float, stacks too. Colour "
    "becomes luminance by (299 R + 587 G + 114 B) / 1000. Several images are a series in the order given. An "
    "operand STEM.mask.png beside STEM.png, as `penta prepare` writes it, is a mask: pixels where it is 0 are "
    "left out.\n\n"
    "Writes to DIR: STEM.c2d.npy, STEM.c1d.csv and, with --numerators, STEM.n2d.npy of every frame; "
    "series.csv; c1d.png, c2d.png, and growth.png for series of 3 or more. Exit code 0; 1 after an error; 2 "
    "for wrong usage.\n\n"
    "Under mpirun the ranks divide the series, each with a device of its machine; the files are those of one "
    "process. Without MPI, --shard I/N does part I of N parts of the series and writes it to a directory of "
    "its own, without a fit and pictures. Join the tables, parts in order, with: awk 'FNR > 1 || NR == 1' "
    "part-*/series.csv >series.csv";

static const char examples[] =
    "  penta sample autocorr -n 4 --width 256 --height 256 -o frames\n"
    "  penta autocorr --interval 60 -o out frames/*.png\n"
    "  penta autocorr --preset paper --numerators --json -o paper frames/*.png\n"
    "  penta sample prepare -n 2 --width 256 --height 256 -o photos && penta autocorr --with photos/frame-0001.png "
    "--demean plane -R 20 --no-plots -o moved photos/frame-0000.png\n"
    "  penta autocorr -R 60 --no-plots -o one - < frames/frame-0003.png\n";

/* ---- before and after ---- */

static penta_io_choice choice_in(const autocorr_flags *f)
{
    return (penta_io_choice){(enum penta_io_axes)f->axes, f->page, f->channel, f->hdu};
}

static int read_image(const correlation *c, const char *path, penta_io_image *image)
{
    penta_io_error error = {""};

    return penta_io_image_read(path, image, &error) ? CLI_OK : job_fail_io(&c->job, &error);
}

/* The first page, of the channel and the HDU of the frames where it has them. */
static int read_with(correlation *c)
{
    penta_io_choice choice = choice_in(&c->flags);
    penta_io_reader *reader = NULL;
    penta_io_error error = {""};
    bool ok;

    choice.page = NULL;
    ok = penta_io_reader_open_chosen(c->flags.with, &choice, &reader, &error) &&
         penta_io_reader_read(reader, 0, &c->with, &error);
    penta_io_reader_close(reader);
    return ok ? CLI_OK : read_image(c, c->flags.with, &c->with);
}

static int read_companions(correlation *c)
{
    int code = c->flags.with ? read_with(c) : CLI_OK;

    if (code == CLI_OK && c->flags.mask)
        code = read_image(c, c->flags.mask, &c->mask);
    if (code != CLI_OK || !c->flags.mask)
        return code;
    c->mask_bytes = penta_io_mask_bytes(&c->mask);
    return c->mask_bytes ? CLI_OK : cli_fail(NAME, CLI_ERROR, "out of memory for the mask");
}

/* What the whole series gives: fits, series.csv, pictures. After an error or Ctrl-C what was finished gets them too.
 * Where pictures cannot be drawn the rest is kept. */
static int write_summary(correlation *c)
{
    char *csv = penta_io_join_path(c->job.common.output, "series", ".csv");
    penta_io_error error = {""}, missing;
    bool fits = !c->series.cross && !c->series.is_part && series_done(&c->series) >= 3;
    bool ok = csv && (!fits || series_fit(&c->series, &error)) && series_write_csv(&c->series, csv, &error);
    bool drawn = true;

    if (ok && !c->flags.no_plots && figures_ready(&missing))
        drawn = pictures_draw(&c->pictures, &c->series, c->job.common.output, &error);
    else if (ok && !c->flags.no_plots)
        job_note(&c->job, "%s", missing.text);
    free(csv);
    if (ok && job_commit(&c->job) != CLI_OK)
        return CLI_ERROR;
    return ok && drawn ? CLI_OK : job_fail_io(&c->job, &error);
}

static const char *remark_on(const series_row *row)
{
    return row->outlier ? ", outlier" : row->peak.status == PENTA_PEAK_WEAK ? ", weak" : "";
}

static void print_shift(const correlation *c, size_t i)
{
    const penta_displacement *d = &c->series.rows[i].shift;

    if (c->series.rows[i].state != SERIES_DONE)
        return;
    if (d->status == PENTA_DISPLACEMENT_FLAT)
        printf("%s  no peak (flat)\n", cli_shown(c->list.sources[i].name));
    else
        printf("%s  dx = %.3f  dy = %.3f px  (C = %.4f, score %.2f, %s)\n", cli_shown(c->list.sources[i].name), d->dx,
               d->dy, d->peak, d->score, penta_displacement_status_name(d->status));
}

static void print_peak(const correlation *c, size_t i)
{
    const series_row *row = &c->series.rows[i];
    const char *name = cli_shown(c->list.sources[i].name);

    if (row->state != SERIES_DONE)
        return;
    if (row->peak.status != PENTA_PEAK_OK && row->peak.status != PENTA_PEAK_WEAK)
        printf("%s  no peak (%s)\n", name, series_status(&c->series, row));
    else if (isfinite(row->peak.r_max_se))
        printf("%s  R_max = %.2f +- %.2f px  (C = %.4f, %s%s)\n", name, row->peak.r_max, row->peak.r_max_se,
               row->peak.c_max, row->method, remark_on(row));
    else
        printf("%s  R_max = %.2f px  (C = %.4f, %s%s)\n", name, row->peak.r_max, row->peak.c_max, row->method,
               remark_on(row));
}

static void print_growth(const correlation *c)
{
    size_t points = series_fit_points(&c->series);
    const char *lacking = c->series.fitted ? penta_growth_lacking(c->series.fits, points) : NULL;

    for (int m = 0; c->series.fitted && m < PENTA_GROWTH_MODELS; m++) {
        const penta_growth_fit *fit = &c->series.fits[m];

        if (!penta_growth_shows(fit, points))
            continue;
        printf("growth %-12s", penta_growth_model_name(fit->model));
        for (size_t k = 0; k < fit->parameters; k++)
            printf("  %s = %.5g +- %.2g", penta_growth_parameter_name(fit->model, k), fit->value[k],
                   fit->standard_error[k]);
        if (isfinite(fit->aicc))
            printf("  (AICc %.1f)", fit->aicc);
        if (fit->contradicted)
            printf("  contradicts the data (chi2/dof = %.3g)", fit->chi2 / (double)fit->dof);
        putchar('\n');
    }
    if (lacking)
        printf("growth: %s\n", lacking);
}

/* The name of the choice that an option has. */
static const char *choice_of(const char *option, int choice, char *name, size_t size)
{
    for (const penta_option *o = penta_autocorr_option_table(); o->type != PENTA_OPTION_END; o++)
        if (strcmp(o->name, option) == 0 && penta_option_choice(o, (size_t)choice, name, size))
            return name;
    return NULL;
}

static json_t *frame_json(const void *run, size_t i)
{
    const correlation *c = run;

    return c->series.rows ? series_frame_json(&c->series, i) : NULL;
}

/* What there is so far. */
static json_t *details_json(const void *run)
{
    const correlation *c = run;
    char estimator[32], demean[32];

    return json_pack("{s:s?, s:s?, s:o, s:o}", "estimator",
                     choice_of("estimator", c->options.estimator, estimator, sizeof estimator), "demean",
                     choice_of("demean", c->options.demean, demean, sizeof demean), "frames",
                     answer_frames(&c->list, frame_json, c), "growth", series_growth_json(&c->series));
}

static bool any_failed(const correlation *c)
{
    for (size_t i = 0; i < c->list.count; i++)
        if (c->series.rows[i].state == SERIES_FAILED)
            return true;
    return false;
}

/* With --keep-going there may be all files and still a frame that is missing in them. */
static int answer(void *run)
{
    correlation *c = run;
    json_t *details = NULL;
    int code;

    if (c->job.common.json)
        details = details_json(c);
    if (job_prints(&c->job)) {
        for (size_t i = 0; i < c->list.count; i++)
            (c->series.cross ? print_shift : print_peak)(c, i);
        print_growth(c);
    }
    code = job_finish(&c->job, details);
    return code == CLI_OK && any_failed(c) ? CLI_ERROR : code;
}

/* ---- --shard I/N: one of N runs that do the parts of a series without knowing of one another ---- */

typedef struct {
    size_t part, parts;  /* from 0; 0 of 1: the whole */
    size_t first, count; /* of the items, by slice_shard */
} shard;

static bool read_number(const char **at, size_t *out)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    *out = strtoul(*at, &end, 10);
    *at = end;
    return *out < (size_t)1 << 32;
}

/* NULL: the whole. False: the text is no I/N with 1 <= I <= N. */
static bool read_shard(const char *text, shard *out)
{
    size_t part;

    *out = (shard){.parts = 1};
    if (!text)
        return true;
    if (!read_number(&text, &part) || *text++ != '/' || !read_number(&text, &out->parts) || *text)
        return false;
    out->part = part - 1;
    return part >= 1 && part <= out->parts;
}

/* Parts follow one another, and their sizes differ by one at most. */
static void slice_shard(shard *s, size_t items)
{
    size_t each = items / s->parts, more = items % s->parts;

    s->first = s->part * each + (s->part < more ? s->part : more);
    s->count = each + (s->part < more);
}

/* Of the whole series, the part that --shard names. */
static int take_shard(correlation *c)
{
    shard part;

    if (!read_shard(c->flags.shard, &part))
        return cli_fail(NAME, CLI_USAGE, "--shard needs I/N, part I of N with 1 <= I <= N, not '%s'", c->flags.shard);
    if (part.parts == 1)
        return CLI_OK;
    if (part.parts > c->list.count)
        return cli_fail(NAME, CLI_USAGE, "--shard %s: the series has %zu frames", c->flags.shard, c->list.count);
    c->flags.no_plots = true;
    slice_shard(&part, c->list.count);
    series_cut(&c->series, part.first, part.count);
    frame_list_cut(&c->list, part.first, part.count);
    return CLI_OK;
}

/* ---- where results go ---- */

enum { OTHERS = 7 };

static void add_inputs(const correlation *c, input_files *inputs)
{
    const char *const others[OTHERS] = {c->flags.with,       c->flags.mask,        c->flags.times,
                                        c->flags.recipe,     c->prepared.files[0], c->prepared.files[1],
                                        c->prepared.files[2]};

    for (size_t i = 0; i < c->list.count; i++) {
        inputs_add(inputs, c->list.sources[i].path);
        inputs_add(inputs, c->list.sources[i].mask);
    }
    for (size_t i = 0; i < OTHERS; i++)
        inputs_add(inputs, others[i]);
}

static int check_file(const correlation *c, input_files *inputs, const char *name, const char *suffix)
{
    return inputs_check(inputs, c->job.command, c->job.common.output, name, suffix);
}

static int check_frame(const correlation *c, input_files *inputs, const char *stem)
{
    int code = check_file(c, inputs, stem, ".c2d.npy");

    code = code != CLI_OK ? code : check_file(c, inputs, stem, ".c1d.csv");
    return code != CLI_OK || !c->flags.numerators ? code : check_file(c, inputs, stem, ".n2d.npy");
}

static int check_pictures(const correlation *c, input_files *inputs)
{
    static const char *const names[] = {"c1d", "c2d", "growth"};
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < sizeof names / sizeof *names; i++) {
        code = check_file(c, inputs, names[i], ".png");
        code = code != CLI_OK ? code : check_file(c, inputs, names[i], ".svg");
    }
    return code;
}

/* Before anything is written: CLI_OK; or CLI_USAGE after a line where an output would take the place of an input. */
static int check_place(const correlation *c)
{
    input_files *inputs = inputs_open(2 * c->list.count + OTHERS);
    int code = inputs ? CLI_OK : cli_fail(c->job.command, CLI_ERROR, "out of memory");

    if (inputs)
        add_inputs(c, inputs);
    for (size_t i = 0; code == CLI_OK && i < c->list.count; i++)
        code = check_frame(c, inputs, c->list.sources[i].stem);
    code = code != CLI_OK ? code : check_file(c, inputs, "series", ".csv");
    if (!c->flags.no_plots)
        code = code != CLI_OK ? code : check_pictures(c, inputs);
    inputs_close(inputs);
    return code;
}

/* ---- the run ---- */

static int open_run(correlation *c, int argc, char **argv)
{
    penta_io_choice choice = choice_in(&c->flags);
    penta_io_error error = {""};
    size_t slots;
    int code;

    (void)stages_enter(STAGE_READ);
    if (!masks_list_frames(argv, (size_t)argc, &choice, &c->list, &error))
        return job_fail_io(&c->job, &error);
    if (c->flags.recipe && c->list.sources[0].mask)
        return cli_fail(NAME, CLI_USAGE, "%s is the mask of a frame that has been prepared; leave --recipe out",
                        c->list.sources[0].mask);
    c->list.colour = c->flags.recipe != NULL;
    c->list.strict = true;
    if (!series_open(&c->series, &c->list, c->flags.times, c->flags.interval, &error))
        return job_fail_io(&c->job, &error);
    code = take_shard(c);
    if (code != CLI_OK)
        return code;
    frames_work_note_doubts(&c->work);
    c->series.cross = c->flags.with != NULL;
    c->options.bootstrap = c->series.cross ? 0 : c->options.bootstrap; /* there is no R_max to have an error */
    code = prepared_open(&c->prepared, &c->job, c->flags.recipe);
    c->work.in_order = c->prepared.wanted && prepare_runs_in_order(&c->prepared.recipe.options);
    c->work.looks = c->prepared.wanted && prepare_plan_looks(&c->prepared.recipe.options);
    code = code != CLI_OK ? code : check_place(c);
    code = code != CLI_OK ? code : read_companions(c);
    code = code != CLI_OK ? code : job_open_devices(&c->job);
    code = code != CLI_OK ? code : job_make_directory(&c->job, "c1d.* c2d.* growth.*");
    c->work.others = c->prepared.files;
    code = code != CLI_OK ? code : frames_resume_begin(&c->work);
    if (code != CLI_OK || frames_resume_is_done(&c->work))
        return code;
    c->mean_ratios = malloc(c->list.count * sizeof *c->mean_ratios);
    c->plans = calloc(c->job.members, sizeof *c->plans);
    c->lights = calloc(c->list.count, sizeof *c->lights);
    if (!c->mean_ratios || !c->plans || !c->lights)
        return cli_fail(NAME, CLI_ERROR, "out of memory");
    for (size_t i = 0; i < c->list.count; i++)
        c->mean_ratios[i] = NAN, c->lights[i].corner = 1;
    pictures_open(&c->pictures, c->list.count);
    slots = c->list.count < 96 ? c->list.count : 96;
    return frames_work_open(&c->work, slots, CORRELATION_BATCH);
}

static void note_frames(void *run)
{
    doubts_note_frames(run);
}

static int summarize(void *run)
{
    correlation *c = run;
    int code = write_summary(c);

    doubts_note_series(c);
    return code;
}

static size_t count_done(const void *run)
{
    const correlation *c = run;

    return series_done(&c->series);
}

static const frames_task task = {.has_plan = correlation_has_plan,
                                 .compute = correlation_compute,
                                 .accept = correlation_accept,
                                 .write = correlation_write_frame,
                                 .keep = correlation_keep,
                                 .pack_plan = correlation_pack_plan,
                                 .unpack_plan = correlation_unpack_plan,
                                 .pack = correlation_pack,
                                 .unpack = correlation_unpack,
                                 .free_result = correlation_free_result,
                                 .count_done = count_done,
                                 .note = note_frames,
                                 .write_summary = summarize,
                                 .answer = answer,
                                 .details = details_json};

static void close_run(correlation *c)
{
    correlation_free_plans(c);
    prepared_close(&c->prepared);
    job_close(&c->job);
    pictures_close(&c->pictures);
    series_close(&c->series);
    frame_list_free(&c->list);
    penta_io_image_free(&c->with);
    penta_io_image_free(&c->mask);
    free(c->mask_bytes);
    free(c->mean_ratios);
    free(c->lights);
    frames_work_end(&c->work);
}

static int run(const cli_line *line, void *values)
{
    correlation *c = values;
    penta_io_choice choice = choice_in(&c->flags);
    penta_io_error error = {""};
    char message[256];
    int code = cli_need_output(line);

    code = code != CLI_OK ? code : cli_check_single(line);
    if (code == CLI_OK && !penta_io_choice_check(&choice, &error))
        code = cli_fail(NAME, CLI_USAGE, "%s", error.text);
    /* What lies in part of both images is pulled outwards by `unbiased` and textures inwards by `eq1`. */
    if (c->flags.with && !line->preset && !cli_given(line->tables, "estimator"))
        c->options.estimator = PENTA_AUTOCORR_PEARSON;
    if (code == CLI_OK &&
        penta_autocorr_check(0, 0, PENTA_U8, c->flags.numerators, &c->options, message, sizeof message) != PENTA_OK)
        code = cli_fail(NAME, CLI_USAGE, "%s", message);
    code = code != CLI_OK ? code : cli_take_streams(line);
    if (code != CLI_OK)
        return code;
    job_begin(&c->job, line);
    c->job.again = c->flags.resume;
    frames_work_begin(&c->work, &task, c, &c->job, &c->list);
    cli_catch_interrupts();
    code = frames_work_run(&c->work, open_run(c, line->operand_count, line->operands));
    close_run(c);
    return code;
}

static const cli_operand operands[] = {{"IMAGE", "frames, or stacks of them, in the order of the series", 1, 0, NULL},
                                       {0}};
static const cli_rule single[] = {{"times interval", "when the frames were taken", 0}, {0}};
static const cli_section sections[] = {
    CLI_LIBRARY("Method", "autocorr", penta_autocorr_option_table, correlation, options),
    CLI_SECTION("Input and output", "files", flag_table, correlation, flags),
    CLI_SECTION("Common", "common", cli_common_table, correlation, job.common), CLI_SECTIONS_END};

static const cli_output outputs[] = {{"*.c2d.npy", "correlation"},
                                     {"*.n2d.npy", "numerators"},
                                     {"*.c1d.csv", "profile"},
                                     {"series.csv", "series"},
                                     {"*", "picture"},
                                     {0}};

const cli_command penta_command_autocorr = {.name = "autocorr",
                                            .summary = "length scale of patterns in images, and its growth",
                                            .usage = "-o DIR IMAGE...",
                                            .about = about,
                                            .examples = examples,
                                            .operands = operands,
                                            .sections = sections,
                                            .presets = penta_autocorr_presets,
                                            .single = single,
                                            .outputs = outputs,
                                            .size = sizeof(correlation),
                                            .run = run,
                                            .ranks = CLI_RANKS_ALL};
